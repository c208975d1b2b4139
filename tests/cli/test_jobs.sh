#!/usr/bin/env bash
# The job that packaging/ci has for GitHub and GitLab, in a repository with two commits whose plugin takes 20 us and
# 40 us on the clock of the device `fake`: what is compared, what is written, how it ends.
. "$top_srcdir/tests/tap.sh"
with_modules
command -v git >/dev/null || { skip "jobs" "there is no git" && finish; }
ci=$top_srcdir/packaging/ci job=$top_srcdir/packaging/ci/gbrun-ci.sh
unset "${!GITHUB_@}" "${!CI_@}"
export HOME=$TMPDIR GBRUN GIT_AUTHOR_NAME=me GIT_AUTHOR_EMAIL=me@here GIT_COMMITTER_NAME=me GIT_COMMITTER_EMAIL=me@here

# commit N: of a plugin that lasts N times 10 us.
commit()
{
    sed "s/items = lasting/items = $1 * lasting/" "$top_srcdir/tests/modules/plain.c" >wait.c
    git add . && git commit -qm "it takes $1 times as long"
}
mkdir tree && cd tree && git init -q -b main .
printf '*.so\n/gbrun-ci\n/*.txt\n*.gbr*\n' >.gitignore
{
    few_samples 20 'device = fake' 'rounds = 3'
    section device fake fake by_items=yes time=1ns
    section bench wait ./wait.so:lasting
} >bench.ini
export GBRUN_BUILD="${CC:-cc} -O0 -fPIC -shared -fvisibility=hidden -I'$top_srcdir/include' wait.c -o wait.so"
commit 2
first=$(git rev-parse HEAD)
change="ch'änge\";false" # a name that git takes, and that is no command
git checkout -q -b "$change" && commit 4
git checkout -q main && commit 8 && git checkout -q "$change"

# ---- both sides in one job ----
export GITHUB_STEP_SUMMARY=$TMPDIR/summary.md
GITHUB_ACTIONS=true GBRUN_BASE=main exits "a change that makes it slower" 3 bash "$job"
has "annotations" out.txt "::error file=bench.ini,title=slower::wait: slower: 20.03 us, now 40.03 us, ratio 1.9985"
equals "it is compared with where it began, not with what the target is now" "base,20000 new,40000" \
    "$(column side,items gbrun-ci/results.gbr | sort -u | paste -sd ' ')"
equals "the results name the base" "$first" "$(sql gbrun-ci/results.gbr "SELECT value FROM run_fact WHERE name = 'label.base_commit'")"
has "the job's summary" "$TMPDIR/summary.md" "| wait | " "slower"
has "JUnit" gbrun-ci/junit.xml '<failure type="slower"'
equals "the change is checked out again" "$change" "$(git symbolic-ref --short HEAD)$(git status --porcelain)"
GITHUB_STEP_SUMMARY=/nonexistent/summary LC_ALL=C exits "without a target: the commit before; no summary" 3 bash "$job"
printf 'sides.ini\n' >>.git/info/exclude
{ few_samples 20 'device = fake' && section device fake fake by_items=yes time=1ns && section bench wait ./wait.so:lasting; } >sides.ini
GBRUN_CONFIG=sides.ini GBRUN_SIDES="--base plugin=gbrun-ci/base/wait.so:lasting" exits "sides of one's own" 3 bash "$job"
git checkout -q "$first" && git checkout -q -b same && git commit -q --allow-empty -m same
GBRUN_BASE=main exits "a change that changes nothing" 0 bash "$job"
echo >>wait.c
exits "changes that are not committed" 2 bash "$job"
has "changes that are not committed: what" err.txt "gbrun-ci.sh: the tree has uncommitted changes"
git checkout -q . && git checkout -q "$change"
GBRUN_BUILD=false exits "a build that fails" 2 bash "$job"
GBRUN_BASE=none exits "no such base" 2 bash "$job"
has "no such base: what to do" err.txt "no common commit with none: fetch the history"

# ---- a baseline that is kept ----
export GBRUN_BASELINE=main.gbr
exits "no baseline yet" 2 bash "$job"
: >empty.gbr
GBRUN_BASELINE=empty.gbr exits "an empty baseline" 2 bash "$job"
has "an empty baseline: is said before it measures" err.txt "empty.gbr: empty"
git checkout -q "$first"
git clone -q . ../another # for another job of a matrix, which saves in the same file
{ few_samples 20 'device = fake' && section device fake fake && section bench good good; } >../another/good.ini
(cd ../another && GBRUN_CONFIG=good.ini GBRUN_BASELINE=../tree/main.gbr GBRUN_SAVE=yes exec bash "$job" >/dev/null) &
GBRUN_SAVE=yes exits "a baseline is saved" 0 bash "$job"
wait $!
equals "another job has saved its own" "main bench.ini,main good.ini" \
    "$(sql main.gbr "SELECT value FROM run_fact WHERE name = 'label.baseline' ORDER BY value" | paste -sd ,)"
exits "the same commit again" 0 bash "$job"
git checkout -q "$change"
exits "a change beside the baseline" 3 bash "$job"
has "a change beside the baseline: what" gbrun-ci/summary.md "1 slower"
cp main.gbr gbrun-ci/results.gbr
GBRUN_BASELINE=gbrun-ci/results.gbr exits "a baseline where the job writes" 2 bash "$job"
succeeds "it is as it was, too" cmp main.gbr gbrun-ci/results.gbr
equals "the baseline is as it was" 2 "$(sql main.gbr 'SELECT count(*) FROM run')"
sql main.gbr "UPDATE device SET model = 'Another'"
exits "a baseline of another machine" 0 bash "$job"
has "a baseline of another machine: says so" gbrun-ci/summary.md "unclear: wait: another device model"
GBRUN_STRICT=yes exits "a baseline of another machine, strictly" 3 bash "$job"
unset GBRUN_BASELINE

# ---- as the two systems run it ----
python3 -c 'import yaml' 2>/dev/null || skip_rest "action.yml and gitlab.yml" "there is no python3-yaml"
cat >"$TMPDIR/commands.py" <<'PY'
import re, shlex, sys, yaml
file = yaml.safe_load(open(sys.argv[1]))
given = dict(word.split("=", 1) for word in sys.argv[2:])
if "runs" in file:
    values = {name: str(given.pop(name, entry["default"])) for name, entry in file["inputs"].items()}
    assert not given and all(entry["description"] for entry in file["inputs"].values())
    for step in file["runs"]["steps"]:
        for name, text in step["env"].items():
            print(f"export {name}=" + shlex.quote(re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda m: values.pop(m[1]), text)))
        print(step["run"])
    assert not values, values
else:
    for name, text in {**file[".gbrun"]["variables"], **given}.items():
        print(f"export {name}=" + shlex.quote(text))
    print("\n".join(file[".gbrun"]["script"]))
PY
python3 "$TMPDIR/commands.py" "$ci/action.yml" "build=$GBRUN_BUILD" gbrun="$GBRUN" strict=yes >action.txt
GITHUB_ACTION_PATH=$ci GITHUB_BASE_REF=main
git update-ref refs/remotes/origin/main main
export GITHUB_ACTION_PATH GITHUB_BASE_REF
exits "the action, of a pull request" 3 bash -e action.txt
equals "the action: the base" "20000" "$(column items --where "side = 'base'" gbrun-ci/results.gbr | sort -u)"
unset GITHUB_BASE_REF
python3 "$TMPDIR/commands.py" "$ci/gitlab.yml" GBRUN_CI="$job" GBRUN_BUILD="$GBRUN_BUILD" >gitlab.txt
CI_MERGE_REQUEST_DIFF_BASE_SHA=$first exits "the template, of a merge request" 3 bash -e gitlab.txt
equals "the template: its files are there" "" "$(sed -n 's/.*\(gbrun-ci\/[a-z.]*\).*/\1/p' "$ci/gitlab.yml" | while read -r file; do
    [ -s "$file" ] || echo "$file"
done)"
finish
