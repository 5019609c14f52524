"""What a run does besides playing: the command of ``--notify`` and the reports, neither of which stops it."""

import os
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.support.command import invoke
from tests.support.coordination import RecordingListener
from tests.support.memory import set_memory
from tests.support.processes import wait_for
from tests.support.tournaments import THREE_PEBBLES, refused
from tourney.errors import UsageError
from tourney.run import unattended
from tourney.run.listeners import Listener
from tourney.run.summary import RunProgress, RunStatus
from tourney.run.unattended import REPORT_SECONDS, Reporter, ReportOptions, RunWatch, notify, parse_command

VARIABLES = {"TOURNEY_TEXT": "$(touch hacked); `touch hacked`", "TOURNEY_CODE": "0"}


def python(program: str) -> tuple[str, ...]:
    return (sys.executable, "-c", program)


def test_command_gets_page_and_variables_without_a_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program = (
        "import os, sys;"
        "open('got', 'w').write('|'.join((os.environ['TOURNEY_TEXT'], sys.stdin.read(), sys.argv[1])))"
    )
    assert notify((*python(program), "a; touch hacked"), VARIABLES, "page\n") == ""
    assert (tmp_path / "got").read_text() == VARIABLES["TOURNEY_TEXT"] + "|page\n|a; touch hacked"
    assert not (tmp_path / "hacked").exists()


def test_failed_command_is_reported() -> None:
    assert notify(python("raise SystemExit(3)"), {}, "").endswith("ended with the exit code 3")
    assert notify(("/nowhere/at-all",), {}, "").endswith("cannot be run: No such file or directory")
    assert notify(python("import sys; sys.stdin.close()"), {}, "x" * 1_000_000) == ""


def test_hanging_command_is_killed_with_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unattended, "NOTIFY_SECONDS", 0.5)
    program = (
        "import subprocess, sys;"
        f"subprocess.Popen(['sleep', '1000'], cwd={str(tmp_path)!r});"
        "sys.stdin.read(); import time; time.sleep(1000)"
    )
    assert notify(python(program), {}, "").endswith("was killed after 0.5 seconds")


def test_command_is_split_like_a_shell_and_must_exist() -> None:
    assert parse_command("env 'a b' c\\ d $HOME") == ("env", "a b", "c d", "$HOME")
    with refused(UsageError, "--notify", "no command 'no-such-command'"):
        parse_command("no-such-command now")
    with refused(UsageError, "cannot be split into words"):
        parse_command("mail 'half")
    with refused(UsageError, "--notify is empty"):
        parse_command("  ")


PROGRESS = RunProgress(rows=9, done=3, played=3, faults=0, void=0, seconds=1.0)


class ReporterSetup:
    """A reporter whose program records its calls in a file; ``now`` is the clock in minutes."""

    def __init__(self, folder: Path, minutes: float, program: str = ":", out: Path | None = None) -> None:
        self.now = 0.0
        self.messages: list[str] = []
        self.calls = folder / "calls"
        script = f'echo "$TOURNEY_DB $*" >> {self.calls}; {program}; echo page.html'
        words = ("sh", "-c", script, "program")
        options = ReportOptions(minutes, out)
        clock = lambda: self.now * 60  # noqa: E731 - it reads the test's clock
        self.reporter = Reporter("cup", "the.db", options, self.messages.append, program=words, clock=clock)

    def heartbeat(self, minutes: float, paused: str = "") -> None:
        """Send a heartbeat at this minute."""
        self.now = minutes
        self.reporter.heartbeat(PROGRESS, RunStatus(paused=paused))

    def count(self) -> int:
        return len(self.calls.read_text().splitlines()) if self.calls.exists() else 0

    def written(self, count: int) -> None:
        """Wait until the last of ``count`` calls has ended, and let the reporter see that."""
        process = self.reporter._process
        assert process is not None
        process.wait(600)
        assert self.count() == count
        self.heartbeat(self.now)


def test_run_refused_for_its_database_leaves_no_log(tmp_path: Path) -> None:
    """Nothing new lies beside a file that may be another program's; a log that is there hears of it."""
    (tmp_path / "cup.toml").write_text(THREE_PEBBLES)
    foreign = tmp_path / "databases" / "foreign.db"
    foreign.parent.mkdir()
    foreign.write_bytes(b"another program's")
    log = foreign.with_name("foreign.db-cup.log")
    for there in ([foreign], [foreign, log]):
        words = [str(tmp_path / "cup.toml"), "--db", str(foreign), "--bots", str(tmp_path / "bots")]
        result = invoke("run", *words)
        assert (result.exit_code, "is not an SQLite database" in result.stderr) == (3, True)
        assert sorted(foreign.parent.iterdir()) == there
        log.touch()
    assert "is not an SQLite database" in log.read_text()


def test_refused_start_leaves_no_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cup.toml").write_text(THREE_PEBBLES.replace('"pebble"', '"nosuch"'))
    words = [str(tmp_path / "cup.toml"), "--db", str(tmp_path / "t.db"), "--bots", str(tmp_path / "bots")]
    result = invoke("run", *words)
    assert (result.exit_code, "there is no bot 'nosuch'" in result.stderr) == (2, True)
    assert not list(tmp_path.glob("*.log"))
    set_memory(monkeypatch, 700)
    (tmp_path / "cup.toml").write_text(THREE_PEBBLES)
    result = invoke("run", *words)
    assert (result.exit_code, "does not fit into memory" in result.stderr) == (3, True)
    assert not list(tmp_path.glob("*.log"))


def test_report_is_written_at_intervals_and_at_the_end(tmp_path: Path) -> None:
    setup = ReporterSetup(tmp_path, 30, out=tmp_path / "out")
    for minute in (0, 1, 29.9):
        setup.heartbeat(minute)
    assert setup.count() == 0
    setup.heartbeat(30)
    setup.written(1)
    setup.heartbeat(59.9)
    assert setup.reporter._process is None
    setup.heartbeat(60)
    setup.written(2)
    setup.heartbeat(200)
    setup.written(3)
    assert setup.reporter.write_last() == "page.html"
    call = f"the.db report cup --quiet --live 1800 --out {tmp_path / 'out'}"
    assert setup.calls.read_text() == f"{call} --processes 1\n" * 3 + f"{call}\n"
    assert setup.messages == []


def test_interval_zero_writes_only_the_last_report(tmp_path: Path) -> None:
    setup = ReporterSetup(tmp_path, 0)
    for minute in range(0, 600, 30):
        setup.heartbeat(minute)
    assert setup.count() == 0
    assert setup.reporter.write_last() == "page.html"
    assert setup.count() == 1


def test_no_report_starts_in_a_pause_or_beside_another(tmp_path: Path) -> None:
    setup = ReporterSetup(tmp_path, 10, program=f"until [ -e {tmp_path}/go ]; do sleep 0.02; done")
    setup.heartbeat(11, paused="the disk is full")
    assert setup.reporter._process is None
    setup.heartbeat(12)
    assert wait_for(lambda: setup.count() == 1)
    setup.heartbeat(23)
    assert setup.count() == 1
    (tmp_path / "go").touch()
    setup.written(1)
    setup.heartbeat(24)
    setup.written(2)


@pytest.mark.parametrize("end", ["pulse", "close"])
def test_hanging_report_is_stopped(tmp_path: Path, end: str) -> None:
    setup = ReporterSetup(tmp_path, 10, program="exec sleep 1000")
    setup.heartbeat(10)
    assert wait_for(lambda: setup.count() == 1)
    process = setup.reporter._process
    assert process is not None
    act: dict[str, Callable[[], None]] = {
        "pulse": lambda: setup.heartbeat(10.1 + REPORT_SECONDS / 60),
        "close": setup.reporter.close,
    }
    act[end]()
    assert process.returncode == -9
    assert setup.messages == (["the report was stopped after 900 seconds"] if end == "pulse" else [])


def test_failed_report_is_reported_and_the_next_tried(tmp_path: Path) -> None:
    setup = ReporterSetup(tmp_path, 10, program="echo 'error: no room' >&2; exit 3")
    setup.heartbeat(10)
    setup.written(1)
    assert setup.messages == ["the report was not written: error: no room"]
    setup.heartbeat(20)
    setup.written(2)
    assert setup.reporter.write_last() == ""


def test_report_process_has_low_priority(tmp_path: Path) -> None:
    setup = ReporterSetup(tmp_path, 10, program="exec sleep 1000")
    setup.heartbeat(10)
    process = setup.reporter._process
    assert process is not None
    assert os.getpriority(os.PRIO_PROCESS, process.pid) == 10
    setup.reporter.close()


def test_notification_tells_of_pauses_stalls_and_their_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    notified: list[tuple[str, str, str]] = []

    def note(_words: object, variables: Mapping[str, str], text: str) -> str:
        notified.append((variables["TOURNEY_END"], variables["TOURNEY_CODE"], text.partition(";")[0]))
        return ""

    monkeypatch.setattr(unattended, "notify", note)
    now = 0.0
    watch = RunWatch("cup", ("tell",), Listener(), lambda: now)
    quiet = RunStatus(last_match=5.0)
    full = RunStatus(paused="the disk is full", paused_since=100.0, last_match=5.0)
    steps = [
        (5.0, quiet),
        (100.0, full),
        (130.0, quiet),  # a short pause
        (500.0, replace(full, paused_since=440.0)),
        (600.0, replace(full, paused_since=440.0)),
        (610.0, quiet),
        (2_400.0, quiet),
        (2_410.0, quiet),
        (2_500.0, RunStatus(last_match=2_499.0)),
        (20_000.0, RunStatus(last_match=2_499.0)),  # ten times the longest time so far are not over
        (22_000.0, RunStatus(last_match=2_499.0)),
    ]
    for moment, status in steps:
        now = moment
        watch.heartbeat(PROGRESS, status)
        watch.close()
    assert notified == [
        ("paused", "", "cup: paused: the disk is full"),
        ("resumed", "", "cup: the run goes on"),
        ("stalled", "", "cup: no match has ended for 30m00s"),
        ("resumed", "", "cup: the run goes on"),
        ("stalled", "", "cup: no match has ended for 5h25m"),
    ]


def test_run_does_not_wait_for_its_notification(monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()
    notified: list[str] = []

    def wait(_words: object, variables: Mapping[str, str], _text: str) -> str:
        notified.append(variables["TOURNEY_END"])
        release.wait(60)
        return "--notify: tell failed"

    monkeypatch.setattr(unattended, "notify", wait)
    heard = RecordingListener()
    now = 1_000.0
    watch = RunWatch("cup", ("tell",), heard, lambda: now)
    full = RunStatus(paused="the disk is full", paused_since=1.0)
    watch.heartbeat(PROGRESS, full)
    watch.heartbeat(PROGRESS, RunStatus())  # the end of the pause waits for the first command
    assert (notified, heard.messages) == (["paused"], [])
    release.set()
    watch.close()
    watch.heartbeat(PROGRESS, RunStatus())
    watch.close()
    assert notified == ["paused", "resumed"]
    assert heard.messages == ["--notify: tell failed"] * 2
