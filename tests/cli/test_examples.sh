#!/usr/bin/env bash
# docs/examples/: every plugin compiles, every configuration is right and is measured with little work in
# each case, the list in its README is complete.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/python/python.sh"
find_shared_python
cp "$top_srcdir"/docs/examples/* "$TMPDIR" && cd "$TMPDIR" || exit 99
plugins=$("$GBRUN" list plugins)

# Compilers as configure found them; what is not there leaves out its examples.
rustc --version >/dev/null 2>&1 && RUSTC=rustc
for source in *.c *.cc *.cu *.rs; do
    [[ $source != measure* ]] || continue # programs, see tests/library
    name=${source%.*} compiler='' include=''
    gcc_flags="-O2 -Wall -fPIC -fvisibility=hidden -shared -Wl,-z,defs"
    case $source in
    l2_distance.cu | transpose.cu | vector_add.cu) continue ;; # are compiled by gbrun
    *.c) compiler="${CC:-cc} -std=c99 -pedantic $gcc_flags -Werror" ;;
    *.cc) compiler="${CXX:-c++} -std=c++17 -pedantic $gcc_flags -Werror" ;;
    *.cu) compiler=${NVCC:+$NVCC -O2 -arch=sm_90 -shared -Xcompiler -fPIC} ;;
    *.rs) compiler=${RUSTC:+$RUSTC -O --crate-type cdylib} ;;
    esac
    if [ -n "$compiler" ]; then
        [ "$source" = "$name.rs" ] || include=-I$top_srcdir/include
        # shellcheck disable=SC2086 # a command with its flags
        succeeds "$source compiles" $compiler ${include:+"$include"} "$source" -o "$name.so"
        equals "$name.so exports one symbol" gb_module_v1 \
            "$(nm -D --defined-only "$name.so" | awk '$3 ~ /^gb_/ { print $3 }')"
    else
        skip "$source compiles" "its compiler is not here"
    fi
done

has_gpu=$("$GBRUN" list devices 2>/dev/null | grep -c '^cuda:0 ')
printf '[defaults]\npolicy = fixed\nmin_samples = 1\nmax_samples = 2\nwarmup = 0\n' >little
for file in *.ini; do
    name=${file%.ini}
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
    succeeds "gbrun check -c $file" "$GBRUN" check -c "$file"
    [ "$name" != language ] || continue # is about the language; it takes long
    # With `device = cuda` cases fail where there is none; elsewhere they are skipped.
    if grep -q '^device = cuda' "$file" && [ "$has_gpu" = 0 ]; then
        skip "$file is measured" "no GPU"
        continue
    fi
    "$GBRUN" -q -c "$file" -c little -o "$name.gbr" >"$name.txt" 2>&1
    code=$? wanted=0
    if [ "$name" = tolerances ] || grep -q '^gbrun: nothing was measured: ' "$name.txt"; then
        wanted=1
    fi
    [ "$code" = "$wanted" ] || fail "$file is measured" "exit code $code" "$(cat "$name.txt")"
    [ "$code" != "$wanted" ] || pass "$file is measured"
done
equals "of the tolerances one holds" "exact,failed loose,ok" \
    "$("$GBRUN" export tolerances.gbr --columns bench,verified | tail -n +2 | tr -d '\r' | xargs)"
if [ -f saxpy.gbr ] && [ "$has_gpu" = 0 ]; then
    equals "without a GPU saxpy is skipped" "skipped,unchecked" \
        "$("$GBRUN" export saxpy.gbr --columns status,verified | tail -n +2 | tr -d '\r' | sort -u)"
    succeeds "and the reason is reported" grep -q 'device cuda is not there: ' saxpy.txt
fi
if [ -f counter.gbr ]; then
    equals "the plugin in Rust was measured" "counter,ok" \
        "$("$GBRUN" export --columns bench,status counter.gbr | tail -n 1 | tr -d '\r')"
fi

unlisted=$(for file in *.*; do
    case $file in
    README.md | *.so | *.gbr | *.txt) ;;
    *) grep -qF "]($file)" README.md || echo "$file" ;;
    esac
done)
equals "README.md lists all of them" "" "$unlisted"
finish
