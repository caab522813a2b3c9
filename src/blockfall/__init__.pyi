"""The list of the public names, for type checkers, editors and `__init__.py`, which reads it at run time."""

from blockfall.agents import (
    Agent as Agent,
    BoardFunction as BoardFunction,
    BoardNetwork as BoardNetwork,
    FeatureNetwork as FeatureNetwork,
    Guard as Guard,
    LookAhead as LookAhead,
    Program as Program,
    Table as Table,
    WeightedFeatures as WeightedFeatures,
    agent as agent,
    agent_names as agent_names,
    register_agent as register_agent,
)
from blockfall.compute import (
    Backend as Backend,
    CudaBackend as CudaBackend,
    DaskBackend as DaskBackend,
    Evaluation as Evaluation,
    LocalBackend as LocalBackend,
    Population as Population,
    Purpose as Purpose,
    Request as Request,
    backend as backend,
    evaluate as evaluate,
    evaluate_population as evaluate_population,
)
from blockfall.errors import (
    BlockfallError as BlockfallError,
    SettingError as SettingError,
)
from blockfall.experiments.benchmark import (
    BenchmarkResult as BenchmarkResult,
    benchmark as benchmark,
)
from blockfall.experiments.comparing import (
    AgentComparison as AgentComparison,
    compare as compare,
)
from blockfall.experiments.configuration import (
    Configuration as Configuration,
    GameSettings as GameSettings,
)
from blockfall.experiments.overview import (
    Overview as Overview,
    run as run,
    runs as runs,
)
from blockfall.experiments.result import Result as Result
from blockfall.experiments.running import (
    resume as resume,
    train as train,
)
from blockfall.features import (
    BoardView as BoardView,
    Feature as Feature,
    feature as feature,
    find_feature as find_feature,
)
from blockfall.games import (
    Afterstates as Afterstates,
    Board as Board,
    Ending as Ending,
    Game as Game,
    GameKind as GameKind,
    Games as Games,
    HopelessBoard as HopelessBoard,
    HumanGame as HumanGame,
    Option as Option,
    Outcome as Outcome,
    Placement as Placement,
    Position as Position,
    Preview as Preview,
    Replay as Replay,
    Steps as Steps,
    Termination as Termination,
    game as game,
    game_names as game_names,
    register_game as register_game,
)
from blockfall.games.explanation import (
    Explained as Explained,
    explain as explain,
)
from blockfall.learning import (
    BoardNetworkLearning as BoardNetworkLearning,
    Lstd as Lstd,
    NetworkLearning as NetworkLearning,
    NStepLearning as NStepLearning,
    TableLearning as TableLearning,
    TemporalDifference as TemporalDifference,
    register_method as register_method,
)
from blockfall.optimisers import (
    CmaEs as CmaEs,
    CrossEntropy as CrossEntropy,
    Genetic as Genetic,
    Pso as Pso,
    RandomSearch as RandomSearch,
    Space as Space,
    register_optimiser as register_optimiser,
)
from blockfall.plugins import load_plugin as load_plugin
from blockfall.rulesets import (
    Rules as Rules,
    register_rules as register_rules,
    rules as rules,
    rules_names as rules_names,
)
from blockfall.search import (
    Finding as Finding,
    Problem as Problem,
    SearchSettings as SearchSettings,
    Solution as Solution,
    algorithms as algorithms,
    check_problem as check_problem,
    register_algorithm as register_algorithm,
    register_problem as register_problem,
    solve as solve,
)
from blockfall.store import Store as Store
from blockfall.studies import (
    Findings as Findings,
    register_study as register_study,
    study as study,
)

_HOME_OF: dict[str, str]
__all__: list[str]
__version__: str
