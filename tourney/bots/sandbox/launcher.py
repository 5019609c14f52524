"""The compiled launcher of contained bots (``launcher.c``), if it was built for this machine.

``hatch_build.py`` compiles it beside its source when Tourney is built or installed. The file's name ends in
the digest of the source, so an edited source does not find its old form. Without it the same is done by
``setpriv``, Perl and a shell, which takes longer.

This module imports the standard library only: ``hatch_build.py`` loads it by its path.
"""

import hashlib
import platform
from functools import cache
from pathlib import Path
from typing import Final

SOURCE: Final = Path(__file__).with_name("launcher.c")
MACHINES: Final = ("x86_64", "aarch64")
"""The machines whose system calls the source knows."""
FLAGS: Final = (
    *("-Os", "-static", "-nostdlib", "-ffreestanding", "-fno-stack-protector", "-fno-pie", "-no-pie"),
    *("-fno-asynchronous-unwind-tables", "-Wall", "-Wextra", "-Werror", "-s"),
    "-Wl,-z,noexecstack,--build-id=none",
)
"""How a C compiler makes it: one file, without libraries."""
PLACE: Final = "/launcher"
"""Where a sandbox has its own copy. The bot can start it, which gives nothing that the bot has not."""
AS_IT_IS: Final = "-"
"""The word for a user that stays, for no rules of files and for processes without a limit."""


def compiled_path() -> Path | None:
    """The path of the compiled form for this machine, whether it is there or not; None on other machines."""
    machine = platform.machine()
    if machine not in MACHINES or platform.system() != "Linux":
        return None
    digest = hashlib.blake2b(SOURCE.read_bytes() + " ".join(FLAGS).encode(), digest_size=8).hexdigest()
    return SOURCE.with_name(f"launcher-{machine}-{digest}")


@cache
def compiled_launcher() -> bytes | None:
    """The compiled form, or None without one."""
    try:
        path = compiled_path()
        return None if path is None else path.read_bytes()
    except OSError:
        return None
