#!/usr/bin/env bash
# README.md is true: the files in it compile and check, its commands run, its tables of options are
# the program's own. A comment before a block says what it is: `<!-- file: NAME -->`, to be written;
# `<!-- check: NAME -->`, a configuration to be checked; `<!-- run -->`, commands to be run;
# `<!-- nvcc -->`, commands to be run where the CUDA Toolkit is.
. "$top_srcdir/tests/tap.sh"
readme=$top_srcdir/README.md

# What the commands find: the program by its name, pkg-config's file as if gbrun were installed.
mkdir "$TMPDIR/bin" "$TMPDIR/pkgconfig" "$TMPDIR/here"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$GBRUN" >"$TMPDIR/bin/gbrun"
printf '#!/bin/sh\nexec %s "$@"\n' "${CC:-cc}" >"$TMPDIR/bin/cc"
printf '#!/bin/sh\nexec "%s" "$@"\n' "${NVCC:-nvcc}" >"$TMPDIR/bin/nvcc"
chmod +x "$TMPDIR/bin"/*
cat >"$TMPDIR/pkgconfig/gbrun.pc" <<PC
Name: gbrun
Description: headers in the source tree
Version: 0
Cflags: -I$top_srcdir/include
PC
PATH=$TMPDIR/bin:$PATH
PKG_CONFIG_PATH=$TMPDIR/pkgconfig
export PATH PKG_CONFIG_PATH
cd "$TMPDIR/here" || exit 99

# The commands on results are about a run of conf/bench.ini; here with samples that cost no time.
succeeds "conf/bench.ini is measured, with little work in each case" \
    gbrun -q -c "$top_srcdir/conf/bench.ini" -s defaults.policy=fixed -s defaults.max_samples=10 \
    -s defaults.warmup=0 -s streams.aligned=64 -s copy.bytes=4KiB

"$top_srcdir/tests/readme_blocks.sh" "$readme" "$TMPDIR/blocks" >"$TMPDIR/strays"
equals "each comment has its block" "" "$(cat "$TMPDIR/strays")"

n_blocks=0
for name in "$TMPDIR"/blocks/*.name; do
    block=${name%.name}
    n_blocks=$((n_blocks + 1))
    if [ -f "$block.file" ]; then
        cp "$block.file" "$(cat "$name")"
    elif [ -f "$block.check" ]; then
        cp "$block.check" "$(cat "$name")"
        succeeds "gbrun check accepts $(cat "$name")" gbrun check -c "$(cat "$name")"
    elif [ -f "$block.nvcc" ] && [ -z "${NVCC-}" ]; then
        skip "$(head -n 1 "$block.nvcc")" "configure found no nvcc"
    else
        while IFS= read -r command; do
            if [[ $command = sqlite3* ]] && ! command -v sqlite3 >/dev/null; then
                skip "$command" "there is no sqlite3"
            else
                succeeds "$command" bash -euo pipefail -c "$command"
            fi
        done < <(cat "$block".run "$block".nvcc 2>/dev/null)
    fi
done
equals "all blocks were found" 20 "$n_blocks"

equals "the first plugin was measured in each size" 4 \
    "$(gbrun export clear.gbr --where "status = 'ok' and n_samples > 0" --columns bytes | grep -c '^[0-9]')"
equals "the pivot has a column for each number of streams" \
    "$(seq -s, 16 | sed 's/\([0-9][0-9]*\)/\1 Streams/g; s/^1 Streams/1 Stream/')" \
    "$(head -n 1 streams.csv | tr -d '\r')"

# The plugin in CUDA C: on a machine without a GPU its case says why it was skipped.
if [ "$(wc -l <saxpy.cu)" -le 60 ]; then
    pass "saxpy.cu has at most 60 lines"
else
    fail "saxpy.cu has at most 60 lines" "$(wc -l <saxpy.cu)"
fi
if [ -f saxpy.so ]; then
    equals "saxpy.so is a benchmark for the device cuda" "runs on: cuda" \
        "$(gbrun help --plugin-path . saxpy | grep '^runs on')"
    gbrun -q -c saxpy.ini -s saxpy.n=1000 -o saxpy.gbr >saxpy.txt 2>&1
    saxpy=$(gbrun export saxpy.gbr --columns status,verified 2>&1 | tail -n +2 | tr -d '\r')
    if gbrun list devices 2>/dev/null | grep -q '^cuda:0 '; then
        equals "saxpy.so is measured and right" "ok,ok" "$(printf '%s\n' "$saxpy" | sort -u)"
    else
        equals "without a GPU saxpy.so is skipped" "skipped,unchecked" \
            "$(printf '%s\n' "$saxpy" | sort -u)"
        succeeds "and the reason is told" grep -q 'device cuda is not there: ' saxpy.txt
    fi
fi

for verb in $(gbrun help | awk '/^verbs:/ { inside = 1; next } !NF { inside = 0 } inside { print $1 }'); do
    if grep -q "^| \`gbrun ${verb}[ \`]" "$readme"; then
        pass "the table of verbs has $verb"
    else
        fail "the table of verbs has $verb"
    fi
done

# What can be said in bench.ini is shown there.
for word in '[gbrun]' '[defaults]' '[policy ' '[device ' 'sweep.' 'zip.' 'let.' 'only =' 'exclude =' \
    'like =' 'check.' 'env.' 'order =' 'rounds =' 'isolate ='; do
    if grep -qF -e "$word" bench.ini; then
        pass "the commented bench.ini shows $word"
    else
        fail "the commented bench.ini shows $word"
    fi
done
gbrun check -c bench.ini --print >printed.ini
equals "gbrun check --print prints it" "[" "$(head -c 1 printed.ini)"
equals "what is printed means the same cases" "$(gbrun list cases -c bench.ini 2>/dev/null)" \
    "$(gbrun list cases -c printed.ini 2>/dev/null)"

if difference=$(GBRUN=$GBRUN "$top_srcdir/tests/readme_tables.sh" | diff "$readme" - 2>&1); then
    pass "the tables of options are the program's"
else
    fail "the tables of options are the program's" "run tests/readme_tables.sh --write" "$difference"
fi
for id in $(gbrun list plugins --format csv | tail -n +2 | cut -d, -f2 | sort -u); do
    if [ "$id" = skeleton ] || grep -qF "\`$id\`" <(sed -n '/^## Options/,/^## Policies/p' "$readme"); then
        pass "the options of $id are there"
    else
        fail "the options of $id are there"
    fi
done

finish
