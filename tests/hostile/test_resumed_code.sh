#!/usr/bin/env bash
# A results file's configuration decides which code --resume runs: that is said before any of it is loaded, and the file
# of another user is refused. Verbs that only look at the file load nothing. What docs/security.md says of modes holds.
. "$top_srcdir/tests/tap.sh"
modules=$top_builddir/tests/modules/.libs
cd "$TMPDIR" || exit 1
umask 022
mkdir chosen
cp "$modules/plain.so" chosen/
cat >bait.c <<'C'
#include <stdio.h>
__attribute__((constructor)) static void loaded(void)
{
    FILE *file = fopen(BAIT, "w");
    if (file)
        fclose(file);
}
C
${CC:-cc} -shared -fPIC -DBAIT="\"$PWD/loaded\"" -o chosen/bait.so bait.c || fail "a module that leaves a trace"
few_samples 10 'device = cpu' '[gbrun]' 'plugin_path = chosen' '[bench nop]' >few.ini
exits "a run" 0 "$GBRUN" -q -c few.ini
equals "a results file: mode" 644 "$(stat -c %a results.gbr)"

export GBRUN_PLUGIN_PATH=$PWD/chosen
ran "$GBRUN" list plugins
succeeds "list plugins loads modules" test -e loaded
for verb in show export report "export --format json" "report --pivot bench -o out.svg" "merge -o all.gbr"; do
    rm -f loaded
    # shellcheck disable=SC2086
    ran "$GBRUN" $verb results.gbr
    equals "$verb loads nothing" absent "$([ -e loaded ] && echo loaded || echo absent)"
done
unset GBRUN_PLUGIN_PATH
equals "an export: mode" 644 "$(stat -c %a out.svg)"

exits "resumed by its owner" 0 "$GBRUN" run --resume results.gbr
equals "what is loaded is said first" \
    "results.gbr (configuration of the run): plugins are loaded from $PWD/chosen" "$(head -1 err.txt)"
ran "$GBRUN" -q -c few.ini -o again.gbr
equals "of the user's own configuration nothing is said" "" "$(grep 'plugins are loaded' err.txt)"
sed 's/^plugin_path.*//' few.ini >plain.ini
"$GBRUN" -q -c plain.ini -o plain.gbr >/dev/null 2>&1
ran "$GBRUN" run --resume plain.gbr
equals "nor where the file chooses nothing" "" "$(grep 'plugins are loaded' err.txt)"

if [ "$(id -u)" = 0 ]; then
    chown 12345 results.gbr
    rm -f loaded
    exits "another user's file" 2 "$GBRUN" run --resume results.gbr
    has "another user's file: why" err.txt "results.gbr: belongs to another user, and its configuration"
    equals "another user's file: nothing is loaded" absent "$([ -e loaded ] && echo loaded || echo absent)"
    succeeds "it can be looked at" "$GBRUN" show results.gbr
    cp results.gbr copy.gbr
    succeeds "a copy can be resumed" "$GBRUN" run --resume copy.gbr
else
    skip "another user's file" "only root can make one"
fi
finish
