"""The store's data for ratings: group counts, settled prefix, checkpoints."""

from pathlib import Path

from tests.support.tournaments import begin, played
from tourney.match.record import FaultKind
from tourney.run.engine.recorder import spec_of
from tourney.schedule.row import Row
from tourney.store.database import Database
from tourney.store.rating_data import Checkpoint, DrawProbability
from tourney.store.totals import GroupCount, SeatedResult
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


def test_group_counts_do_not_depend_on_storage_order(tmp_path: Path) -> None:
    counted = []
    for name, step in (("a.db", 1), ("b.db", -1)):
        with Database.open(str(tmp_path / name), create=True) as repository:
            cup = begin(repository, 3, games=6).id
            numbers = [number for number, _ in repository.schedules.rows(cup)]
            store_results(repository, cup, numbers[::step])
            counted.append(sorted(repository.totals.group_counts(cup)))
            by_hand: dict[tuple[int, int, int], list[SeatedResult]] = {}
            for result in repository.matches.results(cup):
                game = (result.entrants, result.ranks, result.faults)
                by_hand.setdefault(result.key[:3], []).append(game)
            groups = [tuple(games) for games in by_hand.values()]
            assert counted[-1] == sorted(GroupCount(g, groups.count(g)) for g in set(groups))
    assert counted[0] == counted[1]
    assert sum(group.times for group in counted[0]) == 9
    assert any(game[2] == (None, "crash") for group in counted[0] for game in group.games)


def test_incomplete_groups_count_their_played_games(tmp_path: Path) -> None:
    with Database.open(str(tmp_path / "a.db"), create=True) as repository:
        cup = begin(repository, 2, games=4).id
        assert list(repository.totals.group_counts(cup)) == []
        store_results(repository, cup, [2, 3])
        repository.matches.add(cup, [MatchResult(4, None, "the machine failed")])
        found = sorted(repository.totals.group_counts(cup))
        assert [len(group.games) for group in found] == [1, 1]
        assert {group.games[0][0] for group in found} == {(0, 1), (1, 0)}


def test_groups_of_more_than_two_games_stay_together(tmp_path: Path) -> None:
    """Imported records can repeat a game with one seed."""
    with Database.open(str(tmp_path / "a.db"), create=True) as repository:
        cup = begin(repository, 2, pair=False).id
        rows = [Row(1, 1, 1, order, (0, 1)) for order in (1, 2, 3)] + [Row(1, 2, 1, 1, (0, 1))]
        repository.schedules.add(cup, rows, complete=True)
        store_results(repository, cup, [1, 2, 3, 4])
        assert sorted(len(group.games) for group in repository.totals.group_counts(cup)) == [1, 3]


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
