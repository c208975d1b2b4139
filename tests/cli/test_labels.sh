#!/usr/bin/env bash
# Labels of runs, and where a run comes from: --label, label.NAME, --note, the commit of the
# configuration and of a plugin, CI and schedulers; `gbrun list runs`; runs addressed by labels.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99
unset GITHUB_ACTIONS GITHUB_SHA GITLAB_CI CI_COMMIT_SHA SLURM_JOB_ID PBS_JOBID LSB_JOBID FLUX_JOB_ID
few_samples 10 'device = cpu' '[gbrun]' 'label.branch = main' 'label.text = two words' '[bench nop]' 'rounds = 2' >nop.ini

# measure ARGUMENT...: a run more in labels.gbr.
measure()
{
    "$GBRUN" -q -c nop.ini -o labels.gbr "$@" >/dev/null 2>err.txt
}

# runs COLUMN: of `list runs`, one a line; no cell has a comma.
runs()
{
    "$GBRUN" list runs labels.gbr --format csv | tr -d '\r' | tail -n +2 | cut -d , -f "$1"
}

# run_of RUN: the number of the run that is shown.
run_of()
{
    "$GBRUN" export labels.gbr --run "$1" --columns run 2>err.txt | tail -n 1
}

succeeds "a run with the configuration's labels" measure
measure --label branch=topic --label build=17 --note "after the fix"
equals "a run with others" 0 $?
succeeds "a run with its own note" measure -s gbrun.label.branch=other --note 'a ; b'
equals "numbers of runs" "1 2 3" "$(runs 1 | paste -sd ' ')"
equals "labels" "branch=main text=two words|branch=topic build=17 text=two words|branch=other text=two words" \
    "$(runs 7 | paste -sd '|')"
equals "notes" "|after the fix|a ; b" "$(runs 8 | paste -sd '|')"
equals "cases, status, host" "2 of 2,ok,$(uname -n)" "$(runs 5 | sort -u),$(runs 6 | sort -u),$(runs 3 | sort -u)"
for run in 1=branch=main 2=branch=topic 2=build=17 2=label.build=17 3=text='two words' 3=newest 2=previous 1=1; do
    equals "export --run ${run#*=}" "${run%%=*}" "$(run_of "${run#*=}")"
done
succeeds "show takes them" "$GBRUN" show labels.gbr --run branch=topic
succeeds "compare takes them" "$GBRUN" compare labels.gbr --base branch=main --new branch=other --metric flops --margin 1% \
    -f json
try_each "$GBRUN" <<'TABLE'
no such label|2|gbrun: error: labels.gbr: no run has branch=none; there are other, topic, main|show labels.gbr --run branch=none
a label without a value|2|gbrun: error: --label nonsense: expected NAME=TEXT, such as commit=1a2b3c4|\
-q -c nop.ini -o labels.gbr --label nonsense
a label for a resumed run|2||run --resume labels.gbr --label a=b
list runs of no file|2||list runs nonesuch.gbr
TABLE

# fact NAME: of the newest run, by JSON.
fact()
{
    "$GBRUN" export labels.gbr --format json | sed 's|[,{]|\n|g' | sed -n "s/^ *\"$1\":\"\(.*\)\".*/\1/p" | head -n 1
}
GITHUB_ACTIONS=true GITHUB_SHA=0123456789 GITHUB_REF=refs/heads/x SLURM_JOB_ID=77 measure
equals "the CI system, its commit and branch" "GitHub Actions 0123456789 refs/heads/x" \
    "$(fact ci) $(fact ci_commit) $(fact ci_ref)"
equals "the scheduler and the job" "Slurm 77" "$(fact job_scheduler) $(fact job)"
equals "found by a fact" 4 "$(run_of ci_commit=0123456)"

command -v git >/dev/null || skip_rest "the commit of the configuration" "there is no git"
git()
{
    command git -c user.name=test -c user.email=test@example.org -c init.defaultBranch=main "$@"
}
mkdir tree && cd tree || exit 99
cp ../nop.ini . && git init -q . && git add nop.ini && git commit -qm one
commit=$(git rev-parse HEAD)
mv ../labels.gbr . && measure
equals "the commit of the configuration, which is clean" "$commit no" "$(fact commit) $(fact commit_dirty)"
equals "found by its commit" 5 "$(run_of "commit=${commit:0:8}")"
equals "list runs has it" "commit=${commit:0:12} branch=main text=two words" "$(runs 7 | tail -n 1)"
echo >>nop.ini
measure
equals "a change makes it dirty" yes "$(fact commit_dirty)"
equals "list runs marks it" "commit=${commit:0:12}+ branch=main text=two words" "$(runs 7 | tail -n 1)"
GIT_DIR=/nonexistent measure
equals "variables of git change nothing" "$commit" "$(fact commit)"
mkdir elsewhere && mv nop.ini labels.gbr elsewhere && cd elsewhere || exit 99
PATH=/nonexistent measure
equals "without git there is no commit" "" "$(fact commit)"
GIT_CEILING_DIRECTORIES=$(dirname "$PWD") measure
equals "nor is it looked for above the folders that git may search" "" "$(fact commit)"
measure
equals "else it is" "$commit" "$(fact commit)"
mkdir bin && printf '#!/bin/sh\necho >>%q\nexec %q "$@"\n' "$PWD/asked" "$(type -P git)" >bin/git && chmod +x bin/git
few_samples 3 >three.ini
{ section bench nop nop; section bench copy copy 'bytes = 64'; section bench histogram histogram 'n = 64'; } >>three.ini
PATH=$PWD/bin:$PATH "$GBRUN" -q -c three.ini -o three.gbr
succeeds "git is asked once a repository: of the configuration, and of three plugins" [ "$(wc -l <asked)" -le 2 ]

"$GBRUN" -q -c nop.ini -o line.gbr --note '' --label last=yes >/dev/null
equals "an empty argument does not end the command line that is stored" 1 \
    "$("$GBRUN" export line.gbr --format json | grep -c '"command_line":"[^"]*--note  --label last=yes"')"
finish
