"""The command of ``--notify`` gets its input without a shell, and cannot delay the end of a run."""

import sys
from pathlib import Path

import pytest

from tests.tournaments import refused
from tourney.errors import UsageError
from tourney.run.unattended import notify, parse_command

VARIABLES = {"TOURNEY_TEXT": "$(touch hacked); `touch hacked`", "TOURNEY_CODE": "0"}


def python(program: str) -> tuple[str, ...]:
    return (sys.executable, "-c", program)


def test_command_gets_page_and_variables_without_a_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program = (
        "import os, sys;"
        "open('got', 'w').write('|'.join((os.environ['TOURNEY_TEXT'], sys.stdin.read(), sys.argv[1])))"
    )
    assert notify((*python(program), "a; touch hacked"), VARIABLES, "page\n") == ""
    assert (tmp_path / "got").read_text() == VARIABLES["TOURNEY_TEXT"] + "|page\n|a; touch hacked"
    assert not (tmp_path / "hacked").exists()


def test_failed_command_is_reported() -> None:
    assert notify(python("raise SystemExit(3)"), {}, "").endswith("ended with the exit code 3")
    assert notify(("/nowhere/at-all",), {}, "").endswith("cannot be run: No such file or directory")
    assert notify(python("import sys; sys.stdin.close()"), {}, "x" * 1_000_000) == ""


def test_hanging_command_is_killed_with_its_children(tmp_path: Path) -> None:
    program = (
        "import subprocess, sys;"
        f"subprocess.Popen(['sleep', '1000'], cwd={str(tmp_path)!r});"
        "sys.stdin.read(); import time; time.sleep(1000)"
    )
    assert notify(python(program), {}, "", seconds=0.5).endswith("was killed after 0.5 seconds")


def test_command_is_split_like_a_shell_and_must_exist() -> None:
    assert parse_command("env 'a b' c\\ d $HOME") == ("env", "a b", "c d", "$HOME")
    with refused(UsageError, "--notify", "no command 'no-such-command'"):
        parse_command("no-such-command now")
    with refused(UsageError, "cannot be split into words"):
        parse_command("mail 'half")
    with refused(UsageError, "--notify is empty"):
        parse_command("  ")
