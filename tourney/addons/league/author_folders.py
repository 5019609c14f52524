"""The folders of authors: a submission is copied out of one, receipts are written into one.

Their accounts may exchange everything in them at any moment, and a night may have more rights than they
have. So all of it goes by descriptors (``tourney.held_folder``), and only a copy is judged: its signature,
its build and its digest are of the same bytes, whatever happens to the original.
"""

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tourney.addons.league.identity import READY, SIGNATURE, archive_ending
from tourney.addons.league.privacy import masked
from tourney.bots.catalogue.submission import copy_folder, reading
from tourney.bots.catalogue.tree import SUBMITTED
from tourney.errors import BotError, UnsafeFileError
from tourney.held_folder import HeldFolder, account_name, hold

MOST_SIGNATURE: Final = 16 << 10
"""Bytes of a signature; one of an SSH key has a few hundred."""
_MOST_REMOVED: Final = 10 * SUBMITTED.files
"""Folders of a submission that are removed from the inbox, where its author may go on making new ones."""
_TAKEN: Final = ".taken-"
"""Prefix of the name of an entry that is being removed; names that begin with a dot are not examined."""


@contextmanager
def author_folder(folder: Path, author: str) -> Iterator[HeldFolder]:
    """Hold the folder of an author in the inbox. Raises UnsafeFileError if it is a link, and OSError."""
    with hold(folder) as parent, parent.hold(author) as held:
        yield held


def copy_arrival(box: HeldFolder, source: str, bot: str, work: Path) -> None:
    """Copy an arrival and the signature beside it into the new private folder ``work``.

    A folder must be a bot, and everything in it must belong to its author. Raises BotError for a refused
    arrival, and OSError if the copy cannot be written.
    """
    plain = source.removesuffix(READY)
    ending = archive_ending(plain)
    name = f"bot{ending}" if ending else bot
    with reading(bot, work), hold(work) as target:
        if ending:
            _copy_signature(box, plain, target, name)
        info = os.stat(source, dir_fd=box.fd, follow_symlinks=False)
        # An author could move a rival's folder into its own, and submit the rival's bot.
        if info.st_uid != box.owner:
            raise BotError(
                f"it belongs to {account_name(info.st_uid)}, and its folder to {account_name(box.owner or 0)}"
            )
        if not stat.S_ISDIR(info.st_mode):
            box.copy_file(source, target, name, SUBMITTED.bytes)
            return
        with box.hold(source) as folder:
            if folder.owner != box.owner:  # exchanged since
                raise BotError("it changed while it was read; put it into the inbox again")
            copy_folder(folder, work / name, (READY,))


def _copy_signature(box: HeldFolder, plain: str, target: HeldFolder, name: str) -> None:
    for end in ("", READY):
        with suppress(FileNotFoundError):
            target.write(f"{name}{SIGNATURE}", box.read(f"{plain}{SIGNATURE}{end}", MOST_SIGNATURE))
            return


def remove_arrival(box: HeldFolder, source: str, number: int) -> None:
    """Remove a copied arrival and its signature from an author's folder, if that is allowed.

    It gets another name first: a crash could leave half of a bot, which must not arrive as a new one.
    """
    plain = source.removesuffix(READY)
    with suppress(OSError, UnsafeFileError):
        box.move(source, box, f"{_TAKEN}{number}")
        box.remove(f"{_TAKEN}{number}", _MOST_REMOVED)
    for end in ("", READY):
        with suppress(OSError):
            os.unlink(f"{plain}{SIGNATURE}{end}", dir_fd=box.fd)


def write_receipts(
    outbox: Path, author: str, user: int | None, below: str, files: Mapping[str, Sequence[str]]
) -> None:
    """Write files into ``outbox/AUTHOR/BELOW``, for the account ``user`` (None: not known) alone.

    Raises UnsafeFileError for a folder of another account, and OSError.
    """
    with hold(outbox) as held, _private(held, author, user) as folder:
        if not below:
            _write_all(folder, user, files)
            return
        with _private(folder, below, user) as inner:
            _write_all(inner, user, files)


@contextmanager
def _private(parent: HeldFolder, name: str, user: int | None) -> Iterator[HeldFolder]:
    """Hold a folder for receipts, which is made if needed, closed to others, and the author's if allowed.

    A folder of another account is put aside: a refused author of this name has read its content.
    """
    with suppress(FileNotFoundError):
        info = os.stat(name, dir_fd=parent.fd, follow_symlinks=False)
        if stat.S_ISDIR(info.st_mode) and info.st_uid not in (os.geteuid(), user):
            parent.move(name, parent, f"{name}.{info.st_uid}.{info.st_ino}")
    with parent.make_folder(name, 0o700) as folder:
        if folder.owner not in (os.geteuid(), user):
            raise UnsafeFileError(f"{folder.place} belongs to {account_name(folder.owner or 0)}")
        with suppress(OSError):
            os.fchmod(folder.fd, 0o700)
            if user is not None:
                os.fchown(folder.fd, user, -1)
        yield folder


def _write_all(folder: HeldFolder, user: int | None, files: Mapping[str, Sequence[str]]) -> None:
    for name, lines in files.items():
        folder.write(
            name,
            ("\n".join(lines) + "\n").encode("utf-8", "backslashreplace"),
            owner=-1 if user is None else user,
        )


def deliver(inbox: Path, author: str, files: Mapping[str, Path]) -> None:
    """Copy private files into ``inbox/AUTHOR`` under these names, one after the other, each in one step.

    Rivals cannot read them. An organiser who is not root reads them by the group that the inbox gives to what
    is made in it; without such a group everybody can. Raises UnsafeFileError for a folder that another
    account made, and OSError.
    """
    with masked(0), hold(inbox) as held:
        info = os.fstat(held.fd)
        bits = 0o040 if info.st_mode & stat.S_ISGID else 0 if info.st_uid in (0, os.geteuid()) else 0o044
        # Not by a change of mode, which takes the group's bit away if its maker is not of the group.
        with suppress(FileExistsError):
            os.mkdir(author, 0o700 | bits | bits >> 2, dir_fd=held.fd)
        with held.hold(author) as box:
            if box.owner != os.geteuid():
                owner = account_name(box.owner or 0)
                raise UnsafeFileError(
                    f"{box.place} belongs to {owner}: submit as that account, or choose another --author"
                )
            for name, path in files.items():
                box.write(name, path.read_bytes(), mode=0o600 | bits)
