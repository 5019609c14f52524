"""What a person may do with a tournament, in any order: its standings are always a count of its records."""

import csv
import io
import json
import shutil
import tempfile
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from unittest.mock import patch

import pytest
from click.testing import Result
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.support import genuine
from tests.support.command import invoke
from tests.support.executors import FuturesExecutor, Immediate
from tourney.run.engine import recorder
from tourney.run.workers.executor import EXECUTORS, MatchTask, WorkerReply

pytestmark = pytest.mark.slow

CUP = """
name = "cup"
game = "sage-stones"
seed = 7
games-per-pairing = 2
[options]
stones = "5"
[run]
sandbox = "off"
"""
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # syncs are quick there
ENTRANT = '[[entrant]]\nbot = "random"\nname = "{}"\n'


class KilledError(BaseException):
    """The run was killed."""


class MortalExecutor(FuturesExecutor):
    """Plays random actions in this process, and dies after ``left`` matches."""

    left = 0

    def __init__(self, workers: int, **_: int) -> None:
        super().__init__(Immediate, self._next, workers)

    def _next(self, task: MatchTask) -> WorkerReply:
        if MortalExecutor.left == 0:
            raise KilledError
        MortalExecutor.left -= 1
        return WorkerReply(task.number, genuine.play(task.spec))


class Tournament(RuleBasedStateMachine):
    """A round-robin, its database and a copy of that."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="tourney-machine-", dir=MEMORY))
        self.db, self.file = self.folder / "t.db", self.folder / "cup.toml"
        self.names = ["a", "b", "c"]
        self.steps = 0
        self.archived = False
        self.play(2)

    def teardown(self) -> None:
        """Play to the end, and check all."""
        if self.archived:
            self.unarchive()
        self.play(1000)
        assert self.done("verify", "--all").exit_code == 0
        shutil.rmtree(self.folder)

    def done(self, *words: str, db: Path | None = None, codes: tuple[int, ...] = (0,)) -> Result:
        """Run a command on the database."""
        found = invoke(*words, "--db", str(db or self.db))
        assert found.exit_code in codes, (words, found.stderr)
        return found

    def play(self, matches: int, db: Path | None = None) -> None:
        """Run until the end, or until the run is killed after some matches."""
        text = CUP + "".join(map(ENTRANT.format, self.names))
        self.file.write_text(text, "utf-8")
        MortalExecutor.left = matches
        words = ("run", str(self.file), "--workers", "1", "--quiet", "--bots", str(self.folder / "bots"))
        with (
            patch.object(EXECUTORS, "find_class", lambda _name: MortalExecutor),
            patch.object(recorder, "BATCH_SECONDS", 0.0),  # no clock may decide what is stored at once
        ):
            self.done(*words, db=db, codes=(0, 3))

    def rows(self, *words: str) -> list[dict[str, str]]:
        """The rows of a table."""
        return list(csv.DictReader(io.StringIO(self.done(*words).stdout)))

    @property
    def complete(self) -> bool:
        found = json.loads(self.done("status", "--format", "json").stdout)
        return bool(found["tournaments"][0]["complete"])

    def new_path(self, name: str) -> Path:
        """A path that no step has used."""
        self.steps += 1
        return self.folder / f"{self.steps}-{name}"

    @precondition(lambda self: not self.archived)
    @rule(matches=st.integers(0, 4))
    def run_and_kill(self, matches: int) -> None:
        """Run again for some matches."""
        self.play(matches)

    @precondition(lambda self: not self.archived and len(self.names) < 4)
    @rule()
    def add_an_entrant(self) -> None:
        """Add an entrant to the file, and start."""
        self.names.append("d")
        self.play(0)

    @precondition(lambda self: not self.archived)
    @rule(number=st.integers(1, 6))
    def withdraw(self, number: int) -> None:
        """Withdraw a match, if it was played."""
        self.done("db", "withdraw", "cup", "--match", str(number), codes=(0, 2))

    @precondition(lambda self: not self.archived)
    @rule(here=st.integers(0, 3), there=st.integers(0, 3))
    def merge(self, here: int, there: int) -> None:
        """Run a copy and the database, and bring the copy's results in."""
        other = self.new_path("other.db")
        self.done("db", "backup", str(other))
        self.play(there, other)
        self.play(here)
        self.done("db", "merge", str(other))

    @precondition(lambda self: not self.archived)
    @rule()
    def export_and_import(self) -> None:
        """Move the tournament to a new database."""
        file, new = self.new_path("cup.jsonl"), self.new_path("t.db")
        self.done("export", "cup", "--what", "tournament", "--private", "--measured", "--out", str(file))
        self.done("import", str(file), db=new)
        self.db = new

    @precondition(lambda self: not self.archived)
    @rule()
    def archive(self) -> None:
        """Archive a finished tournament."""
        self.file_of_archive = self.new_path("cup.jsonl.gz")
        ended = self.done("db", "archive", "cup", "--out", str(self.file_of_archive), codes=(0, 2))
        self.archived = ended.exit_code == 0

    @precondition(lambda self: self.archived)
    @rule()
    def unarchive(self) -> None:
        """Bring it back."""
        self.done("db", "unarchive", str(self.file_of_archive))
        self.archived = False

    @precondition(lambda self: not self.archived)
    @rule()
    def verify(self) -> None:
        """Check all."""
        self.done("verify", "--all")

    @invariant()
    def standings_are_a_count_of_the_records(self) -> None:
        """Points and games of each entrant."""
        if self.archived:
            return
        counted: dict[str, list[Fraction]] = defaultdict(lambda: [Fraction(0), Fraction(0)])
        lines = self.done("export", "cup", "--what", "tournament", "--private").stdout.splitlines()
        for record in filter(None, (json.loads(line).get("record") for line in lines[1:])):
            ranks = record["outcome"]["ranks"]
            for seat, rank in zip(record["seats"], ranks, strict=True):
                other = sum(ranks) - rank
                counted[seat["entrant"]][0] += Fraction(2 * (rank < other) + (rank == other), 2)
                counted[seat["entrant"]][1] += 1
        for row in self.rows("standings", "cup", "--format", "csv"):
            points, games = counted[row["name"]]
            assert (Fraction(row["points"]), Fraction(row["games"])) == (points, games), row


TestTournament = Tournament.TestCase
TestTournament.settings = settings(
    max_examples=6,
    stateful_step_count=8,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
