"""Lists of legal actions fit on a screen, however many there are, and every action can be got at."""

from hypothesis import given
from hypothesis import strategies as st

from tourney.play.commands import FEW, MOST, columns, listing, summary

SQUARES = sorted(f"{a}{b}-{c}{d}" for a in "abcdefgh" for b in "123" for c in "abcdefgh" for d in "12")


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
