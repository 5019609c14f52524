"""``tourney ratings``: the numbers of the package for a stored tournament, in three forms."""

import csv
import io
import json
from pathlib import Path

import pytest
import trueskill

from tests.command import invoke
from tests.report import world
from tourney.store.repository import Repository


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("ratings") / "t.db"
    with Repository.open(str(path), create=True) as repository:
        world.play_all(repository, world.begin(repository, "abcd", games=4), void=(3,))
        world.begin(repository, "xy", name="empty")
    return str(path)


def test_the_numbers_are_the_packages(database: str) -> None:
    shown = invoke("ratings", "cup", "--db", database, "--format", "json")
    assert (shown.exit_code, shown.stderr) == (0, "")
    environment = trueskill.TrueSkill(tau=0)
    skills = [environment.create_rating() for _ in range(4)]
    with Repository.open(database) as repository:
        for row in repository.results(repository.tournament("cup").id):
            if not row.void:
                after = environment.rate([(skills[n],) for n in row.entrants], ranks=row.ranks)
                for number, (skill,) in zip(row.entrants, after, strict=True):
                    skills[number] = skill
    rows = json.loads(shown.stdout)
    assert [row["rank"] for row in rows] == sorted(row["rank"] for row in rows)
    for row in rows:
        mine = skills["abcd".index(row["name"])]
        assert (row["mu"], row["sigma"]) == (round(mine.mu, 3), round(mine.sigma, 3))
        assert row["exposed"] == pytest.approx(row["mu"] - 3 * row["sigma"], abs=1e-9)
    assert sum(row["games"] for row in rows) == 2 * 23
    assert sum(row["faults"] for row in rows) > 0


def test_the_three_forms_say_the_same(database: str) -> None:
    rows = json.loads(invoke("ratings", "cup", "--db", database, "--format", "json").stdout)
    lines = list(
        csv.DictReader(io.StringIO(invoke("ratings", "cup", "--db", database, "--format", "csv").stdout))
    )
    table = invoke("ratings", "cup", "--db", database).stdout
    for row, line in zip(rows, lines, strict=True):
        assert {key: str(value) for key, value in row.items()} == line
        assert f"{row['mu']:.3f}" in table


def test_the_order_in_which_matches_were_stored_decides_nothing(database: str, tmp_path: Path) -> None:
    path = str(tmp_path / "t.db")
    with Repository.open(path, create=True) as repository:
        world.play_all(repository, world.begin(repository, "abcd", games=4), void=(3,), backwards=True)
    for form in ("table", "csv", "json"):
        words = ("ratings", "cup", "--format", form, "--db")
        assert invoke(*words, path).stdout == invoke(*words, database).stdout


def test_settings_change_the_numbers(database: str) -> None:
    plain = invoke("ratings", "cup", "--db", database).stdout
    for words in (
        ("--tau", "default"),
        ("--tau", "0.5"),
        ("--draw-probability", "0.5"),
        ("--forfeits", "void"),
    ):
        assert invoke("ratings", "cup", "--db", database, *words).stdout != plain


def test_the_draw_probability_is_estimated_and_said(database: str) -> None:
    shown = invoke("ratings", "cup", "--db", database, "--draw-probability", "estimate")
    assert shown.exit_code == 0
    name, _, number = shown.stderr.strip().rpartition(": ")
    assert name == "draw probability of sage-stones with 2 seats"
    again = invoke("ratings", "cup", "--db", database, "--draw-probability", number)
    assert again.stdout == shown.stdout


def test_an_empty_tournament_has_equal_ratings(database: str) -> None:
    rows = json.loads(invoke("ratings", "--db", database, "--format", "json").stdout)
    assert [(row["rank"], row["mu"], row["sigma"], row["games"]) for row in rows] == [(1, 25.0, 8.333, 0)] * 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--tau", "much"), "--tau much is no number"),
        (("--tau", "-1"), "tau -1.0 is below 0"),
        (("--draw-probability", "1"), "the draw probability 1.0"),
        (("--draw-probability", "nan"), "the draw probability nan"),
        (("nobody",), "there is no tournament 'nobody'"),
        (("--method", "elo"), "elo"),
    ],
)
def test_wrong_use_is_one_sentence(database: str, words: tuple[str, ...], said: str) -> None:
    shown = invoke("ratings", *words, "--db", database)
    assert shown.exit_code == 2
    assert said in shown.stderr
    assert shown.stderr.count("\n") == 1
    assert shown.stdout == ""
