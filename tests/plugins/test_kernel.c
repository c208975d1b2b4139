/*
 * test_kernel.c - the benchmark `kernel` on a driver that computes on the host: how kernels are
 * launched, what is reported of them, what they are compared with. Those of a .cu need NVRTC.
 */
#include "plugins/bench_kernel/settings.h"
#include "tests/check_main.h"
#include "tests/fake_cuda/fake_launch.h"
#include "tests/fake_host.h"
#include "tests/plugins/kernel_files.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N = 1000 };

static struct fake_launch *cuda;
static const struct gb_plugin *plugin;
static const struct gb_bench_ops *ops;
static struct fake_host *fake;
static const struct gb_queue queue = {.size = sizeof queue};
static char folder[1024], cache_folder[64];

static const char ptx[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry scale(.param .u64 a, .param .u64 b, .param .u32 c,\n"
                          "    .param .u32 d) { ret; }\n"
                          ".visible .entry scale_simply(.param .u64 a, .param .u64 b,\n"
                          "    .param .u32 c, .param .u32 d) { ret; }\n";
static const char source[] =
    "template <int STEP> __global__ void scale(int *to, const int *from, int factor, int n)\n"
    "{\n"
    "    static_assert(WIDTH >= 16, \"\");\n"
    "    for (int i = threadIdx.x; i < n; i += STEP * WIDTH)\n"
    "        to[i] = factor * from[i];\n"
    "}\n"
    "extern \"C\" __global__ void scale_simply(int *to, const int *from, int factor, int n) {}\n";

static const char *const keys[] = {"1", "2", "3", "4"};
static const char *const values[] = {"buffer(int[1000], out)", "buffer(int[1000], count)", "3",
                                     "1000"};

static struct kernel_params defaults(void)
{
    return (struct kernel_params){.source = "scale.ptx",
                                  .entry = "scale",
                                  .signature = "void(pointer, pointer, int, int)",
                                  .arg = {4, keys, values},
                                  .grid = "4, 1",
                                  .block = "256",
                                  .shared = "0",
                                  .cluster = "",
                                  .options = "",
                                  .cache_folder = cache_folder,
                                  .reference_entry = "",
                                  .reference_source = "",
                                  .reference_grid = "",
                                  .reference_block = "",
                                  .reference_shared = "",
                                  .reference = "",
                                  .reference_signature = ""};
}

static void start(void)
{
    snprintf(folder, sizeof folder, "%s", getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp");
    snprintf(cache_folder, sizeof cache_folder, "cache-%d", (int)getpid());
    if (cuda == NULL)
        cuda = fake_symbol(fake_library("tests/fake_cuda/launch/.libs/libcuda.so.1"),
                           "fake_launch");
    *cuda = (struct fake_launch){.architecture = 90,
                                 .max_threads = 512,
                                 .registers = 40,
                                 .local_bytes = 16,
                                 .shared_bytes = 1024,
                                 .most_shared_bytes = 232448,
                                 .n_parameters = 4};
    plugin = fake_plugin("bench_kernel", GB_PLUGIN_BENCH, "kernel");
    ops = plugin->ops;
    fake = fake_host_new();
    snprintf(fake->device.backend, sizeof fake->device.backend, "cuda");
    fake->host.folder = folder;
    write_bytes("scale.ptx", ptx, sizeof ptx - 1);
    write_bytes("scale.cu", source, sizeof source - 1);
}

static void stop(void)
{
    fake_host_free(fake);
}

/* Goes through a case as the host does, until something is not GB_OK. */
static int32_t measure(const struct kernel_params *params)
{
    void *bench = NULL;
    int32_t status = ops->create(&fake->host, params, &bench);
    if (status == GB_OK)
        status = ops->prepare(bench, &queue);
    if (status == GB_OK)
        status = ops->reset(bench, &queue);
    if (status == GB_OK)
        status = ops->run(bench, &queue, 3);
    if (status == GB_OK)
        status = ops->verify(bench, &queue);
    ops->destroy(bench);
    ck_assert_int_eq(cuda->n_loaded, 0);
    return status;
}

static void expect_reason(const char *words)
{
    ck_assert_msg(strstr(fake->reason, words) != NULL, "%s", fake->reason);
}

static void expect_end(const struct kernel_params *params, int32_t status, const char *words)
{
    ck_assert_int_eq(measure(params), status);
    expect_reason(words);
}

static void expect_right(const struct kernel_params *params)
{
    ck_assert_msg(measure(params) == GB_OK, "%s", fake->reason);
    ck_assert_uint_eq(fake->n_compared, N);
}

static void expect_wrong(const struct kernel_params *params, uint64_t n)
{
    ck_assert_int_eq(measure(params), GB_WRONG_RESULT);
    ck_assert_uint_eq(fake->n_wrong, n);
}

/* --- launches --- */

TEST_FIXTURE(start, stop)

TEST(launches_as_configured)
{
    struct kernel_params params = defaults();
    params.grid = "2, 3, 4";
    params.block = "64, 2, 1";
    params.shared = "100Ki";
    ck_assert_int_eq(measure(&params), GB_OK);
    ck_assert_int_eq(cuda->n_launches, 3);
    ck_assert_mem_eq(cuda->grid, ((unsigned[]){2, 3, 4}), sizeof cuda->grid);
    ck_assert_mem_eq(cuda->block, ((unsigned[]){64, 2, 1}), sizeof cuda->block);
    ck_assert_uint_eq(cuda->launch_shared, 100 * 1024);
    ck_assert_int_eq(cuda->asked_shared, 100 * 1024);
    ck_assert_uint_eq(cuda->cluster[0], 0);
    ck_assert_str_eq(cuda->kernel, "scale");
    ck_assert_uint_eq(fake->n_checks, 0);
}

TEST(launches_clusters)
{
    struct kernel_params params = defaults();
    params.cluster = "4";
    ck_assert_int_eq(measure(&params), GB_OK);
    ck_assert_uint_eq(cuda->cluster[0], 4);
    ck_assert_uint_eq(cuda->cluster[1], 1);
    cuda->architecture = 80;
    expect_end(&params, GB_SKIPPED, "this device has no clusters");
}

TEST(reports_what_it_needs)
{
    struct kernel_params params = defaults();
    params.shared = "1000";
    params.block = "200";
    ck_assert_int_eq(measure(&params), GB_OK);
    ck_assert_double_eq(fake_metric_named(fake, "registers"), 40);
    ck_assert_double_eq(fake_metric_named(fake, "local_bytes"), 16);
    ck_assert_double_eq(fake_metric_named(fake, "shared_bytes"), 2024);
    ck_assert_double_eq(fake_metric_named(fake, "blocks"), 4);
    ck_assert_double_eq(fake_metric_named(fake, "blocks_per_unit"), 5);
    ck_assert_double_eq(fake_metric_named(fake, "occupancy"), 5.0 * 224 / 2048);
}

TEST(skips_what_does_not_fit)
{
    struct kernel_params params = defaults();
    params.block = "513";
    expect_end(&params, GB_SKIPPED,
               "a block of 513 threads does not fit: this kernel, which has 40 registers, takes "
               "up to 512");
    params.block = "512";
    params.shared = "231424";
    ck_assert_int_eq(measure(&params), GB_OK);
    params.shared = "231425";
    expect_end(&params, GB_SKIPPED,
               "shared = 231425 does not fit: a block has up to 232448 bytes, of which the "
               "kernel itself takes 1024");
}

TEST(fails_for_other_parameters)
{
    struct kernel_params params = defaults();
    cuda->n_parameters = 5;
    expect_end(&params, GB_FAILED, "signature: it has 4 parameters, but the kernel 5");
    cuda->n_parameters = 3;
    expect_end(&params, GB_FAILED, "signature: it has 4 parameters, but the kernel 3");
    cuda->n_parameters = 4;
    params.signature = "void(pointer, pointer, int64, int)";
    expect_end(&params, GB_FAILED, "signature: parameter 3 has 8 bytes, but that of the kernel 4");
}

TEST(says_what_the_driver_says)
{
    struct kernel_params params = defaults();
    write_bytes("scale.ptx", "not ptx", 7);
    expect_end(&params, GB_FAILED, "scale.ptx(1): fatal: not PTX");
    params.source = "none.ptx";
    expect_end(&params, GB_FAILED, "none.ptx: No such file or directory");
}

/* --- comparisons --- */

TEST(compares_with_a_kernel)
{
    struct kernel_params params = defaults();
    params.reference_entry = "scale_simply";
    params.reference_grid = "1000";
    params.reference_block = "1, 1";
    ck_assert_int_eq(measure(&params), GB_OK);
    ck_assert_int_eq(cuda->n_launches, 4);
    ck_assert_uint_eq(cuda->grid[0], 1000);
    ck_assert_uint_eq(cuda->block[0], 1);
    ck_assert_uint_eq(fake->n_checks, 1);
    ck_assert_uint_eq(fake->n_compared, N);
    cuda->is_wrong = 1;
    expect_wrong(&params, 1);
}

/* Its buffers are its own: had it written to those of the kernel, nothing would differ. */
TEST(compares_with_a_kernel_of_another_file)
{
    static const char *const ref_keys[] = {"1", "2", "3", "4"};
    static const char *const ref_values[] = {"arg.1", "arg.2", "4", "arg.4"};
    struct kernel_params params = defaults();
    params.reference_entry = "scale_simply";
    params.reference_source = "other.ptx";
    write_bytes("other.ptx", ptx, sizeof ptx - 1);
    ck_assert_int_eq(measure(&params), GB_OK);
    params.ref = (struct gb_map){4, ref_keys, ref_values};
    expect_wrong(&params, N - 1);
}

static const char *own_library(void)
{
    static char path[2048];
    const char *build = getenv("top_builddir");
    snprintf(path, sizeof path, "%s/tests/modules/.libs/call_targets.so",
             build != NULL ? build : ".");
    return path;
}

TEST(compares_with_a_function)
{
    const char *const library[] = {own_library()};
    struct kernel_params params = defaults();
    params.reference = "scale_on_host";
    params.reference_library = (struct gb_list){1, library};
    expect_right(&params);
    ck_assert_uint_eq(fake->n_device_blocks, 2); /* a function reaches memory of the host only */
    cuda->is_wrong = 1;
    ck_assert_int_eq(measure(&params), GB_WRONG_RESULT);
    params.reference = "absent";
    expect_end(&params, GB_FAILED, "absent");
}

TEST(compares_with_a_file)
{
    static const char *const files[] = {"wanted.bin"};
    static const char *const first[] = {"1"};
    static int32_t wanted[N];
    struct kernel_params params = defaults();
    for (int32_t i = 0; i < N; i++)
        wanted[i] = 3 * i;
    write_bytes("wanted.bin", wanted, sizeof wanted);
    params.output = (struct gb_map){1, first, files};
    expect_right(&params);
    wanted[17] = -1;
    write_bytes("wanted.bin", wanted, sizeof wanted);
    expect_wrong(&params, 1);
}

TEST(begins_with_a_file)
{
    static const char *const files[] = {"given.bin"};
    static const char *const second[] = {"2"};
    static const char *const expecting[] = {"buffer(int[1000], out, expect=21)",
                                            "buffer(int[1000])", "3", "1000"};
    static int32_t given[N];
    struct kernel_params params = defaults();
    for (int32_t i = 0; i < N; i++)
        given[i] = 7;
    write_bytes("given.bin", given, sizeof given);
    params.arg.values = expecting;
    params.input = (struct gb_map){1, second, files};
    expect_right(&params);
    params.input.n = 0;
    ck_assert_int_eq(measure(&params), GB_WRONG_RESULT);
}

/* to = 2 to, three times: right only if the buffer is put back, and one more launch compared. */
TEST(restores_buffers)
{
    static const char *const in_place[] = {"buffer(int[1000], fill=5, restore, out, expect=10)",
                                           "arg.1", "2", "1000"};
    struct kernel_params params = defaults();
    params.arg.values = in_place;
    ck_assert_int_eq(measure(&params), GB_OK);
    ck_assert_int_eq(cuda->n_restored, 2);
    ck_assert_int_eq(cuda->n_launches, 4);
    ck_assert_uint_eq(fake->n_compared, N);
}

/* --- compiling --- */

/* GB_OK, or says that there is no NVRTC. */
static bool compiles(const struct kernel_params *params)
{
    const int32_t status = measure(params);
    if (status == GB_FAILED && strstr(fake->reason, "libnvrtc was not found") != NULL) {
        printf("# left out: %s\n", fake->reason);
        return false;
    }
    ck_assert_msg(status == GB_OK, "%s", fake->reason);
    return true;
}

static const char *const define_keys[] = {"WIDTH"};
static const char *const define_values[] = {"32"};

static struct kernel_params compiled(void)
{
    struct kernel_params params = defaults();
    params.source = "scale.cu";
    params.entry = "scale<8>";
    params.define = (struct gb_map){1, define_keys, define_values};
    params.reference_entry = "scale_simply";
    return params;
}

TEST(compiles_once)
{
    struct kernel_params params = compiled();
    if (!compiles(&params))
        return;
    ck_assert_uint_eq(fake->n_compared, N);
    ck_assert_mem_eq(cuda->image, "\177ELF", 4);
    ck_assert_double_eq(fake_metric_named(fake, "cached"), 0);
    const double compile_ms = fake_metric_named(fake, "compile_ms");
    ck_assert_double_eq(fake_metric_named(fake, "spill_bytes"), 0);
    ck_assert(compile_ms > 0);
    ck_assert(compiles(&params));
    ck_assert_double_eq(fake_metric_named(fake, "cached"), 1);
    ck_assert_double_eq(fake_metric_named(fake, "compile_ms"), compile_ms);
}

static const char *capability(const struct gb_host *host, const char *name)
{
    (void)host;
    return strcmp(name, "compute_capability") == 0 ? "9.0" : NULL;
}

static const char *nothing(const struct gb_host *host, const char *name)
{
    (void)host;
    (void)name;
    return NULL;
}

/* What is built without a device is what prepare finds. */
TEST(builds_ahead)
{
    static char own_cache[64];
    struct kernel_params params = compiled();
    if (!compiles(&params))
        return;
    snprintf(own_cache, sizeof own_cache, "ahead-%d", (int)getpid());
    params.cache_folder = own_cache;
    fake->host.device_fact = nothing;
    ck_assert_int_eq(ops->build(&fake->host, &params), GB_OK);
    ck_assert_int_eq(measure(&params), GB_OK);
    ck_assert_double_eq(fake_metric_named(fake, "cached"), 0);
    params.options = "--use_fast_math";
    fake->host.device_fact = capability;
    ck_assert_int_eq(ops->build(&fake->host, &params), GB_OK);
    ck_assert_int_eq(measure(&params), GB_OK);
    ck_assert_double_eq(fake_metric_named(fake, "cached"), 1);
    params.define.n = 0;
    ck_assert_int_eq(ops->build(&fake->host, &params), GB_FAILED);
    expect_reason("scale.cu(3): error: identifier \"WIDTH\" is undefined");
}

TEST(passes_macros_on)
{
    struct kernel_params params = compiled();
    if (!compiles(&params))
        return;
    params.define.n = 0;
    expect_end(&params, GB_FAILED, "scale.cu(3): error: identifier \"WIDTH\" is undefined");
    ck_assert_ptr_nonnull(strstr(fake->log, "1 error detected"));
    params.options = " -DWIDTH=16  --use_fast_math ";
    ck_assert(compiles(&params));
    params.options = "--no-such-option -DWIDTH=16";
    expect_end(&params, GB_FAILED, "no-such-option");
}

/* Also in two words, and with folders from that of the configuration. */
TEST(passes_options_on)
{
    struct kernel_params params = compiled();
    char given[1100];
    snprintf(given, sizeof given, "%s/given", folder);
    mkdir(given, 0777);
    write_text("given/width.h", "#define WIDTH 16\n");
    params.define.n = 0;
    params.options = "-D OTHER=16 -std c++20 -I given -include width.h -arch sm_90 -Xptxas -O1";
    if (!compiles(&params))
        return;
    ck_assert_mem_eq(cuda->image, "\177ELF", 4);
    ck_assert_double_eq(fake_metric_named(fake, "spill_bytes"), 0);
    params.options = "--include-path=given --pre-include=width.h";
    ck_assert(compiles(&params));
    params.options = "-DWIDTH=16 -I";
    expect_end(&params, GB_FAILED, "options: '-I': expected a value behind it");
}

static char warning[1024];

static void keep_warning(const struct gb_host *host, int32_t severity, const char *text)
{
    (void)host;
    if (severity == GB_LOG_WARNING)
        snprintf(warning, sizeof warning, "%s", text);
}

TEST(reports_unused_macros)
{
    static const char *const keys_[] = {"WIDTH", "WIDHT"};
    static const char *const both[] = {"32", "64"};
    struct kernel_params params = compiled();
    fake->host.log = keep_warning;
    if (!compiles(&params))
        return;
    ck_assert_str_eq(warning, "");
    params.define = (struct gb_map){2, keys_, both};
    ck_assert(compiles(&params));
    ck_assert_msg(strstr(warning, "the macro WIDHT changes nothing") != NULL, "%s", warning);
}

/* --- validation --- */

struct reported {
    uint64_t n;
    uint64_t offset;
    char option[64], text[512];
};

static void keep_first(void *context, const char *option, uint64_t offset, const char *text)
{
    struct reported *reported = context;
    if (reported->n++ > 0)
        return;
    reported->offset = offset;
    snprintf(reported->option, sizeof reported->option, "%s", option);
    snprintf(reported->text, sizeof reported->text, "%s", text);
}

static void validate(const struct kernel_params *params, const char *option, uint64_t offset,
                     const char *words)
{
    const struct gb_validation *validation = plugin->extension(GB_VALIDATION);
    struct reported reported = {0};
    ck_assert_int_eq(validation->validate(&fake->host, params, keep_first, &reported), GB_OK);
    if (option == NULL) {
        ck_assert_msg(reported.n == 0, "%s: %s", reported.option, reported.text);
        return;
    }
    ck_assert_uint_ge(reported.n, 1);
    ck_assert_msg(strstr(reported.text, words) != NULL, "%s: %s", reported.option, reported.text);
    ck_assert_str_eq(reported.option, option);
    ck_assert_uint_eq(reported.offset, offset);
}

#define MEMBER(name) offsetof(struct kernel_params, name)
static const struct {
    size_t member;
    const char *value, *option;
    uint64_t offset;
    const char *words;
} wrong[] = {
    {MEMBER(source), "none.cu", "source", 0, "none.cu: No such file or directory"},
    {MEMBER(source), "scale.c", "source", 0, "expected a file that ends in .cu, .ptx"},
    {MEMBER(entry), "", "entry", 0, "it is empty"},
    {MEMBER(entry), "scal", "entry", 0, "scale.ptx, only scale, scale_simply: expected its name"},
    {MEMBER(signature), "void(pointer, pointer, int", "signature", 26, "it ends too early"},
    {MEMBER(signature), "int(pointer, pointer, int, int)", "signature", 0, "returns nothing"},
    {MEMBER(signature), "void(pointer, pointer, int, ..., int)", "signature", 0, "has no '...'"},
    {MEMBER(signature), "void(pointer, pointer, int)", "arg.4", 0, "3 parameters only"},
    {MEMBER(signature), "void(pointer, pointer, int, int64)", "signature", 0,
     "parameter 4 is int64, but in"},
    {MEMBER(grid), "4, x", "grid", 3, "expected a number"},
    {MEMBER(grid), "", "grid", 0, "expected a number"},
    {MEMBER(grid), "0", "grid", 0, "out of range"},
    {MEMBER(grid), "-1", "grid", 0, "out of range"},
    {MEMBER(grid), "1.5", "grid", 0, "out of range"},
    {MEMBER(grid), "1, 65536", "grid", 2, "out of range"},
    {MEMBER(grid), "1, 2, 3, 4", "grid", 9, "up to three numbers"},
    {MEMBER(grid), "4,", "grid", 1, "it ends too early"},
    {MEMBER(grid), "n / 256", "grid", 0, "an expression stands in braces"},
    {MEMBER(block), "1025", "block", 0, "out of range"},
    {MEMBER(block), "512, 3", "block", 0, "512 x 3 x 1 are too many"},
    {MEMBER(shared), "-4", "shared", 0, "out of range"},
    {MEMBER(shared), "much", "shared", 0, "expected a number"},
    {MEMBER(cluster), "3", "cluster", 0, "no multiple of clusters"},
    {MEMBER(cluster), "17", "cluster", 0, "out of range"},
    {MEMBER(options), "-G", "options", 0, "nothing is compiled here"},
    {MEMBER(reference_entry), "scale", "reference_entry", 0, "compared with itself"},
    {MEMBER(reference_entry), "scale_", "reference_entry", 0, "there is no kernel 'scale_'"},
    {MEMBER(reference_grid), "4", "reference_grid", 0, "it needs 'reference_entry'"},
    {MEMBER(reference), "f", "reference", 0, "it needs 'reference_library'"},
};

TEST_EACH(reports_what_is_wrong, wrong)
{
    struct kernel_params params = defaults();
    validate(&params, NULL, 0, NULL);
    memcpy((char *)&params + wrong[_i].member, &wrong[_i].value, sizeof wrong[_i].value);
    validate(&params, wrong[_i].option, wrong[_i].offset, wrong[_i].words);
}

static const struct {
    const char *value, *words;
} wrong_arguments[] = {
    {"constant(int, 1)", "a kernel does not reach this"},
    {"buffer(int[1000], host)", "a kernel does not reach this"},
    {"\"text\"", "a kernel does not reach this"},
    {"stream", "a kernel does not reach this"},
    {"callback(void(int))", "a kernel does not reach this"},
    {"7", "a number where pointer is needed"},
    {"buffer(int[0])", "a buffer of no bytes"},
};

TEST_EACH(reports_what_is_wrong_with_an_argument, wrong_arguments)
{
    const char *own[] = {values[0], wrong_arguments[_i].value, values[2], values[3]};
    struct kernel_params params = defaults();
    params.arg.values = own;
    const bool is_inside = strstr(own[1], "[0]") != NULL;
    validate(&params, "arg.2", is_inside ? 11 : 0, wrong_arguments[_i].words);
}

TEST(reports_what_is_wrong_with_a_file)
{
    static const char *const short_file[] = {"short.bin"};
    static const char *const buffer[] = {"1"};
    static const char *const number[] = {"3"};
    struct kernel_params params = defaults();
    write_bytes("short.bin", "abcd", 4);
    params.output = (struct gb_map){1, buffer, short_file};
    validate(&params, "output.1", 0, "it has 1 elements: expected 1000");
    params.output.keys = number;
    validate(&params, "output.3", 0, "arg.3 is no buffer");
}

/* Another file: of one and the same not all variants are compiled. */
static struct kernel_params another(void)
{
    static char name[32];
    static int n;
    stop();
    start();
    struct kernel_params params = compiled();
    snprintf(name, sizeof name, "scale%d.cu", n++);
    write_bytes(name, source, sizeof source - 1);
    params.source = name;
    return params;
}

TEST(reports_what_is_wrong_with_a_source)
{
    const char *own[] = {values[0], "5", values[2], values[3]};
    struct kernel_params params = compiled();
    validate(&params, NULL, 0, NULL);
    params.entry = "scal<4>";
    validate(&params, "entry", 0, "there is no 'scal' in");
    params = another();
    if (!compiles(&params))
        return;
    params.options = "-Dother=scale<4>"; /* a macro may stand for the name */
    params.entry = "other";
    validate(&params, NULL, 0, NULL);
    params = another();
    params.entry = "scale<4>";
    params.signature = "void(pointer, double, int, int)";
    params.arg.values = own;
    validate(&params, "signature", 0, "parameter 2 is double, but in");
    params = another();
    params.arg.n = 3;
    params.signature = "void(pointer, pointer, int)";
    validate(&params, "signature", 0, "it has 3 parameters, but the kernel in");
    params = another();
    params.signature = "void(pointer, pointer, int, float)";
    validate(&params, "signature", 0, ".cu it is an integer of 4 bytes");
}

TEST(reports_what_is_wrong_with_a_template)
{
    struct kernel_params params = compiled();
    if (!compiles(&params))
        return;
    params = another();
    params.entry = "scale";
    validate(&params, "entry", 0, "'scale' in ");
    params = another();
    params.reference_entry = "scale_simply<4>";
    validate(&params, "reference_entry", 0, "'scale_simply<4>' in ");
}

TEST(refuses_at_create_what_validation_reports)
{
    struct kernel_params params = defaults();
    params.grid = "x";
    expect_end(&params, GB_FAILED, "grid: 'x': expected a number");
}
