"""The words of files: dates, ends of games, players, and sentences about problems."""

import tracemalloc

import pytest

from tourney.exchange.foreign_game import (
    Problems,
    UnratedError,
    check_players,
    date_of,
    ending_of,
    is_forfeit,
    ranks_of,
)


@pytest.mark.parametrize(
    ("text", "date"),
    [("2026.11.20", "2026-11-20"), ("2026-11-20T10:00", "2026-11-20"), ("2026.??.??", ""), ("", "")],
)
def test_date_is_known_to_the_day_or_unknown(text: str, date: str) -> None:
    assert date_of(text) == date


@pytest.mark.parametrize(
    ("words", "ranks", "ending"),
    [
        ("Time forfeit", (1, 2), ("time-forfeit", (None, "timeout"))),
        ("abandoned", (2, 1), ("abandoned", ("crash", None))),
        ("time forfeit", (1, 1), ("time-forfeit", ())),
        ("illegal", (1, 2, 2), ("illegal", ())),
        ("", (1, 2), ("result", ())),
    ],
)
def test_fault_is_that_of_the_only_loser(
    words: str, ranks: tuple[int, ...], ending: tuple[str, tuple[str | None, ...]]
) -> None:
    assert ending_of(words, ranks) == ending


@pytest.mark.parametrize(
    ("players", "kind"), [(("a", "?"), "player"), (("a", "a"), "twice"), (("a", "b" * 201), "name")]
)
def test_impossible_players_are_refused(players: tuple[str, ...], kind: str) -> None:
    check_players(("a", "b"))
    with pytest.raises(UnratedError) as caught:
        check_players(players)
    assert caught.value.kind == kind


def test_sentence_has_the_number_and_some_places() -> None:
    problems = Problems()
    for line in range(1, 6):
        problems.add("no-result", "cup.pgn", line)
    problems.add("unfinished", "cup.pgn", 9)
    assert [sentence for _, sentence in problems.sentences_by_kind(most=2)] == [
        "unfinished games (result *): 1 (cup.pgn line 9)",
        "games without a result: 5 (cup.pgn line 1, cup.pgn line 2 and 3 more)",
    ]
    assert problems.damaged == 5


def test_long_texts_of_a_hostile_file_are_not_kept() -> None:
    tracemalloc.start()
    for number in range(100):
        text = f"{number} {'x' * 100_000}"
        assert date_of(text) == ""
        assert ending_of(text, (1, 2))[1] == ()
        assert not is_forfeit(text)
        assert ranks_of(text) is None
        with pytest.raises(UnratedError):
            check_players((text, "b"))
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size < 1 << 20
