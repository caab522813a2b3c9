"""Learning a network over the board: its games, its targets, and runs that are stopped, damaged or refused."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blockfall import BoardNetwork, BoardNetworkLearning, Rules, agent, evaluate, rules
from blockfall.errors import BlockfallError, FileError, SettingError
from blockfall.experiments.configuration import configuration_from
from blockfall.experiments.run import create_run, open_run
from blockfall.experiments.training import Progress, Training
from blockfall.rulesets import PIECES
from blockfall.store import Store
from tests.program import PROGRAM
from tests.reference.game import lock
from tests.reference.placements import cells_of, placements
from tests.reference.randomizer import law, pieces
from tests.reference.rules import Cells, piece_of

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

LEARNING = 3
"""The purpose of the games that learning plays."""
SMALL: dict[str, Any] = {"width": 8, "blocks": 1, "hidden": 16, "seats": 16, "segment": 4, "batch": 32, "device": "cpu"}
NORO = {"width": 32, "blocks": 3, "kernel": 3, "hidden": 128}
"""The layers of the agent noro-small."""


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKFALL_HOME", str(tmp_path / "home"))


def narrow(tmp_path: Path) -> Path:
    """Rules of five columns, where a line is easy to make."""
    path = tmp_path / "narrow.toml"
    path.write_text('extends = "nes-no-rotation"\n[board]\ncolumns = 5\nrows = 8\n[spawn]\ncolumn = 0\nrow = 0\n')
    return path


def row_words(game_rules: Rules, board: Cells) -> list[int]:
    return [sum(1 << x for x in range(game_rules.columns) if (x, y) in board) for y in range(game_rules.rows)]


def has_room(game_rules: Rules, board: Cells, letter: str) -> bool:
    piece = piece_of(game_rules, letter)
    x, y = piece.spawn
    return not {(x + dx, y + dy) for dx, dy in piece.states[0]} & board


def plain_successors(game_rules: Rules, board: Cells, letters: list[str], lines: int) -> list[tuple[Any, ...]]:
    """What the rules allow: the piece, the rows of the board, the lines, and the pieces with room there."""
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
    learner = settings.start(rules(narrow(tmp_path)), (), (), 3, 0, pieces_known=known)
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
    """The targets of one seat, from the last step to the first."""
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
            """Lines now, and lines to come with this piece in hand."""
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


def configuration(tmp_path: Path, **learning: Any) -> Any:
    keys = {
        "rules": str(narrow(tmp_path)),
        "pieces_known": 2,
        "restarts": 2,
        "seed": 3,
        "learning": {"name": "board-network", "actions": 1500, "stages": 5, **SMALL, **learning},
        "games": {"training": 20, "validation": 20, "test": 30, "max_pieces": 200},
    }
    return configuration_from(keys, "the test")


@pytest.mark.parametrize(("known", "mirror"), [(1, False), (2, False), (2, True)])
def test_it_learns_to_play(tmp_path: Path, known: int, mirror: bool) -> None:
    path = narrow(tmp_path)
    settings = BoardNetworkLearning(**SMALL | {"actions": 10_000, "width": 16, "rising_updates": 20, "mirror": mirror})
    learner = settings.start(rules(path), (), (), 1, 0, pieces_known=known)

    def lines() -> float:
        from blockfall import Agent

        player = Agent("learner", learner.value(learner.parameters), known)
        return float(evaluate(path, player, games=200, seed=5, max_pieces=300).lines.mean())

    learner.learn(64)
    before = lines()
    learner.learn(settings.actions)
    assert learner.figures is not None
    assert lines() > 2 * before


def test_whole_numbers_are_chosen_by_boards_that_were_played_and_by_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else what only bad boards show is cut, and they are valued too high."""
    from blockfall.agents import quantise
    from blockfall.agents.values.quantising import row_words as words_of

    path, segments, seen = narrow(tmp_path), [], []
    learner = BoardNetworkLearning(**SMALL).start(rules(path), (), (), 1, 0, pieces_known=1)
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
def test_boards_to_round_by_are_of_every_placement(games: int) -> None:
    """Where each game has 34 boards in a row, equal distances of 136 would take the first of every fourth game."""
    from blockfall.learning.board_network.learner import _SAMPLE, _sample

    boards = torch.arange(34 * games)
    kept = _sample(boards).tolist()
    assert len(kept) == len(set(kept)) == min(len(boards), _SAMPLE)
    assert len({board % 34 for board in kept}) == min(len(boards), 34)


class _StoppedError(Exception):
    """In place of a kill."""


@pytest.mark.parametrize("known", [1, 2])
def test_half_of_the_positions_are_learned_as_mirror_images(tmp_path: Path, known: int) -> None:
    settings = BoardNetworkLearning(**SMALL | {"segment": 64, "mirror": True})
    trainer = settings.start(rules(narrow(tmp_path)), (), (), 3, 0, pieces_known=known).trainer
    segment = replace(trainer.play(), target=torch.arange(16.0 * 64))  # a target tells which position it is
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


def test_a_run_keeps_that_its_agent_looks_at_mirror_images(tmp_path: Path) -> None:
    store = Store()
    Training(store, create_run(store, configuration(tmp_path, mirror=True), tmp_path / "run")).complete()
    found = agent(tmp_path / "run" / "agent.json").value
    assert isinstance(found, BoardNetwork)
    assert found.mirror
    assert json.loads((tmp_path / "run" / "result.json").read_text())["restarts"][0]["board_network"]["mirror"]


def test_stopped_anywhere_and_resumed_it_ends_with_the_identical_files(tmp_path: Path) -> None:
    store = Store()
    wanted = configuration(tmp_path)
    Training(store, create_run(store, wanted, tmp_path / "whole")).complete()

    def stop(progress: Progress) -> None:
        if progress.iterations_done in (2, 6, 9):
            raise _StoppedError

    run = create_run(store, wanted, tmp_path / "stopped")
    for _ in range(3):
        with pytest.raises(_StoppedError):
            Training(store, run, watch=stop).complete()
    Training(store, open_run(store, tmp_path / "stopped")).complete()
    names = sorted(path.name for path in (tmp_path / "whole").iterdir())
    assert "agent.weights" in names
    assert {"restart-1.weights", "restart-2.weights"} <= set(names)
    assert names == sorted(path.name for path in (tmp_path / "stopped").iterdir())
    for name in set(names) - {"run.id"}:
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "stopped" / name).read_bytes(), name
    curves = [[(p.best, p.mean, p.loss, p.value) for p in store.runs.curve(r.id)] for r in store.runs.newest()]
    assert curves[0] == curves[1]
    assert all(point[2] is not None for point in curves[0])


def test_killed_within_a_stage_it_goes_on_from_the_last_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from blockfall.learning.board_network import learner
    from blockfall.learning.board_network.trainer import Trainer

    monkeypatch.setattr(learner, "_KEEP_S", 0.0)  # every minute passes at once
    store = Store()
    wanted = configuration(tmp_path)
    Training(store, create_run(store, wanted, tmp_path / "whole")).complete()
    step, steps = Trainer.step, 0

    def dies(trainer: Trainer) -> Any:
        nonlocal steps
        steps += 1
        if steps in (2, 9, 10, 40):
            raise _StoppedError
        return step(trainer)

    monkeypatch.setattr(Trainer, "step", dies)
    run = create_run(store, wanted, tmp_path / "killed")
    for _ in range(4):
        with pytest.raises(_StoppedError):
            Training(store, run).complete()
    Training(store, run).complete()
    alone = steps
    Training(store, create_run(store, wanted, tmp_path / "again")).complete()
    assert alone - 4 == steps - alone, "no step is taken twice"
    assert (tmp_path / "whole/agent.weights").read_bytes() == (tmp_path / "killed/agent.weights").read_bytes()
    curves = [[(p.best, p.mean, p.loss, p.value) for p in store.runs.curve(r.id)] for r in store.runs.newest()]
    assert curves[0] == curves[1] == curves[2]


def test_a_result_names_the_files_of_its_networks(tmp_path: Path) -> None:
    store = Store()
    run = create_run(store, configuration(tmp_path), tmp_path / "run")
    result = Training(store, run).complete()
    written = json.loads((run.folder / "result.json").read_text())
    assert written["board_network"]["weights"] == "agent.weights"
    assert [restart["board_network"]["weights"] for restart in written["restarts"]] == [
        "restart-1.weights",
        "restart-2.weights",
    ]
    assert agent(run.folder / "agent.json") == result.agent
    played = evaluate(narrow(tmp_path), result.agent, games=30, seed=3, max_pieces=200)
    assert played.lines.mean() == pytest.approx(result.test.lines.mean)
    assert [row.weights for row in store.runs.validations(run.id)] == [[], []]

    assert Training(store, run).complete() == result
    (run.folder / "restart-2.weights").write_bytes(b"other")
    with pytest.raises(FileError, match=r"restart-2\.weights"):
        Training(store, run).complete()


def test_a_damaged_checkpoint_is_one_line(tmp_path: Path) -> None:
    from blockfall.learning.board_network.learner import BoardNetworkLearner

    def learner(**changes: Any) -> BoardNetworkLearner:
        return BoardNetworkLearning(**SMALL | changes).start(rules(narrow(tmp_path)), (), (), 1, 0, pieces_known=2)

    learned = learner()
    learned.learn(200)
    path = tmp_path / "learner.npz"
    learned.save(path)
    with np.load(path) as found:
        kept = dict(found)
    for other in ({"width": 9}, {"seats": 17}):
        with pytest.raises(FileError, match="not a checkpoint of this run"):
            learner(**other).load(path)
    for name in ("counts", "seats", "generator", "rows", "sums", "network.table", "exp_avg.table", "step.table"):
        np.savez(path, **{key: array for key, array in kept.items() if key != name})
        with pytest.raises(FileError, match="not a checkpoint of this run"):
            learner().load(path)
    for name, array in (("seats", 255 - kept["seats"]), ("counts", -kept["counts"]), ("generator", kept["seats"])):
        np.savez(path, **{**kept, name: array})
        with pytest.raises(FileError, match="not a checkpoint of this run"):
            learner().load(path)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"pieces_known": 3}, "pieces_known is 3; learning is with 1 or 2"),
        ({"features": "data-6"}, "a network over the board has no features, hidden or unknown_piece; leave them out"),
        ({"hidden": [8]}, "a network over the board has no features, hidden or unknown_piece"),
        ({"learning": {"kernel": 4}}, "kernel is 4; it must be odd"),
        ({"learning": {"device": "tpu"}}, 'it must be "cpu", "cuda", or "auto"'),
        ({"learning": {"noise": [0.0, 0.1]}}, "two numbers above 0"),
        ({"learning": {"discount": 0.5}}, "unknown key 'learning.discount'"),
        ({"start": "dellacherie"}, "from the agent 'dellacherie': it is no network over the board"),
        (
            {"start": "noro-small", "learning": {"width": 16}},
            "its width, blocks, kernel and hidden are 32, 3, 3, 128, the run's are 16, 2, 3, 64",
        ),
        ({"start": "noro-small", "learning": NORO, "pieces_known": 1}, "start: 1 pieces known; "),
        ({"start": "noro-small", "learning": NORO, "rules": "guideline"}, "guideline has boards of 10x24"),
    ],
)
def test_what_cannot_be_learned_is_refused(change: dict[str, Any], complaint: str) -> None:
    keys: dict[str, Any] = {"rules": "nes-no-rotation", "learning": {}} | change
    keys["learning"] = {"name": "board-network", **keys["learning"]}
    with pytest.raises(BlockfallError, match=complaint.replace("[", r"\[")) as refused:
        configuration_from(keys, "the test")
    assert "\n" not in str(refused.value)


def test_learning_goes_on_from_an_agent(tmp_path: Path) -> None:
    """It plays as the agent does at once, where a new network plays at random, and the agent learns on."""
    few = {"training": 20, "validation": 20, "test": 20}
    keys = {
        "rules": "nes-no-rotation",
        "start": "noro-small",
        "learning": {"name": "board-network", "actions": 64, "stages": 1, "seats": 4, "device": "cpu", **NORO},
        "games": few,
    }
    store = Store(tmp_path / "store.sqlite3")
    run = create_run(store, configuration_from(keys, "the test"), tmp_path / "run")
    longer = Training(store, run).complete()
    assert longer.test.lines.mean > 10
    first, after = agent("noro-small").value, longer.agent.value
    assert isinstance(first, BoardNetwork)
    assert isinstance(after, BoardNetwork)
    assert first.weights != after.weights


def test_learning_that_diverges_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from blockfall.learning.board_network.learner import BoardNetworkLearner

    learn = BoardNetworkLearner.learn

    def diverge(self: BoardNetworkLearner, until: int, keep: Callable[[], None]) -> None:
        learn(self, until, keep)
        self.trainer.averaged.position.data[0, 0] = float("inf")

    monkeypatch.setattr(BoardNetworkLearner, "learn", diverge)
    store = Store()
    run = create_run(store, configuration(tmp_path), tmp_path / "run")
    with pytest.raises(SettingError, match="learning diverged in stage 1 of restart 1"):
        Training(store, run).complete()
    assert not (run.folder / "agent.json").exists()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_nothing_is_begun(tmp_path: Path) -> None:
    train = [*PROGRAM, "train", "--set", 'learning.name="board-network"', "--set", 'learning.device="cuda"']
    done = subprocess.run([*train, "--out", str(tmp_path / "run")], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert 'learning.device is "cuda", but PyTorch finds no GPU; say "auto" or "cpu"' in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "run").exists()
