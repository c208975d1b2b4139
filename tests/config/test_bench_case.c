/* test_bench_case.c - identities and labels of cases, and the table of common settings. */
#include "tests/config/case_fixture.h"

/* The identity of the first case of a configuration, on a device model. */
static void uid_on(const char *text, const char *model, char ret[CASE_UID_TEXT])
{
    load(&loaded, text);
    struct bench_case made = case_of(&loaded, 0);
    bench_case_uid(&made, model, ret);
    forget();
}

/* The identity is kept in files: it may not change from one version to the next. */
TEST(uid_is_stable)
{
    char uid[CASE_UID_TEXT];
    uid_on("[bench nop]\n", "Model X", uid);
    ck_assert_str_eq(uid, "7b162c1ea76e3123667f26ac28fed167");
    uid_on(MATMUL "define.N = 2\nenv.A = 1\ncores = 1,2\n", "Model X", uid);
    ck_assert_str_eq(uid, "63cf38cfba047665ce788a1709616ca9");
}

/* Those of a row are of one identity, which differs from that of other rows: the values in a text
 * belong to it, the names of variables do not. */
static const char *const identities[][16] = {
    {MATMUL, "[bench other_name]\nplugin = matmul\n", "[bench matmul]\n", MATMUL "rows = 32\n",
     MATMUL "rows = 2^5\ncols = 16\nsize = 1024 KiB\npause = 1000 us\nscale = 100%\n",
     MATMUL "cols = 16\nrows = 32\n", MATMUL "sweep.rows = 32, 64\n",
     MATMUL "let.rows = cols * 2\nlet.unused = 7\n", MATMUL "threads = 8\n",
     MATMUL "policy = precise\n[policy precise]\nplugin = steady\n",
     MATMUL "device = cuda\nwarmup = 1 s\nmax_samples = 100\nrounds = 3\nisolate = yes\n",
     "[gbrun]\nseed = 5\n[defaults]\ncheck.abs = 1\n[bench first]\nlike = b\n" MATMUL,
     MATMUL "cache = warm\nclock = auto\niterations = auto\n"},
    {TEXTS "title = {n}\nsweep.n = 2\n", TEXTS "title = {m}\nsweep.m = 2\n", TEXTS "title = 2\n"},
    {TEXTS "title = {n}\nsweep.n = 3\n"},
    {"[bench nop]\n"},
    {MATMUL "rows = 33\n"},
    {MATMUL "rows = 16\ncols = 32\n"},
    {MATMUL "dtype = fp16\n"},
    {MATMUL "label = x\n"},
    {MATMUL "cores = 1,2\n"},
    {MATMUL "cores = 12\n"},
    {MATMUL "define.A = 1\n"},
    {MATMUL "define.A1 =\n"},
    {MATMUL "env.A = 1\n"},
    {MATMUL "env.A1 =\n"},
    {MATMUL "env.A = 1\nenv.B = 2\n"},
    {MATMUL "cache = cold\n"},
    {MATMUL "clock = wall\n"},
    {MATMUL "launch = graph\n"},
    {MATMUL "pace = burst\n"},
    {MATMUL "pace = sustained\n"},
    {MATMUL "iterations = 4\n"},
};
enum { N_IDENTITIES = sizeof identities / sizeof *identities };

TEST(identity)
{
    char uids[N_IDENTITIES + 2][CASE_UID_TEXT], again[CASE_UID_TEXT];
    for (size_t i = 0; i < N_IDENTITIES; i++) {
        uid_on(identities[i][0], "M", uids[i]);
        for (const char *const *text = identities[i]; *text; text++) {
            uid_on(*text, "M", again);
            ck_assert_msg(text_equal(uids[i], again), "%s", *text);
        }
    }
    uid_on(MATMUL, "N", uids[N_IDENTITIES]);
    uid_on(MATMUL, NULL, uids[N_IDENTITIES + 1]);
    for (size_t i = 0; i < N_IDENTITIES + 2; i++) {
        ck_assert_uint_eq(strlen(uids[i]), 32);
        ck_assert_uint_eq(strspn(uids[i], "0123456789abcdef"), 32);
        for (size_t j = 0; j < i; j++)
            ck_assert_msg(!text_equal(uids[i], uids[j]), "%d and %d", (int)i, (int)j);
    }
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

TEST(tables_of_settings)
{
    struct bench_case made = {0};
    struct gb_error error = {0};
    struct text found = {0};
    const struct option_table common = without_dots(&cases), run = run_options();
    ck_assert_msg(option_table_check(common, sizeof made.common, NULL, 0, &error) == GB_OK &&
                      option_table_check(run, sizeof(struct run_params), NULL, 0, &error) == GB_OK,
                  "%s", error.text);
    ck_assert_msg(option_fill(common_options(), NULL, 0, &made.common, sizeof made.common, &cases,
                              &error) == GB_OK,
                  "%s", error.text);
    add_facts(&made, "common", &found);
    expect_text(&found,
                " cache:0 isolate:2 clock:auto rounds:0 iterations:0 warmup_ns:0 min_samples:0"
                " max_samples:0 max_time_ns:1.5e+10 time_limit_ns:6e+10 check_floor:0.001"
                " check_safety:0 check_bound_kind:0 check_allow_overflow:0 check_dump:"
                " check_dump_always:0");
    ck_assert_str_eq(cache_word(GB_CACHE_WARM), "warm");
    ck_assert_str_eq(cache_word(GB_CACHE_COLD), "cold");
}
