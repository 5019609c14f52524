"""``tourney run --dry-run``: what a run would do, and nothing written."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import invoke
from tests.support.tournaments import write_file

HEAD = 'name = "cup"\ngame = "sage-stones"\nbots = ["pebble", "random", "greedy", "mcts"]\n'
END = '[limits]\nmove-ms = 600000\nstartup-ms = 600000\n[run]\nsandbox = "off"\n'


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("TOURNEY_DB", "TOURNEY_BOTS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def asked(*words: str) -> Any:
    done = invoke("run", "cup.toml", "--dry-run", "--workers", "2", "--format", "json", *words)
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("more", "rounds", "matches", "most", "paired"),
    [
        ("", 3, 12, 12, 12),
        ('format = "swiss"\nrounds = 3\n', 3, 12, 12, 4),
        ('format = "knockout"\n', None, None, None, 4),
        ('format = "adaptive"\nbudget = 50\nbatch = 5\n', 5, 50, 50, 10),
        ('format = "adaptive"\nbudget = 51\nbatch = 5\ntarget-sigma = 5\n', None, None, 50, 10),
        ("games-per-pairing = 40\n[until]\nwidth = 30\n", None, None, 240, 96),
    ],
)
def test_rounds_and_matches_are_planned(
    home: Path, more: str, rounds: int | None, matches: int | None, most: int | None, paired: int
) -> None:
    write_file(home, HEAD + more + END)
    found = asked()
    assert (found["rounds"], found["matches"], found["most_matches"]) == (rounds, matches, most)
    assert found["paired"] == paired
    assert (found["started"], found["basis"], found["done"]) == (False, "limits", 0)
    assert found["seconds"] > 0
    assert "every match has dice of its own" in found["shared"]
    assert [path.name for path in home.iterdir()] == ["cup.toml"]


def test_end_of_a_run_is_held_against_its_time(home: Path) -> None:
    """A bound from the limits gives the least number of matches."""
    write_file(home, HEAD + END)
    whole = asked("--stop-after", "99h")
    assert whole["allowed"] == pytest.approx(99 * 3600, abs=600)
    half = f"{round(whole['seconds'] / 2)}s"
    text = invoke("run", "cup.toml", "--dry-run", "--workers", "2", "--stop-after", half).stdout
    assert re.search(r"\n  end +the run has .*: enough for at least about [56] of 12 matches; ", text)


def test_bot_of_a_path_is_not_stored_or_built(home: Path) -> None:
    """A build would fail."""
    (home / "mine").mkdir()
    (home / "mine" / "bot.toml").write_text(
        'name = "mine"\nversion = "1"\ngames = ["sage-stones"]\ncommand = ["./bot"]\nbuild = ["false"]\n'
    )
    write_file(home, HEAD.replace('"mcts"', '"./mine"') + END)
    assert {"name": "mine", "bot": "mine@1"} in asked()["entrants"]
    assert sorted(path.name for path in home.iterdir()) == ["cup.toml", "mine"]


def test_started_tournament_goes_on_by_measured_times(home: Path) -> None:
    head = HEAD.replace(', "greedy", "mcts"', "")
    write_file(home, head + END)
    assert invoke("run", "cup.toml", "--workers", "1").exit_code == 0
    before = (home / "tourney.db").read_bytes()
    assert asked()["seconds"] == 0
    assert "all is played" in invoke("run", "cup.toml", "--dry-run").stdout
    write_file(home, head + '[[entrant]]\nbot = "pebble"\nname = "late"\n' + END)
    found = asked()
    assert (found["started"], found["added"], found["basis"]) == (True, ["late"], "matches")
    assert (found["matches"], found["done"]) == (6, 2)
    text = invoke("run", "cup.toml", "--dry-run", "--workers", "1").stdout
    assert "\n  joining    late\n" in text
    assert "with 1 worker, as stored matches took\n" in text
    assert "\n  end " not in text
    text = invoke("run", "cup.toml", "--dry-run", "--stop-after", "8h").stdout
    assert "which is enough for all matches" in text
    write_file(home, head.replace("sage-stones", "element") + END)
    refused = invoke("run", "cup.toml", "--dry-run")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "game was" in refused.stderr
    assert (home / "tourney.db").read_bytes() == before


def test_unplayable_file_is_refused(home: Path) -> None:
    write_file(home, HEAD.replace('"mcts"', '"nothing"') + END)
    refused = invoke("run", "cup.toml", "--dry-run")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "there is no bot 'nothing'" in refused.stderr
    write_file(home, HEAD + 'format = "swiss"\nrounds = 9\n' + END)
    assert "rounds is 9" in invoke("run", "cup.toml", "--dry-run").stderr
