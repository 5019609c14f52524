"""Tests of ``tourney bots`` run in a folder of their own."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def isolated_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("TOURNEY_DB", "TOURNEY_BOTS"):
        monkeypatch.delenv(name, raising=False)
