"""``tourney run --report-options``: checked before anything is played, and given to the reports."""

from pathlib import Path

import pytest

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
