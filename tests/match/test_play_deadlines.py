"""A time is judged by when a line came, at each deadline of a match. No real clock, and no process."""

from collections.abc import Iterator
from itertools import product
from typing import Final, Literal

import pytest
from msgspec import structs

from tests.support.piped import DEATH, NoProcesses, Output, Stage, polite
from tests.support.tables import GAMES, TOE, make_spec, outcome
from tourney.bots.channel.interface import Channel, Event, EventKind, Reading
from tourney.bots.channel.scripted import ScriptClock, ScriptedChannel
from tourney.match.play import play_match
from tourney.match.player import MS, Player
from tourney.match.result import PlayedMatch
from tourney.match.spec import Limits
from tourney.play.person_match import ReplayChannel

LIMIT: Final = 100
START: Final = Limits(move_ms=None, margin_ms=0, startup_ms=LIMIT)
TURN: Final = Limits(move_ms=50, margin_ms=0)
ANSWERS: Final = {"tourney": b"bot wants=legal\n", "game": b"ready\n"}
Request = Literal["tourney", "game"]
Ponder = Literal["allow", "freeze"]


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with Stage(monkeypatch) as made:
        yield made


def play(stage: Stage, *channels: Channel, limits: Limits = START, ponder: Ponder = "allow") -> PlayedMatch:
    """Play a match of two or three bots on a stage."""
    game = "toe" if len(channels) == 2 else "race"
    spec = make_spec(game, len(channels), limits=structs.replace(limits, ponder=ponder))
    return play_match(spec, GAMES[game], list(map(Player, channels)), clock=stage.clock)


def startup_faults(played: PlayedMatch) -> list[int]:
    """The seats with a fault at start-up; there are no others."""
    assert all(kind == "startup" for _, kind, _ in played.outcome.faults)
    return [seat for seat, _, _ in played.outcome.faults]


BESIDE = [(["silent", "late"], [1, 2]), (["silent", "prompt"], [1]), (["prompt", "silent"], [2])] + [
    (["silent", *kinds], [1, *(seat for seat, kind in enumerate(kinds, 2) if kind in ("silent", "late"))])
    for kinds in product(["prompt", "just", "late", "silent"], repeat=2)
]
"""The bots of a match, and those of its seats that are at fault."""


@pytest.mark.parametrize(("kinds", "faulty"), BESIDE)
@pytest.mark.parametrize("request_", ["tourney", "game"])
@pytest.mark.parametrize("ponder", ["allow", "freeze"])
def test_start_beside_a_silent_bot_is_judged_by_arrival(
    stage: Stage, kinds: list[str], faulty: list[int], request_: Request, ponder: Ponder
) -> None:
    """At once, a millisecond before the limit, a millisecond after it, or never."""
    after = {"prompt": 3, "just": LIMIT - 1, "late": LIMIT + 1}
    bots = [
        polite(**{request_: [Output(after[kind], ANSWERS[request_])] if kind in after else []})
        for kind in kinds
    ]
    played = play(stage, *map(stage.bot, bots), ponder=ponder)
    assert startup_faults(played) == faulty
    honest = {rank for seat, rank in enumerate(played.outcome.ranks, 1) if seat not in faulty}
    assert not honest or max(honest) < min(played.outcome.ranks[seat - 1] for seat in faulty)


@pytest.mark.parametrize("ponder", ["allow", "freeze"])
@pytest.mark.parametrize(
    ("hello", "ready", "fault"), [(3, 3, []), (99, 99, []), (101, 3, [2]), (3, 101, [2])]
)
def test_start_of_channels_without_sources_is_judged_by_arrival(
    hello: int, ready: int, fault: list[int], ponder: Ponder
) -> None:
    """Scripts have nothing that could be waited for at once."""
    game = "> game toe seats=2 seat=2 seed=* misere=no"
    clock = ScriptClock()
    silent = ScriptedChannel("> tourney 1\n! timeout", clock=clock)
    late = ScriptedChannel(
        f"> tourney 1\n+ {hello}\n< bot\n{game}\n+ {ready}\n< ready\n> over 2 1 reason=fault", clock=clock
    )
    spec = make_spec(limits=structs.replace(START, ponder=ponder))
    played = play_match(spec, TOE, [Player(silent), Player(late)], clock=clock)
    assert startup_faults(played) == [1, *fault]


def test_line_that_came_during_a_hold_up_is_in_time(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine stops the referee just before the limit, and it looks long after it."""
    wait = stage.wait

    def held_up(channels: list[Channel], nanoseconds: int) -> None:
        wait(channels, nanoseconds)
        if stage.channels[0].asked_ms >= LIMIT - 5:
            stage.spend(400)

    monkeypatch.setattr("tourney.match.play.wait_for_any", held_up)
    waking = stage.bot(polite(tourney=[Output(LIMIT - 5, b"info awake\n")]))
    just = stage.bot(polite(tourney=[Output(LIMIT - 1, ANSWERS["tourney"])]))
    assert startup_faults(play(stage, waking, just)) == [1]


class Slow(NoProcesses):
    """Processes about which each question takes the referee some time."""

    def __init__(self, stage: Stage, milliseconds: float, *, first: int = 1) -> None:
        super().__init__()
        self.stage, self.milliseconds, self.first = stage, milliseconds, first

    def reading(self) -> Reading:
        reading = super().reading()
        if self.calls["reading"] >= self.first:
            self.stage.spend(self.milliseconds)
        return reading

    def last_event(self, killed: EventKind = "closed") -> Event:
        self.stage.spend(self.milliseconds)
        return super().last_event(killed)

    def cpu_ms(self) -> int:
        """All the time so far: the bot computes without end."""
        return self.stage.clock() // MS


@pytest.mark.parametrize("ending", ["silence", "death"])
@pytest.mark.parametrize("ponder", ["allow", "freeze"])
def test_line_that_came_while_another_bot_was_judged_is_late(
    stage: Stage, ending: str, ponder: Ponder
) -> None:
    """The referee takes 80 ms to judge the first at its limit, or to learn how it died just before it."""
    dies = [Output(LIMIT - 1, DEATH)] if ending == "death" else []
    first = stage.bot(polite(tourney=dies), Slow(stage, 80, first=2))
    late = stage.bot(polite(tourney=[Output(LIMIT + 20, ANSWERS["tourney"])]))
    just = stage.bot(polite(tourney=[Output(LIMIT - 1, ANSWERS["tourney"])]))
    assert startup_faults(play(stage, first, late, just, ponder=ponder)) == [1, 2]


@pytest.mark.parametrize("charge", ["wall", "cpu"])
@pytest.mark.parametrize("ponder", ["allow", "freeze"])
def test_move_that_came_before_a_late_look_is_in_time(
    stage: Stage, ponder: Ponder, charge: Literal["wall", "cpu"]
) -> None:
    """The referee takes longer than the whole turn to begin its measurement after the grace."""
    limits = structs.replace(TURN, charge=charge)
    first = stage.bot(polite(go=[Output(20, b"move a1\n")]), Silent(stage, 300))
    played = play(stage, first, stage.bot(polite(go=[Output(0, b"resign\n")])), limits=limits, ponder=ponder)
    assert outcome(played)["faults"] == []
    assert played.record.actions == ((1, "a1"),)


class Silent(Slow):
    """Such processes that use no processor time."""

    def cpu_ms(self) -> int:
        return 0


def test_charge_cpu_ends_with_the_answer(stage: Stage) -> None:
    """A bot that ponders is not charged for what it computes while the referee measures its turn."""
    limits = structs.replace(TURN, charge="cpu")
    ponders = stage.bot(polite(go=[Output(45, b"move a1\n")]), Slow(stage, 30, first=2))
    played = play(stage, ponders, stage.bot(polite(go=[Output(0, b"resign\n")])), limits=limits)
    assert outcome(played)["faults"] == []


@pytest.mark.parametrize(("after", "fault"), [(49, []), (51, [[1, "timeout", 0]])])
@pytest.mark.parametrize("ponder", ["allow", "freeze"])
def test_move_is_judged_by_a_millisecond(
    stage: Stage, after: int, fault: list[object], ponder: Ponder
) -> None:
    first = stage.bot(polite(go=[Output(after, b"move a1\n")]))
    played = play(stage, first, stage.bot(polite(go=[Output(0, b"resign\n")])), limits=TURN, ponder=ponder)
    assert outcome(played)["faults"] == fault


def test_bots_of_a_person_are_judged_by_arrival(stage: Stage) -> None:
    """Their channels replay kept decisions, and are waited for at once like any others."""
    dying = stage.bot(polite(tourney=[Output(LIMIT - 1, DEATH)]), Slow(stage, 80, first=2))
    late = stage.bot(polite(tourney=[Output(LIMIT + 20, ANSWERS["tourney"])]))
    just = stage.bot(polite(tourney=[Output(LIMIT - 1, ANSWERS["tourney"])]))
    channels = [ReplayChannel(channel, (), lambda _: None) for channel in (dying, late, just)]
    assert startup_faults(play(stage, *channels)) == [1, 2]
