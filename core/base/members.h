/*
 * members.h - lists of members of a struct: a macro applied to each.
 */
#pragma once

#include <stddef.h>

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
