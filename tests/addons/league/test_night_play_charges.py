"""What an account is charged in a night: wall-clock time or processor time, whichever is larger."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.addons.league.leagues import NOW, new_league, put, reopened
from tests.support.executors import FuturesExecutor, Immediate
from tests.support.genuine import play
from tourney.addons.league.admission import take_in
from tourney.addons.league.folder import League
from tourney.addons.league.ledger import Author
from tourney.addons.league.night_play import NightPlan
from tourney.addons.league.nights import run_night
from tourney.match.result import Measurements, PlayedMatch, SeatMeasurements
from tourney.run.engine.readiness import Pinning
from tourney.run.workers.executor import MatchExecutor, MatchTask, WorkerReply

pytestmark = pytest.mark.usefixtures("admitted")
QUICK = SeatMeasurements(0, 20, cpu_ms=0)


def quota(league: League, seconds: int, seats: str = "[2]") -> League:
    path = league.folder / "league.toml"
    text = path.read_text().replace("seconds-per-night = 1800", f"seconds-per-night = {seconds}")
    path.write_text(text.replace("seats = [2]", f"seats = {seats}"))
    return reopened(league)


def night(
    league: League, seats_of: Mapping[str, SeatMeasurements], matches: int = 48, number: int = 0
) -> tuple[Counter[str], list[str]]:
    """Run a night whose matches cost authors this much; the matches of each author, and what was said."""
    played: Counter[str] = Counter()

    def reply(task: MatchTask) -> WorkerReply:
        authors = [seat.name.partition(".")[0] for seat in task.spec.seats]
        played.update(authors)
        seats = tuple(seats_of.get(author, QUICK) for author in authors)
        record = play(task.spec).record
        return WorkerReply(task.number, PlayedMatch(record, (), Measurements(wall_ms=1, seats=seats)))

    def make() -> MatchExecutor:
        return FuturesExecutor(Immediate, reply)

    said: list[str] = []
    run_night(reopened(league), NightPlan(None, matches, Pinning(), make), NOW, said.append)
    return played, said


@pytest.mark.parametrize(
    "cost",
    [
        SeatMeasurements(4_000, 20, cpu_ms=1),
        SeatMeasurements(1, 20, cpu_ms=1, start_ms=4_000),
        SeatMeasurements(1, 20, cpu_ms=4_000),
        SeatMeasurements(4_000, 20),
    ],
    ids=["sleeps", "sleeps at its start", "computes", "not measured"],
)
def test_author_is_charged_the_larger_of_wall_and_processor_time(
    tmp_path: Path, cost: SeatMeasurements
) -> None:
    league = quota(new_league(tmp_path), 5)
    for author in ("eve", "zoe"):
        put(league, author, "drifter")
    played, _ = night(league, {"eve": cost})
    assert 0 < played["eve"] <= 4, "the first slice, before it is known"
    assert played["zoe"] > 20


def test_seconds_are_of_a_night_and_not_of_a_table_size(tmp_path: Path) -> None:
    league = quota(new_league(tmp_path), 40, "[2, 3]")
    for author in ("eve", "zoe"):
        put(league, author, "drifter")
    played, said = night(league, {"eve": SeatMeasurements(4_000, 20)}, matches=24)
    assert 4_000 * played["eve"] <= 40_000
    assert "eve does not play in night-0001-3: a pairing is longer than the time it has left" in said


def test_authors_of_one_account_share_its_seconds(tmp_path: Path) -> None:
    """Two authors whom an earlier version took for different ones."""
    league = quota(new_league(tmp_path), 40)
    cost = {name: SeatMeasurements(4_000, 20) for name in ("eve1", "eve2")}
    for author in ("eve1", "eve2", "zoe"):
        put(league, author, "drifter")
    take_in(league, 1, NOW, lambda _: None)
    for name in cost:
        league.ledger.add(Author(name, league.ledger.opened.since, "2009"))
    assert {league.payer(name) for name in cost} == {"@2009"}
    played, _ = night(league, cost, matches=96)
    assert 0 < 4_000 * (played["eve1"] + played["eve2"]) <= 2 * 40_000, "what was drawn is played"
    assert played["zoe"] > 40


def test_first_slice_is_short_when_a_version_is_new(tmp_path: Path) -> None:
    """A bot may be quick in its trials and in earlier versions, and slow from then on."""
    league = quota(new_league(tmp_path), 5)
    for author in ("eve", "zoe"):
        put(league, author, "drifter")
    night(league, {})
    put(league, "eve", "drifter", "slow from now on")
    played, _ = night(league, {"eve": SeatMeasurements(4_000, 20)})
    assert 0 < played["eve"] <= 4
