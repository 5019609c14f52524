"""The SDK's side of the protocol, as exact dialogues in this process.

It is one file so that all dialogues stand side by side.
"""

from collections.abc import Callable
from typing import Any

import pytest

import tourney.games
from tests.support.toys import Odds, Race, Toe
from tourney.bot import RESIGN, Match, Session, Turn, parameters
from tourney.games import GameError, stream
from tourney.games.base import AnyGame

TOYS: dict[str, AnyGame] = {"toe": Toe(), "race": Race(), "odds": Odds()}


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the toy games instead of the real ones."""

    def find(name: str) -> AnyGame:
        if name not in TOYS:
            raise GameError(f"there is no game {name!r}")
        return TOYS[name]

    monkeypatch.setattr(tourney.games, "find_game", find)


class Dialogue:
    """Plays a script: ">" lines are the referee's, "<" lines the bot's only allowed answers."""

    def __init__(self, choose: Callable[[Any, Turn], object], **options: Any) -> None:
        self._said: list[str] = []
        self.now = 0.0
        self.session = Session(choose, self._receive, clock=lambda: self.now, **options)

    def _receive(self, data: bytes) -> None:
        assert data.endswith(b"\n")
        self._said.extend(data.decode().splitlines())

    def play(self, script: str) -> None:
        for line in map(str.strip, script.strip().splitlines()):
            if line.startswith("<"):
                assert self._said, f"the bot did not send {line}"
                assert self._said.pop(0) == line[2:]
            else:
                assert self._said == [], f"the bot sent more before {line}"
                assert self.session.receive(line[2:]) is (line != "> quit")
        assert self._said == []


def first(state: Any, _turn: Turn) -> object:
    return state.legal_actions()[0]


def test_state_follows_a_whole_game() -> None:
    """The bot's own play lines count too; an action of the state is sent as its string."""
    Dialogue(first).play("""
        > tourney 1
        < bot
        > game toe seats=2 seat=2 seed=5 move=1000 misere=no
        < ready
        > play 1 a1
        > go move=1000
        < move a2
        > play 2 a2
        > play 1 b2
        > go move=1000
        < move a3
        > play 2 a3
        > play 1 c3
        > over 1 2 reason=row
        > quit
    """)


def test_session_announces_the_requested_lines() -> None:
    Dialogue(first, sees="legal").play("> tourney 1\n< bot wants=legal")
    Dialogue(first, sees="observation").play("> tourney 1\n< bot wants=position,legal")
    Dialogue(first, hidden=True).play("> tourney 1\n< bot wants=position")
    Dialogue(first, sees="observation", hidden=True).play("> tourney 1\n< bot wants=position,legal")
    Dialogue(first, about={"name": "x", "version": "2"}).play("> tourney 1\n< bot name=x version=2")


def test_bot_may_see_legal_actions_alone() -> None:
    """Without loaded rules, the bot can play a game that is not installed."""
    seen: list[object] = []

    def last(legal: Any, turn: Turn) -> object:
        seen.append((legal, turn.observation if len(legal) == 1 else None))
        return legal[-1]

    Dialogue(last, sees="legal").play("""
        > tourney 1
        < bot wants=legal
        > game unknown seats=2 seat=1 seed=0
        < ready
        > legal a b~!
        > go
        < move b~!
        > position here it is
        > legal a
        > go
        < move a
    """)
    assert seen == [(("a", "b~!"), None), (("a",), "here it is")]


def test_bot_may_see_the_observation() -> None:
    def seek(observation: Any, turn: Turn) -> object:
        return "show-1" if observation == "- ?" else turn.legal[-1]

    Dialogue(seek, sees="observation").play("""
        > tourney 1
        < bot wants=position,legal
        > game odds seats=2 seat=2 seed=0
        < ready
        > play 1 ?
        > position - ?
        > legal show-1 show-2 show-3
        > go
        < move show-1
        > play 2 show-1
        > reveal 1 show-3
        > play 1 ?
        > position 3:1 ?
        > legal show-1 show-2 show-3
        > go
        < move show-3
    """)


def test_state_with_hidden_actions_is_a_sample_until_the_reveal() -> None:
    """The sample fits the observation and comes from the seed; after the reveal the state is exact."""
    states: list[tuple[bool, str]] = []

    def choose(state: Any, turn: Turn) -> object:
        states.append((turn.exact, state.position()))
        assert turn.state is state
        assert turn.sample().observation(2) == turn.observation
        return state.legal_actions()[-1]

    dialogue = Dialogue(choose, hidden=True)
    dialogue.play("""
        > tourney 1
        < bot wants=position
        > game odds seats=2 seat=2 seed=9
        < ready
        > play 1 ?
        > position - ?
        > go
        < move show-3
        > play 2 show-3
        > reveal 1 show-3
        > play 1 ?
        > position 3:3 ?
        > go
        < move show-2
        > play 2 show-2
        > reveal 1 show-1
        > over 1 1 reason=played
    """)
    sample = [1, 2, 3][stream(9, "sample")(3)]
    assert states[0] == (False, f"- {sample}")
    exact, second = states[1]
    assert not exact
    assert second in {"3:3 1", "3:3 2"}


def test_seat_that_sees_all_has_the_exact_state() -> None:
    exact: list[object] = []

    def choose(state: Any, turn: Turn) -> object:
        exact.append((turn.exact, state.position()))
        return state.legal_actions()[0]

    Dialogue(choose, hidden=True).play("""
        > game odds seats=2 seat=1 seed=9
        < ready
        > position - 0
        > go
        < move show-1
        > play 1 show-1
        > play 2 show-2
        > position 1:2 0
        > go
        < move show-1
    """)
    assert exact == [(True, "- 0"), (True, "1:2 0")]


def test_game_with_hidden_actions_needs_positions() -> None:
    """The error comes at the start of the game and names the argument to add."""
    dialogue = Dialogue(first)
    with pytest.raises(ValueError, match=r"odds hides actions: write run\(choose, hidden=True\)"):
        dialogue.session.receive("game odds seats=2 seat=1 seed=9")


def test_chance_and_limits_reach_the_bot() -> None:
    """Clocks, increment and nodes are of this turn; the match keeps the values of the game line."""
    turns: list[Turn] = []

    def choose(_state: Any, turn: Turn) -> object:
        turns.append(turn)
        return "take"

    dialogue = Dialogue(choose)
    dialogue.play("""
        > game race seats=3 seat=2 seed=1 move=500 clock=60000 inc=100 nodes=7
        < ready
        > play 0 roll-2
        > play 1 take
        > play 0 roll-1
        > go move=500 clocks=60000,59000,300 inc=100 nodes=7
        < move take
        > go
        < move take
    """)
    timed, free = turns
    assert timed.state.position() == "roll-2,take,roll-1"
    assert (timed.seat, timed.seats, timed.legal) == (2, 3, ("leave", "take"))
    assert (timed.move_ms, timed.clocks, timed.increment_ms, timed.nodes) == (
        500,
        (60000, 59000, 300),
        100,
        7,
    )
    assert (timed.left_ms(), free.left_ms()) == (500, None)
    assert (free.move_ms, free.clocks, free.increment_ms, free.nodes) == (None, (), 0, None)
    dialogue.now = 0.2
    assert (timed.elapsed_ms(), timed.left_ms()) == (200, 300)
    match = timed.match
    assert (match.move_ms, match.clock_ms, match.increment_ms, match.nodes) == (500, 60000, 100, 7)
    assert match.history == [(0, "roll-2"), (1, "take"), (0, "roll-1")]


def test_time_left_is_smaller_of_move_limit_and_clock() -> None:
    left: list[int | None] = []

    def choose(_state: Any, turn: Turn) -> object:
        left.append(turn.left_ms())
        return "take"

    Dialogue(choose).play("""
        > game race seats=2 seat=2 seed=1
        < ready
        > play 0 roll-2
        > play 1 take
        > play 0 roll-1
        > go move=500 clocks=9,400 inc=0
        < move take
        > go move=300 clocks=9,400 inc=0
        < move take
    """)
    assert left == [400, 300]


def test_samples_come_from_the_seed_and_restart_each_game() -> None:
    """By tourney.games.stream, label "draw": a second process or game samples the same values."""
    drawn: list[list[int]] = []

    def choose(_state: Any, turn: Turn) -> object:
        drawn.append([turn.draw(1_000), turn.draw(6), turn.pick([10, 20, 30])])
        return turn.legal[0]

    dialogue = Dialogue(choose)
    for _ in range(2):
        dialogue.play("""
            > game toe seats=2 seat=1 seed=18446744073709551615 misere=no
            < ready
            > go
            < move a1
            > over 1 1 reason=full
        """)
    draw = stream(18446744073709551615, "draw")
    assert drawn[0] == drawn[1] == [draw(1_000), draw(6), [10, 20, 30][draw(3)]]


def test_next_game_keeps_nothing_of_the_last() -> None:
    """Options, memory, history and an unused position belong to one game."""
    seen: list[object] = []

    def choose(_seen: Any, turn: Turn) -> object:
        seen.append((turn.match.options, dict(turn.match.memory), turn.observation))
        turn.match.memory["was"] = "here"
        return turn.legal[0]

    Dialogue(choose, hidden=True).play("""
        > game toe seats=2 seat=1 seed=1 misere=yes
        < ready
        > position stale
        > over 1 1 reason=full
        > game toe seats=2 seat=1 seed=1 misere=no
        < ready
        > go
        < move a1
        > play 1 a1
        > over 1 1 reason=full
        > game race seats=2 seat=1 seed=1
        < ready
        > play 0 roll-1
        > position fresh
        > go
        < move leave
    """)
    assert seen == [({"misere": "no"}, {}, ".../.../... 1"), ({}, {}, "fresh")]


def test_start_and_end_are_called_around_each_game() -> None:
    calls: list[object] = []

    def start(match: Match) -> None:
        calls.append(("start", match.game.name, match.seat))

    def end(match: Match, ranks: tuple[int, ...], reason: str) -> None:
        calls.append(("end", match.game_name, ranks, reason, match.withdrawn))

    Dialogue(first, start=start, end=end).play("""
        > game race seats=3 seat=2 seed=1
        < ready
        > withdrawn 3
        > withdrawn 1
        > over 2 1 3 reason=fault
    """)
    assert calls == [("start", "race", 2), ("end", "race", (2, 1, 3), "fault", [3, 1])]


def test_bot_may_resign() -> None:
    Dialogue(lambda _state, _turn: RESIGN).play("""
        > game toe seats=2 seat=1 seed=1 misere=no
        < ready
        > go
        < resign
    """)


def test_unknown_and_misplaced_lines_are_ignored() -> None:
    Dialogue(first).play("""
        > hello
        > play 1 a1
        > go
        >
        > tourney 1
        < bot
        > game toe seats=2 seat=1 seed=1 misere=no
        < ready
        > weather sunny
        > go
        < move a1
    """)


def test_illegal_string_is_sent_and_reported_on_standard_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The referee judges it illegal; the log shows the author the legal actions."""
    Dialogue(lambda _state, _turn: "z9").play("""
        > game toe seats=2 seat=1 seed=1 misere=no
        < ready
        > go
        < move z9
    """)
    assert "choose returned 'z9', which is not legal here; legal are: a1 a2 a3" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [None, 99, "two words", "", [1], object()])
def test_value_that_is_no_action_ends_the_bot(wrong: object) -> None:
    dialogue = Dialogue(lambda _state, _turn: wrong)
    dialogue.play("> game toe seats=2 seat=1 seed=1 misere=no\n< ready")
    with pytest.raises(ValueError, match="which is not legal here; legal are: a1 a2 a3"):
        dialogue.session.receive("go")


def test_info_is_one_line_that_fits_the_protocol() -> None:
    def choose(_state: Any, turn: Turn) -> object:
        turn.info("late\nmove c3", score=0.31, depth=7)
        turn.info()
        turn.info("ä" * 5_000)
        return 0

    sent: list[bytes] = []
    session = Session(choose, sent.append)
    for line in ("game toe seats=2 seat=1 seed=1 misere=no", "go"):
        session.receive(line)
    assert sent[1] == b"info score=0.31 depth=7 late move c3\n"
    assert len(sent[2]) <= 4_096
    assert sent[2].decode().startswith("info ää")
    assert sent[3] == b"move a1\n"


def test_endless_info_stays_within_the_output_allowance() -> None:
    """A bot sends fewer than 1,000 lines and 64 KiB between two requests."""

    def choose(_state: Any, turn: Turn) -> object:
        for k in range(2_000):
            turn.info(k=k)
        for _ in range(100):
            turn.info("x" * 4_000)
        return turn.legal[0]

    sent: list[bytes] = []
    session = Session(choose, sent.append)
    session.receive("game toe seats=2 seat=1 seed=1 misere=no")
    for _ in range(2):
        sent.clear()
        session.receive("go")
        assert sent[0] == b"info k=0\n"
        assert 500 < len(sent) < 1_000
        assert sum(map(len, sent)) < 64 * 1024


def test_wrong_settings_raise_at_once() -> None:
    with pytest.raises(ValueError, match="sees='all' is not one of state, observation, legal"):
        Session(first, lambda _: None, sees="all")
    with pytest.raises(ValueError, match="one word"):
        Session(first, lambda _: None, about={"name": "my bot"})


def test_arguments_with_numbers_are_parameters() -> None:
    assert parameters(["reach=3", "late weight=-0.50", "--nodes=5", "word", "name=x"]) == {
        "reach": 3,
        "late weight": -0.5,
    }
