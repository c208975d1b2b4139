/* verify.c - the results of a call compared with what was expected of them. Plugin side. */
#include "call.h"
#include "plugins/common/call/call_compare.h"

#include <stdio.h>
#include <string.h>

enum { WORDS_BYTES = 320 };

/* ---- what was returned ---- */

static int32_t check_address(const struct call_bench *bench, const struct raw *result)
{
    const struct expectation *expect = &bench->plan.expect;
    const struct entry *entry = plan_entry(&bench->plan, expect->text);
    uintptr_t address, wanted = 0;
    char words[WORDS_BYTES];
    memcpy(&address, result->bytes, sizeof address);
    if (entry != NULL) {
        const struct type pointer = {.id = TYPE_POINTER};
        struct raw value;
        struct world world = bench->world;
        const int32_t status = world_argument(&world, entry, &pointer, &value);
        if (status != GB_OK)
            return status;
        memcpy(&wanted, value.bytes, sizeof wanted);
    }
    if (address == wanted)
        return compare_outcome(bench->host, "return", NULL);
    snprintf(words, sizeof words, "the function returned %#jx: expected %.*s, %#jx",
             (uintmax_t)address, (int)expect->text.n, expect->text.text, (uintmax_t)wanted);
    return compare_outcome(bench->host, "return", words);
}

/* Of a struct each member; wanted NULL: against what is expected. */
static int32_t check_members(const struct call_bench *bench, const struct raw *wanted)
{
    const struct type *type = &bench->plan.routine.signature.result;
    const struct value *expected = &bench->plan.expected_struct;
    int32_t first = GB_OK;
    for (size_t i = 0; i < type->n_members; i++) {
        char name[32];
        snprintf(name, sizeof name, "return.%zu", i + 1);
        const struct comparison comparison = {
            .name = name,
            .type = type->members[i],
            .wanted_type = type->members[i],
            .n = 1,
            .output = bench->invocation.result.bytes + type->offsets[i],
            .wanted = wanted != NULL ? wanted->bytes + type->offsets[i] : NULL,
            .constant = wanted != NULL ? NULL : &expected->numbers[i]};
        const int32_t status = type_info(type->members[i])->kind == KIND_POINTER
                                   ? GB_OK
                                   : compare(bench->host, &comparison);
        first = first == GB_OK ? status : first;
    }
    return first;
}

static int32_t check_return(const struct call_bench *bench, const struct raw *reference)
{
    const struct type *type = &bench->plan.routine.signature.result;
    const struct expectation *expect = &bench->plan.expect;
    const struct raw *result = &bench->invocation.result;
    struct comparison comparison = {.name = "return",
                                    .type = type->id,
                                    .wanted_type = type->id,
                                    .n = 1,
                                    .output = result->bytes};
    const char *text;
    if (bench->plan.expected_struct.n > 0)
        return check_members(bench, NULL);
    if (type->id == TYPE_STRUCT)
        return plan_compares_structs(&bench->plan) ? check_members(bench, reference) : GB_OK;
    switch (expect->kind) {
    case EXPECT_TEXT:
        memcpy(&text, result->bytes, sizeof text);
        if (text == NULL)
            return compare_outcome(bench->host, "return",
                                   "the function returned null: expected a text");
        return compare_text(bench->host, "return", text, SIZE_MAX, expect->text);
    case EXPECT_NAME:
        return check_address(bench, result);
    case EXPECT_NUMBER:
        comparison.constant = &expect->number;
        return compare(bench->host, &comparison);
    case EXPECT_NONE:
        break;
    }
    if (reference == NULL)
        return GB_OK;
    comparison.wanted = reference->bytes;
    comparison.wanted_type = bench->plan.reference.signature.result.id;
    return compare(bench->host, &comparison);
}

static bool returns_number(const struct signature *signature)
{
    const enum type_kind kind = type_kind(&signature->result);
    return kind == KIND_INTEGER || kind == KIND_FLOAT;
}

static bool compares_results(const struct plan *plan)
{
    return plan_compares_structs(plan) ||
           (!plan->has_ok && plan->expect.kind == EXPECT_NONE &&
            returns_number(&plan->routine.signature) && returns_number(&plan->reference.signature));
}

/* ---- the whole ---- */

/* Made, or as it was made. */
static int32_t reference_world(struct call_bench *bench)
{
    struct world *world = &bench->reference_world;
    if (bench->has_reference_world)
        return world_refresh(world, bench->world.set);
    *world = bench->world;
    world->library = bench->linkage.reference_library;
    world->is_on_host = bench->plan.params->reference_memory == REFERENCE_HOST;
    const int32_t status = world_new(&bench->plan, world);
    bench->has_reference_world = status == GB_OK;
    return status;
}

static int32_t call_reference(struct call_bench *bench)
{
    struct invocation *call = &bench->scratch;
    struct world *world = &bench->reference_world;
    int32_t status = reference_world(bench);
    if (status == GB_OK)
        status = invocation_bind(world, &bench->plan.reference, bench->linkage.reference, call);
    if (status == GB_OK)
        status = world_complete(world);
    if (status != GB_OK)
        return status;
    invocation_run(call, 1);
    return wait_for_device(bench);
}

/* What the timed calls left is compared; where buffers are restored, what one more call leaves. */
static int32_t call_once_more(struct call_bench *bench)
{
    int32_t status = world_restores(&bench->plan) ? world_restore(&bench->world) : GB_OK;
    if (status == GB_OK && world_restores(&bench->plan))
        invocation_run(&bench->invocation, 1);
    return status == GB_OK ? wait_for_device(bench) : status;
}

int32_t call_verify(void *object, const struct gb_queue *queue)
{
    struct call_bench *bench = object;
    const struct plan *plan = &bench->plan;
    const struct raw *returned = NULL;
    (void)queue;
    int32_t status = call_once_more(bench);
    if (status == GB_OK && plan->has_reference) {
        status = call_reference(bench);
        returned = compares_results(plan) ? &bench->scratch.result : NULL;
    }
    if (status == GB_OK) {
        status = check_return(bench, returned);
        const int32_t of_buffers = compare_buffers(
            &bench->world, plan->has_reference ? &bench->reference_world : NULL);
        status = status == GB_OK ? of_buffers : status;
    }
    return status;
}
