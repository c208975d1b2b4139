"""What a reference of GPU MODE imports."""
import numpy


def match_reference(data, output, reference, rtol=1e-5, atol=1e-6):
    expected = reference(data)
    good = output.shape == expected.shape and numpy.allclose(output, expected, rtol, atol)
    return good, "" if good else "the output is another one"


def match_tensors(data, output, reference, rtol=1e-5, atol=1e-6):
    expected = reference(data)
    good = output.shape == expected.shape and output.allclose(expected, rtol, atol)
    return good, "" if good else "the output is another one"
