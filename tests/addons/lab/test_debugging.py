"""Recorded matches with an author's program: led by the record, then live."""

import os
from pathlib import Path

import pytest

from tests.support.folders import write_shell_bot
from tests.support.sessions import SessionChannel, record_of, searching
from tests.support.tournaments import refused
from tourney.addons.lab.debugging import BREAKPOINT, DebugMatch, Difference, OwnProgram
from tourney.bot.turn import Turn
from tourney.bots.channel.interface import Channel
from tourney.errors import BotError, UsageError
from tourney.games.base import AnyState
from tourney.match.record import Record
from tourney.match.spec import Entrant, Limits

FIRST = "tourney) echo bot wants=legal;; game) echo ready;; legal) legal=$rest;; go) echo move ${legal%% *};;"
LAST = FIRST.replace("${legal%% *}", "${legal##* }")


def first(_state: AnyState, turn: Turn) -> object:
    return turn.legal[0]


def launch(_entrant: Entrant, _limits: Limits) -> Channel:
    return SessionChannel(searching(2))


@pytest.fixture(scope="module")
def record() -> Record:
    return record_of("sages-tafl", [first, searching(2)], 1)


def debugged(record: Record, program: Path, until: int | None, under: tuple[str, ...] = ()) -> DebugMatch:
    return DebugMatch(record, 1, OwnProgram(program, under=under), until, launch)


def test_program_of_the_record_differs_nowhere(record: Record, tmp_path: Path) -> None:
    folder = write_shell_bot(tmp_path, "first", FIRST)
    started: list[int] = []
    for until in (None, 1, 5, len(record.actions) + 1):
        match = debugged(record, folder, until)
        played = match.play(started.append)
        assert list(match.differences(played)) == []
        assert played.record.actions == record.actions
    assert len(set(started)) == 4
    for pid in started:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_other_program_is_led_by_the_record_and_every_difference_named(
    record: Record, tmp_path: Path
) -> None:
    match = debugged(record, write_shell_bot(tmp_path, "last", LAST), None)
    played = match.play(lambda _: None)
    found = list(match.differences(played))
    assert played.record.actions == record.actions
    assert found[0].action == 1
    assert found[0].was == record.actions[0][1] != found[0].now
    assert len(found) > 1


def test_program_plays_live_from_the_chosen_action(record: Record, tmp_path: Path) -> None:
    match = debugged(record, write_shell_bot(tmp_path, "last", LAST), 3)
    played = match.play(lambda _: None)
    assert played.record.actions[:2] == record.actions[:2]
    live = played.record.actions[2][1]
    assert live != record.actions[2][1]
    assert list(match.differences(played))[-1] == Difference(3, record.actions[2][1], live)


def test_program_is_started_under_another_with_a_breakpoint_hook(record: Record, tmp_path: Path) -> None:
    folder = write_shell_bot(tmp_path, "first", FIRST)
    (tmp_path / "under").write_text(f'#!/bin/sh\necho "$PYTHONBREAKPOINT" > {tmp_path}/said\nexec "$@"\n')
    (tmp_path / "under").chmod(0o755)
    debugged(record, folder, None, (str(tmp_path / "under"),)).play(lambda _: None)
    assert (tmp_path / "said").read_text().strip() == os.environ.get("PYTHONBREAKPOINT", BREAKPOINT)


def test_wrong_seats_actions_and_programs_are_refused(record: Record, tmp_path: Path) -> None:
    folder = write_shell_bot(tmp_path, "first", FIRST)
    count = len(record.actions)
    with refused(UsageError, f"there is no action {count + 2}: the match has {count}"):
        debugged(record, folder, count + 2).play(lambda _: None)
    with refused(UsageError, "there is no seat 3: the match has 2"):
        DebugMatch(record, 3, OwnProgram(folder), None, launch).play(lambda _: None)
    with refused(BotError, "no-such-debugger", "cannot be started: No such file"):
        debugged(record, folder, None, ("no-such-debugger",)).play(lambda _: None)


def test_program_that_a_signal_ends_is_named_by_it(record: Record, tmp_path: Path) -> None:
    folder = write_shell_bot(tmp_path, "dies", FIRST.replace("go)", "go) kill -SEGV $$;"))
    match = debugged(record, folder, 1)
    notes = " ".join(line.text for line in match.play(lambda _: None).log)
    assert "killed by SIGSEGV" in notes
    assert "-11" not in notes
