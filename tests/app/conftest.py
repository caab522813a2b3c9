"""The app as a separate process, and a real Chromium that looks at it."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from tests.app.looking import PATIENCE_S, answers
from tests.program import PROGRAM, next_line

DESKTOP: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 360, "height": 740}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@dataclass(frozen=True)
class App:
    url: str
    home: Path
    process: "subprocess.Popen[str]"


def installed(names: Iterable[str]) -> str | None:
    """Return the first of these programs that the machine has."""
    return next((path for name in names if (path := shutil.which(name))), None)


def _users_environment() -> dict[str, str]:
    """Return the environment without pytest's variable, which would make NiceGUI omit compression."""
    return {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}


@contextmanager
def running_app(home: Path, *options: str) -> Iterator[App]:
    process = subprocess.Popen(
        [*PROGRAM, "app", "--port", "0", "--no-browser", *options],
        env=_users_environment() | {"BLOCKFALL_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout
        said = next_line(process.stdout)
        found = re.search(r"http://\S+", said)
        assert found, f"{said!r} names no address"
        yield App(found.group(), home, process)
    finally:
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
        assert "Traceback" not in errors, errors


@pytest.fixture(scope="package")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Run one app for all tests. Each test visits it as a new visitor."""
    with running_app(tmp_path_factory.mktemp("app")) as started:
        yield started


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=installed(BROWSERS), args=["--no-sandbox"])
        yield started
        started.close()


Visit = Callable[..., Page]


@pytest.fixture
def visit(app: App, browser: Browser) -> Iterator[Visit]:
    with visits(app, browser) as visit:
        yield visit


@contextmanager
def visits(app: App, browser: Browser) -> Iterator[Visit]:
    """Yield a function that opens a path as a new visitor. At the end, no page may have reported an error."""
    contexts, errors = [], []

    def open_page(path: str, viewport: ViewportSize = DESKTOP) -> Page:
        context = browser.new_context(viewport=viewport, accept_downloads=True)
        context.set_default_timeout(1000 * PATIENCE_S)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(app.url.rstrip("/") + path)
        return answers(page)

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []
