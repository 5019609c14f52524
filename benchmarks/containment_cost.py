"""What the containment of a match costs: the start and the end of a bot, with and without its parts.

    python -m benchmarks.containment_cost [--rounds 40]

Starts a shell as a bot, lets it answer a line, and ends it, pinned to one processor like a worker's bots. A
row each for the whole containment, for the same without one of its parts, and for larger folders of the bot.
The rows take turns, so that a slow moment of the machine affects all of them. Medians in milliseconds; the
processor time is that of the referee and of all processes of the sandbox, and other work affects it little.
"""

import argparse
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from tourney.bots.catalogue.command import BotCommand, environment, interpreter_paths
from tourney.bots.sandbox import bubblewrap, cgroups, mounts
from tourney.bots.sandbox.base import Sandbox, open_sandbox
from tourney.run.workers.worker import pin

MIB = 1 << 20


@contextmanager
def without(module: Any, name: str, other: Callable[..., Any]) -> Iterator[None]:
    """Replace a part of the containment."""
    with mock.patch.object(module, name, other):
        yield


def shared(into: mounts.Mounts, folder: Path, memory_mb: int) -> None:  # noqa: ARG001 - of add_folder
    """Show a bot's folder, as before it was copied."""
    into.words += ["--ro-bind", str(folder), mounts.BOT_FOLDER]


def cpu() -> float:
    """Return the processor time of this process and of all that it reaped, in seconds."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def once(sandbox: Sandbox, folder: Path) -> tuple[float, float, float]:
    """Start a bot and end it; return the milliseconds of both, and the processor time."""
    command = BotCommand(("/bin/sh", "-c", "read x; echo $x"), folder, environment(), interpreter_paths())
    before, began = cpu(), time.perf_counter()
    channel = sandbox.spawn(command, memory_mb=1024)
    channel.request(b"hello\n")
    event = channel.wait(time.monotonic_ns() + 60 * 10**9)
    up = time.perf_counter()
    channel.close(0)
    if event.kind != "line":
        raise SystemExit(f"the bot failed: {event} {channel.stderr()}")
    return 1000 * (up - began), 1000 * (time.perf_counter() - up), 1000 * (cpu() - before)


def main(words: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=40)
    rounds = max(1, parser.parse_args(words).rounds)
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
            f"everything, {label}": partial(once, sandbox, folder) for label, folder in folders.items()
        }

        def less(
            module: Any, part: str, other: Callable[..., Any]
        ) -> Callable[[], tuple[float, float, float]]:
            def run() -> tuple[float, float, float]:
                with without(module, part, other):
                    return once(sandbox, first)

            return run

        rows["its files shared, not copied"] = less(bubblewrap, "add_folder", shared)
        rows["what it cached kept"] = less(cgroups, "drop_caches", lambda _: None)
        found: dict[str, list[tuple[float, float, float]]] = {row: [] for row in rows}
        for _ in range(rounds):
            for row, run in rows.items():
                found[row].append(run())
    print("| containment | start, ms | end, ms | processor time, ms |\n|---|---|---|---|")
    for row, times in found.items():
        cells = [f"{statistics.median(column):.1f}" for column in zip(*times, strict=True)]
        print(f"| {row} | {' | '.join(cells)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
