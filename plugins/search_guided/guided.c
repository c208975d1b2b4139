/*
 * guided.c - the search `guided`: a model of what has been measured says where improvement per
 * second is expected. Plugin side.
 *
 * Expected improvement: Jones, Schonlau and Welch, Efficient global optimization of expensive
 * black-box functions (1998), equation 15; divided by what a visit is expected to cost: Snoek,
 * Larochelle and Adams, Practical Bayesian optimization (2012), 3.2. Cases that are still open
 * count with what the model expects of them (Ginsbourger, Le Riche and Carraro, Kriging is
 * well-suited to parallelize optimization, 2010: the believer).
 */
#include "../common/policy/order_statistics.h"
#include "../common/search/search.h"
#include "model.h"

#include <gbrun/gbrun.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STREAM_OF_STARTS = 0x4753, STARTS_COMPARED = 16, DRAWS_MAX = 10000 };

/* Its own time may be this share of what visits take; a step of the model for a candidate and a
 * point takes about so long, scoring a candidate as long as so many steps. */
static const double OWN_SHARE = 0.01, STEP_NS = 1.5, SCORE_STEPS = 60;

/* Most points that lengths are chosen by, candidates that there are at least, leaders whose
 * neighbours are looked at. */
enum {
    FIT_POINTS_MAX = 160,
    CANDIDATES_MIN = 500,
    LEADERS_MAX = 16,
    NEIGHBOURS_MAX = 64,
    PLACES_MIN = 4,
    CONFIRM_AFTER = 8,
    AGAIN_MAX = 4 /* visits of a rival of the best */
};

/* Leaders are those whose targets are within this of the best one's. */
static const double LEADERS_BAND = 0.05;

/* Where nothing better was found for a while, rivals within this of the best one's target are
 * measured again, twice as often each time: a clock may have been slow then, or fast when the best
 * one was measured. That may take this share of the time of all visits. */
static const double RIVALS_BAND = 0.1, AGAIN_SHARE = 0.01;

/* Improvement counts from so many tolerances on: of neighbours, and elsewhere. Small steps would
 * keep the search on a plateau. */
static const double NEAR_TOLERANCES = 10, FAR_TOLERANCES = 3;

/* Lengths are chosen anew when there are this many times the points. */
static const double REFIT_GROWTH = 1.2;

struct params {
    int64_t samples, start;
};

static const struct gb_option options[] = {
    GB_INT(struct params, samples, "2", "1:1000000", "samples",
           "samples of each case; the best one is measured again, twice as often"),
    GB_INT(struct params, start, "6", "2:1000", "cases",
           "cases far from each other that are measured before the model chooses"),
};

/* Open ones have what the model expects as values; unexpected ones were proposed before it. */
enum { POINT_OPEN, POINT_UNEXPECTED, POINT_OK, POINT_FAILED };

/* What cannot be measured counts as the ceiling, so that it is not looked for beside it. */
static const double FAILED_TARGET = 1e300;

/* What is behind a point of the model. */
struct point {
    uint64_t i;
    int state;
};

struct search {
    const struct gb_host *host;
    const struct gb_search_space *space;
    const struct params *params;
    struct model model;
    struct point points[MODEL_POINTS_MAX]; /* model.n of them */
    uint32_t n_fit;                        /* points when lengths were chosen */
    uint8_t *is_proposed;                  /* by case: how often, at most AGAIN_MAX */
    uint64_t leader;                       /* or GB_NO_CASE */
    double leader_target;
    int is_leader_again; /* it has been proposed again */
    uint64_t n_cases_at_leader;
    uint64_t n_cases, n_ok, n_failed, n_open, n_visits, n_turns, n_draws;
    double wall_ns;  /* of all visits */
    double again_ns; /* of those of cases that were visited before */
    uint32_t n_again_open;
    double sign; /* of the goal's values: 1, -1, 0: both occur, their logarithms are not taken */
    uint32_t *indices;
    uint16_t *place;
    double *scratch;
};

static int32_t create(const struct gb_host *host, const struct gb_search_space *space,
                      const void *params, void **ret_search)
{
    struct search *search = host->allocate(host, sizeof *search);
    if (search == NULL)
        return GB_NO_MEMORY;
    *ret_search = search;
    search->host = host;
    search->space = space;
    search->params = params;
    search->leader = GB_NO_CASE;
    search->model.failures.p_ok = 1;
    search->is_proposed = host->allocate(host, space->n_cases);
    search->indices = host->allocate(host, space->n_axes * sizeof *search->indices);
    search->place = host->allocate(host, 2 * (uint64_t)space->n_axes * sizeof *search->place);
    search->scratch = host->allocate(host, MODEL_POINTS_MAX * sizeof *search->scratch);
    if (!search->is_proposed || !search->indices || !search->place || !search->scratch)
        return GB_NO_MEMORY;
    return model_new(&search->model, space);
}

static void destroy(void *object)
{
    struct search *search = object;
    if (search == NULL)
        return;
    model_free(&search->model);
}

/* ---- the goal as the model sees it ---- */

/* Differences are relative ones where all values have one sign. */
static double target_of(const struct search *search, double value)
{
    return search->sign == 0 ? value : search->sign * log(search->sign * value);
}

static void find_place(struct search *search, uint64_t i)
{
    search->space->place(search->space, i, search->indices);
    model_place(&search->model, search->indices, search->place);
}

/* Of a visit that has been observed; where it is not known, any will do. */
static double cost_of(const struct gb_known *known)
{
    const double ns = known->n_visits ? known->cost_ns / known->n_visits : 0;
    return log(ns > 1 ? ns : 1);
}

static double *targets_of(struct search *search, uint32_t point)
{
    return search->model.targets + (size_t)point * MODEL_TARGETS;
}

/* ---- the model ---- */

/* Its own time that a visit may cost. */
static double allowed_ns(const struct search *search)
{
    return OWN_SHARE * search->wall_ns / (double)search->n_visits;
}

/* How many points there may be: of more, too few candidates could be predicted. */
static uint32_t points_wanted(const struct search *search)
{
    const double n = allowed_ns(search) / (STEP_NS * CANDIDATES_MIN);
    return n < 100 ? 100 : n > MODEL_POINTS_MAX ? MODEL_POINTS_MAX : (uint32_t)n;
}

/* Half of the points that could be measured are at most the ceiling. */
static void find_ceiling(struct search *search)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < search->model.n; k++)
        if (search->points[k].state == POINT_OK)
            search->scratch[n++] = targets_of(search, k)[0];
    sort_ascending(search->scratch, n);
    search->model.ceiling = n ? search->scratch[n / 2] : FAILED_TARGET;
}

/* The worse half is left out; of those at the ceiling each second one. */
static void drop_points(struct search *search)
{
    struct model *model = &search->model;
    uint32_t n = 0;
    find_ceiling(search);
    for (uint32_t k = 0; k < model->n; k++) {
        const double *targets = targets_of(search, k);
        if (search->points[k].state > POINT_UNEXPECTED &&
            (targets[0] > model->ceiling || (targets[0] == model->ceiling && k % 2 == 0)))
            continue;
        search->points[n] = search->points[k];
        memmove(targets_of(search, n), targets, MODEL_TARGETS * sizeof *targets);
        memmove(model->places + (size_t)n * model->n_axes,
                model->places + (size_t)k * model->n_axes, model->n_axes * sizeof *model->places);
        n++;
    }
    model->n = n;
}

/* As many as its share of the time allows. */
static uint32_t candidates_wanted(const struct search *search)
{
    const double each_ns = STEP_NS * (search->model.n + SCORE_STEPS);
    double n = allowed_ns(search) / each_ns;
    n = n < CANDIDATES_MIN ? CANDIDATES_MIN : n > CANDIDATES_MAX ? CANDIDATES_MAX : n;
    return n < (double)search->space->n_cases ? (uint32_t)n : (uint32_t)search->space->n_cases;
}

/* The points that lengths can be chosen by in the time that visits until the next time allow. */
static uint32_t fit_points(const struct search *search)
{
    const double steps = allowed_ns(search) * (REFIT_GROWTH - 1) * search->model.n / STEP_NS;
    const double n = cbrt(steps * 6 / MODEL_FIT_STEPS / (search->model.n_axes + 2));
    return n < 16 ? 16 : n > FIT_POINTS_MAX ? FIT_POINTS_MAX : (uint32_t)n;
}

/* What was proposed before there was a model is as the median of the others. */
static void expect(struct search *search)
{
    for (uint32_t k = 0; k < search->model.n; k++) {
        if (search->points[k].state != POINT_UNEXPECTED)
            continue;
        targets_of(search, k)[0] = search->model.ceiling;
        targets_of(search, k)[1] = log(fmax(search->wall_ns / (double)search->n_visits, 1));
    }
}

static int32_t refit(struct search *search)
{
    const uint32_t n = candidates_wanted(search);
    if (search->model.n >= points_wanted(search))
        drop_points(search);
    find_ceiling(search);
    expect(search);
    model_fit(&search->model, fit_points(search));
    search->n_fit = search->model.n;
    candidates_forget(&search->model.candidates);
    if (n == search->model.candidates.n && n == search->space->n_cases)
        return GB_OK;
    search->n_draws += n;
    return candidates_choose(&search->model, search->host, search->space, n, search->n_draws);
}

static int32_t update(struct search *search)
{
    int32_t status = GB_OK;
    search->model.failures.p_ok = ((double)search->n_ok + 1) /
                                  ((double)(search->n_ok + search->n_failed) + 1);
    if (search->n_fit == 0 || search->model.n >= REFIT_GROWTH * search->n_fit ||
        search->model.n >= points_wanted(search))
        status = refit(search);
    model_solve(&search->model);
    return status == GB_OK ? candidates_predict(&search->model) : status;
}

/* ---- proposals ---- */

/* Expected, beyond the margin. */
static double improvement(const struct search *search, const struct prediction *prediction,
                          double margin)
{
    static const double ROOT_HALF = 0.70710678118654752, DENSITY_AT_0 = 0.39894228040143268;
    const double u = (search->leader_target - margin - prediction->mean) / prediction->deviation;
    return prediction->deviation *
           (u * 0.5 * erfc(-u * ROOT_HALF) + DENSITY_AT_0 * exp(-0.5 * u * u));
}

/* The best case so far of those that are compared. */
struct choice {
    uint64_t i; /* GB_NO_CASE: none */
    double score, margin;
    double steps_left; /* of the model, for places that are no candidates */
};

/* By how much targets differ that differ as much as the best one's value. */
static double unit_of(const struct search *search)
{
    return search->sign == 0 ? fabs(search->leader_target) : 1;
}

static struct choice choice_new(const struct search *search, double tolerances)
{
    const double steps = allowed_ns(search) / STEP_NS, n = search->model.n;
    return (struct choice){.i = GB_NO_CASE,
                           .score = -1,
                           .margin = tolerances * search->space->tolerance * unit_of(search),
                           .steps_left = fmax(steps, PLACES_MIN * n * n / 2)};
}

static void compare(const struct search *search, uint64_t i, const struct prediction *prediction,
                    struct choice *choice)
{
    const double score = prediction->p_ok * improvement(search, prediction, choice->margin) *
                         exp(-prediction->cost);
    if (score > choice->score) {
        choice->score = score;
        choice->i = i;
    }
}

static uint64_t best_candidate(const struct search *search)
{
    struct choice choice = choice_new(search, FAR_TOLERANCES);
    for (uint32_t i = 0; i < search->model.candidates.n; i++) {
        struct prediction prediction;
        if (search->is_proposed[search->model.candidates.cases[i]])
            continue;
        candidates_get(&search->model, i, &prediction);
        compare(search, search->model.candidates.cases[i], &prediction, &choice);
    }
    return choice.i;
}

/* The case at search->indices. */
static void compare_neighbour(struct search *search, struct choice *choice)
{
    struct prediction prediction;
    const uint64_t i = search->space->find(search->space, search->indices);
    if (i == GB_NO_CASE || search->is_proposed[i] || choice->steps_left < 0)
        return;
    if (search->model.candidates.n == search->space->n_cases) {
        candidates_get(&search->model, (uint32_t)i, &prediction);
    } else {
        model_place(&search->model, search->indices, search->place);
        predict_place(&search->model, search->place, search->scratch, &prediction);
        choice->steps_left -= 0.5 * search->model.n * search->model.n;
    }
    compare(search, i, &prediction, choice);
}

/* Those that differ from it on one axis, by few ranks first. */
static void compare_neighbours(struct search *search, uint64_t i, struct choice *choice)
{
    const struct gb_search_space *space = search->space;
    uint32_t *indices = search->indices;
    if (space->place(space, i, indices) != GB_OK)
        return;
    for (uint32_t k = 0; k < space->n_axes; k++) {
        const uint32_t axis = (uint32_t)((k + search->n_turns / 2) % space->n_axes);
        const uint32_t here = indices[axis], n = space->axes[axis]->n;
        for (uint32_t away = 1; away < n && away <= NEIGHBOURS_MAX; away++) {
            indices[axis] = here + away;
            if (here + away < n)
                compare_neighbour(search, choice);
            indices[axis] = here - away;
            if (away <= here)
                compare_neighbour(search, choice);
        }
        indices[axis] = here;
    }
}

static uint64_t best_neighbour(struct search *search)
{
    const double most = search->leader_target + LEADERS_BAND * unit_of(search);
    struct choice choice = choice_new(search, NEAR_TOLERANCES);
    uint32_t n_leaders = 1;
    compare_neighbours(search, search->leader, &choice);
    for (uint32_t k = search->model.n; k > 0 && n_leaders < LEADERS_MAX; k--) {
        const struct point *point = &search->points[k - 1];
        if (point->state != POINT_OK || point->i == search->leader ||
            targets_of(search, k - 1)[0] > most)
            continue;
        compare_neighbours(search, point->i, &choice);
        n_leaders++;
    }
    return choice.i;
}

/* A random case that is not proposed yet; the first one from a random one on where few are left. */
static uint64_t draw(struct search *search)
{
    uint64_t i = 0;
    for (int k = 0; k < DRAWS_MAX; k++) {
        i = search_random_below(search->host, STREAM_OF_STARTS, search->n_draws++,
                                search->space->n_cases);
        if (!search->is_proposed[i])
            return i;
    }
    for (uint64_t k = 0; k < search->space->n_cases; k++)
        if (!search->is_proposed[(i + k) % search->space->n_cases])
            return (i + k) % search->space->n_cases;
    return GB_NO_CASE;
}

/* How near the nearest case is that was proposed, by the kernel: 0 to 1. */
static double nearness(struct search *search, uint64_t i)
{
    double nearest = 0;
    find_place(search, i);
    for (uint32_t k = 0; k < search->model.n; k++)
        nearest = fmax(nearest,
                       model_kernel(&search->model, search->place,
                                    search->model.places + (size_t)k * search->model.n_axes));
    for (size_t k = 0; k < search->model.failures.n; k++)
        nearest = fmax(nearest,
                       model_kernel(&search->model, search->place,
                                    search->model.failures.places + k * search->model.n_axes));
    return nearest;
}

static uint64_t draw_start(struct search *search)
{
    uint64_t best = draw(search);
    double lowest = best == GB_NO_CASE ? 0 : nearness(search, best);
    for (int k = 1; k < STARTS_COMPARED && best != GB_NO_CASE; k++) {
        const uint64_t i = draw(search);
        const double near = nearness(search, i);
        if (near < lowest) {
            lowest = near;
            best = i;
        }
    }
    return best;
}

/* A case that has no values yet: it stands in the model with those expected. */
static int32_t open_point(struct search *search, uint64_t i)
{
    struct prediction prediction = {0};
    double targets[MODEL_TARGETS] = {0};
    find_place(search, i);
    if (search->n_fit > 0)
        predict_place(&search->model, search->place, search->scratch, &prediction);
    targets[0] = prediction.mean;
    targets[1] = prediction.cost;
    search->points[search->model.n] = (struct point){
        .i = i, .state = search->n_fit > 0 ? POINT_OPEN : POINT_UNEXPECTED};
    return model_add(&search->model, search->place, targets);
}

static int32_t propose_case(struct search *search, uint64_t i, const char *why,
                            struct gb_proposal *proposal)
{
    const int is_again = search->is_proposed[i] > 0;
    proposal->action = GB_PROPOSE_MEASURE;
    proposal->i = i;
    proposal->n_samples = (uint64_t)search->params->samples << search->is_proposed[i];
    snprintf(proposal->reason, sizeof proposal->reason, "%s", why);
    search->n_open++;
    search->is_leader_again |= i == search->leader;
    if (search->is_proposed[i] < AGAIN_MAX)
        search->is_proposed[i]++;
    search->n_again_open += (uint32_t)is_again;
    if (is_again)
        return GB_OK;
    search->n_cases++;
    return open_point(search, i);
}

static int32_t propose_by_model(struct search *search, struct gb_proposal *proposal)
{
    const char *why = "neighbour of the best";
    uint64_t i = GB_NO_CASE;
    const int32_t status = update(search);
    if (status != GB_OK)
        return status;
    if (search->n_turns++ % 2 == 1)
        i = best_neighbour(search);
    if (i == GB_NO_CASE) {
        i = best_candidate(search);
        why = search->model.candidates.n < search->space->n_cases
                  ? "expected improvement, of a sample"
                  : "expected improvement";
    }
    if (i == GB_NO_CASE) {
        i = draw(search);
        why = "no candidate is left";
    }
    return propose_case(search, i, why, proposal);
}

/* The one that was visited least of those near the best one, it among them, and the best of these;
 * or GB_NO_CASE. */
static uint64_t find_rival(const struct search *search)
{
    const double most = search->leader_target + RIVALS_BAND * unit_of(search);
    uint64_t rival = GB_NO_CASE, fewest = AGAIN_MAX;
    double lowest = 0;
    for (uint32_t k = 0; k < search->model.n; k++) {
        const uint64_t i = search->points[k].i, n = search->is_proposed[i];
        const double target = search->model.targets[(size_t)k * MODEL_TARGETS];
        if (search->points[k].state != POINT_OK || target > most || n > fewest || n == AGAIN_MAX ||
            (n == fewest && target >= lowest) || search_known(search->space, i).n_visits < n)
            continue;
        rival = i;
        fewest = n;
        lowest = target;
    }
    return rival;
}

static int32_t propose(void *object, struct gb_proposal *proposal)
{
    struct search *search = object;
    const uint64_t start = (uint64_t)search->params->start;
    if (search->leader != GB_NO_CASE && !search->is_leader_again && search->n_fit > 0 &&
        search->n_cases >= search->n_cases_at_leader + CONFIRM_AFTER)
        return propose_case(search, search->leader, "the best so far again", proposal);
    if (search->leader != GB_NO_CASE && search->n_fit > 0 && search->n_again_open == 0 &&
        search->n_cases >= search->n_cases_at_leader + 2 * CONFIRM_AFTER &&
        search->again_ns < AGAIN_SHARE * search->wall_ns) {
        const uint64_t rival = find_rival(search);
        if (rival != GB_NO_CASE)
            return propose_case(search, rival, "a rival of the best again", proposal);
    }
    if (search->n_cases == search->space->n_cases) {
        proposal->action = search->n_open ? GB_PROPOSE_WAIT : GB_PROPOSE_DONE;
        snprintf(proposal->reason, sizeof proposal->reason, "every case is measured");
        return GB_OK;
    }
    if (search->model.n == MODEL_POINTS_MAX && search->n_fit == 0)
        drop_points(search);
    if (search->n_cases < start || search->n_ok < 2)
        return propose_case(search, draw_start(search), "start", proposal);
    return propose_by_model(search, proposal);
}

/* ---- observations ---- */

static void take_value(struct search *search, struct point *point, double *targets)
{
    const struct gb_known known = search_known(search->space, point->i);
    search->n_ok += point->state <= POINT_UNEXPECTED;
    point->state = POINT_OK;
    targets[0] = target_of(search, known.median);
    targets[1] = known.n_visits > 1 ? targets[1] : cost_of(&known);
}

/* The first value says which sign they have; one of another sign, or 0, that they have none. */
static void check_sign(struct search *search, double value, int is_first)
{
    const double sign = value > 0 ? 1 : value < 0 ? -1 : 0;
    if (is_first)
        search->sign = sign;
    if (is_first || sign == search->sign || search->sign == 0)
        return;
    search->sign = 0;
    for (uint32_t k = 0; k < search->model.n; k++)
        if (search->points[k].state == POINT_OK)
            targets_of(search, k)[0] = search_known(search->space, search->points[k].i).median;
    search->n_fit = search->n_fit ? 1 : 0;
}

static void find_leader(struct search *search)
{
    const uint64_t before = search->leader;
    search->leader = GB_NO_CASE;
    for (uint32_t k = 0; k < search->model.n; k++) {
        const double target = targets_of(search, k)[0];
        if (search->points[k].state == POINT_OK &&
            (search->leader == GB_NO_CASE || target < search->leader_target)) {
            search->leader = search->points[k].i;
            search->leader_target = target;
        }
    }
    if (search->leader == before || search->leader == GB_NO_CASE)
        return;
    search->is_leader_again = search_known(search->space, search->leader).n_visits > 1;
    search->n_cases_at_leader = search->n_cases;
}

static int32_t observe(void *object, const struct gb_observation *observation)
{
    struct search *search = object;
    uint32_t k = search->model.n;
    const struct gb_known known = search_known(search->space, observation->i);
    const int is_ok = search_may_be_best(&known);
    int32_t status = GB_OK;
    search->n_open--;
    search->n_visits++;
    search->wall_ns += observation->wall_ns;
    if (known.n_visits > 1) {
        search->n_again_open--;
        search->again_ns += observation->wall_ns;
    }
    while (k > 0 && search->points[k - 1].i != observation->i)
        k--;
    if (is_ok)
        check_sign(search, known.median, search->n_ok == 0);
    if (k > 0 && is_ok) {
        take_value(search, &search->points[k - 1], targets_of(search, k - 1));
    } else if (k > 0) {
        search->points[k - 1].state = POINT_FAILED;
        targets_of(search, k - 1)[0] = FAILED_TARGET;
        search->n_failed++;
        find_place(search, observation->i);
        status = model_add_failure(&search->model, search->place);
    }
    find_leader(search);
    return status;
}

static int32_t report(void *object, struct gb_search_claim *claim)
{
    struct search *search = object;
    return search_claim_measured(search->host, search->space, claim);
}

static const struct gb_search_ops ops = SEARCH_OPS(create, propose, report, destroy);

static const struct gb_plugin guided = {
    GB_PLUGIN(SEARCH, "guided", "1.0", "where a model expects the most improvement per second"),
    .help =
        "Begins with `start` cases far from each other. Then a Gaussian process over the values of "
        "the axes, numbers by their rank and words as equal or not, predicts what the other cases "
        "take, what it costs to measure them, and whether they can be measured. The next case is "
        "the one with the largest expected improvement per second, from 3 tolerances on; every "
        "second one is the best neighbour, from 10 tolerances on, of those within 5 % of the best: "
        "a case that differs on one axis. A case that remains the best for 8 cases is measured "
        "again, with twice as many samples. After 16, it and those within 10 % of it are, up to "
        "four times in all, while that takes at most 1 % of the time: steps of the clock may have "
        "made it fast or the others slow.\n\n"
        "Up to 16384 cases are predicted at each step. Of larger spaces, and where its own "
        "computation would take more than some 2 % of the time (4,000 cases of less than 100 ms, "
        "16,000 of less than 400 ms), it predicts a random part, 500 cases or more, which is drawn "
        "anew as the model grows, and neighbours. The model keeps up to 1000 cases, of more the "
        "better half.\n\n"
        "With lanes, the cases that are open stand in the model with what it expects of them, so "
        "that it does not propose similar ones. It then chooses without their results: with more "
        "lanes it measures more cases until it has found the best, in less time where most of a "
        "visit is compiling.\n\n"
        "It ends by budget, cases or patience, and claims the best of those measured.",
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&guided)
