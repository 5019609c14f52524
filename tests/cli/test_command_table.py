"""A command's words give its module and its test, and the tables name every command."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import ROOT, invoke
from tourney.cli.command_table import CommandTable
from tourney.cli.main import cli

CLI = ROOT / "tourney" / "cli"


def commands(table: CommandTable, *words: str) -> Iterator[tuple[str, ...]]:
    """The words of every command and group below a table."""
    for name in table.names:
        yield (*words, name)
        found = table.load(name)
        if isinstance(found, CommandTable):
            yield from commands(found, *words, name)


ALL = tuple(commands(cli))


def module_of(words: tuple[str, ...]) -> Path:
    """The module of a command, relative to ``tourney/cli``."""
    *folders, name = (word.replace("-", "_") for word in words)
    path = Path(*folders, {"import": "import_"}.get(name, name))
    return path / "__init__.py" if (CLI / path).is_dir() else path.with_suffix(".py")


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_words_give_module_and_test(words: tuple[str, ...]) -> None:
    module = module_of(words)
    assert f'\n@click.{"group" if module.name == "__init__.py" else "command"}("{words[-1]}"' in (
        CLI / module
    ).read_text("utf-8")
    if module.name != "__init__.py":
        assert (ROOT / "tests" / "cli" / module.parent / f"test_{module.name}").is_file()


def test_every_module_of_a_group_is_a_command() -> None:
    """A command that no table names could not be called."""
    modules = {module_of(words) for words in ALL}
    for group in (words for words in ALL if (CLI / words[-1]).is_dir()):
        assert {path.relative_to(CLI) for path in (CLI / group[-1]).glob("*.py")} <= modules


@pytest.mark.parametrize("group", ["bots", "db"])
def test_unknown_command_of_a_group_is_refused(group: str) -> None:
    done = invoke(group, "shwo" if group == "bots" else "chekc")
    assert done.exit_code == 2
    assert "Did you mean" in done.stderr
