"""Networks over the board: whole-number arithmetic in every instruction set, quantising, play, and files."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import blockfall
from blockfall import Agent, BoardNetwork, Game, _core, evaluate, rules
from blockfall.agents.values.quantising import layers_of, quantise
from blockfall.simd import simd_levels
from tests.reference.board_network import Player, random_parameters, values
from tests.reference.game import ReferenceGame

SIZES: tuple[dict[str, int], ...] = (
    {"columns": 10, "rows": 20, "channels": 32, "kernel": 3, "blocks": 2, "hidden": 40, "outputs": 7},
    {"columns": 10, "rows": 22, "channels": 64, "kernel": 5, "blocks": 1, "hidden": 64, "outputs": 1},
    {"columns": 5, "rows": 8, "channels": 9, "kernel": 1, "blocks": 3, "hidden": 5, "outputs": 7},
    {"columns": 4, "rows": 32, "channels": 100, "kernel": 7, "blocks": 1, "hidden": 130, "outputs": 1},
)


def random_boards(sizes: dict[str, int], count: int, seed: int = 1) -> npt.NDArray[np.uint32]:
    """Stacks of all heights and densities; some differ from the one before in a cell."""
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
    """Numbers of the whole range that a file may hold: sums are cut and activations saturate."""
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


@pytest.mark.parametrize("level", _core.dense_levels())
@pytest.mark.parametrize(("count", "inputs", "outputs"), [(1, 4, 32), (13, 96, 32), (29, 132, 64), (6, 64, 160)])
def test_a_layer_is_exact_in_every_instruction_set(level: str, count: int, inputs: int, outputs: int) -> None:
    draw = np.random.default_rng(count)
    x = draw.integers(0, 128, (count, inputs)).astype(np.uint8)
    weights = draw.integers(-128, 128, (outputs, inputs)).astype(np.int8)
    x[0], weights[0], weights[1] = 127, 127, -128  # the largest sums of both signs
    bias = draw.integers(-(2**20), 2**20, outputs).astype(np.int32)
    shift = draw.integers(0, 12, outputs).astype(np.int32)
    plain = (x.astype(np.int64) @ weights.T.astype(np.int64) + bias) >> shift
    assert np.array_equal(_core.dense(level, x, weights, bias, shift), np.clip(plain, -32768, 32767))


@pytest.mark.parametrize("level", simd_levels())
@pytest.mark.parametrize("sizes", SIZES, ids=lambda sizes: f"{sizes['columns']}x{sizes['rows']}")
def test_values_equal_the_reference(sizes: dict[str, int], level: str) -> None:
    boards = random_boards(sizes, 40)
    for network in (trained_like(**sizes), BoardNetwork(**sizes, weights=random_bytes(sizes, 7))):
        expected, bits = values(network, boards.tolist())
        assert np.array_equal(network.core.values(boards, simd=level), expected)
        assert network.core.value_bits == bits
        assert np.array_equal(network.values(boards), expected / 2.0**bits)


def test_quantising_loses_little() -> None:
    sizes = {"columns": 10, "rows": 20, "channels": 32, "kernel": 3, "blocks": 3, "hidden": 128, "outputs": 7}
    parameters = random_parameters(3, **sizes)
    boards = random_boards(sizes, 300, seed=5)
    real = layers_of(parameters, boards).values
    whole = quantise(parameters, random_boards(sizes, 600, seed=6)).values(boards)
    assert np.std(whole - real) < 0.04 * np.std(real)
    assert abs(np.mean(whole - real)) < 0.04 * np.std(real)


def narrow_rules(tmp_path: Path, base: str, generator: str = "nes", **board: int) -> Path:
    path = tmp_path / "small.toml"
    keys = "".join(f"{key} = {value}\n" for key, value in board.items())
    path.write_text(
        f'extends = "{base}"\n[board]\n{keys}[spawn]\ncolumn = 0\nrow = 0\n[generator]\nname = "{generator}"\n'
    )
    return path


def follow(rules_name: str | Path, playing: Agent, pieces: int, seed: int = 3) -> None:
    """Plays a game move by move beside the plain player, and in every instruction set."""
    reference = ReferenceGame(rules(rules_name), seed, pieces_known=playing.pieces_known)
    plain = Player(reference.rules, playing)
    game = Game(rules_name, seed, pieces_known=playing.pieces_known)
    for _ in range(pieces):
        if reference.end:
            break
        expected = plain.choose(reference)
        for level in simd_levels():
            assert playing.core.choose(game.core, simd=level) == expected
        reference.play(expected)
        game.core.play_unchecked(*expected)
    for level in simd_levels():
        played = evaluate(rules_name, playing, 1, seed, max_pieces=pieces, backend=blockfall.LocalBackend(1, level))
        assert (played.lines[0], played.pieces[0]) == (reference.lines, reference.placed)
        assert played.placements[0] == plain.valued


@pytest.mark.parametrize(
    ("name", "outputs"), [("nes-no-rotation-timed", 7), ("standard", 1), ("nes", 7), ("tetrisbot", 7), ("sz", 1)]
)
def test_one_ply_plays_as_the_plain_player(name: str, outputs: int) -> None:
    follow(name, player(small(outputs, rows=rules(name).rows)), 30)


@pytest.mark.parametrize(
    ("name", "outputs", "plies", "pieces"),
    [
        ("nes-no-rotation", 7, 2, 4),
        ("sz", 1, 2, 4),
        ("tetrisbot-7-bag", 7, 2, 1),
    ],
)
def test_more_plies_play_as_the_plain_player(name: str, outputs: int, plies: int, pieces: int) -> None:
    follow(name, player(small(outputs, rows=rules(name).rows), plies), pieces)


@pytest.mark.parametrize(("base", "outputs"), [("nes-no-rotation", 7), ("standard", 1)])
def test_three_plies_play_as_the_plain_player(tmp_path: Path, base: str, outputs: int) -> None:
    """A bag, so that what may come depends on all pieces before it."""
    path = narrow_rules(tmp_path, base, "7-bag", columns=4, rows=8)
    follow(path, player(small(outputs, 4, rules(path).rows), 3), 4 if outputs > 1 else 1)


def test_a_high_stack_ends_as_the_plain_player_ends(tmp_path: Path) -> None:
    """On a board of 5 x 6 the next piece often has no room, and soon every placement loses."""
    path = narrow_rules(tmp_path, "nes-no-rotation", columns=5, rows=6)
    for plies in (1, 2):
        for seed in range(4):
            follow(path, player(small(7, 5, rules(path).rows), plies), 40, seed)
