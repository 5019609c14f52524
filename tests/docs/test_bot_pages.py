"""The code on the pages for bot authors runs: bots play, and the manifest is one."""

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import blocks, every_block, page
from tourney.bots.catalogue.command import environment
from tourney.bots.catalogue.manifest import read_manifest
from tourney.games import Game, find_game

PAGES = ("reference/sdk.md", "reference/protocol.md", "reference/bot-toml.md")
TEXT = "\n".join(map(page, PAGES))


def test_every_block_is_of_a_kind_that_is_run() -> None:
    kinds = {kind for kind, _ in every_block(TEXT) if not kind.startswith("text dialogue ")}
    assert kinds == {"pycon", "python", "sh bot", "toml"}
    assert (len(blocks(TEXT, "python")), len(blocks(TEXT, "sh bot"))) == (4, 1)


def play(command: list[str], game: str, tmp_path: Path) -> tuple[list[str], str]:
    """Play two games of one turn on seat 1; the bot's lines without info, and its standard error."""
    rules = find_game(game)
    state = rules.new()
    legal = " ".join(map(rules.action_string, state.legal_actions()))
    turn = f"position {state.observation(1)}\nlegal {legal}\ngo move=60000\n"
    options = " ".join(f"{option.name}={option.default}" for option in rules.options)
    begin = f"game {game} seats={state.seats} seat=1 seed=1 move=60000 {options}".rstrip()
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=dict(environment()),
        input=f"tourney 1\n{f'{begin}{chr(10)}{turn}over 2 1 reason=fault{chr(10)}' * 2}quit\n",
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if not line.startswith("info ")]
    actions = [line.removeprefix("move ") for line in lines if line.startswith("move ")]
    assert len(actions) == 2
    assert all(_is_legal(rules, action) for action in actions)
    return lines, done.stderr


def _is_legal(rules: "Game[object]", action: str) -> bool:
    state = rules.new()
    return state.is_legal(rules.read_action(state, action))


@pytest.mark.parametrize("k", range(4))
def test_a_python_block_is_a_whole_bot(k: int, tmp_path: Path) -> None:
    text = blocks(TEXT, "python")[k]
    (tmp_path / "bot.py").write_text(text)
    game = "cyvasse" if "hidden=True" in text else "sages-tafl"
    lines, stderr = play([sys.executable, "-B", "-s", "bot.py"], game, tmp_path)
    assert [line.split(" ")[0] for line in lines] == ["bot", "ready", "move", "ready", "move"]
    assert stderr == ("sages-tafl: rank 2, fault\n" * 2 if "def end" in text else "")


def test_what_the_pages_type_at_python_prints_the_same() -> None:
    example = doctest.DocTestParser().get_doctest("\n".join(blocks(TEXT, "pycon")), {}, "pages", None, None)
    assert len(example.examples) >= 10
    assert doctest.DocTestRunner().run(example).failed == 0


def test_the_shell_block_is_a_whole_bot(tmp_path: Path) -> None:
    (tmp_path / "bot.sh").write_text(blocks(TEXT, "sh bot")[0])
    lines, stderr = play(["sh", "bot.sh"], "sages-tafl", tmp_path)
    assert (lines[0], stderr) == ("bot wants=legal", "")


def test_the_manifests_are_read() -> None:
    """The page shows a whole manifest, one with options, and tables that go below the first."""
    whole, with_options, *tables = blocks(TEXT, "toml")
    assert read_manifest("\n".join((whole, *tables)), "docs").build_output == ("mybot", "*.o")
    assert read_manifest(with_options, "docs").options["Hash"] == 64
