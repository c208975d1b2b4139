/* versus.c - see gbrun/measure.h: two subjects in turn, until it is decided which takes longer. */
#include "core/compare/comparison.h"
#include "core/library/call.h"

#include <math.h>
#include <stdlib.h>

struct versus {
    struct gbrun_comparison seen; /* the program's; first, as it is given back for free */
    struct arena arena;
    const struct gbrun_subject *subjects[SIDES];
    const char *settings;
    struct ab_params ab;
    struct result *last[SIDES]; /* of the last visit */
    double *values[SIDES];      /* of the rounds */
    size_t n_values[SIDES];
    double steps[SIDES]; /* of the clock, over the value of the first round */
};

/* What comparisons of results files compare, too: see store_outcomes.h. */
static double value_of(const struct gbrun_result *result)
{
    const bool is_centre = text_equal(result->statistic, "median") ||
                           (text_equal(result->statistic, "mean") &&
                            (result->flags & GBRUN_DITHERED));
    return is_centre && result->time_ns > 0 && isfinite(result->time_ns) ? result->time_ns
                                                                         : result->median_ns;
}

static double step_of(const struct gbrun_result *result, double value)
{
    return result->flags & GBRUN_DITHERED ? 0
                                          : result->tick_ns / (double)result->iterations / value;
}

static void fail(struct versus *versus, int32_t status, const char *side, const char *words)
{
    versus->seen.status = status;
    versus->seen.error = arena_printf(&versus->arena, "%s: %s", side, words);
}

static bool visit(struct versus *versus, int side)
{
    struct result *result = result_new();
    gbrun_free(versus->last[side] ? &versus->last[side]->seen : NULL);
    versus->last[side] = result;
    call_measure(versus->subjects[side], versus->settings, side, result, &versus->ab);
    const struct gbrun_result *seen = &result->seen;
    const double value = value_of(seen);
    if (seen->status == GB_INVALID) {
        versus->seen.status = seen->status; /* of settings, which are those of both */
        versus->seen.error = seen->error;
    } else if (seen->status != GB_OK) {
        fail(versus, seen->status, side_words[side], seen->error);
    } else if (!(value > 0)) {
        fail(versus, GB_FAILED, side_words[side], "reads no time: there is no ratio");
    } else {
        if (versus->n_values[side] == 0)
            versus->steps[side] = step_of(seen, value);
        MEMORY_APPEND(versus->values[side], versus->n_values[side], value);
    }
    return versus->seen.status == GB_OK;
}

static struct comparison judge(const struct versus *versus, bool goes_on)
{
    const size_t n_base = versus->n_values[SIDE_BASE], n_new = versus->n_values[SIDE_NEW];
    struct comparison judged = {0};
    struct compared_rounds rounds = {.a = versus->values[SIDE_BASE],
                                     .b = versus->values[SIDE_NEW],
                                     .n = n_base < n_new ? n_base : n_new,
                                     .step_a = versus->steps[SIDE_BASE],
                                     .step_b = versus->steps[SIDE_NEW],
                                     .ret = &judged};
    compare_judge_rounds(&rounds, 1, versus->ab.margin, 1 - versus->ab.alpha, goes_on);
    return judged;
}

/* Before the first visit nothing is known of max_rounds. */
static void measure_rounds(struct versus *versus)
{
    for (int64_t round = 0; round == 0 || round < versus->ab.max_rounds; round++) {
        const int first = round % 2 == 0 ? SIDE_BASE : SIDE_NEW;
        if (!visit(versus, first) || !visit(versus, SIDE_BASE + SIDE_NEW - first) ||
            judge(versus, true).verdict != COMPARED_UNCLEAR)
            return;
    }
}

static int32_t verdict_number(int verdict)
{
    switch (verdict) {
    case COMPARED_SAME:
        return GBRUN_SAME;
    case COMPARED_CHANGED:
        return GBRUN_CHANGED;
    case COMPARED_FASTER:
        return GBRUN_FASTER;
    case COMPARED_SLOWER:
        return GBRUN_SLOWER;
    default:
        return GBRUN_UNCLEAR;
    }
}

static double geometric_mean(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += log(values[i]);
    return n > 0 ? exp(sum / (double)n) : NAN;
}

static const struct gbrun_result *last_of(const struct versus *versus, int side)
{
    return versus->last[side] ? &versus->last[side]->seen : NULL;
}

static void conclude(struct versus *versus)
{
    struct gbrun_comparison *seen = &versus->seen;
    const struct comparison judged = judge(versus, false);
    if (judged.n_rounds >= SEQUENCE_FIRST) {
        seen->ratio = exp(judged.theta);
        seen->ratio_low = exp(judged.low);
        seen->ratio_high = exp(judged.high);
    }
    if (seen->status == GB_OK) {
        seen->verdict = verdict_number(judged.verdict);
        seen->verdict_text = compared_word(judged.verdict);
        seen->n_needed = judged.n_needed;
    }
    seen->margin = versus->ab.margin;
    seen->alpha = versus->ab.alpha;
    seen->n_rounds = judged.n_rounds;
    seen->base_ns = geometric_mean(versus->values[SIDE_BASE], judged.n_rounds);
    seen->new_ns = geometric_mean(versus->values[SIDE_NEW], judged.n_rounds);
    seen->base_rounds_ns = versus->values[SIDE_BASE];
    seen->new_rounds_ns = versus->values[SIDE_NEW];
    seen->base_result = last_of(versus, SIDE_BASE);
    seen->new_result = last_of(versus, SIDE_NEW);
}

/* Both, before anything is measured. */
static bool are_sound(struct versus *versus)
{
    bool is_sound = true;
    for (int side = 0; side < SIDES && is_sound; side++) {
        struct result *result = result_new();
        is_sound = call_is_sound(versus->subjects[side], "gbrun_compare", result);
        if (!is_sound)
            fail(versus, result->seen.status, side_words[side], result->seen.error);
        gbrun_free(&result->seen);
    }
    return is_sound;
}

const struct gbrun_comparison *gbrun_compare(const struct gbrun_subject *base,
                                             const struct gbrun_subject *other,
                                             const char *settings)
{
    struct versus *versus = memory_allocate(sizeof *versus);
    versus->seen = (struct gbrun_comparison){.size = sizeof versus->seen,
                                             .error = "",
                                             .ratio = NAN,
                                             .ratio_low = NAN,
                                             .ratio_high = NAN,
                                             .verdict_text = compared_word(COMPARED_UNCLEAR)};
    versus->subjects[SIDE_BASE] = base;
    versus->subjects[SIDE_NEW] = other;
    versus->settings = settings;
    if (are_sound(versus)) {
        const char *why = call_turn_begin();
        if (why) {
            versus->seen.status = GB_FAILED;
            versus->seen.error = why;
        } else {
            measure_rounds(versus);
            call_turn_end();
        }
    }
    conclude(versus);
    return &versus->seen;
}

void gbrun_comparison_free(const struct gbrun_comparison *seen)
{
    struct versus *versus = (struct versus *)(uintptr_t)seen;
    if (!versus)
        return;
    for (int side = 0; side < SIDES; side++) {
        gbrun_free(last_of(versus, side));
        free(versus->values[side]);
    }
    arena_free(&versus->arena);
    free(versus);
}
