#!/usr/bin/env bash
# What documents tell users to type is right: the commands at the heads of conf/*.ini run (lines that begin
# with three blanks and `gbrun`; one that begins with more goes on with the line before), with little
# work in each case, so do those of the documents on the same results, and columns that are spoken of exist.
. "$top_srcdir/tests/tap.sh"
cp "$top_srcdir"/conf/* "$TMPDIR" && cd "$TMPDIR" && mkdir bin || exit 99
printf '#!/bin/sh\nexec "%s" "$@"\n' "$GBRUN" >bin/gbrun
chmod +x bin/gbrun
PATH=$TMPDIR/bin:$PATH
has_cuda=$(gbrun list plugins | grep -c '^device *cuda ')

# What makes a file's run short. Without `device` it is on the CPU: those that have one are for GPUs.
# Where there is none, their cases fail, which leaves a file with their columns as well.
printf '[device cpu]\nflush = 64KiB\n[defaults]\npolicy = fixed\nmin_samples = 1\nmax_samples = 2\nwarmup = 0\n' >"$TMPDIR/short"
short="-q -c '$TMPDIR/short'"
# Kernels that gbrun check has compiled already are not compiled again where no GPU runs them.
with=()
if [ "$(gbrun list devices 2>/dev/null | grep -c '^cuda:0 ')" = 0 ]; then
    mkdir no_nvrtc && ln -s "$top_builddir/plugins/bench_nop/.libs/bench_nop.so" no_nvrtc/libnvrtc.so.13
    with=(env "LD_LIBRARY_PATH=$TMPDIR/no_nvrtc")
fi
less_work()
{
    case $1 in
    call_cublas | kernel | multistream_axes | nccl) echo "-s defaults.device=cuda" ;;
    bench) echo "-s streams.aligned=64 -s copy.sweep.bytes=16KiB:4MiB:x16" ;;
    call) echo "-s strlen.sweep.size=1Ki -s memcpy.sweep.size=4Ki -s qsort.sweep.n=100 -s dgemm.sweep.n=32" ;;
    ceilings) echo "-s bandwidth.sweep.roof=l1_copy,shared_read -s rates.sweep.roof=fp32_fma -s one_cpu.sweep.roof=fp64_fma" ;;
    convolution) echo "-s 'ranges.only=n = 4' -s 'layers.zip.layer=c, h, k, r, stride, pad: 8, 7, 8, 3, 1, 1'" ;;
    demo) echo "-s streams.aligned=64 -s half.n=64 -s half.k=64 -s padding.m=60 -s padding.n=64 -s padding.k=30" ;;
    fp16) echo "-s 'ranges.only=m = 1000' -s 'references.zip.shape=m, n, k: 64, 49, 32'" \
        "-s \"types.only=layout = 'nn'\" -s subnormals.n=64 -s types.m=40 -s types.k=64" ;;
    multistream) echo "-s streams.aligned=64 -s streams.rounds=2" ;;
    padding) echo "-s dense.m=60 -s dense.n=64 -s dense.k=30 -s batched.batch=4" ;;
    padding_sizes) echo "-s sizes.n=64 -s sizes.k=30 -s 'sizes.only=t < 30'" ;;
    recordings) echo "-s gbrun.rounds=1 -s streams.aligned=64 -s padding.m=60 -s padding.n=64 -s padding.k=30" \
        "-s histogram.n=64Ki -s 'copy.zip.place=bytes, cache: 4KiB, warm'" ;;
    triton) echo "-s defaults.device=cuda -s add.sweep.n=2^16 -s softmax.sweep.columns=256 -s matmul.sweep.n=512 -s 'matmul.only=warps <= 4'" ;;
    tune) echo "-s defaults.device=cuda -s tuned.sweep.tile_m=192 -s tuned.sweep.tile_n=192 -s tuned.sweep.tile_k=16" \
        "-s tuned.sweep.blocks=1 -s tuned.sweep.stages=3 -s tuned.sweep.serpentine=BY_ROWS -s tuned.sweep.swizzle=1" ;;
    roofline) echo "-s bandwidth.sweep.roof=l1_copy -s rates.sweep.roof=fp32_fma -s elementwise.n=64Ki -s pooling.n=64Ki" \
        "-s 'gemm_cpu.only=size <= 64' -s 'gemm.only=size <= 64' -s 'copy.only=bytes <= 1048576' -s linear.m=64" ;;
    esac
}

head_of()
{
    sed '/^;/!q' "$1" | sed -n 's/^;//p'
}

# The commands of a head, one a line.
commands_of()
{
    head_of "$1" | awk '
        /^    / && command { sub(/^ +/, " "); command = command $0; next }
        command { print command; command = "" }
        /^   gbrun / { command = substr($0, 4) }
        END { if (command) print command }'
}

# A command that reads results: it succeeds, and there is something to be seen.
reads()
{
    local output status file
    output=$(bash -euo pipefail -c "$1" 2>&1)
    status=$?
    file=$(sed -n 's/.* -o \([^ ]*\).*/\1/p' <<<"$1")
    if [[ $1 = *.p[nd][gf]* ]] && ! command -v rsvg-convert >/dev/null; then
        skip "$1" "rsvg-convert is not installed"
    elif [ "$status" != 0 ] || [[ $output = *"no case"* && $1 != "gbrun search "* ]] || { [ -n "$file" ] && [ ! -s "$file" ]; }; then
        fail "$1" "exit status $status" "$output"
    else
        pass "$1"
    fi
}

for file in *.ini; do
    name=${file%.ini}
    if [ "$has_cuda" = 0 ] && grep -qE '^(device|plugin) = (cuda|kernel|nccl)|peer' "$file"; then
        skip "conf/$file" "the device cuda was not built"
        continue
    fi
    succeeds "conf/$file is right" gbrun check -c "$file"
    less=$(less_work "$name")
    [[ $less = *device* ]] || less+=" -s defaults.device=cpu"
    commands_of "$file" | grep -q "^gbrun -c $file" || fail "the head of conf/$file says how to run it" "$(head_of "$file")"
    while IFS= read -r command; do
        if [[ $command != "gbrun -c "* ]]; then
            reads "$command"
        elif output=$("${with[@]}" bash -c "${command%% #*} $short $less" 2>&1) || [ $? = 1 ]; then # 1: a case failed, as some are meant to
            pass "conf/$file: $command"
        else
            fail "conf/$file: $command" "$output"
        fi
    done < <(commands_of "$file")
    # Settings that its head speaks of: `-s KEY=VALUE`.
    while IFS= read -r words; do
        succeeds "conf/$file with $words" bash -c "gbrun check -c $file $words"
    done < <(head_of "$file" | grep -o '`-s [^`]*`' | tr -d '`')
done

# The documents, about results that are here now; what comes first makes them or has other tests.
while IFS= read -r command; do
    read -r _ _ results _ <<<"$command"
    [ ! -f "$results" ] || reads "${command%%  #*}"
done < <(cd "$top_srcdir" && grep -hE '^gbrun (show|export|report|replay) [a-z0-9_]+\.gbr' README.md docs/*.md \
    docs/experiments/*.md)

# Columns that documents speak of: what can be nothing else, such as an option. docs/results.md has the stored
# ones, docs/plugins.md members of structs, docs/compare.md and docs/library.md those of answers.
for results in *.gbr; do
    gbrun export "$results" --limit 1 | head -n 1
    gbrun export "$results" --rows sample | head -n 1
done | tr ',' '\n' | sed 's/^metric\.//' | sort -u >columns.txt
for topic in columns 'plugin command'; do
    # shellcheck disable=SC2086 # words
    "$GBRUN" help --markdown $topic
done | grep -oE '^\| `[a-z_]+`' | tr -d '|` ' >>columns.txt
spoken_of()
{
    find "$top_srcdir/README.md" "$top_srcdir/docs" -name '*.md' ! -path '*/reference/*' \
        ! -name results.md ! -name plugins.md ! -name compare.md ! -name library.md \
        -exec grep -ohE '`[a-z]+_(ns|hz|celsius|watts|joules|per_s|ratio|reasons|name|source)`' {} + |
        tr -d '`' | sort -u
}
if [ "$has_cuda" = 0 ]; then
    skip "columns that are spoken of exist" "the device cuda was not built"
else
    equals "columns that are spoken of exist" "" "$(spoken_of | grep -vxFf columns.txt)"
fi
[ "$(spoken_of | wc -l)" -gt 5 ] || fail "columns that are spoken of are found" "$(spoken_of)"

# A word that stands over a column of a table is a column, or it is said which one is meant.
for word in median interval samples 'stop reason' GFLOP/s GB/s 'M items/s' model 'rel. IQR' check status; do
    output=$(gbrun show bench.gbr --columns "$word" 2>&1) || output=$(gbrun show results.gbr --columns "$word" 2>&1)
    equals "the table's word '$word' leads to a column" "" "$(grep 'did you mean\|expected a parameter' <<<"$output")"
done

# COLUMNS, of the manual page: a table's width where the output is no terminal.
width_of()
{
    gbrun show results.gbr | awk '/^bench / { print length($0) }'
}
succeeds "a table is as wide as it is without COLUMNS" test "$(width_of)" -gt 60
succeeds "COLUMNS is how wide it is" test "$(COLUMNS=60 width_of)" -le 60
finish
