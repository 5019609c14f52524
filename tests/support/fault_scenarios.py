"""The commands that faults are tried on: a folder, a command line, and what must hold afterwards."""

import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pytest
from rich.console import Console

from tests.support import addons, genuine, releases
from tests.support.executors import FuturesExecutor, Immediate
from tests.support.kills import CUP
from tourney.check.database import check_database
from tourney.check.root import keep_root
from tourney.exchange.archiving import archive_tournament
from tourney.exchange.lines import export_lines
from tourney.run.workers.executor import EXECUTORS, MatchTask, WorkerReply
from tourney.schedule.format import working_formats
from tourney.store.database import Database

DB: Final = ("--db", "t.db")
SMALL: Final = 'opening-plies = 2\n{}\noptions.stones = "5"'


def _play(task: MatchTask) -> WorkerReply:
    return WorkerReply(task.number, genuine.play(task.spec))


class TrueExecutor(FuturesExecutor):
    """Plays matches of random actions in this process."""

    def __init__(self, workers: int, **_: int) -> None:
        super().__init__(Immediate, _play, workers)


@dataclass(frozen=True)
class Scenario:
    """A command line; ``prepare`` makes the folder that it runs in, which is the current one.

    ``before`` runs in each process, before the command. ``output`` is a folder whose content counts.
    ``state`` is what counts of the current folder, if not its database and files.
    ``repair`` is what a person does before starting again, by what the command says.
    """

    words: tuple[str, ...]
    prepare: Callable[[Path], None] = lambda folder: None
    before: Callable[[], None] = lambda: None
    output: str = ""
    state: Callable[[], dict[str, Any]] | None = None
    repair: Callable[[Path], None] = lambda folder: None


def _cup(settings: str) -> Callable[[Path], None]:
    def prepare(folder: Path) -> None:
        (folder / "cup.toml").write_text(CUP.format(settings=SMALL.format(settings)), "utf-8")

    return prepare


def _run(settings: str) -> Scenario:
    words = ("run", "cup.toml", "--workers", "1", "--quiet", "--bots", "bots", *DB)
    return Scenario(words, _cup(settings))


def _database(folder: Path, name: str = "t.db", *, most: int | None = None) -> None:
    """Make a database with a tournament, finished or up to a match."""
    with Database.open(str(folder / name), create=True) as database:
        cup = genuine.begin(database, games=2)
        genuine.play_all(database, cup, most=most)
        if most is None:
            keep_root(database, cup.id)


def _exported(folder: Path) -> None:
    _database(folder, "other.db")
    with Database.open(str(folder / "other.db")) as database:
        lines = export_lines(database, database.tournaments.get("cup"), measured=True)
        (folder / "cup.jsonl").write_bytes(b"".join(lines))
    (folder / "other.db").unlink()


def _half_merged(folder: Path) -> None:
    _database(folder, most=3)
    _database(folder, "other.db")


def _archived(folder: Path) -> None:
    _database(folder)
    with Database.open(str(folder / "t.db"), write=True) as database:
        archive_tournament(database, "cup", folder / "cup.jsonl.gz", "2026-11-22")


def _remove_unfinished(folder: Path) -> None:
    """Remove an archive that the database does not know, as the refusal says."""
    with Database.open(str(folder / "t.db")) as database:
        if not database.tournaments.archives():
            (folder / "cup.jsonl.gz").unlink(missing_ok=True)


def _bot(folder: Path) -> None:
    (folder / "mybot").mkdir()
    text = 'name = "mybot"\nversion = "1"\ngames = ["sage-stones"]\ncommand = ["python3", "bot.py"]\n'
    (folder / "mybot" / "bot.toml").write_text(text, "utf-8")
    (folder / "mybot" / "bot.py").write_text("print(1)\n", "utf-8")
    (folder / "mybot" / "data").write_bytes(b"1" * 100_000)


def _later_release() -> None:
    releases.release(pytest.MonkeyPatch(), Path(tempfile.mkdtemp(prefix="tourney-later-")))


SCENARIOS: Final[dict[str, Scenario]] = {
    "run-round-robin": _run("games-per-pairing = 2"),
    "run-swiss": _run('format = "swiss"\nrounds = 2'),
    "run-knockout": _run('format = "knockout"'),
    "run-adaptive": _run('format = "adaptive"\nbatch = 2\nbudget = 4'),
    "import": Scenario(("import", "cup.jsonl", *DB), _exported),
    "merge": Scenario(("db", "merge", "other.db", *DB), _half_merged),
    "archive": Scenario(
        ("db", "archive", "cup", "--out", "cup.jsonl.gz", *DB), _database, repair=_remove_unfinished
    ),
    "unarchive": Scenario(("db", "unarchive", "cup.jsonl.gz", *DB), _archived),
    "withdraw": Scenario(("db", "withdraw", "cup", "--match", "2", *DB), _database),
    "upgrade": Scenario(("db", "upgrade", *DB), _database, _later_release),
    "backup": Scenario(("db", "backup", "copy.db", *DB), _database),
    "report": Scenario(("report", "cup", "--out", "out", *DB), _database, output="out"),
    "bots-add": Scenario(("bots", "add", "mybot", "--bots", "bots"), _bot, output="bots"),
}
"""Those of the core; ``all_scenarios`` has those of the add-ons too."""


@cache
def all_scenarios() -> Mapping[str, Scenario]:
    """Every scenario: an add-on has ``SCENARIOS`` and ``get_ready`` in its ``fault_scenarios.py``."""
    scenarios = dict(SCENARIOS)
    for part in addons.parts("fault_scenarios"):
        scenarios |= part.SCENARIOS
    return scenarios


def get_ready() -> None:
    """Import the commands and compile their SQL once, not in each fork; play matches in the run itself."""
    for module in (
        "cli.run",
        "cli.report",
        "cli.import_",
        "cli.db.merge",
        "cli.db.archive",
        "cli.db.withdraw",
        "cli.bots.add",
    ):
        import_module(f"tourney.{module}")
    setattr(EXECUTORS, "find_class", lambda _name: TrueExecutor)  # noqa: B010 - a method is replaced
    setattr(import_module("tourney.run.workers.local"), "LocalExecutor", TrueExecutor)  # noqa: B010 - likewise
    for part in addons.parts("fault_scenarios"):
        part.get_ready()
    with tempfile.TemporaryDirectory(prefix="tourney-warm-") as folder:
        _database(Path(folder))
        check_database(str(Path(folder, "t.db")))
    working_formats()
    Console()


def state_of(scenario: Scenario) -> dict[str, Any]:
    """What the current folder holds: its files by name, and what its database says."""
    if scenario.state is not None:
        return scenario.state()
    found: dict[str, Any] = {}
    if Path("t.db").exists():
        found["problems"] = list(check_database("t.db"))
        with Database.open("t.db") as database:
            for cup in database.tournaments.all():
                records = sum(match.result is not None for match in database.matches.all(cup.id))
                digests = [str(one) for one in database.matches.digests(cup.id)]
                found[cup.name] = [cup.complete, cup.root, records, digests]
    files = (file for file in Path().rglob("*") if not spared(file))
    found["files"] = sorted(re.sub(r"\d{4}-\d\d-\d\d", "DATE", str(file)) for file in files)
    if scenario.output:
        content = sorted(filter(Path.is_file, Path(scenario.output).rglob("*")))
        found["output"] = [[str(file), file.stat().st_size] for file in content]
    return found


def spared(file: Path) -> bool:
    """Whether a file is SQLite's own, or harmless after a kill: a second name of a file, a free lock."""
    linked = file.name.startswith(".tourney-") and file.stat().st_nlink > 1
    return linked or file.name.endswith(("-shm", "-wal", "-run-1.lock"))
