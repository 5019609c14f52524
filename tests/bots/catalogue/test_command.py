"""Commands of bots: words, environment, and the paths that make the SDK importable."""

import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import click
import pytest

from tests.bots.conftest import MakeBot
from tourney.bots.catalogue import command as commands
from tourney.bots.catalogue.command import (
    add_program,
    bot_command,
    environment,
    interpreter_paths,
    search_path,
)
from tourney.bots.catalogue.store import BotStore
from tourney.errors import BotError

CHECKOUT = Path(__file__).resolve().parents[3]


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
    assert CHECKOUT not in paths
    assert not any(path in CHECKOUT.parents for path in paths)


def paths_in(python: Path, cwd: Path, **env: str) -> set[str]:
    """The interpreter's paths as another interpreter sees them, which finds Tourney by PYTHONPATH."""
    script = (
        "from tourney.bots.catalogue.command import interpreter_paths\nprint(*interpreter_paths(), sep='\\n')"
    )
    packages = [path for path in sys.path if path.endswith("site-packages")]
    env = {"PYTHONPATH": ":".join([str(CHECKOUT), *packages]), **env}
    done = subprocess.run(
        [str(python), "-B", "-c", script], cwd=cwd, env=env, capture_output=True, text=True, check=True
    )
    return {*done.stdout.splitlines()}


def test_environment_in_a_projects_folder_shows_nothing_beside_it(tmp_path: Path) -> None:
    """Of its prefix, bots see what an interpreter needs: neither the database nor the tournament file."""
    for name in ("cup.toml", "tourney.db", "tourney.db-wal"):
        (tmp_path / name).write_bytes(b"secret")
    (tmp_path / "share").mkdir()
    venv.create(tmp_path, symlinks=True)
    shown = paths_in(tmp_path / "bin" / "python", tmp_path)
    mine = {path for path in shown if Path(path).is_relative_to(tmp_path)}
    assert mine - {f"{tmp_path}/include"} == {f"{tmp_path}/{name}" for name in ("bin", "lib", "pyvenv.cfg")}


def test_interpreter_in_a_projects_folder_is_shown_alone(tmp_path: Path) -> None:
    """A program that lies, or is linked, outside of any ``bin`` shows no file beside it."""
    program = tmp_path / "python3"
    program.symlink_to(Path(sys.executable).resolve())
    shown = paths_in(program, tmp_path, PYTHONHOME=f"{sys.base_prefix}:{sys.base_exec_prefix}")
    assert {path for path in shown if Path(path).is_relative_to(tmp_path)} == {str(program)}


@pytest.fixture
def fresh() -> Iterator[None]:
    """Let the paths be looked for again, in the test and after it."""
    interpreter_paths.cache_clear()
    yield
    interpreter_paths.cache_clear()


@pytest.mark.usefixtures("fresh")
def test_layouts_of_other_interpreters_are_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Libraries in lib64, a prefix behind a link, modules in an archive, and a library of its own folder."""
    real, prefix, archive = tmp_path / "real", tmp_path / "prefix", tmp_path / "python311.zip"
    for folder in ("bin", "lib64", "etc", "envs", "include"):
        (real / folder).mkdir(parents=True)
    for file in ("bin/python3", "lib64/libpython.so", "etc/secret", "envs/other", "pkgs"):
        (real / file).write_bytes(b"x")
    (real / "lib").symlink_to("lib64")
    prefix.symlink_to(real)
    archive.write_bytes(b"x")
    (tmp_path / "libs").mkdir()
    (tmp_path / "libs" / "libpython3.so").write_bytes(b"x")
    monkeypatch.setattr(commands, "_OF_PREFIX", ("bin", "include", "lib", "lib64", "pyvenv.cfg"))
    monkeypatch.setattr(sys, "prefix", str(prefix))
    monkeypatch.setattr(os, "__file__", f"{archive}/os.py")
    known = {"INSTSONAME": "libpython3.so", "LIBDIR": str(tmp_path / "libs")}
    monkeypatch.setattr(sysconfig, "get_config_var", known.get)
    mine = {path for path in interpreter_paths() if path.is_relative_to(tmp_path)}
    assert mine == {
        *(prefix / name for name in ("bin", "lib", "lib64")),
        *(real / name for name in ("bin", "lib64")),
        archive,
        tmp_path / "libs" / "libpython3.so",
    }


@pytest.mark.usefixtures("fresh")
def test_games_are_where_the_bots_interpreter_finds_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of the same name in the current folder, or on PYTHONPATH, is none of a bot's business."""
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "t.db").write_bytes(b"secret")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    for prefix in ("prefix", "exec_prefix"):
        monkeypatch.setattr(sys, prefix, str(tmp_path / "none"))
    points = [EntryPoint("a", "tables:A", "x"), EntryPoint("b", "click.core:B", "x")]
    monkeypatch.setattr(commands, "installed", lambda: points)
    monkeypatch.setattr(commands, "others", lambda: ({}, {}))
    shown = interpreter_paths()
    assert Path(click.__file__).parent in shown
    assert not any(path.is_relative_to(tmp_path) for path in shown)


def test_program_missing_on_path_is_named(store: BotStore, make_bot: MakeBot) -> None:
    bot = store.add(make_bot(command='["no-such-program"]'))
    with pytest.raises(BotError, match=r"mybot@1\.0: there is no program no-such-program on PATH"):
        bot_command(bot)


@pytest.mark.parametrize("args", [["a\0b"], ["x" * 1_001], ["x"] * 101])
def test_bad_arguments_are_refused(store: BotStore, make_bot: MakeBot, args: list[str]) -> None:
    bot = store.add(make_bot())
    with pytest.raises(BotError, match="arguments"):
        bot_command(bot, args)


@pytest.mark.addon("chess")
def test_error_of_a_program_shows_no_temporary_folder(store: BotStore, tmp_path: Path) -> None:
    (tmp_path / "prog").write_text("#!/bin/sh\r\n")
    (tmp_path / "prog").chmod(0o755)
    with pytest.raises(BotError, match=r"^\./prog: prog line 1 ends in CR") as caught:
        add_program(["./prog"], store, tmp_path, protocol="uci", options={}, go={})
    assert "tourney-program-" not in str(caught.value)
