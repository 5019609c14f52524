"""Takes submissions from the inbox: once each, only when complete, and only from their authors.

A submission is ``inbox/AUTHOR/BOT``, a folder or file, or an archive ``BOT.zip``, ``BOT.tar`` or
``BOT.tar.gz``. It is complete if it was renamed to end in ``.ready``, if its folder holds a file ``.ready``,
or if nothing of it changed for a minute; that is read from the files' metadata, never from their content.
Names that begin with a dot or end in ``.part`` are still being written. What is complete is renamed into
``records/taken``, after which its author cannot change it; if that is not allowed, it is copied. An inbox
that is a git repository is read by ``tourney.league.git_inbox``.
"""

import re
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Final

from tourney.bots.catalogue.tree import SUBMITTED, excess, remove_tree
from tourney.league.git_inbox import git_arrivals, is_repository, write_archive
from tourney.league.identity import READY, SIGNATURE, Arrival, folder_problem, owner_of
from tourney.league.league_file import HANDLE
from tourney.league.league_folder import League, moment
from tourney.league.ledger import Author, Submission

QUIET_SECONDS: Final = 60.0
_MOST: Final = 100
"""Entries of an author's folder that are looked at."""
_NEW: Final = ".new-"
_COPY: Final = ".copy"
_KEY: Final = re.compile(r"(\d+)-([a-z0-9-]+)\.([a-z0-9-]+)", re.ASCII)


def arrivals(league: League, now: datetime) -> Iterator[Arrival]:
    """Yield what is complete in the inbox and not seen yet, by author and name; of each author its quota."""
    seen = {(one.author, one.source): one.stamp for one in league.ledger.submissions.values()}
    today = now.astimezone(UTC).date().isoformat()
    used = Counter(one.author for one in league.ledger.submissions.values() if one.received.startswith(today))
    every = git_arrivals(league) if is_repository(league) else _folder_arrivals(league, now.timestamp())
    for found in every:
        if seen.get((found.author, found.path.name)) == found.stamp:
            continue
        if used[found.author] < league.table.quota.submissions_per_day:
            used[found.author] += 1
            yield found


def _folder_arrivals(league: League, now: float) -> Iterator[Arrival]:
    for folder in _entries(league.inbox, 100 * _MOST):
        if folder.is_dir() and not folder.is_symlink():
            problem = folder_problem(league, folder.name, folder)
            for path in _entries(folder):
                if (found := _arrival(folder.name, path, now, problem)) is not None:
                    yield found


def _entries(folder: Path, most: int = _MOST) -> list[Path]:
    with suppress(OSError):
        return sorted(islice(folder.iterdir(), most))
    return []


def _arrival(author: str, path: Path, now: float, problem: str) -> Arrival | None:
    """The arrival at a place, or None if it is not complete, or not a submission."""
    name = path.name
    if name.startswith(".") or name.endswith((".part", SIGNATURE, f"{SIGNATURE}{READY}")):
        return None
    try:
        ready = name.endswith(READY) or (path.is_dir() and (path / READY).exists())
        latest = _latest_change(path)
        owner, parent = owner_of(path), owner_of(path.parent)
    except OSError:
        return None  # it went, or changes now
    if not ready and now - latest < QUIET_SECONDS:
        return None
    bot = Arrival(author, "", path, "").ending
    bot = name.removesuffix(READY).removesuffix(bot) if bot else name.removesuffix(READY)
    if path.is_symlink():
        problem = problem or f"{name} is a link: put the bot itself there"
    if owner != parent:
        problem = problem or f"{name} belongs to {owner}, and the folder {author} to {parent}"
    return Arrival(author, bot, path, f"{latest:.6f}", problem)


def _latest_change(path: Path) -> float:
    """When anything of a tree changed last, by its metadata; a tree beyond all bounds counts as it is."""
    latest, pending, count = 0.0, [path], 0
    while pending and count < 2 * SUBMITTED.files:
        place = pending.pop()
        info = place.lstat()
        latest, count = max(latest, info.st_mtime, info.st_ctime), count + 1
        if place.is_dir() and not place.is_symlink():
            pending.extend(islice(place.iterdir(), SUBMITTED.files))
    return latest


def take(league: League, arrival: Arrival, now: datetime) -> Submission | None:
    """Move an arrival to ``records/taken`` and enter it in the ledger as waiting.

    One that is refused for whose it is stays where it is, and is entered as refused; None if it cannot be
    named. A crash in between leaves a folder that ``taken_folders`` or ``recover`` finds.
    """
    ledger = league.ledger
    if HANDLE.fullmatch(arrival.author) is None:
        return None
    bot = arrival.bot if HANDLE.fullmatch(arrival.bot) else "unnamed"
    number = max((*ledger.submissions, *(key[0] for key in taken_folders(league))), default=0) + 1
    found = Submission(number, arrival.author, bot, moment(now), arrival.path.name[:200], stamp=arrival.stamp)
    if arrival.problem or bot != arrival.bot:
        why = arrival.problem or f"{arrival.bot[:60]!r} cannot name a bot: use small letters, digits and '-'"
        found = Submission(
            *(number, arrival.author, bot, found.received, found.source),
            "refused",
            reason=why,
            stamp=found.stamp,
        )
        ledger.add(found)
        return found
    taken = league.records / "taken"
    work = taken / f"{_NEW}{number}-{arrival.author}.{bot}"
    work.mkdir()
    user = None if arrival.tree else owner_of(arrival.path.parent)
    if arrival.tree:
        write_archive(league, arrival.tree, taken / _COPY)
        (taken / _COPY).rename(work / "bot.tar")
    elif not _move(arrival, work, user):
        work.rename(taken / f"stray-{number}")
        return None
    work.rename(taken / work.name.removeprefix(_NEW))
    known = arrival.author in ledger.authors
    ledger.add(*(() if known else (Author(arrival.author, found.received, user),)), found)
    return found


def recover(league: League) -> None:
    """Finish what a crash interrupted: a bot that was moved is taken, one that was copied is in the inbox."""
    for path in _entries(league.records / "taken"):
        if path.name.startswith(_NEW) and any(not one.name.endswith(SIGNATURE) for one in path.iterdir()):
            path.rename(path.with_name(path.name.removeprefix(_NEW)))
        elif path.name.startswith((_NEW, _COPY)):
            remove_tree(path)


def taken_folders(league: League) -> dict[tuple[int, str, str], Path]:
    """What lies in ``records/taken`` by number, author and bot."""
    found = {}
    for path in _entries(league.records / "taken"):
        if key := _KEY.fullmatch(path.name):
            found[int(key[1]), key[2], key[3]] = path
    return found


def _move(arrival: Arrival, work: Path, owner: str | None) -> bool:
    """Put an arrival, and the signature beside it, into a new folder, by renaming or copying.

    False if what came is not the owner's, because the author's folder was exchanged meanwhile.
    """
    target = work / (f"bot{arrival.ending}" if arrival.ending else arrival.bot)
    plain = arrival.path.name.removesuffix(READY)
    signatures = [arrival.path.with_name(f"{plain}{SIGNATURE}{end}") for end in ("", READY)]
    signatures = [one for one in signatures if one.is_file() and not one.is_symlink()]
    for one in signatures:
        shutil.copyfile(one, work / f"{target.name}{SIGNATURE}")
    try:
        arrival.path.rename(target)
    except OSError:
        copy = work.with_name(_COPY)
        if arrival.path.is_dir() and not excess(arrival.path, SUBMITTED):
            shutil.copytree(arrival.path, copy, symlinks=True, ignore=_special)
            copy.rename(target)
        elif arrival.path.is_file() and arrival.path.stat().st_size <= SUBMITTED.bytes:
            shutil.copy(arrival.path, copy, follow_symlinks=False)
            copy.rename(target)
        return True
    finally:
        for one in signatures:
            with suppress(OSError):
                one.unlink()
    return owner_of(target) == owner


def _special(folder: str, names: list[str]) -> list[str]:
    """The names in a folder that cannot be copied: pipes, sockets and devices."""
    places = ((name, Path(folder) / name) for name in names)
    return [name for name, path in places if not (path.is_symlink() or path.is_file() or path.is_dir())]
