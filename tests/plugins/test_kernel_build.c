/*
 * test_kernel_build.c - sources of kernels compiled and kept. It needs NVRTC, but no GPU.
 */
#include "plugins/bench_kernel/build.h"
#include "plugins/bench_kernel/scan.h"
#include "plugins/common/cuda/nvrtc_program.h"
#include "tests/check_main.h"
#include "tests/plugins/kernel_files.h"

#include <sys/stat.h>

static char reason[2048];

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

/* Was it taken from the cache? */
static bool is_cached(const struct build_request *request)
{
    struct build build;
    char why[BUILD_REASON_BYTES];
    ck_assert_msg(build_make(request, &build, why), "%s", why);
    ck_assert_str_eq(build.note, "");
    ck_assert_mem_eq(build.image, "\177ELF", 4);
    ck_assert_uint_gt(build.image_bytes, 500);
    ck_assert_str_eq(build.names[0], "_Z5scaleIfLi32EEvPT_PKS0_");
    ck_assert_str_eq(build.names[1], "plain");
    ck_assert(build.compile_ms > 0);
    const bool is_cached = build.is_cached;
    build_free(&build);
    return is_cached;
}

TEST(compiles_what_has_changed_only)
{
    static const char *fast[] = {"--use_fast_math"};
    static const char *others[] = {"scale<float, 32>", "plain"};
    const char *folder = fresh_cache();
    struct build_request request = scale_request(folder);
    ck_assert(!is_cached(&request));
    ck_assert(is_cached(&request));
    ck_assert_uint_eq(files_in(folder), 1);
    write_text("scale.h", "#define FACTOR 3\n");
    ck_assert(!is_cached(&request));
    ck_assert(is_cached(&request));
    write_text("scale.h", "#define FACTOR 2\n");
    ck_assert(is_cached(&request));
    request.options = fast;
    request.n_options = 1;
    ck_assert(!is_cached(&request));
    request.entries = others;
    ck_assert(is_cached(&request));
    request.architecture = 80;
    ck_assert(!is_cached(&request));
    ck_assert(is_cached(&request));
    request.cache = NULL;
    ck_assert(!is_cached(&request));
}

/* What cannot be kept is left to whoever needs it. */
TEST(builds_ahead_for_the_cache)
{
    const char *folder = fresh_cache();
    struct build_request request = scale_request(folder);
    struct build build;
    request.is_ahead = true;
    ck_assert_msg(build_make(&request, &build, reason), "%s", reason);
    build_free(&build);
    ck_assert_uint_eq(files_in(folder), 1);
    request.cache = NULL;
    ck_assert_msg(build_make(&request, &build, reason), "%s", reason);
    ck_assert_ptr_null(build.image);
    build_free(&build);
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
    mkdir(folder, 0777);
    const char *const folders[] = {folder};
    struct build_request request = scale_request(fresh_cache());
    request.options = options;
    request.n_options = 1;
    request.folders = folders;
    request.n_folders = 1;
    write_text("include/inner.h", "#define FACTOR 5\n");
    write_text("scale.h", "#include <inner.h>\n");
    ck_assert(!is_cached(&request));
    ck_assert(is_cached(&request));
    write_text("inner.h", "#define FACTOR 7\n");
    ck_assert(!is_cached(&request));
    unlink(in_folder("inner.h"));
    ck_assert(is_cached(&request));
    write_text("named.h", "#define OTHER 1\n");
    snprintf(named, sizeof named, "--pre-include=%.4000s", in_folder("named.h"));
    options[1] = named;
    request.n_options = 2;
    ck_assert(!is_cached(&request));
    ck_assert(is_cached(&request));
    write_text("named.h", "#define OTHER 2\n");
    ck_assert(!is_cached(&request));
}

/* A header that is only asked for changes what is compiled, too. */
TEST(notices_a_header_that_appears)
{
    const struct build_request request = scale_request(fresh_cache());
    write_text("scale.h", "#if __has_include(\"asked.h\")\n#define FACTOR 5\n#else\n"
                          "#define FACTOR 2\n#endif\n");
    ck_assert(!is_cached(&request));
    ck_assert(is_cached(&request));
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
    snprintf(folder, sizeof folder, "%s", fresh_cache());
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
    ck_assert(!is_cached(&request));
    ck_assert(is_cached(&request));
    ck_assert_int_eq(stat(only_file(folder), &facts), 0);
    ck_assert_int_lt(facts.st_size, 200000);
    write_text("many599.h", "#define FACTOR 3\n");
    ck_assert(!is_cached(&request));
}

/* A macro that nobody reads is reported, unless a header that is not looked into may do so. */
TEST(says_which_macro_is_unused)
{
    static const char *options[] = {"--define-macro=USED=2", "--define-macro=FACTRO=2"};
    struct build build;
    char why[BUILD_REASON_BYTES];
    struct build_request request = scale_request(fresh_cache());
    request.options = options;
    write_text("scale.h", "#define FACTOR USED\n");
    for (request.n_options = 1; request.n_options < 3; request.n_options++) {
        for (int i = 0; i < 2; i++) {
            ck_assert_msg(build_make(&request, &build, why), "%s", why);
            ck_assert_int_eq(build.is_cached, i == 1);
            const bool is_reported = strstr(build.unused, "the macro FACTRO changes nothing: ") !=
                                     NULL;
            ck_assert_int_eq(is_reported, request.n_options == 2);
            ck_assert_int_eq(build.unused[0] != '\0', is_reported);
            build_free(&build);
        }
    }
    request.n_options = 2;
    write_text("scale.h", "#include <cuda_fp16.h>\n#define FACTOR USED\n");
    if (build_make(&request, &build, why))
        ck_assert_str_eq(build.unused, "");
    build_free(&build);
}

TEST(compiles_anew_what_is_damaged)
{
    const char *folder = fresh_cache();
    const struct build_request request = scale_request(folder);
    ck_assert(!is_cached(&request));
    ck_assert_int_eq(truncate(only_file(folder), 1000), 0);
    ck_assert(!is_cached(&request));
    ck_assert(is_cached(&request));
}

TEST(says_what_it_cannot_keep)
{
    struct build build;
    char why[BUILD_REASON_BYTES];
    write_text("a_file", "x");
    struct build_request request = scale_request(in_folder("a_file"));
    ck_assert_msg(build_make(&request, &build, why), "%s", why);
    ck_assert_ptr_nonnull(strstr(build.note, "compiled again next time: "));
    build_free(&build);
    request.cache = fresh_cache();
    write_text("scale.h", "#define NAME \"other.h\"\n#include NAME\n");
    write_text("other.h", "#define FACTOR 2\n");
    ck_assert_msg(build_make(&request, &build, why), "%s", why);
    ck_assert_ptr_nonnull(strstr(build.note, "a macro or #include_next names one"));
    build_free(&build);
    ck_assert_uint_eq(files_in(request.cache), 0);
}

/* The first error, with the user's file and line; all of them in the log. */
TEST(says_where_the_error_is)
{
    struct build build;
    char why[BUILD_REASON_BYTES], expected[PATH_BYTES];
    struct build_request request = scale_request(NULL);
    write_text("scale.h", "#define FACTOR undeclared\n");
    ck_assert(!build_make(&request, &build, why));
    snprintf(expected, sizeof expected, "%.4000s(4): error: ", request.path);
    ck_assert_msg(strncmp(why, expected, strlen(expected)) == 0, "%s", why);
    ck_assert_ptr_nonnull(strstr(why, "undeclared"));
    ck_assert_ptr_null(strchr(why, '\n'));
    ck_assert_ptr_nonnull(strstr(build.log, "1 error detected"));
    build_free(&build);
    write_text("scale.h",
               "static __device__ int f() { int error_of; return 1; }\n#define FACTOR 1\n"
               "#error stop here\n");
    ck_assert(!build_make(&request, &build, why));
    ck_assert_msg(strstr(why, "scale.h(3): ") != NULL, "%s", why);
    ck_assert_ptr_nonnull(strstr(why, "stop here"));
    build_free(&build);
}

TEST(says_what_is_wrong_with_an_entry)
{
    static const char *const wrong[] = {"scal<float, 32>"};
    static const char *const second_wrong[] = {"scale<float, 32>", "plane"};
    struct build build;
    char why[BUILD_REASON_BYTES];
    struct build_request request = scale_request(NULL);
    request.entries = wrong;
    request.n_entries = 1;
    ck_assert(!build_make(&request, &build, why));
    ck_assert_ptr_nonnull(strstr(why, "'scal<float, 32>' in "));
    ck_assert_ptr_nonnull(strstr(why, "identifier \"scal\" is undefined"));
    ck_assert(build.is_entry_wrong);
    ck_assert_uint_eq(build.wrong_entry, 0);
    build_free(&build);
    request.entries = second_wrong;
    request.n_entries = 2;
    ck_assert(!build_make(&request, &build, why));
    ck_assert_msg(strstr(why, "'plane' in ") != NULL, "%s", why);
    ck_assert_uint_eq(build.wrong_entry, 1);
    build_free(&build);
    request.path = "nowhere.cu";
    ck_assert(!build_make(&request, &build, why));
    ck_assert_str_eq(why, "nowhere.cu: No such file or directory");
    ck_assert(!build.is_entry_wrong);
    build_free(&build);
}

TEST(finds_kernels_in_a_binary)
{
    struct build build;
    char why[BUILD_REASON_BYTES];
    bool is_elf = false;
    const struct build_request request = scale_request(NULL);
    ck_assert_msg(build_make(&request, &build, why), "%s", why);
    ck_assert(scan_elf(build.image, build.image_bytes, "plain", &is_elf));
    ck_assert(is_elf);
    ck_assert(scan_elf(build.image, build.image_bytes, build.names[0], &is_elf));
    ck_assert(!scan_elf(build.image, build.image_bytes, "plai", &is_elf));
    ck_assert(!scan_elf(build.image, 100, "plain", &is_elf));
    ck_assert(is_elf);
    ck_assert(!scan_elf("plain", 6, "plain", &is_elf));
    ck_assert(!is_elf);
    build_free(&build);
}

TEST(reports_spills_of_a_compiled_kernel)
{
    struct build build;
    char why[BUILD_REASON_BYTES];
    double stores = -1, loads = -1;
    const struct build_request request = scale_request(NULL);
    ck_assert_msg(build_make(&request, &build, why), "%s", why);
    ck_assert(build_spills(build.log, build.names[0], &stores, &loads));
    ck_assert_double_eq(stores, 0);
    build_trim_log(build.log);
    ck_assert_str_eq(build.log, "");
    build_free(&build);
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
    const struct build_request request = scale_request(fresh_cache());
    write_text("scale.h", "#include <cooperative_groups.h>\n#include <cuda_fp16.h>\n"
                          "#define FACTOR (float)__float2half(2)\n");
    ck_assert(!is_cached(&request));
    ck_assert(is_cached(&request));
}

TEST(asks_for_options)
{
    static const struct {
        const char *option;
        bool is_known;
    } options[] = {{"--use_fast_math", true},
                   {"-lineinfo", true},
                   {"--no-such-option", false},
                   {"-O3", false},
                   {"--std=c++99", false},
                   {"--std=c++20", true},
                   {"--maxrregcount=many", false},
                   {"--gpu-architecture=sm_12", false},
                   {"-DA=4", true},
                   {"-Inowhere", true}};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const bool is_known = nvrtc_knows_option(options[i].option, reason, sizeof reason);
        ck_assert_msg(is_known == options[i].is_known, "%s: %s", options[i].option, reason);
        if (!is_known)
            ck_assert_int_gt((int)strlen(reason), 10);
    }
}

/* The architecture that the user asks for counts. */
TEST(compiles_for_the_architecture)
{
    static const char *const own[] = {"--gpu-architecture=compute_80"};
    struct build build;
    char why[BUILD_REASON_BYTES];
    struct build_request request = scale_request(NULL);
    request.options = own;
    request.n_options = 1;
    ck_assert_msg(build_make(&request, &build, why), "%s", why);
    ck_assert_ptr_nonnull(strstr(build.image, ".target sm_80"));
    build_free(&build);
    request.n_options = 0;
    request.architecture = 999;
    ck_assert_msg(build_make(&request, &build, why), "%s", why);
    ck_assert_ptr_nonnull(strstr(build.image, ".entry plain("));
    build_free(&build);
}

/* PTX is enough to see whether it compiles, and what parameters it has. */
TEST(tries_without_a_binary)
{
    static const char *const own[] = {"--gpu-architecture=sm_90a"};
    static const enum scan_kind kinds[] = {SCAN_POINTER, SCAN_FLOAT, SCAN_INTEGER, SCAN_UNKNOWN};
    static const uint32_t bytes[] = {8, 4, 4, 12};
    struct scan_kernel kernel = {0};
    struct build build;
    char why[BUILD_REASON_BYTES];
    struct build_request request = scale_request(NULL);
    write_text("scale.cu", "struct three { int x[3]; };\n"
                           "template <typename T> __global__ void scale(int *, T, int, three) {}");
    entries[0] = "scale<float>";
    request.n_entries = 1;
    request.is_trial = true;
    ck_assert_msg(build_make(&request, &build, why), "%s", why);
    ck_assert_ptr_nonnull(strstr(build.image, ".target sm_90"));
    ck_assert(scan_ptx(build.image, build.names[0], &kernel));
    ck_assert_uint_eq(kernel.n, 4);
    for (size_t i = 0; i < kernel.n; i++) {
        ck_assert_uint_eq(kernel.parameters[i].bytes, bytes[i]);
        if (i > 0) /* not every NVRTC marks pointers */
            ck_assert_int_eq(kernel.parameters[i].kind, kinds[i]);
    }
    build_free(&build);
    request.options = own;
    request.n_options = 1;
    ck_assert_msg(build_make(&request, &build, why), "%s", why);
    ck_assert_ptr_nonnull(strstr(build.image, ".target sm_90a"));
    build_free(&build);
}
