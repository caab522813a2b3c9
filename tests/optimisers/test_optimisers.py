"""The contract of every optimiser, and the formulas of each one's source."""

from typing import Any

import numpy as np
import pytest

from blockfall.errors import FileError, SettingError, UnknownNameError
from blockfall.optimisers import (
    OPTIMISERS,
    CmaEs,
    CrossEntropy,
    Genetic,
    Optimisation,
    Pso,
    Space,
    find_optimiser,
    optimiser_from,
)
from blockfall.optimisers.base import Matrix, Vector
from blockfall.optimisers.genetic import Evolution
from blockfall.studies.soster2024.report import demonstrate, himmelblau

BOX = Space(4, -1.0, 1.0)
CENTRE = np.array([0.3, -0.5, 0.1, 0.7])


def sphere(points: Matrix) -> Vector:
    return np.asarray(-np.sum((points - CENTRE) ** 2, axis=1))


def start(name: str, settings: dict[str, Any], space: Space, seed: int | list[int]) -> Optimisation[Any]:
    return OPTIMISERS[name](**settings).start(space, seed)


def searched(search: Optimisation[Any]) -> Optimisation[Any]:
    while not search.finished:
        search.tell(sphere(search.ask()))
    return search


@pytest.mark.parametrize("name", OPTIMISERS)
class TestEveryOptimiser:
    def test_candidates_are_rows_within_the_limits(self, name: str) -> None:
        optimiser = start(name, {"iterations": 5}, BOX, seed=1)
        while not optimiser.finished:
            points = optimiser.ask()
            assert points.shape == (optimiser.population, 4)
            assert points.min() >= -1
            assert points.max() <= 1
            optimiser.tell(sphere(points))
        assert optimiser.iteration == 5
        assert optimiser.stopped_by == "iterations"

    def test_candidates_depend_only_on_the_seed_and_the_fitness(self, name: str) -> None:
        told: list[Vector] = []
        first = start(name, {"iterations": 12}, BOX, seed=[3, 1])
        for _ in range(6):
            told.append(sphere(first.ask()))
            first.tell(told[-1])
        again = start(name, {"iterations": 12}, BOX, seed=[3, 1])
        for fitness in told:
            again.tell(fitness)
        assert np.array_equal(first.ask(), again.ask())
        other = start(name, {"iterations": 12}, BOX, seed=[3, 2])
        assert not np.array_equal(start(name, {}, BOX, seed=[3, 1]).ask(), other.ask())

    def test_the_best_candidate_is_kept(self, name: str) -> None:
        optimiser, best = start(name, {"iterations": 10}, BOX, seed=4), -np.inf
        while not optimiser.finished:
            fitness = sphere(optimiser.ask())
            best = max(best, float(fitness.max()))
            optimiser.tell(fitness)
        assert optimiser.best_fitness == best
        assert optimiser.best is not None
        assert sphere(optimiser.best[None, :])[0] == best

    def test_one_dimension_can_be_searched(self, name: str) -> None:
        optimiser = start(name, {"iterations": 30}, Space(1, -1.0, 1.0), seed=2)
        while not optimiser.finished:
            optimiser.tell(-np.abs(optimiser.ask()[:, 0] - 0.25))
        assert abs(float(optimiser.answer[0]) - 0.25) < 0.1

    def test_target_patience_and_diversity_stop_it(self, name: str) -> None:
        assert searched(start(name, {"iterations": 500, "target_fitness": -0.5}, BOX, seed=1)).stopped_by == "target"
        flat = start(name, {"iterations": 500, "patience": 7}, BOX, seed=1)
        while not flat.finished:
            flat.tell(np.zeros(flat.population))
        assert (flat.stopped_by, flat.iteration) == ("no improvement", 8)
        lost = start(name, {"iterations": 3, "least_diversity": 1e9}, BOX, seed=1)
        lost.tell(sphere(lost.ask()))
        assert lost.stopped_by == "lost diversity"

    def test_a_bad_setting_is_named(self, name: str) -> None:
        size = OPTIMISERS[name].size
        for settings, key, complaint in (
            ({size: 0}, size, "is 0"),
            ({"iterations": 0}, "iterations", "is 0"),
            ({"weight_limits": [1, -1]}, "weight_limits", "the first must be less than the second"),
            ({"no_such": 1}, "no_such", "known: iterations"),
        ):
            with pytest.raises(FileError, match=f"^run.toml, line [12]: .*{key}.*{complaint}"):
                optimiser_from({"name": name, **settings}, "run.toml", f"[optimiser]\n{key} = 0")
            with pytest.raises(SettingError, match=f"^{OPTIMISERS[name].__name__}: .*{key}.*{complaint}"):
                OPTIMISERS[name](**settings)

    def test_the_number_of_candidates_is_known(self, name: str) -> None:
        for dimensions in (1, 2, 6, 17):
            optimiser = OPTIMISERS[name]()
            asked = optimiser.start(optimiser.space(dimensions), seed=1).ask()
            assert asked.shape == (optimiser.candidates(dimensions), dimensions)

    def test_settings_read_as_they_are_written(self, name: str) -> None:
        optimiser = OPTIMISERS[name](iterations=7, weight_limits=(-2.0, 3.0), patience=4)
        assert optimiser_from(optimiser.as_keys()) == optimiser
        assert hash(optimiser_from(optimiser.as_keys())) == hash(optimiser)


@pytest.mark.parametrize("name", [name for name in OPTIMISERS if name != "random"])
def test_beats_random_search_with_as_many_candidates(name: str) -> None:
    size = {OPTIMISERS[name].size: 20}
    limits = {"speed_limits": [-0.2, 0.2]} if "speed_limits" in OPTIMISERS[name].model_fields else {}
    baseline = [searched(start("random", {"iterations": 40, "population": 20}, BOX, s)).best_fitness for s in range(5)]
    found = [searched(start(name, {"iterations": 40, **size, **limits}, BOX, s)).best_fitness for s in range(5)]
    assert np.median(found) > np.median(baseline)


def test_an_unknown_optimiser_is_named_with_those_that_exist() -> None:
    with pytest.raises(UnknownNameError, match="unknown optimiser 'sgd'; known: pso, genetic"):
        find_optimiser("sgd")


def test_pso_follows_equations_1_to_5() -> None:
    """The thesis's equations, applied particle by particle with the same random numbers."""
    swarm = Pso(iterations=9, particles=5, speed_limits=(-0.3, 0.3)).start(BOX, seed=7)
    rng = np.random.Generator(np.random.Philox(np.random.SeedSequence(7)))
    s = [list(row) for row in rng.uniform(-1, 1, (5, 4))]
    v = [list(row) for row in rng.uniform(-0.3, 0.3, (5, 4))]
    own, own_value = [list(row) for row in s], [-np.inf] * 5
    best, best_value = s[0], -np.inf
    for i in range(9):
        assert np.allclose(swarm.ask(), s, rtol=0, atol=1e-12)
        values = sphere(np.array(s)).tolist()
        swarm.tell(np.array(values))
        for n in range(5):
            if values[n] > own_value[n]:
                own[n], own_value[n] = list(s[n]), values[n]
            if values[n] > best_value:
                best, best_value = list(s[n]), values[n]
        w = 0.4 + (0.9 - 0.4) * (9 - i) / 9
        c1 = (0.5 - 1.5) * i / 9 + 1.5
        c2 = (4.0 - 1.0) * i / 9 + 1.0
        r1, r2 = rng.random((2, 5, 1))
        for n in range(5):
            for d in range(4):
                speed = w * v[n][d] + c1 * r1[n, 0] * (own[n][d] - s[n][d]) + c2 * r2[n, 0] * (best[d] - s[n][d])
                v[n][d] = min(0.3, max(-0.3, speed))
                s[n][d] = min(1.0, max(-1.0, s[n][d] + v[n][d]))


@pytest.mark.parametrize("seed", range(1, 11))
def test_pso_on_the_thesiss_demonstration(seed: int) -> None:
    """The thesis reaches 3.2e-19 on equation 6."""
    before, after, best = demonstrate(seed)
    assert himmelblau(best)[0] < 1e-18
    assert before.std(axis=0).min() > 1
    assert np.median(np.linalg.norm(after - best, axis=1)) < 1e-3
    minima = np.array([[3, 2], [-2.805118, 3.131312], [-3.779310, -3.283186], [3.584428, -1.848126]])
    assert np.linalg.norm(minima - best, axis=1).min() < 1e-5


def children(settings: dict[str, Any], fitness: Vector, seed: int = 1) -> tuple[Matrix, Matrix]:
    optimiser = Genetic(population=len(fitness), iterations=3, **settings).start(BOX, seed)
    parents = optimiser.ask().copy()
    optimiser.tell(fitness)
    return parents, optimiser.ask()


def test_the_elite_survives_only_if_there_is_one() -> None:
    fitness = np.arange(20.0)
    parents, offspring = children({"elite": 2}, fitness)
    assert np.array_equal(offspring[:2], parents[[19, 18]])
    parents, offspring = children({"elite": 0, "mutation_chance": 1.0}, fitness)
    assert not any(np.array_equal(child, parents[19]) for child in offspring)


def test_mutation_moves_one_weight_by_a_fifth() -> None:
    """If all parents are alike, a child differs from them only by its mutation."""
    optimiser = Genetic(population=400, mutation_chance=0.25, elite=0).start(BOX, seed=1)
    optimiser.individuals = np.zeros((400, 4))
    optimiser.tell(np.ones(400))
    moved = optimiser.ask()
    changed = np.count_nonzero(moved, axis=1)
    assert set(changed.tolist()) == {0, 1}
    assert set(np.round(moved[moved != 0], 9).tolist()) == {0.2, -0.2}
    assert 60 < changed.sum() < 140  # a quarter of 400, give or take 4.6 standard deviations


def test_crossover_averages_by_score_or_exchanges() -> None:
    fitness = np.array([3.0, 1.0])
    parents, offspring = children({"elite": 0, "mutation_chance": 0.0, "selection": "roulette"}, fitness)
    # Both parents may be the same; otherwise the child lies 3/4 of the way to the better one (data2021, formula 10).
    mixed = parents[0] * 0.75 + parents[1] * 0.25
    allowed = (parents[0], parents[1], mixed)
    assert all(any(np.allclose(child, one, atol=1e-5) for one in allowed) for child in offspring)
    parents, offspring = children({"elite": 0, "mutation_chance": 0.0, "crossover": "exchange"}, np.ones(50))
    assert all(np.isin(offspring[:, d], parents[:, d]).all() for d in range(4))


@pytest.mark.parametrize(
    ("selection", "shares"),
    [
        ("roulette", [0.1, 0.2, 0.3, 0.4]),  # as the fitness
        ("ranking", [0.1, 0.2, 0.3, 0.4]),  # ranks 1 to 4 of 10
        ("tournament", [1 / 16, 3 / 16, 5 / 16, 7 / 16]),  # the better of two
    ],
)
def test_selection_draws_by_its_law(selection: str, shares: list[float]) -> None:
    settings: dict[str, Any] = {"selection": selection}
    optimiser = Genetic(population=4, tournament_size=2, elite=0, **settings).start(BOX, seed=3)
    drawn = optimiser._select(np.array([1.0, 2.0, 3.0, 4.0]), 40_000)
    found = np.bincount(drawn, minlength=4) / 40_000
    assert np.abs(found - shares).max() < 0.012  # five standard deviations


def test_roulette_takes_negative_fitness() -> None:
    _, offspring = children({"selection": "roulette"}, np.array([-5.0, -1.0, 0.0]))
    assert np.isfinite(offspring).all()


def test_cross_entropy_fits_the_elite_and_adds_noise() -> None:
    settings = CrossEntropy(population=50, elite_share=0.2, noise_variance=0.08, noise_iterations=4, iterations=10)
    optimiser = settings.start(BOX, seed=1)
    for iteration, noise in enumerate((0.08, 0.06, 0.04, 0.02, 0.0, 0.0)):
        assert optimiser.iteration == iteration
        points = optimiser.ask().copy()
        fitness = sphere(points)
        optimiser.tell(fitness)
        elite = points[np.argsort(-fitness)[:10]]
        assert np.allclose(optimiser.answer, elite.mean(axis=0))
        assert np.allclose(optimiser.variance, elite.var(axis=0) + noise)


def test_cma_es_ends_at_the_centre() -> None:
    answer = searched(CmaEs(iterations=150).start(BOX, seed=1)).answer
    assert np.abs(answer - CENTRE).max() < 1e-4


def test_the_step_of_cma_es_is_its_first_standard_deviation() -> None:
    assert CmaEs(step=0.5).as_keys()["step"] == 0.5
    with pytest.warns(FutureWarning, match="sigma is now called step"):
        assert optimiser_from({"name": "cma-es", "sigma": 0.5}) == CmaEs(step=0.5)
    spread = [CmaEs(step=step).start(Space(3, -100.0, 100.0), seed=1).ask().std() for step in (0.5, 5.0)]
    assert spread[1] == pytest.approx(10 * spread[0])


def test_ranking_can_rank_a_chosen_number_of_the_best() -> None:
    """Only a chosen number of the best get a rank; the others have no children (data2021, 5.3.1.1)."""
    evolution = Genetic(population=10, selection="ranking", ranked=3, mutation_chance=0, elite=0).start(BOX, seed=1)
    fitness = np.arange(10.0)
    counts = np.bincount(evolution._select(fitness, 60_000), minlength=10) / 60_000
    assert counts.tolist() == pytest.approx([0] * 7 + [1 / 6, 2 / 6, 3 / 6], abs=0.01)


def test_self_adaptive_mutation_fades_near_the_optimum_and_can_end_the_search() -> None:
    def evolved(**more: Any) -> Evolution:
        settings: dict[str, Any] = {"population": 40, "mutation_chance": 1.0, "mutation_step": 0.5, "iterations": 300}
        evolution = Genetic(**settings, **more).start(BOX, seed=3)
        searched(evolution)
        return evolution

    assert evolved(self_adaptive=True).steps.mean() < 0.05
    stopped = evolved(self_adaptive=True, least_mutation=0.05)
    assert stopped.stopped_by == "mutation faded"
    assert stopped.iteration < 300
    assert set(evolved().steps.tolist()) == {0.5}


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [({"ranked": 5}, 'ranked needs selection = "ranking"'), ({"least_mutation": 0.1}, "needs self_adaptive = true")],
)
def test_genetic_settings_without_effect_are_refused(settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(SettingError, match=complaint):
        Genetic(**settings)


@pytest.mark.parametrize(("dimensions", "least", "most"), [(0, 0, 1), (1.5, 0, 1), (2, 1, 0), (2, 0, float("nan"))])
def test_an_empty_space_is_refused(dimensions: Any, least: float, most: float) -> None:
    with pytest.raises(SettingError):
        Space(dimensions, least, most)


def test_fitness_that_does_not_fit_the_candidates_is_refused() -> None:
    optimisation = Pso(particles=5).start(Space(3, -1.0, 1.0), 1)
    with pytest.raises(SettingError, match="one number for each of 5"):
        optimisation.tell(np.zeros(4))
