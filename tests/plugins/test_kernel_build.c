/*
 * test_kernel_build.c - sources of kernels compiled and kept. It needs NVRTC, but no GPU.
 */
#include "plugins/bench_kernel/build.h"
#include "plugins/bench_kernel/scan.h"
#include "plugins/common/cuda/nvrtc_program.h"
#include "tests/check_main.h"
#include "tests/plugins/files.h"

static char why[2048]; /* BUILD_REASON_BYTES or more */
static struct build build;

static void free_build(void)
{
    build_free(&build);
    build = (struct build){0};
}

TEST_FIXTURE(NULL, free_build)

static const char scale_source[] =
    "#include \"scale.h\"\n"
    "template <typename T, int N> __global__ void scale(T *to, const T *from)\n"
    "{\n"
    "    to[threadIdx.x] = FACTOR * N * from[threadIdx.x];\n"
    "}\n"
    "extern \"C\" __global__ void plain(int *to) { *to = 1; }\n";

static const char *entries[] = {"scale<float, 32>", "plain"};

static struct build_request scale_request(const char *cache)
{
    static char path[PATH_BYTES];
    write_text("scale.h", "#define FACTOR 2\n");
    write_text("scale.cu", scale_source);
    snprintf(path, sizeof path, "%s", in_folder("scale.cu"));
    return (struct build_request){
        .path = path, .architecture = 90, .entries = entries, .n_entries = 2, .cache = cache};
}

static bool makes(const struct build_request *request)
{
    free_build();
    return build_make(request, &build, why);
}

static void expect_built(const struct build_request *request)
{
    ck_assert_msg(makes(request), "%s", why);
}

static void expect_failure(const struct build_request *request, const char *words)
{
    ck_assert(!makes(request));
    ck_assert_msg(strstr(why, words) != NULL, "%s", why);
}

/* Was it taken from the cache? */
static bool is_cached(const struct build_request *request)
{
    expect_built(request);
    ck_assert_str_eq(build.note, "");
    ck_assert_mem_eq(build.image, "\177ELF", 4);
    ck_assert_uint_gt(build.image_bytes, 500);
    ck_assert_str_eq(build.names[0], "_Z5scaleIfLi32EEvPT_PKS0_");
    ck_assert_str_eq(build.names[1], "plain");
    ck_assert(build.compile_ms > 0);
    return build.is_cached;
}

static void expect_compiled_once(const struct build_request *request)
{
    ck_assert(!is_cached(request));
    ck_assert(is_cached(request));
}

TEST(compiles_what_has_changed_only)
{
    static const char *fast[] = {"--use_fast_math"};
    static const char *others[] = {"scale<float, 32>", "plain"};
    const char *folder = fresh_folder("kernels");
    struct build_request request = scale_request(folder);
    expect_compiled_once(&request);
    ck_assert_uint_eq(files_in(folder), 1);
    write_text("scale.h", "#define FACTOR 3\n");
    expect_compiled_once(&request);
    write_text("scale.h", "#define FACTOR 2\n");
    ck_assert(is_cached(&request));
    request.options = fast;
    request.n_options = 1;
    ck_assert(!is_cached(&request));
    request.entries = others;
    ck_assert(is_cached(&request));
    request.architecture = 80;
    expect_compiled_once(&request);
    request.cache = NULL;
    ck_assert(!is_cached(&request));
}

/* What cannot be kept is left to whoever needs it. */
TEST(builds_ahead_for_the_cache)
{
    const char *folder = fresh_folder("kernels");
    struct build_request request = scale_request(folder);
    request.is_ahead = true;
    expect_built(&request);
    ck_assert_uint_eq(files_in(folder), 1);
    request.cache = NULL;
    expect_built(&request);
    ck_assert_ptr_null(build.image);
    request.cache = folder;
    request.is_ahead = false;
    ck_assert(is_cached(&request));
}

/* A header that begins to hide another one, and one that is asked for by an option. */
TEST(follows_headers)
{
    static const char *options[] = {"--define-macro=UNUSED", NULL};
    char folder[PATH_BYTES], named[PATH_BYTES];
    snprintf(folder, sizeof folder, "%s", in_folder("include"));
    const char *const folders[] = {folder};
    struct build_request request = scale_request(fresh_folder("kernels"));
    request.options = options;
    request.n_options = 1;
    request.folders = folders;
    request.n_folders = 1;
    write_text("include/inner.h", "#define FACTOR 5\n");
    write_text("scale.h", "#include <inner.h>\n");
    expect_compiled_once(&request);
    write_text("inner.h", "#define FACTOR 7\n");
    ck_assert(!is_cached(&request));
    unlink(in_folder("inner.h"));
    ck_assert(is_cached(&request));
    write_text("named.h", "#define OTHER 1\n");
    snprintf(named, sizeof named, "--pre-include=%.4000s", in_folder("named.h"));
    options[1] = named;
    request.n_options = 2;
    expect_compiled_once(&request);
    write_text("named.h", "#define OTHER 2\n");
    ck_assert(!is_cached(&request));
}

/* A header that is only asked for changes what is compiled, too. */
TEST(notices_a_header_that_appears)
{
    const struct build_request request = scale_request(fresh_folder("kernels"));
    write_text("scale.h", "#if __has_include(\"asked.h\")\n#define FACTOR 5\n#else\n"
                          "#define FACTOR 2\n#endif\n");
    expect_compiled_once(&request);
    write_text("asked.h", "");
    ck_assert(!is_cached(&request));
    unlink(in_folder("asked.h"));
    ck_assert(is_cached(&request));
}

/* As libraries of templates have them: all are followed, and an entry stays small. */
TEST(follows_many_headers)
{
    enum { HEADERS = 600, BYTES = 10000 };
    static char comment[BYTES];
    struct stat facts;
    char folder[PATH_BYTES];
    snprintf(folder, sizeof folder, "%s", fresh_folder("kernels"));
    const struct build_request request = scale_request(folder);
    memset(comment, ' ', BYTES - 1);
    for (int i = 0; i < HEADERS; i++) {
        char name[32], text[BYTES + 64];
        snprintf(name, sizeof name, "many%d.h", i);
        if (i + 1 < HEADERS)
            snprintf(text, sizeof text, "/*%s*/\n#include \"many%d.h\"\n", comment, i + 1);
        else
            snprintf(text, sizeof text, "#define FACTOR 2\n");
        write_text(name, text);
    }
    write_text("scale.h", "#include \"many450.h\"\n#if 0\n#include \"many0.h\"\n#endif\n");
    expect_compiled_once(&request);
    ck_assert_int_eq(stat(only_file(folder), &facts), 0);
    ck_assert_int_lt(facts.st_size, 200000);
    write_text("many599.h", "#define FACTOR 3\n");
    ck_assert(!is_cached(&request));
}

/* A macro that nobody reads is reported, unless a header that is not looked into may do so. */
TEST(says_which_macro_is_unused)
{
    static const char *options[] = {"--define-macro=USED=2", "--define-macro=FACTRO=2"};
    struct build_request request = scale_request(fresh_folder("kernels"));
    request.options = options;
    write_text("scale.h", "#define FACTOR USED\n");
    for (request.n_options = 1; request.n_options < 3; request.n_options++) {
        for (int i = 0; i < 2; i++) {
            expect_built(&request);
            ck_assert_int_eq(build.is_cached, i == 1);
            const bool is_reported = strstr(build.unused, "the macro FACTRO changes nothing: ") !=
                                     NULL;
            ck_assert_int_eq(is_reported, request.n_options == 2);
            ck_assert_int_eq(build.unused[0] != '\0', is_reported);
        }
    }
    request.n_options = 2;
    write_text("scale.h", "#include <cuda_fp16.h>\n#define FACTOR USED\n");
    if (makes(&request))
        ck_assert_str_eq(build.unused, "");
}

TEST(compiles_anew_what_is_damaged)
{
    const char *folder = fresh_folder("kernels");
    const struct build_request request = scale_request(folder);
    ck_assert(!is_cached(&request));
    ck_assert_int_eq(truncate(only_file(folder), 1000), 0);
    expect_compiled_once(&request);
}

TEST(says_what_it_cannot_keep)
{
    write_text("a_file", "x");
    struct build_request request = scale_request(in_folder("a_file"));
    expect_built(&request);
    ck_assert_ptr_nonnull(strstr(build.note, "compiled again next time: "));
    request.cache = fresh_folder("kernels");
    write_text("scale.h", "#define NAME \"other.h\"\n#include NAME\n");
    write_text("other.h", "#define FACTOR 2\n");
    expect_built(&request);
    ck_assert_ptr_nonnull(strstr(build.note, "a macro or #include_next names one"));
    ck_assert_uint_eq(files_in(request.cache), 0);
}

/* The first error, with the user's file and line; all of them in the log. */
TEST(says_where_the_error_is)
{
    char expected[PATH_BYTES];
    struct build_request request = scale_request(NULL);
    write_text("scale.h", "#define FACTOR undeclared\n");
    snprintf(expected, sizeof expected, "%.4000s(4): error: ", request.path);
    expect_failure(&request, "undeclared");
    ck_assert_ptr_eq(strstr(why, expected), why);
    ck_assert_ptr_null(strchr(why, '\n'));
    ck_assert_ptr_nonnull(strstr(build.log, "1 error detected"));
    write_text("scale.h",
               "static __device__ int f() { int error_of; return 1; }\n#define FACTOR 1\n"
               "#error stop here\n");
    expect_failure(&request, "scale.h(3): ");
    ck_assert_ptr_nonnull(strstr(why, "stop here"));
}

TEST(says_what_is_wrong_with_an_entry)
{
    static const char *const wrong[] = {"scal<float, 32>"};
    static const char *const second_wrong[] = {"scale<float, 32>", "plane"};
    struct build_request request = scale_request(NULL);
    request.entries = wrong;
    request.n_entries = 1;
    expect_failure(&request, "'scal<float, 32>' in ");
    ck_assert_ptr_nonnull(strstr(why, "identifier \"scal\" is undefined"));
    ck_assert(build.is_entry_wrong);
    ck_assert_uint_eq(build.wrong_entry, 0);
    request.entries = second_wrong;
    request.n_entries = 2;
    expect_failure(&request, "'plane' in ");
    ck_assert_uint_eq(build.wrong_entry, 1);
    request.path = "nowhere.cu";
    ck_assert(!makes(&request));
    ck_assert_str_eq(why, "nowhere.cu: No such file or directory");
    ck_assert(!build.is_entry_wrong);
}

TEST(finds_kernels_in_a_binary_and_their_spills)
{
    double stores = -1, loads = -1;
    bool is_elf = false;
    const struct build_request request = scale_request(NULL);
    expect_built(&request);
    ck_assert(scan_elf(build.image, build.image_bytes, "plain", &is_elf));
    ck_assert(is_elf);
    ck_assert(scan_elf(build.image, build.image_bytes, build.names[0], &is_elf));
    ck_assert(!scan_elf(build.image, build.image_bytes, "plai", &is_elf));
    ck_assert(!scan_elf(build.image, 100, "plain", &is_elf));
    ck_assert(is_elf);
    ck_assert(!scan_elf("plain", 6, "plain", &is_elf));
    ck_assert(!is_elf);
    ck_assert(build_spills(build.log, build.names[0], &stores, &loads));
    ck_assert_double_eq(stores, 0);
    build_trim_log(build.log);
    ck_assert_str_eq(build.log, "");
}

static bool is_in_toolkit(const char *header)
{
    const char *home = getenv("CUDA_HOME") != NULL ? getenv("CUDA_HOME") : "/usr/local/cuda";
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%.2000s/include/%s", home, header);
    return access(path, R_OK) == 0;
}

/* Headers of CUDA, and those that they include from a folder of their own. */
TEST(finds_headers_of_the_toolkit)
{
    if (!is_in_toolkit("cooperative_groups.h"))
        return;
    const struct build_request request = scale_request(fresh_folder("kernels"));
    write_text("scale.h", "#include <cooperative_groups.h>\n#include <cuda_fp16.h>\n"
                          "#define FACTOR (float)__float2half(2)\n");
    expect_compiled_once(&request);
}

TEST(asks_for_options)
{
    static const char *const known[] = {"--use_fast_math", "-lineinfo", "--std=c++20", "-DA=4",
                                        "-Inowhere"};
    static const char *const unknown[] = {"--no-such-option", "-O3", "--std=c++99",
                                          "--maxrregcount=many", "--gpu-architecture=sm_12"};
    for (size_t i = 0; i < 5; i++) {
        ck_assert_msg(nvrtc_knows_option(known[i], why, sizeof why), "%s: %s", known[i], why);
        ck_assert_msg(!nvrtc_knows_option(unknown[i], why, sizeof why), "%s", unknown[i]);
        ck_assert_uint_gt(strlen(why), 10);
    }
}

/* The architecture that the user asks for counts. */
TEST(compiles_for_the_architecture)
{
    static const char *const own[] = {"--gpu-architecture=compute_80"};
    struct build_request request = scale_request(NULL);
    request.options = own;
    request.n_options = 1;
    expect_built(&request);
    ck_assert_ptr_nonnull(strstr(build.image, ".target sm_80"));
    request.n_options = 0;
    request.architecture = 999;
    expect_built(&request);
    ck_assert_ptr_nonnull(strstr(build.image, ".entry plain("));
}

/* PTX is enough to see whether it compiles, and what parameters it has. */
TEST(tries_without_a_binary)
{
    static const char *const own[] = {"--gpu-architecture=sm_90a"};
    static const enum scan_kind kinds[] = {SCAN_POINTER, SCAN_FLOAT, SCAN_INTEGER, SCAN_UNKNOWN};
    static const uint32_t bytes[] = {8, 4, 4, 12};
    struct scan_kernel kernel = {0};
    struct build_request request = scale_request(NULL);
    write_text("scale.cu", "struct three { int x[3]; };\n"
                           "template <typename T> __global__ void scale(int *, T, int, three) {}");
    entries[0] = "scale<float>";
    request.n_entries = 1;
    request.is_trial = true;
    expect_built(&request);
    ck_assert_ptr_nonnull(strstr(build.image, ".target sm_90"));
    ck_assert(scan_ptx(build.image, build.names[0], &kernel));
    ck_assert_uint_eq(kernel.n, 4);
    for (size_t i = 0; i < kernel.n; i++) {
        ck_assert_uint_eq(kernel.parameters[i].bytes, bytes[i]);
        if (i > 0) /* not every NVRTC marks pointers */
            ck_assert_int_eq(kernel.parameters[i].kind, kinds[i]);
    }
    request.options = own;
    request.n_options = 1;
    expect_built(&request);
    ck_assert_ptr_nonnull(strstr(build.image, ".target sm_90a"));
}
