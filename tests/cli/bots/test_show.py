"""``tourney bots show``: references to bots, and hostile text."""

import json
from pathlib import Path

from tests.cli.bots.commands import bots, done
from tests.support.folders import write_bot


def test_show_takes_paths_names_and_digests(tmp_path: Path) -> None:
    """Bots shown by path and shipped bots are not added to the store."""
    write_bot(tmp_path, games='["sages-tafl"]', build='["make"]', title='"My Bot"')
    row = json.loads(done("show", "./mybot", "--format", "json"))
    assert (row["title"], row["build"], row["built"], row["folder"]) == (
        "My Bot",
        ["make"],
        "not yet",
        "mybot",
    )
    assert "from      " in done("show", "random")
    assert not (tmp_path / "tourney-bots").exists()
    digest = done("add", "mybot").split()[1]
    assert digest == row["digest"]
    assert digest in done("show", digest[:6])


def test_control_characters_of_bots_are_escaped(tmp_path: Path) -> None:
    """File names are printable, but the manifest of a damaged entry can contain anything."""
    digest = done("add", str(write_bot(tmp_path))).split()[1]
    entry = tmp_path / "tourney-bots" / "entries" / digest / "files"
    for path in (entry, entry / "bot.toml"):
        path.chmod(0o755)
    (entry / "bot.toml").write_text('na\x1b[31mme = "x"\n')
    result = bots("list")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert "\x1b" not in result.output
