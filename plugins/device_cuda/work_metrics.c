/* work_metrics.c - see work_metrics.h. Plugin side. */
#include "work_metrics.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FLOPS_OF_THREADS(op, weight, is_half)                                                      \
    {                                                                                              \
        "smsp__sass_thread_inst_executed_op_" op "_pred_on.sum", weight, GB_COUNTED_FLOPS, is_half \
    }
#define FLOPS(op, weight) FLOPS_OF_THREADS(op, weight, false)
#define HALF_FLOPS(op, weight) FLOPS_OF_THREADS(op, weight, true)
#define TENSOR_FLOPS(types)                                                                        \
    {                                                                                              \
        "sm__ops_path_tensor_src_" types ".sum", 1, GB_COUNTED_FLOPS, false                        \
    }
#define BYTES(name, kind)                                                                          \
    {                                                                                              \
        name ".sum", 1, kind, false                                                                \
    }

/*
 * A thread's instruction is one operation, a fused multiply-add two; those of half precision work
 * on pairs. The tensor cores count operations, a multiply-add as two, by types of operands: what
 * they are called differs from chip to chip, and a chip has no two that count the same. Integers
 * are left out.
 */
static const struct {
    const char *name;
    double weight;
    uint32_t kind;
    bool is_half;
} known[] = {
    FLOPS("fadd", 1),
    FLOPS("fmul", 1),
    FLOPS("ffma", 2),
    FLOPS("dadd", 1),
    FLOPS("dmul", 1),
    FLOPS("dfma", 2),
    HALF_FLOPS("hadd", 2),
    HALF_FLOPS("hmul", 2),
    HALF_FLOPS("hfma", 4),
    TENSOR_FLOPS("fp16"),
    TENSOR_FLOPS("fp16_dst_fp16"),
    TENSOR_FLOPS("fp16_dst_fp32"),
    TENSOR_FLOPS("fp16_bf16_tf32_dst_fp32"),
    TENSOR_FLOPS("bf16_dst_fp32"),
    TENSOR_FLOPS("tf32_dst_fp32"),
    TENSOR_FLOPS("fp64"),
    TENSOR_FLOPS("fp8"),
    TENSOR_FLOPS("fp8_dst_fp16"),
    TENSOR_FLOPS("fp8_dst_fp32"),
    TENSOR_FLOPS("fp4_dst_fp32"),
    TENSOR_FLOPS("fp4_fp6_dst_fp16"),
    TENSOR_FLOPS("fp4_fp6_dst_fp32"),
    TENSOR_FLOPS("fp4_fp6_fp8_dst_fp16"),
    TENSOR_FLOPS("fp4_fp6_fp8_dst_fp32"),
    BYTES("l1tex__t_bytes", GB_COUNTED_BYTES_L1),
    BYTES("lts__t_bytes", GB_COUNTED_BYTES_L2),
    BYTES("dram__bytes_read", GB_COUNTED_DRAM_READ),
    BYTES("dram__bytes_write", GB_COUNTED_DRAM_WRITE),
};
enum { N_KNOWN = sizeof known / sizeof known[0] };

void work_metrics_choose(const struct metrics *metrics, struct work_metrics *ret)
{
    ret->n = 0;
    for (size_t i = 0; i < N_KNOWN; i++) {
        if (!metrics_has(metrics, known[i].name))
            continue;
        ret->names[ret->n] = known[i].name;
        ret->weights[ret->n] = known[i].weight;
        ret->is_half[ret->n] = known[i].is_half;
        ret->kinds[ret->n++] = known[i].kind;
    }
}

struct declared_math declared_math_of(const struct gb_counting *counting)
{
    const struct declared_math unsaid = {0, 0};
    return GB_HAS(counting, math_unit)
               ? (struct declared_math){counting->math_format, counting->math_unit}
               : unsaid;
}

/*
 * ptxas sets constants of fp32 with HFMA2 and turns halves into floats with HADD2.F32, and a thread
 * that is short does little else. So half precision is an operation only where it is the declared
 * arithmetic: fp16 or bf16, and not that of tensor cores, whose products are counted by themselves
 * while the rest converts what goes in and out. Where nothing is declared it may be either.
 */
static bool counts_half(struct declared_math math)
{
    return math.unit != GB_MATH_TENSOR &&
           (math.format == 0 || math.format == GB_F16 || math.format == GB_BF16);
}

static const char *words_on_half(struct declared_math math)
{
    if (!counts_half(math))
        return ", without half precision, which is constants and conversions here";
    return math.format == 0 ? ", in which half precision may be constants and conversions, as the "
                              "arithmetic is not declared"
                            : "";
}

static void add_words(char *text, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add_words(char *text, size_t bytes, const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, bytes - length, format, arguments);
    va_end(arguments);
}

void work_metrics_sum(const struct work_metrics *work, struct declared_math math,
                      const double *values, double sums[GB_COUNTED_KINDS], char *made_from,
                      size_t bytes)
{
    size_t n_zero = 0;
    bool has_half = false;
    made_from[0] = '\0';
    for (size_t i = 0; i < GB_COUNTED_KINDS; i++)
        sums[i] = NAN;
    for (size_t i = 0; i < work->n; i++) {
        double *sum = &sums[work->kinds[i]];
        if (i == 0 || work->kinds[i] != work->kinds[i - 1])
            *sum = 0.0;
        has_half = has_half || (work->is_half[i] && values[i] != 0.0);
        if (work->is_half[i] && !counts_half(math))
            continue;
        *sum += work->weights[i] * values[i];
        n_zero += values[i] == 0.0;
        if (values[i] != 0.0)
            add_words(made_from, bytes, "%s%g x %s", *made_from != '\0' ? " + " : "",
                      work->weights[i], work->names[i]);
    }
    if (n_zero > 0)
        add_words(made_from, bytes, "%s%zu counters that read 0", *made_from != '\0' ? " + " : "",
                  n_zero);
    if (has_half)
        add_words(made_from, bytes, "%s", words_on_half(math));
}
