"""What a person types is an action, a word, or is asked for again with one sentence."""

import pytest

from tourney.play.commands import NAMES, Command, TypedAction, Unclear, help_lines, parse_typed

TAFL = ["d2-d3", "d2-d4", "e2-e3", "pass"]
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
