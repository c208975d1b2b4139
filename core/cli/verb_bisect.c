/* verb_bisect.c - gbrun bisect: which commit made it slower; git bisect, judged by ab. */
#include "core/base/command.h"
#include "core/cli/ab.h"
#include "core/cli/ab_builds.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct verb_option options[] = {
    {"good", 0, "COMMIT", "a commit that is as fast as it should be"},
    {"bad", 0, "COMMIT", "a later commit that is slower; default HEAD"},
    {"build", 0, "COMMAND",
     "command that builds the checked-out commit, run in the current folder"},
    CONFIG_OPTIONS,
    {"margin", 0, "RATIO",
     "smaller differences are ignored; 1% if not given. Commits between are judged by half of what "
     "bad differs by, the culprit beside its parent by a quarter, if that is more"},
    {"alpha", 0, "RATIO", "probability that an unchanged commit is called different; default 5%"},
    {"max-rounds", 0, "N",
     "rounds after which an undecided commit is measured again with four times as many, then "
     "skipped; default 40"},
    {"visit", 0, "TIME", "how long a case is measured in each visit; default 0.1 s"},
    {"output", 'o', "FILE",
     "write the results to FILE instead of [gbrun] results, one run per commit"},
    {"quiet", 'q', NULL, "print only errors and the commit"},
    {"verbose", 'v', NULL, "a line for each visit"},
};

enum { MORE_ROUNDS = 4, USUAL_ROUNDS = 40 };
static const double MARGIN_MOST = 0.9;
enum answer {
    ANSWER_GOOD,
    ANSWER_BAD,
    ANSWER_UNCLEAR,
    ANSWER_FAILED,
    ANSWER_STOPPED,
    ANSWER_ERROR
};

struct bisect {
    const struct arguments *arguments;
    struct arena arena;
    const char *good, *bad, *build;
    const char *original; /* what is checked out at first */
    bool is_begun;        /* git knows of it */
    struct words texts;   /* of the configuration's files, whatever is checked out */
    struct words targets; /* cases that are slower at `bad` */
    double least;         /* ln of the ratio of the least of them; 0: there is none */
    double margin;        /* the user's */
    char ratio[64];       /* of the commit that was judged last */
};

/* What is measured beside what. */
struct pairing {
    struct ab_builds builds;
    struct words changes[SIDES]; /* the plugins of a side, once it is built; none: as they lie */
    double share;                /* of `least` that a difference must be beyond */
};

/* ---- git ---- */

/* What it prints, without the last line's end; NULL: it failed, and why is in error. */
static const char *git(struct bisect *bisect, const char *const *words, struct gb_error *error)
{
    enum { WORDS_MOST = 12 };
    CLEANUP(text_free) struct text output = {0};
    const char *arguments[WORDS_MOST] = {"env", "LC_ALL=C", "git"};
    int code = 0;
    for (size_t i = 0; words[i]; i++)
        arguments[3 + i] = words[i];
    if (command_run(&(struct command){.arguments = arguments, .output = &output}, &code, error) !=
        GB_OK)
        return NULL;
    if (code != 0) {
        error_set(error, GB_FAILED, "git %s %s: ended with code %d", words[0],
                  words[1] ? words[1] : "", code);
        return NULL;
    }
    char *text = arena_text(&bisect->arena, text_get(&output));
    size_t n = strlen(text);
    if (n && text[n - 1] == '\n')
        text[n - 1] = 0;
    return text;
}
#define GIT(bisect, error, ...) git(bisect, (const char *const[]){__VA_ARGS__, NULL}, error)

/* A commit as git has it; NULL: there is none. */
static const char *commit_of(struct bisect *bisect, const char *name, struct gb_error *error)
{
    const char *commit = GIT(bisect, error, "rev-parse", "--verify", "--quiet",
                             arena_printf(&bisect->arena, "%s^{commit}", name));
    if (!commit)
        error_set(error, GB_NOT_FOUND, "%s: no such commit in the repository of this folder", name);
    return commit;
}

static const char *short_of(struct bisect *bisect, const char *commit)
{
    return arena_text_n(&bisect->arena, commit, strnlen(commit, 10));
}

static int32_t look_at_repository(struct bisect *bisect, struct gb_error *error)
{
    const char *changed = GIT(bisect, error, "status", "--porcelain", "--untracked-files=no");
    if (!changed)
        return error_set(error, GB_INVALID, "this folder is not in a git repository");
    if (*changed)
        return error_set(error, GB_INVALID,
                         "tracked files have changes: commit or stash them, since other commits "
                         "will be checked out");
    if (GIT(bisect, error, "rev-parse", "--verify", "--quiet", "refs/bisect/bad"))
        return error_set(error, GB_INVALID,
                         "a git bisect is in progress: end it with git bisect reset");
    bisect->good = commit_of(bisect, bisect->good, error);
    bisect->bad = bisect->good ? commit_of(bisect, bisect->bad, error) : NULL;
    if (!bisect->bad)
        return error->status;
    const char *branch = GIT(bisect, error, "symbolic-ref", "--quiet", "--short", "HEAD");
    bisect->original = branch ? branch : commit_of(bisect, "HEAD", error);
    if (!GIT(bisect, error, "merge-base", "--is-ancestor", bisect->good, bisect->bad))
        return error_set(error, GB_INVALID, "--good %s: is not an ancestor of --bad %s",
                         short_of(bisect, bisect->good), short_of(bisect, bisect->bad));
    return GB_OK;
}

static void give_tree_back(struct bisect *bisect)
{
    struct gb_error error;
    if (bisect->is_begun && !GIT(bisect, &error, "bisect", "reset"))
        fail_with(&error, EXIT_INTERNAL);
    if (!GIT(bisect, &error, "checkout", "-q", bisect->original))
        fail_with(&error, EXIT_INTERNAL);
}

/* ---- a commit against the good one ---- */

static const char *more_rounds(const struct bisect *bisect, int64_t times, struct arena *arena)
{
    const char *rounds = argument(bisect->arguments, "max-rounds");
    return times == 1 ? NULL
                      : arena_printf(arena, "%lld",
                                     (long long)times *
                                         (rounds ? strtoll(rounds, NULL, 10) : USUAL_ROUNDS));
}

static void keep_ratio(struct bisect *bisect, const struct compared *c)
{
    CLEANUP(text_free) struct text ratio = {0};
    compare_add_ratio(c->result.theta, c->result.low, c->result.high, &ratio);
    snprintf(bisect->ratio, sizeof bisect->ratio, "%s", text_get(&ratio));
}

/* Only of the cases that are slower at `bad`; one of them is enough. */
static enum answer answer_of(struct bisect *bisect, const struct compare_against *against)
{
    const struct words *targets = &bisect->targets;
    size_t n_slower = 0, n_open = 0, n_other = 0;
    for (size_t i = 0; i < against->n; i++) {
        const struct compared *c = &against->cases[i];
        if (!text_is_among(targets->items, targets->n, c->label))
            continue;
        int verdict = c->result.verdict;
        if (n_slower == 0)
            keep_ratio(bisect, c);
        n_slower += verdict == COMPARED_SLOWER;
        n_open += verdict == COMPARED_UNCLEAR;
        n_other += verdict > COMPARED_UNCLEAR;
    }
    return n_slower ? ANSWER_BAD : n_other ? ANSWER_FAILED : n_open ? ANSWER_UNCLEAR : ANSWER_GOOD;
}

/* What is slower at `bad`, and by how much at least. */
static void take_targets(struct bisect *bisect, const struct compare_result *result)
{
    const struct compare_against *against = &result->against[0];
    double least = INFINITY;
    bisect->margin = result->options->margin;
    for (size_t i = 0; i < against->n; i++) {
        const struct compared *c = &against->cases[i];
        if (c->result.verdict != COMPARED_SLOWER)
            continue;
        ARENA_APPEND(&bisect->arena, bisect->targets.items, bisect->targets.n,
                     arena_text(&bisect->arena, c->label));
        least = fmin(least, c->result.theta);
    }
    bisect->least = bisect->targets.n ? least : 0;
}

/* NULL: as the user says. */
static const char *margin_of(const struct bisect *bisect, const struct pairing *pairing,
                             struct arena *arena)
{
    const double part = fmin(expm1(bisect->least * pairing->share), MARGIN_MOST);
    return bisect->least > 0 ? arena_printf(arena, "%.17g", fmax(part, bisect->margin)) : NULL;
}

/* Those of the sides that were built. */
static void keep_changes(struct bisect *bisect, const struct ab_params *params,
                         struct pairing *pairing)
{
    for (int side = 0; side < SIDES; side++)
        for (size_t i = 0; i < params->changes[side].n && pairing->builds.commands[side]; i++)
            ARENA_APPEND(&bisect->arena, pairing->changes[side].items, pairing->changes[side].n,
                         arena_text(&bisect->arena, params->changes[side].items[i]));
}

/* The first time of a pairing both sides are built; what is given as commit is the new one. */
static enum answer measure(struct bisect *bisect, struct pairing *pairing, const char *commit,
                           int64_t times)
{
    CLEANUP(arena_free) struct arena arena = {0};
    const bool is_first = pairing->changes[SIDE_BASE].n == 0;
    const struct fact facts[] = {{"label.commit", commit}};
    const struct ab_given given = {.is_without_section = true,
                                   .changes = {pairing->changes[0], pairing->changes[1]},
                                   .margin = margin_of(bisect, pairing, &arena),
                                   .max_rounds = more_rounds(bisect, times, &arena),
                                   .texts = bisect->texts.items,
                                   .builds = is_first ? &pairing->builds : NULL};
    struct ab ab = {.job = {.arguments = bisect->arguments,
                            .ab = &given,
                            .facts = facts,
                            .n_facts = sizeof facts / sizeof *facts}};
    int code = ab_run(&ab);
    enum answer answer = ANSWER_ERROR;
    if (code == EXIT_FINE && ab.job.counts.is_cancelled)
        answer = ANSWER_STOPPED;
    else if (code == EXIT_FINE && ab.judged) {
        const struct compare_result *result = compare_result(ab.judged);
        if (is_first)
            keep_changes(bisect, &ab.job.configuration.ab, pairing);
        if (!bisect->targets.n)
            take_targets(bisect, result);
        answer = answer_of(bisect, &result->against[0]);
    }
    return ab_close(&ab, code) == EXIT_FINE ? answer : ANSWER_ERROR;
}

static enum answer measure_until_clear(struct bisect *bisect, struct pairing *pairing,
                                       const char *commit)
{
    enum answer answer = measure(bisect, pairing, commit, 1);
    return answer == ANSWER_UNCLEAR ? measure(bisect, pairing, commit, MORE_ROUNDS) : answer;
}

static const char *build_of(struct bisect *bisect, const char *commit)
{
    return arena_printf(&bisect->arena, "git checkout -q --detach %s && { %s\n}", commit,
                        bisect->build);
}

static enum answer judge_commit(struct bisect *bisect, struct pairing *good, const char *commit)
{
    struct gb_error error;
    if (command_shell("--build", bisect->build, &error) != GB_OK) {
        fail_with(&error, EXIT_FINE);
        return ANSWER_FAILED;
    }
    return measure_until_clear(bisect, good, commit);
}

/* ---- the search ---- */

static void say_answer(struct bisect *bisect, const char *commit, enum answer answer)
{
    static const char *const reasons[] = {[ANSWER_GOOD] = "not slower",
                                          [ANSWER_BAD] = "slower",
                                          [ANSWER_UNCLEAR] = "unclear, skipped",
                                          [ANSWER_FAILED] = "cannot be measured, skipped"};
    if (!argument(bisect->arguments, "quiet"))
        say("gbrun: commit %s: %s%s%s", short_of(bisect, commit), reasons[answer],
            answer == ANSWER_FAILED ? "" : ", ratio ",
            answer == ANSWER_FAILED ? "" : bisect->ratio);
}

static int print_culprit(struct bisect *bisect, const char *commit)
{
    struct gb_error error;
    const char *shown = GIT(bisect, &error, "show", "--no-patch", "--format=%h %ad %an: %s",
                            "--date=short", commit);
    if (!shown)
        return fail_with(&error, EXIT_INTERNAL);
    printf("%s is the first that is slower: ratio to its parent %s\n%s\n", commit, bisect->ratio,
           shown);
    for (size_t i = 0; i < bisect->targets.n; i++)
        printf("  %s\n", bisect->targets.items[i]);
    return EXIT_FINE;
}

/* Both are built anew. */
static enum answer measure_beside_parent(struct bisect *bisect, const char *commit,
                                         const char *parent)
{
    struct pairing pairing = {.share = 0.25};
    pairing.builds.commands[SIDE_BASE] = build_of(bisect, parent);
    pairing.builds.commands[SIDE_NEW] = build_of(bisect, commit);
    const enum answer answer = measure_until_clear(bisect, &pairing, commit);
    ab_builds_free(&pairing.builds, false);
    return answer;
}

/* Many small steps, or a machine that became slower, have no culprit: so a commit is one by what it
 * takes beside its parent, in pairs; and by two builds of both, since where code lies may be what a
 * build is slower by. */
static int name_culprit(struct bisect *bisect, const char *commit)
{
    enum { BUILDS = 2 };
    static const char *const refusals[] = {
        [ANSWER_UNCLEAR] = "it stays unclear",
        [ANSWER_FAILED] = "one of them cannot be built or measured",
        [ANSWER_STOPPED] = "stopped"};
    struct gb_error error;
    const char *parent = commit_of(bisect, arena_printf(&bisect->arena, "%s^", commit), &error);
    if (!parent)
        return fail_with(&error, EXIT_INTERNAL);
    enum answer answer = ANSWER_BAD;
    int n_slower = 0;
    while (answer == ANSWER_BAD && n_slower < BUILDS) {
        answer = measure_beside_parent(bisect, commit, parent);
        n_slower += answer == ANSWER_BAD;
    }
    if (answer == ANSWER_ERROR)
        return EXIT_USAGE;
    if (answer == ANSWER_BAD)
        return print_culprit(bisect, commit);
    if (answer == ANSWER_GOOD && n_slower > 0) {
        printf("no culprit: builds: %s was slower than its parent as both were built first, and "
               "built anew its ratio is %s\n",
               commit, bisect->ratio);
        return EXIT_NOT_AS_WANTED;
    }
    if (answer == ANSWER_GOOD) {
        printf("no culprit: drift: %s is where half of it is reached, but its ratio to its parent "
               "is %s\n",
               commit, bisect->ratio);
        return EXIT_NOT_AS_WANTED;
    }
    say("gbrun: no culprit: whether %s is slower than its parent: %s", short_of(bisect, commit),
        refusals[answer]);
    return EXIT_CASE_FAILED;
}

/* Only skipped commits are left: no single one is named. */
static int say_left(struct bisect *bisect)
{
    struct gb_error error;
    const char *left = GIT(bisect, &error, "log", "--format=%h %s", "refs/bisect/bad", "--not",
                           "--glob=refs/bisect/good-*");
    say("gbrun: only skipped commits are left: the first slower one is one of\n%s",
        left ? left : "");
    return EXIT_CASE_FAILED;
}

static int search(struct bisect *bisect, struct pairing *good)
{
    struct gb_error error;
    const char *said = GIT(bisect, &error, "bisect", "start", bisect->bad, bisect->good);
    bisect->is_begun = true;
    for (;;) {
        const char *left = said ? GIT(bisect, &error, "rev-list", "--max-count=2",
                                      "refs/bisect/bad", "--not", "--glob=refs/bisect/good-*")
                                : NULL;
        if (left && !strchr(left, '\n')) /* the only one that may be it */
            return name_culprit(bisect, left);
        const char *commit = said ? commit_of(bisect, "HEAD", &error) : NULL;
        if (!commit)
            return fail_with(&error, EXIT_INTERNAL);
        enum answer answer = judge_commit(bisect, good, commit);
        if (answer == ANSWER_ERROR)
            return EXIT_USAGE;
        if (answer == ANSWER_STOPPED) {
            say("gbrun: stopped");
            return EXIT_CASE_FAILED;
        }
        say_answer(bisect, commit, answer);
        said = GIT(bisect, &error, "bisect",
                   answer == ANSWER_GOOD  ? "good"
                   : answer == ANSWER_BAD ? "bad"
                                          : "skip");
        if (!said && error.status == GB_FAILED && answer != ANSWER_GOOD && answer != ANSWER_BAD)
            return say_left(bisect); /* git: code 2 */
    }
}

/* Is `bad` slower at all? */
static int confirm(struct bisect *bisect, struct pairing *good)
{
    good->builds.commands[SIDE_BASE] = build_of(bisect, bisect->good);
    good->builds.commands[SIDE_NEW] = build_of(bisect, bisect->bad);
    enum answer answer = measure(bisect, good, bisect->bad, 1);
    /* What is checked out and built in place is the other side from now on. */
    good->changes[SIDE_NEW].n = 0;
    if (answer == ANSWER_ERROR)
        return EXIT_USAGE;
    if (answer == ANSWER_BAD) {
        say_answer(bisect, bisect->bad, answer);
        return EXIT_FINE;
    }
    say(answer == ANSWER_STOPPED
            ? "gbrun: stopped"
            : "gbrun: no case is certainly slower at --bad %s than at --good %s: there is nothing "
              "to find; see gbrun show, or raise --max-rounds",
        short_of(bisect, bisect->bad), short_of(bisect, bisect->good));
    return EXIT_CASE_FAILED;
}

static int32_t read_text(struct bisect *bisect, const char *path, struct gb_error *error)
{
    CLEANUP(text_free) struct text text = {0};
    enum file_end end = text_add_file(&text, path, SIZE_MAX);
    if (end != FILE_READ)
        return error_set(error, GB_IO, "%s: cannot be %s: %s", path,
                         end == FILE_NOT_OPENED ? "opened" : "read", reason_of(errno));
    ARENA_APPEND(&bisect->arena, bisect->texts.items, bisect->texts.n,
                 arena_text(&bisect->arena, text_get(&text)));
    return GB_OK;
}

static int run(const struct arguments *arguments)
{
    struct bisect bisect = {.arguments = arguments,
                            .good = argument(arguments, "good"),
                            .bad = argument(arguments, "bad"),
                            .build = argument(arguments, "build")};
    struct pairing good = {.share = 0.5};
    const struct words files = argument_all(arguments, "config");
    int32_t status = GB_OK;
    struct gb_error error;
    signal(SIGPIPE, SIG_IGN);
    if (arguments->operands.n > 0)
        return fail_usage("'%s': bisect takes no operand", arguments->operands.items[0]);
    if (!bisect.good || !bisect.build || files.n == 0)
        return fail_usage("expected --good COMMIT, --build COMMAND and -c FILE");
    bisect.bad = bisect.bad ? bisect.bad : "HEAD";
    int code = EXIT_FINE;
    for (size_t i = 0; i < files.n && status == GB_OK; i++)
        status = read_text(&bisect, files.items[i], &error);
    if (status == GB_OK)
        status = look_at_repository(&bisect, &error);
    if (status != GB_OK)
        code = fail_with(&error, EXIT_USAGE);
    if (code == EXIT_FINE) {
        code = confirm(&bisect, &good);
        if (code == EXIT_FINE)
            code = search(&bisect, &good);
        give_tree_back(&bisect);
    }
    ab_builds_free(&good.builds, false);
    arena_free(&bisect.arena);
    return code;
}

const struct verb verb_bisect = {
    .name = "bisect",
    .operands = "",
    .summary = "Find the commit that made a benchmark slower",
    .help =
        "Drives git bisect in the repository of the current folder, with gbrun ab as its judge. "
        "The good commit is built, and its plugins are copied aside: they are the base that all "
        "others are measured against. Then bad is built and measured, which must be slower, and "
        "the commits between, by git's choice. One that cannot be built or measured is skipped, "
        "and so is one that stays unclear after four times the rounds: what is not certain is "
        "never called the culprit. What git finds is measured beside its parent before it is "
        "named; if it is not slower than that, there is a drift and no culprit. Plugins, or "
        "libraries of `call`, are found by the paths that the configuration gives; it is read "
        "once, before.\n\nExit code 0: the commit was found, and is printed; 1: bad is not slower, "
        "only skipped commits are left, or it was stopped; 3: no culprit, a drift. The commit that "
        "was checked out before is checked out again.",
    VERB_OPTIONS(options),
    .run = run,
};
