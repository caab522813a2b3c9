"""Comments and docstrings cite only files that are in the repository, and no issue, which readers do not have."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator

import pytest

from tests import ROOT

PATHS = [path for folder in ("src", "tests", "tools", "benchmarks") for path in sorted((ROOT / folder).rglob("*.py"))]
CITED = re.compile(r"(?<![\w/.-])((?:src|tests|docs|native|tools|benchmarks|examples)/[\w/.-]*\.\w+|[\w-]+\.md)\b")
PAGES = {path.name for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))}


def prose(text: str) -> Iterator[str]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


def absent(text: str) -> list[str]:
    """Return what a file's prose cites in vain."""
    found = []
    for said in prose(text):
        found += [
            name for name in CITED.findall(said) if not ((ROOT / name).exists() if "/" in name else name in PAGES)
        ]
        found += re.findall(r"\bthe issue\b|\bissue \d+", said)
    return found


@pytest.mark.parametrize("folder", ["src", "tests", "tools", "benchmarks"])
def test_prose_cites_what_is_there(folder: str) -> None:
    wrong = {
        path.relative_to(ROOT).as_posix(): cited
        for path in PATHS
        if path.is_relative_to(ROOT / folder) and not {"class-of-ten", "corpus-0.1.0"} & set(path.parts)
        if (cited := absent(path.read_text(encoding="utf-8")))
    }
    assert not wrong


def test_a_vain_citation_is_found() -> None:
    assert absent('"""As tetris-rules.md says."""\n# tests/test_none.py, and the issue\n') == [
        "tests/test_none.py",
        "the issue",
        "tetris-rules.md",
    ]
    assert not absent('x = "page.md"  # docs/rules.md\n')
