#!/usr/bin/env bash
# The schedule `tuned` of the benchmark padding is no slower than cuBLAS without TF32, for both problems of
# padding.ini.
. "$top_srcdir/tests/gpu/common.sh"
begin
head=$(few_samples 100 'device = cuda:0' 'rounds = 3' 'max_time = 10 s')
fine "all products are right" '[bench padding]' 'sweep.problem = dense, batched' 'sweep.schedule = tuned, cublas'
# Of a problem the least of the rounds' medians: of tuned, over that of cublas.
ratio_of()
{
    "$GBRUN" export results.gbr --group-by schedule --columns "min(median_ns)" --where "problem = '$1'" |
        awk -F, '$1 == "tuned" { tuned = $2 } $1 == "cublas" { cublas = $2 }
            END { if (tuned > 0 && cublas > 0) print tuned / cublas }'
}
for problem in dense batched; do
    ratio=$(ratio_of $problem)
    within "$problem: tuned takes ${ratio:-?} of the time of cuBLAS, at most 1" "" "$ratio" 1
done
finish
