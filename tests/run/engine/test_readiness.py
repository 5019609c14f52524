"""What a run needs on this machine: its conditions of play, and bots that start."""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import Result

from tests.support.command import invoke
from tests.support.containment import contained
from tests.support.folders import write_bot
from tests.support.gates import FIRST
from tests.support.tournaments import refused, write_file
from tourney.bots.catalogue.build import host
from tourney.bots.sandbox.plain import PlainSandbox
from tourney.bots.sandbox.processes import free_processors, seat_processors, started_on
from tourney.bots.sandbox.sandbox import PROTECTIONS, Degree, open_sandbox
from tourney.errors import TournamentError
from tourney.held_folder import remove_tree
from tourney.report.source import BROKEN
from tourney.run.engine.readiness import Pinning, PlaySetup, ponder_text, with_ponder
from tourney.run.file_schema import Ponder
from tourney.run.tournament_file import TournamentFile, read_tournament_file
from tourney.store.database import Database
from tourney.store.values import Tournament

STONES = 'name = "cup"\ngame = "sage-stones"\nbots = ["random", "greedy"]\n'
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
    return read_tournament_file(write_file(folder, f"{STONES}[limits]\n{limits}\n"))


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
    options = PlaySetup(pinning=pinning, here=False)
    assert with_ponder(file_of(tmp_path), box, options).plan.limits.ponder == chosen


@pytest.mark.parametrize("word", ["allow", "freeze"])
def test_value_of_the_file_holds(tmp_path: Path, word: str) -> None:
    for box in (Box(), Box("freezing")):
        for pinning in (SHARED, ONE_EACH):
            file = file_of(tmp_path, f'ponder = "{word}"')
            assert with_ponder(file, box, PlaySetup(pinning=pinning)).plan.limits.ponder == word


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


def stones_cup(folder: Path, limits: str = "", run: str = 'sandbox = "auto"') -> str:
    """Write a cup of two bots that tell their processors."""
    for name in ("one", "two"):
        write_bot(folder, name, {"bot.py": TELLS}, games='["sage-stones"]')
    text = STONES.replace('"random", "greedy"', '"./one", "./two"')
    options = f"[options]\nstones = 3\n[limits]\nmemory-mb = 512\n{limits}\n[run]\n{run}\n"
    return str(write_file(folder, f"seed = 7\ngames-per-pairing = 4\n{text}{options}"))


def played_on(database: Path) -> list[list[str]]:
    """Return what each match's bots reported, in seat order."""
    with Database.open(str(database)) as repository:
        found = [repository.records.log(1, number) for number in range(1, 5)]
    return [
        [line.text for line in sorted(lines, key=lambda line: line.seat) if line.text.startswith("on ")]
        for lines in found
    ]


@pytest.mark.skipif(len(free_processors()) < 2, reason="this machine has one processor")
@pytest.mark.parametrize("reuse", ["false", "true"])
def test_bots_that_may_ponder_are_pinned_apart(tmp_path: Path, reuse: str) -> None:
    path = stones_cup(tmp_path, 'ponder = "allow"', f'sandbox = "off"\nreuse = {reuse}')
    where = ("--db", str(tmp_path / "t.db"), "--bots", str(tmp_path / "store"))
    done = invoke("run", path, *where, "--cpus", "2", "--workers", "1")
    assert done.exit_code == 0, done.stderr
    first, second = free_processors()[:2]
    assert played_on(tmp_path / "t.db") == [[f"on {first}", f"on {second}"]] * 4


@contained
def test_first_start_stores_the_value_and_later_ones_keep_it(tmp_path: Path) -> None:
    sandbox = open_sandbox("auto")
    chosen = "freeze" if sandbox.protections["freezing"] == "enforced" else "allow"
    path = stones_cup(tmp_path)
    where = ("--db", str(tmp_path / "t.db"), "--bots", str(tmp_path / "store"))
    done = invoke("run", path, *where, "--workers", "1")
    assert done.exit_code == 0, done.stderr
    assert f"ponder {chosen}: " in done.stderr
    with Database.open(str(tmp_path / "t.db")) as repository:
        assert repository.tournaments.get("cup").plan.limits.ponder == chosen
        limits = [record.limits.ponder for _, record in repository.records.all(1)]
    assert limits == [chosen] * 4
    # A later start elsewhere cannot freeze: the value stays, and the run says so.
    again = invoke("run", stones_cup(tmp_path, run='sandbox = "off"'), *where, "--workers", "1")
    assert again.exit_code == 0, again.stderr
    assert ("ponder freeze cannot be enforced here" in again.stderr) == (chosen == "freeze")
    other = "allow" if chosen == "freeze" else "freeze"
    refusal = invoke("run", stones_cup(tmp_path, f'ponder = "{other}"'), *where)
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


FILE = """
name = "cup"
game = "sage-stones"
format = "FORMAT"
seed = 7
bots = ["./one", "./needs", "./two", "./bad"]
[limits]
move-ms = 60000
startup-ms = 60000
[run]
sandbox = "off"
"""


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four bots: ``bad`` cannot be built, ``needs`` only once there is a compiler."""
    monkeypatch.chdir(tmp_path)
    for name, build in (
        ("one", '["true"]'),
        ("needs", f'["ls", "{tmp_path}/compiler"]'),
        ("two", '["true"]'),
        ("bad", '["sh", "-c", "echo no such header; exit 1"]'),
    ):
        write_bot(tmp_path, name, {"bot.sh": FIRST}, command='["sh", "bot.sh"]', build=build)


def cup(*words: str, format_: str = "round-robin", more: str = "") -> Result:
    Path("cup.toml").write_text(more + FILE.replace("FORMAT", format_))
    return invoke("run", "cup.toml", "--workers", "1", *words)


def results() -> dict[int, tuple[tuple[int, ...], str, str]]:
    """Return the seats, the void reason and the digest of every match, by number."""
    with Database.open("tourney.db") as repository:
        found: dict[int, tuple[tuple[int, ...], str, str]] = {}
        for match in repository.matches.all(repository.tournaments.get().id, finished=True):
            assert match.result is not None
            found[match.number] = (match.seats, match.result.void_reason or "", match.result.digest)
        return found


def stored() -> Tournament:
    with Database.open("tourney.db") as repository:
        return repository.tournaments.get()


def test_run_with_broken_bots_is_refused_naming_all() -> None:
    """One sentence with every cause and what to do, then each build's last lines; nothing is stored."""
    result = cup()
    assert result.exit_code == 2
    sentence, *lines = result.stderr.splitlines()
    assert sentence.startswith("error: cup.toml: 2 bots cannot be started: the build of needs@1.0 (ls ")
    assert (
        "the build of bad@1.0 (sh -c echo no such header; exit 1) failed: it exited with code 1" in sentence
    )
    assert sentence.endswith("; fix them, or go on without them by --skip-broken")
    assert "    no such header" in lines
    assert any("compiler" in line for line in lines)
    assert not Path("tourney.db").exists()


@pytest.mark.slow
def test_broken_bots_are_benched_and_named_everywhere() -> None:
    """In the run's output and summary, in its status, and on the report's first page."""
    result = cup("--skip-broken", "--report", "0")
    assert result.exit_code == 0, result.stderr
    assert "bad is benched: the build of bad@1.0 " in result.stderr
    assert "  broken     needs: the build of needs@1.0 " in result.stderr
    found = results()
    assert len(found) == 12
    for seats, reason, _ in found.values():
        assert reason == ("benched" if {1, 3} & set(seats) else "")
    (row,) = json.loads(invoke("status", "--format", "json").stdout)["tournaments"]
    assert row["benched"] == [{"entrant": "needs", "void": 5}, {"entrant": "bad", "void": 5}]
    assert [line["entrant"] for line in row["broken"]] == ["needs", "bad"]
    assert "exited with code 1" in row["broken"][1]["why"]
    report = Path("reports/cup")
    # The build's output is published on request only.
    assert f"bad: {BROKEN}" in (report / "statistics.html").read_text()
    assert (report / "index.html").read_text().count('<span class="fault">benched</span>') == 2
    assert (v := invoke("verify", "--all")).exit_code == 0, v.output


def test_resumed_run_knows_the_same_broken_bots() -> None:
    """A bot that can be built by now stays benched, and no option is needed to go on."""
    assert cup("--skip-broken").exit_code == 0
    first, before = results(), stored()
    Path("compiler").touch()
    result = cup()
    assert result.exit_code == 0, result.stderr
    assert "needs is benched" in result.stderr
    assert results() == first
    assert stored() == before


def test_unbench_lets_a_bot_that_starts_now_play_its_matches() -> None:
    assert cup("--skip-broken").exit_code == 0
    before = results()
    refused = cup("--unbench", "needs")
    assert refused.exit_code == 2
    assert refused.stderr.startswith("error: --unbench needs: the build of needs@1.0 ")
    assert results() == before
    Path("compiler").touch()
    result = cup("--unbench", "needs")
    assert result.exit_code == 0, result.stderr
    assert "needs is no longer benched: 5 of its matches are replayed" in result.stderr
    for number, (seats, reason, digest) in results().items():
        assert reason == ("benched" if 3 in seats else "")
        assert digest == before[number][2] or 1 in seats
    (row,) = json.loads(invoke("status", "--format", "json").stdout)["tournaments"]
    assert [line["entrant"] for line in row["broken"]] == ["bad"]


@pytest.mark.parametrize(("format_", "more"), [("swiss", "rounds = 2\n"), ("knockout", "")])
def test_broken_bots_are_never_paired_by_rounds(format_: str, more: str) -> None:
    """In a knockout their opponents go on; nothing is void."""
    result = cup("--skip-broken", format_=format_, more=more)
    assert result.exit_code == 0, result.stderr
    found = results()
    assert found
    assert all(not {1, 3} & set(seats) and not reason for seats, reason, _ in found.values())


def test_broken_bot_joins_a_swiss_from_the_next_round() -> None:
    """A knockout lets no entrant come back."""
    assert cup("--skip-broken", format_="swiss", more="rounds = 1\n").exit_code == 0
    Path("compiler").touch()
    result = cup("--unbench", "needs", format_="swiss", more="rounds = 2\n")
    assert result.exit_code == 0, result.stderr
    with Database.open("tourney.db") as repository:
        joined = [
            (e.joined, e.left) for e in repository.tournaments.entrants(repository.tournaments.get().id)
        ]
    assert joined == [(1, None), (2, None), (1, None), (1, 1)]
    assert (v := invoke("verify", "--all")).exit_code == 0, v.output
    for place in (Path("tourney.db"), Path("compiler")):
        place.unlink()
    remove_tree(Path("tourney-bots/builds") / host())
    assert cup("--skip-broken", format_="knockout").exit_code == 0
    Path("compiler").touch()
    refused = cup("--unbench", "needs", format_="knockout")
    assert "a knockout lets no entrant come back" in refused.stderr


def test_bot_that_broke_later_is_benched_on_request() -> None:
    """Its store entry is gone; its matches so far stay."""
    Path("compiler").touch()
    assert cup("--skip-broken").exit_code == 0
    before = results()
    with Database.open("tourney.db") as repository:
        tournament = repository.tournaments.get().id
        digest = repository.tournaments.entrants(tournament)[2].entrant.digest
        repository.matches.take_back(
            tournament, [number for number, (seats, *_) in before.items() if number > 4]
        )
    shutil.move(Path("tourney-bots/entries") / digest, "elsewhere")
    shutil.move("two", "elsewhere")
    result = cup("--skip-broken")
    assert result.exit_code == 0, result.stderr
    assert "two is benched: the store" in result.stderr
    for number, (seats, reason, digest) in results().items():
        assert reason == ("benched" if 3 in seats or (2 in seats and number > 4) else "")
        assert digest == before[number][2] or reason


def test_too_few_bots_that_start_are_refused() -> None:
    shutil.rmtree("two")
    write_bot(Path(), "two", {"bot.sh": FIRST}, command='["sh", "bot.sh"]', build='["false"]')
    result = cup("--skip-broken")
    assert result.exit_code == 2
    assert "3 bots cannot be started: " in result.stderr
    assert result.stderr.splitlines()[0].endswith(
        "; the bots that start (1) are too few for tables of 2 seats; correct others"
    )
    assert not Path("tourney.db").exists()
