"""Without PyTorch everything else works, and learning a board network says what is missing."""

import subprocess
import sys
from pathlib import Path

BLOCKED = "import sys; sys.modules['torch'] = None; from blockfall.cli import main; sys.argv[0] = 'blockfall'; main()"


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BLOCKED, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env={"BLOCKFALL_HOME": str(home), "PATH": ""},
    )


def test_without_torch_learning_names_the_extra(tmp_path: Path) -> None:
    done = run(tmp_path, "train", "--set", 'learning.name="board-network"', "--out", str(tmp_path / "run"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "board-network needs PyTorch; install it with: pip install 'blockfall[learn]'" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_nothing_else_asks_for_torch(tmp_path: Path) -> None:
    assert run(tmp_path, "train", "--help").returncode == 0
    found = run(tmp_path, "evaluate", "--rules", "nes-no-rotation", "--agent", "birken-6", "--games", "5", "--json")
    assert found.returncode == 0
