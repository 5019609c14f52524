"""Hostile names: displayed names stay on their line, file names in their folder."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.world import HOSTILE
from tourney.report import display

ANYTHING = st.text(st.characters(exclude_categories=()), max_size=200)


@given(ANYTHING)
def test_displayed_names_are_printable_and_short(name: str) -> None:
    shown = display.label(name)
    assert shown.isprintable()
    assert 0 < len(shown) <= display.LONGEST
    assert shown == display.label(shown)


@pytest.mark.parametrize("mark", ["\u202e", "\u2067", "\u200f", "\u2066", "\n", "\x1b", "\x00", "\ud800"])
def test_invisible_characters_become_replacement_characters(mark: str) -> None:
    assert display.label(f"a{mark}b") == "a\ufffdb"


def test_letters_of_all_scripts_stay() -> None:
    for name in ("שלום", "日本語", "Ünïcode", "नमस्ते"):
        assert display.label(name) == name


def test_piles_of_combining_marks_are_cut() -> None:
    shown = display.label("a" + "\u0336" * 50 + "b")
    assert shown == "a\u0336\u0336b"


@given(st.lists(ANYTHING, min_size=1, max_size=20))
def test_slugs_are_safe_and_unique(given_names: list[str]) -> None:
    slugs = [display.slug(number, name) for number, name in enumerate(given_names)]
    assert len(set(slugs)) == len(slugs)
    for slug in slugs:
        assert re.fullmatch(r"\d{2,}-[a-z0-9]+(-[a-z0-9]+)*", slug)
        assert len(slug) <= 40


@given(ANYTHING)
def test_folder_names_cannot_leave_the_folder(name: str) -> None:
    folder = display.folder(name)
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*", folder)


@given(ANYTHING)
def test_isolated_names_have_no_direction_marks_of_their_own(name: str) -> None:
    shown = display.isolated(display.label(name))
    inner = shown.removeprefix("\u2068").removesuffix("\u2069")
    assert not any(unicodedata.category(c) == "Cf" for c in inner)


def test_lines_can_be_long_or_empty() -> None:
    assert display.line("x" * 300) == "x" * 300
    assert display.line("  ") == ""


def test_hostile_sample_names_are_changed() -> None:
    changed = [name for name in HOSTILE if display.label(name) != name]
    assert len(changed) >= 3


def test_reasons_and_faults_in_words() -> None:
    assert display.reason("last-stone") == "last stone"
    assert display.reason("") == "unknown"
    assert display.fault("timeout") == "out of time"
    assert display.fault("new-kind") == "new kind"


@pytest.mark.parametrize(
    ("ms", "words"), [(600_000, "10 min"), (90_000, "90 s"), (1000, "1 s"), (1500, "1500 ms"), (50, "50 ms")]
)
def test_limits_of_time_have_their_largest_whole_unit(ms: float, words: str) -> None:
    assert display.time_limit(ms) == words
