"""The games worth seeing: what a result, a record and an analysis show."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from tourney.match.analysis import Analysis
from tourney.results.highlights import (
    LEAST_JUDGED,
    Highlight,
    best_played,
    highlights_of_result,
    winner_of,
)
from tourney.store.values import Result


def result(ranks: tuple[int, ...] = (1, 2), actions: int = 30, **more: Any) -> Result:
    values = {
        "ranks": ranks,
        "actions": actions,
        "void": False,
        "reason": "mate",
        "faults": (None,) * len(ranks),
    }
    return cast("Result", SimpleNamespace(**(values | more)))


def shown(*arguments: Any) -> dict[str, Highlight]:
    return {highlight.kind: highlight for highlight in highlights_of_result(*arguments)}


def test_win_against_a_better_bot_is_an_upset_by_its_gap() -> None:
    found = shown(result((2, 1)), ("ann", "bob"), (120.0, -30.0))
    assert found["upset"].size == 150
    assert found["upset"].text == "bob beats ann, which was rated 150 Elo above it"
    assert "upset" not in shown(result(), ("ann", "bob"), (120.0, None)), "a rating is not known"


@pytest.mark.parametrize(
    ("match", "kinds"),
    [
        (result(), {"longest", "shortest", "upset"}),
        (result((1, 1)), {"longest"}),
        (result(faults=(None, "crash")), {"upset"}),
        (result(reason="resign"), {"longest", "upset"}),
        (result(void=True), set()),
    ],
)
def test_shortest_win_is_played_to_its_end(match: Result, kinds: set[str]) -> None:
    assert set(shown(match, ("ann", "bob"), (0.0, 10.0))) == kinds


@pytest.mark.parametrize(
    ("ranks", "actions", "words"),
    [
        ((2, 1), 30, "bob wins after 30 actions"),
        ((1, 1), 1, "a draw after 1 action"),
        ((1, 1, 3), 30, "shared after 30 actions"),
    ],
)
def test_longest_game_says_how_it_ended(ranks: tuple[int, ...], actions: int, words: str) -> None:
    highlights = shown(result(ranks, actions), ("ann", "bob", "cid"), (None,) * len(ranks))
    assert highlights["longest"].text == words


def test_best_played_game_is_judged_by_its_less_accurate_seat() -> None:
    accuracies = {1: 97.0, 2: 91.5}
    analysis = cast("Analysis", SimpleNamespace(accuracy=accuracies.get))
    (highlight,) = best_played(analysis, result())
    assert (highlight.size, highlight.text) == (91.5, "accuracy 97.0 % and 91.5 %")
    assert not list(best_played(analysis, result(actions=LEAST_JUDGED - 1)))
    assert not list(best_played(cast("Analysis", SimpleNamespace(accuracy={1: 97.0}.get)), result()))


def test_shared_first_place_has_no_winner() -> None:
    assert [winner_of(ranks) for ranks in ((1, 2, 3), (2, 1, 2), (1, 1, 3))] == [0, 1, None]
