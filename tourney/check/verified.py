"""The parts of a database that were verified, and when: a check of all goes on where it stopped.

A file beside the database has, for each chunk of matches that held, a digest of all that the check read, and
when that was. A chunk in which anything changed is verified again, and all are after an upgrade. The file is
for the organiser's own nights and proves nothing: who can alter the database can alter the file.

Chunks are in the file by their place, not by their digest: to find the next one in turn, nothing is read.
Reading 100,000 matches to compute digests takes half a minute, more than a call may have.
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


class VerifiedChunk(Struct, frozen=True, forbid_unknown_fields=True):
    """A chunk that held: the digest of what was read, when it was verified, and when last compared."""

    digest: str
    verified: datetime
    compared: datetime


class VerifiedFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The chunks that held, by ``TOURNAMENT/FIRST``, and the version of Tourney that verified them.

    TOURNAMENT is the id of its row, FIRST the number of the chunk's first match.
    """

    format: Literal["tourney-verified/2"]
    version: str
    chunks: dict[str, VerifiedChunk]


class _Turn(NamedTuple):
    """A chunk in the order of their turns: those that may count as verified come after all others."""

    recent: bool
    last: datetime
    place: str
    verifier: TournamentVerifier
    first: int
    size: int


class _SentChunk(NamedTuple):
    verifier: TournamentVerifier
    place: str
    digest: str


_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


class PartialCheck:
    """A check of the matches that were not verified for the longest time, for ``seconds``.

    The seconds count from the first match, and one chunk is checked in any case, so that every call comes
    further. ``note`` says why it starts from the beginning, "" if it does not. After ``matches``, ``checked``
    matches were verified now, ``recent`` ones within ``age`` before and have not changed, the oldest
    ``since`` then, and ``left`` neither.
    """

    def __init__(self, path: Path, seconds: float | None, age: timedelta | None) -> None:
        self.note = ""
        self.checked = self.recent = self.left = 0
        self.since: datetime | None = None
        self._path = path
        self._age = age
        self._now = datetime.now(UTC)
        self._seconds = seconds
        self._end: float | None = None
        self._known = self._read()

    def _read(self) -> dict[str, VerifiedChunk]:
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
        return {place: chunk for place, chunk in file.chunks.items() if self._is_past(chunk)}

    def _is_past(self, chunk: VerifiedChunk) -> bool:
        # A time that is still to come would keep a chunk from being verified for good.
        return all(when.tzinfo and when <= self._now for when in (chunk.verified, chunk.compared))

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
        turns = self._turns(verifiers)
        done = 0
        try:
            for sent, reply in pool.run(check_matches, self._tasks(turns)):
                checked = list(sent.verifier.taken(reply))
                yield from ((sent.verifier, match) for match in checked)
                done += 1
                self.left -= len(checked)
                self.checked += len(checked)
                if any(findings for _, findings in checked):
                    self._known.pop(sent.place, None)  # the next call begins with it
                else:
                    self._known[sent.place] = VerifiedChunk(sent.digest, self._now, self._now)
                if done % _OFTEN == 0:
                    self._write()
        finally:  # also after an error or an interrupt: what held until then need not be checked again
            self._write()

    def _turns(self, verifiers: Sequence[TournamentVerifier]) -> list[_Turn]:
        """All chunks in the order of their turns; those never verified come first."""
        turns = []
        there = {}
        mine = {str(verifier.tournament.id) for verifier in verifiers}
        for verifier in verifiers:
            for first, size in verifier.chunk_starts():
                place = f"{verifier.tournament.id}/{first}"
                self.left += size
                chunk = self._known.get(place)
                recent = chunk is not None and self._is_recent(chunk)
                last = _NEVER
                if chunk is not None:
                    there[place] = chunk
                    last = chunk.compared if recent else chunk.verified
                turns.append(_Turn(recent, last, place, verifier, first, size))
        # Chunks that are gone are forgotten, those of tournaments that this call leaves out are not.
        rest = {place: chunk for place, chunk in self._known.items() if place.partition("/")[0] not in mine}
        self._known = {**rest, **there}
        return sorted(turns, key=lambda turn: (turn.recent, turn.last))

    def _is_recent(self, chunk: VerifiedChunk) -> bool:
        return self._age is not None and self._now - chunk.verified < self._age

    def _tasks(self, turns: Sequence[_Turn]) -> Iterator[tuple[_SentChunk, VerifyTask]]:
        if self._seconds is not None:
            self._end = time.monotonic() + self._seconds
        for number, turn in enumerate(turns):
            if number and self.over:
                return
            matches = next(turn.verifier.chunks(turn.first), [])
            digest = turn.verifier.digest(matches)
            chunk = self._known.get(turn.place)
            if turn.recent and chunk is not None and chunk.digest == digest:
                self._known[turn.place] = msgspec.structs.replace(chunk, compared=self._now)
                self.left -= turn.size
                self.recent += turn.size
                self.since = min(chunk.verified, self.since or chunk.verified)
            else:
                yield _SentChunk(turn.verifier, turn.place, digest), turn.verifier.task(matches)

    def _write(self) -> None:
        file = VerifiedFile("tourney-verified/2", tourney.__version__, self._known)
        write_file(self._path, msgspec.json.encode(file) + b"\n")
