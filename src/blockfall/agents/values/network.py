"""Small feed-forward networks over features: the features that go in, and each layer's numbers.

>>> network = FeatureNetwork(("holes",), (2,), (1.0, -1.0, 0.0, 4.0, 0.5, 0.25, 10.0))
>>> network.as_json()["layers"][1]
{'weights': [[0.5], [0.25]], 'biases': [10.0]}
>>> network.value(np.array([[3.0]])).tolist()  # 0.5 * max(3, 0) + 0.25 * max(4 - 3, 0) + 10
[11.75]
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from blockfall import _core
from blockfall.agents.values.base import (
    MOST_FEATURES,
    Number,
    Play,
    Value,
    checked,
    core_of_features,
    feature_names,
    shortest,
)
from blockfall.agents.values.explaining import Explainer
from blockfall.errors import SettingError, UnknownNameError, whole
from blockfall.validation import Model

MOST_LAYERS = _core.MAX_LAYERS
MOST_NEURONS = _core.MAX_WIDTH


class LayerKeys(Model):
    """A layer of the key `network` of an agent's file."""

    weights: list[list[Number]] = Field(min_length=1, description="a list of rows, one per input, a number per neuron")
    biases: list[Number] = Field(
        min_length=1, max_length=MOST_NEURONS, description=f"a list of 1 to {MOST_NEURONS} numbers, one per neuron"
    )


class NetworkKeys(Model):
    """The key `network` of an agent's file."""

    inputs: list[str] = Field(
        min_length=1, max_length=MOST_FEATURES, description=f"a list of 1 to {MOST_FEATURES} features"
    )
    layers: list[LayerKeys] = Field(
        min_length=2, max_length=MOST_LAYERS + 1, description=f"a list of 2 to {MOST_LAYERS + 1} layers"
    )

    @model_validator(mode="after")
    def _layers_fit(self) -> "NetworkKeys":
        if len(set(self.inputs)) < len(self.inputs):
            raise ValueError("an input occurs twice")
        inputs = len(self.inputs)
        for number, layer in enumerate(self.layers, 1):
            if len(layer.weights) != inputs or any(len(row) != len(layer.biases) for row in layer.weights):
                raise ValueError(f"layer {number} must have {inputs} rows of {len(layer.biases)} weights")
            inputs = len(layer.biases)
        if inputs != 1:
            raise ValueError(f"the last layer has {inputs} neurons; it must have 1")
        return self


@dataclass(frozen=True)
class FeatureNetwork(Value):
    """Layers of rectified linear neurons and one linear neuron at the end (data2021, 5.4.4).

    >>> import blockfall
    >>> network = blockfall.FeatureNetwork.zeros(["holes", "bumpiness"], hidden=[3])
    >>> len(network.parameters)  # three neurons of 2 weights and a bias, then one of 3 weights and a bias
    13
    >>> blockfall.Agent("mine", network.with_parameters([-1.0] * 13)).feature_names
    ('holes', 'bumpiness')
    """

    key: ClassVar[str] = "network"
    title: ClassVar[str] = "a network"
    file_type: ClassVar[Any] = Annotated[NetworkKeys | None, Field(description="an object of inputs and layers")]
    gpu_policy: ClassVar[str | None] = "FixedNetwork"

    features: tuple[str, ...] = field()
    """The features that go in."""
    hidden: tuple[int, ...]
    """The neurons of each hidden layer."""
    parameters: tuple[float, ...] = field()
    """Layer by layer: the weights of its first input, of its second, ..., then its biases."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", tuple(self.features))
        object.__setattr__(self, "hidden", _widths(self.hidden))
        object.__setattr__(self, "features", feature_names(self.features, "a network"))
        count = parameter_count(len(self.features), self.hidden)
        object.__setattr__(self, "parameters", checked(self.parameters, count, "a network"))

    @classmethod
    def zeros(cls, features: Sequence[str], hidden: Sequence[int]) -> "FeatureNetwork":
        """Return a network of this shape whose numbers are all 0."""
        widths = _widths(hidden)
        return cls(tuple(features), widths, (0.0,) * parameter_count(len(features), widths))

    @classmethod
    def small(cls) -> "FeatureNetwork":
        """Return a network of three neurons."""
        return cls.zeros(("holes", "bumpiness"), (3,))

    def with_parameters(self, parameters: Sequence[float]) -> "FeatureNetwork":
        """Return a network of the same shape with other numbers."""
        return replace(self, parameters=tuple(parameters))

    @classmethod
    def from_file(cls, found: NetworkKeys, _folder: Path) -> "FeatureNetwork":
        """Return the value of the key `network`."""
        numbers = [n for layer in found.layers for n in (*(w for row in layer.weights for w in row), *layer.biases)]
        try:
            return cls(tuple(found.inputs), tuple(len(layer.biases) for layer in found.layers[:-1]), tuple(numbers))
        except UnknownNameError as error:
            raise SettingError(f"network.inputs: {error}") from None

    def layers(self) -> list[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]]:
        """Return the weights, a row per input, and the biases of each layer."""
        found, start, inputs = [], 0, len(self.features)
        numbers = np.array(self.parameters, dtype=np.float32)
        for width in (*self.hidden, 1):
            end = start + inputs * width
            found.append((numbers[start:end].reshape(inputs, width), numbers[end : end + width]))
            start, inputs = end + width, width
        return found

    def value(self, inputs: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """Return the value of each row of inputs, summed in the core's order, so that every bit is the core's."""
        x = np.asarray(inputs, dtype=np.float32)
        for weights, biases in self.layers():
            total = np.tile(biases, (len(x), 1))
            for column, row in zip(x.T, weights, strict=True):
                total = total + column[:, None] * row
            x = np.where(total > 0, total, np.float32(0))
        return np.asarray(total[:, 0])

    def as_json(self, _stem: str = "agent") -> dict[str, Any]:
        """Return the inputs and the layers."""
        return {
            "inputs": list(self.features),
            "layers": [
                {"weights": [list(map(shortest, row)) for row in weights], "biases": list(map(shortest, biases))}
                for weights, biases in self.layers()
            ],
        }

    @property
    def explainer(self) -> Explainer:
        """The inputs alone."""
        return Explainer(remark="Its value has no parts; these are its inputs.")

    def _for_core(self, play: Play) -> _core.Agent:
        return core_of_features(self.features, self.parameters, play, self.hidden)


def _widths(hidden: Sequence[int]) -> tuple[int, ...]:
    """Return the neurons of each hidden layer. Raise a SettingError for too few or too many."""
    if not 1 <= len(hidden) <= MOST_LAYERS:
        raise SettingError(f"a network has {len(hidden)} hidden layers; it must have 1 to {MOST_LAYERS}")
    widths = tuple(whole(width, "the width of a layer") for width in hidden)
    for width in widths:
        if not 1 <= width <= MOST_NEURONS:
            raise SettingError(f"a layer has {width} neurons; it must have 1 to {MOST_NEURONS}")
    return widths


def parameter_count(inputs: int, hidden: Sequence[int]) -> int:
    """Return the number of parameters of a network with these inputs and hidden layers.

    >>> parameter_count(6, (32, 32, 32))
    2369
    """
    widths = (inputs, *hidden, 1)
    return sum((before + 1) * width for before, width in pairwise(widths))
