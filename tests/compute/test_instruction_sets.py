"""The instruction set of a request: measured once for each kind of work, and only if that pays."""

from dataclasses import replace

import pytest

from blockfall import Agent, LookAhead, WeightedFeatures, agent, feature, rules
from blockfall.compute import LocalBackend, Population, Request, fastest
from blockfall.simd import VARIABLE, simd_levels

REQUEST = Request(rules("nes-no-rotation-drop"), agent("birken-6"), games=fastest.MANY_GAMES, seed=5)


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Return what is timed, in order, on a machine whose AVX-512 is slower than its AVX2 for two pieces."""
    seen: list[tuple[str, str]] = []

    def seconds(_rules: object, playing: Agent, _pieces: int, level: str) -> float:
        seen.append((playing.name, level))
        faster = "avx2" if playing.pieces_known == 2 else "avx512"
        return 0.002 if level == faster else 0.003

    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(fastest, "_measured", {})
    monkeypatch.setattr(fastest, "_seconds", seconds)
    monkeypatch.setattr(fastest, "simd_levels", lambda: ["scalar", "avx2", "avx512"])
    return seen


def test_the_faster_one_is_chosen_once_for_each_kind_of_work(timed: list[tuple[str, str]]) -> None:
    assert fastest.fastest_simd(REQUEST) == "avx2"
    assert {level for _, level in timed} == {"avx2", "avx512"}
    count = len(timed)
    other = Agent("other", WeightedFeatures(dict.fromkeys(REQUEST.agent.weights, -1.0)), 2)
    assert fastest.fastest_simd(replace(REQUEST, agent=other)) == "avx2"
    few = replace(REQUEST, games=5, population=Population([[-1.0] * 6] * 40))
    assert fastest.fastest_simd(few) == "avx2"
    assert len(timed) == count  # other weights are the same work
    assert fastest.fastest_simd(replace(REQUEST, agent=replace(other, pieces_known=1))) == "avx512"
    assert fastest.fastest_simd(replace(REQUEST, agent=replace(other, look_ahead=LookAhead(best=3)))) == "avx2"
    assert len(timed) == 3 * count


def test_one_slow_measurement_decides_nothing(timed: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    usual = fastest._seconds

    def disturbed(*arguments: object) -> float:
        return usual(*arguments) + 0.1 * (len(timed) == 3)  # type: ignore[arg-type]

    monkeypatch.setattr(fastest, "_seconds", disturbed)
    assert fastest.fastest_simd(REQUEST) == "avx2"


def test_small_or_special_requests_are_not_measured(
    timed: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    @feature("fastest-test-own")
    def own(board: object) -> float:  # noqa: ARG001
        return 0.0

    mine = Agent("mine", WeightedFeatures({"holes": -1, "fastest-test-own": -1}))
    network = replace(REQUEST, rules=rules("nes-no-rotation-timed"), agent=agent("noro-small"))
    for request in (replace(REQUEST, games=fastest.MANY_GAMES - 1), replace(REQUEST, agent=mine), network):
        assert fastest.fastest_simd(request) is None
    monkeypatch.setattr(fastest, "simd_levels", lambda: ["scalar", "avx2"])
    assert fastest.fastest_simd(REQUEST) is None  # there is no choice
    monkeypatch.setattr(fastest, "simd_levels", lambda: ["scalar", "avx2", "avx512"])
    monkeypatch.setenv(VARIABLE, "scalar")
    assert fastest.fastest_simd(REQUEST) is None
    assert not timed


def test_a_real_measurement_changes_no_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(fastest, "_measured", {})
    played = LocalBackend(1).play(REQUEST)
    assert set(fastest._measured.values()) <= set(simd_levels()[1:])
    assert played == LocalBackend(1, "scalar").play(REQUEST)
