/* bench_fixture.h - a benchmark on a fake host: made of options, run, verified; unload ends it. */
#pragma once

#include "tests/check_main.h"
#include "tests/fake_host.h"

#include <stdarg.h>

static struct fake_host *fake;
static const struct gb_plugin *plugin;
static const struct gb_bench_ops *ops;
static void *params;
static void *bench;
static struct gb_queue queue = {.size = sizeof queue};
static char made_of[512];   /* the benchmark and its last options, for messages */
static void (*equip)(void); /* gives a new host services of the test's; NULL: none */

static inline void unload(void)
{
    if (fake == NULL)
        return;
    if (ops->destroy != NULL) {
        ops->destroy(bench);
        ops->destroy(NULL);
    }
    fake_params_free(plugin, params);
    fake_host_free(fake);
    fake = NULL;
}

/* The plugin of the id, with the defaults of its options, in place of what was loaded before. */
static inline void load_on(const char *backend, const char *id)
{
    char module[64];
    unload();
    snprintf(module, sizeof module, "%s%s", strcmp(id, "skeleton") == 0 ? "" : "bench_", id);
    fake = fake_host_new();
    snprintf(fake->device.backend, sizeof fake->device.backend, "%s", backend);
    plugin = fake_plugin(module, GB_PLUGIN_BENCH, id);
    ops = plugin->ops;
    params = fake_params_new(plugin);
    bench = NULL;
    snprintf(made_of, sizeof made_of, "%s", id);
    if (equip != NULL)
        equip();
}

static inline void load_bench(const char *id)
{
    load_on("cpu", id);
}

/* Options with semicolons between: "method = loop; bytes = 64KiB". */
__attribute__((format(printf, 1, 0))) static inline void set_list(const char *format,
                                                                  va_list arguments)
{
    enum { BYTES = 1024 };
    char *rest = NULL;
    char *text = fake->host.allocate(&fake->host, BYTES); /* params point into it */
    ck_assert_int_lt(vsnprintf(text, BYTES, format, arguments), BYTES);
    snprintf(made_of, sizeof made_of, "%s: %.400s", plugin->id, text);
    for (char *name = strtok_r(text, ";", &rest); name != NULL; name = strtok_r(NULL, ";", &rest)) {
        char *end = strstr(name, " = ");
        ck_assert_msg(end != NULL, "no option: %s", name);
        *end = '\0';
        fake_params_set(plugin, params, name + strspn(name, " "), end + strlen(" = "));
    }
}

__attribute__((format(printf, 1, 2))) static inline void set(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set_list(format, arguments);
    va_end(arguments);
}

static inline int32_t created(void)
{
    return ops->create(&fake->host, params, &bench);
}

static inline int32_t create_and_prepare(void)
{
    const int32_t status = created();
    return status == GB_OK && ops->prepare != NULL ? ops->prepare(bench, &queue) : status;
}

static inline void ready(void)
{
    ck_assert_msg(create_and_prepare() == GB_OK, "%s", fake->reason);
    ck_assert_ptr_nonnull(bench);
}

/* A benchmark on the CPU with these options, ready to run. */
__attribute__((format(printf, 2, 3))) static inline void make(const char *id, const char *format,
                                                              ...)
{
    va_list arguments;
    load_bench(id);
    va_start(arguments, format);
    set_list(format, arguments);
    va_end(arguments);
    ready();
}

static inline void expect_refusal(int32_t status, const char *reason)
{
    ck_assert_int_eq(created(), status);
    ck_assert_str_eq(fake->reason, reason);
    ck_assert_ptr_null(bench);
}

static inline void run_bench(uint64_t iterations)
{
    ck_assert_int_eq(ops->run(bench, &queue, iterations), GB_OK);
}

/* Samples as a device takes them. */
static inline void run_samples(uint64_t n, uint64_t iterations)
{
    for (uint64_t i = 0; i < n; i++) {
        if (ops->reset != NULL)
            ck_assert_int_eq(ops->reset(bench, &queue), GB_OK);
        run_bench(iterations);
    }
}

static inline void expect_right(void)
{
    const int32_t status = ops->verify(bench, &queue);
    ck_assert_msg(status == GB_OK, "%s: %d", made_of, status);
}

static inline void expect_wrong(void)
{
    const int32_t status = ops->verify(bench, &queue);
    ck_assert_msg(status == GB_WRONG_RESULT, "%s: %d", made_of, status);
}

static inline void expect_n_wrong(uint64_t n)
{
    expect_wrong();
    ck_assert_uint_eq(fake->n_wrong, n);
}

static inline struct gb_work work_of(void)
{
    struct gb_work work = {.size = sizeof work};
    ck_assert_int_eq(ops->work(bench, &work), GB_OK);
    return work;
}

static inline void expect_work(double flops, double bytes_read, double bytes_written)
{
    const struct gb_work work = work_of();
    ck_assert_double_eq(work.flops, flops);
    ck_assert_double_eq(work.bytes_read, bytes_read);
    ck_assert_double_eq(work.bytes_written, bytes_written);
}

static inline void expect_metric(const char *name, double value)
{
    ck_assert_double_eq_tol(fake_metric_named(fake, name), value, 1e-9);
}

static struct {
    uint64_t n, offset, all_offsets;
    char option[64], text[512];
} first_problem; /* that validation found; n: of how many */

static inline void note_problem(void *context, const char *option, uint64_t offset,
                                const char *text)
{
    ck_assert_uint_gt(strlen(option) * strlen(text), 0);
    first_problem.all_offsets |= offset;
    if (first_problem.n++ > 0)
        return;
    first_problem.offset = offset;
    snprintf(first_problem.option, sizeof first_problem.option, "%s", option);
    snprintf(first_problem.text, sizeof first_problem.text, "%s", text);
}

static inline void validate(const void *given)
{
    const struct gb_validation *validation = plugin->extension(GB_VALIDATION);
    memset(&first_problem, 0, sizeof first_problem);
    ck_assert_int_eq(validation->validate(&fake->host, given, note_problem, NULL), GB_OK);
}

/* Lets the first call that is counted fail, then the second, and so on until none does: each time
 * preparing ends with the status, and end() finds nothing left. load_case clears the counts. */
static inline void fail_each_call(void (*load_case)(int number), int number, int32_t *fail_at,
                                  const int32_t *n_calls, int32_t failure, void (*end)(void))
{
    int32_t status = failure;
    for (int32_t i = 1; status != GB_OK; i++) {
        load_case(number);
        *fail_at = i;
        status = create_and_prepare();
        ck_assert_int_eq(status, *n_calls < i ? GB_OK : failure);
        ck_assert_int_lt(i, 200);
        end();
    }
}
