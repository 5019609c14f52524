"""Texts and numbers in sentences for people."""

import pytest

from tourney.texts import counted, legible, printable


@pytest.mark.parametrize(
    ("number", "nouns", "shown"),
    [
        (1, ("fault",), "1 fault"),
        (0, ("fault",), "0 faults"),
        (2, ("match",), "2 matches"),
        (1, ("entry", "entries"), "1 entry"),
        (12_345, ("entry", "entries"), "12,345 entries"),
    ],
)
def test_number_agrees_with_its_noun(number: int, nouns: tuple[str, ...], shown: str) -> None:
    assert counted(number, *nouns) == shown


def test_printable_text_shows_controls_as_escapes() -> None:
    assert printable("a\n\x1b[31m\u202eé") == "a\\n\\x1b[31m\\u202eé"


def test_legible_text_marks_each_control() -> None:
    assert legible("a\nb\u202ec") == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c"
    assert legible("a\nb", "?") == "a?b"
    assert legible("né") == "né"
