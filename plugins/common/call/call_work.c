/* call_work.c - the work of a call, work.NAME; see call_maker.h. Plugin side. */
#include "call_maker.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

void check_work(const struct maker *maker)
{
    struct plan *plan = maker->plan;
    const struct gb_map *map = &plan->params->work;
    const struct {
        const char *key;
        double *to;
    } rates[] = {{"flops", &plan->work.flops},
                 {"bytes_read", &plan->work.bytes_read},
                 {"bytes_written", &plan->work.bytes_written},
                 {"items", &plan->work.items}};
    enum { N_RATES = sizeof rates / sizeof rates[0] };
    char option[OPTION_BYTES];
    struct number number;
    for (uint64_t i = 0; i < map->n; i++) {
        size_t k = 0;
        snprintf(option, sizeof option, "work.%s", map->keys[i]);
        while (k < N_RATES && strcmp(map->keys[i], rates[k].key) != 0)
            k++;
        if (strcmp(map->keys[i], "item") == 0)
            plan->work.item = map->values[i];
        else if (strcmp(map->keys[i], "math") == 0)
            maker_took(maker, option,
                       parse_math(map->values[i], &plan->work.math_format, &plan->work.math_unit,
                                  maker->problem));
        else if (k == N_RATES)
            report(maker->reporter, option, 0,
                   "unknown kind of work: expected work.flops, work.math, work.bytes_read, "
                   "work.bytes_written, work.items or work.item");
        else if (!maker_took(maker, option, parse_number(map->values[i], &number, maker->problem)))
            continue;
        else if (!(number.value >= 0.0 && number.value <= DBL_MAX))
            report(maker->reporter, option, 0, "%.17g is out of range: expected 0 or more",
                   number.value);
        else
            *rates[k].to = number.value;
    }
}

void plan_work(const struct plan *plan, struct gb_work *ret)
{
    const struct gb_work *work = &plan->work;
    ret->flops = work->flops;
    ret->bytes_read = work->bytes_read;
    ret->bytes_written = work->bytes_written;
    ret->items = work->items;
    ret->item = work->item;
    GB_WORK_MATH(ret, work->math_format, work->math_unit);
}
