"""``@ladder`` in a tournament file."""

from pathlib import Path

import pytest

from tests.command import TOYS, offering
from tests.tournaments import refused, write_file
from tourney.bots.catalogue.rungs import ladder_of
from tourney.bots.catalogue.shipped import shipped_digests
from tourney.bots.catalogue.store import BotStore
from tourney.errors import TournamentError
from tourney.run.config.entrants import enter
from tourney.run.config.tournament_file import EntrantLine, read_tournament_file

HEAD = 'name = "cup"\n'


def test_ladder_enters_its_rungs_in_place(tmp_path: Path) -> None:
    text = f'{HEAD}game = "element"\nseats = 3\nbots = ["./mine", "@ladder", "pebble"]\n'
    file = read_tournament_file(write_file(tmp_path, text))
    rungs = ladder_of("element", 3)
    assert file.entrants == (
        EntrantLine("./mine"),
        *(EntrantLine(rung.bot, rung.name, rung.args) for rung in rungs),
        EntrantLine("pebble"),
    )
    assert file.rungs == tuple(rung.name for rung in rungs)


def test_entered_rungs_are_the_shipped_bots(tmp_path: Path) -> None:
    file = read_tournament_file(write_file(tmp_path, f'{HEAD}game = "sages-tafl"\nbots = ["@ladder"]\n'))
    entrants = enter(file, file.entrants, BotStore(tmp_path / "bots"))
    assert [one.name for one in entrants] == list(file.rungs)
    assert [(one.entrant.bot, one.entrant.args) for one in entrants] == [
        (rung.bot, rung.args) for rung in ladder_of("sages-tafl", 2)
    ]
    assert {one.entrant.digest for one in entrants} <= set(shipped_digests().values())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('bots = ["@ladder", "@ladder"]', ("bots", "names @ladder twice")),
        ('[[entrant]]\nbot = "@ladder"', ("[[entrant]] 1", 'bots = ["@ladder"]')),
    ],
)
def test_misplaced_ladder_is_refused(tmp_path: Path, text: str, words: tuple[str, ...]) -> None:
    path = write_file(tmp_path, f'{HEAD}game = "sages-tafl"\n{text}\n')
    with refused(TournamentError, str(path), *words):
        read_tournament_file(path)


def test_entrant_named_as_a_rung_is_refused(tmp_path: Path) -> None:
    path = write_file(tmp_path, f'{HEAD}game = "sages-tafl"\nbots = ["@ladder", "greedy"]\n')
    file = read_tournament_file(path)
    with refused(TournamentError, "two entrants are called greedy, one of them by @ladder", "[[entrant]]"):
        enter(file, file.entrants, BotStore(tmp_path / "bots"))


def test_game_without_a_ladder_is_refused(tmp_path: Path) -> None:
    path = write_file(tmp_path, f'{HEAD}game = "toe"\nbots = ["@ladder"]\n')
    with offering(**TOYS), refused(TournamentError, "bots names @ladder, but toe with 2 seats has no ladder"):
        read_tournament_file(path)
