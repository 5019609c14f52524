"""Another bot in an entrant's place: what it replays, what stays, and a crash in between."""

from pathlib import Path

import pytest

from tests.support import genuine
from tests.support.command import invoke
from tests.support.folders import write_shell_bot
from tests.support.tournaments import refused, write_file
from tourney.bots.catalogue.store import BotStore
from tourney.check.root import keep_root
from tourney.errors import TournamentError, UsageError
from tourney.results.standings import compute_standings
from tourney.run.engine import replacement
from tourney.run.engine.recorder import pair_next
from tourney.run.engine.replacement import replace_entrants
from tourney.run.engine.tournament_run import open_tournament
from tourney.run.tournament_file import TournamentFile, read_tournament_file
from tourney.store.database import Database

CUP = """# the cup of "./anna"
title = "Cup"
name = "cup"
game = "sage-stones"
FORMAT
bots = ["pebble", "./anna/1", "random"]
[[entrant]]
bot = "pebble"
name = "ben"
[limits]
move-ms = 5000
[run]
sandbox = "off"
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with two versions of a bot called anna."""
    monkeypatch.chdir(tmp_path)
    for version in ("1", "2"):
        write_shell_bot(tmp_path / "anna", version, f"v{version}) ;;", games='["sage-stones"]')
        path = tmp_path / "anna" / version / "bot.toml"
        path.write_text(path.read_text().replace(f'name = "{version}"', 'name = "anna"'))
    return tmp_path


def finished(home: Path, format_: str = "") -> TournamentFile:
    """Play the cup; return its file."""
    file = read_tournament_file(write_file(home, CUP.replace("FORMAT", format_)))
    with open_tournament(file, str(home / "t.db"), BotStore(home / "bots"), lambda _: None) as opened:
        database, tournament, _ = opened
        genuine_end(database, tournament.name)
    return file


def genuine_end(database: Database, name: str) -> None:
    """Play a tournament to its end, and keep its root."""
    tournament = database.tournaments.get(name)
    while database.schedules.pending(tournament.id):
        genuine.play_all(database, tournament)
        while pair_next(database, tournament.id):
            pass
    keep_root(database, tournament.id)


def replaced(home: Path, file: TournamentFile, path: str = "anna/2") -> tuple[TournamentFile, list[str]]:
    said: list[str] = []
    with Database.open(str(home / "t.db"), write=True) as database:
        new = replace_entrants(file, database, BotStore(home / "bots"), {"anna": path}, said.append)
    return new, said


def test_only_matches_of_the_replaced_entrant_are_played_again(home: Path) -> None:
    file = finished(home)
    with Database.open(str(home / "t.db")) as database:
        cup = database.tournaments.get("cup")
        before = (cup, tuple(database.matches.all(cup.id)), compute_standings(database, cup.id))
    new, said = replaced(home, file)
    assert new.plan.name == "cup-2"
    with Database.open(str(home / "t.db"), write=True) as database:
        assert database.tournaments.get("cup") == before[0]
        assert tuple(database.matches.all(cup.id)) == before[1]
        copy = database.tournaments.get("cup-2")
        pending = {number for number, _ in database.schedules.pending(copy.id)}
        assert pending == {match.number for match in before[1] if 1 in match.seats}
        results = {match.number: match.result for match in before[1] if match.number not in pending}
        same = {match.number: match.result for match in database.matches.all(copy.id, finished=True)}
        assert same == results
        genuine_end(database, "cup-2")
    anna = next(line for line in before[2] if line.name == "anna")
    assert said[1].startswith(f"anna has rank {anna.rank} in cup, with ")
    assert said[1].endswith("`tourney standings cup`")
    assert "cup stays as it is, with 6 matches of anna (" in said[0]
    assert invoke("verify", "--all", "--db", "t.db").exit_code == 0


def test_file_of_the_copy_continues_it_without_a_word(home: Path) -> None:
    new, _ = replaced(home, finished(home))
    text = (home / "cup-2.toml").read_text()
    assert 'name = "cup-2"' in text
    assert 'bots = ["pebble", "./anna/1", "random"]'.replace("./anna/1", "anna/2") in text
    said: list[str] = []
    with open_tournament(new, str(home / "t.db"), BotStore(home / "bots"), said.append) as opened:
        assert opened.tournament.name == "cup-2"
    assert [sentence for sentence in said if "commitment" not in sentence] == []


def test_rounds_drawn_from_old_results_are_drawn_again(home: Path) -> None:
    file = finished(home, 'format = "swiss"\nrounds = 3')
    new, said = replaced(home, file)
    with Database.open(str(home / "t.db"), write=True) as database:
        copy = database.tournaments.get("cup-2")
        assert {row.round for _, row in database.schedules.rows(copy.id)} == {1}
        assert not copy.complete
        # Four of the eight matches in later rounds are among the six of anna.
        assert "with 6 matches of anna (" in said[0]
        assert "and 4 other matches drawn from them" in said[0]
        genuine_end(database, "cup-2")
        assert database.tournaments.get("cup-2").root is not None
    assert invoke("verify", "--all", "--db", "t.db").exit_code == 0
    assert new.plan.rounds == 3


def test_crash_before_the_file_is_written_makes_no_second_copy(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = finished(home)
    with monkeypatch.context() as patch:
        patch.setattr(replacement, "write_file", crash)
        with pytest.raises(KeyboardInterrupt):
            replaced(home, file)
    for _ in range(2):
        assert replaced(home, file)[0].plan.name == "cup-2"
    with Database.open(str(home / "t.db")) as database:
        assert [tournament.name for tournament in database.tournaments.all()] == ["cup", "cup-2"]


def crash(*_: object) -> None:
    raise KeyboardInterrupt


def test_copy_can_be_copied_and_takes_the_next_number(home: Path) -> None:
    new, _ = replaced(home, finished(home))
    write_shell_bot(home / "anna", "3", "v3) ;;", games='["sage-stones"]')
    assert replaced(home, new, "anna/3")[0].plan.name == "cup-3"


def test_replacement_that_changes_nothing_is_refused(home: Path) -> None:
    file = finished(home)
    with refused(UsageError, "anna of cup plays with these files already"):
        replaced(home, file, "anna/1")
    with Database.open(str(home / "t.db"), write=True) as database:
        store = BotStore(home / "bots")
        with refused(UsageError, "cup has no entrant eve; there are: pebble, anna, random, ben"):
            replace_entrants(file, database, store, {"eve": "anna/2"}, print)
    other = read_tournament_file(write_file(home, CUP.replace("FORMAT", "").replace('"cup"', '"new"')))
    with refused(UsageError, "new has not started: put the other bot into"):
        replaced(home, other)


def test_file_without_a_plain_name_is_refused(home: Path) -> None:
    finished(home)
    path = write_file(home, CUP.replace("FORMAT", "").replace('name = "cup"', '"name" = "cup"', 1))
    with refused(TournamentError, 'no line has the form name = "cup"'):
        replaced(home, read_tournament_file(path))


def test_command_goes_with_a_file_alone(home: Path) -> None:
    done = invoke("run", "--game", "sage-stones", "--bots", "random,pebble", "--replace", "anna=x")
    assert (done.exit_code, "--replace goes with FILE" in done.stderr) == (2, True)
