"""A game of another program as its file gives it, and the games of files that cannot be rated."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, wraps
from typing import Final, NamedTuple, TypeVar, TypeVarTuple

MAX_NAME: Final = 200
"""Characters of a player's name."""
UNKNOWN: Final = ("", "?")
"""Names that stand for a player that is not known."""


More = TypeVarTuple("More")
T = TypeVar("T")


def _cached(function: Callable[[str, *More], T]) -> Callable[[str, *More], T]:
    """Keep answers on short texts: those of a hostile file have a MiB each, and would fill the memory."""
    cached = lru_cache(maxsize=4096)(function)

    @wraps(function)
    def answer(text: str, *more: *More) -> T:
        return cached(text, *more) if len(text) <= MAX_NAME else function(text, *more)

    return answer


class ForeignGame(NamedTuple):
    """A game with a result.

    ``players`` and ``ranks`` are in seat order. ``pair`` is the label that games of one mirrored group share,
    or "": with ``mirrored`` it says which two consecutive games belong together, otherwise all games with the
    label do; in either case only those of the same players. ``date`` is ``YYYY-MM-DD`` or "". ``reason`` is
    how the game ended, in small letters with hyphens ("result" if nothing is known). ``faults``: each seat's
    kind of fault or None, () if there is none. ``play``: a hash of its start and moves, 0 if these are not
    known.
    """

    players: tuple[str, ...]
    ranks: tuple[int, ...]
    pair: str = ""
    mirrored: bool = False
    time_control: str = ""
    date: str = ""
    reason: str = "result"
    faults: tuple[str | None, ...] = ()
    play: int = 0


class UnratedError(Exception):
    """A game that cannot be rated: the kind of problem (a key of ``KINDS``), and what is wrong there."""

    def __init__(self, kind: str, why: str = "") -> None:
        super().__init__(kind)
        self.kind = kind
        self.why = why


WHITE_WORDS: Final = (
    *("weiss", "blancs", "blanc", "blancas", "bianco", "bianchi", "wit", "brancas"),
    "biale",
)
BLACK_WORDS: Final = (
    *("schwarz", "noirs", "noir", "negras", "nero", "neri", "zwart", "pretas"),
    "czarne",
)
"""The sides of chess in small letters without accents, in German, French, Spanish, Italian, Dutch, Portuguese
and Polish."""
_SPELLINGS: Final = str.maketrans(
    {
        "\u00bd": "1/2",
        ",": ".",
        ":": "-",
        "\u2013": "-",
        "\u2014": "-",
        **dict.fromkeys("\u2010\u2011\u2012\u2212", "-"),
        **dict.fromkeys(" _\xa0\u2009\u202f"),
    }
)
_SCORES: Final = {
    **dict.fromkeys(("1", "1.", "1.0"), 1.0),
    **dict.fromkeys(("1/2", "=", "0.5", ".5"), 0.5),
    **dict.fromkeys(("0", "0.", "0.0"), 0.0),
}
DRAW_WORDS: Final = (
    *(
        "draw",
        "drawn",
        "tie",
        "tied",
        "tie(bothbad)",
        "bothbad",
        "bothgood",
        "equal",
        "remis",
        "unentschieden",
        "nulle",
        "partienulle",
    ),
    *("tablas", "empate", "patta", "remise"),
)
"""Results without a winner, without blanks; ``tie (bothbad)`` is that of arenas of language models."""
_WORDS: Final = {
    **dict.fromkeys(("white", "whitewins", "wei\xdf", *WHITE_WORDS), 1.0),
    **dict.fromkeys(DRAW_WORDS, 0.5),
    **dict.fromkeys(("black", "blackwins", *BLACK_WORDS), 0.0),
}
_RANKS: Final = {1.0: (1, 2), 0.5: (1, 1), 0.0: (2, 1)}
_FORFEITS: Final = (
    re.compile(r"\+[-/]?-|1(?:-0)?(?:f+|k|wo|\(f\)|\(?(?:forfeit|kampflos|forfait)\)?)|1f+-0f*"),
    re.compile(r"-[-/]?\+|0(?:-1)?(?:f+|k|wo|\(f\)|\(?(?:forfeit|kampflos|forfait)\)?)|0f+-1f*"),
)
"""Games that the first, or the second, player won without play, as tournament managers write them."""
_BOTH_FORFEIT: Final = re.compile(r"-[-/]-|0f*-0f+|0f+-0f*")
BYES: Final = frozenset(
    ("bye", "(bye)", "spielfrei", "freilos", "exempt", "descansa", "riposa", "not paired", "nicht ausgelost")
)
"""What tournament managers write for the opponent of a player without a game, in small letters."""


@_cached
def is_forfeit(text: str) -> bool:
    """Whether a result says that a game was won without play (``+:-``, ``1-0F``)."""
    plain = text.lower().translate(_SPELLINGS)
    return any(form.fullmatch(plain) for form in _FORFEITS)


@_cached
def ranks_of(text: str) -> tuple[int, int] | None:
    """The ranks of two players by a result as programs and people write it, or None for another text.

    It is ``1-0`` or ``1:0``, the score of the first player, ``white``, ``black`` or ``draw`` in one of some
    languages, or a win without play (``is_forfeit``); a half may be written with a decimal point or comma,
    as a fraction, or as ``=``. Raises UnratedError for a game that neither came to.
    """
    plain = text.lower().translate(_SPELLINGS)
    if plain in _WORDS:
        return _RANKS[_WORDS[plain]]
    for form, score in zip(_FORFEITS, (1.0, 0.0), strict=True):
        if form.fullmatch(plain):
            return _RANKS[score]
    if _BOTH_FORFEIT.fullmatch(plain):
        raise UnratedError("void", "neither came")
    scores = [_SCORES.get(part) for part in plain.split("-")]
    if None in scores or len(scores) > 2 or (len(scores) == 2 and sum(filter(None, scores)) != 1):
        return None
    return _RANKS[scores[0] or 0.0]


UNFINISHED: Final = "*"


def result_text(ranks: Sequence[int]) -> str:
    """The result of PGN for the ranks of two players."""
    return "1/2-1/2" if ranks[0] == ranks[1] else "1-0" if ranks[0] < ranks[1] else "0-1"


_FAULTS: Final = {
    **dict.fromkeys(("time forfeit", "time-forfeit", "timeout", "loses on time"), "timeout"),
    **dict.fromkeys(("illegal move", "illegal", "rules infraction"), "illegal"),
    **dict.fromkeys(("abandoned", "stalled connection", "disconnect", "crash"), "crash"),
    **dict.fromkeys(("forfeit", "default", "walkover", "kampflos"), "startup"),
    **{kind: kind for kind in ("startup", "protocol", "overflow")},
}
"""Kinds of faults by the words of fastchess, cutechess, lichess and Tourney."""
TERMINATIONS: Final = {
    "timeout": "time forfeit",
    **dict.fromkeys(("illegal", "protocol", "overflow"), "rules infraction"),
    **dict.fromkeys(("crash", "startup"), "abandoned"),
}
"""The words of PGN's standard by kind of fault, in which Tourney writes its own games."""
UNTERMINATED: Final = "unterminated"
_DATE: Final = re.compile(r"(\d{4})[-./](\d\d)[-./](\d\d)", re.ASCII)
_NO_WORD: Final = re.compile(r"[^a-z0-9]+")


@_cached
def date_of(text: str) -> str:
    """A date as ``YYYY-MM-DD``, or "" for one that is not known to the day."""
    match = _DATE.match(text)
    return "-".join(match.groups()) if match else ""


@_cached
def ending_of(text: str, ranks: tuple[int, ...]) -> tuple[str, tuple[str | None, ...]]:
    """Reason and faults by seat, () if there is none, from the words on how a game ended.

    A fault is the sole loser's; in any other game the words are a reason only.
    """
    words = text.strip().lower()
    kind, last = _FAULTS.get(words), max(ranks)
    reason = _NO_WORD.sub("-", words[:60]).strip("-") or "result"
    if kind is None or last == 1 or ranks.count(last) > 1:
        return reason, ()
    return reason, tuple(kind if rank == last else None for rank in ranks)


def check_players(players: tuple[str, ...]) -> None:
    """Raise UnratedError if these cannot be the players of a game."""
    if any(name in UNKNOWN for name in players):
        raise UnratedError("player")
    if len(set(players)) < len(players):
        raise UnratedError("twice")
    if any(len(name) > MAX_NAME for name in players):
        raise UnratedError("name")


KINDS: Final[Mapping[str, str]] = {
    "unfinished": "unfinished games (result *)",
    "no-result": "games without a result",
    "bad-result": "games with a result that is none of 1-0, 0-1, 1/2-1/2 and *",
    "contradiction": "games whose result contradicts the end of their moves, their Termination or itself",
    "cut": "games that are cut short: their moves end without a result",
    "comment": "games with a comment that runs into the next game",
    "player": "games with an unknown player",
    "twice": "games with one player on two sides",
    "name": "games with a player's name of more than 200 characters",
    "nul": "games with a NUL character",
    "long": "games or lines that are too long",
    "line": "lines that are not of the form",
    "ranks": "games with ranks that do not fit their players",
    "seats": "games with another number of players than the first game",
    "void": "void games",
    "file": "files that end in the middle or are damaged",
    "latin": "games with names that are not UTF-8, read as Latin-1",
    "unicode": "names in two forms of Unicode (NFC and NFD), or with other blanks, taken for one player",
    "case": "names that differ in capital letters alone, taken for two players",
    "namesake": "players of one name, to whom their numbers were added",
    "title": "lines before the header of a table, passed over",
    "filter": "games left out by a filter",
}
"""The kinds with their words, in the order in which they are reported."""
NOT_DAMAGED: Final = frozenset(
    {"unfinished", "void", "filter", "latin", "unicode", "case", "namesake", "title"}
)
"""Kinds that say nothing against a file."""
MAX_PLACES: Final = 1000
"""Places kept of each kind; further games are counted."""


class ProblemPlace(NamedTuple):
    """Where a problem is: its kind, the file and line, and what is wrong there ("" if the kind says it)."""

    kind: str
    file: str
    line: int
    why: str = ""

    @property
    def text(self) -> str:
        """The place in a sentence."""
        where = f"{self.file} line {self.line}" if self.line else self.file
        return f"{where}: {self.why}" if self.why else where


class Problems:
    """The problems of some files.

    ``read`` counts all games that were met, rated or not; ``forms`` are the forms of the files, ``guessed``
    whether one follows from how its file begins.
    """

    def __init__(self) -> None:
        self.read = 0
        self.forms: set[str] = set()
        self.guessed = False
        self.counts: Counter[str] = Counter()
        self.filtered: Counter[str] = Counter()
        self._places: defaultdict[str, list[ProblemPlace]] = defaultdict(list)

    def add(self, kind: str, file: str, line: int, why: str = "") -> None:
        """Count a game, and keep its place as long as there are few."""
        self.counts[kind] += 1
        # A filter leaves out games on purpose, maybe millions: their places say nothing.
        if kind != "filter" and len(self._places[kind]) < MAX_PLACES:
            self._places[kind].append(ProblemPlace(kind, file, line, why))

    def extend(self, later: "Problems", lines: int) -> None:
        """Add the problems of a later part of a file, which begins ``lines`` lines behind its beginning."""
        self.read += later.read
        self.counts.update(later.counts)
        self.filtered.update(later.filtered)
        for place in later.places:
            if len(self._places[place.kind]) < MAX_PLACES:
                self._places[place.kind].append(place._replace(line=place.line + lines))

    @property
    def damaged(self) -> int:
        """The number of damaged games, lines and files."""
        return sum(count for kind, count in self.counts.items() if kind not in NOT_DAMAGED)

    @property
    def places(self) -> tuple[ProblemPlace, ...]:
        """All kept places by kind, in file order within each."""
        return tuple(place for kind in KINDS for place in self._places[kind])

    def sentences_by_kind(self, most: int = 3) -> Iterator[tuple[str, str]]:
        """Yield each kind with a sentence that has its number and up to ``most`` of its places."""
        for kind, words in KINDS.items():
            if not (count := self.counts[kind]):
                continue
            if kind == "filter":
                parts = [f"{number:,} by {name}" for name, number in sorted(self.filtered.items())]
            else:
                parts = [place.text for place in self._places[kind][:most]]
                if count > most:
                    parts[-1] += f" and {count - most:,} more"
            yield kind, f"{words}: {count:,} ({', '.join(parts)})"
