"""The Triton kernels of board networks, run by Triton's interpreter on a CPU, compared with PyTorch's layers.

The interpreter has no 16-bit numbers, so the kernels compute in 32 bits here. It must be chosen before Triton is
imported, hence the separate process. Skipped without PyTorch or Triton.
"""

import json
import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

needs_triton = pytest.mark.skipif(
    find_spec("torch") is None or find_spec("triton") is None, reason="needs PyTorch and Triton"
)

PROGRAM = """
import json
import torch
from blockfall.learning.board_network import gpu
from blockfall.learning.board_network.network import Shape, TorchBoardNetwork

gpu.PRECISION = torch.float32
errors = {}
for channels, blocks, kernel, boards in ((16, 2, 3, 13), (32, 1, 5, 8)):
    shape = Shape(rows=20, columns=10, outputs=7, channels=channels, blocks=blocks, kernel=kernel, hidden=32)
    network = TorchBoardNetwork(shape, seed=1)
    generator = torch.Generator().manual_seed(channels)
    for layer in network.convolutions:
        layer.bias.data.normal_(0, 0.3, generator=generator)
    rows = torch.randint(0, 1024, (boards, 20), dtype=torch.int32, generator=generator)
    rows[:, 8:] = 0
    wanted = torch.randn(boards, 7, generator=generator)
    values, gradients = [], []
    for function in (network, gpu.GpuLearner(network)):
        network.zero_grad()
        value = function(rows)
        (value * wanted).sum().backward()
        values.append(value.detach())
        gradients.append({name: one.grad.clone() for name, one in network.named_parameters()})
    values.append(gpu.GpuNetwork(network)(rows))
    errors[f"values {channels}"] = max(float((values[0] - one).abs().max()) for one in values[1:])
    for name, right in gradients[0].items():
        errors[f"{name} {channels}"] = float((right - gradients[1][name]).norm() / right.norm())
print(json.dumps(errors))
"""


@needs_triton
def test_values_and_gradients_are_pytorchs() -> None:
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    errors = json.loads(done.stdout)
    assert len(errors) == 2 + 14 + 10
    assert {name: error for name, error in errors.items() if error > 1e-5} == {}
