"""Scores in the info lines of bots."""

import pytest

from tourney.match.result import LogLine
from tourney.report.match_page import reported_scores


def info(*texts: str, ply: int = 4, seat: int = 1) -> list[LogLine]:
    return [LogLine(ply, seat, "info", text) for text in texts]


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("score=0.31 depth=7", 0.31),
        ("depth=7 score=-12", -12.0),
        ("score=+.5", 0.5),
        ("score=1e3", 1000.0),
        ("depth=1\tscore=2.", 2.0),
    ],
)
def test_scores_are_parsed(text: str, score: float) -> None:
    assert reported_scores(info(text)) == {1: ((5.0, score),)}


@pytest.mark.parametrize(
    "text",
    [
        "score=",
        "score=nan",
        "score=inf",
        "score=1e999",
        "score=1e13",
        "highscore=3",
        "score=0x10",
        "score=1,5",
        "",
    ],
)
def test_malformed_scores_are_ignored(text: str) -> None:
    assert reported_scores(info(text)) == {}


def test_last_score_for_an_action_counts() -> None:
    log = [*info("score=1", "score=2", "depth=9"), *info("score=3", ply=0), *info("score=9", seat=2)]
    assert reported_scores(log) == {1: ((1.0, 3.0), (5.0, 2.0)), 2: ((5.0, 9.0),)}


def test_only_info_lines_have_scores() -> None:
    assert reported_scores([LogLine(1, 1, "stderr", "score=1"), LogLine(1, 0, "note", "score=2")]) == {}
