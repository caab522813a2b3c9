"""How many lines agents make under each rule set, for menus. `strengths.json` is made by docs/measure_strengths.py."""

import json
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).parent / "strengths.json"


@cache
def _measured() -> dict[str, Any]:
    return dict(json.loads(_FILE.read_text(encoding="utf-8")))


def strength(rules_name: str, agent_name: str) -> tuple[float, float]:
    """By this, stronger agents come first: the mean lines of short games, then of whole games on 10x10."""
    measured = _measured()
    lines, _ = measured["lines"].get(rules_name, {}).get(agent_name, (-1.0, 0))
    most = max((row[0] for row in measured["lines"].get(rules_name, {}).values()), default=0.0)
    level = most if lines > 0.98 * most else lines  # games that the limit cut all alike
    return -level, -measured["whole_games_10x10"].get(agent_name, 0.0)


def lines_in_words(rules_name: str, agent_name: str) -> str:
    """The measured lines, or an empty text where nobody measured them."""
    found = _measured()["lines"].get(rules_name, {}).get(agent_name)
    if found is None:
        return ""
    lines, cut = found
    made = _measured()["made"]
    if cut == made["games"]:
        return f"{lines:,.0f} lines, cut at {made['pieces']:,} pieces"
    return f"{lines:,.1f} lines" if not cut else f"over {lines:,.0f} lines"
