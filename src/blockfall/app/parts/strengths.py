"""How many lines agents make under each rule set, for menus. `strengths.json` is made by tools/measure_strengths.py."""

import json
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).parent / "strengths.json"


@cache
def _measured() -> dict[str, Any]:
    return dict(json.loads(_FILE.read_text(encoding="utf-8")))


def strength(rules_name: str, agent_name: str) -> tuple[bool, float]:
    """The sort key that puts stronger agents first: the mean lines of short games.

    The limit of pieces makes agents equal whose every game meets it. They come first, by whole games on 10x10.
    """
    lines, cut, games = _measured()["lines"].get(rules_name, {}).get(agent_name, (-1.0, 0, 1))
    if cut == games:
        return False, -_whole_games(agent_name)
    return True, -lines


def lines_in_words(rules_name: str, agent_name: str) -> str:
    """The measured lines by which a menu is sorted; empty if not measured."""
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
    """The mean lines of whole games, on a board so small that all of them end."""
    return float(_measured()["whole_games_10x10"].get(agent_name, 0.0))
