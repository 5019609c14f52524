"""What the page on ladders tells readers to type works."""

import re
import shlex
from pathlib import Path

import click

from tests.command import ROOT
from tests.tournaments import write_file
from tourney.cli.ladder import command
from tourney.cli.main import load_command
from tourney.run.config.tournament_file import read_tournament_file

PAGE = (ROOT / "docs" / "how-to" / "ladder.md").read_text(encoding="utf-8")


def parses(words: list[str]) -> bool:
    """Return whether a command line is one of Tourney's; raise what click says of a wrong one."""
    found: click.Command = load_command(words[0])
    if isinstance(found, click.Group):
        words = words[1:]
        found = found.commands[words[0]]
    found.make_context(words[0], words[1:], help_option_names=["-h", "--help"])  # click keeps the option
    return True


def test_commands_on_the_page_parse() -> None:
    (block,) = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    lines = [*block.splitlines(), *re.findall(r"`(tourney ladder [^`]+)`", PAGE)]
    assert len(lines) == 4
    assert all(parses(shlex.split(line)[1:]) for line in lines)


def test_options_on_the_page_exist() -> None:
    known = {word for param in command.params for word in param.opts}
    assert set(re.findall(r"--[a-z][a-z-]*", PAGE)) - {"--nodes"} <= known


def test_tournament_file_on_the_page_is_read(tmp_path: Path) -> None:
    (text,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(read_tournament_file(write_file(tmp_path, text)).entrants) >= 6
