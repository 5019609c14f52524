"""Actions as the players of a game write them, with the numbers that they write before them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tourney.errors import GameError
from tourney.games.base import AnyGame


class Notation(NamedTuple):
    """The actions of a game as text, and the number before each: ``4.``, ``4...``, or "" for none.

    Without ``numbers`` the game's players count actions.
    """

    texts: Sequence[str]
    numbers: Sequence[str] = ()

    def numbered(self, index: int, sign: str = "") -> str:
        """An action with its number, and a sign behind it: ``4... Bxc6??``; ``7. a2-a3`` by its count."""
        number = self.numbers[index] if self.numbers else f"{index + 1}."
        text = f"{self.texts[index]}{sign}"
        return f"{number} {text}" if number else text

    def line(self, start: int = 0, stop: int | None = None) -> str:
        """Actions in a row: ``4... Bxc6 5. dxc6``; of games that count actions without numbers."""
        shown = []
        for index in range(start, len(self.texts))[: None if stop is None else max(0, stop - start)]:
            # Black's move has its number only where a line begins with it.
            numbered = self.numbers and (index == start or not self.numbers[index].endswith("..."))
            shown.append(self.numbered(index) if numbered else self.texts[index])
        return " ".join(shown)


def notation_of(
    game: AnyGame | None, actions: Sequence[str], seats: int, options: Mapping[str, str]
) -> Notation:
    """The notation of a game's actions; without the game, or if one is illegal, they stay as they are."""
    if game is None:
        return Notation(actions)
    try:
        settings = game.settings(seats, options)
        texts = game.notation(actions, *settings)
        return Notation(texts, game.move_numbers(actions, *settings))
    except (GameError, LookupError, ValueError):
        return Notation(actions)
