#!/usr/bin/env bash
# The examples for GPUs, docs/examples/, are measured and right; saxpy.so was built beside the bundle.
. "$top_srcdir/tests/gpu/common.sh"
begin
cp "$top_srcdir"/docs/examples/* .
export XDG_CACHE_HOME=$TMPDIR/cache

# example NAME CASES: it is measured, and all results were compared with a reference.
example()
{
    run "$1.ini" -o results.gbr --rounds 1 -s defaults.max_time='1 s'
    all_fine "$1 is measured"
    number_of_cases "$2"
    equals "$1 is right" ok "$(column verified | sort -u)"
}
example cu_memset 6
example launches 6
if "$GBRUN" list plugins | grep -qw kernel; then
    example transpose 9
    run vector_add.ini -o results.gbr --rounds 1
    all_fine "vector_add is searched"
    equals "its best is one of 29" 1 "$("$GBRUN" search | grep -c 'best of all 29 cases')"
    run l2_distance.ini -o results.gbr --rounds 1 --where 'unit % 12 = 0'
    all_fine "l2_distance is measured, of one multiprocessor in twelve"
    number_of_cases 44
    equals "the L2 cache is 50 to 1000 ns away, for each line" "0 1 2 3" "$(column line,median_ns | awk -F, '
        $2 > 4096 * 50 && $2 < 4096 * 1000 { seen[$1] = 1 } END { for (line in seen) print line }' | sort | xargs)"
fi
if cp "$top_builddir/packaging/bundle/saxpy.so" . 2>/dev/null; then
    example saxpy 6
    equals "saxpy is right to one unit in the last place" "ulp" "$(column check_metric | sort -u)"
    equals "its work is declared" "2097152,8388608,4194304" \
        "$(column flops,bytes_read,bytes_written 'n = 1048576' | sort -u)"
else
    skip "saxpy is measured" "it was not built, as there was no nvcc"
fi
finish
