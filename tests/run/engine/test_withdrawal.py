"""A host is caught: once its matches are withdrawn, the tournament ends as if it had never played."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from tests.support.command import invoke
from tests.support.executors import FuturesExecutor, Immediate
from tests.support.tournaments import begin, entrant, played, refused
from tourney.bots.catalogue.store import BotStore
from tourney.errors import EnvironmentFailure, UsageError, WorkerError
from tourney.match.record import FaultKind
from tourney.match.result import PlayedMatch
from tourney.match.spec import MatchSpec
from tourney.parsing import parse_json
from tourney.run.engine import recorder
from tourney.run.engine.coordinator import Coordinator
from tourney.run.engine.readiness import unbench
from tourney.run.engine.run_control import RunControl
from tourney.run.engine.schedule_check import StoredSchedule, check_schedule
from tourney.run.engine.tournament_run import executor_run
from tourney.run.engine.withdrawal import (
    Withdrawal,
    check_benches,
    check_hosts,
    find_named,
    find_withdrawal,
    spans_text,
    withdraw,
    withdrawn_path,
)
from tourney.run.listeners import Listener
from tourney.run.summary import End, Summary
from tourney.run.workers.executor import MatchTask, Run, WorkerReply
from tourney.store.database import Database
from tourney.store.exchange import export_lines
from tourney.store.importing import import_tournament
from tourney.store.matches import Matches
from tourney.store.merging import merge_databases
from tourney.store.values import StoredEntrant, Tournament

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


@pytest.fixture(scope="module", params=FORMATS)
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, int, bytes]:
    """A format, the number of matches if the liar is never caught, and the export of a run without it."""
    local, forging = (
        Cup(tmp_path_factory.mktemp("case") / "t.db", *FORMATS[request.param]) for _ in range(2)
    )
    assert local.run(Hosts(None)).end is End.FINISHED
    forging.run(Hosts())
    return request.param, forging.repository.schedules.progress(forging.id).rows, local.export


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.3, 1.0], ids=["early", "at the end"])
def test_tournament_ends_as_without_the_liar(
    case: tuple[str, int, bytes], share: float, tmp_path: Path
) -> None:
    name, matches, export = case
    cup = Cup(tmp_path / "t.db", *FORMATS[name])
    cup.run_until_caught(Hosts(found=max(8, round(share * matches))))
    before = cup.export
    cup.run_until_caught(Hosts(None))
    assert cup.export == before, "no run goes on from forged results"
    cup.run_without_the_liar()
    assert cup.export == export


def test_withdrawn_matches_are_kept_with_the_reason(tmp_path: Path) -> None:
    cup = Cup(tmp_path / "t.db", *FORMATS["swiss"])
    cup.run_until_caught(Hosts(found=24))
    found = cup.withdraw()
    assert (found.rounds, found.later[0]) == (1, 7), "all rounds after the first were drawn from its results"
    assert {one["host"] for one in cup.kept if one["why"] == "played on the host liar"} == {"unix/liar"}
    later = "drawn after round 1, from results that no longer count"
    assert {one["place"][0] for one in cup.kept if one["why"] == later} >= {2, 3, 4}
    assert all(one["record"]["digest"] for one in cup.kept if "host" in one)
    assert [one["match"] for one in cup.kept] == sorted({*found.matches, *found.later})
    assert [number for number, _ in cup.repository.schedules.pending(cup.id)] == [
        n for n in found.matches if n < 7
    ]


def test_dry_run_prints_and_changes_nothing(tmp_path: Path) -> None:
    cup = Cup(tmp_path / "t.db", *FORMATS["round-robin"])
    cup.run_until_caught(Hosts(found=8))
    before = cup.export, sorted(tmp_path.iterdir())
    words = ("db", "withdraw", "cup", "--host", "liar", "--db", str(tmp_path / "t.db"))
    said = invoke(*words, "--dry-run")
    assert (said.exit_code, said.stderr) == (0, "")
    assert said.stdout == "4 matches played on the host liar: 1 to 2, 4 to 5\n"
    assert (cup.export, sorted(tmp_path.iterdir())) == before
    done = invoke(*words)
    assert (done.exit_code, done.stdout) == (0, said.stdout)
    assert f"the matches are kept in {tmp_path / 't.db-cup.withdrawn.jsonl'}" in done.stderr
    assert "liar gets no more matches in cup" in done.stderr
    assert len(cup.repository.schedules.pending(cup.id)) == 5


def test_named_matches_are_played_again(tmp_path: Path) -> None:
    """With all that was drawn from them; the tournament ends as it was, and no host is refused."""
    cup = Cup(tmp_path / "t.db", *FORMATS["swiss"])
    cup.run(Hosts(None))
    before = cup.export
    words = ("db", "withdraw", "cup", "--match", "7", "--match", "4", "--db", str(tmp_path / "t.db"))
    said = invoke(*words, "--dry-run")
    assert said.stdout.splitlines()[0] == "2 matches named: 4, 7"
    assert cup.export == before
    assert invoke(*words).stdout == said.stdout
    assert {one["match"] for one in cup.kept if one["why"] == "named"} == {4, 7}
    assert cup.repository.hosts.refused(cup.id) == ()
    assert cup.run(Hosts(None)).end is End.FINISHED
    assert cup.export == before


def test_match_without_result_cannot_be_withdrawn(tmp_path: Path) -> None:
    cup = Cup(tmp_path / "t.db", *FORMATS["round-robin"])
    cup.run(Hosts(None))
    for number in (0, 99):
        with refused(UsageError, f"match {number} of cup has no result that could be withdrawn"):
            find_named(cup.repository, cup.tournament, [1, number])


@pytest.mark.parametrize("words", [(), ("--host", "a", "--match", "1"), ("--match", "1", "--readmit")])
def test_withdrawal_is_by_host_or_by_number(tmp_path: Path, words: tuple[str, ...]) -> None:
    said = invoke("db", "withdraw", "cup", *words, "--db", str(tmp_path / "t.db"))
    assert (said.exit_code, "either --host NAME" in said.stderr) == (2, True)


def test_host_may_play_again_if_a_person_says_so(tmp_path: Path) -> None:
    """The refusal ends with the withdrawal, or later."""
    cup = Cup(tmp_path / "t.db", *FORMATS["round-robin"])
    cup.run_until_caught(Hosts(found=8))
    words = ("db", "withdraw", "cup", "--host", "liar", "--db", str(tmp_path / "t.db"))
    assert invoke(*words).exit_code == 0
    assert [one.host for one in cup.repository.hosts.refused(cup.id)] == ["liar"]
    said = invoke(*words, "--readmit")
    assert (said.exit_code, said.stdout) == (0, "")
    assert "liar may play again in cup" in said.stderr
    assert cup.repository.hosts.refused(cup.id) == ()


def test_host_that_never_played_is_refused_by_name(tmp_path: Path) -> None:
    cup = Cup(tmp_path / "t.db", *FORMATS["round-robin"])
    cup.run(Hosts(None))
    with refused(UsageError, "cup has no match of the host 'liar'; hosts of its stored matches: good"):
        cup.withdraw()


def test_nothing_is_withdrawn_if_the_file_cannot_be_written(tmp_path: Path) -> None:
    cup = Cup(tmp_path / "t.db", *FORMATS["round-robin"])
    cup.run_until_caught(Hosts(found=8))
    before = cup.export
    withdrawn_path(cup.repository.place, cup.tournament).mkdir()
    with refused(EnvironmentFailure, "the matches cannot be kept in", "nothing is withdrawn"):
        cup.withdraw()
    assert cup.export == before


def test_host_caught_before_any_result_counts_ends_no_run(tmp_path: Path) -> None:
    """Its results on the way are dropped, and their matches are played by others."""
    local, cup = (Cup(tmp_path / f"{k}.db", *FORMATS["swiss"]) for k in range(2))
    local.run(Hosts(None))

    class Caught(Hosts):
        def _reply(self, task: MatchTask) -> WorkerReply:
            reply = super()._reply(task)
            self._caught["liar"] = "it lies"
            return reply

    assert cup.run(Caught()).end is End.FINISHED
    assert cup.export == local.export
    assert [(one.host, one.matches) for one in cup.repository.hosts.refused(cup.id)] == [("liar", ())]


def test_status_shows_refused_hosts_and_their_matches(tmp_path: Path) -> None:
    cup = Cup(tmp_path / "t.db", *FORMATS["round-robin"])

    def status() -> dict[str, Any]:
        said = invoke("status", "--db", str(tmp_path / "t.db"), "--format", "json").stdout
        found: dict[str, Any] = json.loads(said)["tournaments"][0]
        return found

    assert (status()["set_aside"], status()["withdrawn"]) == ([], None)
    cup.run_until_caught(Hosts(found=8))
    assert (status()["set_aside"], status()["withdrawn"]) == ([{"host": "liar", "matches": 4}], None)
    text = " ".join(invoke("status", "--db", str(tmp_path / "t.db")).stdout.split())
    assert "cup set aside liar: 4 matches to withdraw" in text
    cup.run_without_the_liar()
    path = str(withdrawn_path(tmp_path / "t.db", cup.tournament))
    assert (status()["set_aside"], status()["withdrawn"]) == ([{"host": "liar", "matches": 0}], path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "format_"),
    [("last worker", "swiss"), ("withdraw", "adaptive"), ("pair", "swiss"), ("playing again", "adaptive")],
)
def test_interrupted_repair_goes_on_the_same_way(
    step: str, format_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cluster ends with the liar, or the withdrawal or the run after it is killed."""

    def killed(*_given: object, **_named: object) -> None:
        raise KeyboardInterrupt

    local, cup = (Cup(tmp_path / f"{k}.db", *FORMATS[format_]) for k in range(2))
    local.run(Hosts(None))
    cup.run_until_caught(Hosts(found=25, dies=step == "last worker"))
    with monkeypatch.context() as patch:
        if step == "withdraw":
            before = cup.export
            patch.setattr(Matches, "withdraw", killed)
            with pytest.raises(KeyboardInterrupt):
                cup.withdraw()
            assert cup.export == before
        elif step == "pair":
            cup.withdraw()
            patch.setattr(recorder, "pair_next", killed)
            with pytest.raises(KeyboardInterrupt):
                cup.run(Hosts(None))
    if step == "playing again":
        cup.withdraw()
        with pytest.raises(WorkerError):
            cup.run(Hosts(None, found=4, dies=True))
    if step in ("pair", "playing again"):
        assert cup.run(Hosts()).end is End.FINISHED
    else:
        cup.run_without_the_liar()
    assert cup.export == local.export


def test_tournament_goes_on_elsewhere_without_the_host(tmp_path: Path) -> None:
    """An export carries the refusal, and forged results are not merged."""
    local, cup = (Cup(tmp_path / f"{k}.db", *FORMATS["swiss"]) for k in range(2))
    local.run(Hosts(None))
    cup.run_until_caught(Hosts(found=20))
    with refused(UsageError, "cup in its.db has results of the host liar", f"`{COMMAND}`"):
        merge_databases(local.repository, cup.repository, "its.db", "2026-11-20")
    exported = list(export_lines(cup.repository, cup.tournament, measured=True, private=True))
    lines = [(f"line {k}", parse_json(line)) for k, line in enumerate(exported)]
    cup.repository = Database.open(str(tmp_path / "other.db"), create=True)
    import_tournament(cup.repository, lambda: lines, "2026-11-20")
    cup.run_until_caught(Hosts(None))
    cup.run_without_the_liar()
    assert cup.export == local.export


def test_report_and_ratings_are_those_of_a_run_without_the_liar(tmp_path: Path) -> None:
    local, cup = (Cup(tmp_path / f"{k}.db", *FORMATS["swiss"]) for k in range(2))
    local.run(Hosts(None))
    cup.run_until_caught(Hosts(found=24))
    cup.run_without_the_liar()
    found = []
    for k, one in enumerate((local, cup)):
        one.repository.close()
        db, out = ("--db", str(tmp_path / f"{k}.db")), tmp_path / f"report-{k}"
        assert invoke("report", *db, "--no-measured", "--out", str(out)).exit_code == 0
        pages = {str(page.relative_to(out)): page.read_bytes() for page in out.rglob("*") if page.is_file()}
        found.append((invoke("ratings", *db, "--format", "csv").stdout, pages))
    assert len(found[0][1]) > 30
    assert found[0] == found[1]


def failing(*names: str) -> Play:
    """Return a host on which some entrants never start."""

    def play(spec: MatchSpec) -> PlayedMatch:
        bad = [seat for seat, one in enumerate(spec.seats, 1) if one.name in names]
        faults: Sequence[tuple[int, FaultKind, int]] = [(seat, "startup", 0) for seat in bad]
        return played(
            spec, None if not bad or len(bad) > 1 else tuple(1 + (s in bad) for s in (1, 2)), tuple(faults)
        )

    return play


@pytest.mark.parametrize(
    ("format_", "forge"),
    [
        ("round-robin", failing("b")),
        ("round-robin", failing()),
        ("swiss", failing("c")),
        ("adaptive", failing("b", "c")),
    ],
    ids=["forged", "hidden", "swapped", "forged more"],
)
def test_benching_follows_the_true_results(format_: str, forge: Play, tmp_path: Path) -> None:
    plan = {**FORMATS[format_][1], "games": 8}
    if format_ == "adaptive":
        plan["extra"] = (("batch", 3), ("budget", 72))
    local, cup = (Cup(tmp_path / f"{k}.db", 5, plan) for k in range(2))
    true = failing("a")
    local.run(Hosts(None, true=true))
    cup.run_until_caught(Hosts(forge, 50, true))
    cup.run_without_the_liar(true)
    assert len(local.repository.matches.faulty(local.id)) >= 3
    assert cup.export == local.export


def test_replayed_matches_may_bench_a_bot(tmp_path: Path) -> None:
    """The run names the matches to withdraw then; without them it ends as if the bot had never started."""
    plan = {**FORMATS["round-robin"][1], "games": 8}
    local, cup = (Cup(tmp_path / f"{k}.db", 5, plan) for k in range(2))
    true = failing("a")
    local.run(Hosts(None, true=true))
    cup.run(Hosts(None))
    lost = [number for number, *_ in local.repository.matches.faulty(local.id)]
    withdraw(cup.repository, cup.tournament, find_named(cup.repository, cup.tournament, lost))
    with pytest.raises(WorkerError, match=r"must be decided again .* withdraw cup --match") as caught:
        cup.run(Hosts(None, true=true))
    wrong = [int(number) for number in re.findall(r"--match (\d+)", str(caught.value))]
    withdraw(cup.repository, cup.tournament, find_named(cup.repository, cup.tournament, wrong))
    assert cup.run(Hosts(None, true=true)).end is End.FINISHED
    assert cup.export == local.export


def test_host_that_hid_all_failed_starts_needs_a_second_withdrawal(tmp_path: Path) -> None:
    """The bot started on every other host, so nothing shows at first that it is to be benched."""
    plan = {**FORMATS["round-robin"][1], "games": 8}
    local, cup = (Cup(tmp_path / f"{k}.db", 5, plan) for k in range(2))
    cup.run_until_caught(Hosts(honest, 70))
    (refusal,) = cup.repository.hosts.refused(cup.id)
    rows = dict(cup.repository.schedules.rows(cup.id))
    entrants = cup.repository.tournaments.entrants(cup.id)
    bad = {recorder.spec_of(cup.tournament, entrants, rows[number]) for number in refusal.matches}

    def true(spec: MatchSpec) -> PlayedMatch:
        return failing("a")(spec) if spec in bad else played(spec)

    local.run(Hosts(None, true=true))
    cup.withdraw()
    with refused(WorkerError, "matches of cup must be decided again (", f"`{COMMAND}`"):
        cup.run(Hosts(true=true))
    assert cup.withdraw().matches == ()
    assert cup.run(Hosts(true=true)).end is End.FINISHED
    assert any(
        match.result.void_reason == "benched" for match in cup.repository.matches.all(cup.id) if match.result
    )
    assert cup.export == local.export


def test_entrants_that_came_and_went_meanwhile_do_so_again(tmp_path: Path) -> None:
    """Rounds before are drawn again without the one and with the other."""
    cups = [Cup(tmp_path / f"{k}.db", *FORMATS["swiss"]) for k in range(2)]
    for cup, first in zip(cups, (Hosts(None), Hosts()), strict=True):
        first._found, first._dies = 19, True
        first.caught = dict  # type: ignore[method-assign]  # not caught yet
        with pytest.raises(WorkerError):
            cup.run(first)
        assert cup.repository.schedules.progress(cup.id).rounds == 4
        late = StoredEntrant(6, entrant("g"), joined=5)
        cup.repository.tournaments.amend(
            cup.id,
            plan=structs.replace(cup.tournament.plan, rounds=7),
            run=cup.tournament.run,
            entrants=[late],
            left={2: 5},
        )
    local, cup = cups
    local.run(Hosts(None))
    cup.run_until_caught(Hosts(found=3))
    cup.run_without_the_liar()
    assert cup.export == local.export


def test_entrant_joins_where_the_true_schedule_ends_before(tmp_path: Path) -> None:
    """It was to join in a round that no longer comes."""
    plan = FORMATS["adaptive to a sigma"]
    local, cup = (Cup(tmp_path / f"{k}.db", *plan) for k in range(2))
    local.run(Hosts(None))
    last = local.repository.schedules.progress(local.id).rounds
    for one, joined in ((local, last + 1), (cup, last + 9)):
        late = [StoredEntrant(4, entrant("e"), joined=joined)]
        one.repository.tournaments.amend(
            one.id, plan=one.tournament.plan, run=one.tournament.run, entrants=late
        )
        one.run(Hosts(None))
    assert cup.repository.tournaments.entrants(cup.id)[4].joined == last + 1
    assert cup.repository.schedules.progress(cup.id).rounds > last
    assert cup.export == local.export


def test_results_replaced_by_unbench_still_explain_earlier_rounds(tmp_path: Path) -> None:
    cup = Cup(tmp_path / "t.db", *FORMATS["swiss"])
    first = Hosts(None, 15, failing("a"), dies=True)
    first.caught = dict  # type: ignore[method-assign]  # not caught yet
    with pytest.raises(WorkerError):
        cup.run(first)
    unbench(cup.repository, cup.tournament, ["a"], cup.said.append, lambda _one: None)
    before = cup.repository.matches.replaced(cup.id)
    cup.run_until_caught(Hosts(forged, 9))
    cup.run_without_the_liar()
    after = cup.repository.matches.replaced(cup.id)
    assert cup.repository.schedules.progress(cup.id).rounds == 5
    assert before
    assert {old.match for old in after} <= {old.match for old in before}


def test_void_matches_are_tried_again_without_the_host(tmp_path: Path) -> None:
    """It may have failed on purpose."""
    cup = Cup(tmp_path / "t.db", *FORMATS["round-robin"])

    class Failing(Hosts):
        def _reply(self, task: MatchTask) -> WorkerReply:
            if task.number == 2 and not self._caught:
                return WorkerReply(task.number, failure="it fell", plays=3)
            return super()._reply(task)

    cup.run_until_caught(Failing(found=9))
    found = cup.withdraw()
    assert (found.failed, cup.repository.totals.void_matches(cup.id)) == ((2,), ())
    assert next(one["void"] for one in cup.kept if one["match"] == 2) == "the machine failed 3 times: it fell"


def test_numbers_are_named_in_spans() -> None:
    assert spans_text([1, 2, 3, 4, 7, 9]) == "1 to 4, 7, 9"
    assert spans_text([*range(1, 20, 2), 30, 31]) == "1, 3, 5, 7, 9, 11, 13, 15 and 4 more"
