"""Changes a module in one place after the other, and lists the changes that no test notices.

    python -m tests.support.mutants MODULE PART PARTS TEST ...

Run it in a copy of the tree, whose file MODULE it overwrites. It takes every PARTS-th mutant from PART on,
writes it, and runs the tests in a fork of itself, which has the libraries loaded already: a mutant costs what
its tests cost. Prints a line of JSON for each survivor and one for the end. Needs cosmic-ray, whose operators
make the mutants.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

SECONDS: Final = 60.0
"""A run of the tests that takes longer has noticed the mutant."""
LOADED: Final = ("hypothesis", "numpy", "scipy.stats", "pandas", "sqlmodel", "trueskill", "msgspec", "jinja2")
"""Libraries that every run would load again."""
OPTIONS: Final = ("-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-W", "ignore:Module already imported")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change of a module: the operator that makes it, its line, and the lines before and after it."""

    operator: str
    line: int
    before: tuple[str, ...]
    after: tuple[str, ...]


def mutants_of(path: Path) -> Iterator[tuple[Mutant, str]]:
    """Yield each mutant of a file with its text."""
    ast, plugins = import_module("cosmic_ray.ast"), import_module("cosmic_ray.plugins")
    mutating = import_module("cosmic_ray.mutating")
    source = path.read_text("utf-8")
    tree = ast.get_ast(source)
    for name in plugins.operator_names():
        kind = plugins.get_operator(name)
        if kind.arguments():
            continue
        operator = kind()
        places = [start for node in ast.ast_nodes(tree) for start, _ in operator.mutation_positions(node)]
        for occurrence, place in enumerate(places):
            try:
                text = mutating.mutate_code(source, operator, occurrence)
            except AttributeError:  # cosmic-ray 8.7 cannot replace ``except module.Error``
                continue
            if text is None or text == source:
                continue
            old, new = source.splitlines(), text.splitlines()
            before, after = _differing(old, new)
            yield Mutant(name.removeprefix("core/"), place[0], before, after), text


def _differing(old: Sequence[str], new: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines of two texts between their common start and their common end."""
    start = next((k for k, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
    rest = min(len(old), len(new)) - start
    end = next((k for k in range(rest) if old[-1 - k] != new[-1 - k]), rest)
    return tuple(old[start : len(old) - end]), tuple(new[start : len(new) - end])


def _say(fact: object) -> None:
    sys.stdout.write(f"{json.dumps(fact)}\n")
    sys.stdout.flush()


def survives(tests: Sequence[str]) -> bool:
    """Whether the tests pass in a fork of this process."""
    pid = os.fork()
    if pid == 0:
        os.setsid()
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        os._exit(pytest.main([*OPTIONS, *tests]))
    ends = time.monotonic() + SECONDS
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
            return status == 0
        if time.monotonic() > ends:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return False
        time.sleep(0.01)


def main(words: Sequence[str]) -> int:
    """Try the mutants of a module. Raises ValueError if its tests fail without a mutant."""
    path, part, parts, tests = Path(words[0]), int(words[1]), int(words[2]), words[3:]
    for name in LOADED:
        import_module(name)
    # Two mutants of one size and second would share a compiled file.
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.dont_write_bytecode = True
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
        compiled.unlink()
    if not survives(tests):
        raise ValueError(f"{' '.join(tests)} fails without a mutant of {path}")
    source, tried = path.read_text("utf-8"), 0
    for number, (mutant, text) in enumerate(mutants_of(path)):
        if number % parts == part:
            path.write_text(text, "utf-8")
            tried += 1
            if survives(tests):
                _say(asdict(mutant))
    path.write_text(source, "utf-8")
    _say({"tried": tried})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
