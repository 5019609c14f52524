"""``tourney compare`` with real bots, and its stored result."""

import csv
import io
import json
import math
from pathlib import Path

import pytest

from tests.support.command import invoke
from tourney.store.database import Database


def words(folder: Path, *more: str) -> tuple[str, ...]:
    fixed = ("--game", "sage-stones", "--option", "stones=3", "--elo1", "150", "--batch", "4", "--seed", "5")
    where = ("--db", str(folder / "t.db"), "--bots", str(folder / "bots"))
    return (
        "compare",
        "greedy",
        "random",
        *fixed,
        "--sandbox",
        "off",
        "--reuse",
        "--workers",
        "2",
        *where,
        *more,
    )


def test_comparison_prints_its_result_and_stores_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of its states it shows the first in a pipe, and others at intervals, of which there are none here."""
    monkeypatch.setattr("tourney.run.listeners.PLAIN_EVERY", math.inf)
    shown = invoke(*words(tmp_path, "--format", "json"))
    assert shown.exit_code == 0, shown.stderr
    result = json.loads(shown.stdout)
    assert result["decision"] in {"H0", "H1"}
    assert shown.stderr.count(" of 3.00, worse") == 1
    again = invoke(*words(tmp_path, "--format", "csv"))
    assert (again.exit_code, again.stderr) == (0, "")
    (line,) = csv.DictReader(io.StringIO(again.stdout))
    assert line["pentanomial"] == " ".join(map(str, result["pentanomial"]))
    assert (line["elo"], line["better"]) == (str(result["elo"]), str(result["better"]))
    table = invoke(*words(tmp_path)).stdout
    assert table.startswith("greedy is ")
    assert result["comparison"] in table
    # Other commands read it as any tournament.
    for other in ("standings", "ratings", "status"):
        assert "greedy" in invoke(other, "--db", str(tmp_path / "t.db")).stdout


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--elo0", "150"), "elo0 150 must lie below elo1 150"),
        (("--alpha", "0.7"), "alpha 0.7 must be at least 0.0001"),
        (("--beta", "nan"), "beta nan"),
        (("--game", "go"), "there is no game"),
        (("--option", "x"), "option 'x' does not have the form NAME=VALUE"),
        (("--args-a", "'"), '--args-a "\'" cannot be split into words'),
        (("--name", "No Name"), "No Name"),
        (("--stop-at", "25:00"), "--stop-at"),
        (("--fuel-per-ms", "1000"), "give both, or neither"),
        (("--charge", "fuel"), "--charge fuel counts the work of WebAssembly modules, and greedy is none"),
        (("--move-ms", "9007199254740993"), "--move-ms"),
    ],
)
def test_wrong_use_is_one_sentence_and_creates_nothing(
    tmp_path: Path, more: tuple[str, ...], said: str
) -> None:
    shown = invoke(*words(tmp_path, *more))
    assert shown.exit_code == 2
    assert said in shown.stderr
    assert shown.stderr.count("\n") == 1
    assert shown.stdout == ""
    assert not (tmp_path / "t.db").exists()


def test_unknown_bot_is_refused(tmp_path: Path) -> None:
    shown = invoke("compare", "greedy", "unknown", "--game", "sages-tafl", "--db", str(tmp_path / "t.db"))
    assert shown.exit_code == 2
    assert "unknown" in shown.stderr


def test_limits_come_from_a_file_and_options(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text("[limits]\nclock-ms = 600000\nincrement-ms = 80\n")
    limits = ("--limits", str(tmp_path / "cup.toml"), "--limit", "margin-ms=900", "--nodes", "7")
    shown = invoke(*words(tmp_path, "--max-pairs", "1", *limits))
    assert shown.exit_code == 0, shown.stderr
    with Database.open(str(tmp_path / "t.db")) as database:
        found = database.tournaments.get().plan.limits
    assert (found.move_ms, found.clock_ms, found.increment_ms) == (None, 600_000, 80)
    assert (found.margin_ms, found.nodes) == (900, 7)


def test_openings_come_from_a_book(tmp_path: Path) -> None:
    book = ("--opening-book", "seeds/sages-tafl.book", "--game", "sages-tafl", "--max-pairs", "1")
    plain = ("compare", "greedy", "random", *book, "--seed", "5", "--sandbox", "off", "--workers", "1")
    where = ("--db", str(tmp_path / "t.db"), "--bots", str(tmp_path / "bots"), "--move-ms", "600000")
    assert invoke(*plain, "--reuse", *where).exit_code == 0
    with Database.open(str(tmp_path / "t.db")) as database:
        plan = database.tournaments.get().plan
    assert len(plan.book) > 1
    assert plan.opening_plies == 0
