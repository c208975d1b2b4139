#!/usr/bin/env bash
# Outputs that would destroy a file: the input itself, however it is named, another results file, what is there while
# the disk is full, the folder cannot be written or the program is interrupted.
. "$top_srcdir/tests/tap.sh"
with_modules

few_samples 40 'device = cpu' '[bench good]' 'sweep.size = 512, 1024' >good.ini
"$GBRUN" -q -c good.ini >/dev/null || fail "a run"
cp results.gbr other.gbr
cp results.gbr original
ln -s results.gbr link.gbr
ln results.gbr hard.csv
ln -s "$PWD" folder
printf '\x37\x7f\x06\x82 a log' >log.gbr-wal
printf '\xd9\xd5\x05\xf9\x20\xa1\x63\xd7 a journal' >journal.gbr-journal

# refused NAME FILE COMMAND...: an error with exit code 2, and the file is as it was.
refused()
{
    cp "$2" before
    exits "$1" 2 "${@:3}"
    has "$1: the reason" err.txt ": an SQLite file, such as a results file"
    succeeds "$1: nothing is lost" cmp "$2" before
}
for target in results.gbr ./results.gbr "$PWD/results.gbr" link.gbr hard.csv folder/link.gbr other.gbr log.gbr-wal \
    journal.gbr-journal; do
    refused "export -o $target" "$target" "$GBRUN" export results.gbr -o "$target"
done
refused "export of samples" results.gbr "$GBRUN" export --rows sample --format jsonl -o results.gbr
cp results.gbr drawing.svg
refused "a picture" drawing.svg "$GBRUN" report --pivot size -o drawing.svg
"$GBRUN" export -o /dev/stdout >>other.gbr 2>err.txt
succeeds "a results file behind standard output" cmp original other.gbr

# ---- what is there stays until all is written ----
echo precious >kept.csv
chmod 640 kept.csv
reason=$(
    ulimit -f 0
    trap '' XFSZ
    "$GBRUN" export -o kept.csv 2>&1
)
equals "no room: exit code" 4 "$?"
equals "no room: the old file" precious "$(cat kept.csv)"
equals "no room: the reason" "gbrun: error: the export cannot be written: File too large (the limit, ulimit -f, is 0 KiB)" "$reason"
equals "no room: nothing is left beside it" "" "$(find . -name '.gbrun*' -o -name 'kept.csv?*')"
succeeds "there is room" "$GBRUN" export -o kept.csv
equals "its mode is kept" 640 "$(stat -c %a kept.csv)"
equals "it is an export" "$("$GBRUN" export)" "$(cat kept.csv)"
echo precious >aim.csv
ln -s aim.csv link.csv
succeeds "through a link" "$GBRUN" export -o link.csv
succeeds "the link stays" test -L link.csv
equals "what it points to is written" "$("$GBRUN" export)" "$(cat aim.csv)"
if [ "$(id -u)" != 0 ]; then
    chmod 444 aim.csv
    exits "a file that may not be written" 4 "$GBRUN" export -o aim.csv
fi
mkdir occupied.csv
ln -s /dev/full full.svg
ln -s nowhere dangling.csv
ln -s dangling.csv dangling.svg
try_each "$GBRUN" <<'TABLE'
a link to nothing|2|~dangling.csv: a dangling symbolic link: name another file|export -o dangling.csv
a link to one, by another verb|2|~dangling.svg: a dangling symbolic link: name another file|report -o dangling.svg
a folder|4|~occupied.csv: cannot be written: Is a directory|export -o occupied.csv
no such folder|4|~none/x.csv: cannot be written: No such file or directory|export -o none/x.csv
a full device|4|~the export cannot be written: No space left on device|export -o /dev/full
a report to a full device|4|~full.svg: cannot be written: No space left on device|report --pivot size -o full.svg
TABLE

# ---- what is no file is written directly ----
equals "to a pipe" "$("$GBRUN" export)" "$("$GBRUN" export -o /dev/stdout | cat)"
succeeds "to nowhere" "$GBRUN" export -o /dev/null

# ---- interrupted while it writes ----
echo precious >kept.csv
for signal in INT TERM KILL; do
    "$GBRUN" export --rows sample --format json -o kept.csv &
    kill -$signal $! 2>/dev/null
    wait $! 2>/dev/null
    case $(head -c 8 kept.csv) in
    precious | '{'*) pass "SIG$signal: the old file or the new one" ;;
    *) fail "SIG$signal: the old file or the new one" "$(head -c 100 kept.csv)" ;;
    esac
done
equals "nothing is left of those" "" "$(find . -name '.gbrun*')"
finish
