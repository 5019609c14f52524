"""Builds in the sandbox: a hostile build is contained like a bot."""

import os
from pathlib import Path

from tests.containment import contained
from tourney.bots.catalogue.build import BuildJob, run_build
from tourney.bots.sandbox.base import open_sandbox
from tourney.bots.sandbox.plain import PlainSandbox


def job(folder: Path, script: str, **bounds: int) -> BuildJob:
    return BuildJob(("/bin/sh", "-c", script), folder, **bounds)


@contained
def test_build_writes_only_its_folder(tmp_path: Path) -> None:
    """The referee owns the result, and the bot's user can read it."""
    secret = tmp_path / "database"
    secret.write_text("secret", "ascii")
    folder = tmp_path / "files"
    folder.mkdir()
    script = (
        f"umask 077; mkdir sub; echo x >sub/made; ln -s {secret} sub/link; cat {secret} sub/link;"
        "tail -n +3 /proc/net/dev | grep -vc lo: ; echo y >/usr/x; pwd"
    )
    result = run_build(job(folder, script), open_sandbox("auto"))
    assert result.code == 0, result
    assert b"secret" not in result.output
    assert result.output.endswith(b"/bot\n")
    made = (folder / "sub" / "made").stat()
    assert made.st_uid == os.geteuid()
    if os.geteuid() == 0:  # then bots run under users of their own
        assert made.st_mode & 0o777 == 0o644
        assert (folder / "sub").stat().st_mode & 0o777 == 0o755
    assert secret.stat().st_uid == os.geteuid()
    assert not Path("/usr/x").exists()


@contained
def test_build_leaves_no_process(tmp_path: Path) -> None:
    """A daemon of the build ends with it, so it cannot change the stored files."""
    script = "setsid sh -c 'while :; do echo x >>late; done' & until [ -s late ]; do :; done; echo up"
    result = run_build(job(tmp_path, script), open_sandbox("auto"))
    assert result.output == b"up\n"
    size = (tmp_path / "late").stat().st_size
    assert all((tmp_path / "late").stat().st_size == size for _ in range(1000))


def test_build_that_fills_the_disk_is_stopped(tmp_path: Path) -> None:
    """The file size limit stops one large file; the check of the folder's size stops many."""
    script = "i=0; while :; do i=$((i+1)); head -c 100000 /dev/zero >f$i; done"
    result = run_build(job(tmp_path, script, max_disk=1 << 20), PlainSandbox("off"))
    assert result.code is None
    assert result.why == "it wrote more than 1 MiB of files"


@contained
def test_hanging_build_is_stopped_in_sandbox(tmp_path: Path) -> None:
    """The result says why, and the folder belongs to the referee again."""
    result = run_build(job(tmp_path, "exec sleep 1000", seconds=0), open_sandbox("auto"))
    assert (result.code, result.why) == (None, "it took longer than 0 s")
    assert tmp_path.stat().st_uid == os.geteuid()
