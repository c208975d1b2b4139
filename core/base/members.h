/*
 * members.h - lists of members of a struct: a macro applied to each; orders of structs by members.
 */
#pragma once

#include <stddef.h>
#include <string.h>

/* Functions for qsort and bsearch, by what tells x and y apart: orders as of strcmp, up to five, of
 * which the first that is not 0 counts; or by members that are numbers, or a text. */
#define ORDER_OF(a, b) (((a) > (b)) - ((a) < (b)))
#define ORDER_BY(name, type, ...)                                                                  \
    static int name(const void *a, const void *b)                                                  \
    {                                                                                              \
        const type *x = a;                                                                         \
        const type *y = b;                                                                         \
        return ORDER_FIRST(__VA_ARGS__, 0, 0, 0, 0, 0);                                            \
    }
#define ORDER_FIRST(first, second, third, fourth, fifth, ...)                                      \
    ((first) ?: (second) ?: (third) ?: (fourth) ?: (fifth))
#define ORDER_BY_NUMBER(name, type, member) ORDER_BY(name, type, ORDER_OF(x->member, y->member))
#define ORDER_BY_NUMBERS(name, type, first, second)                                                \
    ORDER_BY(name, type, ORDER_OF(x->first, y->first), ORDER_OF(x->second, y->second))
#define ORDER_BY_TEXT(name, type, member) ORDER_BY(name, type, strcmp(x->member, y->member))

/* F(argument, type, member), ... for up to eight members. */
#define FOR_MEMBERS(F, argument, type, ...)                                                        \
    MEMBERS_COUNT(__VA_ARGS__)(F, argument, type, __VA_ARGS__)

#define MEMBERS_COUNT(...)                                                                         \
    MEMBERS_PICK(__VA_ARGS__, MEMBERS_8, MEMBERS_7, MEMBERS_6, MEMBERS_5, MEMBERS_4, MEMBERS_3,    \
                 MEMBERS_2, MEMBERS_1, 0)
#define MEMBERS_PICK(a, b, c, d, e, f, g, h, picked, ...) picked
#define MEMBERS_1(F, k, t, m) F(k, t, m)
#define MEMBERS_2(F, k, t, m, ...) F(k, t, m), MEMBERS_1(F, k, t, __VA_ARGS__)
#define MEMBERS_3(F, k, t, m, ...) F(k, t, m), MEMBERS_2(F, k, t, __VA_ARGS__)
#define MEMBERS_4(F, k, t, m, ...) F(k, t, m), MEMBERS_3(F, k, t, __VA_ARGS__)
#define MEMBERS_5(F, k, t, m, ...) F(k, t, m), MEMBERS_4(F, k, t, __VA_ARGS__)
#define MEMBERS_6(F, k, t, m, ...) F(k, t, m), MEMBERS_5(F, k, t, __VA_ARGS__)
#define MEMBERS_7(F, k, t, m, ...) F(k, t, m), MEMBERS_6(F, k, t, __VA_ARGS__)
#define MEMBERS_8(F, k, t, m, ...) F(k, t, m), MEMBERS_7(F, k, t, __VA_ARGS__)
