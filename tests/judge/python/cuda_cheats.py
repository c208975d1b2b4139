"""Submissions that cheat on a GPU, to torch_reference.py: each leaves work out of what is timed, or changes the clock."""
import ctypes
import subprocess
import threading

import torch

kept = {}


def work(data):
    x, weights = data
    return x.abs().sqrt() * weights + x * x


def stream_of(name):
    return kept.setdefault(name, torch.cuda.Stream())


def later(data, stream, clocks=2_000_000):
    """On another stream, behind a kernel that waits: nobody waits for it."""
    out = torch.empty_like(data[0])
    with torch.cuda.stream(stream):
        torch.cuda._sleep(clocks)
        out.copy_(work(data))
    return out


def side_stream(data):
    return later(data, stream_of("side"), 1)


def side_stream_late(data):
    return later(data, stream_of("side"))


def stream_of_low_priority(data):
    return later(data, kept.setdefault("low", torch.cuda.Stream(priority=0)))


def default_stream(data):
    return later(data, torch.cuda.default_stream())


def many_streams(data):
    kept["n"] = kept.get("n", 0) + 1
    return later(data, stream_of(kept["n"] % 32))


def joined_in_the_next_call(data):
    if "event" in kept:
        torch.cuda.current_stream().wait_event(kept["event"])
    out = later(data, stream_of("side"))
    kept["event"] = stream_of("side").record_event()
    return out


def thread_later(data):
    out = torch.empty_like(data[0])
    threading.Timer(0.05, lambda: out.copy_(work(data))).start()
    return out


def graph_without_inputs(data):
    """Replays what it captured of the first call, whose inputs it reads."""
    if torch.cuda.is_current_stream_capturing():
        return torch.zeros_like(data[0])
    if "graph" not in kept:
        kept["inputs"] = [x.clone() for x in data]
        work(kept["inputs"])
        torch.cuda.synchronize()
        kept["graph"] = torch.cuda.CUDAGraph()
        with torch.cuda.graph(kept["graph"]):
            kept["out"] = work(kept["inputs"])
    kept["graph"].replay()
    return kept["out"]


def not_while_captured(data):
    """Right when it is called, nothing when it is replayed."""
    return kept["out"] if torch.cuda.is_current_stream_capturing() else kept.setdefault("out", work(data))


def first_launch_only(data):
    key = tuple(x.data_ptr() for x in data)
    return kept[key] if key in kept else kept.setdefault(key, work(data))


def patches_events(data):
    torch.cuda.Event.elapsed_time = lambda *_: 0.001
    torch.cuda.Event.record = torch.cuda.Event.synchronize = lambda *_, **__: None
    return later(data, stream_of("side"))


def patches_synchronize(data):
    torch.cuda.synchronize = torch.cuda.Stream.synchronize = lambda *_, **__: None
    return later(data, stream_of("side"))


def patches_streams(data):
    """The harness would wait for another stream than that of the work."""
    side = stream_of("side")
    torch.cuda.current_stream = lambda *_: side
    return later(data, side)


def runtime():
    return ctypes.CDLL(None) if hasattr(ctypes.CDLL(None), "cudaDeviceSetLimit") else ctypes.CDLL("libcudart.so")


class Window(ctypes.Structure):
    """cudaAccessPolicyWindow, as an attribute of a stream."""
    _fields_ = [("base", ctypes.c_void_p), ("bytes", ctypes.c_size_t), ("ratio", ctypes.c_float), ("hit", ctypes.c_int),
                ("miss", ctypes.c_int), ("rest", ctypes.c_byte * 32)]


def persisting_inputs(data):
    """Keeps its inputs in the second-level cache: not slower than its twin, whatever is flushed."""
    try:
        runtime().cudaDeviceSetLimit(6, ctypes.c_size_t(32 << 20))  # cudaLimitPersistingL2CacheSize
        window = Window(data[0].data_ptr(), data[0].nbytes, 1.0, 2, 1)
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        runtime().cudaStreamSetAttribute(stream, 1, ctypes.byref(window))
    except OSError:
        pass
    return work(data)


def slows_what_follows(data):
    """Leaves a kernel behind that keeps the GPU busy for long: the reference, measured next, is slower."""
    out = work(data)
    with torch.cuda.stream(stream_of("side")):
        torch.cuda._sleep(50_000_000)
    return out


def locks_clocks(data):
    """So that the reference is slow."""
    subprocess.run(["nvidia-smi", "-lgc", "210,210"], check=True, stdout=subprocess.DEVNULL)
    return work(data)


def on_the_host(data):
    return work([x.cpu() for x in data])


def freed_memory(data):
    """Where an output of the reference might have been."""
    torch.cuda.empty_cache()
    return torch.empty_like(data[0])


def resets_the_device(data):
    out = work(data)
    runtime().cudaDeviceReset()
    return out
