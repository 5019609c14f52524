"""Commands in which one system call fails, kills the process, or is the last before the power goes out.

    python -m tests.support.faults [--kinds kill,ENOSPC,EIO,power] [--sample N] [SCENARIO ...]

A scenario is a folder and a command line. ``faults.c``, preloaded, counts the calls of the command that
change files below the folder: write, sync, rename, open for writing, truncation, removal. Then the
command runs once for each of them, in a fresh copy of the folder, and that call fails (ENOSPC, EIO) or
kills the process. With ``power`` the files then hold what they held at their last sync. The same command
runs again without a fault, and the folder must hold what a straight run leaves: the same roots, records
and tables, every check passed, and no further file. A call that fails must be an error of one sentence,
or be coped with. Prints a JSON object for each scenario and kind.

Each command runs in a fork of this process, which has all modules.
"""

import argparse
import atexit
import ctypes
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NoReturn

from tests.support.command import ROOT
from tests.support.fault_scenarios import all_scenarios, get_ready, state_of
from tourney.cli.main import cli

KINDS: Final = {"kill": 0, "power": 0, "ENOSPC": errno.ENOSPC, "EIO": errno.EIO}


class Shim:
    """The preloaded library."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None)
        self._library.fault_call.restype = ctypes.c_char_p

    def arm(self, folder: str, shadow: str = "", at: int = 0, number: int = 0) -> None:
        """Count the calls below a folder; number ``at`` fails so."""
        self._library.fault_arm(folder.encode(), shadow.encode(), ctypes.c_long(at), number)

    @property
    def seen(self) -> tuple[int, str]:
        """The number of calls, and the name of the one that failed."""
        return self._library.fault_seen(), self._library.fault_call().decode()


@dataclass
class Ended:
    """How a command ended: exit code (None: killed) and text; its calls, and the one that failed."""

    code: int | None
    text: str
    calls: int = 0
    call: str = ""


def in_fork(scratch: Path, job: Callable[[], object]) -> tuple[int | None, str]:
    """Do something in a child that prints to a file; its exit code (None: killed) and what it printed."""
    said = scratch / "said"
    child = os.fork()
    if child == 0:
        code = 70
        try:
            fd = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(fd, 1)
            os.dup2(fd, 2)
            job()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1 if end.code else 0
        except BaseException as error:  # noqa: BLE001 - the parent reads it
            sys.stderr.write(f"unexpected {error!r}\n")
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return None if code == -signal.SIGKILL else code, said.read_text("utf-8", "replace")


class Laboratory:
    """Runs a scenario in copies of its folder below ``place``."""

    def __init__(self, name: str, place: Path) -> None:
        self.scenario = all_scenarios()[name]
        self.place = place
        self._made = place / "made"
        self._made.mkdir()
        self._shim = Shim()
        os.chdir(self._made)
        in_fork(place, lambda: self.scenario.prepare(self._made))
        self.folder = place / "folder"
        self.shadow = place / "shadow"

    def fresh(self) -> None:
        """Copy the folder."""
        for one in (self.folder, self.shadow):
            shutil.rmtree(one, ignore_errors=True)
        shutil.copytree(self._made, self.folder)
        self.shadow.mkdir()

    def run(self, at: int = 0, kind: str = "kill") -> Ended:
        """Run the command; the call number ``at`` of it fails."""
        counted = self.place / "counted"
        counted.write_text("0 ", "ascii")
        shadow = str(self.shadow) if kind == "power" else ""
        if shadow:
            for file in filter(Path.is_file, self.folder.rglob("*")):
                shutil.copyfile(file, self.shadow / str(file.stat().st_ino))

        def command() -> NoReturn:
            os.chdir(self.folder)
            self.scenario.before()
            self._shim.arm(str(self.folder), shadow, at, KINDS[kind])
            try:
                cli.main(list(self.scenario.words), prog_name="tourney")
            finally:
                atexit._run_exitfuncs()
                seen = self._shim.seen
                self._shim.arm("")
                counted.write_text(f"{seen[0]} {seen[1]}", "ascii")
            raise AssertionError("main exits")

        code, text = in_fork(self.place, command)
        calls, _, call = counted.read_text("ascii").partition(" ")
        return Ended(code, text, int(calls), call)

    def lose_power(self) -> None:
        """Let each file hold what it held at its last sync."""
        for file in filter(Path.is_file, self.folder.rglob("*")):
            kept = self.shadow / str(file.stat().st_ino)
            if file.name.endswith("-shm"):
                file.unlink()
            else:
                file.write_bytes(kept.read_bytes() if kept.exists() else b"")

    def outcome(self) -> dict[str, Any]:
        """What the folder holds: its files by name, and what its database says."""
        (self.place / "outcome").unlink(missing_ok=True)
        code, text = in_fork(self.place, lambda: self._look(self.place / "outcome"))
        if code:
            return {"error": text.strip()[-500:]}
        found: dict[str, Any] = json.loads((self.place / "outcome").read_text("utf-8"))
        return found

    def _look(self, into: Path) -> None:
        self.scenario.before()
        os.chdir(self.folder)
        found = state_of(self.scenario)
        into.write_text(json.dumps(found), "utf-8")


@dataclass
class Report:
    """What was found of a scenario and kind of fault."""

    scenario: str
    kind: str
    points: int = 0
    tried: int = 0
    coped: int = 0
    failures: list[str] = field(default_factory=list)


def try_all(name: str, kinds: Sequence[str], place: Path, sample: int = 0) -> Iterator[Report]:
    """Try all points of a scenario, or ``sample`` evenly spaced ones, other ones for each kind."""
    room = Laboratory(name, place)
    room.fresh()
    straight = room.run()
    wanted = room.outcome()
    for number, kind in enumerate(kinds):
        report = Report(name, kind, straight.calls)
        if straight.code or "error" in wanted:
            report.failures.append(f"the straight run fails: {straight.text} {wanted}")
        step = max(1, straight.calls // sample) if sample else 1
        first = 1 + step * (2 * number + 1) // (2 * len(kinds))
        for at in () if report.failures else range(first, straight.calls + 1, step):
            room.fresh()
            ended = room.run(at, kind)
            report.tried += 1
            report.coped += ended.code == 0
            if kind == "power":
                room.lose_power()
            for why in _judge(room, ended, wanted, kind):
                report.failures.append(f"{kind} at call {at} {ended.call}: {why}")
        yield report


def _judge(room: Laboratory, ended: Ended, wanted: dict[str, Any], kind: str) -> Iterator[str]:
    if ended.code is None and kind in ("ENOSPC", "EIO"):
        yield "killed"
    if "Traceback" in ended.text or "unexpected" in ended.text:
        yield f"no sentence: {ended.text.strip()[-300:]}"
    in_fork(room.place, lambda: room.scenario.repair(room.folder))
    again = room.run()
    if "Traceback" in again.text or "unexpected" in again.text:
        yield f"no sentence after starting again: {again.text.strip()[-300:]}"
    found = room.outcome()
    for key in sorted({*wanted, *found}):
        if found.get(key) != wanted.get(key):
            differs = f"{found.get(key)!s:.200} instead of {wanted.get(key)!s:.200}"
            if key == "files":
                mine, right = (set(map(str, one.get(key) or ())) for one in (found, wanted))
                differs = f"left {sorted(mine - right)}, lacks {sorted(right - mine)}"
            yield f"{key}: {differs}; again: exit {again.code} {again.text.strip()[-200:]}"


def compile_shim(folder: Path) -> Path:
    """Compile the library that is preloaded. Raises CalledProcessError."""
    built = folder / "faults.so"
    source = Path(__file__).with_suffix(".c")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", built, source, "-ldl"], check=True)
    return built


def run_scenarios(
    shim: Path, names: Sequence[str], kinds: Sequence[str] = tuple(KINDS), sample: int = 0
) -> Iterator[Report]:
    """Try scenarios in a process of its own with the library."""
    words = [sys.executable, "-m", "tests.support.faults", *names, "--kinds", ",".join(kinds)]
    env = {**os.environ, "LD_PRELOAD": str(shim)}
    with subprocess.Popen(
        [*words, "--sample", str(sample)], cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True
    ) as tried:
        assert tried.stdout is not None
        for line in tried.stdout:
            yield Report(**json.loads(line))
    if tried.returncode:
        raise RuntimeError(f"{', '.join(names)}: exit code {tried.returncode}")


def main(words: Sequence[str] | None = None) -> None:
    """Try scenarios and print what was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scenarios", nargs="*", choices=[*all_scenarios(), []])
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--sample", type=int, default=0, help="points of each (0: all)")
    given = parser.parse_args(words)
    get_ready()
    for name in given.scenarios or all_scenarios():
        # Syncs are quick in memory. A context manager would remove the folder at the end of each fork.
        memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
        place = Path(tempfile.mkdtemp(prefix="tourney-faults-", dir=memory)).resolve()
        try:
            for found in try_all(name, given.kinds.split(","), place, given.sample):
                sys.stdout.write(json.dumps(vars(found)) + "\n")
                sys.stdout.flush()
        finally:
            os.chdir("/")
            shutil.rmtree(place)


if __name__ == "__main__":
    main()
