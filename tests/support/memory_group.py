"""A control group with little memory, as that of a container, for tests that may make one."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tourney.bots.sandbox.machine_memory import memory_groups

_LIMITS = ("memory.max", "memory.limit_in_bytes")
_WITH_SWAP = ("memory.swap.max", "memory.memsw.limit_in_bytes")
_WORDS = ["/bin/sh", "-c", 'echo $$ >"$0" && exec "$@"']


@contextmanager
def memory_group(mb: int) -> Iterator[list[str]]:
    """Yield the words that start a command in a group of ``mb`` MiB; without the right to one, skip."""
    group = _made(mb << 20)
    if group is None:
        pytest.skip("this process may not make a control group that bounds memory")
    try:
        yield [*_WORDS, str(group / "cgroup.procs")]
    finally:
        end = time.monotonic() + 30
        # Groups that a killed run has left are in it, and processes leave them a moment after they end.
        while group.exists() and time.monotonic() < end:
            for folder in sorted(group.glob("**/"), reverse=True):
                with suppress(OSError):
                    folder.rmdir()
            time.sleep(0.01)


def _made(size: int) -> Path | None:
    for parent in memory_groups():
        group = parent / f"tourney-test-{os.getpid()}"
        with suppress(OSError):
            group.mkdir()
            for names in (_LIMITS, _WITH_SWAP):
                for name in names:
                    if (group / name).exists():
                        (group / name).write_text("0" if name == "memory.swap.max" else str(size))
            if any((group / name).exists() for name in _LIMITS) and _takes(group):
                return group
        with suppress(OSError):
            group.rmdir()
    return None


def _takes(group: Path) -> bool:
    pid = os.posix_spawn("/bin/sh", [*_WORDS, str(group / "cgroup.procs"), "true"], os.environ)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
