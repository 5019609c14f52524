"""What happened, as lines of text: whose turn it was, and all that was done in it."""

import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tourney.games.base import CHANCE
from tourney.protocol import HIDDEN

SHOWN_LINES: Final = 12
"""Lines of the story since a person's last turn that are shown; of more, the last."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the referee about the game: an action, one opened later, or a seat that left."""

    kind: Literal["play", "reveal", "withdrawn"]
    seat: int
    action: str = ""


def story(entries: Iterable[Entry], name_of: Callable[[int], str], width: int) -> list[str]:
    """Return entries as lines, the consecutive actions of a seat on one, folded at the width.

    What chance did is in brackets before what the seat did upon it. Hidden actions are counted.
    """
    lines: list[str] = []
    for kind, seat, actions in _runs(entries):
        if kind == "withdrawn":
            text = f"{name_of(seat)} plays no more; the referee draws its actions"
        else:
            head = f"{name_of(seat)} opens:" if kind == "reveal" else f"{name_of(seat)}:" if seat else ""
            text = f"{head} {' '.join(_plain(actions))}".lstrip()
        lines += textwrap.wrap(text, max(width, 20), subsequent_indent="    ", break_on_hyphens=False)
    return lines


def recent(lines: Sequence[str]) -> list[str]:
    """Return the last lines, with how many were left out before them."""
    left_out = len(lines) - SHOWN_LINES
    if left_out <= 1:
        return list(lines)
    return [f"({left_out} lines left out; `history` has them)", *lines[left_out:]]


def _runs(entries: Iterable[Entry]) -> list[tuple[str, int, list[str]]]:
    """Join what follows one another of one kind and seat; chance's goes to the seat that acts upon it."""
    runs: list[tuple[str, int, list[str]]] = []
    dice: list[str] = []
    for entry in entries:
        if entry.kind == "play" and entry.seat == CHANCE:
            dice.append(f"[{entry.action}]")
            continue
        if not runs or runs[-1][:2] != (entry.kind, entry.seat) or entry.kind == "withdrawn":
            runs.append((entry.kind, entry.seat, []))
        if entry.kind == "play":
            runs[-1][2].extend(dice)
            dice.clear()
        runs[-1][2].append(entry.action)
    if dice:
        runs.append(("play", CHANCE, dice))  # whoever acts upon it has not yet
    return runs


def _plain(actions: Sequence[str]) -> list[str]:
    """Count hidden actions that follow one another."""
    plain: list[str] = []
    hidden = 0
    for action in [*actions, ""]:
        if action == HIDDEN:
            hidden += 1
            continue
        if hidden:
            plain.append(f"({hidden} hidden action{'s' if hidden > 1 else ''})")
            hidden = 0
        plain.append(action)
    return plain[:-1]
