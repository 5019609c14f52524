"""The adapter of xboard's protocol: exact dialogues and faults."""

from typing import Any, Self

import pytest

from tourney.addons.chess.xboard import (
    MOST_NUDGES,
    NUDGE_NS,
    PATIENCE_NS,
    SILENCE_NS,
    XboardProtocol,
)
from tourney.bots.channel.interface import Channel, Event
from tourney.bots.channel.scripted import ScriptedChannel
from tourney.errors import BotError

LATER = 10**15


class Nudged(Channel):
    """An engine that names its features only once it has got further lines."""

    def __init__(self, needs: int = 3, *, banner: int = 0) -> None:
        self._banner = banner  # the number of lines after which it prints its name
        self.sent: list[bytes] = []
        self._needs = needs
        self._now = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.sent[0] == b"xboard\nprotover 2\n"

    def now(self) -> int:
        return self._now

    def send(self, data: bytes) -> None:
        self.sent.append(data)

    def wait(self, deadline: int) -> Event:
        if self._banner and self.sent.count(b"\n") == self._banner:
            self._banner = 0
            return Event("line", "Chess")
        if self.sent.count(b"\n") >= self._needs:
            self._needs = 10**9
            return Event("line", "feature ping=1 done=1")
        self._now = deadline
        return Event("timeout")


GREETING = """
> xboard
> protover 2
< Some Engine 1.0
< feature myname="Some = Engine" done=0
> accepted myname
> accepted done
< feature ping=1 san=1{more} done=1
> accepted ping
> rejected san
{answers}> accepted done
"""
READY = """
> new
> force
> easy
> post
> st 1
> ping 1
< pong 1
"""


def greeted(features: str = "done=1", **settings: Any) -> tuple[Channel, ScriptedChannel]:
    """A channel to an engine that has these features, and a script that expects nothing more yet."""
    names = [word.partition("=")[0] for word in features.split()]
    answers = "".join(f"> accepted {name}\n" for name in names)
    inner = ScriptedChannel(
        f"> xboard\n> protover 2\n< feature {features}\n{answers}{settings.pop('then', '')}"
    )
    channel = XboardProtocol().configured(settings.pop("options", {}), settings.pop("go", {})).adapt(inner)
    channel.request(b"tourney 1\n")
    return channel, inner


def begun(
    script: str, more: str = "", *, seat: int = 1, depth: int | None = None
) -> tuple[Channel, ScriptedChannel]:
    """A channel in whose dialogue a game has begun, and then ``script`` follows."""
    words = more.split()
    answers = "".join(f"> accepted {word.partition('=')[0]}\n" for word in words)
    ready = READY.replace("> ping", f"> sd {depth}\n> ping") if depth else READY
    greeting = GREETING.format(more="".join(f" {word}" for word in words), answers=answers)
    inner = ScriptedChannel(greeting + ready + script)
    protocol = XboardProtocol().configured({}, {} if depth is None else {"depth": depth})
    channel = protocol.adapt(inner)
    assert said(channel, b"tourney 1\n") == "line: bot name=Some\u00a0=\u00a0Engine"
    assert said(channel, b"game chess seats=2 seat=%d seed=7 move=1000\n" % seat) == "line: ready"
    return channel, inner


def said(channel: Channel, request: bytes) -> str:
    channel.request(request)
    event = channel.wait(LATER)
    return f"{event.kind}: {event.text}"


def test_game_is_played_in_force_mode() -> None:
    """The engine gets its opponent's moves, never its own; thoughts are in pawns."""
    channel, inner = begun(
        """
        > go
        < 1 15 0 3 e2e4
        < 9. -31 120 5000 e2e4 e7e5
        < move e2e4
        > force
        > usermove e7e5
        > time 90
        > otim 95
        > go
        < 5 100003 2 17 h5f7
        < move h5f7
        > force
        > quit
        """,
        "usermove=1",
    )
    assert said(channel, b"go move=1000\n") == "line: info score=-0.31 win=0.456 depth=9 nodes=5000"
    assert channel.wait(LATER).text == "move e2e4"
    answer = said(channel, b"play 1 e2e4\nplay 2 e7e5\ngo clocks=900,950 inc=5\n")
    assert answer == "line: info score=997 mate=3 depth=5 nodes=17"
    assert channel.wait(LATER).text == "move h5f7"
    channel.send(b"over 1 2 reason=checkmate\nquit\n")
    inner.finish()


def test_second_seat_gets_a_position_and_plain_moves() -> None:
    channel, inner = begun(
        """
        > setboard k7/8/KQ6/8/8/8/8/8 w - - 0 1
        > b6b1
        > go
        < 0-1 {Black mates}
        < move a8a7
        > force
        """,
        "setboard=1",
        seat=2,
        depth=3,
    )
    line = b"play 0 =k7/8/KQ6/8/8/8/8/8_w_-_-_0_1\nplay 1 b6b1\ngo\n"
    assert said(channel, line) == "line: move a8a7"
    inner.finish()


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        ("< resign", "line: resign"),
        ("< resign { refuses own move }", "line: resign"),
        ("< move O-O-O\n> force", "line: move O-O-O"),
        ("<   move\te2e4 \n> force", "line: move e2e4"),
        ("< move e7e8Q\n> force", "line: move e7e8q"),
        ("< 1. ... e2e4\n> force", "line: move e2e4"),
        ("< 0-1 {White resigns}", "line: resign"),
        ("< computer resigns", "line: resign"),
        ("< tellics resign", "line: resign"),
        ("< White resigns.", "line: resign"),
        ("< Black resigns\n! timeout", "timeout: "),
        ("< 1-0 {White mates}\n< move e2e4\n> force", "line: move e2e4"),
        (
            "< Illegal move: e7e5",
            "malformed: refused its opponent's move or the position: 'Illegal move: e7e5'",
        ),
    ],
)
def test_claims_and_refusals(lines: str, answer: str) -> None:
    """Only a claim of its own defeat counts, as a resignation."""
    channel, inner = begun(f"> go\n{lines}\n")
    assert said(channel, b"go\n") == answer
    inner.finish()


@pytest.mark.parametrize(
    "position",
    [
        "4k3/8/8/8/8/8/8/4K2R_w_-_-_0_1",
        "4k3/8/8/3pP3/8/8/8/4K3_w_-_d6_0_1",
        "4k2r/8/8/8/8/8/8/4K2R_w_K_-_0_1",
    ],
)
def test_position_that_edit_cannot_give_needs_the_feature(position: str) -> None:
    channel, inner = begun("")
    assert "no feature setboard=1" in said(channel, f"play 0 ={position}\ngo\n".encode())
    inner.finish()


def test_position_is_edited_without_the_feature() -> None:
    """Fairy-Max has no other way; unmoved kings and rooks may castle."""
    channel, inner = begun(
        "> usermove a2a3\n> edit\n> #\n> Pa2\n> Ke1\n> Rh1\n> c\n> Ke8\n> .\n> usermove e8e7\n> go\n"
        "< move e1g1\n> force\n",
        "usermove=1",
    )
    request = b"play 0 =4k3/8/8/8/8/8/P7/4K2R_b_K_-_3_9\nplay 2 e8e7\ngo\n"
    assert said(channel, request) == "line: move e1g1"
    inner.finish()


GAME = b"game chess seats=2 seat=1 seed=7 move=1000\n"
NEW = "> new\n> force\n> easy\n> post\n> st 1\n"


def test_engine_without_ping_is_ready_at_once() -> None:
    channel, inner = greeted(then=f"{NEW}> go\n< move e2e4\n> force\n")
    assert channel.wait(LATER).text == "bot"
    assert said(channel, GAME) == "line: ready"
    assert said(channel, b"go\n") == "line: move e2e4"
    inner.finish()


@pytest.mark.parametrize("refusal", ["Error (unknown command): protover 2", "Illegal move: protover 2"])
def test_engine_of_the_first_version_has_no_features(refusal: str) -> None:
    channel = XboardProtocol().adapt(ScriptedChannel(f"> xboard\n> protover 2\n< {refusal}\n"))
    assert said(channel, b"tourney 1\n") == "line: bot"


def test_features_without_done_end_after_two_seconds() -> None:
    inner = ScriptedChannel("> xboard\n> protover 2\n< feature ping=1\n> accepted ping\n! timeout\n")
    channel = XboardProtocol().adapt(inner)
    began = inner.now()
    assert said(channel, b"tourney 1\n") == "line: bot"
    assert PATIENCE_NS <= inner.now() - began < PATIENCE_NS + NUDGE_NS
    inner.finish()


def test_done_0_makes_time_for_more_features() -> None:
    more = "+ 9000\n< feature done=1\n> accepted done\n"
    channel, inner = greeted("ping=1 done=0", then=more)
    began = inner.now()
    assert channel.wait(LATER).text == "bot"
    assert inner.now() - began == 9_000 * 10**6
    inner.finish()


def test_move_in_two_forms_is_one_answer() -> None:
    """And a second one in the same form is dropped, as the log says."""
    channel, inner = begun(
        "> go\n< 1. ... e2e4\n> force\n< My move is : e2e4\n< move e2e4\n> e7e5\n> go\n"
        "< move d2d4\n> force\n< move d2d4\n"
    )
    assert said(channel, b"go\n") == "line: move e2e4"
    assert list(channel.pending()) == []
    assert said(channel, b"play 1 e2e4\nplay 2 e7e5\ngo\n") == "line: move d2d4"
    why = "info a second answer to one request, which is dropped: 'move d2d4'"
    assert list(channel.pending()) == [Event("line", why)]
    inner.finish()


@pytest.mark.parametrize("banner", [0, 1])
def test_engine_without_features_is_nudged_by_empty_lines(banner: int) -> None:
    """GNU Chess: the features come after further input, also behind its banner."""
    with Nudged(banner=banner) as engine:
        channel = XboardProtocol().adapt(engine)
        assert said(channel, b"tourney 1\n") == "line: bot"
        assert engine.now() == SILENCE_NS + 2 * NUDGE_NS
        assert engine.sent.count(b"\n") == 3


def test_silent_engine_is_of_the_first_version_in_the_end() -> None:
    """Its features are taken, should they still come."""
    with Nudged(needs=2000) as engine:
        channel = XboardProtocol().adapt(engine)
        assert said(channel, b"tourney 1\n") == "timeout: "
        assert engine.sent.count(b"\n") == MOST_NUDGES
        assert channel.time_out(Event("timeout")) == Event("line", "bot")
        assert said(channel, GAME) == "line: ready"
        assert engine.sent[-1] == b"new\nforce\neasy\npost\nst 1\n"
        channel.request(b"play 0 =k7/8/KQ6/8/8/8/8/8_b_-_-_0_1\ngo\n")
        assert engine.sent[-1] == b"a2a3\nedit\n#\nKa6\nQb6\nc\nKa8\n.\ngo\n"
        assert channel.wait(engine.now()).kind == "timeout"
        withheld = channel.withheld(0)
        assert withheld is not None
        assert "has named no features of xboard's protocol" in withheld.why
        engine.sent += [b"\n"] * 2000
        assert channel.wait(engine.now()).kind == "timeout"
        assert engine.sent[-2:] == [b"accepted ping\n", b"accepted done\n"]


def test_other_games_are_refused() -> None:
    channel = XboardProtocol().adapt(ScriptedChannel(""))
    assert "for chess, not cyvasse" in said(channel, b"game cyvasse seats=2 seat=1 seed=7\n")


def test_clock_is_in_minutes_and_whole_seconds() -> None:
    channel, inner = greeted(then="> new\n> force\n> easy\n> post\n> level 0 1:30 2\n")
    assert channel.wait(LATER).text == "bot"
    line = b"game chess seats=2 seat=1 seed=7 clock=90000 inc=2500\n"
    assert said(channel, line) == "line: ready"
    inner.finish()


def test_options_are_set_before_the_first_game() -> None:
    names = ("Own Book -check 1", "Style -combo a /// b", "Clear Hash -button")
    features = " ".join(["memory=1", *(f'option="{name}"' for name in names), "done=1"])
    accepted = "> accepted memory\n" + 3 * "> accepted option\n" + "> accepted done\n"
    settings = "> memory 64\n> option Own Book=0\n> option Style=solid\n> option Clear Hash\n"
    game = NEW.replace("st 1", "st 2")
    options: dict[str, Any] = {"memory": 64, "Own Book": False, "Style": "solid", "Clear Hash": ""}
    inner = ScriptedChannel(f"> xboard\n> protover 2\n< feature {features}\n{accepted}{settings}{game}{game}")
    channel = XboardProtocol().configured(options, {"movetime": 2500}).adapt(inner)
    assert said(channel, b"tourney 1\n") == "line: bot"
    assert said(channel, GAME) == "line: ready"
    assert said(channel, GAME) == "line: ready"
    inner.finish()


@pytest.mark.parametrize("options", [{"memory": 64}, {"Hash": 1}])
def test_option_that_the_engine_lacks_is_named(options: dict[str, int]) -> None:
    channel, _ = greeted(options=options)
    event = channel.wait(LATER)
    assert event.kind == "malformed"
    assert event.text == f"has no option {next(iter(options))!r}; its options: none"


@pytest.mark.parametrize(
    ("options", "go", "why"),
    [
        ({"a=b": 1}, {}, "'a=b' is not an option"),
        ({"memory": "much"}, {}, "memory must be a number from 1"),
        ({}, {"nodes": 5}, "only depth and movetime"),
        ({}, {"depth": 0}, "only depth and movetime"),
    ],
)
def test_settings_that_the_protocol_lacks_are_refused(
    options: dict[str, Any], go: dict[str, int], why: str
) -> None:
    with pytest.raises(BotError, match=why):
        XboardProtocol().configured(options, go)


def test_move_of_a_record_replaces_the_engines_own() -> None:
    """So an analysis leads an engine through a recorded match."""
    first = "> go\n< move e2e4\n> force\n"
    second = "> undo\n> d2d4\n> d7d5\n> go\n< move O-O\n> force\n"
    channel, inner = begun(f"{first}{second}> d5d4\n> go\n< move a2a3\n> force\n")
    assert said(channel, b"go\n") == "line: move e2e4"
    assert said(channel, b"play 1 d2d4\nplay 2 d7d5\ngo\n") == "line: move O-O"
    assert said(channel, b"play 1 e1g1\nplay 2 d5d4\ngo\n") == "line: move a2a3"
    inner.finish()


def test_clock_of_moves_and_depth_come_with_the_first_turn() -> None:
    """The line of the game has neither."""
    first = "> new\n> force\n> easy\n> post\n> level 0 1:00 0\n> sd 5\n> level 40 1:00 0\n"
    turns = "> time 6000\n> otim 100\n> go\n< move e2e4\n> force\n> e7e5\n> time 5900\n> otim 100\n> go\n"
    channel, inner = greeted(then=f"{first}{turns}< move d2d4\n> force\n")
    assert channel.wait(LATER).text == "bot"
    assert said(channel, b"game chess seats=2 seat=1 seed=7 clock=60000 inc=0\n") == "line: ready"
    assert said(channel, b"go clocks=60000,1000 inc=0 moves=40 depth=5\n") == "line: move e2e4"
    second = b"play 1 e2e4\nplay 2 e7e5\ngo clocks=59000,1000 inc=0 moves=39 depth=5\n"
    assert said(channel, second) == "line: move d2d4"
    inner.finish()
