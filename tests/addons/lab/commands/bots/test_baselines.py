"""``tourney bots baselines``: a list without a database, and of promoted bots."""

import json
from pathlib import Path

from tests.support.command import invoke
from tests.support.folders import write_shell_bot

QUIT = "tourney) echo bot;;\ngame) echo ready;;\ngo) echo resign;;"


def test_baselines_are_listed_by_game_with_their_history(tmp_path: Path) -> None:
    assert json.loads(invoke("bots", "baselines", "--format", "json").stdout)["baselines"] == []
    for name in ("first", "second"):
        write_shell_bot(tmp_path, name, QUIT, games='["sage-stones"]')
        done = invoke("bots", "promote", f"./{name}", "--force", "--name", "main")
        assert done.exit_code == 0, done.stderr

    def bots(*words: str) -> list[str]:
        found = json.loads(invoke("bots", "baselines", *words, "--format", "json").stdout)
        return [line["bot"] for line in found["baselines"]]

    assert bots() == ["second"]
    assert bots("--history") == ["first", "second"]
    assert bots("--game", "sages-tafl") == []


def test_unknown_game_and_missing_database_are_refused(tmp_path: Path) -> None:
    unknown = invoke("bots", "baselines", "--game", "nosuch")
    assert (unknown.exit_code, "there is no game 'nosuch'" in unknown.stderr) == (2, True)
    missing = invoke("bots", "baselines", "--db", str(tmp_path / "no.db"))
    assert missing.exit_code != 0
    assert "no.db" in missing.stderr
