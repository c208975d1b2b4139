/* call_plan.c - what a plan says; call_maker.c makes it. Plugin side. */
#include "call_plan.h"

#include "plugins/common/measuring.h"

#include <stdarg.h>
#include <stdio.h>

void report(struct reporter *reporter, const char *option, size_t at, const char *format, ...)
{
    char text[4 * PROBLEM_BYTES]; /* paths are long */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    reporter->n++;
    reporter->problem(reporter->context, option, at, text);
}

const struct entry *plan_entry(const struct plan *plan, struct span name)
{
    if (name.n > 4 && memcmp(name.text, "arg.", 4) == 0)
        name = (struct span){name.text + 4, name.n - 4};
    else if (name.n > 0 && name.text[0] >= '0' && name.text[0] <= '9')
        return NULL;
    for (size_t i = 0; i < plan->n_entries; i++)
        if (span_is(name, plan->entries[i].key))
            return &plan->entries[i];
    return NULL;
}

size_t plan_variable(const struct plan *plan, struct span name)
{
    for (size_t i = 0; i < plan->n_variables; i++)
        if (span_equal(plan->variables[i], name))
            return i;
    return VARIABLES_MAX;
}

const struct entry *plan_resolve(const struct plan *plan, const struct entry *entry)
{
    size_t n_left = plan->n_entries + 1; /* names may lead in circles until they are checked */
    for (; entry != NULL && entry->value.kind == VALUE_NAME && n_left > 0; n_left--)
        entry = plan_entry(plan, entry->value.text);
    return n_left > 0 ? entry : NULL;
}

bool plan_expects(const struct plan *plan)
{
    bool expects = plan->expect.kind != EXPECT_NONE || plan->expected_struct.n > 0;
    for (size_t i = 0; i < plan->n_entries; i++) {
        const struct value *value = &plan->entries[i].value;
        expects |= value->kind == VALUE_BUFFER && value->buffer.expect.kind != EXPECT_NONE;
    }
    return expects;
}

bool plan_compares(const struct plan *plan)
{
    return plan->has_reference || plan_expects(plan);
}

bool plan_compares_structs(const struct plan *plan)
{
    const struct type *own = &plan->routine.signature.result;
    const struct type *other = &plan->reference.signature.result;
    return plan->has_reference && own->id == TYPE_STRUCT && other->id == TYPE_STRUCT &&
           own->n_members == other->n_members &&
           memcmp(own->members, other->members, own->n_members * sizeof own->members[0]) == 0 &&
           memcmp(own->offsets, other->offsets, own->n_members * sizeof own->offsets[0]) == 0;
}

void plan_work(const struct plan *plan, struct gb_work *ret)
{
    copy_known(ret, &plan->work, sizeof plan->work);
}
