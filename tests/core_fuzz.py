"""Calls to the whole core with hostile values: huge, negative, not numbers, wrong shapes and types, stray bits.

    python -m tests.core_fuzz CALLS SEED [--sanitized] [--verbose]

The functions come from the core's stub. A Python error is an answer; the process must survive. Function pointers of
users' features are left out, since nobody can check an address, and so is `play_unchecked`, as its name says.
"""

import ast
import faulthandler
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import numpy as np

from tests import ROOT

_STUB = ROOT / "src" / "blockfall" / "_core.pyi"
_LEFT_OUT = {"play_unchecked", "use_simd"}
_SECONDS = 0.3
_MEMORY = 4 << 30
_EDGES = [sign * 2**bits + step for bits in (31, 32, 62, 63, 64) for sign in (1, -1) for step in (-2, -1, 0, 1, 2)]
_WHOLE = [-1, 0, 1, 2, 7, 10, 20, 32, 33, 255, 65536, *_EDGES]
_MODEST = [number for number in _WHOLE if abs(number) < 10**6 or abs(number) > 2**60]
"""Numbers for sanitizers, under which memory limits do not work: none of them can allocate much memory."""
_NUMBERS = [float("nan"), float("inf"), -float("inf"), 0.0, -1.0, 0.5, 1e-300, 1e308, 3.5e38]
_TEXTS = ["", "x", "oji", "\0", "best", "nrpa", "a-star", "scalar", "avx2", "qualidade", "x" * 5000, "\ud800"]


_FOUR = ("holes", "wells", "landing-height", "lines-cleared")


class TooLongError(Exception):
    """A call was interrupted."""


class Caller:
    """Random calls, also with objects that earlier calls returned."""

    def __init__(self, core: Any, seed: int, whole: list[int]) -> None:
        import blockfall
        from blockfall.learning import NetworkLearning

        self.core, self.chance, self.whole = core, Random(seed), whole
        self.verbose = "--verbose" in sys.argv
        self.made: dict[str, list[Any]] = {}
        rules = [blockfall.rules(name).core for name in ("nes-no-rotation", "guideline", "standard-10x10", "ist", "sz")]
        agents = [blockfall.agent(name).core for name in ("birken-6", "lee", "ist-h1", "noro-small")]
        agents.append(blockfall.Agent("net", blockfall.FeatureNetwork.zeros(("holes", "wells"), (3,))).core)
        agents.append(core.Agent.of_table([0.0] * core.TABLE_ENTRIES))
        network = blockfall.BoardNetwork.zeros(
            columns=10, rows=20, channels=4, kernel=3, blocks=1, hidden=4, outputs=1
        ).core
        empty = np.zeros(10, np.uint32)
        tuning = core.HopelessPromise(whole=1.0, blocks=1.0, toll=1.0)
        self.made |= {
            "Rules": rules,
            "Agent": agents,
            "BoardNetwork": [network],
            "Game": [core.Game(one, 1, 0, 2, core.Purpose.TEST, empty) for one in rules[:2]],
            "IstTetris": [core.IstTetris(rules[3], empty, "ojl", "qualidade", [0.0] * 5, False)],
            "HopelessTuning": [
                core.HopelessTuning(
                    tabu=tuning,
                    other=tuning,
                    size_bias=1.0,
                    max_size_bias=3,
                    tabu_bias=1.0,
                    square_left=1.0,
                    tabu_draw=0.5,
                )
            ],
        }
        settings = NetworkLearning(warm_up=100, queue=1000, sample=8, batch=8)._for_core(random_warm_up=True)
        linear = core.LinearSettings()
        linear.inputs, linear.reward_place, linear.policy_actions = 3, 3, 1
        learns = blockfall.Agent("four", blockfall.WeightedFeatures(dict.fromkeys(_FOUR, 0.0))).core
        two = np.arange(2, dtype=np.uint64)
        self.made |= {
            "HumanGame": [core.HumanGame(rules[1], 1, 10, 2, empty)],
            "Games": [core.Games(rules[0], two, two, 2, 2**40, 2, core.Purpose.TEST, 0)],
            "Seats": [core.Seats(rules[0], 3, 1, 0, 2)],
            "Learner": [core.Learner(rules[0], agents[-2], settings, 1000, 1, 0)],
            "LinearLearner": [core.LinearLearner(rules[0], learns, linear, 1, 0)],
        }
        self.functions = list(self._functions())
        self.weights = [8 if not node.decorator_list or method is None else 1 for _, method, node in self.functions]

    def _functions(self) -> Any:
        for node in ast.parse(_STUB.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                yield node.name, None, node
            elif isinstance(node, ast.ClassDef) and not any("Error" in ast.unparse(base) for base in node.bases):
                for inner in node.body:
                    if isinstance(inner, ast.FunctionDef):
                        yield node.name, inner.name, inner

    def call(self) -> str:
        """Make one call, and return its name."""
        [(owner, method, node)] = self.chance.choices(self.functions, self.weights)
        if (method or owner) in _LEFT_OUT:
            return "left out"
        marks = [ast.unparse(mark) for mark in node.decorator_list]
        names = [argument for argument in [*node.args.posonlyargs, *node.args.args] if argument.arg != "self"]
        values = [self._value(argument) for argument in names]
        keywords = {one.arg: self._value(one) for one in node.args.kwonlyargs}
        target: Callable[..., Any]
        if method is None or method == "__init__":
            target = getattr(self.core, owner)
        elif "staticmethod" in marks:
            target = getattr(getattr(self.core, owner), method)
        else:
            it = self._object(owner)
            if it is None:
                return f"no {owner} yet"
            if any(mark.endswith(".setter") for mark in marks):
                setattr(it, method, *values)
                return f"{owner}.{method} ="
            if "property" in marks:
                getattr(it, method)
                return f"{owner}.{method}"
            target = getattr(it, method)
        if self.verbose:
            print(f"{owner}.{method}", values, keywords, file=sys.stderr, flush=True)
        found = target(*values, **keywords)
        kind = type(found).__name__
        if kind in {name for name, _, _ in self.functions}:
            kept = self.made.setdefault(kind, [])
            kept.append(found)
            del kept[10:-10]
        return f"{owner}.{method}"

    def _object(self, kind: str) -> Any:
        if self.made.get(kind):
            return self.chance.choice(self.made[kind])
        return None

    def _value(self, argument: ast.arg) -> Any:
        if argument.arg == "custom":
            return []
        if argument.arg == "progress":
            return self.chance.choice([None, lambda *_: None, lambda *_: 1 / 0, 3])
        kind = ast.unparse(argument.annotation) if argument.annotation else ""
        if self.chance.random() < 0.02:
            return self.chance.choice([None, "x", 3, [], {}, object(), b""])
        return self._of_kind(kind)

    def _of_kind(self, kind: str) -> Any:
        chance = self.chance
        if kind.endswith("| None"):
            return None if chance.random() < 0.5 else self._of_kind(kind.removesuffix("| None").strip())
        if "NDArray" in kind:
            return self._array(kind)
        if kind.startswith(("Sequence[", "list[")):
            inner = kind[kind.index("[") + 1 : -1]
            return [self._of_kind(inner) for _ in range(chance.choice([0, 1, 4, 5, 7, 8, 40]))]
        if kind.startswith("tuple["):
            return tuple(self._of_kind(part.strip()) for part in kind[6:-1].split(","))
        if kind == "int":
            return chance.choice(self.whole) if chance.random() < 0.5 else chance.randint(0, 12)
        if kind == "float":
            return chance.choice(_NUMBERS) if chance.random() < 0.5 else chance.random()
        if kind == "bool":
            return chance.random() < 0.5
        if kind == "str":
            return chance.choice(_TEXTS)
        if kind == "bytes":
            return chance.randbytes(chance.choice([0, 1, 100, 5000]))
        if kind.startswith("dict"):
            return self._state()
        if hasattr(self.core, kind) and issubclass(getattr(self.core, kind), object) and not self.made.get(kind):
            members = getattr(getattr(self.core, kind), "__members__", None)
            if members:
                return chance.choice(list(members.values()))
            with suppress(TypeError):
                self.made[kind] = [getattr(self.core, kind)()]
        return self._object(kind)

    def _state(self) -> dict[str, Any]:
        """A learner's state with wrong numbers."""
        learner = self._object(self.chance.choice(["Learner", "LinearLearner"]))
        state = dict(learner.state()) if learner is not None else {}
        if state:
            name = self.chance.choice(list(state))
            if isinstance(state[name], np.ndarray):
                state[name] = self.chance.choice(
                    [state[name][:-1], np.full_like(state[name], 255), state[name].astype(float), np.zeros(3)]
                )
            else:
                state[name] = self.chance.choice([*self.whole, *_NUMBERS, None])
        return state

    def _array(self, kind: str) -> Any:
        chance = self.chance
        dtype = getattr(np, kind.split("numpy.")[1].split("]")[0])
        dimensions = kind.split("shape=(")[1].split(")")[0].count("None") + (", 3" in kind)
        if chance.random() < 0.1:
            dtype = chance.choice([np.float64, np.int8, np.uint16, object])
        sizes = [0, 1, 3, 4, 8, 10, 10, 10, 16, 17, 20, 144]
        shape = [chance.choice(sizes) for _ in range(dimensions)]
        if ", 3" in kind and chance.random() < 0.9:
            shape[-1] = 3
        found = np.zeros(shape, dtype)
        fill = chance.random()
        with suppress(ValueError, TypeError, OverflowError):
            if fill < 0.3:
                found.flat[:] = [chance.randrange(2**20) for _ in range(found.size)]
            elif fill < 0.5:
                found[...] = -1 if np.issubdtype(dtype, np.signedinteger) else np.iinfo(dtype).max
            elif fill < 0.6:
                found[...] = np.nan
            elif fill < 0.7:
                found.flat[:] = [chance.choice(_EDGES) % 2**64 for _ in range(found.size)]
        if chance.random() < 0.1 and found.ndim:
            found = found[..., ::2]
        return found


def main(calls: int, seed: int, core: Any, whole: list[int]) -> None:
    """Make this number of calls."""

    def interrupt(*_: object) -> None:
        raise TooLongError

    signal.signal(signal.SIGALRM, interrupt)
    faulthandler.enable()
    caller = Caller(core, seed, whole)
    answers, last = 0, ""
    for _ in range(calls):
        with suppress(Exception):  # including an alarm that comes just after the call
            try:
                signal.setitimer(signal.ITIMER_REAL, _SECONDS)
                last = caller.call()
                answers += 1
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
    print(f"{calls} calls, {answers} answers; the last: {last}")


if __name__ == "__main__":
    sanitized = "--sanitized" in sys.argv
    if sanitized:
        from tests import sanitized as _  # noqa: F401
    else:
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    from blockfall import _core

    main(int(sys.argv[1]), int(sys.argv[2]), _core, _MODEST if sanitized else _WHOLE)
