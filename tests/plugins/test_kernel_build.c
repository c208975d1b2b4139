/* test_kernel_build.c - sources of kernels compiled and kept. It needs NVRTC, but no GPU. */
#include "plugins/bench_kernel/build.h"
#include "plugins/bench_kernel/scan.h"
#include "plugins/common/cuda/elf_function.h"
#include "plugins/common/cuda/nvrtc_program.h"
#include "tests/plugins/files.h"

static char why[2048];               /* BUILD_REASON_BYTES or more */
static struct build_request request; /* of scale.cu */
static struct build build;
static const char *cache;

static const char scale_source[] =
    "#include \"scale.h\"\n"
    "template <typename T, int N> __global__ void scale(T *to, const T *from)\n"
    "{\n"
    "    to[threadIdx.x] = FACTOR * N * from[threadIdx.x];\n"
    "}\n"
    "extern \"C\" __global__ void plain(int *to) { *to = 1; }\n";

static const char *const entries[] = {"scale<float, 32>", "plain"};

static void set_up(void)
{
    write_text("scale.h", "#define FACTOR 2\n");
    write_text("scale.cu", scale_source);
    cache = fresh_folder("kernels");
    request = (struct build_request){.path = strdup(in_folder("scale.cu")),
                                     .architecture = 90,
                                     .entries = entries,
                                     .n_entries = 2,
                                     .cache = cache};
}

static void free_build(void)
{
    build_free(&build);
    build = (struct build){0};
}

static void tear_down(void)
{
    free_build();
    free((char *)(uintptr_t)request.path);
}

TEST_FIXTURE(set_up, tear_down)

static bool makes(void)
{
    free_build();
    return build_make(&request, &build, why);
}

static void expect_built(void)
{
    ck_assert_msg(makes(), "%s", why);
}

static void expect_failure(const char *words)
{
    ck_assert(!makes());
    ck_assert_msg(strstr(why, words) != NULL, "%s", why);
}

/* Was it taken from the cache? */
static bool is_cached(void)
{
    expect_built();
    ck_assert_str_eq(build.note, "");
    ck_assert_mem_eq(build.image, "\177ELF", 4);
    ck_assert_uint_gt(build.image_bytes, 500);
    ck_assert_str_eq(build.names[0], "_Z5scaleIfLi32EEvPT_PKS0_");
    ck_assert_str_eq(build.names[1], "plain");
    ck_assert(build.compile_ms > 0);
    return build.is_cached;
}

static void expect_compiled_once(void)
{
    ck_assert(!is_cached());
    ck_assert(is_cached());
}

static void use_options(const char *const *options, size_t n)
{
    request.options = options;
    request.n_options = n;
}

TEST(compiles_what_has_changed_only)
{
    static const char *const fast[] = {"--use_fast_math"};
    static const char *const others[] = {"scale<float, 32>", "plain"};
    expect_compiled_once();
    ck_assert_uint_eq(files_in(cache), 1);
    write_text("scale.h", "#define FACTOR 3\n");
    expect_compiled_once();
    write_text("scale.h", "#define FACTOR 2\n");
    ck_assert(is_cached());
    use_options(fast, 1);
    ck_assert(!is_cached());
    request.entries = others;
    ck_assert(is_cached());
    request.architecture = 80;
    expect_compiled_once();
    request.cache = NULL;
    ck_assert(!is_cached());
}

/* What cannot be kept is left to whoever needs it. */
TEST(builds_ahead_for_the_cache)
{
    request.is_ahead = true;
    expect_built();
    ck_assert_uint_eq(files_in(cache), 1);
    request.cache = NULL;
    expect_built();
    ck_assert_ptr_null(build.image);
    request.cache = cache;
    request.is_ahead = false;
    ck_assert(is_cached());
}

/* A header that begins to hide another one, and one that is asked for by an option. */
TEST(follows_headers)
{
    char folder[PATH_BYTES], named[PATH_BYTES];
    const char *const folders[] = {folder};
    const char *const options[] = {"--define-macro=UNUSED", named};
    snprintf(folder, sizeof folder, "%s", in_folder("include"));
    snprintf(named, sizeof named, "--pre-include=%.4000s", in_folder("named.h"));
    use_options(options, 1);
    request.folders = folders;
    request.n_folders = 1;
    write_text("include/inner.h", "#define FACTOR 5\n");
    write_text("scale.h", "#include <inner.h>\n");
    expect_compiled_once();
    write_text("inner.h", "#define FACTOR 7\n");
    ck_assert(!is_cached());
    unlink(in_folder("inner.h"));
    ck_assert(is_cached());
    write_text("named.h", "#define OTHER 1\n");
    request.n_options = 2;
    expect_compiled_once();
    write_text("named.h", "#define OTHER 2\n");
    ck_assert(!is_cached());
}

/* A header that is only asked for changes what is compiled, too. */
TEST(notices_a_header_that_appears)
{
    write_text("scale.h", "#if __has_include(\"asked.h\")\n#define FACTOR 5\n#else\n"
                          "#define FACTOR 2\n#endif\n");
    expect_compiled_once();
    write_text("asked.h", "");
    ck_assert(!is_cached());
    unlink(in_folder("asked.h"));
    ck_assert(is_cached());
}

/* As libraries of templates have them: all are followed, and an entry stays small. */
TEST(follows_many_headers)
{
    enum { HEADERS = 600, BYTES = 10000 };
    struct stat facts;
    char kernels[PATH_BYTES];
    request.cache = strcpy(kernels, cache);
    for (int i = 0; i < HEADERS; i++) {
        char name[32], text[BYTES + 64];
        snprintf(name, sizeof name, "many%d.h", i);
        snprintf(text, sizeof text, "/*%*s*/\n#include \"many%d.h\"\n", BYTES, "", i + 1);
        write_text(name, i + 1 < HEADERS ? text : "#define FACTOR 2\n");
    }
    write_text("scale.h", "#include \"many450.h\"\n#if 0\n#include \"many0.h\"\n#endif\n");
    expect_compiled_once();
    ck_assert_int_eq(stat(only_file(kernels), &facts), 0);
    ck_assert_int_lt(facts.st_size, 200000);
    write_text("many599.h", "#define FACTOR 3\n");
    ck_assert(!is_cached());
}

/* A macro that nobody reads is reported, unless a header that is not looked into may do so. */
TEST(says_which_macro_is_unused)
{
    static const char *const options[] = {"--define-macro=USED=2", "--define-macro=FACTRO=2"};
    write_text("scale.h", "#define FACTOR USED\n");
    for (int i = 0; i < 4; i++) {
        use_options(options, i < 2 ? 1 : 2);
        expect_built();
        ck_assert_int_eq(build.is_cached, i % 2 == 1);
        const char *found = strstr(build.unused, "the macro FACTRO has no effect: ");
        ck_assert_int_eq(found != NULL, i >= 2);
        ck_assert_int_eq(build.unused[0] != '\0', i >= 2);
    }
    write_text("scale.h", "#include <cuda_fp16.h>\n#define FACTOR USED\n");
    if (makes())
        ck_assert_str_eq(build.unused, "");
}

TEST(says_what_it_cannot_keep)
{
    write_text("a_file", "x");
    request.cache = in_folder("a_file");
    expect_built();
    ck_assert_ptr_nonnull(strstr(build.note, "will be compiled again: "));
    request.cache = cache;
    write_text("scale.h", "#define NAME \"other.h\"\n#include NAME\n");
    write_text("other.h", "#define FACTOR 2\n");
    expect_built();
    ck_assert_ptr_nonnull(strstr(build.note, "a macro or #include_next names one"));
    ck_assert_uint_eq(files_in(cache), 0);
}

/* The first error, with the user's file and line; all of them in the log. */
TEST(says_where_the_error_is)
{
    char expected[PATH_BYTES];
    request.cache = NULL;
    write_text("scale.h", "#define FACTOR undeclared\n");
    snprintf(expected, sizeof expected, "%.4000s(4): error: ", request.path);
    expect_failure("undeclared");
    ck_assert_ptr_eq(strstr(why, expected), why);
    ck_assert_ptr_null(strchr(why, '\n'));
    ck_assert_ptr_nonnull(strstr(build.log, "1 error detected"));
    write_text("scale.h",
               "static __device__ int f() { int error_of; return 1; }\n#define FACTOR 1\n"
               "#error stop here\n");
    expect_failure("scale.h(3): ");
    ck_assert_ptr_nonnull(strstr(why, "stop here"));
}

TEST(says_what_is_wrong_with_an_entry)
{
    static const char *const wrong[] = {"scal<float, 32>", "scale<float, 32>", "plane"};
    request.cache = NULL;
    request.entries = wrong;
    request.n_entries = 1;
    expect_failure("'scal<float, 32>' in ");
    ck_assert_ptr_nonnull(strstr(why, "identifier \"scal\" is undefined"));
    ck_assert(build.is_entry_wrong);
    ck_assert_uint_eq(build.wrong_entry, 0);
    request.entries = wrong + 1;
    request.n_entries = 2;
    expect_failure("'plane' in ");
    ck_assert_uint_eq(build.wrong_entry, 1);
    free((char *)(uintptr_t)request.path);
    request.path = strdup("nowhere.cu");
    ck_assert(!makes());
    ck_assert_str_eq(why, "nowhere.cu: No such file or directory");
    ck_assert(!build.is_entry_wrong);
}

TEST(finds_kernels_in_a_binary_and_their_spills)
{
    double stores = -1, loads = -1;
    bool is_elf = false;
    expect_built();
    ck_assert_int_gt(elf_function_bytes(build.image, build.image_bytes, "plain", &is_elf), 0);
    ck_assert(is_elf);
    ck_assert_int_gt(elf_function_bytes(build.image, build.image_bytes, build.names[0], &is_elf),
                     0);
    ck_assert_int_lt(elf_function_bytes(build.image, build.image_bytes, "plai", &is_elf), 0);
    ck_assert_int_lt(elf_function_bytes(build.image, 100, "plain", &is_elf), 0);
    ck_assert(is_elf);
    ck_assert_int_lt(elf_function_bytes("plain", 6, "plain", &is_elf), 0);
    ck_assert(!is_elf);
    ck_assert(build_spills(build.log, build.names[0], &stores, &loads));
    ck_assert_double_eq(stores, 0);
    build_trim_log(build.log);
    ck_assert_str_eq(build.log, "");
}

/* Headers of CUDA, and those that they include from a folder of their own. */
TEST(finds_headers_of_the_toolkit)
{
    char path[PATH_BYTES];
    const char *home = getenv("CUDA_HOME") != NULL ? getenv("CUDA_HOME") : "/usr/local/cuda";
    snprintf(path, sizeof path, "%.2000s/include/cooperative_groups.h", home);
    if (access(path, R_OK) != 0)
        return;
    write_text("scale.h", "#include <cooperative_groups.h>\n#include <cuda_fp16.h>\n"
                          "#define FACTOR (float)__float2half(2)\n");
    expect_compiled_once();
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
    request.cache = NULL;
    use_options(own, 1);
    expect_built();
    ck_assert_ptr_nonnull(strstr(build.image, ".target sm_80"));
    request.n_options = 0;
    request.architecture = 999;
    expect_built();
    ck_assert_ptr_nonnull(strstr(build.image, ".entry plain("));
}

/* PTX is enough to see whether it compiles, and what parameters it has. */
TEST(tries_without_a_binary)
{
    static const char *const own[] = {"--gpu-architecture=sm_90a"};
    static const char *const entry[] = {"scale<float>"};
    static const enum scan_kind kinds[] = {SCAN_POINTER, SCAN_FLOAT, SCAN_INTEGER, SCAN_UNKNOWN};
    static const uint32_t bytes[] = {8, 4, 4, 12};
    struct scan_kernel kernel = {0};
    request.cache = NULL;
    write_text("scale.cu", "struct three { int x[3]; };\n"
                           "template <typename T> __global__ void scale(int *, T, int, three) {}");
    request.entries = entry;
    request.n_entries = 1;
    request.is_trial = true;
    expect_built();
    ck_assert_ptr_nonnull(strstr(build.image, ".target sm_90"));
    ck_assert(scan_ptx(build.image, build.names[0], &kernel));
    ck_assert_uint_eq(kernel.n, 4);
    for (size_t i = 0; i < kernel.n; i++) {
        ck_assert_uint_eq(kernel.parameters[i].bytes, bytes[i]);
        if (i > 0) /* not every NVRTC marks pointers */
            ck_assert_int_eq(kernel.parameters[i].kind, kinds[i]);
    }
    use_options(own, 1);
    expect_built();
    ck_assert_ptr_nonnull(strstr(build.image, ".target sm_90a"));
}
