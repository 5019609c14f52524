"""An add-on of another package brings a format and rating methods, and every page and command is right.

The package is really installed: Tourney finds it by its entry point, in processes of its own.
"""

import csv
import io
import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.support.club_addon import install
from tests.support.command import run

pytestmark = pytest.mark.slow

CUP = """
name = "club-cup"
game = "sage-stones"
format = "club-swiss"
rounds = 2
seed = 5

[run]
sandbox = "off"
reuse = true
"""
ENTRANTS = "".join(
    f'[[entrant]]\nname = "{bot}-{letter}"\nbot = "{bot}"\n'
    for bot in ("random", "greedy")
    for letter in "ab"
)
RESULTS = "white,black,result\nann,bea,1-0\nbea,cat,1-0\ncat,ann,1/2-1/2\nann,cat,1-0\n"

Tourney = Callable[..., str]


def output(env: dict[str, str], folder: Path, *words: str, given: str = "") -> str:
    """The standard output of a command that succeeds."""
    done = run(*words, env=env, cwd=folder, given=given)
    assert done.returncode == 0, done.stderr
    return done.stdout


def path_of(folder: Path) -> dict[str, str]:
    """The variable by which Python finds the package, before the paths that were there."""
    paths = [str(folder / "site-packages"), os.environ.get("PYTHONPATH", "")]
    return {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("club")


@pytest.fixture(scope="module")
def tourney(folder: Path) -> Tourney:
    """Runs commands in a folder with a finished tournament of the add-on's format."""
    install(folder / "site-packages")
    command = partial(output, path_of(folder), folder)
    (folder / "cup.toml").write_text(CUP + ENTRANTS, encoding="utf-8")
    command("run", "cup.toml", "--quiet", "--workers", "1")
    return command


def ratings(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_tournament_of_the_format_is_ranked_and_verified(tourney: Tourney) -> None:
    lines = json.loads(tourney("standings", "--format", "json"))["standings"]
    assert [line["games"] for line in lines] == [4, 4, 4, 4]
    assert "club-cup is whole: 2 rounds, 8 matches" in tourney("verify", "--all")


def test_plain_method_has_its_column_in_each_form(tourney: Tourney) -> None:
    words = ("ratings", "--method", "first-places")
    assert tourney(*words).splitlines()[0].split() == ["rank", "name", "won", "games", "faults"]
    shares = [float(line["share"]) for line in ratings(tourney(*words, "--format", "csv"))]
    document = json.loads(tourney(*words, "--format", "json"))
    assert document["method"] == "first-places"
    assert [line["measures"] for line in document["ratings"]] == [{"share": share} for share in shares]


def test_ordered_method_has_its_own_default_and_its_option(tourney: Tourney) -> None:
    words = ("ratings", "--method", "levels", "--format", "csv")
    once, twice = (ratings(tourney(*words, *more)) for more in ((), ("--tau", "2")))
    levels = {line["name"]: float(line["level"]) for line in once}
    assert any(levels.values())
    assert {line["name"]: float(line["level"]) for line in twice} == {n: 2 * x for n, x in levels.items()}


def test_pool_method_has_intervals_and_pairs(tourney: Tourney) -> None:
    words = ("ratings", "--method", "bayes-pool", "--format", "json")
    document = json.loads(tourney(*words))
    assert "BayesElo" in document["model"]
    assert all(line["low"] < line["elo"] < line["high"] for line in document["ratings"])
    assert len(json.loads(tourney(*words, "--show", "pairs"))["pairs"]) == 6


@pytest.mark.parametrize("method", ["first-places", "levels", "bayes-pool"])
def test_results_of_files_are_rated_by_each_method(tourney: Tourney, method: str) -> None:
    table = ratings(tourney("rate", "-", "--method", method, "--format", "csv", given=RESULTS))
    assert table[0]["name"] == "ann"
    assert {line["name"] for line in table} == {"ann", "bea", "cat"}


def test_option_of_other_methods_is_refused_with_their_names(tourney: Tourney, folder: Path) -> None:
    assert tourney("--version")
    done = run("ratings", "--method", "first-places", "--tau", "1", env=path_of(folder), cwd=folder)
    assert (done.returncode, done.stderr) == (2, "error: --tau is for --method levels or trueskill\n")


def test_files_for_other_programs_know_the_swiss_and_the_game(tourney: Tourney) -> None:
    report = tourney("export", "--what", "trf").splitlines()
    assert report[3] == "092 Individual: Swiss-System"
    assert sum(line.startswith("001") for line in report) == 4
    assert tourney("export", "--format", "pgn").count('[Event "club-cup"]') == 8


def test_report_has_performances_floats_and_the_page(tourney: Tourney, folder: Path) -> None:
    tourney("report", "--out", "site")
    overview = (folder / "site" / "index.html").read_text(encoding="utf-8")
    assert "Performance" in overview
    assert 'href="club.html"' in overview
    assert "floats up" in (folder / "site" / "round-2.html").read_text(encoding="utf-8")
    club = (folder / "site" / "club.html").read_text(encoding="utf-8")
    assert club.count("<li>greedy-") == 2
