"""SIGINT, SIGTERM and SIGHUP: the first asks a run to drain; SIGINT or SIGTERM after it, to stop at once."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

CAUGHT = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def catching(tell: Callable[[int], None]) -> Iterator[None]:
    """Call ``tell`` with the number of each signal that comes, until the end; then the old handlers are back.

    ``tell`` is called between any two steps of the main thread, so it may do no more than note it. A hangup
    that is ignored (by ``nohup``) stays ignored. Outside of the main thread nothing is caught: signals are
    not its business.
    """
    with _handling(tell, [number for number in CAUGHT if not _nohup(number)]):
        yield


@contextmanager
def past_hangup() -> Iterator[None]:
    """Let no hangup end this process until the end: a closed terminal may send one more than once."""
    with _handling(lambda _number: None, [] if _nohup(signal.SIGHUP) else [signal.SIGHUP]):
        yield


def _nohup(number: int) -> bool:
    return number == signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN


@contextmanager
def _handling(tell: Callable[[int], None], numbers: list[signal.Signals]) -> Iterator[None]:
    def handle(number: int, _frame: FrameType | None) -> None:
        tell(number)

    before = {}
    try:
        for number in numbers:
            before[number] = signal.signal(number, handle)
    except ValueError:  # not the main thread
        before = {}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)
