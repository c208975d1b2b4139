#!/usr/bin/env bash
# The documents are true: README.md, HACKING.md, docs/*.md, docs/experiments/*.md. A comment before a block says
# what it is: `<!-- file: NAME -->`, to be written (it is the file of docs/examples, if there is one);
# `<!-- check: NAME -->`, a configuration to be checked; `<!-- keys: KEYS -->`, a part of one, behind these keys; `<!-- run -->`, commands to be run, in the order of the
# document; `<!-- nvcc -->`, commands to be run where the CUDA Toolkit is; `<!-- output -->`, what the last command printed, of which the
# shape is compared: all is measured on a clock that is driven (tests/driven.c). UPDATE_GOLDEN=1 runs the documents that have some as a
# reader does, on the machine's clock, and writes what was printed;
# `<!-- message -->`, lines that gbrun prints; `<!-- not run: WHY -->`: none of these. Code has such a comment. Links lead to files and headings that are there. A command whose tool is missing is skipped, and so is
# a later one that names a file which the skipped one would have written.
. "$top_srcdir/tests/tap.sh"
cd "$top_srcdir" || exit 99
shopt -s nullglob
documents=(README.md HACKING.md docs/*.md docs/experiments/*.md)
[ -z "${UPDATE_GOLDEN-}" ] || mapfile -t documents < <(grep -lx '<!-- output -->' "${documents[@]}")
examples=$top_srcdir/docs/examples

# What the commands find: the programs by their names, pkg-config's file of the build tree. Those of
# README.md are run as they are. In others a case has a few samples; what a configuration says itself counts, but for how
# long it may take.
mkdir "$TMPDIR/bin" "$TMPDIR/python"
program()
{
    printf '#!/bin/sh\nPATH=%q\n%s\n' "$PATH" "$2" >"$TMPDIR/bin/$1"
    chmod +x "$TMPDIR/bin/$1"
}
briefly()
{
    [ -z "${AS_IT_IS-}" ] || { cat "$1" && return; }
    sed -E 's/(max_time|visit)( = |=")[0-9.]+ m?s/\1\210 ms/; s/max_rounds = [0-9]+/max_rounds = 3/
        s/^budget = .*/budget = 20 ms/; s/^rounds = [56]/rounds = 2/
        s/^sweep.size = 1Ki:1Mi:x4/sweep.size = 1Ki:16Ki:x4/; s/^sweep.size = 64, 4Ki, 256Ki/sweep.size = 64, 4Ki/' "$1"
}
printf '[policy brief]\nplugin = fixed\nsamples = 3\n[device cpu]\nflush = 64KiB\n[defaults]\npolicy = brief\nwarmup = 0\n' >"$TMPDIR/few"
program gbrun "[ -z \"\${AS_IT_IS-}\" ] || exec '$GBRUN' \"\$@\"
case \$*: in
*--resume* | *--version*) ;;
-*) set -- run \"\$@\" ;;
esac
case \$*: in
run*--resume* | run*variant=broken*) ;;
run*max_samples*) set -- \"\$@\" -c '$TMPDIR/few' ;;
run*) set -- \"\$@\" -c '$TMPDIR/few' -s '*.max_samples=3' ;;
command*) shift && set -- command --runs 3 \"\$@\" ;;
ab* | judge* | bisect*) set -- \"\$@\" -c '$TMPDIR/few' --max-rounds 4 --visit 1ms ;;
compare*) '$GBRUN' \"\$@\" || [ \$? = 3 ]; exit ;;
esac
case \$*: in
ab*sides.ini*) set -- \"\$@\" -s 'device first.flush=64KiB' -s 'device any.flush=64KiB' ;;
run*/multistream.ini*) set -- \"\$@\" -s streams.problems=8 ;;
run*/padding.ini*) set -- \"\$@\" -s dense.m=60 -s dense.k=30 ;;
run*language.ini*) set -- \"\$@\" -s 'device two.flush=64KiB' -s 'device rest.flush=64KiB' -s copy.sweep.bytes=1KiB,2KiB,4KiB,6KiB,8KiB,16KiB ;;
run*sizes.ini*) set -- \"\$@\" -s copy.sweep.bytes=16KiB,256KiB ;;
run*roofs.ini*) set -- \"\$@\" -s bandwidth.bytes=64KiB -s elementwise.n=64Ki ;;
esac
exec '$GBRUN' \"\$@\""
quick=${UPDATE_GOLDEN--O0}
program cc "exec ${CC:-cc} -std=c99 -pedantic -Wall -Wextra -Wno-unused-parameter -Werror \"\$@\" ${quick#1}"
for name in c++ g++; do program $name "exec ${CXX:-c++} -Wall -Wextra -Werror \"\$@\" ${quick#1}"; done
program nvcc "exec '${NVCC:-nvcc}' -std=c++14 -Xcompiler -O0 \"\$@\""
cat >"$TMPDIR/python/sitecustomize.py" <<'PY'
import os
import timeit
import gbrun

timeit.Timer.autorange = lambda self: (1, 0.0)
all_settings = gbrun._all_settings
if "AS_IT_IS" not in os.environ:
    gbrun._all_settings = lambda *given: {"max_samples": 12, **all_settings(*given)}
gbrun._here.update(gbrun._watched_here())
PY
[ -n "${UPDATE_GOLDEN-}" ] || export GBRUN_PLUGIN_PATH=$top_builddir/tests/.libs/driven
PATH=$TMPDIR/bin:$PATH
. "$top_srcdir/tests/python/python.sh"
find_shared_python
# Itself, where python3 is a script that looks for it.
! command -v python3 >/dev/null || program python3 "exec '$(python3 -c 'import sys; print(sys.executable)')' \"\$@\""
python=python3 import_compiled
# What a shell makes of $(pkg-config --cflags gbrun) ends at blanks, which the tree's path may have.
ln -s "$top_srcdir/include" "$TMPDIR/include"
ln -s "$top_builddir/.libs" "$TMPDIR/lib"
for name in gbrun gbrun-benchmark libgbrun; do
    sed "s|^includedir=.*|includedir=$TMPDIR/include|; s|^libdir=.*|libdir=$TMPDIR/lib|" \
        "$top_builddir/$name-uninstalled.pc" >"$TMPDIR/$name-uninstalled.pc"
done
PKG_CONFIG_PATH=$TMPDIR
XDG_CACHE_HOME=$TMPDIR/cache
XDG_DATA_HOME=$TMPDIR/data
export PATH PKG_CONFIG_PATH XDG_CACHE_HOME XDG_DATA_HOME

# Commands on results are about a run of conf/bench.ini, where a document does not make its own.
succeeds "conf/bench.ini is measured, with little work in each case" \
    gbrun -q -c "$top_srcdir/conf/bench.ini" -o "$TMPDIR/bench.gbr" -s defaults.policy=fixed \
    -s streams.aligned=64 -s copy.bytes=4KiB
has_cuda=$(gbrun list plugins | grep -c '^device *cuda ')

# find_missing COMMAND: why is what it needs and this machine has not.
find_missing()
{
    local tool package
    why=
    for tool in sqlite3 python3 Rscript; do
        [[ $1 != $tool\ * && $1 != *[\;\|\&]\ $tool\ * ]] || command -v $tool >/dev/null || { why="there is no $tool"; return; }
    done
    if [[ $1 = *joined.ini* || $1 = *python.ini* ]] && [ -z "$python" ]; then
        why="there is no python3 with a shared library"
    elif [[ $1 =~ ^python3\ ([a-z]+\.py)(\ |$) ]]; then
        for package in pandas pyperf; do
            ! grep -q "^import $package" "${BASH_REMATCH[1]}" || python3 -c "import $package" 2>/dev/null ||
                { why="there is no $package"; return; }
        done
    fi
}

# Files that skipped commands would have written, as far as their text, or that of the files in it, names them.
declare -A lost=()
names_in()
{
    grep -oE '[A-Za-z0-9_-]+\.[a-z]{1,5}\b' <<<"$1"
}
lose()
{
    local name file
    for name in $(for file in $(names_in "$1"); do echo "$file"; [ ! -f "$file" ] || names_in "$(cat "$file")"; done); do
        [ -e "$name" ] || lost[$name]=$2
    done
}
# needs_lost COMMAND: why a file that it names, and does not write, is not there.
needs_lost()
{
    local name
    for name in $(names_in "$(sed -E 's/(-o |>+ *)[^ ;]+//g' <<<"$1")"); do
        if [ -n "${lost[$name]-}" ] && [ ! -e "$name" ]; then
            echo "$name was not written: ${lost[$name]}"
            return
        fi
    done
}

# run_command DOCUMENT COMMAND: it succeeds.
run_command()
{
    local why code
    find_missing "$2"
    [ -n "$why" ] || [ ${#lost[@]} = 0 ] || why=$(needs_lost "$2")
    if [ -n "$why" ]; then
        skip "$1: $2" "$why"
        lose "$2" "$why"
        : >said.txt
        return
    fi
    (
        set -euo pipefail
        eval "$2"
    ) >said.txt 2>errors.txt
    code=$?
    if [ "$code" = 0 ]; then
        pass "$1: $2"
    else
        fail "$1: $2" "exit status $code" "$(cat said.txt errors.txt)"
    fi
}

# block DOCUMENT FILE: FILE, without its ending, is a block of the document.
block()
{
    local block=$2 name command
    name=$(<"$block.name")
    if [ -f "$block.file" ]; then
        [ ! -f "$examples/$name" ] || succeeds "$1: $name is the example" diff "$block.file" "$examples/$name"
        briefly "$block.file" >"$name"
    elif [ -f "$block.check" ]; then
        cp "$block.check" "$name"
        if [ "$has_cuda" = 0 ] && grep -qE '^(sweep\.)?(device|plugin) = .*(cuda|kernel|nccl)' "$name"; then
            skip "$1: gbrun check accepts $name" "the device cuda was not built"
            return
        fi
        succeeds "$1: gbrun check accepts $name" gbrun check -c "$name"
    elif [ -f "$block.output" ] && [ -n "${UPDATE_GOLDEN-}" ]; then
        [ ! -s said.txt ] || cp said.txt "$block.output"
    elif [ -f "$block.output" ]; then
        [ ! -s said.txt ] || equals "$1: the output has the shape of ${2##*/}" "$(shape <"$block.output")" "$(shape <said.txt)"
        sed -E "1,/^notes$/d; /^[^ ]/d; /^ *([*?] )?[^ ]+ [^ ]+$/d; s#^ *([*?] )?#$1: #" "$block.output" >>messages.txt
    elif [ -f "$block.message" ]; then
        sed "s|^|$1: |" "$block.message" >>messages.txt
    elif [ -f "$block.nvcc" ] && [ -z "${NVCC-}" ]; then
        skip "$1: $(head -n 1 "$block.nvcc")" "configure found no nvcc"
        lose "$(cat "$block.nvcc")" "configure found no nvcc"
    else
        while IFS= read -r command; do
            [ -z "$command" ] || run_command "$1" "$command"
        done < <(cat "$block".run "$block".nvcc 2>/dev/null | sed -e :a -e '/\\$/N; s/\\\n *//; ta')
    fi
}

# shape: of what commands print, all but what depends on the machine and its times: of a table its columns, wherever they
# stand, and of each row what stands before the times; of lines the words. Not marks, intervals, notes and what a verdict
# would need.
shape()
{
    awk -F '  +' '
        function column(name) { if (name != "" && !(name in columns)) columns[name] = 1 }
        /^notes$/ || (is_note && /^  /) { is_note = 1; next }
        { is_note = 0 }
        /^(same|unclear|faster|slower|drift): |^  .*, now / { next }
        /^left out: / {
            sub(/^left out: /, "")
            sub(/;.*/, "")
            n = split($0, names, ", ")
            for (i = 1; i <= n; i++) column(names[i])
            next
        }
        /^(bench|case)  / {
            for (n_labels = 0; $(n_labels + 1) !~ /^(median|base)$/; n_labels++) {}
            for (i = 1; i <= NF; i++) column($i)
            next
        }
        !NF { n_labels = 0 }
        n_labels { for (i = 1; i <= n_labels; i++) printf "%s%s|", i == 1 ? "\n" : "", $i; next }
        NF {
            sub(/^cpu  .*  \(/, "cpu  (")
            sub(/^[0-9].*; geometric/, "geometric")
            gsub(/[0-9]+(\.[0-9]+)?(e[-+][0-9]+)?/, "N")
            gsub(/ ±N %| \[[^]]*\]|[*?]/, "")
            gsub(/N [mun]?s/, "N ns")
            is_continued = /^  /
            gsub(/^ +| +$/, "")
            gsub(/ +/, " ")
            printf "%s%s", is_continued ? " " : "\n", $0
        }
        END { print ""; fflush(); for (name in columns) print "column " name | "sort" }'
}

# document NAME: its blocks, in a folder of its own.
document()
{
    local here=$TMPDIR/${1//\//-} name
    n_checks=0
    mkdir "$here" "$here.locks" && cd "$here" || exit 99
    export GBRUN_LOCK_FOLDER=$here.locks
    if [ "$1" = README.md ] || [ -n "${UPDATE_GOLDEN-}" ]; then export AS_IT_IS=1; fi
    case $1 in
    README.md | docs/tutorial.md) ;; # begin in a new folder
    *) cp "$TMPDIR/bench.gbr" results.gbr ;;
    esac
    ln -s "$top_srcdir/conf" "$top_srcdir/docs" "$top_srcdir/plugins" .
    equals "$1: each comment has its block, and code its comment" "" "$("$top_srcdir/tests/document_blocks.sh" "$top_srcdir/$1" "$here.blocks")"
    for name in "$here.blocks"/*.name; do
        block "$1" "${name%.name}"
    done
    [ -z "${UPDATE_GOLDEN-}" ] || update "$1"
    echo "# all of $1"
}

# update DOCUMENT: its outputs are those that were printed.
update()
{
    awk -v outputs="$(echo "$TMPDIR/${1//\//-}.blocks"/*.output)" 'BEGIN { split(outputs, files, " ") }
        /^<!-- output -->$/ { is_output = 1 }
        is_inside && /^```$/ { is_output = is_inside = 0 }
        !is_inside
        is_output && /^```$/ && !is_inside++ { file = files[++n]; while ((getline line <file) > 0) print line }
    ' "$top_srcdir/$1" >updated.md &&
        cp updated.md "$top_srcdir/$1"
}

# Several documents at a time, but where their times are printed; what each says is printed in their order.
n_running=0 most=${UPDATE_GOLDEN:+1}
for document in "${documents[@]}"; do
    if [ -n "${SANITIZE:-}" ] && [[ $document =~ ^docs/(library|python)\.md$ ]]; then
        skip "$document" "programs without the sanitizers cannot load a library with them"
        continue
    fi
    (document "$document") >"$TMPDIR/${document//\//-}.tap" 2>&1 &
    [ $((++n_running)) -lt "${most:-3}" ] || wait -n
done
wait
for document in "${documents[@]}"; do
    said=$TMPDIR/${document//\//-}.tap
    [ -f "$said" ] || continue
    tail -n 1 "$said" | grep -qxF "# all of $document" || fail "$document: all of it" "$(tail -n 3 "$said")"
    awk -v n="$n_checks" '/^(not )?ok / { sub(/ok [0-9]+/, "ok " ++n) } { print }' "$said"
    n_checks=$((n_checks + $(grep -cE '^(not )?ok ' "$said")))
done
blocks=("$TMPDIR"/*.blocks/*.name)
[ -z "${UPDATE_GOLDEN-}" ] || finish
succeeds "the blocks of the documents were found" test "${#blocks[@]}" -ge 20

# Messages: of the pairs of neighbours among their words, without names and numbers, most stand in the texts of the
# sources, adjacent literals joined.
find core plugins include -name '*.[ch]' -exec cat {} + |
    tr '\n' ' ' | sed 's/"[[:space:]]*"//g; s/\\"/'"'"'/g; s/"/\n/g' >"$TMPDIR/texts"
while read -r is_there message; do
    equals "gbrun prints: $message" 1 "$is_there"
done < <(awk '
    function pairs_of(line, ret,    word, n, i, pair) {
        gsub(/\047[^\047]*\047/, " 0 ", line)
        n = split(line, word)
        for (i = 1; i < n; i++) {
            pair = word[i] " " word[i + 1]
            if (pair !~ /[][0-9\/.=%]/)
                ret[pair]
        }
    }
    FNR == NR { pairs_of($0, known); next }
    {
        split("", pairs)
        pairs_of(substr($0, index($0, ": ") + 2), pairs)
        n = n_found = 0
        for (pair in pairs) {
            n++
            n_found += pair in known
        }
        print (n >= 2 && 5 * n_found >= 2 * n) " " $0
    }' "$TMPDIR/texts" <(cat "$TMPDIR"/*/messages.txt))

# Links: [TEXT](FILE), [TEXT](FILE#HEADING), [TEXT](#HEADING), as seen on GitHub. Prints DOCUMENT LINK FILE, and `no`
# where the file has no such heading.
links=$(awk '
    FNR == 1 { inside = 0 }
    /^```/ { inside = !inside }
    inside { next }
    /^#+ / {
        heading = tolower($0)
        sub(/^#+ /, "", heading)
        gsub(/[^a-z0-9 _-]/, "", heading)
        gsub(/ /, "-", heading)
        headings[FILENAME "#" heading]
    }
    {
        gsub(/`[^`]*`/, "")
        while (match($0, /\]\([^)]+\)/)) {
            link = substr($0, RSTART + 2, RLENGTH - 3)
            $0 = substr($0, RSTART + RLENGTH)
            if (link !~ /^[a-z]+:/)
                links[++n] = FILENAME " " link
        }
    }
    END {
        for (i = 1; i <= n; i++) {
            split(links[i], part)
            file = folder = part[1]
            anchor = part[2]
            sub(/[^\/]*$/, "", folder)
            if (match(anchor, /^[^#]+/)) {
                file = folder substr(anchor, 1, RLENGTH)
                anchor = substr(anchor, RLENGTH + 1)
                while (sub(/[^\/]+\/\.\.\//, "", file)) {}
            }
            print part[1], part[2], file, anchor == "" || (file anchor) in headings ? "" : "no"
        }
    }' "${documents[@]}" ARCHITECTURE.md docs/examples/*.md)
broken=$(while read -r document link file missing; do
    [ -e "$file" ] || echo "$document: $link: no file"
    [ -z "$missing" ] || echo "$document: $link: no heading"
done <<<"$links")
equals "links lead to what is there" "" "$broken"
equals "docs/README.md leads to all documents" "" "$(printf '%s\n' docs/*.md docs/experiments/*.md docs/examples/README.md |
        grep -vx docs/README.md | grep -vxF "$(awk '$1 == "docs/README.md" { print $3 }' <<<"$links")")"
[ "$(wc -l <<<"$links")" -gt 100 ] || fail "links are found" "$links"

# What can be said in an INI file beside keys is explained in docs/config.md.
for word in '[gbrun]' '[defaults]' '[policy ' '[device ' '[bench ' 'plugin =' 'policy =' 'device =' \
    'like =' 'sweep.' 'zip.' 'let.' 'only =' 'exclude =' 'check.' 'env.' ':x'; do
    grep -qF -e "$word" docs/config.md || fail "docs/config.md explains $word"
done
# Keys that the FAQ names between words are keys, with such a value.
cd "$TMPDIR/docs-faq.md" || exit 99
for key in $(grep -o '`[a-z_.]* = [^`]*`' "$top_srcdir/docs/faq.md" | tr -d '`' | tr ' ' '~' | grep -v 'like~'); do
    printf '%s\n[bench copy]\nbytes = 4MiB\n' "[gbrun]
${key//\~/ }" >as_run.ini
    printf '[bench copy]\nsweep.bytes = 4MiB\n%s\n' "${key//\~/ }" >as_key.ini
    printf '[device cuda]\n%s\n[bench copy]\ndevice = cuda\n' "${key//\~/ }" >as_device.ini
    for file in as_key as_run as_device; do gbrun check -c $file.ini && break; done >said.txt 2>&1 ||
        [ "$has_cuda,$file" = 0,as_device ] || fail "docs/faq.md: ${key//\~/ }" "$(cat said.txt)"
done
# Its messages about configurations are what gbrun check prints of these.
echo 'extern int nothere(void); int y(void) { return nothere(); }' | cc -shared -fPIC -x c - -o y.so
echo 'int x(void) { return 0; }' | cc -shared -fPIC -x c - -o x.so
while IFS= read -r lines; do
    printf '%b\n' "$lines" >e.ini
    gbrun check -c e.ini
done <<'INI' 2>&1 | sed 's|error: /.*/\([xy].so\)|error: ./\1|' | sort >said.txt
[bench copy]\n\nsweep.bytse = 1, 2
[bench copy]\n\n\nmax_time = 5
[defaults]\nbytes = 4KiB\n[bench copy]
[bench copy]\nsweep.bytes = 4KiB, 128KiB\nonly = bytes > 64Ki
[defaults]\nmax_samples = 5\n[bench copy]\n\nmin_samples = 20
[bench copy]\nsweep.bytes = 4KiB, 8KiB\nonly = bytes > 100000
[bench strl]
[bench a]\nplugin = y.so
[bench a]\nplugin = ./y.so
[bench a]\nplugin = ./x.so
INI
equals "messages of docs/faq.md about configurations are printed" "$(grep '^e.ini:' "$top_srcdir/docs/faq.md" | sort)" "$(cat said.txt)"
cd "$TMPDIR/docs-config.md" || exit 99
gbrun check -c language.ini --print >printed.ini
equals "gbrun check --print prints a configuration with the same cases" \
    "$(gbrun list cases -c language.ini 2>/dev/null)" "$(gbrun list cases -c printed.ini 2>/dev/null)"

# Plugins that are shown are as short as a reader wants them; in those of code only lines that are neither blank nor a
# comment count: as long as with other tools, and no longer.
code_files=()
while read -r most what file; do
    comments='^ *(//.*|/\*.*\*/)?$'
    [ "$what" = code ] || comments='^$^'
    n_lines=$(grep -vcE "$comments" "$file")
    equals "${file##*/} has at most $most lines of $what" yes "$([ "$n_lines" -le "$most" ] && echo yes || echo "$n_lines")"
    [ "$what" != code ] || code_files+=("$file")
done <<LIST
250 text $top_srcdir/README.md
20 text $examples/clear.c
20 code $examples/clear.c
30 code $examples/sums.cc
22 code $examples/sorts.cc
45 code $examples/two_sorts.c
100 code $examples/halving.c
60 text $examples/saxpy.cu
LIST
if command -v clang-format >/dev/null; then
    equals "plugins that are shown are formatted as the sources are" "" \
        "$(clang-format --style="file:$top_srcdir/.clang-format" --dry-run "${code_files[@]}" 2>&1)"
fi

finish
