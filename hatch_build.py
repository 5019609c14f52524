"""Compiles the cores of games and the launcher of bots when Tourney is built or installed, where it can.

Cores need Cython and a C compiler, the launcher a C compiler for Linux.

    python hatch_build.py [--plain]

compiles them in a checkout, or with --plain removes the compiled cores. Hatchling runs the same as a hook of
wheels and editable installs. Whatever goes wrong leaves plain Python, which gives the same results (the
environment variable TOURNEY_PLAIN=1 asks for that), and a chain of programs that starts bots as the launcher
does.
"""

import argparse
import ast
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import util
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent
COMPILED = Path("tourney", "games", "compiled")
LAUNCHER = Path("tourney", "bots", "sandbox", "launcher.py")
DIRECTIVES = {
    "language_level": 3,
    "annotation_typing": False,
    "auto_pickle": False,  # no core is pickled; this and the next line save the compiler a fifth of its time
    "binding": False,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
    "infer_types": True,
}
"""How Cython reads the cores. Raise ``BUILD`` in ``tourney.games.compiled`` with a change."""


class CompileError(Exception):
    """Why the cores stay plain Python, as a sentence."""


def load_alone(path: Path) -> ModuleType:
    """Load a module by its path: Tourney cannot be imported before it is installed. Raises CompileError."""
    spec = util.spec_from_file_location(f"tourney_{path.parent.name}", ROOT / path)
    if spec is None or spec.loader is None:
        raise CompileError(f"there is no {path}")
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def suffix() -> str:
    """Return what the names of this interpreter's extension modules end in."""
    return str(sysconfig.get_config_var("EXT_SUFFIX"))


def remove_compiled(keep: frozenset[str] = frozenset()) -> None:
    """Remove this interpreter's compiled cores but some."""
    for path in (ROOT / COMPILED).glob(f"*{suffix()}"):
        if path.name not in keep:
            path.unlink(missing_ok=True)


def compile_cores() -> list[Path]:
    """Compile what is not compiled yet, and remove old forms. Return all files. Raises CompileError."""
    compiled = load_alone(COMPILED / "__init__.py")
    if compiled.wants_plain():
        raise CompileError(f"{compiled.PLAIN_VARIABLE} asks for plain Python")
    names = {
        package: compiled.compiled_name(package)
        for package in (*compiled.core_names(), *compiled.addon_names())
    }
    files = {package: ROOT / COMPILED / (name + suffix()) for package, name in names.items()}
    missing = [package for package, path in files.items() if not path.is_file()]
    if missing:
        with tempfile.TemporaryDirectory(prefix="tourney-cores-") as folder:
            room = Path(folder, COMPILED)
            room.mkdir(parents=True)
            for parent in (room, *room.parents[: len(COMPILED.parts) - 1]):
                (parent / "__init__.py").touch()  # Cython finds core.pxd by the module's whole name
            sources = {package: room / f"{names[package]}.py" for package in missing}
            for package, source in sources.items():
                join_sources(compiled.sources(package), source)
                translate(source)
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                for package, made in zip(sources, pool.map(compile_c, sources.values()), strict=True):
                    place_file(made, files[package])
    remove_compiled(frozenset(path.name for path in files.values()))
    return list(files.values())


def join_sources(parts: Sequence[str], target: Path) -> None:
    """Write the sources of a core as one module: C values of another module could not be seen.

    Imports of one part by another are left out. Raises CompileError for a name that two parts define.
    """
    names = [Path(part).relative_to(ROOT).as_posix().replace("/", ".") for part in parts]
    text, known = "", dict[str, str]()
    for name, part in zip(names, parts, strict=True):
        source = Path(f"{part}.py").read_text(encoding="utf-8")
        lines = source.splitlines()
        for node in ast.parse(source).body:
            if isinstance(node, ast.ImportFrom) and node.module in names:
                lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or 0) - node.lineno + 1)
                continue
            for defined, origin in names_of(node, name):
                if known.setdefault(defined, origin) != origin:
                    raise CompileError(f"{known[defined]} and {origin} both define {defined}")
        text += "\n".join(lines) + "\n"
    target.write_text(text, encoding="utf-8")
    types = [Path(f"{part}.pxd").read_text(encoding="utf-8") for part in parts]
    target.with_suffix(".pxd").write_text("\n".join(types), encoding="utf-8")


def names_of(node: ast.stmt, module: str) -> Iterator[tuple[str, str]]:
    """Yield the names that a statement of a module defines, each with the module that it comes from."""
    if isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name, str(node.module)
    elif isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name, module
    elif isinstance(node, ast.Assign):
        for part in chain.from_iterable(map(ast.walk, node.targets)):
            if isinstance(part, ast.Name):
                yield part.id, module


def compiler() -> str:
    """Return the path of the C compiler. Raises CompileError."""
    found = shutil.which(os.environ.get("CC", "cc"))
    if found is None:
        raise CompileError("there is no C compiler (cc)")
    return found


def translate(source: Path) -> None:
    """Translate a module to C beside it, if there is a compiler for that. Raises CompileError."""
    compiler()
    try:
        from Cython.Compiler.Main import CompilationOptions, compile_single  # noqa: PLC0415 - may be absent
        from Cython.Compiler.Options import default_options  # noqa: PLC0415 - likewise
    except ImportError as error:
        raise CompileError(f"Cython is not installed ({error})") from error
    options = CompilationOptions(default_options, compiler_directives=DIRECTIVES)
    module = ".".join((*COMPILED.parts, source.stem))
    if compile_single(str(source), options, full_module_name=module).num_errors:
        raise CompileError(f"Cython found errors in {source.stem}")


def compile_c(source: Path) -> Path:
    """Compile a translated module to an extension module, and return that. Raises CompileError."""
    target = source.with_name(source.stem + suffix())
    kind = ["-bundle", "-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-shared", "-s"]
    flags = ["-O2", "-fPIC", "-fwrapv", "-w", *kind, "-I", sysconfig.get_path("include")]
    run_compiler([*flags, str(source.with_suffix(".c")), "-o", str(target)], source.stem)
    return target


def run_compiler(words: Sequence[str], name: str) -> None:
    """Run the C compiler. Raises CompileError, which names what it was to compile."""
    done = subprocess.run(  # noqa: S603 - the machine's own compiler
        [compiler(), *words], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise CompileError(f"cc cannot compile {name}: {done.stderr[-500:].strip()}")


def place_file(source: Path, target: Path) -> None:
    """Copy a file in one step, so that another process never sees half of it."""
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".", delete=False) as file:
        file.write(source.read_bytes())
    Path(file.name).chmod(0o755)
    Path(file.name).replace(target)


def compile_launcher() -> list[Path]:
    """Compile the launcher if it is not, remove old forms, and return its file. Raises CompileError."""
    compiled = load_alone(COMPILED / "__init__.py")
    if compiled.wants_plain():
        raise CompileError(f"{compiled.PLAIN_VARIABLE} asks for no compiled files")
    launcher = load_alone(LAUNCHER)
    target: Path | None = launcher.compiled_path()
    if target is None:
        return []
    if not target.is_file():
        with tempfile.TemporaryDirectory(prefix="tourney-launcher-") as folder:
            made = Path(folder, target.name)
            run_compiler([*launcher.FLAGS, str(launcher.SOURCE), "-o", str(made)], target.name)
            place_file(made, target)
    for old in target.parent.glob("launcher-*"):
        if old != target:
            old.unlink(missing_ok=True)
    return [target]


def try_to_compile() -> list[Path]:
    """Compile all and return the files; say what could not be compiled, and what takes its place."""
    made = []
    for compile_part, instead in (
        (compile_cores, "the games' rules stay plain Python"),
        (compile_launcher, "contained bots start by setpriv, Perl and a shell"),
    ):
        try:
            made += compile_part()
        except Exception as error:  # noqa: BLE001 - Tourney works after any error
            sys.stderr.write(f"tourney: {instead}: {error}\n")
    return made


class CompileCores(BuildHookInterface[Any]):
    """Hatchling's hook: compiles, and gives a wheel with compiled files the tag of this platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and add the files to the wheel."""
        files = try_to_compile()
        if files and version == "standard":
            build_data["pure_python"] = False
            build_data["infer_tag"] = True
            for path in files:
                build_data["force_include"][str(path)] = str(path.relative_to(ROOT))


def main() -> None:
    """Compile the cores of this checkout, or remove them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--plain", action="store_true", help="remove the compiled forms")
    if parser.parse_args().plain:
        remove_compiled()
    else:
        try_to_compile()


if __name__ == "__main__":
    main()
