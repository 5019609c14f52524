"""Start-up time: CPU time of Python bots without a sandbox, of a sandbox without a bot, and of containment.

    python -m benchmarks.startup [--rounds 21] [--sandbox | --containment]

A row each for an empty script, for `random` (which loads no rules) and for `greedy` in every game: user and
system time of the process, with a bot's environment, from its start to `ready` and `quit`.

With `--sandbox`, a row for each part of a sandbox's start. Each row has all parts of the rows before it, so
the difference is the cost of its own part (the launcher takes the place of the rows from `setpriv` on); all
end with the program `true`. The time is that of a control group in which all of it runs; the kernel's own
threads, which remove network namespaces, are not in it. The last row is the referee's part: its own CPU time
for the start and end of a bot.

With `--containment`, a shell starts as a bot, answers a line and is ended, pinned to one processor like a
worker's bots: a row each for the whole containment, for the same without one of its parts or without the
launcher, and for larger folders of the bot. The processor time is that of the referee and of all processes of
the sandbox.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any
from unittest import mock

import click

from benchmarks.common import cpu_seconds, described, head, row, run
from tourney.bots.catalogue.command import BotCommand, environment, interpreter_paths
from tourney.bots.catalogue.shipped import engines_dir
from tourney.bots.sandbox import bubblewrap, cgroups, visible_files
from tourney.bots.sandbox.bubblewrap import EXTRAS, Bubblewrap, Users
from tourney.bots.sandbox.cgroup_search import find_cgroups
from tourney.bots.sandbox.cgroups import Cgroup
from tourney.bots.sandbox.kernel_rules import seccomp_filter
from tourney.bots.sandbox.launcher import PLACE, compiled_launcher
from tourney.bots.sandbox.sandbox import Launch, ResourceLimits, Sandbox, open_sandbox, program
from tourney.bots.sandbox.visible_files import (
    add_figures,
    add_folder,
    add_shown,
    private_words,
    system_words,
)
from tourney.games.registry import GAMES, find_game
from tourney.run.workers.worker import pin

LIMITS = ResourceLimits(memory_mb=1024)
MIB = 1 << 20


def bots() -> dict[str, tuple[list[str], bytes]]:
    """The arguments of the interpreter and its standard input, by the name of the row."""
    found: dict[str, tuple[list[str], bytes]] = {"an empty script": (["-c", "pass"], b"")}
    own = [name for name in sorted(GAMES.own) if find_game(name).golden_match]  # that greedy plays
    for bot, games in (("random", own[:1]), ("greedy", own)):
        for game in games:
            seats = find_game(game).seat_counts[0]
            lines = f"tourney 1\ngame {game} seats={seats} seat=1 seed=1\nquit\n"
            name = bot if bot == "random" else f"{bot}, {game}"
            found[name] = ([str(engines_dir() / bot / "bot.py")], lines.encode("ascii"))
    return found


def bot_ms(words: list[str], said: bytes) -> float:
    """Run a bot and return its CPU time in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *words],
        input=said,
        env=dict(environment()) | {"PATH": os.environ.get("PATH", "")},
        cwd=Path(__file__).parent,
        capture_output=True,
        check=True,
    )
    if said and not done.stdout.endswith(b"ready\n"):
        raise RuntimeError(f"{words[0]} did not start: {done.stdout!r}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def show_bots(rounds: int) -> None:
    """Measure bots and print a table."""
    times: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, (words, said) in bots().items():
            times.setdefault(name, []).append(bot_ms(words, said))
    head("what starts", "median, ms", "least, ms")
    for name, figures in times.items():
        row(name, f"{median(figures):.1f}", f"{min(figures):.1f}")


# -- the parts of a sandbox ---------------------------------------------------------------------------------


def sandbox_parts(sandbox: Bubblewrap, folder: Path) -> Iterator[tuple[str, list[str], Launch]]:
    """Yield each part's name, the command with all parts up to it, and bubblewrap's words for it."""
    root = os.geteuid() == 0
    chain = Bubblewrap("auto", EXTRAS - {"launcher"}, Users.of_this_host(), find_cgroups())
    inner = _inner(chain, folder)
    parts: dict[str, Callable[[Launch], None]] = {
        "bubblewrap, with the system's folders": lambda into: into.words.extend(system_words()),
        "namespaces": lambda into: into.words.extend(bubblewrap._namespaces(root=root, closed=not root)),  # noqa: SLF001 - the words themselves are measured
        "/proc, /dev and /tmp": lambda into: into.words.extend(private_words()),
        "figures of /proc": lambda into: add_figures(into, LIMITS.memory_mb),
        "the interpreter and the SDK": lambda into: add_shown(into, interpreter_paths(), move=True),
        "the bot's files": lambda into: add_folder(into, folder, LIMITS.memory_mb),
        "the filter of system calls": _add_filter,
    }
    end = ["/bin/true"]
    yield "a shell and a program that does nothing", end, Launch([])
    for number, name in enumerate(parts, start=1):
        yield name, end, _made(list(parts.values())[:number])
    if root:
        yield "setpriv", [*inner[: inner.index("--") + 1], *end], _made(parts.values())
    shell = inner.index("/bin/sh")
    yield "Perl for the rules of /proc", [*inner[:shell], *end], _made(parts.values())
    yield "the shell that sets limits and waits", inner, _made(parts.values())
    if (launcher := compiled_launcher()) is not None:
        # Its file comes before the root is made read-only, as in a match.
        made = _made((lambda into: _add_launcher(into, launcher), *parts.values()))
        yield "the launcher in place of these", _inner(sandbox, folder), made


def _inner(sandbox: Bubblewrap, folder: Path) -> list[str]:
    """The words of a start after those of bubblewrap."""
    launch = sandbox.prepare(BotCommand(("/bin/true",), folder, environment(), interpreter_paths()), LIMITS)
    launch.abandon()
    return launch.argv[launch.argv.index("--") + 1 :]


def _add_launcher(into: Launch, launcher: bytes) -> None:
    visible_files.add_file(into, visible_files.memory_file(launcher), "--file", PLACE, "0555")


def _made(parts: Iterable[Callable[[Launch], None]]) -> Launch:
    made = Launch([])
    for part in parts:
        part(made)
    return made


def _add_filter(into: Launch) -> None:
    into.fds.append(visible_files.memory_file(seccomp_filter() or b""))
    into.words += ["--remount-ro", "/", "--seccomp", str(into.fds[-1])]


def part_ms(group: Cgroup, command: list[str], made: Launch) -> float:
    """Run a command in bubblewrap and in a control group; return the CPU time in milliseconds."""
    words = [program("bwrap") or "bwrap", *made.words, "--", *command] if made.words else command
    before = group.cpu_ns() or 0
    subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" 7>/dev/null', "sh", *group.join_words(), *words],
        input=b"\n",
        env={"PATH": os.environ.get("PATH", "")},
        pass_fds=made.fds,
        check=True,
    )
    made.close_fds()
    return ((group.cpu_ns() or 0) - before) / 1e6


def referee_ms(sandbox: Bubblewrap, folder: Path) -> float:
    """Start a bot and end it; return this process's CPU time in milliseconds."""
    command = BotCommand(("/bin/true",), folder, environment(), interpreter_paths())
    before = time.thread_time()
    sandbox.spawn(command, memory_mb=LIMITS.memory_mb).close(10)
    return (time.thread_time() - before) * 1000


def show_sandbox(rounds: int) -> None:
    """Measure the parts of a sandbox's start, and print a table."""
    sandbox = open_sandbox("auto")
    group = find_cgroups().make("startup", memory=1 << 32, processes=512)
    if not isinstance(sandbox, Bubblewrap) or group is None or not group.has_core:
        raise SystemExit("this needs bubblewrap and control groups; see `tourney doctor`")
    times: dict[str, list[float]] = {}
    folder = engines_dir() / "pebble"
    try:
        for _ in range(rounds):
            for name, command, made in sandbox_parts(sandbox, folder):
                times.setdefault(name, []).append(part_ms(group, command, made))
            times.setdefault("the referee", []).append(referee_ms(sandbox, folder))
    finally:
        group.remove()
        sandbox.settle()
    head("part", "up to here, ms", "this part, ms")
    last = 0.0
    for name, figures in times.items():
        now = median(figures) + (last if name == "the referee" else 0)
        row(name, f"{now:.2f}", f"{now - last:.2f}")
        last = now


# -- containment --------------------------------------------------------------------------------------------


def contained_ms(sandbox: Sandbox, folder: Path) -> tuple[float, float, float]:
    """Start a bot and end it; return the milliseconds of both, and the processor time."""
    command = BotCommand(("/bin/sh", "-c", "read x; echo $x"), folder, environment(), interpreter_paths())
    before, began = cpu_seconds(), time.perf_counter()
    channel = sandbox.spawn(command, memory_mb=LIMITS.memory_mb)
    channel.request(b"hello\n")
    event = channel.wait(time.monotonic_ns() + 60 * 10**9)
    up = time.perf_counter()
    channel.close(0)
    if event.kind != "line":
        raise SystemExit(f"the bot failed: {event} {channel.stderr()}")
    return 1000 * (up - began), 1000 * (time.perf_counter() - up), 1000 * (cpu_seconds() - before)


def without(
    module: Any, part: str, other: Callable[..., Any], sandbox: Sandbox, folder: Path
) -> tuple[float, float, float]:
    """Do the same with a part of the containment replaced."""
    with mock.patch.object(module, part, other):
        return contained_ms(sandbox, folder)


def shared(into: Launch, folder: Path, memory_mb: int) -> None:  # noqa: ARG001 - of add_folder
    """Show a bot's folder without copying it."""
    into.words += ["--ro-bind", str(folder), visible_files.BOT_FOLDER]


def show_containment(rounds: int) -> None:
    """Measure the start and the end of a contained bot, and print a table."""
    sandbox = open_sandbox("auto")
    pin(0, 1)
    with tempfile.TemporaryDirectory(prefix="tourney-cost-") as name:
        folders: dict[str, Path] = {}
        for label, files, size in (
            ("one file of 16 KiB", 1, 16 << 10),
            ("100 files of 16 KiB", 100, 16 << 10),
            ("one file of 16 MiB", 1, 16 * MIB),
            ("one file of 63 MiB", 1, 63 * MIB),
        ):
            folder = folders[label] = Path(name) / str(len(folders))
            folder.mkdir()
            for number in range(files):
                (folder / str(number)).write_bytes(b"1" * size)
        first = folders["one file of 16 KiB"]
        rows: dict[str, Callable[[], tuple[float, float, float]]] = {
            f"everything, {label}": partial(contained_ms, sandbox, folder)
            for label, folder in folders.items()
        }
        rows["its files shared, not copied"] = partial(
            without, bubblewrap, "add_folder", shared, sandbox, first
        )
        rows["what it cached kept"] = partial(without, cgroups, "drop_caches", lambda _: 0, sandbox, first)
        chain = Bubblewrap("auto", EXTRAS - {"launcher"}, Users.of_this_host(), find_cgroups())
        rows["started by setpriv, Perl and a shell"] = partial(contained_ms, chain, first)
        found: dict[str, list[tuple[float, float, float]]] = {label: [] for label in rows}
        for _ in range(rounds):
            for label, measure in rows.items():
                found[label].append(measure())
    head("containment", "start, ms", "end, ms", "processor time, ms")
    for label, times in found.items():
        row(label, *(f"{median(column):.1f}" for column in zip(*times, strict=True)))


@click.command(help=described(__doc__))
@click.option("--rounds", type=click.IntRange(1), default=21, show_default=True, help="Starts per row.")
@click.option("--sandbox", is_flag=True, help="Measure the parts of a sandbox's start.")
@click.option("--containment", is_flag=True, help="Measure the containment of a match.")
def main(rounds: int, sandbox: bool, containment: bool) -> None:
    """Measure in rounds, so that a slow moment of the machine affects all rows, and print a table."""
    (show_sandbox if sandbox else show_containment if containment else show_bots)(rounds)


if __name__ == "__main__":
    run(main)
