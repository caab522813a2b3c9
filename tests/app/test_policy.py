"""The headers of the app's pages, and what a real Chromium makes of them."""

import http.client
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser

from tests.app.conftest import App, Visit
from tests.app.looking import answers

PATHS = ("/", "/play", "/watch", "/analyse", "/train", "/results")


def answer(app: App, path: str, **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(urlsplit(app.url).netloc, timeout=20)
    connection.request("GET", path, headers=headers)
    return connection.getresponse()


@pytest.mark.parametrize("path", [*PATHS, "/no-such-page", "/files/runs/none/html", "/style.css"])
def test_every_answer_has_the_headers(app: App, path: str) -> None:
    for host in ({}, {"Host": "evil.example"}):
        headers = answer(app, path, **host).headers
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
        policy = headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in policy
        assert "default-src 'none'" in policy
        script = next(part for part in policy.split("; ") if part.startswith("script-src"))
        assert "unsafe-inline" not in script


def test_each_answer_has_a_nonce_of_its_own(app: App) -> None:
    policies = {answer(app, "/").headers["Content-Security-Policy"] for _ in range(5)}
    assert len(policies) == 5


@pytest.mark.parametrize("path", PATHS)
def test_every_page_works_under_its_policy(visit: Visit, path: str) -> None:
    page = visit(path)  # Chromium reports what a policy forbids; the fixture fails on any error
    page.get_by_role("button", name="Light or dark").click()
    page.get_by_role("button", name="Light or dark: light").wait_for()


def test_an_injected_script_does_not_run(app: App, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)
    page.goto(app.url)
    answers(page).evaluate(
        """() => {
            const script = document.createElement('script');
            script.textContent = 'window.smuggled = 1';
            document.body.append(script);
            const image = document.createElement('img');
            image.setAttribute('onerror', 'window.smuggled = 2');
            image.src = '/no-such-picture';
            document.body.append(image);
            const far = document.createElement('script');
            far.src = 'http://evil.example/script.js';
            document.body.append(far);
        }"""
    )
    page.wait_for_function("document.images.length > 0")
    page.wait_for_timeout(500)
    assert sum("Content Security Policy" in text for text in refused) == 3
    assert page.evaluate("window.smuggled") is None
    context.close()


@contextmanager
def site(pages: dict[str, str]) -> Iterator[str]:
    """Serve another site on this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(pages.get(self.path, "").encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_another_site_cannot_frame_it(app: App, browser: Browser) -> None:
    frames = f'<iframe src="/inner"></iframe><iframe src="{app.url}train"></iframe>'
    with site({"/": frames, "/inner": "<h1>inner</h1>"}) as url:
        context = browser.new_context()
        page = context.new_page()
        page.goto(url)
        _, inner, framed = page.frames
        assert inner.locator("h1").inner_text() == "inner"  # other pages can be framed
        assert framed.url == "chrome-error://chromewebdata/"
        assert framed.locator("h1", has_text="Train").count() == 0
        context.close()
