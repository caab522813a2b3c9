"""The behaviour signature: games, searches and trainings have not changed, and a failure names those that have."""

import zlib

import pytest

from blockfall import evaluate
from blockfall.experiments import provenance, signature
from tests.signature import PATH, changed


def test_games_searches_and_trainings_have_not_changed() -> None:
    assert changed() == [], "if the change is intended, run python -m tests.signature --write"


def test_every_rule_set_and_game_is_in_the_file() -> None:
    names = {tuple(entry.split()[:2]) for entry in PATH.read_text().splitlines()}
    assert ("nes", "dellacherie") in names
    assert ("ist-tetris", "best") in names
    assert ("tetrisbot", "n-step") in names
    assert len(names) == len(PATH.read_text().splitlines())


def test_an_entry_is_a_checksum_of_its_games() -> None:
    played = evaluate("standard", "lee", games=4, seed=2024, max_pieces=150)
    counts = (played.lines, played.pieces, played.placements, played.score, played.termination)
    assert signature.play_digest("standard", "lee") == f"{zlib.crc32(b''.join(c.tobytes() for c in counts)):08x}"


def test_a_changed_entry_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signature.signature([("nes", "lee"), ("nes", "bdu")], [("hopeless", "greedy")])
    monkeypatch.setattr(signature, "_MAX_PIECES", 149)
    signature.play_digest.cache_clear()
    after = signature.signature([("nes", "lee"), ("nes", "bdu")], [("hopeless", "greedy")])
    signature.play_digest.cache_clear()
    assert [said.split(":")[0] for said in provenance.changes(before, after)] == ["nes lee", "nes bdu"]


def test_the_text_holds_the_entries() -> None:
    entries = {"nes lee": "00000001", "hopeless best": "0000000a"}
    assert provenance.read(provenance.written(entries)) == entries
