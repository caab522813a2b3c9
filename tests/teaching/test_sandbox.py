"""The process of a submission: what it may do, what it may not do, and how its faults are reported."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from blockfall.teaching.confinement import Confinement
from blockfall.teaching.sandbox import Sandbox, SubmissionError

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the layers are Linux's")


def sandboxed(tmp_path: Path, code: str, seconds: float = 5.0, memory_mb: int = 256, packages: bool = False) -> Any:
    """Return what `f()` of a submission returns."""
    (tmp_path / "solution.py").write_text(code)
    with Sandbox(tmp_path / "solution.py", "f", seconds=seconds, memory_mb=memory_mb, packages=packages) as sandbox:
        return sandbox.call([], seconds)


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("def f(): import time; time.sleep(60)", "no answer within 0.5 s"),
        ("import time; time.sleep(60)", "not loaded within 0.5 s"),
        ("def g(): pass", "it has no function f"),
        ("def f(): raise SystemExit(0)", "SystemExit, line 1: 0"),
        ("def f(): import ctypes; ctypes.string_at(0)", "signal SIG"),
        ("def f(): return object()", "it gave no valid answer: TypeError"),
        ("def f(): return 'x' * 2**21", "more than 1 MiB"),
        ("def f(): return float('nan')", ""),
        ("class E(Exception):\n def __str__(self): raise E\ndef f(): raise E", "E"),
        ("def f(): import os; os.closerange(3, 64)", "exit code"),
        ("def f(): return f()", "RecursionError"),
    ],
)
def test_faults_are_reported_in_one_line(tmp_path: Path, code: str, fault: str) -> None:
    if not fault:
        assert sandboxed(tmp_path, code) != sandboxed(tmp_path, code)
        return
    began = time.monotonic()
    with pytest.raises(SubmissionError) as caught:
        sandboxed(tmp_path, code, seconds=0.5 if "sleep" in code else 5.0)
    assert fault in str(caught.value)
    assert "\n" not in str(caught.value)
    assert time.monotonic() - began < 5


@LINUX
@pytest.mark.parametrize(
    "code",
    [
        "open('/etc/passwd')",
        "open('/proc/self/environ')",
        "os.listdir('/root')",
        "os.listdir('/')",
        "open(__file__, 'a')",
        "open('new', 'w')",
        "os.mkdir('new')",
        "os.unlink(__file__)",
        "os.chmod(__file__, 0)",
        "os.fork()",
        "os.execv('/bin/true', ['true'])",
        "os.kill(os.getppid(), 9)",
        "os.kill(1, 9)",
        "__import__('socket').socket()",
        "__import__('ctypes').CDLL(None).unshare(0x10000000) and 1/0",
        "os.memfd_create('x')",
        "__import__('resource').setrlimit(9, (-1, -1))",
        "bytearray(1 << 30)",
        "__import__('blockfall')",
        "__import__('numpy')",
    ],
)
def test_what_a_submission_cannot_do(tmp_path: Path, code: str) -> None:
    with pytest.raises(SubmissionError, match=r"PermissionError|memory|not allowed|No module|ZeroDivision"):
        sandboxed(tmp_path, f"import os\ndef f():\n    {code}\n    return 'done'")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["solution.py"]


@LINUX
def test_without_landlock_files_are_still_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The filter of system calls works alone, as on a kernel without Landlock, in a separate process."""
    code = (
        "import os, sys, blockfall.teaching.confinement as c\n"
        "c._allow_reading = lambda libc, folders: False\n"
        f"found = c.confine([], 1 << 30, 100)\nplace = {str(tmp_path)!r}\n"
        "for attempt in (lambda: open(place + '/x', 'w'), lambda: os.mkdir(place + '/y'), os.fork,\n"
        "                lambda: os.open(place + '/z', os.O_CREAT), lambda: os.rmdir(place)):\n"
        "    try: attempt()\n    except PermissionError: print('refused')\n"
        "print(found.lacks, open('/etc/passwd').read()[:0])\n"
    )
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == ["refused"] * 5 + ["['read your files'] "], done.stderr


def test_threads_always_work_and_packages_if_the_scheme_allows_them(tmp_path: Path) -> None:
    threads = "from threading import Thread\ndef f():\n t = Thread(target=print); t.start(); t.join(); return (1, {2})"
    assert sandboxed(tmp_path, threads) == [1, [2]]
    code = "import numpy, blockfall\ndef f(): return numpy.arange(3).sum(), blockfall.__version__"
    assert sandboxed(tmp_path, code, memory_mb=4096, packages=True)[0] == 3


def test_missing_layers_of_confinement_are_listed() -> None:
    assert Confinement(network=False, files=False, processes=True).lacks == ["use the network", "read your files"]
    assert Confinement(network=True, files=True, processes=True).lacks == []


@pytest.mark.parametrize(
    ("attempt", "tried"),
    [
        ("open('marking.toml')", "marking.toml"),
        ("open('../search/marking.toml')", "../search/marking.toml"),
        ("os.open(b'/home/teacher/marks.json', os.O_RDONLY)", "/home/teacher/marks.json"),
        ("open('/proc/1/environ')", "/proc/1/environ"),
        ("os.listdir('..')", ".."),
        ("os.scandir('/')", "/"),
        ("__import__('glob').glob('/*/marking.toml')", "/"),
    ],
)
def test_an_attempt_to_read_the_answers_costs_the_board_even_if_hidden(
    attempt: str, tried: str, tmp_path: Path
) -> None:
    code = f"import os\ndef f():\n    try: {attempt}\n    except BaseException: pass\n    return 'a good answer'"
    with pytest.raises(SubmissionError) as caught:
        sandboxed(tmp_path, code)
    assert str(caught.value) == f"it tried to read {tried}"


def test_permitted_reading_is_not_an_attempt(tmp_path: Path) -> None:
    """It may read its folder and file, the standard library, and itself in /proc; a refused file costs nothing."""
    code = (
        "import os, json, sqlite3, zoneinfo, tempfile, logging\n"
        "def f():\n"
        "    open(__file__).close(); os.listdir(); list(os.scandir('.'))\n"
        "    for path in ('/etc/hostname', '/proc/self/status', f'/proc/{os.getpid()}/status'):\n"
        "        try: open(path).close()\n"
        "        except PermissionError: pass\n"
        "    return 'a good answer'"
    )
    assert sandboxed(tmp_path, code) == "a good answer"
