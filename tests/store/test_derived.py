"""The store's data for ratings: settled prefix, checkpoints."""

from pathlib import Path

from tests.support.tournaments import begin, played
from tourney.match.record import FaultKind
from tourney.run.engine.recorder import spec_of
from tourney.store.database import Database
from tourney.store.derived import Checkpoint, DrawProbability
from tourney.store.values import MatchResult


def store_results(repository: Database, tournament: int, order: list[int]) -> None:
    """Store results that depend only on the match numbers, in the given order."""
    stored = repository.tournaments.by_id(tournament)
    entrants = repository.tournaments.entrants(tournament)
    rows = dict(repository.schedules.rows(tournament))
    for number in order:
        ranks = ((1, 2), (2, 1), (1, 1))[number % 3]
        faults: tuple[tuple[int, FaultKind, int], ...] = ((2, "crash", 1),) if number == 4 else ()
        match = played(spec_of(stored, entrants, rows[number]), ranks, faults)
        repository.matches.add(tournament, [MatchResult(number, match)])


def test_settled_prefix_ends_before_the_first_open_match(tmp_path: Path) -> None:
    with Database.open(str(tmp_path / "a.db"), create=True) as repository:
        cup = begin(repository, 3).id
        assert repository.schedules.settled(cup) == 0
        store_results(repository, cup, [1, 2, 4])
        assert repository.schedules.settled(cup) == 2
        assert [result.number for result in repository.matches.results(cup, after=2)] == [4]
        store_results(repository, cup, [3, 5, 6])
        assert repository.schedules.settled(cup) == 6
        empty = begin(repository, 2, name="empty", pair=False).id
        assert repository.schedules.settled(empty) == 0


def test_checkpoints_probabilities_and_verdicts_are_stored_and_replaced(tmp_path: Path) -> None:
    with Database.open(str(tmp_path / "a.db"), create=True) as repository:
        cup = begin(repository, 2).id
        assert repository.ratings.draw_probability("toe", 2) is None
        assert repository.ratings.checkpoint(cup, "x") is None
        assert repository.tournaments.verdict(cup) is None
        for probability in (0.1, 0.25):
            kept = DrawProbability(probability, "cup", 12)
            repository.ratings.keep_draw_probability("toe", 2, kept)
            assert repository.ratings.draw_probability("toe", 2) == kept
        assert repository.ratings.draw_probability("toe", 3) is None
        for number in (5, 9):
            repository.ratings.keep_checkpoint(cup, "x", Checkpoint(number, {"a": [1, "0x1p-3"]}))
            assert repository.ratings.checkpoint(cup, "x") == (number, {"a": [1, "0x1p-3"]})
        assert repository.ratings.checkpoint(cup, "y") is None
        for word in ("yes", "no"):
            repository.tournaments.keep_verdict(cup, {"better": word})
            assert repository.tournaments.verdict(cup) == {"better": word}
