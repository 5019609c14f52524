"""FIDE's Laws in new matches of chess: time-outs that draw, and move numbers; and records from before."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from msgspec import structs

from tests.addons.chess.test_adjudication import record_of
from tests.seeds.checkers import NODE, PYTHON, check, needs_node
from tests.support.records import as_json, digested
from tests.support.tables import make_spec
from tests.support.tournaments import refused
from tourney.addons.chess.game import Chess
from tourney.bots.catalogue.store import BotStore
from tourney.check.record import verify, verify_data
from tourney.errors import TournamentError
from tourney.games.registry import find_game
from tourney.match.record import FaultKind, Record
from tourney.match.referee import Referee
from tourney.match.spec import DrawRule, Limits, Opening
from tourney.results.versions import conditions_of
from tourney.run.engine.tournament_run import open_tournament
from tourney.run.tournament_file import read_tournament_file

QUEEN_AGAINST_KING = "=8/8/8/4k3/8/8/4P1Q1/4K3_w_-_-_0_60"
"""White, to move, has a queen and a pawn against a lone king."""
FIDE = Limits(move_ms=1000, laws="fide")
BEFORE = Limits(move_ms=1000)


def fault(kind: FaultKind, limits: Limits, position: str = QUEEN_AGAINST_KING) -> Record:
    """The record of a match in which the seat to move after an opening is at fault."""
    referee = Referee(
        make_spec("chess", limits=limits, opening=Opening(actions=(position,))), find_game("chess")
    )
    referee.begin()
    referee.fault(kind)
    return record_of(referee)


@pytest.mark.parametrize(
    ("placement", "ranks"),
    [
        ("4k3/8/8/8/8/8/4P2Q/4K3", (1, 1)),
        ("4kn2/8/8/8/8/8/7Q/4K3", (1, 1)),
        ("4kn2/8/8/8/8/8/7R/4K3", (2, 1)),  # the rook may be in its king's way
        ("4kb2/8/8/8/8/8/7R/4K3", (1, 1)),
        ("4kb2/8/8/8/8/8/4P3/4K3", (2, 1)),
        ("4k3/4p3/8/8/8/8/8/Q3K3", (2, 1)),
    ],
)
def test_time_out_draws_if_the_opponent_cannot_mate(placement: str, ranks: tuple[int, int]) -> None:
    record = fault("timeout", FIDE, f"={placement}_w_-_-_0_1")
    assert record.outcome.ranks == ranks
    assert (record.outcome.reason, record.outcome.faults) == ("fault", ((1, "timeout", 1),))
    assert verify(record) == []


@pytest.mark.parametrize("kind", ["crash", "illegal", "protocol", "overflow"])
def test_other_fault_loses_against_a_lone_king(kind: FaultKind) -> None:
    assert fault(kind, FIDE).outcome.ranks == (2, 1)


def test_resignation_loses_against_a_lone_king() -> None:
    opening = Opening(actions=(QUEEN_AGAINST_KING,))
    referee = Referee(make_spec("chess", limits=FIDE, opening=opening), find_game("chess"))
    referee.begin()
    referee.resign()
    assert record_of(referee).outcome.ranks == (2, 1)


def test_record_from_before_the_laws_replays_to_its_old_digest() -> None:
    record = fault("timeout", BEFORE)
    assert record.outcome.ranks == (2, 1)
    assert record.digest == "1618e2e506304e3a09600172095a07398c9f26e5aabcca34dc76368dd6a33487"
    assert verify(record) == []
    drawn: Any = as_json(record)
    drawn["outcome"]["ranks"] = [1, 1]
    (finding,) = verify_data(digested(drawn))
    assert str(finding) == "outcome: ranks says [1, 1], but [2, 1] follows"


def test_loss_is_found_wrong_where_the_laws_say_draw() -> None:
    lost: Any = as_json(fault("timeout", FIDE))
    lost["outcome"]["ranks"] = [2, 1]
    (finding,) = verify_data(digested(lost))
    assert str(finding) == "outcome: ranks says [2, 1], but [1, 1] follows"


def test_laws_that_a_game_lacks_are_refused() -> None:
    with refused(TournamentError, "laws in the limits is fide, but sage-stones has no laws here"):
        Referee(make_spec("sage-stones", limits=FIDE), find_game("sage-stones"))
    with refused(TournamentError, "laws in the limits is fide-2050, but chess has fide here"):
        Referee(make_spec("chess", limits=Limits(laws="fide-2050")), find_game("chess"))


@pytest.mark.parametrize("program", [PYTHON, pytest.param(NODE, marks=needs_node)])
@pytest.mark.slow
def test_checkers_accept_a_drawn_time_out_with_laws_only(program: Path, tmp_path: Path) -> None:
    record: Any = as_json(fault("timeout", FIDE))
    file = tmp_path / "record.json"
    file.write_bytes(rfc8785.dumps(record))
    assert check(program, str(file)).stdout == b"1 records, 0 problems; dice of 1 not checked\n"
    changes: tuple[Callable[[Any], object], ...] = (
        lambda data: data["limits"].pop("laws"),
        lambda data: data["outcome"].update(faults=[[1, "crash", 1]]),
        lambda data: data["outcome"].update(ranks=[1, 2]),
    )
    for change in changes:
        changed: Any = as_json(fault("timeout", FIDE))
        change(changed)
        file.write_bytes(rfc8785.dumps(digested(changed)))
        assert b"the ranks do not fit the withdrawals" in check(program, str(file)).stdout


def moves_to_draw(opening: tuple[str, ...], limits: Limits) -> tuple[int, Record]:
    """The half-moves after an opening until scores of zero end the match."""
    referee = Referee(make_spec("chess", limits=limits, opening=Opening(actions=opening)), find_game("chess"))
    referee.begin()
    number = 0
    while referee.turn:
        move = ("g1f3", "g8f6", "f3g1", "f6g8", "b1c3", "b8c6", "c3b1", "c6b8", "b1a3")[number]
        assert referee.act(move, 0) == ""
        number += 1
    return number, record_of(referee)


def test_opening_as_moves_and_as_position_draws_at_the_same_move() -> None:
    rule = DrawRule(movecount=1, score=10, movenumber=4)
    moves = ("e2e4", "e7e5", "d2d4", "d7d5")
    state = Chess().new()
    for move in moves:
        state = Chess().play_text(state, move)
    position = (f"={state.position().replace(' ', '_')}",)
    laws = Limits(draw=rule, laws="fide")
    for opening in (moves, position):
        number, record = moves_to_draw(opening, laws)
        assert number == 4
        assert verify(record) == []
    number, record = moves_to_draw(position, Limits(draw=rule))
    assert number == 8
    assert verify(record) == []


def test_new_plan_of_chess_has_laws_and_that_of_other_games_none(tmp_path: Path) -> None:
    path = tmp_path / "cup.toml"
    for game, laws in (("chess", "fide"), ("chess960", "fide"), ("sage-stones", None)):
        path.write_text(f'name = "cup"\ngame = "{game}"\nbots = ["random", "random"]\n')
        assert read_tournament_file(path).plan.limits.laws == laws


def test_tournament_from_before_the_laws_goes_on_without_them(tmp_path: Path) -> None:
    path = tmp_path / "cup.toml"
    path.write_text('name = "cup"\ngame = "chess"\nbots = ["random", "mcts"]\nopening-plies = 4\n')
    file = read_tournament_file(path)
    older = replace(file, plan=structs.replace(file.plan, limits=file.plan.limits.under("")))
    for started in (older, file):
        with open_tournament(started, str(tmp_path / "t.db"), BotStore(tmp_path / "bots"), print) as opened:
            assert opened.tournament.plan.limits.laws is None
    assert conditions_of(older.plan) == conditions_of(file.plan)
