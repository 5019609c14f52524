"""Pages that are functions of their inputs: a page with the inputs of the earlier report is not made again.

Rendering too much costs time, keeping a stale page is wrong. So the function of such a page gets nothing but
what its fingerprint covers: a ``PageScope``, and inputs of plain data, since other data has no encoding and
is refused. The scope reads the stored data of the page's own matches, and no other.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol, TypeVar

from msgspec import Raw, ValidationError, json, msgpack, to_builtins

from tourney.prepared_types import prepared
from tourney.report.output.layout import File, Layout
from tourney.report.pages.match_lines import MatchSetting
from tourney.store.column_reading import Dictionaries, MatchParts

if TYPE_CHECKING:  # Processes that render pages need no table, and start in less time without NumPy.
    from tourney.results.positions import Parts
    from tourney.results.tables import DataTable

CHUNK = 500
"""Matches that one query reads for their digests."""

T = TypeVar("T")
I = TypeVar("I")  # noqa: E741 - the inputs
I_contra = TypeVar("I_contra", contravariant=True)


class PageFunction(Protocol[I_contra]):
    """Makes a page and the files beside it, the page first, from a scope and inputs alone."""

    __module__: str
    __qualname__: str

    def __call__(self, scope: "PageScope", inputs: I_contra, /) -> Iterable[File]:
        """Make the files."""


@dataclass(frozen=True)
class PageSetting:
    """What all pages of a tournament that are functions of their inputs may read; picklable.

    ``logs``: private parts are published too. ``code`` is the digest of the programs (``code_digest``).
    """

    layout: Layout
    setting: MatchSetting
    logs: bool
    code: str

    @cached_property
    def common(self) -> str:
        """A text that differs for other values of any field."""
        return repr((self.layout, self.setting, self.logs, self.code))


class StoredMatches:
    """The stored data of matches. With ``numbers``, reading another match is a KeyError."""

    def __init__(self, parts: "Parts", numbers: Sequence[int] | None = None) -> None:
        self._parts = parts
        self._numbers = None if numbers is None else frozenset(numbers)

    def parts(self, numbers: Sequence[int]) -> Mapping[int, MatchParts]:
        """The packed data of some matches by number; those without any are left out."""
        if self._numbers is not None and not self._numbers.issuperset(numbers):
            # A page that reads what its fingerprint does not cover would be kept when that changes.
            raise KeyError(f"matches {sorted({*numbers} - self._numbers)} are not inputs of this page")
        return self._parts(numbers)

    def only(self, numbers: Sequence[int]) -> "StoredMatches":
        """The data of these matches alone."""
        return StoredMatches(self._parts, numbers)


def stored_digest(parts: MatchParts) -> bytes:
    """A digest of a match's stored data, packed as it is: what is made of it follows from these bytes."""
    shared = _dictionaries_digest(parts.dictionaries)
    packed = msgpack.encode((shared, parts.record, parts.log, parts.measured, parts.analysis))
    return hashlib.blake2b(packed, digest_size=16).digest()


# All matches of a tournament have the same dictionaries, which are larger than a match.
@lru_cache(maxsize=4)
def _dictionaries_digest(dictionaries: Dictionaries) -> bytes:
    return hashlib.blake2b(msgpack.encode(dictionaries), digest_size=16).digest()


def fingerprint(setting: PageSetting, page: object, inputs: object, stored: Sequence[bytes]) -> str:
    """A hash of what a page is made from: its kind, the setting, its inputs, and digests of stored matches.

    Raises TypeError for inputs that are not plain data.
    """
    whole = (setting.common, page, inputs, stored)
    try:
        # Not JSON, in which NaN and None are the same.
        encoded = msgpack.encode(whole)
    except UnicodeEncodeError:  # a lone surrogate, which JSON can hold as an escape
        encoded = repr(to_builtins(whole)).encode("utf-8")
    return hashlib.blake2b(encoded, digest_size=16).hexdigest()


@dataclass(frozen=True)
class PageScope:
    """All that the function of a page may read besides its inputs.

    ``live`` is the note of a running tournament, see ``Renderer.page``; ``matches`` has the page's own ones.
    """

    setting: PageSetting
    live: str | None
    matches: StoredMatches

    def page(self, path: str, template: str, **context: object) -> File:
        """Render a page at a path in the tournament's folder."""
        return self.setting.layout.page(path, template, live=self.live, **context)

    def tables(self, path: str, table: "DataTable") -> Iterator[File]:
        """Yield a table for download, see ``table_files``."""
        return table_files(self.setting.layout.prefix, path, table)


def table_files(prefix: str, path: str, table: "DataTable") -> Iterator[File]:
    """Yield a table for download: ``path`` with .csv and .json, below a prefix."""
    if not isinstance(table.rows, Sequence):
        table = replace(table, rows=list(table.rows))  # it is read twice
    yield File(f"{prefix}{path}.csv", table.csv())
    yield File(f"{prefix}{path}.json", table.json())


@dataclass(frozen=True, slots=True)
class PendingPage:
    """A page that has not been made yet, with the files beside it.

    ``path`` is its path in the site; ``fingerprint`` covers all that ``files`` reads.
    """

    path: str
    fingerprint: str
    files: Callable[[], Iterable[File]]


class StoredValues:
    """Values that take long to compute, as JSON by the hash of their inputs.

    ``earlier`` are those of the earlier report, ``used`` those of this one.
    """

    def __init__(self, earlier: Mapping[str, Raw] = MappingProxyType({})) -> None:
        self._earlier = earlier
        self.used: dict[str, Raw] = {}

    def value(self, mark: str, type_: type[T], compute: Callable[[], T]) -> T:
        """The value with these inputs; it is computed if the earlier report does not have it."""
        stored = self._earlier.get(mark)
        if stored is not None:
            with suppress(ValidationError):
                value = json.decode(stored, type=prepared(type_))
                self.used[mark] = stored
                return value
        value = compute()
        self.used[mark] = Raw(json.encode(value))
        return value


class PageMaker:
    """Makes the pending pages of a tournament; it holds the digests of the matches that it read."""

    def __init__(self, setting: PageSetting, matches: StoredMatches, values: StoredValues) -> None:
        self.setting = setting
        self.matches = matches
        self._values = values
        self._digests: dict[int, bytes] = {}

    def value(
        self,
        name: str,
        inputs: object,
        type_: type[T],
        compute: Callable[[], T],
        matches: Sequence[int] = (),
    ) -> T:
        """A value that pages show, computed again only if its inputs changed.

        ``compute`` may read the inputs, the stored data of ``matches``, and nothing else; no wrapper can hold
        it to that, as inputs may be hashes. Raises TypeError for inputs that are not plain data.
        """
        mark = fingerprint(self.setting, ("value", name), inputs, self.digests(matches))
        return self._values.value(mark, type_, compute)

    def pending_page(
        self, path: str, function: PageFunction[I], scope: PageScope, inputs: I, matches: Sequence[int]
    ) -> PendingPage:
        """A page that is a function of its inputs; the scope has ``matches``, the only ones that it may read.

        Raises TypeError for a function that carries data of its own, and for inputs that are not plain data.
        """
        name = getattr(function, "__qualname__", "<locals>")
        if "<locals>" in name or getattr(function, "__self__", None) is not None:
            raise TypeError(f"{function!r} must be a function of a module: it may read its inputs alone")
        page = (function.__module__, name, path, scope.live)
        mark = fingerprint(self.setting, page, inputs, self.digests(matches))
        return PendingPage(self.setting.layout.prefix + path, mark, partial(function, scope, inputs))

    def digests(self, numbers: Sequence[int]) -> list[bytes]:
        """The digest of the stored data of each of some matches, in their order."""
        missing = [number for number in dict.fromkeys(numbers) if number not in self._digests]
        for start in range(0, len(missing), CHUNK):
            chunk = missing[start : start + CHUNK]
            self.take(chunk, self.matches.parts(chunk))
        return [self._digests[number] for number in numbers]

    def take(self, numbers: Iterable[int], parts: Mapping[int, MatchParts]) -> None:
        """Store the digests of matches whose data has been read anyway."""
        for number in numbers:
            self._digests[number] = stored_digest(parts.get(number, MatchParts()))
