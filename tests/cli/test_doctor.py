"""``tourney doctor``: its output, its exit codes and its advice without containment."""

import csv
import io
import json
import resource
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from tests.support.command import invoke
from tourney.bots.sandbox import bubblewrap
from tourney.bots.sandbox.bubblewrap import Bubblewrap
from tourney.bots.sandbox.probe import ProbeFinding
from tourney.bots.sandbox.sandbox import PROTECTIONS, Degree, Sandbox
from tourney.cli import doctor
from tourney.errors import SandboxError
from tourney.games import compiled
from tourney.match.machine_settings import MachineSetting


@pytest.fixture
def findings(monkeypatch: pytest.MonkeyPatch) -> dict[str, Degree]:
    """The canary's findings: everything is enforced unless a test changes it."""
    found: dict[str, Degree] = dict.fromkeys(PROTECTIONS, "enforced")

    def probe_sandbox(_: Sandbox, _private: Collection[Path]) -> Iterator[ProbeFinding]:
        yield from (ProbeFinding(name, degree, f"tried {name}") for name, degree in found.items())

    monkeypatch.setattr(doctor, "probe_sandbox", probe_sandbox)
    return found


def test_json_has_a_row_per_protection(findings: dict[str, Degree]) -> None:
    """Rows have the order of PROTECTIONS, the meaning and the attempt."""
    findings["network"] = "partial"
    done = invoke("doctor", "--level", "off", "--format", "json")
    document = json.loads(done.stdout)
    rows = document["protections"]
    assert (document["level"], document["sandbox"]) == ("off", "plain")
    assert [row["protection"] for row in rows] == list(PROTECTIONS)
    network = next(row for row in rows if row["protection"] == "network")
    assert network == {
        "protection": "network",
        "degree": "partial",
        "means": PROTECTIONS["network"],
        "tried": "tried network",
    }
    assert done.exit_code == 0


def test_strict_with_missing_protections_is_exit_1(findings: dict[str, Degree]) -> None:
    """The error after the table lists the missing protections."""
    findings |= {"total-memory": "absent", "freezing": "partial"}
    done = invoke("doctor", "--level", "strict", "--format", "csv")
    assert done.exit_code == 1
    assert "it lacks total-memory (absent), freezing (partial)" in done.stderr
    assert len(list(csv.reader(io.StringIO(done.stdout)))) == len(PROTECTIONS) + 1


def test_strict_with_all_protections_is_exit_0(findings: dict[str, Degree]) -> None:
    """The message has the count."""
    done = invoke("doctor", "--level", "strict")
    assert done.exit_code == 0
    assert f"{len(PROTECTIONS)} of {len(PROTECTIONS)} protections enforced" in done.stderr


def test_unenforced_protection_is_exit_1(findings: dict[str, Degree]) -> None:
    """At every level, because records claim these protections."""
    findings["process-group"] = "absent"
    done = invoke("doctor", "--level", "off")
    assert done.exit_code == 1
    assert "the sandbox fails to enforce: process-group" in done.stderr


def test_missing_bubblewrap_is_explained(
    findings: dict[str, Degree], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The warning has the reason and advice."""
    monkeypatch.setattr(bubblewrap, "program", lambda _: None)
    done = invoke("doctor")
    assert "without containment: the program bwrap is not installed; install bubblewrap" in done.stderr


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_installed_bubblewrap_that_fails_needs_no_installation(
    findings: dict[str, Degree], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The warning says why it fails."""

    def fails(_: Bubblewrap) -> None:
        raise SandboxError("bubblewrap does not work here (bwrap: No permissions to create new namespace)")

    monkeypatch.setattr(Bubblewrap, "check", fails)
    done = invoke("doctor")
    assert "without containment: bubblewrap does not work here (bwrap: No permissions" in done.stderr
    assert "install bubblewrap" not in done.stderr


@pytest.mark.parametrize(
    ("kind", "limit", "words"),
    [
        (resource.RLIMIT_NOFILE, 64, "the limit of open files (ulimit -n) is 64, and bots need 1,024"),
        (resource.RLIMIT_NPROC, 12, "the limit of processes and threads (ulimit -u) is 12, and bots need"),
    ],
)
def test_limit_that_is_too_low_is_named(
    findings: dict[str, Degree], monkeypatch: pytest.MonkeyPatch, kind: int, limit: int, words: str
) -> None:
    """Also where the sandbox works in part."""
    before = resource.getrlimit
    low = {kind: (limit, limit)}
    monkeypatch.setattr(resource, "getrlimit", lambda asked: low.get(asked) or before(asked))
    findings["process-count"] = "absent"
    assert f"warning: {words}" in invoke("doctor").stderr
    done = invoke("doctor", "--level", "strict")
    assert f"it lacks process-count (absent): {words}" in done.stderr


def test_canary_tries_database_and_bot_store(
    findings: dict[str, Degree], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Those that the options name."""
    tried: list[Path] = []

    def probe_sandbox(_: Sandbox, private: Collection[Path]) -> Iterator[ProbeFinding]:
        tried.extend(private)
        yield from ()

    monkeypatch.setattr(doctor, "probe_sandbox", probe_sandbox)
    db, bots = tmp_path / "lib" / "t.db", tmp_path / "bots"
    invoke("doctor", "--level", "off", "--db", str(db), "--bots", str(bots))
    assert {db, Path(f"{db}-wal"), Path(f"{db}-shm"), bots} <= {*tried}


@pytest.mark.parametrize("form", ["compiled", "plain Python", "compiled, but plain Python for cyvasse"])
def test_names_the_form_of_the_rules_for_search(
    form: str, findings: dict[str, Degree], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if a protection is missing; with what to do, unless all are compiled."""
    monkeypatch.setattr(compiled, "summary", lambda: form)
    findings["network"] = "absent"
    done = invoke("doctor", "--level", "strict")
    assert f"rules of the games: {form}" in done.stderr
    assert ("install a C compiler" in done.stderr) == (form != "compiled")


def test_plain_rules_by_choice_need_no_compiler(findings: dict[str, Degree]) -> None:
    done = invoke("doctor", "--level", "off", env={compiled.PLAIN_VARIABLE: "1"})
    assert "rules of the games: plain Python" in done.stderr
    assert "C compiler" not in done.stderr


@pytest.mark.parametrize("even", [True, False, None])
def test_machine_is_judged_by_its_settings(monkeypatch: pytest.MonkeyPatch, even: bool | None) -> None:
    setting = MachineSetting("turbo", "on", even, "" if even else "switch it off")
    monkeypatch.setattr(doctor, "machine_settings", lambda: (setting,))
    done = invoke("doctor", "--machine", "--format", "json")
    assert done.exit_code == (1 if even is False else 0)
    document = json.loads(done.stdout)
    assert (document["format"], document["holds"]) == ("tourney-machine/1", even is not False)
    assert document["settings"] == [setting._asdict()]
    assert ("times on this machine vary with turbo on" in done.stderr) == (even is False)
