"""A person's match: its output, undo, several persons at one terminal, and faults.

After an undo the kept decisions are replayed without requests; then the bot plays on.
"""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.play.typed import Typed
from tests.support.records import as_json
from tests.support.tables import make_spec
from tests.support.toys import Odds, Race, Toe
from tourney.bots.channel.interface import Channel, Event, FailedChannel
from tourney.bots.channel.scripted import ScriptClock, ScriptedChannel
from tourney.check.named_seeds import RandomChannel
from tourney.check.record import verify
from tourney.games.base import AnyGame
from tourney.games.registry import find_game
from tourney.match.play import play_match
from tourney.match.player import MS, Player
from tourney.match.record import check_record
from tourney.match.result import PlayedMatch
from tourney.match.spec import DEFAULT_LIMITS, Entrant, Limits, MatchSpec
from tourney.play.person import PERSON
from tourney.play.person_match import PersonMatch, ReplayChannel, Seat

Start = Callable[[], Channel]


class First(RandomChannel):
    """Plays the first legal action, or gives the answer ``turnN`` after n actions of its own."""

    def __init__(self, **answers: Event) -> None:
        super().__init__()
        self._special = answers
        self._own = ""
        self._turns = 0
        self.closed = False

    def send(self, data: bytes) -> None:
        super().send(data)
        for line in data.decode("ascii").splitlines():
            if line.startswith("game"):
                self._own = f"play {line.partition(' seat=')[2].split(' ')[0]} "
            self._turns += bool(self._own) and line.startswith(self._own)
        if self._answers and self._answers[-1].text.startswith("move"):
            self._answers[-1] = self._special.get(
                f"turn{self._turns}", Event("line", f"move {self._legal[0]}")
            )

    def close(self, grace: float) -> None:
        self.closed = True


def sit(game: AnyGame, starts: Sequence[Start | None], terminal: Typed, seed: int = 7) -> PersonMatch:
    seats = []
    for number, start in enumerate(starts, start=1):
        name = f"seat-{number}"
        if start is None:
            one = PERSON
            entrant = Entrant(name, one.bot, one.version, one.args, one.digest)
            seats.append(Seat(f"{number} {game.seat_names[number - 1]}", entrant))
        else:
            entrant = Entrant(name, "bot", "1", (), "0" * 64)
            seats.append(
                Seat(f"{number} {game.seat_names[number - 1]}, bot", entrant, lambda *_, start=start: start())
            )
    options = tuple(game.settings(len(starts))[1].items())
    spec = MatchSpec(game.name, options, tuple(seat.entrant for seat in seats), seed, DEFAULT_LIMITS)
    return PersonMatch(spec, game, seats, terminal)


def play(
    game: AnyGame, starts: Sequence[Start | None], *lines: str, seed: int = 7
) -> tuple[PlayedMatch, str]:
    """Play a game to its end by typed lines; return the match and the terminal's text."""
    terminal = Typed(*lines)
    played = sit(game, starts, terminal, seed).play()
    assert played is not None, terminal.text
    terminal.finish()
    assert verify(check_record(as_json(played.record)), game) == []
    return played, terminal.text


def scripts(*texts: str) -> tuple[Start, Callable[[], None]]:
    """Return a function that starts the next scripted bot, and one that asserts that all were played."""
    channels = [ScriptedChannel(text) for text in texts]
    left = iter(channels)

    def finish() -> None:
        assert next(left, None) is None
        for channel in channels:
            channel.finish()
            assert channel.closed

    return lambda: next(left), finish


def test_whole_game_gives_a_valid_record() -> None:
    """The terminal shows board, opponent's actions and result; the record has the person as an entrant."""
    played, text = play(Toe(), [None, First], "b2", "2", "c", "c1")
    assert [action for _, action in played.record.actions] == ["b2", "a1", "a3", "a2", "c1"]
    assert played.record.seats[0].bot == "person"
    assert played.record.limits.move_ms == 1000
    assert " 1   .   .   .\n 2   .   .   .\n 3   .   .   .\n     a   b   c\nseat 1\n" in text
    assert "1 Crosses: b2\n2 Noughts, bot: a1\n" in text
    assert "1 a2   2 a3   3 b1   4 b3   5 c1   6 c2   7 c3\n" in text
    assert text.endswith(
        "over after 5 actions: row\n  rank 1  1 Crosses\n  rank 2  2 Noughts, bot\nover, Enter to leave> \n"
    )


def test_invalid_input_is_asked_for_again() -> None:
    """Each invalid line gets one sentence."""
    _, text = play(Toe(), [None, First], "b9", "", "40", "b", "b2", "a3", "c1")
    assert text.count("1 Crosses> ") == 7
    for sentence in (
        "'b9' is neither a legal action nor a prefix of one; `moves` lists the 9 legal actions\n",
        "there is no number 40: `moves` lists the 9 legal actions\n",
        "'b' is the prefix of 3 legal actions: b1 b2 b3\n",
    ):
        assert text.count(sentence) == 1


def test_viewing_commands_change_nothing() -> None:
    _, text = play(
        Toe(), [None, First], "b2", "help", "moves a", "board", "position", "history", "a3", "c1", "position"
    )
    assert "1 a2   2 a3\n1 Crosses> board\n" in text
    assert "1 Crosses> position\nO../.X./... 1\n" in text
    assert "1 Crosses> history\n1 Crosses: b2\n2 Noughts, bot: a1\n" in text
    assert text.count("\n 1  [O2] .   .\n 2   .   X1  .\n") == 2  # at the turn, and for `board`
    assert "over, Enter to leave> position\nO.X/OX./X.. over\n" in text


@pytest.mark.parametrize(
    ("name", "typed", "action"),
    [("cyvasse", "King b5", "king-b5"), ("cyvasse", "king  B5", "king-b5"), ("element", "draw 1", "draw-1")],
)
def test_actions_are_taken_as_pages_write_them(name: str, typed: str, action: str) -> None:
    terminal = Typed(typed, "history", "quit")
    assert sit(find_game(name), [None, First], terminal).play() is None
    assert f": {action}\n" in terminal.text


def test_end_of_input_and_quit_leave_the_game() -> None:
    """There is no result, and no bot is left."""
    bots: list[First] = []

    def start() -> Channel:
        bots.append(First())
        return bots[-1]

    for lines in ([], ["b2"], ["b2", "quit"]):
        terminal = Typed(*lines)
        assert sit(Toe(), [None, start], terminal).play() is None
        assert terminal.text.endswith("you left the game; it has no result\n")
        terminal.finish()
    assert [bot.closed for bot in bots] == [True, True, True]


def test_undo_restarts_a_bot_with_the_remaining_actions() -> None:
    """The bot receives the remaining actions as play lines; its own kept action is not requested."""
    head = "> tourney 1\n< bot\n> game toe seats=2 seat=2 seed=* move=1000 misere=no\n< ready\n"
    start, finish = scripts(
        f"{head}> play 1 b2\n> go move=1000\n< move a1\n"
        "> play 2 a1\n> play 1 c3\n> go move=1000\n< move a3\n",
        f"{head}> play 1 b2\n> play 2 a1\n> play 1 a2\n> go move=1000\n< move c3\n"
        "> play 2 c3\n> play 1 c2\n> over 1 2 reason=row\n> quit\n",
    )
    played, text = play(Toe(), [None, start], "b2", "c3", "undo", "a2", "c2")
    finish()
    assert [action for _, action in played.record.actions] == ["b2", "a1", "a2", "c3", "c2"]
    assert "1 Crosses> undo\ntaken back\n1 Crosses: b2\n2 Noughts, bot: a1\n\n" in text


def test_undo_takes_back_at_most_all_decisions() -> None:
    _, text = play(
        Toe(), [None, First], "undo", "b2", "b3", "undo 3", "undo 2", "undo", "a1", "b2", "c3", "undo 9", ""
    )
    assert "there is no decision to take back\n" in text
    assert "2 decisions can be taken back, not 3\n" in text
    assert "3 decisions can be taken back, not 9\n" in text
    assert text.count("taken back\n") == 1


def test_undo_does_not_change_the_dice() -> None:
    """The k-th throw is the same for any actions."""
    throws = []
    for lines in (["take", "take"], ["leave", "undo", "take", "take"], ["take", "leave", "undo", "take"]):
        played, _ = play(Race(), [None, First], *lines, *["take"] * 3, *["leave"] * 10)
        throws.append([a for actor, a in played.record.actions if actor == 0])
    assert throws[0] == throws[1] == throws[2]


def test_finished_game_can_be_viewed_and_undone() -> None:
    played, text = play(Toe(), [None, First], "b2", "a3", "c1", "moves", "undo", "c3", "c2", "c1", "")
    assert "over, Enter to leave> moves\nthe game is over; type help, board, legend," in text
    assert text.count("over after ") == 2
    assert len(played.record.actions) > 5


def test_resignation_ends_a_game_of_two_and_can_be_undone() -> None:
    played, text = play(Toe(), [None, First], "b2", "resign", "undo", "resign")
    assert played.record.outcome.resigned == ((1, 2),)
    assert "  rank 2  1 Crosses (resigned)\n" in text


def test_game_of_three_continues_after_a_resignation() -> None:
    """The bots play on, and the result names the resignation."""
    played, text = play(Race(), [None, First, First], "resign")
    assert played.record.outcome.ranks[0] == 3
    assert "rank 3  1 Red (resigned)" in text
    assert text.count("1 Red> ") == 1


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Event("closed", "exit code 1"), "2 Noughts, bot: crash: exit code 1\n"),
        (Event("timeout"), "2 Noughts, bot: timeout: no answer within 1050 ms\n"),
        (Event("line", "move b2"), "2 Noughts, bot: illegal: action b2 is not legal here\n"),
        (Event("line", "hello\x1b[2J"), "2 Noughts, bot: protocol: 'hello\\x1b[2J' is not a line of"),
    ],
)
def test_failing_bot_loses_and_the_fault_is_shown(answer: Event, message: str) -> None:
    """An undo gives it another chance."""
    played, text = play(Toe(), [None, lambda: First(turn0=answer)], "b2", "undo", "b2")
    assert played.record.outcome.ranks == (1, 2)
    assert text.count(message) == 2
    assert f"  rank 2  2 Noughts, bot (fault: {played.record.outcome.faults[0][1]})\n" in text


def test_bot_that_does_not_start_loses_before_any_input() -> None:
    played, text = play(Toe(), [None, lambda: ScriptedChannel("> tourney 1\n! closed exit code 3")], "undo")
    assert played.record.outcome.faults == ((2, "startup", 0),)
    assert "2 Noughts, bot: startup: exit code 3\n" in text
    assert "there is no decision to take back" in text


def test_withdrawn_seat_stays_withdrawn_after_an_undo() -> None:
    """Its bot does not start again, and the record equals that of a match without undo."""
    starts: list[int] = []

    def failing() -> Channel:
        starts.append(1)
        return First(turn1=Event("closed", "exit code 1"))

    straight, _ = play(Race(), [None, failing, First], *["take"] * 3)
    assert straight.record.outcome.faults != ()
    assert len(starts) == 1
    undone, text = play(Race(), [None, failing, First], "take", "take", "leave", "undo", "take")
    assert undone.record == straight.record
    assert len(starts) == 2
    assert "2 Blue, bot plays no more; the referee plays random actions for it\n" in text


def test_hidden_action_is_shown_after_its_reveal() -> None:
    """The seeker sees a hidden action at once and its string at the end of the round."""
    _, text = play(Odds(), [First, None], "show-2", "show-1")
    first, rest = text.split("2 Seeker> show-2\n")
    assert "show-1" not in first.replace("1 show-1", "").replace("2 show-2", "")
    assert "1 Hider, bot: (1 hidden action)\n" in first
    assert rest.startswith("2 Seeker: show-2\n1 Hider, bot opens: show-1\n1 Hider, bot: (1 hidden action)\n")
    assert "last: show-1" not in first


def test_two_persons_share_a_terminal() -> None:
    """Each sees the board of its own seat; games with hidden actions hand the screen over."""
    played, text = play(Odds(), [None, None], "show-3", "show-2", "undo", "show-1", "show-2", "show-2")
    assert text.count("-- 2 Seeker sits down --\n") == 3
    assert text.count("-- 1 Hider sits down --\n") == 2
    assert [action for _, action in played.record.actions] == ["show-3", "show-1", "show-2", "show-2"]
    first = text.split("-- 2 Seeker sits down --\n")[1].split("2 Seeker> ")[0]
    assert "3" not in first.replace("3 show-3", "")
    _, text = play(Toe(), [None, None], "a1", "b1", "a2", "b2", "a3")
    assert "sits down" not in text


def test_completion_offers_legal_actions_and_commands() -> None:
    terminal = Typed("b2")
    sit(Toe(), [None, First], terminal).play()
    assert set(terminal.offered[0]) >= {"a1", "b2", "c3", "moves", "undo", "quit"}
    assert "b2" not in terminal.offered[1]


TYPED = st.lists(
    st.sampled_from(["take", "leave", "undo", "undo 2", "undo 3", "resign", "history", "x", "moves"]),
    max_size=14,
)


@settings(max_examples=60, deadline=None)
@given(TYPED, st.integers(0, 3), st.booleans())
def test_record_depends_only_on_remaining_decisions(lines: list[str], fails: int, two: bool) -> None:
    """Decisions that were taken back leave no trace, also with a failing bot."""

    def starts() -> list[Start | None]:
        bad = {f"turn{fails}": Event("closed", "gone")}
        return [None, lambda: First(**bad), None if two else First]

    fill = ["take"] * 30
    terminal = Typed(*lines, *fill)
    session = sit(Race(), starts(), terminal)
    played = session.play()
    assert played is not None
    decided = [d.event.text for d in session._decisions if d.seat in session._persons]
    again = Typed(*(text.removeprefix("move ") for text in decided))
    straight = sit(Race(), starts(), again).play()
    assert straight is not None
    assert played.record == straight.record
    assert verify(played.record, Race()) == []


FAR = 10**18
HELLO = """
> tourney 1
< bot wants=position,legal
> game toe seats=2 seat=2 seed=1
< ready
"""


def hear(channel: ReplayChannel) -> Event:
    """The next event; a time-out is final, as for a referee whose patience has ended."""
    event = channel.wait(FAR)
    return channel.time_out(event) if event.kind == "timeout" else event


def greet(channel: ReplayChannel) -> None:
    for line, answer in ((b"tourney 1\n", "bot"), (b"game toe seats=2 seat=2 seed=1\n", "ready")):
        assert not channel.pending()
        channel.request(line)
        event = hear(channel)
        assert (event.kind, event.text.split(" ")[0]) == ("line", answer)


def ask(channel: ReplayChannel, *lines: str) -> Event:
    channel.request("".join(f"{line}\n" for line in lines).encode("ascii"))
    return hear(channel)


def test_bot_receives_kept_actions_without_requests() -> None:
    """It receives no view or legal actions for a kept turn; later turns are normal requests."""
    bot = ScriptedChannel(f"""{HELLO}
> play 1 a
> play 2 b
> play 1 c
> position P
> legal d e
> go move=1
< info thinking
< move d
""")
    noted: list[Event] = []
    channel = ReplayChannel(bot, [Event("line", "move b")], noted.append)
    greet(channel)
    assert ask(channel, "play 1 a", "position X", "legal b c", "go move=1") == Event("line", "move b")
    assert (
        ask(channel, "play 2 b", "play 1 c", "position P", "legal d e", "go move=1").text == "info thinking"
    )
    assert channel.wait(FAR) == Event("line", "move d")
    bot.finish()
    assert [event.text for event in noted] == ["move b", "move d"]


def test_withdrawn_seat_is_not_started_again() -> None:
    """Its answers and its end are kept; the channel makes up the greeting."""
    gone = Event("closed", "exit code 1")
    noted: list[Event] = []
    channel = ReplayChannel(FailedChannel("the seat has left"), [Event("line", "move b"), gone], noted.append)
    greet(channel)
    assert ask(channel, "go") == Event("line", "move b")
    assert ask(channel, "play 1 c", "go") == gone
    channel.send(b"over 1 2\n")
    channel.close(0)
    assert noted == [Event("line", "move b"), gone]


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        ("> tourney 1\n! closed exit code 3", "closed"),
        ("> tourney 1\n< bot\n> game toe seats=2 seat=2 seed=1\n! timeout", "timeout"),
        ("> tourney 1\n< hello", "malformed"),
    ],
)
def test_failed_restart_is_a_fault_at_the_next_request(script: str, kind: str) -> None:
    """Its kept actions stay valid, and so do the answers to them."""
    noted: list[Event] = []
    channel = ReplayChannel(ScriptedChannel(script), [Event("line", "move b")], noted.append)
    greet(channel)
    assert noted == []
    assert ask(channel, "go") == Event("line", "move b")
    assert ask(channel, "go").kind == kind
    assert [event.kind for event in noted] == ["line", kind]


def test_output_out_of_turn_is_kept_as_a_fault() -> None:
    """It is replayed as a fault, not as a move."""
    noted: list[Event] = []
    bot = ScriptedChannel(f"{HELLO}\n> go\n< move a\n< info late\n< move b")
    channel = ReplayChannel(bot, [], noted.append)
    greet(channel)
    assert ask(channel, "go").text == "move a"
    assert [event.text for event in channel.pending()] == ["info late", "move b"]
    assert [(event.kind, event.text) for event in noted] == [
        ("line", "move a"),
        ("malformed", "spoke out of turn: 'move b'"),
    ]


def test_exit_before_the_first_turn_is_kept() -> None:
    noted: list[Event] = []
    channel = ReplayChannel(ScriptedChannel(f"{HELLO}\n! closed exit code 3"), [], noted.append)
    greet(channel)
    assert [event.kind for event in channel.pending()] == ["closed"]
    assert noted == [Event("closed", "exit code 3")]


def test_failed_start_without_kept_decisions_is_reported_at_once() -> None:
    """It is not a decision."""
    noted: list[Event] = []
    channel = ReplayChannel(ScriptedChannel("> tourney 1\n! closed exit code 3"), [], noted.append)
    channel.request(b"tourney 1\n")
    assert channel.wait(FAR) == Event("closed", "exit code 3")
    assert noted == []


def test_time_out_is_noted_once_it_is_final() -> None:
    """The referee waits a second time after the grace, or after the bot had no processor."""
    noted: list[Event] = []
    clock = ScriptClock()
    bot = ScriptedChannel(f"{HELLO}\n> go\n+ 30\n< move a\n> play 2 a\n> go\n! timeout", clock=clock)
    channel = ReplayChannel(bot, [], noted.append)
    greet(channel)
    channel.request(b"go\n")
    assert channel.wait(clock() + 10 * MS) == Event("timeout")
    assert channel.wait(clock() + 30 * MS) == Event("line", "move a")
    channel.request(b"play 2 a\ngo\n")
    assert channel.wait(clock() + MS) == Event("timeout")
    assert noted == [Event("line", "move a")]
    assert channel.time_out(Event("timeout", "words")) == Event("timeout", "words")
    assert noted[1:] == [Event("timeout", "words")]


@pytest.mark.parametrize(
    ("kept", "rest", "fault"),
    [
        ((), "> over 2 1 reason=fault", (1, "startup", 0)),
        (
            (Event("line", "move a1"),),
            "> play 1 a1\n> go\n< move b1\n> play 2 b1\n> over 2 1 reason=fault",
            (1, "timeout", 2),
        ),
    ],
)
def test_bot_beside_one_that_hangs_starts_in_time(
    kept: tuple[Event, ...], rest: str, fault: tuple[int, str, int]
) -> None:
    """Its lines came in time, although the hanging one has the first seat; with kept decisions too."""
    clock = ScriptClock()
    hanging = ScriptedChannel("> tourney 1\n! timeout", clock=clock)
    game = "> game toe seats=2 seat=2 seed=* misere=no"
    prompt = ScriptedChannel(f"> tourney 1\n+ 3\n< bot\n{game}\n+ 3\n< ready\n{rest}", clock=clock)
    noted: list[Event] = []
    players = [Player(ReplayChannel(hanging, kept, noted.append)), Player(ReplayChannel(prompt, [], print))]
    limits = Limits(move_ms=None, margin_ms=0, startup_ms=100)
    played = play_match(make_spec(limits=limits), Toe(), players, clock=clock)
    prompt.finish()
    assert played.outcome.faults == (fault,)
    assert noted == [*kept, *([Event("timeout")] if kept else [])]
