"""Tournaments of really played matches, by bots without a process: every record verifies."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from tourney.check.named_seeds import DRAWN, LIMITS, RandomChannel, random_spec
from tourney.check.root import keep_root
from tourney.games.registry import find_game
from tourney.match.play import play_match
from tourney.match.player import Player
from tourney.match.record import Record
from tourney.match.result import LogLine, PlayedMatch
from tourney.match.spec import MatchSpec, Opening
from tourney.run.engine.recorder import pair_next, spec_of
from tourney.schedule.ranking_rule import RankingRule
from tourney.store.database import Database
from tourney.store.values import CHOSEN, MatchResult, Origin, Plan, RunSettings, StoredEntrant, Tournament

LOG = (LogLine(3, 1, "info", "red \x1b[31m"), LogLine(4, 0, "note", "well played"))


def begin(
    repository: Database,
    names: Sequence[str] = ("drawn-1", "drawn-2", "drawn-3"),
    *,
    name: str = "cup",
    game: str = "sage-stones",
    seats: int = 2,
    games: int = 2,
    opening_plies: int = 2,
    seed: int = 7,
    mirrored_dice: bool = True,
    origin: Origin = CHOSEN,
    format_: str = "round-robin",
    rounds: int | None = None,
    extra: tuple[tuple[str, int | str], ...] = (),
    ranking: RankingRule | None = None,
) -> Tournament:
    """Store a tournament of bots with random actions, with all rounds paired that need no results.

    Without ``ranking`` its plan is as versions stored it that had no such key.
    """
    rules = find_game(game)
    _, options = rules.settings(seats, {})
    plan = Plan(
        name,
        game,
        rules.rules,
        tuple(sorted(options.items())),
        format_,
        seats,
        games,
        rounds,
        opening_plies=opening_plies,
        limits=LIMITS,
        mirrored_dice=mirrored_dice,
        extra=extra,
        ranking=ranking,
    )
    entrants = [StoredEntrant(number, replace(DRAWN, name=one)) for number, one in enumerate(names)]
    made = repository.tournaments.add(
        plan, seed=seed, origin=origin, run=RunSettings(), entrants=entrants, created="2026-11-20"
    )
    while pair_next(repository, made.id):
        pass
    return repository.tournaments.by_id(made.id)


def play(spec: MatchSpec) -> PlayedMatch:
    """Play a match of bots with random actions."""
    return play_match(spec, find_game(spec.game), [Player(RandomChannel()) for _ in spec.seats])


def play_all(
    repository: Database, tournament: Tournament, *, void: Sequence[int] = (), most: int | None = None
) -> None:
    """Play the pending matches, each with a log of two lines; matches in ``void`` are void."""
    entrants = repository.tournaments.entrants(tournament.id)
    finished = []
    for number, row in repository.schedules.pending(tournament.id)[:most]:
        if number in void:
            finished.append(MatchResult(number, None, note="sandbox failed"))
            continue
        one = play(spec_of(tournament, entrants, row))
        finished.append(MatchResult(number, PlayedMatch(one.record, LOG, one.measured)))
    repository.matches.add(tournament.id, finished)


def play_out(repository: Database, tournament: Tournament) -> Tournament:
    """Play and pair until the end, and keep the root."""
    while list(repository.schedules.rows(tournament.id, pending=True)):
        play_all(repository, tournament)
        pair_next(repository, tournament.id)
    keep_root(repository, tournament.id)
    return repository.tournaments.by_id(tournament.id)


def finished(path: Path, *void: int) -> Path:
    """Make a database with a finished tournament, of which these matches are void."""
    with Database.open(str(path), create=True) as repository:
        tournament = begin(repository)
        play_all(repository, tournament, void=void)
        keep_root(repository, tournament.id)
    return path


def late_opening() -> Record:
    """A match whose first thousand openings all end by their dice."""
    return play(random_spec("sage-stones", 2, 3, {"stones": "3"}, Opening(plies=5))).record
