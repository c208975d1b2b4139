/*
 * call_maker.h - a plan while it is made: what the files share that read and check its parts. For
 * call_plan.c and those files only. Plugin side.
 */
#pragma once

#include "call_plan.h"

enum { OPTION_BYTES = 64 };

struct maker {
    struct plan *plan;
    struct reporter *reporter;
    struct problem *problem; /* where parsers put what they find */
    bool *is_unsound;        /* an entry has no value, or a name leads nowhere */
};

/* "arg.1" */
void entry_option(const struct entry *entry, char name[OPTION_BYTES]);

/* Returns whether a parser took the text of an option; what it found is reported if not. */
bool maker_took(const struct maker *maker, const char *option, bool is_parsed);

/* Whether a value suits a parameter (call_suit.c): `value` is what the argument resolves to, `at`
 * where it was written. */
void check_type(const struct maker *maker, const char *option, size_t at, const struct value *value,
                const struct type *type);
/* The name of a type for a message. */
void type_words(const struct type *type, char words[OPTION_BYTES]);

/* What is expected (call_expect.c): of the result, of a buffer, of statuses. `ok` is read first. */
void check_ok(const struct maker *maker);
void check_statuses(const struct maker *maker);
void check_expected_return(const struct maker *maker);
void check_expected_output(const struct maker *maker, const struct entry *entry);
bool is_number(const struct type *type);

/* work.NAME (call_work.c). */
void check_work(const struct maker *maker);
