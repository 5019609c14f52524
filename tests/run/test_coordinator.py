import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest

from tests.pools import BackwardsPool, Immediate
from tests.tournaments import answer, begin, digests, played, refused
from tourney.errors import BotError, StoreError, StoreUnavailable, UsageError, WorkerError
from tourney.match.played import Played
from tourney.run.coordinator import Coordinator
from tourney.run.ending import End, Summary
from tourney.run.pool import ExecutorPool, Pool
from tourney.run.progress import Listener, Tick
from tourney.run.recover import take_in, unbench
from tourney.run.spool import Spool, read_spool
from tourney.run.task import Answer, MatchTask
from tourney.run.timetable import Timetable
from tourney.run.umpire import BATCH, decided_by
from tourney.schedule.format import Drawn, Format, History, Setup, rows_of
from tourney.schedule.registry import FORMATS
from tourney.store.bulletin import Playing
from tourney.store.repository import Repository

Play = Callable[[MatchTask], Answer]


class Ears(Listener):
    """Keeps what it hears."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.ticks: list[Tick] = []

    def say(self, text: str) -> None:
        self.said.append(text)

    def tick(self, tick: Tick) -> None:
        self.ticks.append(tick)


def run(
    repository: Repository,
    play: Play = answer,
    *,
    make: Callable[[], Executor] = Immediate,
    workers: int = 1,
    listener: Listener | None = None,
    timetable: Timetable | None = None,
    clock: Callable[[], float] | None = None,
    pool: Pool | None = None,
) -> Summary:
    pool = pool or ExecutorPool(make, play, workers)
    more: dict[str, Any] = {} if clock is None else {"clock": clock}
    coordinator = Coordinator(
        repository,
        repository.tournament().id,
        pool,
        Path("/nowhere"),
        listener=listener,
        timetable=timetable,
        **more,
    )
    return coordinator.run()


def test_all_rows_are_handed_out_once_in_schedule_order(repository: Repository) -> None:
    tournament = begin(repository, 5)
    seen: list[MatchTask] = []

    def play(task: MatchTask) -> Answer:
        seen.append(task)
        return answer(task)

    ears = Ears()
    summary = run(repository, play, listener=ears)
    assert [task.number for task in seen] == list(range(1, 21))
    assert {task.bots for task in seen} == {"/nowhere"}
    assert summary.end is End.FINISHED
    assert (summary.tick.rows, summary.tick.done, summary.tick.played) == (20, 20, 20)
    assert [tick.done for tick in ears.ticks] == sorted(tick.done for tick in ears.ticks)
    assert ears.ticks[-1].done == 20
    assert len(digests(repository, tournament.id)) == 20


@pytest.mark.parametrize("seats", [2, 3])
def test_the_order_of_completion_and_the_number_of_workers_change_nothing(tmp_path: Path, seats: int) -> None:
    backwards = BackwardsPool(answer)
    threads = ExecutorPool(lambda: ThreadPoolExecutor(4), answer, 4)
    seen = []
    for k, pool in enumerate((ExecutorPool(Immediate, answer), backwards, threads)):
        with Repository.open(str(tmp_path / f"{k}.db"), create=True) as repository:
            tournament = begin(repository, 4, seats=seats, games=6)
            run(repository, pool=pool)
            seen.append((digests(repository, tournament.id), repository.standings(tournament.id)))
    assert backwards.most == 4
    assert len(seen[0][0]) == {2: 36, 3: 24}[seats]
    assert seen[0] == seen[1] == seen[2]


def test_a_run_goes_on_with_the_rows_that_have_no_result(repository: Repository) -> None:
    tournament = begin(repository, 4)
    counts: Counter[int] = Counter()

    def dies_at_seven(task: MatchTask) -> Answer:
        counts[task.number] += 1
        if task.number == 7 and counts[7] == 1:
            raise BotError("somebody removed the bot from the store")
        return answer(task)

    with refused(BotError, "somebody removed the bot"):
        run(repository, dies_at_seven)
    assert sorted(digests(repository, tournament.id)) == [1, 2, 3, 4, 5, 6, 8]  # 8 was out already
    assert run(repository, dies_at_seven).end is End.FINISHED
    assert sorted(digests(repository, tournament.id)) == list(range(1, 13))
    assert counts == Counter({number: 1 + (number == 7) for number in range(1, 13)})
    assert run(repository, lambda _task: pytest.fail("nothing is left to play")).tick.played == 0


def test_a_failure_of_the_machine_is_nobodys_loss_and_the_match_is_played_again(
    repository: Repository,
) -> None:
    tournament = begin(repository, 3)
    failures = Counter({2: 2, 5: 1})

    def play(task: MatchTask) -> Answer:
        if failures[task.number]:
            failures[task.number] -= 1
            return Answer(task.number, failure="the sandbox does not start")
        return answer(task)

    ears = Ears()
    assert run(repository, play, listener=ears).tick.void == 0
    assert len(digests(repository, tournament.id)) == 6
    assert ears.said == []


def test_after_the_third_failure_a_match_is_void_and_named(repository: Repository) -> None:
    tournament = begin(repository, 3)
    tries: Counter[int] = Counter()

    def play(task: MatchTask) -> Answer:
        tries[task.number] += 1
        if task.number == 4:
            raise OSError("no room for a process")
        return answer(task)

    ears = Ears()
    summary = run(repository, play, listener=ears)
    assert (summary.end, summary.tick.done, summary.tick.void) == (End.FINISHED, 6, 1)
    assert tries == Counter({1: 1, 2: 1, 3: 1, 4: 3, 5: 1, 6: 1})
    result = repository.match(tournament.id, 4).result
    assert result is not None
    assert result.void
    assert result.note == "the machine failed 3 times: OSError: no room for a process"
    assert ears.said == [f"match 4 ({named(repository, 4)}) is void: {result.note}"]


def named(repository: Repository, number: int) -> str:
    tournament = repository.tournament().id
    names = [entrant.name for entrant in repository.entrants(tournament)]
    return " v ".join(names[seat] for seat in repository.match(tournament, number).seats)


@pytest.mark.parametrize("count", [2, 9])
def test_where_nothing_can_be_played_the_run_stops_and_nothing_is_void(
    repository: Repository, count: int
) -> None:
    tournament = begin(repository, count)
    with refused(WorkerError, "no bubblewrap", "run again"):
        run(repository, lambda task: Answer(task.number, failure="no bubblewrap"))
    assert repository.progress(tournament.id).done == 0


class Fragile:
    """A pool in which the matches of some numbers kill the worker, and with it all that are out."""

    workers = 2

    def __init__(self, killers: set[int]) -> None:
        self.killers = killers
        self.out: list[tuple[MatchTask, Future[Answer]]] = []
        self.broken = False
        self.replaced = 0
        self.tries: Counter[int] = Counter()

    @property
    def ahead(self) -> int:
        return 2 * self.workers

    def hand_over(self) -> None:
        """Hold nothing back."""

    def submit(self, task: MatchTask) -> "Future[Answer]":
        if self.broken:
            raise BrokenProcessPool("broken")
        self.tries[task.number] += 1
        future: Future[Answer] = Future()
        future.set_running_or_notify_cancel()
        self.out.append((task, future))
        if task.number in self.killers:
            self.broken = True
            for _, lost in self.out:
                if not lost.done():
                    lost.set_exception(BrokenProcessPool("a worker died"))
        elif len(self.out) >= 3 or not self.killers:
            oldest, future_of_oldest = next((t, f) for t, f in self.out if not f.done())
            future_of_oldest.set_result(answer(oldest))
        return future

    def replace(self) -> None:
        self.broken = False
        self.replaced += 1
        self.out.clear()

    def settle(self) -> None:
        for task, future in self.out:
            if not future.done():
                future.set_result(answer(task))

    def running(self) -> tuple[Playing, ...]:
        return ()

    def drain(self) -> None:
        self.settle()

    def close(self) -> None:
        self.settle()

    def stop(self) -> None:
        self.settle()


class Settling(Fragile):
    """As fragile, but answers at once whoever is no killer and alone."""

    def submit(self, task: MatchTask) -> "Future[Answer]":
        future = super().submit(task)
        if not self.broken and (self.replaced or len(self.out) == self.workers * 2):
            self.settle()
        return future


def test_a_worker_that_dies_costs_only_the_match_that_kills_it(repository: Repository) -> None:
    tournament = begin(repository, 4)
    pool = Settling({3})
    ears = Ears()
    summary = Coordinator(repository, tournament.id, pool, Path("/nowhere"), listener=ears).run()
    assert summary.end is End.FINISHED
    assert (summary.tick.done, summary.tick.void) == (12, 1)
    assert pool.replaced == 3
    assert pool.tries[3] == 3
    assert max(count for number, count in pool.tries.items() if number != 3) <= 2
    voids = [m.number for m in repository.matches(tournament.id) if m.result is not None and m.result.void]
    assert voids == [3]
    assert ears.said == [
        f"match 3 ({named(repository, 3)}) is void: the machine failed 3 times: a worker process died"
    ]


@pytest.fixture
def handlers() -> Iterator[None]:
    """The signals' handlers must be as before when a run is over."""
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    yield
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_finishes_what_is_played_and_begins_no_more(
    repository: Repository, number: signal.Signals
) -> None:
    tournament = begin(repository, 4)

    def play(task: MatchTask) -> Answer:
        if task.number == 5:
            os.kill(os.getpid(), number)
        return answer(task)

    ears = Ears()
    summary = run(repository, play, listener=ears)
    assert (summary.end, summary.signal) == (End.DRAINED, number)
    done = sorted(digests(repository, tournament.id))
    assert done == list(range(1, len(done) + 1))
    assert 5 <= len(done) < 12
    assert ears.said[0].startswith("stopping: matches that are being played are finished first")
    assert run(repository).tick.done == 12


@pytest.mark.usefixtures("handlers")
def test_the_second_signal_stops_at_once_and_what_was_played_is_stored(repository: Repository) -> None:
    tournament = begin(repository, 4)

    def play(task: MatchTask) -> Answer:
        if task.number == 3:
            os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGINT)
        return answer(task)

    summary = run(repository, play)
    assert summary.end is End.STOPPED
    done = sorted(digests(repository, tournament.id))
    assert done == list(range(1, len(done) + 1))
    assert len(done) < 12
    assert run(repository).tick.done == 12


class OneByOne(ExecutorPool):
    """Plays one match at a time of those handed out, as a worker does: none after its time, or a drain."""

    def __init__(self, seconds: Callable[[int], float], workers: int = 2) -> None:
        super().__init__(Immediate, answer, workers)
        self.now = 0.0
        self.begun: list[float] = []
        self._seconds = seconds
        self._held: list[tuple[MatchTask, Future[Answer]]] = []

    def clock(self) -> float:
        return self.now

    def submit(self, task: MatchTask) -> "Future[Answer]":
        future: Future[Answer] = Future()
        future.set_running_or_notify_cancel()
        self._held.append((task, future))
        return future

    def hand_over(self) -> None:
        if self._held:
            task, future = self._held.pop(0)
            if self._draining or (task.begin_by is not None and self.now > task.begin_by):
                future.set_result(Answer(task.number))
                return
            self.begun.append(self.now)
            self.now += self._seconds(task.number)
            made = played(task.spec)
            measured = {"wall-ms": int(1000 * self._seconds(task.number))}
            future.set_result(Answer(task.number, Played(made.record, made.log, measured)))


@pytest.mark.parametrize(
    ("seconds", "until", "begun"),
    [
        # As long as each other: the fifth would end at 50.
        (lambda _number: 10.0, 45.0, [0.0, 10.0, 20.0, 30.0]),
        # The third is long; the others were handed out when none was known to be, and are not begun after it.
        (lambda number: 30.0 if number == 3 else 1.0, 45.0, [0.0, 1.0, 2.0]),
        # All are played just in time.
        (lambda _number: 10.0, 120.5, [10.0 * k for k in range(12)]),
    ],
)
def test_nothing_is_begun_that_would_not_end_in_time(
    repository: Repository, seconds: Callable[[int], float], until: float, begun: list[float]
) -> None:
    tournament = begin(repository, 4)
    pool = OneByOne(seconds)
    ears = Ears()
    summary = run(repository, pool=pool, listener=ears, timetable=Timetable(until), clock=pool.clock)
    assert pool.begun == begun
    assert pool.now <= until
    assert sorted(digests(repository, tournament.id)) == list(range(1, 1 + len(begun)))
    finished = len(begun) == 12
    assert summary.end is (End.FINISHED if finished else End.TIME)
    assert ears.said == ([] if finished else ["the time is up: no further match is begun"])
    assert run(repository).tick.done == 12


def test_a_match_longer_than_all_before_is_finished_though_the_time_is_up(repository: Repository) -> None:
    tournament = begin(repository, 4)
    pool = OneByOne(lambda number: 100.0 if number == 3 else 1.0)
    summary = run(repository, pool=pool, timetable=Timetable(45.0), clock=pool.clock)
    assert (summary.end, pool.now) == (End.TIME, 102.0)
    assert sorted(digests(repository, tournament.id)) == [1, 2, 3]


def test_what_cannot_be_stored_stops_the_run_with_the_stores_words(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(repository, 3)

    def full(*_args: object) -> None:
        raise StoreError("the database t.db failed: database or disk is full; free some space")

    with monkeypatch.context() as patch:
        patch.setattr(Repository, "record_results", full)
        with refused(StoreError, "disk is full"):
            run(repository)
    assert run(repository).tick.done == 6


class Failing:
    """Lets some writes fail: the next ``times`` of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, method: str, times: int) -> None:
        self.times = times
        real = getattr(Repository, method)

        def write(*args: Any, **kwargs: Any) -> Any:
            if self.times:
                self.times -= 1
                raise StoreUnavailable("the database t.db failed: database or disk is full")
            return real(*args, **kwargs)

        monkeypatch.setattr(Repository, method, write)


def patient(repository: Repository, **more: Any) -> Coordinator:
    """Return a coordinator that bears an hour of failure and tries again at once."""
    pool = ExecutorPool(Immediate, more.pop("play", answer), 2)
    return Coordinator(
        repository, repository.tournament().id, pool, Path("/nowhere"), patience=3600.0, pauses=(0.0,), **more
    )


def test_a_full_disk_pauses_the_run_which_then_goes_on_and_loses_nothing(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tournament = begin(repository, 4)
    spool = Spool(tmp_path / "cup.spool", tournament)
    failing = Failing(monkeypatch, "record_results", 3)
    ears = Ears()
    summary = patient(repository, listener=ears, spool=spool).run()
    assert failing.times == 0
    assert (summary.end, summary.tick.done, summary.pauses) == (End.FINISHED, 12, 1)
    assert len(digests(repository, tournament.id)) == 12
    paused, on = ears.said
    assert paused.startswith("paused: the database t.db failed: database or disk is full; ")
    assert f"in {spool.path}" in paused
    assert on.startswith("going on: the database can be written again after ")
    assert not spool.dirty


def test_a_round_that_cannot_be_stored_pauses_the_run_too(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = begin(repository, 4, draw=False)
    failing = Failing(monkeypatch, "add_rows", 2)
    ears = Ears()
    assert patient(repository, listener=ears).run().end is End.FINISHED
    assert failing.times == 0
    assert [text.split(":")[0] for text in ears.said] == ["paused", "going on"]
    assert repository.progress(tournament.id)[:2] == (12, 12)


def test_when_patience_ends_what_was_played_is_in_the_spool_and_is_not_played_again(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tournament = begin(repository, 4)
    spool = Spool(tmp_path / "cup.spool", tournament)
    counts: Counter[int] = Counter()

    def play(task: MatchTask) -> Answer:
        counts[task.number] += 1
        return answer(task)

    with monkeypatch.context() as patch:
        Failing(patch, "record_results", 10_000)
        now = iter(range(0, 10**9, 1000))
        coordinator = patient(repository, play=play, spool=spool, clock=lambda: float(next(now)))
        with refused(StoreUnavailable, "disk is full", str(spool.path), "taken in at the next start"):
            coordinator.run()
    spool.close()
    assert repository.progress(tournament.id).done == 0
    assert counts
    assert take_in(repository, tournament, spool.path, print) == len(counts)
    assert patient(repository, play=play).run().tick.done == 12
    assert counts == Counter(dict.fromkeys(range(1, 13), 1))


def test_a_signal_ends_a_pause_and_the_error_says_where_the_results_are(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tournament = begin(repository, 3)
    spool = Spool(tmp_path / "cup.spool", tournament)

    class Impatient(Ears):
        def say(self, text: str) -> None:
            super().say(text)
            if text.startswith("paused"):
                os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patch:
        Failing(patch, "record_results", 10_000)
        with refused(StoreUnavailable, str(spool.path)):
            patient(repository, listener=Impatient(), spool=spool).run()
    left = read_spool(spool.path, tournament)
    assert left is not None
    assert left.finished


def never_starts(name: str) -> Play:
    """Play so that an entrant fails at start-up whenever it is asked."""

    def play(task: MatchTask) -> Answer:
        for seat, entrant in enumerate(task.spec.seats, 1):
            if entrant.name == name:
                ranks = (2, 1) if seat == 1 else (1, 2)
                return Answer(task.number, played(task.spec, ranks, ((seat, "startup", 0),)))
        return answer(task)

    return play


@pytest.mark.parametrize(("make", "workers"), [(Immediate, 1), (lambda: ThreadPoolExecutor(4), 4)])
def test_a_bot_that_never_starts_is_benched_and_the_rest_of_its_matches_is_void(
    repository: Repository, make: Callable[[], Executor], workers: int
) -> None:
    """The same with one worker and with four."""
    tournament = begin(repository, 4, games=8)
    ears = Ears()
    summary = run(repository, never_starts("b"), make=make, workers=workers, listener=ears)
    of_b = [m for m in repository.matches(tournament.id) if 1 in m.seats]
    lost = [m.number for m in of_b if m.result is not None and not m.result.void]
    void = [m.number for m in of_b if m.result is not None and m.result.void]
    assert void == [m.number for m in of_b if decided_by(m.number) >= lost[2]]
    assert (len(lost), len(void)) == (15, 9)
    assert (summary.end, summary.tick.done, summary.tick.void) == (End.FINISHED, 48, 9)
    assert repository.benched(tournament.id) == ((1, 9),)
    [told] = ears.said
    assert told.startswith("b is benched: it failed at start-up 3 times (matches ")
    assert f"matches from {void[0]} on are void" in told
    assert "--unbench b" in told
    notes = {m.result.note for m in of_b if m.result is not None and m.result.void}
    assert notes == {"benched: b failed at start-up 3 times"}


def test_who_is_no_longer_benched_plays_all_that_it_lost_at_start_up_and_all_that_was_void(
    repository: Repository, tmp_path: Path
) -> None:
    tournament = begin(repository, 4, games=8)
    run(repository, never_starts("b"))
    before = digests(repository, tournament.id)
    said: list[str] = []
    for name, words in (("x", "no such entrant"), ("c", "not benched")):
        with refused(UsageError, f"--unbench {name}", words):
            unbench(repository, tournament, ["b", name], said.append)
    unbench(repository, tournament, ["b"], said.append)
    assert said == [
        "b is no longer benched: 24 of its matches are played again, 15 of them lost at start-up before"
    ]
    assert repository.benched(tournament.id) == ()
    assert run(repository).tick.void == 0
    after = digests(repository, tournament.id)
    assert len(after) == 48
    assert all(after[n] == d for n, d in before.items() if 1 not in repository.match(tournament.id, n).seats)
    with Repository.open(str(tmp_path / "fresh.db"), create=True) as fresh:
        begin(fresh, 4, games=8)
        run(fresh)
        assert digests(fresh, 1) == after  # as if it had never failed


@pytest.mark.parametrize(("make", "workers"), [(Immediate, 1), (lambda: ThreadPoolExecutor(4), 4)])
def test_too_many_faults_stop_the_run_after_the_same_match_with_any_number_of_workers(
    repository: Repository, make: Callable[[], Executor], workers: int
) -> None:
    tournament = begin(repository, 5, games=6)
    pool = ExecutorPool(make, never_starts("c"), workers)
    ears = Ears()

    def stopped() -> Summary:
        coordinator = Coordinator(
            repository, tournament.id, pool, Path("/nowhere"), listener=ears, max_faults=4
        )
        return coordinator.run()

    summary = stopped()
    assert summary.end is End.FAULTS
    faulty = [number for number, _, _ in repository.strikes(tournament.id)]
    decided = next(k for k in range(BATCH, 61, BATCH) if sum(number <= k for number in faulty) >= 4)
    last = next(number for number in range(1, 61) if decided_by(number) == decided) - 1
    assert sorted(digests(repository, tournament.id)) == list(range(1, last + 1))
    assert f"too many faults by match {decided}: stopping" in ears.said[-1]
    pool = ExecutorPool(Immediate, never_starts("c"))
    assert (stopped().end, repository.progress(tournament.id).done) == (End.FAULTS, last)
    assert run(repository).end is End.FINISHED


def test_a_match_that_waited_too_long_in_the_queue_is_not_begun(repository: Repository) -> None:
    """A worker says so, as one that was told to drain would; the run ends, and the next plays it."""
    begin(repository, 4)
    seen: list[float | None] = []

    def play(task: MatchTask) -> Answer:
        seen.append(task.begin_by)
        return Answer(task.number) if task.number == 3 else answer(task)

    timetable = Timetable(end=100.0)
    summary = run(repository, play, timetable=timetable, clock=lambda: 0.0)
    assert summary.end is End.TIME
    assert seen[0] == 100.0
    assert run(repository).tick.done == 12


class Ladder(Format):
    """A format that learns: who won the last round it may see meets the next. It notes what it saw."""

    name = "ladder"
    seen: list[tuple[int, int, int]]

    def check(self, setup: Setup) -> None:
        """Accept all."""

    def draw(self, setup: Setup, history: History) -> Drawn:
        last = history.results[-1].row.round if history.results else 0
        self.seen.append((history.rounds, last, len(history.results)))
        champion = 0
        for result in history.results:
            if result.row.order == 1:
                champion = result.row.seats[result.ranks.index(1)]
        round_ = history.rounds + 1
        rival = 1 + round_ % (len(setup.players) - 1)
        pair = (champion, rival) if rival != champion else (champion, 0 if champion else 1)
        return Drawn(rows_of(setup, round_, 1, pair), complete=round_ == setup.rounds)


@pytest.mark.parametrize("lag", [0, 1, 2])
@pytest.mark.parametrize("make", [Immediate, lambda: ThreadPoolExecutor(3)])
def test_a_round_is_drawn_from_whole_rounds_and_no_other_results(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, lag: int, make: Callable[[], Executor]
) -> None:
    format_ = Ladder()
    format_.seen = []
    monkeypatch.setattr(Ladder, "lag", lag)
    monkeypatch.setitem(FORMATS, "ladder", format_)
    tournament = begin(repository, 5, format_="ladder", rounds=6, games=4, draw=False)
    assert run(repository, make=make, workers=3).end is End.FINISHED
    # Six draws, each seeing the results (4 a round) of all rounds up to the last drawn less the lag.
    assert format_.seen == [(drawn, max(0, drawn - lag), 4 * max(0, drawn - lag)) for drawn in range(6)]
    assert repository.progress(tournament.id) == (24, 24, 0, 6)
    assert repository.tournament().complete


def test_rounds_that_were_drawn_are_kept_when_a_run_goes_on(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    format_ = Ladder()
    format_.seen = []
    monkeypatch.setitem(FORMATS, "ladder", format_)
    tournament = begin(repository, 5, format_="ladder", rounds=4, draw=False)

    def stops(task: MatchTask) -> Answer:
        if task.number == 5:
            raise BotError("gone")
        return answer(task)

    with refused(BotError, "gone"):
        run(repository, stops)
    before = tuple(repository.rows(tournament.id))
    assert run(repository).end is End.FINISHED
    assert tuple(repository.rows(tournament.id))[: len(before)] == before
    assert [drawn for drawn, _, _ in format_.seen] == [0, 1, 2, 3]
