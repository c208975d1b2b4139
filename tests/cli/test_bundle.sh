#!/usr/bin/env bash
# What `make bundle` makes runs from wherever it is unpacked, in an empty environment, knows nothing of
# the machine that built it, and is the same when it is made again.
. "$top_srcdir/tests/tap.sh"
[ -z "${SANITIZE:-}" ] || skip_rest "the bundle" "the sanitizers' libraries are the machine's"

# The test of the wheel makes it, too.
make_archive()
{
    flock "$top_builddir/Makefile" "${MAKE:-make}" -C "$top_builddir" --no-print-directory bundle-archive
}
succeeds "make bundle" make_archive
version=$("$GBRUN" --version | cut -d ' ' -f 2)
archive=$(echo "$top_builddir/gbrun-$version"-linux-*.tar.gz)
succeeds "it has at most 20 MiB" test "$(stat -c %s "$archive")" -le $((20 << 20))

mkdir "$TMPDIR/else where" "$TMPDIR/here" # what is moved may be under any name
tar -C "$TMPDIR/else where" -xzf "$archive"
root=$(echo "$TMPDIR/else where"/gbrun-*)
equals "all of it lies in one folder" "gbrun-$version" "$(basename "$root")"
for file in README.md bin/gbrun conf/bench.ini docs/tutorial.md docs/examples/clear.c \
    lib/pkgconfig/gbrun.pc share/cmake/gbrun/gbrunConfig.cmake include/gbrun/bench.hpp lib/pkgconfig/gbrun-benchmark.pc \
    include/gbrun/google/benchmark/benchmark.h \
    docs/pictures/replay.png include/gbrun/gbrun.h run-gpu-tests share/man/man1/gbrun.1 share/man/man5/gbrun.ini.5 tests/tap.sh; do
    succeeds "it has $file" test -s "$root/$file"
done

# Programs and modules: where their libraries come from, and what they say about where they were built.
mapfile -t binaries < <(find "$root" -type f \( -name '*.so' -o -name '*.so.*' -o -perm -u+x \) -exec \
    sh -c 'head -c 4 "$1" | grep -q ELF' sh {} \; -print)
unresolved=$(for file in "${binaries[@]}"; do
    env -i ldd "$file" 2>&1 | grep 'not found' | sed "s|^|${file#"$root"/}: |"
done)
equals "every library is found" "" "$unresolved"
notices=$root/share/doc/gbrun/notices
equals "each library of others has the terms of its package" "" "$(cd "$root" && for file in lib/*.so* tests/lib/*.so*; do
    case $file in *libgbrun* | *'*'*) continue ;; esac
    package=$(dpkg-query -S "*/${file##*/}" 2>/dev/null | sed -n '1s/[:,].*//p')
    [ -z "$package" ] || cmp "$notices/$package-copyright" "/usr/share/doc/$package/copyright" 2>&1
done)"
succeeds "that of inih" grep -rq 'Redistribution and use in source and binary forms' "$notices" --include='*inih*'
succeeds "that of libffi" grep -rq 'Permission is hereby granted, free of charge' "$notices" --include='*ffi*'
strangers=$(for file in "${binaries[@]}"; do
    env -i ldd "$file" 2>&1 | awk -v root="$root/" '
        $2 == "=>" && index($0, "=> " root) == 0 &&
            $1 !~ /^(libc|libm|libdl|librt|libpthread|libresolv|libutil|libgcc_s)\.so/ { print }'
done)
equals "from the bundle, but for the C library's" "" "$strangers"
equals "no driver and no library of CUDA is in it" "" \
    "$(find "$root" -name 'libcu*' -o -name 'libnv*' -o -name 'libc.so*' -o -name 'ld-*')"
equals "no program looks for libraries at an absolute path" "" "$(for file in "${binaries[@]}"; do
    readelf -d "$file" | grep -E 'R(UN)?PATH' | grep -v 'path: \[$ORIGIN[a-z./$:ORIGN]*\]'
done)"
equals "no path of this machine's build is in it" "" \
    "$(grep -rlaF -e "$(cd "$top_builddir" && pwd -P)" -e "$(cd "$top_srcdir" && pwd -P)" "$root")"

# The C library: 2.36, or this machine's if it is newer.
newest=$(for file in "${binaries[@]}"; do
    objdump -T "$file" | grep -o 'GLIBC_[0-9.]*'
done | sort -uV | tail -n 1)
here=GLIBC_$(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2)
allowed=$(printf 'GLIBC_2.36\n%s\n' "$here" | sort -V | tail -n 1)
echo "# the newest version of the C library needed: $newest"
equals "and no newer C library is needed than $allowed" "$allowed" \
    "$(printf '%s\n%s\n' "$newest" "$allowed" | sort -V | tail -n 1)"

# From another folder, with nothing in the environment.
cd "$TMPDIR/here" || exit 99
bundled()
{
    env -i "$root/bin/gbrun" "$@"
}
equals "it lists all plugins" \
    "$("$GBRUN" list plugins --format csv 2>/dev/null | cut -d, -f1,2 | grep -v skeleton | sort)" \
    "$(bundled list plugins --format csv 2>&1 | cut -d, -f1,2 | sort)"
equals "each of them its own" "" "$(bundled list plugins --format csv | tail -n +2 | grep -vF "$root/lib/")"
succeeds "it measures a configuration of its own" bundled -q -c "$root/conf/bench.ini" \
    -s defaults.policy=precise -s defaults.max_samples=10 -s defaults.warmup=0 -s streams.aligned=64 \
    -s copy.bytes=4KiB
equals "and all cases are fine" ok \
    "$(bundled export --columns status | tail -n +2 | tr -d '\r' | sort -u)"

# A plugin of one's own: headers are found beside the program, by make and by CMake.
succeeds "it writes a plugin" bundled new mine
succeeds "which make builds" env -u PKG_CONFIG_PATH PATH="$root/bin:$PATH" make -C mine
if command -v cmake >/dev/null; then
    succeeds "and CMake" env PATH="$root/bin:$PATH" sh -c 'cmake -S mine -B mine/build && cmake --build mine/build'
    succeeds "with the bundle's headers" grep -qF "$root" mine/build/CMakeFiles/mine.dir/flags.make
else
    skip "and CMake" "no cmake"
fi
succeeds "and is measured" bundled -q -c mine/bench.ini --max-time 20ms -o mine.gbr

# Without a GPU: nothing is run, nothing is wrong.
env -i CUDA_VISIBLE_DEVICES= PATH="$PATH" "$root/run-gpu-tests" >tests.txt 2>&1
equals "run-gpu-tests skips everything without a GPU" 0 $?
equals "and its last line says so" "0 passed, 0 failed, $(grep -c '^SKIP' tests.txt) skipped" \
    "$(tail -n 1 tests.txt)"
equals "every test for a GPU is in it" \
    "$(cd "$top_srcdir/tests/gpu" && find . -name '*.sh' ! -name run.sh -o -name '*.py' | sort)" \
    "$(cd "$root/tests/gpu" && find . -type f | sort)"

cp "$archive" first.tar.gz
rm -f "$archive"
succeeds "it is made again" make_archive
succeeds "which gives the same archive" cmp first.tar.gz "$archive"
finish
