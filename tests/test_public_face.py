"""What `import blockfall` offers: every name loads, says what it is, and shows an example; the import costs nothing."""

import ast
import inspect
import subprocess
import sys
import typing
from pathlib import Path

import pytest

import blockfall
from blockfall import _core

SOURCE = Path(blockfall.__file__).read_text()
MOST_SECONDS = 0.3


@pytest.mark.parametrize("name", blockfall.__all__)
def test_every_name_says_what_it_is_and_shows_an_example(name: str) -> None:
    said = inspect.getdoc(getattr(blockfall, name)) or ""
    assert said.strip()
    assert ">>> " in said, "an example, which tests/test_docs.py runs"


def test_names_are_where_type_checkers_look_for_them() -> None:
    (block,) = (node for node in ast.parse(SOURCE).body if isinstance(node, ast.If))
    seen = {
        alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    assert seen == {name: f"blockfall.{home}" for name, home in blockfall._HOME_OF.items()}
    assert sorted(seen) == sorted(blockfall.__all__)


def test_features_is_the_package() -> None:
    import blockfall.features as package

    assert inspect.ismodule(package)
    assert blockfall.features is package


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = blockfall.nonsense


def _signatures() -> list[tuple[str, inspect.Signature]]:
    """Of every public function, and of the constructor and the public methods of every public class."""
    found = []
    for name in blockfall.__all__:
        thing = getattr(blockfall, name)
        if inspect.isclass(thing):
            members = inspect.getmembers(thing, inspect.isfunction)
            found += [(f"{name}.{key}", inspect.signature(member)) for key, member in members if key[0] != "_"]
            if "__init__" in vars(thing):
                found.append((name, inspect.signature(thing)))
        elif inspect.isfunction(thing):
            found.append((name, inspect.signature(thing)))
    return found


def test_no_type_of_the_core_stands_in_a_public_signature() -> None:
    hidden = {name for name in dir(_core) if name[0] != "_"}
    wrong = []
    for name, signature in _signatures():
        for annotation in (*(p.annotation for p in signature.parameters.values()), signature.return_annotation):
            if "_core." in str(annotation) or (inspect.isclass(annotation) and annotation.__module__ == _core.__name__):
                wrong.append(f"{name}: {annotation}")
    assert hidden
    assert not wrong, wrong


def test_parameters_are_called_rules_and_agent() -> None:
    wrong = [
        f"{name}({parameter})"
        for name, signature in _signatures()
        for parameter in signature.parameters
        if parameter.endswith("_or_name")
    ]
    assert not wrong


def test_public_annotations_can_be_read() -> None:
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
