"""The kernel of cuda_honest.by_triton."""
import triton
import triton.language as tl


@triton.jit
def kernel(x, weights, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    result = tl.sqrt(tl.abs(value)) * tl.load(weights + i, mask=i < n) + value * value
    tl.store(out + i, result, mask=i < n)
