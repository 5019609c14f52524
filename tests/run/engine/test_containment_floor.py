"""No run goes on with less containment than its tournament began with, unless that is allowed and stored."""

from functools import partial
from pathlib import Path

import pytest
from msgspec import structs

from tests.support.boxes import WEAK, WEAKEST, WHOLE, WHY
from tests.support.executors import FuturesExecutor, Immediate
from tests.support.tournaments import answer, begin, played, refused, write_file
from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.sandbox import PROTECTIONS, Sandbox
from tourney.errors import SandboxError, WorkerError
from tourney.interface.playing import run_tournament as run_by_interface
from tourney.match.result import NOT_MEASURED, PlayedMatch, SandboxMeasurements
from tourney.run.engine import readiness
from tourney.run.engine.containment_floor import floor_of, lowered_in
from tourney.run.engine.coordinator import Coordinator
from tourney.run.engine.readiness import PlaySetup
from tourney.run.engine.run_control import RunControl
from tourney.run.engine.tournament_run import commit_tournament, run_tournament
from tourney.run.listeners import PlainListener
from tourney.run.summary import End, Summary
from tourney.run.tournament_file import read_tournament_file
from tourney.run.workers import worker
from tourney.run.workers.executor import MatchExecutor, MatchTask, WorkerReply
from tourney.store.database import Database

CUP = 'name = "cup"\ngame = "sage-stones"\nseed = 7\nbots = ["pebble", "random"]\ngames-per-pairing = 8\n'


class Machine:
    """The machine of the runs: what contains bots on it, and how many matches a run plays at most."""

    def __init__(self) -> None:
        self.box: Sandbox = WHOLE
        self.most = 3
        self.said: list[str] = []

    def open(self, *_: object) -> Sandbox:
        return self.box

    def workers(self) -> MatchExecutor:
        """Play ``most`` matches, then no more."""
        begun: list[MatchTask] = []

        def play(task: MatchTask) -> WorkerReply:
            begun.append(task)
            return answer(task) if len(begun) <= self.most else WorkerReply(task.number)

        return FuturesExecutor(Immediate, play)

    def run(self, folder: Path, box: Sandbox, setup: PlaySetup | None = None) -> Summary:
        """Begin the cup, or go on."""
        self.box = box
        listener = PlainListener(self.said.append)
        file = read_tournament_file(write_file(folder, CUP))
        return run_tournament(file, str(folder / "t.db"), folder / "bots", self.workers, listener, setup)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine()
    monkeypatch.setattr(readiness, "open_sandbox", made.open)
    return made


REFUSAL = (
    f"cup began with {len(PROTECTIONS)} of {len(PROTECTIONS)} protections enforced",
    f"would go on with {len(PROTECTIONS) - 2}: plain has less of network (absent), host-files (absent), as",
    WHY,
    "pass --allow-weaker, which is stored",
)


def test_run_stops_where_it_contains_bots_less(tmp_path: Path, machine: Machine) -> None:
    """With exit code 3; on the old machine it goes on."""
    assert machine.run(tmp_path, WHOLE).progress.done == 3
    with refused(SandboxError, *REFUSAL) as _:
        machine.run(tmp_path, WEAK)
    assert SandboxError.exit_code == 3
    assert machine.run(tmp_path, WHOLE).progress.done == 6


def test_tournament_without_a_match_has_begun_too(tmp_path: Path, machine: Machine) -> None:
    """The run has stated its containment, although nothing was stored before it was killed."""
    machine.most = 0
    machine.run(tmp_path, WHOLE)
    with refused(SandboxError, *REFUSAL):
        machine.run(tmp_path, WEAK)


def test_allowed_weaker_is_said_and_stored(tmp_path: Path, machine: Machine) -> None:
    """Later runs need no option, but may fall no further."""
    machine.run(tmp_path, WHOLE)
    machine.run(tmp_path, WEAK, PlaySetup(allow_weaker=True))
    assert any(text.startswith("--allow-weaker: cup began with") for text in machine.said)
    with Database.open(str(tmp_path / "t.db")) as database:
        run = database.tournaments.get("cup").run
    assert run.weaker
    assert run.floor == WEAK.protections
    assert machine.run(tmp_path, WEAK).progress.done == 8
    write_file(tmp_path, CUP)
    machine.most = 0
    assert machine.run(tmp_path, WEAKEST).end is End.FINISHED, "nothing is left to play"


def test_weaker_that_was_allowed_may_not_fall_further(tmp_path: Path, machine: Machine) -> None:
    machine.run(tmp_path, WHOLE)
    machine.most = 1
    machine.run(tmp_path, WEAK, PlaySetup(allow_weaker=True))
    with refused(SandboxError, "plain has less of system (absent)"):
        machine.run(tmp_path, WEAKEST)


def test_needless_allowance_is_not_stored(tmp_path: Path, machine: Machine) -> None:
    machine.run(tmp_path, WHOLE)
    machine.run(tmp_path, WHOLE, PlaySetup(allow_weaker=True))
    with Database.open(str(tmp_path / "t.db")) as database:
        assert not database.tournaments.get("cup").run.weaker


def test_commitment_needs_no_containment(tmp_path: Path, machine: Machine) -> None:
    """It builds and plays nothing of a tournament that has begun."""
    machine.run(tmp_path, WHOLE)
    machine.box = WEAK
    file, bots = read_tournament_file(tmp_path / "cup.toml"), tmp_path / "bots"
    commit_tournament(file, str(tmp_path / "t.db"), bots, print, PlaySetup(commits=True))


def test_interface_takes_the_allowance(tmp_path: Path, machine: Machine) -> None:
    machine.run(tmp_path, WHOLE)
    machine.box = WEAK
    file = tmp_path / "cup.toml"
    run = partial(run_by_interface, db=tmp_path / "t.db", bots=tmp_path / "bots", workers=machine.workers)
    with refused(SandboxError, *REFUSAL):
        run(file)
    assert run(file, allow_weaker=True).summary.progress.done == 6


def test_older_tournament_began_with_its_first_match(repository: Database) -> None:
    """So does one that was imported: its floor is of another machine."""
    tournament = begin(repository)
    assert floor_of(repository, tournament) == {}
    sandbox = SandboxMeasurements("auto", "bubblewrap", {"network": "enforced"})

    def play(task: MatchTask) -> WorkerReply:
        measured = structs.replace(NOT_MEASURED, sandbox=sandbox if task.number > 1 else None)
        return WorkerReply(task.number, PlayedMatch(played(task.spec).record, (), measured))

    Coordinator(repository, tournament.id, FuturesExecutor(Immediate, play), Path("/nowhere")).run()
    assert floor_of(repository, tournament) == {"network": "enforced"}
    repository.tournaments.keep_floor(tournament.id, {"network": "partial"}, weaker=True)
    assert floor_of(repository, repository.tournaments.by_id(tournament.id)) == {"network": "partial"}


def test_match_played_below_the_floor_does_not_count(repository: Database) -> None:
    """A worker's or a host's sandbox may fall during the run: the match is replayed."""
    tournament = begin(repository)
    plays: list[int] = []

    def play(task: MatchTask) -> WorkerReply:
        plays.append(task.number)
        network = "enforced" if plays.count(task.number) > 1 else "absent"
        sandbox = SandboxMeasurements("auto", "x", {"network": network, "page-cache": "partial"})
        measured = structs.replace(NOT_MEASURED, sandbox=sandbox)
        return WorkerReply(task.number, PlayedMatch(played(task.spec).record, (), measured))

    control = RunControl(floor={"network": "enforced", "page-cache": "enforced"})
    executor = FuturesExecutor(Immediate, play)
    Coordinator(repository, tournament.id, executor, Path("/nowhere"), control).run()
    assert sorted(plays) == sorted([1, 2, 3, 4, 5, 6] * 2)
    for _, measured in repository.records.all_measured(tournament.id):
        assert lowered_in(measured, control.floor) == []


def test_worker_that_falls_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It plays nothing with less than the coordinator has said."""
    monkeypatch.setattr(worker, "open_sandbox", lambda *_: WEAK)
    worker._match_runner.cache_clear()
    floor = tuple(sorted(WHOLE.protections.items()))
    words = ("a worker cannot contain bots as the run does: plain has less of network (absent)", WHY)
    with refused(WorkerError, *words):
        worker._match_runner(str(tmp_path / "bots"), "auto", False, floor)
    worker._match_runner.cache_clear()


def test_store_of_bots_is_left_as_it_was(tmp_path: Path, machine: Machine) -> None:
    """A refused run adds nothing to the tournament."""
    machine.run(tmp_path, WHOLE)
    before = [entry.digest for entry in BotStore(tmp_path / "bots").entries()]
    with refused(SandboxError, *REFUSAL):
        machine.run(tmp_path, WEAK)
    assert [entry.digest for entry in BotStore(tmp_path / "bots").entries()] == before
    with Database.open(str(tmp_path / "t.db")) as database:
        assert database.schedules.progress(database.tournaments.get("cup").id).done == 3
