"""Board networks as files: they read as they were written, and errors are one line."""

import hashlib
import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blockfall import Agent, BoardNetwork, SettingError, agent, evaluate
from blockfall.errors import FileError
from tests.agents.board_networks import small
from tests.program import output_of, run_program


def saved(folder: Path, network: BoardNetwork | None = None) -> Path:
    Agent("net", network or small(), 2, plies=2, rules="nes-no-rotation", mean=1.5).save(folder / "mine.json")
    return folder / "mine.json"


def test_agents_travel_by_file_and_by_pickle(tmp_path: Path) -> None:
    path = saved(tmp_path)
    keys = json.loads(path.read_text())
    weights = (tmp_path / "mine.weights").read_bytes()
    assert keys["board_network"]["weights"] == "mine.weights"
    assert keys["board_network"]["sha256"] == hashlib.sha256(weights).hexdigest()
    found = agent(path)
    assert found == Agent("net", small(), 2, plies=2, rules="nes-no-rotation", mean=1.5)
    assert hash(found) == hash(pickle.loads(pickle.dumps(found)))
    assert pickle.loads(pickle.dumps(found)) == found
    assert evaluate("nes-no-rotation", path, 2, seed=4) == evaluate("nes-no-rotation", found, 2, seed=4)
    assert "mirror" not in keys["board_network"]
    mirroring = replace(small(), mirror=True)
    assert agent(saved(tmp_path, mirroring)).value == mirroring


def change(path: Path, **keys: Any) -> None:
    content = json.loads(path.read_text())
    content["board_network"] |= keys
    path.write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"weights": "../mine.weights"}, "must be the name of a file beside the agent's"),
        ({"weights": ""}, "must be the name of a file beside the agent's"),
        ({"weights": "none.weights"}, "No such file"),
        ({"sha256": "0" * 64}, "its checksum differs"),
        ({"sha256": "none"}, "64 digits"),
        ({"channels": 7}, "more than the"),
        ({"channels": 9}, "fewer than the"),
        ({"channels": 10**9}, "channels is 1000000000; it must be from 1 to 256"),
        ({"columns": 16, "channels": 256, "rows": 32, "hidden": 1024, "kernel": 7, "blocks": 16}, "fewer than the"),
        ({"columns": 2**40}, "board_network.columns"),
        ({"kernel": 2}, "kernel is 2; it must be odd"),
        ({"outputs": 2}, "outputs is 2; it must be 1 or 7"),
        ({"rows": 2.5}, "board_network.rows"),
        ({"layers": 3}, "unknown key"),
    ],
)
def test_hostile_files_give_a_one_line_error(tmp_path: Path, keys: dict[str, Any], message: str) -> None:
    path = saved(tmp_path)
    change(path, **keys)
    with pytest.raises(FileError) as error:
        agent(path)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("place", "kind", "number", "message"),
    [
        (0, "<i4", 25, "value_bits is 25"),
        (0, "<i4", -1, "value_bits is -1"),
        (-4, "<i4", -(2**31), "a bias is too large"),
        (-4, "<i4", 2**30, "the weights of an output are too large together"),
    ],
)
def test_hostile_weights_give_a_one_line_error(
    tmp_path: Path, place: int, kind: str, number: int, message: str
) -> None:
    path, network = saved(tmp_path), small()
    changed = bytearray(network.weights)
    place %= len(changed)
    changed[place : place + 4] = np.array(number, kind).tobytes()
    (tmp_path / "mine.weights").write_bytes(changed)
    change(path, sha256=hashlib.sha256(changed).hexdigest())
    with pytest.raises(FileError, match=message):
        agent(path)
    with pytest.raises(SettingError, match=message):
        BoardNetwork(**network.sizes, weights=bytes(changed), mirror=False)


def test_commands_take_networks(tmp_path: Path) -> None:
    path = str(saved(tmp_path))

    def said(*arguments: str) -> Any:
        return json.loads(output_of(*arguments, "--json"))

    common = ("--rules", "nes-no-rotation", "--agent", path)
    one, two = (said("evaluate", *common, "--games", "2", "--plies", plies) for plies in ("1", "2"))
    assert two["placements"] > 5 * one["placements"] * two["pieces"] / one["pieces"]
    assert len(said("watch", *common, "--max-pieces", "3", "--plies", "1")) == 3
    best = said("explain", *common, "--piece", "T", "--next", "S")[0]
    assert best["gap"] >= 0
    assert np.array(best["effects"]).shape == (20, 10)
    refused = run_program("connect", "ws://127.0.0.1:1", "--agent", path)
    assert refused.returncode == 2
    assert refused.stderr == "blockfall: net has a network for boards of 10x20; aveiro has boards of 8x30\n"
