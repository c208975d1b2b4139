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
