"""The site's own pages: those outside docs/, the Python reference, and the files that pages link to.

MkDocs calls the functions below (`hooks` in mkdocs.yml). Pages are plain Markdown whose links point into the
repository; here each link is turned to its place in the site.
"""

import os
import re
import tomllib
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

import blockfall
from blockfall.studies import STUDIES

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
OUTSIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
"""Pages outside docs/, and their names in the site."""
LINK = re.compile(r"\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_config(config: Any) -> Any:
    """Link to the repository, once it has an address, and list the studies."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    config.repo_url = project["tool"]["blockfall"]["address"] or None
    (section,) = (entry for entry in config.nav if "Studies" in entry)
    section["Studies"] = [{name: f"studies/{name}.md"} for name in STUDIES if (DOCS / f"studies/{name}.md").exists()]
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages outside docs/, and every file of the repository that a page links to."""
    for name, place in OUTSIDE.items():
        files.append(File.generated(config, place, content=(ROOT / name).read_text(encoding="utf-8")))
    files.append(File.generated(config, "python.md", content=api_page()))
    linked = set()
    for file in files.documentation_pages():
        linked |= {target for target in targets(file.src_uri, file.content_string) if target.is_file()}
    for path in sorted(linked):
        if not is_page_or_picture(path) and path.name not in OUTSIDE:
            text = path.read_text(encoding="utf-8")
            files.append(File.generated(config, source_place(path), content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:  # noqa: ARG001
    """Turn the page's links to the site. A link to a folder becomes plain text."""
    here = page.file.src_uri

    def turned(found: re.Match[str]) -> str:
        target = target_of(here, found[1])
        if target is None:
            return found[0]
        if target.is_dir():
            return "]{.folder}"
        place = place_of(target)
        return f"]({os.path.relpath(place, Path(here).parent)}{found[2] or ''})"

    turned_text = LINK.sub(turned, markdown)
    return re.sub(r"\[([^][]*)\]\{\.folder\}", r"\1", turned_text)


def targets(here: str, markdown: str) -> set[Path]:
    """The files and folders of the repository that a page links to."""
    found = (target_of(here, link) for link, _ in LINK.findall(markdown))
    return {target for target in found if target}


def target_of(here: str, link: str) -> Path | None:
    """The target of a page's link in the repository; None if it leads elsewhere."""
    if re.match(r"[a-z]+:", link):
        return None
    outside = {place: name for name, place in OUTSIDE.items()}
    folder = ROOT if here in outside else (DOCS / here).parent
    return (folder / link).resolve()


def place_of(path: Path) -> str:
    """The place of a file of the repository in the site."""
    if is_page_or_picture(path):
        return path.relative_to(DOCS).as_posix()
    return OUTSIDE.get(path.relative_to(ROOT).as_posix()) or source_place(path)


def is_page_or_picture(path: Path) -> bool:
    """Return whether a file is in docs/ and not excluded from the site (`exclude_docs` in mkdocs.yml)."""
    return path.is_relative_to(DOCS) and path.suffix != ".py" and not path.is_relative_to(DOCS / "data")


def source_place(path: Path) -> str:
    """Show source files as text."""
    return f"source/{path.relative_to(ROOT).as_posix()}.txt"


def api_page() -> str:
    """Return a page of every public name, room by room, for mkdocstrings to fill in."""
    parts = ["# The Python interface\n\nEvery name below is `blockfall.NAME`. `help(blockfall.NAME)` shows the same.\n"]
    for home in sorted(set(blockfall._HOME_OF.values())):
        parts.append(f"\n## {home.removeprefix('blockfall.')}\n")
        parts += [f"\n::: blockfall.{name}\n" for name in blockfall.__all__ if blockfall._HOME_OF[name] == home]
    return "".join(parts)
