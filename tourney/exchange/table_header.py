"""Find out what the columns of a table of results mean, as people and programs name them.

Names are compared in small letters without accents, with ``_`` for blanks, points and hyphens, and
before a capital within a word. A name with
two meanings is not listed: it is ignored like any other column.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Final
from unicodedata import combining, normalize

from tourney.exchange.foreign_game import BLACK_WORDS, WHITE_WORDS

NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "white": ("white", "first", *WHITE_WORDS, "home", "heim", "domicile", "local", "left"),
    "black": ("black", "second", *BLACK_WORDS, "away", "visitor", "gast", "exterieur", "visitante", "right"),
    "result": (
        *("result", "score", "res", "ergebnis", "erg", "resultat", "resultado", "risultato", "uitslag"),
        *("wynik", "outcome"),
    ),
    "winner": (
        "winner",
        "choice",
        "gewinner",
        "sieger",
        "vainqueur",
        "gagnant",
        "ganador",
        "vincitore",
        "winnaar",
    ),
    "loser": ("loser", "verlierer", "perdant", "perdedor", "perdente", "verliezer"),
    "player": ("player", "spieler", "joueur", "jugador", "engine", "bot"),
    "opponent": ("opponent", "gegner", "adversaire", "oponente", "adversario"),
    "players": ("players", "entrants", "agents", "bots", "teams", "team_names", "joueurs", "jugadores"),
    "ranks": ("ranks",),
    "scores": ("scores", "rewards"),
    "pair": ("pair", "opening"),
    "time_control": ("time_control", "timecontrol", "tc"),
    "date": ("date", "utcdate", "datum", "fecha"),
    "reason": ("termination", "reason"),
    "void": ("void",),
    "draw": ("draw", "is_draw", "tie"),
}
"""The names that a column or key may have, the first of which counts before the others."""
_COMPLETE: Final = (
    {"white", "black", "result"},
    {"white", "black", "winner"},
    {"white", "black", "score1", "score2"},
    {"player1", "player2", "result"},
    {"player1", "player2", "winner"},
    {"player1", "player2", "rank1", "rank2"},
    {"player1", "player2", "score1", "score2"},
    {"players", "ranks"},
    {"players", "scores"},
    {"winner", "loser"},
    {"player", "opponent", "result"},
)
"""Sets of columns that are enough for a result."""
ACCEPTED: Final = (
    "white, black and result; or players and ranks; or player1, player2 ... and rank1, rank2 ..., or score1,"
    " score2 ...; or winner and loser"
)
_OPTIONAL: Final = frozenset({"pair", "time_control", "date", "reason", "void"})
_KEYS: Final = {name: key for key, names in NAMES.items() for name in names}

_NUMBER_AT_END: Final = re.compile(r"[0-9]+\Z")
_WORD_START: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NO_LETTER: Final = re.compile(r"[\s_.\-]+")
_SUFFIX: Final = re.compile(r"_(?:name|player|team|engine|bot|agent)")
_PLAYER: Final = (
    r"(?:player|entrant|team|bot|agent|model|engine|spieler|joueur|jugador|giocatore|speler|name|p)"
)
_NUMBER: Final = r"_?(0|[1-9][0-9]?|[a-d])"
_WORDS: Final = {
    **dict.fromkeys(("rank", "place", "platz", "rang", "position"), "rank"),
    **dict.fromkeys(("score", "points", "punkte", "goals", "reward", "puntos"), "score"),
}
_WORD: Final = f"({'|'.join(_WORDS)})"
_NUMBERED: Final = re.compile(rf"{_PLAYER}{_NUMBER}(?:_name)?")
_WORD_NUMBERED: Final = re.compile(rf"{_WORD}_?{_PLAYER}?{_NUMBER}")
_NUMBERED_WORD: Final = re.compile(rf"{_PLAYER}{_NUMBER}_{_WORD}")
_SIDE_WORD: Final = re.compile(rf"([a-z]+)_{_WORD}")
_WORD_SIDE: Final = re.compile(rf"{_WORD}_([a-z]+)")


@lru_cache(maxsize=16)  # JSON names the keys in every line; a hostile one may have a MiB of them
def columns_of(names: tuple[str, ...]) -> tuple[str, ...]:
    """What columns mean, by place: a key of ``NAMES``, ``player1``, ``rank1``, ``score1`` or "" for nothing.

    Of several columns with one meaning that with the first of its names counts. Without it none counts, or
    the first if it is not part of a result.
    """
    plain = [_plain(name) for name in names]
    keys = [_key(name) for name in plain]
    for key in [key for key, times in Counter(keys).items() if key and times > 1]:
        places = [place for place, name in enumerate(keys) if name == key]
        first = [place for place in places if plain[place] == key]
        if key in _OPTIONAL:
            first = first or places
        elif len(first) > 1:
            first = []
        for place in places:
            keys[place] = key if place in first[:1] else ""
    return tuple(keys)


def is_complete(columns: Collection[str]) -> bool:
    """Whether columns are enough for a result; players may be numbered from 0."""
    if "player0" in columns:
        columns = {_NUMBER_AT_END.sub(lambda match: str(int(match[0]) + 1), name) for name in columns}
    return any(needed.issubset(columns) for needed in _COMPLETE)


def _plain(name: str) -> str:
    """A name in small letters without accents, with ``_`` between words."""
    words = _WORD_START.sub("_", name).casefold()
    letters = "".join(letter for letter in normalize("NFKD", words) if not combining(letter))
    return _NO_LETTER.sub("_", letters).strip("_")


def _key(name: str) -> str:
    if key := _KEYS.get(name) or _KEYS.get(_SUFFIX.sub("", name)):
        return key
    if match := _NUMBERED.fullmatch(name):
        return f"player{_number(match[1])}"
    if match := _WORD_NUMBERED.fullmatch(name):
        return f"{_WORDS[match[1]]}{_number(match[2])}"
    if match := _NUMBERED_WORD.fullmatch(name):
        return f"{_WORDS[match[2]]}{_number(match[1])}"
    if match := _SIDE_WORD.fullmatch(name):
        return _side_score(match[1], match[2])
    if match := _WORD_SIDE.fullmatch(name):
        return _side_score(match[2], match[1])
    return name if name in ("round", "table", "repeat") else ""


def _number(text: str) -> int:
    return int(text) if text.isdigit() else "_abcd".index(text)


def _side_score(side: str, word: str) -> str:
    seat = {"white": 1, "black": 2}.get(_KEYS.get(side, ""))
    return f"score{seat}" if seat and _WORDS[word] == "score" else ""
