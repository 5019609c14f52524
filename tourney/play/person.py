"""A person as a channel: the referee's lines become a board and a story, typed lines become the answers."""

import hashlib
import textwrap
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Final, NamedTuple, TypeAlias

from tourney.bots.channel.interface import Channel, Event, line_event
from tourney.games.base import CHANCE, AnyGame
from tourney.games.diagrams import seat_colors
from tourney.games.view import legend, text_diagram
from tourney.match.spec import Entrant
from tourney.play.terminal import (
    NAMES,
    PLAY,
    UNCLEAR,
    Terminal,
    Typed,
    columns,
    help_lines,
    listing,
    parse_typed,
    summary,
)
from tourney.protocol import (
    HIDDEN,
    BotMessage,
    Greeting,
    Hello,
    Legal,
    Move,
    NewGame,
    Play,
    Position,
    Ready,
    Resign,
    Reveal,
    Withdrawn,
    decode_referee,
)
from tourney.texts import counted

PERSON: Final = Entrant("person", "person", "1", (), hashlib.sha256(b"person 1").hexdigest())
"""A person as an entrant. The digest belongs to no files, so no store has this bot."""
SHOWN_LINES: Final = 12
"""Most lines of the story since a person's last turn; of more, the last ones are shown."""

Happening: TypeAlias = Play | Reveal | Withdrawn
"""A line of the referee that belongs to the story of a game."""


class PersonLeft(Exception):  # noqa: N818 - not an error: the person quits
    """The person leaves in the middle of the game."""


class Undo(Exception):  # noqa: N818 - not an error: the game goes on from an earlier point
    """The person takes ``count`` decisions back."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.count = count


class SharedTerminal:
    """The terminal of all persons of a game, the seats' labels, and the seat that typed last.

    ``decided`` returns the number of persons' decisions that can be taken back.
    """

    def __init__(
        self, terminal: Terminal, game: AnyGame, labels: Sequence[str], decided: Callable[[], int]
    ) -> None:
        self.terminal = terminal
        self.game = game
        self.colors = seat_colors(game.seat_names)
        self.decided = decided
        self.seat = 0
        self.guide = game.guide()
        self.explained = False
        self._labels = labels

    def label(self, seat: int) -> str:
        """A seat's label; "" for chance."""
        return self._labels[seat - 1] if seat else ""

    def print(self, lines: Sequence[str]) -> None:
        """Write lines."""
        self.terminal.write("".join(f"{line}\n" for line in lines))

    def hand_to(self, seat: int) -> None:
        """Give the terminal to a seat; in a game with hidden actions the screen is wiped first."""
        if self.seat not in (0, seat) and self.game.has_hidden_actions:
            self.terminal.hand_over(self.label(seat))
        self.seat = seat

    def undo(self, count: int) -> None:
        """Raise ``Undo`` if that many decisions can be taken back, otherwise print how many can."""
        there = self.decided()
        if count <= there:
            raise Undo(count)
        some = f"{counted(there, 'decision')} can be taken back, not {count}"
        self.print([some if there else "there is no decision to take back"])


class PersonChannel(Channel):
    """A seat that a person plays at a terminal, without any limit of time.

    It knows only what the referee's lines tell this seat. ``wait`` raises ``PersonLeft`` and ``Undo``, which
    pass through the match.
    """

    def __init__(self, seat: int, shared: SharedTerminal) -> None:
        self._seat = seat
        self._shared = shared
        self._answers: deque[BotMessage] = deque()
        self._happened: list[Happening] = []
        self._shown = 0
        self._view = ""
        self._legal: tuple[str, ...] = ()
        self._game = NewGame("", 0, 0, 0)

    def send(self, data: bytes) -> None:
        for line in data.decode("utf-8").split("\n"):
            match decode_referee(line):
                case Hello():
                    self._answers.append(Greeting(position=True, legal=True))
                case NewGame() as game:
                    self._game = game
                    self._answers.append(Ready())
                case Play() | Reveal() | Withdrawn() as happening:
                    self._happened.append(happening)
                case Position(text):
                    self._view = text
                case Legal(actions):
                    self._legal = actions
                case _:
                    pass

    def wait(self, deadline: int) -> Event:  # noqa: ARG002 - a person's time is not limited
        return line_event(self._answers.popleft() if self._answers else self._decide())

    def catch_up(self) -> None:
        """Mark the story so far as shown."""
        self._shown = len(self._happened)

    def tell(self) -> None:
        """Show the story since the last time."""
        lines = story(self._happened[self._shown :], self._shared.label, self._shared.terminal.width)
        self._shared.print(recent(lines))
        self.catch_up()

    def look(self, view: str) -> None:
        """Take the view of the last position, which comes with no turn."""
        self._view = view
        self._legal = ()

    def answer(self, command: Typed) -> None:
        """Carry out a command that shows something."""
        shared = self._shared
        width = shared.terminal.width
        match command.name:
            case "moves":
                shared.print(listing(self._legal, command.rest, width, self._written))
            case "board":
                self.draw()
            case "legend":
                shared.print(self._legend())
            case "position":
                shared.print([self._view])
            case "history":
                shared.print(story(self._happened, shared.label, width) or ["no action was played yet"])
            case _:
                shared.print(help_lines())

    def _read(self, text: str) -> str:
        """The legal action that a text is in the notation of players; the text if it is not exactly one."""
        action = self._shared.game.read_notation(self._view, text)
        if action in self._legal:
            return action
        matching = [legal for legal in self._legal if self._written(legal).lower() == text.lower()]
        return matching[0] if len(matching) == 1 else text

    def _written(self, action: str) -> str:
        """A legal action in the notation of players, by all actions that this seat knows."""
        game = self._shared.game
        new = self._game
        visible = [h.action for h in self._happened if isinstance(h, Play | Reveal) and h.action != HIDDEN]
        settings = game.settings(new.seats, dict(new.options))
        return game.notation([*visible, action], *settings)[-1].replace("\u00a0", " ")

    def _legend(self) -> list[str]:
        game = self._shared.game
        guide = self._shared.guide
        figures = () if guide is None else guide.figures
        entries = legend(
            game.diagram(self._view), figures, game.seat_names, color=self._shared.terminal.color
        )
        return columns(entries, self._shared.terminal.width)

    def draw(self) -> None:
        """Show the board as this seat sees it, the last action marked if it was visible.

        The first board of a game comes with the legend.
        """
        shared = self._shared
        last = next((h.action for h in reversed(self._happened) if isinstance(h, Play)), HIDDEN)
        drawing = shared.game.diagram(self._view, None if last == HIDDEN else last)
        board = text_diagram(drawing, color=shared.terminal.color, colors=shared.colors)
        shared.terminal.write(f"\n{board}\n")
        if not shared.explained:
            shared.explained = True
            lines = self._legend()
            shared.print([*lines, ""] if lines else [])

    def _decide(self) -> BotMessage:
        """Let the person choose."""
        shared = self._shared
        shared.hand_to(self._seat)
        self.tell()
        self.draw()
        shared.print(summary(self._legal, shared.terminal.width, self._written))
        return self.choose(f"{shared.label(self._seat)}> ", (*self._legal, *NAMES))

    def choose(self, prompt: str, words: Sequence[str]) -> BotMessage:
        """Carry out typed commands until the person plays or resigns; ``words`` can be completed.

        Once the game is over, until they leave. Raises PersonLeft and Undo.
        """
        shared = self._shared
        while True:
            line = shared.terminal.ask(prompt, words)
            # Once the game is over nothing is legal, and an empty line leaves.
            left = line is None or not (self._legal or line.strip())
            typed = Typed("quit") if left else parse_typed(line or "", self._legal, self._read)
            if typed.name == PLAY:
                return Move(typed.rest)
            if typed.name == "resign":
                return Resign()
            if typed.name == "quit":
                raise PersonLeft
            if typed.name == "undo":
                shared.undo(int(typed.rest or 1))
            elif typed.name != UNCLEAR:
                self.answer(typed)
            elif typed.rest:
                shared.print([typed.rest])


def story(happened: Iterable[Happening], name_of: Callable[[int], str], width: int) -> list[str]:
    """The story of a game as lines: consecutive actions of a seat share a line, folded at the width.

    Chance outcomes stand in brackets before the action that follows them. Hidden actions are counted.
    """
    lines: list[str] = []
    for kind, seat, actions in _runs(happened):
        if kind is Withdrawn:
            text = f"{name_of(seat)} plays no more; the referee plays random actions for it"
        else:
            head = f"{name_of(seat)} opens:" if kind is Reveal else f"{name_of(seat)}:" if seat else ""
            words: list[str] = []
            for hidden, group in groupby(actions, HIDDEN.__eq__):
                run = list(group)
                words += [f"({len(run)} hidden action{'s' if run[1:] else ''})"] if hidden else run
            text = f"{head} {' '.join(words)}".lstrip()
        lines += textwrap.wrap(text, max(width, 20), subsequent_indent="    ", break_on_hyphens=False)
    return lines


def recent(lines: Sequence[str]) -> list[str]:
    """The last lines, after the number of those left out."""
    left_out = len(lines) - SHOWN_LINES
    if left_out <= 1:
        return list(lines)
    return [f"({left_out} lines left out; `history` has them)", *lines[left_out:]]


class _Run(NamedTuple):
    kind: type[Happening]
    seat: int
    actions: list[str]


def _runs(happened: Iterable[Happening]) -> list[_Run]:
    """Join consecutive lines of one kind and seat; chance outcomes belong to the seat that plays next."""
    runs: list[_Run] = []
    dice: list[str] = []
    for line in happened:
        kind = type(line)
        if isinstance(line, Play) and line.seat == CHANCE:
            dice.append(f"[{line.action}]")
            continue
        if not runs or (runs[-1].kind, runs[-1].seat) != (kind, line.seat) or kind is Withdrawn:
            runs.append(_Run(kind, line.seat, []))
        if isinstance(line, Withdrawn):
            continue
        if isinstance(line, Play):
            runs[-1].actions.extend(dice)
            dice.clear()
        runs[-1].actions.append(line.action)
    if dice:
        runs.append(_Run(Play, CHANCE, dice))  # the next seat has not played yet
    return runs
