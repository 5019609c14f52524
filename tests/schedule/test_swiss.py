"""The Swiss format in whole tournaments."""

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.schedules import byes, check_rows, pairings, play_out, play_round, setup, truth
from tourney.errors import TournamentError
from tourney.schedule.format import History, Participant, Setup
from tourney.schedule.player_history import PlayerHistory, RoundEntry
from tourney.schedule.swiss import Swiss

SWISS = Swiss()


def met(history: History) -> Counter[frozenset[int]]:
    return Counter(frozenset(pair) for _, group in pairings(history.rows) for pair in combinations(group, 2))


def gaps(setup: Setup, history: History) -> list[int]:
    """Return the differences of scores, in units, of the pairs of all rounds."""
    past = PlayerHistory.of(setup, history, SWISS.new_rule(setup.seats).bye)
    scores = past.scores()
    return [abs(scores[a][round_ - 1] - scores[b][round_ - 1]) for round_, (a, b) in pairings(history.rows)]


@settings(max_examples=12, deadline=None)
@given(st.integers(4, 26), st.integers(1, 3), st.integers(0, 2**64 - 1))
def test_two_seats_meet_once_and_have_a_bye_once(count: int, repeats: int, seed: int) -> None:
    """A round without a repeated meeting exists while half of the opponents are left."""
    rounds = count // 2
    plan = setup(count, rounds=rounds, repeats=repeats, seed=seed)
    played = play_out(SWISS, plan, truth(count, seed))[-1]
    check_rows(played.rows)
    assert played.rounds == rounds
    assert set(met(played).values()) == {1}
    assert set(byes(played, count).values()) <= {1}
    assert sum(byes(played, count).values()) == rounds * (count % 2)


@settings(max_examples=8, deadline=None)
@given(st.integers(2, 9), st.integers(0, 2**64 - 1))
def test_swiss_can_play_as_many_rounds_as_opponents(count: int, seed: int) -> None:
    """Meetings may then repeat, but no more often than necessary, and all rounds are paired."""
    rounds = count - 1 + count % 2
    plan = setup(count, rounds=rounds, seed=seed)
    played = play_out(SWISS, plan, truth(count, seed))[-1]
    check_rows(played.rows)
    assert played.rounds == rounds
    assert len(pairings(played.rows)) == rounds * (count // 2)


def test_two_hundred_entrants_play_nine_rounds() -> None:
    """No repeated meetings or byes, both seats equally often, pairs of nearly equal scores."""
    for count in (200, 199):
        plan = setup(count, rounds=9)
        strengths = truth(count)
        played = play_out(SWISS, plan, strengths)[-1]
        check_rows(played.rows)
        assert len(pairings(played.rows)) == 9 * (count // 2)
        assert set(met(played).values()) == {1}
        assert set(byes(played, count).values()) <= {1}
        differences = gaps(plan, played)
        # A win is 2 units: on average the pairs differ by less than a tenth of one match's win.
        assert sum(differences) < 0.2 * len(differences)
        leads = [
            sum(1 - 2 * e.place for e in entries if e.kind == "table") for entries in entries_of(plan, played)
        ]
        assert max(map(abs, leads)) <= 3
        assert sum(lead * lead for lead in leads) <= 1.6 * count
        lines = SWISS.table(plan, played)
        top = [strengths[line.number] for line in lines[:40]]
        bottom = [strengths[line.number] for line in lines[-40:]]
        assert sum(top) > sum(bottom) + 40 * 400


def entries_of(setup: Setup, history: History) -> list[tuple[RoundEntry, ...]]:
    return list(PlayerHistory.of(setup, history, SWISS.new_rule(setup.seats).bye).entries.values())


def test_first_round_folds_the_field() -> None:
    drawn = SWISS.next_rounds(setup(8, rounds=3), History())
    assert pairings(drawn.rows) == [(1, (0, 4)), (1, (5, 1)), (1, (2, 6)), (1, (7, 3))]
    assert not drawn.complete


def test_seeding_by_rating_puts_best_rated_first() -> None:
    participants = tuple(
        Participant(number, f"a{number}", rating=rating)
        for number, rating in enumerate((None, 100, 300, 200))
    )
    plan = replace(setup(4, rounds=1, seeding="rating"), participants=participants)
    assert {frozenset(pair) for _, pair in pairings(SWISS.next_rounds(plan, History()).rows)} == {
        frozenset({2, 1}),
        frozenset({3, 0}),
    }


def test_last_round_completes_until_rounds_are_added() -> None:
    plan = setup(6, rounds=2)
    histories = play_out(SWISS, plan, truth(6))
    assert SWISS.next_rounds(plan, histories[1]).complete
    assert SWISS.next_rounds(plan, histories[2]).rows == ()
    longer = replace(plan, rounds=3)
    assert SWISS.next_rounds(longer, histories[2]).rows[0].round == 3


@settings(max_examples=10, deadline=None)
@given(st.sampled_from([2, 3, 4]), st.integers(0, 2**64 - 1))
def test_late_entry_and_withdrawal_change_later_rounds_only(seats: int, seed: int) -> None:
    """A late entrant starts without points, a withdrawn one plays no more; missed rounds are not byes."""
    plan = setup(12, seats, rounds=4, seed=seed)
    strengths = truth(14, seed)
    history = History()
    for _ in range(2):
        history = play_round(SWISS, plan, history, strengths)
    gone = replace(plan.participants[5], left=3)
    plan = replace(
        plan,
        participants=(*plan.participants[:5], gone, *plan.participants[6:], Participant(12, "b", joined=3)),
    )
    for _ in range(2):
        history = play_round(SWISS, plan, history, strengths)
    check_rows(history.rows)
    at = {
        round_: {n for r, group in pairings(history.rows) if r == round_ for n in group}
        for round_ in range(1, 5)
    }
    assert all(12 not in at[round_] for round_ in (1, 2))
    assert all(5 not in at[round_] for round_ in (3, 4))
    past = PlayerHistory.of(plan, history, "win")
    assert [entry.kind for entry in past.entries[5][2:]] == ["absent", "absent"]
    assert [entry.kind for entry in past.entries[12][:2]] == ["absent", "absent"]
    assert past.scores()[12][2] == 0
    for number in range(13):
        assert sum(entry.kind == "bye" for entry in past.entries[number]) <= 1


def test_third_failed_start_ends_pairing() -> None:
    plan = setup(6, rounds=5)
    history = History()
    strengths = truth(6)
    for _ in range(3):
        fresh = play_round(SWISS, plan, history, strengths)
        broken = tuple(
            r.row.result(r.ranks, tuple("startup" if n == 2 else None for n in r.entrants))
            for r in fresh.results
        )
        history = History(fresh.rows, broken)
    playing = [
        [n for r, group in pairings(history.rows) if r == round_ for n in group] for round_ in (1, 2, 3)
    ]
    assert [2 in names for names in playing] == [True, True, False]  # two matches a round


@settings(max_examples=12, deadline=None)
@given(st.sampled_from([3, 4]), st.integers(0, 22), st.integers(1, 4), st.integers(0, 2**64 - 1))
def test_pods_seat_each_entrant_once_and_spread_byes(seats: int, more: int, rounds: int, seed: int) -> None:
    count = seats + more
    rounds = min(rounds, count - 1, count // (count % seats) if count % seats else rounds)
    plan = setup(count, seats, rounds=rounds, seed=seed)
    played = play_out(SWISS, plan, truth(count, seed))[-1]
    check_rows(played.rows)
    assert played.rounds == rounds
    assert set(byes(played, count).values()) <= {1}
    assert sum(byes(played, count).values()) == rounds * (count % seats)


def test_pods_have_near_scores_and_few_repeats() -> None:
    plan = setup(64, 4, rounds=5)
    played = play_out(SWISS, plan, truth(64))[-1]
    counts = met(played)
    assert sum(count - 1 for count in counts.values()) <= 6  # of 480 meetings
    past = PlayerHistory.of(plan, played, "half")
    scores = past.scores()
    spread, field = [], []
    for round_, group in pairings(played.rows):
        if round_ > 1:
            at = [scores[number][round_ - 1] for number in group]
            spread.append(max(at) - min(at))
            scores_now = [line[round_ - 1] for line in scores.values()]
            field.append(max(scores_now) - min(scores_now))
    assert sum(spread) * 4 < sum(field)


@pytest.mark.parametrize(
    ("count", "seats", "rounds", "sentence"),
    [
        (1, 2, 1, "needs at least 2 entrants, not 1"),
        (3, 4, 1, "with 4 seats per table needs at least 4 entrants, not 3"),
        (2, 2, 2, "rounds is 2, but each of 2 entrants has 1 opponent only"),
        (4, 2, 4, "rounds is 4, but each of 4 entrants has 3 opponents only"),
        (5, 2, 6, "rounds is 6, but each of 5 entrants has 4 opponents only"),
        (6, 4, 4, "with 2 byes a round each of 6 entrants has had one after 3 rounds"),
        (3000, 2, 700, "a swiss of 3000 entrants would have 2,100,000 matches, more than 2,000,000"),
    ],
)
def test_impossible_tournament_is_refused(count: int, seats: int, rounds: int, sentence: str) -> None:
    with pytest.raises(TournamentError) as caught:
        SWISS.check(setup(count, seats, rounds=rounds))
    assert sentence in str(caught.value)


def test_entrant_joining_after_the_last_round_is_refused() -> None:
    plan = setup(4, rounds=2)
    with pytest.raises(TournamentError, match="b would join in round 3, but rounds is 2: set rounds higher"):
        SWISS.check(replace(plan, participants=(*plan.participants, Participant(4, "b", joined=3))))


def test_one_remaining_entrant_ends_the_tournament() -> None:
    plan = setup(2, rounds=1)
    alone = replace(plan, participants=(plan.participants[0], replace(plan.participants[1], left=1)))
    drawn = SWISS.next_rounds(alone, History())
    assert (drawn.rows, drawn.complete) == ((), True)
