"""Random streams and generators: known answers, the reference, and the laws that they must follow."""

import json
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blockfall import Board, Game, _core, rules
from blockfall.games.streams import Purpose
from blockfall.rulesets import PIECES, Rules
from tests import ROOT
from tests.reference.randomizer import NES_LAW, NES_ORDER, law, philox, pieces, tgm3_real_state
from tests.strategies import GENERATORS, variant

FACTS = json.loads((ROOT / "tests" / "data" / "nes_rng.json").read_text())


def dealt(game_rules: Rules, count: int, seed: int = 1, game: int = 0) -> str:
    return "".join(PIECES[piece] for piece in _core.deal(game_rules.core, seed, game, count) if piece < 7)


def with_generator(name: str) -> Rules:
    return variant("standard", "srs", 10, 20, name)


@pytest.mark.parametrize(
    ("counter", "key", "answer"),
    [  # Random123's known answers for philox4x32-10
        ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
        ([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
        (
            [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
            [0xA4093822, 0x299F31D0],
            [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
        ),
    ],
)
def test_philox_gives_the_published_answers(counter: list[int], key: list[int], answer: list[int]) -> None:
    assert philox(counter, key) == answer


@given(
    name=st.sampled_from(GENERATORS),
    seed=st.integers(0, 2**64 - 1),
    game=st.integers(0, 2**64 - 1),
    purpose=st.sampled_from(list(Purpose)),
)
@settings(max_examples=100, deadline=None)
def test_generators_equal_the_reference(name: str, seed: int, game: int, purpose: Purpose) -> None:
    game_rules = with_generator(name)
    native = _core.deal(game_rules.core, seed, game, 300, _core.Purpose(purpose))
    expected = "".join(islice(pieces(game_rules, seed, game, purpose), 300))
    assert "".join(PIECES[piece] for piece in native if piece < 7) == expected


def test_purposes_and_games_have_streams_of_their_own() -> None:
    game_rules = with_generator("uniform")
    streams = {
        (purpose, seed, game): _core.deal(game_rules.core, seed, game, 40, _core.Purpose(purpose)).tobytes()
        for purpose in Purpose
        for seed in (0, 1, 2**40)
        for game in (0, 1, 2**33)
    }
    assert len(set(streams.values())) == len(streams)


def test_uniform_is_uniform() -> None:
    counts = Counter(dealt(with_generator("uniform"), 700_000))
    for letter in PIECES:  # 100,000 expected, standard deviation 293
        assert abs(counts[letter] - 100_000) < 5 * 293


def test_the_bag_deals_permutations() -> None:
    sequence = dealt(with_generator("7-bag"), 70_000)
    assert all(set(sequence[i : i + 7]) == set(PIECES) for i in range(0, len(sequence), 7))
    last: dict[str, int] = {}
    widest = 0
    for i, letter in enumerate(sequence):
        widest = max(widest, i - last.get(letter, i) - 1)
        last[letter] = i
    assert widest == 12  # data2021, 2.5: never more between two of a kind
    assert all(sequence[i] != sequence[i + 1] or sequence[i + 1] != sequence[i + 2] for i in range(len(sequence) - 2))
    runs = "".join("s" if letter in "SZ" else " " for letter in sequence).split()
    assert max(map(len, runs)) == 4


def test_nes_follows_its_law() -> None:
    assert "".join(FACTS["order"]) == NES_ORDER
    assert {letter: list(row) for letter, row in NES_LAW.items()} == dict(
        zip(FACTS["order"], FACTS["transition_64ths"], strict=True)
    )
    draws = 1_000_000
    sequence = dealt(rules("nes"), draws)
    counts = Counter(pairwise(sequence))
    totals = Counter(sequence[:-1])
    for before in NES_ORDER:
        for after, share in zip(NES_ORDER, NES_LAW[before], strict=True):
            p = share / 64
            sigma = (totals[before] * p * (1 - p)) ** 0.5
            assert abs(counts[before, after] - totals[before] * p) < 5 * sigma
    for letter, percent in FACTS["stationary_percent"].items():
        assert abs(100 * totals[letter] / draws - percent) < 0.25


def test_the_register_has_the_consoles_period() -> None:
    assert FACTS["lfsr"] == {
        "seed": "0x8988",
        "rule": "bit = ((v>>1)^(v>>9))&1 ; v=(bit<<15)|(v>>1)",
        "period": 32767,
    }
    # With a whole period of frames between two pieces, the register moves only by the steps of a second choice,
    # which the reference, a direct transcription of the rule above, makes too.
    sequence = dealt(with_generator("nes-lfsr"), 2_000, seed=3)
    assert sequence == "".join(islice(pieces(with_generator("nes-lfsr"), 3, 0), 2_000))
    repeats = sum(a == b for a, b in pairwise(sequence)) / len(sequence)
    assert repeats < 0.08  # the law's 2 to 4 in 64


@pytest.mark.parametrize(("name", "tries"), [("tgm1", 4), ("tgm2", 6)])
def test_tgm_avoids_its_history(name: str, tries: int) -> None:
    firsts = {dealt(with_generator(name), 1, seed) for seed in range(200)}
    assert firsts == set("ITJL")
    sequence = dealt(with_generator(name), 200_000)
    in_history = sum(sequence[i] in sequence[i - 4 : i] for i in range(4, len(sequence)))
    # A piece of the history is dealt only if every try hits one of its at most four kinds.
    assert 0 < in_history / len(sequence) < (4 / 7) ** tries * 1.1


def test_tgm3_deals_every_piece_soon() -> None:
    sequence = np.frombuffer(dealt(with_generator("tgm3"), 200_000).encode(), dtype=np.uint8)
    gaps = {chr(letter): int(np.diff(np.flatnonzero(sequence == letter)).max()) for letter in set(sequence.tolist())}
    assert set(gaps) == set(PIECES)
    assert max(gaps.values()) < 60  # a uniform generator exceeds 80 in as many pieces
    uniform = np.frombuffer(dealt(with_generator("uniform"), 200_000).encode(), dtype=np.uint8)
    assert max(int(np.diff(np.flatnonzero(uniform == letter)).max()) for letter in set(uniform.tolist())) > 60


def test_tgm3_real_is_the_published_game() -> None:
    """S. Laroche's program dealt 300,000 pieces: 1.02 % repeats, 3.5 % in the history, gaps of 21 at most."""
    firsts = {dealt(with_generator("tgm3-real"), 1, seed) for seed in range(200)}
    assert firsts == set("ITJL")
    sequence = dealt(with_generator("tgm3-real"), 200_000)
    assert sum(a == b for a, b in pairwise(sequence)) / len(sequence) == pytest.approx(0.0102, abs=0.001)
    in_history = sum(sequence[i] in sequence[i - 4 : i] for i in range(4, len(sequence))) / len(sequence)
    assert in_history == pytest.approx(0.0353, abs=0.002)
    places = {letter: [i for i, other in enumerate(sequence) if other == letter] for letter in PIECES}
    assert 18 <= max(b - a for found in places.values() for a, b in pairwise(found)) <= 25


@given(sequence=st.text(PIECES, min_size=1, max_size=40))
@settings(max_examples=60, deadline=None)
def test_the_law_of_tgm3_real_is_that_of_all_its_rolls(sequence: str) -> None:
    pool, history, rarest = tgm3_real_state(sequence)

    def rolls(pool: tuple[tuple[str, int], ...], left: int) -> dict[str, Fraction]:
        found = dict.fromkeys(PIECES, Fraction(0))
        for piece, count in pool:
            if count and (piece not in history or left == 1):
                found[piece] += Fraction(count, 35)
            elif count:
                after = Counter(dict(pool))
                if rarest:
                    after[piece] -= 1
                    after[rarest] += 1
                for other, chance in later(tuple(sorted(after.items())), left - 1).items():
                    found[other] += Fraction(count, 35) * chance
        return found

    later = cache(rolls)
    exact = later(tuple(sorted(pool.items())), 6)
    assert sum(exact.values()) == 1
    told = law(with_generator("tgm3-real"), sequence)
    assert {piece: float(chance) for piece, chance in told.items()} == pytest.approx(
        {piece: float(chance) for piece, chance in exact.items()}, abs=1e-6
    )


def test_script_and_snake() -> None:
    assert dealt(with_generator("snake"), 6) == "SZSZSZ"
    assert dealt(rules("ist"), 10) == "OJLTI"


@pytest.mark.parametrize("name", [name for name in GENERATORS if name != "script"])
def test_the_law_of_the_next_piece_is_what_is_dealt(name: str) -> None:
    """Over many games, pieces are dealt as often as the law said before each."""
    game_rules = with_generator(name)
    expected, found = np.zeros(7), np.zeros(7)
    games = 4000
    for game in range(games):
        seen = 1 + game % 8
        chances = np.array(list(Game(game_rules, 5, game, pieces_known=seen).law.values()))
        assert chances.sum() == pytest.approx(1, abs=1e-6)
        piece = _core.deal(game_rules.core, 5, game, seen + 1)[-1]
        assert chances[piece] > 0
        expected += chances
        found[piece] += 1
    assert (abs(found - expected) < 5 * np.sqrt(np.maximum(expected, 1))).all()


def test_laws_by_hand() -> None:
    """After one piece of tgm1 the history has at most two kinds; after three pieces a bag has four left."""
    bag = Game(with_generator("7-bag"), 1, pieces_known=3).law
    assert sorted(bag.values()) == pytest.approx([0, 0, 0, 0.25, 0.25, 0.25, 0.25])
    first = dealt(with_generator("tgm1"), 1)  # the history is then that piece and Z Z Z
    tgm1 = Game(with_generator("tgm1"), 1, pieces_known=1).law
    again = (2 / 7) ** 3 / 7
    assert tgm1[first] == pytest.approx(again)
    assert tgm1["Z"] == pytest.approx(again)
    assert tgm1["O"] == pytest.approx((1 - 2 * again) / 5)


def test_sz_deals_only_s_and_z_equally_often() -> None:
    """The generator of Szita & Szepesvari 2010."""
    came = dealt(rules("sz"), 4000)
    assert set(came) == {"S", "Z"}
    assert abs(came.count("S") - 2000) < 5 * np.sqrt(1000)
    assert Game("sz").law == {piece: 0.5 if piece in "SZ" else 0.0 for piece in PIECES}


@given(name=st.sampled_from(GENERATORS), sequence=st.text(PIECES, min_size=1, max_size=60), known=st.integers(1, 8))
@settings(max_examples=200, deadline=None)
def test_laws_equal_the_reference_after_any_pieces(name: str, sequence: str, known: int) -> None:
    """This includes pieces that no game deals: a bag then starts again at a repeated piece."""
    if name == "tgm3" and not _pool_can_deal(sequence):
        return
    game_rules = with_generator(name)
    shown = sequence[-known:]
    game = Game.at(game_rules, Board.empty(10, 20), shown, dealt=sequence[: -len(shown)])
    assert game.known == shown
    assert game.law == {piece: float(chance) for piece, chance in law(game_rules, sequence).items()}


def _pool_can_deal(sequence: str) -> bool:
    """Return whether the pool of 35 can deal these pieces: five of a kind in a row may empty it of that kind."""
    game_rules = with_generator("tgm3")
    return all(law(game_rules, sequence[:at])[piece] > 0 for at, piece in enumerate(sequence))


@pytest.mark.parametrize("name", [name for name in GENERATORS if name != "script"])
def test_a_game_that_starts_at_a_position_continues_by_the_law(name: str) -> None:
    """The pieces after the known ones are drawn by the seed, and follow the law over many seeds."""
    game_rules = with_generator(name)
    before = dealt(game_rules, 11, seed=8)
    expected, found, games = np.zeros(7), np.zeros(7), 2000
    for seed in range(games):
        game = Game.at(game_rules, Board.empty(10, 20), before[9:], dealt=before[:9], seed=seed)
        expected += list(game.law.values())
        game.play(game.placements()[0])
        assert game.known[0] == before[10]
        found[PIECES.index(game.known[1])] += 1
    if name != "nes-lfsr":  # its register depends on the seed alone, not on the law
        assert ((found > 0) <= (expected > 0)).all()
        assert (abs(found - expected) < 5 * np.sqrt(np.maximum(expected, 1))).all()


def test_a_script_continues_at_its_place() -> None:
    game = Game.at("ist", Board.empty(10, 18), "LT", dealt="OJ")
    game.play(game.placements()[0])
    assert game.known == "TI"


def test_purposes_are_the_cores() -> None:
    assert {purpose.name: purpose.value for purpose in Purpose} == {
        purpose.name: purpose.value for purpose in _core.Purpose
    }
