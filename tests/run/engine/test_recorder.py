"""The history that a run extends is at every look what the store gives."""

from functools import partial
from typing import Any

import pytest

from tests.support.coordination import run
from tests.support.executors import ShuffledExecutor
from tests.support.tournaments import begin, entrant, played
from tourney.ratings.counts import Clusters
from tourney.results.standings import setup_of
from tourney.run.engine import recorder
from tourney.run.engine.readiness import unbench
from tourney.run.engine.recorder import RunHistory
from tourney.run.summary import End
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.schedule.adaptive import Seatings, strengths_now
from tourney.schedule.format import History, Setup
from tourney.schedule.player_history import departures
from tourney.schedule.until_rule import Duels
from tourney.store.database import Database
from tourney.store.values import RunSettings, StoredEntrant


class KilledError(BaseException):
    """What ends a run in the middle."""


def play(task: MatchTask, failing: str = "", last: int = 1 << 30) -> WorkerReply:
    """Make up a match: by its seed one wins or neither; an entrant may fail to start.

    The run is killed after the match ``last``.
    """
    if task.number > last:
        raise KilledError
    for seat, one in enumerate(task.spec.seats, 1):
        if one.name == failing:
            ranks = (2, 1) if seat == 1 else (1, 2)
            return WorkerReply(task.number, played(task.spec, ranks, ((seat, "startup", 0),)))
    return WorkerReply(task.number, played(task.spec))


def content(setup: Setup, history: History) -> tuple[Any, ...]:
    """All that formats read of a history, and the sums that they keep in it."""
    strengths = strengths_now(setup, history)
    duels = history.sums(Duels, shared_dice=setup.shared_dice)
    return (
        history.rows,
        history.results,
        history.rounds,
        history.seen,
        history.waiting,
        departures(setup, history),
        strengths.mean.tolist(),
        strengths.covariance.tolist(),
        vars(duels),
        vars(history.sums(Seatings)),
        history.sums(Clusters, shared_dice=setup.shared_dice).found(),
    )


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of results at each look of a run, which is compared with a fresh count."""
    found: list[int] = []
    pair_next = recorder.pair_next

    def compared(repository: Database, tournament: int, history: RunHistory | None = None) -> Any:
        if history is not None:
            stored = repository.tournaments.by_id(tournament)
            kept, counted = history.ready(), RunHistory(repository, stored).ready()
            assert (kept is None) == (counted is None)
            if kept is not None and counted is not None:
                setup = setup_of(stored.plan, stored.seed, repository.tournaments.entrants(tournament))
                assert content(setup, kept) == content(setup, counted)
                found.append(len(kept.results))
        return pair_next(repository, tournament, history)

    monkeypatch.setattr(recorder, "pair_next", compared)
    return found


ADAPTIVE = (("batch", 3), ("budget", 120))
UNTIL = (("until-best", 9900), ("until-games", 100))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("format_", "extra", "games"),
    [
        ("adaptive", ADAPTIVE, 2),
        ("adaptive", (("batch", 4), *UNTIL), 4),
        ("round-robin", (("until-best", 9999),), 400),
    ],
)
def test_run_extends_what_the_store_gives(
    repository: Database,
    looks: list[int],
    format_: str,
    extra: tuple[tuple[str, int], ...],
    games: int,
) -> None:
    """Matches finish in any order, and some are void."""
    begin(repository, 5, format_=format_, extra=extra, games=games)
    executor = ShuffledExecutor(play, 4, (3, 1, 0, 2, 5))
    assert run(repository, executor=executor).end is End.FINISHED
    assert len(set(looks)) > 5


def test_killed_runs_go_on_with_what_is_stored(repository: Database, looks: list[int]) -> None:
    begin(repository, 5, format_="adaptive", extra=ADAPTIVE)
    for last in (7, 20, 21, 60):
        with pytest.raises(KilledError):
            run(repository, partial(play, last=last))
    assert run(repository, play).end is End.FINISHED
    assert sorted(looks) == looks
    assert len(set(looks)) > 5


def test_benched_and_unbenched_entrants_count_alike(repository: Database, looks: list[int]) -> None:
    tournament = begin(repository, 6, format_="adaptive", extra=(("batch", 4), ("budget", 80)))
    with pytest.raises(KilledError):
        run(repository, partial(play, failing="b", last=40))
    assert looks
    unbench(repository, tournament, ["b"], lambda _text: None, lambda _stored: None)
    looks.clear()
    assert run(repository, play).end is End.FINISHED
    assert looks


def test_withdrawn_and_late_entrants_count_alike(repository: Database, looks: list[int]) -> None:
    tournament = begin(repository, 6, format_="adaptive", extra=ADAPTIVE)

    with pytest.raises(KilledError):
        run(repository, partial(play, last=30))
    rounds = repository.schedules.progress(tournament.id).rounds
    repository.tournaments.amend(
        tournament.id,
        plan=tournament.plan,
        run=RunSettings(withdrawn=("c",)),
        entrants=[StoredEntrant(6, entrant("g"), joined=rounds + 1)],
        left={2: rounds + 1},
    )
    assert run(repository, play).end is End.FINISHED
    assert len(set(looks)) > 5
