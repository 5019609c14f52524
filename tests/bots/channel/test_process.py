"""The channel to real processes, hostile ones above all: it never blocks, and nothing is left behind.

Deadlines lie far away where an answer comes, and in the past where none does: no test depends on speed.
"""

import hashlib
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.processes import alive
from tourney.bots.channel.base import Event
from tourney.bots.channel.process import MAX_QUEUE, ProcessChannel
from tourney.bots.channel.scripted import ScriptClock
from tourney.bots.sandbox.process import BotProcesses, start_process

FAR = 60 * 10**9
Spawn = Callable[..., ProcessChannel]


@pytest.fixture
def spawn(tmp_path: Path) -> Iterator[Spawn]:
    """Start bots written in shell (or another program's words); all are ended after the test."""
    channels: list[ProcessChannel] = []

    def start_one(script: str, *words: str, clock: Callable[[], int] = time.monotonic_ns) -> ProcessChannel:
        argv = [*words, script] if words else ["/bin/sh", "-c", script]
        process, pipes = start_process(argv, cwd=tmp_path, env={"PATH": "/usr/bin:/bin"})
        channel = ProcessChannel(BotProcesses(process), pipes, clock=clock)
        channels.append(channel)
        return channel

    yield start_one
    for channel in channels:
        channel.close(0)


def far() -> int:
    return time.monotonic_ns() + FAR


def wait_for_output(channel: ProcessChannel) -> None:
    """Wait until there is something in the pipe, and leave it there."""
    poll = select.poll()
    poll.register(channel._stdout, select.POLLIN)
    assert poll.poll(60_000)


def gone(pid: int) -> bool:
    """Wait until a process is gone, for a minute at most."""
    until = time.monotonic() + 60
    while alive(pid) and time.monotonic() < until:
        os.sched_yield()
    return not alive(pid)


def test_answers_a_request(spawn: Spawn) -> None:
    """Lines go to and fro."""
    channel = spawn('while read -r line; do echo "info heard"; echo "move $line"; done')
    for word in ("a1", "b2"):
        channel.request(word.encode() + b"\n")
        assert channel.wait(far()) == Event("line", "info heard")
        assert channel.wait(far()) == Event("line", f"move {word}")
    assert channel.pending() == ()


def test_deadline_is_a_time_out_and_is_the_clocks(spawn: Spawn) -> None:
    """The deadline is in the nanoseconds of the clock handed in; once past, wait returns at once."""
    clock = ScriptClock()
    channel = spawn("exec sleep 600", clock=clock)
    channel.request(b"go\n")
    assert channel.wait(clock() - 1) == Event("timeout")
    assert channel.wait(clock()) == Event("timeout")


def test_output_does_not_extend_the_deadline(spawn: Spawn) -> None:
    """A bot that talks all the time but never answers runs out of time as one that hangs does.

    The clock is the test's own: a millisecond passes with every line.
    """
    clock = ScriptClock()
    channel = spawn("read x; yes info | head -n 900; exec sleep 600", clock=clock)
    deadline = clock() + 900 * 10**6
    channel.request(b"go\n")
    for _ in range(900):
        assert channel.wait(deadline) == Event("line", "info")
        clock.advance(1)
    assert channel.wait(deadline) == Event("timeout")


def test_what_was_said_in_time_is_heard_though_the_referee_is_late(spawn: Spawn) -> None:
    """An answer that is in the pipe is no time-out, even if the deadline has passed when one looks."""
    channel = spawn("read x; echo move a1; read x")
    channel.request(b"go\n")
    wait_for_output(channel)
    assert channel.wait(0) == Event("line", "move a1")


def test_there_is_one_last_look_and_no_more(spawn: Spawn) -> None:
    """What comes after the last look is too late, though it is in the pipe when one looks again."""
    channel = spawn("read x; echo info late; read x; echo move a1; read x")
    channel.request(b"go\n")
    wait_for_output(channel)
    assert channel.wait(0) == Event("line", "info late")
    channel.send(b"more\n")
    wait_for_output(channel)
    assert channel.wait(0) == Event("timeout")


def test_answers_twice_is_seen_before_the_next_request(spawn: Spawn) -> None:
    """What comes after an answer is what ``pending`` gives: it is no answer to what is asked later."""
    channel = spawn("read x; echo move a1; echo move b2; read x")
    channel.request(b"go\n")
    assert channel.wait(far()).text == "move a1"
    while not (early := channel.pending()):
        pass
    assert early == [Event("line", "move b2")]


def test_death_is_noticed_after_the_last_words(spawn: Spawn) -> None:
    """What a bot said before it exited is heard first; then how it ended."""
    channel = spawn("read x; echo move a1; exit 3")
    channel.request(b"go\n")
    assert channel.wait(far()) == Event("line", "move a1")
    assert channel.wait(far()) == Event("closed", "exited with code 3")
    assert channel.wait(far()) == Event("closed", "exited with code 3")


def test_signal_is_named(spawn: Spawn) -> None:
    """A killed bot differs from one that exits."""
    channel = spawn("read x; kill -SEGV $$")
    channel.request(b"go\n")
    assert channel.wait(far()) == Event("closed", "killed by SIGSEGV")


def test_closing_the_output_is_noticed(spawn: Spawn) -> None:
    """A bot that lives on without an output will never answer."""
    channel = spawn("read x; exec 1>&-; exec sleep 600")
    channel.request(b"go\n")
    assert channel.wait(far()) == Event("closed", "closed its output")


def test_death_is_noticed_though_a_child_holds_the_pipe(spawn: Spawn) -> None:
    """The end of the process counts, not the end of a pipe that its child keeps open."""
    channel = spawn("sleep 600 & read x; echo move a1; exit 0")
    channel.request(b"go\n")
    assert channel.wait(far()).text == "move a1"
    assert channel.wait(far()) == Event("closed", "exited with code 0")


def test_garbage_is_malformed(spawn: Spawn) -> None:
    """Bytes that are no UTF-8."""
    channel = spawn(r"read x; printf '\377\376\n'; read x")
    channel.request(b"go\n")
    assert channel.wait(far()).kind == "malformed"


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        ("i=0; while [ $i -lt 1001 ]; do echo; i=$((i+1)); done", "overflow"),
        ("yes info", "overflow"),
        ("exec cat /dev/zero", "malformed"),
        ("head -c 70000 /dev/zero | tr '\\0' 'x'", "malformed"),
    ],
)
def test_flood_ends_at_the_limit(spawn: Spawn, script: str, kind: str) -> None:
    """However much a bot writes, little is kept of it."""
    channel = spawn(f"read x; {script}; exec sleep 600")
    channel.request(b"go\n")
    heard = 0
    while (event := channel.wait(far())).kind == "line":
        heard += 1
    assert event.kind == kind
    assert heard <= 1000


def test_flood_before_a_request_is_bounded_too(spawn: Spawn) -> None:
    """A bot that floods when it is not its turn is read no further than its allowance."""
    channel = spawn("yes info too early")
    while not (events := channel.pending()):
        pass
    while events[-1].kind == "line":
        events = channel.pending() or events
    assert events[-1].kind == "overflow"


def test_bot_that_does_not_read_cannot_block(spawn: Spawn) -> None:
    """Lines beyond what a pipe takes are queued; the bot is not heard before it has taken them all."""
    clock = ScriptClock()
    channel = spawn("echo move a1; exec sleep 600", clock=clock)
    channel.request(b"play 1 a1\n" * 100_000)
    assert channel.wait(clock()) == Event("timeout")


def test_queue_is_bounded_and_a_full_one_is_a_time_out(spawn: Spawn) -> None:
    """Nothing grows without end, and lines that were left out make the bot deaf for good."""
    clock = ScriptClock()
    channel = spawn("echo move a1; exec sleep 600", clock=clock)
    for _ in range(40):
        channel.send(b"x" * (MAX_QUEUE // 32))
    assert len(channel._unsent) <= MAX_QUEUE
    assert channel.wait(clock()) == Event("timeout")


def test_queue_is_written_while_waiting(spawn: Spawn) -> None:
    """A bot that reads slowly gets all of it, in order."""
    count = 200_000
    channel = spawn(f"head -n {count} | sha256sum; read x")
    data = b"".join(b"play 1 a%d\n" % k for k in range(count))
    channel.request(data)
    assert channel.wait(far()).text.split()[0] == hashlib.sha256(data).hexdigest()


def test_standard_error_does_not_block_a_bot(spawn: Spawn) -> None:
    """Much standard error is read while waiting, and most of it dropped."""
    channel = spawn("read x; head -c 3000000 /dev/zero | tr '\\0' 'e' >&2; echo move a1; read x")
    channel.request(b"go\n")
    assert channel.wait(far()) == Event("line", "move a1")
    lines = channel.stderr()
    assert sum(map(len, lines)) < 20_000
    assert "more bytes of standard error were dropped" in lines[-1]


def test_last_words_on_standard_error_are_kept(spawn: Spawn) -> None:
    """Why a bot died is in what it wrote there, and is there once the channel is closed."""
    channel = spawn("read x; echo 'no such table' >&2; exit 1")
    channel.request(b"go\n")
    assert channel.wait(far()).kind == "closed"
    channel.close(0)
    assert list(channel.stderr()) == ["no such table"]


def test_closing_kills_the_whole_group(spawn: Spawn) -> None:
    """Children that a bot left behind end with it; the leader is reaped."""
    channel = spawn("sleep 600 & echo $!; trap '' TERM HUP; while :; do read x; done")
    child = int(channel.wait(far()).text)
    assert alive(child)
    channel.close(0)
    assert gone(child)
    with pytest.raises(ChildProcessError):
        os.waitpid(channel.pid, os.WNOHANG)


def test_quit_is_waited_for(spawn: Spawn, tmp_path: Path) -> None:
    """Within its grace a bot may end in peace; an end of input tells it too."""
    for ending in ("quit", "end of input"):
        channel = spawn('while read -r x; do [ "$x" = quit ] && break; done; echo done > last; rm -f wait')
        channel.send(b"quit\n" if ending == "quit" else b"")
        channel.close(60)
        assert (tmp_path / "last").read_text("ascii") == "done\n"
        (tmp_path / "last").unlink()


def test_bot_that_ignores_quit_is_killed(spawn: Spawn) -> None:
    """The grace ends, whatever the bot writes meanwhile."""
    channel = spawn("trap '' TERM INT HUP; yes")
    channel.send(b"quit\n")
    channel.close(0.01)
    assert gone(channel.pid)


def test_frozen_bot_stands_still_and_can_be_ended(spawn: Spawn) -> None:
    """A frozen bot is stopped by signal, goes on when thawed, and a frozen one can be closed."""
    channel = spawn("while read -r x; do echo move $x; done")
    channel.freeze()
    while Path(f"/proc/{channel.pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "T":
        os.sched_yield()
    channel.thaw()
    channel.request(b"a1\n")
    assert channel.wait(far()).text == "move a1"
    channel.freeze()
    channel.close(60)
    assert gone(channel.pid)


def test_processor_time_is_known_while_it_runs_and_after(spawn: Spawn) -> None:
    """CPU time is the process's own, grows, and is not lost at the end."""
    script = "import time\nwhile time.process_time() < 0.05: pass\nprint('done', flush=True)\ninput()"
    channel = spawn(script, sys.executable, "-S", "-E", "-c")
    assert channel.wait(far()).text == "done"
    used = channel.cpu_ms()
    assert used is not None
    assert used >= 50
    channel.close(0)
    assert (channel.cpu_ms() or 0) >= used


@pytest.mark.parametrize("lacking", [("pidfd_open",), ("pidfd_open", "waitid")])
def test_death_is_noticed_without_process_descriptors(
    spawn: Spawn, lacking: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Platforms that lack them, or cannot look at a zombie without reaping it, tell the same."""
    for name in lacking:
        monkeypatch.delattr(os, name)
    for script, why in (("exit 3", "exited with code 3"), ("kill -ABRT $$", "killed by SIGABRT")):
        channel = spawn(f"read x; echo move a1; {script}")
        channel.request(b"go\n")
        assert channel.wait(far()).text == "move a1"
        assert channel.wait(far()) == Event("closed", why)
        channel.close(0)
    channel = spawn("trap '' TERM; while :; do read x; done")
    channel.close(0)
    with pytest.raises(ChildProcessError):
        os.waitpid(channel.pid, os.WNOHANG)


def test_nothing_is_inherited_but_the_streams(spawn: Spawn) -> None:
    """A bot has three descriptors open, and no signal of ours ignored."""
    channel = spawn("ls /proc/self/fd | wc -l; grep SigIgn /proc/self/status; read x")
    assert int(channel.wait(far()).text) == 4  # ls itself reads the folder by one more
    ignored = int(channel.wait(far()).text.split()[1], 16)
    assert not ignored & (1 << (signal.SIGPIPE - 1))


def test_no_descriptor_is_leaked(spawn: Spawn) -> None:
    """Starting and closing bots leaves no descriptor open, nor does failing to start one."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        spawn("read x").close(0)
        with pytest.raises(FileNotFoundError):
            spawn("x", "/no/such/program")
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def ask(channel: ProcessChannel, data: bytes, deadline: int) -> Event:
    """Ask; a line is an event whether or not it came at once."""
    heard = channel.ask(data, deadline)
    return heard if isinstance(heard, Event) else Event("line", heard)


def test_ask_returns_the_answer(spawn: Spawn) -> None:
    channel = spawn('while read -r line; do echo "move $line"; done')
    for word in ("a1", "b2"):
        assert channel.idle()
        assert ask(channel, word.encode() + b"\n", far()) == Event("line", f"move {word}")
    assert channel.pending() == ()


def test_ask_keeps_what_comes_with_the_answer(spawn: Spawn) -> None:
    """Further lines come in their order; standard error written before the answer is there."""
    channel = spawn("read -r line; printf 'info a\\nmove a1\\n'; read -r line; echo why >&2; echo move b2")
    assert ask(channel, b"go\n", far()) == Event("line", "info a")
    assert channel.wait(far()) == Event("line", "move a1")
    assert ask(channel, b"go\n", far()) == Event("line", "move b2")
    assert not channel.idle()
    assert channel.stderr() == ["why"]


def test_unasked_output_is_not_idle(spawn: Spawn) -> None:
    """It is taken before the next request is sent."""
    channel = spawn('echo move a1; read -r line; echo "heard $line"')
    wait_for_output(channel)
    assert not channel.idle()
    assert channel.pending() == [Event("line", "move a1")]
    assert ask(channel, b"two\n", far()) == Event("line", "heard two")


def test_a_second_answer_is_unasked_at_the_next_request(spawn: Spawn) -> None:
    channel = spawn("read -r line; printf 'move a1\\nmove b2\\n'; read -r line")
    assert ask(channel, b"one\n", far()) == Event("line", "move a1")
    assert not channel.idle()
    assert channel.pending() == [Event("line", "move b2")]


def test_ask_ends_at_the_deadline(spawn: Spawn) -> None:
    """Even if the bot has not read its request."""
    channel = spawn("sleep 60")
    for data in (b"go\n", b"x" * 2**20, b"go\n"):
        assert ask(channel, data, time.monotonic_ns() + 1) == Event("timeout")


def test_ask_reports_the_end_of_a_dead_bot(spawn: Spawn) -> None:
    channel = spawn("read -r line; exit 3")
    end = Event("closed", "exited with code 3")
    assert ask(channel, b"go\n", far()) == end
    assert not channel.idle()
    assert channel.pending() == [end]
    assert ask(channel, b"go\n", far()) == end
