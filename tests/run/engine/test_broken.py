"""``--skip-broken``: a run goes on without the bots that cannot be built or fetched here."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import Result

from tests.command import invoke
from tests.folders import write_bot
from tests.gates import FIRST
from tourney.bots.catalogue.build import host
from tourney.bots.catalogue.tree import remove_tree
from tourney.report.output.privacy import BROKEN
from tourney.store.repository import Repository
from tourney.store.values import Tournament

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
    with Repository.open("tourney.db") as repository:
        found: dict[int, tuple[tuple[int, ...], str, str]] = {}
        for match in repository.matches(repository.tournament().id, finished=True):
            assert match.result is not None
            found[match.number] = (match.seats, match.result.void_reason or "", match.result.digest)
        return found


def stored() -> Tournament:
    with Repository.open("tourney.db") as repository:
        return repository.tournament()


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
    page = Path("reports/cup/index.html").read_text()
    assert f"bad: {BROKEN}" in page  # the build's output is published on request only
    assert page.count('<span class="fault">benched</span>') == 2
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
    assert "needs is no longer benched: 5 of its matches are played again" in result.stderr
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
    with Repository.open("tourney.db") as repository:
        joined = [(e.joined, e.left) for e in repository.entrants(repository.tournament().id)]
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
    with Repository.open("tourney.db") as repository:
        tournament = repository.tournament().id
        digest = repository.entrants(tournament)[2].entrant.digest
        repository.take_back(tournament, [number for number, (seats, *_) in before.items() if number > 4])
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
