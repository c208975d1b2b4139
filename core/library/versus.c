/* versus.c - see gbrun/measure.h: two subjects in turn, until it is certain which takes longer. */
#include "core/base/random.h"
#include "core/compare/comparison.h"
#include "core/library/library.h"

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
    measure_side(versus->subjects[side], versus->settings, side, result, &versus->ab);
    const struct gbrun_result *seen = &result->seen;
    const double value = result_value(seen);
    if (seen->status == GB_INVALID) {
        versus->seen.status = seen->status; /* of settings, which are those of both */
        versus->seen.error = seen->error;
    } else if (seen->status != GB_OK) {
        fail(versus, seen->status, side_words[side], seen->error);
    } else if (!(value > 0)) {
        fail(versus, GB_FAILED, side_words[side], "reads no time: there is no ratio");
    } else {
        if (versus->n_values[side] == 0 && !(seen->flags & GBRUN_DITHERED))
            versus->steps[side] = seen->tick_ns / (double)seen->iterations / value;
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

enum { BLOCK_STREAM = 0x626c6f63 }; /* of the order of sides in blocks of rounds */

/* Before the first visit nothing is known of max_rounds. */
static void measure_rounds(struct versus *versus)
{
    for (int64_t round = 0; round == 0 || round < versus->ab.max_rounds; round++) {
        const uint64_t block = (uint64_t)round / SIDES;
        const int first = (int)((uint64_t)round + random_below(0, BLOCK_STREAM, block, SIDES)) %
                          SIDES;
        if (!visit(versus, first) || !visit(versus, SIDE_BASE + SIDE_NEW - first) ||
            judge(versus, true).verdict != COMPARED_UNCLEAR)
            return;
    }
}

static int32_t verdict_number(int verdict)
{
    return verdict == COMPARED_SAME      ? GBRUN_SAME
           : verdict == COMPARED_CHANGED ? GBRUN_CHANGED
           : verdict == COMPARED_FASTER  ? GBRUN_FASTER
           : verdict == COMPARED_SLOWER  ? GBRUN_SLOWER
                                         : GBRUN_UNCLEAR;
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

static void conclude(struct versus *versus, bool goes_on)
{
    struct gbrun_comparison *seen = &versus->seen;
    const struct comparison judged = judge(versus, goes_on);
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
    bool are_both = true;
    for (int side = 0; side < SIDES && are_both; side++) {
        struct result *result = result_new();
        are_both = subject_is_sound(versus->subjects[side], "gbrun_compare", result);
        if (!are_both)
            fail(versus, result->seen.status, side_words[side], result->seen.error);
        gbrun_free(&result->seen);
    }
    return are_both;
}

static struct versus *versus_new(const char *settings)
{
    struct versus *versus = memory_allocate(sizeof *versus);
    versus->seen = (struct gbrun_comparison){.size = sizeof versus->seen,
                                             .error = "",
                                             .ratio = NAN,
                                             .ratio_low = NAN,
                                             .ratio_high = NAN,
                                             .verdict_text = compared_word(COMPARED_UNCLEAR)};
    versus->settings = settings;
    return versus;
}

/* Takes the turn; false: it cannot, and the comparison says why. */
static bool versus_turn(struct versus *versus)
{
    const char *why = turn_begin();
    if (why) {
        versus->seen.status = GB_FAILED;
        versus->seen.error = why;
    }
    return !why;
}

const struct gbrun_comparison *gbrun_compare(const struct gbrun_subject *base,
                                             const struct gbrun_subject *other,
                                             const char *settings)
{
    struct versus *versus = versus_new(settings);
    versus->seen.flags = GBRUN_IN_THIS_PROCESS;
    versus->subjects[SIDE_BASE] = base;
    versus->subjects[SIDE_NEW] = other;
    if (are_sound(versus) && versus_turn(versus)) {
        measure_rounds(versus);
        turn_end();
    }
    conclude(versus, false);
    return &versus->seen;
}

/* Reads settings for their [ab NAME]. */
static void read_rule(struct versus *versus)
{
    struct result *result = result_new();
    struct request request = {0};
    struct error_list errors = {0};
    struct gb_error error;
    const struct catalogue *catalogue;
    if (library_catalogue(&catalogue, &error) != GB_OK)
        result_fail(result, error.status, error.text);
    else if (request_read(versus->settings ? versus->settings : "", SIDE_BASE, catalogue,
                          &result->arena, &request, &errors) != GB_OK)
        result_fail(result, GB_INVALID, error_lines(&errors, &result->arena));
    error_list_free(&errors);
    versus->ab = request.ab;
    versus->seen.status = result->seen.status;
    versus->seen.error = arena_text(&versus->arena, result->seen.error);
    gbrun_free(&result->seen);
}

const struct gbrun_comparison *gbrun_compare_rounds(const double *base_ns, const double *new_ns,
                                                    uint64_t n, double step, const char *settings)
{
    const double *const sides[SIDES] = {base_ns, new_ns};
    struct versus *versus = versus_new(settings);
    if (versus_turn(versus)) {
        read_rule(versus);
        turn_end();
    }
    for (int side = 0; side < SIDES && versus->seen.status == GB_OK; side++) {
        versus->steps[side] = step;
        for (uint64_t i = 0; i < n && versus->seen.status == GB_OK; i++)
            if (sides[side][i] > 0 && isfinite(sides[side][i]))
                MEMORY_APPEND(versus->values[side], versus->n_values[side], sides[side][i]);
            else
                fail(versus, GB_INVALID, side_words[side], "a round takes no time above 0");
    }
    const bool goes_on = n < (uint64_t)versus->ab.max_rounds;
    conclude(versus, goes_on);
    if (goes_on && versus->seen.status == GB_OK && versus->seen.verdict == GBRUN_UNCLEAR)
        versus->seen.flags |= GBRUN_GOES_ON;
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
