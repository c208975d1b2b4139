/*
 * judge_book.h - the times of references that a judge which stays keeps from one request to the
 * next: those of visits, each in a process of its own.
 *
 * A shape of a reference has BOOK_LEAST visits at first, and another one with each BOOK_USES-th
 * request, and where the last is older than BOOK_AGE_NS; the newest BOOK_MOST count. One that those
 * before do not allow, at BOOK_CONFIDENCE, says that the machine has changed: they are forgotten.
 */
#pragma once

#include "core/compare/compare.h"

enum { BOOK_LEAST = 6, BOOK_MOST = 8, BOOK_USES = 4 };
#define BOOK_AGE_NS 20e9
#define BOOK_CONFIDENCE 0.999

/* Zero-initialize. */
struct judge_book {
    struct book_entry *entries;
    size_t n;
};

struct book_entry {
    char *key;
    struct book_round {
        double ns, half_ns; /* half_ns: half its own interval */
        bool is_earlier;    /* than this request */
    } rounds[BOOK_MOST];    /* the newest last */
    size_t n;
    bool has_forgotten; /* in this request */
    uint32_t n_uses;    /* requests since the last visit */
    double measured_ns; /* when that was, of any clock that all calls have */
};

void judge_book_free(struct judge_book *book);

/* That of a text which says all that the time depends on; made where there is none. Valid until the
 * next call: its number stays. */
size_t judge_book_entry(struct judge_book *book, const char *key);

/* A request begins: is a visit due beside the submission's? */
bool book_entry_use(struct book_entry *entry, double now_ns);
void book_entry_add(struct book_entry *entry, const struct book_round *round, double now_ns);

/* Records of the base as if all had been measured in the run of `like`, a record of the other side:
 * with this position, and numbers of rounds from EARLIER_ROUND on where they are earlier. */
void book_entry_outcomes(const struct book_entry *entry, const struct outcome *like,
                         uint64_t position, struct arena *arena, struct outcome **outcomes,
                         size_t *n);
