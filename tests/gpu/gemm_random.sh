#!/usr/bin/env bash
# Right products are never found wrong: random ones over types, shapes with K up to 16384, ranges, layouts,
# kernels, orders of sums and seeds. GEMM_VERIFY_CASES is how many are drawn for each seed (560),
# GEMM_VERIFY_SEEDS names the seeds.
. "$top_srcdir/tests/gpu/common.sh"
begin
head=$(few_samples 1 'device = cuda:0' 'clock = event' 'iterations = 1')
n_drawn=${GEMM_VERIFY_CASES:-560}
seeds=${GEMM_VERIFY_SEEDS:-1 2 3 4}

# draw SEED: rows of a zip. A product whose sums leave the range of fp16, or that has more of them in fp16
# than a bound can be given for, is not drawn.
draw()
{
    awk -v seed="$1" -v n_rows="$n_drawn" '
        function below(n)
        {
            state = state * 16807 % 2147483647
            return int(state / 2147483647 * n)
        }
        function one_of(words, list, n)
        {
            n = split(words, list, " ")
            return list[1 + below(n)]
        }
        BEGIN {
            largest["r0"] = 1; largest["r1"] = 10; largest["r4"] = 5; largest["r5"] = 10
            largest["\"-3..-1|1..3\""] = 3; largest["-0.02..0.02"] = 0.02
            state = seed * 7919 + 1
            for (i = 0; i < 10; i++)
                below(2)
            for (row = 1; row <= n_rows; row++) {
                k = 1 + below(2 ^ below(15))
                most = k > 1024 ? 40 : 150
                kernel = one_of("cuda cuda cuda cuda cuda tensor tensor tensor tensor cublas")
                dtype = one_of("fp16 bf16 tf32 fp64 int8 " \
                    (kernel == "cublas" ? "fp32" : kernel == "tensor" ? "fp8_e4m3 fp8_e5m2" \
                                                                      : "fp32 fp8_e4m3 fp8_e5m2"))
                accumulate = "auto"
                if (below(3) == 0 && dtype == "fp16")
                    accumulate = "fp16"
                else if (below(3) == 0 && kernel == "cuda" && dtype != "fp64" && dtype != "int8")
                    accumulate = one_of("fp64 every4 every4_nearest")
                if (accumulate == "fp16")
                    k = 1 + k % 1000
                integral = below(5) == 0 || dtype == "int8" ? "yes" : "no"
                do
                    range = one_of("r0 r1 r4 r5 \"-3..-1|1..3\" -0.02..0.02")
                while ((dtype == "fp16" && k * largest[range] ^ 2 > 60000) ||
                       (integral == "yes" && largest[range] < 1))
                slices = kernel == "cublas" || below(3) > 0 ? 1 : 1 + below(k < 8 ? k : 8)
                printf "%s%s, %d, %d, %d, %s, %s, %s, %s, %d, %s", (row > 1 ? " |\n    " : ""), dtype,
                    1 + below(most), 1 + below(most), k, range, kernel, one_of("nn nt tn tt"),
                    accumulate, slices, integral
            }
        }'
}

for seed in $seeds; do
    measure '[gbrun]' "seed = $seed" '[bench gemm_verify]' \
        'zip.case = dtype, m, n, k, range, kernel, layout, accumulate, split_k, integral:' "    $(draw "$seed")"
    n_ok=$(column status "status = 'ok'" | grep -c .)
    all_fine "seed $seed: none of $n_ok right products is found wrong" 'ok,ok|skipped,[a-z]*'
    within "seed $seed: more than half of the products are measured" $((n_drawn / 2 + 1)) "$n_ok" ""
done
column kernel,dtype,status | sort | uniq -c | sed 's/^/# /'
finish
