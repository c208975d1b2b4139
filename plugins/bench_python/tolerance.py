# How far an output may be from the reference's, where nobody has said: derived from the reference alone, by running it
# on its inputs and on the same in double precision. Arrays are those of NumPy and PyTorch.
import contextlib
import copy
import math
import sys

# The distance of 1 from the next number.
_EPSILONS = {
    "float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7,
    "float8_e4m3fn": 2.0**-3, "float8_e4m3fnuz": 2.0**-3, "float8_e5m2": 2.0**-2, "float8_e5m2fnuz": 2.0**-2,
}  # fmt: skip
_OBSERVED = 8  # so many times what the reference's own precision is off by
_ROUNDINGS = {"bfloat16": 4, "float8_e4m3fn": 1, "float8_e4m3fnuz": 1, "float8_e5m2": 1, "float8_e5m2fnuz": 1}
_USUAL_ROUNDINGS = 16  # of sums of some thousands in the output's own format, in another order
_LARGEST = 6  # the largest of many errors, in multiples of their root mean square
_TRIVIAL = 0.25  # of what an output of zeros, or of the mean, is off by


def _format(array):
    return str(getattr(array, "dtype", "")).rsplit(".", 1)[-1]


def is_floating(value):
    return _format(value) in _EPSILONS and hasattr(value, "shape")


def _each(value, change):
    """The same with other arrays, in containers and modules of PyTorch too."""
    if is_floating(value):
        return change(value)
    if isinstance(value, dict):
        return {key: _each(item, change) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_each(item, change) for item in value))
    if isinstance(value, (list, tuple)):
        return type(value)(_each(item, change) for item in value)
    return value


def _arrays(value):
    found = []
    _each(value, lambda array: found.append(array) or array)
    return found


def _double(array):
    return array.detach().double() if hasattr(array, "detach") else array.astype("float64")


def _copied(array):
    return array.detach().clone() if hasattr(array, "detach") else array.copy()


def _in_double(reference):
    """A module of PyTorch, or the `model` that a function calls, has weights of its own."""
    model = getattr(reference, "model", reference)
    if not (hasattr(model, "named_parameters") and hasattr(model, "double")):
        return reference
    doubled = copy.deepcopy(model).double()
    return doubled if model is reference else lambda data: doubled(*data)


def _no_gradients(inputs):
    if any(hasattr(array, "detach") for array in _arrays(inputs)):
        import torch

        return torch.no_grad()
    return contextlib.nullcontext()


@contextlib.contextmanager
def _double_by_default():
    """Of what the reference makes itself, such as a first state of zeros."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(usual)


def _rms(array):
    return math.sqrt(float((array * array).mean())) if math.prod(array.shape) else 0.0


def _largest(array):
    return float(abs(array).max()) if math.prod(array.shape) else 0.0


def _tolerance(output, double):
    """Of one output, with how it comes about. double: the same in double precision, or None."""
    name = _format(output)
    values = _double(output)
    exact = values if double is None else double
    is_finite = (abs(values) < math.inf) & (abs(exact) < math.inf)
    values, exact = values[is_finite], exact[is_finite]
    error = values - exact
    roundings = _ROUNDINGS.get(name, _USUAL_ROUNDINGS)
    floor = roundings * _EPSILONS[name] * _rms(exact)
    rms = max(_OBSERVED * _rms(error), floor)
    how = f"{roundings} roundings of {name}"
    if rms > floor:
        how = f"{_OBSERVED} times the error of the reference in {name}"
    elif double is None:
        how += ": the reference does not run in float64"
    deviation = _rms(exact - exact.mean()) if math.prod(exact.shape) else 0.0
    trivial = _TRIVIAL * (deviation if deviation > floor else _rms(exact))
    if rms > trivial:
        rms, how = trivial, "a quarter of what the output's mean is off by: the reference itself is off by more"
    return {"rms": rms, "abs": max(_LARGEST * rms, _OBSERVED * _largest(error)), "scale": _largest(exact), "text": how}


def derived_tolerance(reference, inputs, seed=lambda: None):
    """reference(*inputs) gives arrays, or containers of them; before that, seed is called. Returns a dict for each
    floating one, in order: "rms" of the differences and "abs", the largest, in the output's unit; "scale", the largest
    magnitude; "text", how they come about. Other outputs are equal or wrong."""
    with _no_gradients(inputs):
        seed()
        outputs = _arrays(reference(*_each(inputs, _copied)))
        try:
            with _double_by_default():
                seed()
                doubles = _arrays(_in_double(reference)(*_each(inputs, _double)))
        except Exception:
            doubles = []
    if [tuple(array.shape) for array in doubles] != [tuple(array.shape) for array in outputs]:
        doubles = [None] * len(outputs)
    doubles = [None if array is None else _double(array) for array in doubles]
    return [_tolerance(output, double) for output, double in zip(outputs, doubles)]
