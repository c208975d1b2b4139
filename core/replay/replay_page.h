/*
 * replay_page.h - recorded samples and where policies stop, as a page of charts.
 *
 * Four charts over the number of samples: the samples, the running relative standard deviation, the
 * running entropy, the running median with its interval; a vertical line where each policy stops.
 */
#pragma once

#include "core/replay/replay.h"

int32_t replay_page_write(const char *path, const struct trace *trace,
                          const struct replay_policies *policies,
                          const struct replay_result *results, struct gb_error *error);
