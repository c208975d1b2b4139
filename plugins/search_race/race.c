/*
 * race.c - the search `race`: the best of all cases, certified. Plugin side.
 *
 * All cases are measured a few times, those that may still be the best again and again, beside the
 * leader. The claim is that no case is better than the leader by more than the tolerance. It needs
 * no union over the cases: it is wrong only if the leader's upper end is too low, or if the one
 * true best case is ruled out; half of the error for each.
 *  - The leader is chosen by samples that its upper end does not use: that rests on those taken
 *    after it was chosen. The k-th leader may spend 2^-k of its half.
 *  - A case is ruled out if its samples say that its median is above the limit. For the true best
 *    one, if it is below the limit, that has the error of the test alone, whatever the limit is
 *    computed from.
 * Both are looked at several times; their looks share the error (sign_look_error).
 *
 * This takes samples as independent. Those of one visit are not where a case is placed otherwise,
 * or a clock runs otherwise, each time that it is created. So visits are a unit, too: each is a
 * creation of its own, and its median one value. The leader is relied upon after `confirm` visits,
 * and a case is ruled out only if its visits and those of the leader say so as well, by the
 * variation between visits that all cases together show (is_above_by_visits). These rules only take
 * away decisions of those above, so that the error remains what it is.
 */
#include "../common/policy/order_statistics.h"
#include "../common/search/search.h"

#include <gbrun/gbrun.h>
#include <math.h>
#include <stdio.h>

enum {
    STREAM = 0x7263,
    NOISE_ANY = 0,
    NOISE_POOLED = 1,
    LOOKS_MAX = 24,
    LAST_LOOK = 12,
    POOLED_FIRST = 3,
    NEAREST_VISITS = 3, /* see queue_nearest */
    NEAREST_MOST = 8,
    NEAREST_SHARE = 32,
    SCANNED_TIMES = 2,    /* see queue_scanned */
    OWN_DEGREES = 4,      /* see visit_variance */
    DEGREES_TO_JUDGE = 30 /* see is_alike */
};

struct params {
    int32_t noise;
    int64_t rounds, confirm;
};

/* Medians of visits. */
struct visits {
    double mean, squares; /* of the deviations from it */
    uint64_t n;
};

struct search {
    const struct gb_host *host;
    const struct gb_search_space *space;
    const struct params *params;
    struct search_order order; /* of the first samples */
    uint64_t first;            /* samples at a case's first look */
    uint64_t *queue;           /* cases of this round, or that lack samples */
    uint64_t n_queue, n_taken;
    uint64_t n_proposed, n_observed, n_scanned;
    uint64_t leader, n_leaders;
    uint64_t fresh_from, fresh_first; /* the leader's samples from this one on; at its first look */
    struct visits fresh;              /* likewise its visits */
    struct visits *visits;            /* of each case */
    uint64_t n_rounds;                /* since it leads */
    uint64_t n_rounds_counted;        /* of all leaders, but those that wait for `confirm` */
    double limit, low, high;          /* of this leader; INFINITY: not known yet */
    double spread;                    /* pooled: standard deviation relative to the median */
    double variance, degrees;         /* of visits, relative, pooled; with so many degrees */
    double apart, n_apart;            /* see compare_visit; of so many visits */
    double *scratch;
    uint64_t n_scratch;
    int64_t most[LOOKS_MAX]; /* by look: sign_most */
    const char *end;
};

static const char *const noises[] = {"any", "pooled"};

static const struct gb_option options[] = {
    GB_CHOICE(
        struct params, noise, "any", noises,
        "assumption about the noise: any distribution; or pooled: the same in all cases relative "
        "to their medians, which needs fewer samples and is wrong where one case differs"),
    GB_INT(struct params, rounds, "12", "1:30", "rounds",
           "maximum number of times that cases not ruled out are measured again"),
    GB_INT(struct params, confirm, "4", "4:20", "visits",
           "minimum number of times that the leader is measured again"),
};

static double half_error(const struct search *search)
{
    return (1 - search->space->confidence) / 2;
}

/* The smallest n at which a look can decide at all: 2^-n is within the first look's share. */
static uint64_t first_look(double error)
{
    uint64_t n = 1;
    while (n < 60 && ldexp(1, -(int)n) > sign_look_error(1, 1, error))
        n++;
    return n;
}

static int32_t create(const struct gb_host *host, const struct gb_search_space *space,
                      const void *params, void **ret_search)
{
    struct search *search = host->allocate(host, sizeof *search);
    if (search == NULL)
        return GB_NO_MEMORY;
    search->host = host;
    search->space = space;
    search->params = params;
    search->leader = GB_NO_CASE;
    search->limit = search->high = INFINITY;
    search->first = search->params->noise == NOISE_POOLED ? POOLED_FIRST
                                                          : first_look(half_error(search));
    for (int look = 0; look < LOOKS_MAX; look++) {
        const uint64_t n = search->first << look;
        search->most[look] = look > LAST_LOOK ? -1
                                              : sign_most(n, sign_look_error(n, search->first,
                                                                             half_error(search)));
    }
    search->queue = host->allocate(host, space->n_cases * sizeof *search->queue);
    search->visits = host->allocate(host, space->n_cases * sizeof *search->visits);
    *ret_search = search;
    return search->queue == NULL || search->visits == NULL
               ? GB_NO_MEMORY
               : search_order_new(&search->order, host, space->n_cases, STREAM);
}

/* ---- what samples say ---- */

static double mean_of(const double *samples, uint64_t n)
{
    double sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += samples[i];
    return sum / (double)n;
}

static double median_of(const double *samples, uint64_t n, double *scratch)
{
    for (uint64_t i = 0; i < n; i++)
        scratch[i] = samples[i];
    sort_ascending(scratch, n);
    return (scratch[(n - 1) / 2] + scratch[n / 2]) / 2;
}

/* Half the width of the mean's interval, relative to it, with the error on one side. */
static double pooled_margin(const struct search *search, uint64_t n, double error)
{
    return normal_quantile(1 - error) * search->spread / sqrt((double)n);
}

/* The standard deviation that all cases have, relative to their means. */
static void find_spread(struct search *search)
{
    double squares = 0, degrees = 0;
    for (uint64_t i = 0; i < search->space->n_cases; i++) {
        const struct gb_known known = search_known(search->space, i);
        if (!search_may_be_best(&known) || known.n_samples < 2)
            continue;
        const double mean = mean_of(known.samples, known.n_samples);
        for (uint64_t j = 0; j < known.n_samples && mean != 0; j++) {
            const double off = (known.samples[j] - mean) / mean;
            squares += off * off;
        }
        degrees += mean != 0 ? (double)(known.n_samples - 1) : 0;
    }
    search->spread = degrees > 0 ? sqrt(squares / degrees) : INFINITY;
}

/* Does one of the looks at its samples say that it is above the limit? */
static int is_above_by_means(const struct search *search, const struct gb_known *known)
{
    for (uint64_t n = search->first; n <= known->n_samples; n *= 2) {
        const double error = sign_look_error(n, search->first, half_error(search));
        const double mean = mean_of(known->samples, n);
        if (mean - fabs(mean) * pooled_margin(search, n, error) > search->limit)
            return 1;
    }
    return 0;
}

/* Likewise by signs. */
static int is_above(const struct search *search, const struct gb_known *known)
{
    uint64_t n = search->first, below = 0, counted = 0;
    for (int look = 0; look < LOOKS_MAX && n <= known->n_samples; look++, n *= 2) {
        for (; counted < n; counted++)
            below += known->samples[counted] <= search->limit;
        if ((int64_t)below <= search->most[look])
            return 1;
    }
    return 0;
}

/* ---- what visits say ---- */

/* Welford's algorithm. */
static void add_visit(struct visits *visits, double median)
{
    const double off = median - visits->mean;
    visits->n++;
    visits->mean += off / (double)visits->n;
    visits->squares += off * (median - visits->mean);
}

/* Of the deviations relative to the mean. */
static double relative_squares(const struct visits *visits)
{
    return visits->mean != 0 ? visits->squares / (visits->mean * visits->mean) : 0;
}

/* How far the n samples of a visit are from those before it: by how many of them are below the
 * median of those, its square in terms of the variance that it has where visits are alike. */
static void compare_visit(struct search *search, const double *samples, uint64_t n,
                          const double *before, uint64_t n_before)
{
    const double middle = median_of(before, n_before, search->scratch), half = (double)n / 2;
    double below = -half;
    for (uint64_t k = 0; k < n; k++)
        below += samples[k] < middle ? 1 : samples[k] > middle ? 0 : 0.5;
    search->apart += below * below / (half / 2 * (1 + (double)n / (double)n_before));
    search->n_apart++;
}

/* Are samples of different visits as those of one, by what many visits show? Then samples are
 * the unit, of which later visits have more than earlier ones. */
static int is_alike(const struct search *search)
{
    return search->n_apart >= DEGREES_TO_JUDGE &&
           search->apart <= search->n_apart + sqrt(2 * search->n_apart);
}

static void find_variation(struct search *search)
{
    double squares = 0, degrees = 0;
    for (uint64_t i = 0; i < search->space->n_cases; i++)
        if (search->visits[i].n > 1) {
            squares += relative_squares(&search->visits[i]);
            degrees += (double)(search->visits[i].n - 1);
        }
    search->degrees = degrees;
    search->variance = degrees > 0 ? squares / degrees : INFINITY;
}

/*
 * The variance of the mean of a case's visits. All cases are taken to vary alike from visit to
 * visit, but for those that vary more: that is believed the more the more visits they have.
 */
static double visit_variance(const struct search *search, const struct visits *visits)
{
    const double own = (relative_squares(visits) + OWN_DEGREES * search->variance) /
                       ((double)visits->n - 1 + OWN_DEGREES);
    return visits->mean * visits->mean * fmax(search->variance, own) / (double)visits->n;
}

/* By how many standard deviations means of visits may be off, with the error on one side of all
 * looks together, one in each round. */
static double visit_quantile(const struct search *search, double error)
{
    return student_quantile(1 - error / (double)search->params->rounds, search->degrees);
}

/* Do visits say that the case is not better than the leader by more than the tolerance? */
static int is_above_by_visits(const struct search *search, uint64_t i)
{
    const struct visits *visits = &search->visits[i], *fresh = &search->fresh;
    const double error = ldexp(1 - search->space->confidence, -(int)search->n_leaders);
    const double variance = visit_variance(search, visits) + visit_variance(search, fresh);
    return visits->mean - visit_quantile(search, error) * sqrt(variance) >
           search_limit(fresh->mean, search->space->tolerance);
}

/* What cases are ordered by; INFINITY: it cannot be the best. */
static double centre_of(const struct search *search, uint64_t i)
{
    const struct gb_known known = search_known(search->space, i);
    if (!search_may_be_best(&known))
        return INFINITY;
    return is_alike(search) ? known.median : search->visits[i].mean;
}

static int is_queued(const struct search *search, uint64_t i)
{
    uint64_t k = 0;
    while (k < search->n_queue && search->queue[k] != i)
        k++;
    return k < search->n_queue;
}

/* The lowest case that is not queued, of those with fewer than `most` visits; or GB_NO_CASE. */
static uint64_t lowest_of(const struct search *search, uint64_t most)
{
    double lowest = INFINITY;
    uint64_t ret = GB_NO_CASE;
    for (uint64_t i = 0; i < search->space->n_cases; i++) {
        const double centre = search->visits[i].n < most ? centre_of(search, i) : INFINITY;
        if (centre < lowest && !is_queued(search, i)) {
            lowest = centre;
            ret = i;
        }
    }
    return ret;
}

/* ---- what is ruled out ---- */

static int is_ruled_out(const struct search *search, uint64_t i, const struct gb_known *known)
{
    if (!is_alike(search) && !is_above_by_visits(search, i))
        return 0;
    if (search->params->noise == NOISE_POOLED)
        return is_above_by_means(search, known);
    return is_above(search, known);
}

/* May the case be better than the leader, by what is known? */
static int is_open(const struct search *search, uint64_t i)
{
    const struct gb_known known = search_known(search->space, i);
    const struct gb_known leader = search_known(search->space, search->leader);
    return i != search->leader && search_may_be_best(&known) &&
           (isinf(search->limit) || !is_ruled_out(search, i, &known) ||
            known.median < search_limit(leader.median, search->space->tolerance));
}

static int32_t provide_scratch(struct search *search, uint64_t n)
{
    if (n <= search->n_scratch)
        return GB_OK;
    search->n_scratch = 2 * n;
    search->scratch = search->host->allocate(search->host, 2 * n * sizeof *search->scratch);
    return search->scratch == NULL ? GB_NO_MEMORY : GB_OK;
}

/* The leader's interval, by the last look at its fresh samples, and the limit that follows. */
static int32_t find_limit(struct search *search)
{
    const double error = ldexp(half_error(search), -(int)search->n_leaders);
    const struct gb_known known = search_known(search->space, search->leader);
    const double *fresh = known.samples + search->fresh_from;
    const uint64_t n_fresh = known.n_samples - search->fresh_from;
    double margin;
    if (provide_scratch(search, n_fresh + 1) != GB_OK)
        return GB_NO_MEMORY;
    search->low = -INFINITY;
    search->limit = search->high = INFINITY;
    for (uint64_t n = search->fresh_first; n <= n_fresh; n *= 2) {
        const double spent = sign_look_error(n, search->fresh_first, error);
        if (search->params->noise == NOISE_POOLED) {
            const double mean = mean_of(fresh, n);
            margin = fabs(mean) * pooled_margin(search, n, spent);
            search->low = mean - margin;
            search->high = mean + margin;
        } else {
            search->low = sign_lower(fresh, n, spent, search->scratch);
            search->high = sign_upper(fresh, n, spent, search->scratch);
        }
    }
    if (isinf(search->high) || search->fresh.n < (uint64_t)search->params->confirm)
        return GB_OK;
    find_variation(search);
    margin = visit_quantile(search, error) * sqrt(visit_variance(search, &search->fresh));
    search->limit = search_limit(search->high, search->space->tolerance);
    if (is_alike(search))
        return GB_OK;
    search->low = fmin(search->low, search->fresh.mean - margin);
    search->high = fmax(search->high, search->fresh.mean + margin);
    return GB_OK;
}

/* ---- the order of measuring ---- */

static void set_leader(struct search *search, uint64_t leader)
{
    const struct gb_known known = search_known(search->space, leader);
    double error;
    search->leader = leader;
    search->n_leaders++;
    search->n_rounds = 0;
    search->fresh_from = known.n_samples;
    search->fresh = (struct visits){0};
    error = ldexp(half_error(search), -(int)search->n_leaders);
    search->fresh_first = search->params->noise == NOISE_POOLED ? POOLED_FIRST : first_look(error);
}

/* Does another lead by so much that it would not be certified that the leader is within the
 * tolerance? Equal cases do not take turns: each new leader costs samples, and error. */
static int is_overtaken(const struct search *search, uint64_t lowest)
{
    if (search->leader == GB_NO_CASE)
        return 1;
    const double centre = centre_of(search, search->leader);
    return isinf(centre) ||
           centre_of(search, lowest) < search_limit(centre, search->space->tolerance / 4);
}

/* Has it fewer visits than the leader? Then chance may be what put it in front: of many equal
 * cases the lowest is one that was lucky, and the leader was as well. */
static int is_challenger(const struct search *search, uint64_t i)
{
    const double centre = centre_of(search, search->leader);
    return search->visits[i].n < search->visits[search->leader].n && !isinf(centre) &&
           centre_of(search, i) < centre;
}

static void queue_challengers(struct search *search)
{
    for (uint64_t i = 0; i < search->space->n_cases; i++)
        if (is_challenger(search, i))
            search->queue[search->n_queue++] = i;
}

/* Those next to the leader, by which it is seen how visits vary before anything is ruled out. */
static void queue_nearest(struct search *search)
{
    const uint64_t share = 1 + search->space->n_cases / NEAREST_SHARE;
    uint64_t nearest = GB_NO_CASE;
    for (uint64_t k = 0; k < share && k < NEAREST_MOST; k++) {
        nearest = lowest_of(search, NEAREST_VISITS);
        if (nearest != GB_NO_CASE)
            search->queue[search->n_queue++] = nearest;
    }
}

/* Of all cases some more, evenly in the time of their first look: a machine that has become faster
 * since then shows in them, not in those next to the leader, which it met late. */
static void queue_scanned(struct search *search)
{
    const uint64_t n = search->space->n_cases, share = SCANNED_TIMES * n / NEAREST_SHARE;
    const uint64_t most = share < NEAREST_MOST ? share : NEAREST_MOST;
    for (uint64_t k = 0; k < most; k++) {
        const uint64_t i = search->order.cases[k * n / most];
        if (search->visits[i].n == 1 && !is_queued(search, i))
            search->queue[search->n_queue++] = i;
    }
}

/* The leader, then each that may be better. */
static void queue_open(struct search *search)
{
    search->queue[search->n_queue++] = search->leader;
    if (search->n_rounds + 1 < NEAREST_VISITS) {
        queue_nearest(search);
        queue_scanned(search);
    }
    for (uint64_t i = 0; i < search->space->n_cases && !isinf(search->limit); i++)
        if (is_open(search, i))
            search->queue[search->n_queue++] = i;
    if (search->n_queue == 1 && !isinf(search->limit))
        search->end = "all other cases are ruled out";
    search->n_rounds++;
}

/* Begins a round, or ends the race. A case that leads by few samples is first given as many as the
 * leader has. */
static int32_t begin_round(struct search *search)
{
    uint64_t lowest;
    int is_only_awaited; /* the leader's visit, of those without which nothing is decided */
    int32_t status;
    search->n_queue = search->n_taken = 0;
    lowest = lowest_of(search, UINT64_MAX);
    if (lowest == GB_NO_CASE) {
        search->end = "no case could be measured";
        return GB_OK;
    }
    if (search->params->noise == NOISE_POOLED)
        find_spread(search);
    if (is_overtaken(search, lowest)) {
        if (search->leader != GB_NO_CASE)
            queue_challengers(search);
        if (search->n_queue == 0)
            set_leader(search, lowest);
    }
    status = find_limit(search);
    is_only_awaited = search->n_queue == 0 && isinf(search->limit) && search->n_rounds > 0 &&
                      search->n_rounds < (uint64_t)search->params->confirm;
    if (status == GB_OK && search->n_queue == 0)
        queue_open(search);
    if (search->end == NULL && search->n_rounds_counted == (uint64_t)search->params->rounds)
        search->end = "rounds are used up";
    search->n_rounds_counted += !is_only_awaited;
    return status;
}

/* Samples until the next look at the case; the leader's are the fresh ones. */
static uint64_t samples_wanted(const struct search *search, uint64_t i)
{
    const struct gb_known known = search_known(search->space, i);
    const int leads = i == search->leader;
    const uint64_t have = known.n_samples - (leads ? search->fresh_from : 0);
    uint64_t look = leads ? search->fresh_first : search->first;
    while (look <= have)
        look *= 2;
    return look - have;
}

/* The next case, and why; GB_NO_CASE: not before more is known, or never. */
static uint64_t draw(struct search *search, const char **ret_why)
{
    uint64_t i;
    while (search->n_taken < search->n_queue) {
        const uint64_t queued = search->queue[search->n_taken++];
        const struct gb_known known = search_known(search->space, queued);
        *ret_why = queued == search->leader ? "leader" : "not ruled out";
        if (known.n_visits == 0 || search_may_be_best(&known))
            return queued;
    }
    if (search->leader != GB_NO_CASE)
        return GB_NO_CASE;
    *ret_why = "first look";
    i = search_order_draw(&search->order);
    search->n_scanned += i != GB_NO_CASE;
    return i;
}

static int32_t propose(void *object, struct gb_proposal *proposal)
{
    struct search *search = object;
    const char *why = "";
    uint64_t i = draw(search, &why);
    if (i == GB_NO_CASE && search->n_observed < search->n_proposed) {
        proposal->action = GB_PROPOSE_WAIT;
        return GB_OK;
    }
    if (i == GB_NO_CASE && search->end == NULL) {
        const int32_t status = begin_round(search);
        if (status != GB_OK)
            return status;
        i = search->end == NULL ? draw(search, &why) : GB_NO_CASE;
    }
    if (i == GB_NO_CASE) {
        snprintf(proposal->reason, sizeof proposal->reason, "%s",
                 search->end != NULL ? search->end : "the leader has had all of its rounds");
        return GB_OK;
    }
    search->n_proposed++;
    proposal->action = GB_PROPOSE_MEASURE;
    proposal->i = i;
    proposal->n_samples = samples_wanted(search, i);
    snprintf(proposal->reason, sizeof proposal->reason, "%s", why);
    return GB_OK;
}

static int32_t take_visit(struct search *search, const struct gb_observation *observation)
{
    const uint64_t n = observation->n_samples;
    double median;
    struct gb_known known;
    if (observation->status != GB_OBSERVED_OK || n == 0)
        return GB_OK;
    known = search_known(search->space, observation->i);
    if (provide_scratch(search, known.n_samples) != GB_OK)
        return GB_NO_MEMORY;
    if (known.n_samples > n)
        compare_visit(search, observation->samples, n, known.samples, known.n_samples - n);
    median = median_of(observation->samples, n, search->scratch);
    add_visit(&search->visits[observation->i], median);
    if (observation->i == search->leader)
        add_visit(&search->fresh, median);
    return GB_OK;
}

/* A visit may have ended with fewer samples than a case's first look needs. */
static int32_t observe(void *object, const struct gb_observation *observation)
{
    struct search *search = object;
    const struct gb_known known = search_known(search->space, observation->i);
    search->n_observed++;
    if (take_visit(search, observation) != GB_OK)
        return GB_NO_MEMORY;
    if (search->leader == GB_NO_CASE && known.status == GB_OBSERVED_OK &&
        observation->n_samples > 0 && known.n_samples < search->first &&
        search->n_queue < search->space->n_cases)
        search->queue[search->n_queue++] = observation->i;
    if (search->leader == GB_NO_CASE && search->n_taken == search->n_queue)
        search->n_taken = search->n_queue = 0;
    return GB_OK;
}

/* Are there cases without the samples of a first look that may be the best? */
static int is_all_scanned(const struct search *search)
{
    if (search->n_scanned < search->space->n_cases || search->n_observed < search->n_proposed)
        return 0;
    for (uint64_t i = 0; i < search->space->n_cases; i++) {
        const struct gb_known known = search_known(search->space, i);
        if (known.status == GB_OBSERVED_OK && known.n_samples < search->first)
            return 0;
    }
    return 1;
}

static int32_t report(void *object, struct gb_search_claim *claim)
{
    struct search *search = object;
    uint64_t lowest;
    int32_t status;
    search->n_queue = 0;
    lowest = lowest_of(search, UINT64_MAX);
    if (lowest == GB_NO_CASE)
        return GB_OK;
    if (is_overtaken(search, lowest))
        return search_claim_measured(search->host, search->space, claim);
    status = find_limit(search);
    if (status != GB_OK)
        return status;
    claim->best = search->leader;
    claim->open = search->queue;
    for (uint64_t i = 0; i < search->space->n_cases; i++)
        if (is_open(search, i))
            search->queue[claim->n_open++] = i;
    claim->scope = claim->n_open == 0 && !isinf(search->limit) && is_all_scanned(search)
                       ? GB_SCOPE_ALL
                       : GB_SCOPE_MEASURED;
    if (!isinf(search->high) && !isinf(search->low)) {
        claim->low = search->low;
        claim->high = search->high;
    }
    if (claim->scope != GB_SCOPE_ALL && claim->n_open > 0)
        snprintf(claim->note, sizeof claim->note,
                 "%llu cases are not ruled out: allow more rounds, or a wider tolerance",
                 (unsigned long long)claim->n_open);
    return GB_OK;
}

static const struct gb_search_ops ops = {.size = sizeof ops,
                                         .flags = GB_SEARCH_CONFIRMS,
                                         .create = create,
                                         .propose = propose,
                                         .observe = observe,
                                         .report = report};

static const struct gb_plugin race = {
    GB_PLUGIN(SEARCH, "race", "1.0", "the best of all cases, certified within a tolerance"),
    .help =
        "Measures each case six times (at 95 % confidence), in random order. Then, in rounds, the "
        "leader and those that may be better than it by more than the tolerance are measured "
        "again, until each is ruled out. A case with fewer samples than the leader takes its place "
        "only with as many.\n\n"
        "A case is ruled out by the sign test, which assumes nothing of the distribution but that "
        "samples are independent. The claim is wrong only where the leader's upper end is too "
        "low, which rests on samples taken after it was chosen, or where the one best case is "
        "ruled out: so it needs no correction for the number of cases.\n\n"
        "Samples of one visit are not independent where memory placement or a clock differs from "
        "one creation of a case to the next. So visits, each with its own creation, are a unit "
        "too: the leader is trusted after four, and a case is ruled out only if the medians of its "
        "visits and of the leader's say so as well, by how visits of all cases vary.\n\n"
        "With `noise = pooled` three samples of a case suffice, as all cases are assumed to have "
        "the same noise, normal and relative to their means. Where one is bimodal, the claim is "
        "false.",
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&race)
