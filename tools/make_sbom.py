"""List Blockfall's components: `python tools/make_sbom.py > sbom.json`, in an environment where it is installed.

The list is a software bill of materials in CycloneDX's JSON (version 1.5): Blockfall, what it and its extras need here,
and their licences, versions and dependencies. `--licences` prints the table of docs/licences.md instead. The same
environment gives the same bytes.
"""

import json
import re
import sys
from email.message import Message
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import cast

from packaging.requirements import Requirement

_EXTRAS = ("app", "cuda", "dask", "gym", "learn", "numba", "plots")
_NAMED = {  # classifiers and texts as SPDX writes them
    "MIT License": "MIT",
    "MIT": "MIT",
    "Apache Software License": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "BSD": "BSD-3-Clause",
    "BSD 3-Clause License": "BSD-3-Clause",
    "BSD-2-Clause": "BSD-2-Clause",
    "ISC License (ISCL)": "ISC",
    "Python Software Foundation License": "PSF-2.0",
    "PSF": "PSF-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Historical Permission Notice and Disclaimer (HPND)": "HPND",
    "The Unlicense (Unlicense)": "Unlicense",
    "zlib/libpng License": "Zlib",
}


def key(name: str) -> str:
    """The name of a package as indexes write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def licence(package: Distribution) -> str:
    """The licence of a package, as an SPDX expression if it is known."""
    facts = cast(Message, package.metadata)  # its type has no `get` before Python 3.12
    if facts.get("License-Expression"):
        return str(facts["License-Expression"])
    texts = [one.split(" :: ")[-1] for one in facts.get_all("Classifier", []) if one.startswith("License ::")]
    texts = [text for text in texts if text != "OSI Approved"] or [(facts.get("License") or "unknown").splitlines()[0]]
    return " AND ".join(sorted({_NAMED.get(text, text) for text in texts}))


def needed(package: Distribution, extras: tuple[str, ...]) -> list[tuple[Distribution, tuple[str, ...]]]:
    """The packages that this one needs here, each with its requested extras. Missing packages are left out."""
    found = []
    for text in package.requires or []:
        requirement = Requirement(text)
        wanted = [{"extra": extra} for extra in extras] or [{"extra": ""}]
        if requirement.marker and not any(requirement.marker.evaluate(one) for one in [*wanted, {"extra": ""}]):
            continue
        try:
            found.append((distribution(requirement.name), tuple(sorted(requirement.extras))))
        except PackageNotFoundError:
            continue
    return found


def everything() -> tuple[dict[str, Distribution], dict[str, set[str]]]:
    """All packages by name, with the names of their dependencies."""
    packages: dict[str, Distribution] = {}
    edges: dict[str, set[str]] = {}
    to_see: list[tuple[Distribution, tuple[str, ...]]] = [(distribution("blockfall"), _EXTRAS)]
    seen = set()
    while to_see:
        package, extras = to_see.pop()
        name = key(package.metadata["Name"])
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        packages[name] = package
        for other, wanted in needed(package, extras):
            edges.setdefault(name, set()).add(key(other.metadata["Name"]))
            to_see.append((other, wanted))
    return packages, edges


def bill() -> dict[str, object]:
    """The list of components and their dependencies."""
    packages, edges = everything()

    def place(name: str) -> str:
        return f"pkg:pypi/{name}@{packages[name].version}"

    def component(name: str) -> dict[str, object]:
        return {
            "type": "application" if name == "blockfall" else "library",
            "bom-ref": place(name),
            "name": packages[name].metadata["Name"],
            "version": packages[name].version,
            "purl": place(name),
            "licenses": [{"expression": licence(packages[name])}],
        }

    names = sorted(packages)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": component("blockfall")},
        "components": [component(name) for name in names if name != "blockfall"],
        "dependencies": [
            {"ref": place(name), "dependsOn": [place(other) for other in sorted(edges.get(name, ()))]} for name in names
        ],
    }


def table() -> str:
    """The packages and their licences, as rows of Markdown."""
    packages, _ = everything()
    rows = [f"| {name} | {licence(packages[name])} |" for name in sorted(packages) if name != "blockfall"]
    return "\n".join(["| package | licence |", "|---|---|", *rows])


if __name__ == "__main__":
    print(table() if "--licences" in sys.argv else json.dumps(bill(), indent=1))
