/*
 * case_fixture.h - the configuration of a test, and its cases as text.
 */
#pragma once

#include "core/base/json_writer.h"
#include "core/base/memory.h"
#include "tests/check_main.h"
#include "tests/config/settings_fixture.h"

static struct loaded loaded;
static struct arena cases; /* in which they are made */

static void forget(void)
{
    unload(&loaded);
    arena_free(&cases);
}

TEST_FIXTURE(NULL, forget)

#define MATMUL "[bench b]\nplugin = matmul\n"
#define TEXTS "[bench b]\nplugin = texts\n"

static inline void load_sound(const char *text)
{
    load(&loaded, text);
    ck_assert_str_eq(text_get(&loaded.words), "");
}

static inline struct bench_case case_of(struct loaded *from, uint64_t i)
{
    struct bench_case made;
    struct gb_error error = {0};
    ck_assert_msg(from->sweep, "%s", text_get(&from->words));
    ck_assert_msg(sweep_case(from->sweep, i, &cases, &made, &error) == GB_OK, "case %d: %s", (int)i,
                  error.text);
    return made;
}

/* Frees the text. */
static inline void expect_text(struct text *found, const char *expected)
{
    ck_assert_str_eq(text_get(found), expected);
    text_free(found);
}

/* Labels of the cases, one a line; or the errors. */
static inline void add_outcome(struct loaded *from, struct text *out)
{
    text_add(out, text_get(&from->words));
    for (uint64_t i = 0; from->sweep && i < sweep_size(from->sweep); i++) {
        struct bench_case made = case_of(from, i);
        bench_case_label(&made, out);
        text_add(out, "\n");
        arena_free(&cases);
    }
}

static inline void expect_outcome(struct loaded *from, const char *expected)
{
    struct text outcome = {0};
    add_outcome(from, &outcome);
    expect_text(&outcome, expected);
}

/* What of common settings tests look at. */
static const struct json_member common_members[] = {
    JSON_MEMBERS(struct common_params, cache, isolate, clock, rounds, iterations, warmup_ns,
                 min_samples, max_samples),
    JSON_MEMBERS(struct common_params, max_time_ns, time_limit_ns, check_floor, check_safety,
                 check_bound_kind, check_allow_overflow, check_dump, check_dump_always)};
enum { N_COMMON_MEMBERS = sizeof common_members / sizeof *common_members };

static inline void add_common(const struct common_params *of, const struct json_member *member,
                              struct text *out)
{
    const void *at = (const char *)of + member->offset;
    if (member->kind == 'i')
        text_printf(out, " %s:%d", member->name, *(const int32_t *)at);
    else if (member->kind == 'I')
        text_printf(out, " %s:%d", member->name, (int)*(const int64_t *)at);
    else if (member->kind == 'd')
        text_printf(out, " %s:%g", member->name, *(const double *)at);
    else
        text_printf(out, " %s:%s", member->name, *(const char *const *)at);
}

/* "rows:64:adiv": its text, and whether it is axis, default, identity, variable. */
static inline void add_parameter(const struct parameter *of, struct text *out)
{
    text_printf(out, " %s:%s:%s%s%s%s", of->name, of->value.text, of->is_axis ? "a" : "",
                of->is_default ? "d" : "", of->is_identity ? "i" : "", of->is_variable ? "v" : "");
    if (of->filled)
        text_printf(out, ":%s", of->filled);
}

static inline void add_device(const struct device_choice *of, struct text *out)
{
    text_printf(out, " %s:%d:%s:%s (", of->settings ? of->settings->name : "any", of->index,
                of->uuid ? of->uuid : "", of->is_all ? "all" : "");
    device_choice_text(of, out);
    text_add(out, ")");
}

static inline void add_fact(const struct bench_case *of, const char *fact, struct text *out)
{
    if (text_equal(fact, "seed"))
        text_printf(out, " %d%s", (int)of->seed,
                    of->common.seed == SEED_EACH_ROUND ? " each round" : "");
    else if (text_equal(fact, "plugin"))
        text_printf(out, " %s", of->info->plugin.id);
    else if (text_equal(fact, "policy"))
        text_printf(out, " %s:%s", of->policy->name, of->policy->info->plugin.id);
    else if (text_equal(fact, "choice"))
        add_device(&of->device, out);
    for (size_t i = 0; text_equal(fact, "policy_settings") && i < of->policy->n_settings; i++)
        text_printf(out, " %s=%s", of->policy->settings[i].key, of->policy->settings[i].text);
    for (size_t i = 0; text_equal(fact, "settings") && i < of->n_settings; i++)
        text_printf(out, " %s=%s", of->settings[i].key, of->settings[i].text);
    for (size_t i = 0; text_equal(fact, "tolerances") && i < of->n_tolerances; i++)
        text_printf(out, " %s:%g", of->tolerances[i].metric, of->tolerances[i].tolerance);
    for (size_t i = 0; text_equal(fact, "environment") && i < of->n_environment; i++)
        text_printf(out, " %s:%s", of->environment[i].name, of->environment[i].value);
    for (size_t i = 0; i < N_COMMON_MEMBERS; i++)
        if (text_equal(fact, "common") || text_equal(fact, common_members[i].name))
            add_common(&of->common, &common_members[i], out);
    for (size_t i = 0; i < of->n_parameters; i++)
        if (text_equal(fact, "parameters") || text_equal(fact, of->parameters[i].name))
            add_parameter(&of->parameters[i], out);
}

/* Facts are words with blanks between. */
static inline void add_facts(const struct bench_case *of, const char *facts, struct text *out)
{
    for (size_t n; *facts; facts += n + (facts[n] == ' ')) {
        n = strcspn(facts, " ");
        add_fact(of, arena_text_n(&cases, facts, n), out);
    }
}
