#!/usr/bin/env bash
# The program is replaced or removed while it runs, as `make install` does, and workers end before they take a case.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 1
GBRUN_PLUGIN_PATH=$(printf '%s:' "$top_builddir"/plugins/policy_fixed/.libs "$top_builddir"/tests/modules/.libs)
export GBRUN_PLUGIN_PATH

few_samples 12 'device = fake' 'isolate = yes' 'iterations = 1' '[bench good]' sweep.size=1:40 >cases.ini

# counts: how many cases ended how.
counts()
{
    column status | sort | uniq -c | xargs
}

# during HOW: runs the program and does HOW to it once the first case has been stored.
during()
{
    mkdir -p bin
    cp "$GBRUN" bin/gbrun
    rm -f results.gbr
    # shellcheck disable=SC2094 # the file is not the program that runs
    bin/gbrun -c cases.ini 2>&1 >table.txt | while read -r line; do
        case $line in
        1/*) "$1" ;;
        esac
        printf '%s\n' "$line"
    done >text.txt
}
replace()
{
    printf '#!/bin/sh\nexit 9\n' >new
    chmod +x new
    mv new bin/gbrun
}
remove()
{
    rm bin/gbrun
}
during replace
equals "the program is replaced: all cases are measured" "40 ok" "$(counts)"
succeeds "it was replaced" grep -q 'exit 9' bin/gbrun
during remove
equals "the program is removed: all cases are measured" "40 ok" "$(counts)"

# ---- workers that end before they take their case ----
[ -z "${SANITIZE-}" ] || skip_rest "workers that do not start" "a preloaded library comes before the sanitizer's"
cat >start.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
/* The first processes, START_FAILS of them, end before main. */
__attribute__((constructor)) static void start(void)
{
    const char *most = getenv("START_FAILS"), *stop = getenv("START_STOP");
    char name[200];
    if (stop && access(stop, F_OK) == 0)
        _exit(9);
    for (int i = 1; most && i <= atoi(most); i++) {
        snprintf(name, sizeof name, "%s/started%s.%d", getenv("TMPDIR"), most, i);
        if (access(name, F_OK) != 0) {
            fclose(fopen(name, "w"));
            _exit(9);
        }
    }
}
C
$CC -shared -fPIC -o start.so start.c || fail "a library to preload"
measured <<INI
$(few_samples 12 'device = fake' 'iterations = 1')
$(section bench before good)
$(section bench late good "env.LD_PRELOAD=$PWD/start.so" env.START_FAILS=2)
$(section bench never good "env.LD_PRELOAD=$PWD/start.so" env.START_FAILS=1000)
$(section bench after good)
INI
each_status <<'TABLE'
{before,late,after}|ok n=12
never|crashed (exit 9, before it took the case)
TABLE

# From some time on no worker gets that far: the run ends, and finishes when it is resumed.
rm -f results.gbr
START_STOP=$PWD/stop LD_PRELOAD=$PWD/start.so "$GBRUN" -c cases.ini 2>&1 >table.txt | while read -r line; do
    case $line in
    1/*) : >stop ;;
    esac
    printf '%s\n' "$line"
done >text.txt
succeeds "no worker can be started: the reason" grep -q 'error: workers exit before they take a case (exit 9)' text.txt
succeeds "and what to do" grep -q 'to continue: gbrun run --resume results.gbr' text.txt
equals "no case has failed" ok "$(column status | sort -u)"
ran "$GBRUN" run -q --resume results.gbr
equals "resumed: all cases are measured" "40 ok" "$(counts)"
finish
