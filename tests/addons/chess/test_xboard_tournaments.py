"""Engines of xboard's protocol play chess."""

import shutil
from pathlib import Path

import pytest

from tests.support.command import invoke, run_file

pytestmark = pytest.mark.engine

pytest.importorskip("chess", reason="the extra chess is not installed")


def test_fairymax_and_phalanx_play_by_the_rules(tmp_path: Path) -> None:
    """They are recognised without a manifest, too.

    Fairy-Max looks at the time between iterations only, and one may take many times the limit: so the test
    bounds its depth.
    """
    for engine in ("fairymax", "phalanx"):
        if shutil.which(engine, path="/usr/games:/usr/bin:/usr/local/bin") is None:
            pytest.skip(f"{engine} is not installed")
        checked = invoke("bots", "check", f"/usr/games/{engine}", "--game", "chess", "--sandbox", "off")
        assert "it speaks xboard's protocol" in checked.stdout
    entrants = "".join(
        f'[[entrant]]\nprotocol = "xboard"\ncommand = ["{engine}"]\n{bound}\n'
        for engine, bound in (("fairymax", "go = {depth = 4}"), ("phalanx", ""))
    )
    head = 'name = "cup"\ngame = "chess"\nseed = 1\nopening-plies = 2\n[run]\nsandbox = "off"\n'
    limits = "[limits]\nmove-ms = 1000\nmargin-ms = 5000\n"
    for record in run_file(tmp_path, head + limits + entrants):
        assert record["outcome"]["faults"] == []
        assert len(record["actions"]) > 10
