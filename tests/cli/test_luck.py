"""Commands that show luck compute it first, with progress, and say where it is not kept."""

from pathlib import Path

import pytest

from tests.support import genuine
from tests.support.command import invoke
from tourney.cli import output as cli_output
from tourney.errors import StoreError
from tourney.results import luck
from tourney.store.derived import Lucks

COMMANDS = (("standings",), ("ratings",), ("audit",), ("ratings", "--all"))


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_command_shows_its_progress_once(
    tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli_output, "SECONDS", 0.0)
    monkeypatch.setattr(luck, "_CHUNK", 4)
    db = ("--db", str(genuine.finished(tmp_path / "t.db")))
    first = invoke(*words, *db)
    assert first.exit_code == 0, first.stderr
    assert "luck of the dice: 4 of 6 matches\nluck of the dice: 6 of 6 matches\n" in first.stderr
    monkeypatch.delattr(luck, "lucks_of")
    second = invoke(*words, *db)
    assert second.stdout == first.stdout
    assert "luck of the dice:" not in second.stderr


def test_read_only_database_shows_the_same_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_lucks: Lucks, _computed: object) -> None:
        raise StoreError("it is read-only")

    path = genuine.finished(tmp_path / "t.db")
    with monkeypatch.context() as patch:
        patch.setattr(Lucks, "keep", refuse)
        refused = invoke("standings", "--format", "json", "--db", str(path))
    assert "the luck of the dice is not kept, so the next command computes it again" in refused.stderr
    kept = invoke("standings", "--format", "json", "--db", str(path))
    assert "not kept" not in kept.stderr
    assert refused.stdout == kept.stdout
    assert '"luck":null' not in kept.stdout.replace(" ", "")


def test_command_without_luck_computes_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(luck, "lucks_of")
    db = ("--db", str(genuine.finished(tmp_path / "t.db")))
    for words in (("ratings", "--no-luck"), ("ratings", "--method", "trueskill"), ("status",)):
        done = invoke(*words, *db)
        assert done.exit_code == 0, done.stderr
