#!/usr/bin/env bash
# The policy in HACKING.md is true: it compiles without a warning, has at most 60 lines, does what is
# said of it, and its commands run. The comments before blocks are those of test_readme.sh.
. "$top_srcdir/tests/tap.sh"

mkdir "$TMPDIR/bin" "$TMPDIR/here"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$GBRUN" >"$TMPDIR/bin/gbrun"
printf '#!/bin/sh\nexec %s -std=c99 -pedantic -Wall -Wextra -Werror "$@"\n' "${CC:-cc}" \
    >"$TMPDIR/bin/cc"
chmod +x "$TMPDIR/bin"/*
printf 'Name: gbrun\nDescription: headers in the source tree\nVersion: 0\nCflags: -I%s\n' \
    "$top_srcdir/include" >"$TMPDIR/gbrun.pc"
PATH=$TMPDIR/bin:$PATH
PKG_CONFIG_PATH=$TMPDIR
export PATH PKG_CONFIG_PATH
cd "$TMPDIR/here" || exit 99

"$top_srcdir/tests/readme_blocks.sh" "$top_srcdir/HACKING.md" "$TMPDIR/blocks" >"$TMPDIR/strays"
equals "each comment has its block" "" "$(cat "$TMPDIR/strays")"
n_blocks=0
for name in "$TMPDIR"/blocks/*.name; do
    block=${name%.name}
    n_blocks=$((n_blocks + 1))
    if [ -f "$block.file" ]; then
        cp "$block.file" "$(cat "$name")"
        continue
    fi
    while IFS= read -r command; do
        succeeds "$command" bash -euo pipefail -c "$command"
    done <"$block.run"
done
equals "all blocks were found" 4 "$n_blocks"

n_lines=$(wc -l <stable.c)
equals "stable.c has at most 60 lines" yes "$([ "$n_lines" -le 60 ] && echo yes || echo "$n_lines")"
equals "it was the policy of a case that was measured" "ok,stable,mean" \
    "$(gbrun export stable.gbr --columns status,policy_plugin,statistic | tail -n +2 | tr -d '\r')"

# A series of each kind, handed over one by one and looked at where next asks for it.
cat >series.c <<'C'
#include "stable.c"
#include <stdio.h>
#include <stdlib.h>
static void *allocate(const struct gb_host *host, uint64_t bytes)
{
    (void)host;
    return calloc(1, bytes);
}
static double value(int kind, uint64_t i)
{
    switch (kind) {
    case 0:
    case 1:
    case 6:
        return 100;
    case 2:
        return i < 20 ? 110 : 100;
    case 3:
        return i == 7 ? NAN : 100;
    case 4:
        return i == 7 ? INFINITY : 100;
    default:
        return 100 + (double)(i % 10);
    }
}
int main(void)
{
    const struct gb_host host = {.size = sizeof host, .allocate = allocate};
    for (int kind = 0; kind < 7; kind++) {
        const struct params params = {.precision = 0.01, .min_time = kind == 6 ? 50 : 0};
        void *policy = NULL;
        uint64_t n = 0;
        struct gb_next asked = {.size = sizeof asked};
        struct gb_estimate estimate = {.size = sizeof estimate};
        if (create(&host, &params, &policy) != GB_OK)
            return 1;
        for (next(policy, &asked); asked.decision == GB_MORE && n < 20000;) {
            const double time = value(kind, n++), elapsed = (double)n;
            const struct gb_samples samples = {.size = sizeof samples, .n = 1, .time_ns = &time,
                                               .elapsed_ns = kind == 6 ? &elapsed : NULL,
                                               .tick_ns = kind == 1 ? 10 : 0};
            observe(policy, &samples);
            if (n >= asked.n_samples)
                next(policy, &asked);
        }
        report(policy, &estimate);
        printf("%d %d %d %g [%g, %g]\n", (int)estimate.n, asked.decision, estimate.verdict,
               estimate.value_ns, estimate.low_ns, estimate.high_ns);
        free(policy);
    }
    return 0;
}
C
succeeds "a program around it compiles" \
    cc -O1 "-I$top_srcdir/include" -Wno-unused-const-variable series.c -o series -lm
./series | sed 's/-nan/nan/g' >series.txt
line()
{
    equals "$2" "$3" "$(sed -n "$1p" series.txt)"
}
line 1 "equal times end it at the first look with ten batches" "32 1 1 100 [100, 100]"
line 2 "the timer's step is too coarse" "20000 0 4 100 [95, 105]"
line 3 "a step at the start has to be averaged out" "2048 1 1 100.098 [100, 101.562]"
line 4 "what is not a number is claimed nothing of" "20000 0 4 nan [nan, nan]"
line 5 "nor of an endless one" "20000 0 4 inf [nan, nan]"
line 6 "a period that is shorter than a batch is averaged out" "128 1 1 104.438 [103.5, 105.5]"
line 7 "before min_time it claims nothing" "64 1 1 100 [100, 100]"
finish
