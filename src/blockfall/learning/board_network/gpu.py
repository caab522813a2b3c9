"""The board network on a GPU: Triton kernels that keep a layer's sums in registers.

PyTorch's own convolutions are a fifth to a half as fast at these sizes (docs/records.md).
"""
# ruff: noqa: N803  Triton's constants are written large

from collections.abc import Callable
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.nn import functional

from blockfall.agents.values.quantising import LINES_PER_OUTPUT
from blockfall.learning.board_network.network import Shape, TorchBoardNetwork

PRECISION = torch.bfloat16
"""The precision of weights and vectors. Sums and the last layer have 32 bits, so that values of 16 to 32 stay fine."""

_BLOCK = 64  # rows of boards that a program works on
_LONG_BLOCK = 128  # the same for programs that add up many rows
_WARPS, _LONG_WARPS = 4, 8  # warps of 32 threads that share the work of a program
_PROGRAMS = 132  # programs that share the sum of a convolution's gradient: one per multiprocessor of an H200
_EAGER_CALLS = 3  # calls before a function is recorded, when its kernels have been compiled


@triton.jit
def _look_up(rows, table, position, out, count, ROWS: tl.constexpr, CHANNELS: tl.constexpr, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    """Compute the vector of each row: relu(table[row] + position)."""
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    channel = tl.arange(0, CHANNELS)
    inside = place < count
    row = tl.load(rows + place, mask=inside, other=0)
    x = tl.load(table + row[:, None] * CHANNELS + channel[None, :])
    x += tl.load(position + (place % ROWS)[:, None] * CHANNELS + channel[None, :])
    tl.store(
        out + place[:, None] * CHANNELS + channel[None, :],
        tl.maximum(x, 0.0).to(out.dtype.element_ty),
        mask=inside[:, None],
    )


@triton.jit
def _over_rows(  # type: ignore[no-untyped-def]
    x, weight, place, count, ROWS: tl.constexpr, CHANNELS: tl.constexpr, TAPS: tl.constexpr, BLOCK: tl.constexpr
):
    """Return the sums of a convolution over the rows of each board."""
    row = (place % ROWS).to(tl.int32)
    channel = tl.arange(0, CHANNELS)
    sums = tl.zeros((BLOCK, CHANNELS), tl.float32)
    for tap in tl.static_range(TAPS):
        shift = tap - TAPS // 2
        there = (place < count) & (row + shift >= 0) & (row + shift < ROWS)
        a = tl.load(x + (place + shift)[:, None] * CHANNELS + channel[None, :], mask=there[:, None], other=0.0)
        b = tl.load(weight + (tap * CHANNELS + channel)[:, None] * CHANNELS + channel[None, :])
        sums = tl.dot(a, b, sums)
    return sums


@triton.jit
def _convolve(  # type: ignore[no-untyped-def]
    x, weight, bias, shortcut, out, count,
    ROWS: tl.constexpr, CHANNELS: tl.constexpr, TAPS: tl.constexpr, ADD: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Convolve over the rows of each board: relu(sum over taps + bias), plus the shortcut if ADD."""
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    channel = tl.arange(0, CHANNELS)
    sums = _over_rows(x, weight, place, count, ROWS, CHANNELS, TAPS, BLOCK) + tl.load(bias + channel)[None, :]
    at, inside = place[:, None] * CHANNELS + channel[None, :], (place < count)[:, None]
    if ADD:
        sums += tl.load(shortcut + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + at, tl.maximum(sums, 0.0).to(out.dtype.element_ty), mask=inside)


@triton.jit
def _convolve_back(  # type: ignore[no-untyped-def]
    gradient, weight, shortcut, x, out, count,
    ROWS: tl.constexpr, CHANNELS: tl.constexpr, TAPS: tl.constexpr, ADD: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Compute the gradient of a convolution's input x, itself a relu's result: 0 where x is 0."""
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    channel = tl.arange(0, CHANNELS)
    sums = _over_rows(gradient, weight, place, count, ROWS, CHANNELS, TAPS, BLOCK)
    at, inside = place[:, None] * CHANNELS + channel[None, :], (place < count)[:, None]
    if ADD:
        sums += tl.load(shortcut + at, mask=inside, other=0.0).to(tl.float32)
    above = tl.load(x + at, mask=inside, other=0.0) > 0
    tl.store(out + at, tl.where(above, sums, 0.0).to(out.dtype.element_ty), mask=inside)


@triton.jit
def _weight_gradient(  # type: ignore[no-untyped-def]
    x, gradient, weight_sums, bias_sums, count, span,
    ROWS: tl.constexpr, CHANNELS: tl.constexpr, TAPS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Add the gradients of one tap's weights, and of the biases, over `span` rows of boards."""
    tap = tl.program_id(0)
    shift = tap - TAPS // 2
    begin = tl.program_id(1).to(tl.int64) * span
    channel = tl.arange(0, CHANNELS)
    weights = tl.zeros((CHANNELS, CHANNELS), tl.float32)
    biases = tl.zeros((CHANNELS,), tl.float32)
    for start in range(0, span, BLOCK):
        place = begin + start + tl.arange(0, BLOCK)
        row = (place % ROWS).to(tl.int32)
        inside = place < count
        there = inside & (row + shift >= 0) & (row + shift < ROWS)
        a = tl.load(x + (place + shift)[:, None] * CHANNELS + channel[None, :], mask=there[:, None], other=0.0)
        g = tl.load(gradient + place[:, None] * CHANNELS + channel[None, :], mask=inside[:, None], other=0.0)
        weights = tl.dot(tl.trans(a), g, weights)
        biases += tl.sum(g.to(tl.float32), 0)
    tl.atomic_add(weight_sums + (tap * CHANNELS + channel)[:, None] * CHANNELS + channel[None, :], weights)
    if tap == 0:
        tl.atomic_add(bias_sums + channel, biases)


@triton.jit
def _table_gradient(rows, gradient, sums, count, CHANNELS: tl.constexpr, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    """Add the gradients of equal rows. Most rows are empty, so each program first adds up its own empty rows."""
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    channel = tl.arange(0, CHANNELS)
    inside = place < count
    row = tl.load(rows + place, mask=inside, other=0)
    g = tl.load(gradient + place[:, None] * CHANNELS + channel[None, :], mask=inside[:, None], other=0.0).to(tl.float32)
    tl.atomic_add(sums + row[:, None] * CHANNELS + channel[None, :], g, mask=(row != 0)[:, None])
    tl.atomic_add(sums + channel, tl.sum(tl.where((row == 0)[:, None], g, 0.0), 0))


class GpuNetwork:
    """A copy of a network that values boards fast but does not learn. `refresh` updates the copy."""

    def __init__(self, network: TorchBoardNetwork) -> None:
        self._network, self._shape = network, network.shape
        self.refresh()

    @torch.no_grad()
    def refresh(self) -> None:
        """Copy the network's numbers, in the order and precision of the kernels."""
        network = self._network
        self._table, self._position = network.table.clone(), network.position.clone()
        self._convolutions = [(_in_order(layer.weight), layer.bias.clone()) for layer in network.convolutions]
        hidden, output = network.hidden, network.output
        self._hidden = hidden.weight.to(PRECISION).t(), hidden.bias.to(PRECISION)
        self._output = output.weight.clone().t(), output.bias.clone()

    @torch.no_grad()
    def __call__(self, rows: Tensor) -> Tensor:
        """Return the value of boards in lines: values[board][output]."""
        shape, boards = self._shape, len(rows)
        count, grid, sizes = _work(rows, shape)
        x, y, z = (torch.empty(count, shape.channels, dtype=PRECISION, device=rows.device) for _ in range(3))
        _look_up[grid](rows, self._table, self._position, x, count, shape.rows, shape.channels, _BLOCK)
        for place in range(0, len(self._convolutions), 2):
            first, second = self._convolutions[place : place + 2]
            _convolve[grid](x, *first, x, y, *sizes, False, _BLOCK, num_warps=_WARPS)
            _convolve[grid](y, *second, x, z, *sizes, True, _BLOCK, num_warps=_WARPS)
            x, z = z, x
        weight, bias = self._hidden
        hidden = torch.relu(torch.addmm(bias, x.view(boards, -1), weight))
        return LINES_PER_OUTPUT * torch.addmm(self._output[1], hidden.float(), self._output[0])


class GpuLearner:
    """The values of a network that learns, with gradients, as in `TorchBoardNetwork`."""

    def __init__(self, network: TorchBoardNetwork) -> None:
        self._network = network

    def __call__(self, rows: Tensor) -> Tensor:
        """Return the value of boards in lines: values[board][output]."""
        network = self._network
        layers = [tensor for layer in network.convolutions for tensor in (layer.weight, layer.bias)]
        x = _Body.apply(rows, network.shape, network.table, network.position, *layers).view(len(rows), -1)
        hidden = network.hidden
        z = functional.relu(functional.linear(x, hidden.weight.to(x.dtype), hidden.bias.to(x.dtype)))
        return LINES_PER_OUTPUT * network.output(z.float())


class _Body(torch.autograd.Function):
    """The blocks: from rows to their vectors after the last block."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, shape: Shape, table: Tensor, position: Tensor, *layers: Tensor) -> Tensor:
        """Convolve, and keep the input of each convolution."""
        count, grid, sizes = _work(rows, shape)
        seen = [torch.empty(count, shape.channels, dtype=PRECISION, device=rows.device) for _ in (*layers[::2], 0)]
        _look_up[grid](rows, table, position, seen[0], count, shape.rows, shape.channels, _BLOCK)
        for place, (weight, bias) in enumerate(zip(layers[::2], layers[1::2], strict=True)):
            shortcut = seen[max(0, place - 1)]
            _convolve[grid](
                *(seen[place], _in_order(weight), bias, shortcut, seen[place + 1]),
                *(*sizes, place % 2 == 1, _BLOCK),
                num_warps=_WARPS,
            )
        ctx.shape = shape
        ctx.save_for_backward(rows, table, *layers[::2], *seen)
        return seen[-1]

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradients of the table, the positions, and each convolution's weights and biases."""
        shape, saved = ctx.shape, ctx.saved_tensors
        rows, table, depth = saved[0], saved[1], 2 * shape.blocks
        weights, seen = saved[2 : 2 + depth], saved[2 + depth :]
        count, grid, sizes = _work(rows, shape)
        span = _LONG_BLOCK * triton.cdiv(count, _LONG_BLOCK * max(1, _PROGRAMS // shape.kernel))
        found: list[Tensor] = []
        shortcut = gradient = torch.where(seen[-1] > 0, gradient, 0)
        for place in reversed(range(depth)):
            sums = torch.zeros(shape.kernel, shape.channels, shape.channels, device=rows.device)
            biases = torch.zeros(shape.channels, device=rows.device)
            shares = (shape.kernel, triton.cdiv(count, span))
            _weight_gradient[shares](
                *(seen[place], gradient, sums, biases, count, span),
                *(*sizes[1:], _LONG_BLOCK),
                num_warps=_LONG_WARPS,
            )
            found[:0] = [sums.permute(2, 1, 0), biases]
            back = weights[place].permute(2, 0, 1).flip(0).to(PRECISION).contiguous()
            before = torch.empty_like(gradient)
            _convolve_back[grid](
                *(gradient, back, shortcut, seen[place], before),
                *(*sizes, place % 2 == 0, _BLOCK),
                num_warps=_WARPS,
            )
            gradient = before
            if place % 2 == 0:
                shortcut = gradient
        words = torch.zeros_like(table)
        _table_gradient[grid](rows, gradient, words, count, shape.channels, _BLOCK)
        positions = gradient.view(-1, shape.rows, shape.channels).sum(0, dtype=torch.float32)
        return None, None, words, positions, *found


class Recorded:
    """A function of tensors of fixed shapes, recorded as one CUDA graph to start its many small kernels at once."""

    def __init__(self, function: Callable[..., Tensor]) -> None:
        self._function = function
        self._calls = 0
        self._stream = torch.cuda.Stream()
        self._graph: Any = None
        self._inputs: tuple[Tensor, ...] = ()
        self._result: Any = None

    def __call__(self, *inputs: Tensor) -> Tensor:
        """Call the function. The next call overwrites its result."""
        if self._graph is None and self._calls == _EAGER_CALLS:
            self._record(inputs)
        self._calls += 1
        if self._graph is None or any(kept.shape != new.shape for kept, new in zip(self._inputs, inputs, strict=True)):
            return self._call(inputs)
        for kept, new in zip(self._inputs, inputs, strict=True):
            kept.copy_(new)
        self._graph.replay()
        result: Tensor = self._result
        return result

    def _call(self, inputs: tuple[Tensor, ...]) -> Tensor:
        """Call the function in the stream that it is recorded in, because gradients are bound to theirs."""
        self._stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._stream):
            result = self._function(*inputs)
        torch.cuda.current_stream().wait_stream(self._stream)
        return result

    def _record(self, inputs: tuple[Tensor, ...]) -> None:
        self._inputs = tuple(tensor.clone() for tensor in inputs)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=self._stream):
            self._result = self._function(*self._inputs)
        self._graph = graph


def _work(rows: Tensor, shape: Shape) -> tuple[int, tuple[int], tuple[int, int, int, int]]:
    """Return the number of rows of all boards, the programs for them, and the sizes that every kernel takes."""
    count = rows.numel()
    return count, (triton.cdiv(count, _BLOCK),), (count, shape.rows, shape.channels, shape.kernel)


def _in_order(weight: Tensor) -> Tensor:
    """Return a convolution's weights as the kernels read them: [tap][input channel][output channel]."""
    return weight.permute(2, 1, 0).to(PRECISION).contiguous()
