/* test_judgement.c - what gbrun judge makes of its command line, and of a comparison: sizes,
 * sections, the verdict of the whole. */
#include "core/cli/judge_request.h"
#include "core/compare/judgement.h"
#include "tests/check_main.h"
#include "tests/store/store_fixture.h"

/* In a folder of its own. */
static void begin(void)
{
    fixture_begin();
    ck_assert_int_eq(chdir(fixture_folder), 0);
}

TEST_FIXTURE(begin, fixture_end)

/* ---- sizes ---- */

static void add_list(const char *name, const struct judge_size_list *list, struct text *out)
{
    for (size_t i = 0; i < list->n; i++) {
        text_printf(out, "%s", name);
        for (size_t j = 0; j < list->items[i].n; j++)
            text_printf(out, " %s=%s", list->items[i].names[j], list->items[i].values[j]);
        text_add(out, "\n");
    }
}

static const struct {
    const char *file, *content, *expected; /* the shapes, or the error */
} files[] = {
    {"a.txt", "m=64 n=128\n", "size m=64 n=128\n"},
    {"a.txt", "# all\n\n m=1\tn=2 # one\nm=[1, 2] n='a b'", "size m=1 n=2\nsize m=[1, 2] n=a b\n"},
    {"a.txt", "m=true n=\"null\"\n", "size m=True n=None\n"},
    {"a.txt", "", "a.txt: contains no shape"},
    {"a.txt", "m=1\nm\n", "a.txt:2: 'm': expected NAME=VALUE"},
    {"a.txt", "m= n=2\n", "a.txt:1: 'm' has no value"},
    {"a.txt", "m-n=1\n", "a.txt:1: 'm-n': expected a name, as of a variable"},
    {"task.yml",
     "description: |\n  It's: tests:\n  - {\"a\": 1}\n"
     "tests:\n  # small\n  - {\"m\": 127, \"seed\": 4242}\n"
     "benchmarks:\n  - {\"m\": [96, 128], \"flag\": true, \"case\": \"dense\"} # x\n"
     "  - m: 5\n    n: 6\ntest_timeout: 180\n",
     "test m=127 seed=4242\nsize m=[96, 128] flag=True case=dense\nsize m=5 n=6\n"},
    {"task.yml", "benchmarks:\n- {m: 1,\n   n: 2}\n- {m: 3, n: {k: 4}}\nlang: py\n",
     "size m=1 n=2\nsize m=3 n={k: 4}\n"},
    {"task.yml", "benchmarks:\r\n- {m: 1}\r\n", "size m=1\n"},
    {"task.yml", "benchmarks:\n  - {\"m\": , \"n\": 1536}\n", "task.yml:2: 'm' has no value"},
    {"task.yml", "benchmarks:\n  - {m: 1}\n  - 64\n", "task.yml:3: '64': expected NAME:VALUE"},
    {"task.yml", "tests:\n  - {m: 1}\n", "task.yml: contains no shape"},
    {"task.yml", "benchmarks: [{m: 1}]\n",
     "task.yml:1: benchmarks: expected the items below it, such as - {\"m\": 64}"},
    {"no.yml", NULL, "no.yml cannot be read, or is larger than 1 MiB"},
};

TEST_EACH(sizes_are_read, files)
{
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(text_free) struct text text = {0};
    struct judge_sizes sizes;
    struct gb_error error;
    if (files[_i].content)
        fixture_write_file(files[_i].file, files[_i].content, strlen(files[_i].content));
    if (judge_sizes_read(files[_i].file, &arena, &sizes, &error) != GB_OK) {
        text_add(&text, error.text);
    } else {
        add_list("test", &sizes.tests, &text);
        add_list("size", &sizes.measured, &text);
    }
    ck_assert_str_eq(text_get(&text), files[_i].expected);
}

/* ---- sections ---- */

static const struct {
    const char *submission, *content, *expected; /* content: of task.yml; NULL: there is none */
} requests[] = {
    {"sub/fast.v2.py", NULL, "[fast]\nplugin=python\ncall=sub/fast.v2.py\nreference=ref.py\n"},
    {"a b.py:fast", "benchmarks:\n - {m: 1}\n - {m: 2}\n",
     "[a_b]\nplugin=python\ncall=a b.py:fast\nreference=ref.py\nzip.shape=m: 1 | 2\n"},
    {".py", "benchmarks:\n - {m: 1, seed: 7, side: 2, call: 3}\n",
     "[submission]\nplugin=python\ncall=.py\nreference=ref.py\n"
     "zip.shape=m, arg.seed, arg.side, arg.call: 1, 7, 2, 3\n"},
    {"s.py",
     "tests:\n - {m: 1}\nbenchmarks:\n - {m: \"[1, 2]\"}\n - {m: 1, n: a|b}\n - {m: 2, n: c}\n",
     "[s-tests]\nplugin=python\ncall=s.py\nreference=ref.py\nzip.shape=m: 1\n"
     "[s]\nplugin=python\ncall=s.py\nreference=ref.py\nzip.shape=m: \"[1, 2]\"\n"
     "[s@1]\nplugin=python\ncall=s.py\nreference=ref.py\nzip.shape=m, n: 1, \"a|b\" | 2, c\n"},
};

TEST_EACH(requests_become_sections, requests)
{
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(text_free) struct text text = {0};
    struct judge_request request = {.submission = requests[_i].submission, .reference = "ref.py"};
    struct gb_error error;
    if (requests[_i].content) {
        fixture_write_file("task.yml", requests[_i].content, strlen(requests[_i].content));
        ck_assert_int_eq(judge_sizes_read("task.yml", &arena, &request.sizes, &error), GB_OK);
    }
    const struct ini ini = judge_request_configure(&request, &arena);
    for (size_t i = 0; i < ini.n; i++) {
        ck_assert_str_eq(ini.sections[i].kind, "bench");
        text_printf(&text, "[%s]\n", ini.sections[i].name);
        for (size_t j = 0; j < ini.sections[i].n; j++)
            text_printf(&text, "%s=%s\n", ini.sections[i].entries[j].key,
                        ini.sections[i].entries[j].value);
    }
    ck_assert_str_eq(text_get(&text), requests[_i].expected);
}

/* ---- verdicts ---- */

enum { CASES_MOST = 3 };

/* A case of a comparison: how a round of the submission ended, and ln of the ratio. */
struct made {
    int status;
    const char *text;
    int verdict;
    double theta, half;
};

static const struct {
    struct made cases[CASES_MOST];
    size_t n;
    const char *expected; /* what JSON says first of the whole, and of its reason */
} wholes[] = {
    {{{CASE_OK, "", COMPARED_SLOWER, 0.1, 0.01}}, 1, "slower true -"},
    {{{CASE_OK, "", COMPARED_FASTER, -0.1, 0.01}}, 1, "faster true -"},
    {{{CASE_OK, "", COMPARED_SAME, 0.001, 0.005}}, 1, "same true -"},
    {{{CASE_OK, "", COMPARED_CHANGED, 0.006, 0.005}}, 1, "same true -"},
    {{{CASE_OK, "", COMPARED_UNCLEAR, 0.006, 0.1}}, 1, "unclear true -"},
    {{{CASE_OK, "", COMPARED_UNCLEAR, 0, INFINITY}}, 1, "unclear true -"},
    /* Shapes that are not decided alone are together. */
    {{{CASE_OK, "", COMPARED_UNCLEAR, 0.03, 0.031}, {CASE_OK, "", COMPARED_UNCLEAR, 0.03, 0.031}},
     2,
     "slower true -"},
    {{{CASE_OK, "", COMPARED_SLOWER, 0.5, 0.01}, {CASE_OK, "", COMPARED_FASTER, -0.8, 0.01}},
     2,
     "faster true -"},
    {{{CASE_OK, "", COMPARED_FASTER, -1, 0.01},
      {CASE_WRONG_RESULT, "rms", COMPARED_BROKEN, NAN, 0}},
     2,
     "wrong false wrong_result"},
    {{{CASE_CRASHED, "SIGSEGV", COMPARED_BROKEN, NAN, 0},
      {CASE_WRONG_RESULT, "rms", COMPARED_BROKEN, NAN, 0}},
     2,
     "wrong false wrong_result"},
    {{{CASE_CRASHED, "SIGSEGV", COMPARED_BROKEN, NAN, 0}, {CASE_OK, "", COMPARED_FASTER, -1, 0.01}},
     2,
     "failed false crashed"},
    {{{CASE_SKIPPED, "no GPU", COMPARED_SKIPPED, NAN, 0}}, 1, "failed false skipped"},
    {{{CASE_TIMED_OUT, "after 60 s", COMPARED_BROKEN, NAN, 0}}, 1, "failed false timed_out"},
};

static struct compare_case case_of(const struct outcome *const *outcome)
{
    return (struct compare_case){.rounds = (const struct outcome **)outcome,
                                 .n_rounds = 1,
                                 .first = *outcome,
                                 .label = "case"};
}

/* "faster true -" of an object in JSON. */
static void add_heads(const char *json, struct text *out)
{
    char verdict[32], right[32], code[32] = "-";
    const int n = sscanf(
        json, "{\"verdict\":\"%31[a-z]\",\"right\":%31[a-z],\"reason\":{\"code\":\"%31[a-z_]",
        verdict, right, code);
    ck_assert_int_ge(n, 2);
    text_printf(out, "%s %s %s", verdict, right, code);
}

TEST_EACH(the_whole_has_one_verdict, wholes)
{
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(text_free) struct text json = {0}, heads = {0};
    struct outcome outcomes[CASES_MOST], right = {.status_text = "", .bench = "b", .value = 100};
    const struct outcome *pointers[CASES_MOST], *base_pointer = &right;
    struct compare_case base = case_of(&base_pointer), cases[CASES_MOST];
    struct compared compared[CASES_MOST];
    const struct compare_options options = {.margin = 0.01, .confidence = 0.95};
    struct compare_against against = {.cases = compared, .n = wholes[_i].n};
    const struct compare_result result = {
        .options = &options, .metric = {.unit = "ns"}, .against = &against, .n_against = 1};
    const struct judgement_facts facts = {.seconds = 1};
    for (size_t i = 0; i < wholes[_i].n; i++) {
        const struct made *made = &wholes[_i].cases[i];
        outcomes[i] = (struct outcome){
            .status = made->status, .status_text = made->text, .bench = "b", .value = 100};
        pointers[i] = &outcomes[i];
        cases[i] = case_of(&pointers[i]);
        const bool is_ratio = made->status == CASE_OK;
        compared[i] = (struct compared){.label = "case",
                                        .base = &base,
                                        .new = &cases[i],
                                        .note = "",
                                        .result = {.theta = is_ratio ? made->theta : NAN,
                                                   .low = made->theta - made->half,
                                                   .high = made->theta + made->half,
                                                   .verdict = made->verdict}};
    }
    const struct judgement judgement = judgement_make(&result, &facts, &arena);
    judgement_write_json(&judgement, &json);
    add_heads(text_get(&json), &heads);
    ck_assert_str_eq(text_get(&heads), wholes[_i].expected);
}
