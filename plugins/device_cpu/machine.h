/* machine.h - what the processor is, as the system describes it. Plugin side. */
#pragma once

#include "cpu_list.h"

#include <gbrun/device.h>

/* The same on every machine with this processor. */
void machine_model(char *buffer, size_t bytes);

uint64_t machine_memory_bytes(void);
uint64_t machine_last_cache_bytes(uint32_t cpu); /* 0: not known */
uint32_t machine_line_bytes(uint32_t cpu);

/* Everything that helps to trust a number later. */
void machine_facts(const struct cpu_list *cpus, gb_fact_fn *fact, void *context);
