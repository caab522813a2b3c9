"""What is around the package: files for citing and workflows, and a wheel that works in an empty environment."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

from blockfall.cli.commands import COMMANDS, commands_of
from tests import ROOT
from tests.program import PROGRAM

MOST_BYTES = 200_000_000  # of a base install
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_citation_names_this_version() -> None:
    text = (ROOT / "CITATION.cff").read_text()
    assert re.search(r"^version: (.+)$", text, re.MULTILINE)[1] == PROJECT["project"]["version"]  # type: ignore[index]
    assert "cff-version: 1.2.0" in text


def test_workflows_run_what_contributors_run() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    used = set()
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml")):
        used |= set(re.findall(r"run: make ([a-z-]+)", path.read_text()))
    assert used
    assert used <= targets


def test_wheels_are_built_for_every_python_that_the_package_takes() -> None:
    least = PROJECT["project"]["requires-python"].removeprefix(">=3.")
    built = [int(minor) for minor in re.findall(r"cp3(\d+)-", PROJECT["tool"]["cibuildwheel"]["build"])]
    assert built == list(range(int(least), built[-1] + 1))


def test_python_m_blockfall_is_the_command_line() -> None:
    done = subprocess.run([sys.executable, "-m", "blockfall", "--version"], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == PROJECT["project"]["version"]


def test_the_help_lists_every_command_without_loading_it() -> None:
    for module in {module for module, _ in COMMANDS.values()}:
        for name, command in commands_of(module).items():
            assert COMMANDS[name] == (module, command.get_short_help_str(200))
    folder = ROOT / "src" / "blockfall" / "cli"
    with_commands = {path.stem for path in folder.glob("*.py") if "def add_to(" in path.read_text()}
    assert with_commands == {module for module, _ in COMMANDS.values()}
    code = "import sys; sys.argv = ['blockfall', '--help']; from blockfall.cli import app; app(standalone_mode=False); "
    code += "print([name for name in ('numpy', 'pydantic', 'blockfall._core') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.endswith("[]\n")
    assert all(f" {name} " in done.stdout for name in COMMANDS)


def test_the_help_comes_at_once() -> None:
    """Measured in seconds of a core, which do not depend on what else the machine does."""
    before = os.times()
    subprocess.run([sys.executable, "-m", "blockfall", "--help"], check=True, capture_output=True, timeout=60)
    after = os.times()
    took = after.children_user + after.children_system - before.children_user - before.children_system
    assert took < 0.5


def test_the_shell_completes_commands_and_names() -> None:
    def completed(words: str, at: int) -> set[str]:
        environment = os.environ | {
            "_BLOCKFALL_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(at),
        }
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
    said = " ".join(done.stderr.split())
    assert "Blockfall needs a C++20 compiler, and there is none. Debian, Ubuntu: sudo apt install g++." in said
    assert "macOS: xcode-select --install" in said


@pytest.mark.long
def test_a_wheel_works_in_an_empty_environment(tmp_path: Path) -> None:
    """Built from this tree, installed with what it depends on into an environment of its own."""
    settings = ["--no-build-isolation", "--no-deps", f"-Cbuild-dir={tmp_path / 'build'}"]
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
