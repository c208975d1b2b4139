/*
 * append.h - results files that calls of libgbrun are appended to.
 *
 * The calls of a process that name the same file and the same labels are one run; those of one case
 * (the same name, variables and settings) its rounds. The file is closed between calls.
 */
#pragma once

#include "core/library/request.h"
#include "core/run/collector.h"
#include "core/run/probe.h"

/* Appends the record, which has finished, unless the request names no file. */
int32_t results_append(const struct request *request, const struct known_device *device,
                       struct collector *collector, struct gb_error *error);

/* The next calls begin runs of their own. */
void results_release(void);
