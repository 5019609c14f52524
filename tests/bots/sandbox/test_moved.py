"""An environment below /tmp, which a bot sees in another place, because its own /tmp is empty."""

import sys
import time
import venv
from pathlib import Path

import pytest

from tests.containment import contained
from tourney.bots.catalogue.command import BotCommand, environment, interpreter_paths
from tourney.bots.sandbox.bubblewrap import EXTRAS, Bubblewrap, Users
from tourney.bots.sandbox.cgroups import find_cgroups
from tourney.bots.sandbox.moved import NEW_ROOT, can_move, changed_files, moved, new_place

FAR = 60 * 10**9


def test_only_paths_below_private_folders_move() -> None:
    """The program, and the entries of PATH; the bot's arguments stay as they are."""
    assert new_place(Path("/tmp/env/bin")) == NEW_ROOT / "tmp/env/bin"
    assert new_place(Path("/opt/env/bin")) == Path("/opt/env/bin")
    env = (("PATH", "/tmp/env/bin:/usr/bin"), ("HOME", "/tmp"))
    command = moved(BotCommand(("/tmp/env/bin/python", "/tmp/x"), Path("/tmp/bot"), env))
    assert command.argv == (f"{NEW_ROOT}/tmp/env/bin/python", "/tmp/x")
    assert command.env == (("PATH", f"{NEW_ROOT}/tmp/env/bin:/usr/bin"), ("HOME", "/tmp"))
    assert moved(BotCommand(("./bot",), Path("/tmp/bot"), ())).argv == ("./bot",)
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
