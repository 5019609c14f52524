"""``tourney run``: unattended runs, files that cannot be played, and bad input."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.support.command import invoke, run
from tests.support.tournaments import THREE_PEBBLES, WAITING_CUP, waiting_cup, write_file
from tourney.errors import GameError


def test_finished_run_changes_nothing(home: Path, db: str) -> None:
    before = Path(db).read_bytes()
    result = invoke("run", str(home / "cup.toml"), "--db", db, "--bots", str(home / "tourney-bots"))
    assert result.exit_code == 0
    assert "cup: all played (12 of 12 matches, no faults)\ncup: root " in result.stderr
    assert Path(db).read_bytes() == before
    quiet = invoke("run", str(home / "cup.toml"), "--db", db, "--bots", str(home / "tourney-bots"), "-q")
    assert (quiet.stdout, quiet.stderr) == ("", "")


def test_finished_run_loads_little_and_starts_no_process(home: Path, db: str) -> None:
    code = (
        "import atexit, sys\n"
        "from multiprocessing import resource_tracker\n"
        "heavy = {'numpy', 'pydantic', 'sqlalchemy.orm', 'rich', 'email', 'asyncio.events', 'pdb'}\n"
        "def tell(): print(sorted(heavy & {*sys.modules}), resource_tracker._resource_tracker._pid)\n"
        "atexit.register(tell)\n"
        f"sys.argv[1:] = ['run', 'cup.toml', '--db', {db!r}]\n"
        "from tourney.cli.start import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=home, capture_output=True, text=True, check=True)
    assert done.stdout == "[] None\n"


@pytest.mark.parametrize(
    ("change", "words", "code", "sentence"),
    [
        (('"sage-stones"', '"draughts"'), (), 2, "there is no game 'draughts'; the games are:"),
        (('["pebble"]', '["unknown"]'), (), 2, "there is no bot 'unknown'"),
        (("seed = 7", "sead = 7"), (), 2, 'unknown key "sead"; did you mean seed?'),
        (("pairing = 4", "pairing = 5"), (), 2, "games-per-pairing is 5, but must be a multiple of 2"),
        (("pairing = 4", "pairing = 1000000"), (), 2, "would have 3,000,000 matches"),
        (("", ""), ("--stop-at", "noon"), 2, "--stop-at 'noon' is not a time of day"),
        (("", ""), ("--until", "noon"), 2, "--stop-at 'noon' is not a time of day"),
        (("", ""), ("--stop-after", "0h"), 2, "--stop-after '0h' leaves no time at all"),
        (("", ""), ("--budget", "0h"), 2, "--stop-after '0h' leaves no time at all"),
        (
            ("", ""),
            ("--executor", "tcp://x"),
            2,
            "there is no executor 'tcp'; the executors are: ",
        ),
        (("", ""), ("--workers", "0"), 2, "Invalid value for '--workers'"),
        (("", ""), ("--db", "/proc/t.db"), 3, "the database /proc/t.db cannot be made"),
        (("", ""), ("--bots", "/proc/bots"), 3, "the bot store /proc/bots cannot be written"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(
    tmp_path: Path, change: tuple[str, str], words: tuple[str, ...], code: int, sentence: str
) -> None:
    path = write_file(tmp_path, THREE_PEBBLES.replace(*change, 1))
    places = ("--db", str(tmp_path / "t.db"), "--bots", str(tmp_path / "bots"))
    done = invoke("run", str(path), *places, *words)
    assert done.exit_code == code
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.rstrip("\n").count("\n") == 0
    assert not (tmp_path / "t.db").exists()


@pytest.mark.slow
def test_unattended_run_ends_with_summary_log_report_and_notification(tmp_path: Path) -> None:
    home = waiting_cup(tmp_path)
    program = (
        "import os, sys; open('notified', 'w').write(os.environ['TOURNEY_END'] + ' ' + sys.stdin.read())"
    )
    done = run("run", "cup.toml", "--report", "0", "--notify", f'{sys.executable} -c "{program}"', cwd=home)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "dead is benched: it failed at start-up 3 times (matches " in done.stderr
    page = done.stderr[done.stderr.index("cup: sage-stones, round-robin, 2 seats") :]
    assert "  matches    40 of 40, 25 void\n" in page
    assert "  faults     dead: 15 startup\n" in page
    assert "  benched    dead: 25 of its matches are void\n" in page
    assert "\ncup: all played (40 of 40 matches, " in page
    assert (home / "reports" / "cup" / "index.html").is_file()
    assert (home / "notified").read_text().startswith("finished cup: sage-stones")
    log = [json.loads(line) for line in (home / "tourney.db-cup.log").read_text().splitlines()]
    events = [line["event"] for line in log]
    assert events.count("match") == 40
    assert events[-2:] == ["end", "notify"]
    assert [line["entrant"] for line in log if line["event"] == "bench"] == ["dead"]
    assert (log[-2]["end"], log[-2]["code"]) == ("finished", 0)
    [line] = json.loads(invoke("status", "--db", str(home / "tourney.db"), "--format", "json").stdout)[
        "tournaments"
    ]
    assert line["benched"] == [{"entrant": "dead", "void": 25}]
    assert "cup benched" in invoke("status", "--db", str(home / "tourney.db")).stdout


def test_unwritable_log_is_refused_before_play(tmp_path: Path) -> None:
    home = waiting_cup(tmp_path)
    done = run("run", "cup.toml", "--log", "nowhere/log", cwd=home)
    assert done.returncode == 2
    why = "the log nowhere/log cannot be written: No such file or directory; name another file by --log"
    assert done.stderr == f"error: {why}\n"
    assert not (home / "tourney.db").exists()


@pytest.mark.slow
def test_unbench_is_refused_before_the_tournament_starts(tmp_path: Path) -> None:
    """Neither without a database, which is not created, nor in one with another tournament."""
    home = waiting_cup(tmp_path)
    done = run("run", "cup.toml", "--unbench", "first", cwd=home)
    assert done.returncode == 2
    assert done.stderr == "error: --unbench first: cup has not started, so it has no benched entrant\n"
    assert not (home / "tourney.db").exists()
    write_file(home, WAITING_CUP.replace('"cup"', '"other"'), "other.toml")
    run("run", "other.toml", "--max-faults", "2", cwd=home)
    assert run("run", "cup.toml", "--unbench", "first", cwd=home).returncode == 2
    assert "cup" not in run("status", cwd=home).stdout


@pytest.mark.slow
def test_notify_runs_after_fault_limit_and_failed_start(tmp_path: Path) -> None:
    home = waiting_cup(tmp_path)
    notify = (
        "--notify",
        f"{sys.executable} -c \"import os; open('notified', 'a').write(os.environ['TOURNEY_CODE'])\"",
    )
    done = run("run", "cup.toml", "--max-faults", "2", *notify, cwd=home)
    assert done.returncode == 1, done.stderr
    assert "too many faults by match 8: stopping" in done.stderr
    assert "stopped: too many faults (--max-faults) (15 of 40 matches" in done.stderr
    done = run("run", "cup.toml", "--unbench", "unknown", *notify, cwd=home)
    assert done.returncode == 2
    assert (home / "notified").read_text() == "12"


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
        ("name = ", "this is not valid TOML"),
        (PLAIN + "seed = " + "9" * 5000, "a number has more than 4,300 digits"),
        (PLAIN + "seed = 0x" + "f" * 5000, "a number has more than 512 bits"),
        (PLAIN + "seed = -1", "seed is -1"),
        (PLAIN + "x = " + "[" * 100_000, "nested more than 32 deep"),
        (PLAIN.replace("sage-stones", "s" * 5000), 'game is "sss'),
        (PLAIN.replace("sage-stones", "\\u0000"), 'game is "\\x00"'),
        (PLAIN + "seats = 5", "seats"),
        (PLAIN + "seats = 4", "at least 4 entrants, not 2"),
        (PLAIN + "games-per-pairing = 3", "must be a multiple of 2"),
        (PLAIN + "opening-plies = 199", "ends within 199 opening plies"),
        (PLAIN.replace("sage-stones", "sages-tafl") + 'opening-book = "x"', "cannot be read"),
        (PLAIN.replace("sage-stones", "sages-tafl") + 'opening-book = "a\\u0000"', "but must name a file"),
        (PLAIN.replace("sage-stones", "sages-tafl") + 'opening-book = "/dev/zero"', "it is not a file"),
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


def test_command_line_stands_for_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It writes the file, which the same command and `tourney run FILE` continue."""
    monkeypatch.chdir(tmp_path)
    words = ("run", "--game", "sage-stones", "--bots", "pebble,random,greedy", "--format", "swiss")
    keys = ("limits.move-ms=600000", "run.sandbox=off", "run.reuse=true")
    more = (
        *(word for key in keys for word in ("--set", key)),
        "--name",
        "cup",
        "--rounds",
        "2",
        "--workers",
        "1",
    )
    assert invoke(*words, *more, "--dry-run").exit_code == 0
    assert not (tmp_path / "cup.toml").exists()
    done = invoke(*words, *more, "--format", "json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["rows"] == 4
    assert "wrote cup.toml" in done.stderr
    assert json.loads(invoke("run", "cup.toml", "--format", "json").stdout)["played"] == 0
    assert invoke(*words, *more).exit_code == 0
    other = invoke(*words, "--name", "cup", "--rounds", "3")
    assert (other.exit_code, "is another tournament file" in other.stderr) == (2, True)


def test_top_of_a_finished_tournament_plays_on(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The game is that of the finished tournament."""
    for name in ("tourney.db", "tourney-bots"):
        copy = shutil.copytree if (home / name).is_dir() else shutil.copy
        copy(home / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    words = ("run", "--from", "cup", "--top", "2", "--name", "final", "--set", "run.sandbox=off")
    done = invoke(*words, "--workers", "1", "--format", "json")
    assert (done.exit_code, json.loads(done.stdout)["rows"]) == (0, 2)
    assert 'bots = ["@standings:cup:2"]' in (tmp_path / "final.toml").read_text()
    assert invoke("run", "final.toml").exit_code == 0
    lone = invoke("run", "--from", "cup", "--name", "other")
    assert (lone.exit_code, "--from and --top go together" in lone.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name a tournament file, or the game and the bots"),
        (("--game", "sage-stones"), "name a tournament file, or the game and the bots"),
        (("cup.toml", "--game", "sage-stones"), "omit it"),
        (("--game", "sage-stones", "--bots", "pebble", "--set", "x"), "does not have the form KEY=VALUE"),
        (("--game", "sage-stones", "--bots", "pebble"), "removed sage-stones-round-robin-"),
    ],
)
def test_command_line_without_a_whole_tournament_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = invoke("run", *words)
    assert done.exit_code == 2
    assert said in done.stderr
    assert not [*tmp_path.glob("*.toml"), *tmp_path.glob("*.db")]


@pytest.mark.addon("chess")
def test_game_without_its_package_starts_no_tournament(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "tourney.addons.chess.game.rules", Mock(side_effect=GameError("needs the package chess"))
    )
    write_file(tmp_path, 'name = "cup"\ngame = "chess"\nbots = ["random", "mcts"]\n')
    done = invoke("run", "cup.toml")
    assert (done.exit_code, done.stderr) == (2, "error: cup.toml: needs the package chess\n")
    assert not (tmp_path / "tourney.db").exists()
