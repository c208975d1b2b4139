# Run by the interpreter that will be opened: its shared library (a path, or a name for the loader to find; empty: none
# that it knows of), what to call it in messages, PYTHONHOME, then what gbrun.py makes of the embedded one.
import os
import site
import sys
import sysconfig


def library():
    try:
        with open("/proc/self/maps") as maps:
            loaded = [line.split(None, 5)[-1].strip() for line in maps if "/libpython" in line]
    except OSError:
        loaded = []
    if loaded:
        return loaded[0]
    get = sysconfig.get_config_var
    stem = "libpython" + (get("LDVERSION") or get("py_version_short"))
    names = [name for name in (get("INSTSONAME"), stem + ".so.1.0", stem + ".so") if name and ".so" in name]
    folders = [get("LIBDIR"), os.path.join(sys.base_prefix, "lib"), get("LIBPL")]
    paths = [os.path.join(folder, name) for folder in folders for name in names if folder]
    return next(filter(os.path.exists, paths), names[0])


packages = getattr(site, "getsitepackages", list)() + [site.getusersitepackages()] * bool(site.ENABLE_USER_SITE)
found = {
    "executable": sys.executable, "prefix": sys.prefix, "exec_prefix": sys.exec_prefix,
    "home": os.environ.get("PYTHONHOME"), "path": [path for path in sys.path if path],
    "site": [path for path in packages if path in sys.path],
}  # fmt: skip
print(library())
print("%s (Python %s)" % (sys.executable, sys.version.split()[0]))
print(sys.version_info[0] * 100 + sys.version_info[1])
print(os.pathsep.join([sys.base_prefix, sys.base_exec_prefix]))
print(repr(found))
