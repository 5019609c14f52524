"""``tourney debug``: an author's program in a recorded match."""

import json
from pathlib import Path

import pytest

from tests.addons.lab.test_debugging import FIRST, LAST
from tests.support.command import invoke
from tests.support.folders import write_shell_bot
from tests.support.sessions import record_of, searching
from tourney.bot.turn import Turn
from tourney.games.base import AnyState


@pytest.fixture
def match(tmp_path: Path) -> str:
    """A file with a record whose seat 1 plays its first legal action."""

    def first(_state: AnyState, turn: Turn) -> object:
        return turn.legal[0]

    (tmp_path / "match.json").write_bytes(record_of("sages-tafl", [first, searching(2)], 1).encode())
    return str(tmp_path / "match.json")


def test_program_that_chooses_all_actions_passes(match: str, tmp_path: Path) -> None:
    bot = str(write_shell_bot(tmp_path, "first", FIRST))
    done = invoke("debug", match, "--seat", "1", "--bot", bot)
    assert (done.exit_code, done.stdout) == (0, f"{bot} chooses every action of seat 1 in {match}\n")
    found = json.loads(invoke("debug", match, "--seat", "1", "--bot", bot, "--format", "json").stdout)
    assert (found["first"], found["differences"], found["reason"]) == (None, 0, "points")


def test_first_difference_is_named_with_code_1(match: str, tmp_path: Path) -> None:
    bot = str(write_shell_bot(tmp_path, "last", LAST))
    done = invoke("debug", match, "--seat", "1", "--bot", bot)
    assert done.exit_code == 1
    assert done.stderr.startswith("error: action 1: the record has ")
    assert "more actions differ" in done.stderr


def test_wait_asks_for_enter_with_the_process(match: str, tmp_path: Path) -> None:
    bot = str(write_shell_bot(tmp_path, "first", FIRST))
    done = invoke("debug", match, "--seat", "1", "--bot", bot, "--wait", given="\n")
    assert done.exit_code == 0
    assert "the program is process " in done.stderr
