"""Evidence: what it is of a record, as text, and beside other evidence."""

import pytest
from msgspec.structs import replace

from tests.match.test_evidence_luck import record_of
from tourney.match.evidence import NONE, Evidence, clusters_of, luck_of
from tourney.match.record import make_record
from tourney.match.spec import Opening


def test_evidence_follows_from_the_record_and_its_text_is_strict() -> None:
    record = record_of(5)
    found = Evidence.of(record)
    assert (found.line, found.luck, found.values) == ("", luck_of(record), 1)
    assert Evidence.read(found.text, 2) == found
    assert Evidence.read("", 2) == NONE
    for text in ("x", found.text[1:], found.text + ",1", found.text.replace(":", ";")):
        with pytest.raises(ValueError, match=r".+"):
            Evidence.read(text, 2)


def test_equal_plays_are_equal_whatever_the_seed() -> None:
    record = record_of(5)
    other = make_record(replace(record.spec, seed=6), record.rules, record.actions, record.outcome)
    assert Evidence.of(other) == Evidence.of(record)
    assert Evidence.of(record_of(6)).play != Evidence.of(record).play


def test_line_is_that_of_the_opening() -> None:
    record = record_of(5)
    lines = []
    for plies in (1, 2):
        spec = replace(record.spec, opening=Opening(plies=plies))
        lines.append(Evidence.of(make_record(spec, record.rules, record.actions, record.outcome)).line)
    assert len({*lines, ""}) == 3


def test_luck_by_other_values_is_not_compared() -> None:
    found = Evidence.of(record_of(5))
    assert found.fits(found)
    assert found.fits(found._replace(values=2, luck=(1, -1)))
    assert not found.fits(found._replace(luck=(1, -1)))
    assert not found.fits(found._replace(play="0" * 12, values=2))
    assert not found.fits(NONE)


def test_alike_groups_are_joined() -> None:
    assert clusters_of(5, [(0, 2), (2, 4), (1,)]) == [0, 1, 0, 3, 0]
