"""``--format json`` of the commands of leagues, held to the committed schemas."""

from pathlib import Path

import pytest

from scripts.make_reference import documents
from tests.support.command import invoke
from tests.support.documents import Printer, commands_of, kinds_of

pytestmark = pytest.mark.slow  # as a whole: the last test counts what the others checked

OTHERS = {
    "league init": "prints the path of the league file",
    "league submit": "prints the path in the inbox",
    "league withdraw": "prints a sentence on standard error alone",
    "league publish": "prints the path of the site",
}
"""The commands that print neither a table nor a verdict."""

printed = Printer()


def test_every_command_of_leagues_prints_documents_or_says_why_not() -> None:
    assert commands_of("league") - set(documents()) == set(OTHERS)


def test_state_of_a_league_is_a_document(tmp_path: Path) -> None:
    invoke("league", "init", str(tmp_path / "stones"), "--game", "sage-stones")
    status = printed("league", "status", "--league", str(tmp_path / "stones"))
    assert (status["league"], status["nights"], status["bots"]) == ("stones", 0, [])
    night = printed("league", "night", "--matches", "2", "--league", str(tmp_path / "stones"))
    assert (night["night"], night["matches"], night["closed"]) == (1, 0, True)
    seasons = printed("league", "season", "--league", str(tmp_path / "stones"))["seasons"]
    assert [(one["number"], one["nights"], one["root"]) for one in seasons] == [(1, 1, None)]


def test_every_kind_of_document_of_leagues_was_checked() -> None:
    """The tests above print each kind at least once; run this module as a whole."""
    assert kinds_of("league") <= printed.seen
