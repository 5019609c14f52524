"""The referee: openings, retries, refusals and errors of broken games."""

from itertools import permutations
from typing import Any

import pytest

from tests.support.genuine import late_opening
from tests.support.tables import HELLO, ODDS, RACE, TOE, make_spec, notes, outcome, play_scripts
from tests.support.toys import Toe
from tourney.check.record import verify
from tourney.errors import GameError, OptionError, TournamentError
from tourney.games.base import OVER
from tourney.games.registry import find_game
from tourney.match.record import FaultKind, make_record
from tourney.match.referee import Referee
from tourney.match.spec import DEFAULT_LIMITS, Opening
from tourney.seeds import derive, pick, uniform


def sampled_by_hand(seed: int, plies: int) -> tuple[int, list[str]]:
    """Sample a toe opening by the documented formula, without the referee: attempt and actions."""
    for attempt in range(100):
        state, actions = TOE.new(), []
        for j in range(plies):
            if state.actor == OVER:
                break
            legal = state.legal_actions()
            action = legal[uniform(derive(seed, "opening", attempt, j), len(legal))]
            actions.append(TOE.action_string(action))
            state = state.play(action)
        if len(actions) == plies and state.actor != OVER:
            return attempt, actions
    raise AssertionError("no opening in a hundred attempts")


@pytest.mark.parametrize("seed", range(12))
def test_sampled_opening_follows_from_the_seed(seed: int) -> None:
    """Attempt and number give each action; a game that ends in its opening is sampled again."""
    _, actions = sampled_by_hand(seed, 7)
    referee = Referee(make_spec(seed=seed, opening=Opening(plies=7)), TOE)
    referee.begin()
    assert [action for _, action in referee.actions] == actions
    assert referee.turn == 2


def test_some_openings_are_sampled_again() -> None:
    """The test above includes retries."""
    assert any(sampled_by_hand(seed, 7)[0] > 0 for seed in range(12))


def test_dice_inside_an_opening_count_as_chance_samples() -> None:
    """Dice are not plies of the opening, but later dice are numbered after them."""
    spec = make_spec("race", seed=3, opening=Opening(plies=2))
    referee = Referee(spec, RACE)
    referee.begin()
    rolls = [f"roll-{1 + uniform(derive(3, 'chance', k), 3) // 2}" for k in range(3)]
    picks = [["leave", "take"][uniform(derive(3, "opening", 0, j), 2)] for j in range(2)]
    assert referee.actions == [(0, rolls[0]), (1, picks[0]), (0, rolls[1]), (2, picks[1]), (0, rolls[2])]
    later = []
    for text in ("leave", "leave"):
        referee.act(text)
        later.append(referee.actions[-1])
    assert later == [(0, f"roll-{1 + uniform(derive(3, 'chance', k), 3) // 2}") for k in (3, 4)]


def test_opening_longer_than_any_game_is_refused() -> None:
    """Nine plies always end noughts and crosses: the referee raises an error and does not search forever."""
    referee = Referee(make_spec(opening=Opening(plies=9)), TOE)
    with pytest.raises(TournamentError, match="9 opening plies"):
        referee.begin()


def test_openings_that_their_dice_end_have_other_dice_at_last() -> None:
    """Attempts from the thousandth on draw dice by their number; later dice go on as ever."""
    record = late_opening()
    rolls = [action for actor, action in record.actions if actor == 0]
    state = find_game("sage-stones").new(2, {"stones": "3"})

    def drawn(*labels: int) -> str:
        outcome = pick(derive(3, "chance", *labels), state.legal_actions(), state.chance_weights())
        return find_game("sage-stones").action_string(outcome)

    seats = [n for n, (actor, _) in enumerate(record.actions) if actor]
    inside = sum(actor == 0 for actor, _ in record.actions[: seats[4]])
    assert rolls[:inside] == [drawn(1000, k) for k in range(inside)] != [drawn(k) for k in range(inside)]
    assert rolls[inside:] == [drawn(k) for k in range(inside, len(rolls))]
    assert verify(record) == []


def test_sampled_opening_is_refused_with_hidden_actions() -> None:
    """It would reveal the sampled actions, or hide them from their own seat."""
    with pytest.raises(TournamentError, match="hidden"):
        Referee(make_spec("odds", opening=Opening(plies=1)), ODDS)


@pytest.mark.parametrize(
    ("actions", "why"),
    [
        (("a1", "a1"), "action 2 of the opening, a1,"),
        (("zz",), "action 1 of the opening, zz,"),
        (("a1", "b1", "a2", "b2", "a3"), "over after the opening"),
        (("a1", "b1", "a2", "b2", "a3", "c3"), "action 6"),
    ],
)
def test_bad_book_is_refused(actions: tuple[str, ...], why: str) -> None:
    """A book that does not fit is the operator's error; the error names the action."""
    referee = Referee(make_spec(opening=Opening(actions=actions)), TOE)
    with pytest.raises(TournamentError, match=why):
        referee.begin()


def test_options_get_defaults_and_are_checked() -> None:
    """The record names every option; an unknown option is refused before any bot starts."""
    assert Referee(make_spec(), TOE).spec.options == (("misere", "no"),)
    with pytest.raises(OptionError, match="no option size"):
        Referee(make_spec(options=(("size", "4"),)), TOE)
    with pytest.raises(OptionError, match="seats"):
        Referee(make_spec(seats=3), TOE)


def test_startup_fault_leaves_the_opening_unplayed() -> None:
    """One of two seats is left, so the match ends before its opening."""
    referee = Referee(make_spec(opening=Opening(plies=4)), TOE)
    referee.begin([2])
    assert referee.actions == []
    assert referee.outcome is not None
    assert referee.outcome.ranks == (1, 2)


class Endless(Toe):
    """A game that is longer than its own bound."""

    name = "endless"
    max_actions = 3


def test_endless_game_is_an_error_and_no_loss() -> None:
    """A game beyond its bound on actions raises an error that names it; there is no result."""
    referee = Referee(make_spec("endless"), Endless())
    referee.begin()
    for text in ("a1", "b1", "c1"):
        assert referee.act(text) == ""
    with pytest.raises(GameError, match="endless goes on beyond 3 actions"):
        referee.act("a2")


def test_request_beyond_the_protocol_limit_is_a_game_error() -> None:
    """The referee sends no part of a legal line over 1 MiB."""

    class Wide(Toe):
        def action_string(self, action: Any) -> str:
            return "x" * 200_000

    referee = Referee(make_spec(limits=DEFAULT_LIMITS), Wide())
    referee.want(1, position=False, legal=True)
    referee.begin()
    with pytest.raises(GameError, match="legal"):
        referee.request(1)


# -- games of three and four seats: withdrawals, the referee's substitute, and ranks -----------------------


SEED = 11
START = HELLO + "> game race seats=3 seat=* seed=*\n< ready\n"
# By hand: weights 2 and 1 for roll-1 and roll-2; two actions, leave and take, sorted.
ROLLS = [f"roll-{1 + uniform(derive(SEED, 'chance', k), 3) // 2}" for k in range(20)]


def substitute(seat: int, j: int) -> str:
    return ["leave", "take"][uniform(derive(SEED, "substitute", seat, j), 2)]


def test_referee_plays_a_withdrawn_seat() -> None:
    """The others receive ``withdrawn``, then that seat's actions, which come from the seed."""
    first, again = substitute(2, 0), substitute(2, 1)
    played = play_scripts(
        make_spec("race", 3, seed=SEED),
        START
        + f"""
        > play 0 {ROLLS[0]}
        > go
        < move leave
        > play 1 leave
        > play 0 {ROLLS[1]}
        > withdrawn 2
        > play 2 {first}
        > play 0 {ROLLS[2]}
        > play 3 leave
        > play 0 {ROLLS[3]}
        > go
        < move leave
        > play 1 leave
        > play 0 {ROLLS[4]}
        > play 2 {again}
        > play 0 {ROLLS[5]}
        > withdrawn 3
        > over 1 3 2 reason=fault
        """,
        START
        + f"""
        > play 0 {ROLLS[0]}
        > play 1 leave
        > play 0 {ROLLS[1]}
        > go
        < move run
        """,
        START
        + f"""
        > play 0 {ROLLS[0]}
        > play 1 leave
        > play 0 {ROLLS[1]}
        > withdrawn 2
        > play 2 {first}
        > play 0 {ROLLS[2]}
        > go
        < move leave
        > play 3 leave
        > play 0 {ROLLS[3]}
        > play 1 leave
        > play 0 {ROLLS[4]}
        > play 2 {again}
        > play 0 {ROLLS[5]}
        > go
        ! timeout
        """,
    )
    assert outcome(played) == {
        "ranks": [1, 3, 2],
        "reason": "fault",
        "faults": [[2, "illegal", 3], [3, "timeout", 11]],
    }
    assert notes(played)[0].startswith("3 2 illegal")
    assert [seconds is None for seconds in played.measured.times_ms] == [
        *(True, False, True, True, True, False, True, False, True, True, True),
    ]
    assert verify(played.record, RACE) == []


def test_resigned_seat_still_receives_the_game() -> None:
    """Resigning is a withdrawal without a fault; the seat receives all lines but ``go``."""
    lines = f"""
        > play 0 {ROLLS[0]}
        > withdrawn 1
        > play 1 {substitute(1, 0)}
        > play 0 {ROLLS[1]}
        """
    ending = "> withdrawn 2\n> over 3 2 1 reason=resign"
    played = play_scripts(
        make_spec("race", 3, seed=SEED),
        START
        + f"> play 0 {ROLLS[0]}\n> go\n< resign\n> withdrawn 1\n"
        + lines.partition("withdrawn 1\n")[2]
        + ending,
        START + lines + "> go\n< resign\n" + ending,
        START + lines + ending,
    )
    assert outcome(played) == {
        "ranks": [3, 2, 1],
        "reason": "resign",
        "faults": [],
        "resigned": [[1, 1], [2, 3]],
    }
    assert verify(played.record, RACE) == []


def test_start_up_faults_are_judged_in_seat_order() -> None:
    """Failed seats are withdrawn in seat order before the first action; the last one left wins."""
    played = play_scripts(
        make_spec("race", 3, seed=SEED),
        HELLO + "> game race seats=3 seat=1 seed=*\n! timeout",
        START + "> withdrawn 1\n> withdrawn 3\n> over 3 1 2 reason=fault",
        "> tourney 1\n! closed gone",
    )
    assert outcome(played) == {
        "ranks": [3, 1, 2],
        "reason": "fault",
        "faults": [[1, "startup", 0], [3, "startup", 0]],
    }
    assert verify(played.record, RACE) == []


def test_failed_start_of_one_of_three_is_a_withdrawal() -> None:
    """The referee plays that seat."""
    lines = START + f"> withdrawn 1\n> play 0 {ROLLS[0]}\n> play 1 {substitute(1, 0)}\n> play 0 {ROLLS[1]}\n"
    ending = "> withdrawn 2\n> over 3 2 1 reason=resign"
    played = play_scripts(
        make_spec("race", 3, seed=SEED),
        "> tourney 1\n! closed gone",
        lines + "> go\n< resign\n" + ending,
        lines + ending,
    )
    assert played.record.actions[1] == (1, substitute(1, 0))


def test_match_is_void_if_all_three_fail() -> None:
    """A seat cannot win by failing last."""
    played = play_scripts(make_spec("race", 3), *["> tourney 1\n! timeout"] * 3)
    assert outcome(played)["ranks"] == [1, 1, 1]
    assert outcome(played)["faults"] == [[seat, "startup", 0] for seat in (1, 2, 3)]


@pytest.mark.parametrize("order", list(permutations((1, 2, 3, 4)))[::5])
def test_later_withdrawal_gives_a_better_rank(order: tuple[int, ...]) -> None:
    """For any order of withdrawals: the remaining seat is first, the first to leave is last."""
    game = find_game("sage-stones")
    referee = Referee(make_spec("sage-stones", 4), game)
    referee.begin()
    leaving = list(order[:3])
    kinds: list[FaultKind] = ["timeout", "crash", "protocol"]
    while seat := referee.turn:
        if leaving and seat == leaving[0]:
            leaving.pop(0)
            if len(leaving) == 1:
                referee.resign()
            else:
                referee.fault(kinds[len(leaving)])
        else:
            first = referee.state.legal_actions()[0]
            assert referee.act(game.action_string(first)) == ""
    assert referee.outcome is not None
    ranks = dict(zip(order, (4, 3, 2, 1), strict=True))
    assert referee.outcome.ranks == tuple(ranks[seat] for seat in (1, 2, 3, 4))
    record = make_record(referee.spec, game.rules, referee.actions, referee.outcome)
    assert verify(record) == []


def test_game_that_ends_ranks_withdrawn_seats_last() -> None:
    """A withdrawn seat ranks behind all that stayed, for any score of its substitute."""
    referee = Referee(make_spec("race", 3, seed=SEED), RACE)
    referee.begin()
    referee.fault("timeout")
    while referee.turn:
        referee.act("leave")
    assert referee.outcome is not None
    assert referee.outcome.reason in {"arrived", "tired"}
    points = getattr(referee.state, "points")  # noqa: B009 - a toy's own attribute
    if referee.outcome.reason == "arrived":
        assert points[0] >= 4
    assert points[1:] == (0, 0)
    assert referee.outcome.ranks == (3, 1, 1)


class Fragile(Toe):
    """A plugin's game whose parser fails on a text that is not a square."""

    def parse_action(self, text: str) -> int:
        return "abc".index(text[0]) + 3 * "123".index(text[1])


def test_bot_cannot_break_a_game_by_a_text_that_is_no_action() -> None:
    """A match of a broken game has no result, so a bot that is losing could send such a text."""
    referee = Referee(make_spec(), Fragile())
    referee.begin()
    assert referee.act("b2") == ""
    assert referee.act("z9") == "action 'z9' is not legal here, and the game fails to read it"
    assert referee.outcome is not None
    assert referee.outcome.seat_faults == (None, "illegal")
    assert referee.outcome.ranks == (1, 2)


def test_game_that_fails_on_a_legal_action_is_broken() -> None:
    class Broken(Fragile):
        def parse_action(self, text: str) -> int:
            raise ZeroDivisionError

    referee = Referee(make_spec(), Broken())
    referee.begin()
    with pytest.raises(ZeroDivisionError):
        referee.act("b2")


PROMOTION = Opening(actions=("=8/P7/8/8/7k/8/8/K7_w_-_-_0_1",))


def test_spelling_of_a_bot_is_canonical_in_the_record_and_strict_there() -> None:
    """A record with another spelling is not correct, because each game has one record."""
    chess = find_game("chess")
    spec = make_spec("chess", opening=PROMOTION, limits=DEFAULT_LIMITS)
    referee = Referee(spec, chess, lenient=True)
    referee.begin()
    assert referee.act("a7a8Q") == ""
    assert referee.actions[-1] == (1, "a7a8q")
    referee.resign()
    assert referee.outcome is not None
    record = make_record(referee.spec, chess.rules, referee.actions, referee.outcome)
    assert verify(record, chess) == []
    spelled = [*referee.actions[:-1], (1, "a7a8Q")]
    (finding,) = verify(make_record(referee.spec, chess.rules, spelled, referee.outcome), chess)
    assert "a7a8Q" in str(finding)
    strict = Referee(spec, chess)
    strict.begin()
    assert "a7a8Q" in strict.act("a7a8Q")


def test_games_of_one_spelling_stay_strict() -> None:
    referee = Referee(make_spec(), TOE, lenient=True)
    referee.begin()
    assert "not a square" in referee.act("B2")


def test_no_bot_sets_a_position_up() -> None:
    chess = find_game("chess")
    referee = Referee(make_spec("chess", limits=DEFAULT_LIMITS), chess, lenient=True)
    referee.begin()
    assert "not legal" in referee.act("=8/P7/8/8/7k/8/8/K7_w_-_-_0_1")
