"""Functions of Python on a GPU, for python.sh. usage: python.py times N | others | odd; PYTHONPATH: where gbrun.py is.

times: in each of N processes, which have no more in common than imports, a line for each function, `NAME|cold us|warm
us|kernels|Triton's do_bench us|cold: certified (0, 1)|cold: lowest clock MHz|highest`. others: one for each, what other
tools say, `NAME|do_bench_cudagraph us|torch.utils.benchmark us|torch.profiler us`, - where one cannot. odd: lines
`pass|NAME|` and `fail|NAME|WHY`.
"""
import multiprocessing
import sys

import torch
import torch.nn.functional as functional
import triton
import triton.language as tl

import gbrun

try:
    import cupy
except ImportError:
    cupy = None

N = 1 << 20


@triton.jit
def add_kernel(x, y, to, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    mask = i < n
    tl.store(to + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


@triton.jit
def softmax_kernel(x, to, n, B: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, B)
    values = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(to + row * n + i, powers / tl.sum(powers, axis=0), mask=i < n)


@triton.jit
def matmul_kernel(a, b, to, n, T: tl.constexpr, K: tl.constexpr):
    rows = (tl.program_id(0) * T + tl.arange(0, T))[:, None]
    columns = (tl.program_id(1) * T + tl.arange(0, T))[None, :]
    k = tl.arange(0, K)
    total = tl.zeros((T, T), tl.float32)
    for begin in range(0, n, K):
        left = tl.load(a + rows * n + begin + k[None, :])
        total = tl.dot(left, tl.load(b + (begin + k)[:, None] * n + columns), total)
    tl.store(to + rows * n + columns, total.to(tl.float16))


def random(*shape, dtype=torch.float32):
    return torch.randn(*shape, device="cuda", dtype=dtype)


def make_inputs():
    global A, B, TO, BIG
    A, B, TO = random(N), random(N), random(N)
    BIG = random(4096, 4096)


def triton_add():
    add_kernel[(triton.cdiv(N, 1024),)](A, B, TO, N, B=1024)


def functions():
    half = random(1024, 1024, dtype=torch.float16)
    product, soft = torch.empty_like(half), torch.empty_like(BIG)
    linear = torch.nn.Linear(1024, 1024, device="cuda", dtype=torch.float16)
    q, k, v = (random(4, 16, 1024, 64, dtype=torch.float16) for _ in range(3))
    result = {
        "triton add": triton_add,
        "torch add out": lambda: torch.add(A, B, out=TO),
        "torch a + b": lambda: A + B,
        "matmul fp16": lambda: half @ half,
        "linear": lambda: linear(half),
        "layer norm": lambda: functional.layer_norm(BIG, (4096,)),
        "softmax": lambda: functional.softmax(BIG, -1),
        "attention": lambda: functional.scaled_dot_product_attention(q, k, v),
        "sum": lambda: BIG.sum(),
        "triton softmax": lambda: softmax_kernel[(4096,)](BIG, soft, 4096, B=4096, num_warps=8),
        "triton matmul": lambda: matmul_kernel[(8, 8)](half, half, product, 1024, T=128, K=64, num_warps=8),
    }
    if not cupy:
        return result
    x, y = (cupy.random.rand(N, dtype=cupy.float32) for _ in range(2))
    to = cupy.empty_like(x)
    raw = cupy.RawKernel(
        r"""extern "C" __global__ void add(const float *x, const float *y, float *to, int n)
        {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n)
                to[i] = x[i] + y[i];
        }""",
        "add",
    )
    element = cupy.ElementwiseKernel("float32 x, float32 y", "float32 to", "to = x + y", "add_elements")
    result["cupy raw"] = lambda: raw((N // 256,), (256,), (x, y, to, cupy.int32(N)))
    result["cupy elements"] = lambda: element(x, y, to)
    return result


def times():
    make_inputs()
    with torch.no_grad():
        for name, fn in functions().items():
            cold, warm = (
                gbrun.measure(fn, cache=cache, precision=0.005, max_time="3 s") for cache in ("cold", "warm")
            )
            theirs = 1e3 * triton.testing.do_bench(fn, return_mode="median")
            times = f"{cold.time * 1e6:.4f}|{warm.time * 1e6:.4f}|{len(cold.kernels)}|{theirs:.4f}"
            clocks = f"{cold.frequency.low / 1e6:.0f}|{cold.frequency.high / 1e6:.0f}"
            print(f"{name}|{times}|{int(cold.is_certified)}|{clocks}", flush=True)
            torch.cuda.empty_cache()  # so that outputs lie where they lie in every process


def in_processes(n, fn):
    """Forked: nothing may have started CUDA, as importing torch.profiler and torch.utils.benchmark does."""
    for _ in range(n):
        process = multiprocessing.get_context("fork").Process(target=fn)
        process.start()
        process.join()
        if process.exitcode != 0:
            sys.exit(f"a process ended with {process.exitcode}")


def profiled(fn):
    """Kernels' own time of a call, in us, as torch.profiler says it."""
    import torch.profiler

    fn()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(20):
            fn()
        torch.cuda.synchronize()
    return sum(event.self_device_time_total for event in profile.key_averages()) / 20


def others():
    import torch.utils.benchmark

    def asked(tool):
        try:
            return f"{tool():.4f}"
        except Exception:
            return "-"

    make_inputs()
    with torch.no_grad():
        for name, fn in functions().items():
            timer = torch.utils.benchmark.Timer("fn()", globals={"fn": fn})
            said = [
                asked(lambda: 1e3 * triton.testing.do_bench_cudagraph(fn, return_mode="median")),
                asked(lambda: 1e6 * timer.blocked_autorange(min_run_time=0.1).median),
                asked(lambda: profiled(fn)),
            ]
            print("|".join([name, *said]), flush=True)


def verdict(name, passed, why=""):
    print("|".join(("pass" if passed else "fail", name, "" if passed else " ".join(str(why).split())[:300])), flush=True)


def context_lives():
    torch.cuda.synchronize()
    return float((torch.ones(8, device="cuda") * 2).sum()) == 16


def ends(name, fn, error, words="", **settings):
    """Is this error raised, or is it measured where error is None; and can the process go on?"""
    try:
        found = gbrun.measure(fn, **settings)
        passed, said = error is None and found.time > 0, repr(found)
    except BaseException as caught:
        passed, said = error is not None and isinstance(caught, error) and words in str(caught), repr(caught)
    verdict(name, passed and context_lives(), said)


def on_another_stream(stream):
    with torch.cuda.stream(stream):
        return torch.add(A, B, out=TO)


def odd():
    make_inputs()
    pinned, target = torch.randn(N).pin_memory(), random(N)
    ends("an item waits", lambda: BIG.sum().item(), None, synchronizes=True)
    ends("a printed tensor waits", lambda: str(A[:3]), None, synchronizes=True)
    ends("what waits is found out", lambda: (triton_add(), torch.cuda.synchronize()), None)
    ends("a copy to the device", lambda: target.copy_(pinned, non_blocking=True), None)
    ends("allocations", lambda: torch.empty(1 << 24, device="cuda").fill_(1), None)
    ends("random numbers", lambda: torch.randn(1000, 1000, device="cuda"), None)
    ends("sort", lambda: torch.sort(A), None)
    ends("an argument stream", lambda stream: torch.add(A, B, out=TO), None)
    ways = [gbrun.measure(lambda: BIG.sum(), **settings).is_graph for settings in ({}, {"launch": "stream"})]
    verdict("a fill and a kernel are a graph, unless the stream is asked for", ways == [True, False], ways)
    ends("kernels of its own", lambda: BIG.sum(), None, breakdown=True, cache="cold")
    ends("on the CPU", lambda: sum(range(1000)), None, device="cpu")
    ends("work on another stream", lambda s=torch.cuda.Stream(): on_another_stream(s), gbrun.Error)
    ends("nothing to do", lambda: None, gbrun.Error)
    ends("an exception", lambda: 1 / 0, ZeroDivisionError)
    ends("no memory", lambda: torch.empty(1 << 42, device="cuda"), torch.cuda.OutOfMemoryError)
    ends("an exit", lambda: sys.exit(3), SystemExit)
    for i in range(100):
        try:
            gbrun.measure(lambda i=i: (torch.add(A, B, out=TO) if i % 2 else None, [][i]))
        except IndexError:
            continue
        verdict(f"failure {i}", False)
    verdict("a hundred failures", context_lives())

    def right():
        return A.double() + B.double()

    ends("a right sum", lambda: A + B, None, verify=right)
    ends("a wrong sum", lambda: A + B + 1e-3, gbrun.WrongResult, verify=right)
    ends("a sum of another shape", lambda: (A + B)[1:], gbrun.WrongResult, verify=right)
    ends("bf16", lambda: A.bfloat16(), None, verify=lambda: A.double())
    ends("fp32 of bf16", lambda: A.bfloat16().float(), gbrun.WrongResult, verify=lambda: A.double())
    ends("integers", lambda: torch.arange(1000, device="cuda"), None, verify=lambda: list(range(1000)))
    half = random(1024, 1024, dtype=torch.float16)
    x, y = half.double(), half.double().abs()
    ends("a product", lambda: half @ half, None, verify=lambda: gbrun.Expected(x @ x, y @ y, 1024))
    ends("a product of other numbers", lambda: half @ half.roll(1), gbrun.WrongResult,
         verify=lambda: gbrun.Expected(x @ x, y @ y, 1024))  # fmt: skip
    if cupy:
        c = cupy.arange(1000, dtype=cupy.float32)
        ends("of CuPy", lambda: cupy.sqrt(c), None, verify=lambda: [i**0.5 for i in range(1000)])
        ends("wrong, of CuPy", lambda: c + 0, gbrun.WrongResult, verify=lambda: [i**0.5 for i in range(1000)])

    x = torch.randn(1024, 1024, device="cuda", requires_grad=True)
    y = (x @ x).sum()
    values = gbrun.do_bench(lambda: y.backward(retain_graph=True), grad_to_none=[x], quantiles=(0.5, 0.2, 0.8))
    verdict("gradients", values[1] <= values[0] <= values[2] and context_lives(), values)

    triton.testing.do_bench = gbrun.do_bench
    tuned = triton.autotune(
        [triton.Config({"B": b}, num_warps=w) for b in (256, 1024, 4096) for w in (4, 8)], key=["n"],
        do_bench=gbrun.do_bench,
    )(add_kernel)  # fmt: skip
    tuned[lambda meta: (triton.cdiv(N, meta["B"]),)](A, B, TO, N)
    verdict("autotune", tuned.best_config is not None and torch.equal(TO, A + B), tuned.best_config)
    found = gbrun.compare(lambda: torch.add(A, B, out=TO), lambda: torch.add(BIG, BIG))
    verdict("compare", found.verdict == "slower", found)


if __name__ == "__main__":
    {"times": lambda: in_processes(int(sys.argv[2]), times), "others": others, "odd": odd}[sys.argv[1]]()
