/* work_metrics.c - see work_metrics.h. Plugin side. */
#include "work_metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SCALAR(op) "smsp__sass_thread_inst_executed_op_" op "_pred_on.sum"
#define TENSOR(types) "sm__ops_path_tensor_src_" types ".sum"

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
} known[] = {
    {SCALAR("fadd"), 1, GB_COUNTED_FLOPS},
    {SCALAR("fmul"), 1, GB_COUNTED_FLOPS},
    {SCALAR("ffma"), 2, GB_COUNTED_FLOPS},
    {SCALAR("dadd"), 1, GB_COUNTED_FLOPS},
    {SCALAR("dmul"), 1, GB_COUNTED_FLOPS},
    {SCALAR("dfma"), 2, GB_COUNTED_FLOPS},
    {SCALAR("hadd"), 2, GB_COUNTED_FLOPS},
    {SCALAR("hmul"), 2, GB_COUNTED_FLOPS},
    {SCALAR("hfma"), 4, GB_COUNTED_FLOPS},
    {TENSOR("fp16"), 1, GB_COUNTED_FLOPS},
    {TENSOR("fp16_dst_fp16"), 1, GB_COUNTED_FLOPS},
    {TENSOR("fp16_dst_fp32"), 1, GB_COUNTED_FLOPS},
    {TENSOR("fp16_bf16_tf32_dst_fp32"), 1, GB_COUNTED_FLOPS},
    {TENSOR("bf16_dst_fp32"), 1, GB_COUNTED_FLOPS},
    {TENSOR("tf32_dst_fp32"), 1, GB_COUNTED_FLOPS},
    {TENSOR("fp64"), 1, GB_COUNTED_FLOPS},
    {TENSOR("fp8"), 1, GB_COUNTED_FLOPS},
    {TENSOR("fp8_dst_fp16"), 1, GB_COUNTED_FLOPS},
    {TENSOR("fp8_dst_fp32"), 1, GB_COUNTED_FLOPS},
    {TENSOR("fp4_dst_fp32"), 1, GB_COUNTED_FLOPS},
    {TENSOR("fp4_fp6_dst_fp16"), 1, GB_COUNTED_FLOPS},
    {TENSOR("fp4_fp6_dst_fp32"), 1, GB_COUNTED_FLOPS},
    {TENSOR("fp4_fp6_fp8_dst_fp16"), 1, GB_COUNTED_FLOPS},
    {TENSOR("fp4_fp6_fp8_dst_fp32"), 1, GB_COUNTED_FLOPS},
    {"l1tex__t_bytes.sum", 1, GB_COUNTED_BYTES_L1},
    {"lts__t_bytes.sum", 1, GB_COUNTED_BYTES_L2},
    {"dram__bytes_read.sum", 1, GB_COUNTED_DRAM_READ},
    {"dram__bytes_write.sum", 1, GB_COUNTED_DRAM_WRITE},
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
        ret->kinds[ret->n++] = known[i].kind;
    }
}

void work_metrics_sum(const struct work_metrics *work, const double *values,
                      double sums[GB_COUNTED_KINDS], char *made_from, size_t bytes)
{
    size_t length = 0;
    size_t n_zero = 0;
    for (size_t i = 0; i < GB_COUNTED_KINDS; i++)
        sums[i] = NAN;
    for (size_t i = 0; i < work->n; i++) {
        double *sum = &sums[work->kinds[i]];
        const bool is_first = i == 0 || work->kinds[i] != work->kinds[i - 1];
        *sum = (is_first ? 0.0 : *sum) + work->weights[i] * values[i];
        n_zero += values[i] == 0.0;
        if (values[i] != 0.0 && length < bytes)
            length += (size_t)snprintf(made_from + length, bytes - length, "%s%g x %s",
                                       length > 0 ? " + " : "", work->weights[i], work->names[i]);
    }
    if (n_zero > 0 && length < bytes)
        snprintf(made_from + length, bytes - length, "%s%zu counters that read 0",
                 length > 0 ? " + " : "", n_zero);
}
