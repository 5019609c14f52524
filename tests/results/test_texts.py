"""Texts about seeds speak of dice and openings only where there are some; actions as people write them."""

from dataclasses import dataclass, replace

import pytest
from msgspec import structs

from tests.report.film import golden, random_record
from tourney.games.cyvasse.board import NAME_OF
from tourney.games.registry import GAMES, find_game
from tourney.match.spec import DEFAULT_LIMITS
from tourney.results.texts import origin_text, risk_text, sharing_text, written_actions
from tourney.store.values import CHOSEN, RANDOM, Plan, StoredRun, Tournament


def plan(game: str, plies: int = 0, **more: object) -> Plan:
    made = Plan("cup", game, "1", (), "round-robin", 2, 2, opening_plies=plies, limits=DEFAULT_LIMITS)
    return structs.replace(made, **more)


@pytest.mark.parametrize(
    ("game", "plies", "risk", "shared", "own"),
    [
        ("sage-stones", 0, "the dice", "dice", "dice"),
        ("sage-stones", 2, "the dice and the openings", "dice and opening", "dice and an opening"),
        ("sages-tafl", 2, "the openings", "opening", "an opening"),
    ],
)
def test_seed_decides_dice_and_openings(game: str, plies: int, risk: str, shared: str, own: str) -> None:
    rules = find_game(game)
    assert risk_text(plan(game, plies), rules) == risk
    assert sharing_text(plan(game, plies), rules) == f"the games of a mirrored group share {shared}"
    apart = plan(game, plies, mirrored_dice=False)
    assert sharing_text(apart, rules) == f"every match has {own} of its own"


def test_game_without_dice_and_openings_has_no_risk() -> None:
    rules = find_game("sages-tafl")
    assert (risk_text(plan("sages-tafl"), rules), sharing_text(plan("sages-tafl"), rules)) == ("", "")
    tournament = Tournament(1, plan("sages-tafl"), 7, CHOSEN, StoredRun(), True, "")
    assert origin_text(tournament, rules) == "chosen by a person"


def test_game_that_is_not_installed_may_have_dice() -> None:
    assert risk_text(plan("gone"), None) == "the dice"


def test_origin_is_a_person_chance_or_the_records() -> None:
    rules = find_game("sage-stones")
    chosen = Tournament(1, plan("sage-stones"), 7, CHOSEN, StoredRun(), True, "")
    guessable = "chosen by a person and below 2^64: any bot can find it and compute the dice"
    assert origin_text(chosen, rules) == guessable
    long = replace(chosen, seed=2**64)
    assert origin_text(long, rules) == "chosen by a person: who knows it can compute the dice"
    assert origin_text(replace(chosen, origin=RANDOM), rules) == "random"
    imported = replace(chosen, plan=plan("sage-stones", format="import"))
    assert origin_text(imported, rules) == "imported: each record has its own seed"


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


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.game + line.actions[:8])
def test_actions_are_written_as_players_do(line: Line) -> None:
    pytest.importorskip({"fairy": "pyffish", "openspiel": "pyspiel"}.get(line.game.split(":")[0], "chess"))
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


@pytest.mark.parametrize("change", [{"rules": "0"}, {"game": "gone"}, {"actions": ((1, "e2e5"), (2, "?"))}])
def test_records_that_cannot_be_played_keep_their_actions(change: dict[str, object]) -> None:
    record = structs.replace(golden("chess"), **change)
    assert list(written_actions(record)) == [action for _, action in record.actions]
