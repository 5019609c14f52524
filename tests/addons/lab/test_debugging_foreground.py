"""Programs in the foreground: lines both ways, their end, and no session of their own."""

import os
import select
import time
from pathlib import Path

import pytest

from tourney.addons.lab.debugging import ForegroundChannel
from tourney.bots.channel.interface import Event

FAR = 10**19


@pytest.fixture
def channel(tmp_path: Path) -> ForegroundChannel:
    script = 'while read -r word rest; do echo "$word $(pwd) $NAME"; [ "$word" = end ] && exit 3; done'
    return ForegroundChannel(["sh", "-c", script], tmp_path, {"NAME": "x", "PATH": os.environ["PATH"]})


def test_program_answers_in_its_folder_and_environment(channel: ForegroundChannel, tmp_path: Path) -> None:
    channel.request(b"one\n")
    assert channel.wait(FAR) == Event("line", f"one {tmp_path} x")
    assert os.getsid(channel.pid) == os.getsid(0)
    channel.close(5)


def test_end_of_program_is_an_event_with_its_code(channel: ForegroundChannel, tmp_path: Path) -> None:
    channel.request(b"end\n")
    assert channel.wait(FAR) == Event("line", f"end {tmp_path} x")
    assert channel.wait(FAR) == Event("closed", "exited with code 3")
    channel.send(b"more\n")
    assert channel.wait(FAR).kind == "closed"
    channel.close(5)


def test_line_that_came_in_time_counts_at_a_late_look(channel: ForegroundChannel) -> None:
    """The deadline is long past when the referee looks."""
    channel.request(b"one\n")
    assert channel._process.stdout is not None
    select.select([channel._process.stdout], [], [])
    assert channel.wait(0).kind == "line"
    assert channel.wait(0) == Event("timeout")
    channel.close(5)


def test_silent_program_times_out_and_is_ended(tmp_path: Path) -> None:
    channel = ForegroundChannel(["sleep", "1000"], tmp_path, {"PATH": os.environ["PATH"]})
    assert channel.wait(time.monotonic_ns()) == Event("timeout")
    channel.close(0)
    with pytest.raises(ProcessLookupError):
        os.kill(channel.pid, 0)
