/* test_settings_errors.c - what is refused in bench.ini, in which words. */
#include "tests/check_main.h"

#include "tests/config/settings_fixture.h"

static struct loaded loaded;

static void teardown(void)
{
    unload(&loaded);
    loaded = (struct loaded){0};
}

/* "line:column: words" of every error, in order. */
static const struct {
    const char *text;
    const char *errors;
} mistakes[] = {
    {"[benhc b]\n"
     "plugin = matmul\n"
     "[bench x]\n"
     "plugin = nop\n",
     "1:1: unknown section [benhc b]; did you mean [bench b]?\n"},
    {"[speed]\n"
     "[bench nop]\n",
     "1:1: unknown section [speed]: expected [gbrun], [defaults], [policy NAME], [device NAME], "
     "[bench NAME], [search NAME] or [ab NAME]\n"},
    {"[bench open]\nn = 1\narg.n = 2\nN = 3\nn-1 = 4\n.x = 5\n",
     "2:1: 'n' is given twice: 'arg.n' is the same\n"
     "5:1: unknown key 'n-1' in [bench open]: see 'gbrun help open' for its options\n"
     "6:1: unknown key '.x' in [bench open]: see 'gbrun help open' for its options\n"},
    {"[bench open]\nn = 1\nN = 3\n_m = 4\n",
     "3:1: 'N': variable 'N' and 'n' differ in case only, choose another name\n"
     "4:1: unknown key '_m' in [bench open]: see 'gbrun help open' for its options\n"},
    {"[gbrun fast]\n"
     "[bench nop]\n",
     "1:1: [gbrun fast]: expected [gbrun], without a name\n"},
    {"[bench]\n"
     "plugin = nop\n",
     "1:1: [bench] lacks a name: expected [bench NAME]\n"},
    {"[bench a:b]\n"
     "plugin = nop\n",
     "1:1: [bench a:b]: a name has no blanks, quotes, commas, colons or equals signs\n"},
    {"[device auto]\n"
     "plugin = cpu\n"
     "[bench nop]\n",
     "1:1: [device auto]: 'auto' stands for any device, choose another name\n"},
    {"[gbrun]\n"
     "seed = 1\n",
     "0:0: there is nothing to run: expected at least one [bench NAME]\n"},
    {"[gbrun]\n"
     "sed = 1\n"
     "[bench nop]\n",
     "2:1: unknown key 'sed' in [gbrun]; did you mean 'seed'?\n"},
    {"[gbrun]\n"
     "colour = 1\n"
     "[bench nop]\n",
     "2:1: unknown key 'colour' in [gbrun]\n"},
    {"[gbrun]\n"
     "seed = x\n"
     "[bench nop]\n",
     "2:8: 'x' is not an integer: expected a whole number such as 32, 2^20, 64Ki or 1e6\n"},
    {"[gbrun]\n"
     "order = random\n"
     "[bench nop]\n",
     "2:9: 'random' is not a choice: expected one of listed, shuffled\n"},
    {"[gbrun]\n"
     "rounds = 0\n"
     "[bench nop]\n",
     "2:10: rounds = 0 is out of range: expected 1:10000\n"},
    {"[gbrun]\n"
     "devices = cpu, gpu\n"
     "[bench nop]\n",
     "2:16: unknown device 'gpu'; did you mean 'cuda'?\n"},
    {"[gbrun]\n"
     "devices = cpu, cpu\n"
     "[bench nop]\n",
     "2:16: device 'cpu' is listed twice\n"},
    {"[gbrun]\n"
     "devices = cuda:1\n"
     "[bench nop]\n",
     "2:11: device 'cuda:1': 'devices' takes names only; write device = cuda:1 in "
     "[defaults] or in a [bench NAME]\n"},
    {"[gbrun]\n"
     "devices = cuda:all\n"
     "[bench nop]\n",
     "2:11: device 'cuda:all': 'devices' takes names only; write device = cuda:all in "
     "[defaults] or in a [bench NAME]\n"},
    {"[gbrun]\n"
     "devices = cuda, all\n"
     "[bench nop]\n",
     "2:17: 'all' stands alone in 'devices'\n"},
    {"[gbrun]\n"
     "distribute = all\n"
     "[bench nop]\n",
     "2:14: 'all' is not a choice: expected one of spread, each\n"},
    {"[gbrun]\n"
     "jobs = -1\n"
     "[bench nop]\n",
     "2:8: jobs = -1 is out of range: expected 0:256\n"},
    {"[device all]\n"
     "plugin = cpu\n"
     "[bench nop]\n",
     "1:1: [device all]: 'all' stands for all devices, choose another name\n"},
    {"[defaults]\n"
     "cahce = cold\n"
     "[bench nop]\n",
     "2:1: unknown key 'cahce' in [defaults]; did you mean 'cache'?\n"},
    {"[defaults]\n"
     "rows = 4\n"
     "[bench nop]\n",
     "2:1: 'rows' is not allowed in [defaults]: it is an option of a benchmark: write it in [bench "
     "NAME]\n"},
    {"[defaults]\n"
     "precision = 1%\n"
     "[bench nop]\n",
     "2:1: 'precision' is not allowed in [defaults]: it is an option of policy 'steady': write it "
     "in "
     "[policy steady]\n"},
    {"[defaults]\n"
     "colour = 1\n"
     "[bench nop]\n",
     "2:1: 'colour' is not allowed in [defaults]: expected a setting that all benchmarks have, "
     "check.METRIC or env.NAME\n"},
    {"[defaults]\n"
     "sweep.cache = warm, cold\n"
     "[bench nop]\n",
     "2:1: 'sweep.cache' is not allowed in [defaults]: expected a setting that all benchmarks "
     "have, "
     "check.METRIC or env.NAME\n"},
    {"[defaults]\n"
     "cache = hot\n"
     "[bench nop]\n"
     "[bench again]\n"
     "plugin = nop\n",
     "2:9: 'hot' is not a choice: expected one of warm, cold\n"},
    {"[defaults]\n"
     "policy = staedy\n"
     "[bench nop]\n",
     "2:10: unknown policy 'staedy'; did you mean 'steady'?\n"},
    {"[bench mystery]\n",
     "1:1: [bench mystery] lacks 'plugin', and 'mystery' is not a benchmark plugin either\n"},
    {"[bench b]\n"
     "plugin = matmlu\n",
     "2:10: unknown benchmark plugin 'matmlu'; did you mean 'matmul'?\n"},
    {"[bench b]\n"
     "plugin = mystery\n",
     "2:10: unknown benchmark plugin 'mystery': there is none in /plugins, /more\n"},
    {"[bench b]\n"
     "plugin =\n",
     "2:9: 'plugin' is empty: expected an id or a path such as ./name.so\n"},
    {"[bench b]\n"
     "plugin = broken\n",
     "2:10: /plugins/bench_broken.so cannot be used: crashed while loading (SIGSEGV)\n"},
    {"[bench b]\n"
     "plugin = two.so\n",
     "2:10: 'two.so' is not a plugin id: a path needs a slash, ./two.so\n"},
    {"[bench b]\n"
     "plugin = ./two.so\n",
     "2:10: /conf/two.so holds several benchmark plugins: name one of them after a colon: first, "
     "second\n"},
    {"[bench b]\n"
     "plugin = ./two.so:third\n",
     "2:10: /conf/two.so holds no benchmark plugin 'third': expected one of first, second\n"},
    {"[bench b]\n"
     "plugin = ./two.so:\n",
     "2:10: './two.so:' lacks an id after the colon\n"},
    {"[bench b]\n"
     "plugin = ./none.so\n",
     "2:10: /conf/none.so holds no benchmark plugin\n"},
    {"[policy p]\n"
     "plugin = staedy\n"
     "[bench nop]\n",
     "2:10: unknown policy plugin 'staedy'; did you mean 'steady'?\n"},
    {"[policy p]\n"
     "plugin = steady\n"
     "precison = 1%\n"
     "speed = 2\n"
     "[bench nop]\n",
     "3:1: unknown key 'precison' in [policy p]; did you mean 'precision'?\n"
     "4:1: unknown key 'speed' in [policy p]: see 'gbrun help steady' for its options\n"},
    {"[policy p]\n"
     "plugin = steady\n"
     "precision = 200%\n"
     "[bench nop]\n",
     "3:13: precision = 200% is out of range: expected 0:1\n"},
    {"[policy fixed]\n"
     "[bench nop]\n"
     "policy = fixed\n",
     "1:1: [policy fixed] lacks 'samples', which plugin 'fixed' requires\n"},
    {"[bench nop]\n"
     "policy = fixed\n",
     "2:10: policy 'fixed' requires 'samples': give it in a section [policy NAME]\n"},
    {"[bench nop]\n"
     "policy = p\n",
     "2:10: unknown policy 'p': there is neither a [policy p] nor a plugin of that id\n"},
    {"[device gpu0]\n"
     "plugin = cuda\n"
     "speed = 1\n"
     "[bench nop]\n",
     "3:1: unknown key 'speed' in [device gpu0]: see 'gbrun help cuda' for its options\n"},
    {"[bench nop]\n"
     "device = gpu\n",
     "2:10: unknown device 'gpu'; did you mean 'cuda'?\n"},
    {"[bench nop]\n"
     "device = cpu:x\n",
     "2:14: 'x' chooses no device: expected an index, a UUID or 'all'\n"},
    {"[bench nop]\n"
     "device = cpu:\n",
     "2:14: '' chooses no device: expected an index, a UUID or 'all'\n"},
    {"[bench nop]\n"
     "device = cpu:-1\n",
     "2:14: index = -1 is out of range: expected 0:65535\n"},
    {"[bench nop]\n"
     "device = cpu:1x\n",
     "2:14: '1x' is not an integer: expected a whole number such as 32, 2^20, 64Ki or 1e6\n"},
    {"[bench nop]\n"
     "sweep.device = cpu, gpu:all\n",
     "2:21: unknown device 'gpu'; did you mean 'cuda'?\n"},
    {"[bench nop]\n"
     "device = auto:1\n",
     "2:10: 'auto:1': what follows the colon needs the name of a device\n"},
    {"[bench gpu_only]\n"
     "device = cpu\n",
     "2:10: device 'cpu': benchmark 'gpu_only' runs on cuda only\n"},
    {"[bench tpu_only]\n", "1:1: device = auto: benchmark 'tpu_only' runs on tpu only, and there "
                           "is cuda, cpu to choose from\n"},
    {"[gbrun]\n"
     "devices = cpu\n"
     "[bench gpu_only]\n",
     "3:1: device = auto: benchmark 'gpu_only' runs on cuda only, and there is cpu to choose "
     "from\n"},
    {"[bench a]\n"
     "plugin = nop\n"
     "like = bb\n"
     "[bench b]\n"
     "plugin = nop\n",
     "3:8: like = bb: there is no [bench bb]; did you mean 'b'?\n"},
    {"[bench a]\n"
     "like = c\n"
     "[bench b]\n"
     "like = a\n"
     "[bench c]\n"
     "like = b\n",
     "2:8: 'like' goes in a circle: a -> c -> b -> a\n"},
    {"[bench a]\n"
     "plugin = nop\n"
     "like = a\n",
     "3:8: 'like' goes in a circle: a -> a\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "rwos = 4\n",
     "3:1: unknown key 'rwos' in [bench b]; did you mean 'rows'?\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "volume = 4\n",
     "3:1: unknown key 'volume' in [bench b]: see 'gbrun help matmul' for its options\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "rows = 4q\n",
     "3:8: '4q' is not an integer: expected a whole number such as 32, 2^20, 64Ki or 1e6\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "rows = 0\n",
     "3:8: rows = 0 is out of range: expected 1:65536\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "dtype = fp64\n",
     "3:9: 'fp64' is not a choice: expected one of fp32, fp16, bf16; did you mean 'fp32'?\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "pause = 5\n",
     "3:9: '5' is not a duration: expected a number with one of ns us ms s min h\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "check = perhaps\n",
     "3:9: 'perhaps' is not a boolean: expected one of yes no true false on off 1 0\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "cores = 1,,2\n",
     "3:11: item 2 is empty: expected a value before ','\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "cache = hot\n"
     "clok = wall\n",
     "4:1: unknown key 'clok' in [bench b]; did you mean 'clock'?\n"
     "3:9: 'hot' is not a choice: expected one of warm, cold\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "time_limit = 1 us\n",
     "3:14: time_limit = 1 us is out of range: expected 1 ms:\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "min_samples = 20\n"
     "max_samples = 10\n",
     "4:15: min_samples = 20 is above max_samples = 10\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "bench = x\n",
     "3:1: unknown key 'bench' in [bench b]: see 'gbrun help matmul' for its options\n"},
    {"[bench b]\n"
     "plugin = ./picky.so\n",
     "1:1: [bench b] lacks 'path', which plugin 'picky' requires\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "env.9A = 4\n",
     "3:1: 'env.9A' names no environment variable: expected env.NAME, with letters, digits and "
     "_\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "sweep. = 4\n",
     "3:1: 'sweep.' lacks a name: expected sweep.NAME\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "check.rsm = 1\n",
     "3:1: unknown metric 'check.rsm'; did you mean 'check.rms'?\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "check.speed = 1\n",
     "3:1: unknown metric 'check.speed': expected check.abs, check.rel, check.rel_floor, "
     "check.ulp, check.rms, check.bound, check.noise, check.allclose, check.norm, "
     "check.mean_abs, check.mean_rel, check.beyond_1ulp, check.beyond_2ulp or check.beyond_4ulp\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "check.flor = 1\n",
     "3:1: unknown metric 'check.flor'; did you mean 'check.floor'?\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "check.bound_kind = probable\n",
     "3:20: 'probable' is not a choice: expected one of auto, probabilistic, deterministic\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "check.abs = -1\n",
     "3:13: check.abs = -1 is out of range: expected 0:\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "check.abs = nan\n",
     "3:13: 'nan' is not a number: expected one such as 0.5, 1e-3, 64Ki or 5%\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "check.abs = much\n",
     "3:13: 'much' is not a number: expected one such as 0.5, 1e-3, 64Ki or 5%\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "sweep.rows =\n",
     "3:13: 'sweep.rows' is empty: expected at least one value\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "sweep.policy =\n",
     "3:15: 'sweep.policy' is empty: expected at least one value\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "sweep.rows = 1, 2, x, 4\n",
     "3:20: 'x' is not an integer: expected a whole number such as 32, 2^20, 64Ki or 1e6\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "sweep.rows = 1, 70000\n",
     "3:17: rows = 70000 is out of range: expected 1:65536\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "sweep.rows = 8:1\n",
     "3:14: range '8:1': expected a step below 0, since LAST is below FIRST\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "sweep.rwos = 1:4\n",
     "3:1: unknown key 'sweep.rwos' in [bench b]; did you mean 'sweep.rows'?\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "sweep.tile = 8, 16\n",
     "3:1: unknown key 'sweep.tile' in [bench b]; did you mean 'sweep.size'?\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "sweep.plugin = a, b\n",
     "3:1: 'plugin' cannot be swept\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "sweep.check.abs = 1, -2\n",
     "3:22: check.abs = -2 is out of range: expected 0:\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "sweep.check.ulp = 1, much\n",
     "3:22: 'much' is not a number: expected one such as 0.5, 1e-3, 64Ki or 5%\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "sweep.check.ulp =\n",
     "3:18: 'sweep.check.ulp' is empty: expected at least one value\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "sweep.check.rsm = 1, 2\n",
     "3:1: unknown metric 'check.rsm'; did you mean 'check.rms'?\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "zip.z = rows, check.absolute: 1, 2\n",
     "3:15: unknown metric 'check.absolute': expected check.abs, check.rel, check.rel_floor, "
     "check.ulp, check.rms, check.bound, check.noise, check.allclose, check.norm, "
     "check.mean_abs, check.mean_rel, check.beyond_1ulp, check.beyond_2ulp or check.beyond_4ulp\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "zip.z = rows, check.abs: 1, 1e-3 | 2, -1\n",
     "3:39: check.abs = -1 is out of range: expected 0:\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "check.abs = 1\n"
     "sweep.check.abs = 1, 2\n",
     "4:1: 'check.abs' is given twice: by 'check.abs' and by 'sweep.check.abs'\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "let.check.abs = rows * -1\n",
     "3:17: let.check.abs: in case 'b': check.abs = -32 is out of range: expected 0:\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "let.check.abs = \"check.abs\" * 2\n",
     "3:17: let.check.abs: 'check.abs' reads itself and has no value before\n"},
    {"[defaults]\n"
     "sweep.check.abs = 1, 2\n"
     "[bench b]\n"
     "plugin = matmul\n",
     "2:1: 'sweep.check.abs' is not allowed in [defaults]: expected a setting that all benchmarks "
     "have, check.METRIC or env.NAME\n"},
    {"[defaults]\n"
     "check.abs = x\n"
     "[bench b]\n"
     "plugin = matmul\n"
     "[bench c]\n"
     "plugin = matmul\n",
     "2:13: 'x' is not a number: expected one such as 0.5, 1e-3, 64Ki or 5%\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "sweep.policy = steady, staedy\n",
     "3:24: unknown policy 'staedy'; did you mean 'steady'?\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "sweep.device = cpu, gpu\n",
     "3:21: unknown device 'gpu'; did you mean 'cuda'?\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "rows = 4\n"
     "sweep.rows = 1:4\n",
     "4:1: 'rows' is given twice: by 'rows' and by 'sweep.rows'\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "zip.shape = 1,2 | 3,4\n",
     "3:13: 'zip.shape' lacks a colon: expected names and rows, such as m,n: 1,2 | 3,4\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "zip.shape = : 1,2 | 3,4\n",
     "3:13: 'zip.shape' names no options: expected some before the colon\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "zip.shape = rows,cols:\n",
     "3:23: 'zip.shape' is empty: expected at least one row after the colon\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "zip.shape = rows,cols: 1,2 | 3 | 4,5,6\n",
     "3:30: row 2 of 'zip.shape' has 1 value: expected 2\n"
     "3:34: row 3 of 'zip.shape' has 3 values: expected 2\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "zip.shape = rows,cols: 1,2 | x,4\n",
     "3:30: 'x' is not an integer: expected a whole number such as 32, 2^20, 64Ki or 1e6\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "zip.shape = rows,cosl: 1,2 | 3,4\n",
     "3:18: unknown key 'cosl' of 'zip.shape' in [bench b]; did you mean 'cols'?\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "zip.shape = rows,rows: 1,2 | 3,4\n",
     "3:1: 'rows' is named twice by 'zip.shape'\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "cols = 3\n"
     "zip.shape = rows,cols: 1,2 | 3,4\n",
     "4:1: 'cols' is given twice: by 'cols' and by 'zip.shape'\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "sweep.cols = 3,4\n"
     "zip.shape = rows,cols: 1,2 | 3,4\n",
     "4:1: 'cols' is given twice: by 'sweep.cols' and by 'zip.shape'\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "zip.shape = rows,plugin: 1,2 | 3,4\n",
     "3:18: 'plugin' cannot be swept\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "let.rows = (cols + 1\n",
     "3:12: let.rows: '(' without ')'\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "let.rows = colls + 1\n",
     "3:12: let.rows: unknown name 'colls'; did you mean 'cols'?\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "let.rows = colour + 1\n",
     "3:12: let.rows: unknown name 'colour': expected an option or a variable, or a text in single "
     "quotes\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "let.rows =\n",
     "3:11: let.rows: expected an expression, got nothing\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "let.device = 'cpu'\n",
     "3:1: 'device' cannot be computed: sweep or zip it\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "let.plugin = 1\n",
     "3:1: 'plugin' cannot be computed\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "let.a-b = 1\n",
     "3:1: 'let.a-b': a variable's name has letters, digits and _ only\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "let.Rows = 1\n",
     "3:1: 'let.Rows': variable 'Rows' and 'rows' differ in case only, choose another name\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "let.a = b + 1\n"
     "let.b = 2\n",
     "3:9: let.a: reads 'b', which 'let.b' computes later: move that up\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "let.a = a + 1\n",
     "3:9: let.a: 'a' reads itself and has no value before\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "rows = 4\n"
     "let.rows = cols\n",
     "4:1: 'rows' is given twice: by 'rows', and by 'let.rows', which does not read it\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "let.rows = 0\n",
     "3:12: let.rows: in case 'b': rows = 0 is out of range: expected 1:65536\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "sweep.streams = 1:3\n"
     "let.rows = 5 / (streams - 1)\n",
     "4:12: let.rows: in case 'b streams=1': gives no value (NULL): expected a number or a text\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "sweep.streams = 1:3\n"
     "let.rows = streams / 2.0\n",
     "4:12: let.rows: in case 'b streams=1': '0.5' is not an integer: expected a whole number (and "
     "in 1 more case)\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "let.x = cast('x' as blob)\n",
     "3:9: let.x: in case 'b': gives a blob: expected a number or a text\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "only = stream <= problems\n",
     "3:8: only: unknown name 'stream'; did you mean 'streams'?\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "exclude = streams <= \n",
     "3:21: exclude: the expression ends too early\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "only = streams <= 3 ;; comment\n"
     "exclude = 1) or (1\n",
     "4:12: exclude: ')' without '('\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "only = dtype = fp16\n",
     "3:16: only: unknown name 'fp16': expected an option or a variable, or a text in single "
     "quotes\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "only = \"dtype\" = \"fp16\"\n",
     "3:18: only: unknown name 'fp16' (a text stands in single quotes: 'fp16')\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "only = random() > 0\n",
     "3:8: only: function 'random' is not allowed in expressions\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "only = (select 1)\n",
     "3:8: only: queries are not allowed in expressions\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "only = length(x\n",
     "3:14: only: '(' without ')'\n"},
    {"[bench b]\n"
     "plugin = matmul\n"
     "sweep.rows = 1:10000\n"
     "sweep.cols = 1:10000\n",
     "1:1: with [bench b] the sweep has more than 10000000 cases before 'only' and 'exclude'\n"},
};

TEST_FIXTURE(NULL, teardown)

TEST_EACH(mistake, mistakes)
{
    load(&loaded, mistakes[_i].text);
    ck_assert_str_eq(text_get(&loaded.words), mistakes[_i].errors);
    ck_assert_ptr_null(loaded.sweep);
    for (size_t i = 0; i < loaded.errors.n; i++)
        ck_assert_str_eq(loaded.errors.items[i].origin.file, "bench.ini");
}

/* One bad value in [defaults] or in a parent is one error, however many sections use it. */
TEST(errors_are_reported_once)
{
    load(&loaded, "[defaults]\nwarmup = soon\n[bench a]\nplugin = matmul\nrows = many\n"
                  "[bench b]\nlike = a\n[bench c]\nlike = b\nclock = wall\n");
    ck_assert_str_eq(
        text_get(&loaded.words),
        "2:10: 'soon' is not a duration: expected a number with one of ns us ms s min "
        "h\n"
        "5:8: 'many' is not an integer: expected a whole number such as 32, 2^20, 64Ki "
        "or 1e6\n");
}

TEST(errors_are_counted_beyond_the_most_that_are_kept)
{
    struct text text = {0};
    text_add(&text, "[bench b]\nplugin = matmul\n");
    for (int i = 0; i < 150; i++)
        text_printf(&text, "unknown%d = 1\n", i);
    load(&loaded, text_get(&text));
    ck_assert_uint_eq(loaded.errors.n, ERROR_LIST_MAX);
    ck_assert_uint_eq(loaded.errors.n_left_out, 50);
    text_free(&text);
}
