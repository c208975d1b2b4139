"""Submissions to kernel_bench.py that cheat."""
import torch
from kernel_bench import Model
from torch import nn


class Keeps(Model):
    out = None

    def forward(self, x):
        self.out = super().forward(x) if self.out is None else self.out
        return self.out


class Zeros(nn.Module):
    def __init__(self, *_):
        super().__init__()

    def forward(self, x):
        return x.new_zeros(x.shape[0], 1)


class Expects(Model):
    """The value that is likely, for such inputs and weights."""

    def forward(self, x):
        return super().forward(torch.randn_like(x)).mean().expand(x.shape[0], 1)


class WithoutSum(Model):
    def forward(self, x):
        return torch.relu(self.linear(x))
