"""Verify finds every change of a record and names its first wrong action."""

import copy
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from tests.report.film import golden, random_record
from tests.support.addons import needing
from tests.support.records import as_json, digested
from tests.support.tables import RACE, TOE, make_spec, toy
from tourney.bots.channel.interface import Channel, Event
from tourney.check import record as reruns
from tourney.check.named_seeds import RandomChannel, random_spec
from tourney.check.record import Finding, compare, rerun, verify, verify_data, written_actions
from tourney.errors import CheckError, GameError, RecordError
from tourney.games.base import AnyGame
from tourney.games.cyvasse.board import NAME_OF
from tourney.games.registry import GAMES, find_game
from tourney.match.play import play_match
from tourney.match.player import Player
from tourney.match.record import Outcome, Record, check_record
from tourney.match.referee import Referee
from tourney.match.result import PlayedMatch
from tourney.match.runner import MatchRunner
from tourney.match.spec import Entrant, Limits, MatchSpec, Opening

Json = dict[str, Any]


def play_drawn(spec: MatchSpec, game: AnyGame) -> Record:
    players = [Player(RandomChannel()) for _ in spec.seats]
    return play_match(spec, game, players).record


@cache
def stones() -> Json:
    """Return a match with dice, four seats and an opening."""
    spec = random_spec("sage-stones", 4, seed=5, opening=Opening(plies=3))
    return as_json(play_drawn(spec, find_game("sage-stones")))


@cache
def withdrawn() -> Json:
    """Return a race of three seats with a fault and a resignation."""
    from tourney.match.record import make_record

    referee = Referee(make_spec("race", 3, seed=11), RACE)
    referee.begin()
    referee.act("leave")
    referee.fault("timeout")
    referee.act("leave")
    referee.act("take")
    referee.resign()
    assert referee.outcome is not None
    return as_json(make_record(referee.spec, RACE.rules, referee.actions, referee.outcome))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("game", ["toe", "race", "odds"])
def test_played_matches_verify_data(game: str, seed: int) -> None:
    """The matches include chance, hidden actions and openings."""
    from tests.support.tables import GAMES

    opening = Opening(plies=2) if game != "odds" else Opening()
    spec = make_spec(game, seed=seed, opening=opening)
    assert verify(play_drawn(spec, GAMES[game]), GAMES[game]) == []


def test_records_with_withdrawals_verify_data() -> None:
    """The substitute's actions and the ranks follow from the seed and the faults."""
    assert withdrawn()["outcome"]["faults"]
    assert withdrawn()["outcome"]["resigned"]
    assert verify_data(withdrawn(), RACE) == []
    assert verify_data(stones()) == []


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_changed_action_is_found_despite_new_digest(data: st.DataObject) -> None:
    """For dice, an opening and a moved action: the finding names an action no later than the change."""
    record = copy.deepcopy(stones())
    actions = record["actions"]
    place = data.draw(st.integers(0, len(actions) - 1))
    other = data.draw(st.sampled_from([a for a in actions if a != actions[place]]))
    actions[place] = other
    assert str(verify_data(record)[0]).startswith("its content has the digest")
    findings = verify_data(digested(record))
    drawn = actions[place][0] == 0 or place < 8
    if findings:
        assert len(findings) == 1
        assert findings[0].action is None or findings[0].action >= place + 1
    else:
        assert not drawn


@pytest.mark.parametrize("place", range(len(withdrawn()["actions"])))
def test_every_sampled_action_is_checked_against_the_seed(place: int) -> None:
    """The finding has the number of the changed action, of chance or of the referee's substitute."""
    record = copy.deepcopy(withdrawn())
    actor, action = record["actions"][place]
    swap = {"leave": "take", "take": "leave", "roll-1": "roll-2", "roll-2": "roll-1"}
    record["actions"][place][1] = swap[action]
    findings = verify_data(digested(record), RACE)
    if actor == 0:
        assert findings[0].action == place + 1
        assert "the dice of the seed are" in findings[0].text
    elif actor == 2:
        assert findings == [
            Finding(f"the seed gives seat 2 {action}; the record has seat 2 with {swap[action]}", place + 1)
        ]


def change(record: Json, **outcome: Any) -> Json:
    made = copy.deepcopy(record)
    made["outcome"].update(outcome)
    return digested(made)


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        ({"ranks": [1, 2, 3]}, "outcome: ranks says [1, 2, 3], but [1, 3, 2] follows"),
        ({"reason": "fault"}, "outcome: reason says fault, but resign follows"),
        ({"faults": [[2, "timeout", 2]]}, "action 12: the record ends, but seat 3"),
        ({"faults": []}, "action 12: the record ends, but seat 3"),
        ({"faults": [[3, "timeout", 5]]}, "outcome withdraws a seat twice"),
        ({"faults": [[2, "crash", 3]]}, ""),
        ({"faults": [[2, "startup", 0]]}, ""),
    ],
)
def test_wrong_outcome_is_found(outcome: dict[str, Any], why: str) -> None:
    """Ranks, reason and the plies of faults follow from the actions.

    A fault's kind cannot be derived; nor whether a seat without a turn started.
    """
    found = "; ".join(map(str, verify_data(change(withdrawn(), **outcome), RACE)))
    assert (why in found) if why else found == ""


def test_missing_or_extra_actions_are_found() -> None:
    """The game must end at the record's last action."""
    short = copy.deepcopy(stones())
    short["actions"].pop()
    assert verify_data(digested(short))
    long = copy.deepcopy(stones())
    long["actions"].append([1, "5d"])
    assert verify_data(digested(long)) == [Finding("the game was over before it", len(long["actions"]))]


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("rules", "0", "version 0 of the rules"),
        ("options", {}, "options does not hold all"),
        ("options", {"misere": "maybe"}, "misere=maybe"),
        ("opening", {"plies": 9}, "9 opening plies"),
        ("opening", {"actions": ["zz"]}, "action 1 of the opening"),
        ("seats", 1, "this is not a record: seats is 1, but must be a list"),
    ],
)
def test_impossible_spec_is_a_finding(key: str, value: Any, why: str) -> None:
    """An error in a tournament file is a finding in a record."""
    record = as_json(play_drawn(make_spec(), TOE))
    record[key] = value
    (finding,) = verify_data(digested(record), TOE)
    assert why in str(finding)


def test_changed_seed_is_found_by_its_dice() -> None:
    """The dice prove the seed."""
    record = copy.deepcopy(stones())
    record["seed"] = "6"
    (finding,) = verify_data(digested(record))
    assert finding.action is not None


def test_unknown_game_is_an_error() -> None:
    """A game that is not installed is not a finding about the record."""
    record = copy.deepcopy(stones())
    record["game"] = "no-such-game"
    with pytest.raises(GameError, match="no-such-game"):
        verify_data(digested(record))


# -- playing a record again --------------------------------------------------------------------------------


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
    record = played.record
    actor, action = record.actions[-1]
    other = structs.replace(record, actions=record.actions[:-1])
    number = len(record.actions)
    found = compare(record, other)
    assert found[0] == Finding(f"it was seat {actor} {action}, where the other match was over", number)
    assert compare(other, record)[0].text.startswith("now it is seat")
    (finding,) = compare(
        record, structs.replace(record, outcome=structs.replace(record.outcome, reason="fault"))
    )
    assert finding.text == "outcome: reason was row, now it is fault"
    (finding,) = compare(record, structs.replace(record, outcome=Outcome((1, 2), "row", ((2, "crash", 1),))))
    assert finding.text == "outcome: faults was [], now it is [[2, 'crash', 1]]"
    other = check_record(digested(as_json(record) | {"rules": "2"}))
    assert [f.text for f in compare(record, other)] == [
        "the records differ, though not in actions or outcome"
    ]


def test_damaged_record_and_other_rules_are_refused_before_play(played: PlayedMatch) -> None:
    """No bot starts for a damaged record, or for rules of another version."""

    def never(_spec: MatchSpec) -> PlayedMatch:
        raise AssertionError("nothing may be played")

    first = "c3" if played.record.actions[0][1] != "c3" else "a1"
    damaged = structs.replace(played.record, actions=((1, first), *played.record.actions[1:]))
    with pytest.raises(RecordError, match="digest"):
        rerun(damaged, never)
    older = check_record(digested(as_json(played.record) | {"rules": "0"}))
    with pytest.raises(CheckError, match="version 0 of the rules of toe"):
        rerun(older, never)


@dataclass(frozen=True)
class Line:
    """A game with some actions from its start, and what is written for them."""

    game: str
    actions: str
    written: str


LINES = (
    Line("chess", "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1g1", "e4 e5 Nf3 Nc6 Bc4 Nf6 O-O"),
    Line("chess", "f2f3 e7e5 g2g4 d8h4", "f3 e5 g4 Qh4#"),
    Line("chess", "=8/P7/8/8/8/8/7k/K7_w_-_-_0_1 a7a8q", "set-up a8=Q"),
    Line("chess960", "sp518 e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1h1", "start_518 e4 e5 Nf3 Nc6 Bc4 Nf6 O-O"),
    Line("fairy:crazyhouse", "e2e4 d7d5 e4d5 d8d5 P@e4", "e4 d5 exd5 Qxd5 P@e4"),
    Line("sages-tafl", "d2-d4 d8-d6", "d2-d4 d8-d6"),
    Line("element", "draw-2 stones-AF A-e5 F-f6 step-e4 end", "draw_2 Wind_Fire Wind_e5 Fire_f6 step_e4 end"),
    Line("cyvasse", "king-b3 tile-2t tile-5 put-a1", "King_b3 tile_2_turned tile_5 Rabble_a1"),
    Line("openspiel:go(board_size=9)", "B%20d4 W%20PASS", "D4 PASS"),
)


PACKAGES = {"chess": "chess", "chess960": "chess", "fairy": "pyffish", "openspiel": "pyspiel"}
"""By game or family: the package that it needs."""


def parameter(line: Line) -> object:
    game, name = line.game.partition(":")[0], line.game + line.actions[:8]
    if game not in PACKAGES:
        return pytest.param(line, id=name)
    return needing("openspiel" if game == "openspiel" else "chess", line, name=name)


@pytest.mark.parametrize("line", [parameter(line) for line in LINES])
def test_actions_are_written_as_players_do(line: Line) -> None:
    if package := PACKAGES.get(line.game.partition(":")[0]):
        pytest.importorskip(package)
    game = find_game(line.game)
    written = game.notation(line.actions.split(" "), *game.settings())
    assert list(written) == [word.replace("_", "\u00a0") for word in line.written.split(" ")]


@pytest.mark.parametrize("name", GAMES.names())
def test_every_action_of_a_golden_match_is_written_without_blanks(name: str) -> None:
    record = golden(name)
    written = written_actions(record)
    assert len(written) == len(record.actions)
    assert all(text and " " not in text for text in written)


def test_pieces_of_cyvasse_are_those_on_the_board() -> None:
    """Also after captures, and after the step back of a Trebuchet that captures."""
    game = find_game("cyvasse")
    steps = 0
    for seed in range(6):
        record = random_record(game, 2, 200, seed)
        state = game.new()
        for (_, action), text in zip(record.actions, written_actions(record), strict=True):
            if text[0].isupper() and text[1:] == action:
                piece = state.view().board[action.replace("x", "-").split("-")[0]]
                assert NAME_OF[text[0]].lower().replace(" ", "-") == piece.kind
                steps += 1
            state = state.play(game.read_action(state, action))
    assert steps > 200


@pytest.mark.parametrize("change", [{"rules": "0"}, {"game": "gone"}, {"actions": ((1, "a1-a2"), (2, "?"))}])
def test_records_that_cannot_be_played_keep_their_actions(change: dict[str, object]) -> None:
    record = structs.replace(golden("sages-tafl"), **change)
    assert list(written_actions(record)) == [action for _, action in record.actions]
