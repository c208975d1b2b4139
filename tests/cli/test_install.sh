#!/usr/bin/env bash
# What `make install` leaves behind is enough to build a plugin and to run it, and `make uninstall`
# takes it all away again.
. "$top_srcdir/tests/tap.sh"

root=$TMPDIR/root
make_here()
{
    "${MAKE:-make}" -C "$top_builddir" --no-print-directory "$@" DESTDIR="$root"
}
succeeds "make install" make_here install

gbrun=$(find "$root" -type f -path '*/bin/gbrun')
pc=$(find "$root" -name gbrun.pc)
if [ -z "$gbrun" ] || [ -z "$pc" ]; then
    fail "bin/gbrun and gbrun.pc are installed" "$(find "$root" -type f)"
    finish
fi
export PKG_CONFIG_PATH=${pc%/*}
pkg_config()
{
    "${PKG_CONFIG:-pkg-config}" "$@" gbrun
}
plugins=$root$(pkg_config --variable=plugindir)
headers=$root$(pkg_config --variable=includedir)/gbrun

for file in bin/gbrun man1/gbrun.1 man5/gbrun.ini.5 bash-completion/completions/gbrun \
    zsh/site-functions/_gbrun fish/vendor_completions.d/gbrun.fish cmake/gbrun/gbrunConfig.cmake \
    cmake/gbrun/gbrunConfigVersion.cmake; do
    equals "installed once: $file" 1 "$(find "$root" -type f -path "*/$file" | wc -l)"
done
equals "all public headers are installed" "$(cd "$top_srcdir/include/gbrun" && echo ./*.h*)" \
    "$(cd "$headers" && echo ./*.h*)"
equals "and those in place of Google Benchmark's" "$(cd "$top_srcdir/include/gbrun/google/benchmark" && echo ./*)" \
    "$(cd "$headers/google/benchmark" && echo ./*)"
data=$(dirname "$(find "$root" -type d -path '*/share/gbrun/examples')")
for folder in examples=docs/examples conf=conf skeleton=plugins/skeleton; do
    released=$(cd "$top_srcdir/${folder#*=}" && find . -type f \( -name '*.ini' -o -name '*.c*' -o -name '*.rs' \
        -o -name '*.md' -o -name '*.py' \) | sort)
    equals "what is in ${folder#*=} is installed" "$released" "$(cd "$data/${folder%%=*}" && find . -type f | sort)"
done
for file in docs/check.schema.json docs/events.schema.json docs/help.schema.json docs/results.schema.json python/gbrun.py \
    python/gbrun_pytest.py; do
    succeeds "$file is installed" cmp "$top_srcdir/$file" "$data/${file##*/}"
done
if [ -n "${SANITIZE:-}" ]; then
    skip "the program exports nothing for plugins to link with" "the sanitizers export symbols"
else
    # Variables of libc such as stderr, copied into the program, are named with libc's version.
    equals "the program exports nothing for plugins to link with" "" "$(nm -D --defined-only "$gbrun" | grep -v '@')"
fi
for module in "$plugins"/*.so; do
    equals "${module##*/} exports one symbol" gb_module_v1 \
        "$(nm -D --defined-only "$module" | awk '{ print $3 }' | grep -v '^__\(a\|ub\|l\)san')"
done
equals "modules are installed without what libtool noted of them" "" "$(find "$root" -name '*.la')"
# Paths of the machine that built it would follow into every package made from this.
equals "no path of the build is in installed text" "" "$(grep -rIlF -e "$top_builddir/" "$root" 2>/dev/null)"

# A plugin from outside of the tree: its headers are found by pkg-config, nothing else is known.
cp -r "$top_srcdir/tests/outside" "$TMPDIR/outside"
chmod -R u+w "$TMPDIR/outside"
# pkg-config puts the sysroot only before its own paths, so that the headers come from $root.
PKG_CONFIG_SYSROOT_DIR=$root succeeds "an outside plugin is built with pkg-config --cflags gbrun" \
    make -C "$TMPDIR/outside" CC="${CC:-cc}" PKG_CONFIG="${PKG_CONFIG:-pkg-config}"
equals "the outside plugin exports one symbol" gb_module_v1 \
    "$(nm -D --defined-only "$TMPDIR/outside/outside_sum.so" | awk '{ print $3 }')"

# In the build tree pkg-config finds gbrun-uninstalled.pc before gbrun.pc.
eval "found=($(PKG_CONFIG_PATH=$top_builddir "${PKG_CONFIG:-pkg-config}" --cflags gbrun))"
equals "in the build tree, pkg-config finds the headers of the tree" \
    "$(cd "$top_srcdir/include" && pwd -P)" "$(cd "${found[0]#-I}" && pwd -P)"
equals "a path with blanks is quoted for a shell" "-I/a\\ b/include" \
    "$(pkg_config --define-variable=includedir='/a\ b/include' --cflags | sed 's/ *$//')"

equals "make remakes gbrun-uninstalled.pc when its source has changed" 1 \
    "$("${MAKE:-make}" -C "$top_builddir" -n all-am \
        -W "$(sed -n "s/^srcdir = //p" "$top_builddir/Makefile")/gbrun-uninstalled.pc.in" 2>/dev/null |
        grep -c 'config.status gbrun-uninstalled.pc$')"

# The installed program finds the installed plugins beside itself, and others by their folder.
listed=$(cd "$TMPDIR" && GBRUN_PLUGIN_PATH=$TMPDIR/outside "$gbrun" list plugins 2>&1)
for id in nop multistream_matmul cpu fixed outside_sum; do
    if printf '%s\n' "$listed" | grep -qw "$id"; then
        pass "the installed program lists $id"
    else
        fail "the installed program lists $id" "$listed"
    fi
done

cat >"$TMPDIR/bench.ini" <<TEXT
[gbrun]
results = $TMPDIR/results.gbr
$(section policy few fixed samples=5)
$(section bench sum outside_sum policy=few n=1000)
TEXT
succeeds "the installed program measures and checks the outside plugin" \
    env GBRUN_PLUGIN_PATH="$TMPDIR/outside" "$gbrun" -c "$TMPDIR/bench.ini"

# A program that uses libgbrun: it finds devices and policies beside the library.
PKG_CONFIG_SYSROOT_DIR=$root
export PKG_CONFIG_SYSROOT_DIR
eval "found=($("${PKG_CONFIG:-pkg-config}" --cflags --libs libgbrun))"
unset PKG_CONFIG_SYSROOT_DIR
read -ra compiler <<<"${CC:-cc} ${SANITIZE_CFLAGS-}"
succeeds "a program is built with pkg-config --cflags --libs libgbrun" \
    "${compiler[@]}" "$top_srcdir/docs/examples/measure.c" -o "$TMPDIR/measure" "${found[@]}"
library=$(dirname "$(find "$root" -name libgbrun.so)")
succeeds "and measures with what is installed" env LD_LIBRARY_PATH="$library" GBRUN_PLUGIN_PATH= "$TMPDIR/measure" \
    $'device = cpu\npolicy = fixed\nsamples = 5'

if [ -z "${LONG-}" ]; then
    : # CMake takes long
elif command -v cmake >/dev/null; then
    mkdir "$TMPDIR/cmake"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.16)' 'project(x C)' 'find_package(libgbrun 0.1 REQUIRED)' \
        "add_executable(measure $top_srcdir/docs/examples/measure.c)" \
        'target_link_libraries(measure PRIVATE gbrun::libgbrun)' >"$TMPDIR/cmake/CMakeLists.txt"
    succeeds "CMake finds it, and builds with gbrun::libgbrun" sh -c \
        'cmake -S "$1" -B "$1/b" -Dlibgbrun_DIR="$2/cmake/libgbrun" -DCMAKE_C_FLAGS="$3" && cmake --build "$1/b"' \
        sh "$TMPDIR/cmake" "$library" "${SANITIZE_CFLAGS-}"
    succeeds "what it built measures" "$TMPDIR/cmake/b/measure" $'device = cpu\npolicy = fixed\nsamples = 5'
else
    skip "CMake finds it" "there is no cmake"
fi

succeeds "make uninstall" make_here uninstall
equals "make uninstall leaves no file" "" "$(find "$root" ! -type d)"

finish
