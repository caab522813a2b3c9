"""Weighted features: a value is the sum of each feature times its weight, in the order of the features.

>>> value = WeightedFeatures({"holes": -4.0, "bumpiness": -1.0})
>>> value.shares({"holes": 2.0, "bumpiness": 5.0})
{'holes': -8.0, 'bumpiness': -5.0}
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from blockfall import _core
from blockfall.agents.values.base import MOST_FEATURES, Number, Play, Value, checked, core_of_features, feature_names
from blockfall.agents.values.explaining import Explainer
from blockfall.errors import SettingError, UnknownNameError, shortened

Weights = Annotated[dict[str, Number], Field(min_length=1, max_length=MOST_FEATURES)]
"""The key `weights` of an agent's file."""


@dataclass(frozen=True, init=False, repr=False)
class WeightedFeatures(Value):
    """Features and their weights. An agent maximises the weighted sum.

    >>> import blockfall
    >>> value = blockfall.WeightedFeatures({"holes": -4, "landing-height": -1})
    >>> value.shares({"holes": 2.0, "landing-height": 5.0})
    {'holes': -8.0, 'landing-height': -5.0}
    >>> blockfall.Agent("mine", value).feature_names
    ('holes', 'landing-height')
    """

    key: ClassVar[str] = "weights"
    title: ClassVar[str] = "weights"
    file_type: ClassVar[Any] = Annotated[
        Weights | None, Field(description=f"an object of 1 to {MOST_FEATURES} features and their weights")
    ]
    gpu_policy: ClassVar[str | None] = "FixedFeatures"

    features: tuple[str, ...]
    """The features, in the order in which they are summed."""
    parameters: tuple[float, ...]
    """The weight of each feature."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        """Take weights by feature. Their order is the order of the sum."""
        if not isinstance(weights, Mapping):
            raise SettingError(
                f"weights are {shortened(weights)}; they must be numbers by feature, such as {{'holes': -4.0}}"
            )
        object.__setattr__(self, "features", feature_names(tuple(weights), "weights"))
        object.__setattr__(self, "parameters", checked(tuple(weights.values()), len(weights), "weights"))

    @property
    def weights(self) -> dict[str, float]:
        """Weights by feature."""
        return dict(zip(self.features, self.parameters, strict=True))

    @classmethod
    def small(cls) -> "WeightedFeatures":
        """Return the weight of one feature."""
        return cls({"holes": -4.0})

    def with_parameters(self, parameters: Sequence[float]) -> "WeightedFeatures":
        """Return the same features with other weights."""
        numbers = checked(parameters, len(self.features), "weights")
        return WeightedFeatures(dict(zip(self.features, numbers, strict=True)))

    @classmethod
    def from_file(cls, found: dict[str, float], _folder: Path) -> "WeightedFeatures":
        """Return the value of the key `weights`."""
        try:
            return cls(found)
        except UnknownNameError as error:
            raise SettingError(f"weights: {error}") from None

    def as_json(self, _stem: str = "agent") -> dict[str, float]:
        """Return the weights by feature."""
        return self.weights

    def shares(self, measures: Mapping[str, float]) -> dict[str, float]:
        """Return weight times measure, by feature."""
        weights = self.weights
        return {name: weights[name] * measure for name, measure in measures.items()}

    @property
    def explainer(self) -> Explainer:
        """The weight and the share of each feature."""
        return Explainer("share of the value (value of the feature)", weights=self.weights, shares=self.shares)

    def _for_core(self, play: Play) -> _core.Agent:
        return core_of_features(self.features, self.parameters, play)

    def __repr__(self) -> str:
        return f"WeightedFeatures({self.weights})"
