"""Types of values from outside, prepared for threads: one thread at a time lets msgspec build a layout.

msgspec (0.22) builds the layout of a struct when it first reads one, and other threads see it before it is
complete: two threads that are the first to read a type end the process by a segmentation fault
(docs/decisions/004-schemas-and-json.md). So every call that gives msgspec a type gives it ``prepared(type)``.
"""

from threading import RLock
from typing import TypeVar
from weakref import WeakSet

from msgspec.msgpack import Decoder

T = TypeVar("T")

_building = RLock()  # reentrant: a signal handler may read a value in the thread that builds
_complete: "WeakSet[type]" = WeakSet()
"""Classes whose layouts are complete; weak, because every tournament file has a class of its own."""


def prepared(type_: T) -> T:
    """The same type (a class, an alias or a union), once the layouts of all structs in it are complete."""
    # ``Generic[X]`` may be a new object each time, and carries a layout itself: only classes are remembered.
    if not isinstance(type_, type) or type_ not in _complete:
        with _building:
            Decoder(type_)  # not JSON's, which refuses some types of keys
            if isinstance(type_, type):
                _complete.add(type_)
    return type_
