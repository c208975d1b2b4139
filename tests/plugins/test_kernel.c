/* test_kernel.c - the benchmark `kernel` on a driver that computes on the host: launches, reports,
 * comparisons. What is compiled needs NVRTC. */
#include "plugins/bench_kernel/settings.h"
#include "tests/fake_cuda/fake_launch.h"
#include "tests/plugins/bench_fixture.h"
#include "tests/plugins/files.h"

enum { N = 1000 };

static struct fake_launch *cuda;
static struct kernel_params given;
static const char *arguments[4];
static char cache_folder[64];

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

static const char *hold(const char *text)
{
    char *kept = fake->host.allocate(&fake->host, strlen(text) + 1);
    return strcpy(kept, text);
}

/* Of one key. */
static struct gb_map map_of(const char *key, const char *value)
{
    const char **pair = fake->host.allocate(&fake->host, 2 * sizeof *pair);
    pair[0] = key;
    pair[1] = value;
    return (struct gb_map){1, pair, pair + 1};
}

/* The kernel of a file with PTX, with the arguments that it needs. */
static void start(void)
{
    static const char *const keys[] = {"1", "2", "3", "4"};
    static const char *const all[] = {"buffer(int[1000], out)", "buffer(int[1000], count)", "3",
                                      "1000"};
    snprintf(cache_folder, sizeof cache_folder, "cache-%d", (int)getpid());
    cuda = fake_symbol(fake_library("tests/fake_cuda/launch/.libs/libcuda.so.1"), "fake_launch");
    *cuda = (struct fake_launch){.architecture = 90,
                                 .max_threads = 512,
                                 .registers = 40,
                                 .local_bytes = 16,
                                 .shared_bytes = 1024,
                                 .most_shared_bytes = 232448,
                                 .n_parameters = 4};
    load_on("cuda", "kernel");
    fake->host.folder = in_folder(".");
    memcpy(arguments, all, sizeof all);
    given = *(const struct kernel_params *)params;
    given.source = "scale.ptx";
    given.entry = "scale";
    given.signature = "void(pointer, pointer, int, int)";
    given.arg = (struct gb_map){4, keys, arguments};
    given.grid = "4, 1";
    given.block = "256";
    given.cache_folder = cache_folder;
    write_text("scale.ptx", ptx);
    write_text("scale.cu", source);
}

/* Goes through a case as the host does, until something is not GB_OK. */
static int32_t measure(void)
{
    fake->n_metrics = 0;
    int32_t status = ops->create(&fake->host, &given, &bench);
    if (status == GB_OK)
        status = ops->prepare(bench, &queue);
    if (status == GB_OK)
        status = ops->reset(bench, &queue);
    if (status == GB_OK)
        status = ops->run(bench, &queue, 3);
    if (status == GB_OK)
        status = ops->verify(bench, &queue);
    ops->destroy(bench);
    bench = NULL;
    ck_assert_int_eq(cuda->n_loaded, 0);
    return status;
}

static void expect_end(int32_t status, const char *words)
{
    ck_assert_int_eq(measure(), status);
    ck_assert_msg(strstr(fake->reason, words) != NULL, "%s", fake->reason);
}

static void expect_measured(void)
{
    ck_assert_msg(measure() == GB_OK, "%s", fake->reason);
}

static void expect_compared(void)
{
    expect_measured();
    ck_assert_uint_eq(fake->n_compared, N);
}

static void expect_wrong_ones(uint64_t n)
{
    ck_assert_int_eq(measure(), GB_WRONG_RESULT);
    ck_assert_uint_eq(fake->n_wrong, n);
}

/* --- launches --- */

TEST_FIXTURE(start, unload)

TEST(launches_as_configured)
{
    given.grid = "2, 3, 4";
    given.block = "64, 2, 1";
    given.shared = "100Ki";
    expect_measured();
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
    given.cluster = "4";
    expect_measured();
    ck_assert_uint_eq(cuda->cluster[0], 4);
    ck_assert_uint_eq(cuda->cluster[1], 1);
    cuda->architecture = 80;
    expect_end(GB_SKIPPED, "this device does not support clusters");
}

TEST(reports_what_it_needs)
{
    given.shared = "1000";
    given.block = "200";
    expect_measured();
    expect_metric("registers", 40);
    expect_metric("local_bytes", 16);
    expect_metric("shared_bytes", 2024);
    expect_metric("blocks", 4);
    expect_metric("blocks_per_unit", 5);
    expect_metric("occupancy", 5.0 * 224 / 2048);
}

#define MEMBER(name) offsetof(struct kernel_params, name)
enum { ARGUMENT_2 = sizeof(struct kernel_params) };

static void give(size_t member, const char *value)
{
    memcpy(member == ARGUMENT_2 ? (char *)&arguments[1] : (char *)&given + member, &value,
           sizeof value);
}

static const struct {
    size_t member;
    const char *value;
    int32_t n_parameters, status;
    const char *words;
} ends[] = {
    {MEMBER(block), "513", 4, GB_SKIPPED,
     "a block of 513 threads does not fit: this kernel, which has 40 registers, takes up to 512"},
    {MEMBER(block), "512", 4, GB_OK, ""},
    {MEMBER(shared), "231424", 4, GB_OK, ""},
    {MEMBER(shared), "231425", 4, GB_SKIPPED,
     "shared = 231425 does not fit: a block has up to 232448 bytes, of which the kernel itself "
     "takes 1024"},
    {MEMBER(block), "256", 5, GB_FAILED, "signature: it has 4 parameters, but the kernel 5"},
    {MEMBER(block), "256", 3, GB_FAILED, "signature: it has 4 parameters, but the kernel 3"},
    {MEMBER(signature), "void(pointer, pointer, int64, int)", 4, GB_FAILED,
     "signature: parameter 3 has 8 bytes, but that of the kernel 4"},
    {MEMBER(source), "none.ptx", 4, GB_FAILED, "none.ptx: No such file or directory"},
    {MEMBER(source), "wrong.ptx", 4, GB_FAILED, "wrong.ptx(1): fatal: not PTX"},
    {MEMBER(grid), "x", 4, GB_FAILED, "grid: 'x': expected a number"},
};

TEST_EACH(says_what_driver_and_device_do_not_take, ends)
{
    write_text("wrong.ptx", "not ptx");
    cuda->n_parameters = ends[_i].n_parameters;
    give(ends[_i].member, ends[_i].value);
    expect_end(ends[_i].status, ends[_i].words);
}

/* --- comparisons --- */

TEST(compares_with_a_kernel)
{
    given.reference_entry = "scale_simply";
    given.reference_grid = "1000";
    given.reference_block = "1, 1";
    expect_compared();
    ck_assert_int_eq(cuda->n_launches, 4);
    ck_assert_uint_eq(cuda->grid[0], 1000);
    ck_assert_uint_eq(cuda->block[0], 1);
    ck_assert_uint_eq(fake->n_checks, 1);
    cuda->is_wrong = 1;
    expect_wrong_ones(1);
}

/* Those of the device hold what the host would have drawn. */
TEST(the_device_fills_its_buffers)
{
    arguments[1] = "buffer(int[1000], uniform=-9:9)";
    given.reference_entry = "scale_simply";
    given.reference_grid = "1000";
    given.reference_block = "1, 1";
    expect_compared();
    ck_assert_uint_eq(fake->n_drawn, 4); /* an output, too, gets what could be a result */
    arguments[1] = "buffer(int[1000], count)";
    expect_compared();
    ck_assert_uint_eq(fake->n_drawn, 6);
}

/* Its buffers are its own: had it written to those of the kernel, nothing would differ. */
TEST(compares_with_a_kernel_of_another_file)
{
    static const char *const others[] = {"arg.1", "arg.2", "4", "arg.4"};
    given.reference_entry = "scale_simply";
    given.reference_source = "other.ptx";
    write_text("other.ptx", ptx);
    expect_measured();
    given.ref = (struct gb_map){4, given.arg.keys, others};
    expect_wrong_ones(N - 1);
}

TEST(compares_with_a_function)
{
    const char *const library[] = {hold(fake_path("tests/modules/.libs/call_targets.so"))};
    given.reference = "scale_on_host";
    given.reference_library = (struct gb_list){1, library};
    expect_compared();
    ck_assert_uint_eq(fake->n_device_blocks, 2); /* a function reaches memory of the host only */
    cuda->is_wrong = 1;
    ck_assert_int_eq(measure(), GB_WRONG_RESULT);
    given.reference = "absent";
    expect_end(GB_FAILED, "absent");
}

TEST(compares_with_a_file)
{
    static int32_t wanted[N];
    for (int32_t i = 0; i < N; i++)
        wanted[i] = 3 * i;
    write_bytes("wanted.bin", wanted, sizeof wanted);
    given.output = map_of("1", "wanted.bin");
    expect_compared();
    wanted[17] = -1;
    write_bytes("wanted.bin", wanted, sizeof wanted);
    expect_wrong_ones(1);
}

TEST(begins_with_a_file)
{
    static int32_t sevens[N];
    for (int32_t i = 0; i < N; i++)
        sevens[i] = 7;
    write_bytes("given.bin", sevens, sizeof sevens);
    arguments[0] = "buffer(int[1000], out, expect=21)";
    arguments[1] = "buffer(int[1000])";
    given.input = map_of("2", "given.bin");
    expect_compared();
    given.input.n = 0;
    ck_assert_int_eq(measure(), GB_WRONG_RESULT);
}

/* to = 2 to, three times: right only if the buffer is put back, and one more launch compared. */
TEST(restores_buffers)
{
    arguments[0] = "buffer(int[1000], fill=5, restore, out, expect=10)";
    arguments[1] = "arg.1";
    arguments[2] = "2";
    expect_compared();
    ck_assert_int_eq(cuda->n_restored, 2);
    ck_assert_int_eq(cuda->n_launches, 4);
}

/* --- compiling --- */

/* GB_OK, or says that there is no NVRTC. */
static bool compiles(void)
{
    const int32_t status = measure();
    if (status == GB_FAILED && strstr(fake->reason, "libnvrtc was not found") != NULL) {
        printf("# left out: %s\n", fake->reason);
        return false;
    }
    ck_assert_msg(status == GB_OK, "%s", fake->reason);
    return true;
}

static void use_source(void)
{
    given.source = "scale.cu";
    given.entry = "scale<8>";
    given.define = map_of("WIDTH", "32");
    given.reference_entry = "scale_simply";
}

TEST(compiles_once)
{
    use_source();
    if (!compiles())
        return;
    ck_assert_uint_eq(fake->n_compared, N);
    ck_assert_mem_eq(cuda->image, "\177ELF", 4);
    expect_metric("cached", 0);
    expect_metric("spill_bytes", 0);
    const double compile_ms = fake_metric_named(fake, "compile_ms");
    ck_assert(compile_ms > 0);
    ck_assert(compiles());
    expect_metric("cached", 1);
    ck_assert_double_eq(fake_metric_named(fake, "compile_ms"), compile_ms);
}

static const char *known_capability;

static const char *fact(const struct gb_host *host, const char *name)
{
    return strcmp(name, "compute_capability") == 0 ? known_capability : NULL;
}

static const char no_width[] = "scale.cu(3): error: identifier \"WIDTH\" is undefined";

/* What is built without a device is what prepare finds. */
TEST(builds_ahead)
{
    use_source();
    if (!compiles())
        return;
    snprintf(cache_folder, sizeof cache_folder, "ahead-%d", (int)getpid());
    fake->host.device_fact = fact;
    ck_assert_int_eq(ops->build(&fake->host, &given), GB_OK);
    expect_measured();
    expect_metric("cached", 0);
    given.options = "--use_fast_math";
    known_capability = "9.0";
    ck_assert_int_eq(ops->build(&fake->host, &given), GB_OK);
    expect_measured();
    expect_metric("cached", 1);
    given.define.n = 0;
    ck_assert_int_eq(ops->build(&fake->host, &given), GB_FAILED);
    ck_assert_msg(strstr(fake->reason, no_width) != NULL, "%s", fake->reason);
}

/* Options also in two words, and with folders from that of the configuration. */
TEST(passes_macros_and_options_on)
{
    use_source();
    if (!compiles())
        return;
    write_text("given/width.h", "#define WIDTH 16\n");
    given.define.n = 0;
    expect_end(GB_FAILED, no_width);
    ck_assert_ptr_nonnull(strstr(fake->log, "1 error detected"));
    given.options = " -DWIDTH=16  --use_fast_math ";
    ck_assert(compiles());
    given.options = "-D OTHER=16 -std c++20 -I given -include width.h -arch sm_90 -Xptxas -O1";
    ck_assert(compiles());
    ck_assert_mem_eq(cuda->image, "\177ELF", 4);
    expect_metric("spill_bytes", 0);
    given.options = "--include-path=given --pre-include=width.h";
    ck_assert(compiles());
    given.options = "--no-such-option -DWIDTH=16";
    expect_end(GB_FAILED, "no-such-option");
    given.options = "-DWIDTH=16 -I";
    expect_end(GB_FAILED, "options: '-I': expected a value after it");
}

static char warning[1024];

static void keep_warning(const struct gb_host *host, int32_t severity, const char *text)
{
    if (severity == GB_LOG_WARNING)
        snprintf(warning, sizeof warning, "%s", text);
}

TEST(reports_unused_macros)
{
    static const char *const names[] = {"WIDTH", "WIDHT"};
    static const char *const both[] = {"32", "64"};
    use_source();
    fake->host.log = keep_warning;
    if (!compiles())
        return;
    ck_assert_str_eq(warning, "");
    given.define = (struct gb_map){2, names, both};
    ck_assert(compiles());
    ck_assert_msg(strstr(warning, "the macro WIDHT has no effect") != NULL, "%s", warning);
}

/* --- validation --- */

static void expect_valid(void)
{
    validate(&given);
    ck_assert_msg(first_problem.n == 0, "%s: %s", first_problem.option, first_problem.text);
}

static void expect_problem(const char *option, uint64_t offset, const char *words)
{
    validate(&given);
    ck_assert_uint_ge(first_problem.n, 1);
    ck_assert_msg(strstr(first_problem.text, words) != NULL, "%s: %s", first_problem.option,
                  first_problem.text);
    ck_assert_str_eq(first_problem.option, option);
    ck_assert_uint_eq(first_problem.offset, offset);
}

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
    {MEMBER(cluster), "3", "cluster", 0, "not a multiple of clusters"},
    {MEMBER(cluster), "17", "cluster", 0, "out of range"},
    {MEMBER(options), "-G", "options", 0, "nothing is compiled here"},
    {MEMBER(reference_entry), "scale", "reference_entry", 0, "compared with itself"},
    {MEMBER(reference_entry), "scale_", "reference_entry", 0, "there is no kernel 'scale_'"},
    {MEMBER(reference_grid), "4", "reference_grid", 0, "it needs 'reference_entry'"},
    {MEMBER(reference), "f", "reference", 0, "it needs 'reference_library'"},
    {ARGUMENT_2, "constant(int, 1)", "arg.2", 0, "a kernel cannot access this"},
    {ARGUMENT_2, "buffer(int[1000], host)", "arg.2", 0, "a kernel cannot access this"},
    {ARGUMENT_2, "\"text\"", "arg.2", 0, "a kernel cannot access this"},
    {ARGUMENT_2, "stream", "arg.2", 0, "a kernel cannot access this"},
    {ARGUMENT_2, "callback(void(int))", "arg.2", 0, "a kernel cannot access this"},
    {ARGUMENT_2, "7", "arg.2", 0, "a number where pointer is needed"},
    {ARGUMENT_2, "buffer(int[0])", "arg.2", 11, "an empty buffer"},
};

TEST_EACH(reports_what_is_wrong, wrong)
{
    expect_valid();
    give(wrong[_i].member, wrong[_i].value);
    expect_problem(wrong[_i].option, wrong[_i].offset, wrong[_i].words);
}

TEST(reports_what_is_wrong_with_a_file)
{
    write_text("short.bin", "abcd");
    given.output = map_of("1", "short.bin");
    expect_problem("output.1", 0, "it has 1 elements: expected 1000");
    given.output = map_of("3", "short.bin");
    expect_problem("output.3", 0, "arg.3 is not a buffer");
}

/* Another file: of one and the same not all variants are compiled. */
static void use_another(const char *entry, const char *signature)
{
    static int n;
    char name[32];
    unload();
    start();
    use_source();
    snprintf(name, sizeof name, "scale%d.cu", n++);
    write_text(name, source);
    given.source = hold(name);
    given.entry = entry;
    given.signature = signature;
}

#define TWO_INTS "void(pointer, pointer, int, int)"

TEST(reports_what_is_wrong_with_a_source)
{
    use_source();
    expect_valid();
    given.entry = "scal<4>";
    expect_problem("entry", 0, "there is no 'scal' in");
    use_another("scale<8>", TWO_INTS);
    if (!compiles())
        return;
    given.options = "-Dother=scale<4>"; /* a macro may stand for the name */
    given.entry = "other";
    expect_valid();
    use_another("scale<4>", "void(pointer, double, int, int)");
    arguments[1] = "5";
    expect_problem("signature", 0, "parameter 2 is double, but in");
    use_another("scale<8>", "void(pointer, pointer, int)");
    given.arg.n = 3;
    expect_problem("signature", 0, "it has 3 parameters, but the kernel in");
    use_another("scale<8>", "void(pointer, pointer, int, float)");
    expect_problem("signature", 0, ".cu it is an integer of 4 bytes");
    use_another("scale", TWO_INTS);
    expect_problem("entry", 0, "'scale' in ");
    use_another("scale<8>", TWO_INTS);
    given.reference_entry = "scale_simply<4>";
    expect_problem("reference_entry", 0, "'scale_simply<4>' in ");
}
