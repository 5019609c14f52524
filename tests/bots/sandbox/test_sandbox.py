"""Sandboxes: the levels, the exact environment, and the containment by bubblewrap."""

import ast
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.containment import contained
from tests.support.processes import leftovers, running
from tourney.bots.catalogue.command import BotCommand, environment, interpreter_paths, own_words
from tourney.bots.channel.interface import Channel
from tourney.bots.sandbox import bot_processes, host_limits, sandbox
from tourney.bots.sandbox.bubblewrap import EXTRAS, Bubblewrap, Users
from tourney.bots.sandbox.cgroup_search import find_cgroups
from tourney.bots.sandbox.plain import PlainSandbox
from tourney.bots.sandbox.sandbox import PROTECTIONS, Sandbox, lowered, lowest, open_sandbox, program
from tourney.bots.sandbox.visible_files import NEW_ROOT
from tourney.errors import SandboxError

FAR = 60 * 10**9


class Shell:
    """Runs scripts as bots, and returns all of their lines."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.channels: list[Channel] = []

    def __call__(self, sandbox: Sandbox, script: str, memory_mb: int = 4096) -> list[str]:
        path = self.folder / "bot"
        path.write_text("#!/bin/sh\n" + script, encoding="utf-8")
        path.chmod(0o755)
        command = BotCommand(("./bot",), self.folder, environment(), interpreter_paths())
        channel = sandbox.spawn(command, memory_mb=memory_mb)
        self.channels.append(channel)
        lines = []
        while (event := channel.wait(time.monotonic_ns() + FAR)).kind == "line":
            lines.append(event.text)
        return lines


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    """Yield a shell, and end all of its bots after the test."""
    tmp_path.chmod(0o755)  # as a store's folders are: bots run under another user where the referee is root
    made = Shell(tmp_path)
    yield made
    for channel in made.channels:
        channel.close(0)
    assert leftovers(tmp_path) == []


EXACT = sorted(f"{key}={value}" for key, value in environment().items())


def test_environment_is_exact_without_containment(shell: Shell) -> None:
    """It has five variables; the shell itself adds PWD."""
    lines = shell(PlainSandbox("off"), "env")
    assert sorted(line for line in lines if not line.startswith(("PWD=", "_=", "SHLVL=", "OLDPWD="))) == EXACT


def test_level_off_enforces_only_the_process_group() -> None:
    """The protections list every name, and claim no other."""
    plain = open_sandbox("off")
    assert plain.level == "off"
    assert list(plain.protections) == list(PROTECTIONS)
    enforced = [name for name, degree in plain.protections.items() if degree == "enforced"]
    assert enforced == ["process-group"]


def test_program_that_cannot_run_gives_closed_channel(tmp_path: Path) -> None:
    """A missing program is the bot's fault; a missing folder is not."""
    command = BotCommand(("./missing",), tmp_path, environment())
    event = PlainSandbox("off").spawn(command, memory_mb=1).wait(0)
    assert (event.kind, event.text) == ("closed", "./missing cannot be run: No such file or directory")
    with pytest.raises(SandboxError, match="is gone"):
        PlainSandbox("off").spawn(BotCommand(("./x",), tmp_path / "gone", {}), memory_mb=1)


def test_failed_fork_is_a_sandbox_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full process table is an error of the machine, not a dead bot."""

    def full(*_args: object, **_kwargs: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(sandbox, "start_process", full)
    with pytest.raises(SandboxError, match="cannot start a bot: Resource temporarily unavailable"):
        PlainSandbox("off").spawn(BotCommand(("true",), tmp_path, {}), memory_mb=1)


def test_without_bubblewrap_auto_is_plain_and_strict_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    """``auto`` falls back to limits and its protections show that; ``strict`` starts nothing."""
    monkeypatch.setattr(shutil, "which", lambda *_args, **_kwargs: None)
    fallen = open_sandbox("auto")
    assert (fallen.level, fallen.name) == ("auto", "plain")
    assert fallen.protections["network"] == "absent"
    with pytest.raises(SandboxError, match="bwrap is not installed"):
        open_sandbox("strict")


def test_broken_bubblewrap_is_detected_by_running_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that forbids namespaces still has the program."""
    false = tmp_path / "bwrap"
    false.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n", "ascii")
    false.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda *_args, **_kwargs: str(false))
    with pytest.raises(SandboxError, match=r"does not work here \(bwrap: No permissions"):
        Bubblewrap.open("auto")


def test_every_sandbox_is_opened_with_what_is_private() -> None:
    """So that no command starts bots where they would see its database or bot store."""
    package = Path(sandbox.__file__).parents[2]
    calls = [
        (file.name, node)
        for file in package.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "open_sandbox"
    ]
    assert len(calls) > 10
    assert [name for name, call in calls if len(call.args) != 2] == []


def test_auto_says_why_nothing_contains_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """With advice to install it only if it is missing, and with the limit that is too low."""
    monkeypatch.setattr(shutil, "which", lambda *_args, **_kwargs: None)
    assert open_sandbox("auto").fallen.startswith("the program bwrap is not installed; install bubblewrap")
    assert open_sandbox("off").fallen == ""
    monkeypatch.undo()

    def fails(_: Bubblewrap, _command: BotCommand) -> None:
        raise SandboxError(host_limits.with_limits("bubblewrap does not work here"))

    monkeypatch.setattr(Bubblewrap, "check_command", fails)
    monkeypatch.setattr(host_limits, "low_limits", lambda: iter(["the limit of x is 1"]))
    if program("bwrap"):
        assert open_sandbox("auto").fallen == "bubblewrap does not work here: the limit of x is 1"


def test_lowered_protections_are_named() -> None:
    """Each with its degree now; unknown names of another version count for nothing."""
    before = {"network": "enforced", "system": "partial", "of-another-version": "enforced"}
    assert lowered({"network": "enforced", "system": "enforced"}, before) == []
    assert lowered({"network": "partial"}, before) == ["network (partial)", "system (absent)"]
    assert lowered({}, {}) == []
    both = lowest([{"network": "enforced", "system": "partial"}, {"network": "partial"}])
    assert (both["network"], both["system"]) == ("partial", "absent")


def test_strict_names_the_missing_protections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing starts below the requested level; bubblewrap itself is neither needed nor run."""
    monkeypatch.setattr(shutil, "which", lambda name, **_kwargs: f"/usr/bin/{name}")
    monkeypatch.setattr(Users, "of_this_host", lambda: Users((100_000, 100)))
    monkeypatch.setattr(Bubblewrap, "check", lambda self: None)
    monkeypatch.setattr(Bubblewrap, "protections", {"network": "enforced", "system-calls": "absent"})
    with pytest.raises(SandboxError, match=r"lacks system-calls \(absent\)"):
        open_sandbox("strict")
    monkeypatch.setattr(Bubblewrap, "protections", {"network": "enforced"})
    assert open_sandbox("strict").level == "strict"


def test_limits_hold_without_bubblewrap(shell: Shell) -> None:
    """The limits on memory, file size and core dumps need no namespaces."""
    sandbox = PlainSandbox("auto", prlimit="/usr/bin/prlimit")
    assert shell(sandbox, "ulimit -v; ulimit -f; ulimit -c", memory_mb=512) == ["524288", "131072", "0"]


@contained
def test_environment_is_exact_in_the_sandbox(shell: Shell) -> None:
    """A bot can read bubblewrap's own environment, which holds nothing else either."""
    script = "env; tr '\\0' '\\n' </proc/1/environ 2>/dev/null"
    lines = shell(open_sandbox("auto"), script)
    path, *others = sorted(EXACT, key=lambda line: not line.startswith("PATH="))
    seen = {line for line in lines if not line.startswith(("PWD=", "_=", "SHLVL=", "OLDPWD="))}
    # An environment below /tmp is in another place.
    assert seen - {path, path.replace("PATH=/tmp/", f"PATH={NEW_ROOT}/tmp/")} == set(others)


@contained
def test_bot_sees_only_its_folder_of_the_host(shell: Shell) -> None:
    """The folder is ``/bot``; its path on the host, all homes and databases are hidden."""
    (shell.folder / "database").write_text("secret", encoding="ascii")
    script = (
        f"pwd; ls /; cat /bot/database; echo; ls {shell.folder} /home /root /var /tmp 2>/dev/null; ls /etc;"
        " cat /etc/passwd"
    )
    lines = shell(open_sandbox("auto"), script)
    assert lines[0] == "/bot"
    assert "secret" in lines
    assert not {"home", "var", "srv", "mnt"} & set(lines)
    assert not any(line.startswith("root:") for line in lines)
    assert "shadow" not in lines


@contained
def test_bot_can_write_only_to_its_tmp(shell: Shell) -> None:
    """Everything else is read-only, its own folder too; its /tmp is bounded and private."""
    mine = ["/tmp/tourney-test-x", "/dev/shm/tourney-test-x"]
    places = " ".join(["/bot/x", "/x", "/usr/x", "/etc/x", "/dev/x", *mine])
    script = f"for p in {places}; do ( : >$p ) 2>/dev/null && echo $p; done; df -Pk /tmp | tail -n 1"
    *written, size = shell(open_sandbox("auto"), script)
    assert written == mine
    assert size.split()[1] == "65536"
    assert not Path("/tmp/tourney-test-x").exists()
    assert not Path("/dev/shm/tourney-test-x").exists()


@contained
def test_bot_has_no_network_other_processes_or_privileges(shell: Shell) -> None:
    """It sees its own processes only and no table of the network; it is not root and cannot become root."""
    script = (
        "cat /proc/net/dev /proc/net/route | wc -l; ls /proc | grep -c '^[0-9]'; id -u;"
        "exec grep -E '^(CapEff|CapPrm|CapBnd|NoNewPrivs)' /proc/self/status"
    )
    routes, processes, user, *rights = shell(open_sandbox("auto"), script)
    assert routes == "0"
    assert int(processes) <= 6
    assert user != "0"
    assert [line.split()[1].strip("0") for line in rights if line.startswith(("CapEff", "CapPrm"))] == [
        "",
        "",
    ]
    assert "NoNewPrivs:\t1" in rights


@contained
def test_limits_hold_in_the_sandbox(shell: Shell) -> None:
    """Address space, file size, core dumps and the number of processes are limited."""
    lines = shell(open_sandbox("auto"), "ulimit -v; ulimit -f; ulimit -c; ulimit -p", memory_mb=512)
    assert lines == ["524288", "131072", "0", "512"]


DAEMONS = (
    'start=\'echo >>/tmp/up; exec {0}\'; setsid sh -c "$start" & sh -c \'setsid sh -c "$0" &\' "$start";'
    " until [ $(cat /tmp/up | wc -l) = 2 ]; do :; done; echo up"
)
"""Starts a program in two sessions of their own, and waits until both are there."""


@contained
def test_daemons_end_with_the_bot(shell: Shell) -> None:
    """A session of its own does not save a process from the end of the namespace."""
    rest = f"sleep 600.{os.getpid()}"
    assert shell(open_sandbox("auto"), DAEMONS.format(rest)) == ["up"]
    shell.channels[-1].close(0)
    assert running(rest) == []


@contained
@pytest.mark.parametrize("with_groups", [True, False])
def test_slow_namespace_is_killed(shell: Shell, with_groups: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a fork bomb: the control group kills its processes at once, or they are killed one by one."""
    monkeypatch.setattr(bot_processes, "_SOON_MS", 0)
    extras = EXTRAS if with_groups else EXTRAS - {"cgroups"}
    sandbox = Bubblewrap("auto", extras, Users.of_this_host(), find_cgroups())
    rest = f"sleep 601.{os.getpid()}"
    assert shell(sandbox, DAEMONS.format(rest)) == ["up"]
    shell.channels[-1].close(0)
    assert running(rest) == []


@contained
def test_python_bots_can_import_the_games(tmp_path: Path) -> None:
    """``python3`` is the interpreter that runs Tourney, and writes no bytecode."""
    tmp_path.chmod(0o755)
    (tmp_path / "helper.py").write_text(
        "import tourney.games.registry as r\nnames = r.GAMES.names()\n", "ascii"
    )
    (tmp_path / "bot.py").write_text("import helper\nprint(*helper.names)\n", encoding="ascii")
    words = own_words(("python3", "bot.py"), "bot")
    command = BotCommand(words, tmp_path, environment(), interpreter_paths())
    channel = open_sandbox("auto").spawn(command, memory_mb=4096)
    event = channel.wait(time.monotonic_ns() + FAR)
    channel.close(0)
    assert "sages-tafl" in event.text, channel.stderr()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bot.py", "helper.py"]


@contained
def test_cpu_time_and_death_are_the_bots(tmp_path: Path) -> None:
    """The time is the bot's, not bubblewrap's; its signal is reported through bubblewrap."""
    tmp_path.chmod(0o755)
    script = "read x; i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo done; read x; kill -SEGV $$"
    command = BotCommand(("/bin/sh", "-c", script), tmp_path, environment())
    channel = open_sandbox("auto").spawn(command, memory_mb=4096)
    channel.request(b"go\n")
    assert channel.wait(time.monotonic_ns() + FAR).text == "done"
    used = channel.cpu_ms()
    assert used is not None
    assert used >= 10
    channel.request(b"go\n")
    assert channel.wait(time.monotonic_ns() + FAR).text == "killed by SIGSEGV (or exited with code 139)"
    channel.close(0)
    assert (channel.cpu_ms() or 0) >= used
