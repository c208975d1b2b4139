#!/usr/bin/env bash
# `gbrun bisect`: a repository in which one commit makes a benchmark 5 % longer is searched for it. It takes as
# long as it says, by the device fake (tests/modules), on every machine.
. "$top_srcdir/tests/tap.sh"
with_modules
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
git --version >/dev/null 2>&1 || skip_rest "bisect" "git is not here"

mkdir work && cd work || exit 99
git init -q -b main . && git config user.name tester && git config user.email tester@localhost
cat >build.sh <<EOF
exec ${CC:-cc} -O0 -fPIC -shared -fvisibility=hidden -I"$top_srcdir/include" wait.c -o wait.so
EOF
few_samples 20 'device = fake' '[device fake]' 'by_items = yes' 'time = 1ns' '[bench wait]' 'plugin = ./wait.so:lasting' \
    '[ab unused]' 'new = seed=2' >wait.ini
printf '[policy few]\nsamples = 25\n' >few.ini # a second file, whose keys take the place of those of the first
printf 'wait.so\n*.gbr*\ngbrun-ab-*\n*.txt\nheating.sh\n' >.gitignore

# commit MESSAGE NANOSECONDS [LINE]: the benchmark takes so long.
commit()
{
    { printf '/* %s */\n%s\n' "$1" "${3-}"; sed "s/10us/$2ns/" "$top_srcdir/tests/modules/plain.c"; } >wait.c
    git add . && git commit -qm "$1"
}
commit first 100000
commit second 100000
commit third 100200
commit fourth 100000
commit planted 105000
commit sixth 105000
commit seventh 105100
commit eighth 105000
planted=$(git rev-parse HEAD~3)

# bisect CODE NAME ARGUMENT...: out.txt, err.txt, which git ignores.
bisect()
{
    local expected=$1 name=$2
    shift 2
    exits "$name" "$expected" "$GBRUN" bisect -c wait.ini -c few.ini --build 'sh build.sh' "$@"
    equals "$name: the tree is as it was" "main " "$(git rev-parse --abbrev-ref HEAD) $(git status --porcelain)"
}

bisect 0 "a planted commit" --good HEAD~7 --bad HEAD -o found.gbr
equals "a planted commit: it is found" "$planted" "$(head -n 1 out.txt | cut -d' ' -f1)"
has "a planted commit: its ratio is that to its parent" out.txt 'is the first that is slower: ratio to its parent 1.0499'
equals "a planted commit: what it is" "planted" "$(sed -n '2s/.*: //p' out.txt)"
equals "a planted commit: the case" "  wait" "$(tail -n 1 out.txt)"
equals "a planted commit: a run for each that was measured, found by its commit" "$(git rev-parse HEAD~3)" \
    "$("$GBRUN" list runs found.gbr --format csv | grep -o "commit=$planted" | head -n 1 | cut -d= -f2)"
equals "a planted commit: no copies are left" "" "$(echo gbrun-ab-*/* | grep -v '\*')"

# Commits around it that cannot be built are skipped, and none of them is called the culprit.
git checkout -q -b broken HEAD~4 # fourth
commit "does not build" 105000 '#error'
commit "nor does this" 105000 '#error'
commit "builds again" 105000
git checkout -q main
bisect 1 "commits that do not build" --good HEAD~7 --bad broken -q -o skipped.gbr
equals "commits that do not build: no culprit" "" "$(cat out.txt)"
equals "commits that do not build: who is left" "builds again;nor does this;does not build" \
    "$(sed -n 's/^[0-9a-f]* \(builds again\|nor does this\|does not build\)$/\1/p' err.txt | paste -sd ';')"

bisect 1 "nothing is slower" --good HEAD~7 --bad HEAD~5 -q -o same.gbr
equals "nothing is slower: message" 1 "$(grep -c 'there is nothing to find' err.txt)"

# Each commit takes 0.7 % more: none of them is the culprit of what all of them make.
git checkout -q -b drifting HEAD~7
for i in 1 2 3 4 5 6 7; do commit "a little slower, $i" $((100000 + 700 * i)); done
git checkout -q main
bisect 3 "a drift of the code" --good HEAD~7 --bad drifting -q -o drift.gbr
equals "a drift of the code: no culprit" "no culprit: drift" "$(head -n 1 out.txt | cut -c 1-17)"
has "a drift of the code: the ratio is that to the parent" out.txt 'but its ratio to its parent is 1.006'

# The second and the fourth build are 5 % slower by where their code lies, which no commit is to blame for.
cat >lottery.txt <<'EOF'
n=$(($(cat builds.txt) + 1))
echo $n >builds.txt
[ "$n" != 2 ] && [ "$n" != 4 ] || sed -i 's/100000ns/105000ns/' wait.c
sh build.sh
git checkout -q -- wait.c
EOF
echo 0 >builds.txt
exits "a build that is slower" 3 "$GBRUN" bisect -c wait.ini -c few.ini --build 'sh lottery.txt' --good HEAD~7 --bad HEAD~6 -q -o lottery.gbr
has "a build that is slower: no culprit" out.txt "no culprit: builds: $(git rev-parse HEAD~6) was slower" 'its ratio is 1.000'

# The machine becomes slower by 0.05 % with each visit, which is no commit's.
cat >heating.sh <<EOF
sed "/_GNU_SOURCE/d; s/10us/\$1ns/; s/lasting->duration \\*/(1 + 0.0005 * visits()) * &/" "$top_srcdir/tests/modules/plain.c" >plain.txt
{
    echo '#define _GNU_SOURCE
#include <stdio.h>
static double visits(void)
{
    double n = 0;
    FILE *file = fopen("$PWD/visits.txt", "r+");
    if (file && fscanf(file, "%lf", &n) == 1) {
        rewind(file);
        fprintf(file, "%.0f", n + 1);
    }
    if (file)
        fclose(file);
    return n;
}'
    cat plain.txt
} >wait.c
EOF
git checkout -q -b heating HEAD~7
for ns in 100000 100001 100002 100003 105000 105001 105002; do
    sh heating.sh $ns
    git add wait.c && git commit -qm "takes $ns"
done
git checkout -q main
echo 0 >visits.txt
bisect 1 "a machine that slows down" --good heating~6 --bad heating~3 -q -o heating.gbr
echo 0 >visits.txt
bisect 0 "a machine that slows down, and a commit" --good heating~6 --bad heating -q -o heated.gbr
equals "a machine that slows down, and a commit: it is found" "takes 105000" "$(sed -n '2s/.*: //p' out.txt)"
equals "a machine that slows down: it did" yes "$([ "$(cat visits.txt)" -gt 50 ] && echo yes)"

# ---- refusals ----
bisect 2 "no such commit" --good nowhere
equals "no such commit: message" "gbrun: error: nowhere: no such commit in the repository of this folder" "$(cat err.txt)"
bisect 2 "the other way round" --good HEAD --bad HEAD~3
has "the other way round: message" err.txt 'is not an ancestor of --bad'
echo '/* changed */' >>wait.c
try_each "$GBRUN" bisect -c wait.ini <<'TABLE'
no build|2|gbrun: error: expected --good COMMIT, --build COMMAND and -c FILE|--good HEAD
changed files|2|~tracked files have changes|--good HEAD~3 --build true
TABLE
cp wait.ini .. && cd .. || exit 99
GIT_CEILING_DIRECTORIES=$TMPDIR exits "no repository" 2 "$GBRUN" bisect -c wait.ini --good HEAD --build true
finish
