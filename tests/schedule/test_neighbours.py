"""Pairings of a league: authors stay apart, and neighbours meet."""

from dataclasses import replace
from itertools import islice

from tests.support.schedules import play_out, setup, truth
from tourney.schedule.adaptive import Adaptive
from tourney.schedule.format import Participant, Setup
from tourney.schedule.neighbours import authors_of, neighbour_pairs, neighbours

NAMES = ("house.a.1", "house.b.1", "ann.x.1", "ann.y.2", "bob.z.1", "eve.w.1")


def league(ratings: dict[int, int], budget: int = 80, seed: int = 0) -> Setup:
    """A night of the entrants of NAMES, some of them with earlier ratings."""
    players = tuple(
        Participant(number, name, rating=ratings.get(number), deviation=3000 if number in ratings else None)
        for number, name in enumerate(NAMES)
    )
    extra = (("budget", budget), ("league", 1), ("seeding", "rating"))
    return replace(setup(len(NAMES)), participants=players, extra=extra, seed=seed)


def test_bots_of_one_author_never_meet() -> None:
    *_, history = play_out(Adaptive(), league({}), truth(len(NAMES)))
    met = {frozenset(row.seats) for row in history.rows}
    assert frozenset({2, 3}) not in met
    assert frozenset({0, 1}) in met, "those of the house may meet"
    assert len(history.rows) == 80


def test_neighbours_skip_own_bots_and_unrated_ones() -> None:
    night = league({0: 0, 1: 50, 2: 100, 3: 200, 4: 300})
    assert authors_of(night)[2] == authors_of(night)[3]
    assert neighbour_pairs(night) == ((4, 3), (3, 1), (2, 1))


def test_every_pair_of_neighbours_meets_first() -> None:
    ratings = {number: 40_000 * number for number in range(len(NAMES))}
    night = league(ratings, budget=16)
    *_, history = play_out(Adaptive(), night, truth(len(NAMES)))
    met = {frozenset(row.seats) for row in history.rows}
    assert {frozenset(pair) for pair in neighbour_pairs(night)} <= met


def test_list_begins_where_the_seed_says() -> None:
    ratings = {number: 100 * number for number in range(len(NAMES))}
    first, second = (neighbour_pairs(league(ratings, seed=seed)) for seed in (0, 1))
    assert first != second
    assert sorted(first) == sorted(second)


def test_flood_of_versions_gets_its_author_no_more_places() -> None:
    names = ("ann.x.1", "bob.y.1", "eve.z.1", *(f"dan.w{number}.1" for number in range(9)))
    players = tuple(Participant(number, name) for number, name in enumerate(names))
    places = []
    for more in ((), (("author-share", 120),)):
        extra = (("budget", 200), ("league", 1), *more)
        night = replace(setup(len(names)), participants=players, extra=extra)
        *_, history = play_out(Adaptive(), night, truth(len(names)))
        assert len(history.rows) == 200
        places.append(sum(seat > 2 for row in history.rows for seat in row.seats))
    assert places[0] > 190, "each new version plays, and never one of its author"
    assert places[1] <= 1.2 * 400 / 4 + 32


def test_absent_neighbours_are_left_out() -> None:
    night = league({0: 0, 2: 100, 4: 300})
    due = list(islice(neighbours(night, (0, 2), 0), 4))
    assert due == [None, None, None, (2, 0)]


def test_without_the_key_nothing_changes() -> None:
    plain = replace(league({0: 0, 2: 100}), extra=(("budget", 80),))
    assert neighbour_pairs(plain) == ()
    assert len(set(authors_of(plain))) == len(NAMES)
