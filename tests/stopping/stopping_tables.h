/* stopping_tables.h - the results of an experiment as tables. */
#pragma once

#include "tests/stopping/stopping_experiment.h"

/* A row a scenario; a cell a policy: median samples / 95th percentile of the error in % / coverage
 * of the interval in % (of those that are not multimodal). */
void table_of_policies(const struct experiment *experiment, struct text *out);

/* A row a scenario: what one policy said how often, how often it was wrong, what it would need. */
void table_of_verdicts(const struct experiment *experiment, size_t policy, struct text *out);

/* A row a kernel and policy. */
void table_of_recordings(const struct experiment *experiment, struct text *out);
