#!/usr/bin/env bash
# numbers.sh - the figures that gbrun must keep on a GPU, measured on this machine's first one and
# printed with what is asked of them; they were set for an H200. make bench-gpu runs it, in the bundle
# it is started as it is.
# usage: numbers.sh [PART]...; all of them without one:
#   spin     the clock kernel against a kernel's own timer
#   copy     a copy of 1 MiB
#   sides    kernel, event and record side by side, against kernels' own times      (1 minute)
#   ends     what a reading has beyond a kernel's own time: stores under way, blocks to be counted
#   wall     what a sample costs beyond its kernel
#   range    28 kernels in ten processes                                            (2 minutes)
#   rounds   the same with rounds = 5                                               (8 minutes)
#   process  the copy in four sizes to 0.5 % and 1 %: time of ten processes
#   anatomy  what the time of a case and of a call from Python goes to; not without its name
#   devices  the same cases on one GPU, on each of all side by side, and shared by them; not without its name
# PROCESSES=3 takes three of them in place of ten, SAMPLES=1000 as many for each median. KEEP=FILE, an
# absolute path, keeps what the processes of range or rounds measured and judges it with what was kept
# there before, so that ten processes can be two calls of five.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=${top_srcdir:-$here/../..}
export GBRUN=${GBRUN:-$top/bin/gbrun}
samples=${SAMPLES:-4000}
processes=${PROCESSES:-10}
GBRUN_PLUGIN_PATH=$top/tests/modules
[ -z "${top_builddir-}" ] || GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs
GBRUN_PLUGIN_PATH=$(cd "$GBRUN_PLUGIN_PATH" && pwd)
export GBRUN_PLUGIN_PATH
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$here/common.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# begin_with SAMPLES LINE...: the head of a configuration for the first GPU by the clock kernel.
begin_with()
{
    few_samples "$1" 'device = cuda:0' 'clock = kernel' "${@:2}"
}

# measure LINE...: these lines, into results.gbr; what went wrong is shown.
measure()
{
    begin_with "$samples" 'warmup = 100 ms' 'iterations = 1' "$@" >bench.ini
    run bench.ini -q
    shows_failure
}

# shows_failure: of the last run, if it failed; that counts.
shows_failure()
{
    [ "$code" != 0 ] || return 0
    cat table.txt text.txt
    n_failed=$((n_failed + 1))
}

# The kernel's own timer against the clock.
spin()
{
    local duration mean stdev inside
    measure '[bench spin]' 'sweep.duration = 1us, 5us, 50us, 500us'
    while IFS=, read -r duration mean stdev inside; do
        duration=$(calculate "$duration / 1000" %g)
        verdict "spin of $duration us: clock kernel above the kernel's own timer" \
            "$(calculate "($mean - $inside) / 1000")" us "0.5:1.0"
        verdict "  standard deviation" "$(calculate "$stdev / 1000")" us ":0.06"
    done < <(column duration,mean_ns,stdev_ns,metric.in_kernel)
}

copy()
{
    measure '[bench copy]' 'bytes = 1MiB' 'cache = cold'
    verdict "copy of 1 MiB, cold" "$(calculate "$(column median_ns) / 1000")" us 2.0:2.2
}

# The clocks side by side: what each reads more than the kernel knows of itself; truth.sh judges it.
sides_of_clocks()
{
    SAMPLES=512 sides kernel event record
    table_of_sides
}

# What the clock reads beyond kernels' own times: with blocks that end when they have sent off their stores, with blocks
# that wait for these, and of the same kernels without stamps, which take less, as stamps are stores, too.
ends()
{
    local kernels='zip.kernel = kind, blocks, threads, bytes, duration:
        empty, 1, 256, 4KiB, 0 | empty, 132, 256, 4KiB, 0 | empty, 1056, 256, 4KiB, 0 | empty, 16384, 256, 4KiB, 0 |
        empty, 131072, 256, 4KiB, 0 | empty, 1000000, 256, 4KiB, 0 | empty, 1056, 32, 4KiB, 0 |
        empty, 16384, 32, 4KiB, 0 | empty, 131072, 32, 4KiB, 0 | empty, 1000000, 32, 4KiB, 0 |
        spin, 131072, 32, 4KiB, 1us | spin, 131072, 32, 4KiB, 2us | spin, 131072, 32, 4KiB, 3us |
        spin, 131072, 32, 4KiB, 4us | stores, 1, 256, 4KiB, 0 | stores, 132, 256, 1MiB, 0 |
        stores, 1056, 256, 2MiB, 0 | stores, 1056, 256, 16MiB, 0 | stores, 1056, 256, 64MiB, 0 |
        copy, 1, 256, 1MiB, 0 | copy, 1, 256, 64MiB, 0 | copy4, 1, 256, 64MiB, 0 | transpose, 1, 256, 64MiB, 0 |
        reduce, 1056, 256, 64MiB, 0 | fma, 131072, 256, 4KiB, 0 | atomics, 65536, 256, 4KiB, 0 |
        registers, 1056, 256, 4KiB, 0 | shared, 528, 256, 4KiB, 0 | cluster, 1056, 256, 4KiB, 0 |
        cooperative, 132, 256, 4KiB, 0'
    begin_with "${SAMPLES:-512}" 'warmup = 10 ms' '[bench stamped]' 'plugin = truth' "spans = ${SAMPLES:-512}" \
        'sweep.fence = no, yes' "$kernels" '[bench plain]' 'plugin = truth_plain' "$kernels" >ends.ini
    run ends.ini -q
    shows_failure
    column bench,kind,blocks,threads,bytes,duration,fence,mean_ns,metric.span_mean | awk -F, '
        {
            name = $2 ($3 > 1 ? ":" $3 : "") ($2 == "empty" ? " of " $4 : "") ($5 > 4096 ? ":" $5 / 1048576 "MiB" : "")
            name = name ($6 > 0 ? " " $6 / 1000 "us" : "")
            if (!(name in seen)) { seen[name] = 1; order[++n] = name }
            way = $1 == "plain" ? "plain" : $7 ~ /1|yes/ ? "yes" : "no"
            reading[name, way] = $8 / 1000
            own[name, way] = $9 / 1000
        }
        END {
            printf "%-26s%10s%10s%12s%10s%10s\n", "us", "own time", "above", "waits: own", "above", "plain"
            for (i = 1; i <= n; i++) {
                k = order[i]
                printf "%-26s%10.3f%10.3f%12.3f%10.3f%10.3f\n", k, own[k, "no"], reading[k, "no"] - own[k, "no"],
                    own[k, "yes"], reading[k, "yes"] - own[k, "yes"], reading[k, "plain"]
            }
        }' | tee ends.txt
    verdict "blocks that work and wait for their stores: at most above" \
        "$(awk 'NR > 1 && !/^empty| [12]us/ && $(NF - 1) > most { most = $(NF - 1) } END { print most }' ends.txt)" \
        us 0.5:0.95
    # As many as fit have ended and are counted one by one.
    verdict "empty blocks: at most above less 0.6 ns for each of them" "$(
        awk -v units="$("$GBRUN" list devices --format csv | tr -d '\r' | awk -F, '$1 == "cuda:0" { print $3 }')" '
            /^empty/ {
                split($1, name, ":")
                threads = $3
                n = name[2] > 1 ? name[2] : 1
                fit = units * (threads < 64 ? 32 : 2048 / threads)
                left = $(NF - 3) - 0.0006 * (n < fit ? n : fit)
                if (left > most) most = left
            }
            END { print most }' ends.txt)" us 0.2:0.85
}

# What a sample costs beyond its kernel: from the start of measuring to the end of the last sample, over
# their number.
wall()
{
    local cache limit median each label
    measure '[bench spin]' 'sweep.duration = 1us, 5us, 50us, 500us' 'sweep.cache = warm, cold' \
        '[bench copy]' 'bytes = 1MiB' 'sweep.cache = warm, cold'
    while IFS=, read -r label cache median; do
        case $cache in
        warm) limit=2 ;;
        *) limit=18 ;;
        esac
        each=$("$GBRUN" export --format csv --rows sample --where "label = '$label'" results.gbr |
            awk -F, '
                NR == 1 { for (i = 1; i <= NF; i++) if ($i == "elapsed_ns") column = i; next }
                { n++; last = $column }
                END { printf "%.3f", last / n }')
        verdict "$label: cost of a sample beyond its kernel" \
            "$(calculate "($each - $median) / 1000")" us ":$limit"
    done < <(column label,cache,median_ns)
}

# 28 kernels in processes of their own; $1 rounds each. What comes out is spread.txt, for each kernel: range
# of the processes in %, range in ns, one of the times in ns, 1 if it was throttled, kernel.
spread()
{
    local i
    begin_with "${SAMPLES:-512}" 'warmup = 20 ms' '[gbrun]' "rounds = $1" >range.ini
    cat >>range.ini <<INI
[bench kernels]
plugin = truth_plain
zip.kernel = kind, blocks, bytes: empty, 1, 4KiB | empty, 132, 4KiB | empty, 131072, 4KiB | spin, 1, 4KiB |
    copy, 1, 1MiB | copy, 1, 4MiB | copy, 1, 64MiB | copy, 1, 256MiB |
    copy4, 1, 1MiB | copy4, 1, 4MiB | copy4, 1, 64MiB | copy4, 1, 256MiB |
    fma, 131072, 4KiB | reduce, 1056, 64MiB | atomics, 65536, 4KiB | shared, 528, 4KiB |
    transpose, 1, 64MiB | registers, 1056, 4KiB | cluster, 1056, 4KiB | cooperative, 132, 4KiB |
    $kernel_chains
[bench cold]
plugin = truth_plain
cache = cold
kind = copy4
sweep.bytes = 1MiB, 4MiB, 64MiB
[bench gelu]
plugin = elementwise
kernel = gelu
n = 4Mi
[bench product]
plugin = gemm_verify
m = 1024
n = 1024
k = 1024
reference = gpu
sweep.kernel = tensor, cublas
INI
    local all=${KEEP:-all.txt}
    [ -n "${KEEP-}" ] || : >all.txt
    for ((i = 0; i < processes; i++)); do
        run range.ini -q
        shows_failure
        rows --columns estimate_ns,n_throttled,label --rows combined >>"$all"
        echo >>"$all" # ends a process
    done
    # The label may hold commas.
    awk '
        NF == 0 { next }
        {
            split($0, cell, ",")
            x = cell[1]
            name = substr($0, length(cell[1]) + length(cell[2]) + 3)
            if (!(name in n)) { order[++n_names] = name; least[name] = x; most[name] = x }
            all[name, ++n[name]] = x
            if (x < least[name]) least[name] = x
            if (x > most[name]) most[name] = x
            if (cell[2] > 0) throttled[name] = 1
        }
        END {
            for (i = 1; i <= n_names; i++) {
                name = order[i]
                middle = all[name, int((n[name] + 1) / 2)]
                range = most[name] - least[name]
                printf "%.4f %.2f %.1f %d %s\n", 100 * range / middle, range, middle, throttled[name], name
            }
        }' "$all" >spread.txt
    awk '
        BEGIN { printf "%-44s %12s %10s %9s\n", "kernel", "us", "range us", "range %" }
        {
            name = $0
            sub(/^[^ ]* [^ ]* [^ ]* [^ ]* /, "", name)
            printf "%-44s %12.3f %10.3f %9.4f%s\n", name, $3 / 1000, $2 / 1000, $1, $4 ? " throttled" : ""
        }' spread.txt
    verdict "kernels in $(grep -c '^$' "$all") processes, rounds = $1" "$(grep -c . spread.txt || true)" kernels 28:28
}

# A step of the clock, 32 ns, is no difference.
range()
{
    spread 1
    verdict "range of the median kernel, in 0.1 % or steps of 32 ns" "$(awk '
        { steps = $2 / 32.5; parts = $1 / 0.1; print (steps < parts ? steps : parts) }' spread.txt | median)" "" :1
    verdict "  of the worst that is not within a step" "$(worst)" % :1.5
}

rounds()
{
    spread 5
    verdict "range of the worst that is not throttled nor within a step" "$(worst throttled)" % :0.5
}

# worst [throttled]: the largest range in % in spread.txt that is more than a step, but of those that
# were throttled.
worst()
{
    awk -v leaves_out="${1:+1}" '
        $2 > 32.5 && !(leaves_out && $4) && $1 > most { most = $1 }
        END { if (NR > 0) print most + 0 }' spread.txt
}

# certify PRECISION LIMIT: processes that measure the copy in four sizes, each from its start to its
# table; nine in ten take at most LIMIT seconds.
certify()
{
    local begin i
    cat >copy.ini <<INI
[policy precise]
plugin = steady
precision = $1
confidence = 95%
[bench copy]
device = cuda:0
policy = precise
cache = cold
sweep.bytes = 2^20, 2^22, 2^24, 2^26
INI
    : >times.txt
    for ((i = 0; i < processes; i++)); do
        begin=$(date +%s%N)
        run copy.ini
        calculate "($(date +%s%N) - $begin) / 1e9" '%.3f\n' >>times.txt
        shows_failure
    done
    cat table.txt
    printf '%-58s %10s s\n' "copy of 1, 4, 16, 64 MiB, cold, $1: the first process" "$(head -n 1 times.txt)"
    verdict "  nine in ten processes take at most" \
        "$(sort -n times.txt | sed -n "$(((9 * processes + 9) / 10))p")" s ":$2"
    # Where the clock is not dithered, no interval is narrower than its resolution.
    verdict "  cases within $1, or as near as the timer resolution lets it" \
        "$(column verdict | grep -cE 'certified|resolution limited' || true)" cases "4:4"
}

process()
{
    certify 0.5% 1.4
    certify 1% 1.0
}

# parts FILE: of its cases the one that took the median time, in ms: each phase, what of it devices and
# policies say, and what is left.
parts()
{
    "$GBRUN" replay --format jsonl -P 'steady without=wall_floor' "$1" >replayed.jsonl
    "$GBRUN" export --format jsonl "$1" | paste -d' ' - replayed.jsonl | awk '
        function of(name, line) {
            line = substr($0, index($0, "\"" name "\":") + length(name) + 3)
            sub(/[,}].*/, "", line)
            return line / 1e6
        }
        function spent(name, line) {
            line = $0
            return sub(".*\"text\":\"[^\"]*" name " ", "", line) ? line + 0 : 0
        }
        {
            own = of("mean_ns") * of("iterations") * of("n_samples") * 1e12
            elapsed = of("all_elapsed_ns")
            floors = substr($0, index($0, "\"all_elapsed_ns\""))
            sub(/.*"stopped_at":[^,]*,"elapsed_ns":/, "", floors)
            offset = spent("offset"); capture = spent("trials and capture")
            open = of("open_ns"); prepare = of("prepare_ns"); warm = of("warmup_ns")
            measured = of("measure_ns"); count = of("count_ns"); check = of("verify_ns"); wall = of("wall_ns")
            printf "%.3f|%.2f|%.2f|%.2f|%.2f|%.2f|%.2f|%.2f|%.2f|%.2f|%.2f|%.2f|%.2f\n", wall, open, prepare, offset,
                capture, warm - offset - capture, own, measured - own, elapsed - floors / 1e6, count, check,
                wall - open - prepare - warm - measured - count - check, wall
        }' | sort -g | awk '{ line[NR] = $0 } END { print line[int((NR + 1) / 2)] }'
}

# anatomy_of WORDS FILE: a line of the table.
anatomy_of()
{
    parts "$2" | awk -F'|' -v words="$1" '{
        printf "%-26s", words
        for (i = 2; i <= NF; i++) printf "%9s", $i
        printf "\n"
    }'
}

# The median of five cases in one worker, and of nine calls. "floors" is the part of the samples that only the least
# time of a certificate asks for.
anatomy()
{
    local name device plugin cache
    printf '%-26s' 'ms'
    printf '%9s' open prepare offset capture warm-up samples between floors count verify rest all
    echo
    for name in 'cuda spin warm' 'cuda spin cold' 'cpu nop warm'; do
        read -r device plugin cache <<<"$name"
        printf '%s\n' "[bench $plugin]" "device = $device" "cache = $cache" 'rounds = 1' \
            'sweep.seed = 1, 2, 3, 4, 5' "$([ "$plugin" = nop ] || echo 'duration = 5us')" >anatomy.ini
        run anatomy.ini -q
        shows_failure
        anatomy_of "$name" results.gbr
    done
    python3 -c 'import torch, gbrun' 2>/dev/null || return 0
    python3 - <<'PY'
import time
begin = time.perf_counter()
import gbrun
imported = time.perf_counter() - begin
import torch

def seconds(**settings):
    begin = time.perf_counter()
    gbrun.measure(lambda: torch.cuda._sleep(9000), rounds=1, **settings)
    return time.perf_counter() - begin

torch.cuda._sleep(9000)
torch.cuda.synchronize()
first = seconds()
plain, stored = (sorted(seconds(**s) for _ in range(9))[4] for s in ({}, {"results": "calls.gbr"}))
print(f"Python: import {1e3 * imported:.1f} ms, first call {1e3 * first:.1f}, further calls {1e3 * plain:.2f},"
      f" with a results file {1e3 * stored:.2f}")
PY
    anatomy_of 'a call of measure' calls.gbr
}

# run_beside WAY DEVICE DISTRIBUTE: cases.ini once more; its time in seconds, milliseconds of each phase of a visit and
# estimates of cases as lines that begin with WAY in times.txt, phases.txt and estimates.txt.
run_beside()
{
    local begin
    printf '%s\n' '[gbrun]' "distribute = $3" "$defaults" "device = $2" "$(cat cases.ini)" >bench.ini
    begin=$(date +%s%N)
    run bench.ini -q
    calculate "($(date +%s%N) - $begin) / 1e9" "$1 %.3f\n" >>times.txt
    shows_failure
    "$GBRUN" export --format jsonl results.gbr | awk -v way="$1" '
        function of(name, line) {
            line = substr($0, index($0, "\"" name "\":") + length(name) + 3)
            sub(/[,}].*/, "", line)
            return line / 1e6
        }
        {
            print way, of("open_ns"), of("prepare_ns"), of("warmup_ns"), of("measure_ns"), of("count_ns"), of("verify_ns"),
                of("wall_ns")
        }
        ' >>phases.txt
    rows --columns estimate_ns,label --rows combined | sed "s/^/$1,/" >>estimates.txt
}

# median_of WAY FILE: of the numbers behind WAY.
median_of()
{
    sed -n "s/^$1 //p" "$2" | median
}

# The same on one GPU, on each of all, and shared by all: of a known number of samples, and of what `steady` takes.
devices()
{
    local n i defaults way kind
    n=$(n_gpus)
    cat >cases.ini <<'INI'
[bench nop]
[bench spin]
duration = 20us
[bench copy]
sweep.bytes = 1MiB, 16MiB, 256MiB
[bench elementwise]
kernel = gelu
n = 4Mi
[bench gemm_verify]
m = 1024
n = 1024
k = 1024
reference = gpu
kernel = cublas
INI
    for kind in fixed steady; do
        rm -f times.txt phases.txt estimates.txt
        defaults='[defaults]'
        [ $kind = steady ] || defaults=$(few_samples 4000 'rounds = 4')
        for ((i = 0; i < (processes < 3 ? processes : 3); i++)); do
            run_beside one cuda:0 spread
            run_beside each cuda:all each
            run_beside shared cuda:all spread
        done
        printf '%-8s%10s%10s%10s%10s%10s%10s%10s%10s\n' $kind 'run s' 'visit ms' \
            open prepare warm-up measure count verify
        for way in one each shared; do
            awk -v way=$way -v seconds="$(median_of $way times.txt)" '
                $1 == way { n++; for (i = 2; i <= 8; i++) sum[i] += $i }
                END {
                    printf "%-8s%10.2f%10.1f", way, seconds, sum[8] / n
                    for (i = 2; i <= 7; i++) printf "%10.1f", sum[i] / n
                    printf "   %d visits\n", n
                }' phases.txt
        done
        verdict "$kind: the same cases on each of $n GPUs, times one GPU" \
            "$(calculate "$(median_of each times.txt) / $(median_of one times.txt)")" times :1.1
        verdict "  shared by them, times one GPU over $n" \
            "$(calculate "$n * $(median_of shared times.txt) / $(median_of one times.txt)")" times :1.5
    done
    awk -F, '{ label = $3; for (i = 4; i <= NF; i++) label = label "," $i }
        $1 == "one" { sum[label] += $2; n[label]++ }
        $1 == "each" { beside[label] += $2; m[label]++ }
        END {
            for (l in n)
                if (m[l])
                    printf "%-40s %12.1f ns, side by side %+.2f %%\n", l, sum[l] / n[l],
                        100 * (beside[l] / m[l] / (sum[l] / n[l]) - 1)
        }' estimates.txt
}

[ $# -gt 0 ] || set -- spin copy sides wall range rounds process
for name; do
    case $name in
    spin | copy | ends | wall | range | rounds | process | anatomy | devices) $name ;;
    sides) sides_of_clocks ;;
    *)
        sed -n '/^# usage/,/^set /s/^# //p' "$here/numbers.sh" >&2
        exit 2
        ;;
    esac
done
[ "$n_failed" = 0 ]
