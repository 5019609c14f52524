"""Builds in the sandbox: a hostile build is contained like a bot, and what it makes is bounded."""

import math
import os
import select
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.bots.conftest import MakeBot
from tests.support.containment import contained
from tourney.bots.catalogue import build
from tourney.bots.catalogue.build import (
    BuildJob,
    BuildResult,
    build_folder,
    host,
    kept_damage,
    run_build,
    runnable_folder,
)
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.bots.catalogue.tree import Bounds, hash_tree
from tourney.bots.sandbox.plain import PlainSandbox
from tourney.bots.sandbox.sandbox import Sandbox, open_sandbox
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
    "pipe": ("mkfifo p", "p is not a regular file"),
    "unreadable": ("mkdir d; echo >d/f; chmod 000 d", "d has permissions 000"),
    "processes": (
        "i=0; while [ $i -lt 450 ]; do sleep 1000 & i=$((i+1)); done; wait",
        "more than 384 processes",
    ),
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


# -- builds run once per host, are kept beside the entries, and report their failures ----------------------


PLAIN = PlainSandbox("off")
MAKE = "#!/bin/sh\necho building\nprintf '#!/bin/sh\\n' > run\nchmod +x run\n"


@pytest.fixture
def built(store: BotStore, make_bot: MakeBot) -> StoredBot:
    """A bot whose build writes its program."""
    return store.add(make_bot(files={"make.sh": MAKE}, command='["./run"]', build='["sh", "make.sh"]'))


class Runner:
    """A stand-in for ``run_build`` that returns a given result and remembers the jobs."""

    def __init__(self, output: bytes = b"", why: str = "", makes: str = "run") -> None:
        self.jobs: list[BuildJob] = []
        self.output = output
        self._why = why
        self._makes = makes

    def __call__(self, job: BuildJob, _: Sandbox) -> BuildResult:
        self.jobs.append(job)
        job.target.mkdir()
        if self._makes:
            (job.target / self._makes).write_text("made")
            (job.target / self._makes).chmod(0o755)
        return BuildResult(self.output, self._why, hash_tree(job.target))


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> Runner:
    """Builds that make a program and run nothing."""
    fake = Runner()
    monkeypatch.setattr(build, "run_build", fake)
    return fake


def test_bot_without_build_runs_in_its_entry(store: BotStore, make_bot: MakeBot) -> None:
    bot = store.add(make_bot())
    assert runnable_folder(store, bot, PLAIN) == bot.folder
    assert not (store.root / "builds").exists()


def test_build_does_not_change_the_entry(store: BotStore, built: StoredBot) -> None:
    """It runs in a writable copy; its read-only result lies beside the entries."""
    folder = runnable_folder(store, built, PLAIN)
    assert folder == store.root / "builds" / host() / built.digest / "files"
    assert sorted(path.name for path in folder.iterdir()) == ["bot.toml", "make.sh", "run"]
    assert all(not path.stat().st_mode & 0o222 for path in [folder, *folder.iterdir()])
    assert store.fetch(built.digest) == built


@pytest.mark.parametrize(("seconds", "allowed"), [(7.5, 7.5), (10_000, 600), (math.inf, 600)])
def test_build_may_be_given_less_time(
    store: BotStore, built: StoredBot, runner: Runner, seconds: float, allowed: float
) -> None:
    runnable_folder(store, built, PLAIN, seconds=seconds)
    assert [job.seconds for job in runner.jobs] == [allowed]


def test_bot_is_built_once(store: BotStore, built: StoredBot, runner: Runner) -> None:
    first = runnable_folder(store, built, PLAIN)
    assert runnable_folder(store, built, PLAIN) == first
    (job,) = runner.jobs
    assert job.argv == ("sh", "make.sh")
    assert job.seconds > 0
    assert job.max_output > 0


def test_damaged_build_is_built_again(store: BotStore, built: StoredBot, runner: Runner) -> None:
    folder = runnable_folder(store, built, PLAIN)
    (folder / "run").chmod(0o755)
    (folder / "run").write_text("evil")
    assert "the content of run has changed" in kept_damage(folder.parent)
    assert runnable_folder(store, built, PLAIN) == folder
    assert (folder / "run").read_text() == "made"
    assert len(runner.jobs) == 2


@pytest.mark.parametrize(
    ("fake", "message"),
    [
        (Runner(why="it exited with code 2"), r"\(sh make\.sh\) failed: it exited with code 2"),
        (Runner(makes=""), "the command's program ./run is not among the bot's files"),
    ],
)
def test_failed_build_reports_last_lines_and_leaves_nothing(
    store: BotStore, built: StoredBot, fake: Runner, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lines are a note to the error, made safe for a terminal; the error stays one sentence."""
    fake.output = b"".join(b"line %d\n" % k for k in range(30)) + b"\x1b[31mred\n\n"
    monkeypatch.setattr(build, "run_build", fake)
    with pytest.raises(BotError, match=message) as caught:
        runnable_folder(store, built, PLAIN)
    assert "\n" not in str(caught.value)
    assert "mybot@1.0" in str(caught.value)
    (note,) = caught.value.__notes__
    assert note.splitlines()[0] == "the last lines of the build:"
    assert note.splitlines()[1:] == [*(f"line {k}" for k in range(16, 30)), " [31mred"]
    assert [path.name for path in (store.root / "builds" / host()).iterdir()] == [f"{built.digest}.lock"]


def test_leftovers_of_interrupted_build_are_removed(store: BotStore, built: StoredBot) -> None:
    left = store.root / "builds" / host() / f"{built.digest}.new" / "files"
    left.mkdir(parents=True)
    (left / "half").write_text("x")
    folder = runnable_folder(store, built, PLAIN)
    assert not (folder / "half").exists()
    assert not left.exists()


def test_build_may_make_links(store: BotStore, make_bot: MakeBot) -> None:
    """Package managers make links; only submitted files may not be links."""
    make = "ln -s make.sh link\nln -s /nowhere dead\n" + MAKE
    folder = make_bot(files={"make.sh": make}, command='["./run"]', build='["sh", "make.sh"]')
    made = runnable_folder(store, store.add(folder), PLAIN)
    assert (made / "link").readlink() == Path("make.sh")
    assert kept_damage(made.parent) == ""
    made.chmod(0o755)
    (made / "link").unlink()
    (made / "link").symlink_to("bot.toml")
    assert "link has changed" in kept_damage(made.parent)


def plain_job(tmp_path: Path, script: str, *, seconds: int = 60, max_output: int = 1_000_000) -> BuildJob:
    (tmp_path / "source").mkdir()
    argv = ("sh", "-c", script)
    return BuildJob(argv, tmp_path / "source", tmp_path / "made", seconds=seconds, max_output=max_output)


def test_build_result_has_its_output(tmp_path: Path) -> None:
    """Standard output and error are merged; standard input is empty; the folder is the current one."""
    result = run_build(plain_job(tmp_path, "cat; pwd; echo bad >&2; env | sort | head -1; exit 3"), PLAIN)
    assert result == BuildResult(f"{tmp_path}/work\nbad\nHOME=/tmp\n".encode(), "it exited with code 3")
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


def test_hanging_build_is_stopped_with_its_children(tmp_path: Path) -> None:
    """The pipe that a child holds is closed when the build returns."""
    result = run_build(plain_job(tmp_path, "echo begun; sleep 1000 & sleep 1000", seconds=0), PLAIN)
    assert result.why == "it took longer than 0 s"


def test_build_does_not_wait_for_its_daemons(tmp_path: Path) -> None:
    result = run_build(plain_job(tmp_path, "sleep 1000 & echo $!; exit 0"), PLAIN)
    assert not result.why
    try:
        left = os.pidfd_open(int(result.output))
    except ProcessLookupError:
        return
    poll = select.poll()
    poll.register(left, select.POLLIN)
    assert poll.poll(60_000), "the child lives on"
    os.close(left)


def test_build_with_endless_output_is_stopped(tmp_path: Path) -> None:
    result = run_build(plain_job(tmp_path, "yes", max_output=100_000), PLAIN)
    assert "of output" in result.why
    assert len(result.output) <= 16 * 1024


def test_build_that_cannot_start_says_why(tmp_path: Path) -> None:
    result = run_build(replace(plain_job(tmp_path, ""), argv=("./gone",)), PLAIN)
    assert result.why == "it could not be started: No such file or directory"
