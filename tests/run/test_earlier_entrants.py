"""Entrants of an earlier tournament: the first ones of its standings, and single ones by name."""

import shutil
from pathlib import Path

import pytest

from tests.support import genuine
from tests.support.folders import write_shell_bot
from tests.support.tournaments import refused, write_file
from tourney.bots.catalogue.store import BotStore
from tourney.errors import TournamentError
from tourney.results.standings import compute_standings
from tourney.run.engine.tournament_run import open_tournament
from tourney.run.tournament_file import read_tournament_file
from tourney.store.database import Database
from tourney.store.values import StoredEntrant

COURSE = """
name = "course"
game = "sage-stones"
seed = 7
bots = ["pebble", "random"]
[[entrant]]
bot = "pebble"
name = "anna"
args = ["--calm"]
[[entrant]]
bot = "pebble"
name = "ben"
[limits]
move-ms = 5000
[run]
sandbox = "off"
"""
FINAL = """
name = "final"
game = "sage-stones"
seed = 8
bots = [BOTS]
[run]
sandbox = "off"
"""


def begin(folder: Path, text: str) -> tuple[tuple[StoredEntrant, ...], list[str]]:
    """Start a tournament file as a run does; return its entrants and the messages."""
    file = read_tournament_file(write_file(folder, text))
    messages: list[str] = []
    with open_tournament(file, str(folder / "t.db"), BotStore(folder / "bots"), messages.append) as opened:
        return opened.database.tournaments.entrants(opened.tournament.id), messages


def final(folder: Path, *bots: str) -> tuple[tuple[StoredEntrant, ...], list[str]]:
    return begin(folder, FINAL.replace("BOTS", ", ".join(f'"{bot}"' for bot in bots)))


def course(folder: Path, *, bots: str = '"random"', void: bool = False, most: int | None = None) -> list[str]:
    """Play the course; return the names in the order of its standings."""
    write_shell_bot(folder, "mine", "go) echo resign;;", games='["sage-stones"]')
    begin(folder, COURSE.replace('"random"', bots))
    with Database.open(str(folder / "t.db"), write=True) as database:
        tournament = database.tournaments.get("course")
        genuine.play_all(database, tournament, void=range(1, 100) if void else (), most=most)
        return [line.name for line in compute_standings(database, tournament.id)]


def test_first_of_standings_enter_under_their_names(tmp_path: Path) -> None:
    names = course(tmp_path)
    entrants, _ = final(tmp_path, "@standings:course:3", "greedy")
    assert [entrant.name for entrant in entrants] == [*names[:3], "greedy"]
    if "anna" in names[:3]:
        assert entrants[names.index("anna")].entrant.args == ("--calm",)


def test_entrant_keeps_name_files_and_arguments(tmp_path: Path) -> None:
    course(tmp_path)
    entrants, _ = final(tmp_path, "random", "@entrant:course:anna")
    with Database.open(str(tmp_path / "t.db")) as database:
        anna = database.tournaments.entrants(database.tournaments.get("course").id)[2]
    assert entrants[1].entrant == anna.entrant
    assert anna.entrant.args == ("--calm",)


def test_begun_tournament_keeps_entrants_of_removed_course(tmp_path: Path) -> None:
    course(tmp_path)
    before, _ = final(tmp_path, "@standings:course:2")
    with Database.open(str(tmp_path / "t.db"), write=True) as database:
        database.take_out(database.tournaments.get("course"), tmp_path / "removed.db")
    assert final(tmp_path, "@standings:course:2") == (before, [])


def test_tie_at_the_cut_goes_by_the_order_of_the_file(tmp_path: Path) -> None:
    course(tmp_path, void=True)
    entrants, messages = final(tmp_path, "@standings:course:3")
    assert [entrant.name for entrant in entrants] == ["pebble", "random", "anna"]
    assert (
        "pebble, random, anna, ben share rank 1 of course after all tie-breaks; pebble, random, anna enter,"
        " as the first in the file of course; to decide otherwise, name entrants by @entrant:course:NAME"
    ) in messages


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("@standings:nothing:2", "there is no tournament 'nothing' in this database; there are: course"),
        ("@standings:course:5", "course has 4 entrants to choose from"),
        ("@standings:course:0", "0 is not a number of entrants from 1 to 9999"),
        ("@standings:course", "such a text has the form @standings:TOURNAMENT:NUMBER"),
        ("@entrant:course:eve", "course has no entrant eve; there are: pebble, random, anna, ben"),
    ],
)
def test_reference_to_nothing_is_refused(tmp_path: Path, reference: str, words: str) -> None:
    course(tmp_path)
    with refused(TournamentError, f"cup.toml: bots names {reference}, but {words}"):
        final(tmp_path, reference)


def test_standings_that_can_still_change_are_refused(tmp_path: Path) -> None:
    course(tmp_path, most=3)
    with refused(TournamentError, "course is not finished: 9 of 12 matches are still to play"):
        final(tmp_path, "@standings:course:2")


def test_bot_that_the_store_lost_is_named(tmp_path: Path) -> None:
    course(tmp_path, bots='"./mine"')
    shutil.rmtree(tmp_path / "bots")
    # A shipped bot is at hand under its digest, so nothing is lost with its copy.
    assert [entrant.name for entrant in final(tmp_path, "@entrant:course:anna", "random")[0]] == [
        "anna",
        "random",
    ]
    with refused(TournamentError, "mine of @entrant:course:mine cannot enter", "`tourney bots add`"):
        begin(
            tmp_path,
            FINAL.replace("final", "other").replace("BOTS", '"@entrant:course:mine", "random"'),
        )


def test_reference_belongs_in_bots(tmp_path: Path) -> None:
    course(tmp_path)
    with refused(TournamentError, "belongs in bots: its entrants keep their names and arguments"):
        begin(tmp_path, f'{FINAL.replace("BOTS", "")}[[entrant]]\nbot = "@entrant:course:anna"\nname = "a"\n')
