/* check_kernel.h - a kernel that settings name, looked at before anything runs. Plugin side. */
#pragma once

#include "scan.h"
#include "settings.h"

/* Where a kernel is and what it is to be like. */
struct wanted {
    const struct settings *settings;
    struct reporter *reporter;
    const struct source *source;
    const char *entry, *entry_option, *source_option, *signature_option;
    const char *signature_text;
    const struct signature *signature;
};

/* Compares the parameters of a signature with those that PTX has; place: of the kernel, for
 * messages. */
void check_kernel(const struct wanted *wanted, const char *place, const struct scan_kernel *kernel);

/*
 * Asks NVRTC, where there is one, about n kernels of one source: by compiling them to PTX, which
 * needs no device, in a process of its own, which is killed after these seconds.
 *
 * The cases of a sweep are checked one after the other, and those that differ in buffers or blocks
 * only are compiled once. Of a kernel that is compiled in many ways the first is, and another one
 * each time that there are four times as many: 5 of 1000. All others are compiled when they are
 * run.
 */
void check_compiled(const struct wanted *wanted, size_t n, double seconds);
