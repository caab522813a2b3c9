"""Random rule sets, boards and agents for the property tests."""

import tempfile
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from blockfall import Agent, WeightedFeatures, rules
from blockfall.features import built_in_features
from blockfall.rulesets import Rules, rotation_names
from tests.reference.rules import Cells

BASES = (
    "standard",
    "nes",
    "nes-no-rotation",
    "nes-no-rotation-drop",
    "nes-no-rotation-timed",
    "guideline",
    "tetrisbot",
    "aveiro",
)
GENERATORS = ("uniform", "nes", "nes-lfsr", "7-bag", "tgm1", "tgm2", "tgm3", "tgm3-real", "script", "snake")


@cache
def variant(base: str, rotation: str, columns: int, rows: int, generator: str) -> Rules:
    """Return a user's rule set: a shipped one with another size, rotation system and generator."""
    text = f"""
extends = "{base}"
rotation = "{rotation}"
[board]
columns = {columns}
rows = {rows}
hidden_rows = {min(4, 32 - rows) if base == "guideline" else 0}
[spawn]
column = {(columns - 4) // 2}
row = {rules(base).file.spawn.row if rotation == rules(base).file.rotation else 0}
[generator]
name = "{generator}"
pieces = "TSZIOJLTTSZIIOLJSZSZTOIJLTOSZIL"
"""
    if base == "tetrisbot":
        text += f"[game_over]\nheight_limit = {rows - 1}\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{base}-{rotation}-{columns}x{rows}-{generator}.toml"
        path.write_text(text)
        return rules(path)


@st.composite
def rule_sets(draw: st.DrawFn, bases: tuple[str, ...] = BASES) -> Rules:
    base = draw(st.sampled_from(bases))
    rotation = draw(st.sampled_from([rules(base).file.rotation, *rotation_names()]))
    columns = draw(st.one_of(st.just(10), st.integers(4, 16)))
    rows = draw(st.integers(8, 28 if base == "guideline" else 32))
    return variant(base, rotation, columns, rows, draw(st.sampled_from(GENERATORS)))


@st.composite
def boards(draw: st.DrawFn, columns: int, rows: int, most: float = 0.7) -> Cells:
    """A stack with holes: each row below a random height is filled at random, but never completely."""
    height = draw(st.integers(0, int(rows * most)))
    cells = set()
    for y in range(height):
        row = draw(st.integers(0, 2**columns - 2))
        cells |= {(x, y) for x in range(columns) if row >> x & 1}
    return frozenset(cells)


@st.composite
def agents(draw: st.DrawFn, pieces_known: int = 1) -> Agent:
    """Some features in some order, with small whole weights that make ties common."""
    names = draw(st.lists(st.sampled_from([f.name for f in built_in_features()]), min_size=1, max_size=5, unique=True))
    weight = st.one_of(st.integers(-3, 3).map(float), st.floats(-10, 10, width=32))
    return Agent("random", WeightedFeatures({name: draw(weight) for name in names}), pieces_known)
