/*
 * replay_page.h - recorded samples and where policies stop, as a page of charts.
 *
 * Charts over the number of samples: the samples, the running relative standard deviation and how
 * much its newest values vary (the noise window of stdrel), the running entropy, the running median
 * with its interval; a vertical line where each policy stops. And the distribution of the samples
 * up to there beside that of all. What a few outliers or the first few samples would stretch an
 * axis by is cut off.
 */
#pragma once

#include "core/replay/replay.h"

int32_t replay_page_write(const char *path, const struct trace *trace,
                          const struct replay_policies *policies,
                          const struct replay_result *results, struct gb_error *error);
