"""A new game's package installs, passes its own tests and ``check-game``, and is explained."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.addons import needing
from tourney.errors import GameError
from tourney.games.new_game import new_game


def shell(*words: str, folder: Path, **env: str) -> str:
    done = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, **env}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_new_game_installs_and_passes_its_checks(tmp_path: Path) -> None:
    files = new_game(tmp_path / "my-hex")
    assert [str(file.relative_to(tmp_path / "my-hex")) for file in files] == [
        "my_hex/__init__.py",
        "my_hex/guide.toml",
        "my_hex/rules.md",
        "pyproject.toml",
        "tests/test_my_hex.py",
    ]
    place = str(tmp_path / "installed")
    install = ("-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-build-isolation")
    shell(sys.executable, *install, "--target", place, "./my-hex", folder=tmp_path)
    said = shell(sys.executable, "-m", "tourney", "check-game", "my-hex", folder=tmp_path, PYTHONPATH=place)
    assert said.startswith("my-hex has all ")
    page = shell(sys.executable, "-m", "tourney", "games", folder=tmp_path, PYTHONPATH=place)
    assert "My Hex" in page
    tests = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "my-hex/tests")
    assert "5 passed" in shell(*tests, folder=tmp_path, PYTHONPATH=place)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("My-Hex", "'My-Hex' is not a name for a game"),
        ("hex-", "'hex-' is not a name for a game"),
        ("a:b", "'a:b' is not a name for a game"),
        ("element", "there is a game element already"),
        needing("openspiel", "openspiel", "there is a game openspiel already"),
        ("random", "random is the name of a module of Python or Tourney"),
        ("there", "there exists already; choose another name"),
        ("gone/hex", "there is no folder"),
    ],
)
def test_other_names_are_refused(tmp_path: Path, name: str, sentence: str) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(GameError) as caught:
        new_game(tmp_path / name)
    assert sentence in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["there"]
