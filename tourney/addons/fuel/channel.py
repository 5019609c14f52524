"""The channel to a module under fuel: its host runs it within a budget, and its time is its work.

A module runs only between a request and its answer, from where it stood still. So nothing that it can see
depends on when a line came, how fast the machine is, or what else runs there.
"""

import os
import select
import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial
from typing import Final

from tourney.addons.fuel.meter import MS, HostOrder, HostReport
from tourney.bots.catalogue.command import BotCommand
from tourney.bots.channel.interface import Event
from tourney.bots.channel.line_buffer import BufferedChannel
from tourney.bots.modules import surplus
from tourney.bots.sandbox.bot_processes import BotProcesses, last_line
from tourney.bots.sandbox.processes import Pipes
from tourney.bots.sandbox.sandbox import Sandbox
from tourney.errors import SandboxError

GUARD_FACTOR: Final = 20
GUARD_NS: Final = 10_000_000_000
"""A host is watched once it has taken GUARD_FACTOR times its budget and GUARD_NS."""
STILL_NS: Final = 30_000_000_000  # a watched host that uses no processor for so long has failed
STILL_MS: Final = 10  # what counts as use of a processor in that time
MAX_QUEUE: Final = 16 * 1024 * 1024
_WRITE_NS: Final = 60_000_000_000  # time for a host to read an order
_CHUNK: Final = 1 << 20
_LOOK_MS: Final = 1_000


class HostEndError(Exception):
    """The host has ended, or does not go on; ``event`` is what the channel returns from now on."""

    def __init__(self, event: Event) -> None:
        super().__init__(event.text)
        self.event = event


class Host:
    """The host process of a module. ``ready``: it waits for an order."""

    def __init__(self, process: BotProcesses, pipes: Pipes) -> None:
        self._process = process
        self._pipes = pipes
        self._poll = select.poll()
        self._poll.register(pipes.stdout, select.POLLIN)
        self._data = b""
        self.ready = False
        self.weakened: Mapping[str, str] = process.weakened

    @classmethod
    def start(cls, command: BotCommand, memory_mb: int, sandbox: Sandbox) -> "Host":
        """Start a host and wait until it is ready. Raises SandboxError."""
        host = cls(*sandbox.start_host(command, memory_mb=memory_mb))
        try:
            host._report(0)
        except BaseException as error:
            host.end()
            if isinstance(error, HostEndError):
                text = f"the host of a WebAssembly module does not start: {error.event.text}"
                raise SandboxError(text) from error
            raise
        return host

    def run(self, order: HostOrder, budget_ns: int) -> HostReport:
        """Give an order and return the report; ``budget_ns`` is the virtual time that it may take.

        Raises HostEndError.
        """
        self.ready = False
        self._write(order.encode())
        return self._report(budget_ns)

    def cpu_ms(self) -> int | None:
        """The processor time that the host has used, or None where it is unknown."""
        return self._process.cpu_ms()

    def end(self) -> None:
        """Kill the host and reap it."""
        self.ready = False
        self._process.end(self._pipes)

    def _write(self, data: bytes) -> None:
        deadline = 0
        while data:
            try:
                data = data[os.write(self._pipes.stdin, data) :]
            except BlockingIOError:
                poll = select.poll()
                poll.register(self._pipes.stdin, select.POLLOUT)
                now = time.monotonic_ns()  # before the look, as this process may be held up after it
                deadline = deadline or now + _WRITE_NS
                if not poll.poll(_LOOK_MS) and now > deadline:
                    raise HostEndError(Event("lost", "stuck: its host reads nothing")) from None
            except OSError:
                raise HostEndError(self._end_event()) from None

    def _report(self, budget_ns: int) -> HostReport:
        report = HostReport.read(partial(self._take, watch=_Watch(self._process, budget_ns)))
        if report.kind == b"M":
            raise HostEndError(Event("lost", f"stopped by the machine: {report.words}"))
        self.ready = True
        return report

    def _take(self, size: int, watch: "_Watch") -> bytes:
        while len(self._data) < size:
            now = time.monotonic_ns()  # before the look, as this process may be held up after it
            if not self._poll.poll(_LOOK_MS):
                if why := watch.stuck(now):
                    raise HostEndError(Event("lost", why))
                continue
            part = os.read(self._pipes.stdout, _CHUNK)
            if not part:
                raise HostEndError(self._end_event())
            self._data += part
        taken, self._data = self._data[:size], self._data[size:]
        return taken

    def _end_event(self) -> Event:
        """End of the host. A module cannot end it but by a fault of the engine's."""
        event = self._process.last_event(killed="lost")
        last_words = last_line(self._pipes.stderr)
        # A module cannot use more than its bound, so a full memory is never its doing.
        kind = "lost" if event.kind == "starved" else event.kind
        return Event(kind, f"{event.text} ({last_words})" if last_words else event.text)


class _Watch:
    """Finds that a host does not go on although it has had its time.

    The machine may be slow or full, and a module may do work that costs more time than fuel: a host that uses
    a processor is let go on, because its fuel ends.
    """

    def __init__(self, process: BotProcesses, budget_ns: int) -> None:
        self._process = process
        self._looked = time.monotonic_ns() + GUARD_FACTOR * budget_ns + GUARD_NS
        self._used: int | None = None

    def stuck(self, now: int) -> str:
        """Reason of the machine's failure, or ""; a look that began at ``now`` found no report."""
        if now < self._looked:
            return ""
        used = self._process.cpu_ms()
        if used is None:
            return f"stuck: its host took longer than {GUARD_FACTOR} times its limit"
        if self._used is not None and used - self._used < STILL_MS:
            return f"stuck: its host took longer than {GUARD_FACTOR} times its limit and no longer works"
        self._used, self._looked = used, now + STILL_NS
        return ""


class Hosts:
    """Keeps hosts from match to match. An instance is never kept: each match begins with a new one."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Hashable, Host]] = []

    def trim(self, wanted: Iterable[Hashable], most: int) -> None:
        """End the hosts that a match does not want, but for the latest ``most``: they hold memory."""
        for waiting in surplus(self._waiting, wanted, most):
            self._waiting.remove(waiting)
            waiting[1].end()

    def take(self, key: Hashable, start: Callable[[], Host]) -> Host:
        """A waiting host with this key, or a new one."""
        for waiting in reversed(self._waiting):  # the latest, whose memory is most likely still cached
            if waiting[0] == key:
                self._waiting.remove(waiting)
                return waiting[1]
        return start()

    def give_back(self, key: Hashable, host: Host) -> None:
        """Keep a host for another match; one that is not ready is ended."""
        if not host.ready:
            host.end()
            return
        self._waiting.append((key, host))

    def close(self) -> None:
        """End all waiting hosts."""
        while self._waiting:
            self._waiting.pop()[1].end()


class VirtualClock:
    """A match's virtual time, in nanoseconds: all the work that its modules were charged so far."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        """The virtual time."""
        return self.now


class FuelChannel(BufferedChannel):
    """Exchanges lines with an instance of a module: that of ``order``, which starts with the first request.

    ``give_back`` takes its host when it is closed. Deadlines are of ``clock``, which it advances by the
    module's own work. The budget of a request counts from the request on, so the work of other bots in
    between is not charged.
    """

    def __init__(
        self,
        host: Host,
        clock: VirtualClock,
        fuel_per_ms: int,
        order: HostOrder,
        give_back: Callable[[Host], None],
    ) -> None:
        super().__init__()
        self._host = host
        self.weakened = host.weakened
        self._clock = clock
        self._fuel_per_ms = fuel_per_ms
        self._give_back = give_back
        self._order: HostOrder | None = order
        self._input = b""
        self._waits = False
        self._sent = 0
        self._used = 0
        self._closed = False
        self._cpu_before = host.cpu_ms() or 0
        self._cpu: int | None = None

    def send(self, data: bytes) -> None:
        """Keep lines for the module's next run."""
        if len(self._input) + len(data) <= MAX_QUEUE:
            self._input += data

    def request(self, data: bytes) -> None:
        """Send lines that end in a request: the allowances of output and of fuel start again."""
        self._lines.renew()
        self._sent, self._used = self._clock.now, 0
        self.send(data)

    def wait(self, deadline: int) -> Event:
        """Run the module until its next event; ``timeout`` when its budget until the deadline is used up."""
        while (event := self._lines.take()) is None:
            whole = max(0, deadline - self._sent) * self._fuel_per_ms // MS
            if self._waits and not self._input:
                self._advance(whole)
                return Event("timeout", "it waits for input, and has not answered")
            if whole <= self._used:
                return Event("timeout")
            self._run(whole - self._used)
        return event

    def _run(self, budget: int) -> None:
        data, self._input = self._input, b""
        self._waits = False
        budget_ns = budget * MS // self._fuel_per_ms
        try:
            if self._order is not None:
                order, self._order = self._order, None
                self._host.run(order, 0)
            report = self._host.run(HostOrder(b"R", budget, data=data), budget_ns)
        except HostEndError as ended:
            self._lines.close(ended.event)
            return
        self._advance(self._used + (budget if report.kind == b"F" else min(report.used, budget)))
        self._lines.feed(report.output)
        self._errors.feed(report.errors)
        if report.kind == b"W":
            self._waits = True
        elif report.kind == b"X":
            self._lines.close(Event("closed", report.words))

    def _advance(self, used: int) -> None:
        """Set the fuel of this request, and the clock with it: both grow only."""
        before, self._used = self._used, max(used, self._used)
        self._clock.now += self._ns(self._used) - self._ns(before)

    def _ns(self, fuel: int) -> int:
        return -(-fuel * MS // self._fuel_per_ms)

    def cpu_ms(self) -> int | None:
        """The real processor time that the module's host has used for this match."""
        if self._closed:
            return self._cpu
        used = self._host.cpu_ms()
        return None if used is None else used - self._cpu_before

    def close(self, grace: float) -> None:  # noqa: ARG002 - a module that is not asked does not run
        """End the instance; its host may serve another match."""
        if not self._closed:
            self._cpu = self.cpu_ms()
            self._closed = True
            self._lines.close(Event("closed", "the match is over"))
            self._give_back(self._host)
