"""The host process of a module, in the bot's sandbox: ``python -m tourney.addons.fuel.host MODE ...``.

``compile FILE METER|plain`` writes the compiled module to standard output. ``clock FILE NAME ARG...`` runs
a compiled module to its end, by the machine's clocks. ``fuel FILE NAME ARG...`` runs instances of one by the
orders of the referee (see ``fuel``). Without ``wasmtime`` none of them starts.
"""

import mmap
import os
import resource
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NoReturn

import wasmtime

from tourney.addons.fuel.library import StoreMemory, make_engine
from tourney.addons.fuel.meter import (
    MAX_MODULE,
    MAX_TABLE,
    HostOrder,
    HostReport,
    charged,
    meter_fault,
)
from tourney.addons.fuel.wasi import WASI, WASI_NAMES, ExitError, OutOfFuelError, Stop, World, define_wasi
from tourney.bots.metering import HOST_ADDRESS_MB, METER, METERS

_THREAD_STACK: Final = 16 << 20
_PAGE: Final = 65_536


class _RestartError(BaseException):
    """The referee requests a new instance. No module, and no handler of its errors, may catch it."""

    def __init__(self, order: HostOrder) -> None:
        super().__init__()
        self.order = order


def main(argv: Sequence[str]) -> int:
    """Run a mode; return the exit code."""
    mode, file, *words = argv
    if mode == "compile":
        return _compile(Path(file), words[0])
    code = 1

    def run() -> None:
        nonlocal code
        if mode == "fuel":
            _serve(file, words)
        code = _run_by_clock(file, words)

    # A thread's stack has this size whatever the machine's limits are.
    threading.stack_size(_THREAD_STACK)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return code


def _compile(file: Path, meter: str) -> int:
    """Write a compiled module to standard output, or the reason why not, in one line, to standard error."""
    try:
        data = file.read_bytes()[: MAX_MODULE + 1]
        if len(data) > MAX_MODULE:
            return _refuse(f"it is larger than {MAX_MODULE >> 20} MiB")
        if not data.startswith(b"\0asm"):
            return _refuse("it does not begin as a binary module does")
        engine = make_engine(metered=meter in METERS)
        if meter == METER:
            wasmtime.Module.validate(engine, data)
            data = charged(data)
        module = wasmtime.Module(engine, data)
    except (OSError, ValueError, wasmtime.WasmtimeError) as error:
        return _refuse(str(error).strip().splitlines()[-1].strip())
    if why := _unfit(module):
        return _refuse(why)
    code = module.serialize()
    with os.fdopen(1, "wb") as out:
        out.write(code)
    return 0


def _refuse(why: str) -> int:
    sys.stderr.write(f"{why}\n")
    return 1


def _unfit(module: wasmtime.Module) -> str:
    """Reason why a module is not a command of WASI preview 1, or ""."""
    missing = sorted(
        f"{item.module}.{item.name}"
        for item in module.imports
        if item.module != WASI or item.name not in WASI_NAMES or not isinstance(item.type, wasmtime.FuncType)
    )
    if missing:
        return f"it imports {', '.join(missing[:5])}{' ...' * (len(missing) > 5)}, which bots do not have"
    kinds = {item.name: item.type for item in module.exports}
    start = kinds.get("_start")
    if not isinstance(start, wasmtime.FuncType) or start.params or start.results:
        return "it has no function _start, as a command of WASI preview 1 has"
    if not isinstance(kinds.get("memory"), wasmtime.MemoryType):
        return "it has no memory by the name of memory, as a command of WASI preview 1 has"
    return ""


def _limit(store: wasmtime.Store, memory: int) -> None:
    store.set_limits(memory_size=memory, table_elements=MAX_TABLE, instances=1, tables=8, memories=1)


def _has_memory(size: int) -> bool:
    """Whether this process could have that many bytes more; they are not touched, and so cost nothing."""
    try:
        mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except OSError:
        return False
    return True


# -- by the clock -----------------------------------------------------------------------------------------


def _run_by_clock(file: str, words: Sequence[str]) -> int:
    """Run a module with the process's own streams; return its exit code."""
    engine = make_engine(metered=False)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    wasi = wasmtime.WasiConfig()
    wasi.argv = list(words)
    wasi.inherit_stdin()
    wasi.inherit_stdout()
    wasi.inherit_stderr()
    store = wasmtime.Store(engine)
    store.set_wasi(wasi)
    bound, _ = resource.getrlimit(resource.RLIMIT_AS)
    if bound != resource.RLIM_INFINITY:
        _limit(store, max(_PAGE, bound - (HOST_ADDRESS_MB << 20)))
    try:
        instance = linker.instantiate(store, wasmtime.Module.deserialize_file(engine, file))
        _start_of(instance, store)()
    except wasmtime.ExitTrap as ended:
        return ended.code
    except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
        return _refuse(_trap_words(error))
    return 0


def _start_of(instance: wasmtime.Instance, store: wasmtime.Store) -> Callable[[], None]:
    start = instance.exports(store)["_start"]
    assert isinstance(start, wasmtime.Func)  # noqa: S101 - a module without it is not compiled
    return partial(start, store)


def _trap_words(error: Exception) -> str:
    code = error.trap_code if isinstance(error, wasmtime.Trap) else None
    if code is not None:
        return f"trap: {code.name.lower().replace('_', ' ')}"
    return str(error).strip().splitlines()[-1].strip()


# -- by fuel ----------------------------------------------------------------------------------------------


class Program:
    """A compiled module with its words, and its instance that is running."""

    def __init__(self, engine: wasmtime.Engine, module: wasmtime.Module, words: Sequence[str]) -> None:
        self._engine = engine
        linker = wasmtime.Linker(engine)
        self._kept = define_wasi(linker, self._call)
        memories = [export.type for export in module.exports if isinstance(export.type, wasmtime.MemoryType)]
        self._least = memories[0].limits.min * _PAGE
        self._module = linker.instantiate_pre(module)
        self._words = words
        self._world: World

    def _call(self, name: str, *values: int) -> int | None:
        return self._world.call(name, *values)

    def play(self, order: HostOrder, stop: Stop) -> NoReturn:
        """Run a new instance until ``stop`` raises: it is called with ``H`` first, and after the end.

        Where the module stands still while the host lacks the memory that it may still ask for, that is the
        machine's failure: its ``memory.grow`` may have failed, or fail next, below its bound.
        """

        def checked(world: World, kind: bytes, words: str) -> bytes:
            used = 0 if world.memory is None else world.memory.size
            if order.third > used and not _has_memory(order.third - used):
                kind = b"M"
                words = f"the host lacks memory below the bound of {order.third >> 20} MiB"
            return stop(world, kind, words)

        store = wasmtime.Store(self._engine)
        try:
            self._world = world = World(store, self._words, order.first, order.second, checked)
            _limit(store, order.third)
            world.feed(checked(world, b"H", ""))
            kind, words = self._run(store, world, order.third)
            while True:
                checked(world, kind, words)
        finally:
            store.close()

    def _run(self, store: wasmtime.Store, world: World, bound: int) -> tuple[bytes, str]:
        """Run an instance to its end; return the kind and the words of that."""
        if self._least > bound:
            return b"X", f"its memory begins with {self._least >> 20} MiB, beyond its bound"
        try:
            instance = self._module.instantiate(store)
            memory = instance.exports(store)["memory"]
            assert isinstance(memory, wasmtime.Memory)  # noqa: S101 - a module without it is not compiled
            world.memory = StoreMemory(store, memory)
            _start_of(instance, store)()
        except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
            return _end_of(world, error)
        return b"X", "exited with code 0"


def _end_of(world: World, error: Exception) -> tuple[bytes, str]:
    words = _trap_words(error)
    match world.ended:
        case OutOfFuelError():
            return b"F", ""
        case ExitError():
            return b"X", f"exited with code {world.ended.args[0]}"
        case BaseException():
            raise world.ended from None
    if isinstance(error, wasmtime.Trap):
        return b"F" if error.trap_code is wasmtime.TrapCode.OUT_OF_FUEL else b"X", words
    # Tables beyond their bounds are the module's fault; the rest is the machine's.
    return b"X" if "table" in words and ("exceeds" in words or "too high" in words) else b"M", words


def _serve(file: str, words: Sequence[str]) -> NoReturn:
    """Run one instance after the other, by the referee's orders, which come on standard input."""
    if fault := meter_fault():
        _tell(HostReport(b"M", 0, words=fault))
        os._exit(1)
    engine = make_engine(metered=True)
    program = Program(engine, wasmtime.Module.deserialize_file(engine, file), words)
    _tell(HostReport(b"H", 0))
    order = HostOrder.read(_read)
    while True:
        try:
            program.play(order, _stop)
        except _RestartError as restart:
            order = restart.order


def _stop(world: World, kind: bytes, words: str) -> bytes:
    """Report why the module stands still; return the input of the next order to go on."""
    _tell(HostReport(kind, world.used, *world.take(), words))
    order = HostOrder.read(_read)
    if order.kind != b"R":
        raise _RestartError(order)
    world.refuel(order.first)
    return order.data


def _read(size: int) -> bytes:
    """Read this number of bytes from the referee; ends the process where there is no more."""
    data = b""
    while len(data) < size:
        part = os.read(0, size - len(data))
        if not part:
            os._exit(0)
        data += part
    return data


def _tell(report: HostReport) -> None:
    frame = report.encode()
    while frame:
        frame = frame[os.write(1, frame) :]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
