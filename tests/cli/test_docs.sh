#!/usr/bin/env bash
# The documents are true: README.md, HACKING.md, docs/*.md, docs/experiments/*.md. A comment before a block says
# what it is: `<!-- file: NAME -->`, to be written (it is the file of docs/examples, if there is one);
# `<!-- check: NAME -->`, a configuration to be checked; `<!-- run -->`, commands to be run, in the order of the
# document; `<!-- nvcc -->`, commands to be run where the CUDA Toolkit is; `<!-- message -->`, lines that gbrun
# prints. Links lead to files and headings that are there.
. "$top_srcdir/tests/tap.sh"
cd "$top_srcdir" || exit 99
shopt -s nullglob
documents=(README.md HACKING.md docs/*.md docs/experiments/*.md)
examples=$top_srcdir/docs/examples

# What the commands find: the programs by their names, pkg-config's file of the build tree. Measuring takes a
# few samples for each case; what a configuration says itself counts.
mkdir "$TMPDIR/bin"
program()
{
    printf '#!/bin/sh\nPATH=%q\n%s\n' "$PATH" "$2" >"$TMPDIR/bin/$1"
    chmod +x "$TMPDIR/bin/$1"
}
printf '[defaults]\nmax_samples = 12\nwarmup = 0\n' >"$TMPDIR/few"
program gbrun "case \$*: in
*--resume* | *--version*) ;;
-*) set -- run \"\$@\" ;;
esac
case \$*: in
run*--resume*) ;;
run*) set -- \"\$@\" -c '$TMPDIR/few' ;;
ab* | bisect*) set -- \"\$@\" --max-rounds 4 --visit 1ms ;;
esac
exec '$GBRUN' \"\$@\""
program cc "exec ${CC:-cc} -std=c99 -pedantic -Wall -Wextra -Wno-unused-parameter -Werror \"\$@\""
program c++ "exec ${CXX:-c++} -Wall -Wextra -Werror \"\$@\""
program nvcc "exec '${NVCC:-nvcc}' \"\$@\""
PATH=$TMPDIR/bin:$PATH
. "$top_srcdir/tests/python/python.sh"
find_shared_python
PYTHONPATH=$top_srcdir/python
PYTHONDONTWRITEBYTECODE=1
GBRUN_LIBRARY=$top_builddir/.libs/libgbrun.so.0
export PYTHONPATH PYTHONDONTWRITEBYTECODE GBRUN_LIBRARY
# What a shell makes of $(pkg-config --cflags gbrun) ends at blanks, which the tree's path may have.
ln -s "$top_srcdir/include" "$TMPDIR/include"
sed "s|^includedir=.*|includedir=$TMPDIR/include|" "$top_builddir/gbrun-uninstalled.pc" \
    >"$TMPDIR/gbrun-uninstalled.pc"
ln -s "$top_builddir/.libs" "$TMPDIR/lib"
sed "s|^includedir=.*|includedir=$TMPDIR/include|; s|^libdir=.*|libdir=$TMPDIR/lib|" \
    "$top_builddir/libgbrun-uninstalled.pc" >"$TMPDIR/libgbrun-uninstalled.pc"
PKG_CONFIG_PATH=$TMPDIR
XDG_CACHE_HOME=$TMPDIR/cache
XDG_DATA_HOME=$TMPDIR/data
export PATH PKG_CONFIG_PATH XDG_CACHE_HOME XDG_DATA_HOME

# Commands on results are about a run of conf/bench.ini, where a document does not make its own.
succeeds "conf/bench.ini is measured, with little work in each case" \
    gbrun -q -c "$top_srcdir/conf/bench.ini" -o "$TMPDIR/bench.gbr" -s defaults.policy=fixed \
    -s streams.aligned=64 -s copy.bytes=4KiB

# pairs: of the words of each line, without names and numbers, those that are neighbours, one pair a line.
pairs()
{
    sed "s/'[^']*'/ 0 /g" | awk '{ for (i = 1; i < NF; i++) print $i " " $(i + 1) }' |
        grep -v '[][0-9/.=%]' | sort -u
}
# What stands in the texts of the sources, adjacent literals joined.
find "$top_srcdir/core" "$top_srcdir/plugins" "$top_srcdir/include" -name '*.[ch]' -exec cat {} + |
    tr '\n' ' ' | sed 's/"[[:space:]]*"//g; s/\\"/'"'"'/g; s/"/\n/g' | pairs >"$TMPDIR/pairs"

# printed LINE: most of its pairs stand there, too.
printed()
{
    local n n_found
    n=$(pairs <<<"$1" | wc -l)
    n_found=$(pairs <<<"$1" | comm -12 - "$TMPDIR/pairs" | wc -l)
    [ "$n" -ge 2 ] && [ $((5 * n_found)) -ge $((2 * n)) ]
}

has_cuda=$(gbrun list plugins | grep -c '^device *cuda ')

# block DOCUMENT FILE: FILE, without its ending, is a block of the document.
block()
{
    local block=$2 name command line
    name=$(cat "$block.name")
    if [ -f "$block.file" ] && [ -f "$examples/$name" ]; then
        cp "$block.file" "$name"
        succeeds "$1: $name is the example" diff "$block.file" "$examples/$name"
    elif [ -f "$block.file" ]; then
        cp "$block.file" "$name"
    elif [ -f "$block.check" ]; then
        cp "$block.check" "$name"
        if [ "$has_cuda" = 0 ] && grep -qE '^(sweep\.)?(device|plugin) = .*(cuda|kernel|nccl)' "$name"; then
            skip "$1: gbrun check accepts $name" "the device cuda was not built"
            return
        fi
        succeeds "$1: gbrun check accepts $name" gbrun check -c "$name"
    elif [ -f "$block.message" ]; then
        while IFS= read -r line; do
            if printed "$line"; then
                pass "$1: $line"
            else
                fail "$1: $line" "gbrun does not print this"
            fi
        done <"$block.message"
    elif [ -f "$block.nvcc" ] && [ -z "${NVCC-}" ]; then
        skip "$1: $(head -n 1 "$block.nvcc")" "configure found no nvcc"
    else
        while IFS= read -r command; do
            if [[ $command = *joined.ini* ]] && [ -z "$python" ]; then
                skip "$document: $command" "there is no python3 with a shared library"
            elif [[ $command =~ ^(sqlite3|python3|Rscript)\  ]] && ! command -v "${command%% *}" >/dev/null; then
                skip "$1: $command" "there is no ${command%% *}"
            elif [[ $command =~ ^python3\ ([a-z]+\.py)(\ |$) ]] && package=$(missing_import "${BASH_REMATCH[1]}"); then
                skip "$1: $command" "there is no $package"
            elif [ -n "$command" ]; then
                succeeds "$1: $command" measures bash -euo pipefail -c "$command"
            fi
        done < <(cat "$block".run "$block".nvcc 2>/dev/null | sed -e :a -e '/\\$/N; s/\\\n *//; ta')
    fi
}

# missing_import SCRIPT: prints the first package of those that a script imports and that may be missing.
missing_import()
{
    local package
    for package in pandas pyarrow pyperf; do
        grep -q "^import $package" "$1" && ! python3 -c "import $package" 2>/dev/null && echo $package && return
    done
    return 1
}

# measures COMMAND...: its exit code, but 0 where cases were skipped for want of a GPU and no other was there.
measures()
{
    local code
    "$@" >said.txt 2>&1
    code=$?
    cat said.txt
    ! grep -q '^gbrun: nothing was measured: ' said.txt || [ -e /dev/nvidia0 ] || code=0
    return "$code"
}

n_blocks=0
for document in "${documents[@]}"; do
    if [ -n "${SANITIZE:-}" ] && [[ $document =~ ^docs/(library|python)\.md$ ]]; then
        skip "$document" "programs without the sanitizers cannot load a library with them"
        continue
    fi
    here=$TMPDIR/${document//\//-}
    mkdir "$here" && cd "$here" || exit 99
    case $document in
    README.md | docs/tutorial.md) ;; # begin in a new folder
    *) cp "$TMPDIR/bench.gbr" results.gbr ;;
    esac
    ln -s "$top_srcdir/conf" "$top_srcdir/docs" "$top_srcdir/plugins" .
    strays=$("$top_srcdir/tests/document_blocks.sh" "$top_srcdir/$document" "$here.blocks")
    equals "$document: each comment has its block" "" "$strays"
    for name in "$here.blocks"/*.name; do
        [ -f "$name" ] || continue
        n_blocks=$((n_blocks + 1))
        block "$document" "${name%.name}"
    done
    cd "$top_srcdir" || exit 99
done
[ "$n_blocks" -ge 20 ] || fail "the blocks of the documents were found" "$n_blocks"

# Links: [TEXT](FILE), [TEXT](FILE#HEADING), [TEXT](#HEADING), as seen on GitHub.
headings()
{
    awk '/^```/ { inside = !inside } !inside && /^#+ / { sub(/^#+ /, ""); print tolower($0) }' "$1" |
        sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}
links()
{
    awk '/^```/ { inside = !inside } !inside' "$1" | sed 's/`[^`]*`//g' | grep -oE '\]\([^)]+\)' |
        sed 's/^](//; s/)$//' | grep -vE '^[a-z]+:'
}
broken=$(for document in "${documents[@]}" ARCHITECTURE.md docs/examples/*.md docs/reference/*.md; do
    [ -f "$document" ] || continue
    while IFS= read -r link; do
        file=${link%%#*}
        file=${file:+$(dirname "$document")/$file}
        file=${file:-$document}
        if [ ! -e "$file" ]; then
            echo "$document: $link: no file"
        elif [[ $link = *#* ]] && ! headings "$file" | grep -qxF -e "${link#*#}"; then
            echo "$document: $link: no heading"
        fi
    done < <(links "$document")
done)
equals "links lead to what is there" "" "$broken"
unread=$(for document in docs/*.md docs/experiments/*.md docs/examples/README.md; do
    links README.md | sed 's/#.*//' | grep -qxF "$document" || echo "$document"
done)
equals "README.md leads to all documents" "" "$unread"

# What can be said in an INI file is explained in docs/config.md.
keys=$(for section in gbrun bench; do
    gbrun help --markdown "$section" | sed -n 's/^| `\([a-z_.]*\)`.*/\1/p'
done)
for word in $keys '[gbrun]' '[defaults]' '[policy ' '[device ' '[bench ' 'plugin =' 'policy =' 'device =' \
    'like =' 'sweep.' 'zip.' 'let.' 'only =' 'exclude =' 'check.' 'env.' ':x'; do
    grep -qF -e "$word" docs/config.md || fail "docs/config.md explains $word"
done
equals "keys of the configuration were found" yes "$([ "$(wc -w <<<"$keys")" -gt 20 ] && echo yes)"
cd "$TMPDIR/docs-config.md" || exit 99
gbrun check -c language.ini --print >printed.ini
equals "gbrun check --print prints a configuration with the same cases" \
    "$(gbrun list cases -c language.ini 2>/dev/null)" "$(gbrun list cases -c printed.ini 2>/dev/null)"

# Plugins that are shown are as short as a reader wants them.
short()
{
    local n_lines
    n_lines=$(wc -l <"$2")
    equals "${2##*/} has at most $1 lines" yes "$([ "$n_lines" -le "$1" ] && echo yes || echo "$n_lines")"
}
short 250 "$top_srcdir/README.md"
short 20 "$examples/clear.c"
# Of these the lines that are neither blank nor a comment count: as long as with other tools, and no longer.
few()
{
    local n_lines
    n_lines=$(grep -vcE '^ *(//.*|/\*.*\*/)?$' "$2")
    equals "${2##*/} has at most $1 lines of code" yes "$([ "$n_lines" -le "$1" ] && echo yes || echo "$n_lines")"
    if command -v clang-format >/dev/null; then
        equals "${2##*/} is formatted as the sources are" "" \
            "$(clang-format --style="file:$top_srcdir/.clang-format" --dry-run "$2" 2>&1)"
    fi
}
few 20 "$examples/clear.c"
few 30 "$examples/sums.cc"
few 22 "$examples/sorts.cc"
few 45 "$examples/three_sums.c"
few 45 "$examples/two_sorts.c"
few 100 "$examples/halving.c"
short 60 "$examples/saxpy.cu"
short 60 "$TMPDIR/docs-plugins.md/stable.c"

# The policy of docs/plugins.md was measured with, and does what is said of it.
cd "$TMPDIR/docs-plugins.md" || exit 99
equals "the policy of docs/plugins.md was the policy of a case" "ok,stable,mean" \
    "$(gbrun export stable.gbr --columns status,policy_plugin,statistic | tail -n +2 | tr -d '\r')"

# A series of each kind, handed over one by one and looked at where next asks for it.
cat >series.c <<'C'
#include "stable.c"
#include <stdio.h>
#include <stdlib.h>
static void *allocate(const struct gb_host *host, uint64_t bytes)
{
    (void)host;
    return calloc(1, bytes);
}
static double value(int kind, uint64_t i)
{
    switch (kind) {
    case 0:
    case 1:
    case 6:
        return 100;
    case 2:
        return i < 20 ? 110 : 100;
    case 3:
        return i == 7 ? NAN : 100;
    case 4:
        return i == 7 ? INFINITY : 100;
    default:
        return 100 + (double)(i % 10);
    }
}
int main(void)
{
    const struct gb_host host = {.size = sizeof host, .allocate = allocate};
    for (int kind = 0; kind < 7; kind++) {
        const struct params params = {.precision = 0.01, .min_time = kind == 6 ? 50 : 0};
        void *policy = NULL;
        uint64_t n = 0;
        struct gb_next asked = {.size = sizeof asked};
        struct gb_estimate estimate = {.size = sizeof estimate};
        if (create(&host, &params, &policy) != GB_OK)
            return 1;
        for (next(policy, &asked); asked.decision == GB_MORE && n < 20000;) {
            const double time = value(kind, n++), elapsed = (double)n;
            const struct gb_samples samples = {.size = sizeof samples, .n = 1, .time_ns = &time,
                                               .elapsed_ns = kind == 6 ? &elapsed : NULL,
                                               .tick_ns = kind == 1 ? 10 : 0};
            observe(policy, &samples);
            if (n >= asked.n_samples)
                next(policy, &asked);
        }
        report(policy, &estimate);
        printf("%d %d %d %g [%g, %g]\n", (int)estimate.n, asked.decision, estimate.verdict,
               estimate.value_ns, estimate.low_ns, estimate.high_ns);
        free(policy);
    }
    return 0;
}
C
succeeds "a program around it compiles" \
    cc -O1 "-I$top_srcdir/include" -Wno-unused-const-variable series.c -o series -lm
./series | sed 's/-nan/nan/g' >series.txt
line()
{
    equals "$2" "$3" "$(sed -n "$1p" series.txt)"
}
line 1 "equal times end it at the first look with ten batches" "32 1 1 100 [100, 100]"
line 2 "the timer's step is too coarse" "20000 0 4 100 [95, 105]"
line 3 "a step at the start has to be averaged out" "2048 1 1 100.098 [100, 101.562]"
line 4 "what is not a number is claimed nothing of" "20000 0 4 nan [nan, nan]"
line 5 "nor of an endless one" "20000 0 4 inf [nan, nan]"
line 6 "a period that is shorter than a batch is averaged out" "128 1 1 104.438 [103.5, 105.5]"
line 7 "before min_time it claims nothing" "64 1 1 100 [100, 100]"
finish
