"""Honest submissions that do what a judge might take for a cheat: none of them is refused."""
import concurrent.futures
import ctypes
import gc
import os
import subprocess
import sys
import tempfile
import threading
import warnings

import numpy


def work(data):
    x, weights = data
    return numpy.sqrt(numpy.abs(x)) * weights + x * x


def plain(data):
    return work(data)


def in_parts(data):
    x, weights = data
    return numpy.concatenate([work((x[i::4], weights[i::4])) for i in range(4)]).reshape(4, -1).T.reshape(-1).copy()


def backwards(data):
    """What is returned is a view, and its stride is negative."""
    x, weights = data
    return work((x[::-1].copy(), weights[::-1].copy()))[::-1]


def strided(data):
    x, weights = data
    wide = numpy.empty((x.size, 2), x.dtype)
    wide[:, 0] = work(data)
    return wide[:, 0]


kept = {}


def own_buffer(data):
    """The same memory in each call."""
    x, weights = data
    out = kept.setdefault(x.shape, numpy.empty_like(x))
    numpy.copyto(out, work(data))
    return out


def warms_up(data):
    """Tunes in its first call."""
    if "tuned" not in kept:
        kept["tuned"] = min(range(8), key=lambda i: work(data)[i])
    return work(data)


def threads_joined(data):
    x, weights = data
    out = numpy.empty_like(x)

    def part(which):
        out[which] = work((x[which], weights[which]))
    thread = threading.Thread(target=part, args=(slice(0, x.size // 2),))
    thread.start()
    part(slice(x.size // 2, None))
    thread.join()
    return out


def pool(data):
    if "pool" not in kept:
        kept["pool"] = concurrent.futures.ThreadPoolExecutor(2)
    return kept["pool"].submit(work, data).result()


def on_a_copy(data):
    x, weights = data[0].copy(), data[1]
    y = x * x
    numpy.abs(x, out=x)
    numpy.sqrt(x, out=x)
    x *= weights
    x += y
    return x


def higher_precision(data):
    return work([x.astype(numpy.float64) for x in data]).astype(numpy.float32)


def recursive(data):
    x, weights = data
    if x.size <= 64:
        return work(data)
    half = x.size // 2
    return numpy.append(recursive((x[:half], weights[:half])), recursive((x[half:], weights[half:])))


def prints(data):
    if "printed" not in kept:
        kept["printed"] = print("tuning") or print("tuning", file=sys.stderr) or True
        warnings.warn("this is slow")
    return work(data)


def collects_garbage(data):
    gc.collect(0)
    return work(data)


def reads_files(data):
    with open(__file__, encoding="utf-8") as file:
        file.readline()
    return work(data)


def temporary_file(data):
    if "file" not in kept:
        with tempfile.TemporaryFile() as file:
            file.write(b"tuned")
        kept["file"] = True
    return work(data)


SOURCE = """#include <math.h>
void work(const float *x, const float *w, float *out, long n)
{ for (long i = 0; i < n; i++) out[i] = sqrtf(fabsf(x[i])) * w[i] + x[i] * x[i]; }"""


def compiled(data):
    """Compiles in its first call."""
    if "library" not in kept:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "work.so")
            subprocess.run([os.environ.get("CC", "cc").split()[0], "-xc", "-O1", "-fPIC", "-shared", "-", "-o", path],
                           input=SOURCE.encode(), check=True)
            kept["library"] = ctypes.CDLL(path)
    x, weights = data
    out = numpy.empty_like(x)
    kept["library"].work(*(ctypes.c_void_p(a.ctypes.data) for a in (x, weights, out)), ctypes.c_long(x.size))
    return out
