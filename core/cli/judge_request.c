/* judge_request.c - see judge_request.h. */
#include "core/cli/judge_request.h"

#include "core/base/host_clock.h"
#include "core/cli/ab.h"
#include "core/compare/judgement.h"
#include "core/config/bench_case.h"
#include "core/config/value.h"
#include "core/run/sandbox.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* After the name of the benchmark, in that of the cases that are only to be right. */
#define TESTS "-tests"

/* Rounds are few: what is far apart is decided early, at a fifth of alpha. */
#define LAST_SHARE 0.8

/* The last one where the kernel has it. */
static const char *const limits[] = {"own process", "inputs and outputs in shared memory",
                                     "seccomp filter", "no capabilities", "Landlock"};

/* ---- the configuration ---- */

/* The file's name without its folder and what follows the first point; what a name of a section
 * should not have becomes _. */
static const char *name_of(const char *submission, struct arena *arena)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const char *slash = strrchr(submission, '/'), *begin = slash ? slash + 1 : submission;
    char *name = arena_text_n(arena, begin, strcspn(begin, "."));
    for (char *at = name; *at; at++)
        *at = strchr(letters, *at) ? *at : '_';
    return *name ? name : "submission";
}

/* As an option of the plugin, which takes any other name as an argument of the shape. */
static const char *key_of(const char *name, struct arena *arena)
{
    static const char *const taken[] = {"plugin", "like",   "only",    "exclude", "device",
                                        "policy", "search", "call",    "python",  "reference",
                                        "layout", "arg",    "subject", SIDE_AXIS};
    const bool is_taken = option_find(common_options(), name, NULL) ||
                          text_is_among(taken, sizeof taken / sizeof *taken, name);
    return is_taken ? arena_printf(arena, "arg.%s", name) : name;
}

static bool have_same_names(const struct judge_size *a, const struct judge_size *b)
{
    bool are_same = a->n == b->n;
    for (size_t i = 0; i < a->n && are_same; i++)
        are_same = text_equal(a->names[i], b->names[i]);
    return are_same;
}

/* "m, n: 64, 32 | 128, 64" */
static const char *zip_of(const struct judge_size *sizes, size_t n, struct arena *arena)
{
    CLEANUP(text_free) struct text text = {0};
    for (size_t i = 0; i < sizes->n; i++)
        text_printf(&text, "%s%s", i ? ", " : "", key_of(sizes->names[i], arena));
    for (size_t row = 0; row < n; row++)
        for (size_t i = 0; i < sizes[row].n; i++) {
            const char *value = sizes[row].values[i];
            text_printf(&text, "%s%s",
                        i     ? ", "
                        : row ? " | "
                              : ": ",
                        text_quote(value, strchr(value, ',') ? ',' : '|', arena));
        }
    return arena_text(arena, text_get(&text));
}

/* Origins are named as the user's words are. */
static void put(struct ini_section *section, const char *key, const char *value, const char *where,
                struct arena *arena)
{
    ini_put_text(section, key, value, (struct origin){.file = where}, arena);
}

static void add_section(const struct judge_request *request, const char *name,
                        const struct judge_size *sizes, size_t n, struct arena *arena,
                        struct ini *ini)
{
    struct ini_section section = {.kind = "bench", .name = name, .origin = {.file = ini->path}};
    put(&section, "plugin", "python", ini->path, arena);
    put(&section, "call", request->submission, "SUBMISSION", arena);
    put(&section, "reference", request->reference, "--reference", arena);
    if (n > 0)
        put(&section, "zip.shape", zip_of(sizes, n, arena), "--sizes", arena);
    ini_insert(ini, &section, ini->n, arena);
}

/* Those that follow each other and have the same names are one section. */
static void add_sections(const struct judge_request *request, const char *name,
                         const struct judge_size_list *list, struct arena *arena, struct ini *ini)
{
    for (size_t begin = 0, end; begin < list->n; begin = end) {
        for (end = begin + 1; end < list->n; end++)
            if (!have_same_names(&list->items[begin], &list->items[end]))
                break;
        add_section(request, begin ? arena_printf(arena, "%s@%zu", name, begin) : name,
                    &list->items[begin], end - begin, arena, ini);
    }
}

struct ini judge_request_configure(const struct judge_request *request, struct arena *arena)
{
    struct ini ini = {.path = "gbrun judge"};
    const char *name = name_of(request->submission, arena);
    add_sections(request, arena_printf(arena, "%s" TESTS, name), &request->sizes.tests, arena,
                 &ini);
    add_sections(request, name, &request->sizes.measured, arena, &ini);
    if (request->sizes.measured.n == 0)
        add_section(request, name, NULL, 0, arena, &ini);
    return ini;
}

/* ---- what was found ---- */

/* How many outputs were compared in each record; none where that is not known. */
static void read_compared(const struct ab *ab, struct arena *arena, struct judgement_facts *facts)
{
    struct outcome_metric metric = {.name = "checked_calls"};
    struct outcome *outcomes = NULL;
    struct gb_error error;
    if (store_outcomes(ab->job.store, ab->job.run_id, &metric, arena, &outcomes, &facts->n_compared,
                       &error) == GB_OK)
        facts->compared = outcomes;
    else
        facts->n_compared = 0;
}

/* Returns the exit code. */
static int write_judgement(const struct ab *ab, struct judgement_facts *facts,
                           const struct judge_manner *manner, struct arena *arena, struct text *out)
{
    const struct compare_result *result = compare_result(ab->judged);
    read_compared(ab, arena, facts);
    const struct judgement judgement = judgement_make(result, facts, arena);
    const int style = manner->format == COMPARE_MARKDOWN ? TABLE_MARKDOWN : TABLE_PLAIN;
    if (manner->format == COMPARE_JSON)
        judgement_write_json(&judgement, out);
    else if (manner->format == COMPARE_TABLE || manner->format == COMPARE_MARKDOWN)
        judgement_write(&judgement, style, output_width(0), manner->has_colours, out);
    else
        compare_write(result, manner->format, false, output_width(0), manner->has_colours, out);
    return judged_exit_code(judgement.verdict);
}

static struct judgement_facts facts_of(const struct judge_request *request)
{
    return (struct judgement_facts){.id = request->id,
                                    .submission = request->submission,
                                    .reference = request->reference,
                                    .limits = limits,
                                    .n_limits = sizeof limits / sizeof *limits -
                                                (sandbox_landlock_version() == 0),
                                    .seconds = NAN};
}

void judge_request_refuse(const struct judge_request *request, const char *code, const char *why,
                          struct text *out)
{
    const struct judgement_facts facts = facts_of(request);
    const struct judged_case none = {.side = SIDE_NEW, .code = code, .text = why};
    judgement_write_json(
        &(struct judgement){.facts = &facts, .worst = &none, .verdict = JUDGED_FAILED}, out);
}

/* A run that came to nothing. */
static int refuse_run(const struct ab *ab, const struct judge_request *request, int code,
                      struct text *said, struct text *out)
{
    const bool is_cancelled = ab->job.counts.is_cancelled;
    while (said->length > 0 && said->data[said->length - 1] == '\n')
        said->data[--said->length] = 0;
    judge_request_refuse(request,
                         is_cancelled         ? "cancelled"
                         : code == EXIT_USAGE ? "configuration"
                                              : "internal",
                         text_get(said), out);
    return code;
}

/* A file that was written since is another one. */
static const char *identity_of(const char *path, struct arena *arena)
{
    struct stat seen = {0};
    if (!path || stat(path, &seen) != 0)
        return "";
    return arena_printf(arena, "%s\n%lld.%09ld %lld", path, (long long)seen.st_mtim.tv_sec,
                        seen.st_mtim.tv_nsec, (long long)seen.st_size);
}

int judge_request_run(const struct arguments *arguments, const struct judge_request *request,
                      const struct judge_manner *manner, struct text *out, bool *ret_is_cancelled)
{
    static const char *reference[] = {"subject=reference", "verify=judge"};
    static const char *compiled[] = {"subject=compiled", "verify=judge"};
    static const char *submission[] = {"subject=function", "verify=judge"};
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(text_free) struct text said = {0};
    const double begin_ns = host_clock_ns();
    struct judgement_facts facts = facts_of(request);
    facts.is_compiled = manner->is_compiled;
    const struct ab_given given = {
        .is_without_section = true,
        .shares_processes = true,
        .changes = {[SIDE_BASE] = {facts.is_compiled ? compiled : reference, 2},
                    [SIDE_NEW] = {submission, 2}},
        .visit = argument(arguments, "visit") ? NULL : JUDGE_VISIT};
    struct ab ab = {.job = {.arguments = arguments, .ab = &given},
                    .last_share = LAST_SHARE,
                    .budget_ns = manner->budget_ns,
                    .book = request->reference ? manner->book : NULL,
                    .book_key = identity_of(request->reference, &arena)};
    struct ini made;
    if (request->submission) {
        made = judge_request_configure(request, &arena);
        ab.job.made = &made;
        ab.once = facts.tests = arena_printf(&arena, "%s" TESTS,
                                             name_of(request->submission, &arena));
        ab.stops_at_broken = true;
    }
    say_into(manner->is_answer ? &said : NULL);
    if (manner->kept)
        ab.job.spare = *manner->kept;
    int code = ab_run(&ab);
    if (manner->kept) {
        *manner->kept = ab.job.spare;
        ab.job.spare = (struct spare_worker){0};
    }
    facts.seconds = (host_clock_ns() - begin_ns) / 1e9;
    if (code == EXIT_FINE && ab.judged)
        code = write_judgement(&ab, &facts, manner, &arena, out);
    else if (manner->is_answer)
        code = refuse_run(&ab, request, code, &said, out);
    *ret_is_cancelled = ab.job.counts.is_cancelled;
    code = ab_close(&ab, *ret_is_cancelled && code == EXIT_FINE ? EXIT_CASE_FAILED : code);
    say_into(NULL);
    return code;
}
