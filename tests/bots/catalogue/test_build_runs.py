"""Builds run once per host, are kept beside the entries, and report their failures."""

import os
import select
from dataclasses import replace
from pathlib import Path

import pytest

from tests.bots.conftest import MakeBot
from tourney.bots.catalogue import build
from tourney.bots.catalogue.build import build_damage, host, runnable_folder
from tourney.bots.catalogue.build_process import BuildJob, BuildResult, run_build
from tourney.bots.catalogue.files import hash_tree
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.bots.sandbox.base import Sandbox
from tourney.bots.sandbox.plain import PlainSandbox
from tourney.errors import BotError

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
    assert "the content of run has changed" in build_damage(folder.parent)
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
    assert build_damage(made.parent) == ""
    made.chmod(0o755)
    (made / "link").unlink()
    (made / "link").symlink_to("bot.toml")
    assert "link has changed" in build_damage(made.parent)


def job(tmp_path: Path, script: str, *, seconds: int = 60, max_output: int = 1_000_000) -> BuildJob:
    (tmp_path / "source").mkdir()
    argv = ("sh", "-c", script)
    return BuildJob(argv, tmp_path / "source", tmp_path / "made", seconds=seconds, max_output=max_output)


def test_build_result_has_its_output(tmp_path: Path) -> None:
    """Standard output and error are merged; standard input is empty; the folder is the current one."""
    result = run_build(job(tmp_path, "cat; pwd; echo bad >&2; env | sort | head -1; exit 3"), PLAIN)
    assert result == BuildResult(f"{tmp_path}/work\nbad\nHOME=/tmp\n".encode(), "it exited with code 3")
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


def test_hanging_build_is_stopped_with_its_children(tmp_path: Path) -> None:
    """The pipe that a child holds is closed when the build returns."""
    result = run_build(job(tmp_path, "echo begun; sleep 1000 & sleep 1000", seconds=0), PLAIN)
    assert result.why == "it took longer than 0 s"


def test_build_does_not_wait_for_its_daemons(tmp_path: Path) -> None:
    result = run_build(job(tmp_path, "sleep 1000 & echo $!; exit 0"), PLAIN)
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
    result = run_build(job(tmp_path, "yes", max_output=100_000), PLAIN)
    assert "of output" in result.why
    assert len(result.output) <= 16 * 1024


def test_build_that_cannot_start_says_why(tmp_path: Path) -> None:
    result = run_build(replace(job(tmp_path, ""), argv=("./gone",)), PLAIN)
    assert result.why == "it could not be started: No such file or directory"
