"""``tourney tune`` with real bots: accepted, unchanged, refused."""

import json
from pathlib import Path

import pytest

from tests.support.command import invoke
from tests.support.folders import write_bot

SCRIPT = """\
while read -r word rest; do case $word in
tourney) echo bot wants=legal;;
game) echo ready;;
legal) first=${rest%% *};;
go) if [ "${1#x=}" -gt 5 ]; then echo "move $first"; else echo resign; fi;;
quit) exit 0;; esac; done
"""
"""A bot that resigns unless its parameter is above 5."""
PARAMETER = "[parameters.x]\nvalue = 1\nlow = 0\nhigh = 20\nstep = 6\n"
FILE = """
game = "sage-stones"
games = 24
seed = 3
batch = 4
rate = 0.2
gate-games = 64
gain = 400
opening-plies = 0
[options]
stones = 3
[limits]
move-ms = 600000
[run]
sandbox = "off"
reuse = true
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a bot and a file; it is the current one."""
    bot = write_bot(tmp_path, "mine", {"bot.sh": SCRIPT}, command='["sh", "bot.sh"]', games='["sage-stones"]')
    with (bot / "bot.toml").open("a") as file:
        file.write(PARAMETER)
    (tmp_path / "tune.toml").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_better_values_are_accepted_and_written(folder: Path) -> None:
    """The tuned bot is a new folder; its report has the page; the same command plays nothing again."""
    done = invoke("tune", "./mine", "tune.toml", "--workers", "2", "--format", "json")
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert (result["gate"]["verdict"], result["out"]) == ("accepted", "mine-tuned")
    value = result["parameters"][0]["value"]
    assert int(value) > 5
    text = (folder / "mine-tuned/bot.toml").read_text()
    assert f"value = {value}\n" in text
    assert 'version = "1.1"' in text
    again = invoke("tune", "./mine", "tune.toml", "--out", "other")
    assert again.exit_code == 0, again.output
    assert "ACCEPTED: mine 1.1 is better than mine-1.0; written to other" in again.stdout
    assert (folder / "other/bot.toml").read_text() == text
    assert invoke("verify", "--all").exit_code == 0
    assert "same program" not in invoke("audit", result["tuning"]).stdout
    assert invoke("report", result["tuning"], "--out", "site").exit_code == 0
    page = (folder / "site/progress.html").read_text()
    assert "Estimated gain" in page
    assert page.count("<figure") == 2


def test_values_that_do_not_change_end_without_a_gate(folder: Path) -> None:
    (folder / "tune.toml").write_text(
        FILE.replace("games = 24", "games = 2").replace("rate = 0.2", "rate = 0.0001")
    )
    done = invoke("tune", "./mine", "tune.toml", "--workers", "1")
    assert done.exit_code == 1, done.output
    assert "No value has changed, so there is nothing to accept" in done.stdout
    assert not (folder / "mine-tuned").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("pebble", "tune.toml"), "pebble@1.0 has no parameters"),
        (("./none", "tune.toml"), "there is no bot"),
        (("./mine", "no.toml"), "the tuning file no.toml cannot be read"),
        (("./mine", "tune.toml", "--out", "mine"), "mine exists already; choose another folder by --out"),
    ],
)
def test_wrong_use_is_refused_before_any_game(folder: Path, words: tuple[str, ...], message: str) -> None:
    done = invoke("tune", *words)
    assert done.exit_code == 2
    assert message in done.stderr
    assert not (folder / "tourney.db").exists()


def test_parameter_out_of_bounds_is_refused_with_its_line(folder: Path) -> None:
    place = folder / "mine/bot.toml"
    place.write_text(place.read_text().replace("low = 0", "low = 2"))
    done = invoke("tune", "./mine", "tune.toml")
    assert done.exit_code == 2
    assert "[x]: value is 1, but must be from 2 to 20" in done.stderr
