/* records.c - see records.h. Plugin side. */
#include "records.h"

#include <stdlib.h>
#include <string.h>

static bool grow(void **items, size_t *size, size_t n, size_t item_bytes)
{
    if (n <= *size)
        return true;
    size_t wanted = *size > 0 ? *size : 1024;
    while (wanted < n)
        wanted *= 2;
    void *grown = realloc(*items, wanted * item_bytes);
    if (grown == NULL)
        return false;
    *items = grown;
    *size = wanted;
    return true;
}

static bool reserve_links(struct records *records, size_t n)
{
    void *items = records->links;
    const bool is_there = grow(&items, &records->links_size, n, sizeof *records->links);
    records->links = items;
    return is_there;
}

static bool reserve_activities(struct records *records, size_t n)
{
    void *items = records->activities;
    const bool is_there = grow(&items, &records->activities_size, n, sizeof *records->activities);
    records->activities = items;
    return is_there;
}

bool records_reserve(struct records *records, size_t n)
{
    return reserve_links(records, n) && reserve_activities(records, n);
}

void records_free(struct records *records)
{
    free(records->links);
    free(records->activities);
    *records = (struct records){0};
}

void records_clear(struct records *records)
{
    records->n_links = 0;
    records->n_activities = 0;
    records->is_incomplete = false;
}

void records_add_link(struct records *records, uint32_t correlation, uint32_t sample)
{
    if (!reserve_links(records, records->n_links + 1)) {
        records->is_incomplete = true;
        return;
    }
    records->links[records->n_links++] = (struct record_link){correlation, sample};
}

void records_add_activity(struct records *records, uint32_t correlation, uint64_t start_ns,
                          uint64_t end_ns)
{
    if (!reserve_activities(records, records->n_activities + 1)) {
        records->is_incomplete = true;
        return;
    }
    records->activities[records->n_activities++] = (struct record_activity){correlation, start_ns,
                                                                            end_ns};
}

static int compare_links(const void *a, const void *b)
{
    const struct record_link *x = a;
    const struct record_link *y = b;
    return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

/* They mostly come in order. */
static void sort_links(struct records *records)
{
    for (size_t i = 1; i < records->n_links; i++) {
        if (compare_links(&records->links[i - 1], &records->links[i]) > 0) {
            qsort(records->links, records->n_links, sizeof *records->links, compare_links);
            return;
        }
    }
}

static void add(struct record_sum *sum, const struct record_activity *activity)
{
    if (activity->start_ns == 0 || activity->end_ns < activity->start_ns)
        sum->is_lost = true;
    if (sum->n_activities == 0 || activity->start_ns < sum->start_ns)
        sum->start_ns = activity->start_ns;
    if (sum->n_activities == 0 || activity->end_ns > sum->end_ns)
        sum->end_ns = activity->end_ns;
    sum->busy_ns += activity->end_ns - activity->start_ns;
    sum->n_activities++;
}

size_t records_sum(struct records *records, struct record_sum *sums, size_t n)
{
    size_t n_found = 0;
    memset(sums, 0, n * sizeof *sums);
    sort_links(records);
    for (size_t i = 0; i < records->n_activities; i++) {
        const struct record_link key = {records->activities[i].correlation, 0};
        const struct record_link *link = records->n_links == 0
                                             ? NULL
                                             : bsearch(&key, records->links, records->n_links,
                                                       sizeof *records->links, compare_links);
        if (link != NULL && link->sample < n)
            add(&sums[link->sample], &records->activities[i]);
    }
    for (size_t i = 0; i < n; i++)
        n_found += sums[i].n_activities > 0;
    return n_found;
}
