"""What a bot sees of the file system: a copy of its files, and fixed figures of the machine."""

import os
import resource
import sys
import tempfile
import time
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.support.containment import contained
from tests.support.tables import make_spec, toy
from tourney.bots.catalogue.command import BotCommand, command_of, environment, interpreter_paths
from tourney.bots.channel.interface import Channel
from tourney.bots.sandbox import visible_files
from tourney.bots.sandbox.bubblewrap import EXTRAS, Bubblewrap, Users
from tourney.bots.sandbox.cgroup_search import find_cgroups
from tourney.bots.sandbox.sandbox import Sandbox, open_sandbox
from tourney.bots.sandbox.visible_files import (
    COPY_BYTES,
    COPY_ENTRIES,
    NEW_ROOT,
    Copy,
    can_move,
    changed_files,
    moved,
    new_place,
    system_paths,
)
from tourney.check.named_seeds import RandomChannel
from tourney.match.runner import MatchRunner

FAR = 60 * 10**9


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a bot's folder, as a store's are: readable for all."""
    tmp_path.chmod(0o755)
    return tmp_path


def start(folder: Path, script: str, *, sandbox: Sandbox | None = None) -> Channel:
    """Start a shell in a folder."""
    command = BotCommand(("/bin/sh", "-c", script), folder, environment())
    return (sandbox or open_sandbox("auto")).spawn(command, memory_mb=512)


def lines(folder: Path, script: str) -> list[str]:
    """Return the lines of a shell in a folder."""
    return output(start(folder, script))


def output(channel: Channel) -> list[str]:
    """Return all lines of a program, and end it."""
    texts = []
    while (event := channel.wait(time.monotonic_ns() + FAR)).kind == "line":
        texts.append(event.text)
    channel.close(0)
    return texts


@contained
def test_copy_has_contents_links_folders_and_permissions(folder: Path) -> None:
    """It is a file system of its own, and read-only."""
    (folder / "sub" / "deep").mkdir(parents=True)
    (folder / "sub" / "deep" / "data").write_text("deep data", "ascii")
    (folder / "run").write_text("#!/bin/sh\necho ran\n", "ascii")
    (folder / "run").chmod(0o700)
    (folder / "a b").write_bytes(b"")
    (folder / "link").symlink_to("sub/deep/data")
    script = (
        "find . -printf '%p %y %m\n' | sort; cat link; echo; ./run; stat -f -c %T .; echo >x || echo refused"
    )
    assert lines(folder, script) == [
        ". d 755",
        "./a b f 444",
        "./link l 777",
        "./run f 555",
        "./sub d 755",
        "./sub/deep d 755",
        "./sub/deep/data f 444",
        "deep data",
        "ran",
        "tmpfs",
        "refused",
    ]


@contained
def test_bot_inherits_no_descriptors(folder: Path) -> None:
    """Those of the copied files, the figures and the filter are closed; ``ls`` itself opens one."""
    (folder / "data").write_bytes(b"1")
    assert lines(folder, "exec ls /proc/self/fd") == ["0", "1", "2", "3"]


@contained
def test_large_folder_is_shared_and_the_match_says_so(folder: Path) -> None:
    """Its note names the reason, and its measurements say "partial"."""
    with (folder / "net").open("wb") as file:
        file.truncate(COPY_BYTES + 1)
    sandbox = open_sandbox("auto")
    started: list[Channel] = []

    def launch(*_: object) -> Channel:
        script = "stat -f -c %T . >&2; read x"
        started.append(RandomChannel() if started else start(folder, script, sandbox=sandbox))
        return started[-1]

    with MatchRunner(launch, sandbox=sandbox, find=toy) as runner:
        played = runner.play(make_spec())
    why = "its files are larger than 64 MiB"
    assert started[0].weakened == {"private-files": why}
    assert sandbox.weakened(folder, 512) == {"private-files": why}
    notes = [line.text for line in played.log if line.kind == "note"]
    assert notes[0] == f"private-files is only partial for this bot: {why}"
    assert played.measured.sandbox is not None
    assert played.measured.sandbox.protections["private-files"] == "partial"
    assert sandbox.protections["private-files"] == "enforced"


def test_bounds_of_a_copy(folder: Path) -> None:
    """Bytes, half of the memory, and the number of entries."""
    with (folder / "net").open("wb") as file:
        file.truncate(20 << 20)
    assert Copy.of(folder, 64).shared == ""
    assert Copy.of(folder, 16).shared == "its files are larger than 8 MiB, half of memory-mb = 16"
    for number in range(COPY_ENTRIES):
        (folder / str(number)).mkdir()
    assert Copy.of(folder, 4096).shared == "it has more than 1,000 files and folders"


@contained
def test_many_files_are_copied_whatever_the_soft_limit(folder: Path, soft_limit: Sequence[int]) -> None:
    """Each needs a descriptor of the referee, so it raises its limit."""
    for number in range(900):
        (folder / str(number)).write_bytes(b"1")
    assert lines(folder, "ls | wc -l; stat -f -c %T .") == ["900", "tmpfs"]
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > soft_limit[0]


@pytest.fixture
def soft_limit() -> Iterator[tuple[int, int]]:
    """Lower the soft limit on open files for a test."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowered = (512, before[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, lowered)
    yield lowered
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@contained
def test_system_folders_that_no_program_needs_are_hidden(folder: Path) -> None:
    """Settings, sources, and whatever an administrator put beside the programs."""
    inside = {*lines(folder, "ls -d /usr/* /usr/local/* /etc/*")}
    assert {"/usr/bin", "/usr/lib", "/usr/share"} <= inside
    hidden = {"etc", "src", "var", "tmp", "www", "man", "cuda"}
    assert not {path for path in inside if Path(path).name in hidden}
    allowed = {str(path) for path in system_paths()}
    assert inside - {"/usr/local"} <= allowed | {f"/etc/{name}" for name in MADE}


MADE = ("passwd", "group", "hosts", "nsswitch.conf", "localtime")

LOOK_UP = """
import grp, os, pwd, socket, time
user = pwd.getpwuid(os.getuid())
print(user.pw_name, user.pw_dir, os.path.expanduser("~"), grp.getgrgid(os.getgid()).gr_name)
print(socket.gethostbyname("localhost"), time.tzname[0])
print(len(pwd.getpwall()), len(grp.getgrall()), oct(os.stat("/etc/passwd").st_mode)[-3:])
"""


@contained
def test_bot_finds_its_user_its_home_and_its_host(folder: Path) -> None:
    """As on any Unix machine; Debian's sjeng does not start without, and nothing of the host shows."""
    (folder / "look_up.py").write_text(LOOK_UP, encoding="ascii")
    command = command_of(("python3", "look_up.py"), folder)
    channel = open_sandbox("auto").spawn(command, memory_mb=512)
    assert output(channel) == ["bot /tmp /tmp bot", "127.0.0.1 UTC", "1 1 444"]


def test_administrators_folders_are_none_of_the_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Links are shown as such; folders that are empty, and files, are not."""
    for name in ("bin", "etc", "lib", "share", "cup"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(b"1")
    (tmp_path / "games").mkdir()
    (tmp_path / "lib64").symlink_to("lib")
    (tmp_path / "secret.txt").write_bytes(b"1")
    monkeypatch.setattr(visible_files, "_SYSTEM", {str(tmp_path): visible_files._OF_USR})
    system_paths.cache_clear()
    shown = {path.name for path in system_paths()}
    system_paths.cache_clear()
    assert shown == {"bin", "lib", "lib64", "share"}


@contained
def test_environment_below_a_hidden_system_folder_works(folder: Path) -> None:
    """As in images that work in /usr/src: its own parts are shown, and nothing beside them."""
    if os.geteuid() != 0:
        pytest.skip("only root may write to /usr/local")
    with tempfile.TemporaryDirectory(dir="/usr/local", prefix="tourney-test-") as name:
        place = Path(name)
        place.chmod(0o755)
        (place / "lib").mkdir()
        for file in ("lib/module", "tourney.db"):
            (place / file).write_text(file, "ascii")
        script = f"cat {place}/lib/module; echo; ls {place}"
        command = BotCommand(("/bin/sh", "-c", script), folder, environment(), (place / "lib",))
        channel = open_sandbox("auto").spawn(command, memory_mb=512)
        heard = [channel.wait(time.monotonic_ns() + FAR).text for _ in range(3)]
        channel.close(0)
    assert heard[:2] == ["lib/module", "lib"]
    assert "tourney.db" not in heard


@contained
def test_figures_of_the_machine_are_fixed(folder: Path) -> None:
    """Two sandboxes see the same; the memory is that of the bot."""
    script = "cat /proc/loadavg /proc/uptime /proc/stat; grep MemTotal /proc/meminfo; cat /proc/vmstat || :"
    first, second = lines(folder, script), lines(folder, script)
    assert first == second
    assert first[:2] == ["0.00 0.00 0.00 1/1 1", "1.00 1.00"]
    assert first[-1].split() == ["MemTotal:", str(512 << 10), "kB"]
    assert len([line for line in first if line.startswith("cpu")]) == 1 + (os.cpu_count() or 1)


# -- an environment below /tmp, which a bot sees in another place ------------------------------------------


def test_only_paths_below_private_folders_move() -> None:
    """The program, and the entries of PATH; the bot's arguments stay as they are."""
    assert new_place(Path("/tmp/env/bin")) == NEW_ROOT / "tmp/env/bin"
    assert new_place(Path("/opt/env/bin")) == Path("/opt/env/bin")
    env = {"PATH": "/tmp/env/bin:/usr/bin", "HOME": "/tmp"}
    command = moved(BotCommand(("/tmp/env/bin/python", "/tmp/x"), Path("/tmp/bot"), env))
    assert command.argv == (f"{NEW_ROOT}/tmp/env/bin/python", "/tmp/x")
    assert command.env == {"PATH": f"{NEW_ROOT}/tmp/env/bin:/usr/bin", "HOME": "/tmp"}
    assert moved(BotCommand(("./bot",), Path("/tmp/bot"), {})).argv == ("./bot",)
    build = moved(BotCommand(("/bin/sh", "-c", "words", sys.executable), Path("/tmp/bot"), env))
    assert build.argv == ("/bin/sh", "-c", "words", str(new_place(Path(sys.executable))))


def test_program_behind_link_into_tmp_cannot_move(tmp_path: Path) -> None:
    """The link would name a path that the bot does not see; relative links do not."""
    (tmp_path / "python3").write_bytes(b"")
    (tmp_path / "relative").symlink_to("python3")
    (tmp_path / "absolute").symlink_to("/tmp/elsewhere/python3")
    (tmp_path / "loop").symlink_to("loop")
    names = ("python3", "relative", "absolute", "loop")
    assert [can_move(str(tmp_path / name)) for name in names] == [True, True, False, False]


@contained
def test_environment_below_tmp_works_and_leaves_tmp_empty(tmp_path: Path) -> None:
    """The interpreter finds its packages, those of an editable installation too."""
    home, packages = tmp_path / "env", tmp_path / "checkout"
    if Path("/tmp") not in tmp_path.parents or not can_move(sys.executable):
        pytest.skip("the test's folder is not below /tmp, or the interpreter is a link into it")
    for folder in (tmp_path, *tmp_path.parents[:-2]):
        folder.chmod(folder.stat().st_mode | 0o055)
    venv.create(home, with_pip=False, symlinks=True)
    packages.mkdir()
    (packages / "mine.py").write_text("VALUE = 42\n", "ascii")
    site = next(home.glob("lib/python*/site-packages"))
    (site / "editable.pth").write_text(f"{packages}\n", "ascii")
    (tmp_path / "bot").mkdir()
    shown = (*interpreter_paths(), home, packages)
    assert {file.name for file, _ in changed_files(shown)} >= {"editable.pth", "pyvenv.cfg"}
    script = "import mine, os, sys; print(mine.VALUE, sys.prefix, os.listdir('/tmp'))"
    words = (str(home / "bin" / "python"), "-c", script)
    command = BotCommand(words, tmp_path / "bot", environment(), shown)
    sandbox = Bubblewrap("auto", EXTRAS, Users.of_this_host(), find_cgroups())
    channel = sandbox.spawn(command, memory_mb=512)
    event = channel.wait(time.monotonic_ns() + FAR)
    channel.close(0)
    assert event.text == f"42 {new_place(home)} []", channel.stderr()
