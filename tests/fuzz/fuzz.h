/*
 * fuzz.h - what every fuzzer is written with: the function that a fuzzing engine or replay.c calls,
 * and what ends the program.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_failed(int line, const char *condition, const char *context)
{
    fprintf(stderr, "line %d: %s\n%s", line, condition, context);
    abort();
}
#define REQUIRE_OF(condition, context)                                                             \
    ((condition) ? (void)0 : fuzz_failed(__LINE__, #condition, context))
#define REQUIRE(condition) REQUIRE_OF(condition, "")
