/* settings_select.c - which benchmarks and which of their cases are run: `benchmarks` and `where`
 * of [gbrun]. */
#include "core/config/settings_internal.h"

#include "core/base/text.h"
#include "core/config/expression_tokens.h"

#include <fnmatch.h>
#include <string.h>
#include <strings.h>

/* ---- benchmarks ---- */

static const struct ini_entry *find_entry(const struct ini_section *section, const char *key)
{
    for (size_t i = 0; section && i < section->n; i++)
        if (text_equal(section->entries[i].key, key))
            return &section->entries[i];
    return NULL;
}

static void no_such_benchmark(const struct parser *parser, const char *pattern,
                              struct origin origin)
{
    const struct settings *settings = parser->settings;
    struct name_list names = {ARENA_ARRAY(parser->arena, const char *, settings->n_benches), 0};
    for (size_t i = 0; i < settings->n_benches; i++)
        names.items[names.n++] = settings->benches[i].name;
    const char *nearest = name_nearest(&names, pattern);
    if (nearest || strpbrk(pattern, "*?["))
        error_list_add(parser->errors, origin, "there is no [bench %s]%s%s%s", pattern,
                       DID_YOU_MEAN(nearest, ": no name of a benchmark matches"));
    else
        error_list_add(parser->errors, origin,
                       "there is no [bench %s]: expected the name of a benchmark of the "
                       "configuration, or a pattern such as 'gemm*'",
                       pattern);
}

void settings_select(const struct parser *parser)
{
    struct settings *settings = parser->settings;
    const struct ini_entry *entry = find_entry(settings->run_section, "benchmarks");
    struct text_list patterns = {0};
    if (!entry || settings->n_benches == 0 ||
        text_split(entry->value, ',', entry->value_origin, parser->arena, &patterns, NULL) !=
            GB_OK ||
        patterns.n == 0)
        return; /* a text that is no list has been reported */
    for (size_t i = 0; i < settings->n_benches; i++)
        settings->benches[i].is_left_out = true;
    for (size_t i = 0; i < patterns.n; i++) {
        bool is_there = false;
        for (size_t j = 0; j < settings->n_benches; j++)
            if (fnmatch(patterns.items[i], settings->benches[j].name, 0) == 0) {
                settings->benches[j].is_left_out = false;
                is_there = true;
            }
        if (!is_there)
            no_such_benchmark(parser, patterns.items[i], patterns.origins[i]);
    }
}

/* ---- where ---- */

static bool has_name(const struct bench_section *bench, const char *name)
{
    for (size_t i = 0; i < bench->n_slots; i++)
        if (strcasecmp(bench->slots[i].name, name) == 0)
            return true;
    return false;
}

static bool is_run(const struct bench_section *bench)
{
    return !bench->is_left_out && bench->info;
}

/* Names of the expression that some other benchmark has are there, without a value. */
static void add_absent(const struct resolver *resolver, struct bench_section *bench,
                       const struct expression_tokens *tokens)
{
    const struct settings *settings = resolver->settings;
    struct slot *slots = ARENA_ARRAY(resolver->arena, struct slot, bench->n_slots + tokens->n);
    memcpy(slots, bench->slots, bench->n_slots * sizeof *slots);
    bench->slots = slots;
    for (size_t i = 0; i < tokens->n; i++) {
        const char *name = tokens->items[i].name;
        bool is_elsewhere = false;
        for (size_t j = 0; name && j < settings->n_benches && !is_elsewhere; j++)
            is_elsewhere = is_run(&settings->benches[j]) && has_name(&settings->benches[j], name);
        if (is_elsewhere && !has_name(bench, name))
            slots[bench->n_slots++] = (struct slot){.kind = SLOT_ABSENT, .name = name};
    }
}

static bool add_where(const struct resolver *resolver, struct bench_section *bench,
                      const struct expression_tokens *tokens)
{
    const struct key *key = resolver->settings->where;
    struct expression *expression;
    struct gb_error error;
    add_absent(resolver, bench, tokens);
    const struct expression_column *columns = bench_columns(bench, resolver->arena);
    if (expression_compile(resolver->engine, key->entry->value, key->entry->value_origin, columns,
                           bench->n_slots, &expression, &error) != GB_OK) {
        if (!key->entry->setting) /* else the place says so */
            error_prefix(&error, "where: ");
        settings_report(resolver->errors, &error);
        return false;
    }
    bench_add_filter(bench, key, expression);
    expression_free(expression);
    return true;
}

void resolve_where(const struct resolver *resolver)
{
    const struct settings *settings = resolver->settings;
    struct expression_tokens tokens = {0};
    size_t at;
    if (!settings->where)
        return;
    /* What is wrong with the tokens is found again by whoever compiles them. */
    expression_tokens_read(settings->where->entry->value, resolver->arena, &tokens, &at);
    for (size_t i = 0; i < settings->n_benches; i++)
        if (is_run(&settings->benches[i]) && !add_where(resolver, &settings->benches[i], &tokens))
            return; /* others would say the same */
}
