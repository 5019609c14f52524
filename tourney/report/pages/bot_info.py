"""The ``info`` lines of bots by action: numbers and texts, bounded for a page.

``info score=0.31 depth=7 pv=a2-a3 b7-b6 late`` has the numbers ``score`` and ``depth`` and the text ``pv``.
A word without ``=`` belongs to the ``pv`` before it; all other words are free text, under the key "".
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tourney.match.result import LogLine
from tourney.report import display
from tourney.report.replays import codes

Value = int | float | str

MOST_KEYS: Final = 16
"""Keys of a seat in a match; further ones are left out."""
MOST_KEY_CHARS: Final = 24
MOST_TEXT: Final = 160
"""Characters of a text of one action."""
MOST_DIGITS: Final = 9
"""Decimals of numbers that are stored as differences of integers."""
MOST_TEXTS: Final = 24_000
"""Characters of all texts of a match; texts beyond it are left out, and the page says so."""

_PLAIN = r"([A-Za-z][A-Za-z0-9_.:/%-]{0,23})=([+-]?\d{1,11}(?:\.\d{1,9})?)"
_PAIR = re.compile(_PLAIN, re.ASCII)
_PAIRS = re.compile(f"{_PLAIN}(?: {_PLAIN})*", re.ASCII)
"""Most lines have only short numbers; they are read in a tenth of the time."""
_KEY = re.compile(r"([A-Za-z][A-Za-z0-9_.:/%-]*)=(.*)", re.ASCII | re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class SeatInfo:
    """A seat's info: for each of its plies, ascending, the last value of each key.

    ``columns`` holds a value for each ply, None where the bot printed none. A ply is the number (from 1) of
    the action that the bot was asked for; a bot that failed may have printed for an action that it did not
    play.
    """

    plies: tuple[int, ...]
    columns: Mapping[str, tuple[Value | None, ...]]

    def numbers(self, key: str) -> tuple[tuple[int, float], ...]:
        """(ply, value) for the numbers of a key."""
        column = self.columns.get(key, ())
        pairs = zip(self.plies, column, strict=True) if column else ()
        return tuple((ply, value) for ply, value in pairs if value is not None and not isinstance(value, str))

    def as_json(self) -> dict[str, object]:
        """The info for the page's script.

        ``at`` holds the plies (see ``codes.steps``), or ``every`` the first ply, their one difference and
        their number; ``of`` the columns: one value stands for a column of equal ones, ``{"2": code}`` for
        the steps of numbers times 10 to the power 2.
        """
        plies = self.plies
        data: dict[str, object] = {"at": codes.steps(plies)}
        if len(plies) > 2 and plies == tuple(range(plies[0], plies[-1] + 1, plies[1] - plies[0])):
            data = {"every": [plies[0], plies[1] - plies[0], len(plies)]}
        data["of"] = {key: _column_json(column) for key, column in self.columns.items()}
        return data


def _column_json(column: Sequence[Value | None]) -> object:
    # Most columns have few distinct values, and the search for digits takes time for each of them.
    distinct = set(column)
    if len(distinct) == 1:
        return column[0]
    digits = 0
    for value in distinct:
        if isinstance(value, str):
            return list(column)
        if isinstance(value, float):
            whole, _, decimals = repr(value).partition(".")
            digits = max(digits, len(decimals) if "e" not in decimals + whole else MOST_DIGITS + 1)
    scale = 10**digits
    scaled = {value: round(value * scale) for value in distinct if value is not None}
    # JavaScript's numbers are exact below 2**53; a column that does not survive the scaling is sent as it
    # is.
    exact = digits <= MOST_DIGITS and all(n / scale == value for value, n in scaled.items())
    if not exact or max(map(abs, scaled.values())) >= 2**52:
        return list(column)
    return {str(digits): codes.steps([None if value is None else scaled[value] for value in column])}


@dataclass(frozen=True, slots=True)
class MatchInfo:
    """The info of all seats by number; ``cut`` says whether texts were left out for their length."""

    seats: Mapping[int, SeatInfo]
    cut: bool = False

    def as_json(self) -> dict[str, object]:
        """The ``info`` of all seats for the page's script, and ``cut``; {} without any."""
        data: dict[str, object] = {}
        if self.seats:
            data["info"] = {str(seat): info.as_json() for seat, info in self.seats.items()}
            if self.cut:
                data["cut"] = True
        return data


def read_info(log: Iterable[LogLine]) -> MatchInfo:
    """The info of a match's log."""
    by_seat: dict[int, dict[int, dict[str, Value]]] = {}
    keys: dict[int, dict[str, None]] = {}
    for line in log:
        if line.kind != "info" or not line.text:
            continue
        at = by_seat.setdefault(line.seat, {}).setdefault(line.ply + 1, {})
        seat_keys = keys.setdefault(line.seat, {})
        for key, value in _values(line.text):
            # A bot may print a new key with every action: without a limit it could fill the page with
            # columns.
            if key in seat_keys or len(seat_keys) < MOST_KEYS:
                seat_keys[key] = None
                at[key] = value
    # Seats in order: which texts are left out must not depend on the order of lines.
    room = MOST_TEXTS
    for seat in sorted(by_seat):
        for _, at in sorted(by_seat[seat].items()):
            texts = {key: value for key, value in at.items() if isinstance(value, str)}
            room -= sum(map(len, texts.values()))
            if room < 0:
                for key in texts:
                    del at[key]
    return MatchInfo({seat: _columns(by_seat[seat], keys[seat]) for seat in sorted(by_seat)}, cut=room < 0)


def _columns(by_ply: Mapping[int, Mapping[str, Value]], keys: Iterable[str]) -> SeatInfo:
    plies = tuple(ply for ply in sorted(by_ply) if by_ply[ply])
    columns = {key: tuple(by_ply[ply].get(key) for ply in plies) for key in keys}
    return SeatInfo(
        plies, {key: column for key, column in columns.items() if any(v is not None for v in column)}
    )


def _values(line: str) -> Sequence[tuple[str, Value]]:
    """The keys and values of a line, each value safe to show once escaped."""
    if _PAIRS.fullmatch(line):
        return [(key, _short(float(word)) if "." in word else int(word)) for key, word in _PAIR.findall(line)]
    numbers: list[tuple[str, Value]] = []
    words: dict[str, list[str]] = {}
    key = ""
    for word in line.split():
        parts = _KEY.fullmatch(word)
        if parts is None or len(parts[1]) > MOST_KEY_CHARS:
            words.setdefault(key, []).append(word)
            continue
        key = ""
        number = _number(parts[2])
        if number is not None:
            numbers.append((parts[1], number))
        elif parts[2] or parts[1] == "pv":
            words[parts[1]] = [parts[2]] if parts[2] else []
            key = parts[1] if parts[1] == "pv" else ""
    shown = ((key, " ".join(text_words)) for key, text_words in words.items() if text_words)
    return [*numbers, *((key, display.label(text_words, MOST_TEXT)) for key, text_words in shown)]


def _number(word: str) -> int | float | None:
    """A finite number below 1e12 in size, an integer where it is one."""
    # float() would also take "nan", "1_000" and the digits of other scripts.
    if not _NUMBER.fullmatch(word):
        return None
    value = float(word)
    if not math.isfinite(value) or abs(value) >= 1e12:
        return None
    return _short(value)


def _short(value: float) -> int | float:
    return int(value) if value.is_integer() else value
