"""The knockout: brackets, ties and the third place."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.schedules import check_rows, pairings, play_out, setup, truth
from tourney.errors import TournamentError
from tourney.schedule.format import History, Participant, Setup
from tourney.schedule.knockout import Knockout, bracket_order
from tourney.schedule.row import ResultRow, Row

KNOCKOUT = Knockout()


def better(row: Row, *, drawn: bool = False) -> ResultRow:
    """The smaller number wins, or the match is a draw."""
    ranks = (1, 1) if drawn else (1, 2) if row.seats[0] < row.seats[1] else (2, 1)
    return row.result(ranks)


def advance(plan: Setup, history: History, *, drawn: bool = False) -> History:
    rows = KNOCKOUT.next_rounds(plan, history).rows
    return History((*history.rows, *rows), (*history.results, *(better(row, drawn=drawn) for row in rows)))


def pairs_of(history: History, round_: int) -> set[frozenset[int]]:
    return {frozenset(pair) for r, pair in pairings(history.rows) if r == round_}


def test_best_seeds_meet_last() -> None:
    assert bracket_order(1) == [0]
    assert bracket_order(8) == [0, 7, 3, 4, 1, 6, 2, 5]


@given(st.integers(1, 6))
def test_stages_pair_best_with_last_if_better_wins(stages: int) -> None:
    size = 1 << stages
    history, plan = History(), setup(size)
    for stage in range(stages):
        history = advance(plan, history)
        left = size >> stage
        assert pairs_of(history, stage + 1) == {frozenset((k, left - 1 - k)) for k in range(left // 2)}
    assert KNOCKOUT.next_rounds(plan, history).complete
    assert [line.number for line in KNOCKOUT.table(plan, history)][:2] == [0, 1]


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 21), st.booleans(), st.integers(0, 3), st.integers(0, 2**64 - 1))
def test_knockout_leaves_one_winner(count: int, third: bool, extra: int, seed: int) -> None:
    """Each pairing but that for the third place removes one entrant; the best seeds have the byes."""
    plan = setup(count, third_place=int(third), extra_groups=extra, seed=seed)
    history = play_out(KNOCKOUT, plan, truth(count, seed))[-1]
    check_rows(history.rows)
    stages = (count - 1).bit_length()
    lines = KNOCKOUT.table(plan, history)
    assert [line.rank for line in lines[:2]] == [1, 2]
    assert [dict(line.values)["stages-won"] for line in lines[:2]] == [stages, stages - 1]
    every = {frozenset(pair) for _, pair in pairings(history.rows)}
    assert len(every) == count - 1 + (third and count >= 4)
    resting = set(range(count)) - {number for pair in pairs_of(history, 1) for number in pair}
    assert resting == set(range((1 << stages) - count))  # of a bracket that is not full
    if third and count >= 4:
        assert [line.rank for line in lines[:4]] == [1, 2, 3, 4]


def test_tied_pairing_plays_extra_groups_then_better_seed_advances() -> None:
    plan = setup(4, repeats=3, extra_groups=2)
    history = advance(plan, History(), drawn=True)
    assert len(history.rows) == 2 * 6
    for round_ in (2, 3):
        history = advance(plan, history, drawn=True)
        assert pairs_of(history, round_) == pairs_of(history, 1)
        assert len([row for row in history.rows if row.round == round_]) == 2 * 2  # one mirrored group each
    history = advance(plan, history)
    assert pairs_of(history, 4) == {frozenset({0, 1})}


def test_only_tied_pairings_play_extra_groups() -> None:
    plan = setup(4)
    history = advance(plan, History())
    upset = tuple(better(r.row, drawn=frozenset(r.entrants) == frozenset({1, 2})) for r in history.results)
    history = History(history.rows, upset)
    history = advance(plan, history)
    assert pairs_of(history, 2) == {frozenset({1, 2})}
    history = advance(plan, history)
    assert pairs_of(history, 3) == {frozenset({0, 1})}


def test_knockout_can_seed_by_rating() -> None:
    plan = setup(4, seeding="rating")
    participants = tuple(
        replace(player, rating=rating)
        for player, rating in zip(plan.participants, (5, None, 9, 7), strict=True)
    )
    history = advance(replace(plan, participants=participants), History())
    assert pairs_of(history, 1) == {frozenset({2, 1}), frozenset({3, 0})}


def test_semi_final_losers_play_for_third_place() -> None:
    plan = setup(4, third_place=1)
    history = advance(plan, advance(plan, History()))
    assert pairs_of(history, 2) == {frozenset({0, 1}), frozenset({2, 3})}
    lines = KNOCKOUT.table(plan, history)
    assert [(line.rank, line.number) for line in lines] == [(1, 0), (2, 1), (3, 2), (4, 3)]
    shared = KNOCKOUT.table(setup(4), advance(setup(4), advance(setup(4), History())))
    assert [line.rank for line in shared] == [1, 2, 3, 3]


def test_withdrawn_entrant_loses_without_a_match() -> None:
    plan = setup(4)
    history = advance(plan, History())
    gone = replace(plan.participants[0], left=2)
    left = replace(plan, participants=(gone, *plan.participants[1:]))
    drawn = KNOCKOUT.next_rounds(left, history)
    assert (drawn.rows, drawn.complete) == ((), True)
    assert KNOCKOUT.table(left, history)[0].number == 1


def test_third_failed_start_loses_the_next_stage() -> None:
    plan = setup(4, repeats=2)
    history = advance(plan, History())
    broken = tuple(
        r.row.result(r.ranks, tuple("startup" if n == 0 else None for n in r.entrants))
        for r in history.results
    )
    drawn = KNOCKOUT.next_rounds(plan, History(history.rows, broken))
    assert (drawn.rows, drawn.complete) == ((), True)


@pytest.mark.parametrize(
    ("count", "seats", "sentence"),
    [(1, 2, "at least 2 entrants, not 1"), (8, 4, "for two seats per table, not 4")],
)
def test_impossible_tournament_is_refused(count: int, seats: int, sentence: str) -> None:
    with pytest.raises(TournamentError, match=sentence):
        KNOCKOUT.check(setup(count, seats))


def test_too_many_matches_are_refused() -> None:
    with pytest.raises(TournamentError, match="a knockout of 200 entrants would have 2,400,000 matches"):
        KNOCKOUT.check(setup(200, repeats=6000))


@pytest.mark.parametrize(
    ("drawn", "left", "groups", "how"),
    [(False, None, 2, "score"), (True, None, 2, "seed"), (True, None, 0, "seed"), (False, 1, 2, "walkover")],
)
def test_tie_says_how_it_was_decided(drawn: bool, left: int | None, groups: int, how: str) -> None:
    two = (Participant(0, "a0"), Participant(1, "a1", left=left))
    made = replace(setup(2, extra_groups=groups), participants=two)
    history = History()
    while KNOCKOUT.next_rounds(made, history).rows:
        history = advance(made, history, drawn=drawn)
    (tie,) = KNOCKOUT.bracket(made, history).ties
    rounds = {"walkover": 0, "seed": 1 + groups, "score": 1}[how]
    assert (tie.winner, tie.how, len(tie.rounds)) == (0, how, rounds)
