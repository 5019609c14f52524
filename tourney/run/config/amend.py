"""What a later tournament file may change: entrants added, ``rounds``, and ``[run]``; nothing else.

Entrants are withdrawn by ``[run]`` too: ``withdrawn`` names them.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from tourney.errors import TournamentError
from tourney.run.config.entrants import line_text
from tourney.run.config.toml_table import show
from tourney.run.config.tournament_file import EntrantLine, TournamentFile
from tourney.schedule.registry import find_format
from tourney.store.plans import RunSettings
from tourney.store.values import StoredEntrant, Tournament


@dataclass(frozen=True, slots=True)
class Amendment:
    """What a file changes of a tournament that has begun."""

    rounds: int | None
    run: RunSettings
    added: tuple[EntrantLine, ...]
    withdrawn: tuple[int, ...]
    changed: bool


def compare(
    tournament: Tournament, entrants: Sequence[StoredEntrant], drawn: int, file: TournamentFile
) -> Amendment:
    """Return what a file changes; ``drawn`` is the number of rounds drawn so far.

    Raises TournamentError that names the key which may not change.
    """

    def refuse(key: str, was: object, now: object) -> NoReturn:
        raise TournamentError(
            f"{file.path}: {key} was {_shown(was)} when {tournament.name} began and is {_shown(now)} now;"
            " a later file may only add entrants or change rounds and [run]; set it back, or take a new name"
        )

    old, new = tournament.plan, file.plan
    for key, was, now in (
        ("game", old.game, new.game),
        ("the rules version of the game", old.rules, new.rules),
        ("format", old.format, new.format),
        ("seats", old.seats, new.seats),
        ("games-per-pairing", old.games_per_pairing, new.games_per_pairing),
        ("opening-plies", old.opening_plies, new.opening_plies),
        ("opening-book", _book(old.book), _book(new.book)),
    ):
        if was != now:
            refuse(key, was, now)
    if old.book != new.book:
        refuse("opening-book", "another text", "changed")
    stored_seed = tournament.seed if tournament.seed_chosen else None
    if file.seed not in (stored_seed, tournament.seed):
        refuse("seed", stored_seed, file.seed)
    _compare_pairs("[options] ", dict(old.options), dict(new.options), refuse)
    _compare_pairs("[limits] ", old.limits.as_json(), new.limits.as_json(), refuse)
    _compare_pairs("", dict(old.extra), dict(new.extra), refuse)
    if new.rounds is not None and new.rounds < drawn:
        raise TournamentError(
            f"{file.path}: rounds is {new.rounds}, but {drawn} rounds of {tournament.name} are drawn already"
        )
    added = _added(tournament, entrants, file)
    withdrawn = _withdrawn(tournament, entrants, file)
    changed = bool(added) or new.rounds != old.rounds or file.run != tournament.run
    return Amendment(new.rounds, file.run, added, withdrawn, changed)


def _added(
    tournament: Tournament, entrants: Sequence[StoredEntrant], file: TournamentFile
) -> tuple[EntrantLine, ...]:
    """Return the lines that are new; every stored entrant must still have its line."""
    left = Counter(line_text(line) for line in file.entrants)
    for entrant in entrants:
        if not left[entrant.line]:
            raise TournamentError(
                f"{file.path}: the entrant {entrant.name} is not in bots or [[entrant]] as it was when"
                f" {tournament.name} began: put it back, or choose a new name for the tournament"
            )
        left[entrant.line] -= 1
    added = []
    for line in file.entrants:
        if left[line_text(line)]:
            left[line_text(line)] -= 1
            added.append(line)
    if added and not find_format(tournament.plan.format).takes_entrants:
        raise TournamentError(
            f"{file.path}: bots names {show(added[0].bot)} too, but {tournament.name} has begun,"
            f" and a {tournament.plan.format} takes no entrants later"
        )
    return tuple(added)


def _withdrawn(
    tournament: Tournament, entrants: Sequence[StoredEntrant], file: TournamentFile
) -> tuple[int, ...]:
    """Return the numbers of those who are withdrawn now; nobody comes back."""
    numbers = {entrant.name: entrant.number for entrant in entrants}
    before, now = tournament.run.withdrawn, file.run.withdrawn
    for name in before:
        if name not in now:
            raise TournamentError(
                f"{file.path}, [run]: withdrawn does not name {name} any more, who has left"
                f" {tournament.name}: put it back, as nobody can return"
            )
    new = [name for name in now if name not in before]
    for name in new:
        if name not in numbers:
            raise TournamentError(
                f"{file.path}, [run]: withdrawn names {name}, who is no entrant of {tournament.name};"
                f" the entrants are: {', '.join(numbers)}"
            )
    if new and not find_format(tournament.plan.format).takes_withdrawals:
        raise TournamentError(
            f"{file.path}, [run]: withdrawn names {new[0]}, but all rounds of a {tournament.plan.format} are"
            " drawn at the start: it would change nothing"
        )
    return tuple(numbers[name] for name in new)


def _compare_pairs(
    where: str,
    old: Mapping[str, object],
    new: Mapping[str, object],
    refuse: Callable[[str, object, object], NoReturn],
) -> None:
    for key in sorted({*old, *new}):
        if old.get(key) != new.get(key):
            refuse(where + key, old.get(key), new.get(key))


def _shown(value: object) -> str:
    return "not set" if value is None else show(value)


def _book(book: tuple[tuple[str, ...], ...]) -> str:
    return f"a book of {len(book)} openings" if book else "none"
