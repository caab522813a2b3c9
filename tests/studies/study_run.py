"""A study run by the command line, for the tests of each study."""

import json
from pathlib import Path
from typing import Any

from tests.program import output_of

Rows = dict[str, dict[str, Any]]
"""The rows of a study by name."""
StudyRun = tuple[Path, Rows]
"""The folder of a study's report, and its rows."""


def run_of(folder: Path, name: str, *arguments: str) -> StudyRun:
    """Run a study in a folder that it may have for itself."""
    study = ("study", name, *arguments, "--out", "out", "--json")
    printed = output_of(*study, home=folder / "home", cwd=folder, timeout=600)
    return folder / "out", {row["name"]: row for row in json.loads(printed)["rows"]}
