/*
 * judge_sizes.h - the shapes that `gbrun judge` measures a submission with.
 *
 * Of a file that ends with .yml or .yaml: the lists `tests` and `benchmarks` of GPU MODE's
 * task.yml, whose items are maps, in braces or a name a line; the rest of the file is not looked
 * at. Of any other file: a shape a line, `m=64 n=128`, and comments after #.
 */
#pragma once

#include "core/base/error.h"
#include "core/base/memory.h"

/* Names and values as they are written, without quotes; of a list or a map the whole of it. True,
 * False and None are written as Python writes them. */
struct judge_size {
    const char **names, **values;
    size_t n;
};
struct judge_size_list {
    struct judge_size *items;
    size_t n;
};
struct judge_sizes {
    struct judge_size_list tests; /* are only to be right */
    struct judge_size_list measured;
};

/* All memory is the arena's. GB_IO: the file cannot be read; GB_INVALID: what is not understood,
 * and where. */
int32_t judge_sizes_read(const char *path, struct arena *arena, struct judge_sizes *ret,
                         struct gb_error *error);
/* Adds a name and its value, as they are written, to a shape. GB_INVALID: there is no value, or it
 * is no name. */
int32_t judge_size_add(struct judge_size *size, const char *name, size_t n_name, const char *value,
                       size_t n_value, struct arena *arena, struct gb_error *error);
