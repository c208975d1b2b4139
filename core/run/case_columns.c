/* case_columns.c - see case_columns.h. */
#include "core/run/case_columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void columns_new(struct columns *columns, uint32_t n_clocks)
{
    for (uint32_t i = 0; i < n_clocks; i++)
        columns->clocks[i] = memory_allocate(BATCH_MAX * sizeof(double));
    double **doubles[] = {&columns->begin_ns, &columns->end_ns, &columns->time_ns,
                          &columns->elapsed_ns, &columns->clock_hz};
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++)
        *doubles[i] = memory_allocate(BATCH_MAX * sizeof(double));
    columns->iterations = memory_allocate(BATCH_MAX * sizeof(uint64_t));
    columns->throttle = memory_allocate(BATCH_MAX * sizeof(uint64_t));
    columns->flags = memory_allocate(BATCH_MAX * sizeof(uint32_t));
    /* A page that was never written to would fault inside the timed loop. */
    for (uint32_t i = 0; i < n_clocks; i++)
        memset(columns->clocks[i], 0xFF, BATCH_MAX * sizeof(double));
    memset(columns->begin_ns, 0xFF, BATCH_MAX * sizeof(double));
    memset(columns->end_ns, 0xFF, BATCH_MAX * sizeof(double));
    memset(columns->clock_hz, 0, BATCH_MAX * sizeof(double));
    memset(columns->throttle, 0, BATCH_MAX * sizeof(uint64_t));
    memset(columns->flags, 0, BATCH_MAX * sizeof(uint32_t));
}

void columns_free(struct columns *columns)
{
    for (uint32_t i = 0; i < GB_CLOCKS_MAX; i++)
        free(columns->clocks[i]);
    free(columns->begin_ns);
    free(columns->end_ns);
    free(columns->time_ns);
    free(columns->elapsed_ns);
    free(columns->clock_hz);
    free(columns->iterations);
    free(columns->throttle);
    free(columns->flags);
}

void columns_keep(struct columns *to, uint64_t at, const struct columns *from, uint64_t n,
                  uint32_t n_clocks, uint64_t iterations)
{
    for (uint32_t i = 0; i < n_clocks; i++)
        for (uint64_t j = 0; j < n; j++)
            to->clocks[i][at + j] = from->clocks[i][j] / (double)iterations;
    memcpy(to->elapsed_ns + at, from->elapsed_ns, n * sizeof(double));
    memcpy(to->clock_hz + at, from->clock_hz, n * sizeof(double));
    memcpy(to->throttle + at, from->throttle, n * sizeof(uint64_t));
    memcpy(to->flags + at, from->flags, n * sizeof(uint32_t));
}

/* What is to go into a message. */
struct outgoing {
    const char *names[GB_CLOCKS_MAX + 4];
    const double *values[GB_CLOCKS_MAX + 4];
    uint32_t n;
};

static void add(struct outgoing *outgoing, const char *name, const double *values)
{
    outgoing->names[outgoing->n] = name;
    outgoing->values[outgoing->n++] = values;
}

/* Not known throughout, or 0 as well. */
static bool is_silent(const double *values, uint64_t n, bool also_if_zero)
{
    for (uint64_t i = 0; i < n; i++)
        if (!isnan(values[i]) && !(also_if_zero && values[i] == 0))
            return false;
    return true;
}

void columns_put(struct wire_writer *writer, struct columns *columns, uint64_t n,
                 const struct open_device *device, uint32_t clock)
{
    struct outgoing outgoing = {.n = 0};
    double *throttle = columns->begin_ns, *flags = columns->end_ns;
    for (uint64_t i = 0; i < n; i++) {
        throttle[i] = (double)columns->throttle[i];
        flags[i] = (double)columns->flags[i];
    }
    for (uint32_t i = 0; i < device->n_clocks; i++)
        if (i == clock || !is_silent(columns->clocks[i], n, false))
            add(&outgoing, device->clocks[i].name, columns->clocks[i]);
    add(&outgoing, "elapsed", columns->elapsed_ns);
    const struct {
        const char *name;
        const double *values;
    } rest[] = {{"clock_hz", columns->clock_hz}, {"throttle", throttle}, {"flags", flags}};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        if (!is_silent(rest[i].values, n, true))
            add(&outgoing, rest[i].name, rest[i].values);
    wire_put_u64(writer, n);
    wire_put_u32(writer, outgoing.n);
    for (uint32_t i = 0; i < outgoing.n; i++) {
        wire_put_text(writer, outgoing.names[i]);
        wire_put_f64s(writer, outgoing.values[i], n);
    }
}
