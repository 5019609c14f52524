"""``tourney ratings``: TrueSkill and batch ratings as table, CSV and JSON."""

import contextlib
import csv
import io
import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import click
import pytest
import trueskill

from tests.report import world
from tests.support.command import installed, invoke
from tests.support.tournaments import begin
from tourney.cli.ratings import command
from tourney.errors import StoreError
from tourney.plugins import Addon
from tourney.ratings.method import METHODS, Forfeits, Measure, RatingMethod, rated
from tourney.results import ratings
from tourney.run.engine.recorder import pair_next, spec_of
from tourney.schedule.row import ResultRow
from tourney.store.column_reading import pack
from tourney.store.database import Database
from tourney.store.derived import RatingData
from tourney.store.matches import Matches
from tourney.store.values import MatchResult, Tournament

METHOD = ("--method", "trueskill")
TRUESKILL = ("ratings", "cup", *METHOD)
BATCH = ("ratings", "cup")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("ratings") / "t.db"
    with Database.open(str(path), create=True) as repository:
        world.play_all(repository, world.begin(repository, "abcd", games=4), void=(3,))
        world.begin(repository, "xy", name="empty")
    return str(path)


def test_command_prints_the_packages_numbers(database: str) -> None:
    shown = invoke(*TRUESKILL, "--db", database, "--format", "json")
    assert (shown.exit_code, shown.stderr) == (0, "rated with tau 0 and draw probability 0.1\n")
    environment = trueskill.TrueSkill(tau=0)
    skills = [environment.create_rating() for _ in range(4)]
    with Database.open(database) as repository:
        for row in repository.matches.results(repository.tournaments.get("cup").id):
            if not row.void:
                after = environment.rate([(skills[n],) for n in row.entrants], ranks=row.ranks)
                for number, (skill,) in zip(row.entrants, after, strict=True):
                    skills[number] = skill
    rows = json.loads(shown.stdout)["ratings"]
    assert [row["rank"] for row in rows] == sorted(row["rank"] for row in rows)
    for row in rows:
        mine, measures = skills["abcd".index(row["name"])], row["measures"]
        assert (measures["mu"], measures["sigma"]) == (round(mine.mu, 3), round(mine.sigma, 3))
        assert measures["exposed"] == pytest.approx(measures["mu"] - 3 * measures["sigma"], abs=1e-9)
    assert sum(row["games"] for row in rows) == 2 * 23
    assert sum(row["faults"] for row in rows) > 0


def test_table_csv_and_json_have_equal_numbers(database: str) -> None:
    rows = json.loads(invoke(*TRUESKILL, "--db", database, "--format", "json").stdout)["ratings"]
    lines = list(csv.DictReader(io.StringIO(invoke(*TRUESKILL, "--db", database, "--format", "csv").stdout)))
    table = invoke(*TRUESKILL, "--db", database).stdout
    for row, line in zip(rows, lines, strict=True):
        measures = row.pop("measures")
        assert {key: str(value) for key, value in {**row, **measures}.items()} == line
        assert f"{measures['mu']:.3f}" in table


@pytest.mark.parametrize(
    "words",
    [
        TRUESKILL,
        BATCH,
        (*BATCH, "--show", "pairs"),
        (*BATCH, "--show", "pool"),
        (*BATCH, "--forfeits", "void"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("seats", [2, 4])
def test_ratings_do_not_depend_on_storage_order(tmp_path: Path, words: tuple[str, ...], seats: int) -> None:
    games = {2: 4, 4: 24}[seats]
    paths = [str(tmp_path / name) for name in ("forth.db", "back.db")]
    for path in paths:
        with Database.open(path, create=True) as repository:
            cup = world.begin(repository, "abcd", games=games, seats=seats)
            world.play_all(repository, cup, void=(3,), backwards=path == paths[1])
    for form in ("table", "csv", "json"):
        one, other = (invoke(*words, "--format", form, "--db", path) for path in paths)
        assert (one.exit_code, one.stdout, one.stderr) == (0, other.stdout, other.stderr)
        assert one.stdout.count("\n") > 4


def test_settings_change_the_ratings(database: str) -> None:
    plain = invoke(*TRUESKILL, "--db", database).stdout
    for words in (
        ("--tau", "default"),
        ("--tau", "0.5"),
        ("--draw-probability", "0.5"),
        ("--forfeits", "void"),
    ):
        assert invoke(*TRUESKILL, "--db", database, *words).stdout != plain
    assert (
        invoke(*BATCH, "--db", database, "--forfeits", "void").stdout
        != invoke(*BATCH, "--db", database).stdout
    )


def play_some(repository: Database, tournament: Tournament, numbers: Iterable[int]) -> None:
    """Play these matches."""
    entrants, rows = (
        repository.tournaments.entrants(tournament.id),
        dict(repository.schedules.rows(tournament.id)),
    )
    for number in numbers:
        match = world.played(spec_of(tournament, entrants, rows[number]), number)
        repository.matches.add(tournament.id, [MatchResult(number, match)])


def played_database(path: Path, games: int = 4) -> str:
    """Create a database with a finished tournament, and return its path."""
    with Database.open(str(path), create=True) as repository:
        world.play_all(repository, world.begin(repository, "abcd", games=games))
    return str(path)


def test_draw_probability_is_estimated_once_and_stored(tmp_path: Path) -> None:
    """Later runs use it; a second request prints the same number."""
    path = played_database(tmp_path / "t.db")
    before = invoke(*TRUESKILL, "--db", path).stdout
    shown = invoke(*TRUESKILL, "--db", path, "--draw-probability", "estimate")
    assert shown.exit_code == 0
    said, _, number = shown.stderr.strip().rpartition(": ")
    assert said == "draw probability of sage-stones with 2 seats, of 24 matches of cup"
    for words in ((), ("--draw-probability", number)):
        again = invoke(*TRUESKILL, "--db", path, *words)
        assert again.stdout == shown.stdout != before
        assert again.stderr == f"rated with tau 0 and draw probability {float(number):g}\n"
    with Database.open(path) as repository:
        world.play_all(repository, world.begin(repository, "xyz", name="second", games=6))
    second = ("ratings", "second", "--method", "trueskill", "--db", path, "--draw-probability")
    assert invoke(*second, "estimate").stderr == shown.stderr
    again = invoke(*second, "estimate-again")
    assert "18 matches of second: " in again.stderr
    assert invoke(*second, "estimate").stderr == again.stderr


def test_read_only_database_is_rated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise StoreError("the database t.db failed: attempt to write a readonly database")

    monkeypatch.setattr(ratings, "WORTH_KEEPING", 1)
    path = played_database(tmp_path / "t.db")
    monkeypatch.setattr(RatingData, "keep_checkpoint", fail)
    monkeypatch.setattr(RatingData, "keep_draw_probability", fail)
    shown = invoke(*TRUESKILL, "--db", path, "--draw-probability", "estimate")
    assert shown.exit_code == 0
    assert "warning: the draw probability is not kept" in shown.stderr
    assert "24 matches of cup: " in shown.stderr
    assert shown.stdout


def test_ratings_continue_from_the_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second run reads only results after the settled prefix, and the numbers are the same."""
    monkeypatch.setattr(ratings, "WORTH_KEEPING", 1)
    asked: list[int] = []
    results = Matches.results

    def spy(self: Matches, tournament: int, *, after: int = 0, luck: bool = False) -> Iterator[ResultRow]:
        asked.append(after)
        return results(self, tournament, after=after, luck=luck)

    monkeypatch.setattr(Matches, "results", spy)
    path, whole = str(tmp_path / "t.db"), played_database(tmp_path / "whole.db", games=8)
    expected = invoke(*TRUESKILL, "--db", whole).stdout
    with Database.open(path, create=True) as repository:
        cup = world.begin(repository, "abcd", games=8)
        asked.clear()
        for numbers in ([*range(1, 21), 30, 31], [40, 48], [*range(21, 30), *range(32, 40), *range(41, 48)]):
            play_some(repository, cup, numbers)
            once = invoke(*TRUESKILL, "--db", path)
            twice = invoke(*TRUESKILL, "--db", path)
            assert once.exit_code == 0
            assert once.stdout == twice.stdout
    assert once.stdout == expected
    assert asked == [0, 20, 20, 20, 20, 48]
    # Other settings start from the beginning.
    assert invoke(*TRUESKILL, "--db", path, "--tau", "0.5").exit_code == 0
    assert asked[-1] == 0


def test_withdrawn_result_discards_the_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed old result changes the ratings, although all later matches were rated before."""
    monkeypatch.setattr(ratings, "WORTH_KEEPING", 1)
    path, other = played_database(tmp_path / "t.db"), str(tmp_path / "other.db")
    before = invoke(*TRUESKILL, "--db", path).stdout
    with Database.open(other, create=True) as repository:
        cup = world.begin(repository, "abcd", games=4)
        play_some(repository, cup, [number for number, _ in repository.schedules.rows(cup.id) if number != 3])
        replace_with_void(repository, cup, 3)
    with Database.open(path) as repository:
        cup = repository.tournaments.get()
        repository.matches.take_back(cup.id, (3,))
        replace_with_void(repository, cup, 3)
    after = invoke(*TRUESKILL, "--db", path).stdout
    assert after == invoke(*TRUESKILL, "--db", other).stdout != before


def replace_with_void(repository: Database, tournament: Tournament, number: int) -> None:
    """Store a void match in place of the played one."""
    repository.matches.add(tournament.id, [MatchResult(number, None, "lost")])


def test_malformed_checkpoint_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings, "WORTH_KEEPING", 1)
    path = played_database(tmp_path / "t.db")
    expected = invoke(*TRUESKILL, "--db", path).stdout
    for spoiled in (b"no", pack({"skills": [[0, "x", "y", 1]], "last": None}), pack([])):
        with contextlib.closing(sqlite3.connect(path)) as connection, connection:
            assert connection.execute("UPDATE rating_checkpoint SET state = ?", (spoiled,)).rowcount == 1
        assert invoke(*TRUESKILL, "--db", path).stdout == expected


def test_batch_table_has_equal_rows_in_every_format(database: str) -> None:
    shown = invoke(*BATCH, "--db", database, "--format", "json")
    assert shown.exit_code == 0
    rows = json.loads(shown.stdout)["ratings"]
    assert list(rows[0]) == [
        *(
            "rank",
            "best_rank",
            "worst_rank",
            "name",
            "elo",
            "low",
            "high",
            "score",
            "games",
            "faults",
            "p_best",
            "luck",
            "elo_with_luck",
            "wins",
            "won",
        )
    ]
    assert sum(row["games"] for row in rows) == 2 * 23
    assert sum(row["faults"] for row in rows) > 0
    assert [row["rank"] for row in rows] == [1, 2, 3, 4]
    lines = list(csv.DictReader(io.StringIO(invoke(*BATCH, "--db", database, "--format", "csv").stdout)))
    assert {line.pop("intervals") for line in lines} == {"fixed 95 %"}
    texts = [{key: "" if value is None else str(value) for key, value in row.items()} for row in rows]
    assert texts == lines
    table = invoke(*BATCH, "--db", database).stdout
    assert "fixed 95 %" in table
    for row in rows:
        assert f"{row['elo']:+.1f}" in table
        assert f"{row['low']:+.1f} .. {row['high']:+.1f}" in table
    assert "Seats, in Elo relative to their mean: seat 1: " in shown.stderr
    assert invoke(*BATCH, "--db", database, "--quiet").stderr == ""


def test_pairs_have_likelihood_of_superiority(database: str) -> None:
    rows = json.loads(invoke(*BATCH, "--db", database, "--show", "pairs", "--format", "json").stdout)["pairs"]
    assert len(rows) == 6
    assert all(0.5 <= row["los"] <= 1 for row in rows)
    assert sum(row["games"] for row in rows) == 23


def test_pool_shows_figures_of_the_whole_fit(database: str) -> None:
    shown = invoke(*BATCH, "--db", database, "--show", "pool", "--format", "json").stdout
    pool = json.loads(shown)
    assert (pool["matches"], pool["groups"], pool["prior_elo"]) == (23, 12, 92.9)
    assert pool["parts"] == [list(pool["p_best"])]
    assert pool["seats"][0]["elo"] == -pool["seats"][1]["elo"]
    table = invoke(*BATCH, "--db", database, "--show", "pool", "--format", "csv").stdout
    figures = {row["figure"]: row["value"] for row in csv.DictReader(io.StringIO(table))}
    assert (figures["matches"], figures["clusters"], figures["parts"]) == ("23", "12", "1")
    assert float(figures["seat 1 (Elo)"]) == pool["seats"][0]["elo"]


def test_batch_warns_of_unconnected_groups(tmp_path: Path) -> None:
    """The groups never met, or only the prior limits their distance."""
    path = str(tmp_path / "t.db")
    with Database.open(path, create=True) as repository:
        cup = world.begin(repository, "abcd", games=2)
        pair = [
            number for number, row in repository.schedules.rows(cup.id) if set(row.seats) in ({0, 1}, {2, 3})
        ]
        play_some(repository, cup, pair[::2])
    said = invoke(*BATCH, "--db", path).stderr
    assert "No match connects these 2 groups of bots" in said
    assert "only the prior limits the distance between these groups" in said
    left_out = invoke(*BATCH, "--db", path, "--forfeits", "void").stderr
    assert "left out: " in left_out


@pytest.mark.slow
@pytest.mark.parametrize("names", ["", "a", "ab"])
def test_pools_of_up_to_two_are_rated(tmp_path: Path, names: str) -> None:
    path = str(tmp_path / "t.db")
    with Database.open(path, create=True) as repository:
        cup = begin(repository, len(names), pair=False)
        if len(names) == 2:
            pair_next(repository, cup.id)
            play_some(repository, cup, [1])
    for method in ("batch", "trueskill"):
        for show in ("bots", "pairs", "pool") if method == "batch" else ("bots",):
            for form in ("table", "csv", "json"):
                words = ("--method", method, "--show", show, "--format", form)
                shown = invoke("ratings", "--db", path, *words)
                assert shown.exit_code == 0, shown.stderr
                assert "nan" not in shown.stdout
    rows = json.loads(invoke("ratings", "--db", path, "--format", "json").stdout)["ratings"]
    assert [row["games"] for row in rows] == [int(len(names) == 2)] * len(names)


def test_empty_tournament_has_equal_ratings(database: str) -> None:
    words = ("ratings", "--method", "trueskill", "--db", database, "--format", "json")
    rows = json.loads(invoke(*words).stdout)["ratings"]
    assert {(row["rank"], row["games"]) for row in rows} == {(1, 0)}
    assert [(row["measures"]["mu"], row["measures"]["sigma"]) for row in rows] == [(25.0, 8.333)] * 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*METHOD, "--tau", "much"), "--tau much is not a number"),
        ((*METHOD, "--tau", "-1"), "tau -1.0 is not from 0"),
        ((*METHOD, "--tau", "1e200"), "tau 1e+200 is not from 0 to 1e+06"),
        ((*METHOD, "--draw-probability", "1"), "the draw probability 1.0"),
        ((*METHOD, "--draw-probability", "nan"), "the draw probability nan"),
        ((*METHOD, "--show", "pairs"), "--show pairs is for --method batch"),
        (("--tau", "0"), "--tau is for --method trueskill"),
        (("--draw-probability", "0.1"), "--draw-probability is for --method trueskill"),
        (("unknown",), "there is no tournament 'unknown'"),
        (("--method", "elo"), "elo"),
    ],
)
def test_wrong_use_is_one_sentence(database: str, words: tuple[str, ...], said: str) -> None:
    shown = invoke("ratings", *words, "--db", database)
    assert shown.exit_code == 2
    assert said in shown.stderr
    assert shown.stderr.count("\n") == 1
    assert shown.stdout == ""


class Share(NamedTuple):
    rank: int
    entrant: int
    games: int
    first: float


class FirstPlaces(RatingMethod):
    """A rating method of another package: the share of first places."""

    name = "first-places"
    measures = (Measure("first", "Share of first places", digits=2),)

    def rate(
        self, results: Iterable[ResultRow], entrants: Iterable[int], seats: int, forfeits: Forfeits = "loss"
    ) -> list[Share]:
        games, won = Counter[int](), Counter[int]()
        for result in rated(results, forfeits):
            games.update(result.entrants)
            won.update(n for n, rank in zip(result.entrants, result.ranks, strict=True) if rank == 1)
        order = sorted(entrants, key=lambda n: (-won[n] / games[n], n))
        return [Share(k, n, games[n], round(won[n] / games[n], 2)) for k, n in enumerate(order, 1)]


def test_plugin_prints_its_own_table(database: str) -> None:
    (option,) = (param for param in command.params if param.name == "method")
    with (
        installed(Addon(rating_methods={"first-places": f"{__name__}:FirstPlaces"})),
        patch.object(option, "type", click.Choice(["batch", "first-places", "trueskill"])),
        patch.dict(METHODS._loaded),
    ):
        done = invoke("ratings", "cup", "--method", "first-places", "--db", database, "--format", "json")
    document = json.loads(done.stdout)
    rows = document["ratings"]
    assert (done.exit_code, done.stderr, document["method"]) == (0, "", "first-places")
    first = [row["measures"]["first"] for row in rows]
    assert first == sorted(first, reverse=True)
    assert sum(row["games"] for row in rows) == 2 * 23


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--game", "toe"), "--game is for --all"),
        (("--anchor", "a=1"), "--anchor is for --all"),
        (("--limit", "move-ms=5"), "--limit is for --all"),
        (("--any-host",), "--any-host is for --all"),
        (("--all", "--method", "trueskill"), "--all is for --method batch"),
        (("--all", "--anchor", "a"), "does not have the form NAME=ELO"),
    ],
)
def test_options_of_all_tournaments_need_all(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    done = invoke("ratings", *words, "--db", str(tmp_path / "none.db"))
    assert (done.exit_code, said in done.stderr) == (2, True), done.stderr


def test_table_says_too_few_games_where_the_prior_decides(tmp_path: Path) -> None:
    path = str(tmp_path / "t.db")
    with Database.open(path, create=True) as repository:
        world.play_all(repository, world.begin(repository, ("ann", "bob"), games=2), most=1)
    assert invoke("ratings", "--db", path).stdout.count("too few games") == 2
    assert invoke("ratings", "--all", "--db", path).stdout.count("too few games") == 2
    exact = json.loads(invoke("ratings", "--db", path, "--format", "json").stdout)["ratings"]
    assert all(line["low"] < line["elo"] < line["high"] for line in exact)
