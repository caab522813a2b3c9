"""Two agents on the same games: is one better, and by how much?"""

from dataclasses import dataclass
from pathlib import Path

from blockfall.agents import AgentLike
from blockfall.agents import agent as find_agent
from blockfall.compute import GAMES, Backend, Evaluation, PlayProgress, Request
from blockfall.compute import backend as find_backend
from blockfall.errors import SettingError, whole
from blockfall.experiments.statistics import Comparison
from blockfall.experiments.statistics import compare as compare_samples
from blockfall.rulesets import Rules
from blockfall.rulesets import rules as find_rules


@dataclass(frozen=True, repr=False)
class AgentComparison:
    """The results of two agents in the same games.

    >>> import blockfall
    >>> found = blockfall.compare(rules="nes-no-rotation", agents=("birken-6", "lee"), games=50, seed=1)
    >>> print(str(found)[:93])
    <AgentComparison: nes-no-rotation, seed 1, 50 games each, birken-6 9.58 ± 0.56 and lee 1.32 ±
    >>> str(found.lines.verdict), found.played[0].lines.shape
    ('the first is better', (50,))
    """

    rules: str
    seed: int
    names: tuple[str, str]
    played: tuple[Evaluation, Evaluation]
    lines: Comparison
    """The lines of the first agent's games against those of the second's, game by game."""

    def __repr__(self) -> str:
        means = [(name, one.summary()) for name, one in zip(self.names, self.played, strict=True)]
        told = " and ".join(f"{name} {one.mean:,.2f} ± {one.sem:,.2f}" for name, one in means)
        return (
            f"<AgentComparison: {self.rules}, seed {self.seed}, {means[0][1].games:,} games each, {told} lines: "
            f"{self.lines.sentence(*self.names)}>"
        )


def compare(
    rules: Rules | str | Path,
    agents: tuple[AgentLike, AgentLike],
    games: int = GAMES,
    seed: int = 1,
    *,
    max_pieces: int | None = None,
    hold: bool = False,
    backend: Backend | str | None = None,
    progress: PlayProgress | None = None,
) -> AgentComparison:
    """Play the same games with both agents, and judge the difference of their lines by a paired t-test.

    With `hold`, both use the hold queue, which the rules must have. `progress` counts the games of both agents.

    >>> found = compare(rules="nes-no-rotation", agents=("birken-6", "lee"), games=50, seed=1)
    >>> found.names, found.lines.difference > 0
    (('birken-6', 'lee'), True)
    """
    if len(agents) != 2:
        raise SettingError(f"{len(agents)} agents; a comparison needs 2")
    if whole(games, "games") < 2:
        raise SettingError(f"{games} games; a comparison needs at least 2")
    game_rules, player = find_rules(rules), find_backend(backend)
    first, second = (
        Request(game_rules, find_agent(name), games, seed, max_pieces=max_pieces, hold=hold) for name in agents
    )
    one = player.play(first, progress)
    placed = int(one.pieces.sum())

    def report(done: int, pieces: int) -> None:
        if progress:
            progress(games + done, placed + pieces)

    other = player.play(second, report)
    names = (first.agent.name, second.agent.name)
    return AgentComparison(game_rules.name, seed, names, (one, other), compare_samples(one.lines, other.lines))
