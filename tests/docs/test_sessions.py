"""Pages that a reader follows from top to bottom: files are written, commands run, outputs compared."""

import io
import os
import re
import shlex
import signal
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests import ROOT
from tests.docs.test_examples import SESSIONS
from tests.program import PROGRAM, Call, next_line

STEP = re.compile(
    r'^```(?P<language>\w+)(?: title="(?P<file>[^"]+)")?\n(?P<code>.*?)^```$|^    (?P<command>blockfall [^\n]+)$',
    re.DOTALL | re.MULTILINE,
)


def squeezed(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("page", SESSIONS)
def test_a_page_can_be_followed(
    page: str, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())  # questions are not answered
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("bash", "/bin/bash"))  # whoever runs the tests
    servers: dict[str, str] = {}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BLOCKFALL_HOME", str(tmp_path / "home"))
    printed, commands = "", 0
    for step in STEP.finditer((ROOT / "docs" / page).read_text()):
        if step["command"]:
            words = [servers.get(word, word) for word in shlex.split(step["command"])[1:]]
            if words[0] in ("serve", "app"):
                servers |= begun(request, words)
                continue
            if words[0] == "watch":
                words += ["--speed", "1000"]
            code, printed, said = call(*words)
            assert code == 0, f"{step['command']}\n{said}"
            commands += 1
        elif step["file"]:
            Path(step["file"]).parent.mkdir(parents=True, exist_ok=True)
            Path(step["file"]).write_text(step["code"])
        elif step["language"] == "text":
            for line in step["code"].splitlines():
                assert squeezed(line) in squeezed(printed)
    assert commands


def begun(request: pytest.FixtureRequest, words: list[str]) -> dict[str, str]:
    """Start a page's server, which runs until the end of the page. Return its address on the page and its real one."""
    of_its_own = ["--port", "0", *(["--no-browser"] if words[0] == "app" else ["--lockstep"])]
    process = subprocess.Popen([*PROGRAM, *words, *of_its_own], stdout=subprocess.PIPE, text=True)

    def stop() -> None:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)

    request.addfinalizer(stop)
    assert process.stdout
    said = next_line(process.stdout)
    found = re.search(r"(ws|http)://[\d.]+:\d+", said)
    assert found, said
    return {"ws://127.0.0.1:8000": found[0]} if words[0] == "serve" else {}


class Links(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value and tag != "link":
                self.links.add(value)
            if name in ("id", "name") and value:
                self.anchors.add(value)


@pytest.mark.long
def test_the_site_is_built_without_dead_links(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="the extra `docs`")
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(build, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    pages: dict[Path, Links] = {}
    for path in tmp_path.rglob("*.html"):
        pages[path] = Links()
        pages[path].feed(path.read_text(encoding="utf-8"))
    assert {"index.html", "tutorial.html", "api.html"} <= {path.name for path in pages}
    dead = [
        f"{path.relative_to(tmp_path)}: {link}"
        for path, found in pages.items()
        if path.name != "404.html"
        for link in found.links
        if not leads_somewhere(path, link, pages)
    ]
    assert not dead


def leads_somewhere(page: Path, link: str, pages: dict[Path, Links]) -> bool:
    parts = urlsplit(link)
    if parts.scheme:
        return True
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return False
    return not parts.fragment or target not in pages or unquote(parts.fragment) in pages[target].anchors
