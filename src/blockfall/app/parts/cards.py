"""Cards that explain words: features, rule sets, agents, optimisers and search algorithms.

Anything on a page with `data-card="KIND/NAME"` shows its card when pointed at, focused or tapped (cards.js). `about`
adds such a button to a menu, and `term` makes such a word.
"""

from collections.abc import Callable
from functools import lru_cache
from html import escape
from pathlib import Path

from fastapi import HTTPException, Response
from nicegui import app, ui
from nicegui.elements.mixins.value_element import ValueElement

from blockfall.agents import agent, agent_names, registered_agents
from blockfall.app.parts.drawings import feature_svg, piece_svg, swarm_svg, tree_svg
from blockfall.app.parts.layout import layout
from blockfall.app.parts.strengths import lines_in_words
from blockfall.errors import BlockfallError
from blockfall.features import find_feature
from blockfall.games import game
from blockfall.games.board import Board
from blockfall.games.tetris import Game
from blockfall.learning import methods
from blockfall.optimisers import OPTIMISERS, Optimiser, Space, optimisers
from blockfall.rulesets import PIECES, Rules, registered_rules, rules, rules_names
from blockfall.search import SearchSettings, TracedSearch, algorithms, problem_of

_SCRIPT = Path(__file__).parent / "cards.js"
_BOARD = "1212\n2112\n1221"  # as in docs/algorithms.md
_NODES = 40
_ITERATIONS, _BETWEEN, _SHOWN = 40, 5, 12  # twelve candidates of every fifth iteration are drawn


def add_routes() -> None:
    """Add the script and the addresses of the cards."""
    app.add_static_file(local_file=_SCRIPT, url_path="/cards.js")
    app.get("/cards/{kind}/{name}")(card_answer)


def card_answer(kind: str, name: str) -> Response:
    """Return a card as a piece of HTML."""
    html = card(kind, name)
    if html is None:
        raise HTTPException(404)
    return Response(html, media_type="text/html; charset=utf-8", headers={"Cache-Control": "private, max-age=600"})


def card(kind: str, name: str) -> str | None:
    """Return the card's HTML, or None for an unknown kind or name."""
    return _card(kind, name) if kind in _KINDS and len(name) <= 80 else None


@lru_cache(maxsize=1_000)  # any name may be asked for
def _card(kind: str, name: str) -> str | None:
    try:
        return _KINDS[kind](name)
    except (BlockfallError, KeyError):
        return None


def term(kind: str, name: str, text: str = "") -> str:
    """Return a word as HTML that shows its card."""
    shown = escape(text or name)
    return f'<span class="bf-term" tabindex="0" data-card="{kind}/{escape(name, quote=True)}">{shown}</span>'


def about(menu: ValueElement[object], kind: str) -> None:
    """Add a button to a menu that shows the card of the chosen entry."""
    with menu.add_slot("after"):
        button = ui.button(icon="info_outline").props('flat round dense aria-label="What is this?"').classes("bf-about")

    def follow() -> None:
        button.props(f'data-card="{kind}/{menu.value or ""}"')

    menu.on_value_change(follow)
    follow()


def _html(title: str, sentence: str, drawing: str = "", facts: dict[str, str] | None = None) -> str:
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in (facts or {}).items() if value)
    return (
        f"<strong>{escape(title)}</strong>"
        + (f'<div class="bf-pop-drawing">{drawing}</div>' if drawing else "")
        + f"<p>{escape(sentence)}</p>"
        + (f"<dl>{rows}</dl>" if rows else "")
    )


def _feature(name: str) -> str:
    found = find_feature(name)
    value = f"{found.example_value:.6g}" if found.example else ""
    facts = {"Formula": found.formula, "Here": value, "From": found.source}
    return _html(found.name, found.definition, feature_svg(found.example) if found.example else "", facts)


def _rules(name: str) -> str:
    if name not in (*rules_names(), *registered_rules()):
        raise KeyError(name)
    found = rules(name)
    file = found.file
    drawing = "".join(piece_svg(found, letter) for letter in file.generator.only or PIECES)
    ways = {"drop": "Pieces drop straight down", "reachable": "Pieces are moved by keys"}
    turning = "" if _turns(found) else " They do not turn."
    hold = ", a hold queue" if file.play.hold else ""
    sentence = f"A board of {found.columns} columns and {found.visible_rows} rows. "
    sentence += f"{ways.get(file.placement.model, 'Pieces are placed')}.{turning}"
    facts = {
        "Name": name,
        "Pieces come": f"by {file.generator.name}{hold}",
        "From": file.source,
    }
    return _html(found.title, sentence, drawing, facts)


def _turns(found: Rules) -> bool:
    """Return whether any piece can land in more than one shape."""
    empty = Board.empty(found.columns, found.rows)
    every = (Game.at(found, empty, letter).placements() for letter in found.file.generator.only or PIECES)
    return any(len({one.shape for one in placements}) > 1 for placements in every)


def _agent(name: str) -> str:
    if name not in (*agent_names(), *registered_agents()):
        raise KeyError(name)
    found = agent(name)
    pieces = "1 piece" if found.pieces_known == 1 else f"{found.pieces_known} pieces"
    facts = {"Knows": pieces, "Best for": rules(found.rules).title if found.rules else ""}
    best = [one for one in ("standard", "nes", "nes-no-rotation") if lines_in_words(one, name)]
    facts |= {rules(one).title: lines_in_words(one, name) for one in best}
    return _html(name, found.source, "", facts)


def _optimiser(name: str) -> str:
    drawing = swarm_svg(_tried(OPTIMISERS[name])) if name in OPTIMISERS else ""
    found = {**optimisers(), **methods()}[name]
    return _html(found.title, trainer_in_words(name), drawing, {"Name": name, "From": found.source})


def trainer_in_words(name: str) -> str:
    """Describe an optimiser or a way of learning in a sentence."""
    found = {**optimisers(), **methods()}[name]
    return " ".join((found.__doc__ or "").split("\n\n")[0].split())


def _tried(kind: type[Optimiser]) -> list[tuple[float, float]]:
    """Return some of the optimiser's candidates, on a square from 0 to 1 with the best place in the middle."""
    search = kind(iterations=_ITERATIONS).start(Space(2, -0.5, 0.5), seed=1)
    tried: list[tuple[float, float]] = []
    for iteration in range(_ITERATIONS):
        candidates = search.ask()
        if iteration % _BETWEEN == 0:
            tried += [(0.5 + float(x), 0.5 + float(y)) for x, y in candidates[:_SHOWN] if max(abs(x), abs(y)) <= 0.5]
        search.tell(-(candidates**2).sum(axis=1))
    return tried


def _algorithm(name: str) -> str:
    found = algorithms()[name]
    facts = {"Textbook name": found.textbook, "Promises": found.promise, "From": found.source}
    drawing = "" if found.function or found.undoes else _small_search(name)
    return _html(name, found.title[:1].upper() + found.title[1:] + ".", drawing, facts)


def _small_search(name: str) -> str:
    """Draw the algorithm's search of a small board. Return an empty text if it does not expand single nodes."""
    limits = SearchSettings(node_limit=_NODES, time_limit_s=1, seed=1, level=1)
    traced = TracedSearch.run(problem_of(game("hopeless").read(_BOARD)), name, limits)
    return tree_svg(layout(traced.parents, _NODES)) if len(traced) > 1 else ""


_KINDS: dict[str, Callable[[str], str]] = {
    "feature": _feature,
    "rules": _rules,
    "agent": _agent,
    "optimiser": _optimiser,
    "algorithm": _algorithm,
}
