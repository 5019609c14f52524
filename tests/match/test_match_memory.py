"""How many matches fit into a machine's memory, with readings that a test makes up."""

import pytest

from tourney.bots.sandbox.machine_memory import MachineMemory
from tourney.bots.sandbox.sandbox import MAX_PROCESSES
from tourney.errors import SandboxError
from tourney.match.match_memory import (
    LEAST_PROCESSES,
    MAX_KEPT,
    PROGRAM_MB,
    MatchMemory,
    plan_matches,
    refuse_unfit,
)
from tourney.match.spec import LEAST_MEMORY_MB, Limits

MIB = 1 << 20


def machine(total: int, available: int | None = None) -> MachineMemory:
    """A machine with this memory in MiB."""
    return MachineMemory(total * MIB, (total if available is None else available) * MIB, "this machine")


TWO = MatchMemory.of(Limits(move_ms=1), 2)
FUEL = MatchMemory.of(Limits(move_ms=1, charge="fuel").metered(), 2)


@pytest.mark.parametrize("bots", [2, 3, 4])
@pytest.mark.parametrize("total", [700, 1024, 4000, 16_000, 64_000])
@pytest.mark.parametrize("limit", [16, 128, 1024, 4096])
def test_bots_of_all_matches_fit_together(bots: int, total: int, limit: int) -> None:
    need, memory = MatchMemory(bots, limit, kept_mb=limit), machine(total)
    try:
        refuse_unfit(need, memory)
    except SandboxError:
        assert bots * limit + PROGRAM_MB > total - 64 * (bots + 1)
        return
    plan = plan_matches(need, 64, memory)
    assert plan.matches * (bots + plan.kept) * limit + PROGRAM_MB <= total


@pytest.mark.parametrize("bots", [1, 2, 4])
@pytest.mark.parametrize("modules", [False, True])
def test_advised_limit_is_the_largest_that_fits(bots: int, modules: bool) -> None:
    for room in range(64, 9000, 97):
        largest = MatchMemory(bots, 99_999, modules).largest_limit(room)
        if largest:
            assert MatchMemory(bots, largest, modules).match_mb <= room
            assert MatchMemory(bots, largest + 2, modules).match_mb > room
        else:
            assert MatchMemory(bots, LEAST_MEMORY_MB, modules).match_mb > room


def test_match_that_does_not_fit_is_refused_in_one_sentence() -> None:
    with pytest.raises(SandboxError) as raised:
        refuse_unfit(TWO, MachineMemory(700 * MIB, 700 * MIB, "this container"))
    assert str(raised.value) == (
        "a match of 2 bots with memory-mb = 1024 does not fit into memory: with its worker and the program it"
        " may use 2,496 MiB, and this container has 700; set memory-mb to at most 126, or play where there is"
        " more"
    )
    assert raised.value.exit_code == 3


def test_limit_that_stays_is_not_advised_to_change() -> None:
    with pytest.raises(SandboxError, match="; cup keeps its memory-mb, so play where there is more"):
        refuse_unfit(TWO, machine(700), fixed="cup keeps its memory-mb")


def test_other_programs_refuse_no_match() -> None:
    """What they use changes from start to start; one match is played, and the run says what may happen."""
    memory = machine(8000, available=100)
    refuse_unfit(TWO, memory)
    plan = plan_matches(TWO, 4, memory)
    assert (plan.matches, plan.kept) == (1, MAX_KEPT)
    assert "has too little for it now" in plan.text


def test_other_programs_leave_room_for_fewer_matches() -> None:
    assert plan_matches(TWO, 9, machine(16_000)).matches == 7
    assert plan_matches(TWO, 9, machine(16_000, available=7000)).matches == 3


def test_fewer_matches_than_asked_for_are_explained() -> None:
    assert plan_matches(TWO, 8, machine(8000, available=7000)).text == (
        "memory: 3 matches at a time, not 8: each may use 2,240 MiB (2 bots with memory-mb = 1024, and its"
        " worker), and 7,000 MiB of this machine are available; memory-mb = 341 would let 8 fit"
    )
    assert plan_matches(TWO, 3, machine(8000, available=7000)).text == ""


def test_hosts_of_modules_need_memory_of_their_own() -> None:
    assert FUEL.match_mb > TWO.match_mb
    assert plan_matches(FUEL, 9, machine(16_000)).matches < plan_matches(TWO, 9, machine(16_000)).matches


@pytest.mark.parametrize("need", [FUEL, MatchMemory.of(Limits(move_ms=1), 2, reuse=True)])
def test_fewer_bots_are_kept_where_memory_is_short(need: MatchMemory) -> None:
    assert plan_matches(need, 1, machine(64_000)).kept == MAX_KEPT
    assert plan_matches(need, 1, machine(need.match_mb + PROGRAM_MB + 2 * need.kept_mb)).kept == 2
    assert plan_matches(need, 1, machine(need.match_mb + PROGRAM_MB)).kept == 0


@pytest.mark.parametrize("bots", [2, 4])
@pytest.mark.parametrize("wanted", [1, 4, 16])
@pytest.mark.parametrize("room", [200, 500, 2048, 4096, 100_000, None])
def test_bots_of_all_matches_may_start_their_processes(bots: int, wanted: int, room: int | None) -> None:
    """Where a container allows few: a bot that starts all of them would harm its opponent."""
    plan = plan_matches(MatchMemory(bots, 16), wanted, machine(64_000), room)
    assert 1 <= plan.matches <= wanted
    if room is not None and plan.processes > LEAST_PROCESSES // 4:
        assert plan.matches * bots * plan.processes < room
    if room in (None, 100_000):
        assert plan == (wanted, MAX_KEPT, "", MAX_PROCESSES)
    else:
        assert plan.processes >= LEAST_PROCESSES or plan.matches == 1


def test_fewer_processes_of_bots_are_explained() -> None:
    assert plan_matches(TWO, 4, machine(64_000), 2048).text == (
        "processes: 2,048 more can be started here, so 4 matches at a time, and each bot may have 232"
        " (otherwise 512); raise the limit of processes (pids.max, ulimit -u)"
    )
