"""The study's agents and their games."""

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from blockfall.agents import Agent, Guard, agent
from blockfall.compute import Evaluation, LocalBackend, evaluate
from blockfall.experiments.statistics import Description, describe
from blockfall.rulesets import Rules
from blockfall.server.course import NOTHING, RULES
from blockfall.server.game import CourseGame, dealt
from blockfall.server.messages import Frame
from blockfall.server.pilot import Pilot
from blockfall.studies.base import Work

PLAN: dict[str, Any] = tomllib.loads((Path(__file__).parent / "plan.toml").read_text(encoding="utf-8"))
DOCUMENT = "aveiro"
LOOKING_AHEAD: list[str] = PLAN["look_ahead"]["agents"]
AGENTS = tuple(dict.fromkeys((DOCUMENT, *LOOKING_AHEAD, *PLAN["others"]["agents"])))
"""The shipped agents that play in the study."""

DEEP = 2
"""The pieces of look-ahead from which there are fewer games."""


@dataclass(frozen=True)
class Variant:
    """An agent of the study. `part` is the sheet that lists it."""

    part: str
    name: str
    agent: Agent
    rules: Rules = RULES

    @property
    def look_ahead(self) -> int:
        """The number of pieces that it knows beyond the falling one."""
        return self.agent.pieces_known - 1


@dataclass(frozen=True)
class PlayedVariant:
    """An agent of the study and its games."""

    variant: Variant
    games: Evaluation
    max_pieces: int

    @property
    def points(self) -> Description:
        """The points per game."""
        return describe(self.games.score)

    @property
    def lines(self) -> Description:
        """The lines per game."""
        return describe(self.games.lines)

    @property
    def pieces(self) -> Description:
        """The pieces per game."""
        return describe(self.games.pieces)

    @property
    def points_per_line(self) -> float:
        """The points of all games divided by their lines."""
        return float(self.games.score.sum()) / max(1, int(self.games.lines.sum()))


@dataclass(frozen=True)
class Followed:
    """The beginning of the first game, frame by frame."""

    variant: Variant
    pieces: int
    frames: int
    keys: int
    most_keys: int
    """The most keys for one piece."""
    missed: int
    equal: bool
    """True if the game equals the core's in points, lines and pieces."""


def variants() -> list[Variant]:
    """Return all agents of the study."""
    document = agent(DOCUMENT)
    plain = replace(document, guard=None)
    found = [Variant("guard", "aveiro", document), Variant("guard", "aveiro without guard", plain)]
    for what, rules in (("slides", _unhurried(slides=True)), ("straight drops", _unhurried(slides=False))):
        found += [Variant("keys", f"{one.name}, all keys first, {what}", one.agent, rules) for one in found[:2]]
    for name in LOOKING_AHEAD:
        found += [
            Variant("look-ahead", f"{name}, look-ahead {ahead}", agent(name).knowing(1 + ahead))
            for ahead in PLAN["look_ahead"]["pieces"]
        ]
    found += [Variant("others", name, agent(name)) for name in PLAN["others"]["agents"]]
    for height in PLAN["guard"]["max_height"]:
        for bumpiness in PLAN["guard"]["bumpiness"]:
            guarded = replace(document, guard=Guard(max_height=height, bumpiness=bumpiness))
            found.append(Variant("thresholds", f"guard from height {height} and bumpiness {bumpiness}", guarded))
    return found


def _unhurried(*, slides: bool) -> Rules:
    """Return the course's rules with all keys before a piece falls, instead of one key per row."""
    keys = (*RULES.file.placement.keys, *(("down",) if slides else ()))  # without `down` a piece falls in one go
    placement = RULES.file.placement.model_copy(update={"keys": keys, "keys_per_row": (), "keys_on_spawn_row": True})
    name = f"{RULES.name}-unhurried-{'slides' if slides else 'drops'}"
    return replace(RULES, name=name, file=RULES.file.model_copy(update={"placement": placement}))


def played(budget: str, seed: int, work: Work) -> list[PlayedVariant]:
    """Play the same games with every agent."""
    sizes = PLAN["budgets"][budget]
    plan = variants()
    most = sizes["max_pieces"]
    results = []
    with work.phase("agents", len(plan) * _STEPS) as update:
        for number, variant in enumerate(plan):
            games = sizes[_SIZES.get(variant.part, "deep_games" if variant.look_ahead >= DEEP else "games")]

            def show(_: int, pieces: int, before: int = number * _STEPS, all_: int = games * most) -> None:
                update(before + _STEPS * pieces // all_, plan[before // _STEPS].name)

            done = evaluate(
                variant.rules, variant.agent, games, seed, max_pieces=most, backend=work.backend, progress=show
            )
            results.append(PlayedVariant(variant, done, most))
    return results


_SIZES = dict.fromkeys(("guard", "keys", "thresholds"), "guard_games")
_STEPS = 1000  # of the progress bar, per agent
_SHOWN = 3  # pieces after the one to come, on the frame before it appears; with more, the pilot chooses again later


def followed(budget: str, seed: int, work: Work) -> list[Followed]:
    """Play the first game of most agents by the server's frames and the client's pilot, in lockstep."""
    plan = [
        variant for variant in variants() if variant.part not in ("thresholds", "keys") and variant.look_ahead < _SHOWN
    ]
    found = []
    with work.phase("frames", len(plan)) as update:
        for number, variant in enumerate(plan):
            update(number, variant.name)
            found.append(_follow(variant, seed, PLAN["budgets"][budget]["followed"]))
    return found


def _follow(variant: Variant, seed: int, most_pieces: int) -> Followed:
    game, pilot = CourseGame(dealt(seed, 0)), Pilot(variant.agent)
    key = ""
    keys = [0]
    while not game.over and game.pieces < most_pieces:
        before = game.pieces
        pilot.see(Frame.model_validate_json(game.step(key)))
        key = pilot.key() or NOTHING
        if game.pieces > before:
            keys.append(0)
        keys[-1] += key != ""
    core = evaluate(RULES, variant.agent, 1, seed, max_pieces=most_pieces, backend=LocalBackend(threads=1))
    equal = (game.score, game.lines, game.pieces) == (core.score[0], core.lines[0], core.pieces[0])
    return Followed(variant, game.pieces, game.frames, int(np.sum(keys)), max(keys), pilot.tally.missed, equal)
