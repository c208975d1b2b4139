/* test_settings.c - the meaning of bench.ini: what is accepted, what is printed. */
#include "tests/config/case_fixture.h"
#include "tests/text_case.h"

static void add_run(char *text, uint32_t with, struct text *out)
{
    load_sound(text);
    const struct run_params *run = settings_run(loaded.settings);
    text_printf(out, "%s seed %d %s %s jobs %d rounds %d devices ", run->results, (int)run->seed,
                run->order == ORDER_SHUFFLED ? "shuffled" : "listed",
                run->distribute == DISTRIBUTE_EACH ? "each" : "spread", (int)run->jobs,
                (int)run->rounds);
    for (uint64_t i = 0; i < run->devices.n; i++)
        text_printf(out, "%s|", ((const char *const *)run->devices.items)[i]);
    text_add(out, " path ");
    for (uint64_t i = 0; i < run->plugin_path.n; i++)
        text_printf(out, "%s|", ((const char *const *)run->plugin_path.items)[i]);
    unload(&loaded);
}

TEST(requests)
{
    struct text words = {0};
    const struct plugin_request *all;
    load(&loaded, "[gbrun]\ndevices = cuda, pinned\n[policy p]\nplugin = steady\n"
                  "[device pinned]\nplugin = cpu\n[bench matmul]\ndevice = cpu:0\n"
                  "sweep.policy = p, steady\n[bench a]\nplugin = ./two.so:first\n"
                  "zip.x = policy,device: fixed,auto | p,opencl\n[bench b]\nplugin = ../x/y.so\n"
                  "[bench c]\nplugin = /abs/z.so\n[bench d]\nlike = c\n");
    size_t n = settings_requests(loaded.settings, &all);
    for (size_t i = 0; i < n; i++)
        text_printf(&words, "%u %s %s %u\n", all[i].kind, all[i].id ? all[i].id : "-",
                    all[i].path ? all[i].path : "-", all[i].origin.line);
    expect_text(&words, "2 steady - 4\n3 cpu - 6\n3 cuda - 2\n1 matmul - 7\n"
                        "1 first /conf/two.so 11\n3 opencl - 12\n2 fixed - 12\n"
                        "1 - /conf/../x/y.so 14\n1 - /abs/z.so 16\n");
}

/* What `device = auto` chooses from, in order; with a dash those that no case may run on. */
static void add_preference(char *text, uint32_t with, struct text *out)
{
    const struct plugin_settings *devices;
    size_t n;
    load_sound(text);
    settings_devices(loaded.settings, &devices, &n);
    for (size_t i = 0; i < n; i++)
        text_printf(out, "%s%s=%s ", devices[i].is_chosen ? "" : "-", devices[i].name,
                    devices[i].info->plugin.id);
    unload(&loaded);
}

/* Of a device, written and swept: its section, index, uuid, whether it is all (as it is written).
 */
static void add_choice(char *device, uint32_t with, struct text *out)
{
    CLEANUP(text_free) struct text swept = {0};
    load_sound(arena_printf(
        &cases, "[bench nop]\ndevice = %s\n[bench b]\nplugin = nop\nsweep.device = %s\n", device,
        device));
    struct bench_case first = case_of(&loaded, 0), second = case_of(&loaded, 1);
    add_facts(&first, "choice", out);
    add_facts(&second, "choice", &swept);
    ck_assert_str_eq(text_get(&swept), text_get(out));
    unload(&loaded);
}

static const struct text_cases of_run[] = {
    {{add_run, 0},
     {"[gbrun]\nresults = out/x.gbr\nseed = -3\norder = shuffled\ndevices = cuda, cpu\n"
      "plugin_path = ., \"a, b\"\njobs = 2\nrounds = 4\ndistribute = each\n[bench nop]\n"
      " -> out/x.gbr seed -3 shuffled each jobs 2 rounds 4 devices cuda|cpu| path .|a, b|",
      "[bench nop]\n -> results.gbr seed 42 listed spread jobs 0 rounds 0 devices  path "}},
    {{add_preference, 0},
     {"[bench nop]\n -> cuda=cuda cpu=cpu ", "[bench nop]\ndevice = cpu\n -> -cuda=cuda cpu=cpu ",
      "[device pinned]\nplugin = cpu\n[bench nop]\nsweep.device = cpu, cuda:1\n -> cuda=cuda "
      "-pinned=cpu ",
      "[device pinned]\nplugin = cpu\ncpus = 0:3\n[bench nop]\n -> cuda=cuda pinned=cpu ",
      "[device b]\nplugin = cuda\n[device a]\nplugin = cuda\n[bench nop]\n -> b=cuda a=cuda "
      "cpu=cpu ",
      "[gbrun]\ndevices = cpu, cuda\n[bench nop]\n -> cpu=cpu cuda=cuda ",
      "[gbrun]\ndevices = all\n[bench nop]\n -> cuda=cuda cpu=cpu ",
      "[gbrun]\ndevices = all\n[device b]\nplugin = cuda\n[bench nop]\n -> b=cuda cpu=cpu ",
      "[gbrun]\ndevices = b\n[device a]\nplugin = cpu\n[device b]\nplugin = cpu\n[bench nop]\n -> "
      "b=cpu ",
      "[bench gpu_only]\n -> cuda=cuda -cpu=cpu ",
      "[device b]\nplugin = cpu\n[bench nop]\nsweep.device = cuda:1, b\n -> cuda=cuda b=cpu ",
      "[gbrun]\nbenchmarks = a\n[bench a]\nplugin = nop\ndevice = cpu\n[bench nop]\n -> "
      "-cuda=cuda cpu=cpu ",
      "[device b]\nplugin = cpu\n[bench nop]\nzip.x = policy, device: steady, cuda | steady, "
      "cuda:1\n -> cuda=cuda -b=cpu "}},
    {{add_choice, 0},
     {"cuda ->  cuda:-1:: (cuda)", "cuda:2 ->  cuda:2:: (cuda:2)",
      "cuda:0x10 ->  cuda:16:: (cuda:16)",
      "cuda:GPU-1a2b3c4d ->  cuda:-1:GPU-1a2b3c4d: (cuda:GPU-1a2b3c4d)",
      "cuda:1a2b-3c4d ->  cuda:-1:1a2b-3c4d: (cuda:1a2b-3c4d)",
      "cuda:MIG-GPU-1/2/3 ->  cuda:-1:MIG-GPU-1/2/3: (cuda:MIG-GPU-1/2/3)",
      "cuda:all ->  cuda:-1::all (cuda:all)", "cpu:all ->  cpu:-1::all (cpu:all)",
      "auto ->  any:-1:: (auto)"}},
};

TEST_TEXT_CASES(settings_of_the_run, of_run)

/* Settings that every benchmark has, as they are printed where nothing says more. */
#define D "  ; default\n"
#define BEFORE_WARMUP                                                                              \
    "launch = auto" D "pace = free" D "pace_limit = 20 s" D "cool_below = 0" D                     \
    "clock_at_least = 0" D "clock = auto" D "count_by = auto" D "count_limit = 200000" D           \
    "measure = time" D "iterations = 0" D
#define AFTER_WARMUP                                                                               \
    "min_samples = 0" D "max_samples = 0" D "max_time = 15 s" D "max_time_undecided = 0" D         \
    "time_limit = 60 s" D "rounds = 0" D "margin = 0" D "isolate = auto" D "exclusive = no" D      \
    "counters = no" D "breakdown = no" D "verify = auto" D "inputs = 0" D "seed = -1" D            \
    "check.floor = 0.001" D "check.atol = 1e-8" D "check.rtol = 1e-5" D "check.details = no" D     \
    "check.worst = 0" D "check.safety = 0" D "check.bound_kind = auto" D                           \
    "check.allow_overflow = no" D "check.dump =" D "check.dump_always = no" D "device = auto" D

TEST(printed)
{
    struct text out = {0};
    load(&loaded,
         "[defaults]\ncache = cold\n[device d]\nplugin = cpu\n[bench b]\nplugin = picky.x\n"
         "[bench base]\nplugin = ./picky.so\npath = \"a ; b\" # why\nwarmup = 5 ms\n"
         "[bench child]\nlike = base\nsweep.warmup = 1 ms, 2 ms\npolicy = steady\n");
    settings_print(loaded.settings, &out);
    expect_text(&out, "[gbrun]\n"
                      "results = results.gbr" D "roofs =" D "benchmarks =" D "where =" D
                      "sample = 0" D "shard =" D "costs =" D "seed = 42" D "order = listed" D
                      "devices =" D "distribute = spread" D "durability = full" D "plugin_path =" D
                      "jobs = 0" D "gpus_per_case = 0" D "rounds = 0" D "apart = 0" D "lock = yes" D
                      "lock_limit = 10 min" D "claim_limit = 1 min" D "sentinel = yes" D "\n"
                      "[device d]\n"
                      "plugin = cpu  ; bench.ini:4\n"
                      "cpus =" D "\n"
                      "[policy steady]\n"
                      "plugin = steady" D "precision = 1%" D "\n"
                      "[bench b]\n"
                      "plugin = picky.x  ; bench.ini:6\n"
                      "cache = cold  ; [defaults], bench.ini:2\n" BEFORE_WARMUP
                      "warmup = 0" D AFTER_WARMUP "policy = steady" D "\n"
                      "[bench base]\n"
                      "plugin = ./picky.so  ; bench.ini:8\n"
                      "path = \"a ; b\"  ; bench.ini:9\n"
                      "warmup = 5 ms  ; bench.ini:10\n"
                      "cache = cold  ; [defaults], bench.ini:2\n" BEFORE_WARMUP AFTER_WARMUP
                      "policy = steady" D "\n"
                      "[bench child]\n"
                      "plugin = ./picky.so  ; bench.ini:8\n"
                      "path = \"a ; b\"  ; bench.ini:9\n"
                      "sweep.warmup = 1 ms, 2 ms  ; bench.ini:13\n"
                      "policy = steady  ; bench.ini:14\n"
                      "cache = cold  ; [defaults], bench.ini:2\n" BEFORE_WARMUP AFTER_WARMUP);
}

/* Long values go on in further lines, which the reader joins; open quotes keep comments away. */
TEST(printed_long)
{
    CLEANUP(text_free) struct text text = {0}, out = {0};
    text_add(&text, "[bench b]\nplugin = matmul\nsweep.rows = 1");
    for (int i = 2; i < 200; i++)
        text_printf(&text, "%s%d", i % 20 ? "," : ",\n  ", i);
    text_add(&text, "\nlabel = 24\" wide\n");
    load_sound(text_get(&text));
    settings_print(loaded.settings, &out);
    for (const char *line = text_get(&out); *line;) {
        size_t length = strcspn(line, "\n");
        ck_assert_uint_le(length, 199);
        line += length + (line[length] == '\n');
    }
    ck_assert_ptr_nonnull(strstr(text_get(&out), "; bench.ini:13\nlabel = 24\" wide\n"));
    ck_assert_ptr_nonnull(strstr(text_get(&out), "; bench.ini:3\nsweep.rows = 1,2,3,4,5,"));
    unload(&loaded);
    load_sound(text_get(&out));
    ck_assert_uint_eq(sweep_size(loaded.sweep), 199);
}
