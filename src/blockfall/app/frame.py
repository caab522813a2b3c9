"""The frame of every page: links to the other pages, light and dark mode, and error messages."""

import logging
from collections.abc import Callable
from copy import copy
from pathlib import Path

from fastapi import Request, Response
from fastapi.exception_handlers import http_exception_handler
from nicegui import Client, app, ui
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse

from blockfall.app import home
from blockfall.app.analyse import page as analyse
from blockfall.app.page import AppPage
from blockfall.app.parts import address, cards, widgets
from blockfall.app.parts.notices import Notices
from blockfall.app.play import page as play
from blockfall.app.puzzles import page as puzzles
from blockfall.app.results import downloads
from blockfall.app.results import page as results
from blockfall.app.review import page as review
from blockfall.app.room import is_full, make_room
from blockfall.app.train import page as train
from blockfall.app.watch import page as watch
from blockfall.errors import BlockfallError

_HERE = Path(__file__).parent
_STYLES = ("style.css", "games.css")
_COPY = """async () => {
  try {
    await navigator.clipboard.writeText(location.href);
  } catch {  // browsers offer the clipboard on 127.0.0.1 and under TLS only
    const text = document.createElement("textarea");
    text.value = location.href;
    document.body.append(text);
    text.select();
    document.execCommand("copy");
    text.remove();
  }
  emit(location.href);
}"""
_SHADES = {"auto": ("brightness_auto", None), "light": ("light_mode", False), "dark": ("dark_mode", True)}


PAGES = (
    AppPage("/play", "Play", "sports_esports", "Play Tetris under many rules, or one of the other games.", play.build),
    AppPage("/watch", "Watch", "visibility", "See an agent play, and see why it chose each placement.", watch.build),
    AppPage(
        "/analyse", "Analyse", "troubleshoot", "Examine a position, or follow a search node by node.", analyse.build
    ),
    AppPage("/puzzles", "Puzzles", "extension", "Find the placement that is far better than it looks.", puzzles.build),
    AppPage("/train", "Train", "model_training", "Train a new agent and watch its progress.", train.build),
    AppPage("/results", "Results", "bar_chart", "Compare runs; see published studies and tournaments.", results.build),
)
REVIEW = AppPage(
    "/review", "Review", "rate_review", "Go through a game with an agent that marks mistakes.", review.build
)
HOME = AppPage("/", "Blockfall", "home", "", lambda: home.build((*PAGES, REVIEW)))


def add_pages(most_open: int) -> None:
    """Register all pages, files and error handlers."""
    for name in _STYLES:
        app.add_static_file(local_file=_HERE / name, url_path=f"/{name}")
    app.on_exception(_tell)
    logging.getLogger("nicegui").addFilter(_is_a_fault)
    app.on_page_exception(_show_error)
    app.exception_handler(404)(_show_missing)
    downloads.add_routes()
    address.add_routes()
    cards.add_routes()
    for field in (ui.input, ui.number, ui.textarea):
        field.default_props("outlined dense")
    ui.select.default_props("outlined dense options-dense")
    ui.table.default_props('rows-per-page-label="Rows per page:"')
    for page in (HOME, *PAGES, REVIEW):
        ui.page(page.path, title=page.title if page is HOME else f"{page.title} · Blockfall")(_framed(page, most_open))


def _framed(page: AppPage, most_open: int) -> Callable[[], Response | None]:
    def show() -> Response | None:
        make_room(ui.context.client)
        if is_full(most_open):
            return PlainTextResponse(f"all {most_open} pages of this app are in use; come back later\n", 503)
        _surround(page)
        Notices()
        main = ui.element("div").classes("bf-main")
        ui.skip_link("Skip to content", target=main)
        with main:
            page.build()
        return None

    return show


def _surround(current: AppPage) -> None:
    _add_styles()
    ui.add_head_html('<script src="/cards.js" defer></script>')
    address.follow_history()
    ui.colors(primary="#3d60bd", secondary="#5b6478", accent="#a25cc5", positive="#3f8f3a", negative="#c8443f")
    with ui.header(elevated=False).classes("bf-header"):
        with ui.link(target="/").classes("bf-brand").props('aria-label="Blockfall, home"'):
            ui.html((_HERE / "favicon.svg").read_text(encoding="utf-8"), sanitize=False).classes("bf-logo")
            ui.label("Blockfall")
        with ui.element("nav").classes("bf-nav").props('aria-label="Pages"'):
            for page in PAGES:
                link = ui.link(target=page.path).classes("bf-nav-link")
                if page is current:
                    link.classes("bf-here").props("aria-current=page")
                with link:
                    ui.icon(page.icon)
                    ui.label(page.title)
        ui.space()
        _share_button()
        _shade_button()


def _add_styles() -> None:
    for name in _STYLES:
        ui.add_head_html(f'<link rel="stylesheet" href="/{name}">')


def _share_button() -> None:
    """Add a button that copies the page's address. Whoever opens it sees the same."""
    button = ui.button(icon="share").props('flat round dense color=inherit aria-label="Share: copy a link to this"')
    button.tooltip("Copy a link to what you see")
    button.on("click", lambda: ui.notify("Link copied. It shows what you see now.", type="positive"), js_handler=_COPY)


def _shade_button() -> None:
    """Add a button that switches between light, dark and the system's setting."""
    kept = app.storage.user
    dark = ui.dark_mode()
    button = ui.button().props("flat round dense color=inherit")
    client = ui.context.client
    client.page = copy(client.page)  # the visitor's shade is part of the page, before any script runs
    client.page.dark = _SHADES.get(kept.get("shade", "auto"), _SHADES["auto"])[1]

    def show() -> None:
        name = kept.get("shade", "auto")
        icon, value = _SHADES.get(name, _SHADES["auto"])
        dark.value = value
        button.props(f'icon={icon} aria-label="Light or dark: {name}"')

    def change() -> None:
        names = list(_SHADES)
        kept["shade"] = names[(names.index(kept.get("shade", "auto")) + 1) % len(names)]
        show()

    button.on_click(change)
    show()


def _is_a_fault(record: logging.LogRecord) -> bool:
    """Return whether the terminal should show an error. Errors that a visitor caused are shown only to the visitor."""
    return not (record.exc_info and isinstance(record.exc_info[1], BlockfallError))


def _tell(error: Exception) -> None:
    """Show an error as a message to the visitor. The page keeps working."""
    known = isinstance(error, BlockfallError)
    if not ui.context.slot_stack:  # the error belongs to no page
        return
    ui.notify(
        str(error) if known else f"Something went wrong: {type(error).__name__}. The terminal shows the details.",
        type="warning" if known else "negative",
        multi_line=True,
        close_button="Close",
        group="error",  # one at a time: a new message replaces the previous one
        badge_style="display: none",
    )


async def _show_missing(request: Request, error: HTTPException) -> Response:
    """Show a page for an unknown address, and a plain error for a missing file."""
    if request.url.path.startswith("/files/"):
        return await http_exception_handler(request, error)
    with Client(ui.page("", title="Blockfall"), request=request) as client:
        make_room(client)
        _surround(HOME)
        with ui.element("div").classes("bf-main"):
            widgets.title("No such page")
            widgets.empty_state("explore_off", "This address has no page. The links at the top lead to all pages.")
    return client.build_response(request, 404)


def _show_error(error: Exception) -> None:
    make_room(ui.context.client)
    _add_styles()
    with ui.column().classes("bf-main items-center text-center"):
        ui.icon("sentiment_dissatisfied", size="4rem").classes("text-secondary")
        ui.label("This page could not be shown").classes("text-h5")
        ui.label(str(error) if isinstance(error, BlockfallError) else "The terminal shows the reason.")
        ui.link("Home", "/")
