"""Agents as files."""

import json
from pathlib import Path

import pytest

from blockfall import BlockfallError, agent, agent_names

DATA = json.loads((Path(__file__).parent / "data" / "weights.json").read_text())
IDS = {"1": "landing-height", "2": "eroded-cells", "3": "row-transitions", "4": "column-transitions"} | {
    "5": "holes",
    "6": "well-sums",
    "-6": "well-sums-fast",
    "-1": "hole-depth",
    "-2": "rows-with-holes",
    "-14": "diversity",
}


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("dellacherie", "dellacherie"),
        ("bcts", "BCTS (=DU, Thiery&Scherrer 2009)"),
        ("dt-10", "DT-10"),
        ("dt-20", "DT-20"),
    ],
)
def test_weights_are_the_published_ones(name: str, published: str) -> None:
    expected = {IDS[str(number)]: weight for number, weight in DATA[published]["features"]}
    assert agent(name).weights == expected
    assert list(agent(name).weights) == list(expected)


def test_birkens_weights_are_negated() -> None:
    assert [-weight for weight in agent("birken-6").weights.values()] == list(
        DATA["Birken NES 6-factor (minimise)"].values()
    )
    assert agent("birken-6").pieces_known == 2


def test_lees_weights() -> None:
    expected = DATA["Lee 2013 original"]
    assert list(agent("lee").weights.values()) == [
        expected["aggregate_height"],
        expected["lines"],
        expected["holes"],
        expected["bumpiness"],
    ]


@pytest.mark.parametrize("name", agent_names())
def test_every_agent_names_its_source(name: str) -> None:
    assert agent(name).name == name
    assert agent(name).source


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('{"weights": {"holes": NaN}}', "NaN"),
        ('{"weights": {"holes": Infinity}}', "Infinity"),
        ('{"weights": {"holes": 1e999}}', "finite"),
        ('{"weights": {"holes": 1e39}}', "finite"),
        ('{"weights": {"holes": "many"}}', "weights.holes is 'many'"),
        ('{"weights": {"holes": true}}', "weights.holes is True"),
        ('{"weights": {}}', "1 to 128 features"),
        ('{"name": "x"}', "'weights' is missing"),
        ('{"weights": {"hoels": 1}}', "unknown feature 'hoels'"),
        ('{"weights": {"holes": 1, "holes": 2}}', "'holes' stands twice"),
        ('{"weights": {"holes": 1}, "pieces_known": 0}', "pieces_known is 0; it must be a whole number from 1 to 8"),
        ('{"weights": {"holes": 1}, "colour": "red"}', "unknown key 'colour'"),
        ("[1, 2]", "the file is [1, 2]"),
        ("not json", "not JSON"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_wrong_agent_is_explained(tmp_path: Path, text: str, part: str) -> None:
    path = tmp_path / "mine.json"
    path.write_text(text)
    with pytest.raises(BlockfallError) as raised:
        agent(path)
    assert part in str(raised.value)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_unknown_names_list_the_known() -> None:
    with pytest.raises(BlockfallError, match="unknown agent 'nope'; known: bcts"):
        agent("nope")
