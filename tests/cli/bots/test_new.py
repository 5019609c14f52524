"""``tourney bots new``, and the workflow of a bot author that begins with it."""

from pathlib import Path

import pytest

from tests.cli.bots.commands import bots, done, listed, refused


def test_new_check_add_list_and_show(tmp_path: Path) -> None:
    """The workflow of a bot author, as the help describes it."""
    made = bots("new", "mybot")
    assert made.stdout.splitlines() == ["mybot/bot.py", "mybot/bot.toml"]
    assert "tourney bots check ./mybot" in made.stderr
    checked = done("check", "./mybot", "--move-ms", "60000", "--startup-ms", "60000")
    assert checked.splitlines()[-1] == "mybot@0.1 passed 4 trials"
    assert listed() == [], "looking at a bot keeps nothing"
    label, digest = done("add", "mybot").split()
    assert label == "mybot@0.1"
    (tmp_path / "mybot").rename(tmp_path / "moved")
    (row,) = listed()
    assert row == {
        "name": "mybot",
        "version": "0.1",
        "title": None,
        "author": None,
        "games": ["sages-tafl"],
        "protocol": "tourney",
        "options": {},
        "source": "added",
        "meant": True,
        "digest": digest,
    }
    shown = done("show", "mybot")
    assert digest in shown
    assert "bot.py" in shown
    assert str(tmp_path / "tourney-bots" / "entries" / digest / "files") in shown


def test_new_bot_gets_no_name_of_a_shipped_one(tmp_path: Path) -> None:
    assert "greedy is the name of a bot that ships" in refused("new", "greedy")
    assert list(tmp_path.iterdir()) == []


def test_new_names_the_next_commands(tmp_path: Path) -> None:
    result = bots("new", "sub1", "--game", "element", "--template", "search")
    assert result.stdout.split() == ["sub1/bot.py", "sub1/bot.toml"]
    assert result.stderr.splitlines() == [
        "Next:",
        "  tourney bots check ./sub1",
        "  tourney compare ./sub1 greedy --game element",
        "  tourney ladder ./sub1 --game element",
    ]


@pytest.mark.addon("chess", "lab")
def test_new_names_only_commands_that_work_for_the_game(tmp_path: Path) -> None:
    """A chess bot is compared with `random`, which plays every game, and there is no ladder."""
    result = bots("new", "sub1", "--game", "chess")
    assert result.stderr.splitlines() == [
        "Next:",
        "  tourney bots check ./sub1",
        "  tourney compare ./sub1 random --game chess",
    ]


def test_new_says_which_compiler_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tourney.bots.catalogue.starter.search_path", lambda: str(tmp_path))
    result = bots("new", "mybot", "--language", "rust")
    assert result.exit_code == 0
    assert "note: a bot in rust needs rustc, not found on PATH" in result.stderr
    assert "apt-get install rustc" in result.stderr
