#!/usr/bin/env bash
# make.sh - puts the bundle together, for make bundle: the program, its plugins, the libraries that
# both need beside the C library, and the tests that need a GPU. Drivers and libraries of CUDA are
# opened at run time, where they are. usage: make.sh SRCDIR NAME ARCHIVE, in the build folder; lists
# of files come in the environment. Equal inputs give equal archives.
set -euo pipefail
src=$1 name=$2 archive=$3
root=packaging/bundle/stage/$name
rm -rf packaging/bundle/stage
mkdir -p "$root"/{bin,lib/gbrun,lib/pkgconfig,include/gbrun,share/cmake/gbrun,share/man/man1,share/man/man5,tests/modules}

# strip_to FOLDER FILE...: copies of programs and modules, without what only a debugger reads, and without the
# identity of the build, which depends on the folder that it was made in.
strip_to()
{
    local folder=$1 file
    shift
    for file; do
        install -m 755 "$file" "$root/$folder/"
        "${STRIP:-strip}" --strip-unneeded -R .note.gnu.build-id "$root/$folder/${file##*/}"
    done
}

# in_build_or_source FILE: where make found it.
in_build_or_source()
{
    if [ -e "$1" ]; then
        echo "$1"
    else
        echo "$src/$1"
    fi
}

# module NAME.la...: the .so that libtool made for each.
module()
{
    local file
    for file; do
        echo "${file%/*}/.libs/$(basename "$file" .la).so"
    done
}

# libraries FILE: "NAME => PATH" for each shared library that it needs; of a file for another machine as the
# compiler finds them.
libraries()
{
    local name path
    if [ -z "${CROSS_CC-}" ]; then
        ldd "$1"
        return
    fi
    "${OBJDUMP:-objdump}" -p "$1" | awk '$1 == "NEEDED" { print $2 }' | while read -r name; do
        path=$($CROSS_CC -print-file-name="$name")
        if [ "$path" = "$name" ]; then
            echo "$name => not found"
        else
            echo "$name => $path"
            libraries "$path"
        fi
    done
}

# needed FILE: paths of the shared libraries that it needs, but for those of the C library, which are
# taken from the machine that it runs on, as they belong together with its loader.
needed()
{
    libraries "$1" | awk '
        $1 ~ /^(linux-vdso|ld-linux|libc|libm|libdl|librt|libpthread|libresolv|libutil|libgcc_s)[.-]/ ||
            $1 ~ /^\/.*\/ld-linux/ { next }
        $3 == "not" { print "make.sh: " $1 ": not found" >"/dev/stderr"; exit 1 }
        $2 == "=>" { sub(/^[^>]*> /, ""); sub(/ \(0x[0-9a-f]*\)$/, ""); print }'
}

# ship FOLDER LIBRARY: a library of the system, with its notice: the terms that its package came with.
ship()
{
    local package file
    strip_to "$1" "$2"
    package=$(dpkg-query -S "*/${2##*/}" 2>/dev/null | sed -n '1s/[:,].*//p' || :)
    package=${package:-$(rpm -qf --qf '%{NAME}' "$2" 2>/dev/null || pacman -Qqo "$2" 2>/dev/null || :)}
    for file in /usr/share/doc/"${package:-none}"/copyright /usr/share/licenses/"${package:-none}"/*; do
        [ ! -f "$file" ] || install -D -m 644 "$file" "$root/share/doc/gbrun/notices/$package-${file##*/}"
    done
    if [ -z "$package" ] || ! ls "$root/share/doc/gbrun/notices/$package"-* >/dev/null; then
        echo "make.sh: $2: no package has a copyright notice for it" >&2
        return 1
    fi
}

read -ra plugins <<<"${PLUGINS-}"
read -ra man <<<"${MAN-}"
read -ra copied <<<"${COPIED-}"
read -ra test_programs <<<"${TEST_PROGRAMS-}"
read -ra test_modules <<<"${TEST_MODULES-}"
read -ra test_files <<<"${TEST_FILES-}"

strip_to bin packaging/bundle/gbrun
mapfile -t modules < <(module "${plugins[@]}")
strip_to lib/gbrun "${modules[@]}"
strip_to lib packaging/bundle/.libs/libgbrun.so.0
ln -s libgbrun.so.0 "$root/lib/libgbrun.so"
mkdir -p "$root/lib/cmake/libgbrun"
install -m 644 "$src/packaging/cmake/libgbrunConfig.cmake" packaging/cmake/libgbrunConfigVersion.cmake "$root/lib/cmake/libgbrun/"
for file in "${man[@]}"; do
    install -m 644 "$(in_build_or_source "$file")" "$root/share/man/man${file##*.}/"
done
install -m 644 "$src"/include/gbrun/*.h "$src"/include/gbrun/*.hpp "$root/include/gbrun/"
cp -r "$src/include/gbrun/google" "$root/include/gbrun/"
# For pkg-config and CMake: what is installed, but from wherever it is unpacked.
for file in gbrun.pc gbrun-benchmark.pc libgbrun.pc; do
    sed -e 's|^prefix=.*|prefix=${pcfiledir}/../..|' -e 's|^exec_prefix=.*|exec_prefix=${prefix}|' \
        -e 's|^libdir=.*|libdir=${prefix}/lib|' -e 's|^includedir=.*|includedir=${prefix}/include|' \
        -e 's|^bindir=.*|bindir=${prefix}/bin|' "$file" >"$root/lib/pkgconfig/$file"
done
install -m 644 packaging/cmake/gbrunConfigVersion.cmake "$root/share/cmake/gbrun/"
sed -e 's|"/[^"]*/include"|""|' -e 's| "/[^"]*/lib[^"]*"||' packaging/cmake/gbrunConfig.cmake >"$root/share/cmake/gbrun/gbrunConfig.cmake"
for file in "${copied[@]}" "${test_files[@]}"; do
    mkdir -p "$(dirname "$root/$file")"
    cp -r "$src/$file" "$root/$file"
done
chmod -R u+w "$root"
install -m 755 "$src/tests/gpu/run.sh" "$root/run-gpu-tests"
rm "$root/tests/gpu/run.sh"
[ ${#test_programs[@]} = 0 ] || strip_to tests "${test_programs[@]}"
[ ${#test_modules[@]} = 0 ] || strip_to tests/modules "${test_modules[@]}"
[ -z "${EXAMPLE-}" ] || strip_to tests/modules "$EXAMPLE"

for file in "$root"/bin/gbrun "$root"/lib/libgbrun.so.0 "$root"/lib/gbrun/*.so; do
    needed "$file"
done | sort -u | while read -r library; do
    ship lib "$library"
done
mkdir "$root/tests/lib"
for file in "${test_programs[@]}"; do
    needed "$root/tests/${file##*/}"
done | sort -u | while read -r library; do
    [ -e "$root/lib/${library##*/}" ] || ship tests/lib "$library"
done
rmdir "$root/tests/lib" 2>/dev/null || true

tar -C packaging/bundle/stage --sort=name --owner=0 --group=0 --numeric-owner --format=gnu \
    --mtime="@${SOURCE_DATE_EPOCH:-1577836800}" --mode='u=rwX,go=rX' -cf - "$name" |
    gzip -9n >"$archive.new"
mv "$archive.new" "$archive"
rm -rf packaging/bundle/stage
