"""Make columns of what other programs' JSON holds inside a game: objects of players, and tables by columns.

Sites write a player as an object, chess.com a result in each of the two, Kaggle the names beside the rewards.
"""

from collections.abc import Mapping
from typing import Final

from tourney.exchange.table_header import columns_of, is_complete

_NAMES: Final = ("name", "username", "user")
"""Keys of a player's name, or of an object that has it."""
_OF_PLAYERS: Final = {"rank": "ranks", "place": "ranks", "score": "scores", "points": "scores"}
_NO_WINNER: Final = frozenset({"draw", "stalemate", "outoftime", "timeout", "insufficientMaterialClaim"})
"""Ends of games of lichess which are draws if no winner is named."""
_DRAWS: Final = frozenset(
    {"agreed", "repetition", "stalemate", "insufficient", "50move", "timevsinsufficient"}
)
"""Results that chess.com gives both players of a draw."""


def name_of(value: object) -> object:
    """The name of a player that an object, a team of one or a number stands for; another value as it is."""
    for _ in _NAMES:
        if isinstance(value, dict):
            value = next((value[key] for key in _NAMES if key in value), value)
        elif isinstance(value, list) and len(value) == 1:
            value = value[0]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def flattened(game: Mapping[str, object]) -> dict[str, object]:
    """A game with the keys that a table of results would have."""
    flat = dict(game)
    players = flat.get("players", flat.get("teams"))
    if isinstance(players, dict):
        flat = {**players, **{key: value for key, value in flat.items() if key != "players"}}
        if flat.get("status") in _NO_WINNER:
            flat.setdefault("winner", "draw")
    elif isinstance(players, list) and players and all(isinstance(player, dict) for player in players):
        for key in [key for key in _OF_PLAYERS if all(key in player for player in players)]:
            flat.setdefault(_OF_PLAYERS[key], [player[key] for player in players])
    if is_complete(columns_of(tuple(flat))):
        return flat
    ends = [side.get("result") for side in (flat.get("white"), flat.get("black")) if isinstance(side, dict)]
    if len(ends) == 2 and ends.count("win") == 1:
        return {**flat, "result": "1-0" if ends[0] == "win" else "0-1"}
    if len(ends) == 2 and ends[0] == ends[1] and ends[0] in _DRAWS:
        return {**flat, "result": "1/2-1/2"}
    for inner in game.values():
        flat = {**inner, **flat} if isinstance(inner, dict) else flat
    return flat


def by_rows(value: Mapping[str, object]) -> list[object]:
    """The rows of a table that pandas wrote by columns; [] of anything else."""
    columns = [column for column in value.values() if isinstance(column, dict)]
    is_table = len(columns) == len(value) and is_complete(columns_of(tuple(value)))
    if not is_table or any(list(column) != list(columns[0]) for column in columns):
        return []
    return [{key: column[row] for key, column in zip(value, columns, strict=True)} for row in columns[0]]
