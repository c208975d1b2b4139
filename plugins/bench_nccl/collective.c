/* collective.c - see collective.h. Plugin side. */
#include "collective.h"

#include "plugins/common/bench_steps.h"

#include <stdbool.h>

enum { LARGEST = 15 };

static bool has_parts(const struct collective *collective)
{
    return collective->kind != ALL_REDUCE && collective->kind != BROADCAST;
}

void collective_make(struct collective *collective, const struct gb_host *host, uint64_t bytes,
                     const struct gb_format *format)
{
    const uint32_t n = collective->n_ranks;
    const uint64_t exact = ((UINT64_C(1) << format->digits) - 1) / n;
    collective->host = host;
    collective->largest = (int64_t)smaller(exact, LARGEST);
    collective->n_part = bytes / format->bytes / (has_parts(collective) ? n : 1);
    const uint64_t whole = collective->n_part * (has_parts(collective) ? n : 1);
    collective->n_in = collective->kind == ALL_GATHER ? collective->n_part : whole;
    collective->n_out = collective->kind == REDUCE_SCATTER ? collective->n_part : whole;
}

/* --- what is where --- */

/* A random word serves eight elements, a byte each. */
void collective_input(const struct collective *collective, uint32_t rank, uint64_t first,
                      uint64_t n, double *ret)
{
    const struct gb_host *host = collective->host;
    const uint64_t n_values = 2 * (uint64_t)collective->largest + 1;
    uint64_t word = 0;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at = first + i;
        if (i == 0 || at % 8 == 0)
            word = host->random(host, rank, at / 8);
        const uint64_t byte = word >> at % 8 * 8 & 0xff;
        ret[i] = (double)((int64_t)(byte * n_values / 256) - collective->largest);
    }
}

static double reduced(int32_t op, double a, double b)
{
    switch (op) {
    case OP_MAX:
        return a > b ? a : b;
    case OP_MIN:
        return a < b ? a : b;
    default:
        return a + b;
    }
}

static void reduce(const struct collective *collective, uint64_t first, uint64_t n, double *ret)
{
    enum { AT_ONCE = 512 };
    double values[AT_ONCE];
    for (uint64_t done = 0; done < n; done += AT_ONCE) {
        const uint64_t m = smaller(n - done, AT_ONCE);
        collective_input(collective, 0, first + done, m, ret + done);
        for (uint32_t rank = 1; rank < collective->n_ranks; rank++) {
            collective_input(collective, rank, first + done, m, values);
            for (uint64_t i = 0; i < m; i++)
                ret[done + i] = reduced(collective->op, ret[done + i], values[i]);
        }
    }
}

/* Part after part, each from another rank: what that one has of its own, or has for this rank. */
static void gather(const struct collective *collective, uint64_t from, uint64_t first, uint64_t n,
                   double *ret)
{
    const uint64_t n_part = collective->n_part;
    for (uint64_t done = 0; done < n;) {
        const uint64_t at = first + done;
        const uint64_t m = smaller(n - done, n_part - at % n_part);
        collective_input(collective, (uint32_t)(at / n_part), from + at % n_part, m, ret + done);
        done += m;
    }
}

void collective_output(const struct collective *collective, uint32_t rank, uint64_t first,
                       uint64_t n, double *ret)
{
    switch (collective->kind) {
    case ALL_GATHER:
        gather(collective, 0, first, n, ret);
        return;
    case ALL_TO_ALL:
        gather(collective, rank * collective->n_part, first, n, ret);
        return;
    case REDUCE_SCATTER:
        reduce(collective, rank * collective->n_part + first, n, ret);
        return;
    case BROADCAST:
        collective_input(collective, COLLECTIVE_ROOT, first, n, ret);
        return;
    default:
        reduce(collective, first, n, ret);
    }
}

uint64_t collective_input_at(const struct collective *collective, uint32_t rank)
{
    return collective->kind == ALL_GATHER ? rank * collective->n_part : 0;
}

uint64_t collective_output_at(const struct collective *collective, uint32_t rank)
{
    return collective->kind == REDUCE_SCATTER ? rank * collective->n_part : 0;
}

/* --- how much it is --- */

double collective_bytes(const struct collective *collective, uint32_t element_bytes)
{
    const uint64_t n = collective->n_in > collective->n_out ? collective->n_in : collective->n_out;
    return (double)n * element_bytes;
}

double collective_bus_factor(const struct collective *collective)
{
    const double n = collective->n_ranks;
    switch (collective->kind) {
    case ALL_REDUCE:
        return 2.0 * (n - 1.0) / n;
    case BROADCAST:
        return 1.0;
    default:
        return (n - 1.0) / n;
    }
}
