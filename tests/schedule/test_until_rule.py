"""``[until]``: its sentences, and the batches of a round-robin and of an adaptive tournament that it ends."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.support.schedules import play_out
from tourney.errors import TournamentError
from tourney.schedule.adaptive import Adaptive
from tourney.schedule.format import Format, History, Participant, Setup
from tourney.schedule.round_robin import BATCH, RoundRobin
from tourney.schedule.until_rule import Until


def setup_of(until: Until, entrants: int = 4, seats: int = 2, repeats: int = 200) -> Setup:
    players = tuple(Participant(number, f"bot-{number}") for number in range(entrants))
    return Setup(players, seats, 7, repeats, extra=until.extra())


def test_until_survives_storing() -> None:
    for until in (Until(15), Until(best=9500, top=3), Until(order=True, games=100)):
        assert Until.of(until.extra()) == until
    assert Until.of((("batch", 8),)) is None


@pytest.mark.parametrize(
    ("format_", "until", "words"),
    [
        (RoundRobin(), Until(top=4), "set it to 3 or less"),
        (RoundRobin(), Until(games=11), "set games to 12 or more"),
        (Adaptive(), Until(best=9500), "set budget"),
        (Adaptive(), Until(top=1, games=1), "set games"),
    ],
)
def test_senseless_until_is_refused(format_: Format, until: Until, words: str) -> None:
    with pytest.raises(TournamentError, match=words):
        format_.check(setup_of(until, repeats=2))


def test_round_robin_with_one_group_takes_no_until() -> None:
    with pytest.raises(TournamentError, match="games-per-pairing"):
        RoundRobin().check(setup_of(Until(width=10), repeats=1))


def test_round_robin_with_until_takes_no_late_entrant() -> None:
    setup = setup_of(Until(width=10))
    late = replace(setup.participants[-1], joined=2)
    with pytest.raises(TournamentError, match="no entrants after its start"):
        RoundRobin().check(replace(setup, participants=(*setup.participants[:-1], late)))


@pytest.mark.parametrize(("entrants", "seats"), [(4, 2), (5, 2), (5, 3), (5, 4)])
def test_cycles_meet_every_group_once(entrants: int, seats: int) -> None:
    setup = setup_of(Until(width=1), entrants, seats, repeats=30)
    first = RoundRobin().next_rounds(setup, History())
    second = RoundRobin().next_rounds(setup, History(first.rows))
    assert len(first.rows) >= BATCH
    assert len({row.key for row in first.rows + second.rows}) == len(first.rows) + len(second.rows)
    meetings: dict[Sequence[int], int] = {}
    for row in first.rows:
        if row.order == 1:
            key = tuple(sorted(row.seats))
            meetings[key] = meetings.get(key, 0) + 1
    assert len(set(meetings.values())) == 1


def test_games_bound_the_cycles() -> None:
    setup = setup_of(Until(games=30))
    assert RoundRobin().planned_matches(setup) == 24
    drawn = RoundRobin().next_rounds(setup, History())
    assert len(drawn.rows) == 24
    assert drawn.complete


@pytest.mark.parametrize("seats", [2, 3])
def test_race_plays_leaders_most(seats: int) -> None:
    setup = setup_of(Until(best=9500, games=4000), entrants=6, seats=seats, repeats=1)
    history = play_out(Adaptive(), setup, (600, 300, 100, -100, -300, -600))[-1]
    games = [sum(number in row.seats for row in history.rows) for number in range(6)]
    assert len(history.rows) < 2000
    assert games[0] == max(games)
    assert games[0] > 2 * games[3]
