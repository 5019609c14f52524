"""Folders of hostile authors against the commands that take a bot from them.

The author may write to the folder at any moment, and the user of the command may read more than the author.
Each attack tries to get a file of the user's into the bot. From there a build, the bot's output or a report
would give it to the author.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.accounts import AUTHOR, accomplice, give, needs_root
from tests.support.command import invoke
from tests.support.folders import write_bot
from tourney.held_folder import HeldFolder

pytestmark = needs_root

KEY = "4711 is the user's"
COMMANDS = {
    "add": ("bots", "add", "eve/bot"),
    "check": ("bots", "check", "eve/bot", "--sandbox", "off"),
    "test": ("bots", "test", "eve/bot", "--sandbox", "off"),
    "run": ("run", "cup.toml", "--workers", "1"),
    "command": ("run", "program.toml", "--workers", "1"),
}
CUP = 'game = "sage-stones"\nformat = "round-robin"\n[run]\nsandbox = "off"\n[[entrant]]\nbot = "random"\n'


@pytest.fixture
def home(shared_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a bot of eve's and a private folder of the user's that is a bot too."""
    monkeypatch.chdir(shared_path)
    for path in (Path("eve/bot"), Path("secret")):
        files = {"bot.py": "#\n", "sub/key": "dummy", "prog": "dummy"}
        folder = write_bot(shared_path / path.parent, path.name, files)
        (folder / "prog").chmod(0o755)
    (shared_path / "secret" / "sub" / "key").write_text(KEY)
    (shared_path / "secret" / "prog").write_text(KEY)
    (shared_path / "secret" / "sub" / "key").chmod(0o600)
    (shared_path / "secret" / "prog").chmod(0o700)
    (shared_path / "secret").chmod(0o700)
    give(shared_path / "eve", AUTHOR)
    (shared_path / "cup.toml").write_text(f'name = "cup"\n{CUP}[[entrant]]\nbot = "./eve/bot"\n')
    (shared_path / "program.toml").write_text(
        f'name = "cup"\n{CUP}[[entrant]]\nname = "x"\ncommand = ["./eve/bot/prog"]\nprotocol = "uci"\n'
    )
    return shared_path


def refused(command: str, home: Path) -> str:
    """Run a command that must fail, and return its sentence; nothing of the user's file is anywhere."""
    result = invoke(*COMMANDS[command])
    assert result.exit_code == 2, result.output
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    made = [path for path in home.iterdir() if path.name not in ("eve", "secret")]
    files = [path for top in made for path in (top, *top.rglob("*")) if path.is_file()]
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    assert KEY not in result.output
    return line


@pytest.mark.parametrize("command", ["add", "check", "test", "run"])
def test_second_name_of_a_file_of_the_user_is_refused(home: Path, command: str) -> None:
    """As any account makes one without protected_hardlinks."""
    (home / "eve" / "bot" / "sub" / "key").unlink()
    (home / "eve" / "bot" / "sub" / "key").hardlink_to(home / "secret" / "sub" / "key")
    assert f"sub/key belongs to root, and the folder to {AUTHOR}" in refused(command, home)


def test_second_name_of_a_program_of_the_user_is_refused(home: Path) -> None:
    (home / "eve" / "bot" / "prog").unlink()
    (home / "eve" / "bot" / "prog").hardlink_to(home / "secret" / "prog")
    assert "is a second name of a file of root" in refused("command", home)


@pytest.mark.parametrize("command", ["add", "check", "test", "run", "command"])
def test_folder_that_is_a_link_to_one_of_the_user_is_refused(home: Path, command: str) -> None:
    (home / "eve" / "bot").rename(home / "eve" / "old")
    (home / "eve" / "bot").symlink_to(home / "secret")
    os.chown(home / "eve" / "bot", AUTHOR, AUTHOR, follow_symlinks=False)
    assert f"leads over a link of {AUTHOR} to files of root" in refused(command, home)


@pytest.mark.parametrize("command", ["add", "check", "test", "run"])
@pytest.mark.parametrize("kind", ["folder", "file", "manifest", "fifo"])
def test_exchange_during_the_copy_is_refused(
    home: Path, command: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The author acts right before the file is opened, after it was listed."""
    bot, secret = home / "eve" / "bot", home / "secret"
    place, at = {
        "folder": (bot / "sub", "sub/key"),
        "file": (bot / "sub" / "key", "sub/key"),
        "manifest": (bot / "bot.toml", "bot.toml"),
        "fifo": (bot / "sub" / "key", "sub/key"),
    }[kind]

    def swap() -> None:
        place.rename(home / "eve" / "old")
        if kind == "fifo":
            os.mkfifo(place)
        else:
            place.symlink_to(secret / place.relative_to(bot))

    with accomplice(AUTHOR, swap) as attack:
        hook(monkeypatch, at, attack)
        line = refused(command, home)
    assert "is a link, or lies below one" in line if kind != "fifo" else "is not a regular file" in line


def hook(patch: pytest.MonkeyPatch, at: str, attack: Callable[[], None]) -> None:
    """Let the attack come before the first file of this path is opened."""
    attacks, real = [attack], HeldFolder.open_file

    def hooked(self: HeldFolder, path: str) -> int:
        if attacks and path == at and "eve" in self.place.parts:
            attacks.pop()()
        return real(self, path)

    patch.setattr(HeldFolder, "open_file", hooked)


@pytest.mark.parametrize("kind", ["dialogue", "folder"])
def test_dialogues_of_a_bot_are_read_through_no_link(home: Path, kind: str) -> None:
    """A line of it would go to the bot, or be shown by the command."""
    (home / "secret" / "a.dialogue").write_text(f"> {KEY}\n< move\n")
    if kind == "folder":
        (home / "eve" / "bot" / "tests").symlink_to(home / "secret")
    else:
        (home / "eve" / "bot" / "tests").mkdir()
        (home / "eve" / "bot" / "tests" / "a.dialogue").symlink_to(home / "secret" / "a.dialogue")
    give(home / "eve", AUTHOR)
    assert "link" in refused("test", home)
