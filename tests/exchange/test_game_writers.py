"""Add-ons write matches of their games for other programs."""

import pytest

from tests.support.addons import PRESENT
from tests.support.command import installed
from tourney.errors import UsageError
from tourney.exchange.game_writers import find_writer, writes_games
from tourney.plugins import Addon


def game_text(*_: object) -> str:
    return "1. e4"


def test_game_of_an_add_on_has_its_writer() -> None:
    with installed(Addon(game_files={"nim": f"{__name__}:game_text"})):
        assert writes_games("nim")
        assert find_writer("nim") is game_text


def test_game_without_a_writer_is_refused_with_the_games() -> None:
    assert not writes_games("sages-tafl")
    of = "chess and chess960" if "chess" in PRESENT else "no game here"
    with pytest.raises(UsageError, match=f"PGN is written of {of}, not of sages-tafl"):
        find_writer("sages-tafl")
