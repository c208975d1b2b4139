/* compare_values.c - see compare_internal.h: what the rounds of one case came to. */
#include "core/compare/compare_internal.h"

#include "core/base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct outcome *case_bad_round(const struct compare_case *c)
{
    for (size_t i = 0; i < c->n_rounds; i++)
        if (case_status_is_bad(c->rounds[i]->status))
            return c->rounds[i];
    return NULL;
}

bool case_is_skipped(const struct compare_case *c)
{
    for (size_t i = 0; i < c->n_rounds; i++)
        if (c->rounds[i]->status != CASE_SKIPPED)
            return false;
    return true;
}

void values_free(struct round_values *values)
{
    free(values->values);
    free(values->ratios);
    free(values->rounds);
}

void case_values(const struct compare_case *c, struct round_values *ret)
{
    ret->values = memory_allocate((c->n_rounds + 1) * sizeof *ret->values);
    ret->ratios = memory_allocate((c->n_rounds + 1) * sizeof *ret->ratios);
    ret->rounds = memory_allocate((c->n_rounds + 1) * sizeof *ret->rounds);
    ret->are_whole = true;
    for (size_t i = 0; i < c->n_rounds; i++) {
        double value = c->rounds[i]->value;
        if (c->rounds[i]->status != CASE_OK || !isfinite(value) || value < 0)
            continue;
        ret->are_whole &= value == floor(value);
        ret->rounds[ret->n] = c->rounds[i]->round;
        ret->values[ret->n++] = value;
    }
}

void values_keep_common(struct round_values *a, struct round_values *b)
{
    size_t kept = 0;
    for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
        if (a->rounds[i] != b->rounds[j]) {
            if (a->rounds[i] < b->rounds[j])
                i++;
            else
                j++;
            continue;
        }
        a->values[kept] = a->values[i++];
        b->values[kept++] = b->values[j++];
    }
    a->n = b->n = kept;
}

struct compared_side side_of_values(const struct compare_case *c, struct round_values *values)
{
    struct compared_side side = {.values = values->values, .n = values->n, .interval_ratio = NAN};
    size_t n = 0;
    memcpy(values->ratios, values->values, values->n * sizeof *values->values);
    double median = sort_to_median(values->ratios, values->n);
    if (values->n && median > 0)
        side.step_ratio = c->first->step_ns / median;
    for (size_t i = 0; i < c->n_rounds; i++) {
        const struct outcome *round = c->rounds[i];
        double half = 0.5 * (round->high_ns - round->low_ns) / round->value;
        if (round->status == CASE_OK && isfinite(half) && half >= 0)
            values->ratios[n++] = half;
    }
    if (n)
        side.interval_ratio = sort_to_median(values->ratios, n);
    return side;
}

bool values_have_zero(const struct round_values *values)
{
    for (size_t i = 0; i < values->n; i++)
        if (values->values[i] == 0)
            return true;
    return false;
}

double values_mean(const double *values, size_t n)
{
    struct compensated_sum sum = {0};
    bool agree = n > 0 && values[0] == floor(values[0]);
    for (size_t i = 0; i < n; i++) {
        compensated_add(&sum, log(values[i]));
        agree &= values[i] == values[0];
    }
    if (agree)
        return values[0];
    return n ? exp(compensated_total(&sum) / (double)n) : NAN;
}

bool case_is_certified(const struct compare_case *c)
{
    for (size_t i = 0; i < c->n_rounds; i++)
        if (c->rounds[i]->status == CASE_OK && c->rounds[i]->verdict != GB_VERDICT_CERTIFIED &&
            c->rounds[i]->verdict != GB_VERDICT_MULTIMODAL)
            return false;
    return true;
}

const char *case_status_note(struct arena *arena, const struct outcome *round)
{
    CLEANUP(text_free) struct text text = {0};
    if (round->status == CASE_SKIPPED && !*round->status_text)
        return "";
    case_status_describe(round->status, round->status_text, &text);
    return arena_text(arena, text_get(&text));
}
