"""Rerun starts the same bots again and names the first difference; the room ends its bots."""

import copy
from collections.abc import Sequence

import pytest

from tests.tables import TOE, make_spec, toy
from tourney.bots.channel.base import Channel, Event, FailedChannel
from tourney.bots.sandbox.plain import PlainSandbox
from tourney.errors import CheckError, GameError, RecordError, SandboxError
from tourney.match import verify as reruns
from tourney.match.match_runner import MAX_IDLE, MatchRunner
from tourney.match.named_seeds import RandomChannel
from tourney.match.record import digest_of
from tourney.match.result import PlayedMatch
from tourney.match.spec import Entrant, Limits, MatchSpec
from tourney.match.verify import Finding, compare, rerun


def drawn(_entrant: Entrant, _limits: Limits) -> Channel:
    return RandomChannel()


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> PlayedMatch:
    """Return a match of deterministic bots."""
    monkeypatch.setattr(reruns, "find_game", toy)
    with MatchRunner(drawn, find=toy) as room:
        return room.play(make_spec())


def test_same_bots_give_the_same_record(played: PlayedMatch) -> None:
    """The rerun needs the record alone."""
    with MatchRunner(drawn, find=toy) as room:
        again, findings = rerun(played.record, room.play)
    assert findings == []
    assert again.record == played.record


def test_first_action_that_differs_is_named(played: PlayedMatch) -> None:
    """A changed or random bot is found by its first different action."""

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
    """A match that is shorter or ends differently differs there."""
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
    """No bot starts for a damaged record, or for rules of another version."""

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
    """A bot that records that it was closed."""

    def __init__(self, closed: list[float]) -> None:
        super().__init__()
        self._closed = closed

    def close(self, grace: float) -> None:
        self._closed.append(grace)


def test_room_ends_all_bots_when_a_launch_fails() -> None:
    """The second bot cannot start: the first is ended, and the launch's error is raised."""
    closed: list[float] = []

    def launch(entrant: Entrant, _limits: Limits) -> Channel:
        if entrant.name == "entrant-2":
            raise SandboxError("no room")
        return Closing(closed)

    with MatchRunner(launch, find=toy) as room, pytest.raises(SandboxError, match="no room"):
        room.play(make_spec())
    assert closed == [0]


def test_room_ends_all_bots_when_the_game_raises() -> None:
    """The error names the game, and no bot is left."""
    closed: list[float] = []

    class Broken(type(TOE)):  # type: ignore[misc]  # the toy's class has a private name
        def parse_action(self, text: str) -> int:
            raise ZeroDivisionError("oops")

    with (
        MatchRunner(lambda _e, _l: Closing(closed), find=lambda _name: Broken()) as room,
        pytest.raises(GameError, match=r"the game toe is broken: it raised ZeroDivisionError \(oops\)"),
    ):
        room.play(make_spec())
    assert closed == [0, 0]


def test_failed_sandbox_is_no_loss() -> None:
    """A bot has not lost if the sandbox itself cannot start."""

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
    """The room limits the number of bots that wait for their next match."""
    closed: list[float] = []
    with MatchRunner(lambda _e, _l: Closing(closed), find=toy, reuse=True) as room:
        for number in range(20):
            entrants = tuple(
                Entrant(f"{number}-{seat}", "x", "1", (str(number),), "0" * 64) for seat in (1, 2)
            )
            room.play(MatchSpec("toe", (), entrants, 1, Limits(move_ms=None)))
        assert len(closed) == 40 - MAX_IDLE
    assert len(closed) == 40


def test_reused_bot_starts_again_after_output_between_matches() -> None:
    """Output after a game answers no request, so the process plays no further match."""
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
