"""The value of ``ponder``: chosen at the first start, stored in the plan, and processors for each seat."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.command import invoke
from tests.containment import contained
from tests.folders import write_bot
from tests.tournaments import refused, write_file
from tourney.bots.sandbox.base import PROTECTIONS, Degree, open_sandbox
from tourney.bots.sandbox.plain import PlainSandbox
from tourney.bots.sandbox.processors import free_processors, seat_processors, started_on
from tourney.errors import TournamentError
from tourney.run.config.tournament_file import Ponder, TournamentFile, read_tournament_file
from tourney.run.engine.ponder import Pinning, ponder_text, with_ponder
from tourney.store.repository import Repository

FILE = 'name = "cup"\ngame = "sage-stones"\nbots = ["random", "greedy"]\n'
ONE_EACH = Pinning(workers=2, cpus=2, processors=4)
SHARED = Pinning(workers=4, cpus=1, processors=4)


class Box(PlainSandbox):
    """A sandbox that enforces everything except what it is made without."""

    def __init__(self, *missing: str) -> None:
        super().__init__("auto")
        self._missing = missing

    @property
    def protections(self) -> Mapping[str, Degree]:
        return {name: "partial" if name in self._missing else "enforced" for name in PROTECTIONS}


def file_of(folder: Path, limits: str = "") -> TournamentFile:
    return read_tournament_file(write_file(folder, f"{FILE}[limits]\n{limits}\n"))


@pytest.mark.parametrize(
    ("box", "pinning", "chosen"),
    [
        (Box(), SHARED, "freeze"),
        (Box(), Pinning(1, 0, 4), "freeze"),
        (Box(), ONE_EACH, "allow"),
        (Box(), Pinning(3, 2, 4), "freeze"),
        (Box("processors"), ONE_EACH, "freeze"),
        (Box("freezing"), SHARED, "allow"),
    ],
    ids=["shared", "not pinned", "one each", "too many workers", "may leave", "cannot freeze"],
)
def test_default_freezes_where_it_can_and_processors_are_shared(
    tmp_path: Path, box: Box, pinning: Pinning, chosen: Ponder
) -> None:
    assert with_ponder(file_of(tmp_path), box, pinning).plan.limits.ponder == chosen


@pytest.mark.parametrize("word", ["allow", "freeze"])
def test_value_of_the_file_holds(tmp_path: Path, word: str) -> None:
    for box in (Box(), Box("freezing")):
        for pinning in (SHARED, ONE_EACH):
            assert (
                with_ponder(file_of(tmp_path, f'ponder = "{word}"'), box, pinning).plan.limits.ponder == word
            )


@pytest.mark.parametrize(
    ("word", "box", "pinning", "said"),
    [
        ("freeze", Box(), SHARED, "ponder freeze: waiting bots are held still"),
        ("freeze", Box("freezing"), SHARED, "cannot be enforced here (freezing is partial)"),
        ("allow", Box(), ONE_EACH, "every bot has processors of its own"),
        ("allow", Box(), SHARED, "the 2 bots of a match share 1 processor,"),
        ("allow", Box(), Pinning(1, 0, 4), "the 2 bots of a match may use all processors"),
        ("allow", Box(), Pinning(3, 2, 4), "3 workers share 4 processors"),
        ("allow", Box("processors"), ONE_EACH, "bots may leave their processors"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_run_says_what_bots_share(tmp_path: Path, word: str, box: Box, pinning: Pinning, said: str) -> None:
    file = file_of(tmp_path, f'ponder = "{word}"')
    assert said in ponder_text(file.plan, box, pinning)


def test_seats_get_equal_shares_of_processors() -> None:
    assert seat_processors((3, 5), 2) == ((3,), (5,))
    assert seat_processors((1, 2, 3, 4, 5), 2) == ((1, 2), (3, 4))
    assert seat_processors((1, 2, 3), 3) == ((1,), (2,), (3,))
    assert seat_processors((1, 2, 3), 4) == ((), (), (), ())
    assert seat_processors((), 2) == ((), ())


@pytest.mark.skipif(not free_processors(), reason="the platform does not pin")
def test_pinning_ends_with_the_start() -> None:
    before = free_processors()
    with started_on(before[:1]):
        assert free_processors() == before[:1]
    assert free_processors() == before
    with started_on(()):
        assert free_processors() == before


TELLS = """#!/usr/bin/env python3
import os, sys
for line in sys.stdin:
    word, *rest = line.split()
    if word == "tourney":
        print("bot wants=legal", flush=True)
    elif word == "game":
        print("info", "on", *sorted(os.sched_getaffinity(0)), flush=True)
        print("ready", flush=True)
    elif word == "legal":
        action = rest[0]
    elif word == "go":
        print("move", action, flush=True)
    elif word == "quit":
        break
"""


def cup(folder: Path, limits: str = "", run: str = 'sandbox = "auto"') -> str:
    """Write a cup of two bots that tell their processors."""
    for name in ("one", "two"):
        write_bot(folder, name, {"bot.py": TELLS}, games='["sage-stones"]')
    text = FILE.replace('"random", "greedy"', '"./one", "./two"')
    options = f"[options]\nstones = 3\n[limits]\nmemory-mb = 512\n{limits}\n[run]\n{run}\n"
    return str(write_file(folder, f"seed = 7\ngames-per-pairing = 4\n{text}{options}"))


def played_on(database: Path) -> list[list[str]]:
    """Return what each match's bots reported, in seat order."""
    with Repository.open(str(database)) as repository:
        found = [repository.log(1, number) for number in range(1, 5)]
    return [
        [line.text for line in sorted(lines, key=lambda line: line.seat) if line.text.startswith("on ")]
        for lines in found
    ]


@pytest.mark.skipif(len(free_processors()) < 2, reason="this machine has one processor")
@pytest.mark.parametrize("reuse", ["false", "true"])
def test_bots_that_may_ponder_are_pinned_apart(tmp_path: Path, reuse: str) -> None:
    path = cup(tmp_path, 'ponder = "allow"', f'sandbox = "off"\nreuse = {reuse}')
    where = ("--db", str(tmp_path / "t.db"), "--bots", str(tmp_path / "store"))
    done = invoke("run", path, *where, "--cpus", "2", "--workers", "1")
    assert done.exit_code == 0, done.stderr
    first, second = free_processors()[:2]
    assert played_on(tmp_path / "t.db") == [[f"on {first}", f"on {second}"]] * 4


@contained
def test_first_start_stores_the_value_and_later_ones_keep_it(tmp_path: Path) -> None:
    sandbox = open_sandbox("auto")
    chosen = "freeze" if sandbox.protections["freezing"] == "enforced" else "allow"
    path = cup(tmp_path)
    where = ("--db", str(tmp_path / "t.db"), "--bots", str(tmp_path / "store"))
    done = invoke("run", path, *where, "--workers", "1")
    assert done.exit_code == 0, done.stderr
    assert f"ponder {chosen}: " in done.stderr
    with Repository.open(str(tmp_path / "t.db")) as repository:
        assert repository.tournament("cup").plan.limits.ponder == chosen
        limits = [record["limits"]["ponder"] for _, record in repository.records(1)]
    assert limits == [chosen] * 4
    # A later start elsewhere cannot freeze: the value stays, and the run says so.
    again = invoke("run", cup(tmp_path, run='sandbox = "off"'), *where, "--workers", "1")
    assert again.exit_code == 0, again.stderr
    assert ("ponder freeze cannot be enforced here" in again.stderr) == (chosen == "freeze")
    other = "allow" if chosen == "freeze" else "freeze"
    refusal = invoke("run", cup(tmp_path, f'ponder = "{other}"'), *where)
    assert refusal.exit_code == 2
    assert f'[limits] ponder was "{chosen}" when cup began and is "{other}" now' in refusal.stderr


def test_plan_of_a_file_without_ponder_differs_from_no_other(tmp_path: Path) -> None:
    assert file_of(tmp_path).ponder is None
    assert file_of(tmp_path, 'ponder = "allow"').plan == file_of(tmp_path).plan
    with refused(TournamentError, "ponder", "never"):
        file_of(tmp_path, 'ponder = "never"')


def test_processors_of_this_process_stay_after_a_failed_start() -> None:
    before = os.sched_getaffinity(0)
    with pytest.raises(ZeroDivisionError), started_on((min(before),)):
        raise ZeroDivisionError
    assert os.sched_getaffinity(0) == before
