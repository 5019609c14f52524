"""The content-addressed store of bots: a folder that keeps every bot that was ever played with.

::

    tourney-bots/
        entries/DIGEST/files/...      a bot's files as submitted, read-only
        entries/DIGEST/files.json     their list, whose SHA-256 is DIGEST
        removed/DIGEST/               what ``remove`` took out, for ``restore``
        builds/HOST/DIGEST/...        what a bot's build left on a host (see ``tourney.bots.catalogue.build``)
        added                         a line an addition, in order: "DIGEST added" or "DIGEST used"
        lock                          held while something is added or removed
        temporary/                    what is being added; swept by the next one who adds

Nothing in an entry changes once it is there. A name without a version means the bot that was added last
under it, so the order of additions is kept; a clock has no say.
"""

import fcntl
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tourney.bots.catalogue.files import (
    DIGEST,
    content_digest,
    find_difference,
    read_file_manifest,
    remove_tree,
    sync_folder,
    write_file_manifest,
)
from tourney.bots.catalogue.manifest import NAME, VERSION, Manifest
from tourney.bots.catalogue.submission import copy_submission, manifest_of
from tourney.errors import BotError, StoreError
from tourney.games.registry import GAMES

Origin = Literal["added", "used"]
"""Whether a bot was added by name, or is kept because it was played with by path or ships with Tourney."""

_PREFIX = re.compile(r"[0-9a-f]{6,64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class StoredBot:
    """A bot as it lies in a store: its digest, its manifest, and the folder of its files (read-only)."""

    digest: str
    manifest: Manifest
    folder: Path

    @property
    def label(self) -> str:
        """``name@version``, for people."""
        return f"{self.manifest.name}@{self.manifest.version}"


@dataclass(frozen=True, slots=True)
class StoreEntry:
    """A line of the store's list: a bot or, for a damaged entry, what is wrong; ``why`` it is there."""

    digest: str
    why: Origin
    bot: StoredBot | None
    damage: str = ""


class BotStore:
    """A store in a folder, which is made when the first bot is added.

    Any number of processes may read and add at once; whoever adds holds a lock. Reading writes nothing.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()

    def add(self, source: Path, *, why: Origin = "added") -> StoredBot:
        """Copy a bot (an executable file, a folder or a .zip) into the store and return it.

        A bot that is there already is checked and returned, and counts as added last; a damaged entry is
        replaced. Raises BotError for what is no bot, StoreError where the store cannot be written.
        """
        if source.is_dir() and self.root.resolve().is_relative_to(source.resolve()):
            raise BotError(
                f"the bot store {self.root} lies inside of the bot's folder {source};"
                " name another with --bots, or add the bot from the folder above it"
            )
        with self._writing() as temporary:
            sealed = temporary / "entry"
            sealed.mkdir()
            submission = copy_submission(source, sealed / "files", temporary)
            check_games(submission.manifest, str(source))
            digest = content_digest(submission.files)
            try:
                bot = self.fetch(digest)
            except BotError:
                # It is not there, or damaged; either way what was just copied is whole and takes its place.
                write_file_manifest(sealed, submission.files)
                self._move(sealed, self._entry(digest))
                bot = self.fetch(digest)
            self._note(digest, why)
        return bot

    def fetch(self, digest: str) -> StoredBot:
        """Return the bot of a full digest, its content checked file by file.

        Raises BotError if the store has none, or names the file that is damaged.
        """
        entry = self._entry(digest)
        if DIGEST.fullmatch(digest) is None or not entry.is_dir():
            undo = f"; `tourney bots remove --undo {digest[:12]}` brings it back"
            gone = undo if self.was_removed(digest) else ""
            raise BotError(f"the store {self.root} has no bot with the digest {digest}{gone}")
        listed = read_file_manifest(entry)
        if content_digest(listed) != digest:
            raise BotError(self._damaged(digest, "its list of files does not fit the digest"))
        difference = find_difference(listed, entry / "files")
        if difference:
            raise BotError(self._damaged(digest, difference))
        return StoredBot(digest, manifest_of(entry / "files", listed, str(entry)), entry / "files")

    def find(self, reference: str, why: Origin | None = None) -> StoredBot | None:
        """Return the bot that ``locate`` finds, its content checked, or None. Raises BotError for damage."""
        digest = self.locate(reference, why)
        return None if digest is None else self.fetch(digest)

    def locate(self, reference: str, why: Origin | None = None) -> str | None:
        """Return the digest that a name, a name@version or the beginning of a digest means, or None.

        Of several bots under one name, those added come before those kept because they were used, and the
        last before the others; with ``why`` only one sort counts. A digest's beginning has 6 digits or more.
        Raises BotError if several digests begin so. Contents are not checked.
        """
        name, at, version = reference.partition("@")
        if NAME.fullmatch(name) and (not at or VERSION.fullmatch(version)):
            fitting = [
                listed
                for listed in self.entries()
                if listed.bot is not None
                and listed.bot.manifest.name == name
                and (not at or listed.bot.manifest.version == version)
                and why in (None, listed.why)
            ]
            if fitting:
                added = [listed for listed in fitting if listed.why == "added"]
                return (added or fitting)[-1].digest
        return self._locate_digest(reference) if why is None else None

    def _locate_digest(self, beginning: str) -> str | None:
        if _PREFIX.fullmatch(beginning) is None:
            return None
        digests = [digest for digest in self._digests() if digest.startswith(beginning)]
        if len(digests) > 1:
            raise BotError(
                f"{beginning} is the beginning of {len(digests)} digests in {self.root}; give more"
            )
        return digests[0] if digests else None

    def entries(self) -> tuple[StoreEntry, ...]:
        """Return all that is in the store, the oldest addition first. Contents are not checked."""
        notes = self._notes()
        place = {digest: k for k, digest in enumerate(notes)}
        digests = sorted(self._digests(), key=lambda digest: place.get(digest, -1))
        return tuple(self._listed(digest, notes.get(digest, "used")) for digest in digests)

    def remove(self, digest: str) -> None:
        """Take a bot out of the store; its files stay in ``removed/`` until someone deletes them there.

        Raises BotError if the store has no such bot.
        """
        with self._writing():
            if not self._entry(digest).is_dir():
                raise BotError(f"the store {self.root} has no bot with the digest {digest}")
            self._move(self._entry(digest), self._removed(digest))

    def restore(self, digest: str) -> StoredBot:
        """Bring back what ``remove`` took out; ``digest`` may be its beginning. Raises BotError."""
        with self._writing():
            fitting = [name for name in _names(self.root / "removed") if digest and name.startswith(digest)]
            if len(fitting) != 1:
                found = "no bot" if not fitting else f"{len(fitting)} bots"
                raise BotError(f"{found} with the digest {digest} was removed from the store {self.root}")
            if not self._entry(fitting[0]).exists():
                self._move(self._removed(fitting[0]), self._entry(fitting[0]))
            return self.fetch(fitting[0])

    def was_removed(self, digest: str) -> bool:
        """Say whether a bot was removed and can be restored."""
        return DIGEST.fullmatch(digest) is not None and self._removed(digest).is_dir()

    def _entry(self, digest: str) -> Path:
        return self.root / "entries" / digest

    def _removed(self, digest: str) -> Path:
        return self.root / "removed" / digest

    def _digests(self) -> list[str]:
        return [name for name in _names(self.root / "entries") if DIGEST.fullmatch(name)]

    def _listed(self, digest: str, why: Origin) -> StoreEntry:
        entry = self._entry(digest)
        try:
            listed = read_file_manifest(entry)
            bot = StoredBot(digest, manifest_of(entry / "files", listed, str(entry)), entry / "files")
        except BotError as error:
            return StoreEntry(digest, why, None, str(error))
        return StoreEntry(digest, why, bot)

    def _damaged(self, digest: str, what: str) -> str:
        return f"the store entry {self._entry(digest)} is damaged: {what}; add the bot again from its source"

    def _notes(self) -> dict[str, Origin]:
        """Return what was added, in the order of last additions; lines that are none are passed over."""
        notes: dict[str, Origin] = {}
        try:
            lines = (self.root / "added").read_text("ascii", "replace").splitlines()
        except FileNotFoundError:
            lines = []
        for line in lines:
            digest, _, why = line.partition(" ")
            if DIGEST.fullmatch(digest) and why in ("added", "used"):
                was = notes.pop(digest, why)
                notes[digest] = "added" if "added" in (was, why) else "used"
        return notes

    def _note(self, digest: str, why: Origin) -> None:
        notes = self._notes()
        if notes.get(digest) == "added" and why == "used":
            return
        if notes.get(digest) == why and next(reversed(notes)) == digest:
            return
        # The leading newline ends a line that a crash may have left torn; empty lines are passed over.
        _append(self.root / "added", f"\n{digest} {why}\n".encode("ascii"))

    def _move(self, source: Path, target: Path) -> None:
        target.parent.mkdir(exist_ok=True)
        if target.exists():
            remove_tree(target)
        source.chmod(0o755)  # a folder that moves to another parent must be writable itself
        source.rename(target)
        target.chmod(0o555)
        sync_folder(target.parent)
        sync_folder(source.parent)

    @contextmanager
    def _writing(self) -> Iterator[Path]:
        """Hold the lock, yield an empty folder, and sweep it away. An OSError becomes a StoreError."""
        try:
            (self.root / "entries").mkdir(parents=True, exist_ok=True)
            waiting = self.root / "temporary"
            waiting.mkdir(exist_ok=True)
            lock = os.open(self.root / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
                # Left by one who was killed: the lock is ours, so nobody uses it.
                for name in _names(waiting):
                    remove_tree(waiting / name)
                temporary = Path(tempfile.mkdtemp(dir=waiting))
                try:
                    yield temporary
                finally:
                    remove_tree(temporary)
            finally:
                os.close(lock)
        except OSError as error:
            raise StoreError(
                f"the bot store {self.root} cannot be written: {error.strerror or error};"
                " name another folder by --bots"
            ) from error


def check_games(manifest: Manifest, where: str) -> None:
    """Raise BotError where a manifest names a game that is not installed."""
    known = GAMES.names()
    for game in manifest.games:
        if game not in known:
            names = ", ".join(known) or "none"
            raise BotError(f"{where}: there is no game {game!r}; the games are: {names}")


def _names(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in os.scandir(folder))
    except FileNotFoundError:
        return []


def _append(path: Path, data: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        os.write(fd, data)
        os.fsync(fd)
    finally:
        os.close(fd)
