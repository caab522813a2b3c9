"""Blockfall: a laboratory for agents that play falling-block puzzles.

>>> import blockfall
>>> rules, agent = blockfall.rules("nes-no-rotation"), blockfall.agent("birken-6")
>>> game = blockfall.Game(rules, seed=7)
>>> while not game.over:
...     game.play(game.choose(agent))
>>> game.outcome.termination.name
'BLOCK_OUT'

Every name below is loaded when it is first used, so that `import blockfall` takes no time.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from blockfall.agents import (
        Agent,
        BoardFunction,
        BoardNetwork,
        FeatureNetwork,
        Guard,
        LookAhead,
        Program,
        Table,
        WeightedFeatures,
        agent,
        agent_names,
        register_agent,
    )
    from blockfall.compute import (
        Backend,
        CudaBackend,
        DaskBackend,
        Evaluation,
        LocalBackend,
        Population,
        Purpose,
        Request,
        backend,
        evaluate,
        evaluate_population,
    )
    from blockfall.errors import BlockfallError, SettingError
    from blockfall.experiments.benchmark import BenchmarkResult, benchmark
    from blockfall.experiments.comparing import AgentComparison, compare
    from blockfall.experiments.configuration import Configuration, GameSettings
    from blockfall.experiments.overview import Overview, run, runs
    from blockfall.experiments.result import Result
    from blockfall.experiments.running import resume, train
    from blockfall.features import BoardView, Feature, feature, find_feature
    from blockfall.games import (
        Afterstates,
        Board,
        Ending,
        Game,
        GameKind,
        Games,
        HopelessBoard,
        HumanGame,
        Option,
        Outcome,
        Placement,
        Position,
        Preview,
        Replay,
        Steps,
        Termination,
        game,
        game_names,
        register_game,
    )
    from blockfall.games.explanation import Explained, explain
    from blockfall.learning import (
        BoardNetworkLearning,
        Lstd,
        NetworkLearning,
        NStepLearning,
        TableLearning,
        TemporalDifference,
        register_method,
    )
    from blockfall.optimisers import CmaEs, CrossEntropy, Genetic, Pso, RandomSearch, Space, register_optimiser
    from blockfall.plugins import load_plugin
    from blockfall.rulesets import Rules, register_rules, rules, rules_names
    from blockfall.search import (
        Finding,
        Problem,
        SearchSettings,
        Solution,
        algorithms,
        check_problem,
        register_algorithm,
        register_problem,
        solve,
    )
    from blockfall.store import Store
    from blockfall.studies import Findings, register_study, study

_HOMES = {
    "agents": (
        "Agent BoardFunction BoardNetwork FeatureNetwork Guard LookAhead Program Table WeightedFeatures agent "
        "agent_names register_agent"
    ),
    "compute": (
        "Backend CudaBackend DaskBackend Evaluation LocalBackend Population Purpose Request backend evaluate "
        "evaluate_population"
    ),
    "errors": "BlockfallError SettingError",
    "experiments.benchmark": "BenchmarkResult benchmark",
    "experiments.comparing": "AgentComparison compare",
    "experiments.configuration": "Configuration GameSettings",
    "experiments.overview": "Overview run runs",
    "experiments.result": "Result",
    "experiments.running": "resume train",
    "features": "BoardView Feature feature find_feature",
    "games": (
        "Afterstates Board Ending Game GameKind Games HopelessBoard HumanGame Option Outcome Placement Position "
        "Preview Replay Steps Termination game game_names register_game"
    ),
    "games.explanation": "Explained explain",
    "learning": (
        "BoardNetworkLearning Lstd NStepLearning NetworkLearning TableLearning TemporalDifference register_method"
    ),
    "optimisers": "CmaEs CrossEntropy Genetic Pso RandomSearch Space register_optimiser",
    "plugins": "load_plugin",
    "rulesets": "Rules register_rules rules rules_names",
    "search": (
        "Finding Problem SearchSettings Solution algorithms check_problem register_algorithm register_problem solve"
    ),
    "store": "Store",
    "studies": "Findings register_study study",
}
"""The module of each name. The imports above say the same to type checkers; a test compares the two."""

_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "Afterstates",
    "Agent",
    "AgentComparison",
    "Backend",
    "BenchmarkResult",
    "BlockfallError",
    "Board",
    "BoardFunction",
    "BoardNetwork",
    "BoardNetworkLearning",
    "BoardView",
    "CmaEs",
    "Configuration",
    "CrossEntropy",
    "CudaBackend",
    "DaskBackend",
    "Ending",
    "Evaluation",
    "Explained",
    "Feature",
    "FeatureNetwork",
    "Finding",
    "Findings",
    "Game",
    "GameKind",
    "GameSettings",
    "Games",
    "Genetic",
    "Guard",
    "HopelessBoard",
    "HumanGame",
    "LocalBackend",
    "LookAhead",
    "Lstd",
    "NStepLearning",
    "NetworkLearning",
    "Option",
    "Outcome",
    "Overview",
    "Placement",
    "Population",
    "Position",
    "Preview",
    "Problem",
    "Program",
    "Pso",
    "Purpose",
    "RandomSearch",
    "Replay",
    "Request",
    "Result",
    "Rules",
    "SearchSettings",
    "SettingError",
    "Solution",
    "Space",
    "Steps",
    "Store",
    "Table",
    "TableLearning",
    "TemporalDifference",
    "Termination",
    "WeightedFeatures",
    "agent",
    "agent_names",
    "algorithms",
    "backend",
    "benchmark",
    "check_problem",
    "compare",
    "evaluate",
    "evaluate_population",
    "explain",
    "feature",
    "find_feature",
    "game",
    "game_names",
    "load_plugin",
    "register_agent",
    "register_algorithm",
    "register_game",
    "register_method",
    "register_optimiser",
    "register_problem",
    "register_rules",
    "register_study",
    "resume",
    "rules",
    "rules_names",
    "run",
    "runs",
    "solve",
    "study",
    "train",
]


def __getattr__(name: str) -> Any:
    """Loads a name of `__all__`, a room of the package, or the version, when it is first used."""
    if name in _HOME_OF:
        found = getattr(import_module(f"blockfall.{_HOME_OF[name]}"), name)
    elif name == "__version__":
        from importlib.metadata import version

        found = version("blockfall")
    elif name in {home.split(".")[0] for home in _HOMES}:
        return import_module(f"blockfall.{name}")
    else:
        return import_module("blockfall.deprecated").names(__name__, 4)(name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
