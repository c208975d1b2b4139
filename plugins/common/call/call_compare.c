/* call_compare.c - see call_compare.h. Plugin side. */
#include "call_compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* n elements as doubles: by the host where it knows the format. */
static void load_values(const struct gb_formats *formats, enum type_id type,
                        const unsigned char *elements, uint64_t n, double *ret)
{
    const struct type_info *info = type_info(type);
    if (info->format != 0)
        formats->load(info->format, elements, 0, n, ret);
    else
        for (uint64_t i = 0; i < n; i++)
            ret[i] = element_value(type, elements + i * info->bytes);
}

static void load_wanted(const struct gb_formats *formats, const struct comparison *comparison,
                        double *ret)
{
    if (comparison->constant == NULL)
        load_values(formats, comparison->wanted_type, comparison->wanted, comparison->n, ret);
    else
        for (uint64_t i = 0; i < comparison->n; i++)
            ret[i] = comparison->constant->value;
}

/* Numbers that live as long as a comparison; NULL: there is no memory. */
static void *take_numbers(uint64_t n)
{
    return n <= SIZE_MAX / sizeof(double) ? malloc((n > 0 ? n : 1) * sizeof(double)) : NULL;
}

/* The constant as often as there are elements. */
static uint64_t *exact_reference(const struct comparison *comparison)
{
    uint64_t *wanted = take_numbers(comparison->n);
    for (uint64_t i = 0; wanted != NULL && i < comparison->n; i++)
        number_store(comparison->constant, comparison->type, &wanted[i]);
    return wanted;
}

/* Integers that are compared with numbers with a fraction must not have these rounded away. */
static bool has_fractions(const struct comparison *comparison)
{
    return type_info(comparison->type)->kind == KIND_INTEGER && comparison->constant == NULL &&
           type_info(comparison->wanted_type)->kind != KIND_INTEGER;
}

/* What a comparison takes besides; freed with it. */
struct scratch {
    double *reference, *output;
    uint64_t *exact; /* not all integers of 64 bits have a double */
};

static int32_t compare_with(const struct gb_host *host, const struct comparison *comparison,
                            struct scratch *scratch)
{
    const struct type_info *info = type_info(comparison->type);
    const struct gb_formats *formats = host->extension(host, GB_FORMATS);
    if (formats == NULL)
        return host->fail(host, "this gbrun has no " GB_FORMATS ": comparing needs a newer one");
    struct gb_check check = {
        .size = sizeof check,
        .format = info->format,
        .name = comparison->name,
        .n = comparison->n,
        .output = comparison->output,
        .reference = scratch->reference,
        .flags = info->kind == KIND_INTEGER ? GB_CHECK_EXACT : 0u,
        .default_metric = comparison->n == 1 ? "rel" : "rms",
        .default_tolerance = ldexp(8.0, -type_digits(comparison->type)),
    };
    load_wanted(formats, comparison, scratch->reference);
    if (comparison->n == 1 && scratch->reference[0] == 0.0) {
        check.default_metric = "abs";
        check.default_tolerance = 0;
    }
    if (comparison->constant != NULL && !isfinite(comparison->constant->value))
        check.flags |= GB_CHECK_ALLOW_OVERFLOW;
    if (info->kind == KIND_INTEGER && info->bytes == 8 &&
        comparison->wanted_type == comparison->type) {
        scratch->exact = comparison->constant != NULL ? exact_reference(comparison) : NULL;
        check.reference_exact = comparison->constant != NULL ? (const void *)scratch->exact
                                                             : comparison->wanted;
        if (check.reference_exact == NULL)
            return GB_NO_MEMORY;
    }
    /* gb_check knows no integers of 16 bits. */
    if (has_fractions(comparison) || check.format == 0) {
        scratch->output = take_numbers(comparison->n);
        if (scratch->output == NULL)
            return GB_NO_MEMORY;
        load_values(formats, comparison->type, comparison->output, comparison->n, scratch->output);
        check.format = GB_F64;
        check.output = scratch->output;
    }
    return host->check(host, &check);
}

int32_t compare(const struct gb_host *host, const struct comparison *comparison)
{
    struct scratch scratch = {.reference = take_numbers(comparison->n)};
    const int32_t status = scratch.reference != NULL ? compare_with(host, comparison, &scratch)
                                                     : GB_NO_MEMORY;
    free(scratch.reference);
    free(scratch.output);
    free(scratch.exact);
    return status;
}

int32_t compare_outcome(const struct gb_host *host, const char *name, const char *wrong)
{
    static const struct number none = {.is_integer = true};
    const int64_t difference = wrong != NULL;
    const struct comparison comparison = {.name = name,
                                          .type = TYPE_INT64,
                                          .wanted_type = TYPE_INT64,
                                          .n = 1,
                                          .output = (const unsigned char *)&difference,
                                          .constant = &none};
    const int32_t status = compare(host, &comparison);
    if (wrong != NULL)
        host->fail(host, wrong);
    return status;
}

int32_t compare_text(const struct gb_host *host, const char *name, const char *output, size_t room,
                     struct span wanted)
{
    char words[320];
    char *expected = host->allocate(host, wanted.n + 1);
    if (expected == NULL)
        return GB_NO_MEMORY;
    const size_t n = unquote(wanted, expected);
    const size_t length = strnlen(output, room);
    if (length == n && length < room && memcmp(output, expected, n) == 0)
        return compare_outcome(host, name, NULL);
    snprintf(words, sizeof words, "%s is \"%.*s\": expected \"%.100s\"", name,
             (int)(length < 100 ? length : 100), output, expected);
    return compare_outcome(host, name, words);
}

static int32_t compare_buffer(const struct world *world, const struct world *reference,
                              const struct entry *entry)
{
    const struct plan *plan = world->plan;
    const struct buffer *buffer = &entry->value.buffer;
    const struct expectation *expect = &buffer->expect;
    char name[64];
    const void *output = NULL, *wanted = NULL;
    snprintf(name, sizeof name, "arg.%.48s", entry->key);
    struct comparison comparison = {
        .name = name, .type = buffer->element, .wanted_type = buffer->element, .n = buffer->n};
    int32_t status = world_read(world, entry, &output);
    comparison.output = output;
    if (status == GB_OK && expect->kind == EXPECT_TEXT)
        return compare_text(plan->host, name, output, buffer->n, expect->text);
    if (expect->kind == EXPECT_NUMBER)
        comparison.constant = &expect->number;
    else if (status == GB_OK && expect->kind == EXPECT_NAME)
        status = world_read(world, plan_resolve(plan, plan_entry(plan, expect->text)), &wanted);
    else if (status == GB_OK)
        status = world_read(reference, entry, &wanted);
    comparison.wanted = wanted;
    return status == GB_OK ? compare(plan->host, &comparison) : status;
}

/* An input that the function has changed, and the reference has not. */
static int32_t compare_input(const struct world *world, const struct world *reference,
                             const struct entry *entry)
{
    char name[64], words[128];
    const void *input = world_made(world, entry)->memory;
    if (memcmp(input, world_made(reference, entry)->memory,
               (size_t)buffer_bytes(&entry->value.buffer)) == 0)
        return GB_OK;
    snprintf(name, sizeof name, "arg.%.48s", entry->key);
    snprintf(words, sizeof words, "%s was written to: expected that it has `out` then", name);
    return compare_outcome(world->plan->host, name, words);
}

static bool is_input(const struct value *value)
{
    return value->kind == VALUE_BUFFER && value->buffer.fill != FILL_NONE && !value->buffer.is_out;
}

int32_t compare_buffers(const struct world *world, const struct world *reference)
{
    const struct plan *plan = world->plan;
    int32_t first = GB_OK;
    for (size_t i = 0; i < plan->n_entries; i++) {
        const struct value *value = &plan->entries[i].value;
        const bool is_compared = value->kind == VALUE_BUFFER &&
                                 (value->buffer.expect.kind != EXPECT_NONE ||
                                  (value->buffer.is_out && reference != NULL));
        const int32_t status = is_compared ? compare_buffer(world, reference, &plan->entries[i])
                                           : GB_OK;
        first = first == GB_OK ? status : first;
        if (first == GB_OK && reference != NULL && world->is_read && is_input(value))
            first = compare_input(world, reference, &plan->entries[i]);
    }
    return first;
}
