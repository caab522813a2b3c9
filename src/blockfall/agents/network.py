"""Small feed-forward networks as an agent's file has them: the features that go in, and each layer's numbers.

>>> network = Network(("holes",), (2,), (1.0, -1.0, 0.0, 4.0, 0.5, 0.25, 10.0))
>>> network.as_json()["layers"][1]
{'weights': [[0.5], [0.25]], 'biases': [10.0]}
>>> network.value(np.array([[3.0]])).tolist()  # 0.5 * max(3, 0) + 0.25 * max(4 - 3, 0) + 10
[11.75]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator, Field, model_validator

from blockfall.validation import Model, usable_weight

MOST_LAYERS = 8
MOST_NEURONS = 256

_Number = Annotated[float, AfterValidator(usable_weight)]


class LayerTable(Model):
    weights: list[list[_Number]] = Field(min_length=1, description="a list of rows, one per input, a number per neuron")
    biases: list[_Number] = Field(
        min_length=1, max_length=MOST_NEURONS, description=f"a list of 1 to {MOST_NEURONS} numbers, one per neuron"
    )


class NetworkTable(Model):
    """The key `network` of an agent's file."""

    inputs: list[str] = Field(min_length=1, max_length=128, description="a list of 1 to 128 features")
    layers: list[LayerTable] = Field(
        min_length=2, max_length=MOST_LAYERS + 1, description=f"a list of 2 to {MOST_LAYERS + 1} layers"
    )

    @model_validator(mode="after")
    def _layers_fit(self) -> "NetworkTable":
        if len(set(self.inputs)) < len(self.inputs):
            raise ValueError("an input stands twice")
        inputs = len(self.inputs)
        for number, layer in enumerate(self.layers, 1):
            if len(layer.weights) != inputs or any(len(row) != len(layer.biases) for row in layer.weights):
                raise ValueError(f"layer {number} must have {inputs} rows of {len(layer.biases)} weights")
            inputs = len(layer.biases)
        if inputs != 1:
            raise ValueError(f"the last layer has {inputs} neurons; it must have 1")
        return self


@dataclass(frozen=True)
class Network:
    """Layers of rectified linear neurons and one linear neuron at the end (data2021, 5.4.4)."""

    inputs: tuple[str, ...]
    hidden: tuple[int, ...]
    """Neurons of each hidden layer."""
    parameters: tuple[float, ...]
    """Of each layer the weights of its first input, of its second, ..., then its biases."""

    @classmethod
    def from_table(cls, table: NetworkTable) -> "Network":
        numbers = [n for layer in table.layers for n in (*(w for row in layer.weights for w in row), *layer.biases)]
        return cls(tuple(table.inputs), tuple(len(layer.biases) for layer in table.layers[:-1]), tuple(numbers))

    def layers(self) -> list[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]]:
        """Weights, a row per input, and biases."""
        found, start, inputs = [], 0, len(self.inputs)
        numbers = np.array(self.parameters, dtype=np.float32)
        for width in (*self.hidden, 1):
            end = start + inputs * width
            found.append((numbers[start:end].reshape(inputs, width), numbers[end : end + width]))
            start, inputs = end + width, width
        return found

    def value(self, inputs: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        """Of each row of inputs, in the order of sums that the core has: to the bit what it plays with."""
        x = np.asarray(inputs, dtype=np.float32)
        for weights, biases in self.layers():
            total = np.tile(biases, (len(x), 1))
            for column, row in zip(x.T, weights, strict=True):
                total = total + column[:, None] * row
            x = np.where(total > 0, total, np.float32(0))
        return np.asarray(total[:, 0])

    def as_json(self) -> dict[str, Any]:
        return {
            "inputs": list(self.inputs),
            "layers": [
                {"weights": [list(map(shortest, row)) for row in weights], "biases": list(map(shortest, biases))}
                for weights, biases in self.layers()
            ],
        }


def parameter_count(inputs: int, hidden: Sequence[int]) -> int:
    """
    >>> parameter_count(6, (32, 32, 32))
    2369
    """
    widths = (inputs, *hidden, 1)
    return sum((before + 1) * width for before, width in pairwise(widths))


def shortest(weight: float) -> float:
    """The shortest decimal that the core, which plays with binary32, reads as the same weight."""
    return float(str(np.float32(weight)))
