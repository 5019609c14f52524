"""Analyses: planted blunders are found, bad luck is not, and equal analyses are equal bytes."""

from collections.abc import Iterator

import pytest
from msgspec import structs

from tests.support.piped import Output, Stage, polite
from tests.support.records import as_json, digested
from tests.support.sessions import BOT, SessionChannel, Thrower, analyzed, record_of, searching
from tests.support.tables import make_spec
from tests.support.tournaments import refused
from tourney.bot.session import Choose
from tourney.bot.turn import Turn
from tourney.bots.channel.interface import Event
from tourney.errors import InputError
from tourney.games.base import AnyState
from tourney.games.registry import find_game
from tourney.match.analysis import Analyser, Analysis, ValuedTurn, analysis_of, guide_of
from tourney.match.evidence import POINT, draws
from tourney.match.guided_channel import GuidedChannel
from tourney.match.play import play_match
from tourney.match.player import Player
from tourney.match.record import Outcome, Record, check_record, make_record
from tourney.match.result import PlayedMatch
from tourney.match.spec import Limits, Opening

STONES = (("stones", "3"),)


@pytest.mark.parametrize(
    ("game", "seed", "won"),
    [
        ("cyvasse", 3, 0.4),
        ("element", 6, 0.6),
        ("sage-stones", 41, 0.3),
        ("sages-tafl", 1, 0.4),
        ("seven-sages", 5, 0.4),
    ],
)
def test_thrown_game_is_marked_at_its_action(game: str, seed: int, won: float) -> None:
    """The only blunder of the seat is the action by which it threw a game that was won."""
    thrower = Thrower(20, won)
    record = record_of(game, [thrower, searching(1)], seed, STONES if game == "sage-stones" else ())
    analysis = analyzed(record, lambda: searching(50))
    blunders = [point for point in analysis.marked if point.seat == 1 and point.mark == "blunder"]
    assert [point.ply for point in blunders] == [thrower.ply]
    assert blunders[0].best != record.actions[blunders[0].ply][1]
    assert blunders[0].line[0] == blunders[0].best
    assert blunders[0].sign == "??"
    assert (analysis.accuracy(1) or 0) < 98
    assert analysis.marks_of(1)["blunder"] == 1


def valuing(*values: float, best: str | None = None) -> Choose:
    """A bot that says these chances turn by turn, and plays its first legal action or ``best``."""
    said: Iterator[float] = iter(values)

    def choose(_state: AnyState, turn: Turn) -> object:
        turn.info(win=next(said))
        return best if best in turn.legal else turn.legal[0]

    return choose


def first(_state: AnyState, turn: Turn) -> object:
    return turn.legal[0]


@pytest.fixture(scope="module")
def stones() -> Record:
    """A match of Sage Stones, whose dice fall between all actions."""
    return record_of("sage-stones", [first, first], 3, STONES)


def losses(analysis: Analysis) -> list[int | None]:
    return [point.loss for point in analysis.points]


def test_luck_of_dice_is_not_a_loss() -> None:
    """The values that the bot says change by the dice alone, as the game values them."""
    record = record_of("sage-stones", [first, first], 3, STONES)
    lucks = {draw.ply: draw.luck for draw in draws(record, find_game(record.game))}

    def choose(_state: AnyState, turn: Turn) -> object:
        luck = sum(luck[turn.seat - 1] for ply, luck in lucks.items() if ply < len(turn.match.history))
        turn.info(win=f"{min(max(0.5 + luck / POINT, 0), 1):.9f}")
        return turn.legal[-1]

    analysis = analyzed(record, lambda: choose)
    values = [point.chance for point in analysis.points]
    assert 0 < min(values) < max(values) - 100 < 900
    # Behind the last action is the result, which is not luck.
    assert max(loss for loss in losses(analysis)[:-1] if loss is not None) <= 2  # of rounding


def test_the_bots_own_choice_and_forced_actions_lose_nothing() -> None:
    record = record_of("sages-tafl", [first, first], 1)
    falling = [0.9] * len(record.actions)
    analysis = analyzed(record, lambda: valuing(*falling))
    assert set(losses(analysis)) == {0}


def test_loss_is_the_fall_of_the_movers_chance() -> None:
    record = record_of("sages-tafl", [first, first], 1)

    def other(_state: AnyState, turn: Turn) -> object:
        turn.info(win=0.75 if len(turn.match.history) == 2 else 0.5)
        return turn.legal[-1]

    analysis = analyzed(record, lambda: other)
    found = {point.ply: (point.value, point.loss, point.mark) for point in analysis.points}
    assert found[0] == (500, 0, None)
    assert found[1] == (500, 250, "blunder")
    assert found[2] == (750, 250, "blunder")
    assert [point.chance for point in analysis.points[:3]] == [500, 500, 750]


def even(_state: AnyState, turn: Turn) -> object:
    turn.info(win=0.5)
    return turn.legal[-1]


def test_nothing_is_marked_while_actions_are_hidden() -> None:
    record = record_of("cyvasse", [first, first], 1)
    hidden = [ply for ply, (_, text) in enumerate(record.actions) if text.startswith("put-")]
    analysis = analyzed(record, lambda: even)
    known = {point.ply: point.loss for point in analysis.points}
    assert hidden
    assert [known[ply] for ply in hidden[:-1]] == [None] * (len(hidden) - 1)
    assert any(loss is not None for ply, loss in known.items() if ply > hidden[-1])


def test_three_seats_have_values_without_losses() -> None:
    record = record_of("sage-stones", [first, first, first], 1, STONES)
    analysis = analyzed(record, lambda: searching(1))
    assert analysis.points
    assert set(losses(analysis)) == {None}
    assert analysis.accuracy(1) is None


def test_match_that_was_resigned_is_valued_to_its_end() -> None:
    record = record_of("sages-tafl", [Thrower(20, 0.4), searching(1)], 3)
    assert record.outcome.reason == "resign"
    analysis = analyzed(record, lambda: searching(5))
    assert analysis.points[-1].ply == len(record.actions)
    assert analysis.points[-1].loss is None
    assert analysis.points[-2].loss is not None


def test_equal_analyses_are_equal_bytes(stones: Record) -> None:
    one, two = (analyzed(stones, lambda: searching(5)) for _ in range(2))
    assert one.encode() == two.encode()


def test_key_depends_on_bot_arguments_and_limits() -> None:
    made = [
        Analyser(BOT, Limits(nodes=10)),
        Analyser(BOT, Limits(nodes=11)),
        Analyser(BOT, Limits(move_ms=10)),
        Analyser(structs.replace(BOT, args=("--deep",)), Limits(nodes=10)),
        Analyser(structs.replace(BOT, digest="8" * 64), Limits(nodes=10)),
    ]
    assert len({one.key for one in made}) == len(made)
    assert made[0].key == Analyser(structs.replace(BOT, name="other"), Limits(nodes=10)).key
    assert [one.reproducible for one in made] == [True, True, False, True, True]
    assert made[2].label == "reference, 10 ms per action"


def test_bot_without_values_and_forged_dice_are_refused(stones: Record) -> None:
    with refused(InputError, "says no value of positions: it must print `info win=`"):
        analyzed(stones, lambda: first)
    forged = check_record(digested(as_json(stones) | {"seed": "1000"}))
    with refused(InputError, "do not follow from its seed"):
        analyzed(forged, lambda: searching(1))


def test_bot_that_fails_is_named(stones: Record) -> None:
    class Broken(SessionChannel):
        def wait(self, deadline: int) -> Event:
            event = super().wait(deadline)
            return Event("line", "perhaps a") if event.text.startswith("move") else event

    analyser = Analyser(BOT, Limits(nodes=1))
    players = [Player(GuidedChannel(Broken(first), guide_of(stones))) for _ in stones.seats]
    played = play_match(analyser.spec(stones), find_game(stones.game), players)
    with refused(InputError, "reference failed (protocol) after", "perhaps"):
        analysis_of(stones, played, analyser)
    outcome = structs.replace(played.outcome, faults=((1, "startup", 0),))
    silent = PlayedMatch(structs.replace(played.record, outcome=outcome), played.log)
    with refused(InputError, "reference failed (startup) after 0 actions", "as uci:stockfish"):
        analysis_of(stones, silent, analyser)


def test_marks_have_lichess_bounds() -> None:
    marks = [ValuedTurn(0, 1, 900, "a", ("a",), loss).mark for loss in (None, 49, 50, 99, 100, 149, 150)]
    assert marks == [None, None, "inaccuracy", "inaccuracy", "mistake", "mistake", "blunder"]


def test_reference_bots_spelling_is_the_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that writes castling as king takes rook chose the action that was played."""
    start = "=4k3/8/8/8/8/8/8/R3K2R_w_KQ_-_0_1"
    spec = make_spec("chess", opening=Opening(actions=(start,)))
    actions = ((1, start), (1, "e1g1"))
    outcome = Outcome((1, 2), "resign", (), ((2, 2),))
    record = make_record(spec, "1", actions, outcome)
    reference = Analyser(spec.seats[0], Limits(nodes=9))
    with Stage(monkeypatch) as stage:
        bot = polite(tourney=[Output(0, b"bot\n")], go=[Output(0, b"info win=0.6 pv=O-O\nmove O-O\n")])
        players = [Player(GuidedChannel(stage.bot(bot), guide_of(record))) for _ in range(2)]
        match = play_match(reference.spec(record), find_game("chess"), players, clock=stage.clock)
    point = analysis_of(record, match, reference).points[0]
    assert (point.best, point.line, point.loss) == ("e1g1", ("e1g1",), 0)
