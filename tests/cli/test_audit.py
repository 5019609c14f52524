"""``tourney audit``: the table, the document, and a tournament in which nothing looks dependent."""

import json
from pathlib import Path

from tests.support.command import invoke
from tourney.results.audit import UNSEEN


def games(path: Path, number: int) -> Path:
    """Results of two players, without moves."""
    lines = [{"white": "a", "black": "b", "result": "1-0" if game % 3 else "0-1"} for game in range(number)]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_nothing_is_said_of_results_alone(tmp_path: Path) -> None:
    db = ("--db", str(tmp_path / "t.db"))
    assert invoke("import", str(games(tmp_path / "cup.jsonl", 12)), *db).exit_code == 0
    shown = invoke("audit", *db)
    assert (shown.exit_code, "nothing looks dependent" in shown.stderr) == (0, True)
    assert all(sentence in shown.stderr for sentence in UNSEEN)
    assert "Not seen: games given away by bad moves" in shown.stderr
    document = json.loads(invoke("audit", "--format", "json", *db).stdout)
    assert (document["format"], document["tournament"]) == ("tourney-audit/1", "cup")
