/* test_settings.c - the meaning of bench.ini: what is accepted, what is printed. */
#include "tests/check_main.h"

#include "tests/config/settings_fixture.h"

static struct loaded loaded;

static void teardown(void)
{
    unload(&loaded);
    loaded = (struct loaded){0};
}

TEST_FIXTURE(NULL, teardown)

TEST(run_settings)
{
    load(&loaded, "[gbrun]\nresults = out/x.gbr\nseed = -3\norder = shuffled\ndevices = cuda, cpu\n"
                  "plugin_path = ., \"a, b\"\njobs = 2\nrounds = 4\ndistribute = each\n"
                  "[bench nop]\n");
    ck_assert_str_eq(text_get(&loaded.words), "");
    const struct run_params *run = settings_run(loaded.settings);
    ck_assert_str_eq(run->results, "out/x.gbr");
    ck_assert_int_eq(run->seed, -3);
    ck_assert_int_eq(run->order, ORDER_SHUFFLED);
    ck_assert_uint_eq(run->devices.n, 2);
    ck_assert_uint_eq(run->plugin_path.n, 2);
    ck_assert_str_eq(((const char *const *)run->plugin_path.items)[1], "a, b");
    ck_assert_int_eq(run->jobs, 2);
    ck_assert_int_eq(run->distribute, DISTRIBUTE_EACH);
    ck_assert_int_eq(run->rounds, 4);
}

TEST(run_defaults)
{
    load(&loaded, "[bench nop]\n");
    const struct run_params *run = settings_run(loaded.settings);
    ck_assert_str_eq(run->results, "results.gbr");
    ck_assert_int_eq(run->seed, 42);
    ck_assert_int_eq(run->order, ORDER_LISTED);
    ck_assert_uint_eq(run->devices.n, 0);
    ck_assert_uint_eq(run->plugin_path.n, 0);
    ck_assert_int_eq(run->jobs, 0);
    ck_assert_int_eq(run->distribute, DISTRIBUTE_SPREAD);
    ck_assert_int_eq(run->rounds, 1);
}

static void add_request_words(struct text *words)
{
    const struct plugin_request *requests;
    size_t n = settings_requests(loaded.settings, &requests);
    for (size_t i = 0; i < n; i++)
        text_printf(words, "%u %s %s %u\n", requests[i].kind, requests[i].id ? requests[i].id : "-",
                    requests[i].path ? requests[i].path : "-", requests[i].origin.line);
}

TEST(requests)
{
    struct text words = {0};
    load(&loaded, "[gbrun]\ndevices = cuda, pinned\n[policy p]\nplugin = steady\n"
                  "[device pinned]\nplugin = cpu\n[bench matmul]\ndevice = cpu:0\n"
                  "sweep.policy = p, steady\n[bench a]\nplugin = ./two.so:first\n"
                  "zip.x = policy,device: fixed,auto | p,opencl\n[bench b]\nplugin = ../x/y.so\n"
                  "[bench c]\nplugin = /abs/z.so\n[bench d]\nlike = c\n");
    add_request_words(&words);
    ck_assert_str_eq(text_get(&words), "2 steady - 4\n"
                                       "3 cpu - 6\n"
                                       "3 cuda - 2\n"
                                       "1 matmul - 7\n"
                                       "1 first /conf/two.so 11\n"
                                       "3 opencl - 12\n"
                                       "2 fixed - 12\n"
                                       "1 - /conf/../x/y.so 14\n"
                                       "1 - /abs/z.so 16\n");
    text_free(&words);
}

static const struct {
    const char *text;
    const char *devices;
} preferences[] = {
    {"[bench nop]\n", "cuda=cuda cpu=cpu "},
    {"[device pinned]\nplugin = cpu\ncpus = 0:3\n[bench nop]\n", "cuda=cuda pinned=cpu "},
    {"[device b]\nplugin = cuda\n[device a]\nplugin = cuda\n[bench nop]\n",
     "b=cuda a=cuda cpu=cpu "},
    {"[gbrun]\ndevices = cpu, cuda\n[bench nop]\n", "cpu=cpu cuda=cuda "},
    {"[gbrun]\ndevices = all\n[bench nop]\n", "cuda=cuda cpu=cpu "},
    {"[gbrun]\ndevices = all\n[device b]\nplugin = cuda\n[bench nop]\n", "b=cuda cpu=cpu "},
    {"[gbrun]\ndevices = b\n[device a]\nplugin = cpu\n[device b]\nplugin = cpu\n[bench nop]\n",
     "b=cpu "},
};

TEST_EACH(preference, preferences)
{
    const struct plugin_settings *devices;
    struct text words = {0};
    load(&loaded, preferences[_i].text);
    ck_assert_str_eq(text_get(&loaded.words), "");
    size_t n;
    settings_devices(loaded.settings, &devices, &n);
    for (size_t i = 0; i < n; i++)
        text_printf(&words, "%s=%s ", devices[i].name, devices[i].info->plugin.id);
    ck_assert_str_eq(text_get(&words), preferences[_i].devices);
    text_free(&words);
}

static const struct {
    const char *text; /* of a benchmark's device */
    const char *name; /* NULL: auto */
    int32_t index;
    const char *uuid;
    bool is_all;
} selectors[] = {
    {"cuda", "cuda", DEVICE_INDEX_ANY, NULL, false},
    {"cuda:2", "cuda", 2, NULL, false},
    {"cuda:0x10", "cuda", 16, NULL, false},
    {"cuda:GPU-1a2b3c4d", "cuda", DEVICE_INDEX_ANY, "GPU-1a2b3c4d", false},
    {"cuda:1a2b-3c4d", "cuda", DEVICE_INDEX_ANY, "1a2b-3c4d", false},
    {"cuda:MIG-GPU-1/2/3", "cuda", DEVICE_INDEX_ANY, "MIG-GPU-1/2/3", false},
    {"cuda:all", "cuda", DEVICE_INDEX_ANY, NULL, true},
    {"cpu:all", "cpu", DEVICE_INDEX_ANY, NULL, true},
    {"auto", NULL, DEVICE_INDEX_ANY, NULL, false},
};

TEST_EACH(selector, selectors)
{
    struct text text = {0}, written = {0};
    struct arena arena = {0};
    struct bench_case fixed, swept;
    text_printf(&text, "[bench nop]\ndevice = %s\n[bench b]\nplugin = nop\nsweep.device = %s\n",
                selectors[_i].text, selectors[_i].text);
    load(&loaded, text_get(&text));
    ck_assert_str_eq(text_get(&loaded.words), "");
    ck_assert_int_eq(sweep_case(loaded.sweep, 0, &arena, &fixed, NULL), GB_OK);
    ck_assert_int_eq(sweep_case(loaded.sweep, 1, &arena, &swept, NULL), GB_OK);
    const struct device_choice *choices[] = {&fixed.device, &swept.device};
    for (int i = 0; i < 2; i++) {
        ck_assert_pstr_eq(choices[i]->settings ? choices[i]->settings->name : NULL,
                          selectors[_i].name);
        ck_assert_int_eq(choices[i]->index, selectors[_i].index);
        ck_assert_pstr_eq(choices[i]->uuid, selectors[_i].uuid);
        ck_assert_int_eq(choices[i]->is_all, selectors[_i].is_all);
    }
    device_choice_text(&fixed.device, &written);
    if (!strstr(selectors[_i].text, "0x"))
        ck_assert_str_eq(text_get(&written), selectors[_i].text);
    text_free(&text);
    text_free(&written);
    arena_free(&arena);
}

TEST(all_devices_are_for_auto)
{
    struct arena arena = {0};
    struct bench_case automatic, named;
    load(&loaded, "[gbrun]\ndevices = all\n[bench nop]\n[bench b]\nplugin = nop\ndevice = cuda\n");
    ck_assert_str_eq(text_get(&loaded.words), "");
    ck_assert_int_eq(sweep_case(loaded.sweep, 0, &arena, &automatic, NULL), GB_OK);
    ck_assert_int_eq(sweep_case(loaded.sweep, 1, &arena, &named, NULL), GB_OK);
    ck_assert(automatic.device.is_all);
    ck_assert(!named.device.is_all);
    arena_free(&arena);
}

/* The settings of comparisons, of which each case has its own. */
TEST(settings_of_comparisons)
{
    struct sweep *sweep = NULL;
    struct error_list errors = {0};
    struct bench_case got;
    struct arena arena = {0};
    load(&loaded, "[defaults]\ncheck.dump = dump\ncheck.floor = 0.5\n"
                  "[bench b]\nplugin = matmul\ncheck.ulp = 2\ncheck.safety = 4\n"
                  "check.bound_kind = probabilistic\nsweep.check.floor = 0.25, 2\n");
    ck_assert_str_eq(text_get(&loaded.words), "");
    ck_assert_int_eq(sweep_new(loaded.settings, &sweep, &errors), GB_OK);
    ck_assert_uint_eq(sweep_size(sweep), 2);
    for (uint64_t i = 0; i < 2; i++) {
        ck_assert_int_eq(sweep_case(sweep, i, &arena, &got, NULL), GB_OK);
        ck_assert_double_eq(got.common.check_floor, i ? 2 : 0.25);
        ck_assert_double_eq(got.common.check_safety, 4);
        ck_assert_int_eq(got.common.check_bound_kind, GB_BOUND_PROBABILISTIC);
        ck_assert_uint_eq(got.n_tolerances, 1);
        ck_assert(*got.common.check_dump == '/' && text_ends_with(got.common.check_dump, "/dump"));
    }
    sweep_free(sweep);
    arena_free(&arena);
    error_list_free(&errors);
}

TEST(printed)
{
    struct text out = {0};
    load(&loaded,
         "[defaults]\ncache = cold\n[device d]\nplugin = cpu\n[bench b]\nplugin = picky.x\n"
         "[bench base]\nplugin = ./picky.so\npath = \"a ; b\" # why\nwarmup = 5 ms\n"
         "[bench child]\nlike = base\nsweep.warmup = 1 ms, 2 ms\npolicy = steady\n");
    settings_print(loaded.settings, &out);
    ck_assert_str_eq(
        text_get(&out),
        "[gbrun]\nresults = results.gbr  ; default\nroofs =  ; default\n"
        "benchmarks =  ; default\nwhere =  ; default\nsample = 0  ; default\nshard =  ; "
        "default\ncosts =  ; default\nseed = 42  ; default\n"
        "order = listed  ; default\ndevices =  ; default\ndistribute = spread  ; "
        "default\ndurability = full  ; default\nplugin_path =  ; "
        "default\njobs = 0  ; default\ngpus_per_case = 0  ; default\n"
        "rounds = 1  ; default\nlock = yes  ; default\nlock_limit = 10 min  ; default\n"
        "claim_limit = 1 min  ; default\n\n"
        "[device d]\nplugin = cpu  ; bench.ini:4\ncpus =  ; default\n\n"
        "[policy steady]\nplugin = steady  ; default\nprecision = 1%  ; default\n\n"
        "[bench b]\nplugin = picky.x  ; bench.ini:6\ncache = cold  ; [defaults], bench.ini:2\n"
        "launch = auto  ; default\n"
        "pace = free  ; default\npace_limit = 20 s  ; default\ncool_below = 0  ; "
        "default\nclock_at_least = 0  ; default\n"
        "clock = auto  ; default\nmeasure = time  ; default\niterations = 0  ; default\nwarmup = "
        "0  ; default\n"
        "min_samples = 0  ; default\nmax_samples = 0  ; default\nmax_time = 15 s  ; "
        "default\nmax_time_undecided = 0  ; default\ntime_limit = 60 s  ; default\nrounds = 1  ; "
        "default\nisolate = no  ; "
        "default\nexclusive = no  ; default\ncounters = no  ; default\nbreakdown = no  ; default\n"
        "verify = auto  ; default\ninputs = 0  ; default\nseed = -1  ; default\n"
        "check.floor = 0.001  ; default\ncheck.atol = 1e-8  ; default\ncheck.rtol = 1e-5  ; "
        "default\n"
        "check.details = no  ; default\ncheck.worst = 0  ; default\ncheck.safety = 0  ; "
        "default\ncheck.bound_kind = auto  ; "
        "default\n"
        "check.allow_overflow = no  ; default\ncheck.dump =  ; default\ncheck.dump_always = no  ; "
        "default\n"
        ""
        "device = auto  ; default\npolicy = steady  ; default\n\n"
        "[bench base]\nplugin = ./picky.so  ; bench.ini:8\npath = \"a ; b\"  ; bench.ini:9\n"
        "warmup = 5 ms  ; bench.ini:10\ncache = cold  ; [defaults], bench.ini:2\n"
        "launch = auto  ; default\n"
        "pace = free  ; default\npace_limit = 20 s  ; default\ncool_below = 0  ; "
        "default\nclock_at_least = 0  ; default\n"
        "clock = auto  ; default\nmeasure = time  ; default\niterations = 0  ; "
        "default\nmin_samples = 0  ; default\n"
        "max_samples = 0  ; default\nmax_time = 15 s  ; default\nmax_time_undecided = 0  ; "
        "default\ntime_limit = 60 s  ; "
        "default\nrounds = 1  ; default\nisolate = no  ; default\nexclusive = no  ; "
        "default\ncounters = no  ; default\nbreakdown = no  ; default\n"
        "verify = auto  ; default\ninputs = 0  ; default\nseed = -1  ; default\n"
        "check.floor = 0.001  ; default\ncheck.atol = 1e-8  ; default\ncheck.rtol = 1e-5  ; "
        "default\n"
        "check.details = no  ; default\ncheck.worst = 0  ; default\ncheck.safety = 0  ; "
        "default\ncheck.bound_kind = auto  ; "
        "default\n"
        "check.allow_overflow = no  ; default\ncheck.dump =  ; default\ncheck.dump_always = no  ; "
        "default\n"
        "device = auto  ; default\n"
        "policy = steady  ; default\n\n"
        "[bench child]\nplugin = ./picky.so  ; bench.ini:8\npath = \"a ; b\"  ; bench.ini:9\n"
        "sweep.warmup = 1 ms, 2 ms  ; bench.ini:13\npolicy = steady  ; bench.ini:14\n"
        "cache = cold  ; [defaults], bench.ini:2\nlaunch = auto  ; default\n"
        "pace = free  ; default\npace_limit = 20 s  ; default\ncool_below = 0  ; "
        "default\nclock_at_least = 0  ; default\n"
        "clock = auto  ; default\nmeasure = time  ; "
        "default\n"
        "iterations = 0  ; default\nmin_samples = 0  ; default\nmax_samples = 0  ; "
        "default\nmax_time = 15 s  ; default\nmax_time_undecided = 0  ; default\ntime_limit = 60 s "
        " ; default\nrounds = 1  ; "
        "default\nisolate = no  ; default\nexclusive = no  ; default\ncounters = no  ; "
        "default\nbreakdown = no  ; default\n"
        "verify = auto  ; default\ninputs = 0  ; default\nseed = -1  ; default\n"
        "check.floor = 0.001  ; default\ncheck.atol = 1e-8  ; default\ncheck.rtol = 1e-5  ; "
        "default\n"
        "check.details = no  ; default\ncheck.worst = 0  ; default\ncheck.safety = 0  ; "
        "default\ncheck.bound_kind = auto  ; "
        "default\n"
        "check.allow_overflow = no  ; default\ncheck.dump =  ; default\ncheck.dump_always = no  ; "
        "default\n"
        "device = auto  ; default\n");
    text_free(&out);
}

/* Long values go on in further lines, which the reader joins; open quotes keep comments away. */
TEST(printed_long)
{
    struct text text = {0}, out = {0};
    text_add(&text, "[bench b]\nplugin = matmul\nsweep.rows = 1");
    for (int i = 2; i < 200; i++)
        text_printf(&text, "%s%d", i % 20 ? "," : ",\n  ", i);
    text_add(&text, "\nlabel = 24\" wide\n");
    load(&loaded, text_get(&text));
    ck_assert_str_eq(text_get(&loaded.words), "");
    settings_print(loaded.settings, &out);
    for (const char *line = text_get(&out); *line;) {
        size_t length = strcspn(line, "\n");
        ck_assert_uint_le(length, 199);
        line += length + (line[length] == '\n');
    }
    ck_assert_ptr_nonnull(strstr(text_get(&out), "; bench.ini:13\nlabel = 24\" wide\n"));
    ck_assert_ptr_nonnull(strstr(text_get(&out), "; bench.ini:3\nsweep.rows = 1,2,3,4,5,"));
    struct loaded again = {0};
    load(&again, text_get(&out));
    ck_assert_str_eq(text_get(&again.words), "");
    ck_assert_uint_eq(sweep_size(again.sweep), 199);
    unload(&again);
    text_free(&text);
    text_free(&out);
}
