/*
 * stopping.c - proves stopping policies: runs them, as modules and through the code that measures
 * with them, on generated traces and on recorded ones, and judges what they say by what is true.
 * Exit code 1 if a gate fails, 2 for a usage error.
 */
#include "tests/stopping/stopping_gates.h"
#include "tests/stopping/stopping_looks.h"
#include "tests/stopping/stopping_recordings.h"
#include "tests/stopping/stopping_tables.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char *const usage_text =
    "usage: stopping [OPTION...] [--recorded FILE-OR-FOLDER...]\n"
    "\n"
    "Stopping policies on generated traces whose medians are known, or on recorded ones. The "
    "gates\n"
    "judge the first policy; exit code 1 if one fails.\n"
    "\n"
    "  --policy TEXT       a policy and its options, \"steady precision=0.5%\"; may be repeated\n"
    "                      (steady, stdrel, entropy, median_ci; with --quick steady, stdrel)\n"
    "  --baseline TEXT     whose samples the first one's are counted against (stdrel)\n"
    "  --replications N    traces of each scenario (2000; with --quick 300)\n"
    "  --seed N            of the traces (1)\n"
    "  --jobs N            threads (as many as there are CPUs)\n"
    "  --family NAME       only this family of traces; may be repeated\n"
    "  --held-out          also families that no page of the design names\n"
    "  --quick             fewer policies, scenarios and replications: under a minute\n"
    "  --no-looks          do not time looks\n"
    "  --modules FOLDER    where the policies' modules are (beside this program)\n"
    "  --recorded          operands are results files, or folders of them, with long recordings\n"
    "  --list              print the families\n"
    "  --help              print this\n";

enum { TEXTS_MAX = 64 };

struct texts {
    const char *items[TEXTS_MAX];
    size_t n;
};

struct settings {
    struct texts policies, families, recorded;
    const char *baseline, *modules;
    uint64_t n_replications, seed, n_jobs;
    bool held_out, is_quick, no_looks, is_recorded, list;
};

static const char *const usual[] = {"steady", "stdrel", "entropy", "median_ci"};
enum { USUAL = sizeof usual / sizeof usual[0], USUAL_QUICK = 2 };

static void die(const char *format, const char *value)
{
    fprintf(stderr, "stopping: ");
    fprintf(stderr, format, value);
    fputc('\n', stderr);
    exit(2);
}

static void add_text(struct texts *texts, const char *text)
{
    if (texts->n == TEXTS_MAX)
        die("too many values: %s", text);
    texts->items[texts->n++] = text;
}

static uint64_t whole_number(const char *text)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (end == text || *end || errno || *text == '-')
        die("\"%s\" is not a whole number", text);
    return value;
}

enum { FLAG, NUMBER, TEXT, TEXTS, HELP };

static const struct {
    const char *name;
    int kind;
    size_t at; /* in struct settings */
} options[] = {
    {"policy", TEXTS, offsetof(struct settings, policies)},
    {"family", TEXTS, offsetof(struct settings, families)},
    {"baseline", TEXT, offsetof(struct settings, baseline)},
    {"modules", TEXT, offsetof(struct settings, modules)},
    {"replications", NUMBER, offsetof(struct settings, n_replications)},
    {"seed", NUMBER, offsetof(struct settings, seed)},
    {"jobs", NUMBER, offsetof(struct settings, n_jobs)},
    {"held-out", FLAG, offsetof(struct settings, held_out)},
    {"quick", FLAG, offsetof(struct settings, is_quick)},
    {"no-looks", FLAG, offsetof(struct settings, no_looks)},
    {"recorded", FLAG, offsetof(struct settings, is_recorded)},
    {"list", FLAG, offsetof(struct settings, list)},
    {"help", HELP, 0},
};
enum { OPTIONS = sizeof options / sizeof options[0] };

static void take(struct settings *settings, int option, const char *value)
{
    void *at = (char *)settings + options[option].at;
    switch (options[option].kind) {
    case FLAG:
        *(bool *)at = true;
        break;
    case NUMBER:
        *(uint64_t *)at = whole_number(value);
        break;
    case TEXT:
        *(const char **)at = value;
        break;
    case TEXTS:
        add_text(at, value);
        break;
    default:
        fputs(usage_text, stdout);
        exit(0);
    }
}

static struct settings settings_of(int argc, char **argv)
{
    long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct settings settings = {
        .baseline = "stdrel", .seed = 1, .n_jobs = n_cpus > 0 ? (uint64_t)n_cpus : 1};
    struct option long_options[OPTIONS + 1] = {0};
    int option;
    for (int i = 0; i < OPTIONS; i++)
        long_options[i] = (struct option){
            options[i].name, options[i].kind >= NUMBER && options[i].kind < HELP, NULL, i};
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        if (option == '?')
            exit(2);
        take(&settings, option, optarg);
    }
    for (int i = optind; i < argc; i++)
        add_text(&settings.recorded, argv[i]);
    if (settings.recorded.n > 0 && !settings.is_recorded)
        die("\"%s\": files are given after --recorded", settings.recorded.items[0]);
    if (settings.recorded.n == 0 && settings.is_recorded)
        die("%s: expected files or folders of recordings", "--recorded");
    for (size_t i = 0; i < settings.families.n; i++)
        if (!trace_family_named(settings.families.items[i]))
            die("no family \"%s\": --list names them", settings.families.items[i]);
    if (settings.n_replications == 0)
        settings.n_replications = settings.is_quick ? 300 : 2000;
    if (settings.n_jobs == 0 || settings.n_jobs > 1024)
        die("%s: 1 to 1024 threads", "--jobs");
    size_t n_usual = settings.is_quick ? USUAL_QUICK : USUAL;
    bool has_policies = settings.policies.n > 0;
    for (size_t i = 0; i < n_usual && !has_policies; i++)
        add_text(&settings.policies, usual[i]);
    return settings;
}

static void list_families(void)
{
    for (size_t i = 0; i < n_trace_families; i++)
        printf("%-18s %-12s %s%s\n", trace_families[i].name,
               trace_class_words(trace_families[i].class), trace_families[i].words,
               trace_families[i].flags & TRACE_HELD_OUT ? " (held out)" : "");
}

/* --- policies --- */

static struct stopping_policy policies[TEXTS_MAX + 1];

/* All of them, and the baseline if it is none of them. */
static void load_all(const struct settings *settings, struct arena *arena,
                     struct experiment *experiment)
{
    struct texts texts = settings->policies;
    struct gb_error error;
    size_t n = texts.n;
    while (experiment->baseline < n &&
           !text_equal(texts.items[experiment->baseline], settings->baseline))
        experiment->baseline++;
    for (size_t i = 0; i < n || i <= experiment->baseline; i++) {
        const char *text = i < n ? texts.items[i] : settings->baseline;
        if (stopping_policy_load(text, settings->modules, arena, &policies[i], &error) != GB_OK)
            die("%s", error.text);
        experiment->n_policies = i + 1;
    }
    experiment->policies = policies;
}

/* --- output --- */

static void print(struct text *text)
{
    fputs(text_get(text), stdout);
    fflush(stdout);
    text_clear(text);
}

static void gate_of_looks(uint64_t seed, struct gates *gates)
{
    enum { SAMPLES = 1000000 };
    struct worst_look worst = stopping_looks(&policies[0], SAMPLES, seed);
    gate_add(gates, "dearest look up to 1 million samples",
             arena_printf(gates->arena, "at %llu samples, %s; %llu looks",
                          (unsigned long long)worst.n, worst.family ? worst.family : "none",
                          (unsigned long long)worst.n_looks),
             AT_MOST, worst.ns / 1e6, 2, "ms");
    printf("\nThe dearest report of 1 million samples: %.3g ms; all calls: %.3g ns a sample\n",
           worst.report_ns / 1e6, worst.a_sample_ns);
}

static void print_digests(const struct experiment *experiment)
{
    printf("\nThe same traces are to give the same digests in every build: stops, estimates\n\n");
    for (size_t p = 0; p < experiment->n_policies; p++)
        printf("  %-32s %016llx %016llx\n", experiment->policies[p].text,
               (unsigned long long)experiment_digest(experiment, p, false),
               (unsigned long long)experiment_digest(experiment, p, true));
}

static int conclude(const struct gates *gates)
{
    CLEANUP(text_free) struct text out = {0};
    text_add(&out, "\nGates: figure, limit\n\n");
    gates_write(gates, &out);
    text_printf(&out, "\n%zu gates, %zu failed\n", gates->n, gates_failed(gates));
    print(&out);
    return gates_failed(gates) ? 1 : 0;
}

static void run(struct experiment *experiment)
{
    struct gb_error error;
    if (experiment_run(experiment, &error) != GB_OK)
        die("%s", error.text);
}

static int run_generated(const struct settings *settings, struct experiment *experiment,
                         struct arena *arena)
{
    CLEANUP(text_free) struct text out = {0};
    struct gates gates = {.arena = arena};
    int flags = (settings->is_quick ? SCENARIOS_QUICK : 0) |
                (settings->held_out ? SCENARIOS_HELD_OUT : 0);
    experiment->scenarios = scenarios_of(flags, settings->families.items, settings->families.n,
                                         arena, &experiment->n_scenarios);
    time_t begin = time(NULL);
    run(experiment);
    text_printf(&out,
                "%zu scenarios, %llu replications, seed %llu, %zu policies, %llu threads: %.0f s\n",
                experiment->n_scenarios, (unsigned long long)experiment->n_replications,
                (unsigned long long)experiment->seed, experiment->n_policies,
                (unsigned long long)settings->n_jobs, difftime(time(NULL), begin));
    table_of_policies(experiment, &out);
    table_of_verdicts(experiment, 0, &out);
    table_of_rounds(experiment, 0, &out);
    print(&out);
    print_digests(experiment);
    gates_of(experiment, 0, &gates);
    gate_add(&gates, "stops that depend on the batches",
             arena_printf(arena, "of %llu", (unsigned long long)experiment->n_repeated), AT_MOST,
             (double)experiment->n_differing, 0, "");
    if (!settings->no_looks)
        gate_of_looks(settings->seed, &gates);
    return conclude(&gates);
}

static int run_recorded(const struct settings *settings, struct experiment *experiment,
                        struct arena *arena)
{
    CLEANUP(text_free) struct text out = {0};
    struct gates gates = {.arena = arena};
    struct gb_error error;
    if (recordings_find(settings->recorded.items, settings->recorded.n, arena,
                        &experiment->scenarios, &experiment->n_scenarios, &error) != GB_OK)
        die("%s", error.text);
    run(experiment);
    text_printf(
        &out,
        "%zu kernels, each visit from its beginning and from %d more places; error: 95th "
        "percentile; shares in %%;\nsamples that the baseline takes: how many are worth one "
        "independent one, and would be needed to know\n\n",
        experiment->n_scenarios, REPLAY_STARTS - 1);
    table_of_recordings(experiment, &out);
    print(&out);
    gates_of_recordings(experiment, 0, &gates);
    return conclude(&gates);
}

int main(int argc, char **argv)
{
    struct settings settings = settings_of(argc, argv);
    struct arena arena = {0};
    if (settings.list) {
        list_families();
        return 0;
    }
    struct experiment experiment = {.n_replications = settings.n_replications,
                                    .seed = settings.seed,
                                    .n_jobs = (uint32_t)settings.n_jobs,
                                    .is_quick = settings.is_quick};
    load_all(&settings, &arena, &experiment);
    int code = settings.is_recorded ? run_recorded(&settings, &experiment, &arena)
                                    : run_generated(&settings, &experiment, &arena);
    experiment_free(&experiment);
    arena_free(&arena);
    return code;
}
