#!/usr/bin/env bash
# The clock kernel against the truth: kernels whose blocks store when they began and ended, products of
# libraries against events, and kernels that grow by less than the timer's step.
. "$top_srcdir/tests/gpu/common.sh"
begin
need_module truth

# --- What a clock reads is longer than the kernel's own time, by the same for all kernels ---

equals "kernels are measured by all clocks" "" "$(sides kernel event record)"
# The span ends when the last block has sent off its stores, the reading when they have arrived and the
# kernel's end has been noticed. What is launched in the stream is read by events, which are not as sharp.
while read -r _ kernel cache _ above launched; do
    most=1.05
    [ "$launched" != stream ] || most=2.5
    within "$kernel, $cache: 0.5 to $most us above its own time" 0.5 "$above" $most "launched: $launched"
done < <(grep '^kernel ' sides.txt)
equals "what is several kernels is launched in the stream, all else as a graph" "fork graph" \
    "$(awk '$1 == "kernel" && $6 != "graph" && !seen[$2]++ { print $2 }' sides.txt | sort | xargs)"
for cache in warm cold; do
    read -r _ _ difference which <<<"$(range_of_sides "$cache")"
    within "$cache: kinds of kernels differ by less than 0.25 us" "" "$difference" 0.249 "$which"
done
equals "as many kernels as there are, warm and cold" 46 "$(grep -c '^kernel ' sides.txt)"
table_of_sides | sed 's/^/# /'
sed 's/^/# /' notes.kernel.txt

# --- Products of libraries, whose kernels stamp nothing, against events ---

both='zip.way = clock, launch: kernel, auto | event, stream'
few_samples 400 'device = cuda' 'warmup = 20 ms' '[gbrun]' 'rounds = 3' >products.ini
cat >>products.ini <<INI
[bench plain]
$both
plugin = truth_plain
zip.kernel = kind, blocks, bytes: empty, 1, 4KiB | spin, 1, 4KiB | copy4, 1, 1MiB | copy4, 1, 64MiB
[bench gemm_verify]
$both
m = 1024
n = 1024
k = 1024
reference = gpu
zip.what = kernel, dtype: cublas, fp16 | cublas, bf16 | cublas, fp32 | tensor, fp16 | tensor, bf16 |
    tensor, int8 | cuda, fp32
[bench split_k]
$both
plugin = gemm_verify
m = 256
n = 256
k = 8192
reference = gpu
kernel = tensor
split_k = 8
[bench padding]
$both
sweep.schedule = tuned, cublas
[bench cublas_lt]
$both
plugin = ceilings
method = cublas
size = 1024
sweep.roof = fp16_tensor, bf16_tensor, tf32_tensor
[bench mma]
$both
plugin = ceilings
method = mma
roof = bf16_tensor
INI
run products.ini -q
equals "products: all cases are measured" "" \
    "$(column status,label,status_text "status not in ('ok', 'skipped')")"
# What a product is called, and by each clock the median of its rounds.
rows --columns label,clock,estimate_ns --rows combined --where "status = 'ok'" | awk -F, '
    {
        name = $1
        gsub(/ (clock|launch)=[a-z]*/, "", name)
        gsub(/ /, ":", name)
        ns[name, $2] = $3
        if (!(name in seen)) { seen[name] = 1; order[++n] = name }
    }
    END {
        for (i = 1; i <= n; i++)
            print order[i], ns[order[i], "kernel"] + 0, ns[order[i], "event"] + 0
    }' >products.txt
# The median of what events read more of kernels that are known.
constant=$(awk '/^plain/ { print $3 - $2 }' products.txt | median)
echo "# events read $constant ns more than the clock kernel"
while read -r name kernel event; do
    off=$(awk -v kernel="$kernel" -v event="$event" -v constant="$constant" \
        'BEGIN { printf "%.0f", kernel - (event - constant) }' </dev/null)
    printf '# %-34s kernel %10.3f us, event less its constant off by %.3f us\n' "$name" \
        "${kernel}e-3" "$((-off))e-3"
    # Each clock has a case of its own, whose arrays lie elsewhere: that alone is up to 1.5 %.
    most=$(awk -v kernel="$kernel" 'BEGIN { print (kernel > 0 ? 500 + 0.015 * kernel : -1) }' </dev/null)
    within "$name: as events less their constant, to 0.5 us and 1.5 %" "" "${off#-}" "$most" \
        "kernel $kernel ns, event $event ns, constant $constant ns"
done < <(grep -v '^plain' products.txt)
within "three products or more were compared" 3 "$(grep -vc '^plain' products.txt)" "" "$(cat products.txt text.txt)"

# --- A staircase: kernels that grow by less than the timer's step ---

# stairs FILE DEVICE SAMPLES STEPS: chains of so many steps, into FILE, each a line: cycles, which the
# kernel counts, estimate, offset and its error, and the clock's rate.
stairs()
{
    few_samples "$3" "device = $2" 'clock = kernel' 'warmup = 20 ms' '[device coarse]' 'plugin = cuda' \
        'timer_step = 1024 ns' '[bench stairs]' 'plugin = truth' 'kind = chain' "spans = $3" "sweep.steps = $4" \
        >stairs.ini
    run stairs.ini -q
    column metric.span,estimate_ns,offset_ns,offset_error_ns,clock_end_hz | tr , ' ' >"$1"
}

# line FILE WHAT: a straight line through cycles and WHAT, an expression of awk: how many cases there are,
# how far the worst is off the line, its slope and the mean step in ns.
line()
{
    awk '
        { n++; x[n] = $1; y[n] = '"$2"'; sx += x[n]; sy += y[n] }
        END {
            for (i = 1; i <= n; i++) {
                xx += (x[i] - sx / n) ^ 2
                xy += (x[i] - sx / n) * (y[i] - sy / n)
            }
            slope = xx > 0 ? xy / xx : 0
            for (i = 1; i <= n; i++) {
                off = y[i] - sy / n - slope * (x[i] - sx / n)
                off = off < 0 ? -off : off
                worst = off > worst ? off : worst
            }
            printf "%d %.3f %.5f %.3f\n", n, worst, slope, (n > 1 ? slope * (x[n] - x[1]) / (n - 1) : 0)
        }' "$1"
}

# A GPU whose clock changes by one step between two kernels bends the line by 4 ns: tried again.
for attempt in 1 2 3; do
    stairs fine.txt cuda 4096 100:140
    read -r n worst cycle step < <(line fine.txt '$2')
    ! is_within 0.001 "$worst" 1 || break
    echo "# staircase $attempt: at most $worst ns off the line"
done
all_fine "staircase: all kernels"
number_of_cases 41
echo "# staircase: $n steps of $step ns, a cycle is $cycle ns, at most $worst ns off the line"
within "staircase: steps are less than the timer's" 1.001 "$step" 31.999 "$(head fine.txt)"
hertz=$(awk '{ print $5 }' fine.txt | median)
within "staircase: estimates lie on a straight line to 1 ns" 0.001 "$worst" 1 "$(cat fine.txt)"
within "staircase: its slope is a cycle of the clock" 0.9901 \
    "$(awk -v cycle="$cycle" -v hertz="$hertz" 'BEGIN { print cycle * hertz / 1e9 }' </dev/null)" 1.0099 \
    "$cycle ns at $hertz Hz"

# --- The same where the timer has steps of 1,024 ns, of kernels of about 5 us ---

# Of 65,536 readings the mean has a standard error of 2 ns at most.
steps='400, 410, 420, 430, 440'
stairs exact.txt cuda 4096 "$steps"
all_fine "coarse staircase: all kernels, with the timer as it is"
stairs coarse.txt coarse 65536 "$steps"
all_fine "coarse staircase: all kernels"
number_of_cases 5
# The offset may be measured again between cases, so that it is taken out.
read -r n worst cycle step < <(line coarse.txt '$2 + $3')
echo "# coarse staircase: $n steps of $step ns, a cycle is $cycle ns, at most $worst ns off the line"
within "coarse staircase: estimates lie on a straight line to 8 ns" 0.001 "$worst" 8 "$(cat coarse.txt)"
wrong=$(paste -d ' ' exact.txt coarse.txt | awk '
    { off = $7 - $2; if (NF == 10 && $9 > 0 && off <= 8 + $9 && off >= -8 - $9) next }
    { print "exact " $2 " ns, coarse " $7 " ns, error of its offset " $9 " ns" }')
equals "coarse staircase: estimates are those of the timer as it is, to 8 ns and the offset's error" \
    "" "$wrong"
paste -d ' ' exact.txt coarse.txt |
    awk '{ printf "# %s cycles: %.2f ns, coarse %.2f ns (offsets %.2f, %.2f +- %.2f)\n", $1, $2, $7, $3, $8, $9 }'
finish
