"""The protections of each level, found by the canary, against the documentation."""

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.attacks.attacks import ATTACKS, PONDERERS
from tests.support.containment import contained
from tourney.bots.sandbox import probe
from tourney.bots.sandbox.plain import PlainSandbox
from tourney.bots.sandbox.probe import private_entries, probe_sandbox
from tourney.bots.sandbox.sandbox import PROTECTIONS, Degree, open_sandbox, program
from tourney.schema import SandboxLevel

pytestmark = pytest.mark.containment

DOCS = Path(__file__).resolve().parents[3] / "docs" / "explanation" / "containment.md"
MAY_DIFFER = {
    "own-user",  # depends on the user who runs the tests
    "processors",  # there may be only one
    "privileges",  # a user may have none
    "system",  # a user may not write there anyway
    "host-files",
    "process-table",  # some machines hide processes from each other
    "user-namespaces",  # and some forbid these
    "network",  # a route may be missing
}
"""Protections that some machines give in part to users other than root."""


def documented(column: int) -> dict[str, str]:
    """Return a column of the table of levels: the degree of each protection."""
    row = r"^\| `([a-z-]+)` \| (\w+) \| (\w+) \| (\w+) \|$"
    return {name: cells[column] for name, *cells in re.findall(row, DOCS.read_text("utf-8"), re.MULTILINE)}


def attack_rows() -> list[str]:
    """Return the rows of the attacks in the documentation: the outcome, and the levels that contain them."""
    rows = []
    for attack in (*ATTACKS, *PONDERERS):
        kinds = " or ".join("plays on" if kind is None else f"`{kind}`" for kind in attack.faults)
        held = [
            "yes" if all(documented(column)[name] == "enforced" for name in attack.needs) else "no"
            for column in range(3)
        ]
        needs = ", ".join(f"`{name}`" for name in attack.needs) or "the referee"
        rows.append(f"| {attack.name} | {kinds} | {needs} | {' | '.join(held)} |")
    return rows


def test_every_attack_is_documented() -> None:
    """The table gives the outcome of each, and the levels that contain it."""
    text = DOCS.read_text("utf-8")
    head = "| attack | comes to | contained by | whole | limits only | off |\n|---|---|---|---|---|---|\n"
    table = text[text.index(head) + len(head) :].partition("\n\n")[0]
    assert table == "\n".join(attack_rows())


def test_every_protection_is_documented() -> None:
    """The table has each of them once, in order."""
    assert list(documented(0)) == list(PROTECTIONS)


@contained
def test_claimed_protections_hold_against_the_canary() -> None:
    """Every protection that the sandbox claims holds; with all of them, the table is as documented."""
    sandbox = open_sandbox("auto")
    found = {finding.protection: finding.degree for finding in probe_sandbox(sandbox)}
    assert list(found) == list(PROTECTIONS)
    claimed = [name for name, degree in sandbox.protections.items() if degree == "enforced"]
    assert [name for name in claimed if found[name] != "enforced"] == []
    if len(claimed) == len(PROTECTIONS):
        assert found == documented(0)


def test_private_entries_are_those_beside_the_interpreter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it needs itself is left out; a path that is given counts wherever it lies."""
    for name in ("tourney.db", "cup.toml", "lib"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(probe, "interpreter_paths", lambda: (tmp_path / "lib",))
    (tmp_path / "lib" / "t.db").mkdir()
    found = private_entries([tmp_path / "lib" / "t.db", tmp_path / "none.db"])
    assert found[tmp_path] == ["cup.toml", "tourney.db"]
    assert found[tmp_path / "lib"] == ["t.db"]
    assert not {"bin", "lib", "share"} & {*found[Path("/usr")], *found[Path("/usr/local")]}


@pytest.mark.parametrize("level", [pytest.param("auto", marks=contained), "off"])
def test_canary_looks_for_a_database(tmp_path: Path, level: SandboxLevel) -> None:
    """It finds one without a sandbox, and none in one."""
    tmp_path.chmod(0o755)
    (tmp_path / "t.db").write_bytes(b"secret")
    with probe._Probing(open_sandbox(level), [tmp_path / "t.db"]) as probing:
        could, said = probing.try_all(["private-entries"])["private-entries"]
    assert could == (level == "off"), said


@pytest.mark.parametrize(("column", "limits"), [(1, True), (2, False)], ids=["limits-only", "off"])
def test_lower_levels_contain_exactly_what_is_documented(
    column: int, limits: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without bubblewrap and control groups, and with nothing: the protections are as documented."""
    # Processes that survive here are permanent; the test waits for killed ones without a limit.
    monkeypatch.setattr(probe, "_GONE_SECONDS", 0.2)
    level = "auto" if limits else "off"
    sandbox = PlainSandbox("auto" if limits else "off", program("prlimit") if limits else None)
    findings = list(probe_sandbox(sandbox))
    lacking = [f for f in findings if f.degree != "enforced"]
    rows = [f"  {f.protection:<16} {f.degree:<8} {f.sentence[:100]}" for f in lacking]
    with capsys.disabled():
        title = f"\nnot contained with sandbox = {level!r}, no bubblewrap and no control groups:\n"
        sys.stdout.write(title + "\n".join(rows) + "\n")
    same = set(PROTECTIONS) - (MAY_DIFFER if os.geteuid() != 0 else {"processors", "network"})
    # The canary's referee uses the best sandbox of this machine, so its death is tested there only.
    same.discard("referee-death")
    table = documented(column)
    assert {f.protection: f.degree for f in findings if f.protection in same} == {
        name: degree for name, degree in table.items() if name in same
    }


def test_protection_that_is_not_promised_never_counts_as_enforced() -> None:
    """What a trial cannot show, such as a race that a bot may win, is what the sandbox says of itself."""

    class Modest(PlainSandbox):
        @property
        def protections(self) -> Mapping[str, Degree]:
            return dict.fromkeys(PROTECTIONS, "partial")

    found = probe_sandbox(Modest("auto", program("prlimit")))
    assert {finding.degree for finding in found} == {"partial", "absent"}
