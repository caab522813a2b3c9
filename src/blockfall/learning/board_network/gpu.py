"""The network over the board on a GPU, for playing: Triton kernels that keep a layer's sums in registers.

PyTorch's own convolutions are a fifth to a half as fast at these sizes (docs/records.md). Learning uses those:
it sees a tenth of the boards.
"""
# ruff: noqa: N803  Triton's constants are written large

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from blockfall.learning.board_network.network import LINES_PER_OUTPUT, BoardNetwork

_BLOCK = 128  # rows of boards that a program works on


@triton.jit
def _look_up(rows, table, position, out, count, ROWS: tl.constexpr, WIDTH: tl.constexpr, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    """The vector of each row: relu(table[row] + position)."""
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    channel = tl.arange(0, WIDTH)
    inside = place < count
    row = tl.load(rows + place, mask=inside, other=0)
    x = tl.load(table + row[:, None] * WIDTH + channel[None, :])
    x += tl.load(position + (place % ROWS)[:, None] * WIDTH + channel[None, :])
    tl.store(out + place[:, None] * WIDTH + channel[None, :], tl.maximum(x, 0.0).to(tl.bfloat16), mask=inside[:, None])


@triton.jit
def _convolve(  # type: ignore[no-untyped-def]
    x, weight, bias, shortcut, out, count,
    ROWS: tl.constexpr, WIDTH: tl.constexpr, TAPS: tl.constexpr, ADD: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """A convolution over the rows of each board: relu(sum over taps + bias), and the shortcut where ADD."""
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    row = (place % ROWS).to(tl.int32)
    channel = tl.arange(0, WIDTH)
    inside = place < count
    sums = tl.zeros((BLOCK, WIDTH), tl.float32)
    for tap in tl.static_range(TAPS):
        shift = tap - TAPS // 2
        there = inside & (row + shift >= 0) & (row + shift < ROWS)
        a = tl.load(x + (place + shift)[:, None] * WIDTH + channel[None, :], mask=there[:, None], other=0.0)
        b = tl.load(weight + (tap * WIDTH + channel)[:, None] * WIDTH + channel[None, :])
        sums = tl.dot(a, b, sums)
    sums += tl.load(bias + channel)[None, :]
    at = place[:, None] * WIDTH + channel[None, :]
    if ADD:
        sums += tl.load(shortcut + at, mask=inside[:, None], other=0.0).to(tl.float32)
    tl.store(out + at, tl.maximum(sums, 0.0).to(tl.bfloat16), mask=inside[:, None])


class GpuNetwork:
    """A copy of a network that values boards fast and does not learn. `refresh` copies the network's numbers again."""

    def __init__(self, network: BoardNetwork) -> None:
        self._network, self._shape = network, network.shape
        self.refresh()

    @torch.no_grad()
    def refresh(self) -> None:
        """Copies the network's numbers, in the order and the precision that the kernels want."""
        network = self._network
        self._table, self._position = network.table.clone(), network.position.clone()
        self._convolutions = [
            (layer.weight.permute(2, 1, 0).to(torch.bfloat16).contiguous(), layer.bias.clone())
            for block in network.blocks
            for layer in (block.first, block.second)
        ]
        hidden, output = network.hidden, network.output
        self._hidden = hidden.weight.to(torch.bfloat16).t(), hidden.bias.to(torch.bfloat16)
        self._output = output.weight.clone().t(), output.bias.clone()

    @torch.no_grad()
    def __call__(self, rows: Tensor) -> Tensor:
        """The value of boards in lines: values[board][output]."""
        shape, boards = self._shape, len(rows)
        count = boards * shape.rows
        grid = (triton.cdiv(count, _BLOCK),)
        x, y, z = (torch.empty(count, shape.width, dtype=torch.bfloat16, device=rows.device) for _ in range(3))
        _look_up[grid](rows, self._table, self._position, x, count, shape.rows, shape.width, _BLOCK)
        sizes: tuple[Any, ...] = (count, shape.rows, shape.width, shape.kernel)
        for place in range(0, len(self._convolutions), 2):
            first, second = self._convolutions[place : place + 2]
            _convolve[grid](x, *first, x, y, *sizes, False, _BLOCK)
            _convolve[grid](y, *second, x, z, *sizes, True, _BLOCK)
            x, z = z, x
        weight, bias = self._hidden
        hidden = torch.relu(torch.addmm(bias, x.view(boards, -1), weight))
        return LINES_PER_OUTPUT * torch.addmm(self._output[1], hidden.float(), self._output[0])
