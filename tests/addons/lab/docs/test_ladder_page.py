"""The commands, options and file of the page on ladders work."""

import re
import shlex
from pathlib import Path

from tests.docs.pages import blocks, page
from tests.support.tournaments import write_file
from tourney.addons.lab.commands.ladder import command
from tourney.cli.main import CommandTable, cli
from tourney.run.tournament_file import read_tournament_file

PAGE = page("how-to/ladder.md")


def parses(words: list[str]) -> bool:
    """Whether a command line is one of Tourney's. Raises click's error for a wrong one."""
    found = cli.load(words[0])
    if isinstance(found, CommandTable):
        words = words[1:]
        found = found.load(words[0])
    found.make_context(words[0], words[1:], help_option_names=["-h", "--help"])  # click keeps the option
    return True


def test_commands_on_the_page_parse() -> None:
    (block,) = blocks(PAGE, "sh")
    lines = [*block.splitlines(), *re.findall(r"`(tourney ladder [^`]+)`", PAGE)]
    assert len(lines) == 4
    assert all(parses(shlex.split(line)[1:]) for line in lines)


def test_options_on_the_page_exist() -> None:
    known = {word for param in command.params for word in param.opts}
    assert set(re.findall(r"--[a-z][a-z-]*", PAGE)) - {"--nodes"} <= known


def test_tournament_file_on_the_page_is_read(tmp_path: Path) -> None:
    (text,) = blocks(PAGE, "toml")
    assert len(read_tournament_file(write_file(tmp_path, text)).entrants) >= 6
