"""make.py - the wheel for pip, from the bundle, for make wheel. usage: make.py gbrun-VERSION-linux-CPU.tar.gz

gbrun.py is a package there, as only packages can say that they have types. What is loaded or run lies in the package
gbrun_bundle beside it; the rest below the environment's folder, where
`make install` has it. The platform in the wheel's name is the newest glibc that any program or library inside asks for
(PEP 600), whatever the machine has. Equal bundles give equal wheels. OBJDUMP: that of binutils.
"""
import base64
import csv
import hashlib
import io
import os
import pathlib
import re
import stat
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

# From the bundle into the wheel, by the first line that fits; None: not in the wheel, where nothing can be linked with
# libgbrun, as it has no symbolic links.
PLACES = (
    ("bin/", "gbrun_bundle/bin/"),
    ("lib/pkgconfig/gbrun.pc", "{data}/lib/pkgconfig/gbrun.pc"),
    ("lib/pkgconfig/", None),
    ("lib/cmake/", None),
    ("lib/", "gbrun_bundle/lib/"),
    ("include/", "{data}/include/"),
    ("share/", "{data}/share/"),
    ("conf/", "{data}/share/gbrun/conf/"),
    ("docs/examples/", "{data}/share/gbrun/examples/"),
    ("python/gbrun.py", "gbrun/__init__.py"),
    ("python/gbrun_pytest.py", "gbrun_pytest.py"),
)
METADATA = """Metadata-Version: 2.1
Name: gbrun
Version: {version}
Summary: Benchmarks of GPU and CPU code: clocks, stopping policies and verdicts that can be relied on
Keywords: benchmark,cuda,gpu,performance,timing
Classifier: Environment :: GPU :: NVIDIA CUDA
Classifier: Framework :: Pytest
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: System :: Benchmark
Classifier: Typing :: Typed
Requires-Python: >=3.8
Description-Content-Type: text/markdown

{description}"""
WHEEL = """Wheel-Version: 1.0
Generator: gbrun (make wheel)
Root-Is-Purelib: false
Tag: {tag}
"""
ENTRY_POINTS = """[console_scripts]
gbrun = gbrun_bundle:main

[pytest11]
gbrun = gbrun_pytest
"""
# Versions of glibc that symbols name by a feature (the GNU C Library's NEWS).
FEATURES = {"ABI_DT_RELR": (2, 36)}
OLDEST_OF_ZIP = 315532800  # 1980-01-01


def place(path, data_folder):
    """Where a file of the bundle goes; None: nowhere."""
    for begin, target in PLACES:
        if path.startswith(begin):
            return target and target.format(data=data_folder) + path[len(begin) :]
    return None


def glibc(files):
    """((2, 35), path): the newest version of glibc that one of the files asks for, and one that does."""
    found = [(0, 0), None]
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, "binary")
        for path, (data, _) in files.items():
            if not data.startswith(b"\x7fELF"):
                continue
            copy.write_bytes(data)
            headers = subprocess.run(
                [os.environ.get("OBJDUMP") or "objdump", "-p", str(copy)],
                check=True, stdout=subprocess.PIPE, universal_newlines=True,
            ).stdout  # fmt: skip
            for name in re.findall(r"\bGLIBC_(\w[\w.]*)", headers):
                if name not in FEATURES and not re.match(r"\d+\.\d+", name):
                    sys.exit(f"make.py: {path} asks for GLIBC_{name}, which no name of a platform stands for")
                version = FEATURES.get(name) or tuple(map(int, name.split(".")))[:2]
                found = max(found, [version, path], key=lambda pair: pair[0])
    if found[1] is None:
        sys.exit("make.py: nothing in the bundle asks for glibc: a wheel for another C library is not made")
    return found


def record(files, path):
    """RECORD: each file with its SHA-256 and size (PEP 376, PEP 427)."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    for name, (data, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.writerow((name, "sha256=" + digest, len(data)))
    rows.writerow((path, "", ""))
    return text.getvalue().encode()


def from_bundle(archive, data_folder):
    """({path in the wheel: (bytes, is_executable)}, the description, the time of all files)."""
    files, description, changed = {}, "", OLDEST_OF_ZIP
    for member in archive:
        path = member.name.partition("/")[2]
        target = place(path, data_folder)
        if member.isreg() and (target or path == "docs/python.md"):
            data = archive.extractfile(member).read()
            changed = max(changed, int(member.mtime))
            if target:
                files[target] = (data, bool(member.mode & stat.S_IXUSR))
            else:
                description = data.decode()
    # Plugins of one's own are found by GBRUN_PLUGIN_PATH or a key of the configuration.
    name = data_folder + "/lib/pkgconfig/gbrun.pc"
    files[name] = (re.sub(rb"(?m)^(libdir|plugindir)=.*\n", b"", files[name][0]), False)
    return files, description, changed


def main():
    bundle = pathlib.Path(sys.argv[1])
    name = re.fullmatch(r"gbrun-(.+)-linux-(\w+)\.tar\.gz", bundle.name)
    if not name:
        sys.exit(f"make.py: {bundle}: expected gbrun-VERSION-linux-CPU.tar.gz")
    version, cpu = name.groups()
    if not re.fullmatch(r"\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?", version):
        sys.exit(f"make.py: {version} is not a version as pip has them: expected 1.2, 1.2rc1 or 1.2.dev3 (PEP 440)")
    with tarfile.open(str(bundle)) as archive:
        files, description, changed = from_bundle(archive, f"gbrun-{version}.data/data")
    package = pathlib.Path(__file__).with_name("gbrun_bundle.py").read_bytes()
    files["gbrun_bundle/__init__.py"] = (package, False)
    files["gbrun/py.typed"] = (b"", False)
    for path in files:
        if "libsqlite3.so" in path:
            sys.exit(f"make.py: the bundle has {path}, which Python's sqlite3 would take for its own: expected a bundle "
                     "that was made where libsqlite3.a is installed")  # fmt: skip
    needed, by = glibc(files)
    tag = f"py3-none-manylinux_{needed[0]}_{needed[1]}_{cpu}"
    about = f"gbrun-{version}.dist-info/"
    for file, text in (
        ("METADATA", METADATA.format(version=version, description=description)),
        ("WHEEL", WHEEL.format(tag=tag)),
        ("entry_points.txt", ENTRY_POINTS),
    ):
        files[about + file] = (text.encode(), False)
    files[about + "RECORD"] = (record(files, about + "RECORD"), False)

    wheel = f"gbrun-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel + ".new", "w", zipfile.ZIP_DEFLATED) as archive:
        for path, (data, is_executable) in files.items():
            info = zipfile.ZipInfo(path, time.gmtime(changed)[:6])
            info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
            info.external_attr = (stat.S_IFREG | (0o755 if is_executable else 0o644)) << 16
            archive.writestr(info, data, compresslevel=9)
    os.replace(wheel + ".new", wheel)
    print(f"{wheel}: glibc {needed[0]}.{needed[1]} is what {by} needs")


main()
