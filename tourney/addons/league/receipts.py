"""The receipts of a league: the outcome of each submission, and the news of a night for each author.

If nights run as root, ``outbox/AUTHOR`` belongs to its author alone, who may exchange anything in it. A
receipt that cannot be written there is reported, and never ends a night.
"""

import errno
import hashlib
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from tourney.addons.league.author_folders import write_receipts
from tourney.addons.league.folder import League, moment
from tourney.addons.league.intake import UnnamedFolder
from tourney.addons.league.ledger import Night, Submission
from tourney.addons.league.tables import night_table
from tourney.bots.catalogue.shipped import HOUSE
from tourney.errors import StoreError, UnsafeFileError
from tourney.exchange.entrant_files import entrant_files
from tourney.held_folder import account_number, hold
from tourney.store.database import Database
from tourney.store.values import Tournament
from tourney.texts import legible

_RECEIPT: Final = "receipt.txt"
MOST_GAMES: Final = 200
"""Lost games of a version that a receipt lists."""
MOST_MATCHES: Final = 20
"""Lost games of a version whose records and logs its author gets after each night: they add up."""
_MACHINE: Final = frozenset({errno.ENOSPC, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE})
"""Errors of this machine; a quota of the disk is the author's."""


Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The outcome of building and checking a bot: the problem or "", and the lines of trials and build.

    Its author is charged ``charged_ms``, of which its longest trial took ``match_ms``. ``cut``: its time was
    over before the end.
    """

    problem: str = ""
    trials: tuple[str, ...] = ()
    build: tuple[str, ...] = ()
    charged_ms: int = 0
    match_ms: int = 0
    cut: bool = False


def write_diagnosis(league: League, judged: Submission, diagnosis: Diagnosis, say: Say) -> None:
    """Write the output of building and checking a submission beside its receipt."""
    files = {"check.txt": diagnosis.trials, "build.log": diagnosis.build}
    there = {name: lines for name, lines in files.items() if lines}
    _write(league, judged.author, judged.user, receipt_folder(judged), there, say)


def write_receipt(league: League, judged: Submission, say: Say) -> None:
    """Write the receipt of a submission."""
    arrived = judged.arrived and datetime.fromtimestamp(judged.arrived / 1_000_000, UTC).isoformat()
    lines = [
        f"submission   {judged.number}",
        f"bot          {judged.author}/{judged.bot}",
        *((f"arrived      {arrived}",) if arrived else ()),
        f"received     {judged.received}, as {judged.source!r}",
        f"digest       {judged.digest or '-'}",
        f"result       {judged.fate}" + (f" as version {judged.version}" if judged.version else ""),
        *((f"reason       {judged.reason}",) if judged.reason else ()),
        *(
            (f"charged      {judged.charged_ms / 1000:.1f} s of build and trials",)
            if judged.charged_ms
            else ()
        ),
    ]
    _write(league, judged.author, judged.user, receipt_folder(judged), {_RECEIPT: lines}, say)


def write_unnamed(league: League, unnamed: UnnamedFolder, now: datetime, say: Say) -> None:
    """Write the receipt for a folder that cannot name an author, and so has no line in the ledger.

    No author can have the name of its folder in the outbox, which begins with an underscore.
    """
    plain = unicodedata.normalize("NFKD", unnamed.name.lower())
    letters = re.sub(r"[^a-z0-9]+", "-", plain.encode("ascii", "ignore").decode("ascii")).strip("-")[:24]
    # Names that are alike in these letters must not share a receipt.
    digits = hashlib.sha256(os.fsencode(unnamed.name)).hexdigest()[:8]
    lines = [
        f"folder       inbox/{legible(unnamed.name)}",
        f"looked at    {moment(now)}",
        "result       refused",
        f"reason       {unnamed.problem}",
        f"suggestion   rename the folder to {letters or 'a name of small letters'}",
    ]
    _write(league, f"_{letters or 'folder'}-{digits}", unnamed.user, "", {_RECEIPT: lines}, say)


def receipt_folder(submission: Submission) -> str:
    """The name of the folder of a submission's receipt, below that of its author in the outbox."""
    return f"{submission.number:06}-{submission.bot}"


def has_receipt(league: League, submission: Submission) -> bool:
    """Whether the receipt of a submission was written."""
    path = f"{submission.author}/{receipt_folder(submission)}/{_RECEIPT}"
    with suppress(OSError, UnsafeFileError), hold(league.outbox) as outbox:
        # The author owns it by now, and may have put anything in its place: only its size is asked.
        file = replace(outbox, owner=None).open_file(path)
        # A crash may leave an empty file behind; such a receipt is written again.
        size = os.fstat(file).st_size
        os.close(file)
        return size > 0
    return False


def write_news(league: League, night: Night, say: Say) -> dict[str, str]:
    """Write the news of a night for each author; return the texts by author.

    The news are the rating of each version that played, marked if it is the first one, and its lost games
    with their reasons. Each version also gets a folder with its feedback, such as its own logs.
    """
    by_author: dict[str, list[str]] = {}
    table = night_table(league, night.number)
    for version in league.ledger.alive(night.number):
        row = None if table is None else table.row_of(version)
        if version.author == HOUSE or row is None:
            continue
        first = "first rating" if version.night == night.number else "rating"
        place = f", place {row.place} of division {row.division}" if row.place else ""
        by_author.setdefault(version.author, []).append(
            f"{version.label}: {first} {row.elo:+.0f} ({row.low:+.0f} .. {row.high:+.0f}) after {row.games}"
            f" games, {row.night_games} of them in night {night.number}{place}"
        )
    with Database.open(league.database) as database:
        for played in night.tournaments:
            tournament = database.tournaments.get(played.name)
            for author, line in _lost_games(database, tournament):
                if author in by_author:
                    by_author[author].append(line)
            for entrant in database.tournaments.entrants(tournament.id) if played.matches else ():
                author, _, bot = entrant.name.partition(".")
                if author in by_author:
                    folder = f"{tournament.name}-{bot}"
                    files = dict(entrant_files(database, tournament, entrant, MOST_MATCHES))
                    texts = {name: _lines(content) for name, content in files.items()}
                    _write(league, author, None, folder, texts, say)
    news = {author: "\n".join(lines) + "\n" for author, lines in by_author.items()}
    for author, lines in by_author.items():
        _write(league, author, None, "", {f"night-{night.number:04}.txt": lines}, say)
    return news


def _lines(content: bytes) -> list[str]:
    return content.decode("utf-8").removesuffix("\n").split("\n")


def _lost_games(database: Database, tournament: Tournament) -> Iterator[tuple[str, str]]:
    """Yield the lost games of each author's versions, in schedule order, each with its reason."""
    entrants = {entrant.number: entrant.name for entrant in database.tournaments.entrants(tournament.id)}
    count: Counter[int] = Counter()
    for result in database.matches.results(tournament.id):
        for number, rank, fault in zip(result.entrants, result.ranks, result.faults, strict=True):
            name = entrants[number]
            if result.void or (rank == 1 and fault is None) or name.startswith(f"{HOUSE}."):
                continue
            count[number] += 1
            if count[number] <= MOST_GAMES:
                why = f"fault {fault}" if fault else f"rank {rank}"
                others = ", ".join(entrants[opponent] for opponent in result.entrants if opponent != number)
                game = f"{tournament.name}/{result.number}"
                yield name.partition(".")[0], f"  {name} lost {game} to {others}: {why}"


def _write(
    league: League, author: str, user: str | None, folder: str, files: Mapping[str, Sequence[str]], say: Say
) -> None:
    """Write files for an author, to a folder below its own or, if that is "", there.

    ``user`` is the owner of a submission, for a new author. Raises StoreError if the machine fails.
    """
    account = league.account_of(author) or user
    try:
        number = None if account is None else account_number(account)
        write_receipts(league.outbox, author, number, folder, files)
    except (OSError, UnsafeFileError) as error:
        if isinstance(error, OSError) and error.errno in _MACHINE:
            raise StoreError(f"{league.outbox} cannot be written: {error.strerror}") from error
        say(f"the outbox of {author} cannot be written: {error}")
