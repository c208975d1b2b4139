/*
 * record_parts.h - what the record of a case is completed with, by a supervisor and by libgbrun.
 */
#pragma once

#include "core/run/collector.h"
#include "core/run/probe.h"

/* A device as it is stored, once a case has opened it; the facts are the arena's. */
struct device_record device_record_of(const struct known_device *device,
                                      const struct collector *collector, struct arena *arena);

/* Warnings about what the rest of the machine did meanwhile. */
void record_warn_of_others(struct collector *collector);

/* A row for the module of a plugin that a case ran. */
struct module_record module_record_of(const struct plugin_info *info, const char *sha256);
