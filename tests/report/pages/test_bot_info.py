"""What bots print as info: numbers and texts by action, within bounds."""

from typing import Any

import pytest

from tourney.match.result import LogLine
from tourney.report.pages.bot_info import MOST_KEYS, MOST_TEXT, MOST_TEXTS, read_info
from tourney.report.replays import codes


def info(*texts: str, ply: int = 4, seat: int = 1) -> list[LogLine]:
    return [LogLine(ply, seat, "info", text) for text in texts]


def values(*texts: str) -> dict[str, object]:
    """Return what the info of one action holds."""
    seats = read_info(info(*texts)).seats
    return {key: column[0] for key, column in seats[1].columns.items()} if seats else {}


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
    assert read_info(info(text)).seats[1].numbers("score") == ((5, score),)


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
        "score=\u0663",
        "",
    ],
)
def test_malformed_scores_are_no_numbers(text: str) -> None:
    seats = read_info(info(text)).seats
    assert not seats or seats[1].numbers("score") == ()


def test_last_value_for_an_action_counts() -> None:
    log = [*info("score=1", "score=2", "depth=9"), *info("score=3", ply=0), *info("score=9", seat=2)]
    seats = read_info(log).seats
    assert {seat: found.numbers("score") for seat, found in seats.items()} == {
        1: ((1, 3), (5, 2)),
        2: ((5, 9),),
    }
    assert seats[1].as_json() == {
        "at": codes.steps([1, 5]),
        "of": {"score": {"0": codes.steps([3, 2])}, "depth": {"0": codes.steps([None, 9])}},
    }


def test_columns_of_numbers_are_exact() -> None:
    def column(*values: str) -> object:
        log = [LogLine(ply, 1, "info", f"x={value}") for ply, value in enumerate(values)]
        of: Any = read_info(log).seats[1].as_json()["of"]
        return of["x"]

    assert column("0.1", "-0.25", "3") == {"2": codes.steps([10, -25, 300])}
    assert column("999999999999", "0.001") == {"3": codes.steps([999999999999000, 1])}
    assert column("999999999999", "0.123456789") == [999999999999, 0.123456789]
    assert column("1e-7", "1") == [1e-7, 1]
    assert column("one", "1") == ["one", 1] or column("one", "1") == [None, 1]


def test_regular_plies_and_equal_values_are_short() -> None:
    log = [line for ply in range(1, 41, 2) for line in info(f"depth=1 nodes={ply}", ply=ply)]
    nodes = {"0": codes.steps(range(1, 41, 2))}
    assert read_info(log).seats[1].as_json() == {"every": [2, 2, 20], "of": {"depth": 1, "nodes": nodes}}


def test_only_info_lines_are_read() -> None:
    log = [LogLine(1, 1, "stderr", "score=1"), LogLine(1, 0, "note", "score=2")]
    assert read_info(log).seats == {}


def test_pv_takes_the_words_after_it() -> None:
    assert values("score=1 pv=a1-a2 b3-b4 c5 depth=3 time=2.5 late") == {
        "score": 1,
        "depth": 3,
        "time": 2.5,
        "pv": "a1-a2 b3-b4 c5",
        "": "late",
    }
    assert values("thinking hard  about it") == {"": "thinking hard about it"}
    assert values("opening=book a") == {"opening": "book", "": "a"}


def test_hostile_info_is_bounded_and_visible() -> None:
    found = values(f"pv=\u202e<b>x</b> {'y' * 5000} k{'e' * 30}=1 {'=' * 9} <script>=2")
    assert set(found) == {"pv"}
    shown = str(found["pv"])
    assert shown.startswith("\N{REPLACEMENT CHARACTER}<b>x</b> yyy")
    assert len(shown) <= MOST_TEXT
    many = values(" ".join(f"k{n}={n}" for n in range(100)))
    assert many == {f"k{n}": n for n in range(MOST_KEYS)}


def test_texts_of_a_match_are_bounded() -> None:
    log = [line for ply in range(400) for line in info(f"depth={ply} {'z' * 150}", ply=ply)]
    found = read_info(log)
    assert found.cut
    texts = [text for text in found.seats[1].columns[""] if text is not None]
    assert MOST_TEXTS - 200 < sum(map(len, map(str, texts))) <= MOST_TEXTS
    assert len(found.seats[1].numbers("depth")) == 400
    assert not read_info(log[:9]).cut
