"""A bot that fails at start-up is asked why; the bots are real processes, in shell and Python."""

from pathlib import Path

import pytest

from tests.support.folders import write_bot
from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.match.player import FLUSH
from tourney.match.spec import Limits
from tourney.run.check_bot import start_advice

LIMITS = Limits(startup_ms=60_000)
ENDS = "#!/bin/sh\nwhile read -r line; do case $line in {} *) echo what; exit;; esac; done\n"


def advice(bot: Path, folder: Path) -> str:
    store = BotStore(folder / "store")
    return start_advice(store.add(bot), store, open_sandbox("off"), LIMITS)


def program(folder: Path, text: str) -> Path:
    found = folder / "engine.sh"
    found.write_text(text)
    found.chmod(0o755)
    return found


@pytest.mark.parametrize(
    ("cases", "title", "protocol"),
    [
        ("uci) echo id name X; echo uciok;;", "UCI", "uci"),
        ("'1 protocol_version') echo '=1 2'; echo;;", "GTP", "gtp"),
        (
            "xboard) ;; 'protover 2') echo 'feature ping=1 done=1';;",
            "xboard's protocol",
            "xboard",
        ),
        ('ABOUT) echo \'name="x", version="1"\';;', "Gomocup's protocol", "gomocup"),
    ],
)
def test_engine_is_recognised_by_its_answer(cases: str, title: str, protocol: str, tmp_path: Path) -> None:
    """An engine may end at a line that it does not know."""
    said = advice(program(tmp_path, ENDS.format(cases)), tmp_path)
    assert said.startswith(f"it speaks {title}: put it in a folder with a bot.toml")
    assert f'command = ["./engine.sh"] and protocol = "{protocol}"' in said


def test_engine_with_a_manifest_needs_one_line(tmp_path: Path) -> None:
    folder = write_bot(
        tmp_path, "engine", {"engine.sh": ENDS.format("uci) echo uciok;;")}, command='["sh", "engine.sh"]'
    )
    assert advice(folder, tmp_path) == 'it speaks UCI: write protocol = "uci" in its bot.toml'


def test_unknown_answers_are_no_protocol(tmp_path: Path) -> None:
    assert advice(program(tmp_path, ENDS.format("")), tmp_path) == ""


def test_bot_that_the_log_advises_is_not_asked(tmp_path: Path) -> None:
    store = BotStore(tmp_path / "store")
    bot = store.add(program(tmp_path, ENDS.format("uci) echo uciok;;")))
    assert start_advice(bot, store, open_sandbox("off"), LIMITS, f"startup: x: {FLUSH}") == ""
