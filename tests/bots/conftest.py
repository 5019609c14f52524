"""Fixtures for tests of bots: a store, and folders of bots."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.support.folders import write_bot
from tourney.bots.catalogue.store import BotStore

MakeBot = Callable[..., Path]


@pytest.fixture
def store(tmp_path: Path) -> BotStore:
    return BotStore(tmp_path / "store")


@pytest.fixture
def make_bot(tmp_path: Path) -> MakeBot:
    """Return a function that writes a bot's folder, as ``write_bot``."""
    return partial(write_bot, tmp_path / "src")


def inside(store: BotStore) -> set[str]:
    """Return the contents of a store, without its log and lock."""
    return {str(path.relative_to(store.root)) for path in store.root.rglob("*")} - {"added", "lock"}
