"""The file of tunings: its keys, refusals that name file and key, and the two questions that it asks."""

from decimal import Decimal
from pathlib import Path

import pytest

from tests.support.folders import write_bot
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.compare.gate import GateRule
from tourney.compare.tune_file import TuneFile, read_tune_file
from tourney.compare.tuning import TuneRule
from tourney.errors import TournamentError, UsageError
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


def test_bot_without_parameters_is_told_how_to_have_them(tmp_path: Path) -> None:
    plain = BotStore(tmp_path / "bots").add(write_bot(tmp_path, "plain"))
    with pytest.raises(UsageError, match=r"plain@1\.0 has no parameters: name each in its bot\.toml"):
        read(tmp_path, LEAST).tuning(plain)


def test_unknown_parameter_is_refused_with_the_known_ones(tmp_path: Path, bot: StoredBot) -> None:
    with pytest.raises(UsageError, match=r"tune\.toml: parameters names rech, but those of .*: reach, late"):
        read(tmp_path, LEAST + 'parameters = ["rech"]\n').tuning(bot)
