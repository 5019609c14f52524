"""The inbox of a league: delivers bots to it, and takes each once, when complete, from its author alone.

A submission is ``inbox/AUTHOR/BOT``, a folder or file, or an archive as ``BOT.zip`` or ``BOT.tar.gz``. It is
complete if it was renamed to end in ``.ready``, if its folder holds a file ``.ready``, or if nothing in it
has changed for a minute, by the files' metadata and never by their content. Names that begin with a dot or
end in ``.part`` are still being written. A complete submission is copied into ``records/taken``, out of its
author's reach, and removed from the inbox if possible.

Authors are rivals, and any of them may be hostile. Each account has its own bound of entries, so that no
account can hide another's submissions, and one account is one author. The order of arrival follows the last
change by the file system (ctime), which no author can set. A submission that cannot be read is refused, and
the others are taken.
"""

import os
import re
import shutil
import stat
import subprocess
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from msgspec import structs

from tourney.addons.league.author_folders import author_folder, copy_arrival, deliver, remove_arrival
from tourney.addons.league.file import HANDLE
from tourney.addons.league.folder import League, LeagueFolder, moment
from tourney.addons.league.git_inbox import MOST_ENTRIES, git_arrivals, is_repository, received, write_archive
from tourney.addons.league.identity import (
    NAMESPACE,
    READY,
    SIGNATURE,
    Arrival,
    archive_ending,
    folder_problem,
)
from tourney.addons.league.ledger import Submission
from tourney.bots.catalogue.manifest import FILE_NAME
from tourney.bots.catalogue.shipped import HOUSE
from tourney.bots.catalogue.submission import copy_submission, reading
from tourney.bots.catalogue.tree import SUBMITTED
from tourney.errors import BotError, EnvironmentFailure, UnsafeFileError, UsageError
from tourney.held_folder import FolderEntry, HeldFolder, account_name, hold, remove_tree
from tourney.texts import counted, legible

QUIET_SECONDS: Final = 60.0
_NO_SUBMISSIONS: Final = (".part", SIGNATURE, f"{SIGNATURE}{READY}")
_MOST_NAMES: Final = 10_000
"""Names that are read in an author's folder, including names that are not submissions."""
_MOST_FILES: Final = 4 * SUBMITTED.files
"""Files and folders that are examined in an account's submissions."""
_NEW: Final = ".new-"
_KEY: Final = re.compile(r"(\d+)-([a-z0-9-]+)\.([a-z0-9-]+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class UnnamedFolder:
    """A folder of the inbox with submissions whose name cannot be an author's; ``user`` is its owner."""

    name: str
    user: str | None
    problem: str


@dataclass(frozen=True, slots=True)
class Inbox:
    """The complete new submissions in the inbox, the earliest first; ``notes`` name what is left there."""

    arrivals: tuple[Arrival, ...]
    notes: tuple[str, ...]
    unnamed: tuple[UnnamedFolder, ...] = ()


def arrivals(league: League, now: datetime) -> tuple[Arrival, ...]:
    """The submissions that ``look`` finds."""
    return look(league, now).arrivals


def look(league: League, now: datetime) -> Inbox:
    """Examine the inbox; each account gets its quota of submissions.

    Raises EnvironmentFailure if the inbox itself cannot be read.
    """
    notes: list[str] = []
    unnamed: list[UnnamedFolder] = []
    in_folders = partial(_folder_arrivals, now=now.timestamp(), unnamed=unnamed)
    find = git_arrivals if is_repository(league) else in_folders
    try:
        every = list(find(league, notes))
    except OSError as error:
        raise EnvironmentFailure(f"the inbox {league.inbox} cannot be read: {error.strerror}") from error
    submissions = league.ledger.submissions.values()
    seen = {(submission.author, submission.source): submission.stamp for submission in submissions}
    # The stamp tells a changed submission from one that could not be removed from the inbox.
    new = [
        arrival for arrival in every if seen.get((arrival.author, _shown(arrival.source))) != arrival.stamp
    ]
    today = now.astimezone(UTC).date().isoformat()
    # Refused submissions count too: judging them has cost the league as much.
    used = Counter(
        league.payer(submission.author, submission.user)
        for submission in submissions
        if submission.received.startswith(today)
    )
    taken = list[Arrival]()
    beyond = list[Arrival]()
    for arrival in sorted(new, key=_order):
        payer = league.payer(arrival.author, arrival.user)
        used[payer] += 1
        (taken if used[payer] <= league.table.quota.submissions_per_day else beyond).append(arrival)
    counts = Counter(league.payer(arrival.author, arrival.user) for arrival in beyond)
    for payer, count in sorted(counts.items()):
        name = _shown(payer.removeprefix("@"))
        notes.append(f"left for another day, beyond the quota of {name}: {counted(count, 'submission')}")
    # In a repository a rival could copy what waits, and be taken before it.
    trees = {arrival.tree: arrival.author for arrival in beyond if arrival.tree}
    taken = [arrival for arrival in taken if trees.get(arrival.tree, arrival.author) == arrival.author]
    timed = [
        replace(arrival, arrived=received(league, arrival)) if arrival.tree else arrival for arrival in taken
    ]
    arrivals = tuple(_one_author_each(league, sorted(timed, key=_order)))
    return Inbox(arrivals, tuple(notes), tuple(unnamed))


def _order(arrival: Arrival) -> tuple[int, str, str]:
    return arrival.arrived or 0, arrival.author, arrival.bot


def _shown(name: str) -> str:
    """A name from the inbox, which may hold anything, made safe for the ledger and people."""
    return legible(name)[:200]


def _one_author_each(league: League, arrivals: Iterable[Arrival]) -> Iterator[Arrival]:
    """Refuse submissions of an account under a second name, unless the organiser listed both names."""
    submissions = league.ledger.submissions.values()
    waiting = (
        (submission.author, submission.user) for submission in submissions if submission.fate == "waiting"
    )
    authors: dict[str, str] = {}
    for author, user in (*((name, None) for name in league.ledger.established), *waiting):
        authors.setdefault(league.payer(author, user), author)
    for arrival in arrivals:
        payer = league.payer(arrival.author, arrival.user)
        if arrival.problem or not HANDLE.fullmatch(arrival.bot) or arrival.author in league.authors:
            yield arrival
        elif (author := authors.setdefault(payer, arrival.author)) != arrival.author:
            why = f"{payer.removeprefix('@')} is the author {author} already: one account is one author"
            yield replace(arrival, problem=why)
        else:
            yield arrival


def _folder_arrivals(
    league: League, notes: list[str], now: float, unnamed: list[UnnamedFolder]
) -> Iterator[Arrival]:
    """Yield the complete submissions in the authors' folders, up to the bounds of each account."""
    folders: dict[str, list[str]] = {}
    strays = 0
    with hold(league.inbox) as inbox:
        with os.scandir(inbox.fd) as scan:
            for entry in scan:
                try:
                    if entry.is_dir(follow_symlinks=False):
                        owner = account_name(entry.stat(follow_symlinks=False).st_uid)
                        folders.setdefault(league.payer(entry.name, owner), []).append(entry.name)
                    else:
                        strays += not entry.name.startswith(".")
                except OSError as error:  # as of a mount whose server has ended
                    if not isinstance(error, FileNotFoundError):
                        notes.append(f"inbox/{_shown(entry.name)} is left alone: {error.strerror}")
        if strays:
            notes.append(
                f"the inbox has {counted(strays, 'entry', 'entries')} besides the folders of authors"
            )
        authors = league.ledger.established.keys() | league.authors.keys()
        for payer, names in sorted(folders.items()):
            names.sort(key=lambda name: (name not in authors, name))
            yield from _AccountLook(league, payer, now, notes, unnamed).look(inbox, names)


class _AccountLook:
    """Examines the folders of one account, up to its bounds; ``notes`` gets the rest.

    ``unnamed`` gets the folders that hold submissions and cannot name an author.
    """

    def __init__(
        self, league: League, payer: str, now: float, notes: list[str], unnamed: list[UnnamedFolder]
    ) -> None:
        self._league = league
        self._payer = payer
        self._now = now
        self._notes = notes
        self._unnamed = unnamed
        self._entries = MOST_ENTRIES
        self._files = _MOST_FILES

    def look(self, inbox: HeldFolder, names: list[str]) -> Iterator[Arrival]:
        """Yield the complete submissions in the folders with these names."""
        for number, name in enumerate(names):
            if number >= MOST_ENTRIES or self._entries <= 0:
                self._leave(self._payer.removeprefix("@"), len(names) - number, "folder", "folders")
                return
            try:
                with inbox.hold(name) as folder:
                    yield from self._look_in(folder, name)
            except (OSError, UnsafeFileError) as error:
                self._notes.append(f"the folder {_shown(name)} of the inbox cannot be read: {_reason(error)}")

    def _leave(self, whose: str, count: int, *nouns: str) -> None:
        if count > 0:
            self._notes.append(f"left alone, beyond the bound of {_shown(whose)}: {counted(count, *nouns)}")

    def _look_in(self, folder: HeldFolder, author: str) -> Iterator[Arrival]:
        user = account_name(folder.owner or 0)
        if self._league.payer(author, user) != self._payer:
            return  # it was exchanged since the inbox was listed
        problem = folder_problem(self._league, author, user)
        with os.scandir(folder.fd) as scan:
            names = [entry.name for entry in islice(scan, _MOST_NAMES + 1)]
        if len(names) > _MOST_NAMES:
            self._notes.append(f"{_shown(author)}: its folder has more than {_MOST_NAMES:,} entries")
        submissions = []
        for name in names:
            if not name.startswith(".") and not name.endswith(_NO_SUBMISSIONS):
                with suppress(OSError):  # it went, or its mount does not answer
                    info = os.stat(name, dir_fd=folder.fd, follow_symlinks=False)
                    submissions.append(FolderEntry(name, info))
        # The newest first, because what nights copied stays in the folder.
        submissions.sort(key=lambda entry: entry.info.st_ctime_ns, reverse=True)
        if submissions and HANDLE.fullmatch(author) is None:
            # No line of the ledger can hold such a name, so they do not arrive, and use no quota.
            count = counted(len(submissions), "submission")
            self._notes.append(f"inbox/{_shown(author)} is left alone, with {count}: {problem}")
            self._unnamed.append(UnnamedFolder(author, user, f"{problem}; {count} left alone"))
            return
        for number, entry in enumerate(submissions):
            seen = _see(folder, entry, self._files)
            if self._entries <= 0 or seen.entries > self._files:
                self._leave(author, len(submissions) - number, "submission")
                return
            self._entries -= 1
            self._files -= seen.entries
            if not seen.is_complete(self._now):
                if seen.latest:
                    self._notes.append(
                        f"inbox/{_shown(f'{author}/{entry.name}')} waits: it changed less than"
                        f" {QUIET_SECONDS:g} s ago, and may not be complete; a name that ends in {READY} is"
                        " taken at once"
                    )
            else:
                yield _arrival(author, user, entry, seen, problem or seen.problem)


@dataclass(frozen=True, slots=True)
class _Seen:
    """The metadata of a submission: the last change of anything in it, in seconds and by ``ctime``.

    ``latest`` is 0 if it has vanished. ``problem``: the reason that it cannot be taken, or "".
    """

    latest: float
    arrived: int
    ready: bool
    problem: str
    entries: int

    @property
    def stamp(self) -> str:
        """A text that differs after each change."""
        return f"{self.latest:.6f}"

    def is_complete(self, now: float) -> bool:
        """Whether its author has finished it."""
        return self.latest > 0 and (self.ready or now - self.latest >= QUIET_SECONDS)


def _see(folder: HeldFolder, entry: FolderEntry, most: int) -> _Seen:
    """Look at a submission without reading it, up to a number of files and folders."""
    latest = 0.0
    arrived = 0
    ready = entry.name.endswith(READY)
    problem = ""
    count = 0
    # One more than a bot may have, with as many that do not belong to it.
    most = min(most, 2 * SUBMITTED.files)
    pending = [(entry.name, entry)]
    try:
        while pending:
            path, inner = pending.pop()
            count += 1
            latest = max(latest, inner.info.st_mtime, inner.info.st_ctime)
            arrived = max(arrived, inner.info.st_ctime_ns // 1000)
            if inner.is_folder:
                within = folder.entries(path, most + 1)
                ready |= path == entry.name and any(child.name == READY for child in within)
                pending += ((f"{path}/{child.name}", child) for child in within)
            elif not stat.S_ISREG(inner.info.st_mode):
                kind = "a link" if stat.S_ISLNK(inner.info.st_mode) else "neither a file nor a folder"
                problem = problem or f"{_shown(path)} is {kind}: put the bot itself there"
            if count + len(pending) > most:
                problem = (
                    f"it has more than {most:,} files and folders: remove those that do not belong to the bot"
                )
                count = most + 1
                break
    except FileNotFoundError:
        return _Seen(0.0, 0, False, "", count)  # it changes now
    except (OSError, UnsafeFileError) as error:
        problem = _reason(error, path)
    return _Seen(latest, arrived, ready, problem, count)


def _reason(error: OSError | UnsafeFileError, path: str = "it") -> str:
    """The reason, for the author, that something in its folder cannot be read."""
    if isinstance(error, UnsafeFileError):
        return str(error)
    return f"{_shown(path)} cannot be read ({error.strerror}): let the organiser's account read it"


def _arrival(author: str, user: str, entry: FolderEntry, seen: _Seen, problem: str) -> Arrival:
    bot = entry.name.removesuffix(READY)
    bot = bot.removesuffix(archive_ending(bot))
    owner = account_name(entry.info.st_uid)
    if owner != user:
        problem = problem or f"{_shown(entry.name)} belongs to {owner}, and the folder {author} to {user}"
    return Arrival(author, bot, entry.name, seen.stamp, problem, user=user, arrived=seen.arrived)


def take(league: League, arrival: Arrival, now: datetime) -> Submission | None:
    """Copy an arrival to ``records/taken``, enter it in the ledger as waiting, and remove the original.

    An arrival that cannot be read safely is entered as refused, and so is one with the wrong owner, which
    stays in the inbox. None if its author cannot be named, or if it is changing. After a crash ``recover``
    finishes what is in the ledger. Raises OSError if the machine fails.
    """
    ledger = league.ledger
    if HANDLE.fullmatch(arrival.author) is None:
        return None
    bot = arrival.bot if HANDLE.fullmatch(arrival.bot) else "unnamed"
    # Also above the folders that a crash left, so that two submissions never share a number.
    number = max((*ledger.submissions, *(key[0] for key in taken_folders(league))), default=0) + 1
    submission = Submission(
        *(number, arrival.author, bot, moment(now), _shown(arrival.source)),
        stamp=arrival.stamp,
        user=arrival.user,
        arrived=arrival.arrived,
    )
    if arrival.problem or bot != arrival.bot:
        shown = _shown(arrival.bot)[:60]
        why = arrival.problem or f"{shown!r} cannot name a bot: use small letters, digits and '-'"
        submission = structs.replace(submission, fate="refused", reason=legible(why)[:1000])
        ledger.add(submission)
        return submission
    taken = league.records / "taken"
    work = taken / f"{_NEW}{number}-{arrival.author}.{bot}"
    work.mkdir(mode=0o700)
    box = None
    with ExitStack() as stack:
        try:
            if arrival.tree:
                write_archive(league, arrival.tree, work / "bot.tar")
            else:
                with reading(bot, work):
                    box = stack.enter_context(author_folder(league.inbox, arrival.author))
                if not _copy_unchanged(box, arrival, work):
                    remove_tree(work)
                    return None
        except BotError as error:
            reason = legible(str(error), " ")[:1000]
            submission = structs.replace(submission, fate="refused", reason=reason)
        ledger.add(submission)
        if submission.fate == "refused":
            remove_tree(work)
        else:
            # By name: the records are private, so no other account can exchange a folder in them.
            work.rename(taken / work.name.removeprefix(_NEW))
        if box is not None:
            remove_arrival(box, arrival.source, number)
    return submission


def _copy_unchanged(box: HeldFolder, arrival: Arrival, work: Path) -> bool:
    """Copy an arrival; False if it has changed since it was examined.

    Its author could exchange it for a rival's later bot, and keep the earlier time of arrival. Raises
    BotError and OSError as ``copy_arrival`` does.
    """
    if account_name(box.owner or 0) != arrival.user:
        return False
    copy_arrival(box, arrival.source, arrival.bot, work)
    with reading(arrival.bot, work):
        info = os.stat(arrival.source, dir_fd=box.fd, follow_symlinks=False)
        return _see(box, FolderEntry(arrival.source, info), _MOST_FILES).stamp == arrival.stamp


def recover(league: League) -> None:
    """Finish what a crash interrupted: what is in the ledger was copied whole, the rest is in the inbox."""
    waiting = {
        submission.number for submission in league.ledger.submissions.values() if submission.fate == "waiting"
    }
    for path in sorted((league.records / "taken").iterdir()):
        plain = path.name.removeprefix(_NEW)
        key = _KEY.fullmatch(plain)
        if plain != path.name and key is not None and int(key[1]) in waiting:
            path.rename(path.with_name(plain))  # by name: the records are private
        elif plain != path.name:
            remove_tree(path)


def taken_folders(league: League) -> dict[tuple[int, str, str], Path]:
    """The folders in ``records/taken`` by number, author and bot."""
    folders = {}
    for path in (league.records / "taken").iterdir():
        if key := _KEY.fullmatch(path.name):
            folders[int(key[1]), key[2], key[3]] = path
    return folders


def submit(league: LeagueFolder, bot: Path, author: str, name: str | None, key: Path | None) -> Path:
    """Pack a bot into ``inbox/AUTHOR/NAME.zip.ready``, signed by a key. Raises BotError and UsageError."""
    if is_repository(league):
        raise UsageError(f"the inbox {league.table.inbox} is a git repository: commit and push the bot there")
    with TemporaryDirectory(prefix="tourney-") as scratch:
        manifest, files, _ = copy_submission(bot, Path(scratch) / "files", Path(scratch))
        if not manifest.plays(game := league.table.game):
            raise UsageError(f"{bot} plays {', '.join(manifest.games)}, and this league plays {game}")
        name = name or manifest.name
        if author == HOUSE:
            raise UsageError(f"{HOUSE} is the name of the league's own bots: choose another --author")
        for what, word in (("an author", author), ("a bot", name)):
            if HANDLE.fullmatch(word) is None:
                raise UsageError(
                    f"{word!r} cannot name {what}: use small letters, digits and '-', at most 24"
                )
        packed = Path(scratch) / f"{name}.zip"
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            if all(file.path != FILE_NAME for file in files):  # a program alone
                text = f'name = "{manifest.name}"\nversion = "1"\ncommand = ["./{files[0].path}"]\n'
                archive.writestr(FILE_NAME, text)
            for file in files:
                archive.write(Path(scratch) / "files" / file.path, file.path)
        files_there = {f"{name}.zip{READY}": packed}
        if key is not None:  # first: without it the archive would be refused
            files_there = {f"{name}.zip{SIGNATURE}": _sign(packed, key)} | files_there
        place = league.inbox / author
        try:
            deliver(league.inbox, author, files_there)
        except OSError as error:
            raise EnvironmentFailure(f"{place} cannot be written: {error.strerror}") from error
        return place / f"{name}.zip{READY}"


def _sign(file: Path, key: Path) -> Path:
    if shutil.which("ssh-keygen") is None:
        raise EnvironmentFailure("--sign needs ssh-keygen: install OpenSSH")
    words = ["ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", NAMESPACE, str(file)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 - a fixed program
    if done.returncode:
        raise UsageError(f"--sign {key}: {''.join(done.stderr.strip().splitlines()[-1:])}")
    return file.with_name(file.name + SIGNATURE)
