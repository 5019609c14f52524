"""What comparisons, gates and placements share: from a request to a tournament whose name says all of it.

The name is made of the bots' and of a hash of everything that decides, so the same request continues where it
stopped, and another request is another tournament.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import rfc8785

from tourney.bots.catalogue.store import BotStore
from tourney.errors import UsageError
from tourney.games.base import AnyGame
from tourney.match.record import Outcome
from tourney.match.spec import Limits
from tourney.run.monitoring.summary import Summary
from tourney.schedule.row import MatchKey, ResultRow
from tourney.store.engine import database_exists
from tourney.store.repository import Repository
from tourney.store.values import Plan, StoredEntrant, Tournament

OPENING_PLIES: Final = 4
"""Random opening actions of each pair in a game without dice; without them all pairs would be equal."""


def opening_plies(game: AnyGame, asked: int | None = None) -> int:
    """Return the random actions at the start of each pair.

    By default ``OPENING_PLIES`` if the game has neither dice nor hidden actions, else none. Raises UsageError
    for a number that the game does not allow.
    """
    if asked is None:
        plain = not (game.has_hidden_actions or game.has_chance)
        return min(OPENING_PLIES, game.max_actions - 1) if plain else 0
    if asked and game.has_hidden_actions:
        raise UsageError(f"--opening-plies does not go with {game.name}, a game with hidden actions")
    if asked >= game.max_actions:
        raise UsageError(f"--opening-plies {asked}: no game of {game.name} is that long")
    return asked


def derived_name(
    bots: str, plan: Plan, seed: int | None, entrants: Sequence[StoredEntrant], also: Mapping[str, Any]
) -> str:
    """Return a name: the words for the ``bots``, and eight digits of a hash of everything that decides.

    ``also`` holds what the kind of request adds to the game, its rules version, limits, the rule, the seed
    and the entrants.
    """
    data: Any = {
        "game": plan.game,
        "rules": plan.rules,
        "limits": plan.limits.as_json(),
        "extra": dict(plan.extra),
        "seed": None if seed is None else str(seed),
        "entrants": [[e.name, e.entrant.digest, list(e.entrant.args)] for e in entrants],
        **also,
    }
    return f"{bots}-{hashlib.sha256(rfc8785.dumps(data)).hexdigest()[:8]}"


def refuse_natives(limits: Limits, entrants: Sequence[StoredEntrant], store: BotStore) -> None:
    """Raise UsageError for a bot that is no module where the limits count fuel."""
    for entrant in entrants if limits.by_fuel else ():
        if store.fetch(entrant.entrant.digest).manifest.module is None:
            raise UsageError(
                f"--charge fuel counts the work of WebAssembly modules, and {entrant.name} is none: build it"
                " as one (see `tourney bots new --wasm`), or use --charge wall or cpu"
            )


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a request as JSON data, and the run's summary, None where there was nothing to play."""

    result: dict[str, Any]
    summary: Summary | None


def stored_results(url: str, name: str, format_: str) -> tuple[Tournament | None, list[ResultRow]]:
    """Return the stored tournament of a request, or None, and its results."""
    if database_exists(url):
        with Repository.open(url) as repository:
            for tournament in repository.tournaments():
                if tournament.name == name and tournament.plan.format == format_:
                    return tournament, list(repository.results(tournament.id))
    return None, []


def has_ended(repository: Repository, tournament: Tournament) -> bool:
    """Return whether a tournament has all its rounds, and all of them are played."""
    progress = repository.progress(tournament.id)
    return tournament.complete and progress.done == progress.rows


def row_of_event(data: Mapping[str, Any], key: MatchKey, numbers: Mapping[str, int]) -> ResultRow:
    """Return the match of a run's event ``match`` as a row; ``numbers`` are the entrants' by name."""
    seats = tuple(numbers[name] for name in data["entrants"])
    faults = {seat: kind for seat, kind, _ in data.get("faults", ())}
    void = "void" in data or Outcome.from_json({**data, "faults": data.get("faults", [])}).void
    return ResultRow(
        key,
        seats,
        tuple(data.get("ranks", (1,) * len(seats))),
        tuple(faults.get(seat) for seat in range(1, len(seats) + 1)),
        void,
        data["match"],
    )
