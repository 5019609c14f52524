"""The lookout: asks a link which nodes are there, and notices when the cluster gives no answer.

A process that is stopped, or a host that hangs, keeps its connections, so that nothing ends by itself. The
question is asked in a thread, so the run goes on meanwhile and can say what it waits for.
"""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from contextlib import suppress
from typing import Final, TypeVar

from tourney.errors import WorkerError
from tourney.run.workers.link import Link, LinkLostError, Node

T = TypeVar("T")

SILENT_SECONDS: Final = 10.0
"""After this time without an answer the run says so."""
SAY_AGAIN_SECONDS: Final = 60.0
FIRST_SECONDS: Final = 60.0
_MANY: Final = 100.0
"""Nodes to look at in a second: the answer grows with them."""


def in_thread(work: Callable[[], T]) -> "Future[T]":
    """Do something in a thread that does not keep this process from ending."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            found = work()
        except BaseException as error:  # noqa: BLE001 - it belongs to who waits for the future
            future.set_exception(error)
        else:
            future.set_result(found)

    threading.Thread(target=run, name="tourney-link", daemon=True).start()
    return future


class Lookout:
    """Looks at the nodes every ``seconds``; without an answer for ``limit`` seconds it gives up.

    ``clock`` counts seconds; ``say`` prints a message.
    """

    def __init__(
        self,
        link: Link,
        *,
        clock: Callable[[], float],
        say: Callable[[str], None],
        seconds: float,
        limit: float,
    ) -> None:
        self._link = link
        self._clock = clock
        self._say = say
        self._seconds = seconds
        self._limit = limit
        self._asked: Future[Mapping[str, Node]] | None = None
        self._since = self._next = clock()
        self._said = 0.0
        self._count = 0

    def poll(self) -> Mapping[str, Node] | None:
        """Return the nodes where an answer has come, else None.

        Raises LinkLostError where the connection is lost, WorkerError after ``limit``.
        """
        now = self._clock()
        if self._asked is None:
            if now < self._next:
                return None
            self._asked, self._since, self._said = in_thread(self._link.nodes), now, 0.0
            wait_for([self._asked], timeout=0.01)  # most answers take no longer
        if not self._asked.done():
            self._be_silent(now - self._since)
            return None
        asked, self._asked = self._asked, None
        nodes = asked.result()
        if self._said:
            self._say(f"the scheduler answers again, after {now - self._since:.0f} s")
        self._count = len(nodes)
        self._next = now + max(self._seconds, self._count / _MANY)
        return nodes

    def first(self) -> Mapping[str, Node]:
        """Wait for an answer. Raises LinkLostError where none comes in FIRST_SECONDS."""
        self._asked = None
        asked = in_thread(self._link.nodes)
        with suppress(TimeoutError):
            nodes = asked.result(FIRST_SECONDS)
            self._next = self._clock() + self._seconds
            return nodes
        raise LinkLostError(f"the scheduler gives no answer in {FIRST_SECONDS:.0f} s")

    @property
    def text(self) -> str:
        """Say how long the scheduler has given no answer; "" where that is not long."""
        silent = self._clock() - self._since if self._asked is not None else 0.0
        return _silence(silent) if silent >= SILENT_SECONDS else ""

    def _be_silent(self, seconds: float) -> None:
        if seconds >= self._limit:
            raise WorkerError(
                f"no word from the scheduler for {seconds:.0f} s; end it, start it and its workers again, and"
                " run again: all stored results are kept"
            )
        if seconds >= max(SILENT_SECONDS, self._said + SAY_AGAIN_SECONDS * bool(self._said)):
            self._said = seconds
            self._say(_silence(seconds))


def _silence(seconds: float) -> str:
    return f"no word from the scheduler for {seconds:.0f} s; waiting"
