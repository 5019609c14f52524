"""Decisions by results: benching, too many faults, and the next round."""

from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.coordination import Play, RecordingListener, run
from tests.support.executors import FuturesExecutor, Immediate
from tests.support.tournaments import answer, begin, digests, in_order_of_play, played, refused
from tourney.errors import BotError, UsageError
from tourney.run.engine.bench_policy import BATCH, last_deciding
from tourney.run.engine.coordinator import Coordinator
from tourney.run.engine.readiness import unbench
from tourney.run.engine.run_control import RunControl
from tourney.run.summary import End, Summary
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.schedule.format import FORMATS, Format, History, Pairings, Setup, rows_of
from tourney.store.database import Database
from tourney.store.values import StoredEntrant


def never(stored: StoredEntrant) -> None:
    raise AssertionError(stored)


def never_starts(name: str) -> Play:
    """Return matches in which an entrant always fails at start-up."""

    def play(task: MatchTask) -> WorkerReply:
        for seat, entrant in enumerate(task.spec.seats, 1):
            if entrant.name == name:
                ranks = (2, 1) if seat == 1 else (1, 2)
                return WorkerReply(task.number, played(task.spec, ranks, ((seat, "startup", 0),)))
        return answer(task)

    return play


@pytest.mark.parametrize(("make", "workers"), [(Immediate, 1), (lambda: ThreadPoolExecutor(4), 4)])
def test_bot_that_never_starts_is_benched(
    repository: Database, make: Callable[[], Executor], workers: int
) -> None:
    """The same with one worker and with four."""
    tournament = begin(repository, 4, games=8)
    heard = RecordingListener()
    summary = run(repository, never_starts("b"), make=make, workers=workers, listener=heard)
    order = in_order_of_play(repository, tournament.id)
    of_b = sorted(
        (m for m in repository.matches.all(tournament.id) if 1 in m.seats),
        key=lambda m: order.index(m.number),
    )
    lost = [m.number for m in of_b if m.result is not None and not m.result.void]
    void = [m.number for m in of_b if m.result is not None and m.result.void]
    third = order.index(lost[2]) + 1
    assert void == [m.number for m in of_b if last_deciding(order.index(m.number) + 1) >= third]
    assert (len(lost), len(void)) == (7, 17)
    assert (summary.end, summary.progress.done, summary.progress.void) == (End.FINISHED, 48, 17)
    assert repository.totals.benched(tournament.id) == ((1, 17),)
    message, warning = sorted(heard.messages, key=lambda text: "did not start" in text)
    assert warning.startswith("b did not start in match ")
    assert message.startswith("b is benched: it failed at start-up 3 times (matches ")
    assert f"matches from {void[0]} on, in the order of play, are void" in message
    assert "--unbench b" in message
    notes = {m.result.note for m in of_b if m.result is not None and m.result.void}
    assert notes == {"benched: b failed at start-up 3 times"}


def test_unbench_replays_void_matches_and_failed_starts(repository: Database, tmp_path: Path) -> None:
    tournament = begin(repository, 4, games=8)
    run(repository, never_starts("b"))
    before = digests(repository, tournament.id)
    messages: list[str] = []
    for name, words in (("x", "no such entrant"), ("c", "not benched")):
        with refused(UsageError, f"--unbench {name}", words):
            unbench(repository, tournament, ["b", name], messages.append, never)
    unbench(repository, tournament, ["b"], messages.append, never)
    assert messages == [
        "b is no longer benched: 24 of its matches are replayed, including 7 lost at start-up"
    ]
    assert repository.totals.benched(tournament.id) == ()
    assert run(repository).progress.void == 0
    after = digests(repository, tournament.id)
    assert len(after) == 48
    assert all(
        after[n] == d for n, d in before.items() if 1 not in repository.matches.get(tournament.id, n).seats
    )
    with Database.open(str(tmp_path / "fresh.db"), create=True) as fresh:
        begin(fresh, 4, games=8)
        run(fresh)
        assert digests(fresh, 1) == after  # as if it had never failed


@pytest.mark.parametrize(("make", "workers"), [(Immediate, 1), (lambda: ThreadPoolExecutor(4), 4)])
def test_fault_limit_stops_at_same_match_with_any_workers(
    repository: Database, make: Callable[[], Executor], workers: int
) -> None:
    tournament = begin(repository, 5, games=6)
    executor = FuturesExecutor(make, never_starts("c"), workers)
    heard = RecordingListener()

    def stopped() -> Summary:
        coordinator = Coordinator(
            repository, tournament.id, executor, Path("/nowhere"), RunControl(heard, max_faults=4)
        )
        return coordinator.run()

    summary = stopped()
    assert summary.end is End.FAULTS
    order = in_order_of_play(repository, tournament.id)
    faulty = [order.index(number) + 1 for number, _, _ in repository.matches.faulty(tournament.id)]
    decided = next(k for k in range(BATCH, 61, BATCH) if sum(place <= k for place in faulty) >= 4)
    last = next(place for place in range(1, 61) if last_deciding(place) == decided) - 1
    assert sorted(digests(repository, tournament.id)) == sorted(order[:last])
    assert f"too many faults by match {order[decided - 1]}: stopping" in "\n".join(heard.messages)
    executor = FuturesExecutor(Immediate, never_starts("c"))
    assert (stopped().end, repository.schedules.progress(tournament.id).done) == (End.FAULTS, last)
    assert run(repository).end is End.FINISHED


class Ladder(Format):
    """A format in which the winner of the last known round meets the next entrant; it records its input."""

    name = "ladder"
    seen: list[tuple[int, int, int]]

    def check(self, setup: Setup) -> None:
        """Accept all."""

    def next_rounds(self, setup: Setup, history: History) -> Pairings:
        last = history.results[-1].key.round if history.results else 0
        self.seen.append((history.rounds, last, len(history.results)))
        champion = 0
        for result in history.results:
            if result.key.order == 1:
                champion = result.entrants[result.ranks.index(1)]
        round_ = history.rounds + 1
        rival = 1 + round_ % (len(setup.participants) - 1)
        pair = (champion, rival) if rival != champion else (champion, 0 if champion else 1)
        return Pairings(rows_of(setup, round_, 1, pair), complete=round_ == setup.rounds)


@pytest.mark.parametrize("lag", [0, 1, 2])
@pytest.mark.parametrize("make", [Immediate, lambda: ThreadPoolExecutor(3)])
def test_round_is_paired_from_whole_rounds_only(
    repository: Database, monkeypatch: pytest.MonkeyPatch, lag: int, make: Callable[[], Executor]
) -> None:
    format_ = Ladder()
    format_.seen = []
    monkeypatch.setattr(Ladder, "lag", lag)
    monkeypatch.setitem(FORMATS._loaded, "ladder", format_)
    tournament = begin(repository, 5, format_="ladder", rounds=6, games=4, pair=False)
    assert run(repository, make=make, workers=3).end is End.FINISHED
    # Six pairings, each from the results (4 a round) of all rounds up to the last one less the lag.
    assert format_.seen == [(paired, max(0, paired - lag), 4 * max(0, paired - lag)) for paired in range(6)]
    assert repository.schedules.progress(tournament.id) == (24, 24, 0, 6)
    assert repository.tournaments.get().complete


def test_paired_rounds_stay_when_a_run_continues(
    repository: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    format_ = Ladder()
    format_.seen = []
    monkeypatch.setitem(FORMATS._loaded, "ladder", format_)
    tournament = begin(repository, 5, format_="ladder", rounds=4, pair=False)

    def stops(task: MatchTask) -> WorkerReply:
        if task.number == 5:
            raise BotError("gone")
        return answer(task)

    with refused(BotError, "gone"):
        run(repository, stops)
    before = tuple(repository.schedules.rows(tournament.id))
    assert run(repository).end is End.FINISHED
    assert tuple(repository.schedules.rows(tournament.id))[: len(before)] == before
    assert [paired for paired, _, _ in format_.seen] == [0, 1, 2, 3]
