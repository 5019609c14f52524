"""The commands and the tournament of the page on fuel clocks work; its table has all hostile modules."""

import re
import shlex
from pathlib import Path

import pytest

from tests.addons.fuel.attacks.modules import MODULES
from tests.docs.pages import blocks, page
from tests.support.command import invoke
from tourney.addons.fuel.starter import missing_tools

PAGE = page("explanation/fuel.md")


@pytest.mark.slow
@pytest.mark.skipif(bool(missing_tools("c")), reason=f"modules from C need {missing_tools('c')}")
def test_example_is_built_both_ways_and_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a shorter limit, under which some turns time out, each match comes out the same again."""
    pytest.importorskip("wasmtime")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOURNEY_BOTS", str(tmp_path / "bots"))
    (commands,) = blocks(PAGE, "sh")
    for line in commands.splitlines()[:2]:
        assert invoke(*shlex.split(line)[1:]).exit_code == 0
    native, module = ((tmp_path / name / "skipper.c").read_text() for name in ("native", "module"))
    assert native.replace("native", "module") == module
    (text,) = blocks(PAGE, "toml")
    assert "move-ms = 20" in text
    (tmp_path / "cup.toml").write_text(text.replace("move-ms = 20", "move-ms = 2"), "utf-8")
    played = invoke("run", "cup.toml", "--workers", "1", "--quiet")
    assert played.exit_code == 0, played.stderr
    again = invoke("rerun", "--all")
    assert again.exit_code == 0, again.stderr
    assert "6 matches replayed: 6 the same" in again.stdout


def test_table_has_every_hostile_module() -> None:
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| (.*) \| (.*) \|$", PAGE, re.MULTILINE)
    named = {row[0]: row[1:] for row in rows}
    assert {module.name: (module.does, module.outcome) for module in MODULES}.items() <= named.items()
