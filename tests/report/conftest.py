"""A report with hostile data, written once for many tests."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.report import world
from tests.support.sites import site
from tourney.report.output.layout import Options
from tourney.report.output.write import write
from tourney.report.source import ReportSource, load
from tourney.store.database import Database


@dataclass(frozen=True)
class Report:
    """A report in a folder, and its source."""

    folder: Path
    source: ReportSource


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Database]:
    with Database.open(str(tmp_path / "tourney.db"), create=True) as opened:
        yield opened


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Report]:
    """A report on a two-seat tournament with hostile names, faults and a void match."""
    base = tmp_path_factory.mktemp("report")
    with Database.open(str(world.fill(base / "tourney.db"))) as repository:
        source = load(repository, repository.tournaments.get())
        write(site(source, Options()), base / "out")
        yield Report(base / "out", source)
