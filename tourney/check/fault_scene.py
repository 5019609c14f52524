"""The scene of a fault, from a record: the position, the legal actions and the last lines of the dialogue."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tourney.errors import GameError
from tourney.games.base import AnyGame, AnyState
from tourney.games.diagrams import Diagram
from tourney.match.record import Record
from tourney.protocol import HIDDEN, play_line

LEGAL_SHOWN: Final = 20
"""Legal actions to name beside an illegal one."""
LINES: Final = 8
"""Last lines between referee and bot."""
_ATTEMPT: Final = re.compile(r"\billegal: (?:action |')(\S+?)(?:'| is not legal)")


@dataclass(frozen=True, slots=True)
class FaultScene:
    """The position in which a bot failed.

    ``ply`` actions were played; ``last`` is the one before it, or None; ``attempt`` the illegal action, "" if
    it is not known; ``legal`` some of the legal actions, and ``more`` whether there are others; ``wire`` the
    last lines to the bot (``>``) and from it (``<``), as the record tells them.
    """

    ply: int
    position: str
    last: str | None
    attempt: str
    legal: tuple[str, ...]
    more: bool
    wire: tuple[str, ...]

    def diagram(self, game: AnyGame) -> Diagram:
        """The board with the action that was tried, or with the one before it."""
        try:
            return game.diagram(self.position, self.attempt or self.last)
        except Exception:  # noqa: BLE001 - a plugin's drawing, of any text that a bot sent
            return game.diagram(self.position, self.last)

    @property
    def legal_text(self) -> str:
        """The legal actions in a row."""
        return " ".join(self.legal) + (" ..." if self.more else "")


def fault_scene(record: Record, game: AnyGame, seat: int, note: str = "") -> FaultScene | None:
    """The scene of a seat's fault; None without one, at the start, or for a record that breaks the rules.

    ``note`` is the referee's note on the fault, which names an illegal action.
    """
    faults = [fault for fault in record.outcome.faults if fault[0] == seat and fault[1] != "startup"]
    if not faults or game.rules != record.rules:
        return None
    _, kind, count = faults[0]
    attempt = _ATTEMPT.search(note) if kind == "illegal" else None
    lines: list[str] = []
    try:
        state: AnyState = game.new(len(record.seats), record.options)
        for actor, text in record.actions[:count]:
            action = game.read_action(state, text)
            lines += _lines(game, state, seat, actor, text)
            state = state.play(action)
    except GameError:
        return None
    if state.actor != seat:  # it failed while another seat thought
        return FaultScene(count, state.position(), None, "", (), False, tuple(lines[-LINES:]))
    lines.append("> go")
    if attempt is not None:
        lines.append(f"< move {attempt[1]}")
    legal = game.legal_texts(state) if kind == "illegal" else ()
    return FaultScene(
        count,
        state.position(),
        record.actions[count - 1][1] if count else None,
        attempt[1] if attempt is not None else "",
        legal[:LEGAL_SHOWN],
        len(legal) > LEGAL_SHOWN,
        tuple(lines[-LINES:]),
    )


def _lines(game: AnyGame, state: AnyState, seat: int, actor: int, text: str) -> Iterator[str]:
    """Yield the lines of an action: the bot's answer, and what the seat hears of it."""
    if actor == seat:
        yield "> go"
        yield f"< move {text}"
    visible = not game.has_hidden_actions or state.visible(game.read_action(state, text), seat)
    yield f"> {play_line(actor, text if visible else HIDDEN).decode().rstrip()}"
