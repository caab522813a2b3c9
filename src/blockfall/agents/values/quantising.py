"""From the numbers of a training to the whole numbers of a network over the board.

A trained network has binary32 parameters: `table`, `position`, `blocks.I.first.weight` and so on, as a training saves
them. `quantise` looks at what the network makes of sample boards, chooses the scale of every channel by the largest
number that it met there, and rounds. What the whole numbers then mean is in
native/include/blockfall/value/board_network.hpp.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from blockfall.agents.values.board_network import BoardNetwork
from blockfall.errors import SettingError

Floats = npt.NDArray[np.float32]
Wide = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
Parameters = Mapping[str, npt.NDArray[np.floating]]
"""Arrays by name: see `quantise`."""

LINES = 10.0
"""The outputs are in units of so many lines."""
_STEP = 64  # of x in 16 bits, to the step that convolutions read
_TOP = 127  # of such a step
_MOST = 32767
_SUM = 2**30  # that an output may come to
_VALUE_BITS = 24  # at most
_AT_ONCE = 500  # boards, to save memory
_SMALLEST = 1e-6  # a channel that is never larger is as good as off


@dataclass(frozen=True)
class Layers:
    """What a network makes of boards: x before the first block and after each, y of each block, z, and the values."""

    x: list[Floats]
    y: list[Floats]
    z: Floats
    values: Floats


def row_words(boards: npt.NDArray[np.uint32], rows: int) -> npt.NDArray[np.int64]:
    """The rows of boards, the floor first, as numbers: bit i is column i. A board has a number per column."""
    columns = np.asarray(boards, dtype=np.int64)
    cells = columns[:, None, :] >> np.arange(rows)[None, :, None] & 1
    words: npt.NDArray[np.int64] = (cells << np.arange(columns.shape[1])).sum(axis=2)
    return words


def convolved(x: Floats, weight: Floats, bias: Floats) -> Floats:
    """A convolution over the rows: weight[output, input, tap]; beyond the board are zeros."""
    taps = weight.shape[2]
    padded = np.pad(x, ((0, 0), (taps // 2, taps // 2), (0, 0)))
    found = sum(padded[:, tap : tap + x.shape[1]] @ weight[:, :, tap].T for tap in range(taps))
    return np.asarray(found + bias, dtype=np.float32)


def layers_of(parameters: Parameters, boards: npt.NDArray[np.uint32]) -> Layers:
    """What the trained network makes of boards, in binary32. The values are lines."""
    rows = len(parameters["position"])
    xs = [np.maximum(parameters["table"][row_words(boards, rows)] + parameters["position"], 0).astype(np.float32)]
    ys = []
    for block in range(_blocks(parameters)):
        first, second = (_convolution(parameters, block, which) for which in ("first", "second"))
        ys.append(np.maximum(convolved(xs[-1], *first), 0))
        xs.append(np.maximum(xs[-1] + convolved(ys[-1], *second), 0))
    z = np.maximum(xs[-1].reshape(len(boards), -1) @ parameters["hidden.weight"].T + parameters["hidden.bias"], 0)
    values = LINES * (z @ parameters["output.weight"].T + parameters["output.bias"])
    return Layers(xs, ys, z.astype(np.float32), values.astype(np.float32))


def quantise(parameters: Parameters, boards: npt.NDArray[np.uint32]) -> BoardNetwork:
    """A network over the board in whole numbers, from trained parameters and boards of sensible play.

    `boards` has a row of columns for each board. With d channels, h hidden neurons and kernels of k rows, `parameters`
    are `table` [2 ** columns, d], `position` [rows, d], for every block `blocks.I.first.weight` [d, d, k] and
    `blocks.I.first.bias` [d], the same of `second`, `hidden.weight` [h, rows * d], `hidden.bias` [h], `output.weight`
    [outputs, h] and `output.bias` [outputs].

    What is larger than on any of the boards is cut. So give five thousand boards and more, from games of the network's
    own, and boards after placements that it did not choose among them.
    """
    sizes = _sizes(parameters, boards)
    met = _largest_met(parameters, boards)
    x_scale = _TOP * _STEP / met.x
    parts, excess = _blocks_of(parameters, met, x_scale)
    while (excess > 1).any():  # a sum has too few steps for so fine a scale
        x_scale = x_scale / np.maximum(excess, 1)
        parts, excess = _blocks_of(parameters, met, x_scale)
    rows = [_bytes(_whole(parameters[name] * x_scale, _MOST), "<i2") for name in ("table", "position")]
    parts = [*rows, *parts]
    rows_read = parameters["hidden.weight"].reshape(sizes["hidden"], sizes["rows"], sizes["channels"])
    hidden = _summed(rows_read / (x_scale / _STEP), parameters["hidden.bias"], met.z)
    parts += [_bytes(hidden.weight, "i1"), _bytes(hidden.bias, "<i4"), _bytes(hidden.shift, "<i4")]
    bits, weight, bias = _outputs(
        LINES * parameters["output.weight"] / hidden.scale, LINES * np.asarray(parameters["output.bias"], np.float64)
    )
    parts += [_bytes(weight, "<i2"), _bytes(bias, "<i4")]
    return BoardNetwork(**sizes, weights=b"".join([_bytes(np.array([bits]), "<i4"), *parts]))


@dataclass(frozen=True)
class _LargestMet:
    """The largest number of each channel on the sample boards: of all x, by block of y and of what is added, of z."""

    x: Wide
    y: list[Wide]
    change: list[Wide]
    z: Wide


def _largest_met(parameters: Parameters, boards: npt.NDArray[np.uint32]) -> _LargestMet:
    found: list[_LargestMet] = []
    for start in range(0, len(boards), _AT_ONCE):
        layers = layers_of(parameters, boards[start : start + _AT_ONCE])
        seconds = [_convolution(parameters, block, "second") for block in range(len(layers.y))]
        changes = [np.abs(convolved(y, *second)) for y, second in zip(layers.y, seconds, strict=True)]
        found.append(
            _LargestMet(
                np.max([x.max(axis=(0, 1)) for x in layers.x], axis=0),
                [y.max(axis=(0, 1)) for y in layers.y],
                [change.max(axis=(0, 1)) for change in changes],
                layers.z.max(axis=0),
            )
        )
    blocks = range(_blocks(parameters))
    return _LargestMet(
        _largest(np.max([one.x for one in found], axis=0)),
        [_largest(np.max([one.y[block] for one in found], axis=0)) for block in blocks],
        [_largest(np.max([one.change[block] for one in found], axis=0)) for block in blocks],
        _largest(np.max([one.z for one in found], axis=0)),
    )


def _blocks_of(parameters: Parameters, met: _LargestMet, x_scale: Wide) -> tuple[list[bytes], Wide]:
    """The bytes of all blocks, and for each channel how much larger a factor should be than it can be."""
    parts: list[bytes] = []
    excess = np.zeros(len(x_scale))
    for block in range(_blocks(parameters)):
        weight, bias = _convolution(parameters, block, "first")
        first = _convolution_of(weight, bias, x_scale / _STEP, met.y[block], _TOP / met.y[block])
        weight, bias = _convolution(parameters, block, "second")
        largest = np.minimum(met.change[block], _TOP * _STEP / x_scale)  # what takes more away takes all
        second = _convolution_of(weight, bias, first.scale, largest, x_scale)
        parts += [*first.parts, *second.parts]
        excess = np.maximum(excess, second.excess)
    return parts, excess


@dataclass(frozen=True)
class _Summed:
    """A layer's whole numbers, and its scale: a sum, shifted right, is the real number times this."""

    weight: Whole
    bias: Whole
    shift: Whole
    scale: Wide


@dataclass(frozen=True)
class _Convolution:
    """The bytes of a convolution, and the scale of what it gives.

    Where `excess` is more than 1, that scale is smaller than the one that was asked for.
    """

    parts: list[bytes]
    scale: Wide
    excess: Wide


def _summed(weight: Wide | Floats, bias: npt.NDArray[np.floating], largest: Wide) -> _Summed:
    """Of real weights for whole inputs, outputs first. `largest` is the largest sum of each output that is met."""
    inputs = tuple(range(1, weight.ndim))
    per_output = _TOP / _largest(np.abs(weight).max(axis=inputs))
    rounded = _whole(weight * per_output.reshape(-1, *[1] * len(inputs)), _TOP)
    shift = np.clip(np.ceil(np.log2(largest * per_output / _MOST)), 0, 24).astype(np.int64)
    half = np.where(shift > 0, 1 << np.maximum(shift - 1, 0), 0)
    return _Summed(rounded, _whole(bias * per_output, _SUM // 2) + half, shift, per_output / 2.0**shift)


def _convolution_of(weight: Floats, bias: Floats, in_scale: Wide, largest: Wide, out_scale: Wide) -> _Convolution:
    """Of inputs and outputs at these scales."""
    summed = _summed(np.moveaxis(weight, 1, 2) / in_scale, bias, largest)
    wanted = np.round(2.0**15 * out_scale / summed.scale)
    factor = np.clip(wanted, 0, _MOST).astype(np.int64)
    parts = [
        _bytes(summed.weight, "i1"),
        _bytes(summed.bias, "<i4"),
        _bytes(summed.shift, "<i4"),
        _bytes(factor, "<i2"),
    ]
    return _Convolution(parts, np.maximum(summed.scale * factor / 2.0**15, _SMALLEST), wanted / _MOST)


def _outputs(weight: Wide, bias: Wide) -> tuple[int, Whole, Whole]:
    """The bits after the point of a value, as many as fit, and the weights and biases in these units."""
    for bits in range(_VALUE_BITS, -1, -1):
        whole, offset = np.round(weight * 2.0**bits), np.round(bias * 2.0**bits)
        if np.abs(whole).max() <= _MOST and (np.abs(whole).sum(axis=1) * _MOST + np.abs(offset)).max() <= _SUM:
            return bits, whole.astype(np.int64), offset.astype(np.int64)
    raise SettingError("the outputs of the network are too large for whole numbers")


def _largest(found: npt.NDArray[np.floating]) -> Wide:
    return np.maximum(np.asarray(found, dtype=np.float64), _SMALLEST)


def _whole(numbers: npt.NDArray[np.floating], most: int) -> Whole:
    return np.clip(np.round(np.asarray(numbers, dtype=np.float64)), -most, most).astype(np.int64)


def _bytes(numbers: Whole, kind: str) -> bytes:
    return np.ascontiguousarray(numbers).astype(kind).tobytes()


def _blocks(parameters: Parameters) -> int:
    return sum(name.startswith("blocks.") and name.endswith(".first.weight") for name in parameters)


def _convolution(parameters: Parameters, block: int, which: str) -> tuple[Floats, Floats]:
    start = f"blocks.{block}.{which}"
    return np.asarray(parameters[f"{start}.weight"], np.float32), np.asarray(parameters[f"{start}.bias"], np.float32)


def _sizes(parameters: Parameters, boards: npt.NDArray[np.uint32]) -> dict[str, int]:
    """The sizes of the network. Raises a SettingError where an array is missing or has another shape."""
    try:
        sizes = {
            "columns": len(parameters["table"]).bit_length() - 1,
            "rows": len(parameters["position"]),
            "channels": parameters["position"].shape[1],
            "kernel": parameters["blocks.0.first.weight"].shape[2],
            "blocks": _blocks(parameters),
            "hidden": len(parameters["hidden.bias"]),
            "outputs": len(parameters["output.bias"]),
        }
    except (KeyError, IndexError, TypeError) as error:
        raise SettingError(f"the parameters of a network over the board: {error} is missing or wrong") from None
    columns, rows, d, k, blocks, h, outputs = sizes.values()
    shapes = {"table": (2**columns, d), "position": (rows, d), "hidden.weight": (h, rows * d), "hidden.bias": (h,)}
    for block in range(blocks):
        for which in ("first", "second"):
            shapes |= {f"blocks.{block}.{which}.weight": (d, d, k), f"blocks.{block}.{which}.bias": (d,)}
    shapes |= {"output.weight": (outputs, h), "output.bias": (outputs,)}
    for name, shape in shapes.items():
        if name not in parameters or parameters[name].shape != shape:
            raise SettingError(f"the parameters of a network over the board: {name} must have the shape {shape}")
        if not np.isfinite(parameters[name]).all():
            raise SettingError(f"the parameters of a network over the board: {name} has a number that is not finite")
    if boards.ndim != 2 or boards.shape[1] != columns or not len(boards):
        raise SettingError(f"sample boards have the shape {boards.shape}; they must be rows of {columns} columns")
    return sizes
