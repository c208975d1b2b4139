#!/usr/bin/env bash
# Each public header compiles alone, in every language that plugins are written in, without a
# warning, and includes nothing but itself and three headers of the C library; bench.hpp in C++ only, with
# its library. So do the examples of the documents and the skeleton.
. "$top_srcdir/tests/tap.sh"

include=$top_srcdir/include

# compiles NAME COMPILER LANGUAGE STANDARD HEADER
compiles()
{
    printf '#include <gbrun/%s>\n' "$4" >"$TMPDIR/alone.$2"
    # shellcheck disable=SC2086 # a compiler may come with flags: "ccache gcc", "gcc -m64"
    succeeds "$4 as $3 with $1" $1 -x "$2" -std="$3" -pedantic -Wall -Wextra -Werror \
        -fsyntax-only -I"$include" "$TMPDIR/alone.$2"
}

compilers_c=${CC:-cc} compilers_cxx=${CXX:-c++}
for header in "$include"/gbrun/*.h; do
    header=${header##*/}
    for standard in c99 c11 c17; do
        compiles "$compilers_c" c "$standard" "$header"
        if command -v clang >/dev/null; then
            compiles clang c "$standard" "$header"
        fi
    done
    if command -v "${compilers_cxx%% *}" >/dev/null; then
        compiles "$compilers_cxx" c++ c++17 "$header"
    else
        skip "$header as c++17" "no C++ compiler"
    fi
    if command -v clang++ >/dev/null; then
        compiles clang++ c++ c++17 "$header"
    fi
done

printf '#include <gbrun/%s.hpp>\n' bench measure >"$TMPDIR/alone.cc"
for compiler in "$compilers_cxx" clang++; do
    if ! command -v "${compiler%% *}" >/dev/null; then
        skip "bench.hpp with $compiler" "no such compiler"
        continue
    fi
    for source in "$TMPDIR/alone.cc" "$top_srcdir"/docs/examples/s*s.cc; do
        for flags in -std=c++17 "-std=c++20 -fno-rtti" "-std=c++17 -O2 -fvisibility=hidden"; do
            # shellcheck disable=SC2086
            succeeds "${source##*/} with bench.hpp by $compiler $flags" $compiler $flags -Wall -Wextra -Wpedantic \
                -Wshadow -Wmissing-field-initializers -Werror -fsyntax-only -I"$include" "$source"
        done
    done
done

equals "headers include only <gbrun/...>, <stddef.h>, <stdint.h> and <stdbool.h>" "" \
    "$(grep -n '#[[:space:]]*include' "$include"/gbrun/*.h |
        grep -Ev '<(gbrun/[a-z]+|stddef|stdint|stdbool)\.h>')"

# --- plugins that users start from ---

# example FILE: the block of the documents that a comment names so.
example()
{
    awk -v comment="<!-- file: $1 -->" '
        $0 == comment { found = 1; next }
        found && /^```/ { if (inside) exit; inside = 1; next }
        inside' "$top_srcdir"/README.md "$top_srcdir"/docs/*.md
}

example clear.c >"$TMPDIR/clear.c"
example saxpy.cu >"$TMPDIR/saxpy.cu"
for source in "$TMPDIR/clear.c" "$top_srcdir/plugins/skeleton/skeleton.c"; do
    for standard in c99 c17; do
        # shellcheck disable=SC2086
        succeeds "${source##*/} as $standard without a warning" $compilers_c -std=$standard -Wall \
            -Wextra -Wpedantic -Werror -O2 -fsyntax-only -I"$include" "$source"
    done
done
if [ -n "${NVCC-}" ]; then
    # shellcheck disable=SC2086
    equals "saxpy.cu without a warning" "" "$($NVCC -c -Xcompiler -Wall,-Wextra -I"$include" \
        -o "$TMPDIR/saxpy.o" "$TMPDIR/saxpy.cu" 2>&1)"
else
    skip "saxpy.cu without a warning" "configure found no nvcc"
fi

finish
