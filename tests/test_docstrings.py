"""Every public module, class, function, method and property has a docstring."""

import ast
from collections.abc import Iterator
from pathlib import Path

import blockfall

PACKAGE = Path(blockfall.__file__).parent


def test_every_public_name_has_a_docstring() -> None:
    missing = [
        f"{path.relative_to(PACKAGE).as_posix()}: {name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for name in without_docstring(path.read_text())
    ]
    assert not missing, f"{len(missing)} public names have no docstring:\n" + "\n".join(missing)


def test_a_name_without_a_docstring_is_found() -> None:
    text = """
class Board:
    def __init__(self): ...
    @property
    def rows(self): ...
    def _hidden(self): ...
    def cells(self):
        "The filled cells."
    class _Inner:
        def method(self): ...
async def play():
    def helper(): ...
def _helper(): ...
"""
    assert list(without_docstring(text)) == ["the module", "Board", "Board.rows", "play"]
    assert list(without_docstring('"""Rules."""\nclass Rules: "A rule set."')) == []


def without_docstring(text: str) -> Iterator[str]:
    """Yield the public names in a file's text that have no docstring, in the file's order.

    A name is public where neither it nor a class around it starts with an underscore. Functions inside functions are
    not public.
    """
    module = ast.parse(text)
    if not ast.get_docstring(module):
        yield "the module"
    yield from _undocumented(module, "")


def _undocumented(owner: ast.Module | ast.ClassDef, prefix: str) -> Iterator[str]:
    for node in owner.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            name = prefix + node.name
            if not ast.get_docstring(node):
                yield name
            if isinstance(node, ast.ClassDef):
                yield from _undocumented(node, f"{name}.")
