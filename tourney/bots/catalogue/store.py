"""The content-addressed store of bots: a folder that keeps every bot that ever played.

::

    tourney-bots/
        entries/DIGEST/files/...      a bot's files as submitted, read-only
        entries/DIGEST/files.json     their list, whose SHA-256 is DIGEST
        removed/DIGEST/               removed bots, for ``restore``
        builds/HOST/DIGEST/...        what a bot's build made on a host (see ``tourney.bots.catalogue.build``)
        added                         a line for each addition, in order: "DIGEST added" or "DIGEST used"
        lock                          held while a bot is added or removed
        temporary/                    the bot that is being added; swept by the next addition

Nothing in an entry ever changes. A name without a version means the bot added last under it, so the order of
additions is stored; no clock has a say.
"""

import dataclasses
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple

from tourney.bots.catalogue.manifest import FILE_NAME, Manifest
from tourney.bots.catalogue.shipped import refuse_shipped_name, shipped_bots, shipped_digests
from tourney.bots.catalogue.submission import copy_submission, digest_of_folder, manifest_of
from tourney.bots.catalogue.tree import (
    content_digest,
    find_difference,
    locked,
    naming,
    read_file_manifest,
    write_file_manifest,
)
from tourney.bots.protocols import PROTOCOLS
from tourney.errors import BotError, StoreError
from tourney.files import sync_folder
from tourney.games.registry import FAMILIES, GAMES
from tourney.held_folder import remove_tree
from tourney.schema import DIGEST, NAME, VERSION

Origin = Literal["added", "used"]
"""Whether a bot was added by name, or is kept because it played by path or ships with Tourney."""

_PREFIX = re.compile(r"[0-9a-f]{6,64}", re.ASCII)


VARIES: Final = "a bot with deterministic = false"
DIFFERED: Final = "a bot that played otherwise when tourney bots check replayed its match"
"""Why a match of such a bot need not reproduce."""


@dataclass(frozen=True, slots=True)
class StoredBot:
    """A bot in a store: its digest, its manifest, and the folder of its files (read-only).

    ``notes`` are sentences on what was read otherwise than it is in the source, of a bot just added.
    """

    digest: str
    manifest: Manifest
    folder: Path
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """``name@version``, for people."""
        return f"{self.manifest.name}@{self.manifest.version}"


class StoreEntry(NamedTuple):
    """An entry in the store's list: its bot or, if it is damaged, what is wrong with it."""

    digest: str
    origin: Origin
    bot: StoredBot | None
    damage: str = ""


class BotStore:
    """A store in a folder, which is made when the first bot is added.

    Any number of processes may read and add at once: adding takes a lock, and reading writes nothing.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self._sources: dict[str, Path] = {}  # of the bots that this object added, by digest

    def add(
        self,
        source: Path,
        *,
        origin: Origin = "added",
        replace_shipped: bool = False,
        replace: bool = True,
    ) -> StoredBot:
        """Copy a bot (an executable file, a folder or an archive) into the store and return it.

        A bot that is already there is checked, returned, and counts as added last; a damaged entry is
        replaced. Raises BotError if it is not a bot, if it has the name of a shipped bot that it is not
        (unless ``replace_shipped``, or once it was added so), and unless ``replace`` if another bot of its
        name and version was added; StoreError if the store cannot be written.
        """
        if source.is_dir() and self.root.resolve().is_relative_to(source.resolve()):
            raise BotError(
                f"the bot store {self.root} lies inside the bot's folder {source};"
                " choose another store with --bots, or add the bot from the folder above it"
            )
        with self._writing() as temporary:
            copied = temporary / "entry"
            copied.mkdir()
            manifest, files, notes = copy_submission(source, copied / "files", temporary)
            for game in manifest.games:
                if not GAMES.knows(game) and not FAMILIES.knows(game):
                    games = ", ".join(GAMES.names()) or "none"
                    raise BotError(f"there is no game {game!r}; the games are: {games}", str(source))
            digest = content_digest(files)
            if not replace_shipped and self._additions().get(digest) != "added":
                with naming(source):
                    refuse_shipped_name(manifest.name, digest)
            if not replace:
                self._refuse_same_version(source, manifest, digest)
            try:
                bot = self.fetch(digest)
            except BotError:
                # It is missing or damaged; the copy is whole and takes its place.
                write_file_manifest(copied, files)
                self._move(copied, self._entry(digest))
                bot = self.fetch(digest)
            self._log_addition(digest, origin)
            self._sources[digest] = source
        return dataclasses.replace(bot, notes=notes)

    def _refuse_same_version(self, source: Path, manifest: Manifest, digest: str) -> None:
        """Raise BotError if a name would mean other files than those that were added under it."""
        for entry in self.entries():
            bot = entry.bot
            if bot is None or entry.origin != "added" or entry.digest == digest:
                continue
            if (bot.manifest.name, bot.manifest.version) != (manifest.name, manifest.version):
                continue
            before = self._sources.get(entry.digest)
            which = f"{before} and {source} are both" if before else f"{source} is another"
            there = "" if before else f" than the one in the store ({entry.digest[:12]})"
            raise BotError(
                f"{which} {manifest.name} {manifest.version}{there}: give it a name or a version of its own"
                f" in {FILE_NAME}, or add --replace, and the name means its files from then on"
            )

    def fetch(self, digest: str) -> StoredBot:
        """The bot of a full digest, after a check of every file.

        Raises BotError if the store has no such bot, or with the name of a damaged file.
        """
        if not self.has(digest):
            removed = DIGEST.fullmatch(digest) is not None and self._removed(digest).is_dir()
            hint = f"; `tourney bots remove --undo {digest[:12]}` brings it back" if removed else ""
            raise BotError(f"the store {self.root} has no bot with the digest {digest}{hint}")
        return self._read(digest, check=True)

    def has(self, digest: str) -> bool:
        """Whether there is an entry of a full digest. Checks no files."""
        return DIGEST.fullmatch(digest) is not None and self._entry(digest).is_dir()

    def is_module(self, digest: str) -> bool:
        """Whether a bot is a WebAssembly module; False if it is missing or damaged. Checks no files."""
        with suppress(BotError):
            return self.has(digest) and _manifest(self.root, digest).module is not None
        return False

    def doubts(self, digest: str) -> tuple[str, ...]:
        """Why a bot need not play a match the same again, () if nothing is known. Checks no files."""
        doubts = [DIFFERED] if digest in self._lines("varying") else []
        with suppress(BotError):  # a damaged manifest says nothing
            if self.has(digest) and not _manifest(self.root, digest).deterministic:
                doubts.append(VARIES)
        return tuple(doubts)

    def mark_varying(self, digest: str) -> None:
        """Keep that a bot, which need not be in the store yet, differed when its match was replayed."""
        self.root.mkdir(parents=True, exist_ok=True)
        if digest not in self._lines("varying"):
            self._append("varying", digest)

    def provide(self, digest: str) -> StoredBot:
        """The bot of a full digest as ``fetch`` does; add a shipped bot that is missing.

        Raises BotError and StoreError.
        """
        if not self.has(digest):
            for name, shipped in shipped_digests().items():
                if shipped == digest:
                    return self.add(shipped_bots()[name], origin="used")
        return self.fetch(digest)

    def find(self, reference: str, origin: Origin | None = None) -> StoredBot | None:
        """The bot that ``locate`` finds, after a check of every file, or None. Raises BotError."""
        digest = self.locate(reference, origin)
        return None if digest is None else self.fetch(digest)

    def locate(self, reference: str, origin: Origin | None = None) -> str | None:
        """The digest that a name, a name@version or the first digits of a digest mean, or None.

        Of several bots with one name, the last one added wins over those only used; ``origin`` restricts the
        search of names. A digest's beginning needs 6 digits, and a whole digest is never a name, so that no
        bot can be called like another one's files. Raises BotError if it is ambiguous. Checks no files.
        """
        if DIGEST.fullmatch(reference):
            return reference if self.has(reference) else None
        name, at, version = reference.partition("@")
        if NAME.fullmatch(name) and (not at or VERSION.fullmatch(version)):
            matching = [
                entry
                for entry in self.entries()
                if entry.bot is not None
                and entry.bot.manifest.name == name
                and (not at or entry.bot.manifest.version == version)
                and origin in (None, entry.origin)
            ]
            if matching:
                added = [entry for entry in matching if entry.origin == "added"]
                return (added or matching)[-1].digest
        if origin is not None or _PREFIX.fullmatch(reference) is None:
            return None
        digests = [digest for digest in self._digests() if digest.startswith(reference)]
        if len(digests) > 1:
            raise BotError(f"{reference} begins {len(digests)} digests in {self.root}; give more of it")
        return digests[0] if digests else None

    def entries(self) -> tuple[StoreEntry, ...]:
        """All bots of the store, the oldest addition first. Checks no files."""
        additions = self._additions()
        place = {digest: k for k, digest in enumerate(additions)}
        entries = []
        for digest in sorted(self._digests(), key=lambda digest: place.get(digest, -1)):
            bot, damage = None, ""
            try:
                bot = self._read(digest)
            except BotError as error:
                damage = str(error)
            entries.append(StoreEntry(digest, additions.get(digest, "used"), bot, damage))
        return tuple(entries)

    def remove(self, digest: str) -> None:
        """Move a bot to ``removed/``, for ``restore``. Raises BotError if it is missing."""
        with self._writing():
            if not self._entry(digest).is_dir():
                raise BotError(f"the store {self.root} has no bot with the digest {digest}")
            self._move(self._entry(digest), self._removed(digest))

    def restore(self, digest: str) -> StoredBot:
        """Bring a removed bot back; ``digest`` may be its beginning. Raises BotError."""
        with self._writing():
            matching = [name for name in _names(self.root / "removed") if digest and name.startswith(digest)]
            if len(matching) != 1:
                count_text = "no bot" if not matching else f"{len(matching)} bots"
                raise BotError(
                    f"{count_text} with the digest {digest} was removed from the store {self.root}"
                )
            if not self._entry(matching[0]).exists():
                self._move(self._removed(matching[0]), self._entry(matching[0]))
            return self.fetch(matching[0])

    def _entry(self, digest: str) -> Path:
        return self.root / "entries" / digest

    def _removed(self, digest: str) -> Path:
        return self.root / "removed" / digest

    def _digests(self) -> list[str]:
        return [name for name in _names(self.root / "entries") if DIGEST.fullmatch(name)]

    def _read(self, digest: str, *, check: bool = False) -> StoredBot:
        """The bot of an entry. Raises BotError if it is damaged; ``check`` compares every file."""
        entry = self._entry(digest)
        try:
            listed = read_file_manifest(entry)
            damage = ""
            if check and content_digest(listed) != digest:
                damage = "its list of files does not match the digest"
            elif check:
                damage = find_difference(listed, entry / "files")
        except BotError as error:
            damage = str(error)
        if damage:
            raise BotError(f"the store entry {entry} is damaged: {damage}; add the bot again from its source")
        with naming(entry):
            return StoredBot(digest, manifest_of(entry / "files", listed), entry / "files")

    def _additions(self) -> dict[str, Origin]:
        """The origins of all bots, in the order of last additions; malformed lines are skipped."""
        additions: dict[str, Origin] = {}
        for line in self._lines("added"):
            digest, _, origin = line.partition(" ")
            if DIGEST.fullmatch(digest) and origin in ("added", "used"):
                before = additions.pop(digest, origin)
                additions[digest] = "added" if "added" in (before, origin) else "used"
        return additions

    def _log_addition(self, digest: str, origin: Origin) -> None:
        additions = self._additions()
        if additions.get(digest) == "added" and origin == "used":
            return
        if additions.get(digest) == origin and next(reversed(additions)) == digest:
            return
        self._append("added", f"{digest} {origin}")

    def _lines(self, name: str) -> list[str]:
        try:
            return (self.root / name).read_text("ascii", "replace").splitlines()
        except FileNotFoundError:
            return []
        except NotADirectoryError as error:
            raise StoreError(
                f"the bot store {self.root} is not a folder; choose another one with --bots"
            ) from error

    def _append(self, name: str, line: str) -> None:
        fd = os.open(self.root / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            # The leading newline ends a line that a crash may have torn; empty lines are skipped.
            os.write(fd, f"\n{line}\n".encode("ascii"))
            os.fsync(fd)
        finally:
            os.close(fd)

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
        """Hold the lock and yield an empty folder that goes afterwards. Raises StoreError for an OSError."""
        try:
            (self.root / "entries").mkdir(parents=True, exist_ok=True)
            waiting = self.root / "temporary"
            waiting.mkdir(exist_ok=True)
            with locked(self.root / "lock"):
                # Left by a process that was killed: nothing uses it while the lock is ours.
                for name in _names(waiting):
                    remove_tree(waiting / name)
                temporary = Path(tempfile.mkdtemp(dir=waiting))
                try:
                    yield temporary
                finally:
                    remove_tree(temporary)
        except OSError as error:
            raise StoreError(
                f"the bot store {self.root} cannot be written: {error.strerror or error};"
                " choose another folder with --bots"
            ) from error


@cache
def _manifest(root: Path, digest: str) -> Manifest:
    """The manifest of an entry, which never changes: a run asks for it once a match. Raises BotError."""
    return BotStore(root)._read(digest).manifest  # noqa: SLF001 - a function of the class


def _names(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in os.scandir(folder))
    except FileNotFoundError:
        return []


def resolve_bot(reference: str, store: BotStore, base: Path | None = None) -> StoredBot:
    """The bot that a reference means, from the store; raises BotError if there is none.

    A path's bot and a shipped bot are added to the store, so that a match can be replayed after they
    have changed.
    """
    bot = look_up(reference, store, base)
    return bot if isinstance(bot, StoredBot) else store.add(bot, origin="used")


def look_up(reference: str, store: BotStore, base: Path | None = None) -> StoredBot | Path:
    """A bot of the store, or the path of one that is not in it. Raises BotError if there is none.

    - A path, if the reference contains ``/`` or names a file or a bot's folder in ``base`` (the tournament
      file's folder; default: the current one).
    - Otherwise a name, ``name@version`` or a digest's beginning: first bots added to the store by name, then
      shipped bots, then bots that the store keeps because they were used.
    """
    if not reference.isprintable():
        raise BotError(f"there is no bot {reference!r}: names and paths have no such characters")
    if (path := path_of(reference, base)) is not None:
        return path
    added = store.find(reference, origin="added")
    if added is not None:
        return added
    name, at, version = reference.partition("@")
    shipped = shipped_bots().get(name)
    if shipped is not None and (not at or digest_of_folder(shipped)[1].version == version):
        return shipped
    used = store.find(reference)
    if used is not None:
        return dataclasses.replace(used, notes=_other_files(store, used, reference))
    listed = {entry.bot.manifest.name for entry in store.entries() if entry.bot is not None}
    names = sorted(listed | set(shipped_bots()))
    from difflib import get_close_matches  # noqa: PLC0415 - only for this sentence

    near = get_close_matches(reference, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(names)}"
    if ":" in reference:
        hint = f"before the colon stands a protocol, one of {', '.join(PROTOCOLS.names())}"
    raise BotError(
        f"there is no bot {reference!r}; {hint} (a bot in a folder is named by its path, as"
        f" ./{reference}; a program must be on PATH)"
    )


def _other_files(store: BotStore, bot: StoredBot, reference: str) -> tuple[str, ...]:
    """A sentence if a name means one of several bots of that name and version, none of which was added."""
    alike = [entry.bot for entry in store.entries() if entry.bot and entry.bot.label == bot.label]
    if len(alike) < 2 or bot.digest.startswith(reference):
        return ()
    sentence = (
        f"{reference} means the {bot.label} used last, {bot.digest[:12]}, of {len(alike)} with other files:"
        f" to choose one, add it by `tourney bots add`, or write its digest instead of {bot.manifest.name}"
    )
    return (sentence,)


def path_of(reference: str, base: Path | None = None) -> Path | None:
    """The path that a reference means, or None: it contains ``/``, or names a file or a bot's folder.

    ``.`` and ``..`` are paths too, as no bot has such a name.
    """
    path = Path(base or ".") / reference
    try:
        named = (
            "/" in reference
            or reference in {".", ".."}
            or (bool(reference) and (path.is_file() or (path / FILE_NAME).exists()))
        )
    except OSError:
        return None
    return path if named else None
