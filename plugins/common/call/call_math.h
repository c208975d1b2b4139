/*
 * call_math.h - the option work.math of `call` and `kernel`: which arithmetic they do. Plugin side;
 * needs no libffi.
 *
 *   math   = FORMAT UNIT
 *   FORMAT = fp64 fp32 fp16 bf16 tf32 e4m3 e5m2 int8 int32 int64 uint8 uint32 uint64
 *   UNIT   = scalar vector tensor
 *
 * These are the words of results and, joined, the names of roofs.
 */
#ifndef GBRUN_PLUGINS_COMMON_CALL_MATH_H
#define GBRUN_PLUGINS_COMMON_CALL_MATH_H

#include "call_parse.h"

/* Reads a whole text into GB_F32 ... and GB_MATH_...; false: *problem says why not. */
bool parse_math(const char *text, uint32_t *ret_format, uint32_t *ret_unit,
                struct problem *problem);

#endif
