"""Board networks: whole-number arithmetic in every instruction set, quantising and play."""

import pickle
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import blockfall
from blockfall import Agent, BoardNetwork, Game, Guard, SettingError, _core, agent, evaluate, rules
from blockfall.agents.values.quantising import layers_of, quantise, real_numbers, whole_weights
from blockfall.simd import simd_levels
from tests.agents.board_networks import player, random_boards, random_bytes, small, trained_like
from tests.reference.board_network import Player, random_parameters, values
from tests.reference.game import ReferenceGame

SIZES: tuple[dict[str, int], ...] = (
    {"columns": 10, "rows": 20, "channels": 32, "kernel": 3, "blocks": 2, "hidden": 40, "outputs": 7},
    {"columns": 10, "rows": 22, "channels": 64, "kernel": 5, "blocks": 1, "hidden": 64, "outputs": 1},
    {"columns": 5, "rows": 8, "channels": 9, "kernel": 1, "blocks": 3, "hidden": 5, "outputs": 7},
    {"columns": 4, "rows": 32, "channels": 100, "kernel": 7, "blocks": 1, "hidden": 130, "outputs": 1},
)


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
    fine = draw.integers(0, 64, (count, inputs)).astype(np.uint8)
    parts = (fine.astype(np.int64) @ weights.T.astype(np.int64) >> 6) + x.astype(np.int64) @ weights.T.astype(np.int64)
    split = _core.dense(level, np.concatenate([fine, x], axis=1), weights, bias, shift, split=True)
    assert np.array_equal(split, np.clip((parts + bias) >> shift, -32768, 32767))


@pytest.mark.parametrize("sizes", SIZES, ids=lambda sizes: f"{sizes['columns']}x{sizes['rows']}")
def test_values_equal_the_reference(sizes: dict[str, int]) -> None:
    boards = random_boards(sizes, 40)
    networks = trained_like(**sizes), BoardNetwork(**sizes, weights=random_bytes(sizes, 7), mirror=False)
    for network in (*networks, *(replace(network, mirror=True) for network in networks)):
        expected, bits = values(network, boards.tolist())
        for level in simd_levels():
            assert np.array_equal(network.core.values(boards, simd=level), expected), level
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


@pytest.mark.parametrize("sizes", SIZES, ids=lambda sizes: f"{sizes['columns']}x{sizes['rows']}")
def test_the_way_back_from_whole_numbers_values_boards_alike(sizes: dict[str, int]) -> None:
    """The values differ only by rounding, and by less than quantising changed them."""
    parameters = random_parameters(3, **sizes)
    boards = random_boards(sizes, 300, seed=5)
    network = quantise(parameters, random_boards(sizes, 600, seed=6))
    back = real_numbers(network)
    assert {name: array.shape for name, array in back.items()} == {k: v.shape for k, v in parameters.items()}
    whole, real = network.values(boards), layers_of(back, boards).values
    assert np.std(real - whole) < 0.04 * np.std(whole)
    assert abs(np.mean(real - whole)) < 0.04 * np.std(whole)


def test_rounding_one_weight_is_made_up_for_by_others() -> None:
    """The 24 inputs have only four causes, and thus many different weights give the same sums."""
    draw = np.random.default_rng(1)
    inputs = draw.random((500, 4)) @ draw.random((4, 24))
    weight = draw.uniform(-100, 100, (8, 24))
    whole = whole_weights(weight, inputs.T @ inputs / len(inputs))

    def error(rounded: npt.NDArray[np.int64]) -> float:
        return float(np.std(inputs @ (rounded - weight).T))

    assert error(whole) < 0.3 * error(np.round(weight).astype(np.int64))
    apart = whole_weights(weight, np.eye(24))
    assert np.array_equal(apart, np.round(weight)), "independent inputs: each weight is rounded to the nearest number"


def narrow_rules(tmp_path: Path, base: str, generator: str = "nes", **board: int) -> Path:
    path = tmp_path / "small.toml"
    keys = "".join(f"{key} = {value}\n" for key, value in board.items())
    path.write_text(
        f'extends = "{base}"\n[board]\n{keys}[spawn]\ncolumn = 0\nrow = 0\n[generator]\nname = "{generator}"\n'
    )
    return path


def follow(rules_name: str | Path, playing: Agent, pieces: int, seed: int = 3) -> None:
    """Play a game move by move beside the reference player, in every instruction set."""
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
def test_one_ply_plays_as_the_reference_player(name: str, outputs: int) -> None:
    follow(name, player(small(outputs, rows=rules(name).rows)), 30)


@pytest.mark.parametrize(
    ("name", "outputs", "plies", "pieces"),
    [
        ("nes-no-rotation", 7, 2, 4),
        ("sz", 1, 2, 4),
        ("tetrisbot-7-bag", 7, 2, 1),
    ],
)
def test_two_plies_play_as_the_reference_player(name: str, outputs: int, plies: int, pieces: int) -> None:
    follow(name, player(small(outputs, rows=rules(name).rows), plies), pieces)


@pytest.mark.parametrize(("name", "outputs"), [("nes-no-rotation-timed", 7), ("sz", 1)])
@pytest.mark.parametrize(("plies", "pieces"), [(1, 20), (2, 3)])
def test_mirror_images_count_as_in_the_reference_player(name: str, outputs: int, plies: int, pieces: int) -> None:
    follow(name, player(replace(small(outputs), mirror=True), plies), pieces)


def test_a_network_with_mirror_images_values_both_boards_alike() -> None:
    network = replace(small(), mirror=True)
    boards = random_boards(network.sizes, 30)
    pieces = ["IOTSZJL".index(piece) for piece in "IOTZSLJ"]
    assert np.array_equal(network.values(boards), network.values(boards[:, ::-1])[:, pieces])
    assert not np.array_equal(network.values(boards), small().values(boards))


@pytest.mark.parametrize(("base", "outputs"), [("nes-no-rotation", 7), ("standard", 1)])
def test_three_plies_play_as_the_reference_player(tmp_path: Path, base: str, outputs: int) -> None:
    """Pieces come from a bag, so that the next one depends on all pieces before it."""
    path = narrow_rules(tmp_path, base, "7-bag", columns=4, rows=8)
    follow(path, player(small(outputs, 4, rules(path).rows), 3), 4 if outputs > 1 else 1)


def test_a_high_stack_ends_as_with_the_reference_player(tmp_path: Path) -> None:
    """On a board of 5 x 6 the next piece often has no room, and soon every placement loses."""
    path = narrow_rules(tmp_path, "nes-no-rotation", columns=5, rows=6)
    for plies in (1, 2):
        for seed in range(4):
            follow(path, player(small(7, 5, rules(path).rows), plies), 40, seed)


@pytest.mark.parametrize("name", [name for name in blockfall.agent_names() if "plies" in agent(name).value.options])
def test_shipped_networks_play_as_the_reference_player(name: str) -> None:
    follow(agent(name).rules, agent(name).with_plies(1), 6)


def test_a_guard_also_binds_a_network() -> None:
    free, guarded = player(small()), player(small(), guard=Guard(4, 3))
    assert evaluate("nes-no-rotation", free, 5, seed=1) != evaluate("nes-no-rotation", guarded, 5, seed=1)
    game = Game("nes-no-rotation", seed=1)
    while not game.over and max(game.board.heights) < 6:
        game.play(game.choose(free))
    columns = {x for x, _ in game.choose(guarded).cells}
    assert columns & {0, 9}


def test_an_explanation_has_values_gaps_and_the_cells_that_matter() -> None:
    network = small()
    playing = player(network)
    game = Game.at("nes-no-rotation", blockfall.Board.from_text("##......##\n#.########", 10, 20), "TS")
    found = blockfall.explain(game, playing)
    assert found[0].placement == game.choose(playing)
    assert [one.value for one in found] == sorted((one.value or 0.0 for one in found), reverse=True)
    for one in found:
        left = network.values(one.after.columns[None])[0, "IOTSZJL".index("S")]
        assert one.value == np.float32(one.lines + left)
        assert one.last is None
    board = found[0].after.columns.copy()
    board[3] ^= np.uint32(1 << 2)
    lost = network.values(found[0].after.columns[None])[0, 3] - network.values(board[None])[0, 3]
    assert found[0].effects[2][3] == lost
    assert found[1].effects == ()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: evaluate("standard-10x10", player(small()), 1), "net has a network for boards of 10x20"),
        (lambda: Game("standard-10x10").choose(player(small())), "standard-10x10 has boards of 10x10"),
        (lambda: Game("nes", pieces_known=1).choose(player(small())), "net needs the next piece"),
        (lambda: Agent("net", small()), "1 pieces known; net has a board network, which knows 2"),
        (lambda: player(small(1)).knowing(2), "2 pieces known; net has a board network, which knows 1"),
        (lambda: player(small(), plies=4), "4 plies; an agent looks 1 to 3 ahead"),
        (lambda: player(small()).looking_ahead(4), "net has a board network; such an agent cannot look ahead"),
        (lambda: agent("lee").with_plies(2), "lee has weights; such an agent cannot look several plies ahead"),
        (lambda: Game("nes-no-rotation", pieces_known=3).choose(player(small(), 2)), "averages over the piece after"),
        (lambda: small().with_parameters([1.0]), "has no numbers that can be set"),
    ],
)
def test_a_network_that_does_not_fit_is_refused_in_one_line(wrong: Any, message: str) -> None:
    with pytest.raises(SettingError) as error:
        wrong()
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_parameters_of_other_shapes_are_refused() -> None:
    sizes = {"columns": 4, "rows": 8, "channels": 4, "kernel": 3, "blocks": 1, "hidden": 4, "outputs": 1}
    parameters, boards = random_parameters(1, **sizes), random_boards(sizes, 9)
    with pytest.raises(SettingError, match=r"hidden\.weight must have the shape"):
        quantise(parameters | {"hidden.weight": np.zeros((4, 31), np.float32)}, boards)
    with pytest.raises(SettingError, match="not finite"):
        quantise(parameters | {"hidden.bias": np.full(4, np.nan, np.float32)}, boards)
    with pytest.raises(SettingError, match="rows of 4 columns"):
        quantise(parameters, boards[:, :3])
    with pytest.raises(SettingError, match="missing"):
        quantise({}, boards)


def test_an_interrupt_cuts_a_long_choice_short() -> None:
    """Three plies of one piece take half a minute in scalar code."""
    sizes = {"columns": 10, "rows": 20, "channels": 64, "kernel": 3, "blocks": 3, "hidden": 64, "outputs": 1}
    thinks_long = player(BoardNetwork.zeros(**sizes), plies=3)

    def interrupt(_games: int, _pieces: int) -> None:
        raise KeyboardInterrupt

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        evaluate("standard", thinks_long, 1, backend=blockfall.LocalBackend(1, "scalar"), progress=interrupt)
    assert time.monotonic() - started < 10


def test_a_request_with_a_network_travels() -> None:
    request = blockfall.Request(rules("nes-no-rotation"), player(small()), games=2, seed=3)
    arrived = pickle.loads(pickle.dumps(request))
    assert arrived == request
    assert blockfall.LocalBackend(1).play(arrived) == blockfall.LocalBackend(2).play(request)
