"""``tourney games``: the list in every format, and broken plugins."""

import csv
import io
import json
from pathlib import Path
from unittest.mock import Mock, patch

import pytest

from tests.support.command import TOYS, invoke, offering
from tourney import plugins
from tourney.errors import GameError


def test_games_are_listed_in_every_output_format() -> None:
    """Each form has names, titles, seats and options."""
    with offering(**TOYS):
        table = invoke("games").stdout.splitlines()
        rows = list(csv.DictReader(io.StringIO(invoke("games", "--format", "csv").stdout)))
        data = json.loads(invoke("games", "--format", "json").stdout)["games"]
    assert [line.split()[0] for line in table[2:]] == ["odds", "race", "toe"]
    assert [row["name"] for row in rows] == ["odds", "race", "toe"]
    assert data[2] == {
        "name": "toe",
        "title": "Noughts and Crosses",
        "seats": [2],
        "chance": False,
        "hidden": False,
        "rules": "1",
        "options": [
            {"name": "misere", "default": "no", "values": ["no", "yes"], "help": "three in a row lose"}
        ],
    }
    assert (data[0]["hidden"], data[1]["chance"], data[1]["seats"]) == (True, True, [2, 3])


def test_one_game_is_shown_by_its_name() -> None:
    with offering(**TOYS):
        shown = invoke("games", "toe", "--format", "csv")
        unknown = invoke("games", "nothing")
    assert [row["name"] for row in csv.DictReader(io.StringIO(shown.stdout))] == ["toe"]
    assert shown.stderr == ""
    assert (unknown.exit_code, "there is no game 'nothing'" in unknown.stderr) == (2, True)


@pytest.mark.addon("chess")
def test_game_without_its_package_names_the_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is listed, and no bot for it is written."""
    rules = Mock(side_effect=GameError("needs the package chess"))
    monkeypatch.setattr("tourney.addons.chess.game.rules", rules)
    done = invoke("games")
    assert (done.exit_code, "chess960  " in done.stdout) == (0, True)
    assert "chess: needs the package chess\nchess960: needs the package chess\n" in done.stderr
    assert json.loads(invoke("games", "chess", "--format", "json").stdout)["missing"] == [
        "chess: needs the package chess"
    ]
    made = invoke("bots", "new", "one", "--game", "chess")
    assert (made.exit_code, made.stderr) == (2, "error: needs the package chess\n")


def test_consecutive_option_values_are_shown_as_a_range() -> None:
    """An option with many numbers in a row is abridged."""
    assert "stones=10|3..15 " in invoke("games").stdout


def test_broken_plugins_are_reported() -> None:
    """Each broken plugin is an error line; the others are listed; the exit code is 1."""
    bad = {
        "gone": "tests.nowhere:Gone",
        "wrong": "tests.support.toys:Toe",
        "no_game": "tests.support.toys:ToeState",
    }
    with offering(**TOYS, **bad):
        done = invoke("games", "--format", "csv")
    assert done.exit_code == 1
    assert [line.split(",")[0] for line in done.stdout.splitlines()] == ["name", "odds", "race", "toe"]
    said = done.stderr.splitlines()
    assert len(said) == 3
    assert all(line.startswith("error: the plugin of game ") for line in said)
    assert "tests.nowhere:Gone" in said[0]


def test_packages_of_old_groups_are_named_in_lists_and_help(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata = tmp_path / "old_hex-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: old-hex\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[tourney.games]\nhex = hex:Hex\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    listed, shown = invoke("games"), invoke("--help")
    assert listed.stderr.count("the package old-hex offers hex by the entry-point group tourney.games") == 1
    assert (listed.exit_code, listed.stdout.count("sage-stones")) == (1, 1)
    assert "Warning: the package old-hex offers hex" in shown.stderr
    assert shown.exit_code == 0


def test_broken_addon_is_named_where_games_are_listed() -> None:
    broken = {"gone": "the add-on gone (nowhere:ADDON) is broken: ModuleNotFoundError"}
    with patch.object(plugins, "others", lambda: ({}, broken)):
        listed = invoke("games")
    assert listed.stderr.splitlines()[0] == f"error: {broken['gone']}"
    assert listed.exit_code == 1


def test_new_writes_a_package_and_names_the_next_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = invoke("games", "new", "hex")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines()[0] == "hex/hex/__init__.py"
    assert "  pip install --editable ./hex\n  tourney check-game hex\n" in done.stderr
    for words in (("new",), ("openspiel", "hex")):
        wrong = invoke("games", *words)
        assert (wrong.exit_code, wrong.stdout) == (2, "")
        assert "tourney games new NAME" in wrong.stderr
