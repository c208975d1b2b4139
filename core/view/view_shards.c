/* view_shards.c - what there is of a plan that was dealt to several tasks, and what is missing. */
#include "core/view/view_writers.h"

#include <stdlib.h>
#include <string.h>

enum { NAMED_MOST = 8 /* of the shards that are not there */ };

static uint64_t count_cases(const struct view *view)
{
    uint64_t n = 0;
    for (size_t i = 0; i < view->n_entries; i++)
        n += i == 0 || view->entries[i].position != view->entries[i - 1].position;
    return n;
}

static const char *fact(const struct view *view, size_t i, const char *name)
{
    return fact_of(view->runs[i].record.facts, view->runs[i].record.n_facts, name);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t count_hosts(const struct view *view)
{
    const char **hosts = memory_allocate(view->n_runs * sizeof *hosts);
    size_t n = 0;
    for (size_t i = 0; i < view->n_runs; i++)
        hosts[i] = fact(view, i, "host");
    qsort(hosts, view->n_runs, sizeof *hosts, compare_texts);
    for (size_t i = 0; i < view->n_runs; i++)
        n += i == 0 || !text_equal(hosts[i], hosts[i - 1]);
    free(hosts);
    return n;
}

/* Runs are in the order of their shards. */
static void write_missing(const struct view *view, size_t n_shards, struct text *out)
{
    const char *configuration = view->runs[0].record.config_path;
    size_t next = 0, n_missing = n_shards - view->n_runs, n_named = 0;
    for (size_t i = 1; i <= n_shards && n_named < n_missing && n_named < NAMED_MOST; i++) {
        while (next < view->n_runs && strtoul(fact(view, next, SHARD_FACT_SHARD), NULL, 10) < i)
            next++;
        if (next < view->n_runs && strtoul(fact(view, next, SHARD_FACT_SHARD), NULL, 10) == i)
            continue;
        text_printf(out, "shard %zu of %zu is missing: gbrun run -c %s --shard %zu/%zu\n", i,
                    n_shards, configuration, i, n_shards);
        n_named++;
    }
    if (n_missing > n_named)
        text_printf(out, "%zu more shards are missing\n", n_missing - n_named);
}

void shards_write(const struct view *view, struct text *out)
{
    const char *of = strchr(fact(view, 0, SHARD_FACT_SHARD), '/');
    const size_t n_shards = of ? strtoul(of + 1, NULL, 10) : view->n_runs;
    const size_t n_hosts = count_hosts(view);
    text_printf(out, "\n%zu of %zu shards on %zu node%s", view->n_runs, n_shards, n_hosts,
                n_hosts == 1 ? "" : "s");
    if (!view->options->where && !view->options->sort)
        text_printf(out, ", %llu of %s cases", (unsigned long long)count_cases(view),
                    fact(view, 0, SHARD_FACT_CASES));
    text_add(out, "\n");
    if (n_shards > view->n_runs)
        write_missing(view, n_shards, out);
    for (size_t i = 0; i < view->n_runs; i++)
        if (!view->runs[i].record.finished)
            text_printf(out, "shard %s has not ended: gbrun run --resume FILE --run %lld\n",
                        fact(view, i, SHARD_FACT_SHARD), (long long)view->runs[i].number);
}
