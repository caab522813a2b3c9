"""The lines that agents clear under each rule set, for menus. tools/measure_strengths.py makes `strengths.json`."""

import json
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).parent / "strengths.json"


@cache
def _measured() -> dict[str, Any]:
    return dict(json.loads(_FILE.read_text(encoding="utf-8")))


def strength(rules_name: str, agent_name: str) -> tuple[bool, float]:
    """Return the sort key that puts stronger agents first: the mean lines of short games.

    Agents whose every game meets the piece limit are equal by it. They come first, in the order of whole 10x10 games.
    """
    lines, cut, games = _measured()["lines"].get(rules_name, {}).get(agent_name, (-1.0, 0, 1))
    if cut == games:
        return False, -_whole_games(agent_name)
    return True, -lines


def lines_in_words(rules_name: str, agent_name: str) -> str:
    """Return the measured lines by which a menu is sorted; empty if not measured."""
    found = _measured()["lines"].get(rules_name, {}).get(agent_name)
    if found is None:
        return ""
    lines, cut, games = found
    if cut == games:
        whole = _whole_games(agent_name)
        told = f"plays on after {_measured()['made']['pieces']:,} pieces"
        return f"{told}; {whole:,.0f} lines on 10x10" if whole else told
    return f"{lines:,.1f} lines" if not cut else f"over {lines:,.0f} lines"


def _whole_games(agent_name: str) -> float:
    """Return the mean lines of whole games on a board small enough for all of them to end."""
    return float(_measured()["whole_games_10x10"].get(agent_name, 0.0))
