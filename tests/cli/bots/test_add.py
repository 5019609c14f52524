"""``tourney bots add``: names of shipped bots, bad input, and the place of the store."""

import json
from pathlib import Path

import pytest

from tests.cli.bots.commands import bots, done, listed, refused
from tests.support.folders import write_bot
from tourney.bots.catalogue.store import BotStore


def test_bot_with_the_name_of_a_shipped_one_needs_insistence(tmp_path: Path) -> None:
    """The list and `bots show` tell both from the shipped one."""
    write_bot(tmp_path / "sub", "random", version='"9"', title='"the random that ships"')
    assert "random: it is called random, as a bot that ships with Tourney" in refused("add", "sub/random")
    assert listed() == []
    assert json.loads(done("show", "sub/random", "--format", "json"))["source"] == "replaces shipped"
    assert json.loads(done("show", "random", "--format", "json"))["source"] == "ships"
    done("add", "--replace-shipped", "sub/random")
    sources = [(row["name"], row["version"], row["source"]) for row in listed()]
    assert sources == [("random", "9", "replaces shipped")]
    assert json.loads(done("show", "random", "--format", "json"))["version"] == "9"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("add", "unknown"), "there is no bot unknown: No such file or directory"),
        (("add", "plain.txt"), "plain.txt: it is not executable; run chmod +x"),
        (("add", "empty"), "empty: there is no bot.toml"),
        (("add", "evil.zip"), "evil.zip: it is not a zip file"),
        (("show", "unknown"), "there is no bot 'unknown'"),
        (("check", "unknown"), "there is no bot 'unknown'"),
        (("check", "greedy", "--game", "draughts"), "greedy@1.0 says it plays cyvasse, element"),
        (("check", "prog"), "prog@0 does not say which games it plays; name one: --game GAME"),
        (("check", "prog", "--game", "chequers"), "there is no game 'chequers'"),
        (("remove", "unknown"), "there is no bot 'unknown' in the store"),
        (("remove", "--undo", "123456"), "no bot with the digest 123456 was removed"),
        (("new", "Bad Name"), "'Bad Name' is not a name for a bot"),
        (("new", "empty"), "empty exists already"),
        (("new", "x", "--game", "chequers"), "there is no game 'chequers'"),
        (("new", "x", "--language", "cobol"), "'cobol' is not one of"),
        (
            ("new", "x", "--language", "java", "--template", "search"),
            "no search template in java for",
        ),
        (("add",), "Missing argument 'PATH...'"),
    ],
)
def test_bad_input_is_one_sentence_and_changes_nothing(
    words: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "plain.txt").write_text("x")
    (tmp_path / "evil.zip").write_text("x")
    (tmp_path / "prog").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "prog").chmod(0o755)
    assert said in refused(*words)
    assert BotStore(tmp_path / "tourney-bots").entries() == ()


def test_unwritable_store_is_exit_code_3(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = write_bot(tmp_path)
    said = refused("add", str(folder), "--bots", str(tmp_path / "file" / "store"), code=3)
    assert "cannot be written" in said


def test_store_default_comes_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOURNEY_BOTS", str(tmp_path / "elsewhere"))
    done("add", str(write_bot(tmp_path)))
    assert len(BotStore(tmp_path / "elsewhere").entries()) == 1


def test_folder_of_bots_is_judged_whole(tmp_path: Path) -> None:
    """Good bots are added; each other one is named with its reason, and litter is not."""
    folder = tmp_path / "subs"
    write_bot(folder, "good")
    write_bot(folder, "also", command='["./run"]', files={"run": "#!/bin/sh\n"})
    write_bot(folder, "bad", games='["draughts"]')
    (folder / "none").mkdir()
    (folder / "evil.zip").write_text("x")
    (folder / ".DS_Store").write_text("x")
    (folder / "README").write_text("x")
    result = bots("add", "subs")
    assert result.exit_code == 2
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["also@1.0", "good@1.0"]
    assert result.stderr.splitlines()[0] == "subs/also: run was not executable and is taken for a program"
    assert "error: 3 of 5 bots not added:" in result.stderr
    reasons = dict(line.split(maxsplit=1) for line in result.stderr.splitlines()[-3:])
    assert reasons.keys() == {"subs/bad", "subs/evil.zip", "subs/none"}
    assert reasons["subs/none"].startswith("there is no bot.toml")
    document = json.loads(bots("add", "subs", "--format", "json").stdout)
    assert [line["path"] for line in document["refused"]] == ["subs/bad", "subs/evil.zip", "subs/none"]
    assert {row["name"] for row in listed()} == {"good", "also"}


def test_pattern_names_many_bots(tmp_path: Path) -> None:
    write_bot(tmp_path, "one")
    write_bot(tmp_path, "two")
    assert len(done("add", "*o*").splitlines()) == 2
    assert len(done("add", str(tmp_path / "tw*")).splitlines()) == 1
    assert "no file or folder matches x*" in bots("add", "x*", "one").stderr


def test_other_files_under_one_version_are_refused(tmp_path: Path) -> None:
    """Both files are named; a later command names the store, and may replace it."""
    write_bot(tmp_path / "a", "mybot", {"bot.py": "a"})
    write_bot(tmp_path / "b", "mybot", {"bot.py": "b"})
    write_bot(tmp_path / "c", "mybot", {"bot.py": "c"}, version='"1.1"')
    result = bots("add", "a/mybot", "b/mybot", "c/mybot")
    assert result.exit_code == 2
    assert "b/mybot  a/mybot and b/mybot are both mybot 1.0: give it" in result.stderr
    digests = [row["digest"] for row in listed()]
    assert len(digests) == 2
    assert "b/mybot is another mybot 1.0 than the one in the store" in refused("add", "b/mybot")
    done("add", "a/mybot")
    done("add", "--replace", "b/mybot")
    assert len(listed()) == 3
