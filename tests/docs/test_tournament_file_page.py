"""The examples of the tournament file's reference: each is played to its end, and no bot fails."""

from pathlib import Path

import pytest

from tests.docs.pages import blocks, page
from tests.support.command import invoke
from tourney.store.database import Database

EXAMPLES = blocks(page("reference/tournament-file.md"), "toml")
FIRST = 'name = "cup"\ngame = "sages-tafl"\nbots = ["random", "./mybot"]\n[run]\nsandbox = "strict"\n'
"""What an example that has only further keys goes on."""
ROOMY = {"clock-ms = 60000": "clock-ms = 6000000", 'sandbox = "strict"': 'sandbox = "off"'}
"""The protections and the machine's speed are the subject of other tests."""


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_example_is_played_without_a_fault(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke("bots", "new", "mybot", "--game", "sages-tafl").exit_code == 0
    Path("logo.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    example = EXAMPLES[number]
    whole = example if example.startswith("name =") else _joined(example)
    for said, played in ROOMY.items():
        whole = whole.replace(said, played)
    Path("cup.toml").write_text(whole)
    result = invoke("run", "cup.toml")
    assert (result.exit_code, "no faults" in result.stderr) == (0, True), result.stderr
    with Database.open("tourney.db") as database:
        tournament = database.tournaments.get()
        progress = database.schedules.progress(tournament.id)
        assert progress.done == progress.rows > 0
        assert progress.void == 0


def _joined(example: str) -> str:
    """An example of further keys, behind the keys that every file has; its tables follow theirs."""
    top, table, rest = FIRST.partition("[run]")
    return f"{top}{example}{table}{rest}"


def test_page_has_its_examples() -> None:
    assert len(EXAMPLES) == 2
