/*
 * words.h - the words of an option, their numbers and what they do, from one list:
 *   #define KINDS(X) X(crash, abort()) X(silent, return GB_FAILED)
 *   static const char *const kinds[] = {KINDS(WORD)};
 *   enum { KINDS(WORD_NUMBER) };
 *   switch (kind) { KINDS(WORD_CASE) default: ... }
 * WORD_VALUE is WORD_CASE for a value, which the function returns.
 * A list of words alone leaves the statements out.
 *   const SIZED(gb_check, check, .name = "sum", .n = 1);
 * is a struct of the ABI, whose first member says how large it is.
 */
#pragma once

#define SIZED(type, name, ...) struct type name = {.size = sizeof name, __VA_ARGS__}

#define WORD(word, ...) #word,
#define WORD_NUMBER(word, ...) IS_##word,
#define WORD_CASE(word, ...)                                                                       \
    case IS_##word:                                                                                \
        __VA_ARGS__;                                                                               \
        break;
#define WORD_VALUE(word, ...)                                                                      \
    case IS_##word:                                                                                \
        return __VA_ARGS__;
