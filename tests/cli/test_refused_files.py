"""A tournament file that cannot be played is refused in one sentence and creates no database."""

from pathlib import Path

import pytest

from tests.command import invoke
from tests.tournaments import write_file

TOP = 'name = "cup"\ngame = "sage-stones"\n'
PLAIN = TOP + 'bots = ["pebble", "random"]\n'
ENTRANT = PLAIN + '[[entrant]]\nbot = "pebble"\nname = "other"\n'
BOT = 'name = "o"\nversion = "1"\ngames = ["sage-stones"]\n'
"""A manifest without its command."""


def manifest(folder: Path, text: str) -> None:
    (folder / "own").mkdir()
    (folder / "own" / "bot.toml").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "name is missing"),
        ("name = ", "this is no TOML"),
        (PLAIN + "seed = " + "9" * 5000, "a number has more than 4,300 digits"),
        (PLAIN + "seed = 0x" + "f" * 5000, "a number has more than 128 bits"),
        (PLAIN + "seed = 18446744073709551616", "seed is 18446744073709551616"),
        (PLAIN + "x = " + "[" * 100_000, "nested more than 32 deep"),
        (PLAIN.replace("sage-stones", "s" * 5000), 'game is "sss'),
        (PLAIN.replace("sage-stones", "\\u0000"), 'game is "\\x00"'),
        (PLAIN + "seats = 5", "seats"),
        (PLAIN + "seats = 4", "at least 4 entrants, not 2"),
        (PLAIN + "games-per-pairing = 3", "must be a multiple of 2"),
        (PLAIN + "opening-plies = 199", "ends within 199 opening plies"),
        (PLAIN.replace("sage-stones", "sages-tafl") + 'opening-book = "x"', "cannot be read"),
        (PLAIN.replace("sage-stones", "sages-tafl") + 'opening-book = "a\\u0000"', "but must name a file"),
        (PLAIN.replace("sage-stones", "sages-tafl") + 'opening-book = "/dev/zero"', "at most 4 MiB"),
        (PLAIN + 'format = "swiss"', "rounds is missing"),
        (PLAIN + 'format = "swiss"\nrounds = 9', "rounds is 9"),
        (PLAIN + 'format = "adaptive"', "needs budget"),
        (PLAIN + 'format = "compare"', "format is"),
        (PLAIN + 'format = "import"', "format is"),
        (PLAIN + "[options]\nstones = 0", "stones"),
        (PLAIN + '[options]\n"\\u0000" = "1"', "sage-stones has no option"),
        (PLAIN + "[limits]\nmove-ms = 0", "move-ms is 0"),
        (PLAIN + '[run]\nwithdrawn = ["random"]', "has not started"),
        (TOP + 'bots = ["pebble"]', "at least 2 entrants, not 1"),
        (TOP + 'bots = ["pebble", "pebble"]', "two entrants are called pebble"),
        (TOP + 'bots = ["pebble", "unknown"]', "there is no bot 'unknown'"),
        (TOP + 'bots = ["pebble", "./own"]', "no bot.toml"),
        (TOP + 'bots = ["pebble", "a\\u0000b"]', 'item 2 of bots is "a\\x00b", but must name a bot'),
        (ENTRANT + 'args = ["a\\u0000"]', 'item 1 of args is "a\\x00", but must hold no control character'),
        (ENTRANT + 'args = ["b", "\\u001b[31m"]', "but must hold no control character"),
        (ENTRANT + 'args = ["a\\nb"]', "but must hold no control character"),
        (ENTRANT + 'args = ["\\u0085"]', "but must hold no control character"),
        (ENTRANT + f'args = ["{"a" * 1001}"]', "item 1 of args has 1,001 characters"),
        (ENTRANT + 'args = ["' + '","' * 100 + '"]', "args has 101 items, but may have at most 100"),
    ],
    ids=lambda value: value[-40:],
)
def test_refused_file_creates_no_database(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "own").mkdir()
    refuse(tmp_path, text, says)


@pytest.mark.parametrize(
    ("made", "says"),
    [
        ('command = ["no-such-program"]', "there is no program no-such-program on PATH"),
        ('command = ["./no-such-file"]', "is not among the bot's files"),
        ('command = ["sh"]\nbuild = ["false"]', "the build of o@1 (false) failed"),
        ('command = ["sh"]\nx = ' + "9" * 5000, "a number has more than 4,300 digits"),
        ('command = ["sh"]\nx = ' + "[" * 5000, "nested more than 32 deep"),
    ],
    ids=lambda value: value[-40:],
)
def test_bot_that_cannot_start_creates_no_database(tmp_path: Path, made: str, says: str) -> None:
    manifest(tmp_path, BOT + made)
    refuse(tmp_path, TOP + 'bots = ["pebble", "./own"]\n[run]\nsandbox = "off"', says)


def refuse(folder: Path, text: str, says: str) -> None:
    """Expect one sentence, exit code 2, and no new file except the log and the bots."""
    file = write_file(folder, text)
    db = folder / "tourney.db"
    done = invoke("run", str(file), "--db", str(db), "--bots", str(folder / "bots"), "--workers", "1")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 600
    assert {path.name for path in folder.iterdir()} <= {"bots", "own", "cup.toml", "tourney.db-cup.log"}


def test_endless_file_is_refused(tmp_path: Path) -> None:
    done = invoke("run", "/dev/zero", "--db", str(tmp_path / "tourney.db"))
    assert (done.exit_code, done.stderr) == (
        2,
        "error: /dev/zero: a tournament file has at most 1 MiB\n",
    )
    assert list(tmp_path.iterdir()) == []
