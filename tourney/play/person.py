"""The channel to a person: the referee's lines become a board, what is typed becomes the answer."""

import hashlib
import textwrap
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tourney.bots.channel.base import Channel, Event
from tourney.games.base import CHANCE, AnyGame
from tourney.games.svg_diagram import seat_colors
from tourney.games.text_diagram import text_diagram
from tourney.match.spec import Entrant
from tourney.play.commands import (
    NAMES,
    Command,
    TypedAction,
    Unclear,
    help_lines,
    listing,
    parse_typed,
    summary,
)
from tourney.play.terminal import Terminal
from tourney.protocol import HIDDEN

NAME: Final = "person"
DIGEST: Final = hashlib.sha256(b"person 1").hexdigest()
"""Stands for a content digest: a person has no files, so no store has a bot with it."""
GREETING: Final = Event("line", "bot wants=position,legal")


def person() -> Entrant:
    """Return a person as an entrant."""
    return Entrant(NAME, NAME, "1", (), DIGEST)


class PersonLeft(Exception):  # noqa: N818 - no error: the person has had enough
    """The person leaves, in the middle of the game."""


class Undo(Exception):  # noqa: N818 - no error: the game goes on from an earlier point
    """The person takes ``count`` decisions back."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.count = count


class SharedTerminal:
    """What the persons of a game share: the terminal, the game, the seats' labels, and who typed last.

    ``decided`` gives the number of decisions of persons that can be taken back.
    """

    def __init__(
        self, terminal: Terminal, game: AnyGame, labels: Sequence[str], decided: Callable[[], int]
    ) -> None:
        self.terminal = terminal
        self.game = game
        self.colors = seat_colors(game.seat_names)
        self.decided = decided
        self.sitting = 0
        self._labels = labels

    def label(self, seat: int) -> str:
        """Return what a seat is called; "" for chance."""
        return self._labels[seat - 1] if seat else ""

    def say(self, lines: Sequence[str]) -> None:
        """Write lines."""
        self.terminal.write("".join(f"{line}\n" for line in lines))

    def sit(self, seat: int) -> None:
        """Let a seat's person sit down; where things are hidden, what the one before saw is wiped away."""
        if self.sitting not in (0, seat) and self.game.has_hidden_actions:
            self.terminal.hand_over(self.label(seat))
        self.sitting = seat


class PersonChannel(Channel):
    """A seat that is played at a terminal. It has no limit of time, whatever the match's is.

    It knows what the referee's lines tell this seat and nothing else. ``wait`` raises ``PersonLeft`` and
    ``Undo``, which pass through the match.
    """

    def __init__(self, seat: int, table: SharedTerminal) -> None:
        self._seat = seat
        self._table = table
        self._answers: deque[Event] = deque()
        self._entries: list[Entry] = []
        self._told = 0
        self._view = ""
        self._legal: tuple[str, ...] = ()

    # -- the referee's side ---------------------------------------------------------------------------

    def send(self, data: bytes) -> None:
        """Hear lines."""
        for line in data.decode("utf-8").splitlines():
            self._hear(*line.partition(" ")[::2])

    def pending(self) -> Sequence[Event]:
        """Return nothing: a person is not heard before the turn."""
        return ()

    def request(self, data: bytes) -> None:
        """Hear lines."""
        self.send(data)

    def wait(self, deadline: int) -> Event:  # noqa: ARG002 - a person has all the time there is
        """Return the answer to the handshake, or ask the person."""
        return self._answers.popleft() if self._answers else Event("line", self._decide())

    def take_stderr(self) -> Sequence[str]:
        """Return nothing."""
        return ()

    def cpu_ms(self) -> int | None:
        """Return None: persons are not measured."""
        return None

    def freeze(self) -> None:
        """Do nothing."""

    def thaw(self) -> None:
        """Do nothing."""

    def close(self, grace: float) -> None:
        """Do nothing."""

    def _hear(self, word: str, rest: str) -> None:
        match word:
            case "tourney":
                self._answers.append(GREETING)
            case "game":
                self._answers.append(Event("line", "ready"))
            case "play" | "reveal":
                seat, _, action = rest.partition(" ")
                self._entries.append(Entry("play" if word == "play" else "reveal", int(seat), action))
            case "withdrawn":
                self._entries.append(Entry("withdrawn", int(rest)))
            case "position":
                self._view = rest
            case "legal":
                self._legal = tuple(rest.split(" "))
            case _:
                pass

    # -- the person's side ----------------------------------------------------------------------------

    def catch_up(self) -> None:
        """Take all that was heard so far as shown."""
        self._told = len(self._entries)

    def tell(self) -> None:
        """Show what happened since the last time."""
        lines = story(self._entries[self._told :], self._table.label, self._table.terminal.width)
        self._table.say(recent(lines))
        self.catch_up()

    def look(self, view: str) -> None:
        """Take a view of the position that no turn comes with: the last."""
        self._view = view
        self._legal = ()

    def answer(self, said: Command) -> None:
        """Answer a word that only looks."""
        table = self._table
        width = table.terminal.width
        match said.word:
            case "moves":
                table.say(listing(self._legal, said.rest, width))
            case "board":
                self.draw()
            case "position":
                table.say([self._view])
            case "history":
                table.say(story(self._entries, table.label, width) or ["nothing was played yet"])
            case _:
                table.say(help_lines())

    def draw(self) -> None:
        """Draw the board as this seat sees it, with the last action marked if it was seen."""
        table = self._table
        last = next((entry.action for entry in reversed(self._entries) if entry.kind == "play"), HIDDEN)
        drawing = table.game.diagram(self._view, None if last == HIDDEN else last)
        table.terminal.write(
            "\n" + text_diagram(drawing, color=table.terminal.color, colors=table.colors) + "\n"
        )

    def _decide(self) -> str:
        """Let the person choose; return the answer as a bot would give it."""
        table = self._table
        table.sit(self._seat)
        self.tell()
        self.draw()
        table.say(summary(self._legal, table.terminal.width))
        prompt = f"{table.label(self._seat)}> "
        while True:
            line = table.terminal.ask(prompt, (*self._legal, *NAMES))
            meant = Command("quit") if line is None else parse_typed(line, self._legal)
            match meant:
                case TypedAction(action):
                    return f"move {action}"
                case Unclear(why):
                    table.say([why] if why else [])
                case Command("resign"):
                    return "resign"
                case Command("quit"):
                    raise PersonLeft
                case Command("undo", rest):
                    take_back(table, int(rest or 1))
                case Command():
                    self.answer(meant)


def take_back(table: SharedTerminal, count: int) -> None:
    """Raise ``Undo`` if so many decisions can be taken back, or say how many can."""
    there = table.decided()
    if count > there:
        more = f"{there} decision{'' if there == 1 else 's'} can be taken back, not {count}"
        table.say([more if there else "there is no decision to take back"])
        return
    raise Undo(count)


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
