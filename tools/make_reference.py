"""Write docs/reference.md, the tables of everything with a name: `python tools/make_reference.py`."""

from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo
from typer.main import get_command

from blockfall.agents import Agent, agent, agent_names
from blockfall.cli import app
from blockfall.features import groups
from blockfall.learning import METHODS
from blockfall.optimisers import OPTIMISERS
from blockfall.search import algorithms
from blockfall.studies import STUDIES
from blockfall.validation import Settings, file_key
from registered import code, games, rule_sets, table

PAGE = Path(__file__).parents[1] / "docs" / "reference.md"
START = """# Reference tables

Everything in Blockfall that has a name. `python tools/make_reference.py` makes these tables from the program's
registries. The features have [a page of their own](features.md), with pictures. How well each agent plays is on [the
agents' page](agents.md).
"""


def commands() -> str:
    """The commands, with the first sentence of each."""
    group: Any = get_command(app)
    found = {name: group.get_command(None, name) for name in group.list_commands(None)}
    return table(
        ("command", "what it does"),
        ((code(f"blockfall {name}"), command.get_short_help_str(200)) for name, command in sorted(found.items())),
    )


def agents() -> str:
    return table(
        ("name", "its value", "pieces known", "made for", "source"),
        (
            (code(one.name), value_of(one), one.pieces_known, code(one.rules) if one.rules else "", one.source)
            for one in map(agent, agent_names())
        ),
    )


def value_of(one: Agent) -> str:
    return f"{one.value.title} ({len(one.feature_names)})" if one.feature_names else one.value.title


def settings_of(kind: type[Settings]) -> str:
    fields: dict[str, FieldInfo] = kind.model_fields
    return table(
        ("setting", "default", "meaning"),
        (
            (code(file_key(name, field)), "" if field.default is None else code(field.default), field.description or "")
            for name, field in fields.items()
        ),
    )


def page() -> str:
    """Return the whole page."""
    parts = [START]
    parts += ["\n## Commands\n\n", commands()]
    parts += ["\n## Rule sets\n\n`--rules NAME`; [rules.md](rules.md) has more.\n\n", rule_sets()]
    parts += ["\n## Agents\n\n`--agent NAME`.\n\n", agents()]
    rows = ((code(group.name), ", ".join(map(code, group.features)), group.source) for group in groups().values())
    parts += ["\n## Groups of features\n\n`--features NAME`.\n\n", table(("name", "features", "source"), rows)]
    parts += ["\n## Games\n\n`--game NAME`; [games.md](games.md) has more.\n\n", games()]
    found = ((code(one.name), one.title, one.source) for one in algorithms().values())
    parts += [
        "\n## Search algorithms\n\n`solve --algorithm NAME`.\n\n",
        table(("name", "what it does", "source"), found),
    ]
    parts.append("\n## Optimisers\n\n`train --optimiser NAME`, or `name` in the table `[optimiser]` of a run's file.\n")
    for optimiser in OPTIMISERS.values():
        parts.append(f"\n### {optimiser.name}\n\n{optimiser.title}. Source: {optimiser.source}.\n\n")
        parts.append(settings_of(optimiser))
    parts.append(
        "\n## Ways of learning\n\n`name` in the table `[learning]` of a run's file; [learning.md](learning.md).\n"
    )
    for method in METHODS.values():
        parts += [f"\n### {method.name}\n\n{method.title}.\n\n", settings_of(method)]
    told = ((code(one.name), one.title, one.source, one.quick_takes) for one in STUDIES.values())
    parts += [
        "\n## Studies\n\n`blockfall study NAME`.\n\n",
        table(("name", "question", "source", "quick budget takes"), told),
    ]
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
