"""The channel to real, also hostile, processes never blocks and leaves none behind.

Deadlines are far away if an answer comes, and in the past if none does: no test depends on speed.
It is one file because all of its tests share the program that plays the bots.
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

from tests.support.processes import alive
from tourney.bots.channel.interface import Event, Withheld
from tourney.bots.channel.process import MAX_QUEUE, ProcessChannel
from tourney.bots.channel.scripted import ScriptClock
from tourney.bots.channel.waiting import wait_for_any
from tourney.bots.sandbox.bot_processes import BotProcesses
from tourney.bots.sandbox.processes import start_process

FAR = 60 * 10**9
Spawn = Callable[..., ProcessChannel]


@pytest.fixture
def spawn(tmp_path: Path) -> Iterator[Spawn]:
    """Start bots written in shell (or another command line), and end them after the test."""
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
    """Wait until the pipe holds output, without reading it."""
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
    """Lines travel both ways."""
    channel = spawn('while read -r line; do echo "info heard"; echo "move $line"; done')
    for word in ("a1", "b2"):
        channel.request(word.encode() + b"\n")
        assert channel.wait(far()) == Event("line", "info heard")
        assert channel.wait(far()) == Event("line", f"move {word}")
    assert channel.pending() == ()


def test_past_deadline_of_the_given_clock_is_a_time_out(spawn: Spawn) -> None:
    """The deadline is in nanoseconds of the given clock; after it, wait returns at once."""
    clock = ScriptClock()
    channel = spawn("exec sleep 600", clock=clock)
    channel.request(b"go\n")
    assert channel.wait(clock() - 1) == Event("timeout")
    assert channel.wait(clock()) == Event("timeout")


def test_output_does_not_extend_the_deadline(spawn: Spawn) -> None:
    """A bot that writes all the time but never answers runs out of time.

    The test's clock advances a millisecond with every line.
    """
    clock = ScriptClock()
    channel = spawn("read x; yes info | head -n 900; exec sleep 600", clock=clock)
    deadline = clock() + 900 * 10**6
    channel.request(b"go\n")
    for _ in range(900):
        assert channel.wait(deadline) == Event("line", "info")
        clock.advance(1)
    assert channel.wait(deadline) == Event("timeout")


def test_answer_in_the_pipe_counts_after_the_deadline(spawn: Spawn) -> None:
    """A late look by the referee is not a time-out of the bot."""
    channel = spawn("read x; echo move a1; read x")
    channel.request(b"go\n")
    wait_for_output(channel)
    assert channel.wait(0) == Event("line", "move a1")


def test_pipe_is_read_once_after_the_deadline(spawn: Spawn) -> None:
    """Output after that last look is too late, even if it is in the pipe at the next wait."""
    channel = spawn("read x; echo info late; read x; echo move a1; read x")
    channel.request(b"go\n")
    wait_for_output(channel)
    assert channel.wait(0) == Event("line", "info late")
    channel.send(b"more\n")
    wait_for_output(channel)
    assert channel.wait(0) == Event("timeout")


def test_wait_after_a_time_out_has_a_last_look_of_its_own(spawn: Spawn) -> None:
    """The deadline was put off: output that came until the new one counts, even at a late look.

    The answer comes when the referee looks at its clock for the second time in the second wait.
    """
    looks = 0

    def clock() -> int:
        nonlocal looks
        looks += 1
        if looks == 3:
            channel.send(b"go\n")
            wait_for_output(channel)
        return looks * 10**6

    channel = spawn("read x; echo move a1; read x", clock=clock)
    assert channel.wait(0) == Event("timeout")
    assert channel.wait(3 * 10**6) == Event("line", "move a1")


def test_line_in_time_counts_after_an_earlier_time_out(spawn: Spawn) -> None:
    """The referee looked at the end of the grace, which is not the deadline."""
    clock = ScriptClock()
    channel = spawn("read x; read x; echo move a1; read x", clock=clock)
    channel.request(b"go\n")
    grace, deadline = clock() + 10**6, clock() + 10**9
    clock.advance(1)
    assert channel.wait(grace) == Event("timeout")
    channel.send(b"on\n")
    wait_for_output(channel)
    clock.advance(5_000)
    assert channel.wait(deadline) == Event("line", "move a1")


def test_line_after_the_last_look_is_late(spawn: Spawn) -> None:
    """The look began at the deadline, so nothing that came later may count; a later deadline is another."""
    clock = ScriptClock()
    channel = spawn("read x; read x; echo move a1; read x", clock=clock)
    channel.request(b"go\n")
    assert not channel.collect()
    channel.send(b"on\n")
    wait_for_output(channel)
    clock.advance(5_000)
    assert channel.wait(clock() - 5_000 * 10**6) == Event("timeout")
    assert channel.wait(clock()) == Event("line", "move a1")


def test_collecting_leaves_the_cause_of_an_end_to_wait(spawn: Spawn, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may take half a second to know, in which the referee would look at no other bot."""
    clock = ScriptClock()
    channel = spawn("read x; echo info last; exit 3", clock=clock)
    channel.request(b"go\n")
    with monkeypatch.context() as patched:
        patched.setattr(channel._group, "last_event", pytest.fail)
        while not channel.collect():
            assert channel.sources()
    assert channel.wait(clock()) == Event("line", "info last")
    assert channel.wait(clock()) == Event("closed", "exited with code 3")


def test_sources_are_what_the_channel_waits_for(spawn: Spawn) -> None:
    """Its output and standard error and, while lines are queued, its input; nothing that is closed."""
    channel = spawn("read x; exec 1>&-; cat >/dev/null; exec 2>&-; exec sleep 600")
    before = dict(channel.sources())
    assert before.items() >= {channel._stdout: select.POLLIN, channel._stderr: select.POLLIN}.items()
    channel.send(b"x" * 2**20 + b"\n")
    assert channel.sources() == {**before, channel._stdin: select.POLLOUT}
    stdout = channel._stdout
    assert channel.wait(far()) == Event("closed", "closed its output")
    assert stdout not in channel.sources()


def test_leaving_bot_gets_lines_and_end_of_input(spawn: Spawn, tmp_path: Path) -> None:
    """It may write to the end; nothing of that is read as lines."""
    channel = spawn("cat >all; echo ready; echo bye >&2; echo done >last")
    channel.send(b"x" * 2**20)
    while not channel.leave():
        wait_for_any([channel], FAR)
    assert (tmp_path / "all").stat().st_size == 2**20
    assert (tmp_path / "last").read_text("ascii") == "done\n"
    assert channel.pending() == [Event("closed", "the match is over")]
    channel.close(0)
    assert list(channel.stderr()) == ["bye"]


@pytest.mark.parametrize(
    ("script", "withheld"),
    [
        ("read x; cat; echo info; echo move a1", Withheld("move a1", whole=True, at_end=True)),
        ("read x; cat; printf 'move a1'", Withheld("move a1", whole=False, at_end=True)),
        ("read x; cat", None),
        ("read x; cat; echo >&2", None),
    ],
)
def test_output_is_withheld_until_the_input_ends(
    spawn: Spawn, script: str, withheld: Withheld | None
) -> None:
    """A bot that was frozen while others were starting may write then."""
    channel = spawn(script)
    channel.request(b"go\n")
    assert channel.wait(time.monotonic_ns()) == Event("timeout")
    channel.freeze()
    assert channel.withheld(60_000) == withheld


def test_line_without_a_newline_is_withheld_before_the_input_ends(spawn: Spawn) -> None:
    channel = spawn("read x; printf 'move a1'; read x; echo late >&2")
    channel.request(b"go\n")
    wait_for_output(channel)
    assert channel.wait(0) == Event("timeout")
    assert channel.withheld(0) == Withheld("move a1", whole=False, at_end=False)


def test_second_answer_is_pending_before_the_next_request(spawn: Spawn) -> None:
    """``pending`` returns output after an answer, so that it answers no later request."""
    channel = spawn("read x; echo move a1; echo move b2; read x")
    channel.request(b"go\n")
    assert channel.wait(far()).text == "move a1"
    while not (early := channel.pending()):
        pass
    assert early == [Event("line", "move b2")]


def test_exit_is_reported_after_the_last_output(spawn: Spawn) -> None:
    """The bot's last lines come first, then its exit code."""
    channel = spawn("read x; echo move a1; exit 3")
    channel.request(b"go\n")
    assert channel.wait(far()) == Event("line", "move a1")
    assert channel.wait(far()) == Event("closed", "exited with code 3")
    assert channel.wait(far()) == Event("closed", "exited with code 3")


def test_signal_is_named(spawn: Spawn) -> None:
    """The event of a killed bot has the signal, not an exit code."""
    channel = spawn("read x; kill -SEGV $$")
    channel.request(b"go\n")
    assert channel.wait(far()) == Event("closed", "killed by SIGSEGV")


def test_closed_output_is_reported(spawn: Spawn) -> None:
    """A bot that closed its output can never answer."""
    channel = spawn("read x; exec 1>&-; exec sleep 600")
    channel.request(b"go\n")
    assert channel.wait(far()) == Event("closed", "closed its output")


def test_exit_is_reported_while_a_child_holds_the_pipe(spawn: Spawn) -> None:
    """The end of the process counts, not the end of its output."""
    channel = spawn("sleep 600 & read x; echo move a1; exit 0")
    channel.request(b"go\n")
    assert channel.wait(far()).text == "move a1"
    assert channel.wait(far()) == Event("closed", "exited with code 0")


def test_garbage_is_malformed(spawn: Spawn) -> None:
    """The bytes are not UTF-8."""
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
    """The channel keeps no more than the allowance."""
    channel = spawn(f"read x; {script}; exec sleep 600")
    channel.request(b"go\n")
    heard = 0
    while (event := channel.wait(far())).kind == "line":
        heard += 1
    assert event.kind == kind
    assert heard <= 1000


def test_flood_before_a_request_is_bounded(spawn: Spawn) -> None:
    """Outside its turn a bot is read up to its allowance."""
    channel = spawn("yes info too early")
    while not (events := channel.pending()):
        pass
    while events[-1].kind == "line":
        events = channel.pending() or events
    assert events[-1].kind == "overflow"


def test_bot_that_does_not_read_cannot_block(spawn: Spawn) -> None:
    """Lines that do not fit the pipe are queued; the bot must read them all before it answers."""
    clock = ScriptClock()
    channel = spawn("echo move a1; exec sleep 600", clock=clock)
    channel.request(b"play 1 a1\n" * 100_000)
    assert channel.wait(clock()) == Event("timeout")


def test_full_queue_is_a_time_out(spawn: Spawn) -> None:
    """The queue is bounded, and a bot that missed lines receives no more."""
    clock = ScriptClock()
    channel = spawn("echo move a1; exec sleep 600", clock=clock)
    for _ in range(40):
        channel.send(b"x" * (MAX_QUEUE // 32))
    assert len(channel._unsent) <= MAX_QUEUE
    assert channel.wait(clock()) == Event("timeout")


def test_queue_is_written_while_waiting(spawn: Spawn) -> None:
    """A slow reader receives everything in order."""
    count = 200_000
    channel = spawn(f"head -n {count} | sha256sum; read x")
    data = b"".join(b"play 1 a%d\n" % k for k in range(count))
    channel.request(data)
    assert channel.wait(far()).text.split()[0] == hashlib.sha256(data).hexdigest()


def test_standard_error_does_not_block_a_bot(spawn: Spawn) -> None:
    """The channel reads it while it waits, and drops most of it."""
    channel = spawn("read x; head -c 3000000 /dev/zero | tr '\\0' 'e' >&2; echo move a1; read x")
    channel.request(b"go\n")
    assert channel.wait(far()) == Event("line", "move a1")
    lines = channel.stderr()
    assert sum(map(len, lines)) < 20_000
    assert "more bytes of standard error were dropped" in lines[-1]


def test_last_lines_of_standard_error_are_kept(spawn: Spawn) -> None:
    """They have the reason of a crash, and are there after the channel is closed."""
    channel = spawn("read x; echo 'no such table' >&2; exit 1")
    channel.request(b"go\n")
    assert channel.wait(far()).kind == "closed"
    channel.close(0)
    assert list(channel.stderr()) == ["no such table"]


def test_closing_kills_the_whole_group(spawn: Spawn) -> None:
    """A bot's children end with it, and the leader is reaped."""
    channel = spawn("sleep 600 & echo $!; trap '' TERM HUP; while :; do read x; done")
    child = int(channel.wait(far()).text)
    assert alive(child)
    channel.close(0)
    assert gone(child)
    with pytest.raises(ChildProcessError):
        os.waitpid(channel._group.pid, os.WNOHANG)


def test_close_waits_for_the_bot_to_quit(spawn: Spawn, tmp_path: Path) -> None:
    """A bot may end by itself within the grace, also at the end of its input."""
    for ending in ("quit", "end of input"):
        channel = spawn('while read -r x; do [ "$x" = quit ] && break; done; echo done > last; rm -f wait')
        channel.send(b"quit\n" if ending == "quit" else b"")
        channel.close(60)
        assert (tmp_path / "last").read_text("ascii") == "done\n"
        (tmp_path / "last").unlink()


def test_bot_that_ignores_quit_is_killed(spawn: Spawn) -> None:
    """Output does not extend the grace."""
    channel = spawn("trap '' TERM INT HUP; yes")
    channel.send(b"quit\n")
    channel.close(0.01)
    assert gone(channel._group.pid)


def test_frozen_bot_stands_still_and_can_be_closed(spawn: Spawn) -> None:
    """A signal stops a bot; thawed it continues, and a frozen one can be closed."""
    channel = spawn("while read -r x; do echo move $x; done")
    channel.freeze()
    while Path(f"/proc/{channel._group.pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "T":
        os.sched_yield()
    channel.thaw()
    channel.request(b"a1\n")
    assert channel.wait(far()).text == "move a1"
    channel.freeze()
    channel.close(60)
    assert gone(channel._group.pid)


def test_processor_time_is_known_during_and_after_a_run(spawn: Spawn) -> None:
    """CPU time belongs to the process, grows, and remains known after the end."""
    script = "import time\nwhile time.process_time() < 0.05: pass\nprint('done', flush=True)\ninput()"
    channel = spawn(script, sys.executable, "-S", "-E", "-c")
    assert channel.wait(far()).text == "done"
    used = channel.cpu_ms()
    assert used is not None
    assert used >= 50
    channel.close(0)
    assert (channel.cpu_ms() or 0) >= used


@pytest.mark.parametrize("lacking", [("pidfd_open",), ("pidfd_open", "waitid")])
def test_exit_is_reported_without_process_descriptors(
    spawn: Spawn, lacking: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some platforms cannot examine a zombie without reaping it."""
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
        os.waitpid(channel._group.pid, os.WNOHANG)


def test_nothing_is_inherited_but_the_streams(spawn: Spawn) -> None:
    """A bot has three open descriptors and ignores no signal."""
    channel = spawn("ls /proc/self/fd | wc -l; grep SigIgn /proc/self/status; read x")
    assert int(channel.wait(far()).text) == 4  # ls opens one more itself, to read the folder
    ignored = int(channel.wait(far()).text.split()[1], 16)
    assert not ignored & (1 << (signal.SIGPIPE - 1))


def test_no_descriptor_is_leaked(spawn: Spawn) -> None:
    """Descriptors are closed with their bot and after a failed start."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        spawn("read x").close(0)
        with pytest.raises(FileNotFoundError):
            spawn("x", "/no/such/program")
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def ask(channel: ProcessChannel, data: bytes, deadline: int) -> Event:
    """Ask; return an event also for an immediate line."""
    heard = channel.ask(data, deadline)
    return heard if isinstance(heard, Event) else Event("line", heard)


def test_ask_returns_the_answer(spawn: Spawn) -> None:
    channel = spawn('while read -r line; do echo "move $line"; done')
    for word in ("a1", "b2"):
        assert channel.idle()
        assert ask(channel, word.encode() + b"\n", far()) == Event("line", f"move {word}")
    assert channel.pending() == ()


def test_ask_keeps_further_lines_of_an_answer(spawn: Spawn) -> None:
    """They come in order, and earlier standard error is there."""
    channel = spawn("read -r line; printf 'info a\\nmove a1\\n'; read -r line; echo why >&2; echo move b2")
    assert ask(channel, b"go\n", far()) == Event("line", "info a")
    assert channel.wait(far()) == Event("line", "move a1")
    assert ask(channel, b"go\n", far()) == Event("line", "move b2")
    assert not channel.idle()
    assert channel.stderr() == ["why"]


def test_channel_with_early_output_is_not_idle(spawn: Spawn) -> None:
    """The channel returns it before the next request."""
    channel = spawn('echo move a1; read -r line; echo "heard $line"')
    wait_for_output(channel)
    assert not channel.idle()
    assert channel.pending() == [Event("line", "move a1")]
    assert ask(channel, b"two\n", far()) == Event("line", "heard two")


def test_second_answer_makes_the_channel_busy(spawn: Spawn) -> None:
    channel = spawn("read -r line; printf 'move a1\\nmove b2\\n'; read -r line")
    assert ask(channel, b"one\n", far()) == Event("line", "move a1")
    assert not channel.idle()
    assert channel.pending() == [Event("line", "move b2")]


def test_ask_ends_at_the_deadline(spawn: Spawn) -> None:
    """This holds even if the bot has not read its request."""
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


def test_gathered_lines_are_one_text_with_the_answer(spawn: Spawn) -> None:
    """However they are cut into writes; each line by itself where anything else is to be seen."""
    script = (
        "read -r x; echo info 1; sleep 0.01; printf 'info 2\\nbest'; sleep 0.01; echo ' a1';"
        " read -r x; printf 'info 3\\nbest b2\\nbest c3\\n'; read -r x; echo info 4; exit 3"
    )
    channel = spawn(script)
    channel.gather(b"best ")
    assert ask(channel, b"go\n", far()) == Event("line", "info 1\ninfo 2\nbest a1")
    assert channel.idle()
    assert ask(channel, b"go\n", far()) == Event("line", "info 3")
    assert channel.pending() == [Event("line", "best b2"), Event("line", "best c3")]
    assert ask(channel, b"go\n", far()) == Event("line", "info 4")
    assert channel.wait(far()) == Event("closed", "exited with code 3")


def test_gathering_ends_at_the_deadline(spawn: Spawn) -> None:
    channel = spawn("echo info 1; read -r x; read -r x; echo best a1; read -r x")
    channel.gather(b"best ")
    wait_for_output(channel)
    clock = ScriptClock()
    channel._clock = clock
    assert ask(channel, b"go\n", clock.now) == Event("line", "info 1")
    assert channel.wait(clock.now) == Event("timeout")
    channel._clock = time.monotonic_ns
    assert ask(channel, b"go\n", far()) == Event("line", "best a1")


class Full:
    """A watch that finds memory almost full at its second look."""

    looks = 0

    def is_low(self) -> bool:
        self.looks += 1
        return self.looks > 1

    def due_ms(self) -> int:
        return 1


@pytest.mark.parametrize("asked", [False, True])
def test_bot_is_stopped_before_memory_is_full(spawn: Spawn, asked: bool) -> None:
    """The kernel would end the largest process, which may be its opponent's."""
    channel = spawn("sleep 600")
    channel._memory_watch = Full()  # type: ignore[assignment]  # it has what is used
    deadline = time.monotonic_ns() + 300 * 10**9
    event = channel.ask(b"go\n", deadline) if asked else channel.wait(deadline)
    assert event == Event("starved", "stopped, as memory was almost full")


def test_several_bots_are_stopped_before_memory_is_full(spawn: Spawn) -> None:
    """They are waited for at once, and the wait ends in time to look at memory."""
    channels = [spawn("sleep 600"), spawn("sleep 600")]
    channels[1]._memory_watch = Full()  # type: ignore[assignment]  # it has what is used
    deadline = time.monotonic_ns() + 300 * 10**9
    events: list[Event] = []
    while not events or events[-1].kind != "starved":
        wait_for_any(channels, deadline - time.monotonic_ns())
        channels[1].collect()
        events.append(channels[1].wait(0))
    assert [event.kind for event in events] == ["timeout", "starved"]
