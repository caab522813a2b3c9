"""Measure every agent under every rule set for the app's menus: `python tools/measure_strengths.py`, five minutes.

Games are short: they end after `PIECES` pieces. So the means of strong agents are lower bounds, beside the number of
games that were cut. If none is cut, many games are played, because the means of a few hardly separate agents. Agents
that the limit makes equal are ranked by whole games on 10x10: those of docs/data/agents.json for agents that know one
piece, and games played here for those that know more.
"""

import json
import sys
from pathlib import Path

import blockfall
from blockfall import agent, agent_names, evaluate, rules, rules_names
from blockfall.errors import BlockfallError

FILE = Path(__file__).parents[1] / "src" / "blockfall" / "app" / "parts" / "strengths.json"
WHOLE_GAMES = Path(__file__).parents[1] / "docs" / "data" / "agents.json"
GAMES, PIECES, SEED = 20, 1_000, 1
MANY_GAMES = 500
SMALL, SMALL_GAMES = "standard-10x10", 100


def main() -> None:
    found: dict[str, dict[str, list[float]]] = {}
    for name in rules_names():
        if rules(name).file.generator.name != "script":
            found[name] = {one: row for one in agent_names() if (row := measured(name, one))}
            print(f"{name}: {len(found[name])} agents", file=sys.stderr, flush=True)
    made = {
        "command": "python tools/measure_strengths.py",
        "version": blockfall.__version__,
        "games": GAMES,
        "many_games": MANY_GAMES,
        "pieces": PIECES,
        "seed": SEED,
    }
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in found.items())
    whole = json.dumps(whole_games())
    FILE.write_text(f'{{"made": {json.dumps(made)},\n"whole_games_10x10": {whole},\n"lines": {{\n{rows}\n}}}}\n')


def whole_games() -> dict[str, float]:
    """The mean lines on 10x10 of each agent that plays there, with the number of pieces that it knows."""
    small = {row["agent"]: row["mean"] for row in json.loads(WHOLE_GAMES.read_text())["small"]}
    for name in small:
        if agent(name).pieces_known > 1:
            small[name] = evaluate(SMALL, name, SMALL_GAMES, seed=SEED).summary().mean
            print(f"{SMALL} {name}: {small[name]:,.2f}", file=sys.stderr, flush=True)
    return {name: round(mean, 2) for name, mean in small.items()}


def measured(rules_name: str, agent_name: str) -> list[float] | None:
    """The mean lines, the number of cut games, and the number of games."""
    try:
        summary = evaluate(rules_name, agent_name, GAMES, seed=SEED, max_pieces=PIECES).summary()
    except BlockfallError:
        return None
    if not summary.capped:
        summary = evaluate(rules_name, agent_name, MANY_GAMES, seed=SEED, max_pieces=PIECES).summary()
    return [round(summary.mean, 2), summary.capped, summary.games]


if __name__ == "__main__":
    main()
