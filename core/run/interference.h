/*
 * interference.h - what the rest of the machine did while a case was sampled: in a worker, from
 * /proc, before the first sample and after the last.
 */
#pragma once

#include "core/base/text.h"
#include "core/store/record.h"

/* Counters as they stood. */
struct interference {
    double at_ns, own_cpu_ns, siblings_cpu_ns, all_cpu_ns, stolen_ns, waited_cpu_ns;
    uint64_t n_preempted;
};
void interference_begin(struct interference *ret);
/* What they went up by. */
void interference_end(const struct interference *begin, struct interference_record *ret);

/* Is it more than the case's interval allows for, or than 1 % where that claims none? Adds a
 * sentence that says what. False: it is not, or the clock does not see it. */
bool interference_matters(const struct case_record *record, struct text *out);

/* Did other processes compute on the device, before the first sample and after the last? What that
 * did to the times is not known: by all clocks. */
bool interference_on_device(const struct case_record *record, struct text *out);
