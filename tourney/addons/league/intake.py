"""The inbox of a league: puts bots into it, and takes each once, when complete, and only from its author.

A submission is ``inbox/AUTHOR/BOT``, a folder or file, or an archive ``BOT.zip``, ``BOT.tar`` or
``BOT.tar.gz``. It is complete if it was renamed to end in ``.ready``, if its folder holds a file ``.ready``,
or if nothing of it changed for a minute; that is read from the files' metadata, never from their content.
Names that begin with a dot or end in ``.part`` are still being written. What is complete is renamed into
``records/taken``, after which its author cannot change it; if that is not allowed, it is copied.

An inbox may be a git repository: a branch AUTHOR with folders BOT, or folders AUTHOR/BOT of one branch. It is
fetched into ``records/inbox.git``; nothing of it is checked out or run. Its server decides who may push
where; the commits of an author with keys must also be signed by one of them.
"""

import os
import re
import shutil
import subprocess
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Final

from msgspec import structs

from tourney.addons.league.file import HANDLE
from tourney.addons.league.folder import League, moment
from tourney.addons.league.identity import (
    NAMESPACE,
    READY,
    SIGNATURE,
    Arrival,
    allowed_signers,
    archive_ending,
    folder_problem,
    owner_of,
)
from tourney.addons.league.ledger import Author, Submission
from tourney.bots.catalogue.manifest import FILE_NAME
from tourney.bots.catalogue.shipped import HOUSE
from tourney.bots.catalogue.submission import copy_submission
from tourney.bots.catalogue.tree import SUBMITTED, excess, remove_tree
from tourney.errors import EnvironmentFailure, UsageError

_SECONDS: Final = 600
_HEADS: Final = "refs/heads/"


def is_repository(league: League) -> bool:
    """Whether the inbox of a league is a git repository."""
    named, path = league.table.inbox, league.inbox
    return (
        "://" in named or (path / ".git").exists() or ((path / "HEAD").is_file() and (path / "refs").is_dir())
    )


def git_arrivals(league: League) -> Iterator[Arrival]:
    """Fetch the repository, and yield the bots in it. Raises EnvironmentFailure."""
    source = league.table.inbox if "://" in league.table.inbox else str(league.inbox)
    if not (league.records / "inbox.git").exists():
        _git(league, "init", "--quiet", "--bare")
    refs = (f"+{_HEADS}*:{_HEADS}*", "+HEAD:refs/inbox")
    _git(league, "fetch", "--quiet", "--prune", "--no-tags", source, *refs)
    if league.table.git == "folders":
        for author, _ in _folders(league, "refs/inbox"):
            yield from _of_author(league, author, "refs/inbox", f"{author}/")
        return
    for ref in _git(league, "for-each-ref", "--format=%(refname)", _HEADS).splitlines():
        yield from _of_author(league, ref.removeprefix(_HEADS), ref, "")


def _of_author(league: League, author: str, ref: str, below: str) -> Iterator[Arrival]:
    problem = folder_problem(league, author, None)
    for bot, tree in _folders(league, f"{ref}:{below}"):
        commit = _git(league, "log", "-1", "--format=%H", ref, "--", f"{below}{bot}").strip()
        table = league.authors.get(author)
        why = problem
        if not why and table is not None and table.keys:
            with NamedTemporaryFile("w", prefix="tourney-") as signers:
                signers.write(allowed_signers(author, table))
                signers.flush()
                keys = ("-c", "gpg.format=ssh", "-c", f"gpg.ssh.allowedSignersFile={signers.name}")
                if _run(league, *keys, "verify-commit", commit).returncode:
                    why = f"the commit {commit[:12]} is not signed by a key of {author} in authors.toml"
        yield Arrival(author, bot, Path(f"git:{below}{bot}"), tree, why, tree)


def _folders(league: League, tree: str) -> list[tuple[str, str]]:
    found = []
    for line in _git(league, "ls-tree", "-z", tree).split("\0"):
        kind, _, name = line.partition("\t")
        if " tree " in kind:
            found.append((name, kind.split()[2]))
    return sorted(found)


def write_archive(league: League, tree: str, target: Path) -> None:
    """Write a tree to a tar archive, or an empty one if it is larger than a bot may be."""
    sizes = [line.split()[3] for line in _git(league, "ls-tree", "-r", "-l", tree).splitlines()]
    if len(sizes) <= SUBMITTED.files and sum(map(int, filter(str.isdigit, sizes))) <= SUBMITTED.bytes:
        _git(league, "archive", "--format=tar", f"--output={target}", tree)
    else:
        target.touch()


def _git(league: League, *words: str) -> str:
    done = _run(league, *words)
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise EnvironmentFailure(f"git {words[0]} of the inbox failed: {''.join(last) or done.returncode}")
    return done.stdout.decode("utf-8", "replace")


def _run(league: League, *words: str) -> "subprocess.CompletedProcess[bytes]":
    try:
        return subprocess.run(  # noqa: S603 - a fixed program, without a shell
            ["git", f"--git-dir={league.records / 'inbox.git'}", *words],  # noqa: S607 - git of the PATH
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EnvironmentFailure(f"the inbox is a git repository, and git cannot be run: {error}") from error


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
    bot = name.removesuffix(READY)
    bot = bot.removesuffix(archive_ending(bot))
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
        found = structs.replace(found, fate="refused", reason=why)
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
    plain = arrival.path.name.removesuffix(READY)
    ending = archive_ending(plain)
    target = work / (f"bot{ending}" if ending else arrival.bot)
    signatures = [arrival.path.with_name(f"{plain}{SIGNATURE}{end}") for end in ("", READY)]
    signatures = [one for one in signatures if one.is_file() and not one.is_symlink()]
    # First: a bot that was moved without its signature would be refused after a crash.
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


def submit(league: League, bot: Path, author: str, name: str | None, key: Path | None) -> Path:
    """Pack a bot into ``inbox/AUTHOR/NAME.zip.ready``, signed by a key. Raises BotError and UsageError."""
    if is_repository(league):
        raise UsageError(f"the inbox {league.table.inbox} is a git repository: commit and push the bot there")
    with TemporaryDirectory(prefix="tourney-") as folder:
        manifest, files = copy_submission(bot, Path(folder) / "files", Path(folder))
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
        place = league.inbox / author
        try:
            place.mkdir(exist_ok=True)
            packed = place / f".{name}.zip"
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                if all(file.path != FILE_NAME for file in files):  # a program alone
                    text = f'name = "{manifest.name}"\nversion = "1"\ncommand = ["./{files[0].path}"]\n'
                    archive.writestr(FILE_NAME, text)
                for file in files:
                    archive.write(Path(folder) / "files" / file.path, file.path)
            if key is not None:
                _sign(packed, key, place / f"{name}.zip{SIGNATURE}")
            return packed.rename(place / f"{name}.zip{READY}")
        except OSError as error:
            raise EnvironmentFailure(f"{place} cannot be written: {error.strerror}") from error


def _sign(file: Path, key: Path, target: Path) -> None:
    if shutil.which("ssh-keygen") is None:
        raise EnvironmentFailure("--sign needs ssh-keygen: install OpenSSH")
    words = ["ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", NAMESPACE, str(file)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 - a fixed program
    if done.returncode:
        raise UsageError(f"--sign {key}: {''.join(done.stderr.strip().splitlines()[-1:])}")
    file.with_name(file.name + SIGNATURE).rename(target)
