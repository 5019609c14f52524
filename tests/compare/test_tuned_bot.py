"""Copies of bots with tuned values: what changes in bot.toml, and what cannot."""

from pathlib import Path

import pytest

from tests.support.folders import write_bot
from tourney.bots.catalogue.manifest import read_manifest
from tourney.bots.catalogue.store import BotStore
from tourney.compare.tuned_bot import check_out, raised, tuned_manifest, write_tuned
from tourney.errors import BotError, UsageError

TEXT = """\
name = "x"
version = '1.9'  # mine
command = ["./x"]
# value = 3
[parameters.reach]
value = 2   # of 4
low = 0
high = 4
step = 1
[parameters."late weight"]
step = 0.5
high = 1
low = -1
value = 0.25
"""


@pytest.mark.parametrize(
    ("version", "following"),
    [("1.0", "1.1"), ("1.9", "1.10"), ("2", "3"), ("1.0-rc", "1.1-rc"), ("x", "x.1")],
)
def test_version_is_raised(version: str, following: str) -> None:
    assert raised(version) == following


def test_only_version_and_values_change() -> None:
    changed = tuned_manifest(TEXT, {"reach": "3", "late weight": "-0.50"}, "bot.toml")
    expected = TEXT.replace("'1.9'", '"1.10"').replace("value = 2 ", "value = 3 ").replace("0.25", "-0.50")
    assert changed == expected
    assert read_manifest(changed, "bot.toml").parameters["late weight"].value == -0.5


def test_untuned_parameters_keep_their_values() -> None:
    changed = read_manifest(tuned_manifest(TEXT, {"reach": "4"}, "bot.toml"), "bot.toml")
    assert [one.value for one in changed.parameters.values()] == [4, 0.25]


@pytest.mark.parametrize(
    "text",
    [
        'version = "1"\nparameters.a = {value = 1, low = 0, high = 2, step = 1}\n',
        '"version" = "1"\n[parameters.a]\nvalue = 1\nlow = 0\nhigh = 2\nstep = 1\n',
    ],
)
def test_other_forms_are_refused_before_any_game(text: str) -> None:
    with pytest.raises(BotError, match=r"bot\.toml: write each parameter as a table \[parameters\.NAME\]"):
        tuned_manifest(f'name = "x"\ncommand = ["./x"]\n{text}', {"a": "2"}, "bot.toml")


def test_copy_has_the_files_and_other_values(tmp_path: Path) -> None:
    """The copy is a bot of its own digest; executables stay so, and nothing else is left beside it."""
    folder = write_bot(tmp_path, "mine", {"bot.py": "pass\n", "lib/run": "#!/bin/sh\n"})
    (folder / "lib/run").chmod(0o755)
    with (folder / "bot.toml").open("a") as file:
        file.write("[parameters.reach]\nvalue = 2\nlow = 0\nhigh = 4\nstep = 1\n")
    bot = BotStore(tmp_path / "bots").add(folder)
    check_out(bot, tmp_path / "new")
    write_tuned(bot, {"reach": "3"}, tmp_path / "new")
    assert (tmp_path / "new/lib/run").stat().st_mode & 0o111
    assert (tmp_path / "new/bot.py").read_text() == "pass\n"
    again = BotStore(tmp_path / "bots").add(tmp_path / "new")
    assert (again.manifest.version, again.manifest.parameters["reach"].value) == ("1.1", 3)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bots", "mine", "new"]
    with pytest.raises(UsageError, match="exists already; choose another folder by --out"):
        check_out(bot, tmp_path / "new")
    with pytest.raises(UsageError, match="there is no folder"):
        check_out(bot, tmp_path / "no" / "new")
