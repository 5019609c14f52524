"""Check published roots and commitments against a database; open an export as a database of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tourney.check.root import commitments, recomputed_entries, root_of, seed_commitment
from tourney.errors import CheckError, RecordError, TournamentError, UsageError
from tourney.exchange.importing import Head, import_tournament, read_head
from tourney.parsing import read_json_lines
from tourney.results.standings import Ranking, setup_of
from tourney.schedule.format import FORMATS, IMPORTED, check_settings, find_format, group_size
from tourney.store.database import Database
from tourney.store.values import Tournament


@contextmanager
def open_export(path: Path) -> Iterator[tuple[Database, Head]]:
    """Import the tournament of a file into a new database, which is deleted when the block ends.

    The seed may be sealed. Raises CheckError for a file that cannot be imported, and GameError for an unknown
    game.
    """
    with (
        TemporaryDirectory(prefix="tourney-") as folder,
        Database.open(f"{folder}/export.db", create=True) as database,
    ):
        try:
            where, first = next(read_json_lines(path))
            head = read_head(first, where)
            check_format(head, path)
            import_tournament(database, read_json_lines(path), "")
        except (RecordError, TournamentError) as error:
            raise CheckError(str(error)) from error
        yield database, head


class PublishedValue(NamedTuple):
    """A root or a commitment, and more words on it; or "", and why there is none."""

    value: str
    note: str = ""


def published_value(
    what: str, database: Database, tournament: Tournament, value: str, head: Head | None
) -> PublishedValue:
    """A tournament's ``root`` or ``commitment`` now.

    The root is that of the records themselves. Of the commitments that it may have begun with, by other
    ``rounds``, it is ``value`` if that is one of them. ``head`` is the first line of an export.
    """
    if what == "root":
        try:
            return PublishedValue(root_of(recomputed_entries(database, tournament)))
        except UsageError as error:
            return PublishedValue("", f"no root yet: {error}")
    sealed = head.line.tournament.seed_commitment if head is not None and head.sealed else None
    seal = sealed or seed_commitment(tournament)
    entrants = database.tournaments.entrants(tournament.id)
    possible = list(commitments(tournament, entrants, seal)) if seal else []
    for rounds, commitment in possible:  # a later file may have changed the rounds that it was made with
        if commitment == value:
            changed = rounds != tournament.plan.rounds
            note = f", made with rounds = {rounds}" if changed else ", to its plan and its seed"
            return PublishedValue(commitment, note)
    if not possible:
        return PublishedValue("", "no commitment")
    _, commitment = possible[0]  # with the number of rounds that the plan has now
    return PublishedValue(commitment)


def compare_published(
    what: str, value: str, database: Database, name: str | None, head: Head | None
) -> tuple[str, str]:
    """The tournament (default: any) that has a published value, or "", and a sentence on it.

    A tournament whose stored root is the published one comes first, as its root alone must be computed then.
    """
    chosen = database.tournaments.all() if name is None else (database.tournaments.get(name),)
    others: dict[str, str] = {}
    for tournament in sorted(chosen, key=lambda stored: _stored_root_rank(stored, value)):
        published = published_value(what, database, tournament, value, head)
        if published.value == value:
            rows = database.schedules.progress(tournament.id).rows
            return (
                tournament.name,
                f"{tournament.name} has this {what}{published.note or f': {rows} matches'}",
            )
        others[tournament.name] = f"the {what} {published.value}" if published.value else published.note
    sentences = [f"{tournament.name} has {others[tournament.name]}" for tournament in chosen]
    return "", f"no tournament here has the {what} {value}; {'; '.join(sentences) or 'there is none'}"


def _stored_root_rank(tournament: Tournament, value: str) -> int:
    """Sort tournaments by what is stored: this root, no root, another root."""
    # The stored root proves nothing, so the others are computed too before the answer is no.
    if tournament.root == value:
        return 0
    return 1 if tournament.root is None else 2


def check_format(head: Head, file: Path) -> None:
    """Raise TournamentError, naming the file, for a tournament that its format cannot have drawn or ranked.

    A format that is not installed is not asked.
    """
    plan = head.tournament.plan
    try:
        Ranking.of(plan)
    except TournamentError as error:
        raise TournamentError(f"{file} line 1: {error}") from error
    if plan.format == IMPORTED or not FORMATS.knows(plan.format):
        return
    format_ = find_format(plan.format)
    try:
        rest = plan.games_per_pairing % group_size(plan.seats)
        if format_.in_files:
            check_settings(format_, plan.extra)
        format_.check(setup_of(plan, head.tournament.seed, head.entrants))
    except (TournamentError, ValueError) as error:  # group_size knows tables of at most four seats
        raise TournamentError(f"{file} line 1: {error}") from error
    if rest:
        raise TournamentError(
            f"{file} line 1: games-per-pairing is {plan.games_per_pairing}, no multiple of"
            f" {group_size(plan.seats)}, the matches of a mirrored group"
        )
