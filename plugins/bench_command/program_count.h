/* program_count.h - how many instructions a program executes, with those that it starts. Plugin
 * side. */
#pragma once

#include "plugins/common/process.h"

#include <gbrun/counters.h>

/* Runs it, as `counting` asks (is_exact), from its first instruction to its end. *ret_status: as of
 * wait. Why it cannot be counted: host->fail. */
int32_t program_count(const struct gb_host *host, const struct program *program,
                      const int streams[3], struct gb_counting *counting, int *ret_status);
