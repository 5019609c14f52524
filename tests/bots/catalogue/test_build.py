"""Builds in the sandbox: a hostile build is contained like a bot, and what it makes is bounded."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bots.conftest import MakeBot
from tests.containment import contained
from tourney.bots.catalogue.build import build_folder, runnable_folder
from tourney.bots.catalogue.build_process import BuildJob, run_build
from tourney.bots.catalogue.store import BotStore
from tourney.bots.catalogue.tree import Bounds
from tourney.bots.sandbox.base import Sandbox, open_sandbox
from tourney.bots.sandbox.plain import PlainSandbox
from tourney.errors import BotError

SMALL = Bounds(200, 4 << 20, "a build")
HOSTILE = {
    "deep": ("i=0; while [ $i -lt 150 ]; do mkdir longname; cd -P longname; i=$((i+1)); done", "1,024 bytes"),
    "deeper": ("while mkdir d; do cd -P d; done; echo $?; sleep 1000", "200 files and folders|1,024 bytes"),
    "files": ("i=0; while echo >f$i; do i=$((i+1)); done; sleep 1000", "more than 200 files and folders"),
    "links": ("i=0; while ln bot.sh f$i; do i=$((i+1)); done; sleep 1000", "more than 200 files and folders"),
    "large links": ("head -c 1000000 /dev/zero >f; for k in 1 2 3 4; do ln f $k; done", "more than 4 MiB"),
    "bytes": ("head -c 9000000 /dev/zero >f; sleep 1000", "more than 4 MiB of files"),
    "sparse": ("head -c 0 /dev/zero >f; truncate -s 5M f", "files hold more than 4 MiB"),
    "no utf-8": ("printf x >$(printf 'a\\377')", "unprintable characters"),
    "pipe": ("mkfifo p", "p is no regular file"),
    "unreadable": ("mkdir d; echo >d/f; chmod 000 d", "d has permissions 000"),
    "failure": ("exit 3", "it exited with code 3"),
}
"""What a build does, and the words of its refusal."""


def job(folder: Path, script: str, seconds: int = 600) -> BuildJob:
    source = folder / "source"
    source.mkdir(exist_ok=True)
    (source / "bot.sh").write_text("#!/bin/sh\n")
    (source / "bot.sh").chmod(0o555)
    return BuildJob(("/bin/sh", "-c", script), source, folder / "made", seconds=seconds, bounds=SMALL)


@pytest.fixture(
    params=[
        pytest.param(lambda: open_sandbox("auto"), id="auto", marks=contained),
        pytest.param(lambda: PlainSandbox("off"), id="off"),
    ]
)
def sandbox(request: pytest.FixtureRequest, tmp_path: Path) -> Sandbox:
    """The sandbox that gives a build a folder in memory, and the one that has none."""
    tmp_path.chmod(0o755)
    opened: Callable[[], Sandbox] = request.param
    return opened()


@contained
def test_build_writes_only_its_folder(tmp_path: Path) -> None:
    """The referee owns the result, and the bot's user can read it."""
    tmp_path.chmod(0o755)
    secret = tmp_path / "database"
    secret.write_text("secret", "ascii")
    script = (
        f"umask 077; mkdir sub; echo x >sub/made; ln -s {secret} sub/link; cat {secret} sub/link;"
        "tail -n +3 /proc/net/dev | grep -vc lo: ; echo y >/usr/x; echo y >/source/x; echo >>bot.sh; pwd"
    )
    work = job(tmp_path, script)
    result = run_build(work, open_sandbox("auto"))
    assert not result.why, result
    assert b"secret" not in result.output
    assert result.output.endswith(b"/bot\n")
    assert [file.path for file in result.files] == ["bot.sh", "sub/link", "sub/made"]
    made = (work.target / "sub" / "made").stat()
    assert made.st_uid == os.geteuid()
    assert made.st_mode & 0o777 == 0o444
    assert secret.stat().st_uid == os.geteuid()
    assert not Path("/usr/x").exists()
    assert (work.target / "bot.sh").read_text() == "#!/bin/sh\n\n"
    assert [path.name for path in work.source.iterdir()] == ["bot.sh"]


@contained
def test_daemon_of_build_cannot_change_the_result(tmp_path: Path) -> None:
    """The build's processes are gone before its files are copied."""
    tmp_path.chmod(0o755)
    script = "setsid sh -c 'while :; do echo x >>late; done' & until [ -s late ]; do :; done; echo up"
    work = job(tmp_path, script)
    result = run_build(work, open_sandbox("auto"))
    assert (result.output, result.why) == (b"up\n", "")
    size = (work.target / "late").stat().st_size
    assert all((work.target / "late").stat().st_size == size for _ in range(1000))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_build_is_refused_and_leaves_nothing(tmp_path: Path, sandbox: Sandbox, name: str) -> None:
    script, words = HOSTILE[name]
    work = job(tmp_path, f"echo last words; {script}")
    result = run_build(work, sandbox)
    assert any(word in result.why for word in words.split("|")), result.why
    assert result.output.startswith(b"last words\n")
    assert [path.name for path in tmp_path.iterdir() if path.name != "made"] == ["source"]


def test_built_files_get_no_special_permissions(tmp_path: Path, sandbox: Sandbox) -> None:
    """Links stay links, wherever they lead; names may be as long as the system allows."""
    name = "n" * 255
    work = job(tmp_path, f"cp bot.sh {name}; chmod 6755 {name}; ln -s /etc/passwd out; ln -s ../.. up")
    result = run_build(work, sandbox)
    assert not result.why, result
    made = {path.name: path.lstat().st_mode for path in work.target.iterdir()}
    assert stat.S_IMODE(made[name]) == 0o555
    assert stat.S_ISLNK(made["out"])
    assert stat.S_ISLNK(made["up"])
    assert (work.target / "out").readlink() == Path("/etc/passwd")


@contained
def test_build_in_memory_writes_nothing_to_disk_before_its_end(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    result = run_build(job(tmp_path, "echo >file; df . | tail -1; exit 1"), open_sandbox("auto"))
    assert result.output.startswith(b"tmpfs")
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


def test_hanging_build_is_stopped(tmp_path: Path, sandbox: Sandbox) -> None:
    result = run_build(job(tmp_path, "exec sleep 1000", seconds=0), sandbox)
    assert result.why == "it took longer than 0 s"


def test_refused_build_names_the_bot_and_leaves_no_folder(
    tmp_path: Path, store: BotStore, make_bot: MakeBot, sandbox: Sandbox
) -> None:
    """What a killed build of another bot left is removed too, unless that build goes on."""
    make = "echo nesting; i=0; while [ $i -lt 1500 ]; do mkdir d; cd -P d; i=$((i+1)); done"
    bot = store.add(make_bot(files={"make.sh": make}, command='["./run"]', build='["sh", "make.sh"]'))
    builds = build_folder(store, bot).parent
    (builds / "0123.new" / "files").mkdir(parents=True)
    with pytest.raises(BotError, match=r"the build of mybot@1\.0 .* 1,024 bytes") as caught:
        runnable_folder(store, bot, sandbox)
    assert "nesting" in caught.value.__notes__[0]
    assert [path.name for path in builds.iterdir() if path.is_dir()] == []
