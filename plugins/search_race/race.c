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
 * This takes samples as independent. Those of one visit are not where a clock changes in steps: all
 * of them may be taken while it is slow. How large steps are is seen in the first visits of all
 * cases (clock_step_find). Where there are some, what is closer than such a step is not decided by
 * one visit: a case is ruled out by a look within VISITS visits only if its samples are above the
 * limit even if the clock was slow, and the leader has no limit before it was visited so often.
 * Later looks judge all samples so far, and not those alone that an earlier look was misled by.
 * These rules only take away decisions of those above, so that the error remains what it is.
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
    VISITS = 3 /* that steps of the clock do not mislead all of */
};

struct params {
    int32_t noise;
    int64_t rounds, confirm;
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
    uint64_t fresh_visits_from;       /* likewise its visits */
    uint64_t n_rounds;                /* since it leads */
    uint64_t n_rounds_counted;        /* of all leaders, but those that wait for VISITS */
    double limit, low, high;          /* of this leader; INFINITY: not known yet */
    double spread;                    /* pooled: standard deviation relative to the median */
    double step;                      /* of the clock within a visit, relative; 0: none was seen */
    double *scratch;
    uint64_t n_scratch;
    int64_t most[LOOKS_MAX]; /* by look: sign_most */
    const char *end;
};

static const char *const noises[] = {"any", "pooled"};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, noise, "any", noises,
              "what is known of the noise: any distribution; or pooled: alike in all cases, "
              "relative to their medians, which fewer samples show, and wrong where one is not"),
    GB_INT(struct params, rounds, "12", "1:30", "rounds",
           "most times that cases which are not ruled out are measured again"),
    GB_INT(struct params, confirm, "2", "1:20", "rounds",
           "times that the leader is measured again at least; three where clocks change in steps"),
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
    *ret_search = search;
    return search->queue == NULL ? GB_NO_MEMORY
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

/* Likewise by signs, of looks at `least` samples or more. */
static int is_above(const struct search *search, const struct gb_known *known, double limit,
                    uint64_t least)
{
    uint64_t n = search->first, below = 0, counted = 0;
    for (int look = 0; look < LOOKS_MAX && n <= known->n_samples; look++, n *= 2) {
        for (; counted < n; counted++)
            below += known->samples[counted] <= limit;
        if ((int64_t)below <= search->most[look] && n >= least)
            return 1;
    }
    return 0;
}

static int is_ruled_out(const struct search *search, const struct gb_known *known)
{
    if (search->params->noise == NOISE_POOLED)
        return is_above_by_means(search, known);
    if (is_above(search, known, search->limit + search->step * fabs(search->limit), 0))
        return 1;
    return known->n_visits >= VISITS && /* the last look */
           is_above(search, known, search->limit, known->n_samples / 2 + 1);
}

/* May the case be better than the leader, by what is known? */
static int is_open(const struct search *search, uint64_t i)
{
    const struct gb_known known = search_known(search->space, i);
    return i != search->leader && search_may_be_best(&known) &&
           (isinf(search->limit) || !is_ruled_out(search, &known));
}

static int32_t provide_scratch(struct search *search, uint64_t n)
{
    if (n <= search->n_scratch)
        return GB_OK;
    search->n_scratch = 2 * n;
    search->scratch = search->host->allocate(search->host, 2 * n * sizeof *search->scratch);
    return search->scratch == NULL ? GB_NO_MEMORY : GB_OK;
}

/* Visits of the leader before its upper end is relied upon. */
static uint64_t visits_wanted(const struct search *search)
{
    return search->step > 0 ? VISITS : 1;
}

/* The leader's interval, by the last look at its fresh samples, and the limit that follows. */
static int32_t find_limit(struct search *search)
{
    const double error = ldexp(half_error(search), -(int)search->n_leaders);
    const struct gb_known known = search_known(search->space, search->leader);
    const double *fresh = known.samples + search->fresh_from;
    const uint64_t n_fresh = known.n_samples - search->fresh_from;
    if (provide_scratch(search, n_fresh + 1) != GB_OK)
        return GB_NO_MEMORY;
    search->low = -INFINITY;
    search->limit = search->high = INFINITY;
    for (uint64_t n = search->fresh_first; n <= n_fresh; n *= 2) {
        const double spent = sign_look_error(n, search->fresh_first, error);
        if (search->params->noise == NOISE_POOLED) {
            const double mean = mean_of(fresh, n);
            const double margin = fabs(mean) * pooled_margin(search, n, spent);
            search->low = mean - margin;
            search->high = mean + margin;
        } else {
            search->low = sign_lower(fresh, n, spent, search->scratch);
            search->high = sign_upper(fresh, n, spent, search->scratch);
        }
    }
    if (!isinf(search->high) && known.n_visits - search->fresh_visits_from >= visits_wanted(search))
        search->limit = search_limit(search->high, search->space->tolerance);
    return GB_OK;
}

/* ---- steps of the clock ---- */

/*
 * Two groups of samples that are apart are a step of the clock, or noise with two modes. Of samples
 * in random order, the lower group of k is the first or the last of all n with a probability of 2
 * to n over k, which is at most 4 / (n (n - 1)) for groups of two or more. So for splits that are
 * not in order as many that are, by chance, are taken off. What is left where there are no steps is
 * about as large as the noise, and costs little.
 */
enum { SAMPLES_MAX = 64, CASES_MAX = 16384 };

struct split {
    double size;     /* of the gap between two groups of samples, relative to the lower group */
    int is_in_order; /* one of the groups was measured before the other */
};

/* The ranks of samples: order[0] is the lowest one. */
static void rank(const double *samples, uint64_t n, uint64_t *order)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t at = i;
        for (; at > 0 && samples[order[at - 1]] > samples[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

/* Are the k lowest of n samples the first ones, or the last ones? */
static int is_in_order(const uint64_t *order, uint64_t n, uint64_t k)
{
    uint64_t n_early = 0, n_late = 0;
    for (uint64_t i = 0; i < k; i++) {
        n_early += order[i] < k;
        n_late += order[i] >= n - k;
    }
    return n_early == k || n_late == k;
}

/* In two groups of two or more with the largest gap between them. */
static struct split widest_split(const double *samples, uint64_t n)
{
    struct split widest = {0, 0};
    uint64_t order[SAMPLES_MAX];
    rank(samples, n, order);
    for (uint64_t k = 2; k + 2 <= n; k++) {
        const double end = samples[order[k - 1]], begin = samples[order[k]];
        const double size = (begin - end) / fabs(end != 0 ? end : begin);
        if (size > widest.size) {
            widest.size = size;
            widest.is_in_order = is_in_order(order, n, k);
        }
    }
    return widest;
}

/* Both ascending. */
static double step_of(const double *in_order, uint64_t n_in_order, const double *others,
                      uint64_t n_others, uint64_t n, double least)
{
    const double chance = 4 / ((double)n * (double)(n - 1)), most = 0.5;
    uint64_t larger = 0;
    for (uint64_t k = 1; k <= n_in_order; k++) {
        const double size = in_order[n_in_order - k];
        while (larger < n_others && others[n_others - 1 - larger] >= size)
            larger++;
        if ((double)k - (double)larger * chance / (1 - chance) >= least)
            return size < most ? size : most;
    }
    return 0;
}

/*
 * The size, relative to the lower samples, that steps within the first n samples of 1 % of the
 * cases have or exceed; 0 where fewer show one; 0.5 at most. n is below 64; of a large space some
 * cases stand for all. GB_NO_MEMORY.
 */
static int32_t clock_step_find(const struct gb_host *host, const struct gb_search_space *space,
                               uint64_t n, double *ret_step)
{
    const double share = 0.01, two = 2; /* one alone may be anything */
    const uint64_t stride = (space->n_cases - 1) / CASES_MAX + 1;
    const uint64_t n_looked = (space->n_cases - 1) / stride + 1;
    uint64_t n_in_order = 0, n_others = 0;
    double *in_order, *others;
    *ret_step = 0;
    if (n < 4 || n > SAMPLES_MAX)
        return GB_OK;
    in_order = host->allocate(host, n_looked * sizeof *in_order);
    others = host->allocate(host, n_looked * sizeof *others);
    if (in_order == NULL || others == NULL)
        return GB_NO_MEMORY;
    for (uint64_t i = 0; i < space->n_cases; i += stride) {
        const struct gb_known known = search_known(space, i);
        if (!search_may_be_best(&known) || known.n_samples < n)
            continue;
        const struct split split = widest_split(known.samples, n);
        if (split.is_in_order)
            in_order[n_in_order++] = split.size;
        else
            others[n_others++] = split.size;
    }
    sort_ascending(in_order, n_in_order);
    sort_ascending(others, n_others);
    *ret_step = step_of(in_order, n_in_order, others, n_others, n,
                        fmax(two, share * (double)(n_in_order + n_others)));
    return GB_OK;
}

/* ---- the order of measuring ---- */

/* Steps that are small beside the tolerance make no difference. */
static int32_t find_step(struct search *search)
{
    if (search->params->noise != NOISE_ANY)
        return GB_OK;
    if (clock_step_find(search->host, search->space, search->first, &search->step) != GB_OK)
        return GB_NO_MEMORY;
    if (search->step < search->space->tolerance / 4)
        search->step = 0;
    return GB_OK;
}

static void set_leader(struct search *search, uint64_t leader)
{
    const struct gb_known known = search_known(search->space, leader);
    double error;
    search->leader = leader;
    search->n_leaders++;
    search->n_rounds = 0;
    search->fresh_from = known.n_samples;
    search->fresh_visits_from = known.n_visits;
    error = ldexp(half_error(search), -(int)search->n_leaders);
    search->fresh_first = search->params->noise == NOISE_POOLED ? POOLED_FIRST : first_look(error);
}

/* Does another lead by so much that it would not be certified that the leader is within the
 * tolerance? Equal cases do not take turns: each new leader costs samples, and error. */
static int is_overtaken(const struct search *search, uint64_t lowest)
{
    if (search->leader == GB_NO_CASE)
        return 1;
    const struct gb_known known = search_known(search->space, lowest),
                          leader = search_known(search->space, search->leader);
    return !search_may_be_best(&leader) ||
           known.median < search_limit(leader.median, search->space->tolerance / 4);
}

/* Has it fewer samples than the leader? Then chance may be what put it in front: of many equal
 * cases the lowest is one that was lucky, and the leader was as well. */
static int is_challenger(const struct search *search, uint64_t i)
{
    const struct gb_known known = search_known(search->space, i),
                          leader = search_known(search->space, search->leader);
    return search_may_be_best(&known) && search_may_be_best(&leader) &&
           known.n_samples < leader.n_samples && known.median < leader.median;
}

static void queue_challengers(struct search *search)
{
    for (uint64_t i = 0; i < search->space->n_cases; i++)
        if (is_challenger(search, i))
            search->queue[search->n_queue++] = i;
}

/* The leader, then each that may be better. */
static void queue_open(struct search *search)
{
    search->queue[search->n_queue++] = search->leader;
    for (uint64_t i = 0; i < search->space->n_cases && !isinf(search->limit); i++)
        if (is_open(search, i))
            search->queue[search->n_queue++] = i;
    if (search->n_queue == 1 && !isinf(search->limit) &&
        search->n_rounds >= (uint64_t)search->params->confirm)
        search->end = "each other case is ruled out";
    search->n_rounds++;
}

/* Begins a round, or ends the race. A case that leads by few samples is first given as many as the
 * leader has. */
static int32_t begin_round(struct search *search)
{
    const uint64_t lowest = search_lowest(search->space);
    int is_only_awaited; /* the leader's visit, of those without which nothing is decided */
    int32_t status;
    if (lowest == GB_NO_CASE) {
        search->end = "no case could be measured";
        return GB_OK;
    }
    search->n_queue = search->n_taken = 0;
    if (search->params->noise == NOISE_POOLED)
        find_spread(search);
    if (search->leader == GB_NO_CASE && find_step(search) != GB_OK)
        return GB_NO_MEMORY;
    if (is_overtaken(search, lowest)) {
        if (search->leader != GB_NO_CASE)
            queue_challengers(search);
        if (search->n_queue == 0)
            set_leader(search, lowest);
    }
    status = find_limit(search);
    is_only_awaited = search->n_queue == 0 && isinf(search->limit) && search->n_rounds > 0 &&
                      search->n_rounds < visits_wanted(search);
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
                 search->end != NULL ? search->end : "the leader can be measured no more");
        return GB_OK;
    }
    search->n_proposed++;
    proposal->action = GB_PROPOSE_MEASURE;
    proposal->i = i;
    proposal->n_samples = samples_wanted(search, i);
    snprintf(proposal->reason, sizeof proposal->reason, "%s", why);
    return GB_OK;
}

/* A visit may have ended with fewer samples than a case's first look needs. */
static int32_t observe(void *object, const struct gb_observation *observation)
{
    struct search *search = object;
    const struct gb_known known = search_known(search->space, observation->i);
    search->n_observed++;
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
    const uint64_t lowest = search_lowest(search->space);
    int32_t status;
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

static const struct gb_search_ops ops = SEARCH_OPS(create, propose, report, NULL);

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
        "Samples of one visit are not independent where a clock changes in steps that are longer "
        "than it. The first visits of all cases show how large such steps are: what is closer to "
        "the leader than the steps that 1 % of the visits have is ruled out after three visits "
        "only, and the leader relied upon after three.\n\n"
        "With `noise = pooled` three samples of a case do, as all cases are taken to have the same "
        "noise, normal and relative to their means. Where one is bimodal, the claim is false.",
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&race)
