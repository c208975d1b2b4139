#!/usr/bin/env bash
# Each public header compiles alone, in every language that plugins are written in, without a
# warning, and includes nothing but itself and three headers of the C library; bench.hpp in C++ only, with
# its library. So does what plugins are started from. With LONG: all standards, clang as well.
. "$top_srcdir/tests/tap.sh"

include=$top_srcdir/include

# without_warnings NAME COMPILER FLAGS SOURCE...: the sources, one after another, by one call of the compiler.
without_warnings()
{
    local name=$1 compiler=$2 flags=$3
    shift 3
    if command -v "${compiler%% *}" >/dev/null; then
        # shellcheck disable=SC2086 # a compiler may come with flags: "ccache gcc", "gcc -m64"
        succeeds "$name by $compiler $flags" $compiler $flags -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$include" "$@"
    else
        skip "$name by $compiler $flags" "no such compiler"
    fi
}

compilers_c=("${CC:-cc}") compilers_cxx=("${CXX:-c++}") standards_c=(c99) flags_cxx=(-std=c++17)
if [ -n "${LONG-}" ]; then
    compilers_c+=(clang) compilers_cxx+=(clang++) standards_c+=(c11 c17)
    flags_cxx+=("-std=c++20 -fno-rtti" "-std=c++17 -O2 -fvisibility=hidden")
fi
for header in "$include"/gbrun/*.h; do
    header=${header##*/}
    printf '#include <gbrun/%s>\n' "$header" | tee "$TMPDIR/${header%.h}.c" >"$TMPDIR/${header%.h}.cc"
done
for compiler in "${compilers_c[@]}"; do
    for standard in "${standards_c[@]}"; do
        without_warnings "each header alone" "$compiler" "-std=$standard" "$TMPDIR"/*.c
    done
done
for compiler in "${compilers_cxx[@]}"; do
    without_warnings "each header alone" "$compiler" -std=c++17 "$TMPDIR"/*.cc
done
printf '#include <gbrun/%s.hpp>\n' bench measure >"$TMPDIR/alone.cc"
for compiler in "${compilers_cxx[@]}"; do
    for flags in "${flags_cxx[@]}"; do
        without_warnings "bench.hpp and measure.hpp" "$compiler" "$flags -Wshadow -Wmissing-field-initializers" \
            "$TMPDIR/alone.cc" ${LONG:+"$top_srcdir"/docs/examples/s*s.cc}
    done
done

# What is set around headers is so again after them, in C and in C++: packing, visibility, warnings, macros of others and
# of the compiler, which say what may be done with floating point.
# state_after NAME COMPILER SUFFIX HEADER...
state_after()
{
    local name="$1 by $2" compiler=$2 suffix=$3 file
    shift 3
    # shellcheck disable=SC2046 # words
    printf '#include <%s>\n' stddef.h stdint.h stdbool.h \
        $([ "$suffix" = c ] || sed -n 's/^#include <\([a-z_]*\)>$/\1/p' "$include"/gbrun/*.hpp) >"$TMPDIR/plain.$suffix"
    { printf '#include "plain.%s"\n' "$suffix" && printf '#include <gbrun/%s>\n' "$@"; } >"$TMPDIR/with.$suffix"
    for file in plain with; do
        # shellcheck disable=SC2086 # a compiler may come with flags
        $compiler -I"$include" -dM -E "$TMPDIR/$file.$suffix" | sort >"$TMPDIR/$file.macros"
    done
    equals "$name: macros but GB_ and GBRUN_ are as before" "" \
        "$(comm -3 "$TMPDIR/plain.macros" "$TMPDIR/with.macros" | grep -Ev '^.?#define (GB_|GBRUN_|__GB)' | head -3)"
    printf '%s\n' 'struct packed_after { char c; double d; };' 'int visible_after(int unused_after);' \
        'int visible_after(int unused_after) { return 0; }' \
        'typedef char packing[sizeof(struct packed_after) == 2 * sizeof(double) ? 1 : -1];' |
        cat "$TMPDIR/with.$suffix" - >"$TMPDIR/state.$suffix"
    # shellcheck disable=SC2086 # as above
    $compiler -I"$include" -Wunused-parameter -fPIC -shared -o "$TMPDIR/state.so" "$TMPDIR/state.$suffix" 2>"$TMPDIR/state.txt"
    equals "$name: visibility, packing and warnings as before" "1 1" \
        "$(nm -D "$TMPDIR/state.so" | grep -c ' T .*visible_after') $(grep -c 'unused_after.*\[-Wunused-parameter\]' "$TMPDIR/state.txt")"
}
for header in "$include"/gbrun/*.h; do
    state_after "${header##*/}" "${CC:-cc}" c "${header##*/}"
done
# shellcheck disable=SC2046 # words
state_after "*.h" "${CXX:-c++} -std=c++17" cc $(cd "$include/gbrun" && echo ./*.h)
for header in bench.hpp measure.hpp; do
    state_after "$header" "${CXX:-c++} -std=c++17" cc $header
done

equals "headers include only <gbrun/...>, <stddef.h>, <stdint.h> and <stdbool.h>" "" \
    "$(grep -n '#[[:space:]]*include' "$include"/gbrun/*.h | grep -Ev '<(gbrun/[a-z]+|stddef|stdint|stdbool)\.h>')"

# Plugins that users start from; what the documents have is compiled with them.
for compiler in "${compilers_c[@]}"; do
    for standard in "${standards_c[@]}"; do
        without_warnings "clear.c and skeleton.c" "$compiler" "-std=$standard -O2" \
            "$top_srcdir/docs/examples/clear.c" "$top_srcdir/plugins/skeleton/skeleton.c"
    done
done
if [ -n "${NVCC-}" ] && [ -n "${LONG-}" ]; then
    # shellcheck disable=SC2086
    equals "saxpy.cu without a warning" "" "$($NVCC -c -Xcompiler -Wall,-Wextra -I"$include" \
        -o "$TMPDIR/saxpy.o" "$top_srcdir/docs/examples/saxpy.cu" 2>&1)"
fi

finish
