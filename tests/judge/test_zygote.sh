#!/usr/bin/env bash
# What the reference imports is imported once by the judge and once by the process that judged ones are forked from. That one
# is out of reach, and nothing that a submission leaves is found by the next.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/python/python.sh"
cd "$TMPDIR" || exit 99
find_shared_python
[ -n "$python" ] || { skip "what is imported" "there is no python3 with a shared library"; finish; }
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$PWD/packages COUNTS=$PWD/counts
mkdir -p packages trusted

# Each import is a line; in a judged process there is no file to write it to.
cat >packages/heavy.py <<'PY'
import contextlib
import os

pid, state = os.getpid(), "new"
with contextlib.suppress(OSError), open(os.environ["COUNTS"], "a") as file:
    file.write("imported\n")
PY
cat >packages/pooled.py <<'PY'
import os
import threading

work = threading.Event()
thread = threading.Thread(target=work.wait, daemon=True)
thread.start()


def end():
    work.set()
    thread.join()


os.register_at_fork(before=end)
PY
sed 's/^os.register.*//' packages/pooled.py >packages/threaded.py
cat >trusted/shared.py <<'PY'
import heavy
PY
cat >trusted/reference.py <<'PY'
import array
import random

import shared


def generate_input(n: int, seed: int):
    return array.array("d", [random.random() for _ in range(n)])


def ref_kernel(data):
    return array.array("d", [2 * x for x in data])
PY
for package in pooled threaded; do
    sed "s/import shared/import $package/" trusted/reference.py >trusted/with_$package.py
done

head='import array
import os
import sys


def work(data):
    return array.array("d", [2 * x for x in data])

'
{ echo "$head"; cat <<'PY'; } >honest.py
import heavy

if heavy.pid == os.getpid():
    raise SystemExit("it was imported anew")
custom_kernel = work
PY
{ echo "$head"; cat <<'PY'; } >leaves.py
import threading

import heavy

heavy.state = "left"
array.array = None
os.environ["LEFT"] = "left"
open(os.environ["TMPDIR"] + "/left", "w").close()
threading.Thread(target=threading.Event().wait, daemon=True).start()
kind = type(memoryview(b""))


def custom_kernel(data):
    return data
PY
{ echo "$head"; cat <<'PY'; } >finds.py
import threading

import heavy

found = [heavy.state != "new", array.array is None, "LEFT" in os.environ, os.listdir(os.environ["TMPDIR"]) != [],
         threading.active_count() != 1, len(os.listdir("/proc/self/task")) != 1, os.environ["HOME"] != os.environ["TMPDIR"]]
if any(found):
    raise SystemExit(f"found {found}")
custom_kernel = work
PY
# As soon as it is loaded, and once more when it can start no other process.
{ echo "$head"; cat <<'PY'; } >reaches.py
import ctypes
import signal
import stat

libc = ctypes.CDLL(None, use_errno=True)


def facts(pid):
    """Its arguments, and its parent."""
    try:
        with open(f"/proc/{pid}/cmdline", errors="replace") as file, open(f"/proc/{pid}/stat") as stat:
            return file.read().split("\0")[1:2], int(stat.read().rpartition(")")[2].split()[1])
    except OSError:
        return None


ids = [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
older = [pid for pid in ids if facts(pid) == (["--zygote"], os.getppid())]
if not older:
    raise SystemExit("there is no zygote")


def attempts(pid):
    for number in (0, signal.SIGSTOP, signal.SIGKILL):
        yield f"kill {number}", lambda number=number: os.kill(pid, number)
        yield f"a group's {number}", lambda number=number: os.killpg(pid, number)
    for name in ("mem", "maps", "environ", "fd/0", "fd/3", "root/tmp"):
        yield name, lambda name=name: os.close(os.open(f"/proc/{pid}/{name}", os.O_RDONLY))
    yield "written", lambda: os.close(os.open(f"/proc/{pid}/mem", os.O_RDWR))
    yield "traced", lambda: called("ptrace", 16, pid, 0, 0)
    yield "a descriptor of it", lambda: called("syscall", 434, pid, 0)
    yield "its priority", lambda: os.setpriority(os.PRIO_PROCESS, pid, 19)
    yield "its processors", lambda: os.sched_setaffinity(pid, {0})
    yield "a limit of it", lambda: called("prlimit", pid, 7, (ctypes.c_uint64 * 2)(3, 3), None)


def called(name, *arguments):
    if getattr(libc, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)


def reach():
    for pid in older:
        for name, attempt in attempts(pid):
            try:
                attempt()
            except OSError:
                continue
            raise SystemExit(f"reached: {name}")
    for name in os.listdir("/proc/self/fd"):
        try:
            mode = os.stat(f"/proc/self/fd/{name}").st_mode
        except OSError:
            continue
        if stat.S_ISSOCK(mode):
            raise SystemExit(f"has a socket: {name}")


reach()


def custom_kernel(data, calls=[]):
    calls.append(1)
    if len(calls) == 40:
        reach()
    return work(data)
PY

serve=("$GBRUN" judge --serve -d cpu --max-rounds 4 --visit 1ms -s "*.python=$python" -s '*.iterations=8' -s '*.max_samples=6')
# served REFERENCE NAME...: answers of these submissions as "right right", with what went wrong in place of it.
served()
{
    local reference=$1 name
    shift
    for name; do
        printf '{"submission": "%s.py", "reference": "trusted/%s.py", "sizes": {"n": 64}}\n' "$name" "$reference"
    done | "${serve[@]}" >answers 2>err.txt
    sed 's/.*"right":true.*/right/; s/.*"reason":{"code":"\([a-z_]*\)".*/\1/' answers | paste -sd ' '
}

equals "submissions do not import anew what the reference has imported" "right right right" \
    "$(served reference honest honest honest)"
equals "the judge and the process that others are forked from have done so once" 2 "$(wc -l <counts)"
equals "what a submission leaves is not there for the next" "wrong_result right wrong_result right" \
    "$(served reference leaves finds leaves finds)"
equals "signals, memory, descriptors and limits of that process are out of reach" "right right" \
    "$(served reference reaches honest)"
grep -o 'reached: [a-z0-9 /]*\|has a socket[: 0-9]*\|there is no zygote' answers | sed 's/^/# /'
rm counts
sed '/^if/,/^ .*/d' honest.py >any.py
equals "threads that end at a fork are no hindrance" right "$(served with_pooled any)"
equals "and nothing is said" "" "$(grep -l 'imports anew' answers err.txt)"

# What a server measures without --max-rounds: a process of the submission for each request, and the reference where it is
# due. On a device the next process is there before its case, and serves one.
sed 's/2 \* x/3 * x/' any.py >wrong.py
cat >once.py <<'PY'
import array
import os

import heavy

if heavy.state != "new" or os.path.exists(os.environ["TMPDIR"] + "/seen"):
    raise SystemExit("it has served before")
if len(os.environ["TMPDIR"].rpartition("-")[2]) != int(os.environ["LETTERS"]):
    raise SystemExit("it was parked, or was not")
heavy.state = "seen"
open(os.environ["TMPDIR"] + "/seen", "w").close()


def custom_kernel(data):
    return array.array("d", [3 * x for x in data])
PY
with_modules
# visited DEVICE NAME...: of each answer how many processes of the reference and of the submission it took.
visited()
{
    local device=$1 name
    shift
    for name; do
        printf '{"submission": "%s.py", "reference": "trusted/reference.py", "sizes": {"n": 64}}\n' "$name"
    done | "$GBRUN" judge --serve -d "$device" -s "*.python=$python" -s '*.iterations=4' -s '*.max_samples=2' \
        >answers 2>err.txt
    visits <answers
}
visits() { sed 's/.*"base":{[^}]*"visits":\([0-9]*\)},"new":{[^}]*"visits":\([0-9]*\)}.*/\1+\2/' | paste -sd ' '; }
equals "a further request takes one process, of the submission" "6+1 0+1 0+1 0+1 1+1" "$(visited cpu any wrong wrong wrong wrong)"
while read -r device letters; do # of the folder's name: one is parked on a device with queues
    equals "each has a process that has served no other: $device" wrong_result \
        "$(LETTERS=$letters visited "$device" any once any once >/dev/null
           grep -o '"reason":{"code":"[a-z_]*","side":"new","case":"[^"]*"' answers | cut -d '"' -f 6 | sort -u)"
    equals "none is left: $device" "" "$(find "$TMPDIR" -name 'gbrun-judged-*'; grep 'left child' err.txt)"
done <<<$'cpu 6\nfake 16'
mkfifo feed answered
"$GBRUN" judge --serve -d cpu -s "*.python=$python" -s '*.iterations=4' -s '*.max_samples=2' <feed >answered 2>err.txt &
server=$!
exec 8>feed 9<answered
: >answers
for name in any wrong wrong; do
    [ "$(wc -l <answers)" -lt 2 ] || printf '\n' >>trusted/reference.py
    printf '{"submission": "%s.py", "reference": "trusted/reference.py", "sizes": {"n": 64}}\n' "$name" >&8
    read -r line <&9
    printf '%s\n' "$line" >>answers
done
exec 8>&- 9<&-
wait "$server"
equals "a reference that was written since is another one" "6+1 0+1 1+1" "$(visits <answers)"

# Else each process imports for itself.
judge=("$GBRUN" judge -d cpu --max-rounds 4 --visit 1ms -s "*.python=$python" -s '*.iterations=8' -s '*.max_samples=6' -o kept.gbr any.py)
echo n=64 >sizes
ran "${judge[@]}" --reference trusted/with_threaded.py --sizes sizes
equals "and it is judged none the worse" 0 "$code"
equals "threads that stay are said, once" 1 "$(grep -c 'imports anew' err.txt)"
has "with their number" err.txt 'each process imports anew what the reference does: what is imported has begun 1 threads'
ran "${judge[@]}" --reference trusted/reference.py --sizes sizes --against compiled
equals "a reference without PyTorch cannot be compiled" 1 "$code"
has "as is said" out.txt 'imports no PyTorch that has torch.compile'
# A process in which code that is measured has run judges nothing.
{ cat trusted/reference.py; printf 'import builtins\n\nassert not hasattr(builtins, "marked")\n'; } >trusted/sees.py
printf 'import builtins\n\n\ndef marks():\n    builtins.marked = True\n' >marks.py
cat >mixed.ini <<INI
[defaults]
device = cpu
policy = fixed
iterations = 8
[policy fixed]
samples = 3
[bench marks]
plugin = python
python = $python
call = marks.py:marks
[bench task]
plugin = python
python = $python
verify = judge
call = any.py:custom_kernel
reference = trusted/sees.py
n = 64
INI
ran "$GBRUN" -q -c mixed.ini -o mixed.gbr
equals "what has run code that is not judged is no judge" "0 ok ok" \
    "$code $("$GBRUN" export mixed.gbr --columns status | tail -n +2 | paste -sd ' ')"
equals "nothing is left" "" "$(find "$TMPDIR" -name 'gbrun-judged-*')"
finish
