/*
 * test_kernel_build.c - sources of kernels read, compiled and kept, and arrays in files. Those that
 * compile need NVRTC, but no GPU.
 */
#include "plugins/bench_kernel/array_file.h"
#include "plugins/bench_kernel/build.h"
#include "plugins/bench_kernel/cache.h"
#include "plugins/bench_kernel/scan.h"
#include "plugins/common/nvrtc_program.h"
#include "tests/check_main.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };
static char reason[2048];

/* --- files --- */

/* A path in the folder of this test. */
static const char *in_folder(const char *name)
{
    static char paths[64][PATH_BYTES];
    static size_t next;
    char *path = paths[next++ % 64];
    snprintf(path, PATH_BYTES, "%s/%s", getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp", name);
    return path;
}

static void write_bytes(const char *name, const void *data, size_t bytes)
{
    FILE *file = fopen(in_folder(name), "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, bytes, file), bytes);
    fclose(file);
}

static void write_text(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

static size_t files_in(const char *folder)
{
    size_t n = 0;
    DIR *files = opendir(folder);
    for (struct dirent *file = files != NULL ? readdir(files) : NULL; file != NULL;
         file = readdir(files))
        n += file->d_name[0] != '.';
    if (files != NULL)
        closedir(files);
    return n;
}

/* A folder of the cache that is not there yet. */
static const char *fresh_cache(void)
{
    static int n;
    char name[64];
    snprintf(name, sizeof name, "cache-%d-%d/kernels", (int)getpid(), n++);
    return in_folder(name);
}

/* --- scan --- */

static const struct {
    const char *text, *names[4];
    bool is_computed;
} includes[] = {
    {"#include \"a.h\"\n  #  include <b/c.h>\n", {"a.h", "b/c.h"}, false},
    {"/* x */ #include \"a.h\" // #include \"b.h\"\n", {"a.h", "b.h"}, false},
    {"#include HEADER\n#include \"a.h\"", {"", "a.h"}, true},
    {"#included \"a.h\"\n# define include\n#", {NULL}, false},
    {"#include \"open\n#include \"a.h\"", {"a.h"}, false},
    {"no includes here", {NULL}, false},
};

START_TEST(finds_includes)
{
    const char *at = includes[_i].text;
    struct scan_include include;
    size_t n = 0;
    bool is_computed = false;
    for (; scan_next_include(&at, &include); n++) {
        ck_assert_ptr_nonnull(includes[_i].names[n]);
        ck_assert_uint_eq(include.n, strlen(includes[_i].names[n]));
        ck_assert_mem_eq(include.name, includes[_i].names[n], include.n);
        is_computed = is_computed || include.is_computed;
    }
    ck_assert_ptr_null(includes[_i].names[n]);
    ck_assert_int_eq(is_computed, includes[_i].is_computed);
}
END_TEST

START_TEST(strips_comments_and_strings)
{
    char *text = scan_strip("a /* b\n c */ \"d\\\"e\" 'f' 1'000 // g\nh \"open\ni /* j");
    ck_assert_str_eq(text, "a     \n                 1'000     \nh      \ni     ");
    free(text);
}
END_TEST

START_TEST(takes_the_base_name)
{
    static const struct {
        const char *expression, *name;
    } names[] = {{"scale", "scale"},
                 {" my :: scale < float , other<int> > ", "scale"},
                 {"::scale<4>", "scale"},
                 {"&scale", ""},
                 {"(void (*)(int))scale", ""},
                 {"scale(int)", ""},
                 {"", ""}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t n = 9;
        const char *word = scan_base_name(names[i].expression, &n);
        ck_assert_uint_eq(n, strlen(names[i].name));
        ck_assert_mem_eq(word, names[i].name, n);
    }
}
END_TEST

/* p: pointer, i and f with bytes, ?: unknown; "-": not certain; NULL: no kernel */
static const struct {
    const char *source, *parameters;
    size_t line;
} kernels[] = {
    {"extern \"C\" __global__ void f(int *x) {}", "p", 1},
    {"template <typename T, int N>\n__global__ void\n__launch_bounds__(N)\nf(const T *x, T y, "
     "float "
     "z,\nunsigned n, size_t m, unsigned char c) {}",
     "p?f4i4i8?", 4},
    {"__global__ void f() {}", "", 1},
    {"__global__ void f(void) {}", "", 1},
    {"__global__ void f(double[4], int = g(1, 2)) {}", "-", 1},
    {"__global__ void f(float4 a, map<int, int> b, bool, short s) {}", "??i1i2", 1},
    {"__global__ void f(PARAMETERS) {}", "-", 1},
    {"__global__ void f(T... x) {}", "-", 1},
    {"__global__ void f(ARRAY(float, x)) {}", "-", 1},
    {"__global__ void f<int>(int x) {}", "", 1},
    {"__device__ void f(int x) {}", NULL, 0},
    {"__global__ void g(int f) {}", NULL, 0},
    {"__global__ void g(int x) { f(x); }", NULL, 0},
    {"__global__ void f(int x", "-", 1},
    {"void f(int); __global__ void f2(int); __global__ void f(long n, volatile int *p);", "i8p", 1},
};

START_TEST(reads_parameters)
{
    struct scan_kernel kernel = {0};
    char found[64] = "";
    char *text = scan_strip(kernels[_i].source);
    const size_t n = scan_kernels(text, "f", 1, &kernel, 1);
    free(text);
    ck_assert_uint_eq(n, kernels[_i].parameters != NULL);
    if (n == 0)
        return;
    ck_assert_uint_eq(kernel.line, kernels[_i].line);
    for (size_t i = 0; i < kernel.n; i++) {
        char word[8] = "";
        snprintf(word, sizeof word, kernel.parameters[i].bytes > 0 ? "%c%u" : "%c",
                 "?ifp"[kernel.parameters[i].kind], kernel.parameters[i].bytes);
        strcat(found, word);
    }
    const bool is_template = strstr(kernels[_i].source, "f<int>") != NULL;
    ck_assert_int_eq(kernel.is_certain, kernels[_i].parameters[0] != '-' && !is_template);
    if (kernel.is_certain)
        ck_assert_str_eq(found, kernels[_i].parameters);
}
END_TEST

START_TEST(reads_ptx)
{
    static const char text[] =
        ".version 7.0\n.visible .entry scale(\n\t.param .u64 .ptr .align 1 a,\n"
        "\t.param .f32 b,\n\t.param .align 4 .b8 c[12]\n)\n{ ret; }\n"
        ".visible .entry none()\n{ ret; }\n";
    static const uint32_t bytes[] = {8, 4, 12};
    struct scan_kernel kernel;
    ck_assert(scan_ptx(text, "scale", &kernel));
    ck_assert(kernel.is_certain);
    ck_assert_uint_eq(kernel.n, 3);
    for (size_t i = 0; i < 3; i++)
        ck_assert_uint_eq(kernel.parameters[i].bytes, bytes[i]);
    ck_assert(scan_ptx(text, "none", &kernel));
    ck_assert_uint_eq(kernel.n, 0);
    ck_assert(!scan_ptx(text, "scal", &kernel));
    ck_assert(!scan_ptx("", "scale", &kernel));
}
END_TEST

/* --- the cache --- */

START_TEST(keeps_what_was_written)
{
    const char *folder = fresh_cache();
    size_t bytes = 0;
    ck_assert_ptr_null(cache_read(folder, "key", 3, &bytes));
    ck_assert_msg(cache_write(folder, "key", 3, "va\0ue", 5, reason), "%s", reason);
    ck_assert_msg(cache_write(folder, "other", 5, "", 0, reason), "%s", reason);
    char *value = cache_read(folder, "key", 3, &bytes);
    ck_assert_uint_eq(bytes, 5);
    ck_assert_mem_eq(value, "va\0ue", 5);
    free(value);
    value = cache_read(folder, "other", 5, &bytes);
    ck_assert_ptr_nonnull(value);
    ck_assert_uint_eq(bytes, 0);
    free(value);
    ck_assert_ptr_null(cache_read(folder, "key2", 4, &bytes));
    ck_assert_uint_eq(files_in(folder), 2);
}
END_TEST

/* The one file of a folder. */
static const char *only_file(const char *folder)
{
    static char path[PATH_BYTES];
    DIR *files = opendir(folder);
    ck_assert_ptr_nonnull(files);
    for (struct dirent *file = readdir(files); file != NULL; file = readdir(files))
        if (file->d_name[0] != '.')
            snprintf(path, sizeof path, "%.2000s/%.255s", folder, file->d_name);
    closedir(files);
    return path;
}

/* Each byte damaged, and each length cut off: never a wrong value. */
START_TEST(notices_damage)
{
    const char *folder = fresh_cache();
    size_t bytes = 0, n = 0;
    ck_assert(cache_write(folder, "key", 3, "value", 5, reason));
    const char *path = only_file(folder);
    char *file = file_read(path, &n, reason);
    for (size_t i = 0; i < 2 * n; i++) {
        FILE *damaged = fopen(path, "wb");
        ck_assert_ptr_nonnull(damaged);
        if (i < n)
            file[i] ^= 4;
        fwrite(file, 1, i < n ? n : i - n, damaged);
        fclose(damaged);
        ck_assert_ptr_null(cache_read(folder, "key", 3, &bytes));
        if (i < n)
            file[i] ^= 4;
    }
    free(file);
    ck_assert(cache_write(folder, "key", 3, "value", 5, reason));
    char *value = cache_read(folder, "key", 3, &bytes);
    ck_assert_ptr_nonnull(value);
    free(value);
}
END_TEST

START_TEST(says_why_it_can_not_write)
{
    write_text("a_file", "x");
    ck_assert(!cache_write(in_folder("a_file/kernels"), "key", 3, "value", 5, reason));
    ck_assert_ptr_nonnull(strstr(reason, "a_file/kernels: Not a directory"));
}
END_TEST

/* As on a full disk. */
START_TEST(leaves_nothing_where_there_is_no_room)
{
    const char *folder = fresh_cache();
    const struct rlimit small = {20, RLIM_INFINITY}, all = {RLIM_INFINITY, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    const bool is_written = cache_write(folder, "key", 3, "value", 5, reason);
    setrlimit(RLIMIT_FSIZE, &all);
    ck_assert(!is_written);
    ck_assert_ptr_nonnull(strstr(reason, "File too large"));
    ck_assert_uint_eq(files_in(folder), 0);
}
END_TEST

/* Processes that write and read the same entry all the while see all of a value or nothing. */
START_TEST(serves_many_at_once)
{
    enum { PROCESSES = 4, TIMES = 100, BYTES = 20000 };
    const char *folder = fresh_cache();
    static char value[BYTES];
    memset(value, 'v', sizeof value);
    for (int i = 0; i < PROCESSES; i++) {
        if (fork() != 0)
            continue;
        bool is_right = true;
        for (int j = 0; is_right && j < TIMES; j++) {
            size_t bytes = 0;
            is_right = cache_write(folder, "key", 3, value, sizeof value, reason);
            char *read = cache_read(folder, "key", 3, &bytes);
            is_right = is_right && read != NULL && bytes == sizeof value;
            free(read);
        }
        _exit(is_right ? 0 : 1);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = 1;
        ck_assert_int_gt(wait(&status), 0);
        ck_assert_int_eq(status, 0);
    }
    ck_assert_uint_eq(files_in(folder), 1);
}
END_TEST

START_TEST(finds_its_folder)
{
    static const struct {
        const char *asked, *xdg, *home, *folder;
    } folders[] = {{"", "/xdg", "/me", "/xdg/gbrun/kernels"},
                   {"", "relative", "/me", "/me/.cache/gbrun/kernels"},
                   {"", "", "/me", "/me/.cache/gbrun/kernels"},
                   {"", "", "", NULL},
                   {"none", "/xdg", "/me", NULL},
                   {"here", "/xdg", "/me", "/config/here"},
                   {"/there", "/xdg", "/me", "/there"}};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        setenv("XDG_CACHE_HOME", folders[i].xdg, 1);
        setenv("HOME", folders[i].home, 1);
        char *folder = cache_folder(folders[i].asked, "/config");
        if (folders[i].folder == NULL)
            ck_assert_ptr_null(folder);
        else
            ck_assert_str_eq(folder, folders[i].folder);
        free(folder);
    }
}
END_TEST

/* --- compiling --- */

static bool has_nvrtc(void)
{
    int major = 0, minor = 0;
    if (nvrtc_version(&major, &minor, reason, sizeof reason))
        return true;
    ck_assert_msg(strncmp(reason, "libnvrtc was not found", 22) == 0, "%s", reason);
    printf("# left out: %s\n", reason);
    return false;
}

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

START_TEST(compiles_what_has_changed_only)
{
    static const char *fast[] = {"--use_fast_math"};
    static const char *others[] = {"scale<float, 32>", "plain"};
    if (!has_nvrtc())
        return;
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
END_TEST

/* A header that begins to hide another one, and one that is asked for by an option. */
START_TEST(follows_headers)
{
    static const char *options[] = {"--define-macro=UNUSED", NULL};
    char folder[PATH_BYTES], named[PATH_BYTES];
    if (!has_nvrtc())
        return;
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
END_TEST

START_TEST(compiles_anew_what_is_damaged)
{
    if (!has_nvrtc())
        return;
    const char *folder = fresh_cache();
    const struct build_request request = scale_request(folder);
    ck_assert(!is_cached(&request));
    ck_assert_int_eq(truncate(only_file(folder), 1000), 0);
    ck_assert(!is_cached(&request));
    ck_assert(is_cached(&request));
}
END_TEST

START_TEST(says_what_it_can_not_keep)
{
    static const char *const loose[] = {"-I", "."};
    struct build build;
    char why[BUILD_REASON_BYTES];
    if (!has_nvrtc())
        return;
    write_text("a_file", "x");
    struct build_request request = scale_request(in_folder("a_file"));
    ck_assert_msg(build_make(&request, &build, why), "%s", why);
    ck_assert_ptr_nonnull(strstr(build.note, "compiled again next time: "));
    build_free(&build);
    request.cache = fresh_cache();
    write_text("scale.h", "#define NAME \"other.h\"\n#include NAME\n");
    write_text("other.h", "#define FACTOR 2\n");
    ck_assert_msg(build_make(&request, &build, why), "%s", why);
    ck_assert_ptr_nonnull(strstr(build.note, "a macro names one"));
    build_free(&build);
    write_text("scale.h", "#define FACTOR 2\n");
    request.options = loose;
    request.n_options = 2;
    if (build_make(&request, &build, why))
        ck_assert_ptr_nonnull(strstr(build.note, "in two words"));
    build_free(&build);
    ck_assert_uint_eq(files_in(request.cache), 0);
}
END_TEST

/* The first error, with the user's file and line; all of them in the log. */
START_TEST(says_where_the_error_is)
{
    struct build build;
    char why[BUILD_REASON_BYTES], expected[PATH_BYTES];
    if (!has_nvrtc())
        return;
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
END_TEST

START_TEST(says_what_is_wrong_with_an_entry)
{
    static const char *const wrong[] = {"scal<float, 32>"};
    struct build build;
    char why[BUILD_REASON_BYTES];
    if (!has_nvrtc())
        return;
    struct build_request request = scale_request(NULL);
    request.entries = wrong;
    request.n_entries = 1;
    ck_assert(!build_make(&request, &build, why));
    ck_assert_ptr_nonnull(strstr(why, "entry 'scal<float, 32>' in "));
    ck_assert_ptr_nonnull(strstr(why, "identifier \"scal\" is undefined"));
    build_free(&build);
    request.path = "nowhere.cu";
    ck_assert(!build_make(&request, &build, why));
    ck_assert_str_eq(why, "nowhere.cu: No such file or directory");
    build_free(&build);
}
END_TEST

START_TEST(reads_what_ptxas_says)
{
    char log[] = "k.cu(3): warning: unused\nptxas info    : Function properties for f\n"
                 "ptxas         .     8 bytes stack frame, 12 bytes spill stores, 16 bytes spill "
                 "loads\nptxas info    : Used 10 registers\nlast";
    double stores = 0, loads = 0;
    ck_assert(build_spills(log, "f", &stores, &loads));
    ck_assert_double_eq(stores, 12);
    ck_assert_double_eq(loads, 16);
    ck_assert(!build_spills(log, "g", &stores, &loads));
    build_trim_log(log);
    ck_assert_str_eq(log, "k.cu(3): warning: unused\nlast");
}
END_TEST

START_TEST(finds_kernels_in_a_binary)
{
    struct build build;
    char why[BUILD_REASON_BYTES];
    bool is_elf = false;
    if (!has_nvrtc())
        return;
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
END_TEST

START_TEST(tells_spills_of_a_compiled_kernel)
{
    struct build build;
    char why[BUILD_REASON_BYTES];
    double stores = -1, loads = -1;
    if (!has_nvrtc())
        return;
    const struct build_request request = scale_request(NULL);
    ck_assert_msg(build_make(&request, &build, why), "%s", why);
    ck_assert(build_spills(build.log, build.names[0], &stores, &loads));
    ck_assert_double_eq(stores, 0);
    build_trim_log(build.log);
    ck_assert_str_eq(build.log, "");
    build_free(&build);
}
END_TEST

/* The architecture that the user asks for counts. */
START_TEST(compiles_for_the_architecture)
{
    static const char *const own[] = {"--gpu-architecture=compute_80"};
    struct build build;
    char why[BUILD_REASON_BYTES];
    if (!has_nvrtc())
        return;
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
END_TEST

/* --- arrays --- */

static void write_npy(const char *name, const char *head, const void *data, size_t bytes)
{
    char file[512] = "\x93NUMPY\1\0";
    const size_t n = strlen(head);
    file[8] = (char)n;
    file[9] = 0;
    memcpy(file + 10, head, n);
    memcpy(file + 10 + n, data, bytes);
    write_bytes(name, file, 10 + n + bytes);
}

static const float numbers[] = {1, 2, 3, 4, 5, 6};

START_TEST(reads_arrays)
{
    struct array_file array;
    write_bytes("a.bin", numbers, sizeof numbers);
    write_npy("a.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", numbers,
              sizeof numbers);
    ck_assert_msg(array_file_read(in_folder("a.bin"), TYPE_FLOAT, 6, &array, reason), "%s", reason);
    ck_assert_mem_eq(array.elements, numbers, sizeof numbers);
    array_file_free(&array);
    ck_assert_msg(array_file_read(in_folder("a.npy"), TYPE_DOUBLE, 6, &array, reason), "%s",
                  reason);
    ck_assert_int_eq(array.element, TYPE_FLOAT);
    ck_assert_mem_eq(array.elements, numbers, sizeof numbers);
    array_file_free(&array);
    write_npy("b.npy", "{'descr': '<u2', 'fortran_order': False, 'shape': (12,), }\n", numbers,
              sizeof numbers);
    ck_assert_msg(array_file_read(in_folder("b.npy"), TYPE_BF16, 12, &array, reason), "%s", reason);
    ck_assert_int_eq(array.element, TYPE_BF16);
    array_file_free(&array);
}
END_TEST

static const struct {
    const char *head, *words;
} wrong_heads[] = {
    {"{'descr': '>f4', 'fortran_order': False, 'shape': (6,), }", "elements of this type"},
    {"{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }", "elements of this type"},
    {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,), }", "elements of this type"},
    {"{'descr': '<f4', 'fortran_order': True, 'shape': (6,), }", "order of Fortran"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (7,), }", "more or fewer bytes"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", "its shape"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (6", "its shape"},
    {"{'descr': '<f4', 'fortran_order': False, }", "its shape"},
    {"{'descr': '<i4', 'fortran_order': False, 'shape': (3, 2), }", NULL},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (6,), } ", "it has 6 elements: expected 5"},
    {"", "elements of this type"},
};

START_TEST(refuses_other_arrays)
{
    struct array_file array;
    write_npy("c.npy", wrong_heads[_i].head, numbers, sizeof numbers);
    const char *words = wrong_heads[_i].words;
    const uint64_t n = words != NULL && strstr(words, "expected 5") != NULL ? 5 : 6;
    const bool is_read = array_file_read(in_folder("c.npy"), TYPE_FLOAT, n, &array, reason);
    ck_assert_msg(is_read == (words == NULL), "%s", reason);
    if (words != NULL)
        ck_assert_msg(strstr(reason, words) != NULL, "%s", reason);
    array_file_free(&array);
}
END_TEST

START_TEST(refuses_cut_arrays)
{
    struct array_file array;
    write_bytes("cut.npy", "\x93NUMPY\1\0\xff\xff", 10);
    ck_assert(!array_file_read(in_folder("cut.npy"), TYPE_FLOAT, 6, &array, reason));
    ck_assert_ptr_nonnull(strstr(reason, "it ends within its head"));
    write_bytes("cut.npy", "\x93NUMPY", 6);
    ck_assert(!array_file_read(in_folder("cut.npy"), TYPE_FLOAT, 6, &array, reason));
    write_bytes("cut.bin", numbers, 23);
    ck_assert(!array_file_read(in_folder("cut.bin"), TYPE_FLOAT, 6, &array, reason));
    ck_assert_ptr_nonnull(strstr(reason, "it ends within an element"));
    ck_assert(!array_file_read(in_folder("none.bin"), TYPE_FLOAT, 6, &array, reason));
    ck_assert_ptr_nonnull(strstr(reason, "No such file"));
    ck_assert(!array_file_read(in_folder("."), TYPE_FLOAT, 6, &array, reason));
    ck_assert_ptr_nonnull(strstr(reason, "Is a directory"));
}
END_TEST

#define COUNT(array) (int)(sizeof(array) / sizeof(array)[0])

Suite *test_suite(void)
{
    Suite *suite = suite_create("kernel_build");
    TCase *scan = tcase_create("scan");
    tcase_add_loop_test(scan, finds_includes, 0, COUNT(includes));
    tcase_add_test(scan, strips_comments_and_strings);
    tcase_add_test(scan, takes_the_base_name);
    tcase_add_loop_test(scan, reads_parameters, 0, COUNT(kernels));
    tcase_add_test(scan, reads_ptx);
    suite_add_tcase(suite, scan);
    TCase *cache = tcase_create("cache");
    tcase_add_test(cache, keeps_what_was_written);
    tcase_add_test(cache, notices_damage);
    tcase_add_test(cache, says_why_it_can_not_write);
    tcase_add_test(cache, leaves_nothing_where_there_is_no_room);
    tcase_add_test(cache, serves_many_at_once);
    tcase_add_test(cache, finds_its_folder);
    suite_add_tcase(suite, cache);
    TCase *build = tcase_create("build");
    tcase_add_test(build, compiles_what_has_changed_only);
    tcase_add_test(build, follows_headers);
    tcase_add_test(build, compiles_anew_what_is_damaged);
    tcase_add_test(build, says_what_it_can_not_keep);
    tcase_add_test(build, says_where_the_error_is);
    tcase_add_test(build, says_what_is_wrong_with_an_entry);
    tcase_add_test(build, reads_what_ptxas_says);
    tcase_add_test(build, finds_kernels_in_a_binary);
    tcase_add_test(build, tells_spills_of_a_compiled_kernel);
    tcase_add_test(build, compiles_for_the_architecture);
    suite_add_tcase(suite, build);
    TCase *arrays = tcase_create("arrays");
    tcase_add_test(arrays, reads_arrays);
    tcase_add_loop_test(arrays, refuses_other_arrays, 0, COUNT(wrong_heads));
    tcase_add_test(arrays, refuses_cut_arrays);
    suite_add_tcase(suite, arrays);
    return suite;
}
