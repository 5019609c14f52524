"""Tournament files: keys, refusals, opening books and ``@ladder``."""

import dataclasses
import gzip
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from tests.support.command import TOYS, installed, offering
from tests.support.tournaments import refused, write_file
from tourney.bots.catalogue.shipped import ladder_of, shipped_digests
from tourney.bots.catalogue.store import BotStore
from tourney.cli.bots.list import all_bots
from tourney.errors import ActionError, TournamentError
from tourney.games.registry import find_game
from tourney.match.spec import DEFAULT_LIMITS, Limits, Opening
from tourney.plugins import Addon
from tourney.run import tournament_file
from tourney.run.file_schema import EntrantLine
from tourney.run.preparation import enter
from tourney.run.tournament_file import read_book, read_tournament_file
from tourney.schedule.format import find_format
from tourney.schedule.row import Row
from tourney.store.column_reading import canonical
from tourney.store.values import Plan, RunSettings, plan_data, plan_from

PLAIN = 'name = "cup"\ngame = "sages-tafl"\nbots = ["random", "./mine"]\n'


def test_short_file_gets_defaults(tmp_path: Path) -> None:
    file = read_tournament_file(write_file(tmp_path, PLAIN))
    assert file.path.parent == tmp_path
    assert file.seed is None
    assert file.entrants == (EntrantLine("random"), EntrantLine("./mine"))
    assert file.run == RunSettings(reuse=False, sandbox="auto")
    plan = file.plan
    assert (plan.name, plan.game, plan.format, plan.seats) == ("cup", "sages-tafl", "round-robin", 2)
    assert plan.games_per_pairing == 2
    assert plan.limits == DEFAULT_LIMITS
    assert (plan.opening_plies, plan.book, plan.rounds) == (0, (), None)


@pytest.mark.parametrize(("encoding", "end"), [("utf-8-sig", "\n"), ("utf-16", "\n"), ("utf-8-sig", "\r\n")])
def test_file_of_an_editor_of_windows_is_read(encoding: str, end: str, tmp_path: Path) -> None:
    file = write_file(tmp_path, PLAIN)
    plain = read_tournament_file(file)
    file.write_bytes(PLAIN.replace("\n", end).encode(encoding))
    assert read_tournament_file(file) == plain


def test_file_that_is_not_toml_says_what_it_looks_like(tmp_path: Path) -> None:
    with refused(TournamentError, "cup.toml: this is not valid TOML", "it has typographic quotation marks"):
        read_tournament_file(write_file(tmp_path, PLAIN.replace('"', "\u201d")))
    with refused(TournamentError, "cup.toml: this is not valid TOML", "it looks like JSON"):
        read_tournament_file(write_file(tmp_path, '{"name": "cup"}'))


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


@pytest.mark.parametrize("text", ["{}", "{:#x}", "'{:#x}'"])
def test_largest_seed_is_read_in_each_form(tmp_path: Path, text: str) -> None:
    """2^256 - 1, though the numbers of most programs that read TOML end at 2^63 - 1."""
    path = tmp_path / "cup.toml"
    path.write_text(PLAIN.replace("./mine", "greedy") + f"seed = {text.format(2**256 - 1)}\n")
    assert read_tournament_file(path).seed == 2**256 - 1


def test_values_are_frozen(tmp_path: Path) -> None:
    file = read_tournament_file(write_file(tmp_path, PLAIN))
    with pytest.raises(dataclasses.FrozenInstanceError):
        file.seed = 3  # type: ignore[misc]  # the assignment is refused, which is the test
    hash(file.plan)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('name = "cup"', "", "cup.toml: name is missing"),
        (
            'name = "cup"',
            'name = "Big Cup"',
            'cup.toml: name is "Big Cup", but must match [a-z0-9][a-z0-9._-]{0,63} (small letters, digits,',
        ),
        ('name = "cup"', "name = 3", "cup.toml: name is 3, but must be a string"),
        ('"sages-tafl"', '"draughts"', "cup.toml: there is no game 'draughts'; the games are:"),
        ('game = "sages-tafl"', "", "cup.toml: game is missing"),
        ("bots =", "seats = 3\nbots =", "cup.toml: sages-tafl is played with 2 seats, not 3"),
        ("bots =", "seats = true\nbots =", "cup.toml: seats is true, but must be an integer"),
        ("bots =", "seed = -1\nbots =", "cup.toml: seed is -1, but must be at least 0"),
        ("bots =", "seed = '0x1_f'\nbots =", 'cup.toml: seed is "0x1_f", but must be 0x and at most 64 hex'),
        (
            "bots =",
            f"seed = {2**256}\nbots =",
            "seed is a number of 78 digits, but must be from 0 to 2^256 - 1",
        ),
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
        ("]\n", "]\nname = 1\n", "this is not valid TOML: Cannot overwrite a value"),
        ("]\n", "", "cup.toml: this is not valid TOML: Unclosed array"),
    ],
)
def test_wrong_value_is_refused_in_one_sentence(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert old in PLAIN
    path = write_file(tmp_path, PLAIN.replace(old, new, 1))
    with refused(TournamentError, sentence):
        read_tournament_file(path)


def test_broken_format_matters_only_where_it_may_be_meant(tmp_path: Path) -> None:
    broken = "the plugin of format gone (tests.nowhere:Gone) is broken: ModuleNotFoundError: "
    with installed(Addon(formats={"gone": "tests.nowhere:Gone"})):
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
    with refused(TournamentError, "garbage.toml line 1 is not UTF-8: ", "save it as UTF-8"):
        read_tournament_file(garbage)
    garbage.write_bytes(b"x = " + b"[" * 5000 + b"]" * 5000)
    with refused(TournamentError, "garbage.toml: this is not valid TOML"):
        read_tournament_file(garbage)
    garbage.write_bytes(b"#" * (1 << 20) + b"\n")
    with refused(TournamentError, "at most 1 MiB"):
        read_tournament_file(garbage)


def make_plan(**values: Any) -> Plan:
    given = {"name": "cup", "game": "chess", "rules": "1", "options": (), "format": "round-robin", "seats": 2}
    return Plan(**{**given, "games_per_pairing": 2, **values})


def first_actions() -> tuple[str, str]:
    game = find_game("sages-tafl")
    state = game.new()
    one = state.legal_actions()[0]
    two = state.play(one).legal_actions()[0]
    return game.action_string(one), game.action_string(two)


def test_each_seed_samples_an_opening_of_the_book(tmp_path: Path) -> None:
    one, two = first_actions()
    (tmp_path / "seeds").mkdir()
    (tmp_path / "seeds" / "tafl.book").write_text(f"# two openings\n\n{one} {two}  # both\n{one}\n")
    text = 'name = "cup"\ngame = "sages-tafl"\nopening-book = "seeds/tafl.book"\nbots = ["random"]\n'
    plan = read_tournament_file(write_file(tmp_path, text)).plan
    assert plan.book == ((one, two), (one,))
    row = Row(1, 1, 1, 1, (0, 1))
    openings = [plan.opening_of(seed, row) for seed in range(50)]
    assert set(openings) == {Opening(actions=(one, two)), Opening(actions=(one,))}
    assert openings == [plan.opening_of(seed, row) for seed in range(50)]


def openings_of(plan: Plan, rows: Iterable[Row], seed: int = 7) -> list[str]:
    return [plan.opening_of(seed, row).actions[0] for row in rows]


@pytest.mark.parametrize("lines", [1, 2, 8, 9, 30])
@pytest.mark.parametrize("mirrored", [True, False])
def test_random_order_repeats_no_line_before_the_end(lines: int, mirrored: bool) -> None:
    """For the games of the same two entrants: by repeats, in whatever round, or by batches."""
    book = tuple((str(k),) for k in range(lines))
    keys = {"book": book, "opening_order": "shuffled", "mirrored_dice": mirrored}
    orders = (1,) if mirrored else (1, 2)
    count = lines // len(orders) or 1
    robin = make_plan(games_per_pairing=2 * count, **keys)
    rows = [Row(5, 3, k, order, (4, 1)) for k in range(1, count + 1) for order in orders]
    assert len(set(openings_of(robin, rows))) == min(lines, len(rows))
    # A later file that plays more games changes none of them.
    assert openings_of(structs.replace(robin, games_per_pairing=100), rows) == openings_of(robin, rows)
    batches = make_plan(format="swiss", games_per_pairing=4, **keys)
    rows = [Row(k // 2 + 1, 1, k % 2 + 1, order, (1, 4)) for k in range(count) for order in orders]
    assert len(set(openings_of(batches, rows))) == min(lines, len(rows))


def test_random_order_depends_on_seed_and_entrants() -> None:
    plan = make_plan(book=tuple((str(k),) for k in range(100)), opening_order="shuffled")
    rows = [Row(1, 1, k, 1, (0, 1)) for k in range(1, 21)]
    other = [Row(1, 1, k, 1, (0, 2)) for k in range(1, 21)]
    assert openings_of(plan, rows) != openings_of(plan, other)
    assert openings_of(plan, rows) != openings_of(plan, rows, seed=8)
    turned = [Row(1, 1, k, 2, (1, 0)) for k in range(1, 21)]
    assert openings_of(plan, rows) == openings_of(plan, turned)


def test_file_with_random_openings_plans_the_new_rule(tmp_path: Path) -> None:
    one, two = first_actions()
    (tmp_path / "b").write_text(f"{one}\n{one} {two}\n")
    text = 'name = "cup"\ngame = "sages-tafl"\nopening-book = "b"\nbots = ["random"]\n'
    assert read_tournament_file(write_file(tmp_path, text)).plan.opening_order == "shuffled"
    sequential = text + 'opening-order = "sequential"\nopening-start = 2\n'
    assert read_tournament_file(write_file(tmp_path, sequential)).plan.book == ((one, two), (one,))
    with refused(TournamentError, "opening-start goes with opening-order"):
        read_tournament_file(write_file(tmp_path, text + "opening-start = 2\n"))
    with refused(TournamentError, "the book has 2 openings, and opening-start is 3"):
        read_tournament_file(write_file(tmp_path, sequential.replace("= 2", "= 3")))


def test_long_book_gives_openings_at_even_distances(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament_file, "MAX_OPENINGS", 3)
    one, two = first_actions()
    lines = [f"{one} {two}" if k in (2, 6, 9) else one for k in range(10)]
    (tmp_path / "b.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    said: list[str] = []
    game = find_game("sages-tafl")
    book = read_book(tmp_path / "b.gz", game, 2, {}, say=said.append)
    assert len(book) == 3
    assert book[-1] == (one, two)
    assert said == [f"{tmp_path / 'b.gz'}: 3 of 10 openings are taken"]
    assert read_book(tmp_path / "b.gz", game, 2, {}, start=9) == ((one,), (one, two), (one,))


def test_without_book_the_opening_is_a_number_of_plies() -> None:
    plan = make_plan(opening_plies=4)
    assert plan.opening_of(7, Row(1, 1, 1, 1, (0, 1))) == Opening(plies=4)


def test_sequential_order_takes_the_next_line_for_each_round_and_repeat() -> None:
    plan = make_plan(book=(("a",), ("b",), ("c",)), games_per_pairing=4, opening_order="sequential")
    rows = [Row(r, table, repeat, 1, (0, 1)) for r in (1, 2) for table in (1, 2) for repeat in (1, 2)]
    assert [plan.opening_of(7, row).actions[0] for row in rows] == ["a", "b", "a", "b", "c", "a", "c", "a"]
    assert plan_from(canonical(plan_data(plan))) == plan
    assert "opening-order" not in plan_data(make_plan())


@pytest.mark.parametrize(("format_", "seats"), [("swiss", 2), ("swiss", 3), ("gauntlet", 2), ("knockout", 2)])
def test_plan_stores_the_ranking_of_its_format(tmp_path: Path, format_: str, seats: int) -> None:
    text = f'name = "cup"\ngame = "sage-stones"\nformat = "{format_}"\nseats = {seats}\nbots = ["random"]\n'
    text += "rounds = 2\n" if format_ == "swiss" else ""
    plan = read_tournament_file(write_file(tmp_path, text)).plan
    assert plan.ranking == find_format(format_).new_rule(seats)
    assert plan_from(canonical(plan_data(plan))) == plan
    assert "ranking" not in plan_data(make_plan())


def test_illegal_action_is_refused_by_line(tmp_path: Path) -> None:
    one, _ = first_actions()
    path = tmp_path / "bad.book"
    path.write_text(f"\n{one} {one}\n")
    with refused(TournamentError, "bad.book, line 2: action"):
        read_book(path, find_game("sages-tafl"), 2, {})
    path.write_text("# nothing\n")
    with refused(TournamentError, "bad.book: the opening book holds no opening"):
        read_book(path, find_game("sages-tafl"), 2, {})
    path.write_bytes(b"\xff\n")
    with refused(TournamentError, "bad.book, line 1: 'ÿ' is not"):
        read_book(path, find_game("sages-tafl"), 2, {})


def test_game_with_dice_takes_no_book(tmp_path: Path) -> None:
    (tmp_path / "any.book").write_text("3d\n")
    with refused(
        TournamentError, "an opening of sage-stones must set a position up, because chance acts first"
    ):
        game = find_game("sage-stones")
        read_book(tmp_path / "any.book", game, *game.settings())


EPD = """# positions
rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2
r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR w KQkq - hmvc 2; fmvn 3; id "a";
"""
PGN = """[Event "a"]
[Result "*"]

1. e4 {best} e5 (1... c5) 2. Nf3 *

[FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]
[SetUp "1"]

1. O-O *
"""


@pytest.mark.addon("chess")
def test_epd_sets_positions_up(tmp_path: Path) -> None:
    (tmp_path / "b.epd").write_text(EPD)
    assert read_book(tmp_path / "b.epd", find_game("chess"), 2, {}) == (
        ("=rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR_w_KQkq_-_0_2",),
        ("=r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR_w_KQkq_-_2_3",),
    )
    assert read_book(tmp_path / "b.epd", find_game("chess960"), 2, {})[0][0].endswith("_w_HAha_-_0_2")
    (tmp_path / "b.epd").write_text("8/8/8/8/8/8/8/8 w - -\n")
    with refused(
        TournamentError, "b.epd, line 1: '8/8/8/8/8/8/8/8 w - -' is not a position of chess: no white king"
    ):
        read_book(tmp_path / "b.epd", find_game("chess"), 2, {})
    with refused(TournamentError, "b.epd, line 1: sages-tafl takes no positions as openings"):
        read_book(tmp_path / "b.epd", find_game("sages-tafl"), 2, {})


@pytest.mark.addon("chess")
def test_games_of_pgn_are_openings(tmp_path: Path) -> None:
    (tmp_path / "b.pgn").write_text(PGN)
    start = "=4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1"
    assert read_book(tmp_path / "b.pgn", find_game("chess"), 2, {}) == (
        ("e2e4", "e7e5", "g1f3"),
        (start, "e1g1"),
    )
    assert read_book(tmp_path / "b.pgn", find_game("chess"), 2, {}, 1) == (("e2e4",), (start, "e1g1"))
    (tmp_path / "b.pgn").write_text("1. e4 e5 2. Ke3 *\n")
    with refused(TournamentError, "b.pgn, game 1: it cannot be read: illegal san: 'Ke3'"):
        read_book(tmp_path / "b.pgn", find_game("chess"), 2, {})


@pytest.mark.addon("chess")
def test_seat_may_not_set_a_position_up() -> None:
    game = find_game("chess")
    action = game.set_up("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    state = game.new()
    assert not state.is_legal(game.parse_action(action))
    assert state.play(game.read_action(state, action)).position() == "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    with refused(ActionError, "a position is set up before the first move only"):
        game.read_action(state.play(game.parse_action("e2e4")), action)


HEAD = 'name = "cup"\n'


def test_pattern_enters_every_archive_sorted(tmp_path: Path) -> None:
    for name in ("ben.zip", "anna.zip", "notes.txt", ".DS_Store"):
        write_file(tmp_path / "handed in", "x", name)
    text = f'{HEAD}game = "element"\nseats = 3\nbots = ["handed in/*.zip", "pebble"]\n'
    lines = read_tournament_file(write_file(tmp_path, text)).entrants
    assert [line.bot for line in lines] == ["handed in/anna.zip", "handed in/ben.zip", "pebble"]
    with refused(TournamentError, "cup.toml: bots names none/*.zip, which matches no file"):
        read_tournament_file(write_file(tmp_path, text.replace("handed in", "none")))


@pytest.mark.parametrize("bots", ["handed in", "handed in/*", "./handed in/"])
def test_folder_of_bots_enters_what_a_check_takes(bots: str, tmp_path: Path) -> None:
    folder = tmp_path / "handed in"
    for name in ("ben.zip", "Anna.ZIP", "carl.tar.gz", "notes.txt", ".DS_Store", "dora/bot.toml"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    text = f'{HEAD}game = "element"\nseats = 3\nbots = ["{bots}", "handed in/dora"]\n'
    lines = [line.bot for line in read_tournament_file(write_file(tmp_path, text)).entrants]
    checked, _ = all_bots([str(folder)])
    assert [str(tmp_path / (line or "")) for line in lines] == [*checked, str(folder / "dora")]
    assert len(checked) == 4


def test_ladder_enters_its_rungs_in_place(tmp_path: Path) -> None:
    text = f'{HEAD}game = "element"\nseats = 3\nbots = ["./mine", "@ladder", "pebble"]\n'
    file = read_tournament_file(write_file(tmp_path, text))
    rungs = ladder_of("element", 3)
    assert file.entrants == (
        EntrantLine("./mine"),
        *(EntrantLine(rung.bot, rung.name, rung.args) for rung in rungs),
        EntrantLine("pebble"),
    )
    assert file.rungs == tuple(rung.name for rung in rungs)


def test_entered_rungs_are_the_shipped_bots(tmp_path: Path) -> None:
    file = read_tournament_file(write_file(tmp_path, f'{HEAD}game = "sages-tafl"\nbots = ["@ladder"]\n'))
    entrants = enter(file, file.entrants, BotStore(tmp_path / "bots"))
    assert [one.name for one in entrants] == list(file.rungs)
    assert [(one.entrant.bot, one.entrant.args) for one in entrants] == [
        (rung.bot, rung.args) for rung in ladder_of("sages-tafl", 2)
    ]
    assert {one.entrant.digest for one in entrants} <= set(shipped_digests().values())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('bots = ["@ladder", "@ladder"]', ("bots", "names @ladder twice")),
        ('[[entrant]]\nbot = "@ladder"', ("[[entrant]] 1", 'bots = ["@ladder"]')),
    ],
)
def test_misplaced_ladder_is_refused(tmp_path: Path, text: str, words: tuple[str, ...]) -> None:
    path = write_file(tmp_path, f'{HEAD}game = "sages-tafl"\n{text}\n')
    with refused(TournamentError, str(path), *words):
        read_tournament_file(path)


def test_entrant_named_as_a_rung_is_refused(tmp_path: Path) -> None:
    path = write_file(tmp_path, f'{HEAD}game = "sages-tafl"\nbots = ["@ladder", "greedy"]\n')
    file = read_tournament_file(path)
    with refused(TournamentError, "two entrants are called greedy, one of them by @ladder", "[[entrant]]"):
        enter(file, file.entrants, BotStore(tmp_path / "bots"))


def test_game_without_a_ladder_is_refused(tmp_path: Path) -> None:
    path = write_file(tmp_path, f'{HEAD}game = "toe"\nbots = ["@ladder"]\n')
    with offering(**TOYS), refused(TournamentError, "bots names @ladder, but toe with 2 seats has no ladder"):
        read_tournament_file(path)


OWN = """
name = "cup"
game = "sages-tafl"
[[entrant]]
bot = "random"
name = "timed"
limits = {clock-ms = 60000, clock-moves = 40}
[[entrant]]
bot = "random"
name = "deep"
limits = {depth = 5}
[[entrant]]
bot = "random"
[limits]
move-ms = 500
"""


def test_entrants_have_limits_of_their_own(tmp_path: Path) -> None:
    """They stand in the plan by name, whose root they change; plans without them are as before."""
    plan = read_tournament_file(write_file(tmp_path, OWN)).plan
    assert plan.limits.texts() == DEFAULT_LIMITS.texts() | {
        "move-ms": "500",
        "limits of deep": "{depth=5}",
        "limits of timed": "{clock-ms=60000 clock-moves=40}",
    }
    assert plan_from(canonical(plan_data(plan))) == plan
    assert "entrants" not in plan_data(read_tournament_file(write_file(tmp_path, PLAIN)).plan)["limits"]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('name = "deep"\n', "", "name is missing: limits of one entrant need its name"),
        ('name = "deep"', 'name = "timed"', "is timed twice"),
        ("{depth = 5}", "{}", "sets no limit"),
        ("{depth = 5}", "{depth = 0}", "depth"),
        ("{depth = 5}", "{memory-mb = 64}", "memory-mb"),
        ("{depth = 5}", "{clock-moves = 40}", "clock-moves is set without clock-ms"),
    ],
)
def test_wrong_limits_of_an_entrant_are_refused(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    with refused(TournamentError, sentence):
        read_tournament_file(write_file(tmp_path, OWN.replace(old, new)))


def test_score_by_wins_is_stored_in_what_ranks(tmp_path: Path) -> None:
    text = 'name = "cup"\ngame = "sage-stones"\nseats = 3\nbots = ["random", "greedy", "mcts"]\n'
    by_places = read_tournament_file(write_file(tmp_path, text)).plan
    plan = read_tournament_file(write_file(tmp_path, text + 'score = "win"\n')).plan
    assert by_places.ranking is not None
    assert plan == structs.replace(by_places, ranking=structs.replace(by_places.ranking, score="win"))
    assert "score" not in canonical(plan_data(by_places))
    assert plan_from(canonical(plan_data(plan))) == plan


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("seats = 2", "three and four seats"),
        ('seats = 3\nformat = "adaptive"\nbudget = 60', 'format = "adaptive"'),
        ("seats = 3\n[until]\nbest = 0.95", "[until] counts opponents beaten"),
    ],
)
def test_score_by_wins_is_refused_where_places_count(tmp_path: Path, lines: str, words: str) -> None:
    text = (
        f'name = "cup"\ngame = "sage-stones"\nscore = "win"\nbots = ["random", "greedy", "mcts"]\n{lines}\n'
    )
    with refused(TournamentError, "score", words):
        read_tournament_file(write_file(tmp_path, text))
