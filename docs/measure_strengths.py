"""Measures every agent under every rule set for the app's menus: `python docs/measure_strengths.py`.

Games are short: they end after `PIECES` pieces. So the means of strong agents are lower bounds, and the number of games
that were cut says so. Agents that the limit makes equal are ranked by whole games on 10x10 (docs/data/agents.json).
"""

import json
import sys
from pathlib import Path

import blockfall
from blockfall import agent_names, evaluate, rules, rules_names
from blockfall.errors import BlockfallError

FILE = Path(__file__).parents[1] / "src" / "blockfall" / "app" / "parts" / "strengths.json"
WHOLE_GAMES = Path(__file__).parent / "data" / "agents.json"
GAMES, PIECES, SEED = 20, 1_000, 1


def main() -> None:
    found: dict[str, dict[str, list[float]]] = {}
    for name in rules_names():
        if rules(name).file.generator.name != "script":
            found[name] = {agent: row for agent in agent_names() if (row := measured(name, agent))}
            print(f"{name}: {len(found[name])} agents", file=sys.stderr, flush=True)
    small = json.loads(WHOLE_GAMES.read_text())["small"]
    made = {
        "command": "python docs/measure_strengths.py",
        "version": blockfall.__version__,
        "games": GAMES,
        "pieces": PIECES,
        "seed": SEED,
    }
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in found.items())
    whole = json.dumps({row["agent"]: round(row["mean"], 2) for row in small})
    FILE.write_text(f'{{"made": {json.dumps(made)},\n"whole_games_10x10": {whole},\n"lines": {{\n{rows}\n}}}}\n')


def measured(rules_name: str, agent: str) -> list[float] | None:
    """The mean of the lines, and how many games were cut."""
    try:
        summary = evaluate(rules_name, agent, GAMES, seed=SEED, max_pieces=PIECES).summary()
    except BlockfallError:
        return None
    return [round(summary.mean, 2), summary.capped]


if __name__ == "__main__":
    main()
