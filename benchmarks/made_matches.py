"""Random matches for benchmarks: played by the referee, and stored under seeds and entrants of their own."""

import itertools
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from tourney.games.base import AnyGame
from tourney.games.registry import find_game
from tourney.match.record import Outcome, make_record
from tourney.match.referee import Referee
from tourney.match.result import LogLine, Measurements, PlayedMatch, SandboxMeasurements, SeatMeasurements
from tourney.match.spec import DEFAULT_LIMITS, Entrant, MatchSpec
from tourney.run.engine.recorder import pair_next, spec_of
from tourney.seeds import derive, stream
from tourney.store.database import Database
from tourney.store.values import CHOSEN, MatchResult, Plan, RunSettings, StoredEntrant, Tournament

SEED: Final = 20261122
DEFAULTS: Final[Mapping[str, str]] = MappingProxyType({})

Play = tuple[list[tuple[int, str]], Outcome]
"""The actions of a match with their actors, and its outcome."""


def play_randomly(game: AnyGame, spec: MatchSpec, label: str = "report") -> Play:
    """Play a match in which every seat draws its actions."""
    referee = Referee(spec, game)
    draw = stream(spec.seed, label)
    referee.begin()
    while seat := referee.turn:
        referee.take(seat)
        legal = referee.state.legal_actions()
        why = referee.act(game.action_string(legal[draw(len(legal))]))
        if why:
            raise AssertionError(f"{game.name}: a legal action was refused: {why}")
    assert referee.outcome is not None  # noqa: S101 - the match is over
    return list(referee.actions), referee.outcome


def random_entrants(seats: int, first: int = 0) -> tuple[Entrant, ...]:
    """Entrants of a match that is played here."""
    return tuple(Entrant(f"seat-{k}", "random", "1", (), "0" * 64) for k in range(first, first + seats))


def random_plays(
    game: AnyGame, count: int, actions: int | None, options: Mapping[str, str] = DEFAULTS
) -> list[Play]:
    """Random matches of two; ``actions``: only those of this length, to within a tenth."""
    _, chosen = game.settings(2, dict(options))
    seeds = (derive(SEED, game.name, number) for number in itertools.count())
    entrants = random_entrants(2)
    specs = (MatchSpec(game.name, tuple(chosen.items()), entrants, seed, DEFAULT_LIMITS) for seed in seeds)
    plays = (play_randomly(game, spec) for spec in specs)
    wanted = (play for play in plays if actions is None or abs(len(play[0]) - actions) <= actions / 10)
    return list(itertools.islice(wanted, count))


def begin(
    repository: Database, game: AnyGame, matches: int, entrants: int, options: Mapping[str, str] = DEFAULTS
) -> Tournament:
    """Store a round-robin tournament of at least these matches."""
    seats, full = game.settings(2, dict(options))
    games = 2 * -(-matches // (entrants * (entrants - 1)))
    plan = Plan("bench", game.name, game.rules, tuple(full.items()), "round-robin", seats, games)
    bots = [
        StoredEntrant(k, Entrant(f"bot-{k + 1:02d}", "random", "1.0", (), f"{k:064x}"))
        for k in range(entrants)
    ]
    made = repository.tournaments.begin(
        plan, seed=SEED, origin=CHOSEN, run=RunSettings(), entrants=bots, created="2026-11-22T08:00:00Z"
    )
    while pair_next(repository, made.id):
        pass
    return repository.tournaments.by_id(made.id)


def results(
    repository: Database, tournament: Tournament, plays: list[Play], real: int = 0, *, log: bool = True
) -> Iterator[MatchResult]:
    """Yield the pending matches as workers give them, with what machines measure.

    The first ``real`` matches are played; the others repeat the actions of ``plays``, so they do not have the
    dice of their seeds. With ``log`` each bot reports score, depth and nodes with each action.
    """
    game = find_game(tournament.game)
    entrants = repository.tournaments.entrants(tournament.id)
    for number, row in repository.schedules.pending(tournament.id):
        spec = spec_of(tournament, entrants, row)
        actions, outcome = play_randomly(game, spec) if number <= real else plays[number % len(plays)]
        record = make_record(spec, game.rules, actions, outcome)
        said = tuple(
            LogLine(
                *(ply, seat, "info"),
                f"score={(ply * number) % 41 / 10 - 2:.1f} depth={3 + ply % 9} nodes={ply * 977}",
            )
            for ply, (seat, _) in enumerate(actions if log else ())
            if seat
        )
        measured = _measurements(actions, len(spec.seats), number)
        yield MatchResult(number, PlayedMatch(record, said, measured))


def _measurements(actions: list[tuple[int, str]], seats: int, number: int) -> Measurements:
    return Measurements(
        started="2026-11-22T09:00:00Z",
        wall_ms=9 * len(actions),
        host="workbench",
        sandbox=SandboxMeasurements("auto", "bubblewrap", {"network": "enforced"}),
        times_ms=tuple(
            None if seat == 0 else (ply * number) % 97 / 4 for ply, (seat, _) in enumerate(actions)
        ),
        seats=tuple(SeatMeasurements(wall_ms=4, turns=len(actions) // 2) for _ in range(seats)),
        reproducible=True,
    )
