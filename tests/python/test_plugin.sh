#!/usr/bin/env bash
# plugin = python: functions of a file as benchmarks, and what is said of each that goes wrong.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/python/python.sh"
cd "$TMPDIR" || exit 99
export PYTHONDONTWRITEBYTECODE=1
find_shared_python
if [ -z "$python" ]; then
    skip "plugin = python" "there is no python3 with a shared library"
    finish
fi
mkdir empty

# ab: what it adds to a benchmark goes to no function that takes what nothing else knows, nor after a kill.
printf 'def of_two(n=1):\n    return lambda: None\n' >sides.py
printf '[defaults]\ndevice = cpu\n[bench of_two]\nplugin = python\ncall = sides.py:of_two\n' >sides.ini
sided() { equals "ab: $1" "base,1,ok base,1,ok base,1,ok base,1,ok new,2,ok new,2,ok new,2,ok new,2,ok" "$(values side,n,status --sort side sides.gbr)"; }
"$GBRUN" ab -q -c sides.ini --base n=1 --new n=2 --max-rounds 4 --visit 1ms -o sides.gbr >out.txt 2>&1
sided "functions"
sql sides.gbr "PRAGMA foreign_keys = ON; DELETE FROM bench_case WHERE round > 1"
"$GBRUN" ab -q --resume sides.gbr >out.txt 2>&1
sided "functions, after a kill"

cat >f.py <<'PY'
import array
import os
import sys
import threading
import time

import beside
import gbrun

with open("imported.txt", "a") as file:
    print(os.getpid(), file=file)
os.environ["SET_BY_IMPORT"] = "1"
calls = 0


def total(n, scale=1):
    numbers = list(range(n))
    return lambda: scale * sum(numbers)


def body(n):
    return sum(range(n))


def typed(number, half, word, text: str, on: bool, whole: int, off=True, nothing=0, **others):
    assert (number, half, word, text, on, whole) == (1000, 0.5, "a b", "16", True, 3), locals()
    assert (off, nothing, others) == (False, None, {"cache": "mine", "N2": 2}), locals()
    assert type(number) is int and beside.there
    return lambda: None


def roots(n, error=0.0):
    output = array.array("f", [i**0.5 + error for i in range(n)])
    return gbrun.Bench(lambda: output, verify=lambda: [i**0.5 for i in range(n)], reset=lambda: None, flops=n,
                       bytes_written=4 * n, items=n)


def halves(n, keeps=False):
    numbers, kept = array.array("d", [i * i % 7 + 1 for i in range(n)]), []

    def half():
        if not kept or not keeps:
            kept[:] = [array.array("d", [x / 2 for x in numbers])]
        return kept[0]

    return gbrun.Bench(half, verify=lambda: [x / 2 for x in numbers])


def once(n):
    left = []
    return gbrun.Bench(lambda: left.pop(), reset=lambda: left.append(n), single=True)


def prints(n):
    print("set up", n)
    return lambda: print("called") if n else None


def background():
    stop = []
    thread = threading.Thread(target=lambda: [time.sleep(0.001) for _ in iter(lambda: len(stop), 1)], daemon=True)
    thread.start()
    return lambda: thread.is_alive() or 1 / 0


def late(n):
    def run():
        global calls
        calls += 1
        if calls > n:
            raise RuntimeError("too late")

    return run


def raises(n):
    raise ValueError("no " + str(n))


def exits():
    return lambda: sys.exit(2)


def generates():
    yield 1


def skips():
    raise gbrun.Skipped("there is no tensor core")


def prefix(expected):
    assert os.path.realpath(sys.prefix) == os.path.realpath(expected), sys.prefix
    assert os.path.exists(sys.executable) and "PYTHONHOME" not in os.environ
    import only_in_venv
    return only_in_venv.function


constant = 5
PY
echo 'there = True' >beside.py
cat >large.py <<'PY'
import itertools
import signal

from f import total, body

memory = [bytearray(300 << 20)]


def loads_later():
    return lambda: memory.append(bytearray(300 << 20)) if len(memory) == 1 else None


def handles_later():
    return lambda: signal.signal(signal.SIGUSR2, signal.SIG_IGN)


calls = itertools.count()


def handles_too_late():
    return lambda: signal.signal(signal.SIGUSR1, signal.SIG_IGN) if next(calls) > 4 else None
PY
printf 'import os\n\n\ndef helper():\n    import nowhere_to_be_found\n\n\nhelper()\n' >unimportable.py
printf 'def f(:\n    pass\n' >syntax.py
printf 'import sys\nsys.exit(3)\n' >exits.py

# bench LINE...: a configuration with a section for these lines.
bench()
{
    few_samples 5 'device = cpu' '[device cpu]' 'flush = 64KiB'
    printf '[bench b]\nplugin = python\n'
    printf '%s\n' "$@"
} >bench.ini
# says [COMMAND]...: all that is said when it is measured afresh.
# shellcheck disable=SC2119,SC2120 # called by `ran`, too
says()
{
    rm -f results.gbr imported.txt
    "$@" "$GBRUN" -c bench.ini -o results.gbr 2>&1
}
# tried FILE:FUNCTION[; LINE]...: the same of a section of these lines.
tried()
{
    bench "call = ${1//; /$'\n'}"
    says
}

bench 'call = large.py:total' 'sweep.n = 10, 1e3' 'rounds = 2' 'isolate = no' '[bench body]' 'plugin = python' 'call = large.py:body' 'sweep.n = 1:3' \
    '[bench later]' 'plugin = python' 'call = large.py:loads_later' '[bench handles]' 'plugin = python' \
    'call = large.py:handles_later'
ran says
equals "functions are measured" "0 ok ok ok ok ok ok ok ok ok" "$code $(column status | xargs)"
equals "arguments are numbers" "10 10 1000 1000 1 2 3" "$(column n | xargs)"
equals "results know them as such" "5" "$(column n --where 'n < 100' | wc -l)"
equals "times are positive" "" "$(column median_ns | awk '!($1 > 0)')"
equals "a process imports a file once" 1 "$(wc -l <imported.txt)"
equals "what an import leaves, or a first call, is no trace of a case" "" "$(grep -E 'left|changed the process|worker' out.txt)"
bench 'call = large.py:handles_too_late' 'iterations = 1'
ran says
equals "what a sample changes is one" 1 "$(grep -c "changed the process's signal handlers" out.txt)"
bench 'call = f.py:total' 'sweep.n = 1, 2, 3' 'isolate = yes'
ran says
equals "isolate = yes gives each case an interpreter" "0 3" "$code $(sort -u imported.txt | wc -l)"
bench 'call = f.py:roots' 'n = 1000'
ran says
equals "results are compared" "0 ok,1000,4000" "$code $(column verified,flops,bytes_written)"
bench 'call = f.py:once' 'n = 1'
ran says
equals "reset is called before each sample" "0 ok,1" "$code $(column status,iterations)"
bench 'call = unimportable.py:f' 'sweep.n = 1, 2'
ran says
has "an import fails with its traceback" out.txt "ModuleNotFoundError: No module named 'nowhere_to_be_found'"
equals "all of it" "1 unimportable.py:8, in <module>: helper() unimportable.py:5, in helper: import nowhere_to_be_found" \
    "$code $(sed -n 's|^  /.*/\(unimportable.py:.*\)|\1|p' out.txt | head -n 2 | xargs)"
equals "gbrun.py is not in it" "" "$(grep 'gbrun\.py' out.txt)"
equals "it is one failure" "1" "$(grep -c '^  b n=1 and 1 more: failed' out.txt)"
bench 'call = f.py:total' 'n = 1'
ran says env PATH="$TMPDIR/empty"
equals "without python3" "1" "$code$(grep -q 'python3 was not found in PATH' out.txt || cat out.txt)"

# fake NAME LIBRARY VERSION: an interpreter that says so of itself.
fake()
{
    printf '#!/bin/sh\nprintf "%%s\\n" "%s" "/fake (Python %s)" %s /usr "{}"\n' "$2" "$3" "$3" >"$1"
    chmod +x "$1"
}
fake unshared libpython_of_nobody.so 311
fake another libc.so.6 311
fake old libc.so.6 307
typed='half = 1; word = 1; text = 1'
try_each tried <<TABLE
arguments have their types|0||"f.py:typed; number = 1e3; half = 50%; word = a b; text = 16; on = yes; whole = 3; off = no; \
nothing = None; arg.cache = mine; cache = cold; let.N2 = whole - 1"|5 samples
a word is no bool|1||"f.py:typed; number = 1; $typed; on = perhaps; whole = 1"|on = perhaps: expected yes or no
nor an integer|1||"f.py:typed; number = 1; $typed; on = 1; whole = 0.5"|whole = 0.5: expected an integer
an argument too many|1||"f.py:total; n = 1; m = 2"|total of f.py has no argument 'm': expected some of n, scale
one too few|1||f.py:total|total of f.py needs the argument 'n': expected n = VALUE
one twice|2||"f.py:total; n = 1; arg.n = 2"|'n' is given twice: 'arg.n' is the same
inputs are renewed|0||"f.py:halves; n = 100"|ok
a result that is kept is wrong|1||"f.py:halves; n = 100; keeps = yes"|wrong result
wrong results fail|1||"f.py:roots; n = 1000; error = 0.01"|output: rms
by the user's tolerance|0||"f.py:roots; n = 1000; error = 0.01; check.abs = 0.02"|ok
what is printed belongs to the case|0||"f.py:prints; n = 0"|[b] set up 0
also in what is timed|0||"f.py:prints; n = 1; iterations = 1"|[b] called
other threads run|0||f.py:background|5 samples
syntax|1||syntax.py:f|SyntaxError: invalid syntax
a module that exits|1||exits.py:f|SystemExit: 3
a function that exits|1||f.py:exits|SystemExit: 2
a function that raises|1||"f.py:raises; n = 5"|ValueError: no 5
after some calls|1||"f.py:late; n = 9"|RuntimeError: too late
a generator|1||f.py:generates|generates of f.py returned a generator
one that is skipped|0||f.py:skips|there is no tensor core
no such function|1||f.py:totl|f.py has no function 'totl': expected one of total, body, typed
no function|1||f.py:constant|constant of f.py is not a function but 5
no such file|2||g.py:f|bench.ini:11:8: error: call: $TMPDIR/g.py cannot be read: No such file
no function is named|2||f.py|bench.ini:11:8: error: call: expected FILE.py:FUNCTION
a name that is nowhere|1||"f.py:total; n = 1; python = python3.nowhere"|\
python = python3.nowhere: expected the folder of a virtual environment, or an interpreter
a folder without one|1||"f.py:total; n = 1; python = empty"|/empty has no bin/python3: expected a virtual environment
another program|1||"f.py:total; n = 1; python = true"|/true did not answer as a Python interpreter
one that fails|1||"f.py:total; n = 1; python = false"|/false did not run as a Python interpreter
without a shared library|1||"f.py:total; n = 1; python = ./unshared"|\
/fake (Python 311) has no shared library that can be opened: libpython_of_nobody.so: cannot open
with another one|1||"f.py:total; n = 1; python = ./another"|libc.so.6 lacks Py_InitializeEx
too old|1||"f.py:total; n = 1; python = ./old"|/fake (Python 307) is too old: expected Python 3.8 or newer
TABLE

if "$python" -m venv --without-pip venv >venv.txt 2>&1; then
    packages=$(venv/bin/python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    printf 'def function():\n    return 7\n' >"$packages/hidden_name.py"
    echo 'import sys; sys.modules["only_in_venv"] = __import__("hidden_name")' >"$packages/hook.pth"
    both="sweep.python = venv, $(command -v "$python")"
    try_each tried <<TABLE
a virtual environment|0||"f.py:prefix; expected = $TMPDIR/venv; python = venv"|5 samples
two interpreters are two processes|1||"f.py:total; n = 1; $both"|expected isolate = yes
which isolate = yes gives|0||"f.py:total; n = 1; $both; isolate = yes"|5 samples
TABLE
else
    skip "a virtual environment" "$(tail -n 1 venv.txt)"
fi
finish
