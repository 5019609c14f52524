"""Rerun: the same bots again, afresh; the first action that differs is named. And the room's own promises."""

import copy
from collections.abc import Sequence

import pytest

from tests.tables import TOE, make_spec, toy
from tourney.bots.channel.base import Channel, Event, FailedChannel
from tourney.bots.channel.random_channel import RandomChannel
from tourney.bots.sandbox.plain import PlainSandbox
from tourney.errors import CheckError, GameError, RecordError, SandboxError
from tourney.match import verify as reruns
from tourney.match.match_runner import MAX_IDLE, MatchRunner
from tourney.match.record import digest_of
from tourney.match.result import PlayedMatch
from tourney.match.spec import Entrant, Limits, MatchSpec
from tourney.match.verify import Finding, compare, rerun


def drawn(_entrant: Entrant, _limits: Limits) -> Channel:
    return RandomChannel()


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> PlayedMatch:
    """A match of bots that play the same every time."""
    monkeypatch.setattr(reruns, "find_game", toy)
    with MatchRunner(drawn, find=toy) as room:
        return room.play(make_spec())


def test_same_bots_give_the_same_record(played: PlayedMatch) -> None:
    """Afresh, from the record alone."""
    with MatchRunner(drawn, find=toy) as room:
        again, findings = rerun(played.record, room.play)
    assert findings == []
    assert again.record == played.record


def test_first_action_that_differs_is_named(played: PlayedMatch) -> None:
    """A bot that has moved on, or draws its own luck, is found out by its first other action."""

    class Fickle(RandomChannel):
        def send(self, data: bytes) -> None:
            super().send(data)
            if data.count(b"play") and self._answers:
                self._answers[-1] = Event("line", f"move {self._legal[0]}")

    with MatchRunner(lambda _e, _l: Fickle(), find=toy) as room:
        _, findings = rerun(played.record, room.play)
    first = findings[0]
    assert first.action is not None
    assert first.text.startswith(f"it was seat {(first.action - 1) % 2 + 1} ")


def test_comparison_names_where_the_longer_match_continues(played: PlayedMatch) -> None:
    """A match that is shorter or ends otherwise differs there."""
    other = copy.deepcopy(played.record)
    actor, action = other["actions"].pop()
    number = len(played.record["actions"])
    found = compare(played.record, other)
    assert found[0] == Finding(f"it was seat {actor} {action}, where the other match was over", number)
    assert compare(other, played.record)[0].text.startswith("now it is seat")
    other = copy.deepcopy(played.record)
    other["outcome"]["reason"] = "fault"
    other["digest"] = digest_of(other)
    (finding,) = compare(played.record, other)
    assert finding.text == "outcome: reason was row, now it is fault"
    other = {**copy.deepcopy(played.record), "rules": "2"}
    other["digest"] = digest_of(other)
    assert [f.text for f in compare(played.record, other)] == [
        "the records differ, though not in actions or outcome"
    ]


def test_damaged_record_and_other_rules_are_refused_before_play(played: PlayedMatch) -> None:
    """Nothing is started for a record that does not hold, or whose rules are not here."""

    def never(_spec: MatchSpec) -> PlayedMatch:
        raise AssertionError("nothing may be played")

    damaged = copy.deepcopy(played.record)
    damaged["actions"][0][1] = "c3" if damaged["actions"][0][1] != "c3" else "a1"
    with pytest.raises(RecordError, match="digest"):
        rerun(damaged, never)
    older = {**copy.deepcopy(played.record), "rules": "0"}
    older["digest"] = digest_of(older)
    with pytest.raises(CheckError, match="version 0 of the rules of toe"):
        rerun(older, never)


class Closing(RandomChannel):
    """A bot that notes its end."""

    def __init__(self, closed: list[float]) -> None:
        super().__init__()
        self._closed = closed

    def close(self, grace: float) -> None:
        self._closed.append(grace)


def test_room_ends_all_bots_when_a_launch_fails() -> None:
    """If the second bot cannot be started, the first is ended, and the error is the launch's."""
    closed: list[float] = []

    def launch(entrant: Entrant, _limits: Limits) -> Channel:
        if entrant.name == "entrant-2":
            raise SandboxError("no room")
        return Closing(closed)

    with MatchRunner(launch, find=toy) as room, pytest.raises(SandboxError, match="no room"):
        room.play(make_spec())
    assert closed == [0]


def test_room_ends_all_bots_when_the_game_is_broken() -> None:
    """An exception out of a game's code names the game, and no bot is left."""
    closed: list[float] = []

    class Broken(type(TOE)):  # type: ignore[misc]  # the toy's class, whatever its name
        def parse_action(self, text: str) -> int:
            raise ZeroDivisionError("oops")

    with (
        MatchRunner(lambda _e, _l: Closing(closed), find=lambda _name: Broken()) as room,
        pytest.raises(GameError, match=r"the game toe is broken: it raised ZeroDivisionError \(oops\)"),
    ):
        room.play(make_spec())
    assert closed == [0, 0]


def test_start_up_failing_with_the_sandbox_is_no_loss() -> None:
    """A bot that does not start where the sandbox does not start either has not lost."""

    class Failing(PlainSandbox):
        def check(self) -> None:
            raise SandboxError("bubblewrap does not work here")

    def launch(entrant: Entrant, _limits: Limits) -> Channel:
        return FailedChannel("gone") if entrant.name == "entrant-1" else RandomChannel()

    with MatchRunner(launch, find=toy, sandbox=Failing("auto")) as room, pytest.raises(SandboxError):
        room.play(make_spec())
    with MatchRunner(launch, find=toy, sandbox=PlainSandbox("off")) as room:
        assert room.play(make_spec()).record["outcome"]["faults"] == [[1, "startup", 0]]


def test_room_keeps_a_bounded_number_of_bots() -> None:
    """However many bots a tournament has, few wait for their next match."""
    closed: list[float] = []
    with MatchRunner(lambda _e, _l: Closing(closed), find=toy, reuse=True) as room:
        for number in range(20):
            entrants = tuple(
                Entrant(f"{number}-{seat}", "x", "1", (str(number),), "0" * 64) for seat in (1, 2)
            )
            room.play(MatchSpec("toe", (), entrants, 1, Limits(move_ms=None)))
        assert len(closed) == 40 - MAX_IDLE
    assert len(closed) == 40


def test_reused_bot_that_spoke_between_matches_is_started_afresh() -> None:
    """Whatever a bot says after a game it had not been asked for, so it does not sit down again."""
    started: list[Channel] = []

    class Chatty(RandomChannel):
        def pending(self) -> Sequence[Event]:
            return [Event("line", "move a1")] if self._turn and not self._answers and self.over else ()

        over = False

        def send(self, data: bytes) -> None:
            super().send(data)
            self.over = b"over" in data

    def launch(_entrant: Entrant, _limits: Limits) -> Channel:
        started.append(Chatty())
        return started[-1]

    with MatchRunner(launch, find=toy, reuse=True) as room:
        for _ in range(2):
            assert room.play(make_spec()).record["outcome"]["faults"] == []
    assert len(started) == 4
