#!/usr/bin/env bash
# gbrun-ci.sh - a job that says whether a change makes benchmarks slower; action.yml and gitlab.yml run it, and so can
# any other system, in a clone whose history has the commit to compare with. What it is given, in the environment:
#   GBRUN_CONFIG     the configuration (bench.ini)
#   GBRUN_BUILD      a command that builds what it measures, in the top folder of the tree
#   GBRUN_BASE       the commit to compare with, or its branch (that of the merge base with the target of the request,
#                    else the commit before)
#   GBRUN_SIDES      in place of the files that `plugin` and `library` name: what the sides differ in, as words for
#                    gbrun ab, such as --base run.argv=gbrun-ci/base/prog; the base is built in gbrun-ci/base/ then
#   GBRUN_BASELINE   in place of measuring the base, too: a results file that the job keeps; jobs with another
#                    configuration or other options have baselines of their own in it, and may write it at once
#   GBRUN_SAVE       yes: measure this commit as that baseline
#   GBRUN_OPTIONS    further options of gbrun ab, or of gbrun run
#   GBRUN_STRICT     yes: fail if a case is unclear, too
#   GBRUN            the program (gbrun)
# It ends with the exit code of gbrun compare: 3: something is slower. In gbrun-ci/ are then results.gbr, summary.md and
# junit.xml; on GitHub the summary is that of the job, and cases are annotated.
set -euo pipefail
gbrun=${GBRUN:-gbrun} config=${GBRUN_CONFIG:-bench.ini} build=${GBRUN_BUILD:-:} out=gbrun-ci
read -ra options <<<"${GBRUN_OPTIONS-}"
read -ra sides <<<"${GBRUN_SIDES-}"
baseline="main $config${GBRUN_OPTIONS:+ $GBRUN_OPTIONS}"
strict=()
[ "${GBRUN_STRICT-}" != yes ] || strict=(--strict)

fail()
{
    echo "gbrun-ci.sh: $*" >&2
    exit 2
}

# The commit to compare with: that of the request's target where the change began.
base_commit()
{
    local target=${GBRUN_BASE:-${CI_MERGE_REQUEST_DIFF_BASE_SHA-}}
    if [ -z "$target" ] && [ -n "${GITHUB_BASE_REF-}" ]; then
        target=origin/$GITHUB_BASE_REF
    fi
    git merge-base HEAD "${target:-HEAD~}" ||
        fail "no common commit with ${target:-HEAD~}: fetch the history (actions/checkout: fetch-depth: 0," \
            "GitLab: GIT_DEPTH: 0), or name one by GBRUN_BASE"
}

# Both sides in turns, in this job, on this machine.
measure_sides()
{
    local base head new code=0
    [ -z "$(git status --porcelain --untracked-files=no)" ] || fail "the tree has uncommitted changes"
    base=$(base_commit)
    new=$(git rev-parse HEAD)
    head=$(git symbolic-ref -q --short HEAD || echo "$new")
    if [ ${#sides[@]} -gt 0 ]; then
        git worktree add -q --force --detach "$out/base" "$base"
        (cd "$out/base" && sh -c "$build")
        sh -c "$build"
    else
        sides=(--base-build "git checkout -q --force $base && $build"
            --new-build "git checkout -q --force $new && $build")
    fi
    # shellcheck disable=SC2064 # the name of now
    trap "git checkout -q --force $(printf %q "$head")" EXIT
    "$gbrun" ab -q -c "$config" "${sides[@]}" "${options[@]}" "${strict[@]}" -o "$out/results.gbr" \
        --label base_commit="$base" || code=$?
    [ "$code" != 2 ] && [ "$code" != 4 ] || exit "$code"
    compared=("$out/results.gbr" --by side --base base)
}

# This commit beside a baseline that was measured before.
measure_run()
{
    local code=0
    sh -c "$build"
    if [ "${GBRUN_SAVE-}" = yes ]; then
        "$gbrun" run -q -c "$config" "${options[@]}" -o "$GBRUN_BASELINE" --save-baseline "$baseline"
        exit
    fi
    [ -f "$GBRUN_BASELINE" ] || fail "$GBRUN_BASELINE: no baseline yet: a job with GBRUN_SAVE=yes creates it"
    "$gbrun" merge -o "$out/results.gbr" "$GBRUN_BASELINE" >&2 || exit # not cp: another job may be writing it
    "$gbrun" run -q -c "$config" "${options[@]}" -o "$out/results.gbr" || code=$?
    [ "$code" -le 1 ] || exit "$code"
    compared=("$out/results.gbr" --baseline "$baseline")
}

[ ! "${GBRUN_BASELINE-}" -ef "$out/results.gbr" ] ||
    fail "GBRUN_BASELINE=$GBRUN_BASELINE: the job writes this file: expected another file for the baseline"
rm -rf "$out/base" "$out"/results.gbr*
mkdir -p "$out"
git worktree prune
if [ -n "${GBRUN_BASELINE-}" ]; then
    measure_run
else
    measure_sides
fi

code=0
"$gbrun" compare "${compared[@]}" "${strict[@]}" --format md >"$out/summary.md" || code=$?
"$gbrun" compare "${compared[@]}" "${strict[@]}" --format junit >"$out/junit.xml" || :
[ -z "${GITHUB_STEP_SUMMARY-}" ] || cat "$out/summary.md" >>"$GITHUB_STEP_SUMMARY" || :
[ "${GITHUB_ACTIONS-}" != true ] || "$gbrun" compare "${compared[@]}" "${strict[@]}" --format github || :
exit "$code"
