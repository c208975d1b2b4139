/* search_settings.c - see search_settings.h. */
#include "core/config/search_settings.h"

#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_GOAL "min median"

static const struct gb_option search_table[] = {
    GB_STRING(struct search_params, goal, DEFAULT_GOAL,
              "What is best: min or max, then a result column, metric.NAME or an SQL expression of "
              "these; `median` is the time of an iteration over all samples. Up to four goals, "
              "separated by commas: the search optimizes the first one, and `gbrun search` shows "
              "the Pareto front of all"),
    GB_STRING(struct search_params, where, "",
              "SQL over result columns and metrics: a measured case for which it is false cannot "
              "be the best"),
    GB_FLOAT(struct search_params, tolerance, "1%", "0:50%", NULL,
             "The claim is that no case is better by more than this"),
    GB_FLOAT(struct search_params, confidence, "95%", "50%:99.99%", NULL, "Of the claim"),
    {(uint32_t)sizeof(struct gb_option), GB_TYPE_DURATION, 0, 0,
     offsetof(struct search_params, budget_ns), "budget", "0s", "0:1000 h", NULL, "ns",
     "Wall time of all visits after which nothing new is measured; 0: no limit"},
    GB_INT(struct search_params, cases, "0", "0:1000000000", "cases",
           "The most distinct cases to measure; 0: no limit"),
    GB_INT(struct search_params, patience, "0", "0:1000000000", "cases",
           "Distinct cases without improvement after which the search ends; 0: no limit"),
    {(uint32_t)sizeof(struct gb_option), GB_TYPE_DURATION, 0, 0,
     offsetof(struct search_params, time_limit_ns), "time_limit", "1 min", "1ms:1000 h", NULL, "ns",
     "How long the search itself may take to propose the next case; it is stopped if it takes "
     "longer, or if its proposals together take longer than its budget"},
    GB_STRING(struct search_params, lanes, "auto",
              "Cases in progress at a time: while one is measured, the others are built on other "
              "processors, if their benchmark can do that without its device; auto: one fewer than "
              "the cores"),
};

struct option_table search_options(void)
{
    return (struct option_table){search_table, sizeof search_table / sizeof *search_table};
}

static int32_t read_goal(const char *text, struct arena *arena, struct search_goal *ret,
                         struct gb_error *error)
{
    const bool is_max = text_starts_with(text, "max ");
    const char *expression = text + strlen("min ");
    if (!is_max && !text_starts_with(text, "min "))
        return error_set(error, GB_INVALID,
                         "goal '%s': \1expected min or max and a quantity, such as '" DEFAULT_GOAL
                         "' or 'max gflops'",
                         text);
    expression += strspn(expression, " ");
    if (!*expression)
        return error_set(error, GB_INVALID, "goal '%s': \1expected a column or an expression",
                         text);
    *ret = (struct search_goal){.is_max = is_max,
                                .is_time = !is_max && text_equal(expression, "median"),
                                .text = text,
                                .expression = arena_text(arena, expression)};
    return GB_OK;
}

/* Up to the next comma that is neither between parentheses nor in a text. */
static size_t length_of_goal(const char *text)
{
    int depth = 0;
    char quote = 0;
    size_t i = 0;
    for (; text[i] && (text[i] != ',' || depth > 0 || quote); i++) {
        if (quote)
            quote = text[i] == quote ? 0 : quote;
        else if (text[i] == '\'' || text[i] == '"')
            quote = text[i];
        else
            depth += (text[i] == '(') - (text[i] == ')');
    }
    return i;
}

int32_t search_goals_read(const char *text, struct arena *arena, struct search_goals *ret,
                          struct gb_error *error)
{
    const char *rest = text;
    bool is_last = false;
    for (ret->n = 0; !is_last; ret->n++) {
        if (ret->n == SEARCH_GOALS_MAX)
            return error_set(error, GB_INVALID, "goal '%s': \1expected at most %d of them", text,
                             SEARCH_GOALS_MAX);
        rest += strspn(rest, " ");
        size_t length = length_of_goal(rest);
        const char *next = rest + length;
        is_last = !*next;
        const size_t offset = (size_t)(rest - text);
        while (length > 0 && rest[length - 1] == ' ')
            length--;
        const int32_t status = read_goal(arena_text_n(arena, rest, length), arena,
                                         &ret->items[ret->n], error);
        if (status != GB_OK)
            return status;
        ret->items[ret->n].offset = offset;
        rest = next + !is_last;
    }
    return GB_OK;
}

int32_t search_lanes_read(const char *text, uint32_t *ret, struct gb_error *error)
{
    char *end = NULL;
    const unsigned long n = text_equal(text, "auto") ? SEARCH_LANES_AUTO : strtoul(text, &end, 10);
    if (end && (*text < '0' || *text > '9' || *end || n == 0 || n > SEARCH_LANES_MAX))
        return error_set(error, GB_INVALID, "lanes '%s': \1expected auto or a number from 1 to %d",
                         text, SEARCH_LANES_MAX);
    *ret = (uint32_t)n;
    return GB_OK;
}
