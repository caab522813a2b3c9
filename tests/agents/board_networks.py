"""Boards and board networks for tests."""

from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall import Agent, BoardNetwork
from blockfall.agents.values.quantising import quantise
from tests.reference.board_network import random_parameters


def random_boards(sizes: dict[str, int], count: int, seed: int = 1) -> npt.NDArray[np.uint32]:
    """Return stacks of all heights and densities, some of which differ from the one before in one cell."""
    draw = np.random.default_rng(seed)
    found: list[npt.NDArray[np.uint32]] = []
    for number in range(count):
        if number % 3 == 2:
            near = found[-1].copy()
            near[draw.integers(sizes["columns"])] ^= np.uint32(1 << int(draw.integers(sizes["rows"])))
            found.append(near)
            continue
        cells = draw.random((sizes["rows"], sizes["columns"])) < draw.uniform(0.2, 0.9)
        cells[draw.integers(0, sizes["rows"] + 1) :] = False
        found.append((cells << np.arange(sizes["rows"])[:, None]).sum(axis=0).astype(np.uint32))
    return np.array(found)


def random_bytes(sizes: dict[str, int], seed: int) -> bytes:
    """Return numbers of the whole range that a file may hold, so that sums are cut and activations saturate."""
    draw = np.random.default_rng(seed)
    d, h = sizes["channels"], sizes["hidden"]

    def some(kind: str, low: int, high: int, *shape: int) -> bytes:
        return draw.integers(low, high, shape).astype(kind).tobytes()

    parts = [some("<i4", 0, 25, 1), some("<i2", -32768, 32768, 2 ** sizes["columns"], d)]
    parts.append(some("<i2", -32768, 32768, sizes["rows"], d))
    for _ in range(2 * sizes["blocks"]):
        parts += [some("i1", -128, 128, d, sizes["kernel"], d), some("<i4", -(2**20), 2**20, d)]
        parts += [some("<i4", 0, 8, d), some("<i2", 0, 32768, d)]
    parts += [some("i1", -128, 128, h, sizes["rows"], d), some("<i4", -(2**20), 2**20, h), some("<i4", 0, 8, h)]
    most = 2**15 // h - 1
    parts += [some("<i2", -most, most + 1, sizes["outputs"], h), some("<i4", -(2**14), 2**14, sizes["outputs"])]
    return b"".join(parts)


def trained_like(seed: int = 1, **sizes: int) -> BoardNetwork:
    return quantise(random_parameters(seed, **sizes), random_boards(sizes, 200, seed))


def small(outputs: int = 7, columns: int = 10, rows: int = 20, seed: int = 1) -> BoardNetwork:
    sizes = {"columns": columns, "rows": rows, "channels": 8, "kernel": 3, "blocks": 1, "hidden": 8}
    return trained_like(seed, **sizes, outputs=outputs)


def player(network: BoardNetwork, plies: int = 1, **more: Any) -> Agent:
    return Agent("net", network, network.pieces_known or 1, plies=plies, **more)
