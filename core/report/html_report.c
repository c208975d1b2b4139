/* html_report.c - see html_report.h: the parts of the page in their order. */
#include "core/report/html_page.h"

#include "core/base/members.h"
#include "core/base/output_file.h"
#include "core/report/fleet_chart.h"
#include "core/report/report.h"
#include "core/view/search_text.h"
#include "core/view/view_writers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rooflines ---- */

static int32_t add_rooflines(const struct html_run *run, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct report report = {0};
    int32_t status = report_add_rooflines(&report, run->combined, NULL, error);
    bool any = false;
    for (size_t i = 0; i < report.n_charts; i++)
        any = any || report.charts[i].roofs.n > 0;
    if (status == GB_OK && any) {
        struct plot_page page;
        html_heading(run->out, "Rooflines");
        report_page(&report, &arena, &page);
        text_add(run->out, "<figure class=\"roofs\">\n");
        plot_svg(&page, true, run->out);
        text_add(run->out, "</figure>\n");
    } else if (status == GB_OK && report.n_charts > 0) {
        text_add(run->out, "<p class=\"hint\">No rooflines: the device's roofs are not known. The "
                           "benchmark ceilings measures them (conf/ceilings.ini).</p>\n");
    }
    report_free(&report);
    return status;
}

/* ---- searches ---- */

/* Visits as points, the best until each as a line in steps. */
static void add_search_curve(const struct search_curve *curve, struct text *out)
{
    enum { CURVE_HEIGHT = 220 };
    CLEANUP(arena_free) struct arena arena = {0};
    const size_t n = curve->n;
    if (n < 2)
        return;
    const struct time_unit *of_time = time_unit_of(curve->elapsed_ns[n - 1]);
    const struct time_unit *of_value = time_unit_of(curve->best[n - 1]);
    const double value_unit = curve->is_time ? of_value->ns : 1;
    double *x = ARENA_ARRAY(&arena, double, n);
    double *y = ARENA_ARRAY(&arena, double, n);
    double *step_x = ARENA_ARRAY(&arena, double, 2 * n);
    double *step_y = ARENA_ARRAY(&arena, double, 2 * n);
    for (size_t i = 0; i < n; i++) {
        x[i] = step_x[2 * i] = step_x[2 * i + 1] = curve->elapsed_ns[i] / of_time->ns;
        y[i] = curve->values[i] / value_unit;
        step_y[2 * i] = curve->best[i > 0 ? i - 1 : 0] / value_unit;
        step_y[2 * i + 1] = curve->best[i] / value_unit;
    }
    const struct plot_series series[] = {
        {.kind = PLOT_POINTS, .label = "visit", .n = n, .x = x, .y = y, .colour = 1, .size = 0.6},
        {.kind = PLOT_LINE, .label = "best so far", .n = 2 * n, .x = step_x, .y = step_y},
    };
    const struct plot_panel panel = {
        .x_label = arena_printf(&arena, "time of the search, %s", of_time->name),
        .y_label = curve->is_time ? arena_printf(&arena, "%s, %s", curve->goal, of_value->name)
                                  : curve->goal,
        .y_log = curve->is_time,
        .series = series,
        .n_series = 2,
        .height = CURVE_HEIGHT,
    };
    html_panels(out, &panel, 1);
}

static void add_lines(struct text *out, const struct search_found *found,
                      void (*write)(const struct search_found *found, struct text *out))
{
    CLEANUP(text_free) struct text lines = {0};
    write(found, &lines);
    if (lines.length > 0)
        xml_print(out, "<pre>%s</pre>\n", text_get(&lines));
}

static int32_t add_searches(const struct html_run *run, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    const struct stored_run *stored = &run->view->runs[0];
    const char **names;
    const size_t n = search_names(stored, &arena, &names);
    for (size_t i = 0; i < n; i++) {
        CLEANUP(search_found_free)
        struct search_found *found = search_read(run->view->store, stored, names[i], error);
        if (!found)
            return error->status;
        const struct search_curve curve = search_curve_of(found, &arena);
        add_lines(run->out, found, search_write_facts);
        add_search_curve(&curve, run->out);
        add_lines(run->out, found, search_write_front);
        add_lines(run->out, found, search_write_axes);
    }
    return GB_OK;
}

/* ---- verification ---- */

static void begin_table(struct text *out, const char *title, const char *heads)
{
    text_printf(out, "<h3>%s</h3>\n", title);
    html_table(out, "", heads);
}

/* An output by one metric in all rounds of a case. */
struct judged {
    const struct check_record *worst;
    size_t n, n_failed;
};

static bool is_of(const struct judged *judged, const struct check_record *check)
{
    return strcmp(judged->worst->name, check->name) == 0 &&
           strcmp(judged->worst->metric, check->metric) == 0;
}

static void judge(struct judged *judged, const struct check_record *check)
{
    const struct check_record *worst = judged->worst;
    if (check->passed == worst->passed ? check->value > worst->value : worst->passed)
        judged->worst = check;
    judged->n++;
    judged->n_failed += !check->passed;
}

/* Those of a case; metrics without a tolerance are measured only. */
static size_t judge_case(const struct html_case *one, struct arena *arena, struct judged **ret)
{
    size_t n = 0;
    *ret = NULL;
    for (size_t i = 0; i < one->n; i++) {
        const struct case_record *record = &one->rows[i].c.record;
        for (size_t j = 0; j < record->n_checks; j++) {
            const struct check_record *check = &record->checks[j];
            size_t k = 0;
            if (check->passed && isnan(check->tolerance) && *check->metric)
                continue;
            while (k < n && !is_of(&(*ret)[k], check))
                k++;
            if (k == n)
                *ARENA_ADD(arena, *ret, n) = (struct judged){.worst = check};
            judge(&(*ret)[k], check);
        }
    }
    return n;
}

static void begin_row(const struct html_case *one, const char *output, struct text *out)
{
    xml_print(out, "<tr><td><a href=\"#%s\">%s</a></td>", one->anchor, one->shown.row.label);
    html_cell(out, "", output);
}

static void add_check(const struct html_case *one, const struct judged *judged, struct text *out)
{
    const struct check_record *check = judged->worst;
    bool has_place = !isnan(check->reference) || !isnan(check->output);
    begin_row(one, check->name, out);
    html_cell(out, "", *check->metric ? check->metric : check->text);
    html_number(out, check->passed ? "n" : "n bad", "%.4g", check->value);
    html_number(out, "n", "%.4g", check->tolerance);
    text_printf(out, "<td class=\"n\">%zu of %zu</td>", judged->n_failed, judged->n);
    html_number(out, "n", "%.0f", has_place ? (double)check->index : NAN);
    html_number(out, "n", NULL, check->reference);
    html_number(out, "n", NULL, check->output);
    text_add(out, "</tr>\n");
}

static void add_checks(const struct html_run *run)
{
    static const char heads[] = "case|output|metric|>value|>tolerance|>failed rounds|>at|"
                                ">reference|>output";
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(text_free) struct text failed = {0}, passed = {0};
    size_t n_failed = 0, n = 0;
    for (size_t i = 0; i < run->n; i++) {
        struct judged *judged;
        const size_t n_judged = judge_case(&run->cases[i], &arena, &judged);
        n += n_judged;
        for (size_t j = 0; j < n_judged; j++) {
            add_check(&run->cases[i], &judged[j], judged[j].n_failed ? &failed : &passed);
            n_failed += judged[j].n_failed > 0;
        }
    }
    if (n == 0)
        return;
    html_heading(run->out, "Verification");
    if (n_failed) {
        html_table(run->out, "", heads);
        text_add(run->out, text_get(&failed));
        html_table_end(run->out);
    }
    if (n == n_failed)
        return;
    text_printf(run->out, "<details><summary>%zu of %zu check%s passed</summary>\n", n - n_failed,
                n, n == 1 ? "" : "s");
    html_table(run->out, "", heads);
    text_add(run->out, text_get(&passed));
    html_table_end(run->out);
    text_add(run->out, "</details>\n");
}

/* How many elements are in each class, as cells that are the darker the more. */
static void add_histogram(const struct html_case *one, const struct check_summary_record *summary,
                          struct text *out)
{
    begin_row(one, summary->name, out);
    for (int i = 0; i < VERIFY_CLASSES; i++) {
        double share = summary->n ? (double)summary->histogram[i] / (double)summary->n : 0;
        if (summary->histogram[i] == 0) {
            text_add(out, "<td></td>");
            continue;
        }
        text_printf(out, "<td class=\"n share\" style=\"--s:%.0f%%\">%llu</td>", 60 * share,
                    (unsigned long long)summary->histogram[i]);
    }
    text_add(out, "</tr>\n");
}

/* The first round that has any stands for its case: all have the same inputs. */
static const struct case_record *compared_round(const struct html_case *one)
{
    for (size_t i = 0; i < one->n; i++)
        if (one->rows[i].c.record.n_summaries > 0)
            return &one->rows[i].c.record;
    return NULL;
}

static void add_histograms(const struct html_run *run)
{
    CLEANUP(text_free) struct text heads = {0}, rows = {0};
    text_add(&heads, "case|output");
    for (int i = 0; i < VERIFY_CLASSES; i++) {
        text_add(&heads, "|>");
        xml_add_text(&heads, verify_class_name(i));
    }
    for (size_t i = 0; i < run->n; i++) {
        const struct case_record *record = compared_round(&run->cases[i]);
        for (size_t j = 0; record && j < record->n_summaries; j++)
            add_histogram(&run->cases[i], &record->summaries[j], &rows);
    }
    if (!*text_get(&rows))
        return;
    text_add(run->out, "<details><summary>Elements by relative difference from the reference"
                       "</summary>\n");
    html_table(run->out, "", text_get(&heads));
    text_add(run->out, text_get(&rows));
    html_table_end(run->out);
    text_add(run->out, "</details>\n");
}

static void add_worst_row(const struct html_case *one, const struct worst_record *worst,
                          struct text *out)
{
    begin_row(one, worst->name, out);
    html_number(out, "n", "%.0f", (double)worst->index);
    html_number(out, "n", NULL, worst->reference);
    html_number(out, "n", NULL, worst->output);
    html_number(out, "n", "%.4g", worst->ulps);
    text_add(out, "</tr>\n");
}

/* What check.worst asked for; of many, the first of each case, that a page stays small. */
static void add_worst(const struct html_run *run)
{
    enum { WORST_OF_A_CASE = 100 };
    bool any = false;
    for (size_t i = 0; i < run->n; i++) {
        const struct case_record *record = compared_round(&run->cases[i]);
        if (!record || record->n_worst == 0)
            continue;
        if (!any)
            begin_table(run->out, "Elements with the largest errors",
                        "case|output|>at|>reference|>output|>ulps");
        any = true;
        for (size_t j = 0; j < record->n_worst && j < WORST_OF_A_CASE; j++)
            add_worst_row(&run->cases[i], &record->worst[j], run->out);
        if (record->n_worst > WORST_OF_A_CASE)
            text_printf(run->out, "<tr><td colspan=\"6\">and %zu more</td></tr>\n",
                        record->n_worst - WORST_OF_A_CASE);
    }
    if (any)
        html_table_end(run->out);
}

/* ---- machine and configuration ---- */

static int32_t add_modules(const struct html_run *run, struct gb_error *error)
{
    struct module_record *modules = NULL;
    size_t n = 0;
    int32_t status = store_modules(run->view->store, run->view->runs[0].id, &run->view->arena,
                                   &modules, &n, error);
    if (n)
        begin_table(run->out, "Builds", "plugin|version|SHA-256|file");
    for (size_t i = 0; i < n; i++) {
        CLEANUP(text_free) struct text words = {0};
        text_printf(&words, "%s %s", modules[i].kind, modules[i].id);
        text_add(run->out, "<tr>");
        html_cell(run->out, "", text_get(&words));
        html_cell(run->out, "", modules[i].version);
        text_clear(&words);
        text_printf(&words, "%.12s", modules[i].sha256);
        html_cell(run->out, "", text_get(&words));
        html_cell(run->out, "", modules[i].path);
        text_add(run->out, "</tr>\n");
    }
    if (n)
        html_table_end(run->out);
    return status;
}

static void add_device(const struct device_record *device, struct text *out)
{
    xml_print(out, "<h3>Device <bdi>%s</bdi></h3>\n<dl>\n", device->model);
    html_fact(out, "UUID", device->uuid);
    for (size_t i = 0; i < device->n_clocks; i++) {
        CLEANUP(text_free) struct text words = {0};
        text_printf(&words, "resolution %s, overhead %s", TIME_TEXT(device->clocks[i].tick_ns, 3),
                    TIME_TEXT(device->clocks[i].overhead_ns, 3));
        html_fact(out, device->clocks[i].name, text_get(&words));
    }
    for (size_t i = 0; i < device->n_facts; i++)
        html_fact(out, device->facts[i].name, device->facts[i].value);
    text_add(out, "</dl>\n");
}

static int32_t add_machine(const struct html_run *run, struct gb_error *error)
{
    const struct run_record *record = &run->view->runs[0].record;
    struct text *out = run->out;
    html_heading(out, "Machine, builds, configuration");
    text_add(out, "<dl>\n");
    html_fact(out, "started", record->started);
    html_fact(out, "ended", record->finished ? record->finished : "");
    html_fact(out, "gbrun", record->version);
    html_fact(out, "command", record->command_line);
    html_fact(out, "configuration", record->config_path);
    for (size_t i = 0; i < record->n_facts; i++)
        html_fact(out, record->facts[i].name, record->facts[i].value);
    text_add(out, "</dl>\n");
    for (size_t i = 0; i < run->view->devices[0].n; i++)
        add_device(&run->view->devices[0].items[i].record, out);
    int32_t status = add_modules(run, error);
    xml_print(out, "<details><summary>The configuration used</summary>\n<pre>%s</pre></details>\n",
              record->config ? record->config : "");
    return status;
}

/* ---- a run ---- */

static void add_head(const struct html_run *run, const char *path)
{
    const struct run_record *record = &run->view->runs[0].record;
    const struct survey *survey = &run->view->survey;
    CLEANUP(text_free) struct text facts = {0};
    struct text *out = run->out;
    xml_print(out, "<section>\n<h1><bdi>%s", path);
    text_printf(out, "</bdi>, run %lld</h1>\n<p>%zu cases", (long long)run->view->runs[0].number,
                run->n);
    if (survey->device) {
        xml_print(out, " on <bdi>%s",
                  run->view->devices[0].n ? run->view->devices[0].items[0].record.model : "");
        text_add(out, survey->several_devices ? "</bdi> and others" : "</bdi>");
    }
    text_printf(&facts, "%.10s %.8s UTC, gbrun %s", record->started,
                strlen(record->started) > 11 ? record->started + 11 : "", record->version);
    xml_print(out, ", host <bdi>%s</bdi>, %s</p>\n", FACT(record, "host"), text_get(&facts));
}

static int32_t write_parts(const struct html_run *run, struct gb_error *error)
{
    CLEANUP(html_sweeps_free) struct html_sweeps sweeps = {0};
    int32_t status = add_searches(run, error); /* where there are some, they are the answer */
    if (status == GB_OK)
        status = html_summary(run, &sweeps, error);
    if (status == GB_OK) {
        html_cases(run);
        html_sweeps(run, &sweeps);
        status = html_case_details(run, error);
    }
    if (status == GB_OK)
        status = add_rooflines(run, error);
    if (status != GB_OK)
        return status;
    add_checks(run);
    add_histograms(run);
    add_worst(run);
    return add_machine(run, error);
}

static int32_t add_side(struct compare *compare, const struct html_input *input,
                        struct gb_error *error)
{
    CLEANUP(text_free) struct text run = {0};
    CLEANUP(store_leave) struct store *store = NULL;
    const int32_t status = store_open(input->path, STORE_READ, &store, error);
    if (input->run > 0)
        text_printf(&run, "%lld", (long long)input->run);
    else
        text_add(&run, "newest");
    return status == GB_OK
               ? compare_add_run(compare, store, input->path, text_get(&run), input->path, error)
               : status;
}

static int32_t compare_runs(const struct html_input *base, const struct html_input *new,
                            struct compare **ret, struct gb_error *error)
{
    static const struct compare_options options = {
        .margin = 0.01, .confidence = 0.95, .metric = "", .is_forced = true};
    *ret = compare_new(&options);
    int32_t status = add_side(*ret, base, error);
    if (status == GB_OK)
        status = add_side(*ret, new, error);
    return status == GB_OK ? compare_finish(*ret, error) : status;
}

/* A run's rounds as one, and its single rounds, which are what the former is made of. */
struct views {
    struct store *store;
    struct view_options combined_options, single_options;
    struct view combined;
    struct view single; /* but for the arena all of it is the other's */
    bool are_open;
};

static void close_views(struct views *views)
{
    arena_free(&views->single.arena);
    if (views->are_open)
        view_close(&views->combined);
    store_close(views->store, NULL);
}

static int32_t open_views(const struct html_input *input, const struct html_options *options,
                          struct views *views, struct gb_error *error)
{
    views->single_options = (struct view_options){.run = input->run,
                                                  .where = options->where,
                                                  .roofs = options->roofs,
                                                  .notes = NOTES_SOME,
                                                  .has_names = true};
    views->combined_options = views->single_options;
    views->combined_options.rows = ROWS_COMBINED;
    int32_t status = store_open(input->path, STORE_READ, &views->store, error);
    if (status == GB_OK)
        status = view_open(views->store, &views->combined_options, input->run, &views->combined,
                           error);
    if (status != GB_OK)
        return status;
    views->are_open = true;
    const struct view *combined = &views->combined;
    const size_t n = combined->n_entries;
    views->single = *combined;
    views->single.options = &views->single_options;
    views->single.entries = combined->rounds;
    views->single.n_entries =
        n ? combined->entries[n - 1].first_round + combined->entries[n - 1].n_rounds : 0;
    views->single.rounds = NULL;
    views->single.arena = (struct arena){0};
    return GB_OK;
}

/* What a case took in the newest runs of its file, by the number of any of its records. */
struct past_record {
    int64_t id;
    const struct history_case *history;
};

ORDER_BY_NUMBER(compare_past, struct past_record, id)

/* Of cases that several runs have. The histories are the comparison's. */
static int32_t find_past(struct compare *compare, const struct views *views, const char *path,
                         struct arena *arena, struct past_record **ret, size_t *n,
                         struct gb_error *error)
{
    struct history history = {0};
    int32_t status = compare_add_newest_runs(compare, views->store, path, HISTORY_RUNS, error);
    if (status == GB_OK)
        status = compare_history(compare, NULL, &history, error);
    for (size_t i = 0; status == GB_OK && i < history.n; i++)
        for (size_t j = 0; history.cases[i].n > 1 && j < history.cases[i].n; j++)
            if (history.cases[i].points[j].c->first)
                ARENA_APPEND(arena, *ret, *n,
                             ((struct past_record){history.cases[i].points[j].c->first->id,
                                                   &history.cases[i]}));
    if (*n)
        qsort(*ret, *n, sizeof **ret, compare_past);
    return status;
}

static const char *words_of(const struct html_case *one, struct arena *arena)
{
    CLEANUP(text_free) struct text words = {0};
    const struct case_record *record = &one->shown.row.c.record;
    if (record->status == CASE_OK)
        shown_add_central(&words, &one->shown);
    else
        case_status_describe(record->status, record->status_text ? record->status_text : "",
                             &words);
    return arena_text(arena, text_get(&words));
}

static void find_cases(struct html_run *run, size_t number, const struct past_record *past,
                       size_t n_past)
{
    struct arena *arena = &run->view->arena;
    const struct group *groups = group_rounds(run->view, true, &run->n);
    run->cases = ARENA_ARRAY(arena, struct html_case, run->n + 1);
    for (size_t i = 0; i < run->n; i++) {
        struct html_case *one = &run->cases[i];
        one->rows = view_group_rows(run->view, &groups[i], arena);
        one->n = groups[i].n;
        one->shown = combine_rounds(one->rows, one->n, arena);
        one->is_measured = one->shown.row.c.record.status == CASE_OK &&
                           isfinite(one->shown.central_ns);
        one->anchor = arena_printf(arena, "r%zuc%lld", number, (long long)one->rows->c.id);
        one->words = words_of(one, arena);
        for (size_t j = 0; j < one->n; j++) {
            const struct past_record key = {.id = one->rows[j].c.id}, *found = NULL;
            if (n_past)
                found = bsearch(&key, past, n_past, sizeof key, compare_past);
            if (!one->past && found)
                one->past = found->history;
            if (!one->compared)
                one->compared = compared_of(&run->records, key.id);
        }
    }
}

static int32_t write_run(const struct html_input *input, const struct html_options *options,
                         size_t number, struct text *out, size_t *n_cases, struct gb_error *error)
{
    static const struct compare_options of_past = {
        .margin = COMPARE_MARGIN, .confidence = 1 - COMPARE_ALPHA, .metric = ""};
    CLEANUP(close_views) struct views views = {0};
    CLEANUP(compare_leave) struct compare *compare = NULL;
    CLEANUP(compare_leave) struct compare *past = compare_new(&of_past);
    struct html_run run = {.out = out, .view = &views.single, .combined = &views.combined};
    struct past_record *records = NULL;
    size_t n_records = 0;
    int32_t status = open_views(input, options, &views, error);
    if (status == GB_OK && options->baseline)
        status = compare_runs(options->baseline, input, &compare, error);
    if (status == GB_OK)
        status = find_past(past, &views, input->path, &views.single.arena, &records, &n_records,
                           error);
    if (status != GB_OK)
        return status;
    run.against = compare ? compare_result(compare)->against : NULL;
    run.records = compared_records_of(run.against, &views.single.arena);
    find_cases(&run, number, records, n_records);
    *n_cases += run.n;
    add_head(&run, input->path);
    status = write_parts(&run, error);
    text_add(out, "</section>\n");
    return status;
}

/* ---- pages ---- */

static void free_fleet(struct fleet **fleet)
{
    fleet_free(*fleet);
}

/* Only where there are enough hosts to say which of them is unlike the others. */
static int32_t add_nodes(const struct html_input *inputs, size_t n, struct text *out,
                         struct gb_error *error)
{
    static const struct compare_options options = {
        .margin = COMPARE_MARGIN, .confidence = 1 - COMPARE_ALPHA, .metric = ""};
    CLEANUP(free_fleet) struct fleet *fleet = fleet_new(&options, "host");
    int32_t status = GB_OK;
    if (n < FLEET_LEAST)
        return GB_OK;
    for (size_t i = 0; i < n && status == GB_OK; i++)
        status = fleet_add_file(fleet, inputs[i].path, inputs[i].run, error);
    if (status != GB_OK)
        return status;
    status = fleet_finish(fleet, error);
    if (status == GB_OK && fleet_result(fleet)->n_judged > 0)
        html_nodes(fleet_result(fleet), out);
    return status == GB_NOT_FOUND ? GB_OK : status; /* runs without a host, or without cases */
}

int32_t html_nodes_write(const struct fleet_result *nodes, const char *path, struct gb_error *error)
{
    CLEANUP(text_free) struct text page = {0};
    html_begin("gbrun: nodes", &page);
    html_nodes(nodes, &page);
    html_end(&page);
    return output_text(path, &page, error);
}

int32_t html_report_write(const struct html_input *inputs, size_t n,
                          const struct html_options *options, const char *path,
                          struct gb_error *error)
{
    CLEANUP(text_free) struct text page = {0}, title = {0};
    size_t n_cases = 0;
    int32_t status = GB_OK;
    text_printf(&title, "gbrun: %s%s", inputs[0].path, n > 1 ? " and others" : "");
    html_begin(text_get(&title), &page);
    if (!options->where)
        status = add_nodes(inputs, n, &page, error);
    for (size_t i = 0; i < n && status == GB_OK; i++)
        status = write_run(&inputs[i], options, i, &page, &n_cases, error);
    html_end(&page);
    if (status == GB_OK && n_cases == 0)
        status = error_set(error, GB_NOT_FOUND, "there is nothing to report: no case%s%s",
                           options->where ? " matches --where " : "",
                           options->where ? options->where : "");
    return status == GB_OK ? output_text(path, &page, error) : status;
}
