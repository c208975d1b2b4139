/* test_judge_book.c - when a judge that stays measures its reference again, and what it says then.
 */
#include "core/cli/judge_book.h"
#include "core/config/sides.h"
#include "tests/check_main.h"

#include <math.h>

#define SECOND 1e9

/* Steps: r a request, + - another second, or 21, else a visit of so many ns: a letter, from A:
 * 1000, each next one 1 % more, X: 2000. */
static const struct {
    const char *steps;
    bool is_due; /* a visit, at the request that comes then */
    size_t n;    /* rounds that count */
    bool has_forgotten;
} histories[] = {
    {"", true, 0, false},
    {"rAB", true, 2, false},
    {"rABABAB", false, 6, false},
    {"rABABABrr", false, 6, false},
    {"rABABABrrr", true, 6, false},
    {"rABABABrrrArr", false, 7, false},
    {"rABABAB+", false, 6, false},
    {"rABABAB-", true, 6, false},
    {"rABABABr-rA", false, 7, false},
    {"rABCDABCDA", false, BOOK_MOST, false},
    {"rABABABX", true, 1, true},
    {"rABX", true, 3, false},
    {"rABABABrX", true, 1, true},
    {"rABABABXrABABX", false, 6, false}, /* X and those after it differ, as X was no mistake */
    {"rAAAAAAB", false, 7, false},       /* within the margin */
    {"rAAAAAAD", true, 1, true},
};

TEST_EACH(visits_are_due_by_the_rule, histories)
{
    struct judge_book book = {0};
    double now_ns = 5 * SECOND;
    ck_assert_uint_eq(judge_book_entry(&book, "b"), 0);
    ck_assert_uint_eq(judge_book_entry(&book, "a"), 1);
    ck_assert_uint_eq(judge_book_entry(&book, "b"), 0);
    struct book_entry *entry = &book.entries[0];
    for (const char *step = histories[_i].steps; *step; step++) {
        const double ns = *step == 'X' ? 2000 : 1000 * pow(1.01, *step - 'A');
        now_ns += *step == '+' ? SECOND : *step == '-' ? 21 * SECOND : 0;
        if (*step == 'r')
            book_entry_use(entry, now_ns);
        else if (*step >= 'A')
            book_entry_add(entry, &(struct book_round){.ns = ns}, now_ns);
    }
    ck_assert_uint_eq(entry->n, histories[_i].n);
    ck_assert(entry->has_forgotten == histories[_i].has_forgotten);
    ck_assert(book_entry_use(entry, now_ns) == histories[_i].is_due);
    ck_assert(!entry->has_forgotten);
    judge_book_free(&book);
}

/* Those of this request are distinguished from earlier ones; all are of the base. */
TEST(rounds_are_records_of_the_base)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct judge_book book = {0};
    ck_assert_uint_eq(judge_book_entry(&book, ""), 0);
    struct book_entry *entry = &book.entries[0];
    const struct outcome_parameter parameters[] = {{"n", "3", true, true},
                                                   {SIDE_AXIS, "new", true, false}};
    const struct outcome like = {.bench = "sorts",
                                 .position = 7,
                                 .status = CASE_WRONG_RESULT,
                                 .value = 5,
                                 .parameters = parameters,
                                 .n_parameters = 2};
    struct outcome *outcomes = NULL;
    size_t n = 0;
    book_entry_add(entry, &(struct book_round){.ns = 100, .half_ns = 2}, 0);
    book_entry_use(entry, 0);
    book_entry_add(entry, &(struct book_round){.ns = 101, .half_ns = 3}, 0);
    book_entry_outcomes(entry, &like, 6, &arena, &outcomes, &n);
    ck_assert_uint_eq(n, 2);
    ck_assert_uint_ge(outcomes[0].round, EARLIER_ROUND);
    ck_assert_uint_lt(outcomes[1].round, EARLIER_ROUND);
    for (size_t i = 0; i < n; i++) {
        ck_assert_uint_eq(outcomes[i].position, 6);
        ck_assert_int_eq(outcomes[i].status, CASE_OK);
        ck_assert_str_eq(outcomes[i].parameters[0].value, "3");
        ck_assert_str_eq(outcomes[i].parameters[1].value, "base");
        ck_assert_double_eq(outcomes[i].value, 100 + (double)i);
        ck_assert_double_eq(outcomes[i].high_ns - outcomes[i].low_ns, 2 * (2 + (double)i));
    }
    judge_book_free(&book);
}
