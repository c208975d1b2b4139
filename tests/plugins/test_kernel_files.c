/* test_kernel_files.c - what `kernel` reads of files: sources, PTX, logs of ptxas, arrays. */
#include "plugins/bench_kernel/build.h"
#include "plugins/bench_kernel/files.h"
#include "plugins/bench_kernel/scan.h"
#include "tests/plugins/files.h"
#include "tests/text_case.h"

static char reason[2048];

/* --- scan --- */

/* Names with blanks between; ? behind those that are computed. */
static void add_includes(char *text, uint32_t with, struct text *out)
{
    const char *at = text;
    struct scan_include include;
    (void)with;
    while (scan_next_include(&at, &include))
        text_printf(out, "%.*s%s ", (int)include.n, include.name, include.is_computed ? "?" : "");
}

static void add_base_name(char *expression, uint32_t with, struct text *out)
{
    size_t n = 9;
    const char *name = scan_base_name(expression, &n);
    (void)with;
    text_add_n(out, name, n);
}

static const struct text_cases scans[] = {
    {{add_includes, 0},
     {"#include \"a.h\"\n  #  include <b/c.h>\n -> a.h b/c.h ",
      "/* x */ #include \"a.h\" // #include \"b.h\"\n -> a.h b.h ",
      "#include HEADER\n#include \"a.h\" -> ? a.h ", "#included \"a.h\"\n# define include\n# -> ",
      "#include \"open\n#include \"a.h\" -> a.h ", "no includes here -> ",
      "#include/* why */\"a.h\"\n# /* */ include \\\n <b.h> -> a.h b.h ",
      "#include_next <a.h> -> a.h? ",
      "#if __has_include(\"a.h\") && ! __has_include ( <b.h>) -> a.h b.h ",
      "#if __has_include(NAME) || __has_include_next(<b.h>) -> ? b.h? ",
      "#ifdef __has_include\n#if defined(__has_include) || my__has_include(\"a.h\") -> "}},
    {{add_base_name, 0},
     {"scale -> scale", " my :: scale < float , other<int> >  -> scale", "::scale<4> -> scale",
      "&scale -> ", "(void (*)(int))scale -> ", "scale(int) -> ", " -> "}},
};
TEST_TEXT_CASES(names_are_found, scans)

TEST(lists_kernels)
{
    char list[SCAN_LIST_BYTES], *many = calloc(1, 20000);
    scan_list("template <int N> __global__ void __launch_bounds__(N * 2) a(int *x) {}\n"
              "__global__ void a(int x); extern __global__ void b (int y) { __global__x(); }"
              "KERNEL(c) __global__ void *",
              list);
    ck_assert_str_eq(list, "a, b");
    scan_list("void a(int);", list);
    ck_assert_str_eq(list, "");
    scan_list_ptx(".visible .entry _Z1f(\n.param .u64 x)\n{}.entry g\n{}", list);
    ck_assert_str_eq(list, "_Z1f, g");
    for (int i = 0; i < 500; i++)
        snprintf(many + strlen(many), 40, ".entry kernel%d(){}", i);
    scan_list_ptx(many, list);
    ck_assert_ptr_nonnull(strstr(list, "kernel1, kernel2"));
    ck_assert_str_eq(list + strlen(list) - 5, ", ...");
    free(many);
}

TEST(reads_ptx)
{
    static const char text[] =
        ".version 7.0\n.visible .entry scale(\n\t.param .u64 .ptr .align 1 a,\n"
        "\t.param .f32 b,\n\t.param .align 4 .b8 c[12],\n.param .u64 d, .param .s16 e\n)\n{ ret; "
        "}\n"
        ".visible .entry none()\n{ ret; }\n.entry open(.param .u32 a";
    static const struct scan_parameter wanted[] = {{SCAN_POINTER, 8},
                                                   {SCAN_FLOAT, 4},
                                                   {SCAN_UNKNOWN, 12},
                                                   {SCAN_UNKNOWN, 8},
                                                   {SCAN_INTEGER, 2}};
    struct scan_kernel kernel;
    ck_assert(scan_ptx(text, "scale", &kernel));
    ck_assert_uint_eq(kernel.line, 2);
    ck_assert_uint_eq(kernel.n, 5);
    for (size_t i = 0; i < kernel.n; i++) {
        ck_assert_uint_eq(kernel.parameters[i].bytes, wanted[i].bytes);
        ck_assert_int_eq(kernel.parameters[i].kind, wanted[i].kind);
    }
    ck_assert(scan_ptx(text, "none", &kernel));
    ck_assert_uint_eq(kernel.n, 0);
    ck_assert(!scan_ptx(text, "scal", &kernel));
    ck_assert(!scan_ptx(text, "open", &kernel));
    ck_assert(!scan_ptx("", "scale", &kernel));
}

TEST(reads_what_ptxas_says)
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

static struct array_file array;

static bool reads(const char *name, enum type_id type, uint64_t n)
{
    return array_file_read(in_folder(name), type, n, &array, reason);
}

static void expect_array(const char *name, enum type_id type, uint64_t n, enum type_id element)
{
    ck_assert_msg(reads(name, type, n), "%s", reason);
    ck_assert_int_eq(array.element, element);
    ck_assert_mem_eq(array.elements, numbers, sizeof numbers);
    array_file_free(&array);
}

TEST(reads_arrays)
{
    write_bytes("a.bin", numbers, sizeof numbers);
    write_npy("a.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", numbers,
              sizeof numbers);
    write_npy("b.npy", "{'descr': '<u2', 'fortran_order': False, 'shape': (12,), }\n", numbers,
              sizeof numbers);
    expect_array("a.bin", TYPE_FLOAT, 6, TYPE_FLOAT);
    expect_array("a.npy", TYPE_DOUBLE, 6, TYPE_FLOAT);
    expect_array("b.npy", TYPE_BF16, 12, TYPE_BF16);
}

static const struct {
    const char *head, *words;
} wrong_heads[] = {
    {"{'descr': '>f4', 'fortran_order': False, 'shape': (6,), }", "unsupported type of elements"},
    {"{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }", "unsupported type of elements"},
    {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,), }",
     "unsupported type of elements"},
    {"{'descr': '<f4', 'fortran_order': True, 'shape': (6,), }", "Fortran order"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (7,), }", "more or fewer bytes"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", "its shape"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (6", "its shape"},
    {"{'descr': '<f4', 'fortran_order': False, }", "its shape"},
    {"{'descr': '<i4', 'fortran_order': False, 'shape': (3, 2), }", NULL},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (6,), } ", "it has 6 elements: expected 5"},
    {"", "unsupported type of elements"},
};

TEST_EACH(refuses_other_arrays, wrong_heads)
{
    write_npy("c.npy", wrong_heads[_i].head, numbers, sizeof numbers);
    const char *words = wrong_heads[_i].words;
    const uint64_t n = words != NULL && strstr(words, "expected 5") != NULL ? 5 : 6;
    const bool is_read = reads("c.npy", TYPE_FLOAT, n);
    ck_assert_msg(is_read == (words == NULL), "%s", reason);
    if (words != NULL)
        ck_assert_msg(strstr(reason, words) != NULL, "%s", reason);
    array_file_free(&array);
}

TEST(refuses_cut_arrays)
{
    static const char *const files[][2] = {{"head.npy", "truncated: it ends within its header"},
                                           {"magic.npy", ""},
                                           {"cut.bin", "truncated: it ends within an element"},
                                           {"none.bin", "No such file"},
                                           {".", "Is a directory"}};
    write_bytes("head.npy", "\x93NUMPY\1\0\xff\xff", 10);
    write_bytes("magic.npy", "\x93NUMPY", 6);
    write_bytes("cut.bin", numbers, 23);
    for (size_t i = 0; i < N_OF(files); i++) {
        ck_assert(!reads(files[i][0], TYPE_FLOAT, 6));
        ck_assert_msg(strstr(reason, files[i][1]) != NULL, "%s: %s", files[i][0], reason);
    }
}
