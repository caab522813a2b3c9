"""Blockfall: a laboratory for agents that play falling-block puzzles.

>>> import blockfall
>>> rules, agent = blockfall.rules("nes-no-rotation"), blockfall.agent("birken-6")
>>> game = blockfall.Game(rules, seed=7)
>>> while not game.over:
...     game.play(game.choose(agent))
>>> game.outcome.termination.name
'BLOCK_OUT'

The stub beside this file, `__init__.pyi`, lists the public names. Each is loaded when it is first used, which keeps
the import quick.
"""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

_HOME_OF = {
    alias.name: node.module
    for node in ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")).body
    if isinstance(node, ast.ImportFrom) and node.module
    for alias in node.names
}
"""The module of each public name, from the stub."""

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    """Load a public name, a room of the package or the version when it is first used."""
    if name in _HOME_OF:
        found = getattr(import_module(_HOME_OF[name]), name)
    elif name == "__version__":
        from importlib.metadata import version

        found = version("blockfall")
    elif name in {home.split(".")[1] for home in _HOME_OF.values()}:
        return import_module(f"blockfall.{name}")
    else:
        return import_module("blockfall.deprecated").names(__name__, 4)(name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
