"""Honest submissions with tensors: none of them is refused."""
import torch

kept = {}


def work(data):
    x, weights = data
    return x.abs().sqrt() * weights + x * x


def plain(data):
    return work(data)


def strided(data):
    out = torch.empty(data[0].numel(), 2, device=data[0].device)
    out[:, 0] = work(data)
    return out[:, 0]


def own_buffer(data):
    x, weights = data
    out = kept.setdefault(x.shape, torch.empty_like(x))
    torch.mul(x, x, out=out)
    return out.addcmul_(x.abs().sqrt_(), weights)


def negated_view(data):
    """A tensor whose sign is resolved when it is read."""
    return torch._neg_view(-work(data))


def with_gradients(data):
    return work([x.detach().requires_grad_() for x in data])


def parameter(data):
    return torch.nn.Parameter(work(data), requires_grad=False)


def module(data):
    if "module" not in kept:
        kept["module"] = torch.nn.Identity()
    return kept["module"](work(data))


def scripted(data):
    if "script" not in kept:
        kept["script"] = torch.jit.trace(lambda x, weights: x.abs().sqrt() * weights + x * x, data, check_trace=False)
    return kept["script"](*data)


def without_gradients(data):
    with torch.inference_mode():
        return work(data)


def not_deterministic(data):
    """The order of additions is another one in each call, on a GPU."""
    x, weights = data
    out = torch.zeros_like(x)
    index = torch.arange(x.numel(), device=x.device)
    out.index_add_(0, index, x * x)
    return out.index_add_(0, index, x.abs().sqrt() * weights)
