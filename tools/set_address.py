"""Set the repository's address wherever it is needed: `python tools/set_address.py ADDRESS`.

The setting is `address` in [tool.blockfall] of pyproject.toml. [project.urls] and CITATION.cff are written from it,
and the documentation site reads it. An empty address gives no links.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def urls(address: str) -> dict[str, str]:
    """Return the links that package indexes show."""
    if not address:
        return {}
    return {
        "Homepage": address,
        "Issues": f"{address}/issues",
        "Changelog": f"{address}/blob/main/CHANGELOG.md",
        "Documentation": f"{address}/tree/main/docs",
    }


def set_address(address: str, root: Path = ROOT) -> None:
    """Write the address into pyproject.toml and CITATION.cff."""
    address = address.rstrip("/")
    project = root / "pyproject.toml"
    text = re.sub(r"^\[project\.urls\]\n(?:.+\n)*\n", "", project.read_text(encoding="utf-8"), flags=re.MULTILINE)
    text = re.sub(r'^address = ".*"$', f'address = "{address}"', text, flags=re.MULTILINE)
    if address:
        table = "".join(f'{name} = "{url}"\n' for name, url in urls(address).items())
        text = text.replace("[project.scripts]\n", f"[project.urls]\n{table}\n[project.scripts]\n")
    project.write_text(text, encoding="utf-8")
    citation = root / "CITATION.cff"
    text = re.sub(r"^repository-code: .*\n", "", citation.read_text(encoding="utf-8"), flags=re.MULTILINE)
    if address:
        text = text.replace("license: MIT\n", f'license: MIT\nrepository-code: "{address}"\n')
    citation.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    set_address(sys.argv[1])
