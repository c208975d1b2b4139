#!/usr/bin/env bash
# What `make wheel` makes is installed by pip into an empty environment, without network and compiler, and measures
# there; its name and its lists are true, and it is the same when it is made again.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/python/python.sh"
require_python "the wheel" ensurepip python3-venv
unset GBRUN_LIBRARY PYTHONPATH PYTHONHOME
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_CONFIG_FILE=/dev/null PIP_ROOT_USER_ACTION=ignore

# Others make the bundle, too.
make_wheel()
{
    flock "$top_builddir/Makefile" \
        "${MAKE:-make}" -C "$top_builddir" --no-print-directory wheel-archive PYTHON="$python"
}
succeeds "make wheel" make_wheel
version=$("$GBRUN" --version | cut -d ' ' -f 2)
wheel=$(echo "$top_builddir/gbrun-$version"-py3-none-*.whl)
cp "$wheel" "$TMPDIR" || finish
wheel=$TMPDIR/${wheel##*/}
cd "$TMPDIR" || exit 99

# The platform in its name, seen from what each file binds to.
"$python" -m zipfile -e "$wheel" unpacked
newest=$(find unpacked -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF && objdump -T "$1"' sh {} \; |
    grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1 | grep -o '^GLIBC_[0-9]*\.[0-9]*')
tag=py3-none-manylinux_$(echo "${newest#GLIBC_}" | tr . _)_$(uname -m)
equals "its name says which C library it needs" "gbrun-$version-$tag.whl" "${wheel##*/}"
about=unpacked/gbrun-$version.dist-info
equals "and so does WHEEL" "Tag: $tag" "$(grep '^Tag' "$about/WHEEL")"
equals "nothing in it says under which license" "" \
    "$(find unpacked -iname '*licen*' -o -iname 'COPYING*' && grep -i '^License' "$about/METADATA")"
equals "it holds no more than one copy of libgbrun, and no tests" libgbrun.so.0 \
    "$(find unpacked -name 'libgbrun*' -printf '%f\n' -o -path '*/tests/*' -print)"
succeeds "RECORD has each file, with its size and hash" "$python" - "$wheel" <<'PYTHON'
import base64, csv, hashlib, sys, zipfile

with zipfile.ZipFile(sys.argv[1]) as wheel:
    files = {name: wheel.read(name) for name in wheel.namelist()}
name = next(name for name in files if name.endswith("/RECORD"))
for path, digest, size in csv.reader(files[name].decode().splitlines()):
    data = files.pop(path)
    if path != name:
        expected = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        assert (digest, int(size)) == (expected, len(data)), path
assert not files, files.keys()
PYTHON
if command -v twine >/dev/null; then
    succeeds "twine check" twine check --strict "$wheel"
else
    skip "twine check" "no twine"
fi

succeeds "an empty environment" "$python" -m venv environment
bin=$PWD/environment/bin
mkdir empty
# inside COMMAND...: in the environment, with nothing else to be found: no compiler, no gbrun.
inside()
{
    env -i HOME="$PWD/empty" PATH="$bin" LC_ALL=C GBRUN_LOCK_FOLDER="$GBRUN_LOCK_FOLDER" GBRUN_IGNORE_LOAD=1 "$@"
}
succeeds "pip installs it" inside pip install --no-index --no-cache-dir --disable-pip-version-check "$wheel"
succeeds "pip check" inside pip check
equals "gbrun --version" "$("$GBRUN" --version)" "$(inside gbrun --version 2>&1)"
equals "it has all plugins" \
    "$("$GBRUN" list plugins --format csv 2>/dev/null | cut -d, -f1,2 | grep -v skeleton | sort)" \
    "$(inside gbrun list plugins --format csv 2>&1 | cut -d, -f1,2 | sort)"
equals "each of them its own" "" "$(inside gbrun list plugins --format csv | tail -n +2 | grep -vF "$PWD/environment/")"
{
    few_samples 20 'device = cpu'
    printf '[bench copy]\nbytes = 4KiB\n'
} >small.ini
succeeds "gbrun run" inside gbrun run -q -c small.ini -o small.gbr
cat >measure.py <<'PYTHON'
import ctypes
import gbrun

case, = gbrun.records("small.gbr")
assert case["bench"] == "copy" and case["status"] == "ok" and case["median_ns"] > 0, case
found = gbrun.measure(lambda: sum(range(1000)), policy="fixed", samples=20, results="small.gbr", name="sum")
assert found.time > 0 and len(found.samples) == 20, found
assert [case["bench"] for case in gbrun.records("small.gbr", run="all")] == ["copy", "sum"]
print(*sorted({line.split()[-1] for line in open("/proc/self/maps") if "libgbrun" in line or "device_cpu" in line}))
PYTHON
libraries=$(echo environment/lib/python3*/site-packages/gbrun_bundle/lib)
equals "import gbrun measures, with the library and the plugins that were installed" \
    "$PWD/$libraries/gbrun/device_cpu.so $PWD/$libraries/libgbrun.so.0" "$(inside python measure.py 2>&1)"
# A process has one SQLite of Python's, whichever comes first, and libgbrun's is inside it.
cat >sqlite.py <<'PYTHON'
import importlib, sys

for name in sys.argv[1:]:
    importlib.import_module(name)
import gbrun, sqlite3
gbrun.measure(lambda: 1, policy="fixed", samples=2, results="small.gbr")
print(sqlite3.sqlite_version, sqlite3.connect(":memory:").execute("SELECT sqlite_source_id()").fetchone()[0],
      *sorted({line.split()[-1] for line in open("/proc/self/maps") if "sqlite" in line}))
PYTHON
equals "Python's sqlite3 is the one it was" "$(inside python sqlite.py sqlite3 2>&1)" "$(inside python sqlite.py gbrun 2>&1)"
equals "which is not of the wheel" "0 0" "$(inside python sqlite.py gbrun 2>&1 | grep -c environment/) \
$(nm -D "$libraries/libgbrun.so.0" "${libraries%lib}bin/gbrun" | grep -c sqlite3_)"
if command -v auditwheel >/dev/null; then
    has_tag=$(auditwheel show "$wheel" 2>&1 | tr '\n' ' ')
    equals "auditwheel finds it consistent with its name" "${tag#py3-none-}" \
        "$(grep -o 'platform tag: "[^"]*"' <<<"$has_tag" | head -n 1 | cut -d '"' -f 2)"
else
    skip "auditwheel show" "no auditwheel"
fi
# Of an environment that has pytest.
if "$python" -c 'import pytest' 2>/dev/null; then
    echo 'def test_sum(gbrun): assert gbrun(sum, [1], policy="fixed", samples=3) > 0' >test_sum.py
    succeeds "pytest finds the fixture" env PYTHONPATH="$PWD/${libraries%/gbrun_bundle/lib}" "$python" -m pytest -q test_sum.py
else
    skip "pytest finds the fixture" "pytest is not installed (package python3-pytest)"
fi
equals "it has types" "gbrun/py.typed" "$(cd unpacked && ls gbrun/py.typed)"
equals "it names no folder of the machine that made it" "" "$(grep -rlF -e "$top_builddir" -e "$(cd "$top_srcdir" && pwd)" unpacked)"
succeeds "the program ends when its reader does" inside python -c '
import os, signal, subprocess
end, begin = os.pipe()
os.close(end)
assert subprocess.call(["gbrun", "list", "plugins"], stdout=begin) == -signal.SIGPIPE'

# A plugin of one's own: headers are found from the command's folder.
succeeds "gbrun new" inside gbrun new mine
succeeds "make builds a plugin" env -u PKG_CONFIG_PATH PATH="$bin:$PATH" make -C mine
succeeds "which it measures" inside gbrun -q -c mine/bench.ini --max-time 20ms -o mine.gbr
succeeds "pip uninstalls it" inside pip uninstall -y -q gbrun
equals "and no file is left" "" "$(find environment -path '*gbrun*' -type f)"

# refused WHY VERSION: no wheel is made of a bundle of that version that has one text only.
refused()
{
    mkdir -p "odd/lib/pkgconfig" && : >odd/lib/pkgconfig/gbrun.pc
    tar -czf "gbrun-$2-linux-x86_64.tar.gz" odd
    equals "no wheel of version $2 without programs" "make.py: $1" \
        "$("$python" "$top_srcdir/packaging/wheel/make.py" "gbrun-$2-linux-x86_64.tar.gz" 2>&1)"
}
mkdir -p odd/lib && : >odd/lib/libsqlite3.so.0
refused "the bundle has gbrun_bundle/lib/libsqlite3.so.0, which Python's sqlite3 would take for its own: expected a \
bundle that was made where libsqlite3.a is installed" 1.0
rm odd/lib/libsqlite3.so.0
refused "nothing in the bundle asks for glibc: a wheel for another C library is not made" 1.0
refused "1.0-odd is not a version as pip has them: expected 1.2, 1.2rc1 or 1.2.dev3 (PEP 440)" 1.0-odd

cp "$wheel" first.whl
succeeds "it is made again" make_wheel
succeeds "which gives the same file" cmp first.whl "$top_builddir/${wheel##*/}"
finish
