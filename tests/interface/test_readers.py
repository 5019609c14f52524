"""Frames of a database: documented columns and dtypes, schedule order, and errors in one sentence."""

import io
import re
from pathlib import Path
from unittest.mock import patch

import pandas as pd
import pytest

import tourney
from tests.docs.pages import page
from tests.support.command import installed, invoke
from tests.support.tournaments import begin, refused
from tourney.errors import StoreError, UsageError
from tourney.interface.frames import seat_columns
from tourney.plugins import Addon, load
from tourney.ratings.method import METHODS
from tourney.ratings.trueskill import TrueSkillMethod
from tourney.results.columns import ACTION_COLUMNS, ELO, Column, frame_name, rating_columns
from tourney.store.database import Database

TRUESKILL = rating_columns(TrueSkillMethod.measures)
FRAMES = (
    *("entrants", "matches", "seats", "pairs", "faults", "think_times", "standings"),
    *("history", "analysis", "ratings"),
)


def described(section: str) -> dict[str, str]:
    """The columns and dtypes of a section of the page."""
    text = page("reference/python.md").split(f"\n### {section}\n")[1].split("\n#")[0]
    return dict(re.findall(r"^\| `([a-z_-]+)` \| `([^`]+)` \|", text, re.MULTILINE))


def test_documented_values_are_those_of_the_columns() -> None:
    text = page("reference/python.md").split("\n### ratings\n")[1].split("\n## ")[0]
    documented = dict(re.findall(r"^\| `([a-z_]+)` \| `\w+` \| (.*) \|$", text, re.MULTILINE))
    assert documented == {frame_name(column.key): column.description for column in (*TRUESKILL, *ELO)}


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize("tournament", ["cup", "planned"])
def test_frames_have_the_documented_columns(
    database: tourney.DatabaseReader, tournament: str, name: str
) -> None:
    frame: pd.DataFrame = getattr(database.tournament(tournament), name)()
    found = {column: str(dtype) for column, dtype in frame.dtypes.items()}
    documented = described(name)
    if name == "standings":
        own = ("direct_encounter", "sonneborn_berger", "luck", "mean_without_luck")
        documented |= dict.fromkeys(own, "float64")
    if name == "matches":  # the page has the seats of another game
        seats = seat_columns(database.tournament(tournament).stored)
        documented |= dict.fromkeys(seats, "string")
        documented |= dict.fromkeys((f"{seat}_rank" for seat in seats), "Int64")
        for seat in ("black", "red"):
            documented = {key: dtype for key, dtype in documented.items() if not key.startswith(seat)}
    assert {key: found[key] for key in found if key in documented} == found
    assert set(documented) - set(found) <= {"mu", "sigma", "exposed"}
    assert list(frame.index) == list(range(len(frame)))


@pytest.mark.parametrize("columns", [ELO, TRUESKILL, ACTION_COLUMNS])
def test_page_describes_columns_as_the_catalogue(columns: tuple[Column, ...]) -> None:
    text = page("reference/python.md")
    assert all(f"| `{frame_name(one.key)}` | `{one.dtype}` | {one.description} |" in text for one in columns)


def test_frames_are_those_of_the_commands(database: tourney.DatabaseReader, url: str) -> None:
    cup = database.tournament("cup")
    for name, words in (
        ("think_times", ("export", "cup", "--what", "times")),
        ("standings", ("standings", "cup", "--format", "csv")),
        ("ratings", ("ratings", "cup", "--format", "csv")),
    ):
        printed = pd.read_csv(io.StringIO(invoke(*words, "--db", url).stdout))
        frame: pd.DataFrame = getattr(cup, name)()
        assert list(map(frame_name, printed.columns)) == list(frame.columns), name
        assert len(printed) == len(frame) > 0, name
    pd.testing.assert_frame_equal(cup.matches(), cup.matches())


def test_matches_are_in_schedule_order_with_void_ones(database: tourney.DatabaseReader) -> None:
    matches = database.tournament().matches()
    assert matches["match"].to_list() == [1, 2, 3, 4, 5, 6]
    assert matches["void"].to_list() == [False, True, False, False, False, False]
    assert matches["digest"].str.len().to_list() == [64, 0, 64, 64, 64, 64]
    assert set(database.tournament().think_times()["match"]) <= {1, 3, 4, 5, 6}
    assert database.tournament("planned").matches()["winner"].isna().all()


def test_anchors_fix_the_mean_of_some_ratings(database: tourney.DatabaseReader) -> None:
    cup = database.tournament("cup")
    first, second, _ = cup.ratings()["name"]
    elo = cup.ratings(anchors={first: 1500, second: 1400}).set_index("name")["elo"]
    assert (elo[first] + elo[second]) / 2 == pytest.approx(1450)
    with refused(UsageError, "has no entrant 'nobody'; its entrants:"):
        cup.ratings(anchors={"nobody": 0})
    with refused(UsageError, "the method trueskill has no Elo to anchor"):
        cup.ratings("trueskill", anchors={first: 0})


def test_notebooks_show_standings_and_boards(database: tourney.DatabaseReader) -> None:
    cup = database.tournament("cup")
    assert "Finished." in cup._repr_html_()
    assert all(f"<td>{name}</td>" in cup._repr_html_() for name in cup.entrants()["name"])
    assert "<svg" in cup.match(1)._repr_html_()


def test_dir_of_the_package_lists_the_interface_alone() -> None:
    assert [name for name in dir(tourney) if not name.startswith("__")] == sorted(vars(tourney)["_MODULES"])


def test_trueskill_and_forfeits_are_chosen_by_name(database: tourney.DatabaseReader) -> None:
    cup = database.tournament("cup")
    assert list(cup.ratings("trueskill").columns) == [column.key for column in TRUESKILL]
    assert len(cup.ratings(forfeits="void")) == 3
    with refused(UsageError, "elo-by-hand"):
        cup.ratings("elo-by-hand")
    with refused(UsageError, "forfeits is 'win': it must be"):
        cup.ratings(forfeits="win")  # type: ignore[arg-type]  # on purpose


@pytest.mark.parametrize(
    ("method", "measures"),
    [("FirstPlaces", ["share"]), ("Levels", ["level"]), ("BayesPool", ["elo", "elo_low"])],
)
def test_method_of_another_package_has_a_frame(
    database: tourney.DatabaseReader, method: str, measures: list[str]
) -> None:
    target = f"tests.support.club_addon:{method}"
    name = load(target).name
    with installed(Addon(rating_methods={name: target})), patch.dict(METHODS._loaded):
        frame = database.tournament("cup").ratings(name)
    assert [str(frame[measure].dtype) for measure in measures] == ["float64"] * len(measures)


def test_tournaments_are_listed_from_the_oldest(database: tourney.DatabaseReader) -> None:
    listed = database.tournaments()
    assert listed["name"].to_list() == ["planned", "cup"]
    assert listed["done"].to_list() == [0, 6]
    assert [one.name for one in database.all_tournaments()] == ["planned", "cup"]
    assert {key: str(dtype) for key, dtype in listed.dtypes.items()} == dict(
        re.findall(
            r"^\| `([a-z_]+)` \| `(\w+)` \|",
            page("reference/python.md").split("\n## DatabaseReader\n")[1].split("\n## ")[0],
            re.MULTILINE,
        )
    )


def test_snapshot_sees_one_moment(url: str) -> None:
    with tourney.open_database(url) as database, database.snapshot() as moment:
        before = moment.tournaments()
        with Database.open(url, write=True) as writer:
            begin(writer, 2, name="later")
        pd.testing.assert_frame_equal(moment.tournaments(), before)
        assert database.tournaments()["name"].to_list()[-1] == "later"


def test_errors_are_one_sentence(database: tourney.DatabaseReader, tmp_path: Path) -> None:
    with refused(StoreError, "there is no database"):
        tourney.open_database(tmp_path / "missing.db")
    assert not (tmp_path / "missing.db").exists()
    with refused(UsageError, "there is no tournament 'other'"):
        database.tournament("other")
    with refused(tourney.TourneyError, "99"):
        database.tournament("cup").match(99)


@pytest.mark.addon("lab")
def test_default_tournament_is_never_a_question(tmp_path: Path) -> None:
    path = str(tmp_path / "t.db")
    with Database.open(path, create=True) as database:
        begin(database, 2, name="first", format_="gate", pair=False)
        assert database.tournaments.get().name == "first"
        begin(database, 2, name="cup", pair=False)
        begin(database, 2, name="second", format_="compare", pair=False)
    with tourney.open_database(path) as opened:
        assert opened.tournament().name == "cup"
        assert opened.tournament("second").name == "second"
