#!/usr/bin/env bash
# numbers.sh - the figures that gbrun must keep on a GPU, measured on this machine's first one and
# printed with what is asked of them; they were set for an H200. make bench-gpu runs it, in the bundle
# it is started as it is. usage: numbers.sh [spin] [copy] [wall] [process] [streams]; all without one.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=${top_srcdir:-$here/../..}
gbrun=${GBRUN:-$top/bin/gbrun}
samples=${SAMPLES:-4000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
n_failed=0

# verdict NAME FIGURE UNIT LOW:HIGH: at least LOW and at most HIGH; either may be empty.
verdict()
{
    local word=ok
    if ! awk -v x="$2" -v low="${4%:*}" -v high="${4#*:}" \
        'BEGIN { exit !(x != "" && (low == "" || x >= low) && (high == "" || x <= high)) }' </dev/null; then
        word=MISSED
        n_failed=$((n_failed + 1))
    fi
    printf '%-58s %10s %-8s limit %-10s %s\n' "$1" "${2:--}" "$3" "$4" "$word"
}

# calculate EXPRESSION [FORMAT]: by awk, as %.3f.
calculate()
{
    awk "BEGIN { printf \"${2:-%.3f}\", $1 }" </dev/null
}

# measure LINE...: a configuration of these lines, into results.gbr; what went wrong is shown.
measure()
{
    rm -f results.gbr
    {
        printf '[policy many]\nplugin = fixed\nsamples = %s\n' "$samples"
        printf '[defaults]\npolicy = many\ndevice = cuda:0\nclock = kernel\nwarmup = 100 ms\niterations = 1\n'
        printf '%s\n' "$@"
    } >bench.ini
    if ! "$gbrun" -q -c bench.ini >table.txt 2>text.txt; then
        cat table.txt text.txt
        n_failed=$((n_failed + 1))
    fi
}

# rows COLUMNS [ARGUMENT]...: of each case one line.
rows()
{
    local columns=$1
    shift
    "$gbrun" export --format csv --columns "$columns" "$@" results.gbr | tail -n +2 | tr -d '\r'
}

# The kernel's own timer against the clock.
spin()
{
    local duration mean stdev inside
    measure '[bench spin]' 'sweep.duration = 1us, 5us, 50us, 500us'
    while IFS=, read -r duration mean stdev inside; do
        duration=$(calculate "$duration / 1000" %g)
        verdict "spin of $duration us: clock kernel above the kernel's own timer" \
            "$(calculate "($mean - $inside) / 1000")" us ":0.6"
        verdict "  standard deviation" "$(calculate "$stdev / 1000")" us ":0.06"
    done < <(rows duration,mean_ns,stdev_ns,metric.in_kernel)
}

copy()
{
    measure '[bench copy]' 'bytes = 1MiB' 'cache = cold'
    verdict "copy of 1 MiB, cold" "$(calculate "$(rows median_ns) / 1000")" us 2.0:2.2
}

# Wall time of a sample: from the start of measuring to the end of the last sample, over their number.
wall()
{
    local name cache limit median each label
    measure '[bench spin]' 'sweep.duration = 1us, 5us, 50us, 500us' 'sweep.cache = warm, cold' \
        '[bench copy]' 'bytes = 1MiB' 'sweep.cache = warm, cold'
    while IFS=, read -r label cache median; do
        case $cache in
        warm) limit=8 ;;
        *) limit=24 ;;
        esac
        median=$(calculate "$median / 1000")
        each=$("$gbrun" export --format csv --rows sample --where "label = '$label'" results.gbr |
            awk -F, '
                NR == 1 { for (i = 1; i <= NF; i++) if ($i == "elapsed_ns") column = i; next }
                { n++; last = $column }
                END { printf "%.3f", last / n / 1000 }')
        verdict "$label: wall time of a sample" "$each" us ":$(calculate "$limit + $median")"
    done < <(rows label,cache,median_ns)
}

# From the start of the process to its table.
process()
{
    local begin
    cat >copy.ini <<'INI'
[policy precise]
plugin = steady
precision = 0.5%
confidence = 95%
[bench copy]
device = cuda:0
policy = precise
cache = cold
sweep.bytes = 2^20, 2^22, 2^24, 2^26
INI
    : >times.txt
    while [ "$(grep -c . times.txt)" -lt 3 ]; do
        rm -f results.gbr
        begin=$(date +%s%N)
        "$gbrun" -c copy.ini >table.txt 2>text.txt || cat text.txt
        calculate "($(date +%s%N) - $begin) / 1e9" '%.3f\n' >>times.txt
    done
    cat table.txt
    printf '%-58s %10s s\n' "copy of 1, 4, 16, 64 MiB, cold, 0.5 %: the first process" "$(head -n 1 times.txt)"
    verdict "  median of three" "$(sort -n times.txt | sed -n 2p)" s ":1.5"
    # A step of the clock of 32 ns is 1.5 % of the smallest copy: no interval of it can be narrower.
    verdict "  cases within 0.5 %, or as near as the timer resolution lets it" \
        "$(rows verdict | grep -cE 'certified|resolution limited' || true)" cases "4:4"
}

# Each number of streams against what the times of its problems predict (docs/experiments/multistream.md).
streams()
{
    local n median predicted one_predicted one=
    rm -f results.gbr
    "$gbrun" -q -c "$top/conf/multistream.ini" -o results.gbr -s streams.device=cuda:0 >table.txt 2>text.txt ||
        cat table.txt text.txt
    while IFS=, read -r n median predicted; do
        [ -n "$one" ] || one=$median one_predicted=$predicted
        verdict "$n streams: $(calculate "$median / 1e6") ms, speed-up $(calculate "$one / $median" %.2f): off the prediction" \
            "$(calculate "100 * ($one / $median / ($one_predicted / $predicted) - 1)")" % "-1:1"
    done < <(rows streams,median_ns,predicted_time --sort streams)
    [ -n "$one" ] || verdict "streams" "" ms 0:
}

[ $# -gt 0 ] || set -- spin copy wall process streams
for name; do
    case $name in
    spin | copy | wall | process | streams) $name ;;
    *)
        echo "usage: numbers.sh [spin] [copy] [wall] [process] [streams]" >&2
        exit 2
        ;;
    esac
done
[ "$n_failed" = 0 ]
