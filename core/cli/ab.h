/*
 * ab.h - A against B until the verdict is certain: the rounds of one run of `gbrun ab`, which
 * `gbrun bisect` judges by as well. In verb_ab.c.
 */
#pragma once

#include "core/cli/judge_book.h"
#include "core/cli/run_job.h"
#include "core/compare/compare_text.h"

struct ab {
    struct run_job job;   /* arguments and ab are set by the caller; facts, too */
    const char *once;     /* the benchmark whose cases have one round; NULL: none */
    bool stops_at_broken; /* no further round if a case is broken */
    double last_share;    /* as of compare_options */
    double budget_ns;     /* of each pair: a round that would end after it is not begun, unless it
                             is one of the first four; 0: as many as max_rounds are */
    double begin_ns;
    struct side_pair *pairs;
    size_t n_pairs;
    bool *is_decided;        /* by pair */
    bool *open;              /* by position of a case: it has another round */
    struct judge_book *book; /* has rounds of the base, so that the other side has one alone, and
                                the base those that are due; NULL: there is none */
    const char *book_key;    /* of all of its entries */
    size_t *entries;         /* of the book, by pair */
    uint32_t n_taken;        /* rounds that the book has */
    size_t *pair_of;         /* by position of a case: SIZE_MAX where it is none */
    struct compare *judged;  /* at the end; NULL: nothing could be compared */
};

/* Measures until each case is decided, and judges. Says its errors; EXIT_FINE: judged is there, or
 * the user stopped the run (job.counts.is_cancelled) before anything could be compared. */
int ab_run(struct ab *ab);
/* Ends the run, closes its file. */
int ab_close(struct ab *ab, int code);

/* What gbrun judge has in place of the 0.1 s of ab. */
#define JUDGE_VISIT "20 ms"

/* What gbrun ab and gbrun judge both have. */
#define RULE_OPTIONS(visit, formats)                                                               \
    {"margin", 0, "RATIO",                                                                         \
     "differences up to this do not make a case slower or faster; default 1%"},                    \
        {"alpha", 0, "RATIO",                                                                      \
         "probability that any unchanged case is called different; default 5%"},                   \
        {"max-rounds", 0, "N", "rounds after which an undecided case is unclear; default 40"},     \
        {"visit", 0, "TIME", "how long a case is measured in each visit; default " visit},         \
        {"output", 'o', "FILE", "write the results to FILE instead of [gbrun] results"},           \
        {"label", 0, "NAME=TEXT...",                                                               \
         "a label of the run, by which it can be found and compared; may be repeated"},            \
        {"note", 0, "TEXT", "a note, shown by gbrun list runs"},                                   \
        {"format", 'f', "FORMAT", formats}, COLOR_OPTION,                                          \
        {"quiet", 'q', NULL, "print only errors and the table"},                                   \
    {                                                                                              \
        "verbose", 'v', NULL, "a line for each visit"                                              \
    }
