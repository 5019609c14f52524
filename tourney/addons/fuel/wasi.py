"""WASI preview 1 for a module under fuel: lines in and out, a clock of its own work, and nothing else.

A call costs CALL_FUEL and a price for each byte. All that a module can observe follows from its code, its
arguments, its input and its seed: it never sees when a line came, because it stands still meanwhile.
"""

import ctypes
import struct
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import wasmtime

from tourney.addons.fuel.library import Function, StoreFuel, StoreMemory, define
from tourney.addons.fuel.meter import BYTE_FUEL, CALL_FUEL, ITEM_FUEL, MS, RANDOM_FUEL
from tourney.seeds import deriver

# As the protocol's limits of output, so that a module meets the same ones as a process.
MAX_LINES: Final = 1_000
MAX_OUTPUT: Final = 64 * 1024
MAX_TAIL: Final = 4_096  # What stops a module that writes: this much output, or a line of this length
MAX_ERRORS: Final = 16 * 1024
_MAX_ITEMS: Final = (
    1_024  # of a list that a module passes, as IOV_MAX of Linux: it bounds the host's own loop
)
_CHUNK: Final = 64 * 1024

_OK, _BADF, _FAULT, _INVAL, _NOSYS, _NOTSOCK, _SPIPE, _NOTSUP = 0, 8, 21, 28, 52, 57, 70, 58


def _signatures(text: str) -> dict[str, str]:
    """Functions with their parameters: ``i`` 32 bits, ``l`` 64."""
    return {name: letters for name, _, letters in (word.partition(":") for word in text.split())}


_ERRORS: Final = {
    _BADF: "fd_prestat_get:ii fd_prestat_dir_name:iii fd_readdir:iiili path_create_directory:iii"
    " path_filestat_get:iiiii path_filestat_set_times:iiiilli path_link:iiiiiii path_open:iiiiillii"
    " path_readlink:iiiiii path_remove_directory:iii path_rename:iiiiii path_symlink:iiiii"
    " path_unlink_file:iii",
    _NOSYS: "proc_raise:i",
    _NOTSOCK: "sock_accept:iii sock_recv:iiiiii sock_send:iiiii sock_shutdown:ii",
    _NOTSUP: "fd_allocate:ill fd_datasync:i fd_fdstat_set_flags:ii fd_fdstat_set_rights:ill"
    " fd_filestat_set_size:il fd_filestat_set_times:illi fd_renumber:ii fd_sync:i",
    _SPIPE: "fd_advise:illi fd_pread:iiili fd_pwrite:iiili fd_seek:ilii fd_tell:ii",
}
"""Functions that only give an error, by its number."""
_REFUSED: Final = {
    name: (letters, number) for number, text in _ERRORS.items() for name, letters in _signatures(text).items()
}
_GIVEN: Final = _signatures(
    "args_get:ii args_sizes_get:ii clock_res_get:ii clock_time_get:ili environ_get:ii environ_sizes_get:ii"
    " fd_close:i fd_fdstat_get:ii fd_filestat_get:ii fd_read:iiii fd_write:iiii poll_oneoff:iiii"
    " proc_exit:i random_get:ii sched_yield:"
)
"""Functions of ``World``, with their parameters."""

WASI_NAMES: Final = frozenset(_REFUSED) | frozenset(_GIVEN)
WASI: Final = "wasi_snapshot_preview1"

_U32: Final = struct.Struct("<I")
_U64: Final = struct.Struct("<Q")
_ITEM: Final = struct.Struct("<II")
_FDSTAT: Final = struct.Struct("<BxHxxxxQQ")
_EVENT: Final = struct.Struct("<QHBxxxxxQHxxxxxx")
_SUBSCRIPTION: Final = struct.Struct("<QB7xI4xQQH6x")
"""User data, kind, descriptor (or clock), time, its precision, and flags: 1 for an absolute time."""
_CLOCK_EVENT, _READ_EVENT, _WRITE_EVENT = 0, 1, 2
_MASK = 0xFFFF_FFFF
# Bits of WASI's type ``rights``
_MAY_READ = 1 << 1
_MAY_WRITE = 1 << 6
_MAY_POLL = 1 << 27
_RIGHTS = (_MAY_READ | _MAY_POLL, _MAY_WRITE | _MAY_POLL, _MAY_WRITE | _MAY_POLL)  # by descriptor


class OutOfFuelError(Exception):
    """The module has used up its budget in a call."""


class ExitError(Exception):
    """The module ended itself, with a code."""


class MemoryFaultError(Exception):
    """The module gave a place outside its memory."""


Stop = Callable[["World", bytes, str], bytes]
"""Lets the module stand still, for a kind of HostReport, with words on its end.

Returns more input; raises to end the instance.
"""


class World:
    """All that one instance can see beside its own memory. ``stop`` is called where it stands still.

    ``output`` and ``errors`` hold what it wrote since the host has last taken them. ``ended`` is what
    a call has raised to end the module.
    """

    def __init__(
        self, store: wasmtime.Store, args: Sequence[str], seed: int, fuel_per_ms: int, stop: Stop
    ) -> None:
        self.memory: StoreMemory | None = None
        self.ended: BaseException | None = None
        self.output = bytearray()
        self.errors = bytearray()
        self._fuel = StoreFuel(store)
        self._left: int | None = None  # the fuel left within a call
        self._args = [arg.encode("utf-8", "surrogateescape") + b"\0" for arg in args]
        self._fuel_per_ms = fuel_per_ms
        self._stop = stop
        self._input = b""
        self._at = 0
        self._lines = 0
        self._before = 0
        self._budget = 0
        self._random = deriver(seed, "random")
        self._drawn = 0
        self._rest = b""

    def refuel(self, budget: int) -> None:
        """Begin a run with this fuel; what is left of the last one is gone."""
        self._before += self.used
        self._budget = budget
        if self._left is None:
            self._fuel.set(budget)
        else:
            self._left = budget

    @property
    def used(self) -> int:
        """The fuel used since ``refuel``."""
        return self._budget - (self._fuel.get() if self._left is None else self._left)

    def _charge(self, fuel: int) -> None:
        assert self._left is not None  # noqa: S101 - calls alone are charged
        if self._left < fuel:
            self._left = 0
            raise OutOfFuelError
        self._left -= fuel

    def _now(self) -> int:
        """The virtual time in nanoseconds: the fuel that this instance has used so far."""
        return (self._before + self.used) * MS // self._fuel_per_ms

    def _place(self, at: int, size: int) -> int:
        at &= _MASK  # the engine passes 32 bits with a sign
        if self.memory is None or at + size > self.memory.size:
            raise MemoryFaultError
        return self.memory.address + at

    def _get(self, at: int, size: int) -> bytes:
        place = self._place(at, size)
        return ctypes.string_at(place, size) if size else b""

    def _put(self, at: int, data: bytes) -> None:
        place = self._place(at, len(data))
        if data:
            ctypes.memmove(place, data, len(data))

    def _items(self, at: int, count: int) -> list[tuple[int, int]]:
        count &= _MASK
        if count > _MAX_ITEMS:
            raise ValueError
        self._charge(ITEM_FUEL * count)
        return list(_ITEM.iter_unpack(self._get(at, 8 * count)))

    # -- the functions ------------------------------------------------------------------------------------

    def feed(self, data: bytes) -> None:
        """Give more input."""
        self._input = self._input[self._at :] + data
        self._at = 0

    def _wait(self) -> None:
        """Stand still until there is input."""
        while self._at == len(self._input):
            self.feed(self._stop(self, b"W", ""))

    def fd_read(self, fd: int, items: int, count: int, size_to: int) -> int:
        """Read from standard input; stands still while there is none."""
        if fd:
            return _BADF
        buffers = self._items(items, count)
        if any(size for _, size in buffers):
            self._wait()
        whole = 0
        for at, size in buffers:
            part = self._input[self._at : self._at + size]
            self._charge(BYTE_FUEL * len(part))
            self._put(at, part)
            self._at += len(part)
            whole += len(part)
        self._put(size_to, _U32.pack(whole))
        return _OK

    def fd_write(self, fd: int, items: int, count: int, size_to: int) -> int:
        """Write to standard output or error; stands still after a line that is not ``info``."""
        if fd not in (1, 2):
            return _BADF
        # a write may be partial, so a module cannot fill the host's memory
        room = _CHUNK
        parts = []
        for at, size in self._items(items, count):
            part = self._get(at, min(size, room))
            parts.append(part)
            room -= len(part)
        data = b"".join(parts)
        self._charge(BYTE_FUEL * len(data))
        self._put(size_to, _U32.pack(len(data)))
        if fd == 2:
            self.errors += data[: MAX_ERRORS - len(self.errors)]
        elif self._stops(data):
            self.feed(self._stop(self, b"L", ""))
        return _OK

    def _stops(self, data: bytes) -> bool:
        """Add output; return whether the referee must see it now."""
        start = self.output.rfind(b"\n") + 1
        self.output += data
        end = self.output.rfind(b"\n") + 1
        self._lines += data.count(b"\n")
        if self._lines >= MAX_LINES or len(self.output) >= MAX_OUTPUT or len(self.output) - end >= MAX_TAIL:
            return True
        lines = bytes(self.output[start:end]).split(b"\n")[:-1]
        return any(len(line) >= MAX_TAIL or not _is_info(line) for line in lines)

    def take(self) -> tuple[bytes, bytes]:
        """Take what was written."""
        end = self.output.rfind(b"\n") + 1
        # A line without its end stays here, unless it is too long to become one.
        if len(self.output) - end >= MAX_TAIL:
            end = len(self.output)
        taken = bytes(self.output[:end]), bytes(self.errors)
        del self.output[:end]
        self.errors.clear()
        self._lines = 0
        return taken

    def poll_oneoff(self, subscriptions: int, events: int, count: int, size_to: int) -> int:
        """Wait for input, or for a time, which passes at once and costs its fuel."""
        count &= _MASK
        if not 0 < count <= _MAX_ITEMS:
            return _INVAL
        self._charge(ITEM_FUEL * count)
        wanted = self._get(subscriptions, _SUBSCRIPTION.size * count)
        begun = self._now()
        ready = []
        timers = []
        reads = []
        for user, kind, fd, time, _, flags in _SUBSCRIPTION.iter_unpack(wanted):
            if kind == _CLOCK_EVENT:
                timers.append((max(0, time - begun) if flags & 1 else time, user))
            elif kind not in (_READ_EVENT, _WRITE_EVENT):
                return _INVAL
            elif fd > 2 or (kind == _READ_EVENT) != (fd == 0):
                ready.append(_EVENT.pack(user, _BADF, kind, 0, 0))
            elif kind == _WRITE_EVENT:
                ready.append(_EVENT.pack(user, _OK, kind, _CHUNK, 0))
            else:
                reads.append(user)
        if not ready and not timers and reads:
            self._wait()
        there = len(self._input) - self._at
        if there:
            ready += [_EVENT.pack(user, _OK, _READ_EVENT, there, 0) for user in reads]
        passed = 0
        if not ready and timers:
            passed = min(timers)[0]
            self._charge(-(-passed * self._fuel_per_ms // MS))
        ready += [_EVENT.pack(user, _OK, _CLOCK_EVENT, 0, 0) for time, user in timers if time <= passed]
        self._put(events, b"".join(ready))
        self._put(size_to, _U32.pack(len(ready)))
        return _OK

    def clock_time_get(self, clock: int, precision: int, to: int) -> int:  # noqa: ARG002 - WASI's form
        """Give the virtual time, by any clock."""
        if not 0 <= clock <= 3:
            return _INVAL
        self._put(to, _U64.pack(self._now()))
        return _OK

    def clock_res_get(self, clock: int, to: int) -> int:
        """Give a nanosecond."""
        if not 0 <= clock <= 3:
            return _INVAL
        self._put(to, _U64.pack(1))
        return _OK

    def random_get(self, to: int, size: int) -> int:
        """Give random bytes: ``derive(seed, "random", k)``, k from 0, big-endian."""
        size &= _MASK
        self._charge(RANDOM_FUEL * size)
        self._place(to, size)  # a bad place draws nothing
        while size:
            part = min(size, _CHUNK)
            blocks = [self._rest]
            for _ in range(-(-max(0, part - len(self._rest)) // 8)):
                blocks.append(self._random(self._drawn).to_bytes(8, "big"))
                self._drawn += 1
            data = b"".join(blocks)
            self._put(to, data[:part])
            self._rest = data[part:]
            to = to + part
            size = size - part
        return _OK

    def args_sizes_get(self, count_to: int, size_to: int) -> int:
        """Give the number of arguments and their bytes."""
        self._put(count_to, _U32.pack(len(self._args)))
        self._put(size_to, _U32.pack(sum(map(len, self._args))))
        return _OK

    def args_get(self, places_to: int, to: int) -> int:
        """Give the arguments."""
        self._charge(BYTE_FUEL * sum(map(len, self._args)))
        for number, arg in enumerate(self._args):
            self._put(places_to + 4 * number, _U32.pack(to & _MASK))
            self._put(to, arg)
            to += len(arg)
        return _OK

    def environ_sizes_get(self, count_to: int, size_to: int) -> int:
        """Give an empty environment."""
        self._put(count_to, bytes(4))
        self._put(size_to, bytes(4))
        return _OK

    def environ_get(self, places_to: int, to: int) -> int:  # noqa: ARG002 - WASI's form
        """Give nothing."""
        return _OK

    def fd_fdstat_get(self, fd: int, to: int) -> int:
        """Say that the three streams are not terminals."""
        if not 0 <= fd <= 2:
            return _BADF
        self._put(to, _FDSTAT.pack(0, 0, _RIGHTS[fd], 0))
        return _OK

    def fd_filestat_get(self, fd: int, to: int) -> int:
        """Say nothing of the three streams."""
        if not 0 <= fd <= 2:
            return _BADF
        self._put(to, bytes(64))
        return _OK

    def fd_close(self, fd: int) -> int:
        """Leave the three streams open."""
        return _OK if 0 <= fd <= 2 else _BADF

    def sched_yield(self) -> int:
        """Do nothing."""
        return _OK

    def proc_exit(self, code: int) -> None:
        """End the instance."""
        raise ExitError(code & _MASK)

    def refuse(self, number: int, *_: int) -> int:
        """Give the error of a function that bots do not have."""
        return number

    def call(self, name: str, *values: int) -> int | None:
        """Call one of these methods for the module, and charge it. Keeps what it raises in ``ended``."""
        self._left = self._fuel.get()
        try:
            self._charge(CALL_FUEL)
            result: int | None = getattr(self, name)(*values)
        except MemoryFaultError:
            return _FAULT
        except ValueError:
            return _INVAL
        except BaseException as error:
            self.ended = error
            raise
        else:
            return result
        finally:
            left = self._left
            self._left = None
            self._fuel.set(left)


def _is_info(line: bytes) -> bool:
    return not line.rstrip(b"\r") or line.startswith(b"info ") or line == b"info"


def define_wasi(linker: wasmtime.Linker, call: Function) -> list[object]:
    """Define WASI's functions: ``call`` gets the name of a method of ``World`` and its values.

    Returns what the caller has to keep alive as long as the linker.
    """
    functions = {name: (letters, partial(call, name)) for name, letters in _GIVEN.items()}
    functions |= {
        name: (letters, partial(call, "refuse", error)) for name, (letters, error) in _REFUSED.items()
    }
    return [
        define(linker, WASI, name, letters, function, result=name != "proc_exit")
        for name, (letters, function) in functions.items()
    ]
