#!/usr/bin/env bash
# `gbrun compare --by host`: copies of one results file as those of many nodes, with the noise of
# rounds; one of them is slower by 5 %, and it and no other is found. Forms, refusals, exit codes; what is found among
# nodes of other kinds is in tests/compare/test_fleet_files.c.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99

few_samples 5 'device = cpu' '[bench nop]' 'rounds = 5' '[bench copy]' 'rounds = 5' 'sweep.bytes = 4KiB, 6KiB, 8KiB' \
    >fleet.ini
succeeds "a node measures" "$GBRUN" -q -c fleet.ini -o measured.gbr

# node FILE HOST NUMBER SEED FACTOR: a copy of measured.gbr: times of the first round, by noise of +-0.5 %.
node()
{
    cp measured.gbr "$1"
    sql "$1" "
        UPDATE run SET uuid = substr(uuid, 1, 24) || printf('%012x', $3);
        UPDATE device SET record_uuid = substr(record_uuid, 1, 24) || printf('%012x', $3);
        UPDATE run_fact SET value = '$2' WHERE name = 'host';
        UPDATE bench_case SET uuid = substr(uuid, 1, 24) || printf('%012x', $3 * 1000 + id);
        UPDATE bench_case SET statistic = 'median', estimate_ns = $5 * (1 + 1e-5 * (($4 * 7919 + $3 * 104729
            + id * 15485863) * 2654435761 / 65536 % 1000 - 500)) * (SELECT max(f.median_ns, 1) FROM bench_case AS f
            WHERE f.bench = bench_case.bench AND f.position = bench_case.position AND f.round = 0),
            tick_ns = NULL, low_ns = NULL, high_ns = NULL;"
}

files=()
for number in 1 2 3 4 5 6 7 8; do
    node "node$number.gbr" "node0$number" $number 3 1
    files+=("node$number.gbr")
done
exits "none of eight that are alike" 0 "$GBRUN" compare --by host --format hostlist "${files[@]}"
equals "none of eight that are alike: nothing" "" "$(cat out.txt)"
node node3.gbr node03 3 3 1.05
sql node3.gbr "UPDATE run_fact SET value = 'older' WHERE name = 'kernel'"
exits "the slow node and only it, of eight" 3 "$GBRUN" compare --by host --format hostlist "${files[@]}"
equals "the slow node and only it: its name" node03 "$(cat out.txt)"
exits "files of their own" 3 "$GBRUN" compare --by host "${files[@]}"
mv out.txt apart.txt
succeeds "they are merged" "$GBRUN" merge -o all.gbr "${files[@]}"
exits "one file" 3 "$GBRUN" compare --by host all.gbr
equals "one file says what many say" "$(cat apart.txt)" "$(cat out.txt)"
equals "what is said of the node" "node03: slower in 4 of 4 cases" "$(grep '^node03:' out.txt)"
equals "what is different there" "  kernel: older, most have $(uname -s)" \
    "$(grep '^  kernel:' out.txt | cut -d ' ' -f 1-7)"
equals "the last line" "1 of 8 nodes is flagged: node03" "$(tail -n 1 out.txt)"
exits "every node of every case" 3 "$GBRUN" compare --by host all.gbr --format csv
equals "every node of every case: lines" 33 "$(wc -l <out.txt)"
ran "$GBRUN" compare --by host all.gbr --format csv --where 'position = 1'
equals "some cases: every node of the one" 9 "$(wc -l <out.txt)"
exits "a margin that leaves it out" 0 "$GBRUN" compare --by host all.gbr --margin 10% --format hostlist
equals "a margin that leaves it out: nothing" "" "$(cat out.txt)"
try_each "$GBRUN" compare <<'TABLE'
devices: their host|3||--by device all.gbr --format hostlist|node03
a count that is the same|0||--by host all.gbr --metric bytes_read
not certified|3|gbrun: --strict: 24 ratios are not certified by their policy|--by host all.gbr --metric bytes_read --strict
two nodes|1|gbrun: no case could be compared: at least 3 values of host are needed; --base VALUE compares two|\
--by host node1.gbr node2.gbr
no such fact|2|gbrun: error: --by label.rack: no run has such a fact or label; values of an option are compared by gbrun \
compare --by label.rack --base VALUE|--by label.rack all.gbr
a hostlist of runs|2|gbrun: error: --format hostlist: goes with --by host, without --base|\
node1.gbr node2.gbr --format hostlist
round by round|2|gbrun: error: --sequential: goes with --by and --base: rounds of two runs are not pairs|\
--by host all.gbr --sequential
a run|2|gbrun: error: --run 1: goes with --by and --base; runs are chosen by --base and --new|--by host all.gbr --run 1
force|2|gbrun: error: --force: goes with --base: nodes are compared with those of the same device model and clock|\
--by host all.gbr --force
another side|2|gbrun: error: --by host: expected --base VALUE, without --new|--by host all.gbr --new 1
several files with a base|2|gbrun: error: --by host --base node01: expected one results file|\
--by host --base node01 node1.gbr node2.gbr
no file|2||--by host nonesuch.gbr
TABLE

# drawn NAME FILE: a report of nodes is there.
drawn()
{
    succeeds "$1" "$GBRUN" report --nodes host all.gbr -o "$2"
    equals "$1: the node in it" "node03: slower" "$(grep -o -m 1 'node03: slower' "$2" | head -n 1)"
}
drawn "strips as SVG" nodes.svg
drawn "a page of nodes" nodes.html
"$GBRUN" report --nodes host all.gbr >out.txt
equals "strips with letters" "A A A A" "$(grep -E '^(nop|copy)' out.txt | grep -o 'A *$' | tr -d ' ' | paste -sd ' ')"
"$GBRUN" report --nodes host all.gbr --margin 10% >out.txt
equals "strips with another margin" "none of 8 nodes is flagged" "$(tail -n 1 out.txt)"
succeeds "a page of runs" "$GBRUN" report all.gbr --run all -o runs.html
equals "a page of runs: its nodes" 1 "$(grep -c '<h2>Nodes</h2>' runs.html)"

try_each "$GBRUN" report all.gbr <<'TABLE'
nodes of one run|2|gbrun: error: --nodes host uses all runs of all files: it cannot be combined with --run|--nodes host --run 1
a margin of no nodes|2|gbrun: error: --margin: goes with --nodes|--margin 2%
another kind of picture|2|gbrun: error: nodes.xyz: unknown kind of plot: expected a name in .svg, .png or .pdf|\
--nodes host -o nodes.xyz
an option|2|gbrun: error: --nodes rack: no run has such a fact or label; values of an option are compared by gbrun \
compare --by rack --base VALUE|--nodes rack
TABLE
finish
