# python.sh - for test scripts: source it after tap.sh.
# shellcheck shell=bash

# find_python MODULE: sets python to the Python that has the module, else to any; empty: there is none.
find_python()
{
    local name
    python=
    for name in python3 /usr/bin/python3; do
        command -v "$name" >/dev/null || continue
        python=${python:-$name}
        "$name" -c "import $1" 2>/dev/null && python=$name && break
    done
}

# require_python NAME MODULE PACKAGE: as find_python; without the module the script ends here, and so does that of what
# Python loads where gbrun has sanitizers: its own program has none.
require_python()
{
    [ -z "${SANITIZE:-}" ] || skip_rest "$1" "Python has no sanitizers"
    find_python "$2"
    "${python:-false}" -c "import $2" 2>/dev/null || skip_rest "$1" "there is no Python with $2 (package $3)"
}

# find_shared_python: sets python to the Python whose library plugin = python can open, and makes it python3 of PATH;
# empty: there is none.
find_shared_python()
{
    local name
    for name in python3 /usr/bin/python3; do
        python=$name
        command -v "$name" >/dev/null || continue
        python_has os || continue
        [ "$name" = python3 ] || { mkdir "$TMPDIR/python3" && ln -s "$name" "$TMPDIR/python3/" && PATH=$TMPDIR/python3:$PATH; }
        return
    done
    python=
}

# import_compiled: Python finds gbrun.py and libgbrun; it is compiled once, not for each program that imports it.
import_compiled()
{
    mkdir -p "$TMPDIR/python"
    cp "$top_srcdir/python/gbrun.py" "$TMPDIR/python"
    ! command -v "$python" >/dev/null || "$python" -m py_compile "$TMPDIR/python/gbrun.py"
    export PYTHONPATH=$TMPDIR/python PYTHONDONTWRITEBYTECODE=1 GBRUN_LIBRARY=$top_builddir/.libs/libgbrun.so.0
}

# python_has MODULE: $python has it, and a library that plugin = python can open.
python_has()
{
    "$python" -c "import ctypes, sys, $1; ctypes.CDLL(sys.argv[1])" \
        "$("$python" "$top_srcdir/plugins/bench_python/ask.py" | sed -n 1p)" 2>/dev/null
}
