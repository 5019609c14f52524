"""The edge between Tourney and the shell: turns every error into one sentence and an exit code.

Exit codes: 0 success; 1 a check failed; 2 wrong use or bad input; 3 the environment failed; 130 interrupted
from the keyboard; 141 the reader of standard output closed the pipe.
"""

import errno
import io
import os
import re
import select
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

import click
from click.exceptions import Abort, Exit, NoArgsIsHelpError

from tourney.errors import EnvironmentFailure, TourneyError
from tourney.texts import printable

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

INTERRUPTED = 130
"""128 + SIGINT, as shells count."""
PIPE_CLOSED = 141
"""128 + SIGPIPE, as shells count."""
ENVIRONMENT = EnvironmentFailure.exit_code

DEBUG = "TOURNEY_DEBUG"
"""The environment variable that enables tracebacks."""

_BAD_PATH = (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.ELOOP)
"""Errors that the caller can fix with another path; all others are failures of the machine."""

_NO_THREAD = "can't start new thread"  # as the interpreter says it

_OWN_WORDS = (
    (r"^Got unexpected extra arguments? \((.*)\)$", r"remove \1, which is an argument too many"),
    (r"is not a valid integer( range)?$", "is not a whole number"),
    (r"is not a valid float( range)?$", "is not a number"),
)
"""Messages of click that do not say what to do, and their replacements."""


def refuse_platform(platform: str) -> None:
    """Raise EnvironmentFailure if Tourney does not run on a platform, given as ``sys.platform``."""
    if platform in {"win32", "cygwin"}:
        raise EnvironmentFailure(
            "Tourney does not run on Windows, because it contains bots with features that only Unix has;"
            " use it in WSL 2 or on Linux"
        )


def guard(run: Callable[[], object]) -> int:
    """Run a command and return its exit code; report an exception in one sentence on standard error.

    The notes of a TourneyError follow, such as the last lines of a build. SystemExit passes through. With
    ``TOURNEY_DEBUG=1``, the traceback comes before the sentence.
    """
    try:
        _open_streams()
        refuse_platform(sys.platform)
        try:
            run()
        finally:
            if sys.stdout is not None and not sys.stdout.closed:
                sys.stdout.flush()
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
        # `tourney export | head`: the reader has all it wanted, so that is not an error.
        if isinstance(error, BrokenPipeError) and _reader_gone(sys.stdout):
            _silence(sys.stdout)
            return PIPE_CLOSED
        if isinstance(error, OSError):
            _silence(sys.stdout)
        code, sentence = explain(error)
        click.echo(f"error: {printable(sentence)}", err=True)
        if isinstance(error, TourneyError):
            for line in "\n".join(getattr(error, "__notes__", ())).splitlines():
                click.echo(f"    {printable(line)}", err=True)
        return code
    return 0


def debugging() -> bool:
    """Whether tracebacks are enabled."""
    return os.environ.get(DEBUG, "") not in {"", "0"}


def explain(error: BaseException) -> tuple[int, str]:
    """The exit code for an exception, and one sentence that says what to do."""
    if isinstance(error, TourneyError):
        return error.exit_code, str(error)
    if isinstance(error, click.UsageError):
        message = error.format_message().rstrip(".")
        for theirs, ours in _OWN_WORDS:
            message = re.sub(theirs, ours, message)
        return 2, message if error.ctx is None else f"{message}; see '{error.ctx.command_path} --help'"
    if isinstance(error, click.ClickException):
        return 2, error.format_message()
    if isinstance(error, (KeyboardInterrupt, Abort)):
        return INTERRUPTED, "interrupted"
    if isinstance(error, MemoryError):
        return ENVIRONMENT, "this machine is out of memory; close other programs or run fewer matches at once"
    if isinstance(error, OSError):
        return _explain_os(error)
    if isinstance(error, RuntimeError) and str(error) == _NO_THREAD:
        return ENVIRONMENT, f"this machine cannot start another thread: {_process_limit()}"
    message = f"{type(error).__name__} ({str(error) or 'without a message'})"
    return ENVIRONMENT, (
        f"an unexpected {message}; this is a bug in Tourney: please report it as README.md describes,"
        f" with the command line and its output with {DEBUG}=1"
    )


def _explain_os(error: OSError) -> tuple[int, str]:
    what = error.strerror or str(error) or type(error).__name__
    names = (error.filename, error.filename2)
    where = " and ".join(os.fsdecode(name) for name in names if isinstance(name, (str, bytes)))
    sentence = f"{where}: {what}" if where else what
    # A wrong path is a mistake in the command line (2), a full disk a failure of the machine (3).
    if error.errno in _BAD_PATH and where:
        return 2, sentence
    advice = {
        **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "; free some space and start again"),
        **dict.fromkeys((errno.EACCES, errno.EPERM), "; choose another place, or fix its permissions"),
        errno.EROFS: "; choose a writable place",
        errno.EMFILE: "; raise the limit of open files (ulimit -n)",
    }
    if error.errno == errno.EAGAIN:  # of starting a process
        return ENVIRONMENT, f"{sentence}: {_process_limit()}"
    return ENVIRONMENT, sentence + advice.get(error.errno or 0, "")


def _process_limit() -> str:
    from tourney.bots.sandbox.host_limits import process_limit  # noqa: PLC0415 - only Unix has these limits

    return f"{process_limit()}; raise it, or run fewer matches at once"


def _open_streams() -> None:
    """Make sure that both streams exist and can print any text, and that messages never stop a run."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - open until the process ends
    elif isinstance(sys.stderr, io.TextIOWrapper) and sys.stderr is sys.__stderr__:
        sys.stderr = io.TextIOWrapper(
            io.BufferedWriter(_BestEffortFile(sys.stderr.fileno(), "w", closefd=False)),
            encoding=sys.stderr.encoding,
            line_buffering=True,
        )
    if sys.stdout is None:
        raise EnvironmentFailure("standard output is closed; send it to a file or to /dev/null")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A name that the locale cannot encode must not end a command in the middle of its output.
            stream.reconfigure(errors="backslashreplace")


class _BestEffortFile(io.FileIO):
    """A file for messages that drops what it cannot write.

    A long run must not end because the disk for its messages is full or their reader has exited.
    """

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write what can be written, and report success."""
        with suppress(OSError):
            super().write(data)
        return len(memoryview(data).cast("B"))


def _reader_gone(stream: TextIO) -> bool:
    """Whether a stream is a pipe without a reader (and the broken pipe is not another one)."""
    try:
        poll = select.poll()
        poll.register(stream.fileno(), select.POLLOUT)
        return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))
    except (OSError, ValueError):
        return False


def _silence(stream: TextIO | None) -> None:
    """Redirect a failed stream to /dev/null, so that the interpreter does not report it again at exit."""
    if stream is None:
        return
    try:
        stream.flush()
    except OSError:
        with suppress(OSError, ValueError):
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, stream.fileno())
            os.close(nothing)
