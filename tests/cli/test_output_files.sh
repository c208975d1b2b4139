#!/usr/bin/env bash
# test_output_files.sh - no output of any verb destroys results or what is read: by its name, by a link, by a descriptor that
# a shell has opened; and what is no regular file is refused where one is needed.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 1
few_samples 3 'device = cpu' >bench.ini
printf '[bench nop]\nplugin = nop\n' >>bench.ini
"$GBRUN" -q -c bench.ini -o kept.gbr >out.txt 2>&1
cp kept.gbr r.gbr
cp bench.ini kept.ini
mkfifo pipe
for name in r.svg r.html r.pdf; do ln -s r.gbr $name; done
mkdir r.json-bin x.json-bin claimed claimed/claims linked
ln -s ../r.gbr x.json-bin/0.bin
mkfifo claimed/claims/plan
ln -s /nowhere/at/all linked/claims
is_sqlite='an SQLite file, such as a results file, which is not overwritten: name another file'
results_need='results need a regular file: name another one'

# NAME|CODE|MESSAGE|COMMAND: it is refused, with what was there as it was.
while IFS='|' read -r name expected message command; do
    eval "$command" >out.txt 2>err.txt
    equals "$name" "$expected" "$?"
    has "$name: message" <(cat out.txt err.txt) "$message"
    cmp r.gbr kept.gbr && cmp bench.ini kept.ini && continue
    fail "$name: nothing is destroyed"
    cp kept.gbr r.gbr
    cp kept.ini bench.ini
done <<TABLE
an export|2|$is_sqlite|"\$GBRUN" export r.gbr -f csv -o r.gbr
an export to a link|2|$is_sqlite|"\$GBRUN" export r.gbr -f json -o r.html
files beside an export|2|$is_sqlite|"\$GBRUN" export r.gbr -f nvbench -o x.json
a report|2|$is_sqlite|"\$GBRUN" report r.gbr -o r.html
a chart|2|$is_sqlite|"\$GBRUN" report r.gbr --chart bars --x bench -o r.svg
a plot|4|$is_sqlite|"\$GBRUN" replay r.gbr --plot r.svg
a program's output|1|$is_sqlite|"\$GBRUN" command -q -r 2 --stdout r.gbr 'echo text'
a program's errors|1|$is_sqlite|"\$GBRUN" command -q -r 2 --set '*.errors=r.gbr' 'echo text'
a program's output that is its input|1|bench.ini: also given as 'input' or 'expect_file'|\
"\$GBRUN" command -q -r 2 --input bench.ini --stdout bench.ini cat
a program's output that it is compared with|1|bench.ini: also given as 'input' or 'expect_file'|\
"\$GBRUN" command -q -r 2 --stdout bench.ini --set '*.expect_file=bench.ini' true
events behind results|2|--events: an SQLite file|"\$GBRUN" -q -c bench.ini -o new.gbr --events 5 5>>r.gbr
events into the results of the run|2|--events: an SQLite file|"\$GBRUN" -q -c bench.ini -o made.gbr --events 5 5>made.gbr
standard output likewise|2|standard output: an SQLite file|"\$GBRUN" -q -c bench.ini -o that.gbr >that.gbr
results into a configuration|4|bench.ini: not a results file of gbrun|"\$GBRUN" -q -c bench.ini -o bench.ini
results into a pipe|4|$results_need|"\$GBRUN" -q -c bench.ini -o pipe
results into a device|4|$results_need|"\$GBRUN" -q -c bench.ini -o /dev/null
merged results into a pipe|2|$results_need|"\$GBRUN" merge r.gbr -o pipe
a claim that is a pipe|4|--claim: pipe: cannot be made: Not a directory|"\$GBRUN" -q -c bench.ini -o new.gbr --claim pipe
a claim's plan that is a pipe|2|--claim: claimed/claims/plan: expected a regular file|\
"\$GBRUN" -q -c bench.ini -o new.gbr --claim claimed
a claim that is a link to nothing|4|--claim: linked/claims: cannot be made|"\$GBRUN" -q -c bench.ini -o new.gbr --claim linked
a plugin beside files that are there|2|new: taken/Makefile is there already|\
mkdir taken && ln -s ../r.gbr taken/Makefile && "\$GBRUN" new taken
TABLE
exits "an output that is there is written anew" 0 "$GBRUN" command -q -r 2 --stdout kept.ini 'echo text'
equals "by each run" text "$(cat kept.ini)"
finish
