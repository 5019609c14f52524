"""``--notify``: a command that is run when a run has ended, however it ended."""

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress

from tourney.errors import UsageError

SECONDS = 60.0
"""How long the command may take; then it is killed with all that it started."""


def read_command(text: str) -> tuple[str, ...]:
    """Return the words of a command as a shell would part them; no shell will see it. Raises UsageError."""
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"--notify {text!r} cannot be parted into words: {error}") from error
    if not words:
        raise UsageError("--notify is empty: name a command, as 'mail -s done me@example.org'")
    if shutil.which(words[0]) is None:
        raise UsageError(f"--notify: there is no command {words[0]!r}")
    return words


def notify(words: Sequence[str], variables: Mapping[str, str], text: str, seconds: float = SECONDS) -> str:
    """Run the command and return what went wrong, "" if nothing did.

    It gets ``text`` on standard input and ``variables`` beside the environment of this process; what it
    prints goes to standard error. Nothing of either is read by a shell.
    """
    try:
        process = subprocess.Popen(  # noqa: S603 - the person at the terminal named it
            words,
            stdin=subprocess.PIPE,
            stdout=2,  # ours is for results
            env={**os.environ, **variables},
            text=True,
            encoding="utf-8",
            errors="backslashreplace",
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return f"--notify: {words[0]} cannot be run: {getattr(error, 'strerror', None) or error}"
    try:
        process.communicate(text, timeout=seconds)  # that it does not read its input is its right
    except subprocess.TimeoutExpired:
        return f"--notify: {words[0]} was killed after {seconds:g} seconds"
    finally:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.returncode:
        return f"--notify: {words[0]} ended with the exit code {process.returncode}"
    return ""
