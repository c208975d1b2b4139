#!/usr/bin/env bash
# test_merging.sh - many results files into one: from folders and lists, with broken ones among them, after an
# interruption, of one plan.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99
make_shards=$top_builddir/tests/scale/shards

# merge [OPTION]...: its exit code; what it said in said.txt, but for how far it is, now and then.
merge()
{
    "$GBRUN" merge "$@" 2>all.txt
    echo $?
    grep -v '^merged [0-9]* of ' all.txt >said.txt
}

# cases FILE: records, different records.
cases()
{
    column uuid "$1" --run all | sort | tee uuids.txt | wc -l
    uniq uuids.txt | wc -l
}

# --- where the names of files come from ---
mkdir -p in/deep
"$make_shards" in 6 3
cp in/shard-00001.gbr in/.hidden.gbr
echo "no results" >in/notes.txt
equals "a folder" "0 18 18" "$(merge -o folder.gbr in) $(cases folder.gbr | paste -sd' ')"
equals "has a line for each of its files" 6 "$(grep -c '^in/shard-0000.*: 1 run and 3 cases added, 0 were there already$' said.txt)"
printf '%s\n' in/shard-00002.gbr '' in/shard-00003.gbr >list.txt
equals "a list, beside a file" "0 9 9" "$(merge -o list.gbr -T list.txt in/shard-00001.gbr) $(cases list.gbr | paste -sd' ')"
equals "standard input with NUL between" "0 18 18" \
    "$(find in -name 'shard*' -print0 | merge -o find.gbr --files-from -) $(cases find.gbr | paste -sd' ')"
equals "a folder in a list" "0 18 18" "$(echo in | merge -o in.gbr -T -) $(cases in.gbr | paste -sd' ')"
cp in.gbr in/all.gbr
equals "the file itself in the folder" "0 18 18" "$(merge -o in/all.gbr in) $(cases in/all.gbr | paste -sd' ')"
rm in/all.gbr
equals "a folder without results" "2 gbrun: error: in/deep: holds no file NAME.gbr" "$(merge -o none.gbr in/deep) $(cat said.txt)"
equals "an absent list" "2 gbrun: error: --files-from absent: No such file or directory" \
    "$(merge -o none.gbr -T absent) $(cat said.txt)"
equals "an empty list" "2 gbrun: error: merge needs the files to merge into none.gbr" \
    "$(merge -o none.gbr -T /dev/null) $(cat said.txt)"

# --- broken ones ---
mkdir bad
cp in/shard-0000[1-4].gbr bad
head -c 3000 /dev/zero >bad/shard-00002b.gbr
size=$(stat -c %s bad/shard-00003.gbr)
truncate -s $((size / 2)) bad/shard-00003.gbr
equals "the first broken file ends it" "2 6 6" "$(merge -o bad.gbr bad) $(cases bad.gbr | paste -sd' ')"
equals "and is named" "gbrun: error: bad/shard-00002b.gbr: not a results file of gbrun" "$(tail -n 1 said.txt)"
equals "--keep-going merges the others" "3 9 9" "$(merge -k -o bad.gbr bad absent.gbr) $(cases bad.gbr | paste -sd' ')"
equals "and names all that are broken" "bad/shard-00002b.gbr bad/shard-00003.gbr absent.gbr" \
    "$(sed -n 's/^gbrun: error: \([^:]*\): .*/\1/p' said.txt | paste -sd' ')"
equals "and says how many" "gbrun: 3 of 6 files left out" "$(tail -n 1 said.txt)"
equals "without any all is fine" "0" "$(merge -k -o bad.gbr in)"

# --- one plan ---
mkdir other
"$make_shards" other 2 3 0123456789abcdef
equals "shards of another plan are refused" \
    "2 gbrun: error: other/shard-00001.gbr: holds shards of plan 0123456789abcdef: expected those of plan 5ca1ab1e5ca1ab1e, as in plan.gbr" \
    "$(merge --plan -o plan.gbr in/shard-0000[1245].gbr other) $(grep error said.txt)"
equals "nothing of them is in the file" "12 12" "$(cases plan.gbr | paste -sd' ')"
equals "shards that are missing are named" "3 gbrun: 2 of 3 files left out
plan.gbr: plan 5ca1ab1e5ca1ab1e: 4 of 6 shards on 4 nodes
shard 3 of 6 is missing: gbrun run --resume plan.gbr --shard 3/6
shard 6 of 6 is missing: gbrun run --resume plan.gbr --shard 6/6" \
    "$(merge --plan --keep-going -o plan.gbr other in/shard-00001.gbr) $(tail -n 4 said.txt)"
equals "a whole plan is fine" "0 plan.gbr: plan 5ca1ab1e5ca1ab1e: 6 of 6 shards on 6 nodes" \
    "$(merge --plan -o plan.gbr in) $(tail -n 1 said.txt)"
equals "a whole plan does not hide files that were left out" "3" "$(merge --plan -k -o plan.gbr in other)"
equals "of many that are missing the numbers are said" "3 18 of 20 shards are missing: 1-3,5,7-20; gbrun run --resume many.gbr --shard I/20 measures one" \
    "$(mkdir many; "$make_shards" many 20 1 fedcba98; merge --plan -o many.gbr many/shard-0000[46].gbr) $(tail -n 1 said.txt)"
few_samples 3 '[bench nop]' >nop.ini
"$GBRUN" -q -c nop.ini -o nop.gbr >/dev/null
equals "what is no shard is refused" "2 gbrun: error: nop.gbr: holds a run that is not a shard: expected shards of one plan" \
    "$(merge --plan -o plan.gbr nop.gbr) $(grep error said.txt)"
equals "in a file that holds such there is none" "2 gbrun: error: nop.gbr: holds a run that is not a shard: expected shards of one plan" \
    "$(merge --plan -o nop.gbr in) $(grep error said.txt)"

# --- interrupted ---
mkdir long
"$make_shards" long 60 50
equals "many files have one line" "0 60 files: 60 runs and 3000 cases added, 0 were there already" \
    "$(merge -o whole.gbr long) $(cat said.txt)"
dump()
{
    sql "$1" "SELECT c.uuid, r.uuid, d.record_uuid, c.uid, m.value, group_concat(p.value), s.bytes FROM bench_case AS c
        JOIN run AS r ON r.id = c.run_id JOIN device AS d ON d.id = c.device_id JOIN metric AS m ON m.case_id = c.id
        JOIN parameter AS p ON p.case_id = c.id JOIN (SELECT case_id, sum(length(data)) AS bytes FROM samples
        GROUP BY case_id) AS s ON s.case_id = c.id GROUP BY c.id ORDER BY 1; SELECT run_id, count(*) FROM run_fact GROUP BY 1" | sha256sum
}
# Of processes that are killed see tests/hostile/test_kills.sh; here the file may not be so large, in KiB.
for size in 400 1000 2000; do
    equals "no more than $size KiB: it is said" "4 gbrun: error: cut.gbr" \
        "$(ulimit -f $size; merge -o cut.gbr long) $(tail -n 1 said.txt | cut -d : -f 1-3)"
done
equals "then the same command finishes" "0 60 files" "$(merge -o cut.gbr long) $(cut -d : -f 1 said.txt)"
equals "nothing is lost, nothing is there twice" "$(dump whole.gbr)" "$(dump cut.gbr)"
equals "few files are open at any time" "0 3000 3000" \
    "$(ulimit -n 20; merge -o few.gbr long) $(cases few.gbr | paste -sd' ')"
finish
