"""Honest submissions to kernel_bench.py."""
import torch
from kernel_bench import Model


class ModelNew(Model):
    def forward(self, x):
        return self.linear(x).clamp(min=0).sum(1, keepdim=True)


class Prepared(Model):
    """What depends on the weights alone is computed once."""
    transposed = None

    def forward(self, x):
        if self.transposed is None:
            self.transposed = self.linear.weight.detach().t().contiguous()
        return torch.relu(torch.addmm(self.linear.bias, x, self.transposed)).sum(1, keepdim=True)
