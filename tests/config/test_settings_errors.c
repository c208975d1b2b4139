/* test_settings_errors.c - what is refused in bench.ini, in which words. */
#include "tests/config/case_fixture.h"
#include "tests/text_case.h"

#define NOT_AN_INTEGER " is not an integer: expected a whole number such as 32, 2^20, 64Ki or 1e6"
#define NOT_A_NUMBER " is not a number: expected one such as 0.5, 1e-3, 64Ki or 5%"
#define NOT_IN_DEFAULTS                                                                            \
    " is not allowed in [defaults]: expected a setting that all benchmarks have, "                 \
    "check.METRIC or env.NAME"
#define METRICS                                                                                    \
    "check.abs, check.rel, check.rel_floor, check.ulp, check.rms, check.bound, "                   \
    "check.noise, check.allclose, check.norm, check.mean_abs, check.mean_rel, "                    \
    "check.beyond_1ulp, check.beyond_2ulp or check.beyond_4ulp"
#define DEVICE_CHOICE " chooses no device: expected an index, a UUID or 'all'"
#define SEE_MATMUL " in [bench b]: see 'gbrun help matmul' for its options"
#define SEE_OPEN " in [bench open]: see 'gbrun help open' for its options"
#define OUTSIDE " is out of range: expected "
#define EMPTY " is empty: expected at least one value"
#define NO_NAME ": expected an option or a variable, or a text in single quotes"
#define NO_CHOICE " is not a choice: expected one of "

enum { SECTIONS, GBRUN, DEFAULTS, NOP, BENCH, IN_MATMUL, IN_TEXTS };

/* Of lines between a head and a tail: "line:column: words" of every error in order. */
static void add_errors(char *lines, uint32_t where, struct text *out)
{
    static const char *const around[][2] = {
        [SECTIONS] = {"", ""},
        [GBRUN] = {"[gbrun]\n", "[bench nop]\n"},
        [DEFAULTS] = {"[defaults]\n", "[bench nop]\n"},
        [NOP] = {"[bench nop]\n", ""},
        [BENCH] = {"[bench b]\n", ""},
        [IN_MATMUL] = {MATMUL, ""},
        [IN_TEXTS] = {TEXTS, ""},
    };
    load(&loaded, arena_printf(&cases, "%s%s\n%s", around[where][0], lines, around[where][1]));
    ck_assert_ptr_null(loaded.sweep);
    for (size_t i = 0; i < loaded.errors.n; i++)
        ck_assert_str_eq(loaded.errors.items[i].origin.file, "bench.ini");
    ck_assert_uint_gt(loaded.words.length, 0);
    text_add_n(out, text_get(&loaded.words), loaded.words.length - 1);
    unload(&loaded);
}

static const struct text_cases mistakes[] = {
    {{add_errors, SECTIONS},
     {"[benhc b]\nplugin = matmul\n[bench x]\nplugin = nop -> 1:1: unknown section [benhc b]; did "
      "you mean [bench b]?",
      "[speed]\n[bench nop] -> 1:1: unknown section [speed]: expected [gbrun], [defaults], [policy "
      "NAME], [device NAME], [bench NAME], [search NAME] or [ab NAME]",
      "[bench open]\nn = 1\narg.n = 2\nN = 3\nn-1 = 4\n.x = 5 -> 2:1: 'n' is given twice: 'arg.n' "
      "is the same\n5:1: unknown key 'n-1'" SEE_OPEN "\n6:1: unknown key '.x'" SEE_OPEN,
      "[bench open]\nn = 1\nN = 3\n_m = 4 -> 3:1: 'N': variable 'N' and 'n' differ in case only, "
      "choose another name\n4:1: unknown key '_m'" SEE_OPEN,
      "[bench b]\nplugin = matmull\nmax_sampels = 3\nthreads = 2\nvlaue = 4\nsweep.max_sampel = "
      "1, 2 -> 2:10: unknown benchmark plugin 'matmull'; did you mean 'matmul'?\n3:1: unknown key "
      "'max_sampels' in [bench b]; did you mean 'max_samples'?",
      "[gbrun fast]\n[bench nop] -> 1:1: [gbrun fast]: expected [gbrun], without a name",
      "[bench]\nplugin = nop -> 1:1: [bench] lacks a name: expected [bench NAME]",
      "[device a:b]\nplugin = cpu\n[bench a::b]\nplugin = nop\n[bench a=b]\nplugin = nop -> "
      "1:1: [device a:b]: a name has no blanks, quotes, commas, colons or equals signs\n5:1: "
      "[bench a=b]: a name has no blanks, quotes, commas or equals signs",
      "[device auto]\nplugin = cpu\n[bench nop] -> 1:1: [device auto]: 'auto' stands for any "
      "device, choose another name",
      "[gbrun]\nseed = 1 -> 0:0: there is nothing to run: expected at least one [bench NAME]",
      "[device all]\nplugin = cpu\n[bench nop] -> 1:1: [device all]: 'all' stands for all devices, "
      "choose another name",
      "[defaults]\ncache = hot\n[bench nop]\n[bench again]\nplugin = nop -> 2:9: 'hot'" NO_CHOICE
      "warm, cold",
      "[bench mystery] -> 1:1: [bench mystery] lacks 'plugin', and 'mystery' is not a benchmark "
      "plugin either",
      "[policy p]\nplugin = staedy\n[bench nop] -> 2:10: unknown policy plugin 'staedy'; did you "
      "mean 'steady'?",
      "[policy p]\nplugin = steady\nprecison = 1%\nspeed = 2\n[bench nop] -> 3:1: unknown key "
      "'precison' in [policy p]; did you mean 'precision'?\n4:1: unknown key 'speed' in [policy "
      "p]: see 'gbrun help steady' for its options",
      "[policy p]\nplugin = steady\nprecision = 200%\n[bench nop] -> 3:13: precision = 200%" OUTSIDE
      "0:1",
      "[policy fixed]\n[bench nop]\npolicy = fixed -> 1:1: [policy fixed] lacks 'samples', which "
      "plugin 'fixed' requires",
      "[device gpu0]\nplugin = cuda\nspeed = 1\n[bench nop] -> 3:1: unknown key 'speed' in [device "
      "gpu0]: see 'gbrun help cuda' for its options",
      "[bench gpu_only]\ndevice = cpu -> 2:10: device 'cpu': benchmark 'gpu_only' runs on cuda "
      "only"}},
    {{add_errors, SECTIONS},
     {"[bench tpu_only] -> 1:1: device = auto: benchmark 'tpu_only' runs on tpu only, and the "
      "available plugins are cuda, cpu",
      "[gbrun]\ndevices = cpu\n[bench gpu_only] -> 3:1: device = auto: benchmark 'gpu_only' runs "
      "on cuda only, and the available plugins are cpu",
      "[bench a]\nplugin = nop\nlike = bb\n[bench b]\nplugin = nop -> 3:8: like = bb: there is no "
      "[bench bb]; did you mean 'b'?",
      "[bench a]\nlike = c\n[bench b]\nlike = a\n[bench c]\nlike = b -> 2:8: circular 'like'"
      ": a -> c -> b -> a",
      "[bench a]\nplugin = nop\nlike = a -> 3:8: circular 'like': a -> a",
      "[defaults]\nsweep.check.abs = 1, 2\n[bench b]\nplugin = matmul -> 2:1: "
      "'sweep.check.abs'" NOT_IN_DEFAULTS,
      "[defaults]\ncheck.abs = x\n[bench b]\nplugin = matmul\n[bench c]\nplugin = matmul -> 2:13: "
      "'x'" NOT_A_NUMBER}},
    {{add_errors, GBRUN},
     {"sed = 1 -> 2:1: unknown key 'sed' in [gbrun]; did you mean 'seed'?",
      "colour = 1 -> 2:1: unknown key 'colour' in [gbrun]", "seed = x -> 2:8: 'x'" NOT_AN_INTEGER,
      "order = random -> 2:9: 'random'" NO_CHOICE "listed, shuffled",
      "rounds = -1 -> 2:10: rounds = -1" OUTSIDE "0:10000, or auto",
      "rounds = many -> 2:10: 'many'" NOT_AN_INTEGER ", or auto",
      "devices = cpu, gpu -> 2:16: unknown device 'gpu'; did you mean 'cuda'?",
      "devices = cpu, cpu -> 2:16: device 'cpu' is listed twice",
      "devices = cuda:1 -> 2:11: device 'cuda:1': 'devices' takes names only; write device = "
      "cuda:1 in [defaults] or in a [bench NAME]",
      "devices = cuda:all -> 2:11: device 'cuda:all': 'devices' takes names only; write device = "
      "cuda:all in [defaults] or in a [bench NAME]",
      "devices = cuda, all -> 2:17: 'all' cannot be combined with others in 'devices'",
      "distribute = all -> 2:14: 'all'" NO_CHOICE "spread, each",
      "jobs = -1 -> 2:8: jobs = -1" OUTSIDE "0:256"}},
    {{add_errors, DEFAULTS},
     {"cahce = cold -> 2:1: unknown key 'cahce' in [defaults]; did you mean 'cache'?",
      "rows = 4 -> 2:1: 'rows' is not allowed in [defaults]: it is an option of a benchmark: write "
      "it in [bench NAME]",
      "precision = 1% -> 2:1: 'precision' is not allowed in [defaults]: it is an option of policy "
      "'steady': write it in [policy steady]",
      "colour = 1 -> 2:1: 'colour'" NOT_IN_DEFAULTS,
      "sweep.cache = warm, cold -> 2:1: 'sweep.cache'" NOT_IN_DEFAULTS,
      "policy = staedy -> 2:10: unknown policy 'staedy'; did you mean 'steady'?"}},
    {{add_errors, NOP},
     {"policy = fixed -> 2:10: policy 'fixed' requires 'samples': give it in a section [policy "
      "NAME]",
      "policy = p -> 2:10: unknown policy 'p': there is neither a [policy p] nor a plugin of that "
      "id",
      "device = gpu -> 2:10: unknown device 'gpu'; did you mean 'cuda'?",
      "device = cpu:x -> 2:14: 'x'" DEVICE_CHOICE, "device = cpu: -> 2:14: ''" DEVICE_CHOICE,
      "device = cpu:-1 -> 2:14: index = -1" OUTSIDE "0:65535",
      "device = cpu:1x -> 2:14: '1x'" NOT_AN_INTEGER,
      "sweep.device = cpu, gpu:all -> 2:21: unknown device 'gpu'; did you mean 'cuda'?",
      "device = auto:1 -> 2:10: 'auto:1': what follows the colon needs the name of a device",
      "rounds = many -> 2:10: 'many'" NOT_AN_INTEGER ", or auto",
      "sweep.rounds = auto, many -> 2:22: 'many'" NOT_AN_INTEGER ", or auto",
      "let.iterations = 0 - 1 -> 2:18: let.iterations: in case 'nop': iterations = -1" OUTSIDE
      "0:1000000000000, or auto",
      "seed = any -> 2:8: 'any'" NOT_AN_INTEGER ", or run, or each round",
      "paper.median = much -> 2:16: 'much'" NOT_A_NUMBER ", or none"}},
    {{add_errors, BENCH},
     {"plugin = matmlu -> 2:10: unknown benchmark plugin 'matmlu'; did you mean 'matmul'?",
      "plugin = mystery -> 2:10: unknown benchmark plugin 'mystery': there is none in /plugins, "
      "/more",
      "plugin = -> 2:9: 'plugin' is empty: expected an id or a path such as ./name.so",
      "plugin = broken -> 2:10: /plugins/bench_broken.so cannot be used: crashed while loading "
      "(SIGSEGV)",
      "plugin = two.so -> 2:10: 'two.so' is not a plugin id: a path needs a slash, ./two.so",
      "plugin = ./two.so -> 2:10: /conf/two.so holds several benchmark plugins: name one of them "
      "after a colon: first, second",
      "plugin = ./two.so:third -> 2:10: /conf/two.so holds no benchmark plugin 'third': expected "
      "one of first, second",
      "plugin = ./two.so: -> 2:10: './two.so:' lacks an id after the colon",
      "plugin = ./none.so -> 2:10: /conf/none.so holds no benchmark plugin",
      "plugin = ./picky.so -> 1:1: [bench b] lacks 'path', which plugin 'picky' requires"}},
    {{add_errors, IN_MATMUL},
     {"rwos = 4 -> 3:1: unknown key 'rwos' in [bench b]; did you mean 'rows'?",
      "volume = 4 -> 3:1: unknown key 'volume'" SEE_MATMUL, "rows = 4q -> 3:8: '4q'" NOT_AN_INTEGER,
      "rows = 0 -> 3:8: rows = 0" OUTSIDE "1:65536",
      "cores = 1,,2 -> 3:11: item 2 is empty: expected a value before ','",
      "cache = hot\nclok = wall -> 4:1: unknown key 'clok' in [bench b]; did you mean "
      "'clock'?\n3:9: 'hot'" NO_CHOICE "warm, cold",
      "time_limit = 1 us -> 3:14: time_limit = 1 us" OUTSIDE "1 ms:inf",
      "min_samples = 20\nmax_samples = 10 -> 4:15: min_samples = 20 is above max_samples = 10",
      "bench = x -> 3:1: unknown key 'bench'" SEE_MATMUL,
      "env.9A = 4 -> 3:1: 'env.9A' names no environment variable: expected env.NAME, with letters, "
      "digits and _",
      "sweep. = 4 -> 3:1: 'sweep.' lacks a name: expected sweep.NAME",
      "check.rsm = 1 -> 3:1: unknown metric 'check.rsm'; did you mean 'check.rms'?",
      "check.speed = 1 -> 3:1: unknown metric 'check.speed': expected " METRICS,
      "check.flor = 1 -> 3:1: unknown metric 'check.flor'; did you mean 'check.floor'?",
      "check.bound_kind = probable -> 3:20: 'probable'" NO_CHOICE
      "auto, probabilistic, deterministic",
      "check.abs = -1 -> 3:13: check.abs = -1" OUTSIDE "0:inf",
      "check.abs = much -> 3:13: 'much'" NOT_A_NUMBER, "sweep.rows = -> 3:13: 'sweep.rows'" EMPTY}},
    {{add_errors, IN_MATMUL},
     {"sweep.policy = -> 3:15: 'sweep.policy'" EMPTY,
      "sweep.rows = 1, 2, x, 4 -> 3:20: 'x'" NOT_AN_INTEGER,
      "sweep.rows = 1, 70000 -> 3:17: rows = 70000" OUTSIDE "1:65536",
      "sweep.rwos = 1:4 -> 3:1: unknown key 'sweep.rwos' in [bench b]; did you mean 'sweep.rows'?",
      "sweep.tile = 8, 16 -> 3:1: unknown key 'sweep.tile' in [bench b]; did you mean "
      "'sweep.size'?",
      "sweep.plugin = a, b -> 3:1: 'plugin' cannot be swept",
      "sweep.check.abs = 1, -2 -> 3:22: check.abs = -2" OUTSIDE "0:inf",
      "sweep.check.ulp = -> 3:18: 'sweep.check.ulp'" EMPTY,
      "sweep.check.rsm = 1, 2 -> 3:1: unknown metric 'check.rsm'; did you mean 'check.rms'?",
      "zip.z = rows, check.absolute: 1, 2 -> 3:15: unknown metric 'check.absolute': "
      "expected " METRICS,
      "zip.z = rows, check.abs: 1, 1e-3 | 2, -1 -> 3:39: check.abs = -1" OUTSIDE "0:inf",
      "check.abs = 1\nsweep.check.abs = 1, 2 -> 4:1: 'check.abs' is given twice: by 'check.abs' "
      "and by 'sweep.check.abs'",
      "let.check.abs = rows * -1 -> 3:17: let.check.abs: in case 'b': check.abs = -32" OUTSIDE
      "0:inf",
      "let.check.abs = \"check.abs\" * 2 -> 3:17: let.check.abs: 'check.abs' reads itself and has "
      "no value before",
      "sweep.policy = steady, staedy -> 3:24: unknown policy 'staedy'; did you mean 'steady'?",
      "sweep.device = cpu, gpu -> 3:21: unknown device 'gpu'; did you mean 'cuda'?",
      "rows = 4\nsweep.rows = 1:4 -> 4:1: 'rows' is given twice: by 'rows' and by 'sweep.rows'",
      "zip.shape = 1,2 | 3,4 -> 3:13: 'zip.shape' lacks a colon: expected names and rows, such as "
      "m,n: 1,2 | 3,4"}},
    {{add_errors, IN_MATMUL},
     {"zip.shape = : 1,2 | 3,4 -> 3:13: 'zip.shape' names no options: expected some before the "
      "colon",
      "zip.shape = rows,cols: -> 3:23: 'zip.shape' is empty: expected at least one row after the "
      "colon",
      "zip.shape = rows,cols: 1,2 | 3 | 4,5,6 -> 3:30: row 2 of 'zip.shape' has 1 value: expected "
      "2\n3:34: row 3 of 'zip.shape' has 3 values: expected 2",
      "zip.shape = rows,cols: 1,2 | x,4 -> 3:30: 'x'" NOT_AN_INTEGER,
      "zip.shape = rows,cosl: 1,2 | 3,4 -> 3:18: unknown key 'cosl' of 'zip.shape' in [bench b]; "
      "did you mean 'cols'?",
      "zip.shape = rows,cols: 1,2 | 3,4 | 1,2 -> 3:36: 'zip.shape' has 1, ... twice: the first is "
      "at 3:24",
      "colls = 1\nsweep.rows = 4, 1, 4 -> 3:1: unknown key 'colls' in [bench b]; did you mean "
      "'cols'?\n4:20: 'sweep.rows' has 4 twice: the first is at 4:14",
      "sweep.rows = 4096, 1, 4Ki -> 3:23: 'sweep.rows' has 4096 twice: the first is at 3:14",
      "zip.shape = rows,rows: 1,2 | 3,4 -> 3:1: 'rows' is named twice by 'zip.shape'",
      "cols = 3\nzip.shape = rows,cols: 1,2 | 3,4 -> 4:1: 'cols' is given twice: by 'cols' and by "
      "'zip.shape'",
      "sweep.cols = 3,4\nzip.shape = rows,cols: 1,2 | 3,4 -> 4:1: 'cols' is given twice: by "
      "'sweep.cols' and by 'zip.shape'",
      "zip.shape = rows,plugin: 1,2 | 3,4 -> 3:18: 'plugin' cannot be swept",
      "let.rows = (cols + 1 -> 3:12: let.rows: '(' without ')'",
      "let.rows = colls + 1 -> 3:12: let.rows: unknown name 'colls'; did you mean 'cols'?",
      "let.rows = -> 3:11: let.rows: expected an expression, got nothing",
      "let.device = 'cpu' -> 3:1: 'device' cannot be computed: sweep or zip it",
      "let.plugin = 1 -> 3:1: 'plugin' cannot be computed",
      "let.a-b = 1 -> 3:1: 'let.a-b': a variable's name has letters, digits and _ only",
      "let.Rows = 1 -> 3:1: 'let.Rows': variable 'Rows' and 'rows' differ in case only, choose "
      "another name",
      "let.a = b + 1\nlet.b = 2 -> 3:9: let.a: reads 'b', which 'let.b' computes later: move that "
      "up",
      "let.a = a + 1 -> 3:9: let.a: 'a' reads itself and has no value before"}},
    {{add_errors, IN_MATMUL},
     {"rows = 4\nlet.rows = cols -> 4:1: 'rows' is given twice: by 'rows', and by 'let.rows', "
      "which does not read it",
      "let.rows = 0 -> 3:12: let.rows: in case 'b': rows = 0" OUTSIDE "1:65536",
      "sweep.streams = 1:3\nlet.rows = 5 / (streams - 1) -> 4:12: let.rows: in case 'b streams=1': "
      "gives no value (NULL): expected a number or a text",
      "sweep.streams = 1:3\nlet.rows = streams / 2.0 -> 4:12: let.rows: in case 'b streams=1': "
      "'0.5' is not an integer: expected a whole number (and in 1 more case)",
      "let.x = cast('x' as blob) -> 3:9: let.x: in case 'b': gives a blob: expected a number or a "
      "text",
      "only = stream <= problems -> 3:8: only: unknown name 'stream'; did you mean 'streams'?",
      "exclude = streams <=  -> 3:21: exclude: the expression ends too early",
      "only = streams <= 3 ;; comment\nexclude = 1) or (1 -> 4:12: exclude: ')' without '('",
      "sweep.rows = 1:10000\nsweep.cols = 1:10000 -> 1:1: with [bench b] the sweep has more than "
      "10000000 cases before 'only' and 'exclude'"}},
    {{add_errors, IN_TEXTS},
     {"title = a{b} -> 3:11: title: unknown name 'b'" NO_NAME,
      "title = \"a{\" -> 3:11: title: '{' without '}': expected {EXPRESSION}, or {{ for a brace",
      "arg.x = } -> 3:9: arg.x: '}' without '{': expected {EXPRESSION}, or }} for a brace",
      "sweep.arg.1 = a, {n -> 3:18: arg.1: '{' without '}': expected {EXPRESSION}, or {{ for a "
      "brace",
      "title = {m / n}\nsweep.n = 0, 1\nsweep.m = 1, 2 -> 3:9: title: in case 'b n=0 m=1': gives "
      "no value (NULL): expected a number or a text (and in 1 more case)",
      "sweep.n = 1\ntitle = n -> 3:1: unknown key 'sweep.n' in [bench b]: see 'gbrun help texts' "
      "for its options"}},
};

TEST_TEXT_CASES(mistake, mistakes)

/* One bad value in [defaults] or in a parent is one error, however many sections use it. */
TEST(errors_are_reported_once)
{
    load(&loaded, "[defaults]\nwarmup = soon\n[bench a]\nplugin = matmul\nrows = many\n"
                  "[bench b]\nlike = a\n[bench c]\nlike = b\nclock = wall\n");
    ck_assert_str_eq(
        text_get(&loaded.words),
        "2:10: 'soon' is not a duration: expected a number with one of ns us ms s min h\n"
        "5:8: 'many' is not an integer: expected a whole number such as 32, 2^20, 64Ki or 1e6\n");
}

TEST(errors_are_counted_beyond_the_most_that_are_kept)
{
    CLEANUP(text_free) struct text text = {0};
    text_add(&text, MATMUL);
    for (int i = 0; i < 150; i++)
        text_printf(&text, "unknown%d = 1\n", i);
    load(&loaded, text_get(&text));
    ck_assert_uint_eq(loaded.errors.n, ERROR_LIST_MAX);
    ck_assert_uint_eq(loaded.errors.n_left_out, 50);
}
