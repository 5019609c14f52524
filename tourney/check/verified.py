"""The parts of a database that were verified, and when: a check of all goes on where it stopped.

A file beside the database has, for each chunk of matches that held, a digest of all that the check read, and
when that was. A chunk in which anything changed is verified again, and all are after an upgrade. The file is
for the organiser's own nights and proves nothing: who can alter the database can alter the file.
"""

import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct

import tourney
from tourney.check.tournament import CheckedMatch, TournamentVerifier, VerifyTask, check_matches
from tourney.files import write_file
from tourney.prepared_types import prepared
from tourney.run.engine.run_control import parse_span
from tourney.spawning import Pool
from tourney.store.engine import place_of
from tourney.texts import counted

_OFTEN = 20
"""Chunks after which the file is written again."""


class VerifiedFile(Struct, frozen=True, forbid_unknown_fields=True):
    """When chunks were verified, by their digests, and the version of Tourney that did it."""

    format: Literal["tourney-verified/1"]
    version: str
    chunks: dict[str, datetime]


class _DueChunk(NamedTuple):
    verified: datetime
    verifier: TournamentVerifier
    first: int


_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


class PartialCheck:
    """A check of the matches that were not verified for the longest time, until a deadline.

    ``note`` says why it starts from the beginning, "" if it does not. After ``matches``, ``checked`` matches
    were verified now, ``recent`` ones within ``age`` before, the oldest ``since`` then, and ``left`` neither.
    """

    def __init__(self, path: Path, seconds: float | None, age: timedelta | None) -> None:
        self.note = ""
        self.checked = self.recent = self.left = 0
        self.since: datetime | None = None
        self._path = path
        self._age = age
        self._now = datetime.now(UTC)
        self._end = None if seconds is None else time.monotonic() + seconds
        self._known = self._read()

    def _read(self) -> dict[str, datetime]:
        try:
            file = msgspec.json.decode(self._path.read_bytes(), type=prepared(VerifiedFile))
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            self.note = f"{self._path} cannot be read ({error}), so all is verified again"
            return {}
        if file.version != tourney.__version__:
            self.note = f"{self._path} is of Tourney {file.version}, so all is verified again"
            return {}
        # A time that is still to come would keep a chunk from being verified for good.
        return {digest: when for digest, when in file.chunks.items() if when.tzinfo and when <= self._now}

    @classmethod
    def asked(cls, db: str, duration: str | None, age: str | None) -> "PartialCheck | None":
        """The partial check for ``--max-duration`` and ``--max-age`` of a database, None without both.

        Raises UsageError for no time span.
        """
        if duration is None and age is None:
            return None
        place = place_of(db)
        return cls(
            place.with_name(f"{place.name}-verified.json"),
            parse_span("--max-duration", duration).total_seconds() if duration else None,
            parse_span("--max-age", age) if age else None,
        )

    def sentences(self) -> Iterator[str]:
        """Yield the sentences about the checked part."""
        if self.note:
            yield self.note
        before = ""
        if self.since is not None:
            before = f", {self.recent:,} before, the oldest on {self.since:%Y-%m-%d %H:%M} UTC"
        left = f"{self.left:,} left, with which the next call begins" if self.left else "none left"
        yield f"{counted(self.checked, 'match')} verified now{before}; {left}"

    @property
    def over(self) -> bool:
        """Whether the time is over."""
        return self._end is not None and time.monotonic() >= self._end

    def matches(
        self, verifiers: Sequence[TournamentVerifier], pool: Pool
    ) -> Iterator[tuple[TournamentVerifier, CheckedMatch]]:
        """Yield verified matches, as ``TournamentVerifier.matches`` does; the file is written meanwhile."""
        due = self._due(verifiers)
        done = 0
        try:
            for (verifier, digest), reply in pool.run(check_matches, self._tasks(due)):
                checked = list(verifier.taken(reply))
                yield from ((verifier, match) for match in checked)
                done += 1
                self.left -= len(checked)
                self.checked += len(checked)
                if any(findings for _, findings in checked):
                    self._known.pop(digest, None)  # the next call begins with it
                else:
                    self._known[digest] = self._now
                if done % _OFTEN == 0:
                    self._write()
        finally:  # also after an error or an interrupt: what held until then need not be checked again
            self._write()

    def _due(self, verifiers: Sequence[TournamentVerifier]) -> list[_DueChunk]:
        """The chunks to verify, those first whose last time is the longest ago."""
        due = []
        there = {}
        for verifier in verifiers:
            for matches in verifier.chunks():
                digest = verifier.digest(matches)
                verified = self._known.get(digest, _NEVER)
                if digest in self._known:
                    there[digest] = verified
                if self._age is not None and self._now - verified < self._age:
                    self.recent += len(matches)
                    self.since = min(verified, self.since or verified)
                else:
                    self.left += len(matches)
                    due.append(_DueChunk(verified, verifier, matches[0].number))
        self._known = there  # without chunks that are gone
        return sorted(due, key=lambda chunk: chunk.verified)  # those never verified come first

    def _tasks(self, due: Sequence[_DueChunk]) -> Iterator[tuple[tuple[TournamentVerifier, str], VerifyTask]]:
        for _, verifier, first in due:
            if self.over:
                return
            # Read a second time: all chunks of a large database would not fit into memory.
            matches = next(verifier.chunks(first), [])
            yield (verifier, verifier.digest(matches)), verifier.task(matches)

    def _write(self) -> None:
        file = VerifiedFile("tourney-verified/1", tourney.__version__, self._known)
        write_file(self._path, msgspec.json.encode(file) + b"\n")
