"""The tutorials' commands work in their order, with the files that the pages show."""

import re
import shutil
from pathlib import Path

import pytest

from tests.docs.pages import blocks, every_block, page
from tests.support.command import invoke
from tourney.bots.catalogue.manifest import read_manifest
from tourney.bots.catalogue.shipped import ladder_of, shipped_bots

QUICK = {
    "check": "--move-ms 60000 --startup-ms 60000",
    "compare": "--move-ms 60000 --batch 1 --max-pairs 1 --workers 1",
    "ladder": "--move-ms 60000 --games 1 --workers 1",
    "test": "--answer-ms 60000",
}
"""Options with which a command neither depends on the machine's speed nor takes long."""


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOURNEY_BOTS", raising=False)
    monkeypatch.delenv("TOURNEY_DB", raising=False)


def is_rated(game: str) -> bool:
    """Whether the ladder of a game for two has been measured, so that bots can be placed on it."""
    return all(rung.rating for rung in ladder_of(game, 2))


def do(line: str) -> None:
    """Run a command of a page; it has to succeed."""
    program, *words = line.split()
    assert program == "tourney"
    if words[0] == "ladder" and not is_rated(words[-1]):
        return
    more = next((QUICK[word] for word in words[:2] if word in QUICK), "")
    done = invoke(*words, *more.split())
    assert done.exit_code == 0, f"{line}\n{done.output}"


@pytest.mark.slow
def test_first_tournament_runs_from_top_to_end(tmp_path: Path) -> None:
    text = page("tutorials/first-tournament.md")
    (file,) = blocks(text, "toml")
    (tmp_path / "first.toml").write_text(file.replace("move-ms = 1000", "move-ms = 60000"), encoding="utf-8")
    commands = [line for block in blocks(text, "sh") for line in block.splitlines()]
    assert len(commands) >= 6
    for line in commands:
        do(line)
    assert (tmp_path / "reports" / "first" / "index.html").is_file()


@pytest.mark.slow
@pytest.mark.addon("lab")
def test_tuned_bot_runs_from_top_to_end(tmp_path: Path) -> None:
    """With few games, after which the gate may say anything; the page's parameters are those of the bot."""
    parameters, file = blocks(page("tutorials/tune-a-bot.md"), "toml")
    shutil.copytree(shipped_bots()["tinker"], tmp_path / "clumsy")
    bot = tmp_path / "clumsy/bot.toml"
    head = bot.read_text().partition("# Sage Stones")[0].replace('"tinker"', '"clumsy"')
    bot.write_text(head + parameters)
    assert set(read_manifest(bot.read_text(), "bot.toml").parameters) == {"exposed", "best"}
    (tmp_path / "stones.toml").write_text(
        file.replace("games = 800", "games = 8").replace("nodes = 1", "nodes = 1\nmove-ms = 60000")
    )
    tune, compare = (
        line for block in blocks(page("tutorials/tune-a-bot.md"), "sh") for line in block.splitlines()
    )
    done = invoke(*tune.split()[1:], "--workers", "1")
    assert done.exit_code in {0, 1, 4}, done.output
    assert "Estimated gain" in done.stdout
    do(compare.replace("./clumsy-tuned", "./clumsy"))


@pytest.mark.slow
@pytest.mark.addon("lab")
def test_first_bot_runs_from_top_to_end(tmp_path: Path) -> None:
    """The program replaces the file that the sentence before it names, as soon as it comes."""
    tutorial = page("tutorials/first-bot.md")
    (file,) = re.findall(r"^Replace `([a-z/.]+)` by this program:$", tutorial, re.MULTILINE)
    commands = 0
    for kind, text in every_block(tutorial):
        if kind == "python":
            assert (tmp_path / file).is_file()
            (tmp_path / file).write_text(text, encoding="utf-8")
        elif kind == "sh":
            for line in text.splitlines():
                do(line)
                commands += 1
    assert commands >= 8
    do("tourney bots check ./second")
