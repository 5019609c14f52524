"""The games worth seeing on the first page: what their boards are drawn of."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from tests.report import world
from tests.support.tournaments import begin, played
from tourney.match.record import Outcome
from tourney.report.output.layout import Options
from tourney.report.pages.highlights import chosen_games, up_to
from tourney.report.site import renderer
from tourney.report.source import load
from tourney.results.highlights import TITLES
from tourney.run.engine.recorder import spec_of
from tourney.store.database import Database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database.open(str(tmp_path / "t.db"), create=True) as opened:
        yield opened


@pytest.mark.parametrize(
    ("ply", "actions", "faults", "resigned"),
    [(None, 2, ((1, "crash", 1),), ((2, 2),)), (1, 1, ((1, "crash", 1),), ()), (0, 0, (), ())],
)
def test_position_before_a_fault_or_resignation_can_be_drawn(
    database: Database,
    ply: int | None,
    actions: int,
    faults: tuple[tuple[int, str, int], ...],
    resigned: tuple[tuple[int, int], ...],
) -> None:
    """A record does not hold a withdrawal after its last action."""
    tournament = begin(database)
    [(_, row), *_] = database.schedules.rows(tournament.id)
    record = played(spec_of(tournament, database.tournaments.entrants(tournament.id), row)).record
    outcome = Outcome((1, 2), "points", ((1, "crash", 1),), ((2, 2),))
    short = up_to(structs.replace(record, outcome=outcome), ply)
    assert len(short.actions) == actions
    assert (short.outcome.faults, short.outcome.resigned) == (faults, resigned)


def test_only_the_longest_game_of_all_is_called_the_longest(database: Database) -> None:
    tournament = world.play_out(database, world.begin(database, ("ann", "bob", "cid", "dan"), options=()))
    source = load(database, tournament)
    games = {game.title: game for game in chosen_games(renderer(source, Options())).games}
    lengths = [match.result.actions for match in source.matches if not any(match.result.faults)]
    assert games["Longest game"].text.endswith(f" after {max(lengths)} actions")
    assert list(games) == sorted(games, key=list(TITLES.values()).index)
