"""Receipts: what an author learns of submissions and games, as files that only the author may read."""

import os
import pwd
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tourney.files import write_file
from tourney.league.league_folder import League
from tourney.league.league_tables import night_table
from tourney.league.ledger import HOUSE, Night, Submission
from tourney.store.database import Database
from tourney.store.values import Tournament

_RECEIPT: Final = "receipt.txt"
MOST_GAMES: Final = 200
"""Lost games of a version that a receipt lists."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What building and checking a bot showed: the problem or "", and the lines of trials and build."""

    problem: str = ""
    trials: tuple[str, ...] = ()
    build: tuple[str, ...] = ()


def write_diagnosis(league: League, judged: Submission, diagnosis: Diagnosis) -> None:
    """Write what building and checking a submission showed, beside its receipt."""
    files = {"check.txt": diagnosis.trials, "build.log": diagnosis.build}
    there = {name: text for name, text in files.items() if text}
    _write(league, judged.author, receipt_folder(league, judged), there)


def write_receipt(league: League, judged: Submission) -> Path:
    """Write the receipt of a submission; its folder."""
    lines = [
        f"submission   {judged.number}",
        f"bot          {judged.author}/{judged.bot}",
        f"received     {judged.received}, as {judged.source!r}",
        f"digest       {judged.digest or '-'}",
        f"result       {judged.fate}" + (f" as version {judged.version}" if judged.version else ""),
        *((f"reason       {judged.reason}",) if judged.reason else ()),
    ]
    folder = receipt_folder(league, judged)
    _write(league, judged.author, folder, {_RECEIPT: lines})
    return folder


def has_receipt(league: League, submission: Submission) -> bool:
    """Whether a submission has its receipt; one that is empty was being written."""
    path = receipt_folder(league, submission) / _RECEIPT
    return path.exists() and path.stat().st_size > 0


def receipt_folder(league: League, submission: Submission) -> Path:
    """The folder of a submission's receipt."""
    return league.outbox / submission.author / f"{submission.number:06}-{submission.bot}"


def write_news(league: League, night: Night) -> dict[str, str]:
    """Write what a night brought to each author; return the texts by author.

    That is the rating of each version that played, marked if it is the first one, and its lost games with
    their reasons.
    """
    found: dict[str, list[str]] = {}
    table = night_table(league, night.number)
    for version in league.ledger.alive(night.number):
        row = None if table is None else table.row_of(version)
        if version.author == HOUSE or row is None:
            continue
        first = "first rating" if version.night == night.number else "rating"
        place = f", place {row.place} of division {row.division}" if row.place else ""
        found.setdefault(version.author, []).append(
            f"{version.label}: {first} {row.elo:+.0f} ({row.low:+.0f} .. {row.high:+.0f}) after {row.games}"
            f" games, {row.night_games} of them in night {night.number}{place}"
        )
    with Database.open(league.database) as database:
        for one in night.tournaments:
            for author, line in _lost_games(database, database.tournaments.get(one.name)):
                if author in found:
                    found[author].append(line)
    texts = {author: "\n".join(lines) + "\n" for author, lines in found.items()}
    for author, lines in found.items():
        _write(league, author, league.outbox / author, {f"night-{night.number:04}.txt": lines})
    return texts


def _lost_games(database: Database, tournament: Tournament) -> Sequence[tuple[str, str]]:
    """The lost games of each author's versions, in schedule order, each with its reason."""
    entrants = {one.number: one.name for one in database.tournaments.entrants(tournament.id)}
    count: dict[int, int] = {}
    found = []
    for result in database.matches.results(tournament.id):
        for seat, number in enumerate(result.entrants):
            lost = result.ranks[seat] > 1 or result.faults[seat] is not None
            if result.void or not lost or entrants[number].startswith(f"{HOUSE}."):
                continue
            count[number] = count.get(number, 0) + 1
            if count[number] > MOST_GAMES:
                continue
            fault = result.faults[seat]
            why = f"fault {fault}" if fault else f"rank {result.ranks[seat]}"
            others = ", ".join(entrants[n] for n in result.entrants if n != number)
            name = entrants[number]
            found.append(
                (name.split(".")[0], f"  {name} lost {tournament.name}/{result.number} to {others}: {why}")
            )
    return found


def _write(league: League, author: str, folder: Path, files: Mapping[str, Sequence[str]]) -> None:
    """Write files that only the author (and the organiser) may read."""
    known = league.ledger.authors.get(author)
    table = league.authors.get(author)
    user = (table.user if table is not None else None) or (known.user if known is not None else None)
    # An author must not be able to put links here, because this process may have more rights.
    account = None
    with suppress(KeyError):
        account = pwd.getpwnam(user) if user is not None else None
    for place in (league.outbox / author, folder):
        place.mkdir(mode=0o700, exist_ok=True)
        with suppress(OSError):
            if account is not None:
                os.chown(place, -1, account.pw_gid)
                place.chmod(0o750)
    for name, lines in files.items():
        path = folder / name
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        write_file(path, ("\n".join(lines) + "\n").encode("utf-8", "backslashreplace"))
        with suppress(OSError):
            if account is not None:
                os.chown(path, account.pw_uid, -1)
