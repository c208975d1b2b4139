/* view_histogram.c - how far outputs are from their references, a column for each comparison. */
#include "core/view/view_writers.h"

#include <inttypes.h>
#include <math.h>

enum { PER_TABLE = 4 }; /* columns of one table: 24 + 4 x 20 characters */

/* Elements whose reference is above the floor, by class; then the others, equal or not. Where the
 * floor is not known, all of them by class. */
enum { SMALL_EQUAL = VERIFY_CLASSES, SMALL_DIFFER, ROWS };

struct histogram {
    const char *label;
    uint64_t counts[ROWS], n;
    double floor;
    double largest, reference,
        output; /* the largest difference above the floor; NaN: not measured */
};

static void find_worst(const struct case_record *record, const char *name, struct histogram *ret)
{
    const char *metric = verify_metric_name(VERIFY_REL_FLOOR);
    ret->largest = ret->reference = ret->output = NAN;
    for (size_t i = record->n_checks; i-- > 0;) {
        const struct check_record *check = &record->checks[i];
        if (!text_equal(check->name, name) || !text_equal(check->metric, metric))
            continue;
        ret->largest = check->value;
        ret->reference = check->reference;
        ret->output = check->output;
    }
}

/* A reference of 0 and what is not finite are no matter of the floor. */
static void count_rows(const struct check_summary_record *summary, struct histogram *ret)
{
    for (int class = 0; class < VERIFY_CLASSES; class ++) {
        const bool has_floor = class < VERIFY_CLASS_ZERO && !isnan(summary->floor);
        const uint64_t n = summary->histogram[class];
        ret->counts[class] = has_floor ? summary->above_floor[class] : n;
        ret->counts[class == VERIFY_CLASS_EQUAL ? SMALL_EQUAL : SMALL_DIFFER] += n -
                                                                                 ret->counts[class];
    }
    ret->floor = summary->floor;
}

void histograms_add(struct histograms *histograms, const struct case_record *record,
                    const char *label, struct arena *arena)
{
    for (size_t i = 0; i < record->n_summaries; i++) {
        const struct check_summary_record *summary = &record->summaries[i];
        CLEANUP(text_free) struct text words = {0};
        struct histogram histogram = {.n = summary->n};
        text_printf(&words, "%s: ", label);
        text_add_line(&words, summary->name);
        histogram.label = arena_text(arena, text_get(&words));
        find_worst(record, summary->name, &histogram);
        count_rows(summary, &histogram);
        ARENA_APPEND(arena, histograms->items, histograms->n, histogram);
    }
}

static void write_table(const struct histogram *items, size_t first, size_t n, struct text *out)
{
    static const struct {
        const char *head;
        size_t offset;
    } numbers[] = {{"largest", offsetof(struct histogram, largest)},
                   {"reference there", offsetof(struct histogram, reference)},
                   {"output there", offsetof(struct histogram, output)},
                   {"floor", offsetof(struct histogram, floor)}};
    CLEANUP(table_free) struct table table = {0};
    table_column(&table, "relative difference", false);
    for (size_t i = 0; i < n; i++) {
        char head[32];
        snprintf(head, sizeof head, "(%zu)", first + i + 1);
        table_column(&table, head, true);
        text_printf(out, "(%zu) %s\n", first + i + 1, items[i].label);
    }
    for (int row = 0; row < ROWS; row++) {
        table_row(&table);
        table_cell(&table, row == SMALL_EQUAL    ? "reference below: equal"
                           : row == SMALL_DIFFER ? "reference below: differs"
                                                 : verify_class_name(row));
        for (size_t i = 0; i < n; i++)
            table_cell_printf(&table, "%" PRIu64 " (%.4f %%)", items[i].counts[row],
                              items[i].n ? 100 * (double)items[i].counts[row] / (double)items[i].n
                                         : 0.0);
    }
    for (size_t row = 0; row < sizeof numbers / sizeof *numbers; row++) {
        table_row(&table);
        table_cell(&table, numbers[row].head);
        for (size_t i = 0; i < n; i++) {
            const double value = *(const double *)((const char *)&items[i] + numbers[row].offset);
            if (isnan(value))
                table_cell(&table, "-");
            else
                table_cell_printf(&table, "%.9g", value);
        }
    }
    table_write(&table, TABLE_PLAIN, out);
}

void histograms_write(const struct histograms *histograms, struct text *out)
{
    if (!histograms->n)
        return;
    text_add(out, "\nrelative differences where the reference is above the floor, in magnitude\n");
    for (size_t i = 0; i < histograms->n; i += PER_TABLE) {
        const size_t left = histograms->n - i;
        text_add(out, i ? "\n" : "");
        write_table(histograms->items + i, i, left < PER_TABLE ? left : PER_TABLE, out);
    }
}
