"""The command table: lazy loading, help, version and wrong use."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests.run.test_same_results import play
from tests.store.test_database import play_all
from tests.support.command import ROOT, invoke, run
from tests.support.executors import FuturesExecutor, Immediate
from tests.support.tournaments import THREE_PEBBLES, begin, write_file
from tourney import __version__
from tourney.cli.main import CommandTable, cli
from tourney.games.compiled import summary
from tourney.plugins import shipped
from tourney.run.engine.tournament_run import run_tournament
from tourney.run.tournament_file import read_tournament_file
from tourney.store.database import Database

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
    "rate",
    "commit",
    "report",
    "audit",
    "show",
    "verify",
    "rerun",
    "export",
    "import",
    "doctor",
    "db",
    "completion",
]


def test_command_table_lists_commands_of_core_and_addons() -> None:
    added = [words for addon in shipped().values() for words in addon.commands if " " not in words]
    assert sorted(cli.names) == sorted([*DESIGNED, *added])


@pytest.mark.parametrize("name", cli.names)
def test_every_command_loads_and_has_help(name: str) -> None:
    command = cli.load(name)
    assert isinstance(command, click.Command)
    assert command.name == name
    assert invoke(name, "--help").exit_code == 0
    assert command.help


def test_help_lists_all_commands_by_section() -> None:
    text = invoke("--help").stdout
    for title, names in cli.all_sections.items():
        assert f"{title}:" in text
        for name in names:
            assert f"\n  {name} " in text


def test_unknown_command_is_wrong_use() -> None:
    done = invoke("pertf", "x", "1")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == "error: No such command 'pertf'. Did you mean 'perft'?; see 'tourney --help'\n"
    assert invoke("xyzzy").stderr == "error: No such command 'xyzzy'; see 'tourney --help'\n"


def test_version() -> None:
    """``tourney --version`` prints the package's version."""
    assert invoke("--version").stdout == f"tourney {__version__}\nrules of the games: {summary()}\n"


def test_missing_command_shows_help_and_exits_with_2() -> None:
    """``tourney`` without arguments prints its help on standard error."""
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
        (["perft", "sages-tafl", "many"], "'many' is not a whole number"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(words: list[str], says: str) -> None:
    """The line on standard error says where to find help."""
    done = invoke(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert says in done.stderr
    assert "--help'" in done.stderr
    assert done.stderr.count("\n") == 1


def test_rules_starts_without_slow_imports() -> None:
    """Loading ``tourney rules`` imports neither pandas, numpy, SQLModel, Jinja2 nor rich."""
    code = (
        "import sys; from tourney.cli.main import cli; cli.load('rules');"
        "slow = ('pandas', 'numpy', 'sqlmodel', 'sqlalchemy', 'jinja2', 'rich');"
        "print(*[module for module in slow if module in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


def test_help_imports_no_command() -> None:
    """``tourney --help`` uses only the table."""
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
    assert run("--version").stdout.startswith(f"tourney {__version__}\n")


def test_completion_offers_the_commands() -> None:
    """Click's shell completion knows the commands in the table."""
    done = run(env={"_TOURNEY_COMPLETE": "bash_complete", "COMP_WORDS": "tourney ga", "COMP_CWORD": "1"})
    assert "games" in done.stdout


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("sta", ["status", "standings"]),
        ("bots l", ["list"]),
        ("--ver", ["--version"]),
        ("nonsense sta", ["status", "standings"]),
    ],
)
def test_completion_imports_no_command_that_it_offers(words: str, offered: list[str]) -> None:
    code = (
        "import sys; from tourney.cli.main import main\n"
        "try: main()\n"
        "finally: sys.stderr.write(' '.join(sorted(m for m in sys.modules if m.startswith('tourney.cli.'))))"
    )
    env = {"COMP_WORDS": f"tourney {words}", "COMP_CWORD": str(len(words.split()))}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "_TOURNEY_COMPLETE": "bash_complete", **env},
        capture_output=True,
        text=True,
        check=True,
    )
    assert [line.partition(",")[2] for line in done.stdout.split()] == offered
    group = ["tourney.cli.bots"] if words.startswith("bots") else []
    assert done.stderr.split() == sorted([*group, "tourney.cli.edge", "tourney.cli.main"])


@pytest.mark.parametrize("words", [["games"], ["bots", "list"], ["completion", "bash"]])
def test_command_runs_with_the_collector_on(words: list[str], tmp_path: Path) -> None:
    """``tourney.cli.start`` switches it off while modules are loaded."""
    code = (
        "import atexit, gc, sys\n"
        "atexit.register(lambda: sys.stderr.write(str(gc.isenabled())))\n"
        f"sys.argv[1:] = {words!r}\n"
        "from tourney.cli.start import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stderr.endswith("True")


def test_interrupt_while_importing_is_one_line() -> None:
    """Ctrl-C before the command line is imported ends the program as it does later."""
    code = (
        "import sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'click': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "from tourney.cli.start import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "error: interrupted\n")


def test_numpy_starts_no_threads() -> None:
    """It ends the program where a shell's limit allows none, and sums by threads differ by machine."""
    code = (
        "import atexit, os, sys\n"
        "def count():\n"
        "    import numpy\n"
        "    print(len(os.listdir('/proc/self/task')), 'thread')\n"
        "atexit.register(count)\n"
        "sys.argv = ['tourney', '--version']\n"
        "from tourney.cli.start import main; main()"
    )
    limits = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=limits
    )
    assert done.stdout.splitlines()[-1] == "1 thread"


def test_report_processes_start_without_slow_imports() -> None:
    """What renders pages of matches imports neither pandas, numpy nor the database's libraries."""
    code = (
        "import sys; import tourney.report.pages.match_files;"
        "slow = ('pandas', 'numpy', 'sqlmodel', 'sqlalchemy', 'click', 'rich');"
        "print(*[module for module in slow if module in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


@pytest.mark.parametrize(
    ("words", "loaded"),
    [
        (["games"], ""),
        (["bots", "list"], ""),
        (["status"], "sqlalchemy"),
        (["standings"], "sqlalchemy"),
        (["show", "1"], "sqlalchemy"),
        (["ratings"], "numpy sqlalchemy"),
    ],
)
def test_short_command_loads_only_the_libraries_it_uses(
    tmp_path: Path, words: list[str], loaded: str
) -> None:
    """Each of these takes from a tenth to half a second to load, which people wait for at every call."""
    with Database.open(str(tmp_path / "tourney.db"), create=True) as repository:
        play_all(repository, begin(repository))
    assert libraries_of(words, tmp_path) == loaded


def test_run_with_nothing_left_loads_only_what_it_uses(tmp_path: Path) -> None:
    file = read_tournament_file(write_file(tmp_path, THREE_PEBBLES))
    executor = FuturesExecutor(Immediate, play)
    db = tmp_path / "tourney.db"
    run_tournament(file, str(db), tmp_path / "tourney-bots", lambda: executor)
    assert libraries_of(["run", "cup.toml"], tmp_path) == "sqlalchemy"


def libraries_of(words: list[str], folder: Path) -> str:
    """The slow modules that a command loads in a folder, sorted."""
    code = (
        "import atexit, sys\n"
        "heavy = {'pandas', 'numpy', 'numpy.polynomial', 'scipy',"
        " 'tourney.games.svg_diagram', 'tourney.exchange.importing',"
        " 'sqlmodel', 'pydantic', 'sqlalchemy', 'sqlalchemy.orm',"
        " 'sqlalchemy.dialects.postgresql', 'alembic', 'jinja2', 'rich', 'asyncio.events', 'email', 'ssl'}\n"
        "atexit.register(lambda: sys.stderr.write(' '.join(sorted(heavy & set(sys.modules)))))\n"
        f"sys.argv[1:] = {words!r}\n"
        "from tourney.cli.start import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stderr.rpartition("\n")[2]


PACKAGE = ROOT / "tourney"


def commands(table: CommandTable, *words: str) -> Iterator[tuple[str, ...]]:
    """The words of every command and group below a table."""
    for name in table.names:
        yield (*words, name)
        command = table.load(name)
        if isinstance(command, CommandTable):
            yield from commands(command, *words, name)


ALL = tuple(commands(cli))


COMMAND = re.compile(r'command\(\s*"([a-z-]+)"')
"""The call that makes a command, with the last of its words."""


def defines_command(path: Path) -> bool:
    """Whether a module makes a command or a group of commands."""
    text = path.read_text("utf-8")
    return "\ncommand = command_group(" in text or COMMAND.search(text) is not None


def module_of(words: tuple[str, ...]) -> Path:
    """The module of a command, relative to ``tourney``: below ``cli``, or below an add-on's ``commands``.

    The group that an add-on is named after is the ``__init__`` of its ``commands``.
    """
    *folders, last = (word.replace("-", "_") for word in words)
    path = Path(*folders, {"import": "import_"}.get(last, last))
    places = [Path("cli") / path]
    for name, addon in shipped().items():
        if " ".join(words) in addon.commands:
            places = [Path("addons", name, "commands") / path]
        if words[0] == name:
            places = [Path("addons", name, "commands", *path.parts[1:])]
    (module,) = {
        module
        for place in places
        for module in (place / "__init__.py", place.with_suffix(".py"))
        if (PACKAGE / module).is_file() and defines_command(PACKAGE / module)
    }
    return module


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_words_give_module_and_test(words: tuple[str, ...]) -> None:
    module = module_of(words)
    text = (PACKAGE / module).read_text("utf-8")
    if module.name == "__init__.py":
        assert "\ncommand = command_group(\n    __name__," in text
    else:
        assert words[-1] in COMMAND.findall(text)
        assert (ROOT / "tests" / module.parent / f"test_{module.name}").is_file()


def test_every_module_of_a_group_is_a_command() -> None:
    """A command that no table names could not be called."""
    modules = {module_of(words) for words in ALL}
    for group in (module.parent for module in modules if module.name == "__init__.py"):
        assert {path.relative_to(PACKAGE) for path in (PACKAGE / group).glob("*.py")} <= modules


@pytest.mark.parametrize("group", ["bots", "db"])
def test_unknown_command_of_a_group_is_refused(group: str) -> None:
    done = invoke(group, "shwo" if group == "bots" else "chekc")
    assert done.exit_code == 2
    assert "Did you mean" in done.stderr
