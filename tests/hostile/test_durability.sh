#!/usr/bin/env bash
# What is announced is stored: synced first, at most once in 0.2 s; a results file that is taken away during a run, and a
# lock that another program holds on it.
. "$top_srcdir/tests/tap.sh"
with_modules

few_samples 12 'device = fake' 'iterations = 1' '[bench good]' sweep.size=1:10 sweep.factor=1:10 >cases.ini
{
    few_samples 12 'device = fake' 'iterations = 1' 'isolate = yes'
    section bench one good sweep.size=1:3
    section bench crash crash where=prepare kind=act
    section bench two good sweep.size=1:4
} >acting.ini
n_acting=8

# ---- when it is synced ----
# traced NAME OPTION...: runs under strace; prints how many lines came before a sync of what they announce, whether
# there were more syncs than one in 0.2 s and those of a file's and a run's begin and end, and whether there were lines.
traced()
{
    # The search for leaks cannot work where strace looks.
    ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 strace -ttt -e trace=pwrite64,fdatasync,write -e signal=none -y -s 40 -o trace.txt \
        "$GBRUN" -c cases.ini -o "$1.gbr" "${@:2}" >/dev/null 2>text.txt || echo "exit $?"
    awk -v file="$1.gbr-wal" '
        index($0, file) && /^[0-9.]* pwrite64/ { is_new = 1 }
        index($0, file) && /^[0-9.]* fdatasync/ { is_new = 0; begin = begin ? begin : $1; end = $1; n++ }
        /^[0-9.]* write\([0-9]+</ && /"[0-9]+\/100 / { early += is_new; lines++ }
        END { print early + 0, (n > 9 + (end - begin) / 0.2), (lines > 0) }' trace.txt
}
if strace -o /dev/null true 2>/dev/null; then
    equals "full: nothing is announced before it is synced, and not each is synced" "0 0 1" "$(traced full)"
    got=$(traced process -s gbrun.durability=process)
    succeeds "process: announced without a sync" test "${got%% *}" -gt 0
else
    skip "when cases are synced" "strace cannot be used"
fi

# ---- taken away ----
"$GBRUN" -q -c cases.ini -o other.gbr >/dev/null
while read -r what action; do
    rm -f results.gbr* elsewhere.gbr
    ACT=$action "$GBRUN" -c acting.ini >table.txt 2>text.txt
    succeeds "$what: it is reported" grep -q "error: results.gbr: was $what while it was written to" text.txt
    if [ "$what" = truncated ]; then
        succeeds "$what: no promise" grep -q 'what was stored cannot be rescued' text.txt
        continue
    fi
    succeeds "$what: what to do" grep -q 'results.gbr.rescued: move it back to continue with it' text.txt
    announced=$(grep -c "^[0-9]*/$n_acting " text.txt)
    stored=$(column status results.gbr.rescued | grep -c '^ok$')
    succeeds "$what: nothing that was announced is lost ($announced, $stored)" \
        test "$announced" -gt 0 -a "$announced" -le "$stored"
    [ "$what" != replaced ] || succeeds "$what: the other file is left alone" cmp results.gbr other.gbr
    mv results.gbr.rescued back.gbr
    "$GBRUN" run -q --resume back.gbr >/dev/null 2>text.txt
    equals "$what: resumed" $n_acting "$("$GBRUN" export --columns status back.gbr | grep -c '^ok$')"
done <<'LIST'
deleted rm results.gbr*
moved mv results.gbr elsewhere.gbr
replaced cp other.gbr new.gbr && mv new.gbr results.gbr
truncated : >results.gbr
LIST

# ---- a lock of another program ----
if command -v sqlite3 >/dev/null; then
    mkfifo now locked held
    rm -f results.gbr*
    {
        read -r _ <now
        sqlite3 -cmd '.timeout 600000' results.gbr 'BEGIN IMMEDIATE' '.shell echo yes >locked' '.shell cat held' COMMIT \
            >/dev/null 2>&1
    } &
    ACT='echo now >now && read -r _ <locked' "$GBRUN" -c acting.ini 2>&1 >table.txt | while read -r line; do
        case $line in
        *'waiting for that program') echo "go on" >held ;;
        esac
        printf '%s\n' "$line"
    done >text.txt
    succeeds "locked: it is shown" grep -q 'results.gbr: another program holds a lock on it' text.txt
    equals "locked: the run goes on" $n_acting "$("$GBRUN" export --columns status | grep -c '^ok$')"
else
    skip "a lock of another program" "there is no sqlite3"
fi
finish
