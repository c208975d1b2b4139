#!/usr/bin/env bash
# Cases of plugin = python on a device that is not the cpu: what their file imports is imported once, by a process that
# opens no device, and from which those of the cases are forked. Which visits get a fresh one is not asked here.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/python/python.sh"
with_modules
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$PWD/packages
find_shared_python
[ -n "$python" ] || skip_rest "plugin = python, forked" "there is no python3 with a shared library"

# Packages that write down which process imports them; one leaves a thread behind.
mkdir packages
for name in heavy other threads; do
    printf 'import os\nwith open("imported", "a") as file:\n    print("%s", os.getpid(), file=file)\n' $name >packages/$name.py
done
printf 'import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n' >>packages/threads.py
cat >f.py <<'PY'
import os
import signal


def one():
    import heavy
    heavy.calls = getattr(heavy, "calls", 0) + 1
    assert heavy.calls == 1, "it has the state of another case"
    return lambda: None


def ends(how: str, text=None):
    if how == "exit":
        os._exit(3)
    if how == "hang":
        signal.pause()
    if how == "stray" and os.fork() == 0:
        os.setsid()
        with open("stray", "w") as file:
            print(os.getpid(), file=file)
        signal.pause()
    if how == "stray":
        while not os.path.exists("stray") or not os.path.getsize("stray"):
            os.sched_yield()
    os.kill(os.getpid(), signal.SIGSEGV)
PY
cat >g.py <<'PY'
try:
    import absent
except ImportError:
    import other


def two():
    return lambda: None
PY
printf 'import threads\n\n\ndef three():\n    return lambda: None\n' >h.py
{
    printf '[gbrun]\nrounds = 2\n[defaults]\ndevice = fake\nwarmup = 0\npolicy = fixed\n'
    section device fake fake
    section bench ends python call=f.py:ends how=exit
    section bench c lasting
    section bench one python call=f.py:one
    section bench again python call=f.py:one
    section bench two python call=g.py:two
    section bench three python call=h.py:three
} >forked.ini

# forked OPTION...: how many visits went well, in how many processes; which packages were imported how often; in how many
# of these processes.
forked()
{
    rm -f forked.gbr imported
    "$GBRUN" run -q -c forked.ini -o forked.gbr "$@" >shown.txt 2>&1
    sql forked.gbr "SELECT count(*) || ' visits in ' || count(DISTINCT pid) FROM bench_case WHERE status = 'ok'"
    cut -d' ' -f1 imported | sort | uniq -c | awk '{print $2, $1}'
    { cut -d' ' -f2 imported | sort -u; sql forked.gbr 'SELECT DISTINCT pid FROM bench_case'; } | sort | uniq -d | wc -l
}
as() { equals "$1" "$2" "$(forked "${@:3}" | paste -sd,)"; }

as "each visit has its own process, none of which imports" "4 visits in 4,heavy 1,0" -s defaults.isolate=yes one again
as "other cases are in these, too, and what another file needs is loaded once" "6 visits in 6,heavy 1,other 1,0" \
    -s defaults.isolate=yes one c two
as "where nothing was loaded yet the case gets another process" "3 visits in 3,heavy 1,other 1,0" \
    -s gbrun.rounds=1 -s defaults.isolate=no c one two
as "which then serves them all" "2 visits in 1,other 1,0" -s defaults.isolate=no two
as "on the cpu each process imports" "2 visits in 2,heavy 2,2" -s defaults.device=cpu -s defaults.isolate=yes one
as "and where a thread is left behind" "2 visits in 2,threads 2,2" -s defaults.isolate=yes three
equals "which is said" 2 "$(sql forked.gbr "SELECT count(*) FROM message WHERE text =
    'a fresh process imports anew: what is imported has begun 1 threads'")"

# ---- a process that ends otherwise ----
# ended HOW [OPTION...]: how, and whether the next case is measured
ended()
{
    rm -f ends.gbr
    "$GBRUN" run -q -c forked.ini -o ends.gbr -s gbrun.rounds=1 -s "ends.how=$1" "${@:2}" ends again >shown.txt 2>&1
    sql ends.gbr "SELECT status, iif(status = 'timed out', '', status_text) FROM bench_case ORDER BY sequence" | paste -sd' '
}
equals "a process that exits" "crashed|exit 3, in prepare ok|" "$(ended exit)"
equals "one that gets a signal" "crashed|SIGSEGV, in prepare ok|" "$(ended fault)"
equals "one that hangs is killed" "timed out| ok|" "$(ended hang -s ends.time_limit=2s)"
equals "and is no child that was left behind" 0 "$(sql ends.gbr "SELECT count(*) FROM message WHERE text LIKE '%left child%'")"
equals "one that has left a process" "crashed|SIGSEGV, in prepare ok|" "$(ended stray)"
exits "which has ended" 1 kill -0 "$(cat stray)"
finish
