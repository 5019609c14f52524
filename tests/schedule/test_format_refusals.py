"""``tourney run`` refuses an impossible tournament: one sentence, exit 2, nothing stored."""

from pathlib import Path

import pytest

from tests.support.command import invoke
from tests.support.tournaments import refused, write_file
from tourney.bots.catalogue.store import BotStore
from tourney.errors import TournamentError
from tourney.run.engine.tournament_run import open_tournament
from tourney.run.tournament_file import read_tournament_file
from tourney.store.database import Database

CASES = [
    ("round-robin", 2, 1, "", "a round-robin with 2 seats per table needs at least 2 entrants, not 1"),
    ("round-robin", 4, 3, "", "a round-robin with 4 seats per table needs at least 4 entrants, not 3"),
    ("round-robin", 2, 4, "rounds = 4", 'rounds does not go with format = "round-robin" for 2 seats'),
    ("round-robin", 2, 4, "games-per-pairing = 400000", "would have 2,400,000 matches, more than 2,000,000"),
    ("round-robin", 2, 3, "budget = 9", 'budget does not go with format = "round-robin"'),
    ("swiss", 2, 1, "rounds = 1", "a swiss with 2 seats per table needs at least 2 entrants, not 1"),
    ("swiss", 4, 3, "rounds = 1", "a swiss with 4 seats per table needs at least 4 entrants, not 3"),
    ("swiss", 2, 4, "", 'rounds is missing: format = "swiss" needs it'),
    ("swiss", 2, 4, "rounds = 0", "rounds is 0, but must be from 1"),
    ("swiss", 2, 4, "rounds = 4", "rounds is 4, but each of 4 entrants has 3 opponents only"),
    ("swiss", 2, 5, "rounds = 6", "rounds is 6, but each of 5 entrants has 4 opponents only"),
    ("swiss", 3, 5, "rounds = 3", "with 2 byes a round each of 5 entrants has had one after 2 rounds"),
    ("swiss", 2, 4, 'rounds = 2\nseeding = "elo"', 'seeding is "elo", but must be "file" or "rating"'),
    ("swiss", 2, 4, 'rounds = 2\nseeding = "rating"', 'seeding is "rating", but no entrant has played'),
    ("gauntlet", 2, 1, "", "needs a field of at least 1 beside its challengers, not 0"),
    ("gauntlet", 4, 3, "", "needs a field of at least 3 beside its challengers, not 2"),
    ("gauntlet", 2, 2, 'challengers = ["e1", "e2"]', "a field of at least 1 beside its challengers, not 0"),
    ("gauntlet", 2, 2, 'challengers = ["e7"]', "challengers names e7, which is not an entrant"),
    ("gauntlet", 2, 2, "challengers = []", "challengers is empty, but must have at least one item"),
    ("knockout", 2, 1, "", "a knockout needs at least 2 entrants, not 1"),
    ("knockout", 3, 4, "", "a knockout is for two seats per table, not 3"),
    ("knockout", 2, 4, "rounds = 2", 'rounds does not go with format = "knockout"'),
    ("knockout", 2, 4, "third-place = 1", "third-place is 1, but must be true or false"),
    ("knockout", 2, 4, "extra-groups = 101", "extra-groups is 101, but must be from 0 to 100"),
    (
        "adaptive",
        2,
        1,
        "budget = 9",
        "an adaptive tournament with 2 seats per table needs at least 2",
    ),
    ("adaptive", 2, 3, "", "an adaptive tournament needs budget (the number of matches), target-sigma"),
    ("adaptive", 2, 3, "budget = 1", "budget is 1, but a pairing has 2 matches: set budget higher"),
    ("adaptive", 2, 3, "budget = 9\nbatch = 0", "batch is 0, but must be from 1"),
]


def file_of(format_: str, seats: int, count: int, more: str) -> str:
    entrants = "".join(f'[[entrant]]\nbot = "random"\nname = "e{k}"\n' for k in range(1, count + 1))
    return f'name = "cup"\ngame = "sage-stones"\nformat = "{format_}"\nseats = {seats}\n{more}\n{entrants}'


@pytest.mark.parametrize(("format_", "seats", "count", "more", "sentence"), CASES)
def test_impossible_schedule_is_refused_before_anything_runs(
    tmp_path: Path, format_: str, seats: int, count: int, more: str, sentence: str
) -> None:
    path = write_file(tmp_path, file_of(format_, seats, count, more))
    database = tmp_path / "t.db"
    done = invoke("run", str(path), "--db", str(database), "--bots", str(tmp_path / "bots"))
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {path}: ")
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert not database.exists()


@pytest.mark.parametrize(
    ("count", "more", "sentence"),
    [
        (4, "rounds = 4", "rounds is 4, but each of 4 entrants has 3 opponents only"),
        (5, "rounds = 1", "e5 would join in round 2, but rounds is 1: set rounds higher"),
        (4, 'rounds = 2\nseeding = "rating"', "seeding was not set when cup began"),
    ],
)
def test_later_file_that_cannot_be_paired_changes_nothing(
    tmp_path: Path, count: int, more: str, sentence: str
) -> None:
    bots = BotStore(tmp_path / "bots")
    first = read_tournament_file(write_file(tmp_path, file_of("swiss", 2, 4, "rounds = 1")))
    url = str(tmp_path / "t.db")
    with open_tournament(first, url, bots, lambda _: None) as (_, tournament, _):
        pass
    later = read_tournament_file(write_file(tmp_path, file_of("swiss", 2, count, more)))
    with refused(TournamentError, sentence), open_tournament(later, url, bots, lambda _: None):
        pass
    with Database.open(url) as repository:
        assert repository.tournaments.get() == tournament
        assert len(repository.tournaments.entrants(tournament.id)) == 4
