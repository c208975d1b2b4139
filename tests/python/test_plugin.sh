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


def roots(n, error=0.0, shape=0, exact=0):
    output = array.array("f", [i**0.5 + error for i in range(n)])
    return gbrun.Bench(lambda: exact + 1 if exact else output, verify=lambda: 2 if exact else [i**0.5 for i in range(n + shape)],
                       reset=lambda: None, flops=n, bytes_written=4 * n, items=n)


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
printf 'from f import total, body\nmemory = bytearray(300 << 20)\n' >large.py
printf 'import os\n\n\ndef helper():\n    import nowhere_to_be_found\n\n\nhelper()\n' >unimportable.py
printf 'def f(:\n    pass\n' >syntax.py
printf 'import sys\nsys.exit(3)\n' >exits.py

# bench LINE...: a configuration with a section for these lines.
bench()
{
    few_samples 5 'device = cpu'
    printf '[bench b]\nplugin = python\n'
    printf '%s\n' "$@"
} >bench.ini
# run [COMMAND]...: measures it afresh; all that is said, without what is about other processes.
run()
{
    rm -f results.gbr imported.txt
    "$@" "$GBRUN" -c bench.ini -o results.gbr >said.txt 2>&1
    code=$?
}
column()
{
    "$GBRUN" export results.gbr --columns "$1" | tail -n +2 | tr -d '\r' | xargs
}
# says NAME CODE WORDS LINE...: a run of these lines ends so, and these words are in what it says.
says()
{
    local name=$1 expected=$2 words=$3
    shift 3
    bench "$@"
    run
    if [ "$code" = "$expected" ] && grep -qF -- "$words" said.txt; then
        pass "$name"
    else
        fail "$name" "exit code $code, expected $expected with: $words" "$(cat said.txt)"
    fi
}

bench 'call = large.py:total' 'sweep.n = 10, 1e3' 'rounds = 2' '[bench body]' 'plugin = python' 'call = large.py:body' 'sweep.n = 1:3'
run
equals "functions are measured" "0 ok ok ok ok ok ok ok" "$code $(column status)"
equals "arguments are numbers" "10 10 1000 1000 1 2 3" "$(column n)"
equals "results know them as such" "5" "$("$GBRUN" export results.gbr --where 'n < 100' --columns n | tail -n +2 | wc -l)"
equals "times are positive" "" "$(column median_ns | tr ' ' '\n' | awk '!($1 > 0)')"
equals "a process imports a file once" 1 "$(wc -l <imported.txt)"
equals "what an import leaves is no trace of a case" "" "$(grep -E 'left|changed|worker' said.txt)"
bench 'call = f.py:total' 'sweep.n = 1, 2, 3' 'isolate = yes'
run
equals "isolate = yes gives each case an interpreter" "0 3" "$code $(sort -u imported.txt | wc -l)"

says "arguments have their types" 0 "5 samples" 'call = f.py:typed' 'number = 1e3' 'half = 50%' 'word = a b' 'text = 16' 'on = yes' \
    'whole = 3' 'off = no' 'nothing = None' 'arg.cache = mine' 'cache = cold' 'let.N2 = whole - 1'
says "a word is no bool" 1 "on = perhaps: expected yes or no" 'call = f.py:typed' 'number = 1' 'half = 1' 'word = 1' 'text = 1' 'on = perhaps' 'whole = 1'
says "nor an integer" 1 "whole = 0.5: expected an integer" 'call = f.py:typed' 'number = 1' 'half = 1' 'word = 1' 'text = 1' 'on = 1' 'whole = 0.5'
says "an argument too many" 1 "total of f.py has no argument 'm': expected some of n, scale" 'call = f.py:total' 'n = 1' 'm = 2'
says "one too few" 1 "total of f.py needs the argument 'n': expected n = VALUE" 'call = f.py:total'
says "one twice" 2 "'n' is given twice: 'arg.n' is the same" 'call = f.py:total' 'n = 1' 'arg.n = 2'

bench 'call = f.py:roots' 'n = 1000'
run
equals "results are compared" "0 ok 1000 4000" "$code $(column verified,flops,bytes_written | tr , ' ')"
says "wrong ones fail" 1 "output: rms" 'call = f.py:roots' 'n = 1000' 'error = 0.01'
says "by the user's tolerance" 0 "ok" 'call = f.py:roots' 'n = 1000' 'error = 0.01' 'check.abs = 0.02'
says "wrong shapes, too" 1 "output: shape (10,): expected (11,), as verify returned" 'call = f.py:roots' 'n = 10' 'shape = 1'
says "integers are equal" 0 "ok" 'call = f.py:roots' 'n = 10' 'exact = 1'
says "or wrong" 1 "output: 1 of 1 values differ, most at [0]: expected 2, got 3" 'call = f.py:roots' 'n = 10' 'exact = 2'
bench 'call = f.py:once' 'n = 1'
run
equals "reset is called before each sample" "0 ok 1" "$code $(column status,iterations | tr , ' ')"

says "what is printed belongs to the case" 0 "[b] set up 0" 'call = f.py:prints' 'n = 0'
says "also in what is timed" 0 "[b] called" 'call = f.py:prints' 'n = 1' 'iterations = 1'
says "other threads run" 0 "5 samples" 'call = f.py:background'

says "an import fails with its traceback" 1 "ModuleNotFoundError: No module named 'nowhere_to_be_found'" 'call = unimportable.py:f' 'sweep.n = 1, 2'
equals "all of it" "unimportable.py:8, in <module>: helper() unimportable.py:5, in helper: import nowhere_to_be_found" \
    "$(sed -n 's|^  /.*/\(unimportable.py:.*\)|\1|p' said.txt | head -n 2 | xargs)"
equals "gbrun.py is not in it" "" "$(grep 'gbrun\.py' said.txt)"
equals "it is one failure" "1" "$(grep -c '^  b n=1 and 1 more: failed' said.txt)"
says "syntax" 1 "SyntaxError: invalid syntax" 'call = syntax.py:f'
says "a module that exits" 1 "SystemExit: 3" 'call = exits.py:f'
says "a function that exits" 1 "SystemExit: 2" 'call = f.py:exits'
says "a function that raises" 1 "ValueError: no 5" 'call = f.py:raises' 'n = 5'
says "after some calls" 1 "RuntimeError: too late" 'call = f.py:late' 'n = 9'
says "a generator" 1 "generates of f.py returned a generator" 'call = f.py:generates'
says "one that is skipped" 1 "there is no tensor core" 'call = f.py:skips'
says "no such function" 1 "f.py has no function 'totl': expected one of total, body, typed" 'call = f.py:totl'
says "no function" 1 "constant of f.py is no function but 5" 'call = f.py:constant'
says "no such file" 2 "bench.ini:9:8: error: call: $TMPDIR/g.py cannot be read: No such file" 'call = g.py:f'
says "no function is named" 2 "bench.ini:9:8: error: call: expected FILE.py:FUNCTION" 'call = f.py'

bench 'call = f.py:total' 'n = 1'
run env PATH="$TMPDIR/empty"
equals "without python3" "1" "$code$(grep -q 'there is no python3 in the folders of PATH' said.txt || cat said.txt)"
says "a name that is nowhere" 1 "python = python3.nowhere: expected the folder of a virtual environment, or an interpreter" \
    'call = f.py:total' 'n = 1' 'python = python3.nowhere'
says "a folder without one" 1 "/empty has no bin/python3: expected a virtual environment" 'call = f.py:total' 'n = 1' 'python = empty'
says "another program" 1 "/true does not answer as an interpreter of Python does" 'call = f.py:total' 'n = 1' 'python = true'
says "one that fails" 1 "/false does not run as an interpreter of Python does" 'call = f.py:total' 'n = 1' 'python = false'
# fake LIBRARY VERSION: an interpreter that says so of itself.
fake()
{
    printf '#!/bin/sh\nprintf "%%s\\n" "%s" "/fake (Python %s)" %s /usr "{}"\n' "$1" "$2" "$2" >fake
    chmod +x fake
}
fake libpython_of_nobody.so 311
says "without a shared library" 1 "/fake (Python 311) has no shared library that can be opened: libpython_of_nobody.so: cannot open" \
    'call = f.py:total' 'n = 1' 'python = ./fake'
fake libc.so.6 311
says "with another one" 1 "libc.so.6 lacks Py_InitializeEx" 'call = f.py:total' 'n = 1' 'python = ./fake'
fake libc.so.6 307
says "too old" 1 "/fake (Python 307) is too old: expected Python 3.8 or newer" 'call = f.py:total' 'n = 1' 'python = ./fake'

if "$python" -m venv --without-pip venv >venv.txt 2>&1; then
    packages=$(venv/bin/python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    printf 'def function():\n    return 7\n' >"$packages/hidden_name.py"
    echo 'import sys; sys.modules["only_in_venv"] = __import__("hidden_name")' >"$packages/hook.pth"
    says "a virtual environment" 0 "5 samples" 'call = f.py:prefix' "expected = $TMPDIR/venv" 'python = venv'
    says "two interpreters are two processes" 1 "expected isolate = yes" 'call = f.py:total' 'n = 1' "sweep.python = venv, $(command -v "$python")"
    says "which isolate = yes gives" 0 "5 samples" 'call = f.py:total' 'n = 1' "sweep.python = venv, $(command -v "$python")" 'isolate = yes'
else
    skip "a virtual environment" "$(tail -n 1 venv.txt)"
fi
finish
