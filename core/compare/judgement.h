/*
 * judgement.h - what `gbrun judge` says of a submission: its comparison with the reference, as a
 * table and as JSON, and one word for the whole.
 *
 * The whole is what is worst: wrong, contradicted, failed; else the geometric mean of the ratios of
 * the shapes decides as compare does for one. Its interval is that of the measurements, as the
 * shapes are no sample of others: half of it, in ln, is sqrt(sum of h^2) / n, h the halves of the
 * shapes' intervals.
 */
#pragma once

#include "core/compare/compare.h"

/* X(name, word, exit code). `right` is of cases that are not measured. */
#define JUDGED_MAP(X)                                                                              \
    X(FASTER, "faster", 0)                                                                         \
    X(SAME, "same", 0) /* within the margin */                                                     \
    X(SLOWER, "slower", 0)                                                                         \
    X(UNCLEAR, "unclear", 0)                                                                       \
    X(RIGHT, "right", 0)                                                                           \
    X(FAILED, "failed", 1)             /* it, or the reference, did not run */                     \
    X(CONTRADICTED, "contradicted", 3) /* its time cannot be true */                               \
    X(WRONG, "wrong", 3)
enum {
#define JUDGED_CONSTANT(name, word, code) JUDGED_##name,
    JUDGED_MAP(JUDGED_CONSTANT)
#undef JUDGED_CONSTANT
        JUDGED_VERDICTS
};
int judged_exit_code(int verdict);

/* What is known beside the comparison. */
struct judgement_facts {
    const char *id;                     /* of the request, as JSON; NULL: it has none */
    const char *submission, *reference; /* files; NULL: as the configuration says */
    bool is_compiled;                   /* the reference, by torch.compile */
    const char *tests; /* the benchmark whose cases are only to be right; NULL: none is */
    const char *const *limits;
    size_t n_limits;
    const struct outcome *compared; /* records whose value is how many outputs were compared */
    size_t n_compared;
    double seconds; /* that it took */
};

struct judged_case {
    const struct compared *compared; /* NULL: no case; of the following code and text are set */
    int verdict;
    int side;         /* SIDE_...: of the reason */
    const char *code; /* why it failed: a word for programs, "wrong_result"; "": it did not */
    const char *text; /* and for people */
    struct geometric_mean times[SIDES]; /* of the rounds, in ln of ns; of a side with one as the
                                           other's rounds vary */
    size_t n_visits[SIDES];             /* of this run: not EARLIER_ROUND and later */
    double n_compared;
};

struct judgement {
    const struct compare_result *result; /* NULL: nothing was compared */
    const struct judgement_facts *facts;
    struct judged_case *cases;
    size_t n;
    const struct judged_case *worst; /* whose reason is that of the whole; NULL: there is none */
    double theta, low, high;         /* ln of new / base; NaN: not known */
    size_t n_ratios;
    double n_compared;
    int verdict;
};

/* Of a result with one side beside the base. The result and the facts must outlive it; other memory
 * is the arena's. */
struct judgement judgement_make(const struct compare_result *result,
                                const struct judgement_facts *facts, struct arena *arena);

/* An object on one line, which docs/judge.md describes. */
void judgement_write_json(const struct judgement *judgement, struct text *out);
/* For people; style and width as of compare_write_fitting. */
void judgement_write(const struct judgement *judgement, int style, size_t width, bool has_colours,
                     struct text *out);
