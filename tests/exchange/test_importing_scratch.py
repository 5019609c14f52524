"""What reading a long file remembers in a temporary file."""

import hashlib
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.support.tournaments import refused
from tourney.errors import EnvironmentFailure
from tourney.exchange.importing import Scratch


def digest_of(number: int) -> str:
    return hashlib.sha256(b"%d" % number).hexdigest()


@given(st.lists(st.integers(0, 9)))
def test_first_place_of_a_digest_is_kept(numbers: list[int]) -> None:
    first: dict[int, str] = {}
    with Scratch() as scratch:
        for line, number in enumerate(numbers):
            expected = first.setdefault(number, f"line {line}")
            assert scratch.first_place(digest_of(number), f"line {line}") == expected


@given(st.lists(st.sampled_from("abc")))
def test_lines_are_piled_by_key_in_order(keys: list[str]) -> None:
    number, count = {key: k for k, key in enumerate(dict.fromkeys(keys), 1)}, Counter[str]()
    expected = []
    with Scratch() as scratch:
        for line, key in enumerate(keys):
            scratch.put_line(key, f"{line},0", digest_of(line))
            count[key] += 1
            expected.append((number[key], count[key], f"{line},0", line))
        piled = sorted(expected)
        assert list(scratch.piled()) == [one[:3] for one in piled]
        assert list(scratch.lines()) == [(piled.index(one) + 1, digest_of(one[3])) for one in expected]


def test_full_disk_is_named() -> None:
    with Scratch() as scratch:
        scratch._tables.execute("PRAGMA max_page_count = 20")
        with refused(EnvironmentFailure, "a temporary file cannot be written (database or disk is full)"):
            for _ in range(100):
                scratch.put_text("line", bytes(4096))


def test_texts_are_found_by_place() -> None:
    with Scratch() as scratch:
        labels = ["a line 1", "\N{SNOWMAN} line 2", "\udcff line 3"]
        assert [scratch.put_text(label, label[-1].encode()) for label in labels] == [1, 2, 3]
        assert [scratch.text(k) for k in range(3)] == [(label, label[-1].encode()) for label in labels]
        assert {scratch.first_place(digest_of(1), label) for label in reversed(labels)} == {labels[2]}
