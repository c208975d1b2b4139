/* test_nvrtc.c - compiling kernels at run time, where NVRTC is installed; no GPU is needed. LONG in
 * the environment: those of all plugins; all tiles of padding. */
#include "plugins/bench_kernel/files.h"
#include "plugins/bench_padding/compile.h"
#include "plugins/bench_padding/plan.h"
#include "plugins/common/cuda/nvrtc_program.h"
#include "tests/check_main.h"

#include <dlfcn.h>
#include <glob.h>

enum { REASON_BYTES = 4096 };
static char reason[REASON_BYTES];
static char *image; /* its reader frees it */

static bool compile(const char *source, int architecture, const char *option)
{
    const struct nvrtc_request request = {
        .name = "kernels.cu", .source = source, .options = &option, .n_options = option != NULL};
    struct nvrtc_output output;
    double ns;
    reason[0] = '\0';
    const bool is_compiled = nvrtc_compile(request, strlen(source), architecture, &output, &ns,
                                           reason, sizeof reason);
    image = output.image;
    output.image = NULL;
    nvrtc_output_free(&output);
    return is_compiled;
}

/* A binary; PTX, which the driver translates, for a device that is newer than the compiler. */
TEST(makes_what_the_device_takes)
{
    static const char option[] = "-DKERNEL=named_here";
    static const char source[] = "extern \"C\" __global__ void KERNEL(int *x) { *x = 1; }";
    ck_assert_msg(compile(source, 90, option), "%s", reason);
    ck_assert_mem_eq(image, "\177ELF", 4);
    free(image);
    ck_assert_msg(compile(source, 999, option), "%s", reason);
    ck_assert_ptr_nonnull(strstr(image, ".visible .entry named_here("));
    ck_assert_ptr_nonnull(strstr(image, ".target sm_"));
    free(image);
    ck_assert_msg(compile(source, 999, NULL), "%s", reason);
    ck_assert_ptr_nonnull(strstr(image, ".visible .entry KERNEL("));
    free(image);
}

TEST(says_what_is_wrong_with_the_source)
{
    ck_assert(!compile("__global__ void f() { undeclared = 1; }", 90, NULL));
    ck_assert_ptr_null(image);
    ck_assert_ptr_nonnull(strstr(reason, "NVRTC_ERROR_COMPILATION"));
    ck_assert_ptr_nonnull(strstr(reason, "kernels.cu(1)"));
    ck_assert_ptr_nonnull(strstr(reason, "undeclared"));
}

/* It does not look for it beside itself: see open_builtins. */
TEST(has_its_second_library_where_the_loader_does_not_know_of_it)
{
    char identity[NVRTC_IDENTITY_BYTES], name[64];
    int major, minor;
    ck_assert_msg(nvrtc_identity(identity, reason, sizeof reason), "%s", reason);
    ck_assert_int_eq(sscanf(identity, "NVRTC %d.%d", &major, &minor), 2);
    snprintf(name, sizeof name, "libnvrtc-builtins.so.%d.%d", major, minor);
    ck_assert_ptr_nonnull(dlopen(name, RTLD_NOW | RTLD_NOLOAD));
}

/* A log that is longer than the room for it is cut, not written beyond it. */
TEST(stays_within_the_room_for_reasons)
{
    char room[32];
    memset(room, '#', sizeof room);
    const struct nvrtc_request request = {.name = "kernels.cu", .source = "wrong"};
    struct nvrtc_output output;
    double ns;
    ck_assert(!nvrtc_compile(request, 5, 90, &output, &ns, room, 16));
    nvrtc_output_free(&output);
    ck_assert_uint_eq(strlen(room), 15);
    ck_assert_int_eq(room[16], '#');
}

static char *read_file(const char *path)
{
    size_t n;
    char *text = file_read(path, &n, reason);
    ck_assert_msg(text != NULL, "%s", reason);
    return text;
}

static glob_t kernels;

/* All of them take minutes; LONG. */
static size_t n_kernels(void)
{
    const char *top = getenv("top_srcdir");
    char pattern[4096];
    snprintf(pattern, sizeof pattern, "%s/plugins/bench_*/%s.cu", top != NULL ? top : ".",
             test_is_long() ? "*" : "[hns]*");
    return glob(pattern, 0, NULL, &kernels) == 0 ? kernels.gl_pathc : 1;
}

/* The one file that such kernels include where NVRTC does not compile them; "": none. */
static char *read_shared(const char *path, const char *source)
{
    char name[64], shared[4096];
    const char *include = strstr(source, "#include \"");
    if (!include || sscanf(include, "#include \"%63[^\"]\"", name) != 1)
        return strdup("");
    snprintf(shared, sizeof shared, "%.*s%s", (int)(strrchr(path, '/') + 1 - path), path, name);
    return read_file(shared);
}

/* Plugins bring their sources along for devices that they were not built for; what several of them
 * share comes first (CUDA_IMAGE_AFTER). */
TEST_TIMES(takes_the_kernels_of_all_plugins, n_kernels())
{
    enum { ARCHITECTURE = 80 };
    const char *path = kernels.gl_pathv[_i];
    char *source = read_file(path), *before = read_shared(path, source), *whole = NULL;
    ck_assert_int_gt(asprintf(&whole, "%s\n%s", before, source), 0);
    ck_assert_msg(compile(whole, ARCHITECTURE, NULL), "%s: %s", path, reason);
    free(image);
    free(whole);
    free(source);
    free(before);
}

/* --- kernels of padding, one by one --- */

/* As the plugin embeds it. */
static const char *padding_source(void)
{
    static char source[1 << 17];
    const char *top = getenv("top_srcdir") != NULL ? getenv("top_srcdir") : ".";
    static const char *const names[] = {"conf/tune.cu", "plugins/bench_padding/padding.cu"};
    size_t n = 0;
    for (int i = 0; i < 2; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", top, names[i]);
        char *text = read_file(path);
        n += (size_t)snprintf(source + n, sizeof source - n, "%s", text);
        free(text);
    }
    ck_assert_uint_lt(n, sizeof source);
    return source;
}

static struct compiled compiled_for(int32_t problem, int32_t schedule, int32_t tile)
{
    const struct batch_shape shape = problem == PROBLEM_DENSE
                                         ? (struct batch_shape){960, 2304, 770, 1}
                                         : (struct batch_shape){120, 120, 64, 192};
    const char *source = padding_source();
    const struct plan plan = plan_of(&shape, problem, schedule, tile, 132);
    struct compiled compiled = {0};
    ck_assert_msg(
        compile_kernel(source, strlen(source), plan.kernel, 90, &compiled, reason, sizeof reason),
        "%s: %s", plan.kernel, reason);
    ck_assert_double_gt(compiled.ms, 0);
    ck_assert_msg(compiled.code_bytes > 1000 && compiled.code_bytes < 1000000, "%s: %llu bytes",
                  plan.kernel, (unsigned long long)compiled.code_bytes);
    ck_assert_uint_eq(compiled.code_bytes % 16, 0); /* of whole instructions */
    return compiled;
}

/* What the document says of loop partitioning: the loop is there twice. */
TEST_TIMES(schedules_are_compiled_one_by_one, test_is_long() ? 2 : 1)
{
    const int32_t problem = _i == 0 ? PROBLEM_DENSE : PROBLEM_BATCHED;
    const struct compiled pad = compiled_for(problem, SCHEDULE_PAD, TILE_AUTO);
    const struct compiled both = compiled_for(problem, SCHEDULE_PARTITION_PAD, TILE_AUTO);
    if (test_is_long()) {
        compiled_for(problem, SCHEDULE_BASELINE, TILE_AUTO);
        compiled_for(problem, SCHEDULE_PARTITION, TILE_AUTO);
    }
    ck_assert_uint_gt(both.code_bytes, pad.code_bytes * 3 / 2);
}

/* All of them take ten seconds; LONG. The second is compiled soonest. */
TEST_TIMES(so_are_all_tiles, test_is_long() ? N_TILES : 1)
{
    compiled_for(PROBLEM_DENSE, SCHEDULE_TUNED, TILE_AUTO + 1 + (_i + 1) % N_TILES);
}

TEST(a_kernel_that_is_not_there_is_reported)
{
    struct compiled compiled;
    const char *source = padding_source();
    ck_assert(
        !compile_kernel(source, strlen(source), "nowhere", 90, &compiled, reason, sizeof reason));
    ck_assert_str_ne(reason, "");
}

/* Without the library no test of this program can be run. */
__attribute__((constructor)) static void skip_without_nvrtc(void)
{
    enum { SKIPPED = 77 };
    char identity[NVRTC_IDENTITY_BYTES];
    if (!nvrtc_identity(identity, reason, sizeof reason) &&
        strncmp(reason, "libnvrtc was not found", 22) == 0) {
        puts(reason);
        exit(SKIPPED);
    }
}
