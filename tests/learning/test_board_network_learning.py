"""Learning a board network: its games, its targets, and what it learns."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blockfall import BoardNetworkLearning, Rules, evaluate, rules
from blockfall.learning import Beginning
from blockfall.rulesets import PIECES
from tests.learning.board_networks import SMALL, narrow
from tests.reference.game import lock
from tests.reference.placements import cells_of, placements
from tests.reference.randomizer import law, pieces
from tests.reference.rules import Cells, piece_of

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

LEARNING = 3
"""The purpose of the games that learning plays."""


def row_words(game_rules: Rules, board: Cells) -> list[int]:
    return [sum(1 << x for x in range(game_rules.columns) if (x, y) in board) for y in range(game_rules.rows)]


def has_room(game_rules: Rules, board: Cells, letter: str) -> bool:
    piece = piece_of(game_rules, letter)
    x, y = piece.spawn
    return not {(x + dx, y + dy) for dx, dy in piece.states[0]} & board


def plain_successors(game_rules: Rules, board: Cells, letters: list[str], lines: int) -> list[tuple[Any, ...]]:
    """Return what the rules allow: the piece, the rows of the board, the lines, and the pieces that then have room."""
    found = []
    for letter in letters:
        if not has_room(game_rules, board, letter):
            continue
        for spot in placements(game_rules, board, letter, lines):
            locked = lock(game_rules, board, cells_of(game_rules, letter, spot))
            if locked.loss is None:
                room = sum(1 << i for i, other in enumerate(PIECES) if has_room(game_rules, locked.after, other))
                found.append((PIECES.index(letter), row_words(game_rules, locked.after), locked.lines, room))
    return found


@pytest.mark.parametrize(("name", "known"), [("nes-no-rotation", 2), ("nes-no-rotation", 1), ("sz", 1)])
def test_seats_are_games_by_the_rules(name: str, known: int) -> None:
    from blockfall.learning.board_network.seats import LocalSeats

    game_rules, seats, seed, first = rules(name), 2, 7, 100
    played = LocalSeats(game_rules, seats, seed, first, known)
    streams = [pieces(game_rules, seed, first + seat, LEARNING) for seat in range(seats)]
    dealt = [[next(stream) for _ in range(known)] for stream in streams]
    boards: list[Cells] = [frozenset()] * seats
    lines = [0] * seats
    draw = np.random.default_rng(1)
    for _ in range(12 if known == 2 else 8):
        found = played.successors()
        choices = []
        for seat in range(seats):
            chances = law(game_rules, dealt[seat][:-1])
            assert played.law[seat].tolist() == [float(chances.get(piece, 0)) for piece in PIECES]
            hand = dealt[seat][-known]
            letters = [hand] if known == 2 else [piece for piece in PIECES if chances.get(piece, 0)]
            mine = (found.seat == seat).nonzero()[:, 0].tolist()
            ours = plain_successors(game_rules, boards[seat], letters, lines[seat])
            assert [
                (int(found.piece[i]), found.rows[i].tolist(), int(found.lines[i]), int(found.room[i])) for i in mine
            ] == ours
            choices.append(int(draw.choice([i for i in mine if PIECES[found.piece[i]] == hand])))
        done = played.play(torch.tensor(choices))
        for seat, choice in enumerate(choices):
            words = found.rows[choice].tolist()
            boards[seat] = frozenset(
                (x, y) for y, word in enumerate(words) for x in range(game_rules.columns) if word >> x & 1
            )
            lines[seat] += int(found.lines[choice])
            dealt[seat].append(next(streams[seat]))
            assert not done.over[seat]
            assert done.total[seat] == lines[seat]
            assert played.rows[seat].tolist() == words
            assert [PIECES[piece] for piece in played.known[seat]] == dealt[seat][-known:]


@pytest.mark.parametrize("known", [1, 2])
def test_targets_are_those_of_a_plain_loop(tmp_path: Path, known: int) -> None:
    """G = B + lambda (G' - V'); after a move that was not the best, or that lost, G = B."""
    settings = BoardNetworkLearning(**SMALL | {"segment": 12, "noise": (0.5, 2.0), "trace_decay": 0.6})
    learner = settings.start(Beginning(rules(narrow(tmp_path)), pieces_known=known, seed=3))
    trainer, seats = learner.trainer, learner.trainer.seats
    for network in (trainer.averaged, trainer.network):
        network.output.bias.data.copy_(torch.linspace(0.1, 0.4, len(network.output.bias)))

    steps: list[dict[str, Any]] = []
    successors, play = seats.successors, seats.play

    def watched_successors() -> Any:
        found = successors()
        steps.append(
            {"known": seats.known.clone(), "law": seats.law.clone(), "rows": seats.rows.clone(), "found": found}
        )
        return found

    def watched_play(choices: Any) -> Any:
        done = play(choices)
        steps[-1] |= {"choice": choices.clone(), "over": done.over.clone()}
        return done

    seats.successors, seats.play = watched_successors, watched_play  # type: ignore[method-assign]
    segment = trainer.play()
    with torch.no_grad():
        expected = np.array([plain_targets(trainer, steps, seat, known, 0.6) for seat in range(settings.seats)]).T
    got = segment.target.numpy().reshape(settings.segment, settings.seats)
    assert got == pytest.approx(expected, abs=1e-4)
    overs = sum(int(step["over"].sum()) for step in steps)
    assert overs > 3  # games end, and some moves explore
    assert abs(expected - expected.mean()).max() > 0.1


def plain_targets(trainer: Any, steps: list[dict[str, Any]], seat: int, known: int, decay: float) -> list[float]:
    """Return the targets of one seat, computed from the last step to the first."""
    targets: list[float] = []
    after = 0.0  # G' - V' of the position after the move
    for step in reversed(steps):
        found, hand, chances = step["found"], step["known"][seat].tolist(), step["law"][seat].tolist()
        mine = (found.seat == seat).nonzero()[:, 0]
        moves = list(
            zip(
                mine.tolist(),
                found.piece[mine].tolist(),
                found.lines[mine].tolist(),
                found.room[mine].tolist(),
                trainer.averaged(found.rows[mine]).tolist(),
                strict=True,
            )
        )

        def worth(move: tuple[Any, ...], following: int) -> float:
            """Return the lines cleared now plus the lines to come with this piece in hand."""
            _, _, lines, room, values = move
            if known == 1:
                return float(lines + values[0])
            return float(lines + (values[following] if room >> following & 1 else 0.0))

        backup = 0.0
        for piece in range(7):
            of_piece = [worth(move, piece) for move in moves if known == 2 or move[1] == piece]
            backup += chances[piece] * max(of_piece, default=0.0)
        own = [move for move in moves if move[1] == hand[0]]
        best = max(own, key=lambda move: worth(move, hand[-1]), default=(-1,))
        greedy = int(step["choice"][seat]) == best[0]
        targets.append(backup + (decay * after if greedy and not step["over"][seat] else 0.0))
        output = hand[0] if known == 2 else 0
        after = targets[-1] - float(trainer.averaged(step["rows"][seat][None])[0, output])
    return targets[::-1]


@pytest.mark.parametrize(("known", "mirror"), [(1, False), (2, False), (2, True)])
def test_it_learns_to_play(tmp_path: Path, known: int, mirror: bool) -> None:
    path = narrow(tmp_path)
    settings = BoardNetworkLearning(
        **SMALL | {"actions": 10_000, "channels": 16, "rising_updates": 20, "mirror": mirror}
    )
    learner = settings.start(Beginning(rules(path), pieces_known=known))

    def lines() -> float:
        from blockfall import Agent

        player = Agent("learner", learner.value(learner.parameters), known)
        return float(evaluate(path, player, games=200, seed=5, max_pieces=300).lines.mean())

    learner.learn(64)
    before = lines()
    learner.learn(settings.actions)
    assert learner.figures is not None
    assert lines() > 2 * before


def test_scales_are_chosen_by_played_boards_and_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise values that only bad boards reach are cut, and those boards are overvalued."""
    from blockfall.agents import quantise
    from blockfall.agents.values.quantising import row_words as words_of

    path, segments, seen = narrow(tmp_path), [], []
    learner = BoardNetworkLearning(**SMALL).start(Beginning(rules(path)))
    step = learner.trainer.step

    def recorded_step() -> Any:
        segments.append(step())
        return segments[-1]

    def recorded_quantise(parameters: Any, boards: Any, **more: Any) -> Any:
        seen.append({tuple(words) for words in words_of(boards, rules(path).rows).tolist()})
        return quantise(parameters, boards, **more)

    monkeypatch.setattr(learner.trainer, "step", recorded_step)
    monkeypatch.setattr("blockfall.learning.board_network.learner.quantise", recorded_quantise)
    learner.learn(500)
    assert learner.parameters.size

    played, looked_at = (
        {tuple(words) for words in rows.tolist()} for rows in (segments[-1][0].rows, segments[-1][0].looked_at)
    )
    assert seen == [played | looked_at]
    assert len(looked_at - played) > len(played) > 10


@pytest.mark.parametrize("games", [0, 1, 60, 61, 8192])
def test_sample_boards_cover_every_placement(games: int) -> None:
    """Games have 34 boards each, so taking every 136th board would give the first of every fourth game."""
    from blockfall.learning.board_network.learner import _SAMPLE, _sample

    boards = torch.arange(34 * games)
    kept = _sample(boards).tolist()
    assert len(kept) == len(set(kept)) == min(len(boards), _SAMPLE)
    assert len({board % 34 for board in kept}) == min(len(boards), 34)


@pytest.mark.parametrize("known", [1, 2])
def test_half_of_the_positions_are_learned_as_mirror_images(tmp_path: Path, known: int) -> None:
    settings = BoardNetworkLearning(**SMALL | {"segment": 64, "mirror": True})
    trainer = settings.start(Beginning(rules(narrow(tmp_path)), pieces_known=known, seed=3)).trainer
    segment = replace(trainer.play(), target=torch.arange(16.0 * 64))  # each position is known by its target
    learned: list[tuple[list[int], int, float]] = []

    def update(*batch: Any) -> Any:
        learned.extend(zip(*(part.tolist() for part in batch), strict=True))
        return torch.ones(())

    trainer._update = update
    trainer.learn(segment)
    turned = 0
    for rows, output, target in learned:
        position = segment.rows[int(target)].tolist(), int(segment.output[int(target)])
        image = [int(f"{word:05b}"[::-1], 2) for word in position[0]]
        piece = PIECES.index("IOTZSLJ"[position[1]]) if known == 2 else 0
        assert (rows, output) in (position, (image, piece))
        turned += (rows, output) != position
    assert len(learned) == len({target for *_, target in learned}) == 1024
    assert 300 < turned < 600, "half of them, less those that are their own mirror images"
