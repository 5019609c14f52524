"""The referee plays the dialogues of the protocol's page, line by line."""

import re
from collections import deque
from collections.abc import Sequence

import pytest

from tests.support.command import ROOT
from tests.support.tables import make_spec
from tourney.bots.channel.interface import Channel, Event
from tourney.bots.channel.scripted import ScriptClock, ScriptedChannel
from tourney.games import find_game
from tourney.match.play import play_match
from tourney.match.player import Player, dismiss
from tourney.match.record import FAULT_KINDS
from tourney.match.spec import DEFAULT_LIMITS, Limits, MatchSpec, Opening
from tourney.protocol import HIDDEN, Go, Hello, Legal, NewGame, decode_referee
from tourney.testing import RecordedChannel

PAGE = (ROOT / "docs" / "reference" / "protocol.md").read_text(encoding="utf-8")
DIALOGUES = dict(re.findall(r"^```text dialogue ([a-z-]+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
OPTIONS = (("stones", "3"), ("play-on", "no"))

MATCHES: dict[str, tuple[MatchSpec, ...]] = {
    "start-up": (make_spec("sage-stones", 2, 17, DEFAULT_LIMITS, options=OPTIONS),),
    "several-games": tuple(
        make_spec("sage-stones", 2, seed, DEFAULT_LIMITS, options=OPTIONS) for seed in (17, 25)
    ),
    "clocks": (
        make_spec("sages-tafl", 2, 5, Limits(move_ms=None, clock_ms=60_000, increment_ms=500), Opening(2)),
    ),
    "fault": (make_spec("sages-tafl", 2, 5, DEFAULT_LIMITS),),
    "resignation": (make_spec("sages-tafl", 2, 5, DEFAULT_LIMITS),),
    "withdrawal": (make_spec("sage-stones", 3, 0, DEFAULT_LIMITS, options=OPTIONS),),
}
"""The matches of each dialogue; ``hidden`` has a test of its own."""


class Planned(Channel):
    """A bot in this process that plays a list of actions, or without one the first legal action.

    ``last`` comes after ``turns`` turns, or when the list is used up.
    """

    def __init__(self, plan: Sequence[str] | None, last: Event, turns: int = 10**9) -> None:
        self._plan = None if plan is None else deque(plan)
        self._last = last
        self._turns = turns
        self._legal: tuple[str, ...] = ()
        self._answers: deque[Event] = deque()

    def send(self, data: bytes) -> None:
        for line in data.decode().splitlines():
            match decode_referee(line):
                case Hello():
                    self._answers.append(
                        Event("line", "bot" if self._plan is not None else "bot wants=legal")
                    )
                case NewGame():
                    self._answers.append(Event("line", "ready"))
                case Legal(actions):
                    self._legal = actions
                case Go():
                    self._answers.append(self._choose())

    def _choose(self) -> Event:
        self._turns -= 1
        if self._turns < 0 or self._plan == deque():
            return self._last
        return Event("line", f"move {self._plan.popleft() if self._plan else self._legal[0]}")

    def wait(self, deadline: int) -> Event:
        return self._answers.popleft()


def plan_of(seat: int, script: str, opening: int) -> list[str]:
    """Return what a seat plays in another one's dialogue, after the opening and before it is withdrawn."""
    before = script.split(f"> withdrawn {seat}\n", maxsplit=1)[0]
    played = re.findall(r"^> play ([1-9]) (\S+)$", before, re.MULTILINE)[opening:]
    return [action for actor, action in played if actor == str(seat)]


@pytest.mark.parametrize("name", MATCHES)
def test_referee_plays_the_dialogue(name: str) -> None:
    """Of each dialogue one seat's lines are asserted; the other seats play what it reads of them."""
    script, specs = DIALOGUES[name], MATCHES[name]
    (shown,) = {int(seat) for seat in re.findall(r"^> game \S+ seats=\d seat=(\d)", script, re.MULTILINE)}
    clock = ScriptClock()
    scripted = ScriptedChannel(script, clock=clock)
    crashed = Event("closed", "exit code 1")
    plies = specs[0].opening.length
    channels = [
        scripted if seat == shown else Planned(plan_of(seat, script, plies), crashed)
        for seat in range(1, len(specs[0].seats) + 1)
    ]
    players = [Player(channel, reuse=len(specs) > 1) for channel in channels]
    for spec in specs:
        play_match(spec, find_game(spec.game), players, clock=clock)
    dismiss(players)
    scripted.finish()


def test_hidden_actions_are_revealed_as_the_page_says() -> None:
    """Both seats play the first legal action, until White resigns; the page leaves lines out by ``...``."""
    lines: list[str] = []
    shown = RecordedChannel(Planned(None, Event("timeout")), lines)
    other = Planned(None, Event("line", "resign"), turns=31)
    players = [Player(other), Player(shown)]
    spec = make_spec("cyvasse", 2, 5, DEFAULT_LIMITS)
    play_match(spec, find_game("cyvasse"), players)
    dismiss(players)
    parts = [re.escape(part) for part in DIALOGUES["hidden"].split("...\n")]
    assert re.fullmatch("(?:.*\n)*".join(parts), "".join(f"{line}\n" for line in lines).replace(" *", ""))
    assert lines.count(f"> play 1 {HIDDEN}") == 31


def test_every_dialogue_is_played() -> None:
    assert DIALOGUES.keys() == {*MATCHES, "hidden"}


def test_all_faults_are_explained() -> None:
    assert re.findall(r"^\| `([a-z]+)` \| [^|]*\|$", PAGE.split("## Faults")[1], re.MULTILINE) == [
        "startup", "illegal", "timeout", "crash", "protocol", "overflow",
    ]  # fmt: skip
    assert set(FAULT_KINDS) == {"startup", "illegal", "timeout", "crash", "protocol", "overflow"}
