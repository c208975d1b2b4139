/*
 * view_summary.c - the sentence at the end of a run: which value of an option is fastest, where one
 * option tells the cases apart and the comparison of compare.h is certain of it.
 */
#include "core/compare/compare.h"
#include "core/compare/compare_text.h"
#include "core/view/view_writers.h"

#include <math.h>

/* What cases are compared by, and the value the others are compared with. */
struct question {
    const char *by, *base;
    bool names_it; /* a number needs the option's name */
};

/* Values of these differ in how times are taken, not in how fast the code is. */
static bool is_about_measuring(const char *name)
{
    static const char *const names[] = {"policy", "clock", "iterations", "seed", "check.safety"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_equal(names[i], name))
            return true;
    return false;
}

/* One axis of words; or one axis of numbers, where all cases do the same work; or benchmarks
 * without axes that do. False: there are several, or none. */
static bool find_question(const struct survey *survey, struct question *ret)
{
    const struct survey_bench *bench = &survey->benches[0];
    const struct survey_parameter *words = NULL, *number = NULL;
    size_t n_words = 0, n_numbers = 0;
    for (size_t i = 0; i < survey->n_benches; i++)
        for (size_t j = 0; j < survey->benches[i].n_parameters; j++) {
            const struct survey_parameter *parameter = &survey->benches[i].parameters[j];
            if (!parameter->is_axis || !parameter->varies)
                continue;
            *(parameter->is_number ? &number : &words) = parameter;
            *(parameter->is_number ? &n_numbers : &n_words) += 1;
        }
    const bool is_same_work = survey->any_work && !survey->several_works;
    const struct survey_parameter *axis = n_words ? words : number;
    if (survey->n_benches > 1) {
        *ret = (struct question){.by = "bench", .base = bench->name};
        return n_words + n_numbers == 0 && is_same_work;
    }
    if (!axis || is_about_measuring(axis->name))
        return false;
    *ret = (struct question){.by = axis->name, .base = axis->first, .names_it = axis->is_number};
    return axis->first && (n_words == 1 || (n_words == 0 && n_numbers == 1 && is_same_work));
}

static int32_t compare_by(struct view *view, const struct question *question, struct compare **ret,
                          struct gb_error *error)
{
    const struct compare_options options = {
        .margin = NAN, .confidence = NAN, .metric = "", .is_forced = false};
    const char *path = view->options->path ? view->options->path : "this file";
    bool is_known = false;
    struct compare *compare = compare_new(&options);
    int32_t status = sides_of_values(compare, view->store, path, &view->runs[0], question->by,
                                     question->base, &is_known, error);
    if (status == GB_OK)
        status = is_known ? compare_finish(compare, error) : GB_NOT_FOUND;
    if (status == GB_OK)
        *ret = compare;
    else
        compare_free(compare);
    return status;
}

/* The value of which all ratios are the smallest; NULL: some have none. */
static const char *find_fastest(const struct compare_result *result)
{
    const char *fastest = result->base->name;
    double least = 0;
    for (size_t i = 0; i < result->n_against; i++) {
        const struct geometric_mean *mean = &result->against[i].mean;
        if (mean->n != result->base->n || isnan(mean->theta))
            return NULL;
        fastest = mean->theta < least ? result->against[i].side->name : fastest;
        least = fmin(least, mean->theta);
    }
    return fastest;
}

/* How much slower than the base it is, over all cases, and the interval of that. */
struct slowdown {
    const char *name;
    double theta, low, high;
    size_t n;      /* cases */
    bool is_visit; /* of one round */
};

/* False: it is not certain, or not so in each case. Where nothing is known of what differs between
 * rounds, a difference has to be large. */
static bool is_slower(const struct compare_against *against, struct slowdown *ret)
{
    static const double least_of_visit = 0.05;
    const struct geometric_mean *mean = &against->mean;
    *ret = (struct slowdown){against->side->name, mean->theta, mean->low,
                             mean->high,          mean->n,     false};
    for (size_t i = 0; i < against->n; i++) {
        const struct comparison *result = &against->cases[i].result;
        const bool is_slower = result->verdict == COMPARED_SLOWER;
        ret->is_visit |= result->is_visit;
        if (!is_slower && !(against->n > 1 && result->verdict == COMPARED_SAME))
            return false;
        if (against->n == 1) {
            ret->low = result->low;
            ret->high = result->high;
        }
    }
    return ret->low > (ret->is_visit ? log1p(least_of_visit) : 0) && isfinite(ret->high);
}

static void add_value(const struct question *question, const char *name, struct text *out)
{
    text_printf(out, "%s%s", question->names_it ? question->by : "", question->names_it ? "=" : "");
    text_add_line(out, name);
}

static void add_slowdown(const struct question *question, const struct slowdown *slowdown,
                         struct text *out)
{
    compare_add_ratio(slowdown->theta, slowdown->low, slowdown->high, out);
    text_add(out, " times as fast as ");
    add_value(question, slowdown->name, out);
}

/* "pad is 10.9 [10.8, 11.0] times as fast as baseline". Of more than two values, if the difference
 * to all is certain: "pad is the fastest: 10.9 [...] times as fast as baseline, 1.21 [...] times as
 * fast as tile". */
static void write_sentence(const struct question *question, const struct compare_result *result,
                           const char *first, struct text *out)
{
    const struct slowdown *to_first = NULL, *to_next = NULL;
    CLEANUP(arena_free) struct arena arena = {0};
    struct slowdown *all = ARENA_ARRAY(&arena, struct slowdown, result->n_against);
    size_t n = 0;
    for (size_t i = 0; i < result->n_against; i++) {
        if (!is_slower(&result->against[i], &all[n]))
            continue;
        if (text_equal(all[n].name, first))
            to_first = &all[n];
        else if (!to_next || all[n].theta < to_next->theta)
            to_next = &all[n];
        n++;
    }
    const bool is_fastest = n == result->n_against;
    const struct slowdown *said = to_first ? to_first : is_fastest ? to_next : NULL;
    if (!said)
        return;
    text_add(out, "\n");
    add_value(question, result->base->name, out);
    text_add(out, n > 1 && is_fastest ? " is the fastest: " : " is ");
    add_slowdown(question, said, out);
    if (is_fastest && to_next && to_next != said) {
        text_add(out, ", ");
        add_slowdown(question, to_next, out);
    }
    if (said->n > 1)
        text_printf(out, " (geometric mean of %zu cases)", said->n);
    text_add(out, said->is_visit ? ", in one round\n" : "\n");
}

void summary_write(struct view *view, struct text *out)
{
    enum { CASES_MOST = 2000 };
    const struct view_options *options = view->options;
    struct question question;
    struct compare *compare = NULL;
    struct gb_error error;
    const bool is_chosen = options->where || options->pivot || options->group_by ||
                           options->columns || view->relatives;
    if (is_chosen || view->n_runs != 1 || view->n_entries < 2 || view->n_entries > CASES_MOST ||
        view->survey.any_bad || view->survey.any_skipped ||
        !find_question(&view->survey, &question))
        return;
    const char *first = question.base;
    if (compare_by(view, &question, &compare, &error) != GB_OK)
        return; /* what must not be compared */
    const char *fastest = find_fastest(compare_result(compare));
    question.base = fastest ? arena_text(&view->arena, fastest) : NULL;
    if (fastest && !text_equal(fastest, first)) {
        compare_free(compare);
        if (compare_by(view, &question, &compare, &error) != GB_OK)
            return;
    }
    if (fastest)
        write_sentence(&question, compare_result(compare), first, out);
    compare_free(compare);
}
