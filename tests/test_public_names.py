"""The names of `import blockfall`: each loads and has a docstring with an example; the import is quick."""

import ast
import inspect
import json
import subprocess
import sys
import textwrap
import typing
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import pytest

import blockfall
from blockfall import _core
from blockfall.search import problem_of

MOST_SECONDS = 0.3


@pytest.mark.parametrize("name", blockfall.__all__)
def test_every_name_has_a_docstring_with_an_example(name: str) -> None:
    docstring = inspect.getdoc(getattr(blockfall, name)) or ""
    assert ">>> " in docstring, "an example, which tests/docs/test_examples.py runs"


def test_the_stub_has_each_name_once() -> None:
    stub = ast.parse(Path(blockfall.__file__).with_suffix(".pyi").read_text())
    imported = [alias for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert all(alias.asname == alias.name for alias in imported), "type checkers see `A as A` only"
    assert sorted(alias.name for alias in imported) == blockfall.__all__


def test_features_is_the_package() -> None:
    import blockfall.features as package

    assert inspect.ismodule(package)
    assert blockfall.features is package


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = blockfall.nonsense  # type: ignore[attr-defined]


def _signatures() -> list[tuple[str, inspect.Signature]]:
    """Return the signatures of every public function, and of every public class's constructor and public methods."""
    found = []
    for name in blockfall.__all__:
        thing = getattr(blockfall, name)
        if inspect.isclass(thing):
            members = inspect.getmembers(thing, lambda one: inspect.isfunction(one) or inspect.ismethod(one))
            found += [(f"{name}.{key}", inspect.signature(member)) for key, member in members if key[0] != "_"]
            if "__init__" in vars(thing):
                found.append((name, inspect.signature(thing)))
        elif inspect.isfunction(thing):
            found.append((name, inspect.signature(thing)))
    return found


def _attributes() -> list[tuple[str, object, str]]:
    """Return the name, type and docstring of each public property and field of every public class."""
    found = []
    for name in blockfall.__all__:
        kind = getattr(blockfall, name)
        for base in inspect.getmro(kind) if inspect.isclass(kind) else ():
            for key, member in vars(base).items():
                if isinstance(member, property | cached_property) and key[0] != "_":
                    getter = member.fget if isinstance(member, property) else member.func
                    assert getter
                    found.append((f"{name}.{key}", inspect.signature(getter).return_annotation, getter.__doc__ or ""))
            fields = inspect.get_annotations(base)
            found += [(f"{name}.{key}", fields[key], _field_docstring(base, key)) for key in fields if key[0] != "_"]
    return found


def _field_docstring(kind: type, field: str) -> str:
    """Return the string below a field of a class; empty where there is none."""
    try:
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    except (OSError, TypeError):  # not written in Python
        return ""
    assert isinstance(tree, ast.ClassDef)
    for node, below in pairwise(tree.body):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == field and isinstance(below, ast.Expr):
            return str(ast.literal_eval(below.value))
    return ""


def _is_of_the_core(annotation: object) -> bool:
    return "_core." in str(annotation) or getattr(annotation, "__module__", "") == _core.__name__


def test_public_signatures_have_no_types_of_the_core() -> None:
    wrong = [
        f"{name}: {annotation}"
        for name, signature in _signatures()
        for annotation in (*(p.annotation for p in signature.parameters.values()), signature.return_annotation)
        if _is_of_the_core(annotation)
    ]
    assert not wrong, wrong


def test_only_private_attributes_named_core_have_types_of_the_core() -> None:
    of_the_core = {name: docstring for name, annotation, docstring in _attributes() if _is_of_the_core(annotation)}
    assert sorted(of_the_core) == ["Agent.core", "BoardNetwork.core", "Game.core", "HumanGame.core", "Rules.core"]
    assert all("not part of the interface" in docstring for docstring in of_the_core.values()), of_the_core


def test_parameters_are_called_rules_and_agent() -> None:
    wrong = [
        f"{name}({parameter})"
        for name, signature in _signatures()
        for parameter in signature.parameters
        if parameter.endswith("_or_name")
    ]
    assert not wrong


def test_an_agent_may_be_given_by_name_or_file(tmp_path: Path) -> None:
    lee = blockfall.agent("lee")
    path = tmp_path / "lee.json"
    path.write_text(json.dumps(lee.as_json()))
    game = blockfall.Game("nes", seed=3)
    for named in ("lee", path, str(path)):
        assert game.choose(named) == game.choose(lee)
        assert blockfall.explain(game, named) == blockfall.explain(game, lee)
    with pytest.raises(blockfall.BlockfallError, match="unknown agent 'leee'"):
        game.choose("leee")


def test_a_game_may_be_given_by_name() -> None:
    board = "1213\n1123\n2113"
    start = blockfall.game("hopeless").read(board)
    found = blockfall.solve(problem_of(start), "a-star")
    for same in (
        blockfall.solve(start, "a-star"),
        blockfall.solve("hopeless", "a-star", board=board),
        blockfall.solve("hopeless", algorithm="a-star", board=blockfall.HopelessBoard.from_text(board)),
    ):
        assert (same.moves, same.points, same.nodes_expanded) == (found.moves, found.points, found.nodes_expanded)
    pieces = blockfall.game("ist-tetris").start(pieces="ojlti")
    best = blockfall.solve(problem_of(pieces, heuristic="ist-h3"), "a-star")
    named = blockfall.solve("ist-tetris", "a-star", pieces="ojlti", heuristic="ist-h3")
    assert (named.moves, named.nodes_expanded) == (best.moves, best.nodes_expanded)
    assert named.nodes_expanded != blockfall.solve("ist-tetris", "a-star", pieces="ojlti").nodes_expanded
    seeded = blockfall.solve("samegame", "greedy", blockfall.SearchSettings(seed=5), columns=6)
    assert seeded.points == blockfall.solve(blockfall.game("samegame").start(5, columns=6), "greedy").points


def test_only_a_game_given_by_name_takes_a_board_and_options() -> None:
    start = blockfall.game("hopeless").read("11")
    with pytest.raises(blockfall.BlockfallError, match="board, columns: only a game given by name"):
        blockfall.solve(start, "greedy", board="11", columns=3)
    with pytest.raises(blockfall.BlockfallError, match="hopeless has no option 'colors'; its options are columns"):
        blockfall.solve("hopeless", "greedy", colors=3)
    with pytest.raises(blockfall.BlockfallError, match="unknown game 'hopless'"):
        blockfall.solve("hopless", "greedy")


def test_public_annotations_resolve() -> None:
    for name in ("evaluate", "compare", "train", "solve", "explain", "study"):
        assert typing.get_type_hints(getattr(blockfall, name))


def test_the_package_is_the_command_line() -> None:
    done = subprocess.run([sys.executable, "-m", "blockfall", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"{blockfall.__version__}\n")
    done = subprocess.run([sys.executable, "-m", "blockfall", "rules", "--nonsense"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--nonsense" in done.stderr


@pytest.mark.alone
def test_the_import_is_quick() -> None:
    code = "import time; t = time.process_time(); import blockfall; print(time.process_time() - t)"
    runs = [float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout) for _ in "123"]
    assert min(runs) < MOST_SECONDS
