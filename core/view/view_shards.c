/* view_shards.c - what there is of a plan that was dealt to several tasks, and what is missing. */
#include "core/view/view_writers.h"

#include <stdlib.h>
#include <string.h>

enum { NAMED_MOST = 8 /* of the shards that are not there */ };

static uint64_t count_cases(const struct view *view)
{
    uint64_t n = 0;
    if (view->page.n_all)
        return view->page.n_all;
    for (size_t i = 0; i < view->n_entries; i++)
        n += i == 0 || view->entries[i].row->c.position != view->entries[i - 1].row->c.position;
    return n;
}

/* The runs of one plan, in the order of their shards. */
struct shards {
    const struct stored_run *runs;
    size_t n, n_all;
    const char *path; /* of the file */
};

static const char *fact(const struct shards *shards, size_t i, const char *name)
{
    return fact_of(shards->runs[i].record.facts, shards->runs[i].record.n_facts, name);
}

static struct shards shards_of(const struct stored_run *runs, size_t n, const char *path)
{
    struct shards shards = {runs, n, n, path};
    const char *of = strchr(fact(&shards, 0, SHARD_FACT_SHARD), '/');
    if (of)
        shards.n_all = strtoul(of + 1, NULL, 10);
    return shards;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t count_hosts(const struct shards *shards)
{
    const char **hosts = memory_allocate(shards->n * sizeof *hosts);
    size_t n = 0;
    for (size_t i = 0; i < shards->n; i++)
        hosts[i] = fact(shards, i, "host");
    qsort(hosts, shards->n, sizeof *hosts, compare_texts);
    for (size_t i = 0; i < shards->n; i++)
        n += i == 0 || !text_equal(hosts[i], hosts[i - 1]);
    free(hosts);
    return n;
}

static size_t number_of(const struct shards *shards, size_t i)
{
    return strtoul(fact(shards, i, SHARD_FACT_SHARD), NULL, 10);
}

/* "3-7" or "3", after what is there. */
static void add_range(size_t first, size_t last, struct text *out)
{
    text_printf(out, "%s%zu", out->length ? "," : "", first);
    if (last > first)
        text_printf(out, "-%zu", last);
}

/* Of few a command each, of many their numbers, as sbatch --array takes them. */
static void write_missing(const struct shards *shards, struct text *out)
{
    CLEANUP(text_free) struct text ranges = {0};
    const size_t n_missing = shards->n_all - shards->n;
    size_t next = 1;
    for (size_t i = 0; i <= shards->n; i++) {
        const size_t there = i < shards->n ? number_of(shards, i) : shards->n_all + 1;
        for (size_t j = next; n_missing <= NAMED_MOST && j < there; j++)
            text_printf(out, "shard %zu of %zu is missing: gbrun run --resume %s --shard %zu/%zu\n",
                        j, shards->n_all, shards->path, j, shards->n_all);
        if (next < there)
            add_range(next, there - 1, &ranges);
        next = there + 1;
    }
    if (n_missing > NAMED_MOST)
        text_printf(out,
                    "%zu of %zu shards are missing: %s; gbrun run --resume %s --shard I/%zu "
                    "measures one\n",
                    n_missing, shards->n_all, text_get(&ranges), shards->path, shards->n_all);
}

/* False: none is missing, all have ended. */
static bool write_rest(const struct shards *shards, struct text *out)
{
    const bool is_missing = shards->n_all > shards->n;
    bool is_any = is_missing;
    if (is_missing)
        write_missing(shards, out);
    for (size_t i = 0; i < shards->n; i++)
        if (!shards->runs[i].record.finished) {
            text_printf(out, "shard %s has not ended: gbrun run --resume %s --run %lld\n",
                        fact(shards, i, SHARD_FACT_SHARD), shards->path,
                        (long long)shards->runs[i].number);
            is_any = true;
        }
    return is_any;
}

static void write_there(const struct shards *shards, struct text *out)
{
    const size_t n_hosts = count_hosts(shards);
    text_printf(out, "%zu of %zu shards on %zu node%s", shards->n, shards->n_all, n_hosts,
                n_hosts == 1 ? "" : "s");
}

void shards_write(const struct view *view, struct text *out)
{
    const struct view_options *options = view->options;
    const struct shards shards = shards_of(view->runs, view->n_runs,
                                           options->path ? options->path : "FILE");
    text_add(out, "\n");
    write_there(&shards, out);
    if (!options->where && !options->sort)
        text_printf(out, ", %llu of %s cases", (unsigned long long)count_cases(view),
                    fact(&shards, 0, SHARD_FACT_CASES));
    text_add(out, "\n");
    write_rest(&shards, out);
}

int32_t view_plan(struct store *store, const char *path, struct text *out, bool *ret_is_complete,
                  struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct stored_run *runs = NULL;
    size_t n = 0;
    const int32_t status = store_newest_united(store, &arena, &runs, &n, error);
    if (status != GB_OK)
        return status;
    const struct shards shards = shards_of(runs, n, path);
    text_printf(out, "%s: plan %s: ", path, fact(&shards, 0, SHARD_FACT_PLAN));
    write_there(&shards, out);
    text_add(out, "\n");
    *ret_is_complete = !write_rest(&shards, out);
    return GB_OK;
}
