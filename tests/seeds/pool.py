"""Records of every format and game, with openings, faults and resignations, played in this process.

Each seat plays by ``derive``; so a pool is always the same, and quick to make: no bot is a process.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.support import addons
from tests.support.command import GOLDEN
from tests.support.executors import FuturesExecutor, Immediate
from tests.support.tournaments import entrant
from tourney.games.base import AnyGame
from tourney.games.registry import find_game
from tourney.match.record import FaultKind, make_record
from tourney.match.referee import Referee
from tourney.match.result import PlayedMatch
from tourney.match.spec import DEFAULT_LIMITS, Limits, MatchSpec
from tourney.run.engine.coordinator import Coordinator
from tourney.run.engine.recorder import pair_next
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.schedule.format import find_format
from tourney.seeds import derive, uniform
from tourney.store.database import Database
from tourney.store.values import CHOSEN, Plan, RunSettings, StoredEntrant

LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
LEAVES: Final[tuple[FaultKind | None, ...]] = (None, "illegal", "timeout", "crash", "protocol", "overflow")
"""How a seat leaves a match; None: it resigns."""


def play(spec: MatchSpec) -> PlayedMatch:
    """Play a match: one in three to its end, the others until the seats leave, one in seven not all start."""
    game = find_game(spec.game)
    referee = Referee(spec, game)
    seats = len(spec.seats)
    kind = uniform(derive(spec.seed, "pool"), 21)
    referee.begin(seat for seat in range(1, seats + 1) if kind % 7 == 1 and (seat + kind) % 3)
    turn = 0
    while seat := referee.turn:
        u = derive(spec.seed, "pool", seat, turn)
        turn += 1
        long = 0 if kind % 3 else 300
        if turn > long and uniform(u, 25) == 0:
            leave = LEAVES[(turn + kind) % len(LEAVES)]
            if leave is None:
                referee.resign()
            else:
                referee.fault(leave)
        else:
            legal = referee.state.legal_actions()
            referee.act(game.action_string(legal[uniform(u * 3 % 2**64, len(legal))]))
    assert referee.outcome is not None
    return PlayedMatch(make_record(referee.spec, game.rules, referee.actions, referee.outcome))


def _answer(task: MatchTask) -> WorkerReply:
    return WorkerReply(task.number, play(task.spec))


@dataclass(frozen=True)
class Case:
    """A tournament of the pool: its plan and the number of its entrants."""

    plan: Plan
    entrants: int = 4


def cases(groups: int = 1) -> Iterator[Case]:
    """Yield tournaments of each format and game; ``groups`` mirrored groups a pairing (not of add-ons)."""
    for name in GOLDEN:
        game = find_game(name)
        yield case(game, "round-robin", groups, clock=True)
        yield case(game, "swiss", groups, rounds=3, plies=4)
        yield case(game, "gauntlet", groups, entrants=3, own=True, book=True)
        yield case(game, "knockout", groups, entrants=5, book=True)
        yield case(game, "adaptive", groups, extra=(("batch", 2), ("budget", 8 * groups)), plies=1)
        if not (game.has_chance or game.has_hidden_actions):
            yield case(game, "round-robin", 3, entrants=3, book=True, name="shuffled")
        for seats in game.seat_counts[1:]:
            yield case(game, "round-robin", groups, seats=seats, plies=5, own=seats == 3)
            yield case(game, "swiss", groups, seats=seats, rounds=1, entrants=5)
    for part in addons.parts("pool"):
        yield from part.cases()


def case(
    game: AnyGame,
    format_: str,
    groups: int,
    *,
    seats: int = 2,
    entrants: int = 4,
    rounds: int | None = None,
    plies: int = 0,
    book: bool = False,
    own: bool = False,
    clock: bool = False,
    extra: tuple[tuple[str, int | str], ...] = (),
    name: str = "",
) -> Case:
    """A tournament of a format and a game; ``own``: each match has dice of its own."""
    _, options = game.settings(seats, {"stones": "6"} if game.name == "sage-stones" and seats > 2 else {})
    limits = Limits(None, 60_000, 500, nodes=1000, charge="cpu", ponder="freeze") if clock else DEFAULT_LIMITS
    plan = Plan(
        name=f"{game.name}-{name or format_}-{seats}",
        game=game.name,
        rules=game.rules,
        options=tuple(sorted(options.items())),
        format=format_,
        seats=seats,
        games_per_pairing=groups * (2, 6, 4)[seats - 2],
        rounds=rounds,
        opening_plies=0 if game.has_hidden_actions else plies,
        book=_book(game) if book and not (game.has_chance or game.has_hidden_actions) else (),
        limits=limits,
        extra=extra,
        mirrored_dice=not own,
        # That of a knockout is as an older version stored it.
        opening_order="shuffled" if book and format_ != "knockout" else "random",
        # Those of one game are as an older version stored them.
        ranking=None if game.name == "sage-stones" else find_format(format_).new_rule(seats),
    )
    return Case(plan, entrants)


def _book(game: AnyGame) -> tuple[tuple[str, ...], ...]:
    """Return five openings of one and two actions."""
    state = game.new()
    first = [game.action_string(action) for action in state.legal_actions()]
    second = game.action_string(state.play(game.parse_action(first[0])).legal_actions()[-1])
    return (*((action,) for action in first[:4]), (first[0], second))


def store(repository: Database, case: Case, seed: int, folder: Path) -> int:
    """Play a tournament of the pool to its end, store it, and return its id."""
    entrants = tuple(StoredEntrant(k, entrant(LETTERS[k])) for k in range(case.entrants))
    made = repository.tournaments.add(
        case.plan, seed=seed, origin=CHOSEN, run=RunSettings(), entrants=entrants, created="2026-11-20"
    )
    pair_next(repository, made.id)
    Coordinator(repository, made.id, FuturesExecutor(Immediate, _answer, 1), folder).run()
    return made.id


def fill(database: Path, seed: int = 7, groups: int = 1) -> list[str]:
    """Play a whole pool into a new database, and return the names of its tournaments."""
    names: list[str] = []
    with Database.open(str(database), create=True) as repository:
        for case in cases(groups):
            store(repository, case, seed + len(names), database.parent)
            names.append(case.plan.name)
    return names
