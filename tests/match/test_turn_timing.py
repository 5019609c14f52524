"""The time of a request: grace, waiting that is not charged, extensions and their end. No real clock."""

import itertools
from typing import Literal

import pytest

from tests.support.starved import Machine
from tests.support.tables import HELLO, TOE, make_spec, notes, outcome
from tourney.bots.channel.interface import Event, Reading
from tourney.bots.channel.scripted import ScriptClock, ScriptedChannel
from tourney.errors import OverloadError
from tourney.match import turn_timing
from tourney.match.play import play_match
from tourney.match.player import MS, Player
from tourney.match.result import PlayedMatch
from tourney.match.spec import Limits
from tourney.match.turn_timing import GRACE_NS, MOST_EXTRA_NS, MOST_FACTOR, Timing, own_delay_ns


@pytest.fixture(autouse=True)
def quiet_referee(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the referee itself never wait."""
    monkeypatch.setattr(turn_timing, "own_delay_ns", lambda: 0)


def whole_turn(bot: Machine, limit_ms: int) -> tuple[Event, Timing]:
    """Hear a bot as a match does: the grace first, then up to the limit."""
    timing = Timing(bot, bot.clock, bot.clock(), limit_ms * MS, who="bot-1")
    event = timing.hear(timing.grace_ends)
    if event is None:
        timing.begin_measuring()
        event = timing.hear()
        assert event is not None
    timing.finish()
    return event, timing


def test_answer_within_the_grace_is_charged_as_it_is() -> None:
    """No figure is read for it."""
    bot = Machine("+ 1\n< move a1", cpu=0, waited=100)
    event, timing = whole_turn(bot, 50)
    assert event == Event("line", "move a1")
    assert (timing.elapsed, timing.charged, bot.readings) == (MS, MS, 0)


def test_waiting_after_the_grace_is_not_charged() -> None:
    """Of 40 ms the bot waited three quarters, except in the first one."""
    event, timing = whole_turn(Machine("+ 41\n< move a1", cpu=25, waited=75), 50)
    assert event == Event("line", "move a1")
    assert (timing.elapsed, timing.charged) == (41 * MS, 11 * MS)
    assert timing.overloaded


def test_limit_is_extended_by_the_time_spent_waiting() -> None:
    """A bot that needs 40 ms and has a quarter of a processor answers in time although 50 are allowed."""
    event, timing = whole_turn(Machine("+ 160\n< move a1", cpu=25, waited=75), 50)
    assert event == Event("line", "move a1")
    assert timing.elapsed == 160 * MS
    assert timing.charged <= 41 * MS


def test_waiting_does_not_save_a_bot_that_computes_too_long() -> None:
    """It is charged for what it computed, and times out once that is its limit."""
    event, timing = whole_turn(Machine("! timeout", cpu=25, waited=75), 50)
    assert event == Event("timeout")
    assert 50 * MS <= timing.charged <= 51 * MS
    assert 190 * MS <= timing.elapsed <= 205 * MS


@pytest.mark.parametrize(
    ("cpu", "waited"),
    [
        (0, 0),  # it sleeps, or has stopped itself
        (100, 0),  # it computes
        (100, 100),  # its children compute, and the claim that it waited is false
        (200, 90),  # they do on two processors
        (60, 0),
    ],
)
def test_bot_that_does_not_lack_a_processor_gains_nothing(cpu: int, waited: int) -> None:
    """It times out exactly at its limit."""
    event, timing = whole_turn(Machine("! timeout", cpu, waited), 50)
    assert event == Event("timeout")
    assert (timing.elapsed, timing.waited, timing.overloaded) == (50 * MS, 0, False)


def test_computing_before_the_request_is_no_bound_in_it() -> None:
    """Only what a bot used since its last reading limits the waiting that it is spared."""
    used = Reading(7_000 * MS, 0)

    class Older(Machine):
        def reading(self) -> Reading:
            return Reading(used.cpu, (self.clock() - self.began) * 9 // 10)

    bot = Older("+ 101\n< move a1")
    timing = Timing(bot, bot.clock, bot.clock(), 50 * MS, used=used.cpu)
    assert timing.hear(timing.grace_ends) is None
    timing.begin_measuring()
    assert timing.hear() == Event("line", "move a1")
    timing.finish()
    assert timing.charged == 11 * MS


def test_overload_ends_without_a_result_at_a_stated_time() -> None:
    """A bot that gets no processor at all is not charged, but the match cannot go on."""
    bot = Machine("! timeout", cpu=0, waited=100)
    with pytest.raises(OverloadError, match=r"bot-1 waited 10,199 of 10,200 ms for a processor") as caught:
        whole_turn(bot, 50)
    assert caught.value.bot == "bot-1"
    assert bot.clock() - bot.began == MOST_FACTOR * 50 * MS + MOST_EXTRA_NS


@pytest.mark.parametrize(("late", "cpu", "charged"), [(30, 0, 1), (30, 50, 15), (30, 100, 30), (1, 0, 2)])
def test_delay_of_the_referees_first_look_is_its_own(late: int, cpu: int, charged: int) -> None:
    """It wanted to look after 1 ms; what came later is charged only as far as the bot computed.

    An answer within 2 ms is charged as it is, without a look at any figure.
    """
    bot = Machine("< move a1", cpu=cpu)
    timing = Timing(bot, bot.clock, bot.clock(), 50 * MS)
    bot.clock.advance(late + (late == 1))
    assert timing.hear(timing.grace_ends) == Event("line", "move a1")
    timing.finish()
    assert timing.charged == charged * MS
    assert bot.readings == (0 if late == 1 else 2)


def test_referees_own_waiting_is_not_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer lay in the pipe while the referee waited for a processor."""
    delays = iter([5 * MS, 25 * MS])
    monkeypatch.setattr(turn_timing, "own_delay_ns", lambda: next(delays))
    _, timing = whole_turn(Machine("+ 41\n< move a1", cpu=0), 50)
    assert timing.charged == 21 * MS


def test_unknown_figures_leave_the_limit_as_it_is() -> None:
    bot = ScriptedChannel("! timeout", clock=ScriptClock())
    timing = Timing(bot, bot.clock, bot.clock(), 50 * MS)
    assert timing.hear(timing.grace_ends) is None
    timing.begin_measuring()
    assert timing.hear() == Event("timeout")
    timing.finish()
    assert (timing.elapsed, timing.waited) == (50 * MS, 0)


@pytest.mark.parametrize(
    ("waited", "elapsed", "overloaded"),
    [(11, 100, True), (10, 20, False), (11, 110, False), (12, 110, True)],
)
def test_request_is_overloaded_above_two_thresholds(waited: int, elapsed: int, overloaded: bool) -> None:
    """More than 10 ms and more than a tenth of it were waiting."""
    bot = Machine("")
    timing = Timing(bot, bot.clock, bot.clock(), 50 * MS)
    timing.waited, timing.elapsed = waited * MS, elapsed * MS
    assert timing.overloaded == overloaded


def test_extension_stops_competitors_of_the_match() -> None:
    """Other seats are held still from the first extension on."""
    held: list[int] = []
    bot = Machine("+ 100\n< move a1", cpu=10, waited=90)
    timing = Timing(bot, bot.clock, bot.clock(), 50 * MS)
    timing.hold = lambda: held.append(bot.clock() - bot.began)
    assert timing.hear(timing.grace_ends) is None
    timing.begin_measuring()
    assert timing.hear() == Event("line", "move a1")
    assert held[0] == 50 * MS


def test_own_delay_is_known_and_grows() -> None:
    """The kernel counts it for each thread."""
    first = own_delay_ns()
    assert own_delay_ns() >= first >= 0


def test_short_limit_ends_before_the_grace() -> None:
    bot = Machine("! timeout")
    timing = Timing(bot, bot.clock, bot.clock(), GRACE_NS // 2)
    assert timing.hear(timing.grace_ends) == Event("timeout")
    assert bot.clock() - bot.began == GRACE_NS // 2


class Rivalled(Machine):
    """A bot that gets no processor beside some rivals; ``rivals`` are returned in turn, the last for ever."""

    def __init__(self, *rivals: int) -> None:
        super().__init__("! timeout", cpu=0, waited=100)
        self.counts = list(rivals)
        self.looks: list[int] = []

    def rivals(self) -> int:
        self.looks.append((self.clock() - self.began) // MS)
        return self.counts.pop(0) if len(self.counts) > 1 else self.counts[0]


@pytest.mark.parametrize(
    ("rivals", "machine"),
    # 6,200 ms are the share of a bot in 12,400 beside one rival, and so on; its limit is 600 ms.
    [((0,), False), ((1,), False), ((9,), False), ((10,), True), ((40,), True)],
)
def test_bot_that_waits_without_need_times_out(rivals: tuple[int, ...], machine: bool) -> None:
    """It lowered its priority, or yields all the time: as many rivals leave others twice their limit."""
    bot = Rivalled(*rivals)
    if machine:
        with pytest.raises(OverloadError):
            whole_turn(bot, 600)
        return
    event, timing = whole_turn(bot, 600)
    assert event.kind == "timeout"
    assert event.text == (
        f"no answer in 12400 ms, in which it could have had a processor for {12400 // (rivals[0] + 1)} ms"
    )
    assert timing.elapsed == 12_400 * MS


def test_rivals_are_counted_now_and_then_and_at_the_end() -> None:
    """At the first extension, then at most every quarter of a second, and at the end; the mean counts."""
    bot = Rivalled(0, 200)
    with pytest.raises(OverloadError):
        whole_turn(bot, 50)
    assert bot.looks[0] == 50
    assert bot.looks[-1] == 10_200
    assert all(late - early >= 250 for early, late in itertools.pairwise(bot.looks[:-1]))
    assert len(bot.looks) > 30


# -- whole matches on a machine that keeps bots waiting for a processor ------------------------------------


GAME = "> game toe seats=2 seat=* seed=* clock=100 inc=0 misere=no\n"
START = HELLO + GAME + "< ready\n"
END = "> over * * reason=*"
CLOCKS = Limits(move_ms=None, clock_ms=100, margin_ms=0, startup_ms=100)


def seated(first: str, second: str, cpu: int = 20, waited: int = 80) -> tuple[Machine, Machine]:
    """Return two bots; the first has a processor for a part of the time only."""
    clock = ScriptClock()
    return Machine(first, cpu, waited, clock=clock), Machine(second, clock=clock)


def play(bots: tuple[Machine, Machine], limits: Limits = CLOCKS) -> PlayedMatch:
    """Play a match."""
    players = [Player(bot) for bot in bots]
    return play_match(make_spec(limits=limits), TOE, players, clock=bots[0].clock)


def test_wait_for_a_processor_costs_no_clock_and_is_counted() -> None:
    """A turn of 301 ms, of which the bot waited 240 after the first, costs 61 ms."""
    bots = seated(
        START + "> go clocks=100,100 inc=0\n+ 301\n< move a1\n> play 1 a1\n" + END,
        START + "> play 1 a1\n> go clocks=39,100 inc=0\n< resign\n" + END,
    )
    played = play(bots)
    assert outcome(played)["faults"] == []
    seat = played.measured.seats[0]
    assert (seat.wall_ms, seat.waited_ms, seat.overloaded_turns) == (301, 240, 1)
    assert played.measured.seats[1].overloaded_turns == 0
    said = "240 of the 301 ms of this turn were spent waiting for a processor and are not charged"
    assert notes(played)[0] == f"0 1 the machine was overloaded: {said}"


def test_start_up_on_a_busy_machine_is_no_fault() -> None:
    """Both its requests take longer than the limit; it waited for most of that time. It is not a turn."""
    slow = "> tourney 1\n+ 301\n< bot\n" + GAME + "+ 401\n< ready\n"
    bots = seated(
        slow + "> go clocks=100,100 inc=0\n< move a1\n> play 1 a1\n" + END,
        START + "> play 1 a1\n> go clocks=100,100 inc=0\n< resign\n" + END,
    )
    played = play(bots)
    assert outcome(played)["faults"] == []
    seat = played.measured.seats[0]
    assert (seat.waited_ms, seat.overloaded_turns) == (240 + 320, 0)
    assert (seat.start_ms, seat.wall_ms) == (702, 0)
    assert played.measured.seats[1].start_ms == 2, "it was heard in between"
    assert played.measured.used_ms == (700, 0)
    assert [note.partition(":")[0] for note in notes(played)[:2]] == ["0 1 the machine was overloaded"] * 2


def test_start_up_that_computes_too_long_is_a_fault() -> None:
    played = play(seated("> tourney 1\n+ 100000\n< bot\n", START + END, cpu=50, waited=50))
    assert outcome(played)["faults"] == [[1, "startup", 0]]


def test_charge_cpu_extends_its_limit_on_wall_time() -> None:
    """Of a limit of 30 ms a bot used 25 ms in half a second, although 120 ms are allowed."""
    limits = Limits(move_ms=30, margin_ms=0, charge="cpu")
    start = START.replace("clock=100 inc=0", "move=30")
    bots = seated(
        start + "> go move=30\n+ 500\n< move a1\n> play 1 a1\n" + END,
        start + "> play 1 a1\n> go move=30\n< resign\n" + END,
        *(5, 90),
    )
    played = play(bots, limits)
    assert outcome(played)["faults"] == []
    assert played.measured.seats[0].waited_ms == 499 * 9 // 10


@pytest.mark.parametrize("ponder", ["allow", "freeze"])
def test_match_without_a_processor_has_no_result(ponder: Literal["allow", "freeze"]) -> None:
    """The failure names the bot. The other one was frozen meanwhile, even if it may ponder."""
    limits = Limits(move_ms=None, clock_ms=100, margin_ms=0, ponder=ponder)
    bots = seated(START + "> go clocks=100,100 inc=0\n! timeout", START, cpu=0, waited=100)
    with pytest.raises(OverloadError) as caught:
        play(bots, limits)
    assert caught.value.bot == "entrant-1"
    assert caught.value.exit_code == 3
    assert bots[1].frozen
