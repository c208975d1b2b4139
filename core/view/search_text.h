/*
 * search_text.h - what a search of a run found: the claim, the best against time, which axes
 * matter.
 */
#pragma once

#include "core/base/text.h"
#include "core/store/store_read.h"

/* What is stored of a search when it has ended, as facts of the run: SEARCH_FACT NAME.KEY. */
#define SEARCH_FACT "search."

/* Names of the run's searches, in the order they ended; in the arena. */
size_t search_names(const struct stored_run *run, struct arena *arena, const char ***ret);

/* Reads what one of them stored and its visits. run and name outlive it. NULL where it fails; free
 * with search_found_free. */
struct search_found *search_read(struct store *store, const struct stored_run *run,
                                 const char *name, struct gb_error *error);
void search_found_free(struct search_found **found);

/*
 * Lines of text: what is claimed, the best and how it ended; tables, each behind an empty line, or
 * nothing: of the best against time; of the front, where there are several goals; of the axes.
 *
 * The front is the cases that no other one equals in all goals and beats in one, by the medians of
 * their visits. Those within the claim's tolerance of one that is shown, in all goals, are counted.
 */
void search_write_facts(const struct search_found *found, struct text *out);
void search_write_curve(const struct search_found *found, struct text *out);
void search_write_front(const struct search_found *found, struct text *out);
void search_write_axes(const struct search_found *found, struct text *out);

/* The visits that were ok, n of them in the order measured: when each had ended since the search
 * began, and the goal's value, in ns where it is a time; the best one until then. */
struct search_curve {
    const char *goal; /* "min median" */
    bool is_time;
    size_t n;
    const double *elapsed_ns, *values, *best;
};

/* Arrays are the arena's, texts those of found. */
struct search_curve search_curve_of(const struct search_found *found, struct arena *arena);
