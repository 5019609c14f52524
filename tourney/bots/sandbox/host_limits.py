"""Limits of this machine that are too low for bots, in words: of a shell, a service, a container, the kernel.

A sandbox that fails says "Operation not permitted" or "Resource temporarily unavailable", and a part of it
that does not work is left out. Neither names the limit.
"""

import resource
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from tourney.bots.sandbox.machine_memory import process_groups

OPEN_FILES: Final = 1024
PROCESSES: Final = 512
FILE_MB: Final = 64
ADDRESS_MB: Final = 1024
"""What the limits of a bot are set to, and the address space of the program that tries a sandbox. No process
may set a limit above its own."""
_NAMESPACES: Final = 16
_ULIMITS: Final = (
    (resource.RLIMIT_NOFILE, "open files", "n", 1, OPEN_FILES),
    (resource.RLIMIT_NPROC, "processes and threads", "u", 1, PROCESSES),
    (resource.RLIMIT_FSIZE, "the size of a file in KiB", "f", 1 << 10, FILE_MB << 10),
    (resource.RLIMIT_AS, "a process's memory in KiB", "v", 1 << 10, ADDRESS_MB << 10),
)
"""Each limit with its words, the letter and the unit of ``ulimit``, and what bots need."""


def low_limits(proc: Path = Path("/proc")) -> Iterator[str]:
    """Yield a clause for each limit that is too low for bots."""
    for kind, words, letter, unit, needed in _ULIMITS:
        hard = resource.getrlimit(kind)[1]
        if hard != resource.RLIM_INFINITY and hard // unit < needed:
            yield f"the limit of {words} (ulimit -{letter}) is {hard // unit:,}, and bots need {needed:,}"
    for folder in process_groups(proc):
        with suppress(OSError, ValueError):  # "max"
            most = int((folder / "pids.max").read_text("ascii"))
            if most < PROCESSES:
                text = f"the limit of processes in {folder} (pids.max) is {most:,}"
                yield f"{text}, and bots need {PROCESSES:,}"
    for file in sorted((proc / "sys" / "user").glob("max_*_namespaces")):
        with suppress(OSError, ValueError):
            most = int(file.read_text("ascii"))
            if most < _NAMESPACES:
                yield f"the limit in {file} is {most:,}, and each bot needs a namespace of that kind"


def with_limits(reason: str) -> str:
    """A reason why something failed, with the limits that are too low."""
    return ": ".join([reason, *filter(None, ["; ".join(low_limits())])])


def process_limit() -> str:
    """A clause on the number of processes and threads allowed, for an error of starting one."""
    limits = [text for text in low_limits() if "ulimit -u" in text or "pids.max" in text]
    return "; ".join(limits) or (
        f"the limit of processes and threads (ulimit -u) is {resource.getrlimit(resource.RLIMIT_NPROC)[0]:,}"
    )
