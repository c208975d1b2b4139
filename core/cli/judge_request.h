/*
 * judge_request.h - a submission and its reference, judged once: the configuration that is made of
 * them, its run, and the verdict.
 */
#pragma once

#include "core/cli/judge_sizes.h"
#include "core/cli/verbs.h"
#include "core/run/probe.h"

struct judge_request {
    const char *id;                     /* JSON that the answer has again; NULL: none */
    const char *submission, *reference; /* files; submission NULL: --config has both */
    struct judge_sizes sizes;           /* none: the layout of the files needs none */
};

/* The sections of a request; all memory is the arena's. */
struct ini judge_request_configure(const struct judge_request *request, struct arena *arena);

/* How it is judged and written, as the verb's options say; format: COMPARE_... */
struct judge_manner {
    double budget_ns; /* as of struct ab */
    int format;
    bool has_colours;
    bool is_compiled;          /* against the reference by torch.compile */
    bool is_answer;            /* there is one of each request, whatever happens, as JSON */
    struct spare_worker *kept; /* from one request to the next; NULL: none */
    struct judge_book *book;   /* likewise; NULL: both sides have rounds */
};

/* Measures, and adds to the text what was found. Says errors, unless it answers requests.
 * Returns the exit code. *ret_is_cancelled: the user has stopped it. */
int judge_request_run(const struct arguments *arguments, const struct judge_request *request,
                      const struct judge_manner *manner, struct text *out, bool *ret_is_cancelled);
/* Adds the answer to a request that could not be run: a word for programs, and why. */
void judge_request_refuse(const struct judge_request *request, const char *code, const char *why,
                          struct text *out);
