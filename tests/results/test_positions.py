"""Positions and losses of a bot's games."""

import sqlite3
from fractions import Fraction
from pathlib import Path

from tests.store.test_derived_analyses import analysis
from tests.support import genuine
from tests.support.sessions import analyzed, record_of, searching
from tests.support.tournaments import refused
from tourney.bot.turn import Turn
from tourney.errors import StoreDamaged
from tourney.games.base import AnyState
from tourney.match.record import Record, opening_end
from tourney.match.result import NOT_MEASURED, Measurements
from tourney.results.positions import BotGame, explore, games_of, most_met
from tourney.store.database import Database


def first(_state: AnyState, turn: Turn) -> object:
    return turn.legal[0]


def last(_state: AnyState, turn: Turn) -> object:
    return turn.legal[-1]


def game(record: Record, points: int, measured: Measurements = NOT_MEASURED) -> BotGame:
    return BotGame(1, 1, Fraction(points), ("other",), record, measured)


def test_positions_count_what_was_played_with_result_and_time() -> None:
    one, other = (record_of("sages-tafl", [bot, last], 1) for bot in (first, last))
    times: tuple[float | None, ...] = (8.0, 3.0)
    games = [game(one, 1, Measurements(times_ms=times)), game(one, 0), game(other, 0)]
    found = explore(games, 2)
    start = most_met(found, 9)[0]
    assert (start.own, start.matches, start.line) == (True, 3, ())
    played = {action: (tally.matches, tally.score, tally.mean_ms) for action, tally in start.played.items()}
    assert played == {one.actions[0][1]: (2, 0.5, 8.0), other.actions[0][1]: (1, 0.0, None)}
    second = most_met(found, 9)[1]
    assert (second.own, second.matches) == (False, 2)
    assert second.played[one.actions[1][1]].mean_ms is None
    assert len(found.positions) == 3


def test_losses_are_counted_by_question() -> None:
    record = record_of("sages-tafl", [first, searching(2)], 1)
    analysis = analyzed(record, lambda: searching(20))
    lost = BotGame(1, 1, Fraction(0), ("other",), record, NOT_MEASURED, analysis)
    found = explore([lost, game(record, 1)], 0).losses
    assert {question: sum(t.matches for t in answers.values()) for question, answers in found.items()} == {
        "opening": 2,
        "seat": 2,
        "length": 2,
        "opponent": 2,
        "reason": 2,
        "lost most in": 1,
    }
    assert found["opponent"]["other"].score == 0.5
    assert set(found["lost most in"]) <= {"first third", "middle third", "last third"}


def test_set_opening_is_left_out_and_lost_games_lead_to_it(tmp_path: Path) -> None:
    with Database.open(str(tmp_path / "a.db"), create=True) as database:
        cup = genuine.begin(database, opening_plies=2)
        genuine.play_all(database, cup)
        games = list(games_of(database, cup, 0))
    explored = explore(games, 1)
    ends = {opening_end(game.record) for game in games}
    assert {len(node.line) for node in explored.positions.values()} == ends
    lost = [game.number for game in games if game.points < 1]
    examples = [example for (by, _), some in explored.examples.items() if by == "opening" for example in some]
    assert sorted(example.number for example in examples) == lost
    assert {example.ply for example in examples} <= ends


def test_games_of_a_tournament_have_points_and_opponents(tmp_path: Path) -> None:
    with Database.open(str(tmp_path / "a.db"), create=True) as database:
        cup = genuine.begin(database)
        genuine.play_all(database, cup, void=(1,))
        games = [found for number in range(3) for found in games_of(database, cup, number)]
    assert sum(found.points for found in games) == len(games) / 2
    assert len(games) == 2 * 5
    assert {len(found.opponents) for found in games} == {1}
    assert {found.seat for found in games} == {1, 2}


def test_damaged_analysis_is_named_with_its_row(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with Database.open(str(path), create=True) as database:
        tournament = genuine.begin(database)
        genuine.play_all(database, tournament)
        found = analysis(database.records.get(tournament.id, 2).digest)
        database.analyses.keep(tournament.id, 2, found)
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE analysis SET data = x'00'")
        entrant = database.matches.get(tournament.id, 2).seats[0]
        with refused(StoreDamaged, "table analysis", "column data"):
            list(games_of(database, tournament, entrant))
