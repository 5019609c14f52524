"""Hostile names: displayed names stay on their line, file names in their folder."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.world import HOSTILE
from tourney.report import text

ANYTHING = st.text(st.characters(exclude_categories=()), max_size=200)


@given(ANYTHING)
def test_displayed_names_are_printable_and_short(name: str) -> None:
    shown = text.display(name)
    assert shown.isprintable()
    assert 0 < len(shown) <= text.LONGEST
    assert shown == text.display(shown)


@pytest.mark.parametrize("mark", ["\u202e", "\u2067", "\u200f", "\u2066", "\n", "\x1b", "\x00", "\ud800"])
def test_invisible_characters_become_replacement_characters(mark: str) -> None:
    assert text.display(f"a{mark}b") == "a\ufffdb"


def test_letters_of_all_scripts_stay() -> None:
    for name in ("שלום", "日本語", "Ünïcode", "नमस्ते"):
        assert text.display(name) == name


def test_piles_of_combining_marks_are_cut() -> None:
    shown = text.display("a" + "\u0336" * 50 + "b")
    assert shown == "a\u0336\u0336b"


@given(st.lists(ANYTHING, min_size=1, max_size=20))
def test_slugs_are_safe_and_unique(given_names: list[str]) -> None:
    slugs = [text.slug(number, name) for number, name in enumerate(given_names)]
    assert len(set(slugs)) == len(slugs)
    for slug in slugs:
        assert re.fullmatch(r"\d{2,}-[a-z0-9]+(-[a-z0-9]+)*", slug)
        assert len(slug) <= 40


@given(ANYTHING)
def test_folder_names_cannot_leave_the_folder(name: str) -> None:
    folder = text.folder(name)
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*", folder)


@given(ANYTHING)
def test_isolated_names_have_no_direction_marks_of_their_own(name: str) -> None:
    shown = text.isolated(text.display(name))
    inner = shown.removeprefix("\u2068").removesuffix("\u2069")
    assert not any(unicodedata.category(c) == "Cf" for c in inner)


def test_lines_can_be_long_or_empty() -> None:
    assert text.line("x" * 300) == "x" * 300
    assert text.line("  ") == ""


def test_hostile_sample_names_are_changed() -> None:
    changed = [name for name in HOSTILE if text.display(name) != name]
    assert len(changed) >= 3


def test_reasons_and_faults_in_words() -> None:
    assert text.words("last-stone") == "last stone"
    assert text.words("") == "unknown"
    assert text.fault("timeout") == "out of time"
    assert text.fault("new-kind") == "new kind"
