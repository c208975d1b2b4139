/* exchange.c - see exchange.h: which formats there are, and the cases they get. */
#include "core/view/exchange_writers.h"

#include <math.h>
#include <string.h>

static const struct exchange_writer *const writers[] = {
    &exchange_google, &exchange_nvbench, &exchange_hyperfine,   &exchange_pyperf,
    &exchange_jmh,    &exchange_t4,      &exchange_github,      &exchange_bmf,
    &exchange_junit,  &exchange_trace,   &exchange_openmetrics,
};
enum { WRITERS = sizeof writers / sizeof *writers };

int exchange_named(const char *name)
{
    for (int i = 0; i < WRITERS; i++)
        if (text_equal(writers[i]->name, name))
            return i;
    return -1;
}

bool exchange_help(size_t i, struct help_entry *ret)
{
    if (i < WRITERS)
        *ret = (struct help_entry){writers[i]->name, "", writers[i]->help};
    return i < WRITERS;
}

/* ---- the cases ---- */

/* A slash stands between parts only; different words stay different. */
static void add_part(struct text *out, const char *words)
{
    CLEANUP(text_free) struct text line = {0};
    text_add_line(&line, words);
    for (const char *at = text_get(&line); *at; at++)
        text_printf(out, *at == '/' || text_starts_with(at, "%2") ? "%%%02X" : "%c", *at);
}

static void add_named_part(struct text *out, const char *name, const char *words)
{
    text_printf(out, "/%s:", name);
    add_part(out, words);
}

/* Where cases differ in their device and no axis tells it. */
static const char *device_beside(const struct view *view, const struct view_row *row,
                                 struct arena *arena)
{
    const struct parameter *axis = find_parameter(&row->c, "device");
    return view->survey.several_devices && !(axis && axis->is_axis) ? device_label(row, arena)
                                                                    : NULL;
}

static const char *name_of(const struct exchange_case *c, struct arena *arena)
{
    CLEANUP(text_free) struct text name = {0};
    const struct stored_case *stored = &c->rounds[0].c;
    add_part(&name, stored->bench);
    for (size_t i = 0; i < stored->n_parameters; i++)
        if (stored->parameters[i].is_axis)
            add_named_part(&name, stored->parameters[i].name, stored->parameters[i].value.text);
    if (c->device)
        add_named_part(&name, "device", c->device);
    return arena_text(arena, text_get(&name));
}

/* As `gbrun compare` labels it. */
static const char *label_of(const struct view_row *row, struct arena *arena)
{
    const char *label = case_label(&row->c, arena);
    return row->c.device_index > 0 ? arena_printf(arena, "%s %s:%lld", label, row->c.device_name,
                                                  (long long)row->c.device_index)
                                   : label;
}

static int32_t add_samples(struct exchange *exchange, struct exchange_case *c, struct arena *arena,
                           struct gb_error *error)
{
    const int32_t status = view_round_samples(exchange->view, c->rounds, c->n_rounds, NULL, arena,
                                              &c->values, &c->n, error);
    size_t at = 0;
    c->iterations = ARENA_ARRAY(arena, uint64_t, c->n + 1);
    for (size_t i = 0; i < c->n_rounds && status == GB_OK; i++)
        for (uint64_t j = 0; j < c->rounds[i].c.record.n_samples && at < c->n; j++)
            c->iterations[at++] = c->rounds[i].c.record.iterations;
    return status;
}

/* Of the case; iterations of the rounds that are ok, where they are the same. */
static void add_combined(struct exchange_case *c)
{
    c->values[0] = c->shown.central_ns;
    c->iterations[0] = c->shown.row.c.record.iterations;
    for (size_t i = 0; i < c->n_rounds; i++)
        if (c->rounds[i].c.record.iterations != c->iterations[0])
            c->iterations[0] = 0;
    c->n = 1;
}

static int32_t find_values(struct exchange *exchange, struct exchange_case *c, struct arena *arena,
                           struct gb_error *error)
{
    if (exchange->rows == ROWS_SAMPLE)
        return add_samples(exchange, c, arena, error);
    c->values = ARENA_ARRAY(arena, double, c->n_rounds + 1);
    c->iterations = ARENA_ARRAY(arena, uint64_t, c->n_rounds + 1);
    if (exchange->rows == ROWS_COMBINED)
        add_combined(c);
    for (size_t i = 0; i < c->n_rounds && exchange->rows != ROWS_COMBINED; i++) {
        double value = central_ns(&c->rounds[i].c);
        if (c->rounds[i].c.record.status == CASE_OK && isfinite(value)) {
            c->iterations[c->n] = c->rounds[i].c.record.iterations;
            c->values[c->n++] = value;
        }
    }
    return GB_OK;
}

static int32_t add_group(struct exchange *exchange, const struct exchange_writer *writer,
                         const struct group *group, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct view *view = exchange->view;
    const struct view_row *rows = view_group_rows(view, group, &arena);
    struct exchange_case c = {.rounds = rows, .n_rounds = group->n};
    int32_t status = GB_OK;
    c.shown = combine_rounds(rows, group->n, &arena);
    c.device = device_beside(view, rows, &arena);
    c.name = name_of(&c, &arena);
    c.label = label_of(rows, &arena);
    int kind = c.shown.row.c.record.status;
    c.is_ok = kind == CASE_OK && isfinite(c.shown.central_ns);
    exchange->n_failed += !c.is_ok && kind != CASE_SKIPPED;
    exchange->n_skipped += kind == CASE_SKIPPED;
    if (!c.is_ok && !writer->takes_failures)
        return GB_OK;
    if (c.is_ok)
        status = find_values(exchange, &c, &arena, error);
    if (status == GB_OK)
        writer->add(exchange, &c);
    status = status == GB_OK ? exchange->status : status;
    exchange->bench = arena_text(&view->arena, rows[0].c.bench);
    return status;
}

static int32_t check_options(const struct view_options *options, const char *format,
                             struct gb_error *error)
{
    const char *option = options->group_by      ? "group-by"
                         : options->pivot       ? "pivot"
                         : options->columns     ? "columns"
                         : options->relative_to ? "relative-to"
                                                : NULL;
    if (option)
        return error_set(error, GB_INVALID, "--%s: --format %s has rows and columns of its own",
                         option, format);
    if (options->run == RUN_ALL)
        return error_set(error, GB_INVALID, "--run all: --format %s is of one run", format);
    return GB_OK;
}

static int32_t write_all(struct exchange *exchange, const struct exchange_writer *writer, FILE *out,
                         struct gb_error *error)
{
    size_t n = 0;
    int32_t status = GB_OK;
    struct group *groups = group_rounds(exchange->view, true, &n);
    if (writer->json)
        json_open(&exchange->json, NULL, writer->json[0]);
    if (writer->begin)
        writer->begin(exchange);
    for (size_t i = 0; i < n && status == GB_OK; i++) {
        status = add_group(exchange, writer, &groups[i], error);
        if (status == GB_OK)
            status = view_flush_if_long(&exchange->text, out, error);
    }
    if (writer->end && status == GB_OK)
        writer->end(exchange);
    for (size_t i = writer->json ? strlen(writer->json) : 0; i > 0; i--)
        json_close(&exchange->json, writer->json[i - 1]);
    text_add(&exchange->text, writer->json ? "\n" : "");
    return status == GB_OK ? view_flush(&exchange->text, out, error) : status;
}

int32_t exchange_export(struct store *store, const struct view_options *options, int format,
                        const char *path, FILE *out, struct gb_error *error)
{
    const struct exchange_writer *writer = writers[format];
    struct view_options rounds = *options;
    struct view view;
    rounds.rows = ROWS_CASE;
    int32_t status = check_options(options, writer->name, error);
    if (status == GB_OK)
        status = view_open(store, &rounds, options->run, &view, error);
    if (status != GB_OK)
        return status;
    struct exchange exchange = {.view = &view,
                                .run = &view.runs[0].record,
                                .rows = options->rows,
                                .path = path,
                                .bench = "",
                                .error = error};
    exchange.json.out = &exchange.text;
    status = write_all(&exchange, writer, out, error);
    text_free(&exchange.text);
    for (size_t i = 0; i < EXCHANGE_FAMILIES; i++)
        text_free(&exchange.families[i]);
    view_close(&view);
    return status;
}
