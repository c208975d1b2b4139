#!/usr/bin/env bash
# The schedule `tuned` of the benchmark padding is no slower than cuBLAS without TF32, for both problems of
# padding.ini.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/gpu/common.sh"
need_gpu
cd "$TMPDIR" || exit 99

cat >padding.ini <<'INI'
[policy trials]
plugin = fixed
samples = 100
[defaults]
device = cuda:0
policy = trials
rounds = 3
max_time = 10 s
[bench padding]
plugin = padding
sweep.problem = dense, batched
sweep.schedule = tuned, cublas
INI

run padding.ini -o results.gbr
all_fine "all products are right"
# Of a problem the least of the rounds' medians: of tuned, over that of cublas.
ratio_of()
{
    "$GBRUN" export results.gbr --group-by schedule --columns "min(median_ns)" --where "problem = '$1'" |
        awk -F, '$1 == "tuned" { tuned = $2 } $1 == "cublas" { cublas = $2 }
            END { if (tuned > 0 && cublas > 0) print tuned / cublas }'
}
for problem in dense batched; do
    ratio=$(ratio_of $problem)
    succeeds "$problem: tuned takes ${ratio:-?} of the time of cuBLAS, at most 1" \
        awk -v ratio="${ratio:-2}" 'BEGIN { exit !(ratio <= 1) }'
done
finish
