#!/usr/bin/env bash
# The plugin in CUDA C that README.md shows, built by the command that stands there, is measured and
# its results are right.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/gpu/common.sh"
need_gpu
cd "$TMPDIR" || exit 99
if [ ! -f "$top_builddir/packaging/bundle/saxpy.so" ]; then
    echo "it was not built, as there was no nvcc"
    exit 77
fi
cp "$top_builddir/packaging/bundle/saxpy.so" .
cat >saxpy.ini <<'INI'
[bench saxpy]
plugin = ./saxpy.so
max_time = 1 s
sweep.n = 1, 1000, 1Mi, 16Mi
sweep.cache = warm, cold
INI
run saxpy.ini
all_fine "saxpy is measured"
number_of_cases 8
equals "and right to one unit in the last place" "ulp,ok" "$(column check_metric,verified | sort -u)"
equals "its work is declared" "2097152,8388608,4194304" \
    "$(column flops,bytes_read,bytes_written 'n = 1048576' | sort -u)"
finish
