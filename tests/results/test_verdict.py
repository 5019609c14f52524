"""The sentence on who won: the score, what decided, and how sure it is."""

from fractions import Fraction
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tourney.ratings.batch import Batch, BatchPair, BatchRating
from tourney.results.standings import Ranking, Standing
from tourney.results.verdict import verdict_text
from tourney.schedule.format import find_format
from tourney.schedule.knockout import Tie

NAMES = {0: "ann", 1: "bob", 2: "cid"}


def line(rank: int, number: int, points: str, games: int = 12, **more: Any) -> Standing:
    return Standing(rank, number, NAMES[number], games, Fraction(points), 0, 0, 0, (), **more)


def batch(best: tuple[float, ...] = (0.9, 0.1, 0.0), **more: Any) -> Batch:
    """Ratings in which the first bot is 150 to 290 Elo ahead of the second; ``more`` replaces parts."""
    ratings = tuple(
        BatchRating(n + 1, 1, 3, n, 100.0 - n, 0.0, 200.0, 12, 0.5, chance) for n, chance in enumerate(best)
    )
    pairs = (BatchPair(0, 1, 0.99, 6, 5.0, 4.0, 1.0, 0.5, 220.0, 150.0, 290.0),)
    pool = SimpleNamespace(matches=18, steps=(((0, 1, 2),),))
    values = {"ratings": ratings, "pairs": pairs, "pool": pool, "cycles": None} | more
    rated = SimpleNamespace(**values)
    rated.prior_decides = lambda a, b: Batch.prior_decides(cast("Batch", rated), a, b)
    return cast("Batch", rated)


def verdict(*lines: Standing, format_: str = "round-robin", rated: Batch | None = None, **how: Any) -> str:
    ranking = Ranking.new(find_format(format_), 2)
    return verdict_text(lines, ranking, rated or batch(), NAMES, **({"ended": True} | how))


def test_winner_has_score_likelihood_and_distance() -> None:
    lines = (line(1, 0, "23/2"), line(2, 1, "5"), line(3, 2, "1"))
    assert (
        verdict(*lines)
        == "ann won with 11.5 of 12; 90 % likely the strongest; ahead of bob by 150 to 290 Elo."
    )
    assert verdict(*lines, ended=False).startswith("ann leads with 11.5 of 12;")


def test_tie_break_that_decided_is_named_with_both_values() -> None:
    breaks = ("direct-encounter", "wins", "sonneborn-berger")
    first, second = (
        line(rank, rank - 1, "9", tie_breaks=tuple(zip(breaks, map(Fraction, values), strict=True)))
        for rank, values in ((1, (2, 3, 40)), (2, (2, 3, 37)))
    )
    said = verdict(first, second, line(3, 2, "0"))
    assert said.startswith("ann won with 9 of 12, before bob by Sonneborn-Berger (40 to 37);")


def test_shared_place_names_all_and_the_strongest() -> None:
    said = verdict(line(1, 0, "9"), line(1, 1, "9"), line(3, 2, "0"))
    assert said == "ann and bob share first place with 9 of 12; most likely the strongest: ann (90 %)."


def test_winner_that_is_not_likely_the_strongest() -> None:
    lines = (line(1, 0, "9"), line(2, 1, "8"), line(3, 2, "0"))
    assert "; most likely the strongest: bob (70 %); " in verdict(*lines, rated=batch((0.3, 0.7, 0.0)))
    assert "; more than 99 % likely the strongest; " in verdict(*lines, rated=batch((1.0, 0.0, 0.0)))


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        ((0, 1, 20.0, -30.0, 70.0), "not surely ahead of bob (-30 to 70 Elo)"),
        ((1, 0, 20.0, -30.0, 70.0), "not surely ahead of bob (-70 to 30 Elo)"),
    ],
)
def test_distance_that_may_be_none_is_not_stated_as_a_lead(
    pair: tuple[int, int, float, float, float], words: str
) -> None:
    a, b, elo, low, high = pair
    pairs = (BatchPair(a, b, 0.6, 6, 3.0, 3.0, 0.0, 0.0, elo, low, high),)
    said = verdict(line(1, 0, "9"), line(2, 1, "8"), rated=batch(pairs=pairs))
    assert said.endswith(f"; {words}.")


def test_distance_that_the_prior_decides_is_not_stated() -> None:
    pool = SimpleNamespace(matches=18, steps=(((0,), (1, 2)),))
    said = verdict(line(1, 0, "12"), line(2, 1, "8"), rated=batch(pool=pool))
    assert said.endswith("; too few games to say how far ahead of bob.")


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("score", "ann won the final against bob;"),
        ("extra", "ann won the final against bob after further games;"),
        ("seed", "ann won the final against bob, tied, as the better seed;"),
        ("walkover", "ann won the final against bob without a match;"),
    ],
)
def test_bracket_names_the_final_and_how_it_was_decided(how: Any, words: str) -> None:
    final = Tie(2, 0, 0, 1, winner=0, how=how)
    lines = (line(1, 0, "4", tie_breaks=(("stages-won", Fraction(2)),)), line(2, 1, "3"))
    assert verdict(*lines, format_="knockout", ties=(final,)).startswith(words)


FIRST_ROUND = (Tie(1, 0, 0, None, winner=0, how="bye"), Tie(1, 1, 1, 2))
FINAL = (FIRST_ROUND[0], Tie(1, 1, 1, 2, winner=1, how="score"), Tie(2, 0, 0, 1))
THIRD_OPEN = (*FINAL[:2], Tie(2, 0, 0, 1, winner=0, how="score"), Tie(2, 1, 2, 3, third=True))
EIGHT = tuple(Tie(1, slot, slot, 4 + slot, winner=slot or None) for slot in range(4))


@pytest.mark.parametrize(
    ("ties", "words"),
    [
        ((*FIRST_ROUND, Tie(2, 0, 0, None)), "All 3 bots are still in: ann, bob and cid; most likely"),
        (FINAL, "ann and bob play the final; most likely the strongest: ann (90 %)."),
        (THIRD_OPEN, "ann won the final against bob; the tie for third place is still open; most likely"),
        ((*EIGHT, Tie(2, 0, None, 1), Tie(2, 1, 2, 3), Tie(3, 0, None, None)), "5 of 8 bots are still in;"),
    ],
)
def test_unfinished_bracket_names_those_still_in(ties: tuple[Tie, ...], words: str) -> None:
    lines = tuple(line(1, number, "0") for number in NAMES)
    assert verdict(*lines, format_="knockout", ties=ties, ended=False).startswith(words)


def test_bracket_leaves_out_chances_that_say_little() -> None:
    lines = tuple(line(1, number, "0") for number in NAMES)
    text = verdict(*lines, format_="knockout", ties=FINAL, ended=False, rated=batch((0.4, 0.3, 0.3)))
    assert text == "ann and bob play the final."


RATED: dict[str, Any] = {"tie_breaks": (("rating", Fraction(-81, 2)), ("sigma", Fraction(25)))}


@pytest.mark.parametrize("ended", [True, False])
@pytest.mark.parametrize(
    ("format_", "points", "subjects", "words"),
    [
        ("gauntlet", ("9", "4", "2"), (0,), "ann scored 9 of 12 (75.0 %) against 2 opponents{}; 90 % likely"),
        (
            "gauntlet",
            ("9", "4", "2"),
            (0, 1),
            "ann is the better of 2 challengers{}, with 9 of 12 (75.0 %) against cid; 90 % likely",
        ),
        ("gauntlet", ("9", "9", "2"), (0, 1), "ann and bob are level{}, each with 75.0 % against cid; most"),
        (
            "round-robin",
            ("9", "3"),
            (0,),
            "ann scored 9 of 12 (75.0 %) against bob{}; ahead of bob by 150 to",
        ),
        ("round-robin", ("9", "3"), (1,), "bob scored 3 of 12 (25.0 %) against ann{}; behind ann by 150 to"),
        (
            "adaptive",
            ("9", "3"),
            (0,),
            "ann is rated -40 Elo after 12 games against bob{} (standard deviation 25).",
        ),
    ],
)
def test_bots_that_others_measure_neither_lead_nor_win(
    format_: str, points: tuple[str, ...], subjects: tuple[int, ...], words: str, *, ended: bool
) -> None:
    lines = [
        line(n + 1, n, score, **(RATED if format_ == "adaptive" else {})) for n, score in enumerate(points)
    ]
    text = verdict(*lines, format_=format_, subjects=subjects, ended=ended)
    assert text.startswith(words.format("" if ended else " so far"))


def test_leaders_with_different_games_share_points_alone() -> None:
    lines = (line(1, 0, "3", games=3), line(1, 1, "3", games=4))
    assert verdict(*lines, ended=False).startswith("ann and bob share the lead with 3 points;")
    assert verdict(line(1, 0, "1", games=1), line(1, 1, "1", games=2)).startswith(
        "ann and bob share first place with 1 point;"
    )


def test_rating_that_ranks_is_in_elo() -> None:
    assert verdict(
        line(1, 0, "9", **RATED), line(2, 1, "3", tie_breaks=(("rating", Fraction(-50)),)), format_="adaptive"
    ).startswith("ann won with a rating of -40 Elo; 90 % likely the strongest;")


def test_nothing_is_said_before_the_first_match_or_of_a_circle() -> None:
    lines = (line(1, 0, "0", games=0), line(1, 1, "0", games=0))
    assert verdict(*lines, rated=batch(pool=SimpleNamespace(matches=0, steps=()))) == ""
    circle = verdict(line(1, 0, "9"), line(2, 1, "8"), rated=batch(cycles=object()))
    assert "strongest" not in circle


@pytest.mark.parametrize(("stages", "words"), [("1", "1 stage won"), ("2", "2 stages won")])
def test_stages_are_counted_in_words(stages: str, words: str) -> None:
    won = (("stages-won", Fraction(stages)),)
    said = verdict(line(1, 0, "2", tie_breaks=won), line(1, 1, "2", tie_breaks=won), format_="knockout")
    assert said.startswith(f"ann and bob share first place with {words};")
