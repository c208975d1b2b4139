/* test_bench_case.c - identities and labels of cases, and the table of common settings. */
#include "tests/check_main.h"

#include "tests/config/settings_fixture.h"

/* The identity of the first case of a configuration, on a device model. */
static void uid_on(const char *text, const char *model, char ret[CASE_UID_TEXT])
{
    struct loaded loaded = {0};
    struct arena arena = {0};
    struct bench_case made = {0};
    struct gb_error error = {0};
    load(&loaded, text);
    ck_assert_msg(loaded.sweep, "%s", text_get(&loaded.words));
    ck_assert_msg(sweep_case(loaded.sweep, 0, &arena, &made, &error) == GB_OK, "%s", error.text);
    bench_case_uid(&made, model, ret);
    arena_free(&arena);
    unload(&loaded);
}

#define MATMUL "[bench b]\nplugin = matmul\n"

/* The identity is kept in files: it may not change from one version to the next. */
TEST(uid_is_stable)
{
    char uid[CASE_UID_TEXT];
    uid_on("[bench nop]\n", "Model X", uid);
    ck_assert_str_eq(uid, "7b162c1ea76e3123667f26ac28fed167");
    uid_on(MATMUL "define.N = 2\nenv.A = 1\ncores = 1,2\n", "Model X", uid);
    ck_assert_str_eq(uid, "63cf38cfba047665ce788a1709616ca9");
}

static const char *const same[] = {
    MATMUL,
    "[bench other_name]\nplugin = matmul\n",
    "[bench matmul]\n",
    MATMUL "rows = 32\n",
    MATMUL "rows = 2^5\ncols = 16\nsize = 1024 KiB\npause = 1000 us\nscale = 100%\n",
    MATMUL "cols = 16\nrows = 32\n",
    MATMUL "sweep.rows = 32, 64\n",
    MATMUL "let.rows = cols * 2\nlet.unused = 7\n",
    MATMUL "threads = 8\n",
    MATMUL "policy = precise\n[policy precise]\nplugin = steady\n",
    MATMUL "device = cuda\nwarmup = 1 s\nmax_samples = 100\nrounds = 3\nisolate = yes\n",
    "[gbrun]\nseed = 5\n[defaults]\ncheck.abs = 1\n[bench first]\nlike = b\n" MATMUL,
    MATMUL "cache = warm\nclock = auto\niterations = auto\n",
};

TEST_EACH(uid_same, same)
{
    char uid[CASE_UID_TEXT], reference[CASE_UID_TEXT];
    uid_on(same[0], "M", reference);
    uid_on(same[_i], "M", uid);
    ck_assert_str_eq(uid, reference);
    ck_assert_uint_eq(strlen(uid), 32);
    ck_assert_uint_eq(strspn(uid, "0123456789abcdef"), 32);
}

static const char *const different[] = {
    MATMUL,
    "[bench nop]\n",
    MATMUL "rows = 33\n",
    MATMUL "rows = 16\ncols = 32\n",
    MATMUL "dtype = fp16\n",
    MATMUL "label = x\n",
    MATMUL "cores = 1,2\n",
    MATMUL "cores = 12\n",
    MATMUL "define.A = 1\n",
    MATMUL "define.A1 =\n",
    MATMUL "env.A = 1\n",
    MATMUL "env.A1 =\n",
    MATMUL "env.A = 1\nenv.B = 2\n",
    MATMUL "cache = cold\n",
    MATMUL "clock = wall\n",
    MATMUL "launch = graph\n",
    MATMUL "pace = burst\n",
    MATMUL "pace = sustained\n",
    MATMUL "iterations = 4\n",
};
enum { N_DIFFERENT = sizeof different / sizeof different[0] };

TEST(uid_different)
{
    char uids[N_DIFFERENT + 2][CASE_UID_TEXT];
    for (size_t i = 0; i < N_DIFFERENT; i++)
        uid_on(different[i], "M", uids[i]);
    uid_on(MATMUL, "N", uids[N_DIFFERENT]);
    uid_on(MATMUL, NULL, uids[N_DIFFERENT + 1]);
    for (size_t i = 0; i < N_DIFFERENT + 2; i++)
        for (size_t j = 0; j < i; j++)
            ck_assert_msg(!text_equal(uids[i], uids[j]), "%d and %d", (int)i, (int)j);
}

TEST(label)
{
    struct parameter parameters[] = {
        {.name = "rows", .value.text = "32", .is_axis = true},
        {.name = "cols", .value.text = "16"},
        {.name = "label", .value.text = "a b", .is_axis = true},
        {.name = "empty", .value.text = "", .is_axis = true},
    };
    struct bench_case made = {.bench = "streams", .parameters = parameters, .n_parameters = 4};
    struct text out = {0};
    text_add(&out, "case ");
    bench_case_label(&made, &out);
    ck_assert_str_eq(text_get(&out), "case streams rows=32 label=\"a b\" empty=\"\"");
    text_free(&out);
}

/* Keys such as check.floor have a dot, so that no plugin's option can be one of them. */
static struct option_table without_dots(struct arena *arena)
{
    struct option_table table = common_options();
    struct gb_option *options = ARENA_ARRAY(arena, struct gb_option, table.n);
    for (uint32_t i = 0; i < table.n; i++) {
        options[i] = *option_at(table, i);
        char *name = arena_text_n(arena, options[i].name, strlen(options[i].name));
        if (text_starts_with(name, "check."))
            name[strlen("check")] = '_';
        options[i].name = name;
    }
    return (struct option_table){options, table.n};
}

TEST(common_table)
{
    struct arena arena = {0};
    struct common_params common;
    struct gb_error error = {0};
    ck_assert_msg(option_table_check(without_dots(&arena), sizeof common, NULL, 0, &error) == GB_OK,
                  "%s", error.text);
    ck_assert_msg(option_fill(common_options(), NULL, 0, &common, sizeof common, &arena, &error) ==
                      GB_OK,
                  "%s", error.text);
    ck_assert_int_eq(common.cache, GB_CACHE_WARM);
    ck_assert_int_eq(common.isolate, 0);
    ck_assert_str_eq(common.clock, "auto");
    ck_assert_int_eq(common.iterations, 0);
    ck_assert_double_eq(common.warmup_ns, 0);
    ck_assert_int_eq(common.min_samples, 0);
    ck_assert_int_eq(common.max_samples, 0);
    ck_assert_double_eq(common.max_time_ns, 15e9);
    ck_assert_double_eq(common.time_limit_ns, 60e9);
    ck_assert_int_eq(common.rounds, 1);
    ck_assert_double_eq(common.check_floor, 1e-3);
    ck_assert_double_eq(common.check_safety, 0);
    ck_assert_int_eq(common.check_bound_kind, GB_BOUND_AUTO);
    ck_assert_int_eq(common.check_allow_overflow, 0);
    ck_assert_str_eq(common.check_dump, "");
    ck_assert_int_eq(common.check_dump_always, 0);
    ck_assert_str_eq(cache_word(GB_CACHE_WARM), "warm");
    ck_assert_str_eq(cache_word(GB_CACHE_COLD), "cold");
    arena_free(&arena);
}

TEST(run_table)
{
    struct gb_error error = {0};
    ck_assert_msg(option_table_check(run_options(), sizeof(struct run_params), NULL, 0, &error) ==
                      GB_OK,
                  "%s", error.text);
}
