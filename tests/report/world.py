"""Tournaments for the tests of the report: real rules, random matches and made-up bots."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import structs

from tourney.games.registry import find_game
from tourney.match.record import FaultKind, Outcome, make_record
from tourney.match.result import LogLine, Measurements, PlayedMatch, SandboxMeasurements, SeatMeasurements
from tourney.match.spec import DEFAULT_LIMITS, Entrant, Limits, MatchSpec
from tourney.run.engine.recorder import pair_next, spec_of
from tourney.seeds import chance_stream, pick, stream
from tourney.store.database import Database
from tourney.store.values import CHOSEN, MatchResult, Plan, RunSettings, StoredEntrant, Tournament

HOSTILE = (
    '<script>alert("1")</script>',
    "\u202eevil\u202c & <b>bold</b>",
    "../../etc/passwd",
    "=HYPERLINK(1)",
    "\u05d0\u05d1\u05d2 \u05d3",
    "x" * 200,
    "'\"><img src=x onerror=alert(2)>",
    "Z\u0336a\u0336l\u0336g\u0336\u0336\u0336\u0336\u0336\u0336o",
)
"""Names that bots could have without validation."""


def begin(
    repository: Database,
    names: Sequence[str] = ("alpha", "beta", "gamma"),
    *,
    name: str = "cup",
    game: str = "sage-stones",
    seats: int = 2,
    games: int = 2,
    options: tuple[tuple[str, str], ...] | None = None,
    format_: str = "round-robin",
    rounds: int | None = None,
    extra: tuple[tuple[str, int | str], ...] = (),
    limits: Limits | None = None,
) -> Tournament:
    """Store a tournament and pair the rounds that need no results."""
    rules = find_game(game)
    if options is None:
        options = (("stones", "3"),) if game == "sage-stones" else ()
    _, full = rules.settings(seats, dict(options))
    settings = tuple(full.items())
    plan = Plan(
        name, game, rules.rules, settings, format_, seats, games, rounds, limits=limits or DEFAULT_LIMITS
    )
    plan = structs.replace(plan, extra=extra)
    entrants = [
        StoredEntrant(k, Entrant(n, n, "1.0", ("--x", n), f"{k:064x}"), title=n, author=n)
        for k, n in enumerate(names)
    ]
    made = repository.tournaments.add(
        plan, seed=99, origin=CHOSEN, run=RunSettings(), entrants=entrants, created="2026-11-20T08:00:00Z"
    )
    while pair_next(repository, made.id):
        pass
    return repository.tournaments.by_id(made.id)


def at_random(
    spec: MatchSpec, fault: tuple[int, FaultKind, int] | None = None
) -> tuple[list[tuple[int, str]], Outcome]:
    """Play a random match from its seed; a fault (seat, kind, actions) ends it for two seats."""
    game = find_game(spec.game)
    state = game.new(len(spec.seats), dict(spec.options))
    draw, dice = stream(spec.seed, "test"), 0
    actions: list[tuple[int, str]] = []
    while (ranks := state.ranks()) is None:
        if fault is not None and len(actions) == fault[2]:
            lost = tuple(2 if seat == fault[0] else 1 for seat in range(1, len(spec.seats) + 1))
            return actions, Outcome(lost, "fault", (fault,))
        legal = state.legal_actions()
        if state.actor == 0:
            action = pick(chance_stream(spec.seed)(dice), legal, state.chance_weights())
            dice += 1
        else:
            action = legal[draw(len(legal))]
        actions.append((state.actor, game.action_string(action)))
        state = state.play(action)
    return actions, Outcome(ranks, state.reason(), ())


def played(spec: MatchSpec, number: int, *, host: str = "workbench") -> PlayedMatch:
    """Return a played match with a made-up log and times; every fifth ends by a fault."""
    kinds: tuple[FaultKind, ...] = ("crash", "timeout", "illegal")
    fault = (1 + number % 2, kinds[number % 3], 3) if number % 5 == 0 and len(spec.seats) == 2 else None
    actions, outcome = at_random(spec, fault)
    record = make_record(spec, find_game(spec.game).rules, actions, outcome)
    log = [
        LogLine(ply, seat, "info", f"score={(ply * number % 7 - 3) / 2} depth={ply}")
        for ply, (seat, _) in enumerate(actions)
        if seat
    ]
    log += [LogLine(1, 1, "stderr", f"<b>\udcff {host}</b>"), LogLine(3, 1, "note", "it gave up")]
    measured = Measurements(
        started="2026-11-20T09:00:00Z",
        wall_ms=5 + number,
        host=host,
        sandbox=SandboxMeasurements("auto", "bubblewrap", {"network": "enforced"}),
        times_ms=tuple(None if seat == 0 else 0.25 * (1 + ply) for ply, (seat, _) in enumerate(actions)),
        seats=tuple(SeatMeasurements(wall_ms=4, turns=3) for _ in spec.seats),
        reproducible=fault is None,
        why_not=() if fault is None else ("crash",),
    )
    return PlayedMatch(record, tuple(log), measured)


def play_all(
    repository: Database,
    tournament: Tournament,
    *,
    backwards: bool = False,
    host: str = "workbench",
    void: Sequence[int] = (),
    most: int | None = None,
) -> None:
    """Play the pending matches, in schedule order or backwards; ``void`` fail in the infrastructure."""
    entrants = repository.tournaments.entrants(tournament.id)
    pending = list(repository.schedules.pending(tournament.id))[:most]
    for number, row in reversed(pending) if backwards else pending:
        spec = spec_of(tournament, entrants, row)
        match = None if number in void else played(spec, number, host=host)
        note = f"the worker on {host} was lost three times" if match is None else ""
        repository.matches.add(tournament.id, [MatchResult(number, match, note)])


def play_out(repository: Database, tournament: Tournament, **how: Any) -> Tournament:
    """Play a tournament round by round until its format pairs no more."""
    play_all(repository, tournament, **how)
    while pair_next(repository, tournament.id):
        play_all(repository, tournament, **how)
    return repository.tournaments.by_id(tournament.id)


def fill(path: Path, names: Sequence[str] = HOSTILE, **how: int | str) -> Path:
    """Create a database with a tournament of hostile names; one match is void, all others are played."""
    with Database.open(str(path), create=True) as repository:
        tournament = begin(repository, names, **how)  # type: ignore[arg-type] # passed on as they are
        play_all(repository, tournament, void=(4,))
    return path
