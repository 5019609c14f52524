"""The seam between bots that are modules and the add-on that runs them."""

from unittest.mock import patch

import pytest

from tourney import plugins
from tourney.bots.modules import find_runtime, surplus
from tourney.errors import UsageError


def test_missing_runtime_is_named() -> None:
    with (
        patch.object(plugins, "shipped", dict),
        pytest.raises(UsageError, match="need the add-on fuel, which is not installed"),
    ):
        find_runtime()


def test_latest_kept_things_stay_beside_the_wanted_ones() -> None:
    kept = [("a", 1), ("b", 2), ("a", 3), ("c", 4)]
    assert surplus(kept, ["a"], 1) == [("b", 2), ("a", 1)]
    assert surplus(kept, ["a", "a"], 0) == [("c", 4), ("b", 2)]
