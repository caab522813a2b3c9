"""Every study runs where only the base dependencies can be imported, not the extras and not SciPy."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path
from typing import get_args

import pytest

from blockfall.studies import STUDIES
from tests import ROOT

SMALL = {
    "aveiro2020": [],
    "ist2015": ["--pieces", "oj"],
    "feup2016": ["--boards", "10"],
}
"""The options of runs that are short and still compute everything that their reports need."""

BASE_ONLY = """
import sys
import tomllib
from importlib.machinery import PathFinder

class BaseOnly(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in {absent!r} else super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = BaseOnly
try:
    import scipy
except ImportError:
    pass
else:
    sys.exit("SciPy can be imported")
from blockfall.cli import main
main()
"""


def base_distributions() -> set[str]:
    """Return the names of the distributions that a plain install brings."""
    found: set[str] = set()
    waiting = ["blockfall"]
    while waiting:
        name = plain(waiting.pop())
        if name in found:
            continue
        found.add(name)
        try:
            wanted = requires(name) or []
        except PackageNotFoundError:  # for another Python or another system
            continue
        waiting += [name_of(one) for one in wanted if "extra ==" not in one]
    return found


def name_of(requirement: str) -> str:
    return re.split(r"[^A-Za-z0-9._-]", requirement)[0]


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def absent_modules() -> set[str]:
    """Return the installed modules that a plain install does not bring."""
    base = base_distributions()
    return {
        module
        for module, owners in packages_distributions().items()
        if module.isidentifier() and not base & set(map(plain, owners))
    }


@pytest.mark.parametrize(("study", "options"), SMALL.items())
def test_a_study_needs_only_the_base_dependencies(study: str, options: list[str], tmp_path: Path) -> None:
    run_with_base_only(study, options, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("study", STUDIES)
def test_the_smallest_budget_needs_only_the_base_dependencies(study: str, tmp_path: Path) -> None:
    budgets = get_args(STUDIES[study].settings_type.model_fields["budget"].annotation)
    run_with_base_only(study, ["--budget", budgets[0]], tmp_path)


def run_with_base_only(study: str, options: list[str], folder: Path) -> None:
    """Run a study where nothing else can be imported, and check that it wrote its report."""
    absent = absent_modules()
    assert {"scipy", "matplotlib", "pandas", "nicegui"} <= absent
    assert "numpy" not in absent
    code = BASE_ONLY.format(absent=sorted(absent))
    done = subprocess.run(
        [sys.executable, "-c", code, "study", study, *options, "--out", str(folder / "out"), "--json"],
        env={"PATH": "/usr/bin:/bin", "BLOCKFALL_HOME": str(folder / "home")},
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"]
    assert {"report.html", "report.json"} <= {path.name for path in (folder / "out").iterdir()}


def test_the_package_imports_nothing_that_only_developers_have() -> None:
    """This includes imports inside functions, which only some users would reach."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    users = {name_of(one) for name, found in extras.items() if name != "dev" for one in found}
    only_dev = {name_of(one) for one in extras["dev"]} - users - {name_of(one) for one in project["dependencies"]}
    only_dev -= {"blockfall", "pandas"}  # without pandas, `to_pandas` says how to install it
    owners = packages_distributions()
    for path in sorted((ROOT / "src").rglob("*.py")):
        for module in imported(path):
            assert not only_dev & set(map(plain, owners.get(module, []))), f"{path} imports {module}"


def imported(path: Path) -> set[str]:
    """Return the modules that a file imports anywhere, by the first word of their names."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names
