"""The findings of ``tourney verify`` as lines and as a document's values."""

import pytest

from tests.support.tournaments import refused
from tourney.check.record import Finding
from tourney.cli.output import Output, OutputFormat
from tourney.cli.verify_output import Checks, FoundFlaw
from tourney.errors import UsageError


@pytest.mark.parametrize(("form", "lines"), [(OutputFormat.TEXT, 2), (OutputFormat.JSON, 0)])
def test_findings_are_counted_and_printed_as_text_only(
    capsys: pytest.CaptureFixture[str], form: OutputFormat, lines: int
) -> None:
    checks = Checks(Output(format=form))
    checks.check([("a", [Finding("is wrong", 3)]), ("b", [])])
    assert (checks.checked, checks.wrong) == (2, 1)
    assert checks.findings == [FoundFlaw(where="a", what="is wrong", action=3)]
    assert checks.failures == ["1 of 2 records does not hold"]
    assert len(capsys.readouterr().out.splitlines()) == lines - (form is OutputFormat.TEXT)


def test_nothing_to_verify_is_refused() -> None:
    with refused(UsageError, "there is nothing to verify in x"):
        Checks(Output()).check([], "x")
