"""Faults of scripted bots: when each is judged, and what the other seats receive."""

import pytest

from tests.support.tables import HELLO, NO_LIMITS, TOE, make_spec, notes, outcome, play_scripts
from tourney.bots.channel.interface import Event
from tourney.bots.channel.scripted import ScriptClock, ScriptedChannel
from tourney.check.record import verify
from tourney.errors import SandboxError
from tourney.match.play import play_match
from tourney.match.player import Player
from tourney.match.spec import Limits

START = HELLO + "> game toe seats=2 seat=* seed=* misere=no\n< ready\n"


@pytest.mark.parametrize(
    ("answer", "kind", "why"),
    [
        ("< move z9", "illegal", "'z9' is not a square"),
        ("< move b2", "illegal", "b2 is not legal here"),
        ("! timeout", "timeout", "no answer within 86400000 ms"),
        ("! closed killed by SIGKILL", "crash", "killed by SIGKILL"),
        ("! overflow too much", "overflow", "too much"),
        ("! malformed no UTF-8", "protocol", "no UTF-8"),
        ("< nonsense", "protocol", "'nonsense' is not a line of the protocol"),
        ("< move a1 b1", "protocol", "one action"),
        ("< ready", "protocol", "said ready where move was asked for"),
        ("< bot", "protocol", "said bot where move was asked for"),
        ("< info fine\n< info so far\n! closed killed by SIGSEGV", "crash", "killed by SIGSEGV"),
    ],
)
def test_fault_at_a_turn(answer: str, kind: str, why: str) -> None:
    """The faulty seat loses and receives no more lines; the other receives `over`; the log has the reason."""
    played = play_scripts(
        make_spec(),
        START + "> go\n< move b2\n> play 1 b2\n> over 1 2 reason=fault",
        START + f"> play 1 b2\n> go\n{answer}",
    )
    assert outcome(played) == {"ranks": [1, 2], "reason": "fault", "faults": [[2, kind, 1]]}
    assert len(notes(played)) == 1
    assert notes(played)[0].startswith(f"1 2 {kind}: ")
    assert why in notes(played)[0]
    assert played.measured.reproducible is (kind not in {"timeout", "crash"})
    assert verify(played.record, TOE) == []


@pytest.mark.parametrize("before", [START + "> go", "> tourney 1"])
def test_bot_that_the_machine_ended_gives_no_result(before: str) -> None:
    """In a turn and at start-up; no seat is at fault."""
    with pytest.raises(SandboxError, match="the sandbox of entrant-1 was killed by SIGKILL"):
        play_scripts(make_spec(), before + "\n! lost killed by SIGKILL", START)


@pytest.mark.parametrize(
    ("early", "kind", "why"),
    [
        ("< move c3", "protocol", "spoke out of turn: 'move c3'"),
        ("< info but also\n< ready", "protocol", "spoke out of turn: 'ready'"),
        ("! closed exited with code 0", "crash", "exited with code 0"),
        ("! overflow too much", "overflow", "too much"),
        ("! malformed long", "protocol", "long"),
    ],
)
def test_fault_between_turns_is_judged_at_next_request(early: str, kind: str, why: str) -> None:
    """The other seat plays on until then; the faulty one gets no further request."""
    played = play_scripts(
        make_spec(),
        START + f"> go\n< move a1\n{early}",
        START + "> play 1 a1\n> go\n< move b2\n> play 2 b2\n> over 2 1 reason=fault",
    )
    assert outcome(played)["faults"] == [[1, kind, 2]]
    assert why in notes(played)[0]
    assert played.measured.seats[0].turns == 1


@pytest.mark.parametrize("early", ["< move c3", "! closed exited with code 0", "! overflow", "< nonsense"])
def test_fault_after_last_turn_does_not_count(early: str) -> None:
    """A bot is at fault only if it is asked again."""
    first = "> go\n< move a1\n> play 1 a1\n> play 2 b1\n> go\n< move a2\n> play 1 a2\n> play 2 b2\n> go\n"
    second = "> play 1 a1\n> go\n< move b1\n> play 2 b1\n> play 1 a2\n> go\n< move b2\n"
    played = play_scripts(
        make_spec(),
        START + first + "< move a3\n> play 1 a3\n> over 1 2 reason=row",
        START + second + f"{early}\n> play 2 b2\n> play 1 a3\n> over 1 2 reason=row",
    )
    assert outcome(played) == {"ranks": [1, 2], "reason": "row", "faults": []}
    assert played.measured.reproducible is True


GAME = "> game toe seats=2 seat=* seed=* misere=no"


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("> tourney 1\n! timeout", "no answer within 10000 ms"),
        ("> tourney 1\n! closed exited with code 127", "exited with code 127"),
        ("> tourney 1\n< ready", "said ready where bot was asked for"),
        ("> tourney 1\n< hello", "'hello' is not a line"),
        ("> tourney 1\n< bot wants=everything", "wants="),
        ("> tourney 1\n! overflow flood", "flood"),
        ("< bot\n> nothing", "spoke out of turn: 'bot'"),
        (HELLO + "< ready\n> nothing", "spoke out of turn: 'ready'"),
        (HELLO + f"{GAME}\n! timeout", "no answer within 10000 ms"),
        (HELLO + f"{GAME}\n< move a1", "said move where ready was asked for"),
        (HELLO + f"{GAME}\n< resign", "said resign where ready was asked for"),
        (HELLO + f"{GAME}\n! malformed long line", "long line"),
    ],
)
def test_fault_at_start_up(script: str, why: str) -> None:
    """Any failure at ``bot`` or ``ready`` is the fault ``startup``; the other seat is asked too."""
    script = script.removesuffix("\n> nothing")
    played = play_scripts(make_spec(), script, START + "> over 2 1 reason=fault")
    assert outcome(played) == {"ranks": [2, 1], "reason": "fault", "faults": [[1, "startup", 0]]}
    assert played.record.actions == ()
    assert notes(played)[0].startswith("0 1 startup: ")
    assert why in notes(played)[0]
    assert verify(played.record, TOE) == []


def test_match_is_void_if_all_fail_to_start() -> None:
    """All have rank 1, and the match does not count."""
    played = play_scripts(make_spec(), "> tourney 1\n! timeout", HELLO + f"{GAME}\n! closed gone")
    assert outcome(played) == {
        "ranks": [1, 1],
        "reason": "fault",
        "faults": [[1, "startup", 0], [2, "startup", 0]],
    }
    assert played.outcome.void
    assert played.measured.why_not == ("crash", "timeout")
    assert verify(played.record, TOE) == []


def test_all_seats_start_at_once_with_full_start_up_time() -> None:
    """All requests go out before the first wait, so a hanging bot costs the others no time.

    All are heard for the same grace; then the hanging one is waited for.
    """
    order = []
    clock = ScriptClock()

    class Noting(ScriptedChannel):
        def request(self, data: bytes) -> None:
            order.append(f"ask {self._name}")
            super().request(data)

        def wait(self, deadline: int) -> Event:
            order.append(f"hear {self._name} {(deadline - 1_000_000_000) // 10**6}")
            return super().wait(deadline)

    scripts = ("> tourney 1\n! timeout", START + "> over 2 1 reason=fault")
    channels = [Noting(script, clock=clock, name=str(k)) for k, script in enumerate(scripts, 1)]
    spec = make_spec(limits=Limits(move_ms=None, margin_ms=0, startup_ms=500))
    play_match(spec, TOE, [Player(channel) for channel in channels], clock=clock)
    assert order == [
        *("ask 1", "ask 2", "hear 1 1", "hear 2 1", "hear 1 500"),
        *("ask 2", "hear 2 501"),
    ]


def test_start_up_is_not_charged_to_first_action() -> None:
    """The clock starts at ``go``."""
    slow = "+ 9000\n> tourney 1\n+ 9000\n< bot\n" + GAME + "\n+ 9000\n< ready\n"
    limits = Limits(move_ms=None, clock_ms=100, margin_ms=0, startup_ms=10_000)
    timed = START.replace(" misere", " clock=100 inc=0 misere")
    played = play_scripts(
        make_spec(limits=limits),
        slow.replace(" misere", " clock=100 inc=0 misere")
        + "> go clocks=100,100 inc=0\n< move a1\n> play 1 a1\n> over 1 2 reason=resign",
        timed + "> play 1 a1\n> go clocks=100,100 inc=0\n< resign\n> over 1 2 reason=resign",
    )
    assert outcome(played)["faults"] == []


def test_faulty_bot_is_closed_at_once_and_others_stay_open() -> None:
    """The faulty bot gets no grace; the caller closes the others, which may play again."""
    channels = [
        ScriptedChannel(START + "> go\n< move a1\n> play 1 a1\n> over 1 2 reason=fault"),
        ScriptedChannel(START + "> play 1 a1\n> go\n< move a1"),
    ]
    players = [Player(channel) for channel in channels]
    play_match(make_spec(), TOE, players)
    assert [channel.closed for channel in channels] == [False, True]
    assert channels[1].grace == 0
    assert [player.lost for player in players] == [False, True]


def test_log_is_bounded() -> None:
    """The log drops and counts lines of endless output, and keeps the referee's notes."""
    talk = "\n".join(["< info " + "x" * 1000] * 900)
    moves = ["a1", "b1", "a2", "b2"]
    scripts = [START, START]
    for ply, move in enumerate(moves):
        mine = ply % 2
        scripts[mine] += f"> go\n{talk}\n< move {move}\n"
        for script in (0, 1):
            scripts[script] += f"> play {mine + 1} {move}\n"
    scripts[0] += "> go\n< move zz"
    played = play_scripts(make_spec(limits=NO_LIMITS), scripts[0], scripts[1] + "> over 2 1 reason=fault")
    assert sum(len(line.text) for line in played.log) < 300_000
    assert [note.partition(":")[0] for note in notes(played)] == [
        "4 1 illegal",
        "4 1 1,669 more lines of this bot were dropped",
        "4 2 1,669 more lines of this bot were dropped",
    ]


@pytest.mark.parametrize(("used", "kind"), [((5, 25), None), ((5, 26), "timeout"), ((None, None), "refused")])
def test_charge_cpu_uses_processor_time(used: tuple[int | None, int | None], kind: str | None) -> None:
    """A turn costs its CPU time from request to answer; a channel without CPU time is refused."""

    readings = list(used)

    class Measured(ScriptedChannel):
        def cpu_ms(self) -> int | None:
            return readings.pop(0) if readings else used[1]

    limits = Limits(move_ms=20, margin_ms=0, charge="cpu")
    start = START.replace(" misere", " move=20 misere")
    clock = ScriptClock()
    first = (
        start
        + "> go move=20\n+ 70\n< move a1\n"
        + ("> play 1 a1\n> over 1 2 reason=resign" if kind is None else "")
    )
    ending = (
        "> play 1 a1\n> go move=20\n< resign\n> over 1 2 reason=resign"
        if kind is None
        else "> over 2 1 reason=fault"
    )
    channels = [Measured(first, clock=clock), Measured(start + ending, clock=clock)]
    players = [Player(channel) for channel in channels]
    if kind == "refused":
        with pytest.raises(SandboxError, match="cpu"):
            play_match(make_spec(limits=limits), TOE, players, clock=clock)
        return
    played = play_match(make_spec(limits=limits), TOE, players, clock=clock)
    assert outcome(played)["faults"] == ([] if kind is None else [[1, "timeout", 0]])
    assert played.measured.seats[0].wall_ms == 70
