"""The board network: rows as words.

A row of ten cells is a number below 1,024, and each number has its own vector. One-dimensional convolutions over the
rows and a hidden layer follow, and an output per piece: the lines still to come from a board with that piece in hand.
If no next piece is known, there is a single output.
"""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from blockfall.agents.values.quantising import LINES_PER_OUTPUT

_SECOND_SCALE = 0.2
"""The initial scale of a block's second convolution, as a factor of He's: a new block changes little."""


@dataclass(frozen=True)
class Shape:
    """The sizes of a network."""

    rows: int
    columns: int
    outputs: int
    channels: int
    """The length of a row's vector."""
    blocks: int
    kernel: int
    """The rows that a convolution sees; an odd number."""
    hidden: int


class Block(nn.Module):
    """Two convolutions over the rows, beside a shortcut."""

    def __init__(self, shape: Shape, generator: torch.Generator) -> None:
        super().__init__()
        channels, kernel = shape.channels, shape.kernel
        self.first = nn.Conv1d(channels, channels, kernel, padding=kernel // 2)
        self.second = nn.Conv1d(channels, channels, kernel, padding=kernel // 2)
        he = math.sqrt(2 / (channels * kernel))
        for convolution, scale in ((self.first, he), (self.second, _SECOND_SCALE * he)):
            convolution.weight.data.normal_(0, scale, generator=generator)
            convolution.bias.data.zero_()

    def forward(self, x: Tensor) -> Tensor:
        """Make new vectors of the rows; x[board][channel][0][row] in the memory order of the channels."""
        y = functional.relu(_over_rows(x, self.first))
        return functional.relu(x + _over_rows(y, self.second))


class TorchBoardNetwork(nn.Module):
    """The network, from boards to the lines still to come, one number per output."""

    def __init__(self, shape: Shape, seed: int) -> None:
        super().__init__()
        self.shape = shape
        generator = torch.Generator().manual_seed(seed)
        cells = (torch.arange(2**shape.columns)[:, None] >> torch.arange(shape.columns)) & 1
        code = torch.randn(shape.columns, shape.channels, generator=generator) / math.sqrt(shape.columns)
        noise = torch.randn(2**shape.columns, shape.channels, generator=generator)
        self.table = nn.Parameter((2.0 * cells - 1) @ code + 0.1 * noise)
        self.position = nn.Parameter(0.1 * torch.randn(shape.rows, shape.channels, generator=generator))
        self.blocks = nn.ModuleList(Block(shape, generator) for _ in range(shape.blocks))
        self.hidden = nn.Linear(shape.rows * shape.channels, shape.hidden)
        self.output = nn.Linear(shape.hidden, shape.outputs)
        for layer, gain in ((self.hidden, 2.0), (self.output, 0.1)):
            layer.weight.data.normal_(0, math.sqrt(gain / layer.in_features), generator=generator)
            layer.bias.data.zero_()

    def forward(self, rows: Tensor) -> Tensor:
        """Return the value of boards in lines: values[board][output]. `rows` are words, the floor row first."""
        x = functional.relu(_LookUp.apply(rows, self.table) + self.position)
        x = x.transpose(1, 2).unsqueeze(2)  # [board][channel][0][row], with the channels side by side in memory
        for block in self.blocks:
            x = block(x)
        flat = x.squeeze(2).transpose(1, 2).flatten(1)
        return LINES_PER_OUTPUT * self.output(functional.relu(self.hidden(flat)))

    @property
    def convolutions(self) -> list[nn.Conv1d]:
        """All convolutions, in order: two of each block."""
        return [layer for block in self.blocks for layer in (block.first, block.second)]


class _LookUp(torch.autograd.Function):
    """The vectors of rows. The gradient is added in order, so that it is the same on equal machines."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, table: Tensor) -> Tensor:
        """Look the rows up."""
        ctx.save_for_backward(rows)
        ctx.words = len(table)
        return functional.embedding(rows.long(), table)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[None, Tensor]:
        """Add the gradients of equal rows, one after another."""
        (rows,) = ctx.saved_tensors
        total = gradient.new_zeros(ctx.words, gradient.shape[-1])
        return None, total.index_add_(0, rows.flatten().long(), gradient.flatten(0, 1))


def _over_rows(x: Tensor, convolution: nn.Conv1d) -> Tensor:
    weight = convolution.weight.unsqueeze(2).to(memory_format=torch.channels_last)
    return functional.conv2d(x, weight, convolution.bias, padding=(0, convolution.padding[0]))
