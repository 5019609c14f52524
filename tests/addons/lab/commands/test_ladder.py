"""``tourney ladder`` with real bots."""

import json
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.support.command import TOYS, invoke, offering
from tourney.addons.lab import ladder
from tourney.bots.catalogue.shipped import Rating, Rung, ladders

LADDER = (
    Rung("random", "random", (), Rating(-100, -110, -90)),
    Rung("greedy", "greedy", (), Rating(100, 90, 110)),
)


@pytest.fixture
def _short_ladder() -> Iterator[None]:
    with patch.object(ladder, "ladder_of", lambda _game, _seats: LADDER):
        yield


def place(folder: Path, bot: str, *more: str) -> tuple[str, ...]:
    where = ("--db", str(folder / "t.db"), "--bots", str(folder / "bots"))
    how = ("--sandbox", "off", "--reuse", "--workers", "2", "--seed", "5", "--games", "8")
    return ("ladder", bot, "--game", "sage-stones", *how, *where, *more)


@pytest.mark.usefixtures("_short_ladder")
def test_placement_is_printed_and_stored(tmp_path: Path) -> None:
    shown = invoke(*place(tmp_path, "pebble", "--format", "json"))
    assert shown.exit_code == 0, shown.stderr
    result = json.loads(shown.stdout)
    assert (result["bot"], result["games"], result["ended"]) == ("pebble", 8, True)
    assert result["low"] < result["rating"] < result["high"]
    assert "8 games: rating" in shown.stderr
    again = invoke(*place(tmp_path, "pebble"))
    assert (again.exit_code, again.stderr) == (0, "")
    assert again.stdout.startswith("pebble: rank ")
    assert f"Stored as {result['tournament']}" in again.stdout
    lines = invoke(*place(tmp_path, "pebble", "--format", "csv")).stdout.splitlines()
    assert [line.split(",")[0] for line in lines] == ["name", "greedy", "random"]
    # Other commands read it as any tournament, and each lost game is shown by the command beside it.
    db = ("--db", str(tmp_path / "t.db"))
    for other in ("standings", "ratings", "status"):
        assert "pebble" in invoke(other, *db).stdout
    assert "is whole" in invoke("verify", "--all", *db).stdout
    for lost in result["lost"][:1]:
        words = lost["look"].split()
        assert words[:3] == ["tourney", "show", "--board"]
        assert invoke(*words[1:]).exit_code == 0


@pytest.mark.usefixtures("_short_ladder")
def test_faulty_bot_is_named_with_its_log(tmp_path: Path) -> None:
    bot = tmp_path / "dead"
    bot.mkdir()
    (bot / "bot.toml").write_text(
        'name = "dead"\nversion = "1"\ngames = ["sage-stones"]\ncommand = ["python3", "bot.py"]\n'
    )
    (bot / "bot.py").write_text("raise SystemExit('no configuration')\n")
    shown = invoke(*place(tmp_path, str(bot)))
    assert shown.exit_code == 1
    assert shown.stdout.startswith("dead cannot be placed: it was at fault in ")
    assert "stderr: no configuration" in shown.stdout
    assert "tourney bots check" in shown.stdout


def test_ladders_are_listed() -> None:
    listed = json.loads(invoke("ladder", "--list", "--format", "json").stdout)["rungs"]
    assert {(line["game"], line["seats"]) for line in listed} == set(ladders())
    one = invoke("ladder", "--list", "--game", "element", "--seats", "3", "--format", "csv").stdout
    assert {line.split(",")[0] for line in one.splitlines()[1:]} == {"element"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "the bot is missing"),
        (("./mine",), "--game GAME is missing"),
        (("./mine", "--list"), "leave out the bot"),
        (("--list", "--seats", "3", "--game", "cyvasse"), "no such ladder"),
        (("--list", "--game", "halma"), "there is no game 'halma'"),
        (("./mine", "--game", "halma"), "there is no game 'halma'"),
        (("./mine", "--game", "cyvasse", "--seats", "3"), "played with 2 seats"),
        (("random", "--game", "cyvasse", "--args", "'"), "cannot be split into words"),
    ],
)
def test_wrong_use_is_one_sentence(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    shown = invoke("ladder", *words, env={"TOURNEY_DB": str(tmp_path / "t.db")})
    assert shown.exit_code == 2
    assert said in shown.stderr
    assert shown.stderr.startswith("error: ")
    assert not (tmp_path / "t.db").exists()


def test_game_of_a_plugin_has_no_ladder(tmp_path: Path) -> None:
    with offering(**TOYS):
        shown = invoke("ladder", "random", "--game", "toe")
    assert shown.exit_code == 2
    assert "toe with 2 seats has no ladder; there are ladders of cyvasse (2 seats)" in shown.stderr
    assert "tourney compare" in shown.stderr
