"""Fixtures for tests of formats."""

from collections.abc import Iterator

import pytest

from tourney.schedule import balanced_design


@pytest.fixture(scope="module")
def quick_designs() -> Iterator[None]:
    """End the search for balanced tables early, for tests that do not check the balance."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(balanced_design, "MOVES", 2000)
        yield
