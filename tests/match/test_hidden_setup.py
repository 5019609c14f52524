"""Cyvasse's set-up stays hidden in a bot's lines, in the log and on a person's screen.

The matches are real, of processes and of bots in this process; the tests read every line sent to a seat.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.play.typed import Typed
from tourney.bots.catalogue.store import BotStore, resolve_bot
from tourney.bots.channel.interface import Channel, Event, TracedChannel
from tourney.bots.sandbox.plain import PlainSandbox
from tourney.check.named_seeds import RandomChannel
from tourney.check.record import verify
from tourney.games.cyvasse.board import STEPS
from tourney.games.registry import find_game
from tourney.match.play import play_match
from tourney.match.player import Player, dismiss
from tourney.match.result import PlayedMatch
from tourney.match.runner import StoreLauncher
from tourney.match.spec import Entrant, Limits, MatchSpec
from tourney.play.person import PERSON
from tourney.play.person_match import PersonMatch, Seat
from tourney.seeds import derive

GAME = find_game("cyvasse")
LIMITS = Limits(move_ms=60_000, startup_ms=60_000)
OTHER = {1: 2, 2: 1}


class Wiretap(TracedChannel):
    """A channel that keeps all lines sent to it."""

    def __init__(self, inner: Channel) -> None:
        super().__init__(inner)
        self.sent: list[str] = []

    def _sent(self, data: bytes) -> None:
        self.sent += data.decode("ascii").splitlines()


class Curious(RandomChannel):
    """A bot in this process that asks for positions, and resigns after a number of its own actions."""

    def __init__(self, salt: int = 0, turns: int = 10**9) -> None:
        super().__init__()
        self._salt = salt
        self._turns = turns

    def send(self, data: bytes) -> None:
        super().send(data)
        if data == b"tourney 1\n":
            self._answers[-1] = Event("line", "bot wants=position,legal")
        if data.startswith(b"game "):
            self._seed = derive(self._seed, self._salt)
        if self._answers and self._answers[-1].text.startswith("move") and self._turn > self._turns:
            self._answers[-1] = Event("line", "resign")


def tapped(
    seed: int, channels: Sequence[Channel], names: Sequence[str]
) -> tuple[PlayedMatch, list[list[str]]]:
    """Play a match; return it with the lines sent to each seat."""
    taps = [Wiretap(channel) for channel in channels]
    entrants = tuple(Entrant(f"{name}-{k}", name, "1", (), f"{k:064x}") for k, name in enumerate(names, 1))
    spec = MatchSpec("cyvasse", (), entrants, seed, LIMITS)
    players = [Player(tap) for tap in taps]
    try:
        played = play_match(spec, GAME, players)
    finally:
        dismiss(players)
    assert verify(played.record) == []
    return played, [tap.sent for tap in taps]


def bots_of(tmp_path: Path, names: Sequence[str]) -> list[Channel]:
    """Start shipped bots as processes."""
    store = BotStore(tmp_path / "store")
    launch = StoreLauncher(store, PlainSandbox("off"))
    found = [resolve_bot(name, store) for name in names]
    return [launch(Entrant(bot.label, bot.label, "1", (), bot.digest), LIMITS) for bot in found]


def squares_of(seat: int) -> set[str]:
    """Return the names of the squares of a seat's own side."""
    return {f"{row}{k}" for row in ("abcd" if seat == 1 else "fghi") for k in range(1, 12)}


def check_lines(seat: int, lines: Sequence[str], played: PlayedMatch) -> None:
    """Assert that a seat receives exactly the set-up lines of the rules page."""
    actions = [(actor, action) for actor, action in played.record.actions]
    set_up = actions[: 2 * STEPS]
    assert [actor for actor, _ in set_up] == [1] * STEPS + [2] * STEPS
    received = [line for line in lines if line.startswith(("play ", "reveal "))]
    hidden = [f"reveal {actor} {action}" for actor, action in set_up if actor != seat]
    expected = [f"play {actor} {action if actor == seat else '?'}" for actor, action in set_up]
    expected += hidden  # all at once, in their order, as soon as both are done
    expected += [f"play {actor} {action}" for actor, action in actions[2 * STEPS :]]
    assert received == expected
    opened = lines.index(hidden[0])
    assert list(lines[opened : opened + STEPS]) == hidden
    before = lines[:opened]
    for word, _, rest in (line.partition(" ") for line in before):
        assert word in ("tourney", "game", "play", "position", "legal", "go")
        if word == "legal":
            assert {
                action.partition("-")[2] for action in rest.split() if not action.startswith("tile-")
            } <= (squares_of(seat))
        if word == "position":
            check_masked(seat, rest)


def check_masked(seat: int, view: str) -> None:
    """Assert that a position shows nothing on the other side."""
    terrain, pieces, actor, phase, _, _ = view.split(" ")
    rows = slice(0, 4) if seat == 1 else slice(5, 9)  # rows i to f are Black's, d to a White's
    assert {*"".join(terrain.split("/")[rows])} == {"?"}
    assert {*"".join(pieces.split("/")[rows])} == {"."}
    assert actor == str(seat)
    assert phase != "hidden"


@pytest.mark.parametrize(
    ("seed", "names"), [(1, "random greedy"), (2, "greedy random"), (3, "pebble random")]
)
def test_processes_receive_no_hidden_set_up(seed: int, names: str, tmp_path: Path) -> None:
    """`greedy` asks for positions, `random` and `pebble` for legal actions; at both seats."""
    played, lines = tapped(seed, bots_of(tmp_path, names.split()), names.split())
    assert played.record.outcome.faults == ()
    wanted = {"greedy": "position ", "random": "legal ", "pebble": "legal "}
    for seat, name in enumerate(names.split(), start=1):
        assert any(line.startswith(wanted[name]) for line in lines[seat - 1][: STEPS + 5])
        check_lines(seat, lines[seat - 1], played)


@pytest.mark.parametrize("seed", range(8))
def test_bots_asking_for_all_lines_receive_no_hidden_set_up(seed: int) -> None:
    played, lines = tapped(seed, [Curious(), Curious()], ["curious", "curious"])
    for seat in (1, 2):
        assert sum(line.startswith("position ") for line in lines[seat - 1]) > STEPS
        check_lines(seat, lines[seat - 1], played)


def up_to_the_reveal(lines: Sequence[str]) -> list[str]:
    """Return the lines before the reveal, and assert that there is one."""
    first = next(k for k, line in enumerate(lines) if line.startswith("reveal "))
    return list(lines[:first])


@pytest.mark.parametrize("seat", [1, 2])
def test_opponents_set_up_changes_no_byte_before_the_reveal(seat: int) -> None:
    """A seat receives equal lines for different set-ups of its opponent."""
    sent, laid = [], set()
    for salt in range(4):
        channels = [Curious(salt if seat == 2 else 9), Curious(salt if seat == 1 else 9)]
        played, lines = tapped(5, channels, ["curious", "curious"])
        set_up = [a for actor, a in played.record.actions[: 2 * STEPS] if actor == OTHER[seat]]
        laid.add(tuple(set_up))
        sent.append(up_to_the_reveal(lines[seat - 1]))
    assert len(laid) == 4
    assert sent[0] == sent[1] == sent[2] == sent[3]


def test_resigning_in_the_set_up_reveals_the_placed_tiles() -> None:
    """Black resigns during its set-up; each seat receives the tiles that the other has placed."""
    played, (white, black) = tapped(6, [Curious(), Curious(turns=5)], ["curious", "curious"])
    actions = played.record.actions
    assert len(actions) == STEPS + 5
    assert white[-7:] == [f"reveal 2 {a}" for _, a in actions[STEPS:]] + ["over 1 2 reason=resign", "quit"]
    assert black[-STEPS - 2 :] == [
        *(f"reveal 1 {a}" for _, a in actions[:STEPS]),
        "over 1 2 reason=resign",
        "quit",
    ]
    assert not any(line.startswith("reveal") for line in [*white[:-7], *black[: -STEPS - 2]])


def test_log_names_no_action_of_the_set_up(tmp_path: Path) -> None:
    """Neither the bots' lines nor the referee's notes name one."""
    played, _ = tapped(4, bots_of(tmp_path, ["greedy", "greedy"]), ["greedy", "greedy"])
    early = [line for line in played.log if line.ply < 2 * STEPS]
    assert any(line.kind == "info" for line in early)
    for line in early:
        assert line.kind != "info" or line.seat == played.record.actions[line.ply][0]
        assert not any(word in line.text for word in ("king-", "tile-", "put-"))


def shown_to(seat: int, salt: int, typed: Iterator[str]) -> str:
    """Return the text that ``tourney play`` shows on a seat up to the reveal, against one set-up."""
    terminal = Typed(*typed)
    bot = Entrant("bot", "bot", "1", (), "0" * 64)
    seats = [Seat("2 bot", bot, lambda *_: Curious(salt)), Seat("me", PERSON)]
    seats = seats if seat == 2 else seats[::-1]
    spec = MatchSpec("cyvasse", (), tuple(each.entrant for each in seats), 5, LIMITS)
    assert PersonMatch(spec, GAME, seats, terminal).play() is None
    before, opens, after = terminal.text.partition("opens:")
    assert opens
    assert "king-" in after
    return before


@pytest.mark.parametrize("seat", [1, 2])
def test_person_sees_the_same_text_for_any_opposing_set_up(seat: int) -> None:
    """The text is equal up to the reveal, for every command that shows something and after an undo."""
    typed = ["board", "position", "history", "moves", *["1"] * 12, "undo 3", "history", *["1"] * (STEPS - 9)]
    texts = {shown_to(seat, salt, iter(typed)) for salt in range(3)}
    assert len(texts) == 1
    (text,) = texts
    assert f"({STEPS} hidden actions)" in text
