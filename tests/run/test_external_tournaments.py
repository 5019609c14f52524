"""A tournament by an outside referee: run, stored, rated and reported."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import ROOT, invoke
from tests.support.tournaments import refused, write_file
from tourney.errors import TournamentError
from tourney.games.external import OUTSIDE
from tourney.run.tournament_file import read_tournament_file

PAGE = (ROOT / "docs" / "how-to" / "outside-referees.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
FILES = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def bot(folder: Path, name: str, program: str) -> None:
    (folder / name).mkdir()
    (folder / name / "bot.toml").write_text(
        f'name = "{name}"\nversion = "1"\ncommand = ["python3", "bot.py"]\n', encoding="utf-8"
    )
    (folder / name / "bot.py").write_text(program, encoding="utf-8")


@pytest.mark.slow
def test_example_of_the_page_runs_to_its_report(tmp_path: Path) -> None:
    (tmp_path / "play_game.py").write_text(PROGRAMS[0], encoding="utf-8")
    bot(tmp_path, "mine", "print(int(input()) % 10 + 20)\n")
    bot(tmp_path, "old", "print(int(input()) % 10)\n")
    file = write_file(tmp_path, FILES[0])
    db = ("--db", str(tmp_path / "t.db"))
    done = invoke("run", str(file), "--workers", "1", "--bots", str(tmp_path / "bots"), *db)
    assert done.exit_code == 0, done.stderr
    assert OUTSIDE in done.stderr
    assert "protections enforced" not in done.stderr
    assert "mine,2.0" in invoke("standings", "--format", "csv", *db).stdout.replace("1,mine", "mine")
    assert "mine" in invoke("ratings", *db).stdout
    checked = invoke("verify", "--all", *db)
    assert (checked.exit_code, OUTSIDE in checked.stdout) == (0, True)
    exported = tmp_path / "cup.jsonl"
    assert invoke("export", "contest", "--what", "tournament", "--out", str(exported), *db).exit_code == 0
    independent = run_program(sys.executable, str(ROOT / "seeds" / "check.py"), str(exported))
    assert "2 records, 0 problems" in independent
    again = invoke("rerun", "1", "--bots", str(tmp_path / "bots"), *db)
    assert (again.exit_code, "outside referee" in again.stderr) == (1, True)
    out = tmp_path / "report"
    assert invoke("report", "--out", str(out), *db).exit_code == 0
    pages = list(out.rglob("*.html"))
    assert len(pages) > 8
    assert [page for page in pages if "An outside referee played these matches" not in page.read_text()] == []
    assert not any("not installed" in page.read_text() for page in pages if page.name != "methods.html")


def run_program(*words: str) -> str:
    """Run a program and return its output."""
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout


HEAD = 'name = "cup"\nbots = ["random", "greedy"]\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('game = "external"\n', ("referee is missing",)),
        (
            'game = "external"\nreferee = ["no-such-referee"]\n',
            ('names "no-such-referee", which is not a program',),
        ),
        ('game = "sages-tafl"\nreferee = ["python3"]\n', ('referee goes with game = "external" only',)),
        ('game = "external"\nreferee = ["python3"]\n[options]\nreferee = "x"\n', ("set by the key referee",)),
        ('game = "external"\nreferee = ["python3"]\nopening-plies = 2\n', ("opening-plies",)),
        ('game = "external"\nreferee = ["python3"]\nseats = 5\n', ("seats",)),
    ],
)
def test_wrong_file_is_refused(tmp_path: Path, text: str, words: tuple[str, ...]) -> None:
    with refused(TournamentError, *words):
        read_tournament_file(write_file(tmp_path, HEAD + text))


def test_strict_sandbox_is_refused(tmp_path: Path) -> None:
    text = f'{HEAD}game = "external"\nreferee = ["python3"]\n[run]\nsandbox = "strict"\n'
    done = invoke("run", str(write_file(tmp_path, text)), "--db", str(tmp_path / "t.db"))
    assert done.exit_code == 3
    assert "is not possible with an outside referee" in done.stderr
