"""Tables of what is registered, in Markdown."""

from collections.abc import Iterable
from pathlib import Path

from blockfall.agents.values import KINDS
from blockfall.games import game, shipped_games
from blockfall.games.protocol import Option
from blockfall.optimisers import OPTIMISERS, Optimiser
from blockfall.rulesets import Rules, rules, rules_names
from blockfall.studies import STUDIES

ROOT = Path(__file__).parents[1]


def table(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    columns = list(columns)
    whole = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(cell_text(cell) for cell in row)} |\n" for row in whole)


def cell_text(cell: object) -> str:
    return " ".join(str(cell).split()).replace("|", "\\|")


def code(word: object) -> str:
    return f"`{word}`"


def value_kinds() -> str:
    """Return the keys of an agent's file that give its value."""
    kinds = KINDS.values()
    return table(("key", "its value"), ((code(kind.key), (kind.__doc__ or "").partition("\n")[0]) for kind in kinds))


def rule_sets() -> str:
    """Return the rule sets, with what tells them apart."""
    return table(
        ("name", "what it is", "board", "placements", "generator", "a game ends when", "source"),
        (
            (
                code(one.name),
                one.title,
                f"{one.columns}x{one.visible_rows}",
                placements(one),
                code(one.file.generator.name),
                ends(one),
                one.source,
            )
            for one in map(rules, rules_names())
        ),
    )


def placements(one: Rules) -> str:
    """Return where pieces can come to rest, in words."""
    way = one.file.placement
    if way.model == "drop":
        return "straight down"
    timed = "a few keys per row, " if way.keys_per_row else ""
    turns = "" if {"clockwise", "counter-clockwise"} & set(way.keys) else ", without rotation"
    keys = "wherever keys lead" if way.keys_per_row or "down" in way.keys else "shifts at the top, then straight down"
    return f"{timed}{keys}{turns}"


def ends(one: Rules) -> str:
    """Return what ends a game, in words."""
    over = one.file.game_over
    reasons = {
        f"the stack is higher than {over.height_limit or one.visible_rows} rows": over.overflow,
        "the spawn cells are taken": over.block_out,
        "a piece locks above the visible rows": over.lock_out,
    }
    return ", or ".join(text for text, applies in reasons.items() if applies)


def games() -> str:
    """Return the games and their options."""
    kinds = map(game, shipped_games())
    return table(
        ("name", "title", "options", "options of its search"),
        ((code(kind.name), kind.title, explained(kind.options), explained(kind.search_options)) for kind in kinds),
    )


def explained(options: Iterable[Option]) -> str:
    return "; ".join(f"{code(option.name)}: {option.what}" for option in options)


def optimisers() -> str:
    """Return the optimisers and the settings that only they have."""
    return table(
        ("name", "what it is", "source", "its own settings"),
        (
            (
                code(kind.name),
                kind.title,
                kind.source,
                ", ".join(code(name) for name in kind.model_fields if name not in Optimiser.model_fields),
            )
            for kind in OPTIMISERS.values()
        ),
    )


def studies() -> str:
    """Return the studies, with links to those that have a page."""
    pages = {name: f"docs/studies/{name}.md" for name in STUDIES}
    rows = (
        (f"[{name}]({pages[name]})" if (ROOT / pages[name]).exists() else name, study.title)
        for name, study in STUDIES.items()
    )
    return table(("The studies, run again", ""), rows)
