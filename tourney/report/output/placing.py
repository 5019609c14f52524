"""Put files into a new report's folder: linked from the old report where they are the same, else written."""

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from tourney.report.output.manifest import Entry, content_hash

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Placed:
    """A file in the new folder: the hash of its content, its bytes, and whether the old report had it."""

    content: str
    size: int
    unchanged: bool


@dataclass(frozen=True, slots=True)
class Folders:
    """The folder to fill, in which the folders of its files exist, and that of the old report; picklable.

    ``known`` in the methods is what the old report's manifest says of the file at the path.
    """

    new: str
    old: str

    @classmethod
    def of(cls, new: Path, old: Path) -> "Folders":
        """Return the folders of these paths."""
        return cls(str(new), str(old))

    def keep(self, path: str, known: Entry) -> Placed | None:
        """Link or copy a file of the old report; None if it is not as it was written. Raises OSError."""
        content = self._intact(path, known)
        if content is None:
            return None
        if not self._link(path):
            self._write(path, content)
        return Placed(known.content, len(content), unchanged=True)

    def place(self, path: str, content: bytes, known: Entry | None) -> Placed:
        """Write a file, or link that of the old report if it is the same. Raises OSError."""
        found = content_hash(content)
        if known is not None and known.content == found and (kept := self.keep(path, known)) is not None:
            return kept
        self._write(path, content)
        return Placed(found, len(content), unchanged=False)

    def _intact(self, path: str, known: Entry) -> bytes | None:
        """Return a file of the old report as it was written, or None if it was changed since."""
        try:
            descriptor = os.open(f"{self.old}/{path}", _FLAGS)
            with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    return None
                content = file.read()
        except OSError:
            return None
        return content if content_hash(content) == known.content else None

    def _link(self, path: str) -> bool:
        """Link a file of the old report; False if this file system or these rights do not allow it."""
        try:
            os.link(f"{self.old}/{path}", f"{self.new}/{path}", follow_symlinks=False)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise
            return False
        return True

    def _write(self, path: str, content: bytes) -> None:
        with open(f"{self.new}/{path}", "wb") as file:  # noqa: PTH123 - thousands of files
            file.write(content)
