"""TRF(16) export, read back by the columns of its specification."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.schedules import play_out, play_round, setup, truth
from tourney.errors import UsageError
from tourney.exchange.game_files import trf
from tourney.schedule.format import Format, History, Setup, find_format
from tourney.schedule.player_history import PlayerHistory
from tourney.schedule.round_robin import RoundRobin
from tourney.schedule.row import score_units
from tourney.schedule.swiss import Swiss
from tourney.schedule.tie_breaks import RankedEntrant


@dataclass(frozen=True)
class Cell:
    """A round of a player: opponent's starting rank (0: none), colour, result."""

    opponent: int
    colour: str
    result: str


@dataclass(frozen=True)
class Read:
    """The values of a player's line."""

    number: int
    name: str
    points: Fraction
    rank: int
    cells: tuple[Cell, ...]


BLANK = [(4, 4), (9, 9), (10, 14), (48, 80), (85, 85)]
"""Columns that stay blank (from 1, inclusive): gaps, sex, title, rating, federation, birth."""


def columns(line: str, first: int, last: int) -> str:
    return line[first - 1 : last]


def read(text: str) -> tuple[dict[str, str], list[Read]]:
    """Read a report by its columns, counted in bytes from 1."""
    assert text.encode("ascii").decode() == text
    head: dict[str, str] = {}
    players: list[Read] = []
    *lines, rest = text.split("\r\n")
    assert rest == ""
    for line in lines:
        assert "\r" not in line
        assert "\n" not in line
        if columns(line, 1, 3) != "001":
            assert columns(line, 4, 4) == " "
            head[columns(line, 1, 3)] = columns(line, 5, len(line))
            continue
        for first, last in BLANK:
            assert columns(line, first, last).strip() == ""
        cells = []
        for start in range(92, len(line) + 1, 10):
            cell = columns(line, start, start + 7).ljust(8)
            assert columns(line, start - 2, start - 1) == "  "
            assert (cell[4], cell[6]) == (" ", " ")
            cells.append(Cell(int(cell[:4]), cell[5], cell[7]))
        players.append(
            Read(
                number=int(columns(line, 5, 8)),
                name=columns(line, 15, 47).rstrip(),
                points=Fraction(columns(line, 81, 84)),
                rank=int(columns(line, 86, 89)),
                cells=tuple(cells),
            )
        )
    return head, players


VALUE = {"1": 2, "=": 1, "0": 0, "-": 0, "U": 2, "Z": 0, " ": 0}
"""Half-points of a result."""
AGAINST = {"1": "0", "0": "1", "=": "=", "-": "-", " ": " "}


def lines_of(format_: Format, plan: Setup, history: History) -> Sequence[RankedEntrant]:
    if format_.ranks:
        return format_.table(plan, history)
    halves: dict[int, int] = defaultdict(int)
    for result in history.results:
        for number, units in zip(result.entrants, score_units(result.ranks), strict=True):
            halves[number] += 0 if result.void else units
    order = sorted(plan.participants, key=lambda player: -halves[player.number])
    return [
        RankedEntrant(rank, player.number, Fraction(halves[player.number], 2), Fraction(0), ())
        for rank, player in enumerate(order, 1)
    ]


def check(text: str, plan: Setup, history: History) -> list[Read]:
    """Check that both sides of every game agree and that the cells give the points."""
    head, players = read(text)
    assert head["062"] == str(len(plan.participants)) == str(len(players))
    games = int(head["XXR"]) // (plan.rounds or history.rounds)  # 1 where encounters are rounds
    by_number = {player.number: player for player in players}
    assert list(by_number) == list(range(1, len(players) + 1))
    for player in players:
        assert len(player.cells) == history.rounds * games
        assert Fraction(sum(VALUE[cell.result] for cell in player.cells), 2) == player.points
        for k, cell in enumerate(player.cells):
            if not cell.opponent:
                assert cell.colour == "-"
                assert cell.result in "UZ"
                continue
            other = by_number[cell.opponent].cells[k]
            assert other.opponent == player.number
            assert {cell.colour, other.colour} == {"w", "b"}
            assert other.result == AGAINST[cell.result]
    for result in history.results if games == plan.games else ():
        k = (result.key.round - 1) * games + 2 * (result.key.repeat - 1) + result.key.order - 1
        white, black = result.entrants
        cell = by_number[white + 1].cells[k]
        assert (cell.opponent, cell.colour) == (black + 1, "w")
        won = {(1, 2): "1", (2, 1): "0", (1, 1): "="}[(result.ranks[0], result.ranks[1])]
        assert cell.result == ("-" if result.void else won)
    return players


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 12), st.integers(1, 2), st.booleans(), st.integers(0, 2**64 - 1))
def test_swiss_reads_back_as_played(count: int, repeats: int, broken: bool, seed: int) -> None:
    """The rounds have byes, a late entry, a withdrawal and void matches; one is unfinished."""
    plan = setup(count, rounds=max(1, count // 2), repeats=repeats, seed=seed)
    history = play_round(Swiss(), plan, History(), truth(count + 1, seed))
    if plan.rounds != 1:
        gone = replace(plan.participants[0], left=2)
        late = replace(plan.participants[-1], number=count, name="late", joined=2)
        plan = replace(plan, participants=(gone, *plan.participants[1:], late))
        history = play_round(Swiss(), plan, history, truth(count + 1, seed))
    # A void encounter has no game in any round.
    done = [r.row.result(r.ranks, r.faults, void=r.key.table == 1) for r in history.results]
    history = History(history.rows, tuple(done[: len(done) - broken]))
    lines = Swiss().table(plan, history)
    players = check(trf(plan, history, lines, "cup", find_format("swiss")), plan, history)
    (games,) = {len(player.cells) // history.rounds for player in players}
    assert [(p.rank, p.points * plan.games / games) for p in players] == [
        (line.rank, line.points) for line in sorted(lines, key=lambda line: line.number)
    ]
    byes = {
        number: sum(entry.kind == "bye" for entry in entries)
        for number, entries in PlayerHistory.of(plan, history, "win").entries.items()
    }
    for player in players:
        assert sum(cell.result == "U" for cell in player.cells) == byes[player.number - 1] * games


def test_round_robin_of_five_gives_no_points_for_a_bye() -> None:
    plan = setup(5, repeats=2)
    history = play_out(RoundRobin(), plan, truth(5))[-1]
    lines = lines_of(RoundRobin(), plan, history)
    players = check(trf(plan, history, lines, "cup", find_format("round-robin")), plan, history)
    assert all([cell.result for cell in player.cells].count("Z") == 4 for player in players)


def whole(history: History) -> History:
    """The same rounds; each encounter is won by all or drawn, as its first match says."""
    firsts = {(r.key.round, r.key.table): r for r in history.results if r.key.repeat == r.key.order == 1}
    results = []
    for result in history.results:
        first = firsts[result.key.round, result.key.table]
        same = result.entrants == first.entrants
        results.append(result.row.result(first.ranks if same else first.ranks[::-1]))
    return History(history.rows, tuple(results))


@pytest.mark.parametrize("repeats", [1, 2])
def test_encounters_won_by_all_or_drawn_are_rounds(repeats: int) -> None:
    plan = setup(7, rounds=4, repeats=repeats)
    history = History()
    for _ in range(4):
        history = whole(play_round(Swiss(), plan, history, truth(7)))
    lines = {line.number: line for line in Swiss().table(plan, history)}
    head, players = read(trf(plan, history, lines.values(), "cup", find_format("swiss")))
    assert head["XXR"] == "4"
    for player in players:
        line = lines[player.number - 1]
        assert len(player.cells) == 4
        assert player.points * plan.games == line.points
        assert sum(VALUE[cell.result] for cell in player.cells) == 2 * player.points
        for k, cell in enumerate(player.cells):
            if cell.opponent:
                other = players[cell.opponent - 1].cells[k]
                assert (other.opponent, other.result) == (player.number, AGAINST[cell.result])


def test_line_has_its_values_in_the_right_columns() -> None:
    """Three entrants; one of two matches is played: a win, an open game and a bye over two rounds."""
    plan = setup(3, rounds=3)
    first = Swiss().next_rounds(plan, History()).rows
    assert [row.seats for row in first] == [(0, 1), (1, 0)]
    one = History(first, (first[0].result((1, 2)),))
    text = trf(plan, one, Swiss().table(plan, one), "autumn cup", find_format("swiss"))
    assert text.split("\r\n") == [
        "012 autumn cup",
        "062 3",
        "072 0",
        "092 Individual: Swiss-System",
        "XXR 6",
        f"001    1      a0{' ' * 64} 1.0    2     2 w 1     2 b",
        f"001    2      a1{' ' * 64} 0.0    3     1 b 0     1 w",
        f"001    3      a2{' ' * 64} 2.0    1  0000 - U  0000 - U",
        "",
    ]


def test_long_or_odd_names_move_no_column() -> None:
    """Characters beyond printable ASCII become question marks; long names are cut."""
    plan = setup(2, rounds=1)
    players = (replace(plan.participants[0], name="Ł\n" + "x" * 60), plan.participants[1])
    plan = replace(plan, participants=players)
    history = play_round(Swiss(), plan, History(), truth(2))
    text = trf(plan, history, Swiss().table(plan, history), "Größe\r\n001", find_format("swiss"))
    head, found = read(text)
    assert found[0].name == "??" + "x" * 31
    assert head["012"] == "Gr??e??001"


def test_tournament_beyond_trf_is_refused() -> None:
    plan = setup(3, 3, rounds=1)
    with pytest.raises(
        UsageError, match="TRF is for a swiss or round-robin with 2 seats, not a swiss with 3"
    ):
        trf(plan, History(), (), "cup", find_format("swiss"))
    with pytest.raises(UsageError, match="not a knockout with 2"):
        trf(setup(2), History(), (), "cup", find_format("knockout"))
    with pytest.raises(UsageError, match="takes at most 9999 entrants, not 10000"):
        trf(setup(10_000, rounds=1), History(), (), "cup", find_format("swiss"))
    plan = setup(2, rounds=1, repeats=51)
    rows = Swiss().next_rounds(plan, History()).rows
    won = tuple(row.result((1, 2) if row.seats[0] == 0 else (2, 1)) for row in rows)
    won = (rows[0].result((1, 1)), rows[1].result((1, 1)), *won[2:])  # so no round has it as a game
    history = History(rows, won)
    with pytest.raises(UsageError, match=r"no room for 101 points: it takes half-points up to 99\.5"):
        trf(plan, history, Swiss().table(plan, history), "cup", find_format("swiss"))


@pytest.mark.parametrize(
    ("first", "second", "codes"),
    [
        ((1, 2), (2, 1), ("1", "0")),
        ((1, 2), None, ("=", "0")),
        ((2, 1), None, ("0", "=")),
        (None, None, ("-", "-")),
        ((1, 2), (1, 2), ("=", "=")),
    ],
)
def test_encounter_with_void_matches_is_one_round(
    first: tuple[int, int] | None, second: tuple[int, int] | None, codes: tuple[str, str]
) -> None:
    plan = setup(2, rounds=1)
    rows = play_round(Swiss(), plan, History(), truth(2)).rows
    results = [
        row.result(ranks or (1, 1), void=ranks is None)
        for row, ranks in zip(rows, (first, second), strict=True)
    ]
    history = History(rows, tuple(results))
    _, players = read(trf(plan, history, Swiss().table(plan, history), "cup", find_format("swiss")))
    white = rows[0].seats[0]
    shown = {player.number - 1: [cell.result for cell in player.cells] for player in players}
    assert (shown[white], shown[1 - white]) == ([codes[0]], [codes[1]])


def test_draw_beside_a_void_match_needs_a_round_for_each() -> None:
    """A quarter of an encounter is no result of a game."""
    plan = setup(2, rounds=1)
    rows = play_round(Swiss(), plan, History(), truth(2)).rows
    history = History(rows, (rows[0].result((1, 1)), rows[1].result((1, 1), void=True)))
    head, _ = read(trf(plan, history, Swiss().table(plan, history), "cup", find_format("swiss")))
    assert head["XXR"] == "2"
