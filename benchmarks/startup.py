"""Start-up time of bots: CPU time of Python bots without a sandbox, and of a sandbox without a bot.

    python benchmarks/startup.py [--rounds 21] [--sandbox]

A row each for an empty script, for `random` (which loads no rules) and for `greedy` in every game: user and
system time of the process, with a bot's environment, from its start to `ready` and `quit`.

With `--sandbox`, a row for each part of a sandbox's start. Each row has all parts of the rows before it, so
the difference is what its own part costs; all end with the program `true`. The time is that of a control
group in which all of it runs, so it needs one; the kernel's own threads, which take down network namespaces,
are not in it. The last row is the referee's part: its own CPU time for the start and end of a bot.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from statistics import median

# A script beside this one has the name of the package chess, which the rules of chess need.
sys.path[:] = [path for path in sys.path if Path(path).resolve() != Path(__file__).resolve().parent]

from tourney.bots.catalogue.command import BotCommand, environment, interpreter_paths  # noqa: E402 - see above
from tourney.bots.sandbox import bubblewrap  # noqa: E402 - see above
from tourney.bots.sandbox.base import ResourceLimits, open_sandbox, program  # noqa: E402 - see above
from tourney.bots.sandbox.bubblewrap import Bubblewrap  # noqa: E402 - see above
from tourney.bots.sandbox.cgroups import Cgroup, find_cgroups  # noqa: E402 - see above
from tourney.bots.sandbox.mounts import (  # noqa: E402 - see above
    Mounts,
    add_figures,
    add_folder,
    add_shown,
    memory_file,
    private_words,
    system_words,
)
from tourney.bots.sandbox.seccomp import seccomp_filter  # noqa: E402 - see above
from tourney.games.registry import GAMES, find_game  # noqa: E402 - see above
from tourney.resources import engines_dir  # noqa: E402 - see above

LIMITS = ResourceLimits(memory_mb=1024)
Job = tuple[list[str], bytes]
"""The arguments of the interpreter, and its standard input."""


def jobs() -> dict[str, Job]:
    """Return the commands to start, by the name of their row."""
    found: dict[str, Job] = {"an empty script": (["-c", "pass"], b"")}
    own = [name for name in sorted(GAMES.own) if find_game(name).golden_match]  # that greedy plays
    for bot, games in (("random", own[:1]), ("greedy", own)):
        for game in games:
            seats = find_game(game).seat_counts[0]
            lines = f"tourney 1\ngame {game} seats={seats} seat=1 seed=1\nquit\n"
            name = bot if bot == "random" else f"{bot}, {game}"
            found[name] = ([str(engines_dir() / bot / "bot.py")], lines.encode("ascii"))
    return found


def cpu_ms(words: list[str], said: bytes) -> float:
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


def sandbox_parts(sandbox: Bubblewrap, folder: Path) -> Iterator[tuple[str, list[str], Mounts]]:
    """Yield each part's name, the command with all parts up to it, and bubblewrap's words for it."""
    root = os.geteuid() == 0
    launch = sandbox.prepare(BotCommand(("/bin/true",), folder, environment(), interpreter_paths()), LIMITS)
    launch.abandon()
    inner = launch.argv[launch.argv.index("--") + 1 :]
    parts: dict[str, Callable[[Mounts], None]] = {
        "bubblewrap, with the system's folders": lambda mounts: mounts.words.extend(system_words()),
        "namespaces": lambda mounts: mounts.words.extend(bubblewrap._namespaces(root=root, closed=not root)),  # noqa: SLF001 - the words themselves are measured
        "/proc, /dev, /tmp, and what is hidden there": lambda mounts: mounts.words.extend(private_words()),
        "figures of /proc": lambda mounts: add_figures(mounts, LIMITS.memory_mb),
        "the interpreter and the SDK": lambda mounts: add_shown(mounts, interpreter_paths(), move=True),
        "the bot's files": lambda mounts: add_folder(mounts, folder, LIMITS.memory_mb),
        "the filter of system calls": _add_filter,
    }
    end = ["/bin/true"]
    yield "a shell and a program that does nothing", end, Mounts()
    for number, name in enumerate(parts, start=1):
        yield name, end, _mounts(list(parts.values())[:number])
    if root:
        yield "setpriv", [*inner[: inner.index("--") + 1], *end], _mounts(parts.values())
    yield "the shell that sets limits and waits", inner, _mounts(parts.values())


def _mounts(parts: Iterable[Callable[[Mounts], None]]) -> Mounts:
    mounts = Mounts()
    for part in parts:
        part(mounts)
    return mounts


def _add_filter(mounts: Mounts) -> None:
    mounts.fds.append(memory_file(seccomp_filter() or b""))
    mounts.words += ["--remount-ro", "/", "--seccomp", str(mounts.fds[-1])]


def part_ms(group: Cgroup, command: list[str], mounts: Mounts) -> float:
    """Run a command in bubblewrap and in a control group; return the CPU time in milliseconds."""
    words = [program("bwrap") or "bwrap", *mounts.words, "--", *command] if mounts.words else command
    before = group.cpu_ns() or 0
    subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" 7>/dev/null', "sh", *group.join_words(), *words],
        input=b"\n",
        env={"PATH": os.environ.get("PATH", "")},
        pass_fds=mounts.fds,
        check=True,
    )
    mounts.close()
    return ((group.cpu_ns() or 0) - before) / 1e6


def referee_ms(sandbox: Bubblewrap, folder: Path) -> float:
    """Start a bot and end it; return this process's CPU time in milliseconds."""
    command = BotCommand(("/bin/true",), folder, environment(), interpreter_paths())
    before = time.thread_time()
    sandbox.spawn(command, memory_mb=LIMITS.memory_mb).close(10)
    return (time.thread_time() - before) * 1000


def measure_sandbox(rounds: int) -> None:
    """Measure the parts of a sandbox's start, and print a table."""
    sandbox = open_sandbox("auto")
    group = find_cgroups().make("startup", memory=1 << 32, processes=512)
    if not isinstance(sandbox, Bubblewrap) or group is None or not group.has_core:
        raise SystemExit("this needs bubblewrap and control groups; see `tourney doctor`")
    times: dict[str, list[float]] = {}
    folder = engines_dir() / "pebble"
    try:
        for _ in range(rounds):
            for name, command, mounts in sandbox_parts(sandbox, folder):
                times.setdefault(name, []).append(part_ms(group, command, mounts))
            times.setdefault("the referee", []).append(referee_ms(sandbox, folder))
    finally:
        group.remove()
        sandbox.settle()
    print("| part | up to here, ms | this part, ms |\n|---|---|---|")
    last = 0.0
    for name, figures in times.items():
        now = median(figures) + (last if name == "the referee" else 0)
        print(f"| {name} | {now:.2f} | {now - last:.2f} |")
        last = now


def main() -> None:
    """Measure in rounds, so that a slow moment of the machine affects all rows, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=21, help="starts per row (prints the median)")
    parser.add_argument("--sandbox", action="store_true", help="measure the parts of a sandbox's start")
    arguments = parser.parse_args()
    rounds = max(arguments.rounds, 1)
    if arguments.sandbox:
        measure_sandbox(rounds)
        return
    times: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, (words, said) in jobs().items():
            times.setdefault(name, []).append(cpu_ms(words, said))
    print("| what starts | median, ms | least, ms |\n|---|---|---|")
    for name, figures in times.items():
        print(f"| {name} | {median(figures):.1f} | {min(figures):.1f} |")


if __name__ == "__main__":
    main()
