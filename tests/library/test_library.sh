#!/usr/bin/env bash
# libgbrun as programs link with it: what it exports, the examples, C++, and what valgrind and the
# sanitizers say of a program that uses it.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99
library=$top_builddir/.libs
examples=$top_srcdir/docs/examples
read -ra c <<<"${CC:-cc}"
read -ra cxx <<<"${CXX:-c++}"
if [ -n "${SANITIZE:-}" ]; then
    read -ra flags <<<"$SANITIZE_CFLAGS"
    c+=("${flags[@]}")
    cxx+=("${flags[@]}")
fi
link=("-I$top_srcdir/include" "-L$library" -lgbrun "-Wl,-rpath,$library" -pthread)
quick=$'device = cpu\npolicy = fixed\nsamples = 20'

exported=$(awk '/^GBRUN_/ { version = $1 } /^ *gbrun_[a-z_]*;$/ { sub(/;/, ""); print $1 "@@" version }' \
    "$top_srcdir/core/library/libgbrun.map" | sort)
equals "it exports what libgbrun.map lists" "$exported" \
    "$(nm -D --defined-only "$library/libgbrun.so" | awk '$2 == "T" { print $3 }' | grep -v san_ | sort)"
equals "each of them is declared in measure.h" "" "$(for name in $exported; do
    grep -qw "${name%@@*}" "$top_srcdir/include/gbrun/measure.h" || echo "$name"
done)"

succeeds "the example in C compiles" "${c[@]}" -O2 -Wall -Wextra -Werror "$examples/measure.c" -o measure "${link[@]}"
equals "the optimizer has left the copy in it" 1 "$(nm -u measure | grep -c memcpy)"
measured=$(./measure "$quick" 2>errors.txt)
equals "and measures: exit code" 0 $?
equals "it prints its result and nothing else" "1 of 1" \
    "$(grep -cE '^[0-9.e+-]+ (us|ns), .*\(none, 20 samples\)$' <<<"$measured") of $(cat - errors.txt <<<"$measured" | wc -l)"
equals "a mistake in the settings ends it with words" "settings:1:1: unknown key 'colour'" "$(./measure 'colour = red' 2>&1)"
equals "from another folder, without an environment" 0 "$(cd / && env -i "$TMPDIR/measure" "$quick" >/dev/null 2>&1; echo $?)"

succeeds "the example in C++ compiles" "${cxx[@]}" -std=c++17 -Wall -Wextra -Werror \
    "$examples/measure_threads.cc" -o threads "${link[@]}"
equals "its threads measure, and each meets the exception" "3 3" \
    "$(./threads >lines.txt 2>&1; echo "$(grep -c ' us by ' lines.txt) $(grep -c 'out of range' lines.txt)")"

cat >faces.cc <<'CC'
#include <gbrun/measure.hpp>
#include <cstdio>
#include <cstring>
static const char *const quick = "device = cpu\npolicy = fixed\nsamples = 20\niterations = 3";
struct counted { // is moved nowhere, copied nowhere
    long n = 0;
    counted() = default;
    counted(const counted &) = delete;
    void operator()() { n++; }
};
static void function(void *stream) { if (stream) std::abort(); }
int main()
{
    counted object;
    auto m = gbrun::measure(object, quick);
    std::printf("%d ", object.n >= 60 && object.n % 3 == 0 && m->n_samples == 20);
    uint64_t most = 0;
    gbrun::measure([&](gbrun::stream, uint64_t n) { most = n > most ? n : most; }, quick);
    gbrun::measure(function, quick);
    int n_resets = 0;
    gbrun::measure([] {}, quick, [&] { n_resets++; });
    std::printf("%d %d ", (int)most, n_resets >= 20);
    try {
        gbrun::measure([] { throw 42; }, quick);
    } catch (int thrown) {
        std::printf("%d ", thrown);
    }
    try {
        gbrun::measure([] {}, "colour = red");
    } catch (const gbrun::measure_error &error) {
        std::printf("%d %s\n", error.status() == GB_INVALID, error.what());
    }
    try {
        gbrun::measure([](gbrun::stream) {}, quick, [] { throw std::runtime_error("reset"); });
    } catch (const std::exception &error) {
        std::printf("%s\n", error.what());
    }
    try { // there is no GPU, or no plugin for one in this build, or its stream
        bool has_stream = true;
        gbrun::measure([&](gbrun::stream s) { has_stream = has_stream && s.native; }, "policy = fixed");
        std::printf("%d\n", has_stream);
    } catch (const gbrun::measure_error &error) {
        std::printf("%d\n", std::strstr(error.what(), "device cuda is not available") != nullptr ||
                    std::strstr(error.what(), "unknown device 'cuda'") != nullptr);
    }
    gbrun_release();
}
CC
succeeds "callables of all kinds compile" "${cxx[@]}" -std=c++17 -Wall -Wextra -Werror faces.cc -o faces "${link[@]}"
equals "and are called as they are" $'1 3 1 42 1 settings:1:1: unknown key \'colour\'\nreset\n1' "$(./faces 2>&1)"

if [ -n "${SANITIZE:-}" ]; then
    skip "address sanitizer" "all of it is instrumented"
    skip "valgrind" "not with the sanitizers"
    finish
fi
if "${c[@]}" -g -fsanitize=address,undefined "$examples/measure.c" -o checked "${link[@]}" 2>checked.txt; then
    succeeds "the sanitizers find nothing, leaks included" env ASAN_OPTIONS=detect_leaks=1 ./checked "$quick"
else
    skip "the sanitizers" "this compiler has none"
fi
if command -v valgrind >/dev/null; then
    succeeds "valgrind finds nothing, leaks included" valgrind -q --error-exitcode=9 --leak-check=full \
        --errors-for-leak-kinds=definite,indirect,possible ./measure "$quick"
else
    skip "valgrind" "it is not installed"
fi
finish
