import gc
from collections.abc import Iterator
from weakref import ref

import pytest

from tourney.garbage import NEW, collect_seldom


@pytest.fixture(autouse=True)
def _collector_as_before() -> Iterator[None]:
    threshold = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*threshold)


class Knot:
    """An object that holds itself, so that only a search frees it."""

    def __init__(self) -> None:
        self.own = self


def test_search_frees_what_was_made_later_and_leaves_what_was_before() -> None:
    before = ref(knot := Knot())
    gc.disable()
    collect_seldom()
    del knot
    later = ref(Knot())
    assert gc.isenabled()
    gc.collect()
    assert before() is not None
    assert later() is None


def test_searches_are_as_far_apart_as_stated() -> None:
    collect_seldom()
    assert gc.get_threshold()[0] == NEW
