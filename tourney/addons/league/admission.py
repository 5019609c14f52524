"""Judges submissions, and writes their receipts, which only their author may read.

Build, check, name, digest and quota decide; what passes becomes a version of its bot.
"""

import os
import pwd
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from msgspec import structs

from tourney.addons.league.folder import League, moment
from tourney.addons.league.identity import READY, SIGNATURE, imitated, signature_problem
from tourney.addons.league.intake import arrivals, recover, take, taken_folders
from tourney.addons.league.ledger import BotVersion, Entry, Fate, Night, Submission
from tourney.addons.league.tables import night_table
from tourney.bots.catalogue.shipped import HOUSE, shipped_bots, shipped_digests
from tourney.bots.catalogue.store import StoredBot
from tourney.bots.catalogue.tree import naming, remove_tree
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.errors import BotError, legible
from tourney.files import write_file
from tourney.run.check_bot import check_bot
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


def _lost_games(database: Database, tournament: Tournament) -> Iterator[tuple[str, str]]:
    """Yield the lost games of each author's versions, in schedule order, each with its reason."""
    entrants = {one.number: one.name for one in database.tournaments.entrants(tournament.id)}
    count: Counter[int] = Counter()
    for result in database.matches.results(tournament.id):
        for number, rank, fault in zip(result.entrants, result.ranks, result.faults, strict=True):
            name = entrants[number]
            if result.void or (rank == 1 and fault is None) or name.startswith(f"{HOUSE}."):
                continue
            count[number] += 1
            if count[number] <= MOST_GAMES:
                why = f"fault {fault}" if fault else f"rank {rank}"
                others = ", ".join(entrants[one] for one in result.entrants if one != number)
                game = f"{tournament.name}/{result.number}"
                yield name.partition(".")[0], f"  {name} lost {game} to {others}: {why}"


def _write(league: League, author: str, folder: Path, files: Mapping[str, Sequence[str]]) -> None:
    """Write files that only the author (and the organiser) may read."""
    user, account = league.account_of(author), None
    # An author must not be able to put links here, because this process may have more rights.
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


Say = Callable[[str], None]
_RECENT: Final = timedelta(days=2)
"""The age of submissions whose receipts are looked for."""


def take_in(league: League, night: int, now: datetime, say: Say) -> None:
    """Take what is complete in the inbox, and judge all that was taken; each gets a receipt.

    What a crash left in ``records/taken`` is judged again, under the same number. Raises SandboxError and
    StoreError if the machine fails; then submissions wait for the next call.
    """
    recover(league)
    for arrival in list(arrivals(league, now)):
        found = take(league, arrival, now)
        if found is None:
            say(f"inbox/{arrival.author!r} is left alone: {arrival.problem}")
        elif found.fate == "refused":
            _tell(league, found, say)
    for (number, author, bot), path in sorted(taken_folders(league).items()):
        known = league.ledger.submissions.get(number)
        submission = known or Submission(number, author, bot, moment(now), bot)
        if submission.fate == "waiting":
            _tell(league, _judge(league, submission, path, night), say)
        remove_tree(path)
    for one in league.ledger.submissions.values():
        if one.fate != "waiting" and one.received >= moment(now - _RECENT):
            # A crash may have come before the receipt, or after it was made and before it was written.
            receipt = receipt_folder(league, one) / _RECEIPT
            if not receipt.exists() or receipt.stat().st_size == 0:
                _tell(league, one, say)


def enter_house(league: League, night: int) -> None:
    """Enter the house's bots, and new versions of them after Tourney was upgraded."""
    for name in league.table.house:
        bot = league.store.add(shipped_bots()[name], origin="used")
        versions = league.ledger.versions_of(HOUSE, name)
        if not versions or versions[-1].digest != bot.digest:
            league.ledger.add(*_new_version(league, HOUSE, name, bot.digest, night))


def _tell(league: League, judged: Submission, say: Say) -> None:
    write_receipt(league, judged)
    say(f"submission {judged.number}, {judged.sentence}")


def _judge(league: League, submission: Submission, folder: Path, night: int) -> Submission:
    """Judge a submission, and enter the result in the ledger in one write."""
    diagnosis = Diagnosis()
    entries: tuple[Entry, ...] = ()
    try:
        bot = _stored(league, submission, folder)
        submission = structs.replace(submission, digest=bot.digest)
        version = _refuse_known(league, submission, bot)
        if version is None:
            diagnosis = diagnosis_of(league, bot)
            if not diagnosis.problem:
                new, *before = _new_version(league, submission.author, submission.bot, bot.digest, night)
                version, entries = new.number, (new, *before)
        fate: Fate = "refused" if diagnosis.problem else "accepted"
        judged = structs.replace(
            submission, fate=fate, version=version, reason=_line(diagnosis.problem, folder)
        )
    except BotError as error:
        judged = structs.replace(submission, fate="refused", reason=_line(str(error), folder))
    write_diagnosis(league, judged, diagnosis)  # a crash after the next line would lose it
    league.ledger.add(judged, *entries)
    return judged


def _line(text: str, folder: Path) -> str:
    """A problem for an author, in one line and without the paths of this machine."""
    text = text.replace(f"{folder}/", "")
    return legible(text, " ")[:1000]


def _stored(league: League, submission: Submission, folder: Path) -> StoredBot:
    """The bot of a submission, from the store. Raises BotError."""
    places = [path for path in folder.iterdir() if not path.name.endswith(SIGNATURE)]
    if len(places) != 1 or places[0].is_symlink():
        raise BotError("it could not be read: put it into the inbox again")
    path = places[0]
    table = league.authors.get(submission.author)
    if table is not None and table.keys and not submission.source.startswith("git:"):
        if not path.is_file():
            raise BotError("it is not signed: sign an archive of the bot's folder")
        if why := signature_problem(submission.author, table, path, path.with_name(path.name + SIGNATURE)):
            raise BotError(why)
    with suppress(OSError):
        if path.is_dir():
            (path / READY).unlink()
    bot = league.store.add(path)
    with naming(submission.bot):
        if not bot.manifest.plays(league.table.game):
            raise BotError(f"it plays {', '.join(bot.manifest.games)}, not {league.table.game}")
    return bot


def _refuse_known(league: League, submission: Submission, bot: StoredBot) -> int | None:
    """The version that a submission is already, or None. Raises BotError for what must not enter."""
    author, name, ledger = submission.author, submission.bot, league.ledger
    shipped = next((one for one, digest in shipped_digests().items() if digest == bot.digest), None)
    if shipped is not None:
        raise BotError(f"it is a copy of {shipped}, a bot that ships with Tourney")
    known = ledger.by_digest.get(bot.digest)
    if known is not None:
        if (known.author, known.bot) != (author, name):
            raise BotError(f"it is a copy of {known.label}")
        if known.withdrawn or known.superseded is not None:
            why = "was withdrawn" if known.withdrawn else "a newer version superseded"
            raise BotError(f"it is {known.label}, which {why}: change it, and it enters as a new version")
        return known.number
    others = {one.bot for one in ledger.versions if one.author != author}
    if other := imitated(name, others | shipped_bots().keys()):
        raise BotError(f"the name {name} looks like {other}: choose another one")
    own = {one.bot for one in ledger.versions if one.author == author and not one.withdrawn}
    if len(own | {name}) > league.table.quota.bots:
        raise BotError(
            f"{author} has {len(own)} bots, the most for an author: submit a version of one, or withdraw one"
        )
    return None


def diagnosis_of(league: League, bot: StoredBot) -> Diagnosis:
    """Build a bot and let it play its trials, contained. Raises SandboxError if the machine fails."""
    lines: list[str] = []
    problem = ""
    try:
        sandbox = open_sandbox(league.table.sandbox)
        for trial in check_bot(bot, league.store, sandbox, [league.table.game], league.limits):
            lines += trial.lines()
            if trial.ok is False and not problem:
                problem = f"{trial.name}: {trial.result}" + (f"; {trial.advice}" if trial.advice else "")
    except BotError as error:
        notes = tuple(line for note in getattr(error, "__notes__", ()) for line in note.splitlines())
        return Diagnosis(str(error), tuple(lines), notes)
    return Diagnosis(problem, tuple(lines))


def _new_version(league: League, author: str, bot: str, digest: str, night: int) -> Iterator[BotVersion]:
    """Yield a new version of a bot, and the one that it supersedes."""
    versions = league.ledger.versions_of(author, bot)
    yield BotVersion(author, bot, len(versions) + 1, digest, night)
    retired = night + (0 if author == HOUSE else league.table.quota.superseded_nights)
    for one in versions[-1:]:
        if one.superseded is None:
            yield structs.replace(one, superseded=night, retired=retired)
