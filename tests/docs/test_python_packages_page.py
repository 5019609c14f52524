"""A bot made from the blocks of the page on packages imports a package from a wheel in its folder."""

from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.docs.pages import blocks, page
from tests.support.command import run

BOT = """
from learned import choice
from tourney.bot import run

run(lambda legal, turn: choice(legal), sees="legal", name="learner", version="1.0")
"""


@pytest.mark.slow
def test_bot_imports_a_package_of_its_wheels(tmp_path: Path) -> None:
    unpack, path = blocks(page("how-to/python-packages.md"), "python")
    (manifest,) = blocks(page("how-to/python-packages.md"), "toml")
    bot = tmp_path / "learner"
    (bot / "wheels").mkdir(parents=True)
    with ZipFile(bot / "wheels" / "learned-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("learned/__init__.py", "def choice(actions):\n    return actions[0]\n")
    (bot / "bot.toml").write_text(manifest)
    (bot / "unpack.py").write_text(unpack)
    (bot / "bot.py").write_text(path + BOT)
    limits = ("--move-ms", "600000", "--startup-ms", "600000")
    done = run("bots", "check", str(bot), *limits, "--bots", str(tmp_path / "bots"))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_new_bot_with_packages_passes_with_and_without_a_wheel(tmp_path: Path) -> None:
    words = ("--game", "sage-stones", "--packages")
    assert run("bots", "new", "learner", *words, cwd=tmp_path).returncode == 0
    limits = ("--move-ms", "600000", "--startup-ms", "600000")
    done = run("bots", "check", "./learner", *limits, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    bot = tmp_path / "learner"
    text = (bot / "bot.py").read_text()
    at = text.index("from tourney.bot")
    (bot / "bot.py").write_text(f"{text[:at]}import learned\n{text[at:]}")
    assert run("bots", "check", "./learner", *limits, cwd=tmp_path).returncode == 1
    (bot / "wheels").mkdir()
    with ZipFile(bot / "wheels" / "learned-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("learned/__init__.py", "")
    done = run("bots", "check", "./learner", *limits, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
