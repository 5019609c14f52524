"""A night of a league, of which system calls fail: ``tests.support.fault_scenarios`` lists it."""

from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from tests.addons.league import leagues
from tests.support.fault_scenarios import Scenario, spared
from tourney.addons.league import admission
from tourney.addons.league import site as league_site
from tourney.addons.league.folder import League
from tourney.addons.league.intake import arrivals
from tourney.addons.league.receipts import Diagnosis
from tourney.check.database import check_database
from tourney.store.database import Database

NIGHT: Final = 4
"""The matches of each night."""


def _league(folder: Path) -> None:
    league = leagues.new_league(folder)
    for author in ("ann", "bob"):
        leagues.put(league, author, "one")


def _nights() -> dict[str, Any]:
    """What each night of the league must be, however many there were, and what lies about."""
    folder = Path("stones")
    league = League.open(folder)
    with Database.open(league.database) as database:
        ended = sorted({(cup.complete, bool(cup.root)) for cup in database.tournaments.all()})
        matches = sum(len(list(database.matches.digests(cup.id))) for cup in database.tournaments.all())
    nights = [*league.ledger.nights.values()]
    return {
        "problems": list(check_database(league.database)),
        "nights": sorted({(one.closed is not None, one.announced, one.matches) for one in nights}),
        "tournaments": ended,
        "matches": matches - NIGHT * len(nights),
        "versions": sorted(one.label for one in league.ledger.versions),
        "waiting": [
            f"{one.author}/{one.source}" for one in arrivals(league, datetime.now(UTC) + timedelta(days=1))
        ],
        "receipts": sorted(str(one.relative_to(league.outbox)) for one in league.outbox.glob("*/0*/*.txt")),
        "litter": sorted(str(one) for one in folder.rglob(".*") if not spared(one)),
        "site": (league.site / "index.html").stat().st_size > 0,
    }


SCENARIOS: Final = {
    "league-night": Scenario(
        ("league", "night", "--matches", str(NIGHT), "--workers", "1", "--quiet", "--league", "stones"),
        _league,
        state=_nights,
    ),
}


def get_ready() -> None:
    """Import the command, and neither try bots nor write reports, which have tests of their own."""
    import_module("tourney.addons.league.commands.night")
    setattr(league_site, "write_reports", lambda _: None)  # noqa: B010 - a function is replaced
    setattr(admission, "diagnosis_of", lambda *_: Diagnosis(trials=("ok",)))  # noqa: B010 - likewise
