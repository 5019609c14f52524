"""Marks by thresholds against fixed bots: which games count, and the certainty."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.addons.course.results import tournament
from tests.support.tournaments import refused, write_file
from tourney.addons.course.marks import MarkLine, MarksTable, beta_tail, marks, pseudonym, read_marks
from tourney.errors import TournamentError, UsageError
from tourney.store.database import Database

FILE = f"""
game = "sage-stones"
games = 8
pseudonym-key = "horse battery"
[[step]]
mark = 10
bot = "weak"
digest = "{ord("d"):064x}"
score = 0.75
[[step]]
mark = 20
bot = "strong"
digest = "{ord("a"):064x}"
los = 0.9
"""


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database.open(str(tmp_path / "t.db"), create=True) as opened:
        yield opened


@pytest.fixture
def table(tmp_path: Path) -> MarksTable:
    return read_marks(write_file(tmp_path, FILE, "marks.toml"))


def staff_wins(_: int, names: tuple[str, ...]) -> tuple[int, ...]:
    """The ranks by which a and d win against the others, and tie otherwise."""
    best = [name in "ad" for name in names]
    return tuple(1 if is_best or not any(best) else 2 for is_best in best)


def staff_loses(number: int, names: tuple[str, ...]) -> tuple[int, ...]:
    ranks = staff_wins(number, names)
    return ranks if len(set(ranks)) == 1 else tuple(3 - rank for rank in ranks)


def by_name(database: Database, table: MarksTable, name: str) -> dict[str, MarkLine]:
    return {line.name: line for line in marks(database, table, database.tournaments.get(name))}


def test_highest_reached_threshold_gives_the_mark(database: Database, table: MarksTable) -> None:
    tournament(database, "course", 4, games=8)
    lines = by_name(database, table, "course")
    assert sorted(lines) == ["b", "c"]  # a and d are of the staff
    assert (lines["b"].mark, lines["b"].provisional) == (10, False)
    weak, strong = lines["b"].steps
    assert (weak.score, weak.reached, weak.games) == (1.0, True, 8)
    assert (strong.score, strong.reached) == (0.0, False)
    assert lines["b"].certainty == weak.probability > 0.8


def test_mark_of_a_bot_that_reaches_nothing_is_the_lowest(database: Database, table: MarksTable) -> None:
    tournament(database, "course", 4, staff_wins, games=8)
    line = by_name(database, table, "course")["b"]
    assert (line.mark, any(step.reached for step in line.steps)) == (0, False)
    assert line.certainty == pytest.approx(1 - line.steps[0].probability)


def test_los_threshold_needs_evidence(database: Database, table: MarksTable) -> None:
    tournament(database, "course", 4, staff_loses, games=8)
    line = by_name(database, table, "course")["b"]
    assert (line.mark, line.certainty > 0.9) == (20, True)
    few = MarksTable(table.game, 2, table.step)
    assert by_name(database, few, "course")["b"].mark == 10  # one pair of games: LOS 0.82


def test_same_bot_keeps_its_mark_weeks_later(database: Database, table: MarksTable) -> None:
    tournament(database, "course", 4, games=8)
    before = by_name(database, table, "course")["b"]
    tournament(database, "weeks-later", 4, staff_wins, games=8)
    assert by_name(database, table, "weeks-later")["b"] == before


def test_missing_games_make_a_mark_provisional(database: Database, table: MarksTable) -> None:
    tournament(database, "course", 4, games=4)
    line = by_name(database, table, "course")["b"]
    assert (line.provisional, [step.games for step in line.steps]) == (True, [4, 4])


@pytest.mark.parametrize(
    ("a", "b", "share", "probability"),
    [(1, 1, 0.3, 0.7), (2, 1, 0.5, 0.75), (0.5, 0.5, 0.5, 0.5), (0.5, 0.5, 0.75, 1 / 3), (3, 2, 0.5, 0.6875)],
)
def test_tail_of_beta_is_exact_to_five_digits(a: float, b: float, share: float, probability: float) -> None:
    """Closed forms: powers for whole numbers, and the arcsine law for halves."""
    assert beta_tail(a, b, share) == pytest.approx(probability, abs=1e-5)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("los = 0.9", ""), "[[step]] 2: score must be set, or los"),
        (("score = 0.75", "score = 1.5"), "[[step]] 1: score"),
        (("games = 8", "gmaes = 8"), 'unknown key "gmaes"'),
    ],
)
def test_bad_file_of_marks_is_refused(tmp_path: Path, change: tuple[str, str], words: str) -> None:
    with refused(TournamentError, "marks.toml", words):
        read_marks(write_file(tmp_path, FILE.replace(*change), "marks.toml"))


def test_marks_of_another_game_are_refused(database: Database, table: MarksTable) -> None:
    course = tournament(database, "course", 4)
    with refused(UsageError, "course is of sage-stones, and the marks are of element"):
        marks(database, MarksTable("element", 8, table.step), course)


def test_pseudonyms_depend_on_the_key() -> None:
    assert pseudonym("one secret", "anna") == pseudonym("one secret", "anna")
    assert pseudonym("one secret", "anna") != pseudonym("another one", "anna")
