"""bot.toml: accepted keys and values, the errors for all others, and values within their bounds."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.addons import needing
from tourney.bots.catalogue.manifest import (
    Manifest,
    Parameter,
    decimals_of,
    manifest_from_name,
    read_manifest,
)
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


def test_bot_without_games_plays_any() -> None:
    assert read_manifest(LEAST, "bot.toml").plays("anygame")
    assert not read_manifest(FULL, "bot.toml").plays("anygame")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = \n", "line 1"),
        (LEAST + 'comand = ["x"]\n', 'bot.toml line 4: unknown key "comand"; did you mean command?'),
        (LEAST + "[limits]\nx = 1\n", 'bot.toml line 4: unknown key "limits"; the keys are: name, version,'),
        (
            'name = "x"\nversion = "1"\n',
            "bot.toml: command is missing; add, for example",
        ),
        ('version = "1"\ncommand = ["x"]\n', 'name is missing; add, for example, name = "mybot"'),
        ('name = "x"\ncommand = ["x"]\n', "version is missing; add"),
        (LEAST.replace('"x"', '"Greedy"'), 'bot.toml line 1: name is "Greedy", but must match [a-z0-9]'),
        (LEAST.replace('"x"', '"../x"'), 'line 1: name is "../x", but must match'),
        (LEAST.replace('"x"', '".x"'), 'line 1: name is ".x", but must match'),
        (LEAST.replace('"x"', f'"{"a" * 65}"'), "line 1: name"),
        (LEAST.replace('"x"', '"x\\n"'), 'line 1: name is "x\\n", but must match'),
        (LEAST.replace('"0"', "1.0"), "line 2: version is 1.0, but must be a string"),
        (LEAST.replace('"0"', '"1 0"'), 'line 2: version is "1 0", but must match'),
        (LEAST + f'title = "{"t" * 81}"\n', "line 4: title has 81 characters, but may have at most 80"),
        (
            LEAST + 'title = "a\\u001b[2Jb"\n',
            'line 4: title is "a\\x1b[2Jb", but must have printable',
        ),
        (
            LEAST + 'title = "a\\u202Eb"\n',
            'line 4: title is "a\\u202eb", but must have printable',
        ),
        (LEAST.replace('["./x"]', '"./x"'), 'line 3: command is "./x", but must be a list of strings'),
        (LEAST.replace('["./x"]', "[]"), "line 3: command is empty, but must have at least one item"),
        (LEAST.replace('["./x"]', '["./x", ""]'), "line 3: item 2 of command is empty"),
        (LEAST.replace('["./x"]', '["./x", 3]'), "line 3: item 2 of command is 3, but must be a string"),
        (
            LEAST.replace("./x", "../x"),
            'line 3: item 1 of command is "../x", which leads out',
        ),
        (LEAST + 'games = ["Chess"]\n', 'line 4: item 1 of games is "Chess", but must match'),
        (LEAST + 'games = ["go", "go"]\n', "line 4: games names go twice"),
        (LEAST + "games = []\n", "line 4: games is empty, but must have at least one item"),
        (LEAST + 'protocol = "morse"\n', 'line 4: protocol is "morse", but the bot protocols are: '),
        (LEAST + 'build-output = ["x"]\n', "line 4: build-output is set without build"),
        (
            LEAST + 'build = ["make"]\nbuild-output = ["../x"]\n',
            'line 5: item 1 of build-output is "../x"',
        ),
    ],
)
def test_refusals_name_file_and_line(text: str, message: str) -> None:
    """The error is one sentence with the file, the line and the value."""
    with pytest.raises(BotError) as caught:
        read_manifest(text, "bot.toml")
    assert message in str(caught.value)
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
def test_executable_gets_manifest_from_its_name(file_name: str, name: str) -> None:
    assert manifest_from_name(file_name, file_name) == Manifest(
        name=name, version="0", command=(f"./{file_name}",)
    )


def test_file_name_without_letter_is_refused() -> None:
    with pytest.raises(BotError, match="no bot's name can be made of"):
        manifest_from_name("___", "___")


printable = st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), max_size=80)


@given(
    title=printable,
    command=st.lists(printable.filter(bool), min_size=1, max_size=3).filter(
        lambda words: "/" not in words[0] or ".." not in words[0]
    ),
)
def test_written_manifest_reads_back(title: str, command: list[str]) -> None:
    manifest = Manifest(name="a.b", version="1+x", title=title, command=tuple(command), games=("go",))
    title_, *words = (
        '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' for text in (title, *command)
    )
    written = (
        f'name = "a.b"\nversion = "1+x"\ntitle = {title_}\ngames = ["go"]\ncommand = [{", ".join(words)}]\n'
    )
    assert read_manifest(written, "bot.toml") == manifest


PARAMETER = "[parameters.reach]\nvalue = 2\nlow = 0\nhigh = 4\nstep = 1\n"


def test_parameters_are_arguments_that_an_entrant_can_change() -> None:
    """The declared value is an argument; an entrant's NAME=VALUE takes its place, other words stay behind."""
    manifest = read_manifest(
        LEAST + PARAMETER + PARAMETER.replace("reach", "b").replace("1", "0.5"), "bot.toml"
    )
    assert manifest.started() == ({}, ("reach=2", "b=2.0"))
    assert manifest.started(["--x", "reach=3", "c=3"]) == ({}, ("reach=3", "b=2.0", "--x", "c=3"))


@pytest.mark.addon("chess")
def test_parameters_of_an_engine_are_options() -> None:
    manifest = read_manifest(LEAST + 'protocol = "uci"\noptions = {Hash = 4}\n' + PARAMETER, "bot.toml")
    assert manifest.started(["reach=3", "-x"]) == ({"Hash": 4, "reach": "3"}, ("-x",))


def test_bot_without_parameters_gets_its_arguments_unchanged() -> None:
    assert read_manifest(LEAST, "bot.toml").started(["reach=3"]) == ({}, ("reach=3",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            PARAMETER.replace("low = 0", "low = 5"),
            "line 4, [parameters], [reach]: low is 5, but must be less",
        ),
        (PARAMETER.replace("value = 2", "value = 5"), "value is 5, but must be from 0 to 4"),
        (PARAMETER.replace("value = 2", "value = inf"), "value is inf, but must be a number"),
        (PARAMETER.replace("step = 1", "step = 0"), "step is 0, but must be more than 0"),
        (PARAMETER.replace("step = 1", "step = 9"), "step is 9, but must be more than 0 and at most high"),
        (PARAMETER.replace("step = 1", ""), "step is missing"),
        (PARAMETER.replace("step", "stp"), 'unknown key "stp"; did you mean step?'),
        (PARAMETER.replace("reach", '"a=b"'), 'a key is "a=b", but must have letters'),
        ("[parameters]\nreach = 2\n", "reach is 2, but must be a table"),
        needing(
            "chess",
            'protocol = "uci"\n' + PARAMETER.replace("reach", "Ponder"),
            "Ponder is set by Tourney itself",
        ),
        needing(
            "chess",
            'protocol = "uci"\noptions = {reach = 4}\n' + PARAMETER,
            "line 6, [parameters]: reach is in options too: leave one of them out",
        ),
    ],
)
def test_refused_parameters_name_file_and_parameter(text: str, message: str) -> None:
    with pytest.raises(BotError) as caught:
        read_manifest(LEAST + text, "bot.toml")
    assert message in str(caught.value)
    assert str(caught.value).startswith("bot.toml")


@pytest.mark.parametrize(
    ("number", "decimals"), [(100, 0), (2.0, 0), (0.5, 1), (1e-05, 5), (0.125, 3), (-3.25, 2)]
)
def test_decimals_are_those_written(number: float, decimals: int) -> None:
    assert decimals_of(number) == decimals


def test_values_have_the_most_decimals_of_the_four_numbers() -> None:
    """A value is text with a fixed number of decimals, so that equal values are equal arguments."""
    assert Parameter(value=1, low=0, high=2, step=0.25).text() == "1.00"
    assert Parameter(value=10, low=0, high=20, step=5).text(Decimal("12.4")) == "12"
    assert Parameter(value=10, low=-20, high=20, step=5).text(-7) == "-7"
