"""A bot that fails at start-up is asked why; the bots are real processes, in shell and Python."""

from pathlib import Path

import pytest

from tests.support.folders import write_bot
from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.match.spec import Limits
from tourney.run.recognition import start_advice

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


def test_answer_that_comes_at_the_end_of_input_was_not_flushed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tourney.run.recognition.MAX_WAIT_MS", 1)
    text = "#!/bin/sh\nread -r line; while read -r line; do :; done; echo bot\n"
    said = advice(program(tmp_path, text), tmp_path)
    assert said.startswith("it wrote bot only when its input ended: it must flush each line")
