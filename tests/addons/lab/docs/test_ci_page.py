"""What the page on continuous integration tells readers to run works, in the order of its jobs."""

import re
import shlex
from pathlib import Path

import pytest

from tests.addons.lab.docs.test_ladder_page import parses
from tests.docs.pages import blocks, page
from tests.support.command import invoke
from tests.support.folders import write_shell_bot

PAGE = page("how-to/ci.md")
SHELL, STEP, GITHUB, GITLAB = blocks(PAGE, "sh", "yaml")


def commands(block: str) -> list[list[str]]:
    """The calls of Tourney in a block, without the shell's use of their exit codes."""
    lines = re.findall(r"^(?: *- )? *(tourney .*?)(?: && exit)?$", block, re.MULTILINE)
    return [shlex.split(line)[1:] for line in lines]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project as the jobs have it: the current folder, with a folder for the database."""
    (tmp_path / "league").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOURNEY_DB", "league/tourney.db")
    monkeypatch.setenv("TOURNEY_BOTS", "league/bots")
    return tmp_path


def write(project: Path, answer: str) -> None:
    """Write the project's bot, which always gives this answer."""
    legal = "tourney) echo bot wants=legal;;\nlegal) legal=${rest%% *};;\n"
    cases = f"{legal}game) echo ready;;\ngo) echo {answer};;"
    write_shell_bot(project, "bot", cases, games='["sage-stones"]')


def run(words: list[str]) -> int:
    """Run a command; gates with bots that are trusted, patiently and with a seed."""
    if words[0] == "gate":
        words = [*words, "--sandbox", "off", "--reuse", "--move-ms", "600000", "--seed", "1", "-q"]
    return invoke(*words).exit_code


def test_jobs_promote_the_first_bot_and_gate_the_next(project: Path) -> None:
    github, gitlab = commands(GITHUB), commands(GITLAB)
    assert github == gitlab
    gate, promote, *rest = github
    assert rest == [gate, promote]
    write(project, "resign")
    assert run(promote) == 0, "the first bot of the main branch"
    assert run(promote) == 1, "the bot is the baseline already"
    write(project, '"move $legal"')
    assert run(promote) == 1, "a bot without a gate"
    assert run(gate) == 0, "a pull request"
    assert "<testsuites>" in (project / "verdict.xml").read_text()
    assert "ACCEPTED" in (project / "verdict.md").read_text()
    assert run(promote) == 0, "a bot that was accepted"


def test_jobs_are_yaml_with_a_job_each() -> None:
    yaml = pytest.importorskip("yaml")
    assert set(yaml.safe_load(GITHUB)["jobs"]) == {"gate"}
    assert {"gate", "promote"} < set(yaml.safe_load(GITLAB))


def test_commands_to_try_parse() -> None:
    found = commands(SHELL)
    assert [words[0] for words in found] == ["bots", "gate", "bots", "bots"]
    (step,) = commands(STEP.replace("run: ", ""))
    assert step[:2] == ["bots", "test"]
    assert all(parses(words) for words in (*found, step))


def test_options_on_the_page_exist() -> None:
    helps = (("gate",), ("bots", "promote"), ("ratings",))
    known = "".join(invoke(*words, "--help").stdout for words in helps)
    prose = re.sub(r"^```.*?^```$", "", PAGE, flags=re.MULTILINE | re.DOTALL)
    options = set(re.findall(r"--[a-z][a-z-]*", prose))
    assert options
    assert {option for option in options if option not in known} == set()
