"""``--report-options`` and ``--units`` of ``tourney run``: checked, and what they hand on."""

import re
from pathlib import Path

import pytest

from tests.support.command import invoke
from tests.support.tournaments import THREE_PEBBLES, write_file
from tourney.cli.run_options import parse_report_options
from tourney.errors import UsageError
from tourney.run.unattended import Reporter, ReportOptions


def test_options_of_the_report_are_split_and_checked(tmp_path: Path) -> None:
    (tmp_path / "my templates").mkdir()
    words = ("--with-logs", "--base-url", "https://example.org/", "--templates", f"{tmp_path}/my templates")
    text = f"--with-logs --base-url https://example.org/ --templates '{tmp_path}/my templates'"
    assert parse_report_options(text) == words
    assert parse_report_options("") == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("--with-log", "--with-log"),
        ("--base-url example.org", "is not the address of a folder"),
        ("--out x", "a run's reports take no 'out'"),
        ("cup", "a run's reports take no 'cup'"),
        ("--templates absent", "cannot be read: it is not a folder"),
        ("--with-logs --no-measured", "leave out --with-logs"),
        ("'", "cannot be split into words"),
    ],
)
def test_other_options_are_refused_before_the_run(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_report_options(text)
    assert said in str(caught.value)


def test_reports_of_a_run_get_the_options(tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    words = ("sh", "-c", f'echo "$*" >> {calls}; echo page.html', "program")
    options = ReportOptions(0, None, ("--with-logs", "--base-url", "https://example.org/"))
    reporter = Reporter("cup", "the.db", options, print, program=words)
    assert reporter.write_last() == "page.html"
    assert calls.read_text() == "report cup --quiet --with-logs --base-url https://example.org/\n"


def test_units_hold_the_options_of_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOURNEY_DB", "cups.db")
    write_file(tmp_path, THREE_PEBBLES)
    words = ("--stop-at", "07:30", "--skip-broken", "--unbench", "a", "--unbench", "b", "--units", "cron")
    done = invoke("run", "cup.toml", *words)
    assert (done.exit_code, done.stdout.split()) == (
        0,
        ["cron/cup-run.service", "cron/cup-run.timer", "cron/crontab"],
    )
    [line] = re.findall(r"ExecStart=\S+ -m tourney (.*)", Path("cron/cup-run.service").read_text())
    pairs = "--stop-at 07:30 --unbench a --unbench b --db cups.db"
    assert line.startswith("run cup.toml ")
    assert sorted(line.split()[2:]) == sorted(f"{pairs} --skip-broken".split())
    assert not Path("cups.db").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("cup.toml", "--start-at", "22:00"), "--start-at goes with --units DIR"),
        (("cup.toml", "--units", "cron", "--start-at", "25:00"), "'25:00' is not a time of day"),
        (("cup.toml", "--units", "cron", "--db", "postgresql://a:b@c/d"), "would show the password"),
        (("--game", "sage-stones", "--bots", "random,greedy", "--units", "cron"), "--units needs FILE"),
    ],
)
def test_units_refuse_wrong_use_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write_file(tmp_path, THREE_PEBBLES)
    done = invoke("run", *words)
    assert (done.exit_code, message in done.stderr) == (2, True), done.stderr
    assert not Path("cron").exists()
