"""What a kernel takes and returns, as GPU MODE's tasks say it."""
from typing import TypeVar

import numpy

input_t = TypeVar("input_t", bound=tuple[numpy.ndarray, numpy.ndarray])
output_t = TypeVar("output_t", bound=numpy.ndarray)
