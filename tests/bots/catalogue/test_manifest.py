"""bot.toml: what is read, what is refused, and how it is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.bots.catalogue.manifest import Manifest, manifest_from_name, read_manifest, write_manifest
from tourney.errors import BotError

FULL = """
name = "greedy"
version = "1.0"
title = "Greedy, the taker"
author = "A. N. Author"
games = ["sages-tafl", "sage-stones"]
command = ["python3", "bot.py"]
build = ["make"]
build-output = ["out/", "*.o"]
protocol = "tourney"
"""
LEAST = 'name = "x"\nversion = "0"\ncommand = ["./x"]\n'


def test_every_key_is_read() -> None:
    assert read_manifest(FULL, "bot.toml") == Manifest(
        name="greedy",
        version="1.0",
        title="Greedy, the taker",
        author="A. N. Author",
        games=("sages-tafl", "sage-stones"),
        command=("python3", "bot.py"),
        build=("make",),
        build_output=("out/", "*.o"),
        protocol="tourney",
    )


def test_without_games_a_bot_plays_any() -> None:
    assert read_manifest(LEAST, "bot.toml").plays("whatever")
    assert not read_manifest(FULL, "bot.toml").plays("whatever")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = \n", "line 1"),
        (LEAST + 'comand = ["x"]\n', "bot.toml line 4: unknown key 'comand'; the keys are name, version,"),
        (LEAST + "[limits]\nx = 1\n", "bot.toml line 4: unknown key 'limits'"),
        ('name = "x"\nversion = "1"\n', "bot.toml: the key command is missing"),
        ('version = "1"\ncommand = ["x"]\n', "the key name is missing"),
        ('name = "x"\ncommand = ["x"]\n', "the key version is missing"),
        (LEAST.replace('"x"', '"Greedy"'), "bot.toml line 1: name 'Greedy' does not match [a-z0-9]"),
        (LEAST.replace('"x"', '"../x"'), "line 1: name '../x' does not match"),
        (LEAST.replace('"x"', '".x"'), "line 1: name '.x' does not match"),
        (LEAST.replace('"x"', f'"{"a" * 65}"'), "line 1: name"),
        (LEAST.replace('"x"', '"x\\n"'), "line 1: name 'x\\n' does not match"),
        (LEAST.replace('"0"', "1.0"), "line 2: version must be a string, not 1.0"),
        (LEAST.replace('"0"', '"1 0"'), "line 2: version '1 0' does not match"),
        (LEAST + f'title = "{"t" * 81}"\n', "line 4: title has 81 characters; 80 are the most"),
        (
            LEAST + 'title = "a\\u001b[2Jb"\n',
            "line 4: title 'a\\x1b[2Jb' has characters that cannot be shown",
        ),
        (LEAST + 'title = "a\\u202Eb"\n', "line 4: title 'a\\u202eb' has characters that cannot be shown"),
        (LEAST.replace('["./x"]', '"./x"'), "line 3: command must be a list of strings"),
        (LEAST.replace('["./x"]', "[]"), "line 3: command must not be an empty list"),
        (LEAST.replace('["./x"]', '["./x", ""]'), "line 3: command has an empty word"),
        (LEAST.replace('["./x"]', '["./x", 3]'), "line 3: command must be a string, not 3"),
        (LEAST.replace("./x", "../x"), "line 3: command '../x' leads out of the bot's folder"),
        (LEAST + 'games = ["Chess"]\n', "line 4: games 'Chess' does not match"),
        (LEAST + 'games = ["go", "go"]\n', "line 4: games names go twice"),
        (LEAST + "games = []\n", "line 4: games must not be an empty list"),
        (LEAST + 'protocol = "uci"\n', "line 4: protocol 'uci' is not spoken here; it may be tourney"),
        (LEAST + 'build-output = ["x"]\n', "line 4: build-output is there, but no build"),
        (LEAST + 'build = ["make"]\nbuild-output = ["../x"]\n', "line 5: build-output '../x' leads out"),
    ],
)
def test_what_is_refused_is_said_with_its_line(text: str, said: str) -> None:
    """One sentence that names the file, the line and the value."""
    with pytest.raises(BotError) as caught:
        read_manifest(text, "bot.toml")
    assert said in str(caught.value)
    assert str(caught.value).startswith("bot.toml")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("file_name", "name"),
    [
        ("mybot", "mybot"),
        ("My Bot.py", "my-bot"),
        ("bot-1.2", "bot-1.2"),
        ("_x.sh", "x"),
        ("a.tar.py", "a.tar"),
    ],
)
def test_an_executable_file_gets_a_manifest_from_its_name(file_name: str, name: str) -> None:
    assert manifest_from_name(file_name, file_name) == Manifest(
        name=name, version="0", command=(f"./{file_name}",)
    )


def test_a_file_name_without_a_letter_gives_no_bot() -> None:
    with pytest.raises(BotError, match="no bot's name can be made of"):
        manifest_from_name("___", "___")


printable = st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), max_size=80)


@given(
    title=printable,
    command=st.lists(printable.filter(bool), min_size=1, max_size=3).filter(
        lambda words: "/" not in words[0] or ".." not in words[0]
    ),
)
def test_a_written_manifest_reads_back(title: str, command: list[str]) -> None:
    """write_manifest is the inverse of read_manifest."""
    manifest = Manifest(name="a.b", version="1+x", title=title, command=tuple(command), games=("go",))
    assert read_manifest(write_manifest(manifest), "bot.toml") == manifest
