"""The display on terminals and pipes, and the log."""

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tourney.match.result import Playing
from tourney.run import listeners
from tourney.run.listeners import PLAIN_EVERY, Listeners, PlainListener, RunLog, rich_listener
from tourney.run.summary import RunProgress, RunStatus


def test_plain_display_writes_a_line_at_intervals() -> None:
    now = [0.0]
    messages: list[str] = []
    listener = PlainListener(messages.append, clock=lambda: now[0])
    for second in range(26):
        now[0] = float(second)
        listener.progress(RunProgress(100, second, second, 0, 0, now[0]))
    listener.say("stopping")
    assert PLAIN_EVERY == 10.0
    assert [line.split(" ")[0] for line in messages] == ["10", "20", "stopping"]


def test_plain_display_shows_that_long_matches_are_played() -> None:
    """First after ten seconds, then once a minute: a night of long matches should not fill a mail."""
    now = [0.0]
    messages: list[str] = []
    listener = PlainListener(messages.append, clock=lambda: now[0])
    status = RunStatus((Playing(1, 0.0), Playing(2, 0.0)))
    seconds = list[int]()
    for second in range(140):
        now[0] = float(second)
        listener.heartbeat(RunProgress(100, 0, 0, 0, 0, now[0]), status)
        seconds += [second] * (len(messages) - len(seconds))
    assert seconds == [10, 70, 130]
    assert messages[0] == "0 of 100 matches, no faults; 2 matches being played"
    now[0] = 300.0
    listener.heartbeat(RunProgress(100, 0, 0, 0, 0, now[0]), RunStatus())  # it pauses
    assert len(messages) == 3


def test_bar_shows_progress_and_escapes_markup() -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=120, color_system=None)
    with rich_listener(console, "[red]cup[/red]") as listener:
        listener.progress(RunProgress(rows=40, done=10, played=10, faults=2, void=0, seconds=5.0))
        listener.say("[bold]a note[/bold]")
    shown = stream.getvalue()
    for words in ("[red]cup[/red]", "10/40", "2.0/s", "15s", "2 faults", "[bold]a note[/bold]"):
        assert words in shown


def test_state_of_a_question_replaces_the_one_before() -> None:
    """On a terminal the last one stays below the bar; a pipe gets one every 10 seconds."""
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=120, color_system=None)
    with rich_listener(console, "cup") as listener:
        for number in range(50):
            listener.state([f"[{number} games]"])
    shown = stream.getvalue()
    assert shown.rindex(" games]") == shown.rindex("[49 games]") + len("[49")
    now, messages = [0.0], list[str]()
    plain = PlainListener(messages.append, clock=lambda: now[0])
    for second in range(26):
        now[0] = float(second)
        Listeners(plain).state([f"{second} games"])
    assert messages == ["0 games", "10 games", "20 games"]


PROGRESS = RunProgress(rows=10, done=4, played=4, faults=1, void=0, seconds=2.0)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("ascii").splitlines()]


def test_log_keeps_messages_and_a_heartbeat_a_minute(tmp_path: Path) -> None:
    now = [1000.0]
    log = RunLog(tmp_path / "log", clock=lambda: now[0])
    log.say("caf\u00e9 \udcff\nline")
    for second in range(130):
        now[0] = 1000.0 + second
        log.heartbeat(PROGRESS, RunStatus((Playing(7, 990.0),), "full"))
    log.event("end", {"code": 0})
    log.close()
    message, *heartbeats, end = lines(tmp_path / "log")
    assert message == {
        "time": "1970-01-01T00:16:40.000+00:00",
        "event": "say",
        "text": "caf\u00e9 \udcff\nline",
    }
    assert [heartbeat["time"][14:19] for heartbeat in heartbeats] == ["16:40", "17:40", "18:40"]
    assert heartbeats[0]["playing"] == [[7, "1970-01-01T00:16:30.000+00:00"]]
    assert (heartbeats[0]["rate"], heartbeats[0]["left"], heartbeats[0]["paused"]) == (2.0, 3, "full")
    assert heartbeats[0]["rss-kb"] is None or heartbeats[0]["rss-kb"] > 0
    assert (end["event"], end["code"]) == ("end", 0)


def test_log_rotates_and_keeps_some_old_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listeners, "MAX_BYTES", 400)
    monkeypatch.setattr(listeners, "KEEP", 2)
    log = RunLog(tmp_path / "log")
    for number in range(40):
        log.event("match", {"match": number})
    log.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log", "log.1", "log.2"]
    kept = [line["match"] for name in ("log.2", "log.1", "log") for line in lines(tmp_path / name)]
    assert kept == list(range(kept[0], 40))
    assert all(path.stat().st_size <= 400 for path in tmp_path.iterdir())


def test_only_regular_files_are_rotated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link's target is renamed; a FIFO and a descriptor are written to, however much that is."""
    monkeypatch.setattr(listeners, "MAX_BYTES", 200)
    monkeypatch.setattr(listeners, "KEEP", 2)
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there/log")
    os.mkfifo(tmp_path / "fifo")
    reader = os.open(tmp_path / "fifo", os.O_RDWR | os.O_NONBLOCK)
    with (tmp_path / "held").open("wb") as held:
        for path in (tmp_path / "link", tmp_path / "fifo", Path(f"/dev/fd/{held.fileno()}")):
            log = RunLog(path)
            for number in range(6):
                log.event("match", {"match": number})
            log.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fifo", "held", "link", "there"]
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == ["log", "log.1", "log.2"]
    assert os.read(reader, 10_000).count(b"\n") == 6
    assert len(lines(tmp_path / "held")) == 6
    os.close(reader)


def test_log_does_not_wait_for_the_reader_of_a_fifo(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    log = RunLog(tmp_path / "fifo")
    log.say("dropped")
    log.close()


def test_later_run_appends_to_the_log(tmp_path: Path) -> None:
    for text in ("one", "two"):
        log = RunLog(tmp_path / "log")
        log.say(text)
        log.close()
    assert [line["text"] for line in lines(tmp_path / "log")] == ["one", "two"]


def test_full_disk_drops_lines_and_counts_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = RunLog(tmp_path / "log")
    log.say("before")
    real = os.write

    def full(fd: int, data: bytes) -> int:
        if len(data) > 40:
            return real(fd, data[:20])  # half a line, as on a full disk
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        log.say("lost")
        log.say("lost too")
    log.say("after")
    log.close()
    assert [line.get("text", line.get("lines")) for line in lines(tmp_path / "log")] == ["before", 3, "after"]
    gone = RunLog(tmp_path / "no" / "log")
    gone.say("lost")
    gone.close()
