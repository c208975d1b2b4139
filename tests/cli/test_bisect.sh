#!/usr/bin/env bash
# `gbrun bisect`: a repository in which one commit makes a benchmark 5 % longer is searched for it. It takes as
# long as it says, by the device fake (tests/modules), on every machine.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99
export GBRUN_PLUGIN_PATH=$top_builddir/tests/modules/.libs
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
if ! git --version >/dev/null 2>&1; then
    skip "bisect" "git is not here"
    finish
fi

mkdir work && cd work || exit 99
git init -q -b main . && git config user.name tester && git config user.email tester@localhost
cat >wait.c <<'EOF'
#include <gbrun/gbrun.h>
#include "nanoseconds.h"

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    (void)params;
    *ret_bench = host->allocate(host, 1);
    return *ret_bench ? GB_OK : GB_NO_MEMORY;
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    (void)bench;
    (void)queue;
    (void)iterations;
    return GB_OK;
}

/* What the device goes by. */
static int32_t work(void *bench, struct gb_work *work)
{
    (void)bench;
    work->items = NANOSECONDS;
    return GB_OK;
}

static const struct gb_bench_ops ops = {.size = sizeof ops, .create = create, .run = run, .work = work};
static const struct gb_plugin plugin = {.size = sizeof plugin, .kind = GB_PLUGIN_BENCH, .id = "wait",
    .version = "1.0", .summary = "waits", .ops = &ops};
GB_MODULE(&plugin)
EOF
cat >build.sh <<EOF
exec ${CC:-cc} -O1 -fPIC -shared -fvisibility=hidden -I"$top_srcdir/include" wait.c -o wait.so
EOF
{
    few_samples 20 'device = fake'
    printf '[device fake]\nby_items = yes\ntime = 1ns\n'
    printf '[bench wait]\nplugin = ./wait.so\n[ab unused]\nnew = seed=2\n'
} >wait.ini
printf '[policy few]\nsamples = 25\n' >few.ini # a second file, whose keys take the place of those of the first
printf 'wait.so\n*.gbr*\ngbrun-ab-*\n' >.gitignore

# commit MESSAGE NANOSECONDS [LINE]: the loop takes so long.
commit()
{
    printf '/* %s */\n#define NANOSECONDS %s\n%s\n' "$1" "$2" "${3-}" >nanoseconds.h
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

# bisect CODE NAME ARGUMENT...: out.txt, err.txt beside the repository.
bisect()
{
    local expected=$1 name=$2 code
    shift 2
    "$GBRUN" bisect -c wait.ini -c few.ini --build 'sh build.sh' "$@" >../out.txt 2>../err.txt
    code=$?
    [ "$code" = "$expected" ] || cat ../err.txt >&2
    equals "$name: exit code" "$expected" "$code"
    equals "$name: the tree is as it was" "main " "$(git rev-parse --abbrev-ref HEAD) $(git status --porcelain)"
}

bisect 0 "a planted commit" --good HEAD~7 --bad HEAD -o found.gbr
equals "a planted commit: it is found" "$planted" "$(head -n 1 ../out.txt | cut -d' ' -f1)"
equals "a planted commit: what it is" "planted" "$(sed -n '2s/.*: //p' ../out.txt)"
equals "a planted commit: the case" "  wait" "$(tail -n 1 ../out.txt)"
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
equals "commits that do not build: no culprit" "" "$(cat ../out.txt)"
equals "commits that do not build: who is left" "builds again;nor does this;does not build" \
    "$(sed -n 's/^[0-9a-f]* \(builds again\|nor does this\|does not build\)$/\1/p' ../err.txt | paste -sd ';')"

bisect 1 "nothing is slower" --good HEAD~7 --bad HEAD~5 -q -o same.gbr
equals "nothing is slower: message" 1 "$(grep -c 'there is nothing to find' ../err.txt)"

# ---- refusals ----
bisect 2 "no such commit" --good nowhere
equals "no such commit: message" "gbrun: error: nowhere: no such commit in the repository of this folder" "$(cat ../err.txt)"
bisect 2 "the other way round" --good HEAD --bad HEAD~3
equals "the other way round: message" 1 "$(grep -c 'is no ancestor of --bad' ../err.txt)"
"$GBRUN" bisect -c wait.ini --good HEAD >../out.txt 2>../err.txt
equals "no build: message" "gbrun: error: expected --good COMMIT, --build COMMAND and -c FILE" "$(cat ../err.txt)"
echo '/* changed */' >>wait.c
"$GBRUN" bisect -c wait.ini --good HEAD~3 --build true >../out.txt 2>../err.txt
equals "changed files" 1 "$(grep -c 'tracked files are changed' ../err.txt)"
git checkout -q wait.c
cp wait.ini .. && cd .. || exit 99
GIT_CEILING_DIRECTORIES=$TMPDIR "$GBRUN" bisect -c wait.ini --good HEAD --build true >out.txt 2>err.txt
equals "no repository" 2 $?
finish
