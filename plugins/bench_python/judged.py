"""What `verify = judge` makes of a submission in Python; plugins/bench_python has this file inside, and calls `step`.

The judge's process loads the reference's file alone: it makes inputs, calls the reference and compares. It describes in
shared memory what it has made (_Plan); the other process, which loads the submission's file alone, builds inputs and
outputs from that at the same addresses. Nothing that comes back is believed but the bytes of inputs and outputs.
"""
import array
import collections
import contextlib
import ctypes
import dataclasses
import functools
import gc
import inspect
import io
import math
import os
import pickle
import random
import sys
import types

import gbrun
import gbrun_tolerance

_i32, _u64, _address = ctypes.c_int32, ctypes.c_uint64, ctypes.c_void_p
_WARNING = 2


class _Case(gbrun._Case):
    """struct python_case of python.c, whole."""

    _fields_ = [
        ("reference", ctypes.c_char_p), ("layout", ctypes.c_char_p), ("is_judge", _i32), ("subject_of", _i32),
        ("share", ctypes.CFUNCTYPE(_address, _address, _u64)),
        ("allocate", ctypes.CFUNCTYPE(_i32, _address, _u64, ctypes.c_uint32, ctypes.POINTER(_address))),
    ]  # fmt: skip


_objects = {}  # address of a _Case: _Judge or _Judged
_derived = {}  # by the reference's file and arguments: what derived_tolerance has found
_tasks = []  # the one that all objects share
_kept = {}  # of the judge's process: tasks of one reference's file that stay, by their arguments; the newest last
_KEPT_MOST = 1 << 29  # bytes that their inputs and outputs may have together


def step(name, address):
    """One step of the case at this address: "prepare", "close". Returns a status."""
    case = _Case.from_address(address)
    try:
        if name == "prepare":
            if not _tasks:
                _tasks.append(_kept_reference(case) if case.is_judge else _Submission(case))
            made = (_Judge if case.is_judge else _Judged)(case, _tasks[0])
            _objects[address] = made
            case.subject = made.calls.subject
            gbrun._wait_for_devices()
        else:
            _objects.pop(address, None)
            if not _objects and _tasks:
                _tasks.pop().end()
    except BaseException as error:
        return gbrun._plugin_fail(case, error)
    finally:
        gbrun._flush()
    return gbrun._OK


def _forget():
    while _kept:
        _kept.popitem()[1].close()


def _kept_reference(case):
    """What a visit of the same reference has made, as long as none of its files was written since."""
    key = tuple(case.keys[i] + b"=" + case.values[i] for i in range(case.n_arguments)), case.layout, case.gpu
    paths = {task.path for task in _kept.values()}
    are_many = sum(task.n_bytes for task in _kept.values()) > _KEPT_MOST
    if are_many or paths - {case.reference.decode()} or any(task.has_changed() for task in _kept.values()):
        _forget()
    if key not in _kept:
        _kept[key] = _Reference(case)
    _kept[key].begin(case)
    return _kept[key]


# --- memory --------------------------------------------------------------------------------------------------------


class _Host:
    """Memory of the host, by addresses."""

    memcmp = ctypes.CDLL(None).memcmp
    memcmp.argtypes = [_address, _address, ctypes.c_size_t]

    @staticmethod
    def block(address, n):
        return (ctypes.c_ubyte * n).from_address(address)

    def flat(self, address, n):
        return memoryview(self.block(address, n)).cast("B")

    def new(self, n):
        """What keeps it, and its address."""
        block = (ctypes.c_ubyte * max(n, 1))()
        return block, ctypes.addressof(block)

    def copy(self, to, source, n):
        ctypes.memmove(to, source, n)

    def equal(self, a, b, n):
        return n == 0 or self.memcmp(a, b, n) == 0

    def rotate(self, to, source, n, by):
        to, source = self.flat(to, n), self.flat(source, n)
        to[: n - by], to[n - by :] = source[by:], source[:by]

    def scatter(self, to, n):
        self.flat(to, n)[:] = os.urandom(n)


@functools.lru_cache(maxsize=16384)
def _flat_on_device(torch, cupy, address, n):
    """An array that does not own its memory, which objects have at the same places in each renewal."""
    if torch is None:
        memory = cupy.cuda.UnownedMemory(address, n, None)
        return cupy.ndarray((n,), "u1", cupy.cuda.MemoryPointer(memory, 0))
    seen = types.SimpleNamespace(
        __cuda_array_interface__={"shape": (n,), "typestr": "|u1", "data": (address, False), "version": 3}
    )
    return torch.as_tensor(seen, device=torch.device("cuda", torch.cuda.current_device()))


class _Device(_Host):
    """Memory of the GPU that is current."""

    def __init__(self):
        torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
        self.torch = torch if torch is not None and torch.cuda.is_initialized() else None
        self.cupy = cupy

    def flat(self, address, n):
        return _flat_on_device(self.torch, self.cupy, address, n)

    def new(self, n):
        if self.torch is None:
            block = self.cupy.empty(max(n, 1), "u1")
            return block, block.data.ptr
        block = self.torch.empty(max(n, 1), dtype=self.torch.uint8, device="cuda")
        return block, block.data_ptr()

    def copy(self, to, source, n):
        if n > 0:
            self.put(self.flat(to, n), self.flat(source, n))

    def put(self, to, source):
        if self.torch is None:
            to[...] = source
        else:
            to.copy_(source)

    def rotate(self, to, source, n, by):
        to, source = self.flat(to, n), self.flat(source, n)
        self.put(to[: n - by], source[by:])
        self.put(to[n - by :], source[:by])

    def equal(self, a, b, n):
        return n == 0 or bool((self.flat(a, n) == self.flat(b, n)).all())

    def scatter(self, to, n):
        block, address = _host.new(n)
        _host.scatter(address, n)
        made = self.torch.frombuffer(block, dtype=self.torch.uint8) if self.torch else self.cupy.asarray(bytearray(block))
        self.flat(to, n)[...] = made


_host = _Host()


@functools.cache
def _device():
    return _Device()


def _space(leaf):
    return _device() if leaf.on_device else _host


# --- leaves: arrays and numbers ------------------------------------------------------------------------------------

# An array, or what is held like one: extent bytes from the lowest address on, the first element `offset` bytes behind.
# kind: "torch", "numpy", "cupy", "buffer", "list" (of numbers), "number".
_Leaf = collections.namedtuple("_Leaf", "kind dtype shape strides offset extent item on_device")


def _strided(kind, dtype, shape, strides, item, on_device=False):
    """strides: in bytes."""
    if 0 in shape:
        return _Leaf(kind, dtype, shape, strides, 0, 0, item, on_device)
    ends = [(n - 1) * stride for n, stride in zip(shape, strides)]
    low, high = sum(end for end in ends if end < 0), sum(end for end in ends if end > 0)
    return _Leaf(kind, dtype, shape, strides, -low, high - low + item, item, on_device)


def _packed(leaf):
    """The same, with its elements one behind the other."""
    strides = [leaf.item * math.prod(leaf.shape[i + 1 :]) for i in range(len(leaf.shape))]
    return _strided(leaf.kind, leaf.dtype, leaf.shape, tuple(strides), leaf.item, leaf.on_device)


def _number_code(values):
    """Of machine numbers of one type; None: they are not."""
    kind = type(values[0])
    if any(type(value) is not kind for value in values):
        return None
    if kind is int:
        return "q" if all(-(1 << 63) <= value < 1 << 63 for value in values) else None
    return {float: "d", bool: "?"}.get(kind)


def _leaf_of(value):
    """(its _Leaf, the address of its lowest byte, what keeps that); None: it is no array."""
    torch, numpy, cupy = (sys.modules.get(name) for name in ("torch", "numpy", "cupy"))
    if torch is not None and isinstance(value, torch.Tensor):
        return _leaf_of_tensor(torch, value)
    if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)):
        value = numpy.asarray(value)
        if value.dtype.hasobject:
            raise gbrun.Error("an array of objects: expected one of numbers")
        leaf = _strided("numpy", value.dtype, value.shape, value.strides, value.itemsize)
        return leaf, value.__array_interface__["data"][0] - leaf.offset, value
    if cupy is not None and isinstance(value, cupy.ndarray):
        leaf = _strided("cupy", value.dtype, value.shape, value.strides, value.itemsize, True)
        return leaf, value.data.ptr - leaf.offset, value
    if isinstance(value, (array.array, bytearray, memoryview)):
        view = memoryview(value)
        return _leaf_of_bytes("buffer", view.format, view.shape, view.itemsize, view.tobytes())
    if type(value) is list and value and (code := _number_code(value)):
        return _leaf_of_bytes("list", code, (len(value),), struct_size(code), array.array(_held(code), value).tobytes())
    if code := _number_code([value]):
        return _leaf_of_bytes("number", code, (), struct_size(code), array.array(_held(code), [value]).tobytes())
    return None


def _held(code):
    return "B" if code == "?" else code


def struct_size(code):
    return 1 if code == "?" else 8


def _leaf_of_tensor(torch, value):
    if value.layout is not torch.strided:
        raise gbrun.Error(f"a tensor of layout {value.layout}: expected torch.strided")
    value = value.detach().resolve_conj().resolve_neg()
    item = value.element_size()
    strides = tuple(item * stride for stride in value.stride())
    name = str(value.dtype).rpartition(".")[2]
    if value.device.type not in ("cpu", "cuda"):
        raise gbrun.Error(f"a tensor on {value.device}: expected the CPU or a GPU")
    return _strided("torch", name, tuple(value.shape), strides, item, value.device.type == "cuda"), value.data_ptr(), value


def _leaf_of_bytes(kind, code, shape, item, data):
    block = bytearray(data or b"\0")
    keeper = (ctypes.c_ubyte * len(block)).from_buffer(block)
    return _packed(_Leaf(kind, code, tuple(shape), (), 0, 0, item, False)), ctypes.addressof(keeper), keeper


def _view(leaf, address):
    """An array of that kind at this address."""
    if leaf.kind == "torch":
        torch = sys.modules["torch"]
        dtype = getattr(torch, leaf.dtype)
        if leaf.extent == 0:
            return torch.empty(leaf.shape, dtype=dtype, device="cuda" if leaf.on_device else "cpu")
        if leaf.on_device:
            flat = _device().flat(address, leaf.extent)
        else:
            flat = torch.frombuffer(_host.block(address, leaf.extent), dtype=torch.uint8)
        return flat.view(dtype).as_strided(leaf.shape, [stride // leaf.item for stride in leaf.strides])
    if leaf.kind == "cupy":
        cupy = sys.modules["cupy"]
        memory = cupy.cuda.UnownedMemory(address, max(leaf.extent, 1), None)
        return cupy.ndarray(leaf.shape, leaf.dtype, cupy.cuda.MemoryPointer(memory, leaf.offset), leaf.strides)
    if leaf.kind == "numpy":
        numpy = sys.modules["numpy"]
        if leaf.extent == 0:
            return numpy.empty(leaf.shape, leaf.dtype)
        return numpy.ndarray(leaf.shape, leaf.dtype, _host.block(address, leaf.extent), leaf.offset, leaf.strides)
    if leaf.extent == 0:
        return memoryview(array.array(leaf.dtype))
    flat = _host.flat(address, leaf.extent)
    return flat.cast(leaf.dtype, leaf.shape) if len(leaf.shape) > 1 else flat.cast(leaf.dtype)


def _words(leaf):
    if leaf.kind == "number":
        return {"q": "an integer", "d": "a float", "?": "a bool"}[leaf.dtype]
    if leaf.kind == "list":
        return f"a list of {leaf.shape[0]} numbers"
    names = {"torch": "a torch.Tensor", "numpy": "a numpy.ndarray", "cupy": "a cupy.ndarray", "buffer": "an array"}
    where = (" on the GPU" if leaf.on_device else " on the CPU") if leaf.kind == "torch" else ""
    return f"{names[leaf.kind]} of {leaf.dtype}, shape {tuple(leaf.shape)}{where}"


# --- trees: tuples, lists and dicts of leaves and constants --------------------------------------------------------


class _Tree:
    """The structure of a value: node is (type, children by key), ("object", (class, node of its state)), ("leaf", i) or
    ("constant", value)."""

    def __init__(self, value, words):
        self.leaves, self.names, self.addresses, self.keepers = [], [], [], []
        self.node = self.read(value, words)

    def read(self, value, words):
        try:
            found = _leaf_of(value)
        except gbrun.Error as error:
            raise gbrun.Error(f"{words} is {error}") from None
        if found is not None:
            for into, part in zip((self.leaves, self.addresses, self.keepers), found):
                into.append(part)
            self.names.append(words)
            return "leaf", len(self.leaves) - 1
        state = _state_of(value)
        if state is not None:
            return "object", (type(value), self.read(state, words))
        if isinstance(value, dict):
            return "dict", {key: self.read(item, f"{words}[{key!r}]") for key, item in value.items()}
        if isinstance(value, (tuple, list)):
            kind = "tuple" if isinstance(value, tuple) else "list"
            return kind, [self.read(item, f"{words}[{i}]") for i, item in enumerate(value)]
        if value is None or isinstance(value, (int, float, complex, str, bytes, set)) or _is_named(value):
            return "constant", value
        raise gbrun.Error(f"{words} is {type(value).__name__}: expected tensors, arrays, numbers, texts, and tuples, lists,"
                          " dicts, dataclasses or modules of them")  # fmt: skip


def _state_of(value):
    """What an object is made of, which is one of a class that the other process can import; None: it is no such object."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return tuple(value)
    torch = sys.modules.get("torch")
    is_module = torch is not None and isinstance(value, torch.nn.Module)
    is_object = is_module or dataclasses.is_dataclass(value) or isinstance(value, types.SimpleNamespace)
    return vars(value) if is_object and hasattr(value, "__dict__") and not isinstance(value, type) else None


def _object_of(kind, state):
    if isinstance(state, tuple):
        return kind._make(state)
    made = kind.__new__(kind)
    vars(made).update(state)
    return made


def _is_named(value):
    """Of torch: a dtype, a device."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, (torch.dtype, torch.device))


def _maker(node, leaves, views):
    """A function that builds the value anew, of these arrays: one call of it is in the time."""
    constants = []

    def constant(value):
        constants.append(value)
        return f"K[{len(constants) - 1}]"

    def code(node):
        kind, value = node
        if kind == "leaf":
            ends = {"list": ".tolist()", "number": "[0]"}
            return f"L[{value}]" + ends.get(leaves[value].kind, "")
        if kind == "constant":
            return constant(value)
        if kind == "object":
            return f"N({constant(value[0])}, {code(value[1])})"
        if kind == "dict":
            return "{" + ", ".join(f"{constant(key)}: {code(item)}" for key, item in value.items()) + "}"
        parts = "".join(code(item) + ", " for item in value)
        return f"({parts})" if kind == "tuple" else f"[{parts}]"

    return eval(f"lambda: {code(node)}", {"L": views, "K": constants, "N": _object_of})


def _storer(node, stores, words="output"):
    """A function that checks a value and copies its arrays to where they belong."""
    kind, inner = node
    if kind == "leaf":
        return stores[inner]
    if kind == "constant":

        def store_constant(value):
            if inner is not None and (type(value) is not type(inner) or value != inner):
                raise gbrun.Error(f"{words} is {value!r}: expected {inner!r}, as the reference returns")

        return store_constant
    if kind == "object":
        part = _storer(inner[1], stores, words)
        return part if inner[1][0] == "tuple" else lambda value: part(_state_of(value))
    keys = list(inner) if kind == "dict" else range(len(inner))
    parts = [(key, _storer(inner[key], stores, f"{words}[{key!r}]")) for key in keys]
    kinds = dict if kind == "dict" else (tuple, list)

    def store(value):
        if not isinstance(value, kinds) or len(value) != len(parts) or (kind == "dict" and value.keys() != inner.keys()):
            raise gbrun.Error(f"{words} is {_said(value)}: expected a {kind} of {len(parts)}, as the reference returns")
        for key, part in parts:
            part(value[key])

    return store


def _said(value):
    size = f" of {len(value)}" if isinstance(value, (tuple, list, dict)) else ""
    return (f"{type(value).__name__}{size}" + (f" of {value.dtype}" if hasattr(value, "dtype") else "")
            + (f", shape {tuple(value.shape)}" if hasattr(value, "shape") else "")
            + ("" if isinstance(getattr(value, "device", ""), str) else f" on {value.device}"))  # fmt: skip


def _store(leaf, view, name, also):
    """Of one array: refuses what is none of exactly this kind, and copies it to the view unless it is there already. also:
    other types of numbers that are taken."""

    def refuse(value):
        raise gbrun.Error(f"{name} is {_said(value)}: expected {_words(leaf)}, as the reference returns")

    if leaf.kind == "torch":
        torch = sys.modules["torch"]
        plain, shape, device, place = (torch.Tensor, torch.nn.Parameter), view.shape, view.device, view.data_ptr()
        strides, dtypes = view.stride(), [view.dtype, *(getattr(torch, name) for name in also)]

        def store(value):
            if type(value) not in plain or value.layout is not torch.strided or value.dtype not in dtypes or \
                    value.shape != shape or value.device != device:  # fmt: skip
                refuse(value)
            if value.data_ptr() != place or value.stride() != strides or value.dtype != dtypes[0]:
                view.copy_(value.detach() if value.requires_grad else value)
    elif leaf.kind in ("numpy", "cupy"):
        package = sys.modules[leaf.kind]
        plain = (numpy_kinds(package) if leaf.kind == "numpy" else ()) + (package.ndarray,)

        def store(value):
            if type(value) not in plain or value.dtype not in [view.dtype, *also] or value.shape != view.shape:
                refuse(value)
            if value is not view:
                view[...] = value
    elif leaf.kind == "number":
        kinds = {"q": int, "d": (float, int), "?": bool}[leaf.dtype]

        def store(value):
            if not isinstance(value, kinds):
                refuse(value)
            view[0] = value
    else:
        kinds = (list, tuple) if leaf.kind == "list" else (array.array, memoryview, bytearray)

        def store(value):
            if type(value) not in kinds or len(value) != leaf.shape[0]:
                refuse(value)
            found = memoryview(array.array(_held(leaf.dtype), value)).cast("B") if kinds[0] is list else memoryview(value)
            if kinds[0] is not list and (found.format, found.shape) != (view.format, view.shape):
                refuse(value)
            if len(value) > 0:
                view.cast("B")[:] = found.cast("B")

    return store


def numpy_kinds(numpy):
    """Of numbers that stand alone."""
    return tuple({numpy.dtype(code).type for code in numpy.typecodes["AllInteger"] + numpy.typecodes["AllFloat"] + "?"})


# --- files -----------------------------------------------------------------------------------------------------------


class _Files:
    """Files that are loaded, with what is beside them, until they are closed."""

    def __init__(self, folders):
        self.path, self.modules = list(sys.path), set(sys.modules)
        self.folders = [*folders, os.path.dirname(folders[-1])]  # the last one: of files that several tasks share
        for folder in reversed(folders):
            sys.path.insert(0, folder)
        sys.path.append(self.folders[-1])

    def loaded(self):
        """The files of these folders, by the names of their modules."""
        files = ((name, getattr(sys.modules[name], "__file__", None)) for name in set(sys.modules) - self.modules)
        return {file: name for name, file in files
                if file is not None and os.path.dirname(os.path.abspath(file)) in self.folders}  # fmt: skip

    def close(self):
        """Other files may have the same names."""
        sys.path[:] = self.path
        for name in self.loaded().values():
            del sys.modules[name]


def _switches():
    """What a file may set for all of PyTorch, as it is now, with how it is got and put back: other files come after it."""
    torch = sys.modules.get("torch")
    if torch is None:
        return []
    result = []
    for name in ("default_dtype", "default_device", "grad_enabled", "num_threads", "float32_matmul_precision",
                 "deterministic_algorithms_enabled"):  # fmt: skip
        get = next((getattr(torch, way + name) for way in ("get_", "is_", "are_") if hasattr(torch, way + name)), None)
        put = getattr(torch, "set_" + name, torch.use_deterministic_algorithms)
        if get is not None:
            result.append((get, put, get()))
    for place, names in ((torch.backends.cuda.matmul, ("allow_tf32", "allow_fp16_reduced_precision_reduction")),
                         (torch.backends.cudnn, ("allow_tf32", "benchmark", "deterministic", "enabled"))):  # fmt: skip
        for name in names:
            with contextlib.suppress(Exception):
                get, put = (functools.partial(call, place, name) for call in (getattr, setattr))
                result.append((get, put, get()))
    return result


def _named(module, path, name, why):
    try:
        return functools.reduce(getattr, name.split("."), module)
    except AttributeError:
        found = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise gbrun.Error(f"{path} has no '{name}': expected it, {why}; it has {', '.join(found) or 'nothing'}") from None


class _Layout(collections.namedtuple("_Layout", "name words needs submission reference")):
    """What files of a kind have: the reference's names, the submission's, the one that is measured of the reference."""


_LAYOUTS = [
    _Layout("gpumode", "GPU MODE's layout", ("generate_input", "ref_kernel"), "custom_kernel", "ref_kernel"),
    _Layout("kernelbench", "KernelBench's layout", ("Model", "get_inputs"), "ModelNew", "Model"),
]


def _layout_of(module, path, wanted):
    for layout in _LAYOUTS:
        missing = [name for name in layout.needs if not hasattr(module, name)]
        if not missing and wanted in ("auto", layout.name):
            return layout
        if wanted == layout.name:
            _named(module, path, missing[0], f"as {layout.words} has it")
    needs = ", or ".join(f"{' and '.join(layout.needs)} ({layout.words})" for layout in _LAYOUTS)
    raise gbrun.Error(f"{path} is of no known layout: expected {needs}")


def _seed_all(seed):
    random.seed(seed)
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if numpy is not None:
        numpy.random.seed(seed)
    if torch is None:
        return
    if torch.backends.cuda.is_built() and not torch.cuda.is_initialized():
        torch.manual_seed(seed)
        return
    # All that it does here, but that it formats the stack for each kind of device that is not in use.
    for generator in (torch.default_generator, *torch.cuda.default_generators):
        generator.manual_seed(seed)


def _on_device(case, value):
    torch = sys.modules.get("torch")
    return value.to(f"cuda:{case.gpu}") if case.gpu >= 0 and torch is not None and hasattr(value, "to") else value


def _made_on_device(case):
    """Where a file does not say where its tensors are: large ones take long on the CPU."""
    torch = sys.modules.get("torch")
    known = case.gpu >= 0 and hasattr(torch, "set_default_device")
    return torch.device("cuda", case.gpu) if known else contextlib.nullcontext()


def _model(case, made, init, seed):
    """A function of inputs of KernelBench's layout."""
    if isinstance(made, type):
        _seed_all(seed)
        made = _on_device(case, made(*init))

    def call(data):
        return made(*data)

    call.model = made
    return call


def _use_device(case):
    torch = sys.modules.get("torch")
    if case.gpu >= 0 and torch is not None and torch.cuda.is_available():
        torch.cuda.set_device(case.gpu)
        torch.cuda.init()


def _secret():
    return random.SystemRandom().getrandbits(31)


# --- the judge's process ---------------------------------------------------------------------------------------------

# What the judge says of its inputs and outputs. constants: which inputs are the same for all seeds, and are there once.
# places: of each output the input that is its memory, or None; also: types of numbers that are taken besides that of this
# memory. is_random: generators are seeded before each call. The rest is of KernelBench's layout.
_Plan = collections.namedtuple(
    "_Plan", "layout inputs leaves constants outputs output_leaves places also is_random init seed")  # fmt: skip
_CONSTANT_LEAST = 64  # bytes: smaller ones may be the same by chance


class _Pickler(pickle.Pickler):
    def persistent_id(self, value):
        """Of a class of a file that was loaded by its path: another one of that name may be found first."""
        path = getattr(sys.modules.get(value.__module__), "_gbrun_path", None) if isinstance(value, type) else None
        return path and (path, value.__qualname__)


class _Unpickler(pickle.Unpickler):
    def persistent_load(self, found):
        return functools.reduce(getattr, found[1].split("."), gbrun._imported(found[0]))


def _said_of(plan):
    said = io.BytesIO()
    _Pickler(said).dump(tuple(plan))
    return said.getvalue()


def _plan_of(said):
    return _Plan(*_Unpickler(io.BytesIO(said)).load())


class _Reference:
    """The reference's file: inputs, results, comparisons. One for all objects of the judge."""

    def __init__(self, case):
        self.case, self.path = case, case.reference.decode()
        gbrun._warm(self.path)
        self.files = _Files([os.path.dirname(os.path.abspath(self.path))])
        self.uniform, self.drawn, self.switches = {}, None, _switches()
        try:
            module = gbrun._imported(self.path)
            _use_device(case)
            self.layout = _layout_of(module, self.path, case.layout.decode())
            self.init, self.seed = [], _secret()
            (self.read_gpumode if self.layout.name == "gpumode" else self.read_kernelbench)(module)
            self.describe()
            self.written = [(file, os.stat(file).st_mtime_ns) for file in [self.path, *self.files.loaded()]]
            gbrun._release_memory()
        except BaseException:
            self.close()
            raise

    def begin(self, case):
        """A visit begins, with objects of its own."""
        self.case, self.constants, self.is_said = case, {}, False

    def end(self):
        if self.n_bytes > _KEPT_MOST:
            _forget()

    @property
    def n_bytes(self):
        return sum(leaf.extent for leaf in self.plan.leaves + self.plan.output_leaves)

    def has_changed(self):
        try:
            return any(os.stat(file).st_mtime_ns != was for file, was in self.written)
        except OSError:
            return True

    def close(self):
        self.files.close()
        for get, put, before in self.switches:
            with contextlib.suppress(Exception):
                if get() != before:
                    put(before)
        gbrun._release_memory()

    def generator(self, function, name):
        """A function of a seed."""
        words = types.SimpleNamespace(words=f"{name} of {os.path.basename(self.path)}")
        case = self.case
        given = {case.keys[i].decode(): case.values[i].decode() for i in range(case.n_arguments)}
        takes_seed = "seed" in inspect.signature(function).parameters
        given.pop("seed", None)
        arguments = gbrun._Function.arguments(words, function, {**given, **({"seed": "0"} if takes_seed else {})})

        def generate(seed):
            _seed_all(seed)
            return function(**{**arguments, **({"seed": seed} if takes_seed else {})})

        return generate

    def read_gpumode(self, module):
        self.generate = self.generator(module.generate_input, "generate_input")
        self.call, self.check = module.ref_kernel, getattr(module, "check_implementation", None)

    def read_kernelbench(self, module):
        generate = self.generator(module.get_inputs, "get_inputs")

        def generate_there(seed):
            with _made_on_device(self.case):
                return [_on_device(self.case, value) for value in generate(seed)]

        self.generate = generate_there
        self.init = list(module.get_init_inputs()) if hasattr(module, "get_init_inputs") else []
        model, torch = _model(self.case, module.Model, self.init, self.seed), sys.modules["torch"]
        self.call, self.check = torch.no_grad()(model), None

    def inputs_of(self, seed):
        """As the first ones were, but for their values."""
        tree = _Tree(self.generate(seed), "input")
        if self.plan is not None and (tree.leaves, tree.node) != (self.plan.leaves, self.plan.inputs):
            raise gbrun.Error(f"{os.path.basename(self.path)}: the inputs of two seeds differ in more than the values of"
                              " arrays and numbers: expected the same structure, shapes, types and constants")  # fmt: skip
        return tree

    def describe(self):
        """Two sets of inputs are made, and the reference is called with each."""
        self.plan = None
        trees, self.pools, changed, node, packed = [], [], set(), None, None
        seeds = [_secret(), _secret()]
        for seed in seeds:
            tree = self.inputs_of(seed)
            kept = [_copied(leaf, address) for leaf, address in zip(tree.leaves, tree.addresses)]
            if not trees:
                self.scratch = [_space(leaf).new(leaf.extent) for leaf in tree.leaves]
                self.views = [_view(leaf, address) for leaf, (_, address) in zip(tree.leaves, self.scratch)]
                self.make = _maker(tree.node, tree.leaves, self.views)
                self.plan = _Plan(self.layout.name, tree.node, tree.leaves, (), None, None, None, None, False, self.init,
                                  self.seed)
                self.drawn = self.seed
            trees.append(kept)
            output = _Tree(self.expected([address for _, address in kept]), "output")
            changed |= {i for i, leaf in enumerate(tree.leaves)
                        if not _space(leaf).equal(self.scratch[i][1], kept[i][1], leaf.extent)}  # fmt: skip
            if self.pools and (output.node, [_packed(leaf) for leaf in output.leaves]) != (node, packed):
                raise gbrun.Error(f"{os.path.basename(self.path)}: the results of two seeds differ in type or shape")
            node, packed = output.node, [_packed(leaf) for leaf in output.leaves]
            self.pools.append(_packed_copies(output))
        self.changed, self.output_names, self.returned = changed, output.names, packed
        is_random = self.is_random([address for _, address in trees[1]])
        self.drawn = self.seed if is_random else None
        places = [self.place_of(leaf, address) for leaf, address in zip(output.leaves, output.addresses)]
        self.unread = {i for i in range(len(tree.leaves)) if i not in changed and self.is_unread(i, trees[1])}
        for i, place in enumerate(places):
            free = [j for j in sorted(self.unread - set(places))
                    if _is_room(tree.leaves[j], packed[i]) and tree.leaves[j].shape == packed[i].shape]  # fmt: skip
            exact = [j for j in free if tree.leaves[j] == packed[i]]
            places[i] = next(iter(exact + free * (self.check is not None)), None) if place is None else place
        packed = [leaf if place is None else tree.leaves[place] for leaf, place in zip(packed, places)]
        also = [self.also_taken(leaf, other) for leaf, other in zip(packed, self.returned)]
        constants = [i not in changed | self.unread and leaf.extent >= _CONSTANT_LEAST and
                     _space(leaf).equal(trees[0][i][1], trees[1][i][1], leaf.extent)
                     for i, leaf in enumerate(tree.leaves)]  # fmt: skip
        self.names, self.kept_constants = tree.names, {i: trees[1][i] for i, is_so in enumerate(constants) if is_so}
        self.plan = self.plan._replace(constants=constants, outputs=node, output_leaves=packed, places=places, also=also,
                                       is_random=is_random)
        self.copies = [_space(leaf).new(leaf.extent) for leaf in packed]
        self.outputs = [_view(leaf, address) for leaf, (_, address) in zip(packed, self.copies)]
        self.make_output = _maker(node, packed, self.outputs)
        self.tolerances = {} if self.check is not None else self.derive([address for _, address in trees[1]])
        self.try_check([address for _, address in trees[1]])

    def also_taken(self, leaf, returned):
        """The reference's type; where a check of its own says what is right, those of floating-point inputs, too."""
        inputs = self.plan.leaves if self.check is not None and _is_floating(returned) else []
        others = [each.dtype for each in inputs if each.kind == leaf.kind and _is_floating(each)]
        return [dtype for dtype in dict.fromkeys([returned.dtype, *others]) if dtype != leaf.dtype]

    def is_unread(self, i, kept):
        """Is this input memory for a result that the reference puts elsewhere? It does not depend on what is there."""
        leaf, inputs = self.plan.leaves[i], [address for _, address in kept]
        if not any(_is_room(leaf, other) for other in self.returned):
            return False
        if leaf in self.returned:
            inputs[i] = self.pools[0][self.returned.index(leaf)][1]
        else:
            keeper, inputs[i] = _space(leaf).new(leaf.extent)
            _space(leaf).scatter(inputs[i], leaf.extent)
        return self.is_again(inputs)

    def is_again(self, inputs):
        """Is the result that of the second set?"""
        again = _packed_copies(_Tree(self.expected(inputs), "output"))
        return all(_space(leaf).equal(a[1], b[1], leaf.extent) for leaf, a, b in zip(self.returned, again, self.pools[1]))

    def is_random(self, inputs):
        """Does it draw numbers, as dropout does? With another seed it is another result, with this one the same."""
        self.drawn = self.seed + 1
        is_same = self.is_again(inputs)
        self.drawn = self.seed
        return not is_same and self.is_again(inputs)

    def derive(self, inputs):
        """What comparisons allow where no one has said it, by output."""
        key = self.path, os.stat(self.path).st_mtime_ns, *(self.case.keys[i] + b"=" + self.case.values[i] for i in range(self.case.n_arguments))
        places = [i for i, view in enumerate(self.outputs) if gbrun_tolerance.is_floating(view)]
        if key not in _derived:
            _derived[key] = gbrun_tolerance.derived_tolerance(
                self.call, (self.load(inputs),), lambda: _seed_all(self.seed))  # fmt: skip
        return dict(zip(places, _derived[key])) if len(places) == len(_derived[key]) else {}

    def place_of(self, leaf, address):
        """The changed input that a result of the reference is."""
        for i in self.changed:
            if address == self.scratch[i][1] and leaf == self.plan.leaves[i] and leaf.extent > 0:
                return i
        return None

    def try_check(self, inputs):
        """Says what a comparison cannot find."""
        same = all(_space(leaf).equal(a[1], b[1], leaf.extent) for leaf, a, b in zip(self.returned, *self.pools))
        why = "the reference returns the same for two sets of inputs: what keeps its first result is right" if same else None
        if why is None and self.check is not None and self.pools[0]:
            for i, leaf in enumerate(self.plan.output_leaves):
                self.fill(i, self.copies[i][1], self.pools[0][i][1])
            if not self.complaint(inputs):
                why = "check_implementation takes the result of other inputs for right"
        if why is not None:
            self.case.log(self.case.host, _WARNING, f"{os.path.basename(self.path)}: {why}".encode())

    def is_always_the_same(self, i, leaf):
        """Has this result one value only, for two sets of inputs?"""
        if i not in self.uniform:
            space, pools, n = _space(leaf), [pool[i][1] for pool in self.pools], leaf.extent
            self.uniform[i] = space.equal(*pools, n) and space.equal(pools[0], pools[0] + leaf.item, n - leaf.item)
        return self.uniform[i]

    def fill(self, i, address, packed):
        """An output from its packed copy."""
        leaf, returned = self.plan.output_leaves[i], self.returned[i]
        if leaf == returned:
            _space(leaf).copy(address, packed, leaf.extent)
        else:
            _view(leaf, address)[...] = _view(returned, packed)

    def load(self, inputs):
        for leaf, (_, to), address in zip(self.plan.leaves, self.scratch, inputs):
            _space(leaf).copy(to, address, leaf.extent)
        if self.drawn is not None:
            _seed_all(self.drawn)
        return self.make()

    def expected(self, inputs):
        """What the reference makes of a copy of these."""
        return self.call(self.load(inputs))

    def complaint(self, inputs):
        """What check_implementation says of the copied outputs; "": they are right."""
        found = self.check(self.load(inputs), self.make_output())
        if isinstance(found, tuple) and found and isinstance(found[0], bool):
            return "" if found[0] else " ".join(map(str, found[1:])) or "not right"
        if found is None or isinstance(found, (str, list, tuple)):
            return found if isinstance(found, str) else " ".join(map(str, found or ()))
        return "" if found else "not right"


def _is_room(leaf, other):
    """Can an input be memory for what the reference returns? With as many numbers, of that type or floating-point ones."""
    is_array = leaf.kind not in ("list", "number") and leaf.extent > 0
    is_like = (leaf.kind, math.prod(leaf.shape), leaf.on_device) == (other.kind, math.prod(other.shape), other.on_device)
    return is_array and is_like and (leaf == other or (_is_floating(leaf) and _is_floating(other)))


def _is_floating(leaf):
    return "float" in str(leaf.dtype)


def _copied(leaf, address):
    space = _space(leaf)
    keeper, to = space.new(leaf.extent)
    space.copy(to, address, leaf.extent)
    return keeper, to


def _packed_copies(tree):
    """Of the arrays of a tree, each with what keeps it."""
    result = []
    for leaf, address in zip(tree.leaves, tree.addresses):
        packed = _packed(leaf)
        keeper, to = _space(leaf).new(packed.extent)
        if packed == leaf:
            _space(leaf).copy(to, address, leaf.extent)
        else:
            _view(packed, to)[...] = _view(leaf, address)
        result.append((keeper, to))
    return result


def _take(case, leaf):
    """Memory that both processes have."""
    found = _address()
    if leaf.on_device:
        status = case.allocate(case.host, leaf.extent, 0, ctypes.byref(found))
    else:
        found.value = case.share(case.host, leaf.extent)
        status = gbrun._OK if found.value else gbrun._FAILED
    if status != gbrun._OK:
        raise gbrun.Error("verify = judge: too little memory for inputs and outputs")
    return found.value


def _places(case, plan, constants):
    """Addresses of inputs and outputs of an object, in both processes alike; constants: of those that are there."""
    inputs = []
    for i, leaf in enumerate(plan.leaves):
        if plan.constants[i] and i not in constants:
            constants[i] = _take(case, leaf)
        inputs.append(constants[i] if plan.constants[i] else _take(case, leaf))
    outputs = [_take(case, leaf) if place is None else inputs[place]
               for leaf, place in zip(plan.output_leaves, plan.places)]  # fmt: skip
    return inputs, outputs


def _drawn(case, plan):
    """The seed of an object's next call, in both processes."""
    return _u64.from_address(case.share(case.host, 8)) if plan.is_random else _u64()


class _Judge:
    """An object of the judge's process."""

    def __init__(self, case, task):
        self.case, self.task, self.plan = case, task, task.plan
        if not task.is_said:
            said = _said_of(self.plan)
            header, room = case.share(case.host, 8), case.share(case.host, len(said))
            if not header or not room:
                raise gbrun.Error("verify = judge: too little memory for what describes inputs and outputs")
            _u64.from_address(header).value = len(said)
            ctypes.memmove(room, said, len(said))
            task.is_said = True
        known = set(task.constants)
        self.inputs, self.outputs = _places(case, self.plan, task.constants)
        self.drawn = _drawn(case, self.plan)
        self.kept = [task.kept_constants[i] if is_constant else _space(leaf).new(leaf.extent)
                     for i, (leaf, is_constant) in enumerate(zip(self.plan.leaves, self.plan.constants))]  # fmt: skip
        for i in set(task.constants) - known:
            leaf = self.plan.leaves[i]
            _space(leaf).copy(self.inputs[i], self.kept[i][1], leaf.extent)
        self.calls = gbrun._Calls(lambda error: gbrun._plugin_fail(case, error), lambda: None)
        self.calls.verify_by(self, functools.partial(case.check, case.host), functools.partial(case.checked, case.host))

    # What gbrun._Calls.verify_by takes; the calls of `run` and `reset` are not the judge's.
    reset_once = None

    def run(self, stream, iterations):
        pass

    def reset(self, stream, iterations):
        pass

    def refresh(self, stream, seed):
        self.drawn.value = _secret()
        tree = self.task.inputs_of(seed & 0x7FFFFFFF)
        for i, (leaf, address) in enumerate(zip(tree.leaves, tree.addresses)):
            space = _space(leaf)
            if not self.plan.constants[i]:
                space.copy(self.kept[i][1], address, leaf.extent)
                space.copy(self.inputs[i], address, leaf.extent)
            elif not space.equal(self.kept[i][1], address, leaf.extent):
                raise gbrun.Error(f"{tree.names[i]} was the same for two seeds, and is not for another")
        for i, (leaf, place) in enumerate(zip(self.plan.output_leaves, self.plan.places)):
            is_free = place is None or (place in self.task.unread and leaf == self.task.returned[i])
            if is_free and leaf.extent > 0:
                self.poison(i, leaf)
        if self.case.gpu < 0:  # else the judge waits for all that it has renewed
            gbrun._wait_for_devices()

    def poison(self, i, leaf):
        """The reference's result for other inputs, which stand elsewhere; any bytes where that is always the same."""
        space, n = _space(leaf), leaf.extent
        if self.task.is_always_the_same(i, leaf):
            return space.scatter(self.outputs[i], n)
        source = self.task.pools[random.SystemRandom().randrange(2)][i][1]
        space.rotate(self.outputs[i], source, n, leaf.item * random.SystemRandom().randrange(n // leaf.item))

    def verify(self, stream):
        """Pairs of a name and what went wrong, or what is to be compared: as of gbrun._checks."""
        task, inputs = self.task, [address for _, address in self.kept]
        task.drawn = self.drawn.value if self.plan.is_random else None
        for i, leaf in enumerate(self.plan.leaves):
            if i not in task.changed | task.unread and not _space(leaf).equal(self.inputs[i], inputs[i], leaf.extent):
                yield task.names[i], "was written to: the reference does not do that"
        for leaf, (_, to), address in zip(self.plan.output_leaves, task.copies, self.outputs):
            _space(leaf).copy(to, address, leaf.extent)
        if task.check is not None:
            why = task.complaint(inputs)
            if why:
                yield "check_implementation", why
            else:
                self.case.checked(self.case.host, b"check_implementation", 1, b"passed")
            return
        expected = _Tree(task.expected(inputs), "output")
        if (expected.node, [_packed(leaf) for leaf in expected.leaves]) != (
                self.plan.outputs, task.returned):  # fmt: skip
            raise gbrun.Error("the reference returns another type or shape than for the first inputs")
        for i, (name, leaf, address) in enumerate(zip(task.output_names, expected.leaves, expected.addresses)):
            tolerance = task.tolerances.get(i, {"scale": 0})
            allowed = f"{name} (tolerance: {tolerance['text']})" if tolerance["scale"] > 0 else name
            found = _compared(allowed, leaf, task.outputs[i], _view(leaf, address))
            if tolerance["scale"] > 0 and isinstance(found, gbrun._Check):
                found.default_metric, found.default_tolerance = b"rms", tolerance["rms"] / tolerance["scale"]
            yield name, found
        for i in task.changed - set(self.plan.places):
            leaf = self.plan.leaves[i]
            yield task.names[i], _compared(task.names[i], leaf, _view(leaf, self.inputs[i]), task.views[i])


_PART = 1 << 18  # elements: of tensors that have more as many are compared


def _compared(name, leaf, output, expected):
    output, expected = (_real(leaf, value) for value in (output, expected))
    if leaf.kind == "torch" and output.numel() > _PART:
        output, expected = _part(output, expected)
    return gbrun._check_of(name, gbrun._copied(output, name), expected)


def _part(output, expected):
    """Elements that are drawn by no generator that a submission knows, and the one that is most off."""
    torch = sys.modules["torch"]
    output, expected = output.reshape(-1), expected.reshape(-1)
    drawn = torch.randint(output.numel(), (_PART,), generator=_generator(output.device), device=output.device)
    drawn[0] = (output.double() - expected.double()).abs().argmax()
    return output[drawn], expected[drawn]


@functools.cache
def _generator(device):
    generator = sys.modules["torch"].Generator(device=device)
    generator.manual_seed(_secret())
    return generator


def _real(leaf, value):
    """As gbrun._copied takes it."""
    if leaf.kind in ("list", "number"):
        return value.tolist() if leaf.kind == "list" else value[0]
    if leaf.kind == "torch" and value.dtype.is_complex:
        return sys.modules["torch"].view_as_real(value)
    if leaf.kind == "numpy" and value.dtype.kind == "c":
        return value.reshape(-1).view(value.real.dtype)
    if leaf.kind == "numpy" and value.dtype.kind == "b":
        return value.view("u1")
    return value


# --- the process that runs the submission --------------------------------------------------------------------------

_SUBMITTED, _COMPILED = 0, 2  # what is measured, as of `subject`


def _compiled(path, function):
    compiler = getattr(sys.modules.get("torch"), "compile", None)
    if compiler is None:
        raise gbrun.Error(f"subject = compiled: {path} imports no PyTorch that has torch.compile")
    return compiler(function, dynamic=False)


class _Submission:
    """The submission's file. One for all objects of the process."""

    def __init__(self, case):
        self.constants = {}
        header = case.share(case.host, 8)
        n = _u64.from_address(header).value
        beside = os.path.dirname(os.path.abspath(case.reference.decode()))
        is_reference = case.subject_of != _SUBMITTED
        path = (case.reference if is_reference else case.path).decode()
        self.files = _Files([os.path.dirname(os.path.abspath(path)), beside])
        self.plan = _plan_of(ctypes.string_at(case.share(case.host, n), n))
        layout = next(layout for layout in _LAYOUTS if layout.name == self.plan.layout)
        name = layout.reference if is_reference else case.function.decode() or layout.submission
        function = _named(gbrun._imported(path), path, name, f"as {layout.words} has it")
        for kind in {leaf.kind for leaf in self.plan.leaves + self.plan.output_leaves} & {"torch", "numpy", "cupy"}:
            __import__(kind)
        _use_device(case)
        if layout.name == "kernelbench":
            function = _model(case, function, self.plan.init, self.plan.seed)
            sys.modules["torch"].set_grad_enabled(False)
        self.function = _compiled(path, function) if case.subject_of == _COMPILED else function
        gc.collect()
        gc.disable()

    def end(self):
        self.files.close()


class _Judged:
    """An object of that process: what is timed is a call of `run`."""

    def __init__(self, case, task):
        plan = task.plan
        inputs, outputs = _places(case, plan, task.constants)
        views = [_view(leaf, address) for leaf, address in zip(plan.leaves, inputs)]
        names = ["output" if len(plan.output_leaves) == 1 else f"output {i}" for i in range(len(plan.output_leaves))]
        targets = [_view(leaf, address) if place is None else views[place]
                   for leaf, address, place in zip(plan.output_leaves, outputs, plan.places)]  # fmt: skip
        stores = [_store(*parts) for parts in zip(plan.output_leaves, targets, names, plan.also)]
        make, store, function = _maker(plan.inputs, plan.leaves, views), _storer(plan.outputs, stores), task.function
        drawn = _drawn(case, plan)

        def run():
            store(function(make()))

        def run_seeded():
            _seed_all(drawn.value)
            run()

        self.calls = gbrun._Calls(lambda error: gbrun._plugin_fail(case, error), run_seeded if plan.is_random else run)
