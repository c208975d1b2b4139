/* ab.c - see ab.h. */
#include "core/cli/ab.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- judging ---- */

/* All that is stored of the run. goes_on: undecided cases may have further rounds. */
static int32_t judge(const struct ab *ab, bool goes_on, struct compare **ret,
                     struct gb_error *error)
{
    const struct compare_options options = {.margin = ab->job.configuration.ab.margin,
                                            .confidence = 1 - ab->job.configuration.ab.alpha,
                                            .metric = "",
                                            .goes_on = goes_on};
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

/* A pair that has several devices is decided once it is on all of them. Returns how many are. */
static size_t note_decided(struct ab *ab, const struct compare_against *against)
{
    size_t n = 0;
    for (size_t i = 0; i < against->n; i++)
        ab->is_decided[pair_of(ab, &against->cases[i])] = true;
    for (size_t i = 0; i < against->n; i++)
        if (against->cases[i].result.verdict == COMPARED_UNCLEAR)
            ab->is_decided[pair_of(ab, &against->cases[i])] = false;
    for (size_t i = 0; i < ab->n_pairs; i++)
        n += ab->is_decided[i];
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

static int32_t on_round(void *context, struct schedule *schedule, bool *ret_goes_on,
                        struct gb_error *error)
{
    struct ab *ab = context;
    struct compare *compare = NULL;
    uint32_t n_rounds = schedule->n_rounds;
    bool may_go_on = n_rounds < (uint64_t)ab->job.configuration.ab.max_rounds;
    int32_t status = judge(ab, may_go_on, &compare, error);
    *ret_goes_on = false;
    if (status != GB_OK)
        return status;
    const struct compare_against *against = &compare_result(compare)->against[0];
    size_t n_decided = note_decided(ab, against);
    count_left(ab, n_decided, n_rounds);
    events_round_end(ab->job.has_events ? &ab->job.events : NULL, n_rounds, n_decided, ab->n_pairs);
    say_round(ab, against, n_rounds, n_decided);
    compare_free(compare);
    if (may_go_on && n_decided < ab->n_pairs) {
        schedule->n_rounds++;
        *ret_goes_on = true;
    }
    return GB_OK;
}

static int make_pairs(struct ab *ab)
{
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
    ab->pair_of = ARENA_ARRAY(&configuration->arena, size_t, n + 1);
    for (uint64_t i = 0; i < n; i++)
        ab->pair_of[i] = SIZE_MAX;
    for (size_t i = 0; i < ab->n_pairs; i++)
        for (int side = 0; side < SIDES; side++)
            ab->pair_of[ab->pairs[i].positions[side]] = i;
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
    int code = run_job_open(job);
    if (code == EXIT_FINE)
        code = make_pairs(ab);
    if (code != EXIT_FINE)
        return code;
    add_facts(ab);
    job->plan = (struct run_plan){
        .schedule = {.pairs = ab->pairs, .n_pairs = ab->n_pairs, .is_decided = ab->is_decided},
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
