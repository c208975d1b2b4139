/* view_page.c - a part of very many cases: --limit and --offset. */
#include "core/view/view_writers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int compare_positions(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* False: all are shown. */
static bool set_page(struct view *view, uint64_t n_all)
{
    const struct view_options *options = view->options;
    struct view_page *page = &view->page;
    const uint64_t limit = options->limit ? options->limit : UINT64_MAX;
    page->first = options->offset < n_all ? options->offset : n_all;
    page->n = n_all - page->first < limit ? n_all - page->first : limit;
    page->n_all = page->n < n_all ? n_all : 0;
    return page->n_all > 0;
}

static int32_t add_counts(struct view *view, struct gb_error *error)
{
    struct case_counts *all = &view->page.counts;
    int32_t status = GB_OK;
    for (size_t i = 0; status == GB_OK && i < view->n_runs; i++) {
        struct case_counts one = {0};
        status = store_case_counts(view->store, view->runs[i].id, &one, error);
        all->done += one.done;
        all->bad += one.bad;
        all->skipped += one.skipped;
    }
    return status;
}

/* Which positions there are says an index: of a million cases only those shown are read. */
int32_t page_begin(struct view *view, struct gb_error *error)
{
    const struct view_options *options = view->options;
    struct view_page *page = &view->page;
    uint64_t *positions = NULL;
    size_t n = 0, n_kept = 0;
    int32_t status = GB_OK;
    *page = (struct view_page){.to = INT64_MAX};
    if ((!options->limit && !options->offset) || options->where || options->sort ||
        (view->n_runs > 1 && !view->is_united))
        return GB_OK;
    for (size_t i = 0; status == GB_OK && i < view->n_runs; i++)
        status = store_positions(view->store, view->runs[i].id, &positions, &n, error);
    if (n)
        qsort(positions, n, sizeof *positions, compare_positions);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || positions[i] != positions[i - 1])
            positions[n_kept++] = positions[i];
    if (status == GB_OK && set_page(view, n_kept)) {
        page->from = page->n ? positions[page->first] : 1;
        page->to = page->n ? positions[page->first + page->n - 1] : 0;
        status = add_counts(view, error);
    }
    free(positions);
    return status;
}

void page_end(struct view *view)
{
    size_t n = 0;
    if (view->page.n_all || (!view->options->limit && !view->options->offset))
        return;
    struct group *groups = group_rounds(view, true, &n);
    if (set_page(view, n)) {
        const struct view_page *page = &view->page;
        const size_t first = page->n ? groups[page->first].first : 0;
        const struct group *last = page->n ? &groups[page->first + page->n - 1] : NULL;
        view->n_entries = last ? last->first + last->n - first : 0;
        memmove(view->entries, view->entries + first, view->n_entries * sizeof *view->entries);
    }
    free(groups);
}

void page_write(const struct view *view, struct text *out)
{
    const struct view_page *page = &view->page;
    const uint64_t next = page->first + page->n;
    if (!page->n_all)
        return;
    if (page->n)
        text_printf(out, "\ncases %" PRIu64 " to %" PRIu64 " of %" PRIu64, page->first + 1, next,
                    page->n_all);
    else
        text_printf(out, "\nthere are %" PRIu64 " cases", page->n_all);
    if (page->counts.bad)
        text_printf(out, ", %lld of all failed (--where \"status not in ('ok', 'skipped')\")",
                    (long long)page->counts.bad);
    if (page->n && next < page->n_all)
        text_printf(out, "; --offset %" PRIu64 " shows the next, --limit 0 all", next);
    text_add(out, "\n");
}
