"""Bots of these tests are admitted without being started; reports of nights are written by few tests."""

import pytest

from tourney.addons.league import admission
from tourney.addons.league import site as league_site
from tourney.addons.league.receipts import Diagnosis


@pytest.fixture
def admitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every bot pass its check."""
    monkeypatch.setattr(admission, "diagnosis_of", lambda *_: Diagnosis(trials=("ok",)))


@pytest.fixture(autouse=True)
def _without_reports(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the reports of nights, which take most of a night in tests."""
    if request.module.__name__.rpartition(".")[2] != "test_site_games":
        monkeypatch.setattr(league_site, "write_reports", lambda _: None)
