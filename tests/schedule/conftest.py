"""What the tests of formats share."""

from collections.abc import Iterator

import pytest

from tourney.schedule import balanced_design


@pytest.fixture(scope="module")
def quick_designs() -> Iterator[None]:
    """Let the search for balanced tables end early, for tests that ask nothing of the balance."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(balanced_design, "MOVES", 2000)
        yield
