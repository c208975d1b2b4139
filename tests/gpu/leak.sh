#!/usr/bin/env bash
# A thousand cases in one worker: neither the device's memory nor the process grows.
. "$top_srcdir/tests/gpu/common.sh"
begin
need_module cuda_kernels
few_bytes=$((8 * 1048576))

# What a case takes is given back: if it were not, no GPU had enough for all of them.
head=$(few_samples 2 'iterations = 1' 'device = cuda' 'time_limit = 60 s')
measure '[bench kernels]' 'plugin = cuda_kernels' 'kind = empty' 'bytes = 1GiB' 'sweep.number = 1:1000'
equals "1,000 cases that take 2 GiB each" "1000 ok" \
    "$(column status "bench = 'kernels'" | uniq -c | awk '{ print $1, $2 }')"

# resident PID, device_used: in bytes; nothing if it cannot be told.
resident()
{
    awk '/^VmRSS/ { print $2 * 1024 }' "/proc/$1/status" 2>/dev/null
}
device_used()
{
    nvidia-smi --id=0 --query-gpu=memory.used --format=csv,noheader,nounits 2>/dev/null |
        awk '/^[0-9]+$/ { print $1 * 1048576 }'
}
# worker_of PID: its children. Other processes come and go meanwhile.
worker_of()
{
    local file text parent
    for file in /proc/[0-9]*/stat; do
        { read -r text <"$file"; } 2>/dev/null || continue
        read -r _ parent _ <<<"${text##*) }"
        [ "$parent" != "$1" ] || basename "${file%/stat}"
    done
}

# The same worker with many small cases of all kinds: looked at while it works.
few_samples 100 'device = cuda:0' 'time_limit = 60 s' '[bench cases]' 'plugin = cuda_kernels' 'duration = 20 us' \
    'sweep.number = 1:84' 'sweep.kind = spin, copy, fill, many, waits, empty' 'sweep.cache = warm, cold' >small.ini
n_cases=$((84 * 6 * 2))
"$GBRUN" -c small.ini >table.txt 2>text.txt &
pid=$!
: >seen.txt
while kill -0 $pid 2>/dev/null; do
    n_done=$(grep -ac '^[0-9]*/[0-9]*  ' text.txt)
    if [ "$n_done" -ge $((n_cases / 5)) ]; then
        for worker in $(worker_of $pid); do
            seen="$n_done $worker $(resident "$worker") $(device_used)"
            # What was read while it ended does not count.
            [ ! -e "/proc/$worker/stat" ] || echo "$seen" >>seen.txt
        done
    fi
    sleep 0.05
done
wait $pid
code=$?
all_fine "$n_cases small cases"
number_of_cases $n_cases
if [ "$(grep -c . seen.txt)" -lt 4 ]; then
    skip "one worker had all of them" "the run was over before it was looked at"
else
    equals "one worker had all of them" 1 "$(awk '{ print $2 }' seen.txt | sort -u | grep -c .)"
    # Growth from the first look to the last, of the least seen in each half, in bytes.
    growth()
    {
        awk -v column="$1" '
            NF >= column { value[++n] = $column }
            END {
                for (i = 1; i <= n; i++) {
                    half = i > n / 2
                    if (!(half in least) || value[i] < least[half])
                        least[half] = value[i]
                }
                print (n > 3 ? least[1] - least[0] : "unknown")
            }' seen.txt
    }
    within "the process did not grow" "" "$(growth 3)" "$few_bytes" "$(cat seen.txt)"
    device=$(growth 4)
    if [ "$device" = unknown ]; then
        skip "the device's memory did not grow" "no nvidia-smi that tells"
    else
        within "the device's memory did not grow" "" "$device" "$few_bytes" "$(cat seen.txt)"
    fi
fi
finish
