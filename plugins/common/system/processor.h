/*
 * processor.h - what the processor is called, and under which hypervisor it runs, by the files of
 * /proc and /sys. Plugin side; core/run reads it, too.
 *
 * `root` stands before all paths: "" on the machine itself.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* "Neoverse-V2 (NVIDIA Grace)"; on Arm the part numbers where they have no name here. False, and
 * "": the system says nothing. */
bool processor_name(const char *root, char *buffer, size_t bytes);

/* "KVM", "Xen", ..., or "yes" where only that there is one is known. False, and "": none is seen.
 */
bool processor_hypervisor(const char *root, char *buffer, size_t bytes);
