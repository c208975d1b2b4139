/* view_show.c - a results file as tables for people. */
#include "core/base/members.h"
#include "core/compare/compare.h"
#include "core/compare/compare_text.h"
#include "core/view/view_writers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "2026-01-01T10:00:00.000Z" as people write it. */
static void add_time(struct text *out, const char *iso)
{
    if (strlen(iso) >= 20 && iso[10] == 'T' && text_ends_with(iso, "Z"))
        text_printf(out, "%.10s %.8s UTC", iso, iso + 11);
    else
        text_add(out, iso);
}

/* "wall clock: resolution 20.0 ns, overhead 24.0 ns", of those that cases used. */
static void add_clocks(const struct device_record *device, const struct view *view,
                       struct text *out)
{
    const struct survey *survey = &view->survey;
    const bool is_one = survey->clock && !survey->several_clocks && !view->options->verbose;
    for (size_t i = 0; i < device->n_clocks; i++)
        if (!is_one || text_equal(device->clocks[i].name, survey->clock))
            text_printf(out, "%s%s clock: resolution %s, overhead %s", out->length ? "; " : "",
                        device->clocks[i].name, TIME_TEXT(device->clocks[i].tick_ns, 3),
                        TIME_TEXT(device->clocks[i].overhead_ns, 3));
}

/* "load 2.86", which is there only if that is much. */
static void add_load(const struct view *view, struct text *out)
{
    const struct run_record *run = &view->runs[0].record;
    const char *busy = fact_of(run->facts, run->n_facts, BUSY_FACT);
    const int colour = view->options->has_colours ? COLOUR_DOUBT : COLOUR_NONE;
    if (!*busy)
        return;
    text_add(out, out->length ? "; " : "");
    colour_begin(out, colour);
    text_add_n(out, busy, strcspn(busy, ","));
    colour_end(out, colour);
}

/* On one line, if the device's name may be cut for that. */
static void add_device_line(const struct device_record *device, bool is_first,
                            const struct view *view, struct text *out)
{
    enum { MODEL_LEAST = 12, AROUND = 6 };
    CLEANUP(text_free) struct text line = {0}, about = {0};
    add_clocks(device, view, &about);
    if (is_first)
        add_load(view, &about);
    text_add(&line, device->name);
    if (device_is_numbered(device))
        text_printf(&line, ":%u", device->index);
    const size_t used = text_columns(text_get(&line)) + text_columns(text_get(&about)) + AROUND;
    const size_t width = view_width(view), left = width > used ? width - used : 0;
    text_add(&line, "  ");
    if (view->options->verbose)
        text_add(&line, device->model);
    else
        text_add_cut(&line, device->model, left > MODEL_LEAST ? left : MODEL_LEAST);
    if (about.length)
        text_printf(&line, "  (%s)", text_get(&about));
    text_add(&line, "\n");
    text_add_wrapped(out, text_get(&line), 0, 2, width);
    for (size_t i = 0; view->options->verbose && i < device->n_facts; i++)
        text_printf(out, "  %s: %s\n", device->facts[i].name, device->facts[i].value);
}

static void add_head(const struct view *view, struct text *out)
{
    const struct stored_run *stored = &view->runs[0];
    const struct run_record *run = &stored->record;
    const char *host = fact_of(run->facts, run->n_facts, "host");
    bool verbose = view->options->verbose;
    if (!view->options->is_fresh || verbose) {
        if (view->is_united)
            text_printf(out, "plan %s  ", fact_of(run->facts, run->n_facts, SHARD_FACT_PLAN));
        else
            text_printf(out, "run %lld  ", (long long)stored->number);
        add_time(out, run->started);
        text_printf(out, "%s%s  gbrun %s\n", *host ? "  " : "", host, run->version);
    }
    if (verbose) {
        text_printf(out, "  command: %s\n  configuration: %s (SHA-256 %.12s)\n  seed: %lld\n",
                    run->command_line, run->config_path, run->config_sha256, (long long)run->seed);
        for (size_t i = 0; i < run->n_facts; i++)
            text_printf(out, "  %s: %s\n", run->facts[i].name, run->facts[i].value);
    }
    for (size_t i = 0; i < view->devices[0].n; i++)
        add_device_line(&view->devices[0].items[i].record, i == 0, view, out);
}

/* Which roofs were used, a line for each device model and run. */
static void roofs_write(const struct view *view, struct text *out)
{
    bool is_first = true;
    for (size_t i = 0; i < view->roofs.n; i++) {
        const struct roof_set *set = view->roofs.sets[i];
        CLEANUP(text_free) struct text line = {0};
        if (!set->is_used)
            continue;
        text_printf(&line, "roofs of %s: ", set->model);
        text_add_line(&line, set->source);
        text_add(&line, "\n");
        text_add(out, is_first ? "\n" : "");
        text_add_wrapped(out, text_get(&line), 0, 2, view_width(view));
        is_first = false;
    }
    if (view->roofs_problem)
        text_printf(out, "\nroofs that cannot be used: %s\n", view->roofs_problem);
}

/* --columns: what was asked for, a row for each record. */
static int32_t write_asked(struct view *view, struct text *out, struct gb_error *error)
{
    struct view_column *columns = NULL;
    size_t n = 0;
    int32_t status = view_columns_asked(view, &columns, &n, error);
    if (status != GB_OK)
        return status;
    CLEANUP(table_free) struct table table = {0};
    for (size_t i = 0; i < n; i++)
        table_column(&table,
                     columns[i].kind == COLUMN_METRIC ? view_head_with_unit(view, &columns[i])
                                                      : view_column_title(&columns[i]),
                     !column_is_words(view, &columns[i]));
    for (struct view_cursor at = {.view = view}; view_next(&at, &status, error);) {
        table_row(&table);
        for (size_t j = 0; j < n; j++) {
            struct cell cell = cell_of(at.row, &columns[j]);
            cell_readable(&cell, table_words(&table));
        }
    }
    table_write(&table, table_style(view->options->format), out);
    return status;
}

/* Which of how many are shown. */
static void write_page(const struct view *view, struct text *out)
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

/* ---- the shards of one plan: which there are, which are missing ---- */

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

ORDER_BY(compare_texts, char *const, strcmp(*x, *y))

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
        const size_t there = i < shards->n ? strtoul(fact(shards, i, SHARD_FACT_SHARD), NULL, 10)
                                           : shards->n_all + 1;
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
static bool write_open_shards(const struct shards *shards, struct text *out)
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
    text_printf(out, "%zu of %zu shards on %s", shards->n, shards->n_all,
                COUNT_TEXT(count_hosts(shards), "node"));
}

static void shards_write(const struct view *view, struct text *out)
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
    write_open_shards(&shards, out);
}

/* ---- which value of an option is fastest ---- */

/* What cases are compared by, and the value the others are compared with. */
struct question {
    const char *by, *base;
    bool names_it; /* a number needs the option's name */
};

/* One axis of words; or one axis of numbers, where all cases do the same work; or benchmarks
 * without axes that do. False: there are several, or none. */
static bool find_question(const struct survey *survey, struct question *ret)
{
    /* Values of these differ in how times are taken, not in how fast the code is. */
    static const char *const measuring[] = {"policy", "clock", "iterations", "seed",
                                            "check.safety"};
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
    if (!axis || text_is_among(measuring, sizeof measuring / sizeof *measuring, axis->name))
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

/* False: it is not certain, or not so in each case. */
static bool is_slower(const struct compare_against *against, struct slowdown *ret)
{
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
    return ret->low > 0 && isfinite(ret->high);
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

static void summary_write(struct view *view, struct text *out)
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

/* ---- a file ---- */

void view_add_open(const struct view *view, struct text *out)
{
    const uint64_t n_done = view->survey.n_done, n = view->runs[0].record.n_cases;
    text_printf(out, "%s%llu of %llu cases are done%s",
                n_done < n ? "this run has not ended: " : "", (unsigned long long)n_done,
                (unsigned long long)n,
                n_done < n ? "" : ", but gbrun was killed before the end of the run");
}

/* What a table of what is there cannot show. */
static void write_rest(const struct view *view, struct text *out)
{
    const struct stored_run *run = &view->runs[0];
    write_page(view, out);
    if (view->is_united)
        shards_write(view, out);
    if (view->n_runs > 1 || run->record.finished)
        return;
    CLEANUP(text_free) struct text words = {0};
    if (view->options->where)
        text_add(&words, "this run has not ended");
    else
        view_add_open(view, &words);
    text_printf(out, "\n%s; gbrun run --resume FILE %s\n", text_get(&words),
                view->survey.n_done < run->record.n_cases ? "measures the rest" : "closes it");
}

/* What follows the tables, where it is known how wide lines may be; else as it is. */
static void add_to_width(const struct view *view, const struct text *words, struct text *out)
{
    const char *at = text_get(words);
    if (!view->options->width || view->options->format != FORMAT_TABLE) {
        text_add(out, at);
        return;
    }
    while (*at) {
        CLEANUP(text_free) struct text line = {0};
        const size_t n = strcspn(at, "\n");
        text_add_n(&line, at, n);
        text_add_wrapped(out, text_get(&line), 0, strspn(at, " ") + 2, view->options->width);
        text_add(out, at[n] ? "\n" : "");
        at += n + (at[n] != 0);
    }
}

static int32_t show_run(struct view *view, struct text *out, struct gb_error *error)
{
    CLEANUP(text_free) struct text rest = {0};
    int32_t status = GB_OK;
    if (view->n_runs == 1 || view->is_united) {
        add_head(view, out);
        text_add(out, "\n");
    }
    if (!view->n_entries && view->options->where)
        text_printf(out, "no case matches --where %s\n", view->options->where);
    else if (!view->n_entries)
        text_add(out, "no cases\n");
    else if (view->options->group_by)
        status = groups_write(view, cell_readable, out, error);
    else if (view->options->pivot)
        status = pivot_show(view, out, error);
    else if (view->options->columns)
        status = write_asked(view, out, error);
    else
        tables_show(view, out);
    roofs_write(view, out);
    if (view->relatives) {
        text_add(out, "\n");
        relatives_explain(view->relatives, out);
    }
    if (status == GB_OK && view->options->breakdown)
        breakdown_show(view, out);
    if (status == GB_OK)
        notes_show(view, &rest);
    write_rest(view, &rest);
    if (status == GB_OK)
        summary_write(view, &rest);
    add_to_width(view, &rest, out);
    return status;
}

int32_t view_show(struct store *store, const struct view_options *options, struct text *out,
                  struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(text_free) struct text shown = {0};
    struct stored_run *runs = NULL;
    size_t n = 0;
    if (options->format != FORMAT_TABLE && options->format != FORMAT_MARKDOWN)
        return error_set(error, GB_INVALID, "%s is a format of exports: use gbrun export",
                         format_name(options->format));
    int32_t status = store_runs(store, options->run, &arena, &runs, &n, error);
    bool as_one = options->group_by && n > 1; /* groups are of all runs */
    n = as_one ? 1 : n;
    for (size_t i = 0; status == GB_OK && i < n; i++) {
        struct view view;
        status = view_open(store, options, as_one || n == 1 ? options->run : runs[i].number, &view,
                           error);
        if (status != GB_OK)
            break;
        text_add(&shown, i ? "\n" : "");
        status = show_run(&view, &shown, error);
        view_close(&view);
    }
    if (status == GB_OK)
        text_add_n(out, text_get(&shown), shown.length);
    return status;
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
    *ret_is_complete = !write_open_shards(&shards, out);
    return GB_OK;
}
