/* verb_ab.c - gbrun ab: A against B until the verdict is certain. Its rounds, which ab.h declares,
 * are those of gbrun bisect as well. */
#include "core/cli/ab.h"
#include "core/cli/ab_builds.h"

#include <signal.h>
#include <stdio.h>

/* ---- what a book has of the base ---- */

static struct book_entry *entry_of(const struct ab *ab, size_t pair)
{
    return &ab->book->entries[ab->entries[pair]];
}

/* The reference, and the axes but that of the sides. */
static int32_t find_entry(struct ab *ab, size_t pair, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(text_free) struct text key = {0};
    struct bench_case bench_case;
    const uint64_t position = ab->pairs[pair].positions[SIDE_BASE];
    const int32_t status = sweep_case_at(ab->job.configuration.sweep, position, &arena, &bench_case,
                                         error);
    if (status != GB_OK)
        return status;
    text_add(&key, ab->book_key);
    for (size_t i = 0; i < bench_case.n_parameters; i++)
        if (bench_case.parameters[i].is_axis &&
            !text_equal(bench_case.parameters[i].name, SIDE_AXIS))
            text_printf(&key, "\n%s=%s", bench_case.parameters[i].name,
                        bench_case.parameters[i].value.text);
    ab->entries[pair] = judge_book_entry(ab->book, text_get(&key));
    ab->open[position] = book_entry_use(entry_of(ab, pair), host_clock_ns());
    return GB_OK;
}

/* Those of the base that came to a time are moved from the records to the book. */
static void take_rounds(const struct ab *ab, struct outcome *outcomes, size_t *n)
{
    size_t n_left = 0;
    for (size_t i = 0; i < *n; i++) {
        const struct outcome *round = &outcomes[i];
        const size_t pair = ab->pair_of[round->position];
        const bool is_base = round->position == ab->pairs[pair].positions[SIDE_BASE];
        const bool is_taken = is_base && round->status == CASE_OK && round->value > 0;
        if (is_taken && round->round >= ab->n_taken)
            book_entry_add(entry_of(ab, pair),
                           &(struct book_round){.ns = round->value,
                                                .half_ns = 0.5 * (round->high_ns - round->low_ns)},
                           host_clock_ns());
        if (!is_taken)
            outcomes[n_left++] = *round;
    }
    *n = n_left;
}

static void use_book(void *context, struct arena *arena, struct outcome **outcomes, size_t *n)
{
    const struct ab *ab = context;
    take_rounds(ab, *outcomes, n);
    const size_t n_left = *n;
    for (size_t i = 0; i < n_left; i++) {
        const struct outcome like = (*outcomes)[i];
        const size_t pair = ab->pair_of[like.position];
        if (like.position == ab->pairs[pair].positions[SIDE_NEW] && like.round == 0)
            book_entry_outcomes(entry_of(ab, pair), &like, ab->pairs[pair].positions[SIDE_BASE],
                                arena, outcomes, n);
    }
}

/* ---- judging ---- */

/* All that is stored of the run. goes_on: undecided cases may have further rounds. */
static int32_t judge(struct ab *ab, bool goes_on, struct compare **ret, struct gb_error *error)
{
    const struct compare_options options = {.margin = ab->job.configuration.ab.margin,
                                            .confidence = 1 - ab->job.configuration.ab.alpha,
                                            .metric = "",
                                            .goes_on = goes_on,
                                            .last_share = ab->last_share,
                                            .replace = ab->book ? use_book : NULL,
                                            .context = ab};
    char number[NUMBER_TEXT_MAX];
    struct compare *compare = compare_new(&options);
    snprintf(number, sizeof number, "%lld", (long long)ab->job.run_number);
    int32_t status = compare_add_by(compare, ab->job.store, ab->job.store_path,
                                    ab->job.run_number == RUN_NEWEST ? "newest" : number, SIDE_AXIS,
                                    side_words[SIDE_BASE], error);
    if (status == GB_OK)
        status = compare_finish(compare, error);
    if (status == GB_OK)
        *ret = compare;
    else
        compare_free(compare);
    return status;
}

static size_t pair_of(const struct ab *ab, const struct compared *c)
{
    return ab->pair_of[(c->base ? c->base : c->new)->first->position];
}

/* Its rounds would say nothing more. */
static bool is_decided(const struct ab *ab, const struct compared *c)
{
    const struct compare_case *any = c->new ? c->new : c->base;
    return c->result.verdict != COMPARED_UNCLEAR ||
           (ab->once && text_equal(any->first->bench, ab->once));
}

/* The machine has changed since its only visit. */
static bool is_outdated(const struct ab *ab, const struct compared *c)
{
    return entry_of(ab, pair_of(ab, c))->has_forgotten && c->n_new == 1;
}

/* With a book. */
static bool has_enough(const struct ab *ab, const struct compared *c)
{
    const struct book_entry *entry = entry_of(ab, pair_of(ab, c));
    const int verdict = c->result.verdict;
    const bool is_test = ab->once &&
                         text_equal((c->new ? c->new : c->base)->first->bench, ab->once);
    const bool says_time = verdict == COMPARED_SLOWER || verdict == COMPARED_FASTER ||
                           verdict == COMPARED_CHANGED || verdict == COMPARED_SAME;
    if (verdict != COMPARED_UNCLEAR && !says_time) /* it failed: rounds would not help */
        return c->base && c->new;
    return entry->n >= (is_test ? 1 : BOOK_LEAST) && !is_outdated(ab, c);
}

/* A pair that has several devices is decided once it is on all of them. Returns how many are. */
static size_t note_decided(struct ab *ab, const struct compare_against *against)
{
    size_t n = 0;
    for (size_t i = 0; i < against->n; i++)
        ab->is_decided[pair_of(ab, &against->cases[i])] = true;
    for (size_t i = 0; i < against->n; i++)
        if (!(ab->book ? has_enough : is_decided)(ab, &against->cases[i]))
            ab->is_decided[pair_of(ab, &against->cases[i])] = false;
    for (size_t i = 0; i < ab->n_pairs; i++) {
        n += ab->is_decided[i];
        for (int side = 0; side < SIDES; side++)
            ab->open[ab->pairs[i].positions[side]] = !ab->is_decided[i];
    }
    for (size_t i = 0; i < against->n && ab->book; i++)
        ab->open[ab->pairs[pair_of(ab, &against->cases[i])].positions[SIDE_NEW]] = is_outdated(
            ab, &against->cases[i]);
    return n;
}

/* ---- what a person sees of it ---- */

/* "copy bytes=16384 1.004 [0.981, 1.027], gemm 0.998, and 3 more" */
static void add_undecided(const struct compare_against *against, struct text *out)
{
    enum { SHOWN = 3, NAME_MOST = 40 };
    size_t n = 0;
    for (size_t i = 0; i < against->n; i++) {
        const struct compared *c = &against->cases[i];
        if (c->result.verdict != COMPARED_UNCLEAR || n++ >= SHOWN)
            continue;
        text_add(out, n > 1 ? ", " : "; ");
        text_add_cut(out, c->label, NAME_MOST);
        text_add(out, " ");
        compare_add_ratio(c->result.theta, c->result.low, c->result.high, out);
    }
    if (n > SHOWN)
        text_printf(out, ", and %zu more", n - SHOWN);
}

static void say_round(struct ab *ab, const struct compare_against *against, uint32_t n_rounds,
                      size_t n_decided)
{
    CLEANUP(text_free) struct text line = {0};
    bool any = false;
    if (ab->job.progress.is_quiet)
        return;
    text_printf(&line, "round %u: %zu of %zu decided", n_rounds, n_decided, ab->n_pairs);
    for (int v = 0; v < COMPARED_VERDICTS; v++) {
        if (!against->counts[v] || v == COMPARED_UNCLEAR)
            continue;
        text_printf(&line, "%s%zu %s", any ? ", " : " (", against->counts[v], compared_word(v));
        any = true;
    }
    text_add(&line, any ? ")" : "");
    add_undecided(against, &line);
    progress_line(&ab->job.progress, "%s", text_get(&line));
}

/* Of visits: what is decided needs none any more. */
static void count_left(struct ab *ab, size_t n_decided, uint32_t n_rounds)
{
    struct progress *progress = &ab->job.progress;
    uint64_t rounds = (uint64_t)ab->job.configuration.ab.max_rounds;
    uint64_t rounds_left = rounds > n_rounds ? rounds - n_rounds : 0;
    progress->n_total = progress->n_known + progress->n_done +
                        rounds_left * SIDES * (ab->n_pairs - n_decided);
}

/* ---- rounds ---- */

/* Another round as long as those before fits into the budget. */
static bool may_go_on(const struct ab *ab, uint32_t n_rounds)
{
    const double budget_ns = ab->budget_ns * (double)ab->n_pairs;
    const double took_ns = host_clock_ns() - ab->begin_ns;
    const uint32_t first = ab->book ? BOOK_LEAST : SEQUENCE_FIRST;
    return n_rounds < (uint64_t)ab->job.configuration.ab.max_rounds &&
           (n_rounds < first || !(budget_ns > 0) || took_ns + took_ns / n_rounds < budget_ns);
}

static int32_t on_round(void *context, struct schedule *schedule, bool *ret_goes_on,
                        struct gb_error *error)
{
    struct ab *ab = context;
    struct compare *compare = NULL;
    uint32_t n_rounds = schedule->n_rounds;
    const bool goes_on = may_go_on(ab, n_rounds);
    int32_t status = judge(ab, goes_on, &compare, error);
    *ret_goes_on = false;
    ab->n_taken = n_rounds;
    if (status != GB_OK)
        return status;
    const struct compare_against *against = &compare_result(compare)->against[0];
    size_t n_decided = note_decided(ab, against);
    count_left(ab, n_decided, n_rounds);
    events_round_end(ab->job.has_events ? &ab->job.events : NULL, n_rounds, n_decided, ab->n_pairs);
    say_round(ab, against, n_rounds, n_decided);
    *ret_goes_on = goes_on && n_decided < ab->n_pairs &&
                   !(ab->stops_at_broken && against->counts[COMPARED_BROKEN] > 0);
    schedule->n_rounds += *ret_goes_on;
    compare_free(compare);
    return GB_OK;
}

static void note_pair(struct ab *ab, size_t pair, uint64_t position)
{
    ab->pair_of[position] = pair;
    ab->open[position] = true;
}

static int make_pairs(struct ab *ab)
{
    struct gb_error error;
    struct configuration *configuration = &ab->job.configuration;
    struct error_list errors = {0};
    uint64_t n = sweep_size(configuration->sweep);
    if (sides_pair(configuration->sweep, &configuration->arena, &ab->pairs, &ab->n_pairs,
                   &errors) != GB_OK)
        say_errors(&errors);
    bool is_good = error_list_empty(&errors);
    error_list_free(&errors);
    if (!is_good)
        return EXIT_USAGE;
    ab->is_decided = ARENA_ARRAY(&configuration->arena, bool, ab->n_pairs + 1);
    ab->open = ARENA_ARRAY(&configuration->arena, bool, n + 1);
    ab->entries = ARENA_ARRAY(&configuration->arena, size_t, ab->n_pairs + 1);
    ab->pair_of = ARENA_ARRAY(&configuration->arena, size_t, n + 1);
    for (uint64_t i = 0; i < n; i++)
        ab->pair_of[i] = SIZE_MAX;
    for (size_t i = 0; i < ab->n_pairs; i++)
        for (int side = 0; side < SIDES; side++)
            note_pair(ab, i, ab->pairs[i].positions[side]);
    for (size_t i = 0; ab->book && i < ab->n_pairs; i++)
        if (find_entry(ab, i, &error) != GB_OK)
            return fail_with(&error, EXIT_INTERNAL);
    return EXIT_FINE;
}

static const char *changes_text(const struct ab_params *params, int side, struct arena *arena)
{
    CLEANUP(text_free) struct text text = {0};
    for (size_t i = 0; i < params->changes[side].n; i++)
        text_printf(&text, "%s%s", i ? ", " : "", params->changes[side].items[i]);
    return arena_text(arena, text_get(&text));
}

/* By which compare finds again how the run was decided. */
static void add_facts(struct ab *ab)
{
    struct configuration *configuration = &ab->job.configuration;
    const struct ab_params *params = &configuration->ab;
    struct arena *arena = &configuration->arena;
    const struct fact facts[] = {
        {AB_FACT_MARGIN, arena_printf(arena, "%.17g", params->margin)},
        {AB_FACT_ALPHA, arena_printf(arena, "%.17g", params->alpha)},
        {AB_FACT_ROUNDS, arena_printf(arena, "%lld", (long long)params->max_rounds)},
        {AB_FACT_BASE, changes_text(params, SIDE_BASE, arena)},
        {AB_FACT_NEW, changes_text(params, SIDE_NEW, arena)}};
    size_t n = 0, n_facts = sizeof facts / sizeof *facts;
    struct fact *all = ARENA_ARRAY(arena, struct fact, n_facts + ab->job.n_facts);
    for (size_t i = 0; i < n_facts; i++)
        if (*facts[i].value)
            all[n++] = facts[i];
    for (size_t i = 0; i < ab->job.n_facts; i++)
        all[n++] = ab->job.facts[i];
    ab->job.facts = all;
    ab->job.n_facts = n;
}

int ab_run(struct ab *ab)
{
    struct run_job *job = &ab->job;
    struct gb_error error;
    job->run_number = RUN_NEWEST;
    ab->begin_ns = host_clock_ns();
    int code = run_job_open(job);
    if (code == EXIT_FINE)
        code = make_pairs(ab);
    if (code != EXIT_FINE)
        return code;
    add_facts(ab);
    job->plan = (struct run_plan){
        .schedule = {.pairs = ab->pairs,
                     .n_pairs = ab->n_pairs,
                     .open = ab->open,
                     .seed = (uint64_t)settings_run(job->configuration.settings)->seed},
        .first_sequence = job->plan.first_sequence,
        .elsewhere = job->plan.elsewhere,
        .on_round = on_round,
        .context = ab};
    code = run_job_measure(job);
    if (code != EXIT_FINE && code != EXIT_CASE_FAILED)
        return code;
    if (judge(ab, false, &ab->judged, &error) != GB_OK && !job->counts.is_cancelled)
        return fail_with(&error, EXIT_INTERNAL);
    return EXIT_FINE;
}

int ab_close(struct ab *ab, int code)
{
    compare_free(ab->judged);
    return run_job_close(&ab->job, code);
}

/* ---- the verbs ---- */

static const struct verb_option options[] = {
    CONFIG_OPTIONS,
    {"base", 0, "KEY=VALUE...",
     "what the base changes: an option, a setting, plugin or env.NAME of all benchmarks, or "
     "BENCH.KEY=VALUE of one; may be repeated"},
    {"new", 0, "KEY=VALUE...", "what the new side changes, in the same form"},
    {"base-build", 0, "COMMAND",
     "command that builds the base; its plugins are copied aside; without it they are used as they "
     "are"},
    {"new-build", 0, "COMMAND", "builds the new side, after the base"},
    {"resume", 'R', "FILE", "continue the newest run in FILE, with the settings stored there"},
    {"run", 0, "RUN", "with --resume: this run instead of the newest"},
    {"accept-changes", 0, NULL,
     "with --resume: continue although gbrun or a plugin is a different build"},
    {"strict", 0, NULL, "exit code 3 also for cases that are unclear or skipped"},
    {"events", 0, "FD",
     "write events to this descriptor, one JSON object per line: run_begin, case_begin, estimate, "
     "case_end, round_end, run_end"},
    RULE_OPTIONS("0.1 s", "table, md, csv, json, junit or github"),
};

static int refuse_useless(const struct arguments *arguments, const char *name)
{
    const char *resume = argument(arguments, "resume");
    const char *fresh = ARGUMENT_AMONG(arguments, "base", "new", "base-build", "new-build");
    if (resume && fresh)
        return fail_usage("--%s: the sides of --resume %s are in that file", fresh, resume);
    if (resume && (name || ARGUMENT_AMONG(arguments, "margin", "alpha", "max-rounds", "visit")))
        return fail_usage("--resume %s: continues as the run began: leave out NAME, --margin, "
                          "--alpha, --max-rounds and --visit",
                          resume);
    return EXIT_FINE;
}

/* The table, and how it ends. */
static int report(const struct ab *ab, int format, bool is_strict, bool has_colours)
{
    CLEANUP(text_free) struct text text = {0};
    int code = EXIT_CASE_FAILED;
    if (ab->judged) {
        const struct compare_result *result = compare_result(ab->judged);
        compare_write(result, format, is_strict, output_width(0), has_colours, &text);
        fputs(text_get(&text), stdout);
        code = compare_exit_code(result, is_strict);
    }
    if (!ab->job.counts.is_cancelled)
        return code;
    say("gbrun: stopped before all cases were decided; to continue: gbrun ab --resume %s",
        ab->job.store_path);
    return EXIT_CASE_FAILED;
}

/* Measures both sides, and says what was found. */
static int measure(struct ab *ab)
{
    const struct arguments *arguments = ab->job.arguments;
    const char *format_text = argument(arguments, "format");
    const int format = format_text ? compare_format_named(format_text) : COMPARE_TABLE;
    bool has_colours = false;
    signal(SIGPIPE, SIG_IGN); /* a reader that went away must not end the measuring */
    if (format < 0)
        return fail_usage("--format %s: expected table, md, csv, json, junit or github",
                          format_text);
    int code = read_color(arguments, &has_colours);
    if (code != EXIT_FINE)
        return code;
    code = ab_run(ab);
    if (code == EXIT_FINE)
        code = report(ab, format, argument(arguments, "strict") != NULL, has_colours);
    return ab_close(ab, code);
}

static int run(const struct arguments *arguments)
{
    const struct words names = arguments->operands;
    struct ab_builds builds = {
        .commands = {argument(arguments, "base-build"), argument(arguments, "new-build")}};
    const struct ab_given given = {
        .name = names.n ? names.items[0] : NULL,
        .changes = {argument_all(arguments, "base"), argument_all(arguments, "new")},
        .builds = builds.commands[SIDE_BASE] || builds.commands[SIDE_NEW] ? &builds : NULL};
    struct ab ab = {.job = {.arguments = arguments, .ab = &given}};
    if (names.n > 1)
        return fail_usage("'%s': expected the NAME of one [ab NAME]", names.items[1]);
    int code = refuse_useless(arguments, given.name);
    if (code != EXIT_FINE)
        return code;
    code = measure(&ab);
    ab_builds_free(&builds, ab.job.counts.is_cancelled || code == EXIT_INTERNAL);
    return code;
}

const struct verb verb_ab = {
    .name = "ab",
    .operands = "[NAME]",
    .summary = "Compare two sides round by round until each case is decided",
    .help =
        "Measures each case of a configuration on two sides that differ in what --base and --new "
        "change: an option, the plugin, the device, an environment variable; or in what [ab NAME] "
        "of the configuration says. Each round visits both sides of all cases, in blocks of two "
        "rounds at random order, each visit in a fresh process unless the benchmark or [defaults] "
        "says isolate. After each round the cases are judged; one whose verdict is certain has no "
        "further rounds, what is not decided after --max-rounds is unclear. The results are a "
        "run of an ordinary results file; `gbrun compare FILE --by side --base base` says "
        "again what was found.\n\n"
        "Verdicts and exit codes are those of gbrun compare. --base-build and --new-build run a "
        "shell command in the current folder before; the files that `plugin` and `library` name "
        "by a path are copied aside after each, so that both builds can be measured.",
    VERB_OPTIONS(options),
    .run = run,
};
