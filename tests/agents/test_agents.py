"""Agents as files."""

import json
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Annotated, Any, ClassVar

import pytest
from pydantic import Field

from blockfall import (
    Agent,
    BlockfallError,
    FeatureNetwork,
    Game,
    Guard,
    LookAhead,
    Table,
    WeightedFeatures,
    _core,
    agent,
    agent_names,
    evaluate,
)
from blockfall.agents.values import KINDS, Play, Value
from blockfall.agents.values.base import core_of_features
from blockfall.agents.values.weighted import Weights
from blockfall.app.parts.reasons import reasons
from blockfall.cli.explaining import explain_command
from blockfall.compute.cuda.seating import value_policy
from blockfall.errors import SettingError
from blockfall.games.explanation import explain
from blockfall.learning import TableLearning
from blockfall.learning.method import Beginning
from blockfall.rulesets import rules
from tests import ROOT

DATA: dict[str, Any] = json.loads((ROOT / "tests" / "data" / "weights.json").read_text())
IDS = {"1": "landing-height", "2": "eroded-cells", "3": "row-transitions", "4": "column-transitions"} | {
    "5": "holes",
    "6": "well-sums",
    "-6": "well-sums-fast",
    "-1": "hole-depth",
    "-2": "rows-with-holes",
    "-14": "diversity",
    "7": "max-height",
}


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("dellacherie", "dellacherie"),
        ("bcts", "BCTS (=DU, Thiery&Scherrer 2009)"),
        ("dt-10", "DT-10"),
        ("dt-20", "DT-20"),
        ("bdu", "BDU (Thiery&Scherrer 2009)"),
        ("ce-dellacherie", "CE on Dellacherie's 6"),
        ("ce-bertsekas", "CE on Bertsekas 21"),
        ("ce-bdu", "CE bdu (another)"),
        ("cma-es-dellacherie", "CMA-ES Dellacherie"),
        ("cma-es-bdu-1", "CMA-ES bdu 1"),
        ("cma-es-bdu-2", "CMA-ES bdu 2"),
        ("cma-es-bdu-3", "CMA-ES bdu 3"),
    ],
)
def test_weights_are_the_published_ones(name: str, published: str) -> None:
    numbers = {8: count(1), 9: count(1)}  # one feature per column there, in order
    names = {8: "column-height-{}", 9: "height-difference-{}"}
    expected = {
        names[number].format(next(numbers[number])) if number in names else IDS[str(number)]: weight
        for number, weight in DATA[published]["features"]
    }
    assert agent(name).weights == expected
    assert list(agent(name).weights) == list(expected)


def test_birkens_weights_are_negated() -> None:
    assert [-weight for weight in agent("birken-6").weights.values()] == list(
        DATA["Birken NES 6-factor (minimise)"].values()
    )
    assert agent("birken-6").pieces_known == 2


def test_birkens_seventeen_weights_are_negated() -> None:
    for name, part in (("birken-17", "Java"), ("birken-17-textrads", "textrads")):
        published = next(weights for key, weights in DATA.items() if "17-factor" in key and part in key)
        assert [-weight for weight in agent(name).weights.values()] == list(published.values())


def test_wangs_weights_are_negated() -> None:
    published = DATA["PSO-Tetris-AI (minimise cost)"]
    assert [-weight for weight in agent("wang-2018").weights.values()] == list(published.values())
    assert agent("wang-2018").pieces_known == 2


def test_el_tetris_has_lines_for_eroded_cells() -> None:
    published = [weight for _, weight in DATA["El-Tetris"]["features"]]
    assert list(agent("el-tetris").weights.values()) == published
    assert list(agent("el-tetris").weights)[1] == "lines-cleared"


def test_table_10_of_data2021() -> None:
    """The columns of table 10, value by value, with horizontal and vertical transitions as features.md reads them."""
    rows: dict[str, list[float | None]] = {
        "piece-top": [-0.196, -0.822, -1.831, -2.284, -2.15, -2.47, -0.812],
        "heights-sum": [-0.666, -4.654, None, None, None, None, -3.627],
        "mean-height": [None, None, -1.36, -1.304, -2.636, -1.472, 3.215],
        "holes": [-1.3, -2.45, -4.168, -3.237, None, None, -2.68],
        "row-transitions": [None, None, None, -2.824, -0.43, 0.358, -1.033],
        "column-transitions": [None, None, -4.054, -2.662, -2.824, -4.013, -3.992],
        "bumpiness": [-0.334, -1.381, -2.111, -1.461, -0.633, -2.09, -1.373],
        "weighted-relative-height": [None, None, -0.081, None, -0.178, 1.06, 2.086],
        "max-height": [None, None, None, None, None, -1.226, -3.093],
        "min-height": [None, None, None, None, None, -0.757, 4.073],
        "height-range": [None, None, None, 1.597, 1.05, None, None],
        "lines-cleared": [None, -1.184, None, None, None, 1.815, -0.043],
        "deepest-well": [None, None, None, None, -0.846, None, -3.101],
        "well-depths": [None, None, None, None, None, -1.09, 4.263],
        "fill-percent": [None, None, None, None, None, None, 1.858],
    }
    for column, size in enumerate((4, 5, 6, 7, 8, 10, 14)):
        expected = {name: weights[column] for name, weights in rows.items() if weights[column] is not None}
        assert agent(f"data-{size}").weights == expected
        assert len(expected) == size


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
        ('{"weights": {"holes": 1, "holes": 2}}', "'holes' appears twice"),
        ('{"weights": {"holes": 1}, "pieces_known": 0}', "pieces_known is 0; it must be a whole number from 1 to 8"),
        ('{"weights": {"holes": 1}, "colour": "red"}', "unknown key 'colour'"),
        ("[1, 2]", "the file is [1, 2]"),
        ("not json", "not JSON"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_wrong_agent_file_is_refused_with_the_reason(tmp_path: Path, text: str, part: str) -> None:
    path = tmp_path / "mine.json"
    path.write_text(text)
    with pytest.raises(BlockfallError) as raised:
        agent(path)
    assert part in str(raised.value)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(BlockfallError, match=r"unknown agent 'delacherie'; the nearest of [0-9]+: dellacherie, "):
        agent("delacherie")


@pytest.mark.parametrize("name", agent_names())
def test_a_saved_agent_loads_unchanged(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"{name}.json"
    agent(name).save(path)
    assert agent(path) == agent(name)


HOLES = WeightedFeatures({"holes": -4.0})


@pytest.mark.parametrize(
    ("make", "part"),
    [
        (lambda: WeightedFeatures({}), "weights has 0 features; it must have 1 to 128"),
        (lambda: WeightedFeatures({"hoels": 1.0}), "unknown feature 'hoels'"),
        (lambda: WeightedFeatures({"holes": float("nan")}), "weights has nan; it must be a finite number"),
        (lambda: WeightedFeatures({"holes": 1e39}), "weights has 1e\\+39; it must be a finite number"),
        (lambda: WeightedFeatures({"holes": "many"}), "something that is not a number"),  # type: ignore[dict-item]
        (lambda: HOLES.with_parameters([1.0, 2.0]), "weights has 2 numbers; it must have 1"),
        (lambda: FeatureNetwork(("holes",), (), (1.0, 1.0)), "0 hidden layers; it must have 1 to 8"),
        (lambda: FeatureNetwork(("holes",), (300,), ()), "300 neurons; it must have 1 to 256"),
        (lambda: FeatureNetwork(("holes",), (2,), (1.0,)), "a network has 1 numbers; it must have 7"),
        (lambda: FeatureNetwork(("holes", "holes"), (2,), (1.0,)), "a network has 'holes' twice"),
        (lambda: Table((1.0,)), "a table has 1 numbers; it must have 26,068"),
        (lambda: Agent("x", HOLES, pieces_known=0), "0 pieces known; an agent knows 1 to 8"),
        (lambda: Agent("x", HOLES, pieces_known=9), "9 pieces known"),
        (lambda: agent("lee").knowing(9), "9 pieces known"),
        (lambda: Agent("x", {"holes": 1.0}), "the value of x is a dict; it must be one of W"),  # type: ignore[arg-type]
        (lambda: Guard(33, 0), "guard: max_height is 33; it must be a whole number from 0 to 32"),
        (lambda: LookAhead(129), "look-ahead: best is 129; it must be a whole number from 1 to 128"),
        (lambda: agent("lee").looking_ahead(-1), "look-ahead: best is -1"),
        (lambda: LookAhead(1, float("inf")), "look-ahead: loss is inf"),
    ],
)
def test_a_wrong_agent_cannot_be_made(make: Callable[[], object], part: str) -> None:
    with pytest.raises(BlockfallError, match=part):
        make()


def holds_the_contract(value: Value, folder: Path) -> None:
    numbers = [float(place % 5) for place in range(len(value.parameters))]
    changed = value.with_parameters(numbers)
    assert changed.parameters == tuple(numbers)
    assert (changed != value) == bool(numbers)
    assert hash(value.with_parameters(value.parameters)) == hash(value)
    assert value.with_parameters(value.parameters) == value
    assert set(value.explainer.shares(dict.fromkeys(value.features, 1.0))) <= set(value.features)
    player = Agent("x", value, value.pieces_known or 1)
    assert player.core.take_failed() is None
    assert not player.is_outside
    player.save(folder / "mine.json")
    assert agent(folder / "mine.json") == player
    wishes: list[tuple[str, dict[str, Any]]] = [
        ("guard", {"guard": Guard(9, 9)}),
        ("look-ahead", {"look_ahead": LookAhead(2)}),
        ("plies", {"plies": 2}),
    ]
    for option, wish in wishes:
        with nullcontext() if option in value.options else pytest.raises(SettingError, match="such an agent cannot"):
            replace(player, **wish)


@pytest.mark.parametrize("kind", KINDS.values())
def test_every_kind_of_value_keeps_the_contract(kind: type[Value], tmp_path: Path) -> None:
    holds_the_contract(kind.small(), tmp_path)


def test_shares_add_up_to_the_value() -> None:
    value = WeightedFeatures({"holes": -4.0, "bumpiness": 0.5})
    assert value.explainer.shares({"holes": 3.0, "bumpiness": 2.0}) == {"holes": -12.0, "bumpiness": 1.0}
    assert FeatureNetwork.zeros(("holes",), (1,)).explainer.shares({"holes": 3.0}) == {}


@dataclass(frozen=True)
class Contrary(Value):
    """A kind of value that prefers what the weights dislike. It takes this class and nothing else."""

    key: ClassVar[str] = "contrary"
    title: ClassVar[str] = "contrary weights"
    file_type: ClassVar[Any] = Annotated[Weights | None, Field(description="an object of features and their weights")]

    features: tuple[str, ...] = field()
    parameters: tuple[float, ...] = field()

    def with_parameters(self, parameters: Sequence[float]) -> "Contrary":
        return replace(self, parameters=tuple(parameters))

    @classmethod
    def from_file(cls, found: dict[str, float], _folder: Path) -> "Contrary":
        return cls(tuple(found), tuple(found.values()))

    def as_json(self, _stem: str = "agent") -> object:
        return dict(zip(self.features, self.parameters, strict=True))

    def _for_core(self, play: Play) -> _core.Agent:
        return core_of_features(self.features, [-number for number in self.parameters], play)


def test_a_new_kind_of_value_works_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One class makes a kind, once it is in `KINDS`: nothing in the package asks which kind a value is."""
    monkeypatch.setitem(KINDS, Contrary.key, Contrary)
    lee = agent("lee")
    holds_the_contract(Contrary(tuple(lee.weights), tuple(lee.weights.values())), tmp_path)
    path = tmp_path / "contrary.json"
    path.write_text(json.dumps({"contrary": {name: -weight for name, weight in lee.weights.items()}}))
    upside_down = agent(path)
    assert upside_down.as_json()["contrary"] == json.loads(path.read_text())["contrary"]
    assert evaluate("nes-no-rotation", upside_down, 5, seed=2) == evaluate("nes-no-rotation", lee, 5, seed=2)
    game = Game("nes-no-rotation", seed=2, pieces_known=1)
    placement = game.choose(lee)
    assert game.choose(upside_down) == placement
    explained = explain(game, upside_down)[0]
    assert (explained.placement, explained.shares, explained.entry, explained.effects) == (placement, {}, None, ())
    assert explained.measures.keys() == lee.weights.keys()
    assert upside_down.weights == {}
    assert [reason.feature for reason in reasons(upside_down, explained, None)] == list(lee.weights)
    explain_command(agent_name=str(path))
    assert "the inputs of the value" in capsys.readouterr().out
    with pytest.raises(SettingError, match="contrary has contrary weights; backend cuda plays"):
        value_policy(rules("nes"), upside_down)
    with pytest.raises(SettingError, match="it has contrary weights, not a table"):
        TableLearning().check_first(Beginning(rules("nes"), first=upside_down))
    path.write_text('{"contrary": {"holes": "many"}}')
    with pytest.raises(BlockfallError, match="it must be an object of features and their weights"):
        agent(path)
    path.write_text('{"contrary": {"holes": 1}, "weights": {"holes": 1}}')
    with pytest.raises(BlockfallError, match="both weights and contrary weights"):
        agent(path)
