"""The edge between Tourney and the shell: every error becomes one sentence and an exit code here.

Exit codes: 0 fine; 1 what was asked for does not hold; 2 wrong use or bad input; 3 the environment failed;
130 interrupted by the keyboard; 141 the reader of standard output has gone away.
"""

import errno
import io
import os
import select
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TextIO

import click
from click.exceptions import Abort, Exit, NoArgsIsHelpError

from tourney.errors import EnvironmentFailure, TourneyError

INTERRUPTED = 130
"""128 + SIGINT, as shells count."""
PIPE_CLOSED = 141
"""128 + SIGPIPE, as shells count."""
ENVIRONMENT = EnvironmentFailure.exit_code

DEBUG = "TOURNEY_DEBUG"
"""The environment variable that asks for tracebacks."""

_BAD_PATH = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.ELOOP)
"""What the caller can mend by naming another path; every other failed system call is the machine's."""


def refuse_platform(platform: str) -> None:
    """Raise EnvironmentFailure on a platform that Tourney does not run on (``sys.platform``'s words)."""
    if platform in {"win32", "cygwin"}:
        raise EnvironmentFailure(
            "Tourney does not run on Windows, because it contains bots by means that only Unix has;"
            " use it inside WSL 2 or on Linux"
        )


def guard(run: Callable[[], object]) -> int:
    """Run a command and return its exit code; whatever it raises is said in one sentence on standard error.

    SystemExit passes through. With ``TOURNEY_DEBUG=1`` the traceback comes before the sentence.
    """
    try:
        _open_streams()
        refuse_platform(sys.platform)
        try:
            run()
        finally:
            _flush(sys.stdout)
    except Exit as exit_:
        return exit_.exit_code
    except NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return error.exit_code
    except BaseException as error:
        if isinstance(error, SystemExit):
            raise
        if debugging():
            traceback.print_exc()
        if isinstance(error, BrokenPipeError) and _reader_gone(sys.stdout):
            _silence(sys.stdout)
            return PIPE_CLOSED
        if isinstance(error, OSError):
            _silence(sys.stdout)
        code, sentence = explain(error)
        click.echo(f"error: {printable(sentence)}", err=True)
        return code
    return 0


def debugging() -> bool:
    """Say whether tracebacks are asked for."""
    return os.environ.get(DEBUG, "") not in {"", "0"}


def explain(error: BaseException) -> tuple[int, str]:
    """Return the exit code for an exception and one sentence that says what to do."""
    if isinstance(error, TourneyError):
        return error.exit_code, str(error)
    if isinstance(error, click.UsageError):
        return 2, _usage(error)
    if isinstance(error, click.ClickException):
        return 2, error.format_message()
    if isinstance(error, (KeyboardInterrupt, Abort)):
        return INTERRUPTED, "interrupted"
    if isinstance(error, MemoryError):
        return ENVIRONMENT, "this machine's memory is used up; close other programs or ask for less at once"
    if isinstance(error, OSError):
        return _explain_os(error)
    message = f"{type(error).__name__} ({str(error) or 'without a message'})"
    return ENVIRONMENT, (
        f"an unexpected {message}; this is a mistake in Tourney: please report it as README.md says,"
        f" with the command line and what it prints when {DEBUG}=1 is set"
    )


def printable(text: str) -> str:
    """Return a text on one line that no terminal obeys: what is not printable is written as an escape."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _usage(error: click.UsageError) -> str:
    message = error.format_message().rstrip(".")
    if error.ctx is None:
        return message
    return f"{message}; see '{error.ctx.command_path} --help'"


def _explain_os(error: OSError) -> tuple[int, str]:
    what = error.strerror or str(error) or type(error).__name__
    places = [
        os.fsdecode(name) for name in (error.filename, error.filename2) if isinstance(name, (str, bytes))
    ]
    where = " and ".join(places)
    sentence = f"{where}: {what}" if where else what
    if error.errno in _BAD_PATH and where:
        return 2, sentence
    advice = {
        errno.ENOSPC: "; free some space and start again",
        errno.EDQUOT: "; free some space and start again",
        errno.EROFS: "; name a place that can be written to",
        errno.EACCES: "; name a place that you may use, or mend its permissions",
        errno.EPERM: "; name a place that you may use, or mend its permissions",
        errno.EMFILE: "; raise the limit of open files (ulimit -n)",
    }.get(error.errno or 0, "")
    return ENVIRONMENT, sentence + advice


def _open_streams() -> None:
    """See to it that both streams are there and can print any text, and that messages never stop a run."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - open until the process ends
    elif isinstance(sys.stderr, io.TextIOWrapper) and sys.stderr is sys.__stderr__:
        sys.stderr = io.TextIOWrapper(
            io.BufferedWriter(_Aside(sys.stderr.fileno(), "w", closefd=False)),
            encoding=sys.stderr.encoding,
            line_buffering=True,
        )
    if sys.stdout is None:
        raise EnvironmentFailure("standard output is closed; send it to a file or to /dev/null")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


class _Aside(io.FileIO):
    """A file for messages: what it cannot take is dropped.

    A run that lasts the night must not end because the disk that its messages go to is full, or because the
    program that read them has gone.
    """

    def write(self, data: Any, /) -> int:
        """Write what can be written, and say that all was."""
        with suppress(OSError):
            super().write(data)
        return len(memoryview(data).cast("B"))


def _flush(stream: TextIO | None) -> None:
    if stream is not None and not stream.closed:
        stream.flush()


def _reader_gone(stream: TextIO) -> bool:
    """Say whether a stream is a pipe that nobody reads any more (and not some other pipe that broke)."""
    try:
        poll = select.poll()
        poll.register(stream.fileno(), select.POLLOUT)
        return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))
    except (OSError, ValueError):
        return False


def _silence(stream: TextIO | None) -> None:
    """Point a stream that failed at nothing, lest the interpreter complain of it once more at its end."""
    if stream is None:
        return
    try:
        stream.flush()
    except OSError:
        with suppress(OSError, ValueError):
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, stream.fileno())
            os.close(nothing)
