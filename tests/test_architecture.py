"""The import graph: a room imports only from the rooms before it, and no module imports itself through others.

One word stands for one thing: no two classes or types share a name. Only values know their kinds.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import blockfall
from blockfall.agents.values import KINDS, Outside
from tests import ROOT

PACKAGE = Path(blockfall.__file__).parent

ROOMS = (
    "deprecated",
    "errors",
    "files",
    "validation",
    "plugins",
    "_core",
    "simd",
    "rulesets",
    "features",
    "tbp",
    "fumen",
    "agents",
    "games",
    "compute",
    "envs",
    "search",
    "trainers",
    "optimisers",
    "learning",
    "store",
    "experiments",
    "reports",
    "server",
    "teaching",
    "studies",
    "app",
    "cli",
)
"""The rooms in the order in which data flows (docs/architecture.md)."""

FACE = "blockfall"
"""The package itself. It offers names of every room; rooms may import nothing from it but its version."""


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))} | {"blockfall._core": Path("_core.pyi")}


def imports_of(name: str) -> Iterator[str]:
    """Yield the package's modules that a module imports, at its top or inside a function."""
    path = MODULES[name]
    if path.suffix == ".pyi":
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "blockfall")
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "blockfall":
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else node.module


def room_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else FACE


def test_the_list_of_rooms_is_complete() -> None:
    found = {room_of(module) for module in MODULES} - {FACE, "__main__"}
    assert found == set(ROOMS)


def test_the_tests_have_a_folder_for_every_room() -> None:
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    folders = {path.parent.name for path in (ROOT / "tests").glob("*/__init__.py")}
    assert folders - {"core", "disk", "docs", "fuzz", "reference"} == rooms


def test_no_room_imports_a_later_one() -> None:
    wrong = [
        f"{module} imports {imported}"
        for module in MODULES
        if room_of(module) in ROOMS
        for imported in imports_of(module)
        if room_of(imported) in ROOMS and ROOMS.index(room_of(imported)) > ROOMS.index(room_of(module))
    ]
    assert not wrong, "\n".join(wrong)


def test_rooms_import_only_the_version_from_the_package() -> None:
    wrong = {
        f"{module} imports {alias.name}"
        for module, path in MODULES.items()
        if room_of(module) in ROOMS and path.suffix == ".py"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module == FACE
        for alias in node.names
        if f"{FACE}.{alias.name}" not in MODULES and alias.name != "__version__"
    }
    assert not wrong


def test_no_module_imports_itself_through_others() -> None:
    graph = {
        module: {imported for imported in imports_of(module) if imported != module and imported != FACE}
        for module in MODULES
        if module != FACE
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None


def test_nobody_asks_which_kind_a_value_is() -> None:
    kinds = {kind.__name__ for kind in (*KINDS.values(), *Outside.__subclasses__())}
    assert "Table" in kinds
    asked = {
        f"{module}: {ast.unparse(node)}"
        for module, path in MODULES.items()
        if path.suffix == ".py"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Compare) or (isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance")
        if kinds & {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    }
    assert not asked, "\n".join(asked)


def public_types(tree: ast.Module) -> Iterator[str]:
    """The public classes of a module, nested ones too, and its public type aliases."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield node.name
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and re.fullmatch(r"[A-Z][A-Z0-9]*[a-z]\w*", target.id):
            yield target.id


def test_a_class_or_type_has_a_name_of_its_own() -> None:
    homes = defaultdict(set)
    for module, path in MODULES.items():
        if path.suffix == ".py" and ".handout." not in module:  # students get a handout without the package
            for name in public_types(ast.parse(path.read_text())):
                homes[name].add(module)
    assert {"Game", "Agent", "Cell", "TrainingProgress", "AgentFile"} <= set(homes)
    assert not {name: modules for name, modules in homes.items() if len(modules) > 1 and name[0] != "_"}


def test_a_type_of_the_core_has_a_name_of_its_own() -> None:
    homes = defaultdict(set)
    for path in sorted(Path(ROOT, "native/include").rglob("*.hpp")):
        if path.parent.name != "lanes":  # each instruction set has its own `Word`
            found = re.findall(
                r"^(?:struct|class|enum class) (\w+)(?: final)?(?: : .*)? \{|^(?:using|concept) (\w+) =",
                path.read_text(),
                re.M,
            )
            for name in found:
                homes["".join(name)].add(path.name)
    assert {"Rules", "Game", "LookAhead"} <= set(homes)
    assert not {name: files for name, files in homes.items() if len(files) > 1}
