"""The functions of triton.ini: each makes its inputs and returns what is timed, by PyTorch or by Triton."""
import gbrun
import torch
import triton
import triton.language as tl

torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False  # sums are kept in float32, as Triton's


@triton.jit
def add_kernel(x, y, to, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(to + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@triton.jit
def softmax_kernel(x, to, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    inside = i < columns
    values = tl.load(x + row * columns + i, mask=inside, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(to + row * columns + i, powers / tl.sum(powers, axis=0), mask=inside)


@triton.jit
def matmul_kernel(a, b, to, m, n, k, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr):
    rows = tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)[:, None]
    columns = tl.program_id(1) * TILE_N + tl.arange(0, TILE_N)[None, :]
    total = tl.zeros((TILE_M, TILE_N), tl.float32)
    for first in range(0, k, TILE_K):
        down, across = first + tl.arange(0, TILE_K)[:, None], first + tl.arange(0, TILE_K)[None, :]
        left = tl.load(a + rows * k + across, mask=(rows < m) & (across < k), other=0.0)
        right = tl.load(b + down * n + columns, mask=(down < k) & (columns < n), other=0.0)
        total = tl.dot(left, right, total)
    tl.store(to + rows * n + columns, total.to(tl.float16), mask=(rows < m) & (columns < n))


def random(*shape, dtype=torch.float32):
    torch.manual_seed(42)
    return torch.randn(*shape, device="cuda", dtype=dtype)


def compiled(launch, to, **work):
    """launch(), which fills `to`, compiled by a first call; too large for the GPU: it is skipped."""

    def fn():
        launch()
        return to

    try:
        fn()
    except triton.runtime.errors.OutOfResources as error:
        raise gbrun.Skipped(str(error)) from None
    return gbrun.Bench(fn, **work)


def choose(by, with_torch, with_triton):
    """Which of the two launches an option names."""
    ways = {"torch": with_torch, "triton": with_triton}
    if by not in ways:
        raise ValueError(f"by = {by}: expected {' or '.join(ways)}")
    return ways[by]


def add(n: int, by: str, block: int):
    x, y = random(2, n)
    to = torch.empty_like(x)
    launch = choose(
        by,
        lambda: torch.add(x, y, out=to),
        lambda: add_kernel[(triton.cdiv(n, block),)](x, y, to, n, BLOCK=block),
    )
    return compiled(launch, to, verify=lambda: x.double() + y.double(), flops=n, bytes_read=8 * n, bytes_written=4 * n)


def softmax(rows: int, columns: int, by: str, warps: int):
    x = random(rows, columns)
    to = torch.empty_like(x)
    block = triton.next_power_of_2(columns)
    launch = choose(
        by,
        lambda: torch.softmax(x, dim=1, out=to),
        lambda: softmax_kernel[(rows,)](x, to, columns, BLOCK=block, num_warps=warps),
    )
    n_bytes = 4 * rows * columns
    return compiled(launch, to, verify=lambda: torch.softmax(x.double(), dim=1), bytes_read=n_bytes, bytes_written=n_bytes)


def matmul(n: int, by: str, tile_m: int, tile_n: int, tile_k: int, warps: int):
    a, b = random(2, n, n, dtype=torch.float16)
    to = torch.empty_like(a)

    def with_triton():
        grid = triton.cdiv(n, tile_m), triton.cdiv(n, tile_n)
        matmul_kernel[grid](a, b, to, n, n, n, TILE_M=tile_m, TILE_N=tile_n, TILE_K=tile_k, num_warps=warps)

    def expected():
        left, right = a.double(), b.double()
        return gbrun.Expected(left @ right, left.abs() @ right.abs(), n, "float32")

    launch = choose(by, lambda: torch.matmul(a, b, out=to), with_triton)
    return compiled(launch, to, verify=expected, flops=2 * n**3, bytes_read=4 * n**2, bytes_written=2 * n**2)
