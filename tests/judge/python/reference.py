"""A task in GPU MODE's layout, for a CPU."""
import numpy
from task import input_t, output_t
from utils import match_reference


def generate_input(size: int, seed: int) -> input_t:
    random = numpy.random.default_rng(seed)
    x = random.uniform(-1, 1, size).astype(numpy.float32)
    return x, random.uniform(-1, 1, size).astype(numpy.float32)


def ref_kernel(data: input_t) -> output_t:
    x, weights = data
    return numpy.sqrt(numpy.abs(x)) * weights + x * x


def check_implementation(data: input_t, output: output_t):
    return match_reference(data, output, ref_kernel)
