"""The notebooks run from top to bottom and contain no output."""

from pathlib import Path

import nbformat
import pytest

from tests import ROOT

NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def test_the_notebooks_are_there() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["analyse", "search", "train"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(path, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in cells), "clear the outputs"
    monkeypatch.setenv("BLOCKFALL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = {kind for cell in cells for output in cell.outputs for kind in output.get("data", {})}
    assert {"train": "image/png", "analyse": "image/svg+xml", "search": "text/html"}[path.stem] in shown
