"""As reference.py, with tensors, on a GPU if there is one."""
import torch
from utils import match_tensors


def generate_input(size: int, seed: int):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    generator = torch.Generator(device).manual_seed(seed)
    return tuple(torch.rand(size, device=device, generator=generator) * 2 - 1 for _ in range(2))


def ref_kernel(data):
    x, weights = data
    return x.abs().sqrt() * weights + x * x


def check_implementation(data, output):
    return match_tensors(data, output, ref_kernel)
