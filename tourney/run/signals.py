"""SIGINT and SIGTERM: the first asks a run to drain, the second to stop at once."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

CAUGHT = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def catching(tell: Callable[[int], None]) -> Iterator[None]:
    """Call ``tell`` with the number of each signal that comes, until the end; then the old handlers are back.

    ``tell`` is called between any two steps of the main thread, so it may do no more than note it. Outside of
    the main thread nothing is caught: signals are not its business.
    """

    def handle(number: int, _frame: FrameType | None) -> None:
        tell(number)

    before = {}
    try:
        for number in CAUGHT:
            before[number] = signal.signal(number, handle)
    except ValueError:  # not the main thread
        before = {}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)
