/* test_sweep.c - which cases a configuration makes, in which order, with which values. */
#include "tests/config/case_fixture.h"

static const struct {
    const char *text;
    const char *labels;
} sweeps[] = {
    {MATMUL, "b\n"},
    {MATMUL "sweep.rows = 1:2\nsweep.cols = 3, 4\n",
     "b rows=1 cols=3\nb rows=1 cols=4\nb rows=2 cols=3\nb rows=2 cols=4\n"},
    /* axes multiply in file order, whatever the order of the table */
    {MATMUL "sweep.cols = 3, 4\nsweep.rows = 1:2\n",
     "b rows=1 cols=3\nb rows=2 cols=3\nb rows=1 cols=4\nb rows=2 cols=4\n"},
    {MATMUL "sweep.rows = 1,2\nzip.x = cols,dtype: 3,fp16 | 4,bf16\n",
     "b rows=1 cols=3 dtype=fp16\nb rows=1 cols=4 dtype=bf16\nb rows=2 cols=3 dtype=fp16\n"
     "b rows=2 cols=4 dtype=bf16\n"},
    {MATMUL "zip.x = label,cores: \"a|b\",\"1,2\" | c d,3\n",
     "b label=a|b cores=1,2\nb label=\"c d\" cores=3\n"},
    {MATMUL "sweep.label = \"\", x\n", "b label=\"\"\nb label=x\n"},
    {MATMUL "sweep.cores = \"1:3\", 7\n", "b cores=1,2,3\nb cores=7\n"},
    {MATMUL "sweep.size = 1 KiB:4 KiB:x2\nsweep.pause = 1 ms, 0.5 s\n",
     "b size=1024 pause=1000000ns\nb size=1024 pause=500000000ns\nb size=2048 pause=1000000ns\n"
     "b size=2048 pause=500000000ns\nb size=4096 pause=1000000ns\nb size=4096 pause=500000000ns\n"},
    {MATMUL "sweep.streams = 1:16\nonly = streams % 5 = 0\nexclude = streams = 10\n",
     "b streams=5\nb streams=15\n"},
    {MATMUL "sweep.streams = 1:3\nonly = streams > 3\n", ""},
    {MATMUL "sweep.env.A = 1:2, x\nsweep.env.B = \"1:2\", y\n",
     "b env.A=1 env.B=1:2\nb env.A=1 env.B=y\nb env.A=2 env.B=1:2\nb env.A=2 env.B=y\n"
     "b env.A=x env.B=1:2\nb env.A=x env.B=y\n"},
    {MATMUL "sweep.define.TILE = 8:32:x2\nonly = \"define.TILE\" >= 8 + 8\n",
     "b define.TILE=16\nb define.TILE=32\n"},
    {MATMUL "sweep.env.N = 2, 10, 0x9, many\nonly = \"env.N\" < 10\n", "b env.N=2\nb env.N=0x9\n"},
    {MATMUL "sweep.cache = warm, cold\nsweep.iterations = auto, 1:2\nonly = cache = 'cold'\n",
     "b cache=cold iterations=0\nb cache=cold iterations=1\nb cache=cold iterations=2\n"},
    {MATMUL "sweep.rounds = auto, 2\nsweep.seed = run, each round, 7\nonly = seed <> -2\n",
     "b rounds=0 seed=-1\nb rounds=0 seed=7\nb rounds=2 seed=-1\nb rounds=2 seed=7\n"},
    {MATMUL "sweep.device = cpu, cuda:1\nsweep.policy = steady\n",
     "b device=cpu policy=steady\nb device=cuda:1 policy=steady\n"},
    {MATMUL "sweep.streams = 1:3\nexclude = device = 'auto' and bench = 'b' and policy = "
            "'steady' and clock = 'auto' and min_samples = 0 and warmup = 0 and streams = 2\n",
     "b streams=1\nb streams=3\n"},
    /* an axis that is not an option feeds formulas or filters */
    {MATMUL "sweep.tile = 8, 1.5, x\nlet.label = tile || typeof(tile)\n",
     "b tile=8\nb tile=1.5\nb tile=x\n"},
    {MATMUL "sweep.tile = 1:4:x2\nlet.rows = tile * 2\nonly = rows < 8\n", "b tile=1\nb tile=2\n"},
    {MATMUL "sweep.a = 1:3\nonly = a <= 2\n", "b a=1\nb a=2\n"},
    {MATMUL "zip.x = a, rows: 1, 2 | 2, 4\nexclude = a = 1\n", "b rows=4 a=2\n"},
    /* a formula of an axis transforms it if it reads it, and gives way if it does not */
    {MATMUL "sweep.rows = 1:2\nlet.rows = rows * 32\n", "b rows=32\nb rows=64\n"},
    {MATMUL "sweep.rows = 1:2\nlet.rows = cols * 32\n", "b rows=1\nb rows=2\n"},
    {MATMUL "let.x = 5\nsweep.x = 1, 2\nlet.rows = x\n", "b x=1\nb x=2\n"},
    /* filters come before formulas that they do not need */
    {MATMUL "sweep.streams = 0:2\nlet.rows = 32 / streams\nonly = streams > 0\n",
     "b streams=0: error"},
    {MATMUL "sweep.problems = 1:3\nlet.rows = 32 / (problems - 1)\nonly = problems > 1\n",
     "b problems=2\nb problems=3\n"},
    {"[bench nop]\n[bench c]\nlike = nop\nsweep.cache = warm, cold\n[bench d]\nlike = nop\n",
     "nop\nc cache=warm\nc cache=cold\nd\n"},
    /* like: own keys replace, in the place of what they replace */
    {MATMUL "sweep.rows = 1, 2\nsweep.cols = 3, 4\nonly = rows = 1\n"
            "[bench c]\nlike = b\nrows = 1\n[bench d]\nlike = c\nsweep.rows = 1, 9\n"
            "only = rows = 9\n",
     "b rows=1 cols=3\nb rows=1 cols=4\nc cols=3\nc cols=4\nd rows=9 cols=3\nd rows=9 cols=4\n"},
    {MATMUL "only = bench <> 'b'\nsweep.rows = 1, 2\nsweep.cols = 3, 4\n"
            "[bench c]\nlike = b\nsweep.rows = 5, 6\n",
     "c rows=5 cols=3\nc rows=5 cols=4\nc rows=6 cols=3\nc rows=6 cols=4\n"},
    {MATMUL "rows = 1\nsweep.cols = 2, 3\nlet.streams = 4\n[bench c]\nlike = b\n"
            "zip.x = rows,cols,streams: 5,6,7\n",
     "b cols=2\nb cols=3\nc rows=5 cols=6 streams=7\n"},
};

/* What is printed makes the very same cases. */
static void check_printed(const char *text)
{
    static const char facts[] = "policy choice rounds max_time_ns tolerances";
    struct loaded first = {0}, again = {0};
    CLEANUP(text_free) struct text printed = {0};
    load(&first, text);
    ck_assert_msg(first.sweep, "%s\n%s", text, text_get(&first.words));
    settings_print(first.settings, &printed);
    load(&again, text_get(&printed));
    ck_assert_msg(again.sweep, "%s\n%s", text_get(&printed), text_get(&again.words));
    ck_assert_uint_eq(sweep_size(first.sweep), sweep_size(again.sweep));
    for (uint64_t i = 0; i < sweep_size(first.sweep); i++) {
        char uid[CASE_UID_TEXT], uid_again[CASE_UID_TEXT];
        CLEANUP(text_free) struct text of_first = {0}, of_again = {0};
        struct bench_case a = case_of(&first, i), b = case_of(&again, i);
        bench_case_uid(&a, "model", uid);
        bench_case_uid(&b, "model", uid_again);
        ck_assert_msg(text_equal(uid, uid_again), "case %d of\n%s", (int)i, text_get(&printed));
        bench_case_label(&a, &of_first);
        bench_case_label(&b, &of_again);
        add_facts(&a, facts, &of_first);
        add_facts(&b, facts, &of_again);
        ck_assert_str_eq(text_get(&of_first), text_get(&of_again));
        arena_free(&cases);
    }
    unload(&first);
    unload(&again);
}

TEST_EACH(sweep, sweeps)
{
    load(&loaded, sweeps[_i].text);
    if (strstr(sweeps[_i].labels, "error")) {
        ck_assert_ptr_null(loaded.sweep);
        return;
    }
    expect_outcome(&loaded, sweeps[_i].labels);
    check_printed(sweeps[_i].text);
}

static const struct {
    const char *text, *facts;
    const char *expected; /* of each case a line */
} values[] = {
    /* Swept, zipped, computed, and given: each case has its own; what a section says itself takes
     * the place of what it has from elsewhere. */
    {"[defaults]\ncheck.rel = 0.25\ncheck.ulp = 9\n" MATMUL
     "sweep.check.ulp = 0:1\nzip.z = rows, check.rms: 8, 1e-3 | 16, 50%\n"
     "let.check.abs = rows / 4.0\ncheck.noise = {rows * 1e-2}\nonly = \"check.ulp\" < 2\n"
     "[bench c]\nlike = b\ncheck.ulp = 0.5\ncheck.rel = 1\n",
     "tolerances check.ulp check.rel",
     " ulp:0 rms:0.001 abs:2 noise:0.08 rel:0.25 check.ulp:0:a\n"
     " ulp:0 rms:0.5 abs:4 noise:0.16 rel:0.25 check.ulp:0:a\n"
     " ulp:1 rms:0.001 abs:2 noise:0.08 rel:0.25 check.ulp:1:a\n"
     " ulp:1 rms:0.5 abs:4 noise:0.16 rel:0.25 check.ulp:1:a\n"
     " ulp:0.5 rms:0.001 abs:2 noise:0.08 rel:1\n ulp:0.5 rms:0.5 abs:4 noise:0.16 rel:1\n"},
    {MATMUL "sweep.seed = 7, 8, -1, -2\n[bench c]\nlike = b\nseed = 3\n"
            "[bench d]\nlike = b\nseed = each round\n",
     "seed",
     " 7 seed:7:a\n 8 seed:8:a\n 42 seed:-1:a\n 42 each round seed:-2:a\n 3\n 42 each round\n"},
    /* a key of every benchmark that a formula computes */
    {MATMUL "sweep.streams = 1, 2\nlet.max_samples = streams * 1000\n", "max_samples",
     " max_samples:1000 max_samples:1000:\n max_samples:2000 max_samples:2000:\n"},
    {"[defaults]\ncheck.dump = dump\ncheck.floor = 0.5\n" MATMUL
     "check.ulp = 2\ncheck.safety = 4\ncheck.bound_kind = probabilistic\n"
     "sweep.check.floor = 0.25, 2\n",
     "check_floor check_safety check_bound_kind check_dump tolerances",
     " check_floor:0.25 check_safety:4 check_bound_kind:1 check_dump:/conf/dump ulp:2\n"
     " check_floor:2 check_safety:4 check_bound_kind:1 check_dump:/conf/dump ulp:2\n"},
    {"[gbrun]\ndevices = all\n[bench nop]\n[bench b]\nplugin = nop\ndevice = cuda\n", "choice",
     " any:-1::all (auto)\n cuda:-1:: (cuda)\n"},
    /* templates, in a section and in an axis */
    {TEXTS "title = plain\n", "settings", " title=plain\n"},
    {TEXTS "title = n is {n}\nsweep.n = 1, 2\n", "settings", " title=n is 1\n title=n is 2\n"},
    {TEXTS "title = v{n}\nsweep.n = \"3.10\", 3.1, 4Ki\n", "settings",
     " title=v3.10\n title=v3.1\n title=v4096\n"},
    {TEXTS "title = \" {n} \"\nsweep.n = 7\n", "settings", " title=\" 7 \"\n"},
    {TEXTS "arg.1 = f({k})\nsweep.n = 2\nlet.k = n * n\n", "settings", " arg.1=f(4)\n"},
    {TEXTS "arg.1 = \"{n}\"\nsweep.n = 2\n", "settings", " arg.1=\"2\"\n"},
    {TEXTS "sweep.arg.1 = x{n}, \"g(1, {n + 1})\", z\nsweep.n = 5\n", "settings",
     " arg.1=x5\n arg.1=g(1, 6)\n arg.1=z\n"},
    {TEXTS "zip.z = n,title: 1,a{n} | 2,b\n", "settings", " title=a1\n title=b\n"},
    {TEXTS "title = {count}\ncount = 3\n", "settings", " count=3 title=3\n"},
    /* what a formula makes is no template, nor is an option that does not say so */
    {TEXTS "let.title = '{n}'\n", "settings", " title={n}\n"},
    {TEXTS "raw = {n}\n", "settings", " raw={n}\n"},
    /* what is recorded is the text as it was written: variables tell the cases apart */
    {TEXTS "title = a{n}\nraw = {n}\nsweep.n = 2\n", "parameters",
     " count:1:di title:a{n}:i:a2 raw:{n}:i n:2:av\n"},
};

TEST_EACH(value, values)
{
    struct text found = {0};
    load_sound(values[_i].text);
    for (uint64_t i = 0; i < sweep_size(loaded.sweep); i++) {
        struct bench_case made = case_of(&loaded, i);
        add_facts(&made, values[_i].facts, &found);
        text_add(&found, "\n");
    }
    expect_text(&found, values[_i].expected);
}

TEST(case_in_full)
{
    struct text found = {0};
    load_sound("[gbrun]\nseed = 7\nrounds = 3\n"
               "[defaults]\ncache = cold\nenv.Z = last\nenv.A = \"a b\"\ncheck.rel = 1e-3\n"
               "check.abs = 1\n"
               "[policy precise]\nplugin = steady\nprecision = 0.1%\n"
               "[device pinned]\nplugin = cpu\ncpus = 0:2\n"
               "[bench b]\nplugin = matmul\nrows = 64\ncache = warm\npolicy = precise\n"
               "device = pinned:1\nsweep.streams = 2, 4\nsweep.max_time = 1 s, 2 s\n"
               "let.cols = streams * 8\nlet.half = streams / 2.0\nlabel = \"\\\"x\\\" \"\n"
               "define.N = 1 + 1\ncheck.abs = 2\nthreads = 8\nwarmup = 1.5 ms\nisolate = yes\n");
    ck_assert_uint_eq(sweep_size(loaded.sweep), 4);
    struct bench_case made = case_of(&loaded, 3);
    ck_assert_uint_eq(made.position, 3);
    ck_assert_str_eq(made.bench, "b");
    add_facts(&made,
              "plugin seed policy policy_settings choice common tolerances environment parameters",
              &found);
    expect_text(&found,
                " matmul 7 precise:steady precision=0.1% pinned:1:: (pinned:1) cache:0 isolate:1"
                " clock:auto rounds:3 iterations:0 warmup_ns:1.5e+06 min_samples:0 max_samples:0"
                " max_time_ns:2e+09 time_limit_ns:6e+10 check_floor:0.001 check_safety:0"
                " check_bound_kind:0 check_allow_overflow:0 check_dump: check_dump_always:0"
                " abs:2 rel:0.001 A:a b Z:last rows:64:i cols:32:i streams:4:ai problems:16:di"
                " dtype:fp32:di check:yes:di size:1048576:di pause:1000000ns:di scale:1:di"
                " label:\"x\" :i cores::di threads:8: define.N:1 + 1:i max_time:2000000000ns:a"
                " half:2:v");
    ck_assert_uint_eq(made.parameters[14].value.type, GB_TYPE_FLOAT);
    struct gb_error error;
    ck_assert_int_eq(sweep_case(loaded.sweep, 4, &cases, &made, &error), GB_NOT_FOUND);
    ck_assert_str_eq(error.text, "there is no case 4: the sweep has 4");
}

static void fill(const struct bench_case *made, void *params, size_t size)
{
    struct gb_error error = {0};
    ck_assert_msg(option_fill(option_table_of(&made->info->plugin), made->settings,
                              made->n_settings, params, size, &cases, &error) == GB_OK,
                  "%s", error.text);
}

/* What the worker does with a case's settings gives the values that were meant. */
TEST(settings_fill_the_params)
{
    struct matmul_params params;
    load_sound(MATMUL "sweep.label = \"a, \\\"b\\\"\", c\nzip.z = cores,dtype: \"1:3\",bf16\n"
                      "let.pause = 3 * 1e6\nlet.size = rows * 1024\nsweep.define.X = 1:2\n"
                      "define.Y = \"y\"\n");
    struct bench_case made = case_of(&loaded, 0);
    fill(&made, &params, sizeof params);
    ck_assert_str_eq(params.label, "a, \"b\"");
    ck_assert_uint_eq(params.cores.n, 3);
    ck_assert_int_eq(((const int64_t *)params.cores.items)[2], 3);
    ck_assert_int_eq(params.dtype, 2);
    ck_assert_double_eq(params.pause, 3e6);
    ck_assert_uint_eq(params.size, 32 * 1024);
    ck_assert_int_eq(params.rows, 32);
    ck_assert_uint_eq(params.define.n, 2);
    ck_assert_str_eq(params.define.keys[0], "X");
    ck_assert_str_eq(params.define.values[0], "1");
    ck_assert_str_eq(params.define.values[1], "\"y\"");
}

/* Keys that nothing else knows: numbers as such, all else in quotes. */
TEST(the_rest_goes_to_the_plugin)
{
    struct open_params params;
    struct text found = {0};
    load_sound("[bench open]\narg.cache = old\ncache = cold\nword = \"a \\\"b\\\"\"\n"
               "text = \"16\"\nhalf = 50%\nM = 2^20\nsweep.n = 1:2\n"
               "zip.z = k,_l: \"x\",8\nlet.twice = n * 2\nlet._m = n + _l\n");
    struct bench_case made = case_of(&loaded, 1);
    fill(&made, &params, sizeof params);
    for (size_t i = 0; i < params.arg.n; i++)
        text_printf(&found, " %s=%s", params.arg.keys[i], params.arg.values[i]);
    add_facts(&made, "n", &found);
    expect_text(&found, " cache=\"old\" word=\"a \\\"b\\\"\" text=\"16\" half=0.5 M=1048576 n=2"
                        " k=\"x\" twice=4 n:2:ai");
}

TEST(devices_are_shared)
{
    const struct plugin_settings *devices;
    load_sound("[bench a]\nplugin = nop\ndevice = cuda\n[bench b]\nplugin = nop\n");
    struct bench_case named = case_of(&loaded, 0), any = case_of(&loaded, 1);
    size_t n_auto;
    settings_devices(loaded.settings, &devices, &n_auto);
    ck_assert_uint_eq(n_auto, 2);
    ck_assert_ptr_eq(named.device.settings, &devices[0]);
    ck_assert_ptr_null(any.device.settings);
}

/* Sections and their cases, whatever the order in which these are measured. */
TEST(parts)
{
    load(&loaded, "[gbrun]\norder = shuffled\n[bench a]\nplugin = texts\nsweep.count = 1:20\n"
                  "[bench c]\nplugin = nop\n");
    ck_assert_uint_eq(sweep_parts(loaded.sweep), 2);
    struct sweep_part part = sweep_part(loaded.sweep, 0);
    ck_assert_str_eq(part.name, "a");
    ck_assert_uint_eq(part.origin.line, 3);
    ck_assert_uint_eq(part.n, 20);
    for (uint64_t i = 0; i < part.n; i++) {
        struct bench_case bench_case;
        ck_assert_int_eq(sweep_case_at(loaded.sweep, part.first + i, &cases, &bench_case, NULL),
                         GB_OK);
        ck_assert_str_eq(bench_case.settings[0].text, arena_printf(&cases, "%d", (int)i + 1));
        ck_assert_str_eq(bench_case.folder, "/conf");
    }
    part = sweep_part(loaded.sweep, 1);
    ck_assert_uint_eq(part.first, 20);
    ck_assert_uint_eq(part.n, 1);
}

TEST(hundred_thousand_cases)
{
    static const uint64_t some[] = {0, 100, 50050, 99999};
    struct text found = {0};
    load_sound(MATMUL "sweep.rows = 1:1000\nsweep.cols = 1:200\n"
                      "let.problems = (rows + 15) / 16 * cols\nonly = (rows + cols) % 2 = 0\n");
    ck_assert_uint_eq(sweep_size(loaded.sweep), 100000);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        struct bench_case made = case_of(&loaded, some[i]);
        ck_assert_uint_eq(made.position, some[i]);
        bench_case_label(&made, &found);
        add_facts(&made, "problems", &found);
        text_add(&found, "\n");
    }
    expect_text(&found, "b rows=1 cols=1 problems:1:i\nb rows=2 cols=2 problems:2:i\n"
                        "b rows=501 cols=101 problems:3232:i\n"
                        "b rows=1000 cols=200 problems:12600:i\n");
}

/* The benchmarks count together, and one more case than the most is too many. */
TEST(largest_sweep)
{
    load_sound(MATMUL "sweep.rows = 1:10000\nsweep.cols = 1:1000\n");
    ck_assert_uint_eq(sweep_size(loaded.sweep), SWEEP_CASES_MAX);
    unload(&loaded);
    load(&loaded, MATMUL "sweep.rows = 1:10000\nsweep.cols = 1:1000\nonly = 0\n[bench nop]\n");
    ck_assert_str_eq(text_get(&loaded.words),
                     "6:1: with [bench nop] the sweep has more than 10000000 cases before 'only' "
                     "and 'exclude'\n");
}

/* The positions of 7 cases of a benchmark and 4 of another. A seed gives the same order in every
 * version. */
static const struct {
    int seed;
    const char *positions;
} orders[] = {{1, " 5 6 10 7 3 4 2 9 1 8 0"},
              {2, " 5 0 6 7 4 3 9 8 2 10 1"},
              {-3, " 3 7 0 2 5 4 1 9 10 6 8"}};

TEST_EACH(shuffled_order, orders)
{
    struct text found = {0};
    load_sound(arena_printf(&cases,
                            "[gbrun]\norder = shuffled\nseed = %d\n" MATMUL
                            "sweep.rows = 1:7\n[bench nop]\nsweep.rounds = 1:4\n",
                            orders[_i].seed));
    ck_assert_uint_eq(sweep_size(loaded.sweep), 11);
    for (uint64_t i = 0; i < 11; i++) {
        struct bench_case made = case_of(&loaded, i);
        text_printf(&found, " %d", (int)made.position);
        ck_assert_str_eq(made.bench, made.position < 7 ? "b" : "nop");
    }
    expect_text(&found, orders[_i].positions);
}

/* With all keys, and with none. */
TEST_TIMES(printed_with_other_sections, 16)
{
    static const char *const heads[] = {
        "", "[gbrun]\nseed = 9\nrounds = 2\norder = shuffled\n",
        "[defaults]\ncache = cold\nenv.MODE = z\ncheck.abs = 1\nmax_time = 1 s\n",
        "[gbrun]\ndevices = pinned, cpu, cuda\n[defaults]\npolicy = precise\n"};
    static const char *const tails[] = {"", "[bench c]\nlike = b\nrows = 7\n"};
    static const char *const lines[] = {
        "",
        "sweep.rows = 1, 64Ki\ncols = 2^4\n"
        "zip.z = problems,dtype,label: 1,fp16,\"a|b, c\" | 2,bf16,\"; d\"\n"
        "sweep.pause = 1 ms, 2s\nsize = 1.5 KiB\nsweep.scale = 0.1:0.3:0.1, 5%\ncores = 0:3, 8\n"
        "threads = 2\nlet.half = problems / 2.0\nlet.streams = cols * 2 + 1\n"
        "only = problems > 1 or streams % 2 = 1 and dtype <> 'x,  y'\n"
        "exclude = scale > 0.25 and pause > 1e6\ndefine.TILE = \"8\" # of the block\n"
        "sweep.define.KIND = a, \"b;c\", \" d \"\nsweep.cache = cold, warm\niterations = auto\n"
        "max_time = 3 s\nsweep.env.MODE = 1, \"x, y\"\nenv.PLAIN = \"a # b\"\n"
        "check.rms = 3e-5\nsweep.check.ulp = 1:2\npolicy = precise\ndevice = pinned:2\n"};
    CLEANUP(text_free) struct text text = {0};
    text_printf(&text,
                "%s[policy precise]\nplugin = steady\n[device pinned]\nplugin = cpu\n"
                "cpus = 1:2\n" MATMUL "%s%s",
                heads[_i % 4], lines[_i / 8], tails[_i / 4 % 2]);
    check_printed(text_get(&text));
}

/* Overrides are printed too; one that a file could not hold as it stands is quoted. */
TEST(printed_overrides)
{
    static const char *const overrides[] = {"b.rows=2", "b.label=new # kept", "gbrun.seed=5",
                                            "defaults.cache=cold", "b.sweep.cols=1:2"};
    struct text printed = {0}, found = {0};
    load_over(&loaded, MATMUL "sweep.rows = 1:3\nlabel = old\n", overrides, 5);
    ck_assert_str_eq(text_get(&loaded.words), "");
    settings_print(loaded.settings, &printed);
    ck_assert_ptr_nonnull(strstr(text_get(&printed), "\nrows = 2  ; -s\n"));
    ck_assert_ptr_nonnull(strstr(text_get(&printed), "\nlabel = \"new # kept\"  ; -s\n"));
    ck_assert_ptr_nonnull(strstr(text_get(&printed), "\ncache = cold  ; [defaults], -s\n"));
    unload(&loaded);
    load_sound(text_get(&printed));
    text_free(&printed);
    expect_outcome(&loaded, "b cols=1\nb cols=2\n");
    struct bench_case made = case_of(&loaded, 0);
    add_facts(&made, "label seed", &found);
    expect_text(&found, " label:new # kept:i 5");
}
