"""Every dependency has bounds and a free licence, the bill of materials is complete, and wheels are reproducible."""

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path
from types import ModuleType

import pytest

from tests import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
FREE = {
    *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "HPND", "ISC", "LLVM-exception", "MIT"),
    *("MIT-CMU", "MPL-2.0", "PSF-2.0", "Public Domain", "Unlicense", "Zlib"),
}
CHOICES = {"docutils"}  # its only file under the GPL is for an editor and is not used


@pytest.fixture(scope="module")
def sbom() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_sbom", ROOT / "tools" / "make_sbom.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def requirements() -> list[str]:
    extras = PROJECT["optional-dependencies"]
    return [
        *PROJECT["dependencies"],
        *(one for name in ("app", "cuda", "dask", "gym", "learn", "numba", "plots") for one in extras[name]),
    ]


@pytest.mark.parametrize("requirement", requirements())
def test_every_dependency_has_bounds(requirement: str) -> None:
    assert re.fullmatch(r"[a-z0-9-]+(\[\w+\])?>=[\d.]+,<[\d.]+", requirement)


def test_licences_are_free_and_listed(sbom: ModuleType) -> None:
    listed = dict(re.findall(r"^\| (\S+) \| (.+) \|$", (ROOT / "docs" / "licences.md").read_text(), re.MULTILINE))
    packages, _ = sbom.everything()
    extras = {
        name for name in packages if re.match(r"cupy|cuda|nvidia|torch|triton|fastrlock|sympy|mpmath|networkx", name)
    }
    for name in sorted(set(packages) - {"blockfall"} - extras):
        parts = set(re.split(r" AND | OR | WITH |[()]", sbom.licence(packages[name]))) - {""}
        assert parts <= FREE or name in CHOICES, f"{name}: {parts - FREE}"
        assert name in listed, f"run `python tools/make_sbom.py --licences` for docs/licences.md: {name} is new"


def test_the_bill_of_materials_is_complete(sbom: ModuleType) -> None:
    bill = json.loads(json.dumps(sbom.bill()))
    assert bill == sbom.bill()
    assert bill["bomFormat"] == "CycloneDX"
    places = {one["bom-ref"] for one in bill["components"]} | {bill["metadata"]["component"]["bom-ref"]}
    assert {one["ref"] for one in bill["dependencies"]} == places
    assert all(place in places for one in bill["dependencies"] for place in one["dependsOn"])
    direct = next(one["dependsOn"] for one in bill["dependencies"] if "/blockfall@" in one["ref"])
    for requirement in PROJECT["dependencies"]:
        name = re.split(r"[\[>]", requirement)[0]
        assert any(place.startswith(f"pkg:pypi/{name}@") for place in direct)


PLAYS = [
    ["evaluate", "--games", "5", "--json"],
    ["train", "--optimiser", "cma-es", "--set", "optimiser.step=0.5", "--iterations", "2", "--training", "1",
     "--validation", "2", "--test", "3", "--out", "run"],
    ["solve", "--game", "ist-tetris", "--pieces", "ojl", "--algorithm", "greedy", "--json"],
    ["runs", "--json"],
    ["agents", "--json"],
    ["runs", "export", "run", "--format", "xlsx", "--out", "run.xlsx"],
]  # fmt: skip


@pytest.mark.long
def test_the_lowest_versions_work(tmp_path: Path) -> None:
    """The package runs in an environment with the lowest versions that it allows."""
    if sys.version_info >= (3, 13):
        pytest.skip("the lowest versions have no wheels for this Python")
    venv.create(tmp_path / "low", with_pip=True)
    python = tmp_path / "low" / "bin" / "python"
    lowest = [re.sub(r">=([\d.]+),<.*", r"==\1", one) for one in PROJECT["dependencies"]]
    subprocess.run([python, "-m", "pip", "install", "-q", *lowest], check=True, timeout=900)
    [site] = (tmp_path / "low" / "lib").glob("python3.*/site-packages")
    shutil.copytree(ROOT / "src" / "blockfall", site / "blockfall")
    import blockfall._core

    shutil.copy(blockfall._core.__file__, site / "blockfall")
    facts = site / f"blockfall-{PROJECT['version']}.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: blockfall\nVersion: {PROJECT['version']}\n")
    environment = {"PATH": os.environ["PATH"], "BLOCKFALL_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)}
    environment |= {"PYTHONUNBUFFERED": "1"}
    program = [str(python), "-W", "error::DeprecationWarning:blockfall", "-m", "blockfall"]
    serve = [*program, "serve", "--port", "0", "--lockstep"]
    with subprocess.Popen(serve, env=environment, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            found = re.search(r"ws://[\d.:]+\d", server.stdout.readline())
            assert found
            for words in [*PLAYS, ["connect", found[0], "--agent", "lee", "--games", "1"]]:
                done = subprocess.run(
                    [*program, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
                )
                assert done.returncode == 0, f"{words}: {done.stderr}"
        finally:
            server.terminate()


@pytest.mark.long
def test_two_wheels_of_the_same_sources_are_equal(tmp_path: Path) -> None:
    """They are built in two places from copies of the sources; only the compiler is the same."""
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.split(b"\0")
    places = [tmp_path / "one", tmp_path / "another-place"]
    for name in filter(None, files):
        source = ROOT / os.fsdecode(name)
        for place in places if source.is_file() else []:
            target = place / "sources" / os.fsdecode(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps"]
    digests = set()
    for place in places:
        made = subprocess.run(
            [*pip, "-w", place, place / "sources"],
            env=os.environ | {"SOURCE_DATE_EPOCH": "1700000000"},
            capture_output=True,
            text=True,
            timeout=7200,
        )
        assert made.returncode == 0, made.stderr
        [wheel] = place.glob("blockfall-*.whl")
        digests.add(hashlib.sha256(wheel.read_bytes()).hexdigest())
    assert len(digests) == 1
