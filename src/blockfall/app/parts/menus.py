"""What visitors choose from: agents that come with Blockfall and those of their own runs; the rule sets; pieces."""

from blockfall.agents import Agent, agent, agent_names, registered_agents
from blockfall.errors import FileError, SettingError
from blockfall.experiments.overview import Overview
from blockfall.experiments.run import AGENT_FILE
from blockfall.rulesets import registered_rules, rules, rules_names
from blockfall.store import Store

_RUN = "run:"
_MOST_RUNS = 200
_MOST_KNOWN = 3  # each piece more takes about thirty times as long
_MOST_PLIES = 2


def rules_choices() -> dict[str, str]:
    """Gives the rule sets with their titles."""
    return {name: f"{name}: {rules(name).title}" for name in [*rules_names(), *registered_rules()]}


def agent_choices() -> dict[str, str]:
    """Gives the agents that come with Blockfall, and those that a plugin registered."""
    return {name: name for name in [*agent_names(), *registered_agents()]}


def trained_choices() -> dict[str, str]:
    """The agents of finished runs, the newest first. Reads the store: not for the event loop."""
    store = Store()
    try:
        finished = [run for run in store.runs.newest() if run.finished and (run.folder / AGENT_FILE).is_file()]
    finally:
        store.close()
    return {f"{_RUN}{run.id}": f"{Overview(run).label} (run {run.id})" for run in finished[:_MOST_RUNS]}


def missing_agent(choice: str) -> str:
    """A sentence about an agent that somebody's link names and that is not here."""
    if choice.startswith(_RUN):
        return f"the agent of run {choice.removeprefix(_RUN)[:80]!r}, which is not here or was deleted."
    return f"the agent {choice[:80]!r}, which is not here."


def chosen_agent(choice: object) -> Agent:
    """The agent of a menu's entry, if it decides quickly enough to be looked at. Not for the event loop."""
    player = _agent_of(choice)
    if player.pieces_known > _MOST_KNOWN:
        raise SettingError(
            f"{player.name} knows {player.pieces_known} pieces and thinks long; the app takes agents that know up to "
            f"{_MOST_KNOWN}; `blockfall watch` takes any"
        )
    if player.plies > _MOST_PLIES:
        raise SettingError(
            f"{player.name} looks {player.plies} plies ahead and thinks long; the app takes up to {_MOST_PLIES}"
        )
    return player


def _agent_of(choice: object) -> Agent:
    """A path is none: runs are found by their id."""
    if not isinstance(choice, str):
        raise SettingError("choose an agent from the menu")
    if not choice.startswith(_RUN):
        if choice not in agent_choices():
            raise SettingError(f"no agent {choice[:80]!r}; choose one from the menu")
        return agent(choice)
    store = Store()
    try:
        folder = store.runs.find(choice.removeprefix(_RUN)).folder
    finally:
        store.close()
    if not (folder / AGENT_FILE).is_file():
        raise FileError(f"run {choice.removeprefix(_RUN)} has no agent yet; it is there once its training has finished")
    return agent(folder / AGENT_FILE)
