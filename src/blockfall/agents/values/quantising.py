"""Quantising: from the real numbers of a training to the whole numbers of a board network.

A trained network has binary32 parameters: `table`, `position`, `blocks.I.first.weight` and so on, as a training saves
them. `quantise` runs the network on sample boards, chooses the scale of every channel by its largest number there, and
rounds the weights so that the sums on these boards change little. native/include/blockfall/value/board_network.hpp says
what the whole numbers mean. `real_numbers` is the way back, for learning that starts from an agent.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall.agents.values.board_network import BoardNetwork
from blockfall.errors import SettingError

Floats = npt.NDArray[np.float32]
Wide = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
Parameters = Mapping[str, npt.NDArray[np.floating]]
"""Arrays by name: see `quantise`."""

LINES_PER_OUTPUT = 10.0
"""The unit of an output: values of some tens of lines become numbers near 1, which networks learn well."""
_STEP = 64  # units of x in 16 bits for each step that convolutions read
_TOP = 127  # the largest step
_MOST = 32767
_SUM = 2**30  # the most that an output may sum to
_VALUE_BITS = 24  # at most
_AT_ONCE = 500  # boards in memory
_INPUTS_AT_ONCE = 64  # inputs whose rounding later weights compensate together
_SMALLEST = 1e-6  # a channel that never exceeds this is practically off
_X_UNIT, _Y_UNIT, _Z_UNIT = 1024.0, 16.0, 4096.0  # of real_numbers: the largest whole x, y and z stand for 8
_DAMPING = 0.01  # share of the inputs' mean square that limits how far weights compensate


@dataclass(frozen=True)
class Layers:
    """The layers of a network on boards: x before the first block and after each, y in each block, z, and values."""

    x: list[Floats]
    y: list[Floats]
    z: Floats
    values: Floats


def row_words(boards: npt.NDArray[np.uint32], rows: int) -> npt.NDArray[np.int64]:
    """Return the rows of boards, the floor first, as numbers: bit i is column i. A board has a number per column."""
    columns = np.asarray(boards, dtype=np.int64)
    cells = columns[:, None, :] >> np.arange(rows)[None, :, None] & 1
    words: npt.NDArray[np.int64] = (cells << np.arange(columns.shape[1])).sum(axis=2)
    return words


def convolved(x: Floats, weight: Floats, bias: Floats) -> Floats:
    """Return a convolution over the rows: weight[output, input, tap]. Rows beyond the board are zeros."""
    outputs, _, taps = weight.shape
    sums = _windows(x, taps) @ np.moveaxis(weight, 1, 2).reshape(outputs, -1).T
    return np.asarray(sums + bias, dtype=np.float32).reshape(*x.shape[:2], outputs)


def layers_of(parameters: Parameters, boards: npt.NDArray[np.uint32]) -> Layers:
    """Return the layers of the trained network on boards, in binary32. The values are lines."""
    rows = len(parameters["position"])
    xs = [np.maximum(parameters["table"][row_words(boards, rows)] + parameters["position"], 0).astype(np.float32)]
    ys = []
    for block in range(_blocks(parameters)):
        first, second = (_convolution(parameters, block, which) for which in ("first", "second"))
        ys.append(np.maximum(convolved(xs[-1], *first), 0))
        xs.append(np.maximum(xs[-1] + convolved(ys[-1], *second), 0))
    z = np.maximum(xs[-1].reshape(len(boards), -1) @ parameters["hidden.weight"].T + parameters["hidden.bias"], 0)
    values = LINES_PER_OUTPUT * (z @ parameters["output.weight"].T + parameters["output.bias"])
    return Layers(xs, ys, z.astype(np.float32), values.astype(np.float32))


def quantise(parameters: Parameters, boards: npt.NDArray[np.uint32], *, mirror: bool = False) -> BoardNetwork:
    """Return the board network in whole numbers, from trained parameters and boards of sensible play.

    `boards` has a row of columns for each board. With d channels, h hidden neurons and kernels of k rows, `parameters`
    are `table` [2 ** columns, d], `position` [rows, d], for every block `blocks.I.first.weight` [d, d, k],
    `blocks.I.first.bias` [d] and likewise `second`, `hidden.weight` [h, rows * d], `hidden.bias` [h], `output.weight`
    [outputs, h] and `output.bias` [outputs].

    Numbers larger than on any of the boards are cut. So give some thousand boards from the network's own games, and as
    many after placements that it did not choose. With `mirror`, their mirror images are added.
    """
    if mirror:
        boards = np.concatenate([boards, boards[:, ::-1]])
    sizes = _sizes(parameters, boards)
    met = _met_on(parameters, boards)
    x_scale = _TOP * _STEP / met.x
    parts, excess = _blocks_of(parameters, met, x_scale)
    while (excess > 1).any():  # a sum has too few steps for this scale
        x_scale = x_scale / np.maximum(excess, 1)
        parts, excess = _blocks_of(parameters, met, x_scale)
    rows = [_bytes(_whole(parameters[name] * x_scale, _MOST), "<i2") for name in ("table", "position")]
    parts = [*rows, *parts]
    rows_read = parameters["hidden.weight"].reshape(sizes["hidden"], sizes["rows"], sizes["channels"])
    read_scale = x_scale / _STEP
    hidden = _summed(rows_read / read_scale, parameters["hidden.bias"], met.z, met.hidden.scaled(read_scale))
    parts += [_bytes(hidden.weight, "i1"), _bytes(hidden.bias, "<i4"), _bytes(hidden.shift, "<i4")]
    bits, weight, bias = _outputs(
        LINES_PER_OUTPUT * parameters["output.weight"] / hidden.scale,
        LINES_PER_OUTPUT * np.asarray(parameters["output.bias"], np.float64),
    )
    parts += [_bytes(weight, "<i2"), _bytes(bias, "<i4")]
    return BoardNetwork(**sizes, weights=b"".join([_bytes(np.array([bits]), "<i4"), *parts]), mirror=mirror)


def real_numbers(network: BoardNetwork) -> dict[str, Floats]:
    """Return parameters, as `quantise` takes them, of a network that differs from this one only by its rounding."""
    arrays, d, h = network.core.arrays(), network.channels, network.hidden
    layers = iter(arrays["layers"])

    def summed(layer: list[npt.NDArray[Any]], outputs: int, rows: int) -> tuple[Wide, Wide, Wide]:
        """Return the weights and the bias of sums that are shifted right, and 2 to the power of the shift."""
        weight, bias, shift = (array[:outputs].astype(np.float64) for array in layer)
        weight = weight.reshape(outputs, rows, -1)[:, :, :d]
        return weight, bias - np.where(shift > 0, 2.0 ** (shift - 1), 0), 2.0**shift

    unit = 2.0**network.core.value_bits * LINES_PER_OUTPUT
    found = {name: arrays[name][:, :d] / _X_UNIT for name in ("table", "position")}
    for block in range(network.blocks):
        for which, read, given in (("first", _X_UNIT / _STEP, _Y_UNIT), ("second", _Y_UNIT, _X_UNIT)):
            *layer, factors = next(layers)
            weight, bias, power = summed(layer, d, network.kernel)
            factor = factors[:d] / 2.0**15 / power / given
            found[f"blocks.{block}.{which}.weight"] = np.moveaxis(weight * (factor * read)[:, None, None], 1, 2)
            found[f"blocks.{block}.{which}.bias"] = bias * factor
    weight, bias, power = summed(next(layers), h, network.rows)
    found["hidden.weight"] = weight.reshape(h, -1) * (_X_UNIT / _STEP / _Z_UNIT / power)[:, None]
    found["hidden.bias"] = bias / power / _Z_UNIT
    found["output.weight"] = arrays["output"][:, :h] * (_Z_UNIT / unit)
    found["output.bias"] = arrays["output_bias"] / unit
    return {name: np.ascontiguousarray(array, np.float32) for name, array in found.items()}


@dataclass(frozen=True)
class _Moments:
    """The mean product of every two inputs of a layer, rows and channels, on the sample boards."""

    products: Wide

    def scaled(self, scale: Wide) -> Wide:
        """Return the moments of inputs multiplied by `scale`, a factor per channel."""
        factors = np.tile(scale, len(self.products) // len(scale))
        return self.products * np.outer(factors, factors)


@dataclass(frozen=True)
class _Met:
    """The largest number of each channel on the sample boards, and the moments of each layer's inputs."""

    x: Wide
    y: list[Wide]
    change: list[Wide]
    """The largest change of x in each block."""
    z: Wide
    first: list[_Moments]
    second: list[_Moments]
    hidden: _Moments


def _met_on(parameters: Parameters, boards: npt.NDArray[np.uint32]) -> _Met:
    blocks, kernel = range(_blocks(parameters)), parameters["blocks.0.first.weight"].shape[2]
    x, z = [], []
    y: list[list[Floats]] = [[] for _ in blocks]
    change: list[list[Floats]] = [[] for _ in blocks]
    sums: list[Wide] = [np.zeros(())] * (2 * len(blocks) + 1)
    for start in range(0, len(boards), _AT_ONCE):
        layers = layers_of(parameters, boards[start : start + _AT_ONCE])
        x.append(np.max([one.max(axis=(0, 1)) for one in layers.x], axis=0))
        z.append(layers.z.max(axis=0))
        for block in blocks:
            y[block].append(layers.y[block].max(axis=(0, 1)))
            changed = convolved(layers.y[block], *_convolution(parameters, block, "second"))
            change[block].append(np.abs(changed).max(axis=(0, 1)))
        read = [*(_windows(one, kernel) for one in layers.x[:-1]), *(_windows(one, kernel) for one in layers.y)]
        read.append(layers.x[-1].reshape(len(layers.z), -1))
        sums = [total + (inputs.T @ inputs) / len(boards) for total, inputs in zip(sums, read, strict=True)]
    moments = [_Moments(np.asarray(total, dtype=np.float64)) for total in sums]
    return _Met(
        _largest(np.max(x, axis=0)),
        [_largest(np.max(one, axis=0)) for one in y],
        [_largest(np.max(one, axis=0)) for one in change],
        _largest(np.max(z, axis=0)),
        moments[: len(blocks)],
        moments[len(blocks) : -1],
        moments[-1],
    )


def _windows(x: Floats, kernel: int) -> Floats:
    """Return the rows that a convolution sees at each row, side by side."""
    padded = np.pad(x, ((0, 0), (kernel // 2, kernel // 2), (0, 0)))
    seen = [padded[:, tap : tap + x.shape[1]] for tap in range(kernel)]
    return np.concatenate(seen, axis=2).reshape(-1, kernel * x.shape[2])


def _blocks_of(parameters: Parameters, met: _Met, x_scale: Wide) -> tuple[list[bytes], Wide]:
    """Return the bytes of all blocks, and for each channel the wanted factor as a multiple of the largest possible."""
    parts: list[bytes] = []
    excess = np.zeros(len(x_scale))
    for block in range(_blocks(parameters)):
        weight, bias = _convolution(parameters, block, "first")
        y_scale = _TOP / met.y[block]
        first = _convolution_of(weight, bias, x_scale / _STEP, met.y[block], y_scale, met.first[block])
        weight, bias = _convolution(parameters, block, "second")
        largest = np.minimum(met.change[block], _TOP * _STEP / x_scale)  # a larger decrease leaves 0 anyway
        second = _convolution_of(weight, bias, first.scale, largest, x_scale, met.second[block])
        parts += [*first.parts, *second.parts]
        excess = np.maximum(excess, second.excess)
    return parts, excess


@dataclass(frozen=True)
class _Summed:
    """A layer's whole numbers, and its scale: a shifted sum is the real number times this."""

    weight: Whole
    bias: Whole
    shift: Whole
    scale: Wide


@dataclass(frozen=True)
class _Convolution:
    """The bytes of a convolution, and the scale of its results.

    If `excess` is more than 1, that scale is smaller than the wanted one.
    """

    parts: list[bytes]
    scale: Wide
    excess: Wide


def _summed(weight: Wide | Floats, bias: npt.NDArray[np.floating], largest: Wide, moments: Wide) -> _Summed:
    """Return the whole numbers of a layer from its real weights for whole inputs, outputs first.

    `largest` is the largest sum of each output on the sample boards, and `moments` are those of the inputs.
    """
    flat = weight.reshape(len(weight), -1).astype(np.float64)
    per_output = _TOP / _largest(np.abs(flat).max(axis=1))
    rounded = whole_weights(flat * per_output[:, None], moments).reshape(weight.shape)
    shift = np.clip(np.ceil(np.log2(largest * per_output / _MOST)), 0, 24).astype(np.int64)
    half = np.where(shift > 0, 1 << np.maximum(shift - 1, 0), 0)
    return _Summed(rounded, _whole(bias * per_output, _SUM // 2) + half, shift, per_output / 2.0**shift)


def whole_weights(weight: Wide, moments: Wide) -> Whole:
    """Return whole weights whose sums over the inputs are near those of the real weights: weight[output, input].

    The inputs are rounded one after another, those with the largest squares first. The weights of the inputs still to
    be rounded compensate for each rounding, as far as these inputs predict it (Hassibi & Stork 1993; Frantar et al.
    2023).
    """
    inputs = len(moments)
    squares = np.diag(moments)
    order = np.argsort(-squares, kind="stable")
    damped = moments[np.ix_(order, order)] + (_DAMPING * squares.mean() + _SMALLEST) * np.eye(inputs)
    told = np.linalg.cholesky(np.linalg.inv(damped)).T  # how well the following inputs predict each
    left, whole = weight[:, order], np.empty(weight.shape, dtype=np.int64)
    missing = np.empty(weight.shape)
    for begin in range(0, inputs, _INPUTS_AT_ONCE):
        end = min(begin + _INPUTS_AT_ONCE, inputs)
        for place in range(begin, end):
            whole[:, order[place]] = rounded = _whole(left[:, place], _TOP)
            missing[:, place] = (left[:, place] - rounded) / told[place, place]
            left[:, place + 1 : end] -= np.outer(missing[:, place], told[place, place + 1 : end])
        left[:, end:] -= missing[:, begin:end] @ told[begin:end, end:]  # one product is faster than a sum for each
    return whole


def _convolution_of(
    weight: Floats, bias: Floats, in_scale: Wide, largest: Wide, out_scale: Wide, moments: _Moments
) -> _Convolution:
    """Return the convolution with inputs and outputs at these scales."""
    summed = _summed(np.moveaxis(weight, 1, 2) / in_scale, bias, largest, moments.scaled(in_scale))
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
    """Return the fractional bits of a value, as many as fit, and the weights and biases in these units."""
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
    """Return the sizes of the network. Raise a SettingError if an array is missing or has another shape."""
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
        raise SettingError(f"the parameters of a board network: {error} is missing or wrong") from None
    columns, rows, d, k, blocks, h, outputs = sizes.values()
    shapes = {"table": (2**columns, d), "position": (rows, d), "hidden.weight": (h, rows * d), "hidden.bias": (h,)}
    for block in range(blocks):
        for which in ("first", "second"):
            shapes |= {f"blocks.{block}.{which}.weight": (d, d, k), f"blocks.{block}.{which}.bias": (d,)}
    shapes |= {"output.weight": (outputs, h), "output.bias": (outputs,)}
    for name, shape in shapes.items():
        if name not in parameters or parameters[name].shape != shape:
            raise SettingError(f"the parameters of a board network: {name} must have the shape {shape}")
        if not np.isfinite(parameters[name]).all():
            raise SettingError(f"the parameters of a board network: {name} has a number that is not finite")
    if boards.ndim != 2 or boards.shape[1] != columns or not len(boards):
        raise SettingError(f"sample boards have the shape {boards.shape}; they must be rows of {columns} columns")
    return sizes
