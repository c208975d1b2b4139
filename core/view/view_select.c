/* view_select.c - which cases a view sees, in which order, and the row of each. */
#include "core/base/members.h"
#include "core/view/view_cases.h"

#include "core/config/ini.h"
#include "core/config/value.h"
#include "core/run/module.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Adds what is not there yet. Names are few. */
static void add_names(struct arena *arena, const char ***names, size_t *n, const char **more,
                      size_t n_more)
{
    const char **all = ARENA_ARRAY(arena, const char *, *n + n_more);
    if (*n)
        memcpy(all, *names, *n * sizeof *all);
    for (size_t i = 0; i < n_more; i++)
        if (!text_is_among(all, *n, more[i]))
            all[(*n)++] = more[i];
    *names = all;
}

static int32_t load_names(struct view *view, struct gb_error *error)
{
    const int64_t case_id = view->options->names_of;
    int32_t status = GB_OK;
    for (size_t i = 0; status == GB_OK && i < view->n_runs; i++) {
        const char **names = NULL;
        size_t n = 0;
        status = store_parameter_names(view->store, view->runs[i].id, case_id, &view->arena, &names,
                                       &n, error);
        if (status != GB_OK)
            return status;
        add_names(&view->arena, &view->parameters, &view->n_parameters, names, n);
        for (size_t j = 0; j < n; j++) {
            const char *ratio = paper_ratio_of(names[j], &view->arena);
            if (ratio)
                add_names(&view->arena, &view->metrics, &view->n_metrics, &ratio, 1);
        }
        n = 0;
        status = store_metric_names(view->store, view->runs[i].id, case_id, &view->arena, &names,
                                    &n, error);
        if (status == GB_OK)
            add_names(&view->arena, &view->metrics, &view->n_metrics, names, n);
    }
    return status;
}

static int32_t load_devices(struct view *view, struct gb_error *error)
{
    int32_t status = GB_OK;
    view->devices = ARENA_ARRAY(&view->arena, struct stored_devices, view->n_runs);
    for (size_t i = 0; status == GB_OK && i < view->n_runs; i++)
        status = store_devices(view->store, view->runs[i].id, &view->arena, &view->devices[i],
                               error);
    return status;
}

/* --sort: keys of an entry, compared one after the other. */
struct sorter {
    struct view_column *columns;
    bool *downwards;
    size_t n;
    struct cell *keys; /* n for each entry */
};

/* One of --columns by the name that it is given there. */
static bool titled_column(const struct view_column *columns, size_t n, const char *title,
                          struct view_column *ret)
{
    for (size_t i = 0; i < n; i++)
        if (columns[i].title && text_equal(columns[i].title, title)) {
            *ret = columns[i];
            return true;
        }
    return false;
}

static int32_t sorter_open(struct view *view, struct sorter *sorter, struct gb_error *error)
{
    struct text_list items = {0};
    struct view_column *asked = NULL;
    size_t n_asked = 0;
    int32_t status = view_split(view, view->options->sort, "--sort", &items, error);
    if (status == GB_OK && view->options->columns && !view->options->group_by)
        status = view_columns_asked(view, &asked, &n_asked, error);
    sorter->columns = ARENA_ARRAY(&view->arena, struct view_column, items.n + 1);
    sorter->downwards = ARENA_ARRAY(&view->arena, bool, items.n + 1);
    sorter->n = items.n;
    for (size_t i = 0; status == GB_OK && i < items.n; i++) {
        sorter->downwards[i] = items.items[i][0] == '-';
        items.origins[i].column += sorter->downwards[i];
        if (!titled_column(asked, n_asked, items.items[i] + sorter->downwards[i],
                           &sorter->columns[i]))
            status = view_column_asked(view, items.items[i] + sorter->downwards[i],
                                       items.origins[i], &sorter->columns[i], error);
    }
    return status;
}

static uint64_t place_of(const struct view_row *row)
{
    uint64_t hash = HASH_START;
    hash = hash_text(hash, row->c.bench);
    hash = hash_text(hash, row->c.policy);
    hash = hash_text(hash, row->c.device_name);
    hash = hash_number(hash, (uint64_t)row->c.device_index);
    hash = hash_number(hash, row->c.position);
    return hash_number(hash, (uint64_t)row->run->number);
}

static const char *extent_of(const uint32_t extent[3], struct arena *arena)
{
    CLEANUP(text_free) struct text words = {0};
    extent_text(extent, &words);
    return arena_text(arena, text_get(&words));
}

/* What [gbrun] of the newest of the runs says, as a path; NULL: nothing. */
static const char *configured_file(const struct view *view, struct arena *arena)
{
    const struct run_record *run = &view->runs[view->n_runs - 1].record;
    struct error_list errors = {0};
    struct ini ini = {0};
    struct value value = {.text = ""};
    struct gb_error error;
    ini_read_text("", run->config, strlen(run->config), arena, &ini, &errors);
    for (size_t i = 0; i < ini.n; i++)
        for (size_t j = 0; text_equal(ini.sections[i].kind, "gbrun") && j < ini.sections[i].n; j++)
            if (text_equal(ini.sections[i].entries[j].key, "roofs"))
                value_read_type(GB_TYPE_STRING, ini.sections[i].entries[j].value,
                                (struct origin){0}, arena, &value, &error);
    error_list_free(&errors);
    return *value.text ? path_from(run->config_folder, value.text, arena) : NULL;
}

/* A file that was not named for this view is no reason to show nothing. */
static void add_if_readable(struct view *view, const char *path)
{
    struct gb_error error;
    if (roof_library_add_file(&view->roofs, path, false, &error) != GB_OK)
        view->roofs_problem = arena_text(&view->arena, error.text);
}

static int32_t fill_library(struct view *view, struct gb_error *error)
{
    CLEANUP(text_free) struct text user = {0};
    int32_t status = GB_OK;
    view->has_roofs = true;
    if (view->options->roofs)
        status = roof_library_add_file(&view->roofs, view->options->roofs, true, error);
    if (status == GB_OK)
        status = roof_library_add(&view->roofs, view->store,
                                  view->options->path ? view->options->path : "this file", false,
                                  error);
    if (status != GB_OK)
        return status;
    const char *configured = configured_file(view, &view->arena);
    if (configured)
        add_if_readable(view, configured);
    if (roof_library_user_file(&user))
        add_if_readable(view, text_get(&user));
    return GB_OK;
}

/* Fills the roofs of a row; searches files of roofs at the first case with declared work.
 */
static int32_t find_roofs(struct view *view, struct view_row *row, struct gb_error *error)
{
    const struct gb_work *work = &row->c.record.work;
    const struct device_record *device = row->device ? &row->device->record : NULL;
    bool is_declared = work->flops > 0 || work->bytes_read + work->bytes_written > 0;
    int32_t status = device && is_declared && !view->has_roofs ? fill_library(view, error) : GB_OK;
    if (status != GB_OK)
        return status;
    struct roof_set *set = device && is_declared ? roof_library_find(&view->roofs, device->model,
                                                                     row->run->record.uuid)
                                                 : NULL;
    roofline_of_case(set, &row->c, device, &row->roofline);
    row->roofs = set;
    if (set && row->roofline.roof)
        set->is_used = true;
    return GB_OK;
}

/* ---- the comparison ---- */

/* What was wrong beside the metric: "FAIL not finite", "FAIL vacuous"; the rest is a note. */
static const char *fault_words(const char *text, struct arena *arena)
{
    static const char before_place[] = " at [";
    const char *place = strstr(text, before_place);
    size_t n = strcspn(text, ":");
    if (place && (size_t)(place - text) < n)
        n = (size_t)(place - text);
    return arena_printf(arena, "FAIL %.*s", (int)n, text);
}

/* "ok rms 1.5e-07", "FAIL rms 0.5 > 1e-06", "FAIL NaN"; "unchecked". */
static const char *check_words(const struct stored_case *c, struct arena *arena)
{
    const struct check_record *check = record_main_check(&c->record);
    if (!check)
        return "unchecked";
    if (check->passed && !*check->metric) /* the benchmark's own */
        return arena_printf(arena, "ok %s", check->name);
    if (check->passed)
        return arena_printf(arena, "ok %s %.3g", check->metric, check->value);
    if (check->value > check->tolerance)
        return arena_printf(arena, "FAIL %s %.3g > %.3g", check->metric, check->value,
                            check->tolerance);
    return fault_words(check->text, arena);
}

/* ---- the kernel ---- */

static double product(const uint32_t extent[3])
{
    return (double)extent[0] * extent[1] * extent[2];
}

/* Does a represent the case better? A time that is not known is no reason. */
static bool is_before(const struct gb_activity *a, const struct gb_activity *b)
{
    if (!isnan(a->time_ns) || !isnan(b->time_ns))
        return isnan(b->time_ns) || a->time_ns > b->time_ns;
    return activity_blocks(a) * product(a->block) > activity_blocks(b) * product(b->block);
}

/* The kernel that represents the case: the longest where they were timed, else the one with most
 * threads; NULL: none is known. */
static const struct gb_activity *main_kernel(const struct stored_case *c)
{
    const struct gb_activity *found = NULL;
    for (size_t i = 0; i < c->record.n_activities; i++) {
        const struct gb_activity *activity = &c->record.activities[i];
        if (activity->kind == GB_ACTIVITY_KERNEL && (!found || is_before(activity, found)))
            found = activity;
    }
    return found;
}

/* ---- a row ---- */

int32_t view_row_of(struct view *view, size_t run, const struct stored_case *c, struct arena *arena,
                    struct view_row *ret, struct gb_error *error)
{
    *ret = (struct view_row){.run = &view->runs[run],
                             .label = case_label(c, arena),
                             .check = check_words(c, arena),
                             .c = *c,
                             .n_rounds = 1,
                             .apart_ratio = NAN,
                             .kernel = main_kernel(c)};
    struct gb_estimate *estimate = &ret->c.record.estimate;
    estimate->verdict = verdict_of_visit(estimate->verdict);
    if (ret->kernel) {
        ret->grid = extent_of(ret->kernel->grid, arena);
        ret->block = extent_of(ret->kernel->block, arena);
    }
    ret->device = stored_device_of(&view->devices[run], c->record.device_id);
    if (view->relatives)
        ret->relative = relatives_find(view->relatives, c->id);
    return find_roofs(view, ret, error);
}

/* Rows of some entries as an array: one alone is handed out as it is. */
static const struct view_row *rows_of_entries(const struct view_entry *entries, size_t n,
                                              struct arena *arena)
{
    if (n == 1)
        return entries->row;
    struct view_row *rows = ARENA_ARRAY(arena, struct view_row, n);
    for (size_t i = 0; i < n; i++)
        rows[i] = *entries[i].row;
    return rows;
}

const struct view_row *view_group_rows(const struct view *view, const struct group *group,
                                       struct arena *arena)
{
    return rows_of_entries(view->entries + group->first, group->n, arena);
}

const struct view_row *view_records(const struct view *view, const struct view_entry *entry,
                                    struct arena *arena, size_t *ret_n)
{
    *ret_n = entry->n_rounds ? entry->n_rounds : 1;
    return rows_of_entries(entry->n_rounds ? view->rounds + entry->first_round : entry, *ret_n,
                           arena);
}

bool view_next(struct view_cursor *cursor, int32_t *status, struct gb_error *error)
{
    const struct view *view = cursor->view;
    if (*status == GB_OK)
        *status = view_expressions_status(view, error);
    if (*status != GB_OK || cursor->n_read == view->n_entries)
        return false;
    cursor->entry = &view->entries[cursor->n_read++];
    cursor->row = cursor->entry->row;
    return true;
}

struct selection {
    struct view *view;
    struct view_expression *filter; /* --where; NULL */
    struct sorter sorter;
};

/* The keys of entry number i; in the order of the entries. */
static void add_keys(struct selection *selection, size_t i, const struct view_row *row)
{
    struct sorter *sorter = &selection->sorter;
    if (sorter->n)
        sorter->keys = memory_grow(sorter->keys, i, sorter->n * sizeof *sorter->keys);
    for (size_t j = 0; j < sorter->n; j++) {
        struct cell *key = &sorter->keys[i * sorter->n + j];
        *key = cell_of(row, &sorter->columns[j]);
        if (key->kind == CELL_TEXT)
            key->text = arena_text(&selection->view->arena, key->text);
    }
}

static int32_t select_one(struct selection *selection, size_t run, const struct stored_case *c,
                          struct gb_error *error)
{
    struct view *view = selection->view;
    struct view_row row;
    bool wanted = true;
    int32_t status = view_row_of(view, run, c, &view->arena, &row, error);
    if (status == GB_OK && selection->filter &&
        view_expression_test(selection->filter, &row, &wanted, error) != GB_OK)
        status = error_prefix(error, "--where: ");
    if (status != GB_OK || !wanted)
        return status;
    struct view_row *kept = ARENA_NEW(&view->arena, struct view_row);
    *kept = row;
    if (view->options->rows != ROWS_COMBINED)
        add_keys(selection, view->n_entries, kept);
    MEMORY_APPEND(view->entries, view->n_entries,
                  (struct view_entry){.row = kept, .place = place_of(kept)});
    survey_add(&view->survey, kept);
    return GB_OK;
}

static int32_t select_run(struct selection *selection, size_t run, struct gb_error *error)
{
    struct view *view = selection->view;
    CLEANUP(free_pointer) int64_t *ids = NULL;
    CLEANUP(free_pointer) struct stored_case *cases = NULL;
    size_t n = 0;
    int32_t status = store_case_ids_in_order(view->store, view->runs[run].id, view->page.from,
                                             view->page.to, &ids, &n, error);
    if (status == GB_OK)
        status = store_cases_read(view->store, ids, n, &view->arena, &cases, error);
    for (size_t i = 0; status == GB_OK && i < n; i++)
        status = select_one(selection, run, &cases[i], error);
    return status;
}

/* --rows combined: an entry for each case. The survey is of the records. */
static void combine_entries(struct selection *selection)
{
    struct view *view = selection->view;
    size_t n = 0;
    struct group *groups = group_rounds(view, true, &n);
    view->rounds = view->entries;
    view->entries = NULL;
    view->n_entries = 0;
    for (size_t i = 0; i < n; i++) {
        CLEANUP(arena_free) struct arena scratch = {0};
        struct view_entry entry = view->rounds[groups[i].first];
        entry.first_round = groups[i].first;
        entry.n_rounds = groups[i].n;
        if (entry.n_rounds > 1) {
            size_t n_rows = 0;
            const struct view_row *rows = view_records(view, &entry, &scratch, &n_rows);
            struct view_row *combined = ARENA_NEW(&view->arena, struct view_row);
            *combined = combine_rounds(rows, n_rows, &view->arena).row;
            entry.row = combined;
        }
        MEMORY_APPEND(view->entries, view->n_entries, entry);
        if (selection->sorter.n)
            add_keys(selection, i, entry.row);
    }
}

struct sort_item {
    size_t entry;
    const struct sorter *sorter;
};

static int compare_items(const void *a, const void *b)
{
    const struct sort_item *first = a, *second = b;
    const struct sorter *sorter = first->sorter;
    for (size_t k = 0; k < sorter->n; k++) {
        const struct cell *x = &sorter->keys[first->entry * sorter->n + k];
        const struct cell *y = &sorter->keys[second->entry * sorter->n + k];
        int order = cell_compare(x, y);
        bool missing = x->kind == CELL_NULL || y->kind == CELL_NULL; /* these stay at the end */
        if (order)
            return sorter->downwards[k] && !missing ? -order : order;
    }
    return (first->entry > second->entry) - (first->entry < second->entry);
}

static void sort_entries(struct selection *selection)
{
    struct view *view = selection->view;
    size_t n = view->n_entries;
    struct sort_item *order = memory_allocate(n * sizeof *order);
    struct view_entry *sorted = memory_allocate(n * sizeof *sorted);
    for (size_t i = 0; i < n; i++)
        order[i] = (struct sort_item){i, &selection->sorter};
    qsort(order, n, sizeof *order, compare_items);
    for (size_t i = 0; i < n; i++)
        sorted[i] = view->entries[order[i].entry];
    free(order);
    free(view->entries);
    view->entries = sorted;
}

/* ---- a part of very many cases: --limit and --offset ---- */

ORDER_BY(compare_numbers, uint64_t, ORDER_OF(*x, *y))

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
static int32_t page_begin(struct view *view, struct gb_error *error)
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
        qsort(positions, n, sizeof *positions, compare_numbers);
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

static void page_end(struct view *view)
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
}

/* ---- the view ---- */

/* Shards are shown as if one run had measured it all; what has just been measured is shown alone.
 */
static int32_t load_runs(struct view *view, int64_t run, struct gb_error *error)
{
    if (run != RUN_NEWEST || view->options->is_fresh)
        return store_runs(view->store, run, &view->arena, &view->runs, &view->n_runs, error);
    int32_t status = store_newest_united(view->store, &view->arena, &view->runs, &view->n_runs,
                                         error);
    view->is_united = view->survey.is_united = status == GB_OK && view->n_runs > 1;
    return status;
}

ORDER_BY_NUMBERS(compare_positions, struct view_entry, row->c.position, row->c.record.round)

static int32_t load(struct view *view, int64_t run, struct gb_error *error)
{
    const struct view_options *options = view->options;
    struct selection selection = {.view = view};
    int32_t status = load_runs(view, run, error);
    if (status == GB_OK)
        status = load_devices(view, error);
    if (status == GB_OK && (options->where || options->sort || options->columns || options->pivot ||
                            options->group_by || options->has_names))
        status = load_names(view, error);
    if (status == GB_OK && options->relative_to)
        status = relatives_new(view->store, options->path ? options->path : "this file",
                               options->relative_to, view->runs, view->n_runs, &view->relatives,
                               error);
    if (status == GB_OK && options->where &&
        view_expression_new(view, options->where, (struct origin){0}, &selection.filter, error) !=
            GB_OK)
        status = error_prefix(error, "--where: ");
    if (status == GB_OK && options->sort)
        status = sorter_open(view, &selection.sorter, error);
    if (status == GB_OK)
        status = page_begin(view, error);
    for (size_t i = 0; status == GB_OK && i < view->n_runs && !options->selects_none; i++)
        status = select_run(&selection, i, error);
    if (status == GB_OK && view->is_united && !selection.sorter.n && view->n_entries)
        qsort(view->entries, view->n_entries, sizeof *view->entries, compare_positions);
    if (status == GB_OK && options->rows == ROWS_COMBINED)
        combine_entries(&selection);
    if (status == GB_OK)
        status = view_expressions_status(view, error);
    if (status == GB_OK && selection.sorter.n)
        sort_entries(&selection);
    if (status == GB_OK)
        page_end(view);
    free(selection.sorter.keys);
    return status;
}

int32_t view_open(struct store *store, const struct view_options *options, int64_t run,
                  struct view *ret, struct gb_error *error)
{
    *ret = (struct view){.store = store, .options = options};
    ret->survey.arena = &ret->arena;
    ret->roofs.arena = &ret->arena;
    int32_t status = store_snapshot_begin(store, error);
    if (status != GB_OK)
        return status;
    status = load(ret, run, error);
    if (status != GB_OK)
        view_close(ret);
    return status;
}

void view_close(struct view *view)
{
    store_snapshot_end(view->store);
    free(view->entries);
    free(view->rounds);
    relatives_free(view->relatives);
    view_expressions_free(view);
    arena_free(&view->arena);
    *view = (struct view){0};
}
