"""Read results from TRF, the report file of FIDE that managers of Swiss tournaments write and pair by.

A line ``001`` has a player: the number in columns 5 to 8, the name in 15 to 47, and from column 92 on ten
columns a round: the opponent's number, the colour and the result (Handbook C.04, Annex 2, TRF16; TRF26 has
the same). So each game is there twice, and both lines must say the same.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from tourney.exchange.foreign_game import ForeignGame, Problems, UnratedError, check_players, ending_of
from tourney.exchange.table import lines_of

LINE: Final = re.compile(rb"(?:\A|[\r\n])001 [ 0-9]{3}[0-9] ")
"""A player's line."""
_ROUND: Final = re.compile(r"\s*([0-9]{1,4})\s+([wb-])\s*([10=+\-WDLHFUZ]?)\s*", re.IGNORECASE)
_FIRST_ROUND: Final = 91
_ROUND_WIDTH: Final = 10
_POINTS: Final = {
    **dict.fromkeys("1+W", 2),
    **dict.fromkeys("=D", 1),
    **dict.fromkeys("0-L", 0),
}
"""Half points by the code of a game; H, F, U and Z are byes."""
_RANKS: Final = {(2, 0): (1, 2), (1, 1): (1, 1), (0, 2): (2, 1)}


class _Player(NamedTuple):
    """A player's line: its number, name, and for each round opponent, colour and code, or None for a bye."""

    line: int
    name: str
    rounds: tuple[tuple[int, str, str] | None, ...]


def read_trf(blocks: Iterable[bytes], label: str, problems: Problems) -> Iterator[tuple[int, ForeignGame]]:
    """Yield the games by round, with the number of the line of one of their players."""
    players: dict[int, _Player] = {}
    for line, text in lines_of(blocks, label, problems):
        if not text.startswith("001 "):
            continue
        digits = text[4:8].strip()
        number = int(digits) if digits.isascii() and digits.isdecimal() else 0
        if not number or number in players:
            problems.read += 1
            problems.add("line", label, line, f"the player's number {digits!r} is not one of its own")
            continue
        try:
            players[number] = _Player(line, text[14:47].strip(), tuple(_rounds(text)))
        except UnratedError as error:
            problems.read += 1
            problems.add(error.kind, label, line, error.why)
    names = Counter(player.name for player in players.values())
    for number, player in players.items():
        if names[player.name] > 1 and player.name:
            problems.add("namesake", label, player.line, player.name)
            players[number] = player._replace(name=f"{player.name} ({number})")
    for round_ in range(max((len(player.rounds) for player in players.values()), default=0)):
        for number, player in players.items():
            entry = player.rounds[round_] if round_ < len(player.rounds) else None
            # The line of White, or without colours, as of a win without play, that of the lower number.
            if entry is None or entry[1] == "b" or (entry[1] == "-" and entry[0] < number):
                continue
            problems.read += 1
            try:
                yield player.line, _game(number, players, round_)
            except UnratedError as error:
                problems.add(error.kind, label, player.line, f"round {round_ + 1}: {error.why or error.kind}")


def _rounds(text: str) -> Iterator[tuple[int, str, str] | None]:
    if "\t" in text:
        raise UnratedError("line", "it has tabs, where TRF has columns of fixed width")
    for start in range(_FIRST_ROUND, len(text), _ROUND_WIDTH):
        part = text[start : start + _ROUND_WIDTH]
        match = _ROUND.fullmatch(part)
        if match is None and part.strip():
            raise UnratedError("line", f"{part.strip()!r} in column {start + 1} is not a round")
        opponent, colour, code = match.groups() if match else ("0", "-", "")
        played = code.upper() in _POINTS and int(opponent)
        yield (int(opponent), colour.lower(), code.upper()) if played else None


def _game(number: int, players: dict[int, _Player], round_: int) -> ForeignGame:
    player = players[number]
    opponent, _, code = player.rounds[round_] or (0, "", "")
    other = players.get(opponent)
    back = other.rounds[round_] if other is not None and round_ < len(other.rounds) else None
    if other is None or back is None or back[0] != number:
        raise UnratedError("contradiction", f"the line of number {opponent} has another opponent")
    points = _POINTS[code], _POINTS[back[2]]
    if code == back[2] == "-":
        raise UnratedError("void", "neither came")
    if points not in _RANKS:
        raise UnratedError("contradiction", f"{code} here, {back[2]} in the line of number {opponent}")
    names = player.name, other.name
    check_players(names)
    reason, faults = ending_of("forfeit" if "+" in (code, back[2]) else "", _RANKS[points])
    return ForeignGame(names, _RANKS[points], reason=reason, faults=faults)
