/* view_check.c - the comparison of a case that says most, and its words in a table. */
#include "core/view/view_cases.h"

#include <string.h>

/* What was wrong beside the metric: "FAIL not finite", "FAIL vacuous"; the rest is a note. */
static void add_fault(struct text *out, const char *text)
{
    static const char before_place[] = " at [";
    const char *place = strstr(text, before_place);
    size_t n = strcspn(text, ":");
    if (place && (size_t)(place - text) < n)
        n = (size_t)(place - text);
    text_add(out, "FAIL ");
    text_add_n(out, text, n);
}

void check_words(const struct stored_case *c, struct text *out)
{
    const struct check_record *check = record_main_check(&c->record);
    if (!check) {
        text_add(out, "unchecked");
        return;
    }
    if (check->passed && !*check->metric) /* the benchmark's own */
        text_printf(out, "ok %s", check->name);
    else if (check->passed)
        text_printf(out, "ok %s %.3g", check->metric, check->value);
    else if (check->value > check->tolerance)
        text_printf(out, "FAIL %s %.3g > %.3g", check->metric, check->value, check->tolerance);
    else
        add_fault(out, check->text);
}
