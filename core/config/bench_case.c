/* bench_case.c - see bench_case.h. */
#include "core/config/bench_case.h"

#include "core/base/members.h"
#include "core/base/random.h"
#include "core/base/sha256.h"
#include "core/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED_STREAM = 0x726f756e }; /* of the random numbers of the seed: those of further rounds */

extern char **environ;

static const char *const cache_words[] = {[GB_CACHE_WARM] = "warm", [GB_CACHE_COLD] = "cold"};
static const char *const launch_words[] = {
    [GB_LAUNCH_STREAM] = "stream", [GB_LAUNCH_GRAPH] = "graph", [GB_LAUNCH_AUTO] = "auto"};

static const char *const pace_words[] = {
    [PACE_FREE] = "free", [PACE_BURST] = "burst", [PACE_SUSTAINED] = "sustained"};

static const char *const isolate_words[] = {
    [ISOLATE_NO] = "no", [ISOLATE_YES] = "yes", [ISOLATE_AUTO] = "auto"};
static const char *const verify_words[] = {[VERIFY_AUTO] = "auto",
                                           [VERIFY_END] = "end",
                                           [VERIFY_STRICT] = "strict",
                                           [VERIFY_JUDGE] = "judge"};

static const char *const bound_words[] = {[GB_BOUND_AUTO] = "auto",
                                          [GB_BOUND_PROBABILISTIC] = "probabilistic",
                                          [GB_BOUND_DETERMINISTIC] = "deterministic"};

static const char *const count_words[] = {[GB_COUNT_BY_AUTO] = "auto",
                                          [GB_COUNT_BY_PERF] = "perf",
                                          [GB_COUNT_BY_STEP] = "step",
                                          [GB_COUNT_BY_VALGRIND] = "valgrind"};

/* A key check.NAME is the member check_NAME. */
#define CHECK(type, name, default_, range, n_words, words, help)                                   \
    {                                                                                              \
        (uint32_t)sizeof(struct gb_option), type, 0, n_words,                                      \
            offsetof(struct common_params, check_##name), "check." #name, default_, range, words,  \
            NULL, help                                                                             \
    }

/* Members have a unit in their names, keys do not. */
#define TIME(name, default_, range, help)                                                          \
    {                                                                                              \
        (uint32_t)sizeof(struct gb_option), GB_TYPE_DURATION, 0, 0,                                \
            offsetof(struct common_params, name##_ns), #name, default_, range, NULL, "ns", help    \
    }

static const struct gb_option options[] = {
    GB_CHOICE(struct common_params, cache, "warm", cache_words,
              "Whether the device's caches are flushed before every sample"),
    GB_CHOICE(struct common_params, launch, "auto", launch_words,
              "How samples are launched: each in the stream, or all from one captured graph; auto: "
              "one kernel as a graph, several in the stream"),
    GB_CHOICE(struct common_params, pace, "free", pace_words,
              "How power and heat are handled: free: not at all; burst: the device idles after "
              "each sample, so that it is not throttled; sustained: it is loaded until clock, "
              "power and times have settled"),
    TIME(pace_limit, "20 s", "0:inf",
         "Time limit of each of these: finding the gap of burst, settling for sustained, waiting "
         "for cool_below and clock_at_least"),
    GB_FLOAT(struct common_params, cool_below, "0", "0:1000", "C",
             "Before the case, the device idles until it is cooler than this; 0: no wait"),
    GB_FLOAT(struct common_params, clock_at_least, "0", "0:1e12", "Hz",
             "Before the case, the device idles until its clock is at least this, such as 1980M; "
             "0: no wait"),
    GB_STRING(struct common_params, clock, "auto",
              "The clock that times samples, one of those that the device offers; auto: its best"),
    GB_CHOICE(struct common_params, count_by, "auto", count_words,
              "With clock = instructions, what counts them: perf, the processor (perf events); "
              "step, a trap after each; valgrind, for programs (command); auto: the first of these "
              "that is available"),
    GB_INT(struct common_params, count_limit, "200000", "1:1000000000000", "instructions",
           "The most instructions that are counted by single steps of about 10 us each"),
    GB_STRING(struct common_params, measure, MEASURE_TIME,
              "What samples are: time, as read on the clock; or a series that the benchmark "
              "records itself, by its name, such as latency"),
    GB_INT(
        struct common_params, iterations, "0", "0:1000000000000", NULL,
        "Runs of the code in one sample; 0 or auto: as many as the clock needs, but 1 with cache "
        "= cold and of benchmarks that can do no more"),
    GB_INT(struct common_params, threads, "1", "1:1024", "threads",
           "Threads that run the code at the same time, where the benchmark and the device (a CPU) "
           "allow it; an iteration is one of each thread, and rates are totals over all threads"),
    TIME(warmup, "0", "0:1000 h",
         "How long the code is run untimed before the first sample; at least once"),
    GB_INT(struct common_params, min_samples, "0", "0:1000000000", "samples",
           "Samples that are always taken, unless max_time ends the case first; 0: 10, or fewer if "
           "max_samples or the policy fixed asks for fewer"),
    GB_INT(struct common_params, max_samples, "0", "0:1000000000", "samples",
           "Samples after which measuring always ends; 0: 1000000, or more if min_samples or the "
           "policy fixed asks for more"),
    TIME(max_time, "15 s", "0:inf", "Time after which no further sample is started"),
    TIME(max_time_undecided, "0", "0:inf",
         "Time up to which measuring continues past max_time while min_samples are missing, or the "
         "policy says what more samples would decide; 0: it does not"),
    TIME(time_limit, "60 s", "1 ms:inf", "Time after which a case that has not ended is killed"),
    GB_INT(struct common_params, rounds, "0", "0:10000", NULL,
           "How many times the case is created and measured, in turn with the other cases; 0 or "
           "auto: eight times or more under a policy that certifies, until its precision holds "
           "from one visit to the next; otherwise once"),
    GB_FLOAT(struct common_params, margin, "0", "0:99.9%", NULL,
             "Differences up to this do not make the case slower or faster in compare, ab and log; "
             "0: their --margin"),
    GB_CHOICE(
        struct common_params, isolate, "auto", isolate_words,
        "Whether each visit of the case has a fresh process; auto: as many of its visits as a "
        "tenth of the run's time allows; no: none has but the first"),
    GB_BOOL(struct common_params, exclusive, "no",
            "Whether nothing else is measured at the same time, on any device"),
    GB_STRING(struct common_params, counters, "no",
              "Whether hardware counters are read in passes after the samples: no, yes (FLOP and "
              "bytes), or counters by their names; see gbrun list counters"),
    GB_BOOL(struct common_params, breakdown, "no",
            "Whether each kernel, copy and fill of a sample is timed by itself, after the samples"),
    GB_CHOICE(struct common_params, verify, "auto", verify_words,
              "When results are verified: end: after the last sample; auto: also after samples at "
              "random moments, on renewed inputs and outputs, whose times bound those of the "
              "others; strict: after samples that are all of this kind; judge: the same in a "
              "separate process, for code that is not trusted"),
    GB_INT(
        struct common_params, inputs, "0", "0:64", NULL,
        "Number of input sets from which renewed samples draw at random; 0: a new set each time"),
    GB_INT(struct common_params, seed, SEED_OF_RUN_TEXT, "-2:9223372036854775807", NULL,
           "Seed of the case's random numbers; -1 or run: the run's seed; -2 or each round: the "
           "run's seed in the first round, a different one in each further round"),
    CHECK(GB_TYPE_FLOAT, floor, "0.001", "0:1e300", 0, NULL,
          "References up to this magnitude do not count for check.rel_floor"),
    CHECK(GB_TYPE_FLOAT, atol, "1e-8", "0:1e300", 0, NULL,
          "Absolute difference allowed by check.allclose"),
    CHECK(GB_TYPE_FLOAT, rtol, "1e-5", "0:1e300", 0, NULL,
          "Difference relative to the reference allowed by check.allclose, added to it"),
    CHECK(GB_TYPE_BOOL, details, "no", NULL, 0, NULL,
          "Whether to compute the metrics that need a second pass over the values (check.allclose "
          "and those after it) even if none has a tolerance"),
    CHECK(GB_TYPE_INT, worst, "0", "0:1000", 0, NULL,
          "Number of values with the largest errors, in units in the last place, to record with "
          "their indices"),
    CHECK(GB_TYPE_FLOAT, safety, "0", "0:1e9", 0, NULL,
          "Safety factor in the tolerance of check.bound; 0: the benchmark's"),
    CHECK(GB_TYPE_CHOICE, bound_kind, "auto", NULL, sizeof bound_words / sizeof *bound_words,
          bound_words,
          "What check.bound assumes about rounding errors: the worst case, or random errors; auto: "
          "random if sums are rounded to nearest and products have both signs"),
    CHECK(GB_TYPE_BOOL, allow_overflow, "no", NULL, 0, NULL,
          "Whether a result may pass although more than 1 % of its values overflowed or should be "
          "NaN"),
    CHECK(GB_TYPE_STRING, dump, "", NULL, 0, NULL,
          "Folder (relative to the INI file) for the output and the reference of a comparison that "
          "fails, as .npy files"),
    CHECK(GB_TYPE_BOOL, dump_always, "no", NULL, 0, NULL,
          "Whether check.dump also writes comparisons that pass"),
};

struct option_table common_options(void)
{
    return (struct option_table){options, sizeof options / sizeof options[0]};
}

const char *cache_word(int32_t cache)
{
    return cache_words[cache];
}

const char *launch_word(int32_t launch)
{
    return launch_words[launch];
}

const char *count_word(uint32_t means)
{
    return count_words[means];
}

const char *pace_word(int32_t pace)
{
    return pace_words[pace];
}

const char *verify_word(int32_t verify)
{
    return verify_words[verify];
}

bool bench_case_is_counted(const struct bench_case *bench_case)
{
    return text_equal(bench_case->common.clock, CLOCK_INSTRUCTIONS);
}

const char *counts_expected(const struct common_params *common)
{
    return !text_equal(common->measure, MEASURE_TIME) ? "measure = time"
           : common->verify == VERIFY_STRICT || common->verify == VERIFY_JUDGE
               ? "verify = auto or end"
           : common->pace != PACE_FREE ? "pace = free"
           : common->warmup_ns > 0     ? "warmup = 0, as calls before it are fixed"
                                       : NULL;
}

bool bench_case_repeats(const struct bench_case *bench_case)
{
    const struct common_params *common = &bench_case->common;
    return common->rounds == ROUNDS_AUTO && bench_case->policy->info->flags & PLUGIN_CERTIFIES &&
           !bench_case_is_counted(bench_case) && common->verify != VERIFY_JUDGE &&
           common->pace != PACE_SUSTAINED && text_equal(common->measure, MEASURE_TIME);
}

void bench_case_set_round(struct bench_case *bench_case, uint64_t round)
{
    bench_case->is_part = bench_case_repeats(bench_case);
    if (bench_case->is_part) { /* what does not vary */
        bench_case->common.breakdown = false;
        bench_case->common.counters = "no";
    }
    if (bench_case->common.seed == SEED_EACH_ROUND)
        bench_case->seed = random_bits(bench_case->seed, SEED_STREAM, round) >>
                           1; /* to be stored as a signed number */
}

int64_t bench_case_rounds(const struct bench_case *bench_case)
{
    const int64_t rounds = bench_case->common.rounds;
    return rounds != ROUNDS_AUTO ? rounds : 1;
}

struct plugin_settings bench_case_plugin(const struct bench_case *bench_case)
{
    return (struct plugin_settings){.name = bench_case->bench,
                                    .info = bench_case->info,
                                    .settings = bench_case->settings,
                                    .n_settings = bench_case->n_settings};
}

bool renewal_refused(const struct common_params *common, const char *bench, struct text *ret_why)
{
    if (common->verify == VERIFY_STRICT)
        text_printf(ret_why,
                    "verify = strict: benchmark %s cannot renew inputs and outputs: expected "
                    "verify = end",
                    bench);
    else if (common->inputs > 1)
        text_printf(ret_why,
                    "inputs = %lld: benchmark %s has one set of inputs: expected inputs = 1",
                    (long long)common->inputs, bench);
    return common->verify == VERIFY_STRICT || common->inputs > 1;
}

void device_choice_text(const struct device_choice *choice, struct text *out)
{
    text_add(out, choice->settings ? choice->settings->name : "auto");
    if (choice->settings && choice->is_all)
        text_add(out, ":all");
    else if (choice->uuid)
        text_printf(out, ":%s", choice->uuid);
    else if (choice->index != DEVICE_INDEX_ANY)
        text_printf(out, ":%d", choice->index);
}

ORDER_BY(compare_parameters, struct parameter *const, strcmp((*x)->name, (*y)->name))

static void add_parameters(const struct bench_case *bench_case, struct sha256 *hash)
{
    CLEANUP(free_pointer)
    const struct parameter **sorted = memory_allocate(bench_case->n_parameters * sizeof *sorted);
    size_t n = 0;
    for (size_t i = 0; i < bench_case->n_parameters; i++)
        if (bench_case->parameters[i].is_identity)
            sorted[n++] = &bench_case->parameters[i];
    qsort(sorted, n, sizeof *sorted, compare_parameters);
    for (size_t i = 0; i < n; i++) {
        sha256_add_text(hash, sorted[i]->name);
        sha256_add_text(hash, sorted[i]->filled ? sorted[i]->filled : sorted[i]->value.text);
    }
    sha256_add_text(hash, "");
}

static void add_environment(const struct bench_case *bench_case, struct sha256 *hash)
{
    for (size_t i = 0; i < bench_case->n_environment; i++) {
        sha256_add_text(hash, bench_case->environment[i].name);
        sha256_add_text(hash, bench_case->environment[i].value);
    }
    sha256_add_text(hash, "");
}

static void add_unless_usual(const char *name, const char *value, const char *usual,
                             struct sha256 *hash)
{
    if (text_equal(value, usual))
        return;
    sha256_add_text(hash, name);
    sha256_add_text(hash, value);
}

void bench_case_uid(const struct bench_case *bench_case, const char *device_model,
                    char ret_uid[CASE_UID_TEXT])
{
    const struct common_params *common = &bench_case->common;
    struct sha256 hash;
    uint8_t digest[SHA256_BYTES];
    char digits[SHA256_TEXT], iterations[24], threads[24];
    snprintf(iterations, sizeof iterations, "%lld", (long long)common->iterations);
    snprintf(threads, sizeof threads, "%lld", (long long)common->threads);
    sha256_begin(&hash);
    sha256_add_text(&hash, "gbrun case 1");
    sha256_add_text(&hash, bench_case->info->plugin.id);
    add_parameters(bench_case, &hash);
    sha256_add_text(&hash, cache_word(common->cache));
    sha256_add_text(&hash, common->clock);
    sha256_add_text(&hash, iterations);
    add_unless_usual("launch", launch_word(common->launch), "auto", &hash);
    add_unless_usual("pace", pace_word(common->pace), "free", &hash);
    add_unless_usual("measure", common->measure, MEASURE_TIME, &hash);
    add_unless_usual("threads", threads, "1", &hash);
    add_environment(bench_case, &hash);
    sha256_add_text(&hash, device_model ? device_model : "");
    sha256_end(&hash, digest);
    sha256_text(digest, digits);
    memcpy(ret_uid, digits, CASE_UID_TEXT - 1);
    ret_uid[CASE_UID_TEXT - 1] = 0;
}

void bench_case_label(const struct bench_case *bench_case, struct text *out)
{
    text_add(out, bench_case->bench);
    for (size_t i = 0; i < bench_case->n_parameters; i++) {
        const struct parameter *parameter = &bench_case->parameters[i];
        if (parameter->is_axis)
            text_add_setting(out, parameter->name, parameter->value.text);
    }
}

char **environment_make(const struct environment_variable *variables, size_t n)
{
    size_t n_here = 0, n_bytes = 0;
    while (environ[n_here])
        n_here++;
    for (size_t i = 0; i < n; i++)
        n_bytes += strlen(variables[i].name) + strlen(variables[i].value) + 2;
    char **environment = memory_allocate((n_here + n + 1) * sizeof *environment + n_bytes);
    char *text = (char *)(environment + n_here + n + 1);
    size_t kept = 0;
    for (size_t i = 0; i < n_here; i++) {
        bool replaced = false;
        for (size_t j = 0; j < n && !replaced; j++) {
            size_t length = strlen(variables[j].name);
            replaced = strncmp(environ[i], variables[j].name, length) == 0 &&
                       environ[i][length] == '=';
        }
        if (!replaced)
            environment[kept++] = environ[i];
    }
    for (size_t i = 0; i < n; i++) {
        environment[kept++] = text;
        text = stpcpy(stpcpy(stpcpy(text, variables[i].name), "="), variables[i].value) + 1;
    }
    environment[kept] = NULL;
    return environment;
}
