/* test_selection.c - which cases are run (benchmarks, where, sample of [gbrun]), and what settings
 * of the command line change. */
#include "tests/config/case_fixture.h"
#include "tests/text_case.h"

static const char three[] =
    "[policy tight]\nplugin = steady\n[policy few]\nplugin = fixed\nsamples = 3\n"
    "[bench gemm]\nplugin = matmul\nsweep.rows = 1, 2\nmax_time = 2 s\npolicy = tight\n"
    "[bench gemm_wide]\nlike = gemm\nlet.cols = rows * 100\n[bench nop]\nsweep.rounds = 1, 2\n";

#define GEMM "gemm rows=1\ngemm rows=2\n"
#define WIDE "gemm_wide rows=1\ngemm_wide rows=2\n"
#define NOP "nop rounds=1\nnop rounds=2\n"

/* Overrides have bars between them. */
static void add_selected(char *overrides, uint32_t with, struct text *out)
{
    const char *all[3];
    size_t n = 0;
    while (overrides)
        all[n++] = strsep(&overrides, "|");
    load_over(&loaded, three, all, n);
    add_outcome(&loaded, out);
    if (loaded.sweep) { /* a run that is resumed has the same cases */
        CLEANUP(text_free) struct text printed = {0};
        settings_print(loaded.settings, &printed);
        unload(&loaded);
        load(&loaded, text_get(&printed));
        expect_outcome(&loaded, text_get(out));
    }
    unload(&loaded);
}

static const struct text_cases selections[] = {
    {{add_selected, 0},
     {"gbrun.benchmarks=gemm -> " GEMM, "gbrun.benchmarks=gemm_*, nop -> " WIDE NOP,
      "gbrun.benchmarks= -> " GEMM WIDE NOP,
      "gbrun.benchmarks=gem -> 1:0: there is no [bench gem]; did you mean 'gemm'?\n",
      "gbrun.benchmarks=nop, z* -> 1:0: there is no [bench z*]: no name of a benchmark matches\n",
      "gbrun.benchmarks=elsewhere -> 1:0: there is no [bench elsewhere]: expected the name of a "
      "benchmark of the configuration, or a pattern such as 'gemm*'\n"}},
    /* Names of options are those of the benchmark; others of them are NULL. */
    {{add_selected, 0},
     {"gbrun.where=rows = 2 -> gemm rows=2\ngemm_wide rows=2\n",
      "gbrun.where=rows = 2 or rounds = 1 -> gemm rows=2\ngemm_wide rows=2\nnop rounds=1\n",
      "gbrun.where=rows is null and rounds > 1 -> nop rounds=2\n",
      "gbrun.where=cols > 100 -> gemm_wide rows=2\n",
      "gbrun.where=bench = 'nop' and \"rounds\" = 2 -> nop rounds=2\n",
      "gbrun.where=rwos = 2 -> 1:0: unknown name 'rwos'; did you mean 'rows'?\n",
      "gbrun.where=rows = -> 1:0: the expression ends too early\n",
      "gbrun.where=rows = 2|gbrun.benchmarks=gemm -> gemm rows=2\n",
      "gbrun.where=rows = 2|gbrun.benchmarks=nop -> 1:0: unknown name 'rows': expected an option "
      "or a variable, or a text in single quotes\n",
      "gbrun.where=rows = 9 -> "}},
    /* Patterns are for the sections that know the key. */
    {{add_selected, 0},
     {"*.sweep.rows=7 -> gemm rows=7\ngemm_wide rows=7\n" NOP,
      "gemm*.rows=7 -> gemm\ngemm_wide\n" NOP, "*.rounds=3 -> " GEMM WIDE "nop\n",
      "nop.sweep.rounds=1, 1 -> 1:0: 'sweep.rounds' has 1 twice\n",
      "*.rws=7 -> 1:0: '*.rws=7' has no effect: unknown key 'rws' in [bench gemm]; did you mean "
      "'rows'?\n",
      "*.zzzzzzzz=7 -> 1:0: '*.zzzzzzzz=7' has no effect: unknown key 'zzzzzzzz' in [bench gemm]: "
      "see 'gbrun help matmul' for its options\n",
      "x*.rows=7 -> 1:0: 'x*.rows=7': no section matches 'x*'\n",
      "policy *.precision=2%|gbrun.benchmarks=nop -> " NOP,
      "policy few.samples=4 -> 1:0: 'policy few.samples=4' has no effect: no benchmark that is run "
      "uses [policy few]\n",
      "policy f*.samples=4 -> 1:0: 'policy f*.samples=4' has no effect: no benchmark that is run "
      "uses [policy few]\n",
      "policy few.samples=4|nop.policy=few|gbrun.benchmarks=nop -> " NOP,
      "policy t*.samples=4 -> 1:0: 'policy t*.samples=4' has no effect: unknown key 'samples' in "
      "[policy tight]: see 'gbrun help steady' for its options\n"}},
    /* What changes nothing. */
    {{add_selected, 0},
     {"nop.isolate=yes|nop.isolate=no -> 1:0: 'nop.isolate=yes' has no effect: 'nop.isolate=no' "
      "takes its place\n",
      "nop.sweep.isolate=yes, no|*.isolate=no -> 1:0: 'nop.sweep.isolate=yes, no' has no effect: "
      "'*.isolate=no' takes its place\n",
      "gbrun.seed=1|gbrun.seed=2 -> 1:0: 'gbrun.seed=1' has no effect: 'gbrun.seed=2' takes its "
      "place\n",
      "nop.isolate=yes|gbrun.benchmarks=gemm -> 1:0: 'nop.isolate=yes' has no effect: [bench nop] "
      "is not among the benchmarks that are run\n",
      "gemm.problems=2|gbrun.benchmarks=gemm_wide -> " WIDE,
      "defaults.max_time=1 s|gbrun.benchmarks=gemm* -> 1:0: 'defaults.max_time=1 s' has no effect: "
      "every benchmark that is run has its own max_time, such as [bench gemm] by 'max_time'; -s "
      "'*.max_time=...' sets that of all\n",
      "defaults.max_time=1 s|gbrun.benchmarks=nop -> " NOP,
      "gbrun.rounds=4|gbrun.benchmarks=nop -> 1:0: 'gbrun.rounds=4' has no effect: every benchmark "
      "that is run has its own rounds, such as [bench nop] by 'sweep.rounds'; -s '*.rounds=...' "
      "sets that of all\n",
      "gemm.let.rows=3|gbrun.benchmarks=gemm -> 1:0: 'gemm.let.rows=3' has no effect: an axis "
      "gives 'rows' its values in [bench gemm]\n"}},
};

TEST_TEXT_CASES(selected, selections)

TEST(precision_of_all_policies)
{
    CLEANUP(text_free) struct text printed = {0};
    static const char *const overrides[] = {"policy *.precision=0.1", "defaults.policy=fixed"};
    load_over(&loaded,
              "[policy tight]\nplugin = steady\nprecision = 0.2\n[policy fixed]\nsamples = 3\n"
              "[bench nop]\npolicy = tight\n[bench other]\nplugin = nop\n",
              overrides, 2);
    ck_assert_str_eq(text_get(&loaded.words), "");
    settings_print(loaded.settings, &printed);
    ck_assert_ptr_nonnull(strstr(text_get(&printed),
                                 "[policy tight]\nplugin = steady  ; bench.ini:2\n"
                                 "precision = 0.1  ; -s\n"));
    ck_assert_ptr_nonnull(strstr(text_get(&printed), "[policy fixed]\nplugin = fixed  ; default\n"
                                                     "samples = 3  ; bench.ini:5\n\n"));
}

/* ---- samples ---- */

/* Of two benchmarks, one of which leaves some out; a seed gives the same sample in every version.
 */
static void add_sample(char *lines, uint32_t with, struct text *out)
{
    load(&loaded, arena_printf(&cases,
                               "[gbrun]\n%s\n[bench a]\nplugin = nop\nsweep.rounds = 1:3\n"
                               "[bench b]\nplugin = nop\nsweep.rounds = 4:9\nonly = rounds > 7\n",
                               lines));
    add_outcome(&loaded, out);
    for (char *end; (end = strchr(out->data, '\n'));)
        *end = ';';
    unload(&loaded);
}

static const struct text_cases samples[] = {
    {{add_sample, 0},
     {"sample = 5 -> a rounds=1;a rounds=2;a rounds=3;b rounds=8;b rounds=9;",
      "sample = 0 -> a rounds=1;a rounds=2;a rounds=3;b rounds=8;b rounds=9;",
      "sample = -1 -> 2:10: sample = -1 is out of range: expected 0:10000000;",
      "sample = 2\nseed = 1 -> a rounds=1;b rounds=9;",
      "sample = 2\nseed = 2 -> a rounds=2;b rounds=9;",
      "sample = 2\nseed = 3 -> a rounds=3;b rounds=9;",
      "sample = 4\nseed = 1 -> a rounds=1;a rounds=3;b rounds=8;b rounds=9;",
      "sample = 1\nseed = 4 -> a rounds=1;"}},
};

TEST_TEXT_CASES(samples_are_of_a_seed, samples)

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
    expect_text(&printed, "[gbrun ]\nseed = 1 (a.ini:2)\norder = shuffled (b.ini:6)\n"
                          "[bench nop]\nrounds = 2 (b.ini:2)\nisolate = yes "
                          "(a.ini:5)\n[bench more]\nplugin = nop (b.ini:4)\n");
}
