"""The menus: shipped agents and those of the visitor's runs, rule sets, search algorithms."""

import re
from collections.abc import Callable

from nicegui import ui

from blockfall.agents import Agent, agent, agent_names, registered_agents
from blockfall.app.parts import cards
from blockfall.app.parts.strengths import lines_in_words, strength
from blockfall.errors import FileError, SettingError
from blockfall.experiments.overview import Overview
from blockfall.experiments.run import AGENT_FILE
from blockfall.rulesets import registered_rules, rules, rules_names
from blockfall.search import algorithms
from blockfall.store import Store

_RUN = "run:"
_LONGEST_CREDIT = 48
_OPTION = """
<q-item v-bind="props.itemProps" :data-card="props.opt.card" :aria-label="props.opt.label"
  :aria-description="props.opt.note">
  <q-item-section>
    <q-item-label>{{ props.opt.label }}</q-item-label>
    <q-item-label caption>{{ props.opt.note }}</q-item-label>
  </q-item-section>
</q-item>"""
_MOST_RUNS = 200
_MOST_KNOWN = 3  # each further piece takes about thirty times as long
_MOST_PLIES = 2


def rules_choices() -> dict[str, str]:
    """Return the rule sets with their titles, as every page shows them."""
    return {name: rules(name).title for name in [*rules_names(), *registered_rules()]}


def rules_title(name: str) -> str:
    """Return the rules' title, as every page shows it. Rules from a visitor's own file have only a name."""
    return rules(name).title if name in (*rules_names(), *registered_rules()) else name


def agent_choices(rules_name: str = "") -> dict[str, str]:
    """Return the shipped agents, the strongest under the rules first, then those of plugins."""

    def place(name: str) -> tuple[bool, tuple[bool, float]]:
        return agent(name).rules != rules_name, strength(rules_name, name)  # those made for the rules first

    shipped = sorted(agent_names(), key=place) if rules_name else agent_names()
    return {name: name for name in [*shipped, *registered_agents()]}


def agent_note(name: str, rules_name: str) -> str:
    """Return a menu's note on an agent: its author and year, the pieces it knows, its measured lines."""
    if name not in agent_names():
        return ""
    found = agent(name)
    pieces = "1 piece" if found.pieces_known == 1 else f"{found.pieces_known} pieces"
    made_for = "made for these rules" if found.rules == rules_name else ""
    parts = (credit(found.source), f"knows {pieces}", made_for, lines_in_words(rules_name, name))
    return " · ".join(part for part in parts if part)


def credit(source: str) -> str:
    """Return the author and the year in an agent's source.

    >>> credit("Thiery & Scherrer 2009, Building Controllers for Tetris; cross-entropy")
    'Thiery & Scherrer 2009'
    >>> credit("data2021, table 10: set of 4 heuristics"), credit("Birken, NintAI: six factors")
    ('data2021', 'Birken')
    """
    found = re.search(r"^.*?(?:19|20)\d\d\b", source)
    if found and len(found[0]) <= _LONGEST_CREDIT:
        return found[0].removeprefix("the weights of ")
    return re.split(r"[,;:]", source)[0][:_LONGEST_CREDIT]


class Menu(ui.select):
    """A menu of things that have cards (`cards`), with a note below each name."""

    def __init__(
        self,
        kind: str,
        choices: dict[str, str],
        *,
        label: str,
        value: str | None = None,
        note: Callable[[str], str] = str,
        on_change: Callable[[], object] | None = None,
    ) -> None:
        """`note` returns the text below a name, by default the name itself."""
        self._kind, self._note = kind, note
        super().__init__(choices, label=label, value=value, on_change=on_change)
        self._describe()
        self.props("outlined dense options-dense")  # like all menus; a subclass does not get their defaults
        self.props("popup-content-class=bf-menu")
        self.add_slot("option", _OPTION)
        cards.about(self, kind)

    def update(self) -> None:
        """Send the menu to the browser again, with the cards and notes of its options."""
        super().update()
        self._describe()

    def _describe(self) -> None:
        with self.props.suspend_updates():
            for option, name in zip(self.props["options"], self.options, strict=True):
                option |= {"card": f"{self._kind}/{name}", "note": self._note(name)}


def rules_menu(value: str | None, label: str = "Rules") -> Menu:
    """Return a menu of the rule sets."""
    return Menu("rules", rules_choices(), label=label, value=value)


def agent_menu(value: str | None, rules_name: Callable[[], str], label: str = "Agent") -> Menu:
    """Return a menu of the agents, strongest first. `rules_name` returns the chosen rules."""
    return Menu(
        "agent",
        agent_choices(rules_name()),
        label=label,
        value=value,
        note=lambda name: agent_note(name, rules_name()),
    )


def algorithm_menu(value: str) -> Menu:
    """Return a menu of the algorithms that search games, including those of plugins."""
    known = algorithms(undoes=False)
    return Menu(
        "algorithm", {name: name for name in known}, label="Algorithm", value=value, note=lambda name: known[name].title
    )


def trained_choices() -> dict[str, str]:
    """Return the agents of finished runs, newest first. This reads the store: do not call it on the event loop."""
    with Store() as store:
        finished = [run for run in store.runs.newest() if run.finished and (run.folder / AGENT_FILE).is_file()]
    return {f"{_RUN}{run.id}": f"{Overview(run).label} (run {run.id})" for run in finished[:_MOST_RUNS]}


def missing_agent(choice: str) -> str:
    """Return the end of a sentence about a link's agent that does not exist here."""
    if choice.startswith(_RUN):
        return f"the agent of run {choice.removeprefix(_RUN)[:80]!r}, which is not here or was deleted."
    return f"the agent {choice[:80]!r}, which is not here."


def chosen_agent(choice: object) -> Agent:
    """Return the agent of a menu's entry, if it is fast enough to watch. Do not call this on the event loop."""
    player = _agent_of(choice)
    if player.pieces_known > _MOST_KNOWN:
        raise SettingError(
            f"{player.name} knows {player.pieces_known} pieces and is too slow for the app, which takes agents that "
            f"know up to {_MOST_KNOWN}; `blockfall watch` takes any"
        )
    if player.plies > _MOST_PLIES:
        raise SettingError(
            f"{player.name} looks {player.plies} plies ahead and is too slow for the app; it takes up to {_MOST_PLIES}"
        )
    return player


def _agent_of(choice: object) -> Agent:
    """Return the agent of a choice. Paths are refused: runs are found by their id."""
    if not isinstance(choice, str):
        raise SettingError("choose an agent from the menu")
    if not choice.startswith(_RUN):
        if choice not in agent_choices():
            raise SettingError(f"no agent {choice[:80]!r}; choose one from the menu")
        return agent(choice)
    with Store() as store:
        folder = store.runs.find(choice.removeprefix(_RUN)).folder
    if not (folder / AGENT_FILE).is_file():
        raise FileError(f"run {choice.removeprefix(_RUN)} has no agent until its training has finished")
    return agent(folder / AGENT_FILE)
