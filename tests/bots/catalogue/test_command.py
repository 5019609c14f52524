"""Commands of bots: words, environment, and the paths that make the SDK importable."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.bots.conftest import MakeBot
from tourney.bots.catalogue.command import bot_command, environment, interpreter_paths, search_path
from tourney.bots.catalogue.store import BotStore
from tourney.errors import BotError


def test_python3_is_the_interpreter_that_runs_tourney(store: BotStore, make_bot: MakeBot) -> None:
    bot = store.add(make_bot())
    command = bot_command(bot, ["--depth", "3"])
    assert command.argv == (sys.executable, "-B", "-s", "bot.py", "--depth", "3")
    assert command.folder == bot.folder


def test_own_program_stays_relative_to_the_folder(store: BotStore, make_bot: MakeBot, tmp_path: Path) -> None:
    """The sandbox may mount the folder under another path."""
    folder = make_bot(files={"run": "x"}, command='["./run", "-v"]')
    (folder / "run").chmod(0o755)
    command = bot_command(store.add(folder), folder=tmp_path)
    assert command.argv == ("./run", "-v")
    assert command.folder == tmp_path


def test_environment_is_exactly_five_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither PYTHONPATH nor an unusual PATH around Tourney changes it."""
    monkeypatch.setenv("PYTHONPATH", "/evil")
    monkeypatch.setenv("PATH", "/evil")
    assert dict(environment()) == {
        "PATH": search_path(),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "HOME": "/tmp",
        "PYTHONHASHSEED": "0",
    }
    assert (
        search_path()
        == f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"
    )


def test_sdk_and_games_are_importable(store: BotStore, make_bot: MakeBot) -> None:
    """A real process runs in the stored folder, with the environment of the protocol alone."""
    program = (
        "import sys, json, tourney.bot, tourney.games, helper\n"
        "import os\n"
        "print(json.dumps([sorted(os.environ), tourney.games.find_game('sage-stones').name, helper.X]))\n"
    )
    bot = store.add(make_bot(files={"bot.py": program, "helper.py": "X = 1\n"}))
    command = bot_command(bot)
    done = subprocess.run(
        command.argv, cwd=command.folder, env=dict(command.env), capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout == '[["HOME", "LANG", "PATH", "PYTHONHASHSEED", "TZ"], "sage-stones", 1]\n'
    assert store.fetch(bot.digest) == bot, "running it left something in the entry"


def test_env_python3_is_the_same_interpreter(store: BotStore, tmp_path: Path) -> None:
    """An executable file that begins with `#!/usr/bin/env python3` finds the SDK too."""
    program = tmp_path / "mybot"
    program.write_text("#!/usr/bin/env python3\nimport tourney.bot, sys\nprint(sys.prefix)\n")
    program.chmod(0o755)
    command = bot_command(store.add(program))
    done = subprocess.run(
        command.argv, cwd=command.folder, env=dict(command.env), capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == (f"{sys.prefix}\n", "")


def test_read_only_paths_cover_all_imports_of_a_bot() -> None:
    """Every module that an SDK bot imports lies below one of the paths (or of /usr or /lib)."""
    program = (
        "import sys, tourney.bot, tourney.games\n"
        "tourney.games.find_game('sages-tafl').new()\n"
        "print(sys.executable)\n"
        "for module in list(sys.modules.values()):\n"
        "    file = getattr(module, '__file__', None)\n"
        "    if file: print(file)\n"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-s", "-c", program],
        cwd="/",
        env=dict(environment()),
        capture_output=True,
        text=True,
        check=True,
    )
    places = [*interpreter_paths(), Path("/usr"), Path("/lib")]
    files = [Path(line) for line in done.stdout.splitlines()]
    assert len(files) > 50
    assert [file for file in files if not any(place in file.parents for place in places)] == []


def test_read_only_paths_hide_the_checkout() -> None:
    """No path lies within another, and the checkout's root, with its databases, is not one of them."""
    paths = interpreter_paths()
    assert all(path.exists() for path in paths)
    assert not any(one in two.parents for one in paths for two in paths)
    checkout = Path(__file__).resolve().parents[3]
    assert checkout not in paths
    assert not any(path in checkout.parents for path in paths)


def test_program_missing_on_path_is_named(store: BotStore, make_bot: MakeBot) -> None:
    bot = store.add(make_bot(command='["no-such-program"]'))
    with pytest.raises(BotError, match=r"mybot@1\.0: there is no program no-such-program on PATH"):
        bot_command(bot)


@pytest.mark.parametrize("args", [["a\0b"], ["x" * 1_001], ["x"] * 101])
def test_bad_arguments_are_refused(store: BotStore, make_bot: MakeBot, args: list[str]) -> None:
    bot = store.add(make_bot())
    with pytest.raises(BotError, match="arguments"):
        bot_command(bot, args)
