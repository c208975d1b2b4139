/*
 * call.c - a function of any shared library, described in the configuration alone. Plugin side.
 *
 * In plugins/common/call, call_plan.c reads what to call; call_library.c finds it;
 * call_world.c makes the arguments; call_invoke.c calls; call_compare.c compares.
 */
#include "plugins/common/bench_steps.h"
#include "plugins/common/call/call_compare.h"
#include "plugins/common/call/call_invoke.h"
#include "plugins/common/validation.h"

#include <gbrun/judging.h>
#include <stdio.h>
#include <string.h>

#define P struct params
static const char *const reference_memories[] = {"as_is", "host"};
static const char *const subjects[] = {"function", "reference"};

static const struct gb_option options[] = {
    GB_LIST(P, library, GB_TYPE_STRING, NULL, NULL, NULL,
            "Names or paths of the shared library; the first one found is used; paths are relative "
            "to the folder of the configuration"),
    TEXT(function, "", "Name of the function; empty: the one in the signature"),
    TEXT(signature, NULL,
         "Its prototype in C, such as size_t strlen(const char *s), or only the types of its "
         "result and parameters, such as size_t(pointer)"),
    TEXTS(arg, "Argument 1, 2, ..., or a named value that arguments can use"),
    TEXT(expect, "", "What the function must return: a number, a text, null or arg.N"),
    TEXT(before, "", "Calls made beforehand, such as cublasCreate_v2(out handle)"),
    TEXT(after, "", "Calls made at the end"),
    TEXT(ok, "",
         "The status that functions returning an integer must return, also those called before and "
         "after; empty: any"),
    TEXT(reference, "",
         "Name of a reference function, with whose results the results are compared"),
    GB_LIST(P, reference_library, GB_TYPE_STRING, "", NULL, NULL,
            "Its library; empty: the same library"),
    TEXT(reference_signature, "", "Its signature; empty: the same signature"),
    TEXTS(ref, "Its arguments, if they differ; arg.N in them means its own copies"),
    GB_CHOICE(P, reference_memory, "as_is", reference_memories,
              "Where its buffers are: where those of the function are, or all in host memory"),
    GB_CHOICE(P, subject, "function", subjects,
              "What is measured: the function, or the reference instead"),
    TEXTS(work, "Work of a call: work.flops, work.math (fp32 vector), work.bytes_read, "
                "work.bytes_written, work.items and work.item, the name of an item"),
    GB_BOOL(P, optional, "no", "Whether a missing library or function is skipped, not an error"),
};

enum { WORDS_BYTES = 320 };
static uint32_t n_objects; /* that are alive */

/* A case. */
struct call_bench {
    const struct gb_host *host;
    bool waits; /* run may wait for the device */
    struct plan plan;
    struct linkage linkage;
    struct world world;
    struct world reference_world; /* made in the first comparison */
    bool has_reference_world;
    struct invocation invocation;
    struct invocation empty;   /* the same of a function that does nothing */
    struct invocation scratch; /* of calls before and after, and of the reference: through libffi */
    struct signature scratch_signature;
    const struct routine *routine; /* that is measured */
    bool is_set_up;                /* all calls of `before` were made */
    void *returned; /* what the function returned, in memory that the judge reads; NULL: it is not
                       judged */
    void *fence;    /* device memory that is copied from to wait for the device; NULL: not needed */
};

/* ---- calls before and after ---- */

static int32_t check_status(struct call_bench *bench, const char *what, const struct call *call,
                            const struct raw *result)
{
    const struct plan *plan = &bench->plan;
    const enum type_kind kind = type_info(call->type)->kind;
    struct raw ok = {{0}};
    uintptr_t address;
    memcpy(&address, result->bytes, sizeof address);
    if (kind == KIND_POINTER && address == 0)
        return host_fail(bench->host, "%s: %.*s returned null", what, (int)call->function.n,
                         call->function.text);
    if (kind != KIND_INTEGER || !plan->has_ok || call->result.n > 0)
        return GB_OK;
    number_store(&plan->ok, call->type, ok.bytes);
    if (memcmp(ok.bytes, result->bytes, type_info(call->type)->bytes) == 0)
        return GB_OK;
    return host_fail(bench->host, "%s: %.*s returned %.17g: expected %.17g", what,
                     (int)call->function.n, call->function.text,
                     element_value(call->type, result->bytes), plan->ok.value);
}

/* Shorter results stand in a whole register, of which the type's bytes count. */
static void keep_result(struct call_bench *bench, const struct call *call, const struct raw *result)
{
    const size_t i = plan_variable(&bench->plan, call->result);
    if (call->result.n == 0 || i == VARIABLES_MAX)
        return;
    bench->world.variables[i] = 0;
    memcpy(&bench->world.variables[i], result->bytes, type_info(call->type)->bytes);
    bench->world.is_set[i] = true;
}

static int32_t make_call(struct call_bench *bench, const char *what, const struct call *call)
{
    struct invocation *invocation = &bench->scratch;
    struct signature *signature = &bench->scratch_signature;
    char reason[LIBRARY_REASON_BYTES];
    int32_t status = GB_OK;
    *signature = (struct signature){.result.id = call->type, .n = call->n};
    for (size_t i = 0; i < call->n && status == GB_OK; i++)
        status = world_call_argument(&bench->world, &call->arguments[i],
                                     &signature->parameters[i].id, &invocation->values[i]);
    if (status != GB_OK)
        return status;
    invocation->signature = signature;
    invocation->mask = 0;
    invocation->function = library_symbol(bench->linkage.library, call->function, reason);
    if (invocation->function == NULL)
        return bench->host->fail(bench->host, reason);
    if (!invocation_make(invocation))
        return bench->host->fail(bench->host, "libffi does not support this call");
    invocation_run(invocation, 1);
    keep_result(bench, call, &invocation->result);
    return check_status(bench, what, call, &invocation->result);
}

/* Makes the calls, one after the other. what: "before" or "after", for messages. */
static int32_t make_calls(struct call_bench *bench, const char *what, const struct call *calls,
                          size_t n)
{
    int32_t status = GB_OK;
    for (size_t i = 0; i < n && status == GB_OK; i++)
        status = make_call(bench, what, &calls[i]);
    return status;
}

/* Waits until the device has done all that was enqueued. */
static int32_t wait_for_device(struct call_bench *bench)
{
    char byte;
    return bench->fence != NULL ? bench->host->device_copy(bench->host, &byte, bench->fence, 1)
                                : GB_OK;
}

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

/* ---- comparisons ---- */

/* Made, or as it was made. */
static int32_t reference_world(struct call_bench *bench)
{
    struct world *world = &bench->reference_world;
    if (bench->has_reference_world)
        return world_refresh(world, bench->world.set);
    *world = bench->world;
    world->library = bench->linkage.reference_library;
    world->is_shared = false;
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
    if (status == GB_OK)
        status = wait_for_device(bench);
    if (status != GB_OK)
        return status;
    invocation_run(call, 1);
    return wait_for_device(bench);
}

/* What the timed calls left is compared; where buffers are restored and several calls were made of
 * them, what one more call leaves. */
static int32_t call_once_more(struct call_bench *bench)
{
    int32_t status = GB_OK;
    if (world_restores(&bench->plan) && bench->host->iterations != 1) {
        status = world_restore(&bench->world);
        if (status == GB_OK)
            invocation_run(&bench->invocation, 1);
    }
    if (bench->returned != NULL)
        memcpy(bench->invocation.result.bytes, bench->returned, RAW_BYTES);
    return status == GB_OK ? wait_for_device(bench) : status;
}

/* verify of the benchmark. */
static int32_t call_verify(void *object, const struct gb_queue *queue)
{
    struct call_bench *bench = object;
    const struct plan *plan = &bench->plan;
    const struct raw *returned = NULL;
    (void)queue;
    int32_t status = call_once_more(bench);
    if (status == GB_OK) /* before the reference takes its time */
        status = world_keep(&bench->world, true);
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
    world_keep(&bench->world, false);
    return status;
}

/* ---- the benchmark ---- */

/* As link_plan. The judge's object, and one that measures the reference, have the reference alone.
 */
static bool find_functions(const struct plan *plan, struct reporter *reporter, struct linkage *ret)
{
    const struct params *params = plan->params;
    const struct gb_judging *judging = plan->host->extension(plan->host, GB_JUDGING);
    const bool is_reference = params->subject == SUBJECT_REFERENCE ||
                              (judging != NULL && judging->is_judge);
    const char *why = NULL;
    if (judging != NULL && (!plan->has_reference || params->reference_library.n == 0))
        why = "verify = judge: the judge cannot take the reference from the submission, which it "
              "does not load: expected reference and reference_library";
    else if (is_reference && !plan->has_reference)
        why = "subject = reference: there is no reference";
    if (why == NULL && !is_reference)
        return link_plan(plan, reporter, ret);
    if (why == NULL && link_reference(plan, reporter, ret)) {
        ret->library = ret->reference_library;
        ret->function = ret->reference;
        return true;
    }
    if (why != NULL)
        snprintf(ret->reason, sizeof ret->reason, "%s", why);
    if (why != NULL && reporter != NULL)
        report(reporter, "reference", 0, "%s", why);
    return false;
}

static int32_t create_waiting(const struct gb_host *host, const void *params, bool waits,
                              void **ret_bench)
{
    struct first_problem first = {host, GB_OK};
    struct reporter reporter = {fail_first, &first, 0};
    struct call_bench *bench = host->allocate(host, sizeof *bench);
    if (bench == NULL)
        return GB_NO_MEMORY;
    bench->host = host;
    bench->waits = waits;
    bench->scratch.is_foreign = true;
    int32_t status = plan_make(host, params, &reporter, &bench->plan);
    if (status != GB_OK || reporter.n > 0)
        return status != GB_OK ? status : GB_FAILED;
    bench->world.is_shared = host->extension(host, GB_JUDGING) != NULL;
    bench->routine = bench->plan.params->subject == SUBJECT_REFERENCE ? &bench->plan.reference
                                                                      : &bench->plan.routine;
    if (bench->plan.n_before > 0 && !bench->world.is_shared && n_objects > 0)
        return host->skip(host, "the objects that 'before' creates may exist only once, and "
                                "another case of this process holds them");
    if (!find_functions(&bench->plan, NULL, &bench->linkage))
        return bench->plan.params->optional ? host->skip(host, bench->linkage.reason)
                                            : host->fail(host, bench->linkage.reason);
    n_objects++;
    *ret_bench = bench;
    return GB_OK;
}

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    return create_waiting(host, params, false, ret_bench);
}

static int32_t create_synchronous(const struct gb_host *host, const void *params, void **ret_bench)
{
    return create_waiting(host, params, true, ret_bench);
}

static int32_t prepare(void *object, const struct gb_queue *queue)
{
    struct call_bench *bench = object;
    const struct gb_host *host = bench->host;
    const struct plan *plan = &bench->plan;
    const bool has_stream = queue != NULL && queue->native != NULL;
    const struct gb_judging *judging = host->extension(host, GB_JUDGING);
    if (has_stream && !bench->waits && world_restores(plan) && judging == NULL)
        return host->fail(host, "on this device buffers can be restored only after a call has "
                                "completed: expected plugin = call_synchronous");
    bench->world.stream = has_stream ? queue->native : NULL;
    bench->world.library = bench->linkage.library;
    bench->world.is_read = !has_stream;
    bench->world.queue = has_stream && judging != NULL ? queue : NULL;
    int32_t status = world_new(plan, &bench->world);
    if (status == GB_OK && has_stream)
        status = host->device_allocate(host, 1, GB_MEMORY_DEVICE, &bench->fence);
    if (status == GB_OK && judging != NULL) {
        bench->returned = judging->share(host, RAW_BYTES);
        status = bench->returned != NULL ? GB_OK : GB_NO_MEMORY;
    }
    if (status == GB_OK)
        status = make_calls(bench, "before", plan->before, plan->n_before);
    bench->is_set_up = status == GB_OK;
    if (status == GB_OK)
        status = invocation_bind(&bench->world, bench->routine, bench->linkage.function,
                                 &bench->invocation);
    if (status == GB_OK)
        status = world_complete(&bench->world);
    if (status != GB_OK)
        return status;
    if (plan->has_ok && type_kind(&bench->routine->signature.result) == KIND_INTEGER)
        invocation_expect(&bench->invocation, &plan->ok);
    invocation_empty(&bench->invocation, &bench->empty);
    host->metric(host, "call_overhead_ns", invocation_overhead_ns(&bench->empty), "ns");
    return GB_OK;
}

/* One function for both, so that they take the same instructions but those of what is called. */
static __attribute__((noinline)) int32_t invoke(struct call_bench *bench,
                                                struct invocation *invocation, uint64_t iterations)
{
    invocation_run(invocation, iterations);
    if (bench->returned != NULL)
        memcpy(bench->returned, invocation->result.bytes, RAW_BYTES);
    if (invocation->wrong == 0)
        return GB_OK;
    const struct span function = bench->plan.function;
    return host_fail(bench->host, "%.*s returned a status other than ok = %s; the last was %.17g",
                     (int)function.n, function.text, bench->plan.params->ok,
                     element_value(invocation->signature->result.id, invocation->result.bytes));
}

static int32_t run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    struct call_bench *bench = object;
    (void)queue;
    return invoke(bench, &bench->invocation, iterations);
}

static int32_t run_empty(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    struct call_bench *bench = object;
    (void)queue;
    return invoke(bench, &bench->empty, iterations);
}

static int32_t reset(void *object, const struct gb_queue *queue)
{
    struct call_bench *bench = object;
    (void)queue;
    return world_restore(&bench->world);
}

static int32_t refresh(void *object, const struct gb_queue *queue, uint64_t set)
{
    struct call_bench *bench = object;
    const bool is_graph = bench->world.queue != NULL; /* in which a status is returned only once */
    (void)queue;
    if (bench->world.is_shared && plan_expects(&bench->plan))
        return bench->host->fail(bench->host, "verify = judge: 'expect' would be known to the "
                                              "function before it runs: expected a reference only");
    for (uint64_t i = 0; bench->returned != NULL && !is_graph && i < RAW_BYTES / sizeof i; i++)
        ((uint64_t *)bench->returned)[i] = bench->host->random(bench->host, set, i);
    return plan_compares(&bench->plan) ? world_refresh(&bench->world, set) : GB_SKIPPED;
}

static int32_t work(void *object, struct gb_work *work)
{
    const struct call_bench *bench = object;
    plan_work(&bench->plan, work);
    return GB_OK;
}

static void destroy(void *object)
{
    struct call_bench *bench = object;
    if (bench == NULL)
        return;
    n_objects--;
    if (bench->is_set_up &&
        make_calls(bench, "after", bench->plan.after, bench->plan.n_after) != GB_OK)
        bench->host->log(bench->host, GB_LOG_WARNING, "a call of 'after' failed");
    world_free(&bench->world);
    if (bench->has_reference_world)
        world_free(&bench->reference_world);
}

static int32_t validate(const struct gb_host *host, const void *params, gb_problem_fn *problem,
                        void *context)
{
    struct reporter reporter = {problem, context, 0};
    struct plan *plan = host->allocate(host, sizeof *plan);
    struct linkage *linkage = host->allocate(host, sizeof *linkage);
    if (plan == NULL || linkage == NULL)
        return GB_NO_MEMORY;
    const int32_t status = plan_make(host, params, &reporter, plan);
    if (status == GB_OK && !plan->params->optional)
        find_functions(plan, &reporter, linkage);
    return status;
}

#define OPS(flags_, create_)                                                                       \
    {                                                                                              \
        .size = sizeof(struct gb_bench_ops), .flags = (flags_), .create = (create_),               \
        .prepare = prepare, .run = run, .reset = reset, .verify = call_verify, .work = work,       \
        .destroy = destroy, .refresh = refresh, .run_empty = run_empty                             \
    }
static const struct gb_bench_ops call_ops = OPS(0, create);
static const struct gb_bench_ops call_synchronous_ops = OPS(GB_BENCH_SYNCHRONIZES,
                                                            create_synchronous);

JUDGED_VALIDATION_EXTENSION(.validate = validate);

static const char help_text[] =
    "The function, its arguments and its expected results are described in the configuration; "
    "nothing is compiled. gbrun.ini(5) has the language of signatures and arguments. A signature "
    "that contradicts the library's debug information (DWARF, by libdw) is an error. Without debug "
    "information a wrong signature may crash, which fails the case, or return meaningless values: "
    "compare with expect or reference.\n"
    "call_overhead_ns is the time of the same call to an empty function.";

#define PLUGIN(id_, summary_, ops_)                                                                \
    {                                                                                              \
        .size = sizeof(struct gb_plugin), .kind = GB_PLUGIN_BENCH, .id = (id_), .version = "1.0",  \
        .summary = (summary_), .help = help_text, GB_OPTIONS(options, struct params),              \
        .ops = &(ops_), .extension = extension                                                     \
    }
static const struct gb_plugin call_plugin = PLUGIN(
    "call", "A function of any shared library, described in the configuration", call_ops);
static const struct gb_plugin call_synchronous_plugin = PLUGIN(
    "call_synchronous", "Like call, for functions that synchronize with the device themselves",
    call_synchronous_ops);

GB_MODULE(&call_plugin, &call_synchronous_plugin)
