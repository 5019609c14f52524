"""Run ``tourney bots`` in tests."""

import json

from click.testing import Result

from tests.support.command import invoke


def bots(*words: str) -> Result:
    return invoke("bots", *words)


def done(*words: str) -> str:
    """Run a command that must succeed, and return its standard output."""
    result = bots(*words)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def refused(*words: str, code: int = 2) -> str:
    """Run a command that must fail, and return its error line."""
    result = bots(*words)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    return line


def listed() -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads(done("list", "--format", "json"))["bots"]
    return [row for row in rows if row["source"] != "ships"]
