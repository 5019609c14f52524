"""A file that a record will be written to: tried before the game, lest it be played for nothing."""

import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from tourney.errors import EnvironmentFailure, UsageError
from tourney.match.record import Record, canonical


class RecordFile:
    """A new file, as a context; it is there when ``write`` has written all of it, and not before.

    Raises UsageError if there is one already, EnvironmentFailure if it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        if path.exists():
            raise UsageError(f"{path} is there already; name another file")
        self._path = path
        self._fresh = path.with_name(f".{path.name}.new-{os.getpid()}")
        try:
            with self._fresh.open("xb"):
                pass
        except OSError as error:
            raise self._failure(error) from error

    def write(self, record: Record) -> None:
        """Write a record as a line of JSON in its canonical form."""
        try:
            self._fresh.write_bytes(canonical(record) + b"\n")
            self._fresh.replace(self._path)
        except OSError as error:
            raise self._failure(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):
            self._fresh.unlink(missing_ok=True)

    def _failure(self, error: OSError) -> EnvironmentFailure:
        return EnvironmentFailure(f"{self._path} cannot be written: {error.strerror or error}")
