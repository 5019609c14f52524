"""The program's outer layer: exceptions become one sentence and an exit code."""

import errno
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tests.support.addons import needing
from tests.support.command import PROGRAM, invoke, run, start
from tourney import errors
from tourney.cli import edge
from tourney.match.spec import MAX_MS, MAX_STARTUP_MS


def test_notes_follow_the_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    """Notes hold text of bots, so escape sequences do not reach the terminal."""
    error = errors.BotError("the build failed")
    error.add_note("the last lines of the build:\n\x1b[31mred")
    assert raising(error) == 2
    shown = "error: the build failed\n    the last lines of the build:\n    \\x1b[31mred\n"
    assert capsys.readouterr().err == shown


def raising(error: BaseException) -> int:
    def fail() -> None:
        raise error

    return edge.guard(fail)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.UsageError("x"), 2),
        (errors.PositionError("x"), 2),
        (errors.CheckError("x"), 1),
        (errors.StoreError("x"), 3),
        (errors.WorkerError("x"), 3),
        (click.UsageError("x"), 2),
        (click.FileError("x", "y"), 2),
        (KeyboardInterrupt(), 130),
        (click.Abort(), 130),
        (MemoryError(), 3),
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), 3),
        (OSError(errno.EROFS, os.strerror(errno.EROFS), "a.db"), 3),
        (PermissionError(errno.EACCES, os.strerror(errno.EACCES), "a.db"), 3),
        (FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "a.toml"), 2),
        (IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), "a.toml"), 2),
        (ConnectionResetError(), 3),
        (ZeroDivisionError("division by zero"), 3),
        (RecursionError(), 3),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else str(value),
)
def test_every_exception_is_one_line_and_an_exit_code(
    error: BaseException, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line on standard error, no traceback, nothing on standard output."""
    assert raising(error) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: ")
    assert said.err.count("\n") == 1
    assert "Traceback" not in said.err


def test_failed_system_call_names_file_and_advice(capsys: pytest.CaptureFixture[str]) -> None:
    """A read-only path, for example."""
    raising(OSError(errno.EROFS, os.strerror(errno.EROFS), "/mnt/a.db"))
    expected = "error: /mnt/a.db: Read-only file system; choose a writable place\n"
    assert capsys.readouterr().err == expected


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("can't start new thread"),
        BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable", "/usr/bin/bwrap"),
    ],
)
def test_full_process_table_names_the_limit(
    error: Exception, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not a bug in Tourney."""
    before = resource.getrlimit
    low = {resource.RLIMIT_NPROC: (5, 5)}
    monkeypatch.setattr(resource, "getrlimit", lambda kind: low.get(kind) or before(kind))
    assert raising(error) == 3
    shown = capsys.readouterr().err
    assert "the limit of processes and threads (ulimit -u) is 5, and bots need 512; raise it" in shown
    assert "bug" not in shown


def test_unexpected_exception_asks_for_a_bug_report(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With TOURNEY_DEBUG=1, the traceback comes first."""
    monkeypatch.delenv(edge.DEBUG, raising=False)
    raising(KeyError("x"))
    assert "unexpected KeyError ('x')" in (text := capsys.readouterr().err)
    assert "README.md" in text
    assert "TOURNEY_DEBUG=1" in text
    monkeypatch.setenv(edge.DEBUG, "1")
    raising(KeyError("x"))
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_control_characters_in_messages_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    """Escape sequences, newlines and direction marks are printed as escapes."""
    raising(errors.BotError("bot '\x1b[2J\nerror: fine\u202e\udc80' is bad"))
    assert capsys.readouterr().err == "error: bot '\\x1b[2J\\nerror: fine\\u202e\\udc80' is bad\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "1", "2"), "error: remove 2, which is an argument too many; see 'tourney show --help'\n"),
        (("show", "1", "2", "x y"), "error: remove 2 x y, which is an argument too many; see"),
        (("show", "1", "--ply", "x"), "Invalid value for '--ply': 'x' is not a whole number; see"),
        (("rate", "-", "--min-games", "1.5"), "'1.5' is not a whole number; see"),
    ],
)
def test_sentences_of_click_say_what_to_do(words: tuple[str, ...], said: str) -> None:
    done = invoke(*words)
    assert done.exit_code == 2
    assert said in done.stderr


def test_exit_codes_of_commands_pass_through() -> None:
    """``sys.exit(n)`` and ``ctx.exit(n)`` in a command are its exit code."""

    def leave() -> None:
        raise click.exceptions.Exit(7)

    assert edge.guard(leave) == 7
    with pytest.raises(SystemExit) as caught:
        raising(SystemExit(5))
    assert caught.value.code == 5
    assert edge.guard(lambda: None) == 0


def test_windows_is_refused_in_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Linux and macOS are accepted."""
    ran: list[int] = []
    monkeypatch.setattr(sys, "platform", "win32")
    assert edge.guard(lambda: ran.append(1)) == 3
    assert capsys.readouterr().err.count("\n") == 1
    assert not ran
    edge.refuse_platform("linux")
    edge.refuse_platform("darwin")


def test_closed_pipe_ends_the_program_quietly() -> None:
    """``tourney rules GAME | head -1``: no message, and the shells' exit code for SIGPIPE."""
    with start("rules", "sage-stones") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write("new\n")
        process.stdin.flush()
        assert process.stdout.readline() == "ok\n"
        process.stdout.close()
        process.stdin.write("legal\n")
        process.stdin.close()
        assert process.stderr.read() == ""
        assert process.wait(600) == edge.PIPE_CLOSED


def test_buffered_output_to_a_closed_pipe_is_quiet() -> None:
    """The pipe breaks only when the program flushes its output at exit."""
    read, write = os.pipe()
    os.close(read)
    with subprocess.Popen([*PROGRAM, "--version"], stdout=write, stderr=subprocess.PIPE) as process:
        os.close(write)
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait(600) == edge.PIPE_CLOSED


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk_is_one_sentence() -> None:
    """Output that cannot be written: exit code 3 and one line."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*PROGRAM, "--version"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 3
    assert done.stderr == "error: No space left on device; free some space and start again\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_unwritable_messages_do_not_change_output_or_code() -> None:
    """Standard error on a full disk or a closed pipe."""
    read, gone = os.pipe()
    os.close(read)
    with Path("/dev/full").open("w") as full, os.fdopen(gone, "w") as broken:
        for stream in (full, broken):
            refused = subprocess.run(
                [*PROGRAM, "perft", "draughts", "1"], stdout=subprocess.PIPE, stderr=stream, check=False
            )
            assert refused.returncode == 2
            counted = subprocess.run(
                [*PROGRAM, "rules", "sages-tafl"],
                input=b"new\nactor\n",
                stdout=subprocess.PIPE,
                stderr=stream,
                check=False,
            )
            assert (counted.returncode, counted.stdout) == (0, b"ok\n1\n")


def test_closed_standard_output_is_refused() -> None:
    """``tourney games >&-``, for example."""
    line = f'"{sys.executable}" -m tourney --version >&-'
    done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr == "error: standard output is closed; send it to a file or to /dev/null\n"


def test_interrupt_ends_a_long_perft_with_130() -> None:
    """Ctrl-C stops a perft that would never end."""
    with start("rules", "sage-stones") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("new\n")
        process.stdin.flush()
        assert process.stdout.readline() == "ok\n"
        process.stdin.write("perft 900\n")
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=600)
        assert process.returncode == edge.INTERRUPTED
        assert said == "error: interrupted\n"


def test_unknown_game_is_bad_input() -> None:
    """Exit code 2, in a real process."""
    done = run("rules", "draughts")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: there is no game 'draughts'; the games are: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "option", "most"),
    [
        needing("lab", ("compare", "greedy", "random", "--game", "sage-stones"), "--move-ms", MAX_MS),
        (("play", "sage-stones"), "--move-ms", MAX_MS),
        (("bots", "check", "random"), "--move-ms", MAX_MS),
        (("bots", "check", "random"), "--startup-ms", MAX_STARTUP_MS),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, tuple) else str(value),
)
def test_times_beyond_the_limits_are_refused(command: tuple[str, ...], option: str, most: int) -> None:
    """A plan or record with such a limit could not be read back."""
    for value in (most + 1, 10**400, 0):
        said = invoke(*command, option, str(value))
        assert (said.exit_code, said.stdout) == (2, "")
        assert said.stderr.count("\n") == 1
        assert f"{option}': {value} is not in the range 1<=x<={most}" in said.stderr
