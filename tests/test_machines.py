"""Locales, time zones, clocks, Python's options and other Pythons change no byte of a result."""

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SOURCES = HERE.parent / "src"
RUN = """
rules = "nes-no-rotation"
features = ["holes", "landing-height"]
restarts = 2
[optimiser]
name = "genetic"
iterations = 2
population = 4
[games]
training = 1
validation = 2
test = 3
max_pieces = 30
"""
MAIN = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from blockfall.cli import main; main()"
FILES = ("result.json", "agent.json", "run.toml")


def trained(folder: Path, *options: str, python: str = sys.executable, **environment: str) -> dict[str, bytes]:
    """Train in a process with these options of Python, check that the run is listed, and return its files."""
    folder.mkdir()
    (folder / "run.toml").write_text(RUN)
    surroundings = {key: value for key, value in os.environ.items() if not key.startswith("LC_") and key != "LANG"}
    surroundings |= {"BLOCKFALL_HOME": str(folder / "home")} | environment

    def call(*words: str) -> str:
        command = [python, *options, "-c", MAIN, *words]
        done = subprocess.run(command, env=surroundings, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
        return done.stdout

    call("train", "--config", str(folder / "run.toml"), "--out", str(folder / "out"), "--json")
    [run] = json.loads(call("runs", "--json"))
    assert run["state"] == "finished"
    return {name: (folder / "out" / name).read_bytes() for name in FILES}


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return trained(tmp_path_factory.mktemp("usual") / "it")


def turkish(folder: Path) -> dict[str, str]:
    """Return a locale where a lowercase I is not i and a decimal point is a comma, or skip the test."""
    installed = subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.split()
    names = [name for name in installed if name.lower().replace("-", "") == "tr_tr.utf8"]
    if names:
        return {"LC_ALL": names[0]}
    if not shutil.which("localedef"):
        pytest.skip("no Turkish locale")
    made = subprocess.run(
        ["localedef", "-i", "tr_TR", "-f", "UTF-8", str(folder / "tr_TR.UTF-8")], capture_output=True, text=True
    )
    if not (folder / "tr_TR.UTF-8").exists():
        pytest.skip(f"no Turkish locale: {made.stderr.strip()[:80]}")
    return {"LC_ALL": "tr_TR.UTF-8", "LOCPATH": str(folder)}


def test_a_turkish_locale(usual: dict[str, bytes], tmp_path: Path) -> None:
    assert trained(tmp_path / "there", **turkish(tmp_path)) == usual


def test_no_locale_at_all(usual: dict[str, bytes], tmp_path: Path) -> None:
    assert trained(tmp_path / "there", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0") == usual


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/St_Johns"])
def test_time_zones(usual: dict[str, bytes], zone: str, tmp_path: Path) -> None:
    assert trained(tmp_path / "there", TZ=zone) == usual


def test_without_asserts_and_with_warnings_as_errors(usual: dict[str, bytes], tmp_path: Path) -> None:
    assert trained(tmp_path / "optimised", "-OO") == usual
    assert trained(tmp_path / "strict", "-W", "error", PYTHONHASHSEED="7") == usual


@cache
def clock_shim(folder: Path) -> Path | None:
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        return None
    made = folder / "clock.so"
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", made, HERE / "clock_shim.c", "-ldl"], check=True)
    return made


def test_a_clock_that_jumps_back(usual: dict[str, bytes], tmp_path: Path) -> None:
    shim = clock_shim(tmp_path)
    if shim is None:
        pytest.skip("needs Linux and a C compiler")
    jumping = subprocess.run(
        [sys.executable, "-c", "import time; print([time.time() for _ in range(30)])"],
        env=os.environ | {"LD_PRELOAD": str(shim)},
        capture_output=True,
        text=True,
        check=True,
    )
    times = json.loads(jumping.stdout)
    assert times[-1] < times[0]
    assert trained(tmp_path / "there", LD_PRELOAD=str(shim)) == usual


@cache
def other_pythons() -> dict[str, str]:
    """Return this machine's other Pythons that the package supports, by version."""
    places = [Path(named) for minor in range(11, 15) if (named := shutil.which(f"python3.{minor}"))]
    places += sorted(Path.home().glob(".pyenv/versions/3.*/bin/python3"))
    found: dict[str, str] = {}
    for place in places:
        done = subprocess.run([place, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True)
        version = tuple(map(int, done.stdout.split())) if done.returncode == 0 else ()
        if (3, 11) <= version < (3, 15) and version != sys.version_info[:2]:
            found["{}.{}".format(*version)] = str(place)
    return found


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_other_pythons_compile_the_sources_without_a_warning(version: str, tmp_path: Path) -> None:
    if version not in other_pythons():
        pytest.skip(f"no other Python {version}")
    program = (
        "import sys, pathlib\n"
        "for path in pathlib.Path(sys.argv[1]).rglob('*.py'):\n"
        "    compile(path.read_bytes(), str(path), 'exec')\n"
    )
    subprocess.run([other_pythons()[version], "-W", "error", "-c", program, SOURCES], check=True, cwd=tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_other_pythons_train_to_the_same_bytes(version: str, usual: dict[str, bytes], tmp_path: Path) -> None:
    """The package is built by that Python and installed into its own environment."""
    if version not in other_pythons():
        pytest.skip(f"no other Python {version}")
    subprocess.run([other_pythons()[version], "-m", "venv", tmp_path / "env"], check=True, timeout=120)
    python = str(tmp_path / "env" / "bin" / "python")
    build = f"--config-settings=build-dir={tmp_path / 'build'}"
    subprocess.run([python, "-m", "pip", "install", "-q", build, HERE.parent], check=True, timeout=3600)
    assert trained(tmp_path / "there", python=python) == usual
