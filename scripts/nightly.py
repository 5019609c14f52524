"""Tests that take a night: every fault of a system call, ten thousand simulated worlds, mutations, fuzzing.

    python -m scripts.nightly faults [--sample N] [SCENARIO ...]
    python -m scripts.nightly simulation [--first 0] [--seeds 10000]
    python -m scripts.nightly mutations [--every N] [MODULE ...]
    python -m scripts.nightly fuzz [--seconds 600] [--corpus build/corpus] [TARGET ...]

``faults`` lets each system call of each command fail, kill the process, or be the last before the power goes
out (``tests.support.faults``), and prints a table. ``simulation`` plays tournaments on a virtual clock beside
a hostile world (``tests.support.simulation``). ``mutations`` changes one place after the other in the modules
that decide results, runs their tests, and lists the changes that no test notices
(``tests.support.mutants``); it needs cosmic-ray (``pip install cosmic-ray``). ``fuzz`` searches for inputs
that a parser cannot cope with, and goes on from the corpus of earlier nights (``tests.support.parsers``); it
needs atheris (``pip install atheris``). The exit code is 1 if anything was found.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from tests.support import simulation
from tests.support.command import ROOT
from tests.support.fault_scenarios import all_scenarios
from tests.support.faults import compile_shim, run_scenarios
from tests.support.parsers import all_targets

MUTATED: Final = {
    "tourney/seeds.py": "tests/test_seeds.py",
    "tourney/check/merkle.py": "tests/check/test_merkle.py tests/check/test_root.py",
    "tourney/match/turn_timing.py": "tests/match/test_turn_timing.py tests/match/test_player_clocks.py"
    " tests/match/test_freezing.py",
    "tourney/match/referee.py": "tests/match/test_referee.py tests/match/test_referee_adjudication.py"
    " tests/addons/chess/test_adjudication.py"
    " tests/match/test_play_answers.py tests/match/test_play.py tests/match/test_hidden_setup.py",
    "tourney/match/record.py": "tests/match/test_record.py",
    "tourney/ratings/batch.py": "tests/ratings/test_batch.py",
    "tourney/ratings/sequential.py": "tests/ratings/test_sequential.py",
}
"""Modules that decide results, each with the tests that must notice a change of it."""


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def faults(words: Sequence[str]) -> int:
    """Try the system calls of commands and print a table."""
    parser = argparse.ArgumentParser(prog="nightly faults")
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=f"of {', '.join(all_scenarios())}")
    parser.add_argument("--sample", type=int, default=0, help="points of each kind (0: all)")
    given = parser.parse_args(words)
    found: list[str] = []
    _say("| command | fault | system calls | tried | coped with | findings |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="tourney-nightly-") as folder:
        shim = compile_shim(Path(folder))
        for one in run_scenarios(shim, given.scenarios, sample=given.sample):
            cells = (one.scenario, one.kind, one.points, one.tried, one.coped, len(one.failures))
            _say(f"| {' | '.join(map(str, cells))} |")
            found += (f"{one.scenario}: {why}" for why in one.failures)
    for line in found:
        _say(line)
    return int(bool(found))


def mutations(words: Sequence[str]) -> int:
    """Mutate modules and list the mutants that survive."""
    parser = argparse.ArgumentParser(prog="nightly mutations")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"of {', '.join(MUTATED)}")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="try each N-th mutant")
    survivors, given = 0, parser.parse_args(words)
    for module in given.modules or MUTATED:
        with tempfile.TemporaryDirectory(prefix="tourney-mutants-") as folder:
            survivors += _mutate(module, MUTATED[module], given.every, Path(folder))
    return int(survivors > 0)


def _mutate(module: str, tests: str, every: int, folder: Path) -> int:
    """Mutate a module in a copy of the tree for each processor; print survivors and return their count."""
    processes = os.cpu_count() or 1
    parts, runs = processes * every, []
    for part in range(processes):
        tree = folder / str(part)
        tree.mkdir()
        for name in ("tourney", "tests", "engines", "templates", "seeds"):
            shutil.copytree(ROOT / name, tree / name)
        shutil.copy(ROOT / "pyproject.toml", tree)
        words = (sys.executable, "-m", "tests.support.mutants", module, str(part), str(parts), *tests.split())
        runs.append(subprocess.Popen(words, cwd=tree, stdout=subprocess.PIPE, text=True))  # noqa: S603 - a fixed command
    lines = [json.loads(line) for run in runs for line in run.communicate()[0].splitlines()]
    if any(run.returncode for run in runs):
        raise SystemExit(f"{module}: a part of the mutants was not tried")
    alive = sorted((one for one in lines if "line" in one), key=lambda one: (one["line"], one["operator"]))
    _say(f"{module}: {sum(one.get('tried', 0) for one in lines)} mutants, {len(alive)} survive {tests}")
    for one in alive:
        _say(f"  line {one['line']}: {one['operator']}")
        for sign, key in (("-", "before"), ("+", "after")):
            for line in one[key]:
                _say(f"    {sign}{line}")
    return len(alive)


def fuzz(words: Sequence[str]) -> int:
    """Search for inputs that raise what no parser may raise, and print a table."""
    parser = argparse.ArgumentParser(prog="nightly fuzz")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(all_targets())}")
    parser.add_argument("--seconds", type=int, default=600, help="for each target")
    parser.add_argument("--corpus", type=Path, default=ROOT / "build" / "corpus")
    given = parser.parse_args(words)
    _say("| target | inputs tried | branches reached | corpus | finding |\n|---|---|---|---|---|")
    found = 0
    for target in given.targets or all_targets():
        corpus = given.corpus / target
        command = (sys.executable, "-m", "tests.support.fuzzing", target, "--corpus", corpus)
        done = subprocess.run(  # noqa: S603 - a fixed command
            [*command, "--seconds", str(given.seconds)], cwd=ROOT, capture_output=True, text=True, check=False
        )
        found += done.returncode != 0
        said = done.stdout + done.stderr
        tried = re.findall(r"^stat::number_of_executed_units: +(\d+)", said, re.MULTILINE)
        reached = re.findall(r" cov: (\d+) .* corp: (\d+)/", said)
        raised = re.findall(r"^[\w.]*(?:Error|Exception)\b.*", said, re.MULTILINE)
        branches, kept = reached[-1] if reached else ("?", "?")
        why = (raised or [said[-200:]])[-1].replace("\n", " ") if done.returncode else ""
        _say(f"| {target} | {tried[-1] if tried else '?'} | {branches} | {kept} | {why} |")
    return int(found > 0)


PARTS: Final[dict[str, Callable[[list[str]], int]]] = {
    "faults": faults,
    "simulation": simulation.main,
    "mutations": mutations,
    "fuzz": fuzz,
}


def main(words: Sequence[str] | None = None) -> int:
    """Run a part."""
    words = sys.argv[1:] if words is None else words
    if words[:1] and words[0] in PARTS:
        return PARTS[words[0]](list(words[1:]))
    sys.stderr.write(f"{__doc__}\n")
    return 2


if __name__ == "__main__":
    sys.exit(main())
