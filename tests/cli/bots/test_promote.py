"""``tourney bots promote``: refusals."""

from pathlib import Path

import pytest

from tests.support.command import invoke
from tests.support.folders import write_shell_bot

QUIT = "tourney) echo bot;;\ngame) echo ready;;\ngo) echo resign;;"
"""A bot that resigns at once."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two bots that lose and one that crashes; it is the current one."""
    for name in ("quitter", "other"):
        write_shell_bot(tmp_path, name, QUIT, games='["sage-stones"]')
    crash = QUIT.replace("echo resign", "echo gone >&2; exit 3")
    write_shell_bot(tmp_path, "crasher", crash, games='["sage-stones"]')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_promotions_that_make_no_sense_are_refused(folder: Path) -> None:
    for words, said in (
        (("random",), "name one by --game GAME"),
        (("./quitter", "--game", "sages-tafl"), "does not play sages-tafl"),
        (("./quitter", "--name", "A b"), "is not a name for a baseline"),
        (("./quitter", "--game", "go"), "there is no game"),
    ):
        done = invoke("bots", "promote", *words)
        assert (done.exit_code, said in done.stderr) == (2, True), done.stderr
