"""Weighted features: a value is the sum of each feature times its weight, in the order of the features.

>>> value = WeightedFeatures({"holes": -4.0, "bumpiness": -1.0})
>>> value.shares({"holes": 2.0, "bumpiness": 5.0})
{'holes': -8.0, 'bumpiness': -5.0}
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from blockfall import _core
from blockfall.agents.values.protocol import (
    MOST_FEATURES,
    Entry,
    Number,
    Parts,
    Play,
    checked,
    core_of_features,
    feature_names,
)
from blockfall.errors import SettingError, UnknownNameError, shortened
from blockfall.rulesets import Rules


@dataclass(frozen=True, init=False, repr=False)
class WeightedFeatures:
    """Features and their weights. An agent maximises their sum.

    >>> import blockfall
    >>> value = blockfall.WeightedFeatures({"holes": -4, "landing-height": -1})
    >>> value.shares({"holes": 2.0, "landing-height": 5.0})
    {'holes': -8.0, 'landing-height': -5.0}
    >>> blockfall.Agent("mine", value).feature_names
    ('holes', 'landing-height')
    """

    key: ClassVar[str] = "weights"
    title: ClassVar[str] = "weights"
    parts: ClassVar[Parts] = Parts.SHARES
    values_boards: ClassVar[bool] = True
    has_plies: ClassVar[bool] = False
    file_rule: ClassVar[str] = f"an object of 1 to {MOST_FEATURES} features and their weights"
    file_type: ClassVar[Any] = Annotated[dict[str, Number], Field(min_length=1, max_length=MOST_FEATURES)]

    features: tuple[str, ...]
    """The features, in the order in which they are summed."""
    parameters: tuple[float, ...]
    """The weight of each feature."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        """Weights by feature. Their order is the order of the sum."""
        if not isinstance(weights, Mapping):
            raise SettingError(
                f"weights are {shortened(weights)}; they must be numbers by feature, such as {{'holes': -4.0}}"
            )
        object.__setattr__(self, "features", feature_names(tuple(weights), "weights"))
        object.__setattr__(self, "parameters", checked(tuple(weights.values()), len(weights), "weights"))

    @property
    def pieces_known(self) -> int | None:
        """None: the agent says how many pieces it knows."""
        return None

    @property
    def weights(self) -> dict[str, float]:
        """Weights by feature."""
        return dict(zip(self.features, self.parameters, strict=True))

    def with_parameters(self, parameters: Sequence[float]) -> "WeightedFeatures":
        """The same features with other weights."""
        numbers = checked(parameters, len(self.features), "weights")
        return WeightedFeatures(dict(zip(self.features, numbers, strict=True)))

    @classmethod
    def from_file(cls, found: dict[str, float], folder: Path) -> "WeightedFeatures":  # noqa: ARG003
        """From the key `weights` of an agent's file."""
        try:
            return cls(found)
        except UnknownNameError as error:
            raise SettingError(f"weights: {error}") from None

    def as_json(self, stem: str = "agent") -> dict[str, float]:  # noqa: ARG002
        """As the key `weights` of an agent's file has it."""
        return self.weights

    def files(self, stem: str) -> dict[str, bytes]:  # noqa: ARG002
        """Empty: an agent's file holds everything."""
        return {}

    def check_rules(self, rules: Rules) -> None:
        """Nothing: it plays all rules."""

    def shares(self, measures: Mapping[str, float]) -> dict[str, float]:
        """Weight times measure, by feature."""
        weights = self.weights
        return {name: weights[name] * measure for name, measure in measures.items()}

    def entry(self, heights: Sequence[int], cells: Collection[tuple[int, int]]) -> Entry | None:  # noqa: ARG002
        """None: only Q-tables have entries."""
        return None

    def _for_core(self, play: Play) -> _core.Agent:
        """An agent of the core that plays by these weights."""
        return core_of_features(self.features, self.parameters, play)

    def __repr__(self) -> str:
        return f"WeightedFeatures({self.weights})"
