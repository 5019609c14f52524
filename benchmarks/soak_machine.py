"""The machine in the soak test: small disks, and the processes that a run leaves behind."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def fill(folder: Path) -> None:
    """Fill the disk that a folder is on."""
    with (folder / "ballast").open("wb", buffering=0) as file, suppress(OSError):
        for size in (1 << 16, 1 << 10, 1):
            with suppress(OSError):
                while file.write(b"x" * size):
                    pass


@contextmanager
def mounted(folder: Path) -> Iterator[None]:
    """Mount a small tmpfs."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def can_mount() -> bool:
    """Say whether a small disk can be made here."""
    with tempfile.TemporaryDirectory() as name:
        try:
            with mounted(Path(name)):
                return True
        except (OSError, subprocess.CalledProcessError):
            return False


def descendants(pid: int) -> list[tuple[int, str]]:
    """Return a process's descendants, each with its start, so that no later one is taken for it."""
    found = []
    threads: list[str] = []
    with suppress(OSError):
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - Path.glob raises where it goes meanwhile
    for thread in threads:
        with suppress(OSError):
            for child in map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split()):
                found += [(child, started(child)), *descendants(child)]
    return found


def started(pid: int) -> str:
    """Return when a process began, in the kernel's ticks; "" where it is gone."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    return ""


def alive(pid: int, since: str) -> bool:
    """Say whether a process is still the one that began then, and no zombie."""
    with suppress(OSError):
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return words[19] == since and words[0] != "Z"
    return False


def below(folder: Path) -> list[int]:
    """Return the processes that work in a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):
            if path.readlink().is_relative_to(folder):
                found.append(int(path.parent.name))
    return found
