#!/usr/bin/env bash
# `gbrun new`: what it writes compiles without a warning by its Makefile and its CMakeLists.txt against an
# installed gbrun, and against the folder of the program, and is measured; it overwrites nothing. CMake has its turn
# with LONG.
. "$top_srcdir/tests/tap.sh"
root=$TMPDIR/root
succeeds "make install" "${MAKE:-make}" -C "$top_builddir" --no-print-directory install DESTDIR="$root"
# As if the installed folder had been moved: no path of a configuration leads there.
prefix=$(dirname "$(dirname "$(find "$root" -type f -path '*/bin/gbrun')")")
PATH=$prefix/bin:$PATH
export PATH
cd "$TMPDIR" || exit 99

# is_measured FORM NAME CONFIGURATION: each case is ok; of a benchmark its output was right.
is_measured()
{
    local wanted=ok,ok
    [ "$1" != --cuda ] || [ "$has_gpu" != 0 ] || wanted=skipped,unchecked
    rm -f results.gbr
    sed -i 's/, 4Mi$//' "$3" # the largest of three sizes takes longest
    ran gbrun -q -c "$3" --max-time 5ms -s '*.warmup=0' -o results.gbr
    equals "$2: $3 is measured as it should be" "0 $wanted" "$code $([ "$code" = 0 ] || cat err.txt)$(
        column status,verified results.gbr 2>/dev/null | sort -u)"
}
has_gpu=$(gbrun list devices 2>/dev/null | grep -c '^cuda:0 ')

# The installed gbrun.pc names the prefix that it was configured for.
make_plugin()
{
    make -C "$1" CC="${CC:-cc}" CXX="${CXX:-c++}" NVCC="${NVCC:-nvcc}" NVCCFLAGS='-O0 -arch=sm_90 -Werror all-warnings' \
        CFLAGS='-std=c99 -O2 -Wall -Wextra -Wpedantic -Wconversion -Werror' \
        CXXFLAGS='-O0 -Wall -Wextra -Wpedantic -Wmissing-field-initializers -Werror' \
        PKG_CONFIG="${PKG_CONFIG:-pkg-config} --define-variable=prefix=$prefix"
}
cmake_plugin()
{
    cmake -S "$1" -B "$1/build" -DCMAKE_C_COMPILER="${CC##* }" -DCMAKE_CXX_COMPILER="${CXX##* }" \
        ${NVCC:+-DCMAKE_CUDA_COMPILER="$NVCC"} && cmake --build "$1/build" && cp "$1/build/mine.so" "$1/from_cmake.so"
}

for form in --c --cpp --cuda --policy --device; do
    rm -rf mine
    succeeds "new $form" gbrun new "$form" mine
    case $form in
    --cpp) command -v "${CXX%% *}" >/dev/null || { skip "$form" "no C++ compiler"; continue; } ;;
    --cuda) [ -n "${NVCC-}" ] || { skip "$form" "configure found no nvcc"; continue; } ;;
    esac
    equals "$form: nothing is left of the template's words" "" "$(grep -rnE 'plugin_name|@[A-Z]+@' mine)"
    succeeds "$form: make" make_plugin mine
    is_measured "$form" "$form by make" mine/bench.ini
    equals "$form: it is described" 1 \
        "$(gbrun list plugins --plugin-path mine --format csv | tr -d '"' | grep -cE "^(benchmark|policy|device),mine,1.0,")"
    if [ "$form" = --policy ]; then
        printf '%s\n' 9 8 7 8 9 7 8 9 >times.csv
        ran gbrun replay times.csv --unit ns --min-samples 1 --policy './mine/mine.so patience=3' --format csv
        equals "the policy stops when nothing gets shorter" "6,minimum,7,shortest time settled" \
            "$(cells stopped_at,statistic,estimate_ns,stop_reason)"
    fi
    succeeds "$form: make clean" make -C mine clean
    [ -n "${LONG-}" ] || continue
    if ! command -v cmake >/dev/null; then
        skip "$form: cmake" "no cmake"
        continue
    fi
    succeeds "$form: cmake" cmake_plugin mine
    is_measured "$form" "$form by cmake" mine/build/bench.ini
done

# ---- a configuration alone ----
mkdir alone && cd alone || exit 99
ran gbrun new --ini
equals "new --ini writes bench.ini here, and says how it runs" "0 bench.ini now: gbrun bench.ini" \
    "$code $(cat out.txt err.txt | xargs)"
rm out.txt err.txt
ran gbrun -q bench.ini --max-time 5ms -s '*.warmup=0'
equals "it runs as it is, each case is checked" "0 ok,ok" "$code $(column status,verified results.gbr | sort -u)"
try_each gbrun new <<'TABLE'
a bench.ini that is there stays|2|~bench.ini is there already|--ini
it has no name|2|gbrun: error: new: --ini takes no name: it writes bench.ini|--ini mine
TABLE
cd .. && rm -r alone

# ---- the library, found by the same file ----
if [ -n "${LONG-}" ] && command -v cmake >/dev/null && [ -n "${CXX-}" ]; then
    mkdir program
    cat >program/CMakeLists.txt <<'TEXT'
cmake_minimum_required(VERSION 3.18)
project(program LANGUAGES CXX)
find_package(gbrun 0.1 REQUIRED)
add_executable(program program.cc)
target_compile_features(program PRIVATE cxx_std_17)
target_link_libraries(program gbrun::library)
TEXT
    cat >program/program.cc <<'TEXT'
#include <cstdio>
#include <gbrun/bench.h>
#include <gbrun/measure.hpp>
int main()
{
    double sum = 0;
    const auto taken = gbrun::measure([&] { sum += 1; GB_KEEP(&sum); }, "max_time = 20 ms");
    std::puts(taken->time_ns > 0 ? "measured" : "not measured");
}
TEXT
    succeeds "a program links gbrun::library" sh -c 'cmake -S program -B program/build && cmake --build program/build'
    # CMake knows nothing of a sanitizer that the library was built with.
    equals "and is measured by it" measured "$(ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 \
        LD_LIBRARY_PATH=$prefix/lib program/build/program 2>&1)"
    sed -i 's/gbrun 0.1/gbrun 7/' program/CMakeLists.txt
    cmake -S program -B program/other >later.txt 2>&1
    equals "a later version than this one is not found" 1 $?
    rm -rf program
elif [ -n "${LONG-}" ]; then
    skip "a program links gbrun::library" "no cmake, or no C++ compiler"
fi

# ---- what cannot be written ----
rm -rf mine
mkdir taken && echo mine >taken/Makefile
ln -s /nowhere a_link
touch plain
try_each gbrun new <<'TABLE'
a file that is there|2|~taken/Makefile is there already: choose another name or remove it|taken
a link to nowhere|2|~the folder a_link cannot be made: |a_link
a file in place of the folder|2|~the folder plain cannot be made: |plain
no name|2|~expected one name|
two names|2|~expected one name|one two
two forms|2|~expected one of --c, --cpp, --cuda, --policy, --device and --ini|--c --cpp both
a capital|2|~cannot be the name of a plugin|-- Mine
a digit at its beginning|2|~cannot be the name of a plugin|-- 1st
a dash|2|~cannot be the name of a plugin|-- my-bench
a path|2|~cannot be the name of a plugin|-- ../mine
an empty one|2|~cannot be the name of a plugin|-- ''
a long one|2|~cannot be the name of a plugin|-- a_name_that_is_longer_than_thirty
a keyword|2|~'while' is reserved: a word of C, C++, CMake or the C library: choose another name, such as while_1|while
a keyword of C|2|~'restrict' is reserved|restrict
a keyword of C++|2|~'co_await' is reserved|co_await
a macro|2|~'linux' is reserved|linux
a type|2|~'size_t' is reserved|size_t
a type of POSIX|2|~'ssize_t' is reserved|--cpp ssize_t
a function that compilers know|2|~'exp' is reserved|exp
a variable of the library|2|~'stdin' is reserved|--policy stdin
a target of CMake|2|~'test' is reserved|--device test
a function of the template|2|~'prepare' is a word of the source|prepare
TABLE
equals "what was there is as it was" "Makefile mine" "$(ls taken) $(cat taken/Makefile)"
equals "nothing was written" "" "$(find . -maxdepth 1 -name '[a-z]*' -type d ! -name taken ! -name root)"

# ---- as a user has it: the program of a build folder on PATH, and nothing else ----
PATH=$TMPDIR/bin:$PATH
mkdir bin && ln -s "$GBRUN" bin/gbrun
cp "$top_builddir/gbrun-uninstalled.pc" bin
succeeds "new, with C by default" gbrun new scale
succeeds "make finds the headers beside the program" env -u PKG_CONFIG_PATH make -C scale
is_measured --c "by the program of the build folder" scale/bench.ini
has "help has the option" <(gbrun help --plugin-path scale scale) '  factor = 0.5'
finish
