"""What reading a long file must remember of each match, in a temporary file: memory does not grow with it."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Final, Self

from tourney.errors import EnvironmentFailure

_CACHE: Final = 2_000
"""Kibibytes of the tables that are kept in memory."""

_TABLES: Final = """
CREATE TABLE seen (digest BLOB PRIMARY KEY, place BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE pile (key TEXT PRIMARY KEY, number INTEGER NOT NULL, count INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE line (id INTEGER PRIMARY KEY, pile INTEGER, place INTEGER, seats TEXT, digest BLOB);
CREATE TABLE text (id INTEGER PRIMARY KEY, label BLOB NOT NULL, data BLOB NOT NULL);
"""


class Scratch:
    """Tables in a temporary file without a name, which the system removes whatever becomes of the process.

    Methods raise EnvironmentFailure where the file cannot be written.
    """

    def __init__(self) -> None:
        with _named():
            self._tables = sqlite3.connect("", isolation_level=None)
            self._tables.executescript(
                f"PRAGMA journal_mode = OFF; PRAGMA cache_size = -{_CACHE}; {_TABLES} BEGIN"
            )
        self._piles = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._tables.close()

    def first_place(self, digest: str, place: str) -> str:
        """The first place that was given with a digest: this one if it is new."""
        key = bytes.fromhex(digest)
        with _named():
            new = self._tables.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", (key, os.fsencode(place)))
            if new.rowcount:
                return place
            (found,) = self._tables.execute("SELECT place FROM seen WHERE digest = ?", (key,)).fetchone()
            return os.fsdecode(found)

    def put_line(self, key: str, seats: str, digest: str) -> None:
        """Add a line to the pile of a key; piles are numbered from 1 as they appear, and lines in each."""
        with _named():
            found = self._tables.execute("SELECT number, count FROM pile WHERE key = ?", (key,)).fetchone()
            if found is None:
                self._piles += 1
                found = (self._piles, 0)
                self._tables.execute("INSERT INTO pile VALUES (?, ?, 1)", (key, self._piles))
            else:
                self._tables.execute("UPDATE pile SET count = count + 1 WHERE key = ?", (key,))
            self._tables.execute(
                "INSERT INTO line (pile, place, seats, digest) VALUES (?, ?, ?, ?)",
                (found[0], found[1] + 1, seats, bytes.fromhex(digest)),
            )

    def piled(self) -> Iterator[tuple[int, int, str]]:
        """Yield pile, place in it and seats of each line, pile after pile."""
        yield from self._rows("SELECT pile, place, seats FROM line ORDER BY pile, place")

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the number from 1 among those of ``piled``, and the digest, of each line as they came."""
        query = (
            "WITH before AS (SELECT number, sum(count) OVER (ORDER BY number) - count AS lines FROM pile)"
            " SELECT lines + place, hex(digest) FROM line JOIN before ON number = pile ORDER BY id"
        )
        for number, digest in self._rows(query):
            yield number, digest.lower()

    def put_text(self, label: str, data: bytes) -> int:
        """Keep a text with its label; return how many are kept now."""
        row = (os.fsencode(label), data)  # it begins with a file's name, which need not be text
        with _named():
            made = self._tables.execute("INSERT INTO text (label, data) VALUES (?, ?)", row)
        return made.lastrowid or 0

    def text(self, index: int) -> tuple[str, bytes]:
        """A text by its place from 0, with its label."""
        query = "SELECT label, data FROM text WHERE id = ?"
        with _named():
            label, data = self._tables.execute(query, (index + 1,)).fetchone()
        return os.fsdecode(label), data

    def _rows(self, query: str) -> Iterator[Any]:
        with _named():
            yield from self._tables.execute(query)


@contextmanager
def _named() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise EnvironmentFailure(
            f"a temporary file cannot be written ({error}): free some space there, or name another folder by"
            " TMPDIR"
        ) from error
