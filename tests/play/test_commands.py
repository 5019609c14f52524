"""Typed lines are parsed as actions or commands, and legal actions are listed to fit a screen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.play.commands import (
    FEW,
    MOST,
    NAMES,
    Command,
    TypedAction,
    Unclear,
    columns,
    help_lines,
    listing,
    parse_typed,
    summary,
)

TAFL = ["d2-d3", "d2-d4", "e2-e3", "pass"]
SQUARES = sorted(f"{a}{b}-{c}{d}" for a in "abcdefgh" for b in "123" for c in "abcdefgh" for d in "12")
ELEMENT = ["A-e5", "E-e5", "F-e5", "end"]


@pytest.mark.parametrize(
    ("line", "legal", "action"),
    [
        ("d2-d4", TAFL, "d2-d4"),
        ("  d2-d4 ", TAFL, "d2-d4"),
        ("e", TAFL, "e2-e3"),
        ("p", TAFL, "pass"),
        ("2", TAFL, "d2-d4"),
        ("F", ELEMENT, "F-e5"),
        ("f", ELEMENT, "F-e5"),
        ("e", ELEMENT, "end"),
        ("E", ELEMENT, "E-e5"),
        ("1", ["1", "2", "12"], "1"),
        ("12", ["1", "2", "12"], "12"),
        ("3", ["1", "2", "12"], "12"),
        ("help", ["help", "wait"], "help"),
        ("quit", ["quitter", "quit"], "quit"),
    ],
)
def test_an_action_by_its_string_its_beginning_or_its_number(
    line: str, legal: list[str], action: str
) -> None:
    """The string itself comes first, whatever else it might be; letters' case counts if it can."""
    assert parse_typed(line, legal) == TypedAction(action)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("help", Command("help")),
        ("?", Command("help")),
        ("moves", Command("moves")),
        ("moves d2", Command("moves", "d2")),
        ("undo 3", Command("undo", "3")),
        (":quit", Command("quit")),
        (" resign ", Command("resign")),
    ],
)
def test_a_word_of_the_table(line: str, said: Command) -> None:
    assert parse_typed(line, TAFL) == said


def test_a_colon_makes_a_word_of_what_is_an_action_too() -> None:
    assert parse_typed("resign", ["resign", "stay"]) == TypedAction("resign")
    assert parse_typed(":resign", ["resign", "stay"]) == Command("resign")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("d2", "'d2' is the prefix of 2 legal actions: d2-d3 d2-d4"),
        ("x9", "'x9' is no legal action and no prefix of one; `moves` lists the 4 legal actions"),
        ("0", "there is no number 0: `moves` lists the 4"),
        ("5", "there is no number 5: `moves` lists the 4"),
        ("9" * 500, "there is no number 999999999: "),
        ("d2 d4", "'d2 d4' is more than one word"),
        ("quit now", "quit takes no argument; leave out 'now'"),
        ("undo two", "undo takes the number of decisions to take back, not 'two'"),
        ("undo 0", "undo takes the number"),
        ("undo \N{SUPERSCRIPT TWO}", "undo takes the number"),
        ("\x1b[2J", "'\\x1b[2J' is no legal action"),
        ("\N{ARABIC-INDIC DIGIT ONE}", "is no legal action"),
    ],
)
def test_what_is_neither_is_said_in_one_sentence(line: str, says: str) -> None:
    """It names what was typed, bounded and harmless, and what to do."""
    meant = parse_typed(line, TAFL)
    assert isinstance(meant, Unclear)
    assert says in meant.why
    assert meant.why.isprintable()
    assert len(meant.why) < 200


def test_an_empty_line_is_asked_again_without_a_word() -> None:
    assert parse_typed("  ", TAFL) == Unclear("")


def test_many_beginnings_are_not_all_named() -> None:
    meant = parse_typed("a", [f"a{k:03}" for k in range(300)])
    assert meant == Unclear(
        "'a' is the prefix of 300 legal actions: a000 a001 a002 a003 a004 a005 a006 a007 ..."
    )


def test_only_what_looks_or_goes_back_is_said_after_the_end() -> None:
    assert parse_typed("history", ()) == Command("history")
    assert parse_typed("undo", ()) == Command("undo")
    for line in ("moves", "resign"):
        meant = parse_typed(line, ())
        assert isinstance(meant, Unclear)
        assert meant.why.startswith("the game is over; type help, board, position, history, undo, quit")
    for line in ("d2-d4", "7"):
        meant = parse_typed(line, ())
        assert isinstance(meant, Unclear)
        assert "the game is over" in meant.why


def test_help_has_every_word() -> None:
    text = "\n".join(help_lines())
    assert all(f"  {name}" in text for name in NAMES)


def test_a_few_are_listed_with_their_numbers() -> None:
    assert listing(["end", "pass", "step-a1"], "", 80) == ["1 end       2 pass      3 step-a1"]
    assert summary(["end", "pass", "step-a1"], 80) == listing(["end", "pass", "step-a1"], "", 80)


def test_numbers_are_those_among_all() -> None:
    """So that what a filtered list shows can be typed."""
    assert listing(["a1", "a2", *(f"b{k}" for k in range(9))], "b", 20) == [
        " 3 b0    4 b1",
        " 5 b2    6 b3",
        " 7 b4    8 b5",
        " 9 b6   10 b7",
        "11 b8",
    ]


def test_more_than_a_few_are_counted_unasked() -> None:
    legal = [f"put-{k:02}" for k in range(FEW + 1)]
    assert summary(legal, 80) == [
        "13 legal actions; `moves` lists them, `moves put-1` those that begin with put-1"
    ]


def test_many_are_listed_by_their_beginnings() -> None:
    """As long as they can be, with what all of a lot share; one alone is whole, with its number."""
    lines = listing([*SQUARES, "pass"], "", 80)
    assert lines[0] == "385 actions, by prefix; `moves PREFIX` lists those of one:"
    assert lines[1].startswith("a1-..  16            a2-..  16 ")
    assert lines[-1].endswith("pass  (number 385)")
    assert len(lines) < 12
    nested = listing(["a", *(f"a{letter}" for letter in map(chr, range(33, 127)))], "a", 80)
    assert nested[1].split()[:6] == ["a", "(number", "1)", "a!", "(number", "2)"]


def test_a_prefix_that_begins_nothing_is_said() -> None:
    assert listing(["a1", "b1"], "c", 80) == ["no legal action begins with 'c'"]


def test_what_is_too_long_for_two_columns_has_one() -> None:
    assert columns(["a" * 50, "b"], 40) == ["a" * 50, "b"]
    assert columns([], 40) == []


@given(st.sets(st.text("abc-x", min_size=1, max_size=9), min_size=1, max_size=400))
def test_every_action_can_be_reached_by_prefixes(actions: set[str]) -> None:
    """Whatever is not listed yet is counted in a lot whose beginning lists it, sooner or later."""
    legal = sorted(actions)
    left, seen = [""], set[str]()
    while left:
        prefix = left.pop()
        lines = listing(legal, prefix, 10**6)
        assert len(lines) <= 2
        if lines[0].startswith(tuple("0123456789 ")) and " actions, by prefix" not in lines[0]:
            seen.update(word for word in lines[0].split() if not word.isdigit())
            continue
        for text in lines[1].split("   "):
            beginning, lots, _ = text.strip().partition("..  ")
            if lots:
                assert len(beginning) > len(prefix)
                left.append(beginning)
            else:
                seen.add(beginning.split("  ")[0])
    assert seen == actions


def test_a_screen_holds_any_list() -> None:
    assert len(listing(SQUARES[:MOST], "", 80)) <= MOST // 4
