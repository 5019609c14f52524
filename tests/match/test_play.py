"""Whole matches as scripted dialogues: each line that a bot receives, and when."""

from typing import Literal

import pytest

from tests.support.records import as_json
from tests.support.tables import GAMES, HELLO, NO_LIMITS, ODDS, TOE, make_spec, notes, outcome, play_scripts
from tourney.bots.channel.interface import Event, ForwardingChannel
from tourney.bots.channel.scripted import ScriptClock, ScriptedChannel
from tourney.check.record import verify
from tourney.match.play import play_match
from tourney.match.player import Player
from tourney.match.record import check_record
from tourney.match.result import LogLine, SeatMeasurements
from tourney.match.spec import Limits, Opening
from tourney.seeds import bot_seed, derive, uniform

FIRST, SECOND = bot_seed(7, 1), bot_seed(7, 2)


def test_game_from_handshake_to_over() -> None:
    """Each action reaches every seat, its own too, with the next request; the game gives the ranks."""
    played = play_scripts(
        make_spec(),
        f"""
        > tourney 1
        < bot name=x version=1
        > game toe seats=2 seat=1 seed={FIRST} misere=no
        < ready
        > go
        < move a1
        > play 1 a1
        > play 2 b1
        > go
        < move a2
        > play 1 a2
        > play 2 b2
        > go
        < move a3
        > play 1 a3
        > over 1 2 reason=row
        """,
        f"""
        > tourney 1
        < bot
        > game toe seats=2 seat=2 seed={SECOND} misere=no
        < ready
        > play 1 a1
        > go
        < move b1
        > play 2 b1
        > play 1 a2
        > go
        < move b2
        > play 2 b2
        > play 1 a3
        > over 1 2 reason=row
        """,
    )
    assert outcome(played) == {"ranks": [1, 2], "reason": "row", "faults": []}
    assert played.record.actions == ((1, "a1"), (2, "b1"), (1, "a2"), (2, "b2"), (1, "a3"))
    assert played.record.options == {"misere": "no"}
    assert played.measured.reproducible is True
    assert check_record(as_json(played.record)) == played.record


def test_requested_position_and_legal_come_before_each_go() -> None:
    """A seat asks for them at the handshake; they follow the plays, position first."""
    played = play_scripts(
        make_spec(),
        """
        > tourney 1
        < bot wants=legal,position
        > game toe seats=2 seat=1 seed=* misere=no
        < ready
        > position .../.../... 1
        > legal a1 a2 a3 b1 b2 b3 c1 c2 c3
        > go
        < move b2
        > play 1 b2
        > play 2 a1
        > position O../.X./... 1
        > legal a2 a3 b1 b3 c1 c2 c3
        > go
        < resign
        > over 2 1 reason=resign
        """,
        """
        > tourney 1
        < bot wants=legal
        > game toe seats=2 seat=2 seed=* misere=no
        < ready
        > play 1 b2
        > legal a1 a2 a3 b1 b3 c1 c2 c3
        > go
        < move a1
        > play 2 a1
        > over 2 1 reason=resign
        """,
    )
    assert outcome(played) == {"ranks": [2, 1], "reason": "resign", "faults": [], "resigned": [[1, 2]]}


def test_clocks_and_limits_are_sent() -> None:
    """The game line has the limits, each go all clocks; a turn lasts from request to answer."""
    limits = Limits(move_ms=900, clock_ms=1000, increment_ms=10, nodes=77, margin_ms=50)
    clock = ScriptClock()
    played = play_scripts(
        make_spec(limits=limits),
        """
        > tourney 1
        + 5000
        < bot
        > game toe seats=2 seat=1 seed=* move=900 clock=1000 inc=10 nodes=77 misere=no
        + 5000
        < ready
        > go move=900 clocks=1000,1000 inc=10 nodes=77
        + 300
        < info depth=1
        + 100
        < move a1
        > play 1 a1
        > play 2 b1
        > go move=900 clocks=610,760 inc=10 nodes=77
        + 659
        < move a2
        > play 1 a2
        > play 2 b2
        > go move=900 clocks=0,770 inc=10 nodes=77
        ! timeout
        """,
        """
        > tourney 1
        < bot
        > game toe seats=2 seat=2 seed=* move=900 clock=1000 inc=10 nodes=77 misere=no
        < ready
        > play 1 a1
        > go move=900 clocks=610,1000 inc=10 nodes=77
        + 250
        < move b1
        > play 2 b1
        > play 1 a2
        > go move=900 clocks=0,760 inc=10 nodes=77
        < move b2
        > play 2 b2
        > over 2 1 reason=fault
        """,
        clock=clock,
    )
    assert outcome(played)["faults"] == [[1, "timeout", 4]]
    assert played.measured.times_ms == (400.0, 250.0, 659.0, 0.0)
    assert played.measured.seats[0] == SeatMeasurements(400 + 659 + 11, turns=3, start_ms=10_000)
    assert played.measured.reproducible is False
    assert played.measured.why_not == ("timeout",)
    assert notes(played) == ["4 1 timeout: no answer within 11 ms"]
    assert played.log[0] == LogLine(0, 1, "info", "depth=1")


@pytest.mark.parametrize("charge", ["wall", "cpu"])
def test_seat_without_any_time_left_times_out_unasked(charge: Literal["wall", "cpu"]) -> None:
    """Once clock and margin are used up even an instant answer comes too late."""
    used = iter([0, 150, 150])

    class Measured(ScriptedChannel):
        def cpu_ms(self) -> int:
            return next(used) if self._name == "first" else 0

    limits = Limits(move_ms=None, clock_ms=100, margin_ms=50, charge=charge)
    start = "> tourney 1\n< bot\n> game toe seats=2 seat=* seed=* clock=100 inc=0 misere=no\n< ready\n"
    clock = ScriptClock()
    channels = [
        Measured(start + "> go clocks=100,100 inc=0\n+ 150\n< move a1", clock=clock, name="first"),
        Measured(
            start + "> play 1 a1\n> go clocks=0,100 inc=0\n< move b1\n> play 2 b1\n> over 2 1 reason=fault",
            clock=clock,
        ),
    ]
    played = play_match(make_spec(limits=limits), TOE, [Player(channel) for channel in channels], clock=clock)
    assert outcome(played)["faults"] == [[1, "timeout", 2]]
    assert notes(played) == ["2 1 timeout: its clock and the margin are used up"]
    assert channels[0].closed


def test_hidden_actions_are_masked_and_revealed() -> None:
    """Only seats that may not see an action receive ``?``, until the rules reveal it."""
    played = play_scripts(
        make_spec("odds"),
        HELLO
        + """
        > game odds seats=2 seat=1 seed=*
        < ready
        > go
        < move show-1
        > play 1 show-1
        > play 2 show-2
        > go
        < move show-3
        > play 1 show-3
        > play 2 show-3
        > over 1 1 reason=played
        """,
        """
        > tourney 1
        < bot wants=position
        > game odds seats=2 seat=2 seed=*
        < ready
        > play 1 ?
        > position - ?
        > go
        < move show-2
        > play 2 show-2
        > reveal 1 show-1
        > play 1 ?
        > position 1:2 ?
        > go
        < move show-3
        > play 2 show-3
        > reveal 1 show-3
        > over 1 1 reason=played
        """,
    )
    assert played.record.actions[0] == (1, "show-1")


def test_hidden_actions_are_revealed_before_over() -> None:
    """A game that a fault ends early reveals all hidden actions."""
    played = play_scripts(
        make_spec("odds"),
        HELLO
        + """
        > game odds seats=2 seat=1 seed=*
        < ready
        > go
        < move show-2
        > play 1 show-2
        > over 1 2 reason=resign
        """,
        HELLO
        + """
        > game odds seats=2 seat=2 seed=*
        < ready
        > play 1 ?
        > go
        < resign
        > reveal 1 show-2
        > over 1 2 reason=resign
        """,
    )
    assert verify(played.record, ODDS) == []


def test_book_opening_is_sent_with_its_dice() -> None:
    """The seats to move play the book's actions; the dice between them come from the seed."""
    # By hand: weights 2 and 1, so a sample of 0 or 1 out of 3 is the first outcome.
    dice = [f"roll-{1 + uniform(derive(7, 'chance', k), 3) // 2}" for k in range(3)]
    played = play_scripts(
        make_spec("race", opening=Opening(actions=("leave", "take"))),
        HELLO
        + f"""
        > game race seats=2 seat=1 seed=*
        < ready
        > play 0 {dice[0]}
        > play 1 leave
        > play 0 {dice[1]}
        > play 2 take
        > play 0 {dice[2]}
        > go
        < resign
        > over 2 1 reason=resign
        """,
        HELLO
        + f"""
        > game race seats=2 seat=2 seed=*
        < ready
        > play 0 {dice[0]}
        > play 1 leave
        > play 0 {dice[1]}
        > play 2 take
        > play 0 {dice[2]}
        > over 2 1 reason=resign
        """,
    )
    assert played.record.opening == Opening(actions=("leave", "take"))
    assert [actor for actor, _ in played.record.actions] == [0, 1, 0, 2, 0]
    assert played.measured.times_ms == (None,) * 5


def test_info_and_standard_error_go_to_the_log() -> None:
    """Such lines cost no time; the log keeps them in order, each with the ply."""
    played = play_scripts(
        make_spec(limits=NO_LIMITS),
        """
        > tourney 1
        < info  waking
        < bot
        < info before the game
        > game toe seats=2 seat=1 seed=* misere=no
        < info
        < ready
        > go
        2 thinking
        < info score=0.5
        < move a1
        2 thought
        < info pondering
        > play 1 a1
        > play 2 b1
        > go
        < resign
        > over 2 1 reason=resign
        """,
        HELLO
        + """
        > game toe seats=2 seat=2 seed=* misere=no
        < ready
        > play 1 a1
        > go
        < move b1
        > play 2 b1
        > over 2 1 reason=resign
        """,
    )
    said = [(line.ply, line.kind, line.text) for line in played.log]
    assert said == [
        (0, "info", " waking"),
        (0, "info", "before the game"),
        (0, "info", ""),
        (0, "info", "score=0.5"),
        (0, "stderr", "thinking"),
        (0, "stderr", "thought"),
        (2, "info", "pondering"),
        (2, "note", "resigned"),
    ]


def test_info_lines_with_an_answer_go_to_the_log() -> None:
    """A channel may return them as one text."""

    class Joined(ForwardingChannel):
        def ask(self, data: bytes, deadline: int) -> str | Event:
            heard = super().ask(data, deadline)
            return f"info score=1\ninfo depth=2\n{heard.text}" if isinstance(heard, Event) else heard

    game = "> game toe seats=2 seat=* seed=* misere=no\n< ready\n"
    mine = "> go\n< move a1\n> play 1 a1\n> play 2 b1\n> go\n< resign\n> over 2 1 reason=resign"
    theirs = "> play 1 a1\n> go\n< move b1\n> play 2 b1\n> over 2 1 reason=resign"
    scripts = [f"{HELLO}\n{game}{turns}" for turns in (mine, theirs)]
    clock = ScriptClock()
    players = [Player(Joined(ScriptedChannel(script, clock=clock))) for script in scripts]
    played = play_match(make_spec(limits=NO_LIMITS), GAMES["toe"], players, clock=clock)
    assert played.record.actions == ((1, "a1"), (2, "b1"))
    assert [(line.ply, line.seat, line.text) for line in played.log] == [
        *[(ply, seat, text) for ply, seat in ((0, 1), (1, 2), (2, 1)) for text in ("score=1", "depth=2")],
        (2, 1, "resigned"),
    ]
