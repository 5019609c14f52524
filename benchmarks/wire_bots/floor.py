"""One worker of the floor of benchmarks/wire.py: floor.py ECHO BYTES SECONDS SLOT.

Says ready, begins at a signal, and prints half-moves and microseconds.
"""

import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

End = tuple[int, int, Callable[[int], object]]
"""A bot's input and output, and the poll that waits for the latter."""


def exchange(ends: Sequence[End], line: bytes, seconds: float) -> tuple[int, float]:
    """Ask in turn and read the answers for some seconds; return half-moves and microseconds."""
    write, read, now = os.write, os.read, time.monotonic
    count = 0
    begin = now()
    until = begin + seconds
    while now() < until:
        for _ in range(500):
            for stdin, stdout, poll in ends:
                write(stdin, line)
                poll(1000)
                read(stdout, 65_536)
        count += 500 * len(ends)
    return count, (now() - begin) * 1e6


def main() -> None:
    """Be one worker, on one processor with its bots."""
    echo, size, seconds, slot = sys.argv[1:]
    if hasattr(os, "sched_setaffinity"):
        cpus = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, [cpus[int(slot) % len(cpus)]])
    tail = b"go move=1000\n"
    line = b"p" * (int(size) - len(tail) - 1) + b"\n" + tail
    bots, ends = [], []
    for _ in range(2):
        # A session of its own, as a match's bots have: on a busy machine Linux shares time out by sessions.
        bot = subprocess.Popen(
            [echo, "move d2-d4"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        stdin, stdout = bot.stdin.fileno(), bot.stdout.fileno()  # type: ignore[union-attr]  # they are pipes
        poll = select.poll()
        poll.register(stdout, select.POLLIN)
        bots.append(bot)
        ends.append((stdin, stdout, poll.poll))
    print("ready", flush=True)
    sys.stdin.readline()
    print(*exchange(ends, line, float(seconds)))
    for bot in bots:
        bot.kill()
        bot.wait()


if __name__ == "__main__":
    main()
