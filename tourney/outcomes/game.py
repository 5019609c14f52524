"""A game as its file tells it: players, ranks, and the words by which games are filtered and grouped."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

MAX_NAME: Final = 200
"""Characters of a player's name."""
UNKNOWN: Final = ("", "?")
"""Names that stand for a player that is not known."""


class Game(NamedTuple):
    """A game with a result.

    ``players`` and ``ranks`` are in seat order. ``pair`` is the label that games of one mirrored group share,
    or "": with ``mirrored`` it says which two consecutive games belong together, otherwise all games with the
    label do; in either case only those of the same players. ``date`` is ``YYYY-MM-DD`` or "". ``reason`` is
    how the game ended, in small letters with hyphens ("result" if nothing is known). ``fault`` is the kind of
    fault by which the seat ``faulty`` (from 0) lost, or "".
    """

    players: tuple[str, ...]
    ranks: tuple[int, ...]
    pair: str = ""
    mirrored: bool = False
    time_control: str = ""
    date: str = ""
    reason: str = "result"
    fault: str = ""
    faulty: int = 0


RANKS: Final[dict[str, tuple[int, int]]] = {
    "1-0": (1, 2),
    "0-1": (2, 1),
    "1/2-1/2": (1, 1),
    "1": (1, 2),
    "0": (2, 1),
    "0.5": (1, 1),
    "1/2": (1, 1),
    "1.0": (1, 2),
    "0.0": (2, 1),
}
"""Ranks of the first and the second player by result: as in PGN, or the score of the first player."""
UNFINISHED: Final = "*"

_FAULTS: Final = {
    **dict.fromkeys(("time forfeit", "time-forfeit", "timeout", "loses on time"), "timeout"),
    **dict.fromkeys(("illegal move", "illegal", "rules infraction"), "illegal"),
    **dict.fromkeys(("abandoned", "stalled connection", "disconnect", "crash"), "crash"),
    **{kind: kind for kind in ("startup", "protocol", "overflow")},
}
"""Kinds of faults by the words of fastchess, cutechess, lichess and Tourney."""
UNTERMINATED: Final = "unterminated"
_DATE: Final = re.compile(r"(\d{4})[-./](\d\d)[-./](\d\d)", re.ASCII)
_NO_WORD: Final = re.compile(r"[^a-z0-9]+")


@lru_cache(maxsize=4096)
def date_of(text: str) -> str:
    """Return a date as ``YYYY-MM-DD``, or "" for one that is not known to the day."""
    found = _DATE.match(text)
    return "-".join(found.groups()) if found else ""


@lru_cache(maxsize=4096)
def ending_of(text: str, ranks: tuple[int, ...]) -> tuple[str, str, int]:
    """Return reason, fault and the seat at fault (from 0) from the words on how a game ended.

    A fault is the sole loser's; in any other game the words are a reason only.
    """
    words = text.strip().lower()
    kind = _FAULTS.get(words, "")
    last = max(ranks)
    if kind and (last == 1 or ranks.count(last) > 1):
        kind = ""
    reason = _NO_WORD.sub("-", words[:60]).strip("-") or "result"
    return reason, kind, ranks.index(last) if kind else 0


@lru_cache(maxsize=4096)
def check_players(players: tuple[str, ...]) -> str:
    """Return why these cannot be the players of a game, a kind of problem; "" if they can."""
    if any(name in UNKNOWN for name in players):
        return "player"
    if len(set(players)) < len(players):
        return "twice"
    if any(len(name) > MAX_NAME for name in players):
        return "name"
    return ""
