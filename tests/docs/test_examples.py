"""The documentation's examples run as they stand."""

import ast
import doctest
import importlib
import importlib.util
import pkgutil
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import blockfall
from blockfall.cli import app, commands
from blockfall.experiments.configuration import load_configuration
from tests import ROOT
from tests.program import output_of
from tests.registries import restored

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SESSIONS = ("tutorial.md", "plugins.md", "faq.md", "teaching.md")
"""Pages that a reader follows from top to bottom, as tests/docs/test_sessions.py does."""


def blocks(language: str) -> list[object]:
    return [
        pytest.param(code, id=f"{page.name}-{number}")
        for page in PAGES
        if page.name not in SESSIONS
        for number, code in enumerate(re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL), 1)
    ]


@pytest.mark.parametrize("code", blocks("python"))
def test_python_examples_run(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    with restored():
        exec(compile(code, "example", "exec"), {})
    assert capsys.readouterr().out


def indented() -> list[object]:
    """Yield the Python code between paragraphs, indented by four spaces. It begins with an import."""
    return [
        pytest.param(textwrap.dedent(code), id=f"{page.name}-{number}")
        for page in PAGES
        for number, code in enumerate(
            re.findall(r"^(    (?:import|from) .*\n(?:(?:    .*)?\n)*)", without_fences(page), re.MULTILINE), 1
        )
    ]


def without_fences(page: Path) -> str:
    return re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)


def is_there(module: str) -> bool:
    return importlib.util.find_spec(module.split(".")[0]) is not None


@pytest.mark.parametrize("code", indented())
def test_indented_python_runs_where_its_packages_are(code: str) -> None:
    """Without its packages, at least the names that it takes from Blockfall must exist."""
    imported: dict[str, list[str]] = {}
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            imported |= {one.name: [] for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported[node.module] = [one.name for one in node.names]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "blockfall":
            assert hasattr(blockfall, node.attr)
    for module, names in imported.items():
        if is_there(module):
            assert [name for name in names if not hasattr(importlib.import_module(module), name)] == []
    missing = [module for module in imported if not is_there(module)]
    if missing or ("cuda" in code and not (is_there("cupy") and shutil.which("nvidia-smi"))):
        pytest.skip(f"the names of Blockfall exist; running it needs {' and '.join(missing) or 'a GPU'}")
    with restored():
        exec(compile(code, "example", "exec"), {})


def test_the_rules_page_shows_a_rule_set_that_plays(tmp_path: Path) -> None:
    (code,) = re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / "rules.md").read_text(), re.DOTALL)
    path = tmp_path / "narrow.toml"
    path.write_text(code)
    assert blockfall.evaluate(rules=path, agent="birken-6", games=2, max_pieces=20).pieces.sum() > 0


def test_every_rule_set_is_on_the_rules_page() -> None:
    page = (ROOT / "docs" / "rules.md").read_text()
    assert all(f"| `{name}` |" in page for name in blockfall.rules_names())


def test_the_agents_page_shows_an_agent_that_plays(tmp_path: Path) -> None:
    (code,) = re.findall(r"```json\n(.*?)```", (ROOT / "docs" / "agents.md").read_text(), re.DOTALL)
    path = tmp_path / "careful.json"
    path.write_text(code)
    player = blockfall.agent(path)
    assert player.guard
    assert player.look_ahead
    assert blockfall.evaluate(rules="nes-no-rotation", agent=player, games=2, max_pieces=20).pieces.sum() > 0


def test_the_features_page_is_made_from_the_catalogue() -> None:
    made = runpy.run_path(str(ROOT / "tools" / "make_features_page.py"))
    assert (ROOT / "docs" / "features.md").read_text() == made["page"]()
    for feature, path in made["pictures"]():
        assert path.read_text() == made["picture"](feature)


TABLES: dict[str, Any] = runpy.run_path(str(ROOT / "tools" / "make_tables.py"))


@pytest.mark.parametrize("page", TABLES["PAGES"], ids=lambda page: page.stem)
def test_tables_are_made_from_what_is_registered_and_measured(page: Path) -> None:
    text = page.read_text()
    assert "<!-- end -->" in text
    assert text == TABLES["filled"](text)


def test_every_agent_was_measured() -> None:
    page = (ROOT / "docs" / "agents.md").read_text()
    assert all(f"| `{name}` |" in page for name in blockfall.agent_names())


COMMANDS = [
    line.strip()
    for line in (ROOT / "README.md").read_text().splitlines()
    if line.startswith("    blockfall ") and not {"app", "bench", "study"} & set(line.split())
]


def test_the_readme_names_every_command() -> None:
    text = (ROOT / "README.md").read_text()
    assert [name for name in commands.COMMANDS if f"`{name}`" not in text] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_the_readmes_commands_run(command: str, tmp_path: Path) -> None:
    arguments = shlex.split(command)[1:]
    if arguments[0] == "watch":
        arguments += ["--max-pieces", "3"]
    if arguments[0] == "evaluate":
        arguments += ["--max-pieces", "50"]
    if arguments[0] == "train":
        arguments += ["--iterations", "3", "--test", "100"]
    output_of(*arguments, home=tmp_path, cwd=tmp_path)


MODULES = [
    module.name for module in pkgutil.walk_packages(blockfall.__path__, "blockfall.") if "_core" not in module.name
]


@pytest.mark.parametrize("name", ["blockfall", *MODULES])
def test_docstrings(name: str) -> None:
    if name.startswith("blockfall.learning.board_network."):
        pytest.importorskip("torch", reason="the extra `learn`")
    if name.endswith(".gpu"):
        pytest.importorskip("triton", reason="needs a GPU's packages")
    with restored():
        assert doctest.testmod(importlib.import_module(name)).failed == 0


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", without_fences(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [*PAGES, *sorted(ROOT.glob("C*.md"))], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", page.read_text()):
        if re.match("[a-z]+:", target):
            continue
        reached = page.parent / target if target else page
        assert reached.exists(), target
        assert not anchor or anchor in anchors(reached), f"{target}#{anchor}"


COMMANDS_OF_PAGES = [
    pytest.param(line.split("  #")[0].strip(), id=f"{page.name}-{number}")
    for page in PAGES
    for number, line in enumerate(page.read_text().splitlines(), 1)
    if line.startswith("    blockfall ") and not line.endswith("\\")
]


@pytest.mark.parametrize("text", COMMANDS_OF_PAGES)
def test_commands_of_all_pages_have_options_that_exist(text: str) -> None:
    """The commands of README.md and of `SESSIONS` are run as well."""
    command: Any = get_command(app)
    words = shlex.split(re.split(r" [|>&] ", text)[0])[1:]
    context: Any = command.context_class(command, resilient_parsing=True)
    while hasattr(command, "list_commands") and words and not words[0].startswith("-"):
        command = command.get_command(context, words.pop(0))
        assert command is not None, text
    command.make_parser(context).parse_args(words)


def test_the_reference_is_made_from_the_registries() -> None:
    assert (ROOT / "docs" / "reference.md").read_text() == runpy.run_path(str(ROOT / "tools" / "make_reference.py"))[
        "page"
    ]()


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_examples_run(path: Path, tmp_path: Path) -> None:
    fewer: list[str] = []
    if "import torch" in path.read_text():
        pytest.importorskip("torch")
        fewer = ["100"]  # steps
    done = subprocess.run([sys.executable, path, *fewer], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_example_runs_and_those_of_the_pages_are_valid(tmp_path: Path) -> None:
    for path in (ROOT / "examples").glob("*.toml"):
        load_configuration(path)
    for page in ("experiments.md", "learning.md"):
        codes = re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)
        assert codes
        for code in codes:
            (tmp_path / "run.toml").write_text(code)
            load_configuration(tmp_path / "run.toml")
