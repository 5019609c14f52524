"""Entrants of an earlier tournament in ``bots``: ``@standings:NAME:N`` and ``@entrant:NAME:ENTRANT``.

They are read from the database when a tournament begins. A tournament that has begun keeps the entrants that
it began with, whatever becomes of the earlier one.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.errors import BotError, TournamentError, UsageError
from tourney.results.standings import Standing, compute_standings, interim_sentence
from tourney.run.file_schema import EntrantLine
from tourney.run.tournament_file import TournamentFile
from tourney.schema import show
from tourney.store.database import Database
from tourney.store.values import StoredEntrant
from tourney.texts import counted

STANDINGS: Final = "@standings"
ENTRANT: Final = "@entrant"
_FORM: Final = re.compile(r"(@standings|@entrant):([^:]+):([^:]+)", re.ASCII)
_COUNT: Final = re.compile(r"[1-9][0-9]{0,3}", re.ASCII)

FindBot = Callable[[EntrantLine, BotStore, Path], StoredBot]
"""Finds the bot of a line in a store or, relative to a folder, by its path."""
Say = Callable[[str], None]


def standings_reference(tournament: str, count: int) -> str:
    """The text of ``bots`` that stands for the first entrants of a tournament."""
    return f"{STANDINGS}:{tournament}:{count}"


def is_earlier(bot: str | None) -> bool:
    """Whether a text of ``bots`` stands for entrants of an earlier tournament."""
    return bot is not None and bot.partition(":")[0] in (STANDINGS, ENTRANT)


def with_earlier(
    file: TournamentFile,
    database: Database | None,
    before: Sequence[StoredEntrant],
    find: FindBot,
    say: Say,
) -> tuple[TournamentFile, FindBot]:
    """The file with a line for each entrant that its references mean, and the function that finds their bots.

    ``before`` are the entrants of the file's tournament if it has begun. Raises TournamentError for a
    reference to a tournament or an entrant that is not there, and for standings that can still change.
    """
    digests: dict[tuple[str | None, str | None], str] = {}
    lines: list[EntrantLine] = []
    for line in file.entrants:
        if line.bot is None or not is_earlier(line.bot):
            lines.append(line)
            continue
        if line.name is not None or line.args or line.limits is not None:
            raise TournamentError(
                f"{file.path}: [[entrant]] has bot = {show(line.bot)}, which belongs in bots: its entrants"
                " keep their names and arguments",
                file=file.path,
                key="bot",
            )
        begun_with = [entrant for entrant in before if json.loads(entrant.line)["bot"] == line.bot]
        try:
            entrants = begun_with or _chosen(line.bot, database, say)
        except UsageError as error:
            sentence = f"{file.path}: bots names {line.bot}, but {error}"
            raise TournamentError(sentence, file=file.path, key="bots") from error
        for entrant in entrants:
            lines.append(EntrantLine(line.bot, entrant.name, entrant.entrant.args))
            digests[line.bot, entrant.name] = entrant.entrant.digest

    def find_by_digest(line: EntrantLine, store: BotStore, folder: Path) -> StoredBot:
        digest = digests.get((line.bot, line.name))
        if digest is None:
            return find(line, store, folder)
        try:
            return store.provide(digest)
        except BotError as error:
            raise BotError(
                f"{line.name} of {line.bot} cannot enter: {error}; add its files again with `tourney bots"
                " add`"
            ) from error

    return replace(file, entrants=tuple(lines)), find_by_digest


def _chosen(reference: str, database: Database | None, say: Say) -> list[StoredEntrant]:
    """The entrants that a reference means now. Raises UsageError, which continues "but ..."."""
    form = _FORM.fullmatch(reference)
    if form is None:
        raise UsageError(
            f"such a text has the form {STANDINGS}:TOURNAMENT:NUMBER or {ENTRANT}:TOURNAMENT:NAME"
        )
    kind, name, value = form.groups()
    if database is None:
        raise UsageError("there is no database yet: name that of the earlier tournament by --db")
    tournament = database.tournaments.get(name)
    entrants = {entrant.name: entrant for entrant in database.tournaments.entrants(tournament.id)}
    if kind == ENTRANT:
        if value not in entrants:
            raise UsageError(f"{name} has no entrant {value}; there are: {', '.join(entrants)}")
        return [entrants[value]]
    if _COUNT.fullmatch(value) is None:
        raise UsageError(f"{value} is not a number of entrants from 1 to 9999")
    # A final that begins from standings that still change would depend on the moment of its start.
    if interim := interim_sentence(tournament.complete, database.schedules.progress(tournament.id)):
        left = interim.removeprefix("Interim standings: ").rstrip(".")
        raise UsageError(f"{name} is not finished: {left}")
    standings = []
    for line in compute_standings(database, tournament.id):
        entrant = entrants[line.name]
        if entrant.broken or entrant.left is not None:
            why = "its bot could not be started" if entrant.broken else "it was withdrawn"
            say(f"{line.name} of {name} is passed over: {why}")
        else:
            standings.append(line)
    return [entrants[line.name] for line in _first(standings, name, int(value), say)]


def _first(standings: Sequence[Standing], name: str, count: int, say: Say) -> Sequence[Standing]:
    """The first of some standings; the order of the tournament file decides between equal entrants.

    Formats such as a knockout need an exact number, so a tie at the cut neither adds nor removes anyone.
    """
    if count > len(standings):
        raise UsageError(f"{name} has {counted(len(standings), 'entrant')} to choose from")
    last = standings[count - 1]
    tied = [line.name for line in standings[count:] if line.rank == last.rank]
    if tied:
        inside = [line.name for line in standings[:count] if line.rank == last.rank]
        say(
            f"{', '.join((*inside, *tied))} share rank {last.rank} of {name} after all tie-breaks;"
            f" {', '.join(inside)} enter{'s' if len(inside) == 1 else ''}, as the first in the file of"
            f" {name}; to decide otherwise, name entrants by {ENTRANT}:{name}:NAME"
        )
    return standings[:count]
