/* test_selection.c - which cases are run (benchmarks, where, sample of [gbrun]), and what settings
 * of the command line change. */
#include "tests/check_main.h"

#include "tests/config/settings_fixture.h"

enum { OVERRIDES_MAX = 3 };

static struct loaded loaded;

static void teardown(void)
{
    unload(&loaded);
    loaded = (struct loaded){0};
}

static void load_over(struct loaded *ret, const char *text, const char *const *overrides)
{
    size_t n = 0;
    while (n < OVERRIDES_MAX && overrides[n])
        n++;
    ini_read_text("bench.ini", text, strlen(text), &ret->arena, &ret->ini, &ret->errors);
    ini_override(&ret->ini, overrides, n, &ret->arena, &ret->errors);
    settings_parse(&ret->ini, "/conf", &ret->arena, &ret->settings, &ret->errors);
    settings_resolve(ret->settings, &fixture_catalogue, &ret->errors);
    if (error_list_empty(&ret->errors))
        sweep_new(ret->settings, &ret->sweep, &ret->errors);
    note_words(ret);
}

/* Labels of the cases, one a line; or the errors. */
static void add_outcome(struct loaded *from, struct text *out)
{
    text_add(out, text_get(&from->words));
    for (uint64_t i = 0; from->sweep && i < sweep_size(from->sweep); i++) {
        struct arena arena = {0};
        struct bench_case made;
        ck_assert_int_eq(sweep_case(from->sweep, i, &arena, &made, NULL), GB_OK);
        bench_case_label(&made, out);
        text_add(out, "\n");
        arena_free(&arena);
    }
}

#define THREE                                                                                      \
    "[policy tight]\n"                                                                             \
    "plugin = steady\n"                                                                            \
    "[policy few]\n"                                                                               \
    "plugin = fixed\n"                                                                             \
    "samples = 3\n"                                                                                \
    "[bench gemm]\n"                                                                               \
    "plugin = matmul\n"                                                                            \
    "sweep.rows = 1, 2\n"                                                                          \
    "max_time = 2 s\n"                                                                             \
    "policy = tight\n"                                                                             \
    "[bench gemm_wide]\n"                                                                          \
    "like = gemm\n"                                                                                \
    "let.cols = rows * 100\n"                                                                      \
    "[bench nop]\n"                                                                                \
    "sweep.rounds = 1, 2\n"

static const struct {
    const char *overrides[OVERRIDES_MAX];
    const char *outcome;
} selections[] = {
    {{"gbrun.benchmarks=gemm"}, "gemm rows=1\ngemm rows=2\n"},
    {{"gbrun.benchmarks=gemm_*, nop"},
     "gemm_wide rows=1\ngemm_wide rows=2\nnop rounds=1\nnop rounds=2\n"},
    {{"gbrun.benchmarks="},
     "gemm rows=1\ngemm rows=2\ngemm_wide rows=1\ngemm_wide rows=2\nnop rounds=1\nnop rounds=2\n"},
    {{"gbrun.benchmarks=gem"}, "1:0: there is no [bench gem]; did you mean 'gemm'?\n"},
    {{"gbrun.benchmarks=nop, z*"}, "1:0: there is no [bench z*]: no name of a benchmark matches\n"},
    {{"gbrun.benchmarks=elsewhere"},
     "1:0: there is no [bench elsewhere]: expected the name of a benchmark of the configuration, "
     "or "
     "a pattern such as 'gemm*'\n"},
    /* Names of options are those of the benchmark; others of them are NULL. */
    {{"gbrun.where=rows = 2"}, "gemm rows=2\ngemm_wide rows=2\n"},
    {{"gbrun.where=rows = 2 or rounds = 1"},
     "gemm rows=1\ngemm rows=2\ngemm_wide rows=1\ngemm_wide rows=2\nnop rounds=1\n"},
    {{"gbrun.where=rows is null and rounds > 1"}, "nop rounds=2\n"},
    {{"gbrun.where=cols > 100"}, "gemm_wide rows=2\n"},
    {{"gbrun.where=bench = 'nop' and \"rounds\" = 2"}, "nop rounds=2\n"},
    {{"gbrun.where=rwos = 2"}, "1:0: unknown name 'rwos'; did you mean 'rows'?\n"},
    {{"gbrun.where=rows ="}, "1:0: the expression ends too early\n"},
    {{"gbrun.where=rows = 2", "gbrun.benchmarks=gemm"}, "gemm rows=2\n"},
    {{"gbrun.where=rows = 2", "gbrun.benchmarks=nop"},
     "1:0: unknown name 'rows': expected an option or a variable, or a text in single quotes\n"},
    {{"gbrun.where=rows = 9"}, ""},
    /* Patterns are for the sections that know the key. */
    {{"*.sweep.rows=7"}, "gemm rows=7\ngemm_wide rows=7\nnop rounds=1\nnop rounds=2\n"},
    {{"gemm*.rows=7"}, "gemm\ngemm_wide\nnop rounds=1\nnop rounds=2\n"},
    {{"*.rounds=3"}, "gemm rows=1\ngemm rows=2\ngemm_wide rows=1\ngemm_wide rows=2\nnop\n"},
    {{"*.rws=7"},
     "1:0: '*.rws=7' has no effect: unknown key 'rws' in [bench gemm]; did you mean 'rows'?\n"},
    {{"*.zzzzzzzz=7"},
     "1:0: '*.zzzzzzzz=7' has no effect: unknown key 'zzzzzzzz' in [bench gemm]: see 'gbrun help "
     "matmul' for its options\n"},
    {{"x*.rows=7"}, "1:0: 'x*.rows=7': there is no section that 'x*' matches\n"},
    {{"policy *.precision=2%", "gbrun.benchmarks=nop"}, "nop rounds=1\nnop rounds=2\n"},
    {{"policy few.samples=4"},
     "1:0: 'policy few.samples=4' has no effect: no benchmark that is run uses [policy few]\n"},
    {{"policy f*.samples=4"},
     "1:0: 'policy f*.samples=4' has no effect: no benchmark that is run uses [policy few]\n"},
    {{"policy few.samples=4", "nop.policy=few", "gbrun.benchmarks=nop"},
     "nop rounds=1\nnop rounds=2\n"},
    {{"policy t*.samples=4"},
     "1:0: 'policy t*.samples=4' has no effect: unknown key 'samples' in [policy tight]: see "
     "'gbrun "
     "help steady' for its options\n"},
    /* What changes nothing. */
    {{"nop.isolate=yes", "nop.isolate=no"},
     "1:0: 'nop.isolate=yes' has no effect: 'nop.isolate=no' takes its place\n"},
    {{"nop.sweep.isolate=yes, no", "*.isolate=no"},
     "1:0: 'nop.sweep.isolate=yes, no' has no effect: '*.isolate=no' takes its place\n"},
    {{"gbrun.seed=1", "gbrun.seed=2"},
     "1:0: 'gbrun.seed=1' has no effect: 'gbrun.seed=2' takes its place\n"},
    {{"nop.isolate=yes", "gbrun.benchmarks=gemm"},
     "1:0: 'nop.isolate=yes' has no effect: [bench nop] is not among the benchmarks that are "
     "run\n"},
    {{"gemm.problems=2", "gbrun.benchmarks=gemm_wide"}, "gemm_wide rows=1\ngemm_wide rows=2\n"},
    {{"defaults.max_time=1 s", "gbrun.benchmarks=gemm*"},
     "1:0: 'defaults.max_time=1 s' has no effect: every benchmark that is run has its own "
     "max_time, "
     "such as [bench gemm] by 'max_time'; -s '*.max_time=...' sets that of all\n"},
    {{"defaults.max_time=1 s", "gbrun.benchmarks=nop"}, "nop rounds=1\nnop rounds=2\n"},
    {{"gbrun.rounds=4", "gbrun.benchmarks=nop"},
     "1:0: 'gbrun.rounds=4' has no effect: every benchmark that is run has its own rounds, such as "
     "[bench nop] by 'sweep.rounds'; -s '*.rounds=...' sets that of all\n"},
    {{"gemm.let.rows=3", "gbrun.benchmarks=gemm"},
     "1:0: 'gemm.let.rows=3' has no effect: an axis gives 'rows' its values in [bench gemm]\n"},
};

TEST_FIXTURE(NULL, teardown)

TEST_EACH(selected, selections)
{
    struct text outcome = {0}, printed = {0}, again_outcome = {0};
    load_over(&loaded, THREE, selections[_i].overrides);
    add_outcome(&loaded, &outcome);
    ck_assert_str_eq(text_get(&outcome), selections[_i].outcome);
    if (loaded.sweep) { /* a run that is resumed has the same cases */
        struct loaded again = {0};
        static const char *const none[OVERRIDES_MAX];
        settings_print(loaded.settings, &printed);
        load_over(&again, text_get(&printed), none);
        add_outcome(&again, &again_outcome);
        ck_assert_str_eq(text_get(&again_outcome), selections[_i].outcome);
        unload(&again);
    }
    text_free(&outcome);
    text_free(&printed);
    text_free(&again_outcome);
}

TEST(precision_of_all_policies)
{
    struct text printed = {0};
    static const char *const overrides[OVERRIDES_MAX] = {"policy *.precision=0.25",
                                                         "defaults.policy=fixed"};
    static const char text[] = "[policy tight]\nplugin = steady\nprecision = 0.5\n"
                               "[policy fixed]\nsamples = 3\n[bench nop]\npolicy = tight\n"
                               "[bench other]\nplugin = nop\n";
    load_over(&loaded, text, overrides);
    ck_assert_str_eq(text_get(&loaded.words), "");
    settings_print(loaded.settings, &printed);
    ck_assert_ptr_nonnull(strstr(text_get(&printed), "[policy tight]\n"
                                                     "plugin = steady  ; bench.ini:2\n"
                                                     "precision = 0.25  ; -s\n"));
    ck_assert_ptr_nonnull(strstr(text_get(&printed), "[policy fixed]\n"
                                                     "plugin = fixed  ; default\n"
                                                     "samples = 3  ; bench.ini:5\n\n"));
    text_free(&printed);
}

/* ---- samples ---- */

/* Which of the five cases are in a sample of two, as bits. */
static unsigned sample_of_two(int seed)
{
    struct loaded at = {0};
    struct text text = {0}, labels = {0};
    unsigned bits = 0;
    static const char *const none[OVERRIDES_MAX];
    text_printf(&text,
                "[gbrun]\nsample = 2\nseed = %d\n[bench a]\nplugin = nop\nsweep.rounds = 1:3\n"
                "[bench b]\nplugin = nop\nsweep.rounds = 4:9\nonly = rounds > 7\n",
                seed);
    load_over(&at, text_get(&text), none);
    add_outcome(&at, &labels);
    for (const char *digit = text_get(&labels); (digit = strchr(digit, '=')); digit++)
        bits |= 1U << (digit[1] - '0');
    ck_assert_uint_eq(sweep_size(at.sweep), 2);
    unload(&at);
    text_free(&text);
    text_free(&labels);
    return bits;
}

/* Each of the 10 pairs is as likely as any other: 60 of 600 seeds on average, with a standard
 * deviation of 7.3. */
TEST(samples_are_equally_likely)
{
    enum { SEEDS = 600, LEAST = 60 - 30, MOST = 60 + 30, CASES = 1024 };
    int counts[CASES] = {0}, n_pairs = 0;
    for (int seed = 0; seed < SEEDS; seed++)
        counts[sample_of_two(seed)]++;
    for (int pair = 0; pair < CASES; pair++)
        if (counts[pair]) {
            ck_assert_msg(counts[pair] >= LEAST && counts[pair] <= MOST, "%x: %d times",
                          (unsigned)pair, counts[pair]);
            n_pairs++;
        }
    ck_assert_int_eq(n_pairs, 10);
}

TEST_TIMES(samples, 3)
{
    static const struct {
        const char *sample, *labels;
    } rows[] = {{"gbrun.sample=5", "nop rounds=1\nnop rounds=2\nnop rounds=3\nnop rounds=4\n"},
                {"gbrun.sample=0", "nop rounds=1\nnop rounds=2\nnop rounds=3\nnop rounds=4\n"},
                {"gbrun.sample=-1", "1:0: sample = -1 is out of range: expected 0:\n"}};
    const char *const overrides[OVERRIDES_MAX] = {rows[_i].sample};
    struct text outcome = {0};
    load_over(&loaded, "[bench nop]\nsweep.rounds = 1:4\n", overrides);
    add_outcome(&loaded, &outcome);
    ck_assert_str_eq(text_get(&outcome), rows[_i].labels);
    text_free(&outcome);
}

/* ---- several files ---- */

TEST(merged_files)
{
    static const char first[] =
        "[gbrun]\nseed = 1\n[bench nop]\nsweep.rounds = 1:3\nisolate = yes\n";
    static const char second[] = "[bench nop]\nrounds = 2\n[bench more]\nplugin = nop\n[gbrun]\n"
                                 "order = shuffled\n";
    struct text printed = {0};
    struct ini later;
    ini_read_text("a.ini", first, strlen(first), &loaded.arena, &loaded.ini, &loaded.errors);
    ini_read_text("b.ini", second, strlen(second), &loaded.arena, &later, &loaded.errors);
    ini_merge(&loaded.ini, &later, &loaded.arena);
    for (size_t i = 0; i < loaded.ini.n; i++) {
        const struct ini_section *section = &loaded.ini.sections[i];
        text_printf(&printed, "[%s %s]\n", section->kind, section->name);
        for (size_t j = 0; j < section->n; j++)
            text_printf(&printed, "%s = %s (%s:%u)\n", section->entries[j].key,
                        section->entries[j].value, section->entries[j].origin.file,
                        section->entries[j].origin.line);
    }
    ck_assert_str_eq(text_get(&printed),
                     "[gbrun ]\nseed = 1 (a.ini:2)\norder = shuffled (b.ini:6)\n"
                     "[bench nop]\nrounds = 2 (b.ini:2)\nisolate = yes "
                     "(a.ini:5)\n[bench more]\nplugin = nop (b.ini:4)\n");
    text_free(&printed);
}
