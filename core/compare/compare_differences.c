/* compare_differences.c - see compare_internal.h: what differs between two sides as a whole, beside
 * what is compared. */
#include "core/compare/compare_internal.h"

#include <math.h>
#include <stdlib.h>

enum { VALUE_MOST = 60 };

static void add(struct compare *compare, struct compare_against *against, const char *name,
                const char *from, const char *to)
{
    CLEANUP(text_free) struct text line = {0};
    text_printf(&line, "%s: ", name);
    for (size_t i = 0; i < against->n_differences; i++)
        if (text_starts_with(against->differences[i], text_get(&line)))
            return; /* a fact of the run is one of the device, too */
    text_add_shortened(&line, *from ? from : "not known", VALUE_MOST);
    text_add(&line, ", now ");
    text_add_shortened(&line, *to ? to : "not known", VALUE_MOST);
    ARENA_APPEND(&compare->arena, against->differences, against->n_differences,
                 arena_text(&compare->arena, text_get(&line)));
}

bool fact_is_volatile(const char *name)
{
    static const char *const names[] = {
        "load_average",   "load",      BUSY_FACT,  "note",     SHARD_FACT_PLAN, SHARD_FACT_SHARD,
        SHARD_FACT_CASES, "job_array", "job_task", "job_rank", "job_restarts"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_equal(name, names[i]))
            return true;
    return false;
}

static void add_facts(struct compare *compare, struct compare_against *against,
                      const struct fact *from, size_t n_from, const struct fact *to, size_t n_to)
{
    for (size_t i = 0; i < n_from; i++) {
        const char *now = fact_of(to, n_to, from[i].name);
        if (!fact_is_volatile(from[i].name) && !text_equal(from[i].value, now))
            add(compare, against, from[i].name, from[i].value, now);
    }
    for (size_t i = 0; i < n_to; i++)
        if (!fact_is_volatile(to[i].name) && !*fact_of(from, n_from, to[i].name))
            add(compare, against, to[i].name, "", to[i].value);
}

/* Facts of the first device that a case of each side ran on. */
static const struct compared *first_pair(const struct compare_against *against)
{
    for (size_t i = 0; i < against->n; i++)
        if (against->cases[i].base && against->cases[i].new && against->cases[i].base->device &&
            against->cases[i].new->device)
            return &against->cases[i];
    return NULL;
}

static void add_devices(struct compare *compare, struct compare_against *against)
{
    const struct compared *pair = first_pair(against);
    if (!pair)
        return;
    const struct device_record *from = pair->base->device, *to = pair->new->device;
    if (!text_equal(from->model, to->model))
        add(compare, against, "device model", from->model, to->model);
    else
        add_facts(compare, against, from->facts, from->n_facts, to->facts, to->n_facts);
}

static void add_builds(struct compare *compare, struct compare_against *against)
{
    CLEANUP(free_pointer) const char **seen = NULL;
    size_t n_seen = 0;
    for (size_t i = 0; i < against->n; i++) {
        const struct compared *c = &against->cases[i];
        if (!c->base || !c->new)
            continue;
        const char *from = c->base->first->plugin_sha256, *to = c->new->first->plugin_sha256;
        bool is_known = !*from || !*to || text_equal(from, to);
        for (size_t j = 0; j < n_seen && !is_known; j++)
            is_known = text_equal(seen[j], c->new->first->plugin);
        if (is_known)
            continue;
        MEMORY_APPEND(seen, n_seen, c->new->first->plugin);
        add(compare, against, arena_printf(&compare->arena, "build of %s", c->new->first->plugin),
            arena_text_n(&compare->arena, from, 12), arena_text_n(&compare->arena, to, 12));
    }
}

/* Shares over all rounds of a side. */
struct shares {
    double n_samples, n_throttled; /* in samples */
    double others_cpu_ns, sampled_ns;
};

static void add_to_shares(struct shares *shares, const struct compare_case *c)
{
    for (size_t i = 0; c && i < c->n_rounds; i++) {
        const struct outcome *round = c->rounds[i];
        if (isfinite(round->n_samples) && isfinite(round->n_throttled)) {
            shares->n_samples += round->n_samples;
            shares->n_throttled += round->n_throttled;
        }
        if (isfinite(round->others_cpu_ns) && isfinite(round->sampled_ns)) {
            shares->others_cpu_ns += round->others_cpu_ns;
            shares->sampled_ns += round->sampled_ns;
        }
    }
}

static void add_shares(struct compare *compare, struct compare_against *against)
{
    static const double least_throttled = 0.01, least_others = 0.1, least_sampled_ns = 1e9;
    struct shares from = {0}, to = {0};
    for (size_t i = 0; i < against->n; i++) {
        add_to_shares(&from, against->cases[i].base);
        add_to_shares(&to, against->cases[i].new);
    }
    double throttled[] = {from.n_throttled / from.n_samples, to.n_throttled / to.n_samples};
    double others[] = {from.others_cpu_ns / from.sampled_ns, to.others_cpu_ns / to.sampled_ns};
    bool is_long = from.sampled_ns >= least_sampled_ns && to.sampled_ns >= least_sampled_ns;
    if (fabs(throttled[1] - throttled[0]) >= least_throttled)
        add(compare, against, "throttled samples",
            arena_printf(&compare->arena, "%.1f %%", 100 * throttled[0]),
            arena_printf(&compare->arena, "%.1f %%", 100 * throttled[1]));
    if (is_long && fabs(others[1] - others[0]) >= least_others)
        add(compare, against, "processors used by others",
            arena_printf(&compare->arena, "%.2f", others[0]),
            arena_printf(&compare->arena, "%.2f", others[1]));
}

static const char *or_as_it_is(const char *changes)
{
    return *changes ? changes : "as configured";
}

void find_differences(struct compare *compare, struct compare_against *against)
{
    const struct stored_run *from = compare->result.base->run, *to = against->side->run;
    if (from && to && from != to && !compare->result.base->tool && !against->side->tool) {
        const struct run_record *a = &from->record, *b = &to->record;
        if (!text_equal(a->version, b->version))
            add(compare, against, "gbrun", a->version, b->version);
        add_facts(compare, against, a->facts, a->n_facts, b->facts, b->n_facts);
        add_devices(compare, against);
    }
    if (compare->by_sides)
        add(compare, against, "sides",
            or_as_it_is(fact_of(from->record.facts, from->record.n_facts, AB_FACT_BASE)),
            or_as_it_is(fact_of(from->record.facts, from->record.n_facts, AB_FACT_NEW)));
    add_builds(compare, against);
    add_shares(compare, against);
}
