/*
 * call_plan.h - the settings of a case, read and checked: what is called with what. Plugin side;
 * needs no libffi. Neither library nor device is touched.
 */
#pragma once

#include "call_parse.h"

#include <gbrun/gbrun.h>

struct params {
    struct gb_list library; /* const char *: names or paths, the first that is there counts */
    const char *function;
    const char *signature;
    struct gb_map arg;
    const char *expect;
    const char *before;
    const char *after;
    const char *ok;
    const char *reference;
    struct gb_list reference_library;
    const char *reference_signature;
    struct gb_map ref;
    int32_t reference_memory; /* REFERENCE_... */
    int32_t subject;          /* SUBJECT_... */
    struct gb_map work;
    int32_t optional;
};
enum { REFERENCE_AS_IS, REFERENCE_HOST };
enum { SUBJECT_FUNCTION, SUBJECT_REFERENCE };

/* One key of arg or ref. */
struct entry {
    const char *map; /* "arg" or "ref" */
    const char *key; /* "1", "pool" */
    const char *text;
    struct value value;
    size_t place; /* among the arguments, from 0; NOT_AN_ARGUMENT: only a name */
};
enum { NOT_AN_ARGUMENT = PARAMETERS_MAX };

enum { VARIABLES_MAX = 32 };

/* A function with its arguments, in order; those of a reference without ref.N are the function's.
 */
struct routine {
    struct signature signature;
    const struct entry *arguments[PARAMETERS_MAX];
};

struct plan {
    const struct gb_host *host;
    const struct params *params;
    struct entry *entries, *ref_entries; /* of arg, and behind them those of ref */
    size_t n_entries, n_ref_entries;
    struct span function; /* the name of the first, by its option or its signature */
    struct routine routine, reference;
    struct call *before, *after; /* CALLS_MAX each, unless there are none */
    size_t n_before, n_after;
    struct span variables[VARIABLES_MAX]; /* that `before` sets: by "out NAME" or "NAME = call()" */
    size_t n_variables;
    struct expectation expect;
    struct value expected_struct; /* of a function that returns one; n is 0: nothing expected */
    bool has_ok, has_reference;
    struct number ok;
    struct gb_work work;
};

/* Where problems are reported. */
struct reporter {
    gb_problem_fn *problem;
    void *context;
    uint64_t n;
};

/* Says what is wrong with an option ("signature", "arg.1") from byte `at` on. */
void report(struct reporter *reporter, const char *option, size_t at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/*
 * Reads the params and reports every problem that it finds; the plan is valid only if there are
 * none. Returns GB_NO_MEMORY, or GB_OK even with problems. Memory: the host's; the params must
 * outlive the plan.
 */
int32_t plan_make(const struct gb_host *host, const struct params *params,
                  struct reporter *reporter, struct plan *ret);

/* Copies the plan's work into the host's struct, which may be an older, shorter one. */
void plan_work(const struct plan *plan, struct gb_work *ret);

/* Do the function and its reference return structs of the same members? */
bool plan_compares_structs(const struct plan *plan);

/* Is anything compared with what the configuration says, or with a reference? */
bool plan_expects(const struct plan *plan);
bool plan_compares(const struct plan *plan);

/* The entry that a chain of names ends in, or the entry itself if it is no name. NULL: a variable.
 */
const struct entry *plan_resolve(const struct plan *plan, const struct entry *entry);
/* The entry that a name means, or NULL; likewise the number of a variable, or VARIABLES_MAX. */
const struct entry *plan_entry(const struct plan *plan, struct span name);
size_t plan_variable(const struct plan *plan, struct span name);
