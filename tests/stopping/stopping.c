/*
 * stopping.c - proves stopping policies: runs them, as modules and through the code that measures
 * with them, on generated traces and on recorded ones, and judges what they say by what is true.
 * Exit code 1 if a gate fails, 2 for a usage error.
 */
#include "tests/stopping/stopping_gates.h"
#include "tests/stopping/visits.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char *const usage_text =
    "usage: stopping [OPTION...] [--recorded FILE...]\n"
    "\n"
    "Stopping policies on generated traces whose medians are known, or on recorded ones. The "
    "gates\n"
    "judge the first policy, its samples beside those of stdrel; exit code 1 if one fails.\n"
    "\n"
    "  --policy TEXT       a policy and its options, \"steady precision=0.5%\"; may be repeated\n"
    "                      (steady, stdrel, entropy, median_ci; with --quick steady, stdrel)\n"
    "  --replications N    traces of each scenario (2000; with --quick 300)\n"
    "  --seed N            of the traces (1)\n"
    "  --family NAME       only this family of traces; may be repeated\n"
    "  --held-out          also families that no page of the design names\n"
    "  --loaded            of cases that follow others on a device that counts its clock\n"
    "  --quick             fewer policies, scenarios and replications: under a minute\n"
    "  --recorded          operands are results files with long recordings\n"
    "  --visits            whether certificates of steady hold for the next visit: one of a "
    "visit,\n"
    "                      and of all that rounds = auto asks for\n"
    "  --list              print the families\n"
    "  --help              print this\n";

enum { TEXTS_MAX = 64 };

struct texts {
    const char *items[TEXTS_MAX];
    size_t n;
};

static struct texts policy_texts, families, recorded;
static uint64_t n_replications, seed = 1;
static int is_held_out, is_quick, is_recorded, is_list, is_visits, is_loaded;

static const struct option options[] = {
    {"policy", required_argument, NULL, 'p'},   {"replications", required_argument, NULL, 'r'},
    {"seed", required_argument, NULL, 's'},     {"family", required_argument, NULL, 'f'},
    {"held-out", no_argument, &is_held_out, 1}, {"quick", no_argument, &is_quick, 1},
    {"recorded", no_argument, &is_recorded, 1}, {"list", no_argument, &is_list, 1},
    {"visits", no_argument, &is_visits, 1},     {"loaded", no_argument, &is_loaded, 1},
    {"help", no_argument, NULL, 'h'},           {0},
};

static struct arena arena;
static struct stopping_policy policies[TEXTS_MAX + 1];
static struct experiment experiment = {.policies = policies};
static struct gates gates = {.arena = &arena};

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

static void read_options(int argc, char **argv)
{
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'p' || option == 'f')
            add_text(option == 'p' ? &policy_texts : &families, optarg);
        if (option == 'r' || option == 's')
            *(option == 'r' ? &n_replications : &seed) = whole_number(optarg);
        if (option == 'h')
            fputs(usage_text, stdout);
        if (option == 'h' || option == '?')
            exit(option == 'h' ? 0 : 2);
    }
    for (int i = optind; i < argc; i++)
        add_text(&recorded, argv[i]);
    if (recorded.n > 0 && !is_recorded)
        die("\"%s\": files are given after --recorded", recorded.items[0]);
    if (recorded.n == 0 && is_recorded)
        die("%s: expected files of recordings", "--recorded");
    for (size_t i = 0; i < families.n; i++)
        if (!is_visits && !trace_family_named(families.items[i]))
            die("no family \"%s\": --list names them", families.items[i]);
}

/* All of them, and the baseline if it is none of them. */
static void load_policies(void)
{
    static const char *const usual[] = {"steady", "stdrel", "entropy", "median_ci"};
    static const char baseline[] = "stdrel";
    struct gb_error error;
    const size_t n_usual = policy_texts.n > 0 ? 0 : is_quick ? 2 : 4;
    for (size_t i = 0; i < n_usual; i++)
        add_text(&policy_texts, usual[i]);
    const size_t n = policy_texts.n;
    while (experiment.baseline < n &&
           !text_equal(policy_texts.items[experiment.baseline], baseline))
        experiment.baseline++;
    for (size_t i = 0; i < n || i <= experiment.baseline; i++) {
        const char *text = i < n ? policy_texts.items[i] : baseline;
        if (stopping_policy_load(text, &arena, &policies[i], &error) != GB_OK)
            die("%s", error.text);
        experiment.n_policies = i + 1;
    }
}

/* --- output --- */

static void print(struct text *text)
{
    fputs(text_get(text), stdout);
    fflush(stdout);
    text_clear(text);
}

static void print_outcomes(struct text *out)
{
    text_add(out, "\nMedian samples, 95th percentile of the error; how often it is wrong, its "
                  "interval holds; verdicts: in %\n\n");
    table_of_outcomes(&experiment, out);
    print(out);
}

static void gate_of_looks(void)
{
    enum { SAMPLES = 1000000 };
    struct worst_look worst = stopping_looks(&policies[0], SAMPLES, seed);
    gate_add(&gates, "dearest look up to 1 million samples",
             arena_printf(&arena, "at %llu samples, %s; %llu looks", (unsigned long long)worst.n,
                          worst.family ? worst.family : "none", (unsigned long long)worst.n_looks),
             AT_MOST, worst.ns / 1e6, 2, "ms");
    printf("\nThe dearest report of 1 million samples: %.3g ms; all calls: %.3g ns a sample\n",
           worst.report_ns / 1e6, worst.a_sample_ns);
}

static void print_digests(void)
{
    printf("\nThe same traces are to give the same digests in every build: stops, estimates\n\n");
    for (size_t p = 0; p < experiment.n_policies; p++)
        printf("  %-32s %016llx %016llx\n", policies[p].text,
               (unsigned long long)experiment_digest(&experiment, p, false),
               (unsigned long long)experiment_digest(&experiment, p, true));
}

static void run(void)
{
    struct gb_error error;
    if (experiment_run(&experiment, &error) != GB_OK)
        die("%s", error.text);
}

static void run_generated(struct text *out)
{
    int flags = (is_quick ? SCENARIOS_QUICK : 0) | (is_held_out ? SCENARIOS_HELD_OUT : 0);
    experiment.scenarios = scenarios_of(flags, families.items, families.n, &arena,
                                        &experiment.n_scenarios);
    time_t begin = time(NULL);
    run();
    text_printf(out, "%zu scenarios, %llu replications, seed %llu, %zu policies: %.0f s\n",
                experiment.n_scenarios, (unsigned long long)experiment.n_replications,
                (unsigned long long)seed, experiment.n_policies, difftime(time(NULL), begin));
    print_outcomes(out);
    print_digests();
    gates_of(&experiment, 0, &gates);
    gate_add(&gates, "stops that depend on the batches",
             arena_printf(&arena, "of %llu", (unsigned long long)experiment.n_repeated), AT_MOST,
             (double)experiment.n_differing, 0, "");
    gate_of_looks();
}

static bool is_asked_for(const char *name)
{
    bool is_there = families.n == 0;
    for (size_t i = 0; i < families.n; i++)
        is_there |= strcmp(families.items[i], name) == 0;
    return is_there;
}

/* Samples of 1 ms. Visits come in turns with those of many cases, of some, or after each other. */
static void run_visits(void)
{
    static const char *const texts[] = {"steady", "steady precision=0.5%", "steady precision=0.2%"};
    static const double apart_ns[] = {3e9, 1e9, 5e7};
    struct gb_error error;
    const double n = (double)experiment.n_replications;
    printf(
        "certified, false, false of the certified, held by their intervals in %%; samples; time of "
        "one visit\n\n"
        "%-14s %9s %8s  %-33s  %s\n",
        "family", "precision", "apart", "one visit", "rounds = auto, visits");
    for (size_t i = 0; i < n_visit_families * 3 * 3; i++) {
        const struct trace_family *family = &visit_families[i / 9];
        const struct trace_setting setting = {family, 1e6, 6e4};
        if (stopping_policy_load(texts[i / 3 % 3], &arena, &policies[0], &error) != GB_OK)
            die("%s", error.text);
        if (!is_asked_for(family->name))
            continue;
        const struct visits_outcome o = visits_outcome_of(
            &setting, &policies[0], seed, experiment.n_replications, apart_ns[i % 3]);
        const struct visits_count *counts[] = {&o.alone, &o.together};
        printf("%-14s %7.1f %% %6.2f s", family->name, 100 * policies[0].precision,
               1e-9 * apart_ns[i % 3]);
        for (int c = 0; c < 2; c++)
            printf("  %5.1f %5.1f %5.1f %5.1f %7.0f", percent(counts[c]->n_certified, o.n),
                   percent(counts[c]->n_false, o.n),
                   percent(counts[c]->n_false, counts[c]->n_certified),
                   percent(counts[c]->n_held, counts[c]->n_certified), counts[c]->samples / n);
        printf(" %5.2f %5.1f\n", o.together.ns / o.alone.ns, (double)o.n_visits / n);
        fflush(stdout);
    }
}

static void run_recorded(struct text *out)
{
    struct gb_error error;
    if (recordings_find(recorded.items, recorded.n, &arena, &experiment.scenarios,
                        &experiment.n_scenarios, &error) != GB_OK)
        die("%s", error.text);
    run();
    text_printf(out, "%zu kernels, each visit from its beginning and from %d more places\n",
                experiment.n_scenarios, REPLAY_STARTS - 1);
    print_outcomes(out);
    gates_of_recordings(&experiment, 0, &gates);
}

int main(int argc, char **argv)
{
    CLEANUP(text_free) struct text out = {0};
    const long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
    read_options(argc, argv);
    for (size_t i = 0; i < n_trace_families && is_list; i++)
        printf("%-18s %s%s\n", trace_families[i].name, trace_families[i].words,
               trace_families[i].flags & TRACE_HELD_OUT ? " (held out)" : "");
    if (is_list)
        return 0;
    experiment.seed = seed;
    experiment.n_replications = n_replications > 0 ? n_replications : is_quick ? 300 : 2000;
    experiment.n_jobs = n_cpus > 0 ? (uint32_t)n_cpus : 1;
    experiment.is_quick = is_quick != 0;
    experiment.is_loaded = is_loaded != 0;
    if (is_visits) {
        run_visits();
        arena_free(&arena);
        return 0;
    }
    load_policies();
    if (is_recorded)
        run_recorded(&out);
    else
        run_generated(&out);
    text_add(&out, "\nGates: figure, limit\n\n");
    gates_write(&gates, &out);
    text_printf(&out, "\n%zu gates, %zu failed\n", gates.n, gates_failed(&gates));
    print(&out);
    const int code = gates_failed(&gates) ? 1 : 0;
    experiment_free(&experiment);
    arena_free(&arena);
    return code;
}
