"""The file of tunings: its keys, refusals that name file and key, its two questions, and the tuned bot."""

import os
from decimal import Decimal
from pathlib import Path

import pytest

from tests.support.folders import write_bot
from tourney.addons.lab.gate import GateRule
from tourney.addons.lab.tune_file import (
    TuneFile,
    check_out,
    raised,
    read_tune_file,
    tuned_manifest,
    write_tuned,
)
from tourney.addons.lab.tuning import TuneRule
from tourney.bots.catalogue.manifest import read_manifest
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.errors import BotError, TournamentError, UnsafeFileError, UsageError
from tourney.seeds import derive

LEAST = 'game = "sage-stones"\ngames = 400\n'
PARAMETERS = """
[parameters.reach]
value = 2
low = 0
high = 4
step = 1
[parameters.late]
value = 0.5
low = 0
high = 1
step = 0.1
"""


@pytest.fixture
def bot(tmp_path: Path) -> StoredBot:
    folder = write_bot(tmp_path, "mine")
    with (folder / "bot.toml").open("a") as file:
        file.write(PARAMETERS)
    return BotStore(tmp_path / "bots").add(folder)


def read(folder: Path, text: str) -> TuneFile:
    (folder / "tune.toml").write_text(text)
    return read_tune_file(folder / "tune.toml")


def test_least_file_has_defaults(tmp_path: Path, bot: StoredBot) -> None:
    question = read(tmp_path, LEAST).tuning(bot)
    rule = question.rule
    assert isinstance(rule, TuneRule)
    assert (rule.terms.names, rule.terms.pairs, rule.terms.batch, rule.method) == (
        ("reach", "late"),
        200,
        8,
        "spsa",
    )
    assert (rule.terms.rate, rule.luck, question.seed) == (Decimal("0.0194"), True, None)
    assert [line.bot for line in question.bots] == [bot.digest] * 2


def test_whole_file_is_read(tmp_path: Path, bot: StoredBot) -> None:
    text = (
        LEAST + 'seed = 5\nmethod = "spsa"\nrate = 0.05\nbatch = 300\nparameters = ["late"]\ngain = 20\n'
        "gate-games = 10\nopening-plies = 2\n[options]\nstones = 5\n"
        "[limits]\nnodes = 9\n[run]\nreuse = true\n"
    )
    file = read(tmp_path, text)
    question = file.tuning(bot)
    rule = question.rule
    assert isinstance(rule, TuneRule)
    assert (rule.terms.names, rule.terms.rate, rule.terms.batch) == (("late",), Decimal("0.050000"), 200)
    assert (question.options, question.limits.nodes, question.opening_plies) == ({"stones": "5"}, 9, 2)
    assert question.run.reuse
    gate = file.gate(tmp_path / "new", bot)
    assert gate.rule == GateRule(0.0, 20.0, batch=5, luck=True)
    assert gate.rule.rounds == 1
    assert [line.bot for line in gate.bots] == [str(tmp_path / "new"), bot.digest]


def test_gate_has_dice_of_its_own(tmp_path: Path, bot: StoredBot) -> None:
    """With the seed of the tuning, values could be accepted for the very dice that chose them."""
    file = read(tmp_path, LEAST + "seed = 5\n")
    assert (file.tuning(bot).seed, file.gate(tmp_path / "new", bot).seed) == (5, derive(5, "gate"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('game = "sage-stones"\n', "tune.toml: games is missing; add, for example, games = 4000"),
        (LEAST + "game = 2\n", "not valid TOML"),
        (LEAST + "games_ = 2\n", 'tune.toml: unknown key "games_"; did you mean games?'),
        (LEAST.replace("400", "1"), "games is 1, but must be"),
        (LEAST + 'method = "luck"\n', 'method is "luck", but must be "cma-es", "random", "spsa" or "tpe"'),
        (LEAST.replace("400", "401"), "games is 401, but must be even"),
        (LEAST + "gate-games = 7\n", "gate-games is 7, but must be even"),
        (LEAST + 'parameters = ["late", "late"]\n', "parameters names late twice"),
        (LEAST + "rate = 2.0\n", "rate is 2, but must be from 0.0001 to 1"),
        (LEAST + 'method = "random"\nrate = 0.1\n', 'rate does not go with method = "random"'),
        (LEAST + "seed = -1\n", "seed is -1"),
        (LEAST + "[limits]\nnods = 1\n", 'tune.toml, [limits]: unknown key "nods"; did you mean nodes?'),
    ],
)
def test_refusals_name_file_and_key(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(TournamentError) as caught:
        read(tmp_path, text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(TournamentError, match=r"tuning file .*no\.toml cannot be read"):
        read_tune_file(tmp_path / "no.toml")


def test_bot_without_parameters_learns_how_to_declare_them(tmp_path: Path) -> None:
    plain = BotStore(tmp_path / "bots").add(write_bot(tmp_path, "plain"))
    with pytest.raises(UsageError, match=r"plain@1\.0 has no parameters: name each in its bot\.toml"):
        read(tmp_path, LEAST).tuning(plain)


def test_unknown_parameter_is_refused_with_the_known_ones(tmp_path: Path, bot: StoredBot) -> None:
    with pytest.raises(UsageError, match=r"tune\.toml: parameters names rech, but those of .*: reach, late"):
        read(tmp_path, LEAST + 'parameters = ["rech"]\n').tuning(bot)


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


def test_copy_does_not_follow_a_planted_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An account that guesses the temporary name, or exchanges the folder, gets nothing written elsewhere."""
    folder = write_bot(tmp_path, "mine", {"bot.py": "pass\n"})
    with (folder / "bot.toml").open("a") as file:
        file.write("[parameters.reach]\nvalue = 2\nlow = 0\nhigh = 4\nstep = 1\n")
    bot = BotStore(tmp_path / "bots").add(folder)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setattr("secrets.token_hex", lambda size: "guessed")
    (tmp_path / ".new-guessed").symlink_to("elsewhere")
    with pytest.raises(FileExistsError):
        write_tuned(bot, {"reach": "3"}, tmp_path / "new")
    (tmp_path / ".new-guessed").unlink()

    def exchange(name: str, mode: int, *, dir_fd: int) -> None:
        os.symlink("elsewhere", name, dir_fd=dir_fd)

    monkeypatch.setattr("os.mkdir", exchange)
    with pytest.raises(UnsafeFileError, match="guessed"):
        write_tuned(bot, {"reach": "3"}, tmp_path / "new")
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert not (tmp_path / "new").exists()
