"""The commands of pages that are not followed step by step, made small. test_sessions.py follows the others."""

import io
import re
import shlex
import sys
from pathlib import Path

import pytest

from tests import ROOT
from tests.docs.test_examples import SESSIONS
from tests.program import Call

SMALL = {
    "evaluate": ["--games", "2", "--max-pieces", "20"],
    "compare": ["--games", "2", "--max-pieces", "20"],
    "watch": ["--max-pieces", "3", "--speed", "0"],
    "solve": ["--time-limit", "0.5"],
    "train": ["--iterations", "1", "--training", "1", "--validation", "2", "--test", "3"],
    **{name: [] for name in ("explain", "tbp", "board", "algorithms", "check-problem", "runs", "resume")},
}
"""Options that make a command quick. If an option is given twice, the last one counts."""
ELSEWHERE = {
    "app": "tests/app",
    "serve": "tests/server",
    "spectate": "tests/server",
    "connect": "tests/server",
    "study": "tests/studies",
    "bench": "tests/cli/test_cli.py",
    "benchmark": "tests/experiments/test_benchmark.py",
}
"""Commands that do not end, or take minutes, and the tests that run them."""
PAGES_ELSEWHERE = {"learning.md": "tests/learning/test_learning_runs.py", "cluster.md": "tests/compute/test_dask.py"}
OTHER_MACHINES = ("cuda", "noro-small.toml", "sz.toml")  # need a GPU, or PyTorch
BEFORE = {
    "bots.md": ["train --features soster-1 --pieces-known 1 --out runs/first"],
    "experiments.md": ["train --config examples/no-rotation.toml --seed 2 --out runs/another"],
}
"""Files and servers that a page expects to exist."""
FLAT = (
    "import blockfall\n\n\n@blockfall.register_agent\ndef flat(boards):\n    return -boards.any(axis=2).sum(axis=1)\n"
)
NARROW = 'extends = "nes-no-rotation"\ntitle = "A narrow board"\n\n[board]\ncolumns = 8\n'


def commands(page: Path) -> list[list[str]]:
    rows = [row.strip() for row in re.findall(r"^    blockfall ([^\n]+[^\\\n])$", page.read_text(), re.MULTILINE)]
    found = [shlex.split(row, comments=True) for row in [*BEFORE.get(page.name, []), *rows]]
    return [
        words for words in found if words[0] not in ELSEWHERE and not any(o in " ".join(words) for o in OTHER_MACHINES)
    ]


READ = [page for page in sorted((ROOT / "docs").rglob("*.md")) if page.name not in {*SESSIONS, *PAGES_ELSEWHERE}]


def test_every_command_is_run_here_or_elsewhere() -> None:
    named = {words[0] for page in READ for words in commands(page)}
    assert named <= set(SMALL)
    assert all(list(ROOT.glob(place)) for place in [*ELSEWHERE.values(), *PAGES_ELSEWHERE.values()])


@pytest.mark.parametrize("page", [page for page in READ if commands(page)], ids=lambda page: page.name)
def test_the_commands_of_a_page_run(page: Path, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BLOCKFALL_HOME", str(tmp_path / "home"))
    for folder in ("docs", "examples"):
        Path(folder).symlink_to(ROOT / folder)
    agent = re.findall(r"```json\n(.*?)```", (ROOT / "docs" / "agents.md").read_text(), re.DOTALL)[0]
    for name, text in {"careful.json": agent, "mine.py": FLAT, "my.toml": NARROW, "narrow.toml": NARROW}.items():
        Path(name).write_text(text)
    bot = f"tbp:{sys.executable} -m blockfall tbp --agent lee"
    for words in commands(page):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
        small = ["--games", "2", "--tries", "20"] if "--tries" in words else SMALL[words[0]]
        shortened = [bot if word == "tbp:cold-clear" else word for word in words] + small
        code, printed, said = call(*shortened)
        assert code == 0, f"{page.name}: {' '.join(words)}\n{said}"
        assert printed or "--out" in words
