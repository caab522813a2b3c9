"""What every page has around it: the way to the others, light and dark, and errors as messages."""

import logging
from collections.abc import Callable
from pathlib import Path

from fastapi import Request, Response
from fastapi.exception_handlers import http_exception_handler
from nicegui import Client, app, ui
from nicegui.slot import Slot
from starlette.exceptions import HTTPException

from blockfall.app import home
from blockfall.app.analyse import page as analyse
from blockfall.app.page import Page
from blockfall.app.parts import widgets
from blockfall.app.play import page as play
from blockfall.app.results import downloads
from blockfall.app.results import page as results
from blockfall.app.train import page as train
from blockfall.app.watch import page as watch
from blockfall.errors import BlockfallError

_HERE = Path(__file__).parent
_SHADES = {"auto": ("brightness_auto", None), "light": ("light_mode", False), "dark": ("dark_mode", True)}


PAGES = (
    Page("/play", "Play", "sports_esports", "Tetris under many rules, Hopeless and SameGame.", play.build),
    Page("/watch", "Watch", "visibility", "An agent at work, and why it plays what it plays.", watch.build),
    Page("/analyse", "Analyse", "troubleshoot", "A position of yours, and searches node by node.", analyse.build),
    Page("/train", "Train", "model_training", "A new agent: choose, start, look on.", train.build),
    Page("/results", "Results", "bar_chart", "Runs compared, and the five published studies.", results.build),
)
HOME = Page("/", "Blockfall", "home", "", lambda: home.build(PAGES))


def add_pages() -> None:
    app.add_static_file(local_file=_HERE / "style.css", url_path="/style.css")
    app.on_exception(_tell)
    logging.getLogger("nicegui").addFilter(_is_a_fault)
    app.on_page_exception(_show_error)
    app.exception_handler(404)(_show_missing)
    downloads.add_routes()
    for field in (ui.input, ui.number, ui.textarea):
        field.default_props("outlined dense")
    ui.select.default_props("outlined dense options-dense")
    for page in (HOME, *PAGES):
        ui.page(page.path, title=page.title if page is HOME else f"{page.title} · Blockfall")(_framed(page))


def _framed(page: Page) -> Callable[[], None]:
    def show() -> None:
        _surround(page)
        main = ui.element("div").classes("bf-main")
        ui.skip_link("To the content", target=main)
        with main:
            page.build()

    return show


def _surround(current: Page) -> None:
    ui.add_head_html('<link rel="stylesheet" href="/style.css">')
    ui.colors(primary="#4a6fd0", secondary="#5b6478", accent="#a25cc5", positive="#3f8f3a", negative="#c8443f")
    with ui.header(elevated=False).classes("bf-header"):
        with ui.link(target="/").classes("bf-brand").props('aria-label="Blockfall, home"'):
            ui.html((_HERE / "favicon.svg").read_text(), sanitize=False).classes("bf-logo")
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
        _shade_button()


def _shade_button() -> None:
    """Light, dark, or as the system says."""
    kept = app.storage.user
    dark = ui.dark_mode()
    button = ui.button().props("flat round dense color=inherit")

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
    """What a visitor can cause is told to the visitor; the terminal hears of the rest."""
    return not (record.exc_info and isinstance(record.exc_info[1], BlockfallError))


def _tell(error: Exception) -> None:
    """An error in a page's work: a message to the visitor; the page lives on."""
    known = isinstance(error, BlockfallError)
    if not Slot.get_stack():  # nobody's page
        return
    ui.notify(
        str(error) if known else f"Something went wrong in Blockfall: {type(error).__name__}. The terminal has more.",
        type="warning" if known else "negative",
        multi_line=True,
        close_button="Close",
    )


async def _show_missing(request: Request, error: HTTPException) -> Response:
    """A page that there is not. A file that there is not says so itself."""
    if request.url.path.startswith("/files/"):
        return await http_exception_handler(request, error)
    with Client(ui.page("", title="Blockfall"), request=request) as client:
        _surround(HOME)
        with ui.element("div").classes("bf-main"):
            widgets.title("No such page")
            widgets.empty_state("explore_off", "Nothing is here. The pages are those at the top.")
    return client.build_response(request, 404)


def _show_error(error: Exception) -> None:
    ui.add_head_html('<link rel="stylesheet" href="/style.css">')
    with ui.column().classes("bf-main items-center text-center"):
        ui.icon("sentiment_dissatisfied", size="4rem").classes("text-secondary")
        ui.label("This page could not be shown").classes("text-h5")
        ui.label(str(error) if isinstance(error, BlockfallError) else "The terminal says why.")
        ui.link("Home", "/")
