"""The frame: the table of commands, lazy loading, help, version, and wrong use."""

import subprocess
import sys
from importlib.util import find_spec

import click
import pytest

from tests.command import invoke, run
from tourney import __version__
from tourney.cli.main import SECTIONS, TABLE

DESIGNED = [
    "demo",
    "games",
    "check-game",
    "rules",
    "perft",
    "play",
    "bots",
    "run",
    "status",
    "standings",
    "ratings",
    "compare",
    "report",
    "show",
    "verify",
    "rerun",
    "export",
    "import",
    "doctor",
    "db",
]


def test_the_table_names_the_designed_commands() -> None:
    """The names that people outside build on are all there, and no other."""
    assert sorted(TABLE) == sorted(DESIGNED)


@pytest.mark.parametrize("name", [name for name, entry in TABLE.items() if entry.present()])
def test_every_command_that_is_there_loads_and_explains_itself(name: str) -> None:
    """A line of the table leads to a click command of that name, with a help text."""
    command = TABLE[name].load()
    assert isinstance(command, click.Command)
    assert command.name == name
    assert invoke(name, "--help").exit_code == 0
    assert command.help


def test_help_lists_the_commands_that_are_there_by_purpose() -> None:
    """``tourney --help`` has a heading for each section and a line for each command whose module exists."""
    text = invoke("--help").stdout
    for title, entries in SECTIONS.items():
        there = [name for name, entry in entries.items() if find_spec(entry.module) is not None]
        assert (f"{title}:" in text) == bool(there)
        for name in there:
            assert f"\n  {name} " in text
    assert "\n  rules " in text


def test_a_command_whose_module_is_missing_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line of the table without its module is neither listed nor run."""
    from tourney.cli import main

    monkeypatch.setattr(main, "_present", lambda module: module != "tourney.cli.perft")
    assert "\n  perft " not in invoke("--help").stdout
    done = invoke("perft", "x", "1")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == "error: No such command 'perft'; see 'tourney --help'\n"


def test_version() -> None:
    """``tourney --version`` prints the package's version."""
    assert invoke("--version").stdout == f"tourney {__version__}\n"


def test_no_command_is_wrong_use_and_shows_the_help() -> None:
    """``tourney`` alone prints its help on standard error and exits with 2."""
    done = invoke()
    assert (done.exit_code, done.stdout) == (2, "")
    assert "Usage: tourney" in done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["ruels"], "No such command 'ruels'"),
        (["games", "--fromat", "csv"], "No such option '--fromat'"),
        (["games", "--format", "xml"], "'xml' is not one of 'table', 'csv', 'json'"),
        (["perft", "sages-tafl"], "Missing argument 'DEPTH'"),
        (["perft", "sages-tafl", "-1"], "No such option '-1'"),
        (["perft", "sages-tafl", "many"], "'many' is not a valid integer"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(words: list[str], says: str) -> None:
    """A command line that does not fit is refused in one line on standard error, which says where help is."""
    done = invoke(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert says in done.stderr
    assert "--help'" in done.stderr
    assert done.stderr.count("\n") == 1


def test_rules_starts_without_slow_imports() -> None:
    """Loading ``tourney rules`` imports neither pandas, numpy, SQLModel, Jinja2 nor rich."""
    code = (
        "import sys; from tourney.cli.main import TABLE; TABLE['rules'].load();"
        "slow = ('pandas', 'numpy', 'sqlmodel', 'sqlalchemy', 'jinja2', 'rich');"
        "print(*[module for module in slow if module in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


def test_help_imports_no_command() -> None:
    """``tourney --help`` is written from the table alone."""
    code = (
        "import sys; from tourney.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "sys.stderr.write(' '.join(sorted(m for m in sys.modules if m.startswith('tourney.cli.'))))"
    )
    done = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=True)
    assert done.stderr.split() == ["tourney.cli.edge", "tourney.cli.main"]
    assert "Usage: tourney" in done.stdout


def test_runs_as_a_module() -> None:
    """``python -m tourney`` is the same program."""
    assert run("--version").stdout == f"tourney {__version__}\n"


def test_completion_offers_the_commands() -> None:
    """The shells' completion (click's) knows the commands of the table."""
    done = run(env={"_TOURNEY_COMPLETE": "bash_complete", "COMP_WORDS": "tourney ga", "COMP_CWORD": "1"})
    assert "games" in done.stdout
