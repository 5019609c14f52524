"""Benches, entrants that come and go, and void matches, after the matches of a host are withdrawn."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec import structs

from tests.support.caught_host import COMMAND, FORMATS, Cup, Hosts, Play, forged, honest
from tests.support.tournaments import entrant, played, refused
from tourney.errors import WorkerError
from tourney.match.record import FaultKind
from tourney.match.result import PlayedMatch
from tourney.match.spec import MatchSpec
from tourney.run.engine import recorder
from tourney.run.engine.readiness import unbench
from tourney.run.engine.withdrawal import (
    find_named,
    withdraw,
)
from tourney.run.summary import End
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.store.values import StoredEntrant


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
