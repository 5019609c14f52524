"""Matches of the anchor ladders, replayed by the bots as they ship: the same digests everywhere."""

import json
from pathlib import Path

import pytest

from tourney.bots.catalogue import command
from tourney.bots.catalogue.shipped import ladders_dir
from tourney.bots.catalogue.store import BotStore, resolve_bot
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.games.compiled import PLAIN_VARIABLE
from tourney.match.record import read_record
from tourney.match.runner import MatchRunner, StoreLauncher

FILES = sorted(ladders_dir().glob("*.jsonl"))


def replayed(line: str, store: BotStore) -> tuple[str, str]:
    """The digests of a record and of the match replayed."""
    record = read_record(json.loads(line))
    for seat in record.seats:
        # Brings the bot into the store; a bot that has changed needs its ladder to be replayed.
        assert resolve_bot(seat.bot, store, Path("/")).digest == seat.digest, "run make ladder"
    sandbox = open_sandbox("off")
    with MatchRunner(StoreLauncher(store, sandbox), sandbox=sandbox) as room:
        return record.digest, room.play(record.spec).record.digest


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_ladder_match_reproduces_to_the_digest(path: Path, shipped: BotStore) -> None:
    """With compiled cores where they are built, so other machines give the same."""
    for line in path.read_text().splitlines():
        then, now = replayed(line, shipped)
        assert then == now


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_plain_python_gives_the_same_digest(
    path: Path, shipped: BotStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = command.environment()
    monkeypatch.setattr(command, "environment", lambda: {**env, PLAIN_VARIABLE: "1"})
    then, now = replayed(path.read_text().splitlines()[0], shipped)
    assert then == now
