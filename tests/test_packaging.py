"""The project's other files agree with the package, and its wheel works in an empty environment."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from typer.core import TyperCommand

from blockfall.cli import commands
from blockfall.cli.commands import COMMANDS, commands_of
from set_address import set_address, urls
from tests import ROOT
from tests.program import PROGRAM

MOST_BYTES = 200_000_000  # of a base install
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_citation_agrees_with_the_package() -> None:
    text, project = (ROOT / "CITATION.cff").read_text(), PROJECT["project"]
    assert "cff-version: 1.2.0" in text
    assert re.findall(r"^version: (.+)$", text, re.MULTILINE) == [project["version"]]
    assert re.findall(r'^  - name: "(.+)"$', text, re.MULTILINE) == [author["name"] for author in project["authors"]]
    keywords = text.partition("\nkeywords:\n")[2]
    assert re.findall(r"^  - (.+)$", keywords, re.MULTILINE) == project["keywords"]


def test_the_changelog_begins_with_this_version() -> None:
    first = re.search(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert first
    assert first[1].split()[0] == PROJECT["project"]["version"]


def test_the_address_is_set_in_one_place(tmp_path: Path) -> None:
    """A new address is written everywhere, and setting the old one restores every file."""
    names = ("pyproject.toml", "CITATION.cff")
    before = {name: (ROOT / name).read_text() for name in names}
    for name in names:
        shutil.copy(ROOT / name, tmp_path)
    set_address("https://example.org/blockfall/", tmp_path)
    changed = tomllib.loads((tmp_path / "pyproject.toml").read_text())
    assert changed["project"]["urls"] == urls("https://example.org/blockfall")
    assert changed["project"]["scripts"] == PROJECT["project"]["scripts"]
    assert 'repository-code: "https://example.org/blockfall"\n' in (tmp_path / "CITATION.cff").read_text()
    set_address(PROJECT["tool"]["blockfall"]["address"], tmp_path)
    assert {name: (tmp_path / name).read_text() for name in names} == before


def test_workflows_run_what_contributors_run() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    used = set()
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml")):
        text = path.read_text()
        used |= set(re.findall(r"run: make ([a-z-]+)", text))
        used |= {name for names in re.findall(r"target: \[(.+)\]", text) for name in names.split(", ")}
    assert {"test", "test-dist", "coverage", "check-long", "sanitize"} <= used <= targets


def test_every_supported_python_is_tested_and_has_wheels() -> None:
    least = int(PROJECT["project"]["requires-python"].removeprefix(">=3."))
    built = [int(minor) for minor in re.findall(r"cp3(\d+)-", PROJECT["tool"]["cibuildwheel"]["build"])]
    assert built == list(range(least, built[-1] + 1))
    matrix = re.search(r"python: \[(.+)\]", (ROOT / ".github" / "workflows" / "tests.yml").read_text())
    assert matrix
    assert [f"3.{minor}" for minor in built] == [name.strip('"') for name in matrix[1].split(", ")]
    classifiers = [one.rpartition(" :: ")[2] for one in PROJECT["project"]["classifiers"] if "Python :: 3." in one]
    assert [f"3.{minor}" for minor in built] == classifiers


@pytest.mark.parametrize("path", sorted((ROOT / "requirements").iterdir()), ids=lambda path: path.name)
def test_a_lock_file_has_one_version_of_everything_that_make_installs(path: Path) -> None:
    python = path.name.removeprefix("py").removesuffix(".txt")
    place = {"python_version": python, "python_full_version": f"{python}.9", "extra": ""}
    locked = [Requirement(line) for line in path.read_text().splitlines()]
    here = [one for one in locked if one.marker is None or one.marker.evaluate(place)]
    versions = {canonicalize_name(one.name): str(one.specifier).removeprefix("==") for one in here}
    assert len(versions) == len(here)
    extras = PROJECT["project"]["optional-dependencies"]
    named = [*PROJECT["build-system"]["requires"], *PROJECT["project"]["dependencies"], *extras["dev"], *extras["docs"]]
    for wanted in map(Requirement, ["build", "cmake", "ninja", *named]):
        if wanted.name != "blockfall" and (wanted.marker is None or wanted.marker.evaluate(place)):
            assert wanted.specifier.contains(versions[canonicalize_name(wanted.name)]), f"run `make lock`: {wanted}"


def test_python_m_blockfall_is_the_command_line() -> None:
    done = subprocess.run([sys.executable, "-m", "blockfall", "--version"], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == PROJECT["project"]["version"]


def test_the_help_lists_every_command_without_loading_it() -> None:
    for module in set(COMMANDS.values()):
        for name, command in commands_of(module).items():
            assert COMMANDS[name] == module
            seen = TyperCommand(name, help=commands._helps(module)[name])
            assert seen.get_short_help_str(200) == command.get_short_help_str(200) != ""
    folder = ROOT / "src" / "blockfall" / "cli"
    with_commands = {path.stem for path in folder.glob("*.py") if "\napp = typer.Typer()\n" in path.read_text()}
    assert with_commands == set(COMMANDS.values())
    code = "import sys; sys.argv = ['blockfall', '--help']; from blockfall.cli import app; app(standalone_mode=False); "
    code += "print([name for name in ('numpy', 'pydantic', 'blockfall._core') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.endswith("[]\n")
    assert all(f" {name} " in done.stdout for name in COMMANDS)


def test_the_help_comes_at_once() -> None:
    """Time is measured as CPU time, which other processes do not change."""
    before = os.times()
    subprocess.run([sys.executable, "-m", "blockfall", "--help"], check=True, capture_output=True, timeout=60)
    after = os.times()
    took = after.children_user + after.children_system - before.children_user - before.children_system
    assert took < 0.5


def test_the_shell_completes_commands_and_names() -> None:
    def completed(words: str, at: int) -> set[str]:
        environment = os.environ | {"_BLOCKFALL_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(at)}
        done = subprocess.run(PROGRAM_NAMED, env=environment, capture_output=True, text=True, timeout=60)
        return set(done.stdout.split())

    assert "evaluate" in completed("blockfall eval", 1)
    assert completed("blockfall evaluate --rules nes-no", 3) == {
        "nes-no-rotation",
        "nes-no-rotation-drop",
        "nes-no-rotation-timed",
    }
    assert "dellacherie" in completed("blockfall watch --agent della", 3)


PROGRAM_NAMED = [*PROGRAM[:2], "import sys; sys.argv[0] = 'blockfall'; from blockfall.cli import main; main()"]


def test_a_machine_without_a_compiler_says_what_to_install(tmp_path: Path) -> None:
    environment = {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    cmake, ninja = (shutil.which(name, path=str(Path(sys.executable).parent)) for name in ("cmake", "ninja"))
    folders = ["-S", str(ROOT), "-B", str(tmp_path / "build")]
    command = [str(cmake), "-G", "Ninja", *folders, f"-DCMAKE_MAKE_PROGRAM={ninja}"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode != 0
    printed = " ".join(done.stderr.split())
    assert "Blockfall needs a C++20 compiler, and there is none. Debian, Ubuntu: sudo apt install g++." in printed
    assert "macOS: xcode-select --install" in printed


@pytest.mark.long
def test_a_wheel_works_in_an_empty_environment(tmp_path: Path) -> None:
    """The wheel is built from this tree and installed with its dependencies."""
    settings = ["--no-build-isolation", "--no-deps", f"--config-settings=build-dir={tmp_path / 'build'}"]
    made = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", *settings, "-w", tmp_path, ROOT],
        capture_output=True,
        text=True,
        timeout=3600,
    )
    assert made.returncode == 0, made.stderr
    (wheel,) = tmp_path.glob("blockfall-*.whl")
    venv.create(tmp_path / "empty", with_pip=True)
    python = tmp_path / "empty" / "bin" / "python"
    before = size(tmp_path / "empty")
    subprocess.run([python, "-m", "pip", "install", "-q", wheel], check=True, timeout=600)
    played = subprocess.run(
        [python, "-m", "blockfall", "evaluate", "--games", "10", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert played.returncode == 0, played.stderr
    assert '"games": 10' in played.stdout
    assert size(tmp_path / "empty") - before < MOST_BYTES


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
