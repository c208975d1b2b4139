/*
 * sweep_internal.h - what the files of a sweep share: a benchmark and the points of its product.
 */
#pragma once

#include "core/config/settings_internal.h"

/* What became of a template in a case. */
struct filled {
    bool is_template;
    struct value written; /* before */
    struct text_map map;
};

struct sweep_bench {
    const struct bench_section *section;
    struct expression **formulas;
    struct expression *filters[FILTERS_MAX];
    struct template ***templates;      /* by template and row; NULL: nothing to be replaced */
    struct expression_column *start;   /* values before axes and formulas */
    struct expression_column *columns; /* of the case that was placed last */
    struct filled *filled;             /* by slot, of the same case */
    bool varies;                       /* a common setting is an axis or computed */
    uint64_t n_points;                 /* of the product of the axes */
    uint64_t n;                        /* of them that are cases */
    uint32_t *points;                  /* which; NULL: all */
    uint64_t first;                    /* position of its first case in the sweep */
    const struct slot **environment;   /* sorted by name */
    size_t n_environment;
};

struct sweep {
    const struct settings *settings;
    struct expression_engine *engine;
    struct arena arena;
    struct sweep_bench *benches;
    size_t n_benches;
    uint64_t n;      /* positions */
    uint64_t n_kept; /* of them those that are measured */
    uint32_t *order; /* their positions, as they are measured; NULL: all, as listed */
};

/* ---- a point of the product; columns and filled are those of the point that was placed last ----
 */

/* Gives each axis its value at a point. The last axis is the fastest. */
void sweep_place(const struct sweep_bench *bench, uint64_t point);
/* Gives the slot of a formula its value. */
int32_t sweep_compute(const struct sweep_bench *bench, size_t formula, struct arena *arena,
                      struct gb_error *error);
/* Puts the case's values into the text of a template. */
int32_t sweep_fill(const struct sweep_bench *bench, size_t template, uint64_t point,
                   struct arena *arena, struct gb_error *error);
/* Puts a prefix that names the case before an error. */
void sweep_name_case(const struct sweep_bench *bench, uint64_t point, const char *what,
                     struct gb_error *error);
