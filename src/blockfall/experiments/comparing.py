"""Two agents on the same games: is one better, and by how much?"""

from dataclasses import dataclass
from pathlib import Path

from blockfall.agents import AgentLike
from blockfall.agents import agent as find_agent
from blockfall.compute import GAMES, Backend, Evaluation, Progress, Request
from blockfall.compute import backend as find_backend
from blockfall.errors import SettingError, whole
from blockfall.experiments.statistics import Comparison
from blockfall.experiments.statistics import compare as compare_samples
from blockfall.rulesets import Rules
from blockfall.rulesets import rules as find_rules


@dataclass(frozen=True)
class AgentComparison:
    """What two agents made of the same games.

    >>> import blockfall
    >>> found = blockfall.compare(rules="nes-no-rotation", agents=("birken-6", "lee"), games=50, seed=1)
    >>> str(found.lines.verdict), found.played[0].lines.shape
    ('the first is better', (50,))
    """

    names: tuple[str, str]
    played: tuple[Evaluation, Evaluation]
    lines: Comparison
    """The lines of the first agent's games against those of the second's, game by game."""


def compare(
    rules: Rules | str | Path,
    agents: tuple[AgentLike, AgentLike],
    games: int = GAMES,
    seed: int = 1,
    *,
    max_pieces: int | None = None,
    backend: Backend | str | None = None,
    progress: Progress | None = None,
) -> AgentComparison:
    """Both agents play the same games; a paired t-test then judges the difference of their lines.

    `progress` counts the games of both agents together.

    >>> found = compare(rules="nes-no-rotation", agents=("birken-6", "lee"), games=50, seed=1)
    >>> found.names, found.lines.difference > 0
    (('birken-6', 'lee'), True)
    """
    if len(agents) != 2:
        raise SettingError(f"{len(agents)} agents; a comparison is of 2")
    if whole(games, "games") < 2:
        raise SettingError(f"{games} games; a comparison needs at least 2")
    game_rules, player = find_rules(rules), find_backend(backend)
    first, second = (Request(game_rules, find_agent(name), games, seed, max_pieces=max_pieces) for name in agents)
    one = player.play(first, progress)
    placed = int(one.pieces.sum())

    def report(done: int, pieces: int) -> None:
        if progress:
            progress(games + done, placed + pieces)

    other = player.play(second, report)
    names = (first.agent.name, second.agent.name)
    return AgentComparison(names, (one, other), compare_samples(one.lines, other.lines))
