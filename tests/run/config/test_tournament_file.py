"""The tournament file: its keys, defaults and errors."""

import dataclasses
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from tests.command import installed
from tests.tournaments import refused, write_file
from tourney.errors import TournamentError
from tourney.match.spec import Limits
from tourney.run.config.tournament_file import EntrantLine, read_tournament_file
from tourney.schedule.format import FORMATS
from tourney.store.values import RunSettings

PLAIN = 'name = "cup"\ngame = "sages-tafl"\nbots = ["random", "./mine"]\n'


def test_short_file_gets_defaults(tmp_path: Path) -> None:
    file = read_tournament_file(write_file(tmp_path, PLAIN))
    assert file.folder == tmp_path
    assert file.seed is None
    assert file.entrants == (EntrantLine("random"), EntrantLine("./mine"))
    assert file.run == RunSettings(reuse=False, sandbox="auto")
    plan = file.plan
    assert (plan.name, plan.game, plan.format, plan.seats) == ("cup", "sages-tafl", "round-robin", 2)
    assert plan.games_per_pairing == 2
    assert plan.limits == Limits()
    assert (plan.opening_plies, plan.book, plan.rounds) == (0, (), None)


def test_every_key_is_read(tmp_path: Path) -> None:
    (tmp_path / "seeds").mkdir()
    text = """
        name = "autumn-cup"
        game = "sage-stones"
        format = "round-robin"
        seed = 18446744073709551615
        bots = ["random", "greedy"]
        seats = 4
        games-per-pairing = 8
        opening-plies = 4
        [[entrant]]
        bot = "mcts"
        name = "mcts-100"
        args = ["--playouts", "100"]
        [limits]
        clock-ms = 60000
        increment-ms = 500
        nodes = 9007199254740991
        margin-ms = 20
        startup-ms = 3000
        memory-mb = 512
        charge = "cpu"
        ponder = "freeze"
        [run]
        reuse = true
        sandbox = "strict"
    """
    file = read_tournament_file(write_file(tmp_path, text))
    assert file.seed == 2**64 - 1
    assert file.entrants[2] == EntrantLine("mcts", "mcts-100", ("--playouts", "100"))
    assert (file.plan.seats, file.plan.games_per_pairing, file.plan.opening_plies) == (4, 8, 4)
    assert file.plan.limits == Limits(
        move_ms=None,
        clock_ms=60000,
        increment_ms=500,
        nodes=2**53 - 1,
        margin_ms=20,
        startup_ms=3000,
        memory_mb=512,
        charge="cpu",
        ponder="freeze",
    )
    assert file.run == RunSettings(reuse=True, sandbox="strict")


def test_values_are_frozen(tmp_path: Path) -> None:
    file = read_tournament_file(write_file(tmp_path, PLAIN))
    with pytest.raises(dataclasses.FrozenInstanceError):
        file.seed = 3  # type: ignore[misc]  # the assignment is refused, which is the test
    hash(file.plan)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('name = "cup"', "", "cup.toml: name is missing"),
        ('name = "cup"', 'name = "Big Cup"', 'cup.toml: name is "Big Cup", but must match'),
        ('name = "cup"', "name = 3", "cup.toml: name is 3, but must be a string"),
        ('"sages-tafl"', '"draughts"', "cup.toml: there is no game 'draughts'; the games are:"),
        ('game = "sages-tafl"', "", "cup.toml: game is missing"),
        ("bots =", "seats = 3\nbots =", "cup.toml: sages-tafl is played with 2 seats, not 3"),
        ("bots =", "seats = true\nbots =", "cup.toml: seats is true, but must be an integer"),
        ("bots =", "seed = -1\nbots =", "cup.toml: seed is -1, but must be from 0 to 18446744073709551615"),
        ("bots =", "seed = 18446744073709551616\nbots =", "cup.toml: seed is 18446744073709551616, but must"),
        ("bots =", "seed = 1.5\nbots =", "cup.toml: seed is 1.5, but must be an integer"),
        (
            "bots =",
            "games-per-pairing = 3\nbots =",
            "cup.toml: games-per-pairing is 3, but must be a multiple of 2",
        ),
        ("bots =", "games-per-pairing = 0\nbots =", "cup.toml: games-per-pairing is 0, but must be from 1"),
        ("bots =", 'format = "sudden"\nbots =', 'cup.toml: format is "sudden", but must be "adaptive"'),
        ("bots =", "rounds = 5\nbots =", 'cup.toml: rounds does not go with format = "round-robin"'),
        ("bots =", "round = 5\nbots =", 'cup.toml: unknown key "round"; did you mean rounds?'),
        ("bots =", "opening-plies = -1\nbots =", "cup.toml: opening-plies is -1, but must be from 0"),
        (
            "bots =",
            'opening-plies = 2\nopening-book = "x"\nbots =',
            "cup.toml: opening-book does not go with opening-plies",
        ),
        ("bots =", 'opening-book = "none"\nbots =', "none cannot be read: No such file"),
        ('bots = ["random", "./mine"]', "", "cup.toml: bots is missing"),
        ('["random", "./mine"]', '"random"', 'cup.toml: bots is "random", but must be a list of strings'),
        ('["random", "./mine"]', "[]", "cup.toml: bots is missing"),
        ('["random", "./mine"]', '["random", ""]', 'cup.toml: item 2 of bots is "", but must name a bot'),
        ("bots =", "options = 3\nbots =", r"cup.toml: options is 3, but must be a table: [options]"),
        ("bots =", "entrant = 3\nbots =", r"must be a list of tables: [[entrant]]"),
        ("]\n", ']\n[[entrant]]\nname = "x"\n', r"cup.toml, [[entrant]] 1: bot must be set, or command"),
        ("]\n", ']\n[[entrant]]\nbot = "x"\narg = []\n', 'unknown key "arg"; did you mean args?'),
        ("]\n", ']\n[[entrant]]\nbot = "x"\nname = "A b"\n', 'name is "A b", but must match'),
        ("]\n", "]\n[options]\nsize = 9\n", "cup.toml: sages-tafl has no option size"),
        (
            "]\n",
            "]\n[options]\nsize = true\n",
            r"cup.toml, [options]: size is true, but must be a string",
        ),
        ("]\n", "]\n[limits]\nmove-ms = 0\n", r"cup.toml, [limits]: move-ms is 0, but must be from 1"),
        ("]\n", "]\n[limits]\nincrement-ms = 9\n", r"[limits]: increment-ms is set without clock-ms"),
        ("]\n", ']\n[limits]\ncharge = "gpu"\n', '"gpu", but must be "cpu", "fuel" or "wall"'),
        (
            "]\n",
            "]\n[limits]\nmove_ms = 9\n",
            r'[limits]: unknown key "move_ms"; did you mean move-ms?',
        ),
        ("]\n", ']\n[run]\nsandbox = "none"\n', '"none", but must be "auto", "off" or "strict"'),
        ("]\n", "]\n[run]\nreuse = 1\n", r"[run]: reuse is 1, but must be true or false"),
        (
            "]\n",
            "]\n[run]\nworkers = 1\n",
            r'[run]: unknown key "workers"; the keys are: reuse, sandbox',
        ),
        ("]\n", "]\nname = 1\n", "this is no TOML: Cannot overwrite a value"),
        ("]\n", "", "cup.toml: this is no TOML: Unclosed array"),
    ],
)
def test_wrong_value_is_refused_in_one_sentence(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert old in PLAIN
    path = write_file(tmp_path, PLAIN.replace(old, new, 1))
    with refused(TournamentError, sentence):
        read_tournament_file(path)


def test_broken_format_matters_only_where_it_may_be_meant(tmp_path: Path) -> None:
    broken = "the plugin of format gone (tests.nowhere:Gone) is broken: ModuleNotFoundError: "
    with installed(EntryPoint("gone", "tests.nowhere:Gone", FORMATS.group)):
        assert read_tournament_file(write_file(tmp_path, PLAIN)).plan.format == "round-robin"
        with refused(TournamentError, 'cup.toml: unknown key "zero"; the keys are: ', f"; {broken}"):
            read_tournament_file(write_file(tmp_path, f"zero = 3\n{PLAIN}"))
        with refused(TournamentError, f"cup.toml: {broken}"):
            read_tournament_file(write_file(tmp_path, f'format = "gone"\n{PLAIN}'))
        with refused(TournamentError, 'cup.toml: format is ["gone"], but must be "adaptive"'):
            read_tournament_file(write_file(tmp_path, f'format = ["gone"]\n{PLAIN}'))


def test_game_with_hidden_actions_takes_no_opening_plies(tmp_path: Path) -> None:
    path = write_file(tmp_path, PLAIN.replace("sages-tafl", "cyvasse") + "opening-plies = 2\n")
    with refused(TournamentError, "opening-plies does not go with cyvasse, a game with hidden"):
        read_tournament_file(path)


def test_unreadable_file_is_named(tmp_path: Path) -> None:
    with refused(TournamentError, "nowhere.toml cannot be read: No such file"):
        read_tournament_file(tmp_path / "nowhere.toml")
    with refused(TournamentError, "cannot be read: Is a directory"):
        read_tournament_file(tmp_path)
    garbage = tmp_path / "garbage.toml"
    garbage.write_bytes(b'name = "\xff"')
    with refused(TournamentError, "garbage.toml: the file is not UTF-8"):
        read_tournament_file(garbage)
    garbage.write_bytes(b"x = " + b"[" * 5000 + b"]" * 5000)
    with refused(TournamentError, "garbage.toml: this is no TOML"):
        read_tournament_file(garbage)
    garbage.write_bytes(b"#" * (1 << 20) + b"\n")
    with refused(TournamentError, "at most 1 MiB"):
        read_tournament_file(garbage)
