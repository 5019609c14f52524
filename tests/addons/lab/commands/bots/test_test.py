"""``tourney bots test``: dialogues written and replayed."""

import json
from pathlib import Path

import pytest

from tests.support.command import invoke
from tests.support.folders import write_shell_bot
from tests.support.sessions import record_of, searching
from tourney.bot.turn import Turn
from tourney.games.base import AnyState

CASES = """\
tourney) echo info hello; echo bot wants=legal;; game) echo ready;; legal) legal=$rest;;
go) echo info depth=1; echo "move ${legal%% *}";;
"""


FIRST = "> tourney 1\n< bot wants=legal\n"


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    return write_shell_bot(tmp_path, "first", CASES, games='["sage-stones"]')


@pytest.mark.slow
@pytest.mark.parametrize("game", ["sage-stones", "cyvasse"])
def test_recorded_dialogue_is_played_again(game: str, tmp_path: Path) -> None:
    """Also of a game with hidden actions; ``info`` lines are not part of it."""
    bot = write_shell_bot(tmp_path, "first", CASES, games=f'["{game}"]')
    file = tmp_path / "dialogue.txt"
    checked = invoke("bots", "check", str(bot), "--sandbox", "off", "--record", str(file))
    assert checked.exit_code == 0, checked.output
    lines = file.read_text("utf-8").splitlines()
    assert lines[:3] == [f"# first@1.0: {game} at seat 1 of 2", "> tourney 1", "< bot wants=legal *"]
    assert lines[-2].startswith("> over ")
    assert lines[-1] == "> quit"
    assert "< info" not in file.read_text("utf-8")
    count = sum(line.startswith("< ") for line in lines)
    done = invoke("bots", "test", str(file), str(bot), "--sandbox", "off")
    assert (done.exit_code, done.stdout) == (0, f"first@1.0 says what {file} expects, in {count} lines\n")


def test_recorded_dialogue_outlives_name_and_version(tmp_path: Path) -> None:
    file = tmp_path / "dialogue.txt"
    for version in ("1.0", "1.1", "none"):
        about = "" if version == "none" else f" name=x version={version}"
        cases = CASES.replace("bot wants=legal", f"bot wants=legal{about}")
        bot = write_shell_bot(tmp_path, f"first-{version}", cases, games='["sage-stones"]')
        if version == "1.0":
            invoke("bots", "check", str(bot), "--sandbox", "off", "--record", str(file))
            assert file.read_text("utf-8").splitlines()[2] == "< bot wants=legal *"
        assert invoke("bots", "test", str(file), str(bot), "--sandbox", "off").exit_code == 0


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        ("tourney) echo bot;;", "line 2: expected 'bot wants=legal', but the bot said 'bot'"),
        ("tourney) exit 4;;", "line 2: expected 'bot wants=legal', but the bot ended: exited with code 4"),
        (
            "tourney) head -c 5000 /dev/zero; echo;;",
            "line 2: expected 'bot wants=legal', but the bot said a line that is too long or not UTF-8",
        ),
    ],
)
def test_first_difference_is_named_with_its_line(cases: str, said: str, tmp_path: Path) -> None:
    bot = write_shell_bot(tmp_path, "other", f"{cases}\n")
    file = tmp_path / "dialogue.txt"
    file.write_text(FIRST, "utf-8")
    done = invoke("bots", "test", str(file), str(bot), "--sandbox", "off")
    assert (done.exit_code, done.stderr) == (1, f"error: {file}, {said}\n")


def test_silent_bot_is_named_after_the_time_for_an_answer(tmp_path: Path) -> None:
    bot = write_shell_bot(tmp_path, "silent", "tourney) echo broken >&2;;\n")
    file = tmp_path / "dialogue.txt"
    file.write_text(FIRST, "utf-8")
    done = invoke("bots", "test", str(file), str(bot), "--sandbox", "off", "--answer-ms", "300")
    assert done.exit_code == 1
    assert done.stderr.endswith("but the bot said nothing in 300 ms\n")


def test_missing_dialogue_is_one_sentence(tmp_path: Path) -> None:
    done = invoke("bots", "test", str(tmp_path / "none.txt"), "random")
    assert (done.exit_code, done.stderr) == (
        2,
        f"error: {tmp_path / 'none.txt'} cannot be read: No such file or directory\n",
    )


def test_dialogue_of_one_line_is_counted_as_one(bot: Path, tmp_path: Path) -> None:
    file = tmp_path / "dialogue.txt"
    file.write_text(FIRST, "utf-8")
    done = invoke("bots", "test", str(file), str(bot), "--sandbox", "off")
    assert done.stdout == f"first@1.0 says what {file} expects, in 1 line\n"


@pytest.fixture
def lost(tmp_path: Path) -> str:
    """A file with a record in which seat 2 plays its first legal actions."""
    (tmp_path / "lost.json").write_bytes(record_of("sages-tafl", [searching(2), first_legal], 1).encode())
    return str(tmp_path / "lost.json")


def first_legal(_state: AnyState, turn: Turn) -> object:
    return turn.legal[0]


def test_position_of_a_match_becomes_a_test_of_the_bot(lost: str, tmp_path: Path) -> None:
    bot = write_shell_bot(tmp_path, "first", CASES, games='["sages-tafl"]')
    actions = json.loads(Path(lost).read_text())["actions"]
    seat, played = actions[3]
    assert seat == 2
    off = ("--sandbox", "off")
    add = ("bots", "test", str(bot), "--add", f"{lost}@4", *off)
    avoided = invoke(*add, "--avoid", played)
    file = bot / "tests" / "lost.json-4.dialogue"
    assert avoided.stdout == f"{file} is written; now the bot fails: it chooses {played}\n"
    lines = file.read_text().splitlines()
    assert lines[:2] == [f"# {lost}, action 4", "> tourney 1"]
    assert [line for line in lines if line.startswith("> play")] == [
        f"> play {actor} {action}" for actor, action in actions[:3]
    ]
    assert sum(line.startswith("> go") for line in lines) == 1
    assert lines[-1] == f"! move {played}"
    failed = invoke("bots", "test", str(bot), *off)
    assert failed.exit_code == 1
    assert f"expected anything but 'move {played}', but the bot said 'move {played}'" in failed.stdout
    assert "1 dialogue of 1 failed" in failed.stderr
    assert invoke(*add, "--expect", played).exit_code == 0
    passed = invoke("bots", "test", str(bot), *off)
    assert (passed.exit_code, passed.stdout) == (0, f"{file}: ok\n")
    document = json.loads(invoke("bots", "test", str(bot), *off, "--format", "json").stdout)
    assert document["dialogues"] == [{"file": str(file), "difference": None}]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--add", "4"), "--add goes with one of --expect ACTION and --avoid ACTION"),
        (("--expect", "a"), "--add goes with one of"),
        (("--add", "LOST", "--expect", "a"), "is not of the form MATCH@ACTION"),
        (("--add", "LOST@4", "--expect", "nonsense"), "nonsense cannot be played as action 4 of"),
        (("--add", "LOST@4000", "--expect", "a"), "there is no action 4000"),
        ((), "there is no *.dialogue in"),
    ],
)
def test_tests_that_cannot_be_written_are_refused(
    lost: str, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    bot = write_shell_bot(tmp_path, "first", CASES, games='["sages-tafl"]')
    done = invoke(
        "bots", "test", str(bot), *(word.replace("LOST", lost) for word in words), "--sandbox", "off"
    )
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr
    assert not (bot / "tests").exists()
