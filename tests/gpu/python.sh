#!/usr/bin/env bash
# gbrun.py on a GPU: functions of PyTorch, Triton and CuPy read the same in every process; what fails leaves the
# process and its context usable; Triton's autotune takes do_bench from it.
. "$top_srcdir/tests/gpu/common.sh"
begin
need_triton
for library in "$top_builddir/.libs" "$top_srcdir/lib"; do
    [ ! -e "$library/libgbrun.so.0" ] || export GBRUN_LIBRARY=$library/libgbrun.so.0
done
export PYTHONPATH=$top_srcdir/python PYTHONDONTWRITEBYTECODE=1
processes=${PROCESSES:-5}

code=0
timeout 120 python3 -X faulthandler "$top_srcdir/tests/gpu/python.py" odd >odd.txt 2>errors.txt || code=$?
verdicts "" <odd.txt
equals "it comes to its end" "0" "$code$(grep -v "^  [A-Z]" errors.txt | tail -n 20)"

timeout $((60 + 30 * processes)) python3 "$top_srcdir/tests/gpu/python.py" times "$processes" >times.txt 2>errors.txt ||
    fail "all processes come to their ends" "$(tail -n 3 errors.txt)"
timeout 120 python3 "$top_srcdir/tests/gpu/python.py" others 2>errors.txt | sort >others.txt
# From the least to the most of all processes.
awk -F'|' '
    {
        n[$1]++
        n_certified[$1] += $6
        for (i = 2; i <= 8; i++) {
            if (n[$1] == 1 || $i < low[$1, i]) low[$1, i] = $i
            if (n[$1] == 1 || $i > high[$1, i]) high[$1, i] = $i
        }
    }
    END { for (name in n) printf "%s|%s|%.4f|%.4f|%.4f|%.4f|%.4f|%.4f|%s|%d|%d|%d\n", name, n[name], low[name, 2],
              high[name, 2], low[name, 3], high[name, 3], low[name, 5], high[name, 5], high[name, 4],
              n_certified[name], low[name, 7], high[name, 8] }' times.txt | sort >ranges.txt
while IFS='|' read -r name n cold_low cold_high warm_low warm_high their_low their_high kernels n_certified mhz_low mhz_high; do
    equals "$name: every process measured it" "$processes" "$n"
    echo "# $name ($kernels kernels, $n_certified certified): cold $cold_low to $cold_high us at $mhz_low to $mhz_high MHz," \
        "warm $warm_low to $warm_high, do_bench $their_low to $their_high," \
        "graph, Timer, profiler$(sed -n "s/^$name|/ /p" others.txt | tr '|' ' ')"
    within "$name: processes agree within 1 %" 1 "$(awk -v l="$cold_low" -v h="$cold_high" 'BEGIN { print h / l }')" 1.01
done <ranges.txt
awk -F'|' '{ printf "%.2f\n", 100 * ($4 / $3 - 1) }' ranges.txt | sort -n >agreement.txt
echo "# ranges, cold, %: $(xargs <agreement.txt)"
within "half of all functions within 0.4 %" "" "$(median <agreement.txt)" 0.4
finish
