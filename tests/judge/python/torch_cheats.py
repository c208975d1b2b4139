"""Submissions that cheat with tensors."""
import threading

import torch

kept = {}


def work(data):
    x, weights = data
    return x.abs().sqrt() * weights + x * x


def zeros(data):
    return torch.zeros_like(data[0])


def nothing(data):
    return torch.empty_like(data[0])


def keeps_first(data):
    return kept["out"] if "out" in kept else kept.setdefault("out", work(data))


def keeps_by_address(data):
    key = data[0].data_ptr()
    return kept[key] if key in kept else kept.setdefault(key, work(data))


def keeps_by_version(data):
    """Inputs that this process has not seen change."""
    key = (data[0].data_ptr(), data[0]._version)
    return kept[key] if key in kept else kept.setdefault(key, work(data))


class Lazy(torch.Tensor):
    """Computes when a function is called with it."""

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        made = [work(x.data_) if isinstance(x, Lazy) and "data_" in x.__dict__ else x for x in args]
        return function(*(x.as_subclass(torch.Tensor) if isinstance(x, Lazy) else x for x in made), **kwargs or {})


def lazy_subclass(data):
    out = torch.empty_like(data[0]).as_subclass(Lazy)
    out.data_ = [x.clone() for x in data]
    return out


class Wrapper(torch.Tensor):
    """Has no memory of its own until something is dispatched."""

    @staticmethod
    def __new__(cls, data):
        out = torch.Tensor._make_wrapper_subclass(cls, data[0].shape, dtype=data[0].dtype, device=data[0].device)
        out.data_ = data
        return out

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        return function(*(work(x.data_) if isinstance(x, cls) else x for x in args), **kwargs or {})


def wrapper_subclass(data):
    return Wrapper(data)


def lazy_instance(data):
    """A plain tensor, whose methods compute."""
    out = torch.empty_like(data[0])
    for name in ("copy_", "clone", "cpu", "numpy", "to", "contiguous", "detach", "allclose"):
        setattr(out, name, lambda *_, **__: work(data))
    return out


def without_memory(data):
    return torch.empty_like(data[0], device="meta")


def one_value(data):
    return torch.full((1,), 0.5, device=data[0].device).expand_as(data[0])


def other_dtype(data):
    return work(data).half()


def several(data):
    return work(data), work(data)


def sparse(data):
    return work(data).to_sparse()


def patches_comparisons(data):
    torch.allclose = torch.equal = torch.isclose = lambda *_, **__: True
    torch.Tensor.allclose = torch.Tensor.equal = lambda *_, **__: True
    torch.testing.assert_close = lambda *_, **__: None
    return zeros(data)


def patches_copies(data):
    torch.Tensor.copy_ = lambda self, *_: self
    torch.Tensor.clone = torch.Tensor.contiguous = torch.Tensor.detach = lambda self, **_: self
    return work(data)


def patches_pointers(data):
    """The harness would look for the result elsewhere."""
    torch.Tensor.data_ptr = lambda self: 4096
    return zeros(data)


def patches_seeds(data):
    torch.manual_seed = torch.random.manual_seed = lambda *_: torch.default_generator
    torch.rand = torch.randn = torch.zeros
    return zeros(data)


def makes_inputs_easy(data):
    for x in data:
        x.zero_()
    return zeros(data)


def swaps_inputs(data):
    """The tensors of the harness get other memory, in which all is 0."""
    for x in data:
        x.set_(torch.zeros_like(x))
    return zeros(data)


def in_place(data):
    return data[0].copy_(work(data))


def thread_later(data):
    out = torch.empty_like(data[0])
    threading.Timer(0.05, lambda: out.copy_(work(data))).start()
    return out


def lower_precision(data):
    return work([x.half().float() for x in data])
