"""Honest submissions for a GPU, to torch_reference.py: none of them is refused."""
import torch

kept = {}


def work(data):
    x, weights = data
    return x.abs().sqrt() * weights + x * x


def plain(data):
    return work(data)


def joined_stream(data):
    """Work on a stream of its own, which waits for that of the caller and is waited for."""
    stream = kept.setdefault("stream", torch.cuda.Stream())
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        out = work(data)
    torch.cuda.current_stream().wait_stream(stream)
    out.record_stream(torch.cuda.current_stream())
    return out


def joined_streams(data):
    x, weights = data
    out = torch.empty_like(x)
    streams = kept.setdefault("streams", [torch.cuda.Stream() for _ in range(2)])
    for i, stream in enumerate(streams):
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            out[i::2] = work((x[i::2], weights[i::2]))
        torch.cuda.current_stream().wait_stream(stream)
    return out


def own_graph(data):
    """A graph that was captured in the first call; the inputs are copied to where it reads them."""
    if torch.cuda.is_current_stream_capturing():
        return work(data)
    if "graph" not in kept:
        kept["inputs"] = [x.clone() for x in data]
        work(kept["inputs"])
        torch.cuda.synchronize()
        kept["graph"] = torch.cuda.CUDAGraph()
        with torch.cuda.graph(kept["graph"]):
            kept["out"] = work(kept["inputs"])
    for to, x in zip(kept["inputs"], data):
        to.copy_(x)
    kept["graph"].replay()
    return kept["out"]


def waits(data):
    out = work(data)
    if not torch.cuda.is_current_stream_capturing():
        torch.cuda.synchronize()
    return out


def compiled(data):
    if "compiled" not in kept:
        kept["compiled"] = torch.compile(work)
    return kept["compiled"](data)


def by_triton(data):
    import triton
    if "kernel" not in kept:
        import cuda_triton
        kept["kernel"] = cuda_triton.kernel
    x, weights = data
    out = torch.empty_like(x)
    kept["kernel"][(triton.cdiv(x.numel(), 1024),)](x, weights, out, x.numel(), BLOCK=1024)
    return out
