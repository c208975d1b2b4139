/* call_compare.c - see call_compare.h. Plugin side. */
#include "call_compare.h"

#include "plugins/common/bench_steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

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
    const struct gb_formats *formats;
    if (host_formats(host, &formats) != GB_OK)
        return GB_FAILED;
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

/* Elements of a buffer that are compared. */
struct part {
    uint64_t first, n;
};

/* All, unless they are those of a judged object on a device, where it is a part drawn at random. */
static struct part part_of(const struct world *world, const struct buffer *buffer)
{
    const uint64_t most = (uint64_t)1 << 18;
    uint64_t chance = 0;
    if (world->queue == NULL || buffer->n <= most ||
        getrandom(&chance, sizeof chance, 0) != sizeof chance)
        return (struct part){0, buffer->n};
    return (struct part){chance % (buffer->n - most + 1), most};
}

/* Such elements in host memory; *ret_owned, freed by the caller, may be NULL. Of a judged object
 * nothing is kept: there are many. */
static int32_t read_part(const struct world *world, const struct entry *entry, struct part part,
                         const void **ret, void **ret_owned)
{
    const struct gb_host *host = world->plan->host;
    const struct buffer *buffer = &entry->value.buffer;
    const size_t bytes = type_info(buffer->element)->bytes;
    const bool is_device = !world->is_on_host && buffer->memory != MEMORY_HOST;
    int32_t status = GB_OK;
    *ret_owned = NULL;
    if (world->queue == NULL || !is_device) {
        status = world_read(world, entry, ret);
        if (status == GB_OK)
            *ret = (const unsigned char *)*ret + part.first * bytes;
        return status;
    }
    *ret = *ret_owned = malloc(part.n * bytes);
    return *ret != NULL ? host->device_copy(host, *ret_owned,
                                            (unsigned char *)world_made(world, entry)->memory +
                                                part.first * bytes,
                                            part.n * bytes)
                        : GB_NO_MEMORY;
}

/* An input that the function has changed, and the reference has not. */
static int32_t compare_input(const struct gb_host *host, const char *name, const void *input,
                             const void *wanted, size_t bytes)
{
    char words[128];
    if (memcmp(input, wanted, bytes) == 0)
        return GB_OK;
    snprintf(words, sizeof words, "%s was written to: expected `out` in its declaration", name);
    return compare_outcome(host, name, words);
}

/* With what is expected, or with the reference's, as an input is. */
static int32_t compare_buffer(const struct world *world, const struct world *reference,
                              const struct entry *entry, bool is_input)
{
    const struct plan *plan = world->plan;
    const struct buffer *buffer = &entry->value.buffer;
    const struct expectation *expect = &buffer->expect;
    const enum expect_kind kind = is_input ? EXPECT_NONE : expect->kind;
    const struct part part = part_of(world, buffer);
    char name[64];
    const void *output = NULL, *wanted = NULL;
    void *owned = NULL, *owned_wanted = NULL;
    snprintf(name, sizeof name, "arg.%.48s", entry->key);
    int32_t status = read_part(world, entry, part, &output, &owned);
    if (status == GB_OK && kind == EXPECT_NAME)
        status = read_part(world, plan_resolve(plan, plan_entry(plan, expect->text)), part, &wanted,
                           &owned_wanted);
    else if (status == GB_OK && kind == EXPECT_NONE)
        status = read_part(reference, entry, part, &wanted, &owned_wanted);
    const struct comparison comparison = {.name = name,
                                          .type = buffer->element,
                                          .wanted_type = buffer->element,
                                          .n = part.n,
                                          .output = output,
                                          .wanted = wanted,
                                          .constant = kind == EXPECT_NUMBER ? &expect->number
                                                                            : NULL};
    if (status == GB_OK)
        status = is_input ? compare_input(plan->host, name, output, wanted,
                                          part.n * type_info(buffer->element)->bytes)
                 : kind == EXPECT_TEXT
                     ? compare_text(plan->host, name, output, part.n, expect->text)
                     : compare(plan->host, &comparison);
    free(owned);
    free(owned_wanted);
    return status;
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
        const int32_t status = is_compared
                                   ? compare_buffer(world, reference, &plan->entries[i], false)
                                   : GB_OK;
        first = first == GB_OK ? status : first;
        if (first == GB_OK && reference != NULL && world->is_read && is_input(value))
            first = compare_buffer(world, reference, &plan->entries[i], true);
    }
    return first;
}
