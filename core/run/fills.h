/*
 * fills.h - random inputs that the cases of a process ask for again and again: those of a search
 * differ in what runs, not in what it reads, and each makes its inputs twice, for the device and
 * for the reference.
 */
#pragma once

#include <gbrun/host.h>

/* As random_fill. What was asked for before is kept, where it is neither small nor large. */
int32_t fills_make(uint64_t seed, void *data, uint64_t n, const struct gb_fill *fill);
