#!/usr/bin/env bash
# docs/examples/: every plugin compiles, every configuration is right and is measured with little work in
# each case, the list in its README is complete. What a document has measured is left to test_docs.sh.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/python/python.sh"
find_shared_python
cp "$top_srcdir"/docs/examples/* "$TMPDIR" && cd "$TMPDIR" || exit 99
plugins=$("$GBRUN" list plugins)

# Those that a command of a document names; of saxpy and of the tolerances more is asked here.
commands=$(cd "$top_srcdir" && grep -hE '^(gbrun|nvcc|c\+\+) ' README.md docs/*.md docs/experiments/*.md)
in_documents()
{
    [ -z "${LONG-}" ] && [[ $1 != @(saxpy|tolerances).* && " $commands " =~ [[:space:]]$1[[:space:]] ]]
}

# Compilers as configure found them; what is not there leaves out its examples. Optimized code takes LONG.
rustc --version >/dev/null 2>&1 && RUSTC=rustc
gcc_flags="-O${LONG:+2} -Wall -fPIC -fvisibility=hidden -shared -Wl,-z,defs -Werror -I$top_srcdir/include"
for source in *.c *.cc *.cu *.rs; do
    [[ $source != measure* ]] || continue # programs, see tests/library
    name=${source%.*} compiler='' libraries=''
    case $source in
    l2_distance.cu | transpose.cu | vector_add.cu) continue ;; # are compiled by gbrun
    *.c) compiler="${CC:-cc} -std=c99 -pedantic $gcc_flags" libraries=-lm ;;
    *.cc) compiler="${CXX:-c++} -std=c++17 -pedantic $gcc_flags" ;;
    *.cu) compiler=${NVCC:+$NVCC -O2 -std=c++14 -arch=sm_90 -shared -Xcompiler -fPIC -I$top_srcdir/include} ;;
    *.rs) compiler=${RUSTC:+$RUSTC -O --crate-type cdylib} ;;
    esac
    if [ -z "$compiler" ]; then
        skip "$source compiles" "its compiler is not here"
    elif ! in_documents "$source" || [[ $source = *.c ]]; then
        # shellcheck disable=SC2086 # a command with its flags
        succeeds "$source compiles" $compiler "$source" -o "$name.so" $libraries
    fi
done
equals "each exports one symbol" "$(printf '%s gb_module_v1\n' *.so)" \
    "$(nm -A -D --defined-only ./*.so | sed -n 's|^\./\([^:]*\):.* \(gb_.*\)|\1 \2|p')"

# less_work NAME: settings that make its run short.
less_work()
{
    case $1 in
    caches | rounds) echo copy.sweep.bytes=16KiB,64KiB ;;
    counters) echo elementwise.n=64Ki ;;
    devices) echo streams.aligned=64 ;;
    environment) echo copy.bytes=64KiB ;;
    l2_distance) echo l2_distance.sweep.unit=0,131 ;;
    push) echo defaults.iterations=1000 ;;
    shapes) echo streams.sweep.depth=1 ;;
    sort_ten) echo in_one_go.iterations=1000 ;;
    esac
}

has_gpu=$("$GBRUN" list devices 2>/dev/null | grep -c '^cuda:0 ')
printf "[device cpu]\nflush = 64KiB\n[defaults]\npolicy = fixed\nmin_samples = 1\nmax_samples = 2\nwarmup = 0\n" >little
for file in *.ini; do
    name=${file%.ini}
    ! in_documents "$file" || continue
    module=$(sed -n 's/^plugin = \.\/\([^:]*\).*/\1/p' "$file" | sort -u)
    if [ -n "$module" ] && [ ! -f "$module" ]; then
        skip "$file" "$module was not built"
        continue
    elif [ "$name" = joined ] && [ -z "$python" ]; then
        skip "$file" "there is no python3 with a shared library"
        continue
    elif grep -qE '^(plugin = kernel|device = cuda)' "$file" && ! grep -q '^device *cuda ' <<<"$plugins"; then
        skip "$file" "the device cuda was not built"
        continue
    fi
    less=$(less_work "$name")
    "$GBRUN" -q -c "$file" -c little ${less:+-s "$less"} -o "$name.gbr" >"$name.txt" 2>&1
    code=$? wanted=0
    [ "$name" != tolerances ] || wanted=1
    equals "$file is measured" "exit code $wanted" "exit code $code$([ "$code" = "$wanted" ] || cat "$name.txt")"
done
equals "of the tolerances one holds" "exact,failed loose,ok" "$(column bench,verified tolerances.gbr | xargs)"
if [ -f saxpy.gbr ] && [ "$has_gpu" = 0 ]; then
    equals "without a GPU saxpy is skipped" "skipped,unchecked" "$(column status,verified saxpy.gbr | sort -u)"
    succeeds "and the reason is reported" grep -q 'device cuda is not available: ' saxpy.txt
fi
if [ -f counter.gbr ]; then
    equals "the plugin in Rust was measured" "counter,ok" "$(column bench,status counter.gbr | tail -n 1)"
fi

unlisted=$(for file in *.*; do
    case $file in
    README.md | *.so | *.gbr | *.txt) ;;
    *) grep -qF "]($file)" README.md || echo "$file" ;;
    esac
done)
equals "README.md lists all of them" "" "$unlisted"
finish
