"""Tournaments on two hosts of which one forges results, and is caught."""

import json
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from msgspec import structs

from tests.support.executors import FuturesExecutor, Immediate
from tests.support.tournaments import begin, played, refused
from tourney.bots.catalogue.store import BotStore
from tourney.check.schedule import StoredSchedule, check_schedule
from tourney.errors import WorkerError
from tourney.exchange.lines import export_lines
from tourney.match.result import PlayedMatch
from tourney.match.spec import MatchSpec
from tourney.run.engine.coordinator import Coordinator
from tourney.run.engine.run_control import RunControl
from tourney.run.engine.tournament_run import executor_run
from tourney.run.engine.withdrawal import (
    Withdrawal,
    check_benches,
    check_hosts,
    find_withdrawal,
    withdraw,
)
from tourney.run.listeners import Listener, withdrawn_path
from tourney.run.summary import End, Summary
from tourney.run.workers.executor import MatchTask, Run, WorkerReply
from tourney.store.database import Database
from tourney.store.values import Tournament

Play = Callable[[MatchSpec], PlayedMatch]

NOWHERE = Path("/nowhere")
COMMAND = "tourney db withdraw cup --host liar"

FORMATS: dict[str, tuple[int, dict[str, Any]]] = {
    "round-robin": (4, {}),
    "swiss": (6, {"format_": "swiss", "rounds": 5}),
    "swiss of pods": (7, {"format_": "swiss", "seats": 3, "games": 6, "rounds": 3}),
    "knockout": (6, {"format_": "knockout", "extra": (("third-place", 1),)}),
    "adaptive": (5, {"format_": "adaptive", "extra": (("batch", 2), ("budget", 40))}),
    "adaptive to a sigma": (4, {"format_": "adaptive", "extra": (("batch", 2), ("target-sigma", 150))}),
    "adaptive until": (
        4,
        {"format_": "adaptive", "extra": (("batch", 2), ("budget", 60), ("until-width", 300))},
    ),
    "round-robin until": (4, {"games": 20, "extra": (("until-width", 300),)}),
}


def honest(spec: MatchSpec) -> PlayedMatch:
    return played(spec)


def forged(spec: MatchSpec) -> PlayedMatch:
    """The entrant with the first name wins."""
    names = [seat.name for seat in spec.seats]
    return played(spec, tuple(1 + sorted(names).index(name) for name in names))


class Hosts(FuturesExecutor):
    """Two machines that play in turn; ``liar`` forges, and is caught after ``found`` matches, if at all."""

    def __init__(
        self,
        forge: Play | None = forged,
        found: int | None = None,
        true: Play = honest,
        *,
        dies: bool = False,
    ) -> None:
        super().__init__(Immediate, self._reply, 3)
        self._forge, self._true, self._found, self._dies = forge, true, found, dies
        self._numbers = count(1)
        self._caught: dict[str, str] = {}
        self._refused: Mapping[str, str] = {}

    def begin(self, run: Run) -> None:
        self._refused = run.refused

    def caught(self) -> Mapping[str, str]:
        return dict(self._caught)

    def _reply(self, task: MatchTask) -> WorkerReply:
        number = next(self._numbers)
        if number == self._found:
            self._caught["liar"] = "it lies"
        if self._dies and self._found and number >= self._found:
            raise WorkerError("no worker of the cluster can play")
        lies = self._forge is not None and number % 3 and "liar" not in {*self._refused, *self._caught}
        match = self._forge(task.spec) if lies and self._forge is not None else self._true(task.spec)
        host = "unix/liar" if lies else "unix/good"
        return WorkerReply(
            task.number, PlayedMatch(match.record, match.log, structs.replace(match.measured, host=host))
        )


class Said(Listener):
    def __init__(self, said: list[str]) -> None:
        self.said = said

    def say(self, text: str) -> None:
        self.said.append(text)


class Cup:
    """A tournament, and what its runs have said."""

    def __init__(self, path: Path, entrants: int, plan: Mapping[str, Any]) -> None:
        self.repository = Database.open(str(path), create=True)
        self.said: list[str] = []
        self.id = begin(self.repository, entrants, **plan).id

    def run(self, executor: Hosts) -> Summary:
        """Run by an executor, as ``run_tournament`` does."""
        check_hosts(self.repository, self.tournament)
        run = executor_run(self.repository, self.tournament, BotStore(NOWHERE), self.said.append)
        executor.begin(run)
        listener = Said(self.said)
        summary = Coordinator(self.repository, self.id, executor, NOWHERE, RunControl(listener)).run()
        if summary.end is End.FINISHED:
            check_benches(self.repository, self.tournament)
        self.holds()
        return summary

    def run_until_caught(self, executor: Hosts) -> None:
        with refused(WorkerError, "the host liar is refused: it lies", f"`{COMMAND}`"):
            self.run(executor)
        self.holds()

    def withdraw(self) -> Withdrawal:
        found = find_withdrawal(self.repository, self.tournament, "unix/liar")
        withdraw(self.repository, self.tournament, found)
        return found

    def run_without_the_liar(self, true: Play = honest) -> None:
        """Withdraw its matches and run again, with a liar that would lie again."""
        self.withdraw()
        self.holds()
        again = Hosts(true=true)
        assert self.run(again).end is End.FINISHED
        assert dict(again._refused) == {"liar": "it lies"}

    def holds(self) -> None:
        """The rounds follow from the results that they were drawn from."""
        assert check_schedule(StoredSchedule.of(self.repository, self.tournament)).findings == ()

    @property
    def tournament(self) -> Tournament:
        return self.repository.tournaments.by_id(self.id)

    @property
    def export(self) -> bytes:
        """All that lasts: plan, schedule, records, voids and root."""
        self.holds()
        return b"".join(export_lines(self.repository, self.tournament, measured=False, private=True))

    @property
    def kept(self) -> list[dict[str, Any]]:
        """The matches in the file of those withdrawn."""
        lines = withdrawn_path(self.repository.place, self.tournament).read_text().split("\n")
        return [json.loads(line) for line in lines if line]
