"""Draw, resign and tablebase adjudication in chess: when a match ends, and what its record proves of it.

It is one file because its tests share matches with made-up scores.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import rfc8785

from tests.seeds.checkers import NODE, PYTHON, check, needs_node
from tests.support.records import as_json, digested
from tests.support.tables import TOE, make_spec
from tourney.addons.chess.game import Chess
from tourney.check.record import compare, verify, verify_data
from tourney.errors import GameError, TablesError
from tourney.games.base import AnyGame, AnyState, Tables
from tourney.games.registry import find_game
from tourney.match.record import Adjudication, Outcome, Record, make_record
from tourney.match.referee import Referee
from tourney.match.spec import DrawRule, Limits, Opening, ResignRule
from tourney.seeds import stream

SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")
"""Four half-moves that bring the first position back."""
BARE = "=8/8/8/4k3/8/8/4P2r/4K3_b_-_-_0_1"
"""King and pawn against king and rook, Black to move."""


def limits(**rules: Any) -> Limits:
    return Limits(move_ms=None, margin_ms=0, **rules)


def play(
    moves: Sequence[str],
    scores: Sequence[int | None],
    rules: Limits,
    opening: Opening = Opening(),  # noqa: B008 - a frozen value
    tables: Tables | None = None,
) -> Referee:
    """Play half-moves of chess with the scores that the engines gave them, until the match is over."""
    game = find_game("chess")
    referee = Referee(make_spec("chess", limits=rules, opening=opening), game, tables)
    referee.begin()
    for move, score in zip(moves, scores, strict=True):
        if not referee.turn:
            break
        assert referee.act(move, score) == ""
    return referee


Json = dict[str, Any]


def record_of(referee: Referee, game: AnyGame | None = None) -> Record:
    assert referee.outcome is not None
    rules = (game or find_game("chess")).rules
    return make_record(referee.spec, rules, referee.actions, referee.outcome)


def oracle(scores: Sequence[int | None], quiet: Sequence[bool], rules: Limits) -> tuple[int, str] | None:
    """Return after which half-move cutechess ends a game, and how: its own counts, one for both sides."""
    drawn, lost, won = 0, [0, 0], [0, 0]
    draw, resign = rules.draw, rules.resign
    for ply, (score, still) in enumerate(zip(scores, quiet, strict=True)):
        side = ply % 2
        drawn = drawn if still else 0
        if score is None:
            drawn = lost[side] = won[side] = 0
            continue
        if draw is not None:
            drawn = drawn + 1 if abs(score) <= draw.score else 0
            if (ply + 1) // 2 >= draw.movenumber and drawn >= 2 * draw.movecount:
                return ply + 1, "draw"
        if resign is not None:
            lost[side] = lost[side] + 1 if score <= -resign.score else 0
            won[side] = won[side] + 1 if score >= resign.score else 0
            enough = resign.sides == 1 or won[1 - side] >= resign.movecount
            if lost[side] >= resign.movecount and enough:
                return ply + 1, "resign"
    return None


def test_ends_where_cutechess_ends_a_game() -> None:
    """Random games with random scores, against cutechess' counts written a second time."""
    game = find_game("chess")
    below = stream(5, "check")
    found = {"draw": 0, "resign": 0, "": 0}
    for number in range(150):
        rules = limits(
            draw=DrawRule(1 + below(3), 20, below(13)) if number % 3 else None,
            resign=ResignRule(1 + below(3), 50, 1 + below(2)) if number % 2 else None,
        )
        if not rules.adjudicated:
            continue
        referee = Referee(make_spec("chess", limits=rules), game)
        referee.begin()
        scores: list[int | None] = []
        quiet: list[bool] = []
        while referee.turn and len(scores) < 40:
            level = (0, 0, 0, 60)[below(4)] * (1 if referee.turn == 1 else -1)
            scores.append(level + below(43) - 21 if below(9) else None)
            legal = referee.state.legal_actions()
            referee.act(game.action_string(legal[below(len(legal))]), scores[-1])
            quiet.append(not referee.state.irreversible())
        wanted = oracle(scores, quiet, rules)
        ended = None if referee.outcome is None else referee.outcome.adjudication
        if wanted is None:
            assert ended is None
            found[""] += 1
            continue
        assert ended is not None
        assert (len(referee.actions), ended.rule) == wanted
        assert verify(record_of(referee)) == []
        found[ended.rule] += 1
    assert min(found.values()) > 10


def test_draw_needs_scores_near_zero_of_both_seats() -> None:
    rules = limits(draw=DrawRule(2, 10, 2))
    assert play(SHUFFLE, (0, 5, -10, 10), rules).outcome is not None
    assert play(SHUFFLE, (0, 0, 0, 11), rules).outcome is None
    assert play(SHUFFLE, (0, None, 0, 0), rules).outcome is None
    assert play(SHUFFLE[:3], (0, 0, 0), rules).outcome is None
    assert play(SHUFFLE, (0, 0, 0, 0), limits(draw=DrawRule(2, 10, 3))).outcome is None


def test_capture_and_pawn_move_restart_the_count_of_draws() -> None:
    rules = limits(draw=DrawRule(2, 10))
    moves = ("g1f3", "g8f6", "e2e4", "f6e4", "f3g1", "e4f6", "g1f3")
    assert len(play(moves, (0,) * 7, rules).actions) == 7


def test_seat_loses_by_its_own_scores_only() -> None:
    """However high a bot's scores are, its opponent loses only if it says so itself."""
    rules = limits(resign=ResignRule(1, 500))
    assert play(SHUFFLE, (99_999, 0, 99_999, -499), rules).outcome is None
    lost = play(SHUFFLE, (99_999, 0, 99_999, -500), rules)
    assert lost.outcome is not None
    assert lost.outcome.ranks == (1, 2)
    assert lost.outcome.adjudication == Adjudication("resign", ((), ("-500",)))
    both = limits(resign=ResignRule(1, 500, 2))
    assert play(SHUFFLE, (499, -900, 499, -900), both).outcome is None
    first = play(SHUFFLE, (-900, 700, -900, 700), both).outcome
    assert first is not None
    assert first.ranks == (2, 1)
    assert first.adjudication == Adjudication("resign", (("-900",), ("700",)))


def test_game_that_is_over_is_not_adjudicated() -> None:
    """Fool's mate: the loser's score comes with the move before, the winner's with the last."""
    moves = ("f2f3", "e7e5", "g2g4", "d8h4")
    ended = play(moves, (0, 0, 0, 0), limits(draw=DrawRule(2, 10))).outcome
    assert ended is not None
    assert (ended.reason, ended.adjudication) == ("checkmate", None)


def test_opening_counts_moves_but_no_scores() -> None:
    rules = limits(draw=DrawRule(1, 10, 3))
    book = Opening(actions=("=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w_KQkq_-_0_1", *SHUFFLE))
    assert len(play(SHUFFLE[:2], (0, 0), rules, book).actions) == 7
    referee = play(SHUFFLE[:1], (0,), rules, book)
    assert referee.outcome is None
    ended = play(SHUFFLE[:2], (0, 0), rules, book)
    assert verify(record_of(ended)) == []


# -- what a record proves ---------------------------------------------------------------------------------


def forged(record: Record, change: Callable[[Json], object]) -> Json:
    other = as_json(record)
    change(other)
    return digested(other)


def drawn() -> Record:
    return record_of(play(SHUFFLE, (0, 5, -10, 10), limits(draw=DrawRule(2, 10, 2))))


def resigned() -> Record:
    rules = limits(resign=ResignRule(2, 500, 2), draw=DrawRule(9, 1))
    return record_of(play(SHUFFLE, (600, -500, 500, -700), rules))


FORGED: dict[str, tuple[Callable[[], Record], Callable[[Json], object]]] = {
    "a score beyond the limit": (
        drawn,
        lambda r: r["outcome"]["adjudication"]["scores"][0].__setitem__(0, "11"),
    ),
    "a score less": (drawn, lambda r: r["outcome"]["adjudication"]["scores"][1].pop()),
    "a score more": (drawn, lambda r: r["outcome"]["adjudication"]["scores"][0].append("0")),
    "no scores": (drawn, lambda r: r["outcome"]["adjudication"].pop("scores")),
    "a winner of a draw": (drawn, lambda r: r["outcome"].update(ranks=[1, 2])),
    "another rule": (drawn, lambda r: r["outcome"]["adjudication"].update(rule="resign")),
    "a rule that is not in force": (drawn, lambda r: r["limits"].pop("draw")),
    "another reason": (drawn, lambda r: r["outcome"].update(reason="repetition")),
    "no grounds": (drawn, lambda r: r["outcome"].pop("adjudication")),
    "no actions": (drawn, lambda r: r.update(actions=[])),
    "a table that was not asked for": (
        drawn,
        lambda r: r["outcome"].update(adjudication={"rule": "tablebase"}),
    ),
    "a zero in front": (drawn, lambda r: r["outcome"]["adjudication"]["scores"][0].__setitem__(0, "05")),
    "a key more": (drawn, lambda r: r["limits"]["draw"].update(sides=1)),
    "a key less": (drawn, lambda r: r["limits"]["draw"].pop("movenumber")),
    "the winner and the loser exchanged": (resigned, lambda r: r["outcome"]["ranks"].reverse()),
    "a winner's score too low": (
        resigned,
        lambda r: r["outcome"]["adjudication"]["scores"][0].__setitem__(1, "499"),
    ),
    "a loser's score too high": (
        resigned,
        lambda r: r["outcome"]["adjudication"]["scores"][1].__setitem__(0, "-499"),
    ),
    "the scores exchanged": (resigned, lambda r: r["outcome"]["adjudication"]["scores"].reverse()),
    "a resignation besides": (resigned, lambda r: r["outcome"].update(resigned=[[2, 4]])),
}
RULES: dict[str, Callable[[Json], object]] = {
    "an action after the next": lambda r: r["actions"].extend([[1, "g1f3"], [1, "f3g1"]]),
    "a move number not reached": lambda r: r["limits"]["draw"].update(movenumber=3),
    "a pawn move within the count": lambda r: r["actions"].__setitem__(2, [1, "e2e4"]),
}
"""Forgeries that only the rules show, so that both checkers accept them."""


@pytest.mark.parametrize("name", FORGED)
def test_verify_refuses_forged_grounds(name: str) -> None:
    make, change = FORGED[name]
    assert verify(make()) == []
    assert verify_data(forged(make(), change)) != []


@pytest.mark.parametrize("name", RULES)
def test_verify_replays_the_counts(name: str) -> None:
    assert verify_data(forged(drawn(), RULES[name])) != []


@pytest.mark.parametrize("program", [PYTHON, pytest.param(NODE, marks=needs_node)], ids=lambda p: p.suffix)
def test_checkers_refuse_forged_grounds(program: Path, tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    good = [as_json(drawn()), as_json(resigned()), *(forged(drawn(), change) for change in RULES.values())]
    bad = [forged(make(), change) for make, change in FORGED.values()]
    file.write_bytes(b"".join(rfc8785.dumps(record) + b"\n" for record in (*good, *bad)))
    lines = check(program, str(file)).stdout.decode().splitlines()
    numbers = [int(line.split(" line ")[1].split(",")[0]) for line in lines[:-1]]
    assert numbers == list(range(len(good) + 1, len(good) + len(bad) + 1))


@needs_node
def test_checkers_print_the_same_of_forged_grounds(tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    bad = [forged(make(), change) for make, change in FORGED.values()]
    file.write_bytes(b"".join(rfc8785.dumps(record) + b"\n" for record in bad))
    assert check(PYTHON, str(file)).stdout == check(NODE, str(file)).stdout


def test_rerun_names_other_grounds() -> None:
    other = record_of(play(SHUFFLE, (0, 5, -10, 9), limits(draw=DrawRule(2, 10, 2))))
    [finding] = compare(drawn(), other)
    assert "adjudication was" in str(finding)
    assert "'9'" in str(finding)


# -- tables of endings ------------------------------------------------------------------------------------


def winning(state: AnyState) -> tuple[int, ...]:
    """Say of every position that the side to move wins: a table that knows them all."""
    return (1, 2) if state.actor == 1 else (2, 1)


def test_table_ends_match_after_capture_or_pawn_move() -> None:
    """Only with few pieces, no castling rights and a count of half-moves at zero."""
    rules = limits(tablebase_pieces=4)
    book = Opening(actions=(BARE,))
    referee = play(("e5d5", "e2e4", "d5e4"), (None,) * 3, rules, book, winning)
    assert [text for _, text in referee.actions] == [BARE, "e5d5", "e2e4"]
    assert referee.outcome is not None
    assert referee.outcome == Outcome((2, 1), "adjudication", (), adjudication=Adjudication("tablebase"))
    assert as_json(record_of(referee))["outcome"] == {
        "ranks": [2, 1],
        "reason": "adjudication",
        "faults": [],
        "adjudication": {"rule": "tablebase"},
    }
    assert play(("e5d5", "e2e4"), (None,) * 2, limits(tablebase_pieces=3), book, winning).outcome is None
    castling = Opening(actions=("=4k3/8/8/8/8/8/6P1/4K2R_w_K_-_0_1",))
    assert play(("g2g3",), (None,), rules, castling, winning).outcome is None


class Known(Chess):
    """Chess with a table that says of every position what the test requests."""

    def __init__(self, answer: Tables | None) -> None:
        self.answer = answer

    def tables(self, pieces: int) -> Tables:
        if self.answer is None:
            raise TablesError(f"no tables of {pieces} pieces")
        return self.answer


def by_table() -> Record:
    book = Opening(actions=(BARE,))
    return record_of(play(("e5d5", "e2e4"), (None,) * 2, limits(tablebase_pieces=4), book, winning))


def test_verify_asks_the_table() -> None:
    assert verify(by_table(), Known(winning)) == []
    [finding] = verify(by_table(), Known(lambda _: (1, 1)))
    assert "ranks says" in str(finding)
    assert verify(by_table(), Known(lambda _: None)) != []


def test_verify_says_what_it_cannot_check_without_tables() -> None:
    notes: set[str] = set()
    assert verify(by_table(), Known(None), notes) == []
    assert notes == {"results by tablebase are not checked: no tables of 4 pieces"}
    early = forged(by_table(), lambda r: r["actions"].pop())
    assert verify_data(early, Known(None)) != []
    many = forged(by_table(), lambda r: r["limits"].update({"tablebase-pieces": 3}))
    assert verify_data(many, Known(None)) != []


def test_table_is_missing_or_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TOURNEY_SYZYGY", raising=False)
    with pytest.raises(TablesError, match="TOURNEY_SYZYGY"):
        find_game("chess").tables(3)
    monkeypatch.setenv("TOURNEY_SYZYGY", str(tmp_path))
    with pytest.raises(TablesError, match=r"5 files, of which KBvK.rtbw, KNvK.rtbw, KPvK.rtbw and 2 more"):
        find_game("chess960").tables(3)
    monkeypatch.setenv("TOURNEY_SYZYGY", str(tmp_path / "none"))
    with pytest.raises(TablesError, match="cannot be read"):
        find_game("chess").tables(3)
    with pytest.raises(GameError, match="has no tables"):
        TOE.tables(3)


@pytest.fixture
def syzygy() -> Tables:
    """Return real tables of three pieces, from where the environment says."""
    try:
        return find_game("chess").tables(3)
    except TablesError as error:
        pytest.skip(f"no tables of endings here: {error}")


def test_real_table_gives_win_loss_and_draw(syzygy: Tables) -> None:
    chess = find_game("chess")
    for fen, ranks in (
        ("8/8/8/5k2/8/8/1Q6/K7 w - - 0 1", (1, 2)),
        ("8/8/8/5k2/8/8/1Q6/K7 b - - 0 1", (1, 2)),
        ("8/8/8/5K2/8/8/1q6/7k w - - 0 1", (2, 1)),
        ("8/8/8/8/8/4k3/4P3/4K3 w - - 0 1", (1, 1)),
    ):
        assert syzygy(chess.parse_position(fen, 2, {})) == ranks


def test_damaged_table_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("KBvK", "KNvK", "KPvK", "KQvK", "KRvK"):
        (tmp_path / f"{name}.rtbw").write_bytes(b"\0" * 80)
    monkeypatch.setenv("TOURNEY_SYZYGY", str(tmp_path))
    tables = find_game("chess").tables(3)
    state = find_game("chess").parse_position("8/8/8/5k2/8/8/1Q6/K7 w - - 0 1", 2, {})
    with pytest.raises(TablesError, match="are damaged"):
        tables(state)


def test_set_up_of_a_book_is_no_move() -> None:
    """Two moves of each seat must have been played; the opening has one of them behind a position."""
    start = "=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w_KQkq_-_0_1"
    spec = make_spec(
        "chess", limits=limits(draw=DrawRule(1, 10, 2)), opening=Opening(actions=(start, "e2e4"))
    )
    referee = Referee(spec, find_game("chess"))
    referee.begin()
    for text in ("e7e5", "g1f3"):
        referee.act(text, 0)
        assert referee.outcome is None
    referee.act("b8c6", 0)
    assert referee.outcome is not None
    assert referee.outcome.reason == "adjudication"
