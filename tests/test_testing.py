"""Dialogues are recorded, replayed, and refused with the line that is wrong."""

from pathlib import Path

import pytest

from tests.support.folders import write_shell_bot
from tourney.errors import BotError
from tourney.testing import MOST_BYTES, check_dialogue, read_dialogue

CASES = """\
tourney) echo info hello; echo bot wants=legal;; game) echo ready;; legal) legal=$rest;;
go) echo info depth=1; echo "move ${legal%% *}";;
"""


FIRST = "> tourney 1\n< bot wants=legal\n"


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    return write_shell_bot(tmp_path, "first", CASES, games='["sage-stones"]')


def test_star_stands_for_any_text_in_a_test_of_pythons(bot: Path) -> None:
    """The command is started in the dialogue's folder; its ``info`` lines count where they are expected."""
    file = bot / "dialogue.txt"
    game = "> game sage-stones seats=2 seat=1 seed=7 stones=3\n< ready\n"
    turn = "> legal a1 b1\n> go\n< info depth=*\n< move a*\n"
    file.write_text(f"# by hand\n\n{FIRST}{game}{turn}> quit\n", "utf-8")
    command = ["/bin/sh", "bot.sh"]
    check_dialogue(command, file)
    file.write_text(file.read_text("utf-8").replace("move a*", "move b*"), "utf-8")
    with pytest.raises(AssertionError, match=r"line 10: expected 'move b\*', but the bot said 'move a1'"):
        check_dialogue(command, file)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"> tourney 1\n", "no line of it begins with '<' or '!', so it tests nothing"),
        (b"", "so it tests nothing"),
        (b"> tourney 1\nbot\n", "line 2: 'bot' begins neither with '> '"),
        (b"< \xff\n", "is not UTF-8 text"),
    ],
)
def test_file_that_is_no_dialogue_is_refused(data: bytes, words: str, tmp_path: Path) -> None:
    file = tmp_path / "dialogue.txt"
    file.write_bytes(data)
    with pytest.raises(BotError) as caught:
        read_dialogue(file)
    assert str(caught.value).startswith(f"{file}")
    assert words in str(caught.value)


def test_file_that_is_too_large_is_refused_unread(tmp_path: Path) -> None:
    file = tmp_path / "dialogue.txt"
    with file.open("wb") as made:
        made.write(b"\xff")
        made.truncate(MOST_BYTES + 1)
    with pytest.raises(BotError, match="larger than 16,777,216 bytes"):
        read_dialogue(file)
