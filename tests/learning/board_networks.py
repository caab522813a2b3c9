"""Small networks over the board, and rules that they learn fast."""

from pathlib import Path
from typing import Any

SMALL: dict[str, Any] = {"channels": 8, "blocks": 1, "hidden": 16, "seats": 16, "segment": 4, "batch": 32}


def narrow(tmp_path: Path) -> Path:
    """Rules of five columns, where a line is easy to make."""
    path = tmp_path / "narrow.toml"
    path.write_text('extends = "nes-no-rotation"\n[board]\ncolumns = 5\nrows = 8\n[spawn]\ncolumn = 0\nrow = 0\n')
    return path
