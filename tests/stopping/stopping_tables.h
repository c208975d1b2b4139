/* stopping_tables.h - the results of an experiment as a table. */
#pragma once

#include "tests/stopping/stopping_experiment.h"

/* A row a scenario and policy: what is known of the one, how many samples the other takes, the 95th
 * percentile of its error, and in percent of the replications how often it is wrong, its interval
 * holds (of those that are not multimodal), and which verdict it gives. */
void table_of_outcomes(const struct experiment *experiment, struct text *out);
