"""Takes what it can: looks one action ahead, and of the best draws one by the bot's seed.

A position is judged by its string, as the game's page defines it, so nothing here depends on how the rules
are written. A game that is not known here is judged by its result alone.
"""

from collections.abc import Callable
from typing import Any

from tourney.bot import Turn, run

WIN = 1_000_000_000


def sages_tafl(position: str, seat: int, seats: int) -> int:  # noqa: ARG001 - all measures are called alike
    """Points first, then pieces, then how near apprentices and the sage are to the river and its ends."""
    board, _, _, points, *_ = position.split(" ")
    black, red = map(int, points.split(":"))
    total = 10_000 * (black - red)
    for row, text in enumerate(board.split("/")):
        file = 0
        for char in text:
            if char.isdigit():
                file += int(char)
                continue
            worth = {"A": 300, "F": 200, "S": 0}[char.upper()]
            if char.upper() != "F":
                near = 4 - abs(4 - row)
                near += 4 - min(file, 7 - file) if row == 4 else 0
                worth += 10 * near * (3 if char.upper() == "S" else 1)
            total += worth if char.isupper() else -worth
            file += 1
    return total if seat == 1 else -total


def sage_stones(position: str, seat: int, seats: int) -> int:
    """Few stones in the hand of one's best colour, many in the hands of the others'."""
    hands = position.split(" ")[3].split(",")
    best: dict[int, int] = {}
    for k, text in enumerate(hands):
        owner = k % seats + 1
        hand = 0 if text.startswith("#") else int(text)
        best[owner] = min(hand, best.get(owner, hand))
    others = [hand for owner, hand in best.items() if owner != seat]
    total = sum(0 if text.startswith("#") else int(text) for text in hands[seat - 1 :: seats])
    return 10 * (min(others) - 2 * best[seat]) + sum(others) - total


def seven_sages(position: str, seat: int, seats: int) -> int:  # noqa: ARG001 - all measures are called alike
    """Points first, then the fool's way to the other side's city, then sages that stand before it."""
    red, blue, fool, _, points, *_ = position.split(" ")
    ours, theirs = map(int, points.split(":"))
    rank = int(fool[1:])
    ahead = sum(int(square[1:]) > rank for square in red.split(","))
    against = sum(int(square[1:]) < rank for square in blue.split(","))
    total = 1_000 * (ours - theirs) + 10 * (rank - 8) + ahead - against
    return total if seat == 1 else -total


def cyvasse(position: str, seat: int, seats: int) -> int:  # noqa: ARG001 - all measures are called alike
    """Pieces, by what they are worth."""
    worth = {"R": 2, "S": 3, "L": 5, "H": 6, "E": 7, "C": 6, "T": 8, "D": 14, "W": 6, "K": 1_000}
    total = 0
    for char in position.split(" ")[1]:
        if char.isalpha():
            total += worth[char] if char.isupper() else -worth[char.upper()]
    return total if seat == 1 else -total


def element(position: str, seat: int, seats: int) -> int:
    """Few empty squares around the prey, many around one's own sage."""
    board, sages, *_ = position.split(" ")
    rows = board.split("/")[::-1]
    squares = sages.split(",")

    def freedom(square: str) -> int:
        column, row = ord(square[0]) - ord("a"), int(square[1:]) - 1
        count = 0
        for c in range(max(0, column - 1), min(10, column + 1) + 1):
            for r in range(max(0, row - 1), min(10, row + 1) + 1):
                count += rows[r][c] == "." and f"{'abcdefghijk'[c]}{r + 1}" not in squares
        return count

    prey = squares[seat % seats]
    return 2 * freedom(squares[seat - 1]) - 3 * freedom(prey)


VALUES: dict[str, Callable[[str, int, int], int]] = {
    "cyvasse": cyvasse,
    "element": element,
    "sage-stones": sage_stones,
    "sages-tafl": sages_tafl,
    "seven-sages": seven_sages,
}


def value(state: Any, turn: Turn) -> int:
    """Return what a state is worth to the bot: its result if it is over, else the game's measure."""
    ranks: tuple[int, ...] | None = state.ranks()
    if ranks is not None:
        mine = ranks[turn.seat - 1]
        return WIN * (sum(rank > mine for rank in ranks) - sum(rank < mine for rank in ranks))
    measure = VALUES.get(turn.match.game_name)
    return 0 if measure is None else measure(state.position(), turn.seat, turn.seats)


def choose(state: Any, turn: Turn) -> Any:
    """Return one of the actions that lead to the best next state."""
    actions = state.legal_actions()
    if len(actions) == 1:
        return actions[0]
    values = [value(state.play(action), turn) for action in actions]
    best = max(values)
    turn.info(score=best, depth=1)
    return turn.pick([action for action, worth in zip(actions, values, strict=True) if worth == best])


run(choose, hidden=True, name="greedy", version="1.0")
