/* figure.h - a number in what a program prints. Plugin side. */
#pragma once

#include <gbrun/host.h>
#include <regex.h>
#include <stdbool.h>

struct figure {
    const char *where; /* "$.times[0].mean": a path in JSON; else a regular expression */
    bool is_path;
    regex_t expression;
};

/* GB_FAILED: an expression that is none, or has not one group; host->fail was called. */
int32_t figure_init(const struct gb_host *host, const char *where, struct figure *ret);
void figure_release(struct figure *figure);
/* The number at the path, or in the group of the first match. False: there is none. */
bool figure_find(const struct figure *figure, const char *text, double *ret);
