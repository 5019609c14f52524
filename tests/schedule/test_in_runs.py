"""Formats in whole runs, with the coordinator, the store and matches of scripted bots."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import invoke
from tests.support.executors import BackwardsExecutor, FuturesExecutor, Immediate, ShuffledExecutor
from tests.support.schedules import check_rows, pairings
from tests.support.tables import NO_LIMITS, TOE
from tests.support.tournaments import answer, digests
from tourney.bots.channel.scripted import ScriptClock, ScriptedChannel
from tourney.check.record import verify
from tourney.check.schedule import StoredSchedule, check_schedule
from tourney.exchange.game_files import trf
from tourney.games.base import OVER
from tourney.match.play import play_match
from tourney.match.player import Player
from tourney.match.spec import Entrant
from tourney.results.standings import compute_standings, load_history, load_setup
from tourney.run.engine.coordinator import Coordinator
from tourney.run.engine.recorder import pair_next
from tourney.run.summary import End
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.schedule.format import History, find_format
from tourney.schedule.player_history import PlayerHistory
from tourney.seeds import derive, uniform
from tourney.store.database import Database
from tourney.store.values import CHOSEN, Plan, RunSettings, StoredEntrant, StoredRun, Tournament


def begin(repository: Database, count: int, run: RunSettings | None = None, **plan: Any) -> Tournament:
    """Store a tournament of noughts and crosses with its first rounds paired."""
    entrants = tuple(
        StoredEntrant(k, Entrant(f"a{k}", f"bot{k}", "1.0", (), f"{k:064x}"), title=f"Bot {k}")
        for k in range(count)
    )
    made = repository.tournaments.add(
        Plan(
            "cup",
            "toe",
            "1",
            (("misere", "no"),),
            seats=2,
            limits=NO_LIMITS,
            **{"games_per_pairing": 2} | plan,
        ),
        seed=11,
        origin=CHOSEN,
        run=run or RunSettings(),
        entrants=entrants,
        created="2026-11-20",
    )
    pair_next(repository, made.id)
    return repository.tournaments.by_id(made.id)


def run(repository: Database, tournament: Tournament, executor: FuturesExecutor) -> None:
    summary = Coordinator(repository, tournament.id, executor, Path("/nowhere")).run()
    assert summary.end is End.FINISHED


@cache
def game_with(ranks: tuple[int, int]) -> tuple[str, ...]:
    """Return the actions of the first game of noughts and crosses with these ranks."""

    def search(state: Any, actions: tuple[str, ...]) -> tuple[str, ...] | None:
        if state.actor == OVER:
            return actions if state.ranks() == ranks else None
        for action in state.legal_actions():
            found = search(state.play(action), (*actions, TOE.action_string(action)))
            if found is not None:
                return found
        return None

    found = search(TOE.new(), ())
    assert found is not None
    return found


@cache
def script(ranks: tuple[int, int], seat: int) -> tuple[str, ...]:
    """Return the dialogue of a seat in that game, for any seed."""
    lines = ["> tourney 1", "< bot", f"> game toe seats=2 seat={seat} seed=* misere=no", "< ready"]
    for turn, action in enumerate(game_with(ranks)):
        if turn % 2 + 1 == seat:
            lines += ["> go", f"< move {action}"]
        lines.append(f"> play {turn % 2 + 1} {action}")
    return (*lines, f"> over {ranks[0]} {ranks[1]} reason=*")


def strength(entrant: Entrant) -> int:
    return uniform(derive(3, "strength", entrant.name), 600)


def scripted(task: MatchTask) -> WorkerReply:
    """Play a whole match of two scripted bots: the stronger mostly wins, one in five is a draw."""
    spec = task.spec
    luck = [uniform(derive(spec.seed, "luck", entrant.name), 900) for entrant in spec.seats]
    one, two = (strength(entrant) + more for entrant, more in zip(spec.seats, luck, strict=True))
    ranks = (1, 1) if abs(one - two) < 90 else (1, 2) if one > two else (2, 1)
    clock = ScriptClock()
    channels = [ScriptedChannel(script(ranks, seat), clock=clock) for seat in (1, 2)]
    played = play_match(spec, TOE, [Player(channel) for channel in channels], clock=clock)
    for channel in channels:
        channel.finish()
    return WorkerReply(task.number, played)


@pytest.mark.slow
def test_swiss_of_two_hundred_plays_real_matches(tmp_path: Path) -> None:
    """The referee plays nine rounds of 1,800 matches; no meeting repeats."""
    with Database.open(str(tmp_path / "t.db"), create=True) as repository:
        tournament = begin(repository, 200, format="swiss", rounds=9)
        run(repository, tournament, FuturesExecutor(Immediate, scripted, 1))
        history, setup = load_history(repository, tournament.id), load_setup(repository, tournament.id)
        standings = compute_standings(repository, tournament.id)
        for number in (1, 900, 1800):
            assert verify(repository.records.get(tournament.id, number), TOE) == []
    exported = invoke("export", "--what", "trf", "--db", str(tmp_path / "t.db"))
    table = find_format("swiss").table(setup, history)
    assert table is not None
    assert exported.stdout_bytes.decode() == trf(setup, history, table, "cup", find_format("swiss"))
    check_rows(history.rows)
    assert len(history.results) == len(history.rows) == 1800
    assert not any(result.void or any(result.faults) for result in history.results)
    met = Counter(frozenset(pair) for _, pair in pairings(history.rows))
    assert len(met) == 900
    assert set(met.values()) == {1}
    scores = PlayerHistory.of(setup, history, "win").scores()
    gaps = [abs(scores[a][round_ - 1] - scores[b][round_ - 1]) for round_, (a, b) in pairings(history.rows)]
    assert sum(gaps) < 0.2 * len(gaps)  # a win is 2 units: a tenth of a win on average
    for round_ in range(1, 9):  # the stored rounds equal pairings from the earlier ones
        known = History(
            tuple(row for row in history.rows if row.round <= round_),
            tuple(result for result in history.results if result.key.round <= round_),
        )
        expected = find_format("swiss").next_rounds(setup, known).rows
        assert expected == tuple(row for row in history.rows if row.round == round_ + 1)
    assert standings[0].points == max(line.points for line in standings)
    top = [strength(Entrant(line.name, "", "", (), "")) for line in standings[:40]]
    bottom = [strength(Entrant(line.name, "", "", (), "")) for line in standings[-40:]]
    assert sum(top) > sum(bottom) + 40 * 300


EXECUTORS: list[Callable[[], FuturesExecutor]] = [
    lambda: FuturesExecutor(Immediate, answer, 1),
    lambda: BackwardsExecutor(answer, 7),
    lambda: ShuffledExecutor(answer, 5, (3, 1, 4, 1, 5, 9, 2, 6)),
    lambda: FuturesExecutor(lambda: ThreadPoolExecutor(3), answer, 3),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "plan",
    [
        {"format": "swiss", "rounds": 5},
        {"format": "knockout", "extra": (("third-place", 1),)},
        {"format": "adaptive", "extra": (("batch", 3), ("budget", 60))},
        {"format": "adaptive", "extra": (("target-sigma", 150),)},
        {"format": "adaptive", "extra": (("until-best", 6000), ("until-games", 80))},
        {"format": "round-robin", "games_per_pairing": 40, "extra": (("until-width", 400),)},
        {"format": "round-robin", "games_per_pairing": 6},
    ],
    ids=str,
)
def test_pairings_are_equal_with_any_number_of_workers(tmp_path: Path, plan: dict[str, Any]) -> None:
    """Results in schedule order, backwards, shuffled and from threads: the same rows, records, standings."""
    seen = []
    for k, make in enumerate(EXECUTORS):
        with Database.open(str(tmp_path / f"{k}.db"), create=True) as repository:
            tournament = begin(repository, 9, **plan)
            run(repository, tournament, make())
            rows = tuple(repository.schedules.rows(tournament.id))
            seen.append(
                (rows, digests(repository, tournament.id), compute_standings(repository, tournament.id))
            )
            assert check_schedule(StoredSchedule.of(repository, tournament)).findings == ()
    assert len(seen[0][0]) > 16
    assert all(other == seen[0] for other in seen[1:])


def test_interrupted_round_robin_is_level(tmp_path: Path) -> None:
    """Repeats are played one after the other; numbers and the root are those of the schedule."""
    played: list[int] = []

    def play(task: MatchTask) -> WorkerReply:
        played.append(task.number)
        return answer(task)

    with Database.open(str(tmp_path / "t.db"), create=True) as repository:
        tournament = begin(repository, 4, format="round-robin", games_per_pairing=10)
        run(repository, tournament, FuturesExecutor(Immediate, play, 1))
        rows = dict(repository.schedules.rows(tournament.id))
        assert [rows[number].repeat for number in played] == [
            repeat for repeat in range(1, 6) for _ in range(12)
        ]
        for count in range(12, 61, 12):
            games = Counter(number for match in played[:count] for number in rows[match].seats)
            assert len(set(games.values())) == 1
        assert sorted(played) == list(rows)


def test_older_round_robin_keeps_its_order(tmp_path: Path) -> None:
    played: list[int] = []

    def play(task: MatchTask) -> WorkerReply:
        played.append(task.number)
        return answer(task)

    with Database.open(str(tmp_path / "t.db"), create=True) as repository:
        tournament = begin(repository, 4, StoredRun(), format="round-robin", games_per_pairing=6)
        run(repository, tournament, FuturesExecutor(Immediate, play, 1))
    assert played == sorted(played)
