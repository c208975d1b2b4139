/*
 * search_settings.h - what every [search NAME] has beside the options of its plugin.
 */
#pragma once

#include "core/config/option_table.h"

/* Filled from search_options(). */
struct search_params {
    const char *goal;  /* "min median", "min median, max gflops": see search_goals_read */
    const char *where; /* SQL over result columns; a case for which it is false is not wanted; "" */
    double tolerance, confidence;
    double budget_ns; /* 0: none, as of the following */
    int64_t cases, patience;
    double time_limit_ns; /* of each of its answers */
    const char *lanes;    /* "auto" or a number: see search_lanes_read */
};

struct option_table search_options(void);

/* A goal: which way it goes, and what of; texts as the user wrote them, in the arena. */
struct search_goal {
    bool is_max;
    bool is_time;           /* the median of the samples' times: all of them count */
    const char *text;       /* "max gflops" */
    const char *expression; /* "gflops" */
    size_t offset;          /* of `text` in the list */
};

/* The goals of a list, at least one: a search is for the first of them. */
enum { SEARCH_GOALS_MAX = 4 };
struct search_goals {
    struct search_goal items[SEARCH_GOALS_MAX];
    size_t n;
};

/* Reads a list, in which commas between parentheses or quotes do not count. GB_INVALID: too many,
 * or one does not begin with min or max, or there is nothing behind that. */
int32_t search_goals_read(const char *text, struct arena *arena, struct search_goals *ret,
                          struct gb_error *error);

/* How many cases are open at a time: SEARCH_LANES_AUTO, or a number up to SEARCH_LANES_MAX.
 * GB_INVALID: it is neither. */
enum { SEARCH_LANES_AUTO = 0, SEARCH_LANES_MAX = 64 };
int32_t search_lanes_read(const char *text, uint32_t *ret, struct gb_error *error);
