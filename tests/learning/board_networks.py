"""Small board networks, and rules that they learn quickly."""

from pathlib import Path
from typing import Any

SMALL: dict[str, Any] = {"channels": 8, "blocks": 1, "hidden": 16, "seats": 16, "segment": 4, "batch": 32}


def narrow(tmp_path: Path) -> Path:
    """Return rules of five columns, under which lines are easy to make."""
    path = tmp_path / "narrow.toml"
    path.write_text('extends = "nes-no-rotation"\n[board]\ncolumns = 5\nrows = 8\n[spawn]\ncolumn = 0\nrow = 0\n')
    return path
