"""The settings of the page Watch: rules, agents, the goal of a race, and the seed."""

from collections.abc import Awaitable, Callable

from nicegui import ui

from blockfall.agents import usual_agent
from blockfall.app.parts import choices, menus
from blockfall.app.parts.address import Address
from blockfall.app.watch.racing import GOALS
from blockfall.rulesets import Rules, rules

_USUAL_GOAL = 100


class WatchSettings:
    """The fields of the settings. Each choice starts a new game."""

    def __init__(
        self, address: Address, on_choose: Callable[[], Awaitable[None]], on_heat: Callable[[], Awaitable[None]]
    ) -> None:
        """`on_choose` is called for every choice except the switches; `on_heat` for the heat map's."""
        self._on_choose = on_choose
        known = menus.agent_choices()
        with ui.element("div").classes("bf-choices"):
            self._rules = menus.rules_menu(address.one_of("rules", "standard", menus.rules_choices()))
            self._usual = self._usual_agent()
            usual = None if address.get("agent") else self._usual  # a missing agent is not replaced by another
            self._agent = menus.agent_menu(address.one_of("agent", usual, known), self._rules_name)
            self._rival = menus.agent_menu(address.one_of("against", None, known), self._rules_name, "Race against")
            self._rival.props('clearable placeholder="nobody"')
            self._goal = ui.select(GOALS, label="Race to", value=_goal(address.get("to")))
            self._goal.set_visibility(self._rival.value is not None)
            seed = address.whole("seed", 1, 0, choices.MOST_SEED)
            self._seed = ui.number("Seed", value=seed, min=0, precision=0, validation=choices.seed_problem)
            self._seed.props("hide-bottom-space")
        with ui.element("div").classes("bf-switches"):
            self.heated = ui.switch("Heat map of the columns", on_change=on_heat)
            self.goes_on = ui.switch("Next seed when a game ends", value=True)
            self.animated = ui.switch("Animation", value=True)
        self._wanted = {self._agent: address.get("agent"), self._rival: address.get("against")}
        self._wanted_rules = address.get("rules")
        self._trained: dict[str, str] = {}
        self._rules.on_value_change(self._choose_rules)
        for field in (self._agent, self._rival, self._goal):
            field.on_value_change(on_choose)
        self._seed.on("change", on_choose)

    @property
    def rules(self) -> Rules:
        """The chosen rules."""
        return rules(self._rules.value if self._rules.value in menus.rules_choices() else "standard")

    @property
    def agents(self) -> list[str]:
        """The name of the agent, and that of its opponent in a race."""
        return [self._agent.value, *([self._rival.value] if self._rival.value else [])]

    @property
    def goal(self) -> int:
        """The lines that end a race; 0 for none."""
        return _goal(self._goal.value)

    @property
    def seed(self) -> int:
        """The seed; an error if the field does not hold one."""
        return choices.whole(self._seed.value, "a seed", 0, choices.MOST_SEED)

    @property
    def has_seed(self) -> bool:
        """Return whether the field holds a seed. If not, the field shows the error."""
        return choices.seed_problem(self._seed.value) is None

    def show_begun(self, seed: int) -> None:
        """Show what belongs to the game that has begun."""
        racing = len(self.agents) > 1
        self.heated.set_enabled(not racing)
        self._goal.set_visibility(racing)
        self._seed.value = seed

    def add_trained(self, found: dict[str, str]) -> None:
        """Add the agents of the store's runs to the menus, and choose those that the page's address names."""
        self._trained = found
        for field, wanted in self._wanted.items():
            field.set_options({**menus.agent_choices(self._rules_name()), **found})
            if wanted in found:
                field.value = wanted

    def missing(self) -> str:
        """Return a sentence about the first name in the address that does not exist; empty if all exist."""
        if self._wanted_rules not in ("", self._rules.value):
            return f"This link names the rules {self._wanted_rules[:80]!r}, which do not exist here."
        for field, wanted in self._wanted.items():
            if wanted not in ("", field.value):
                return f"This link names {menus.missing_agent(wanted)} Choose another agent."
        return ""

    def _rules_name(self) -> str:
        return str(self._rules.value)

    def _usual_agent(self) -> str:
        return usual_agent(self._rules_name(), otherwise="dellacherie")

    async def _choose_rules(self) -> None:
        """Choose the usual agent of the new rules, unless the visitor chose another one."""
        before, self._usual = self._usual, self._usual_agent()
        for field in (self._agent, self._rival):
            field.set_options({**menus.agent_choices(self._rules_name()), **self._trained})
        if self._agent.value == before != self._usual:
            self._agent.value = self._usual  # this starts the game
        else:
            await self._on_choose()


def _goal(said: object) -> int:
    """Return the goal that a menu or an address names."""
    return next((goal for goal in GOALS if str(goal) == str(said)), _USUAL_GOAL)
