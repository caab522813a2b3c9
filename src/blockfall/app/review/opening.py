"""The sources of a game to review: an agent and a seed, the store, a tournament, or a visitor's file."""

import asyncio

from nicegui import ui
from nicegui.events import UploadEventArguments

from blockfall.app.parts import choices, menus, widgets
from blockfall.app.parts.address import Address, link
from blockfall.app.parts.desk import EXPLANATIONS, SEARCHES
from blockfall.app.parts.records import RECORDS, visitor
from blockfall.app.results.tournaments import replay_text
from blockfall.app.review.first_games import FIRST_GAMES, FirstGame, ended
from blockfall.app.review.marks import explain_marks
from blockfall.app.review.reviewing import MOST_PIECES, agents_game
from blockfall.errors import BlockfallError, SettingError
from blockfall.fumen import is_fumen
from blockfall.games.replay import Replay
from blockfall.rulesets import rules
from blockfall.store import StoredReplay

_MOST_CHARACTERS = 1_000_000
_USUAL_PIECES = 100
_GAMES_SHOWN = 8
_LONGEST_NAME = 60
_MOST_SEED = 2**64 - 1


async def open_replay(address: Address) -> Replay:
    """Return the game that an address names."""
    if tournament := address.get("tournament"):
        return await EXPLANATIONS.do(read_replay, await asyncio.to_thread(replay_text, tournament, address.get("game")))
    if game := address.get("game"):
        return await EXPLANATIONS.do(Replay.parse, await RECORDS.do(lambda store: store.replays.text(game)))
    if address.get("rules") not in menus.rules_choices():
        raise SettingError(f"there are no rules {address.get('rules')[:80]!r} here")
    player = await asyncio.to_thread(menus.chosen_agent, address.get("agent"))
    pieces = address.whole("pieces", _USUAL_PIECES, 1, MOST_PIECES)
    seed = address.whole("seed", 1, 0, _MOST_SEED)
    return await SEARCHES.do(agents_game, rules(address.get("rules")), player, seed, pieces)


def read_replay(text: str) -> Replay:
    """Return the game in a text: a replay's JSON lines, or a fumen."""
    if len(text) > _MOST_CHARACTERS:
        raise SettingError(
            f"this replay has more than {_MOST_CHARACTERS:,} characters; `blockfall watch --replay` accepts it"
        )
    return Replay.from_fumen(text.strip()) if is_fumen(text) else Replay.parse(text)


async def keep_replay(replay: Replay) -> str:
    """Save a visitor's game in the store and return the address of its review."""
    text, came_to, who = await asyncio.to_thread(replay.text), replay.outcome, visitor()
    game = await RECORDS.do(
        lambda store: store.replays.save(
            text,
            rules=replay.rules.name,
            player=replay.agent[:_LONGEST_NAME],
            pieces=came_to.pieces,
            lines=came_to.lines,
            score=came_to.score,
            visitor=who,
        )
    )
    return link("/review", game=game)


class Opening:
    """The part of the page that asks for a game."""

    def __init__(self) -> None:
        with widgets.parts():
            with widgets.panel("Open a game", "bf-grow"):
                ui.label(
                    "Choose a replay file, or paste its JSON lines or a fumen. "
                    "The command blockfall watch --record FILE writes such a file."
                ).classes("bf-soft")
                upload = ui.upload(auto_upload=True, on_upload=self._uploaded).classes("hidden")
                upload.props(f'accept=".jsonl,.json,.txt" max-file-size={_MOST_CHARACTERS}')
                choose = ui.button("Choose a file", icon="upload_file").props("outline no-caps").classes("self-start")
                choose.on("click", js_handler=f"() => getElement({upload.id}).pickFiles()")
                self._text = ui.textarea("Or paste it here").props("rows=3").classes("w-full")
                self._trouble = widgets.trouble()
                paste = ui.button("Review it", icon="rate_review", on_click=self._pasted)
                paste.props("unelevated no-caps").classes("self-start")
            with widgets.panel("An agent's game", "bf-grow"):
                self._build_agents_game()
            with widgets.panel("Your last games", "bf-grow"):
                who = visitor()
                widgets.filled_later(
                    lambda: RECORDS.do(lambda store: store.replays.newest(who, _GAMES_SHOWN)), show_games
                )
        with widgets.panel("Sample games", "w-full"):
            widgets.filled_later(lambda: asyncio.to_thread(_first_games), _show_first_games)
        with widgets.panel("What the grades mean", "w-full"):
            explain_marks()

    def _build_agents_game(self) -> None:
        ui.label("See how one agent plays, through the eyes of another.").classes("bf-soft")
        with ui.element("div").classes("bf-choices"):
            rules_name = menus.rules_menu("guideline")
            agent = menus.agent_menu("ist-h1", lambda: str(rules_name.value))
            seed = ui.number("Seed", value=1, min=0, precision=0, validation=choices.seed_problem)
            seed.props("hide-bottom-space")

        def go() -> None:
            if not choices.seed_problem(seed.value):
                number = choices.whole(seed.value, "the seed", 0, choices.MOST_SEED)
                ui.navigate.to(link("/review", rules=rules_name.value, agent=agent.value, seed=number))

        ui.button("Review it", icon="rate_review", on_click=go).props("outline no-caps").classes("self-start")

    @staticmethod
    def asks(address: Address) -> bool:
        """Return whether an address names a game."""
        return bool(address.get("game") or address.get("agent"))

    async def _uploaded(self, event: UploadEventArguments) -> None:
        try:
            text = await event.file.text()
        except UnicodeDecodeError:
            self._trouble.text = "This is not a text file; a replay consists of JSON lines."
            return
        await self._open(text)

    async def _pasted(self) -> None:
        await self._open(str(self._text.value or ""))

    async def _open(self, text: str) -> None:
        try:
            replay = await EXPLANATIONS.do(read_replay, text)
            address = await keep_replay(replay)
        except BlockfallError as error:
            self._trouble.text = f"This game cannot be shown: {error}"
            return
        ui.navigate.to(address)


def _first_games() -> list[tuple[FirstGame, str, str]]:
    return [(one, *ended(one)) for one in FIRST_GAMES]


def _show_first_games(games: list[tuple[FirstGame, str, str]]) -> None:
    with ui.element("div").classes("bf-cards"):
        for one, board, how in games:
            with ui.link(target=one.address).classes("bf-panel bf-card bf-first-game"):
                ui.html(board, sanitize=False).classes("bf-last-board").props("aria-hidden=true")
                with ui.column().classes("gap-1"):
                    ui.label(one.title).classes("font-bold")
                    ui.label(how).classes("text-sm")
                    ui.label(one.who).classes("bf-soft text-sm")


def show_games(games: list[StoredReplay]) -> None:
    """List a visitor's games, each with a link to its review."""
    if not games:
        ui.label("No games yet. The Tetris games that you finish appear here.").classes("bf-soft")
        widgets.link_button("Play", "sports_esports", "/play").classes("self-start")
        return
    with ui.element("ul").classes("bf-list"):
        for one in games:
            with ui.element("li"), ui.link(target=link("/review", game=one.id)).classes("bf-list-link"):
                ui.icon("rate_review")
                ui.label(f"{one.lines:,} lines, {one.pieces:,} pieces").classes("font-medium")
                who = f"{one.player}, " if one.player else ""
                what = menus.rules_title(one.rules)
                ui.label(f"{who}{what}, {one.played[:16].replace('T', ' ')}").classes("bf-soft text-sm")
