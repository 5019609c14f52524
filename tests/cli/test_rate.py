"""``tourney rate``, and ``tourney import`` of results: the ratings of files and of the database agree."""

import csv
import io
import json
import re
from pathlib import Path
from typing import cast

import pytest

from tests.exchange.files import one, pgn
from tests.ratings.classic_pool import BAYESELO, ORDO, POOL
from tests.report import world
from tests.support.command import invoke
from tourney.exchange import rating, reading
from tourney.report.output.placement import MANIFEST
from tourney.store.database import Database

GAMES = [
    *(("ann", "bob", "1-0"), ("bob", "ann", "1/2-1/2")),
    *(("bob", "Cy <b>", "1-0"), ("Cy <b>", "bob", "1-0")),
    *(("Cy <b>", "ann", "0-1"), ("ann", "Cy <b>", "0-1")),
]


def rated(*words: str) -> list[dict[str, object]]:
    """Return the lines of the document that a command prints."""
    done = invoke(*words, "--format", "json")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    keys = ("ratings", "pairs", "standings", "problems")
    lines: list[dict[str, object]] = next(
        (document[key] for key in keys if isinstance(document.get(key), list)),
        [{key: value for key, value in document.items() if key not in {"tournament", "notes"}}],
    )
    return lines


DRAWS_OF_GAME = ("--draw-probability", "0.1")
"""What a tournament of Tourney's own takes by its game, and a file of results estimates."""


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """Six games in three pairs, interleaved, and three that cannot be rated."""
    path = tmp_path / "My Games.pgn"
    text = "".join(one(*GAMES[k], Round=str(k // 2)) for k in (0, 2, 1, 4, 5, 3))
    path.write_text(
        text + pgn(("ann", "bob", "*"), ("?", "bob", "1-0")) + one("ann", "bob", "1-0", end="0-1")
    )
    return path


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tournament with faults and a void match, in a database."""
    path = tmp_path_factory.mktemp("cup") / "t.db"
    with Database.open(str(path), create=True) as repository:
        world.play_all(repository, world.begin(repository, "abcd", games=4), void=(3,))
    return str(path)


@pytest.fixture(scope="module")
def chess(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A tournament of random games of chess, with faults and a void match, and its PGN."""
    pytest.importorskip("chess", reason="tourney[chess] is not installed")
    folder = tmp_path_factory.mktemp("chess")
    db, out = str(folder / "t.db"), str(folder / "cup.pgn")
    with Database.open(db, create=True) as repository:
        world.play_all(repository, world.begin(repository, "abc", game="chess", games=4), void=(3,))
    assert invoke("export", "--format", "pgn", "--out", out, "--db", db).exit_code == 0
    return db, out


@pytest.mark.parametrize("show", ["bots", "pairs", "pool"])
@pytest.mark.parametrize("forfeits", ["loss", "void"])
def test_exported_records_have_the_ratings_of_the_tournament(
    cup: str, tmp_path: Path, show: str, forfeits: str
) -> None:
    out = str(tmp_path / "cup.jsonl")
    assert invoke("export", "--out", out, "--db", cup).exit_code == 0
    words = ("--forfeits", forfeits)
    table = rated("rate", out, "--show", show.replace("bots", "players"), *words)
    stored = rated("ratings", "--show", show, *words, "--db", cup)
    for rows in (table, stored):
        for row in rows:
            row.pop("faults", None)  # those of void matches count in the database only
            row.pop("luck", None)  # the database keeps what verification computes
            row.pop("elo_with_luck", None)
    assert table == stored


def test_games_left_out_as_forfeits_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    lost = one("ann", "bob", "1-0", Termination="time forfeit")
    file.write_text(pgn(*GAMES) + lost)
    done = invoke("rate", str(file), "--forfeits", "void")
    assert "6 games of 3 players rated, of 7 read." in done.stderr
    assert "games lost by a fault: 1, left out by --forfeits void" in done.stderr
    assert "7 games of 3 players rated, of 7 read." in invoke("rate", str(file)).stderr


@pytest.mark.parametrize("method", ["batch", "trueskill"])
def test_exported_table_has_the_ratings_of_the_tournament(cup: str, tmp_path: Path, method: str) -> None:
    out = str(tmp_path / "matches.csv")
    assert invoke("export", "--what", "matches", "--out", out, "--db", cup).exit_code == 0
    as_played = DRAWS_OF_GAME if method == "trueskill" else ()
    table = rated("rate", out, "--method", method, *as_played)
    stored = rated("ratings", "--method", method, "--db", cup)
    apart = {"faults": 0, "luck": 0, "elo_with_luck": 0}  # a table holds no draws
    assert [{**row, **apart} for row in table] == [{**row, **apart} for row in stored]


@pytest.mark.addon("chess")
@pytest.mark.parametrize(
    "words",
    [(), ("--method", "trueskill"), ("--show", "pairs"), ("--show", "pool"), ("--forfeits", "void")],
    ids=" ".join,
)
def test_exported_pgn_has_the_ratings_of_the_tournament(
    chess: tuple[str, str], words: tuple[str, ...]
) -> None:
    db, out = chess
    as_played = DRAWS_OF_GAME if "trueskill" in words else ()
    table, stored = rated("rate", out, *words, *as_played), rated("ratings", *words, "--db", db)
    for rows in (table, stored):
        for row in rows:
            row.pop("faults", None)
    assert table == stored
    assert len(table) >= 3 or table[0]["p_best"]


@pytest.mark.parametrize("words", [(), ("--method", "trueskill"), ("--forfeits", "void")], ids=" ".join)
def test_imported_results_have_the_ratings_of_the_file(
    games: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    db = str(tmp_path / "t.db")
    done = invoke("import", str(games), "--db", db)
    assert done.exit_code == 0
    assert "6 results of 3 players imported as my-games; they have no records" in done.stderr
    assert f"warning: games with an unknown player: 1 ({games} line 56)" in done.stderr
    assert rated("ratings", "my-games", *words, "--db", db) == rated("rate", str(games), *words)


def test_commands_that_need_records_say_that_there_are_none(games: Path, tmp_path: Path) -> None:
    db = str(tmp_path / "t.db")
    assert invoke("import", str(games), "--name", "club", "--db", db).exit_code == 0
    for words, sentence in (
        (("verify", "--all"), "club has results without records, which cannot be verified"),
        (("verify", "1"), "match 1 was imported as a result alone, so it has no record"),
        (("rerun", "1"), "match 1 was imported as a result alone, so it has no record"),
        (("rerun", "--all"), "club has results without records, which cannot be replayed"),
        (("show", "1"), "match 1 was imported as a result alone, so it has no record"),
        (("export",), "club has results without records: export them by --what matches"),
        (("export", "--what", "tournament"), "club has results without records"),
        (("export", "--proof", "plan"), "club has no root: its results have no records"),
    ):
        done = invoke(*words, "--db", db)
        assert (done.exit_code, sentence in done.stderr) == (2, True), done.stderr
    assert invoke("db", "check", "--db", db).exit_code == 0
    standings = rated("standings", "--db", db)
    assert [(row["name"], row["points"]) for row in standings] == [("ann", 2.5), ("Cy <b>", 2), ("bob", 1.5)]


def test_imported_results_have_a_report_without_replays(games: Path, tmp_path: Path) -> None:
    db, out = str(tmp_path / "t.db"), tmp_path / "report"
    assert invoke("import", str(games), "--db", db).exit_code == 0
    assert invoke("report", "--db", db, "--no-measured", "--out", str(out)).exit_code == 0
    direct = tmp_path / "direct"
    assert invoke("rate", str(games), "--report", str(direct)).exit_code == 0
    files = sorted(path.relative_to(out) for path in out.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(direct) for path in direct.rglob("*") if path.is_file())
    for path in files:
        if path.name != MANIFEST:
            assert (out / path).read_bytes() == (direct / path).read_bytes(), path
    assert not (out / "matches").exists()
    pages = "".join(path.read_text() for path in out.rglob("*.html"))
    assert "Cy &lt;b&gt;" in pages
    assert "Cy <b>" not in pages
    assert "They have no records" in pages
    assert "0" * 64 not in pages


def test_models_print_the_numbers_of_the_programs(tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    lines = ["white,black,result"]
    for cell in POOL:
        for result, times in (("1-0", cell.wins), ("1/2-1/2", cell.draws), ("0-1", cell.losses)):
            lines += [f"{cell.first},{cell.second},{result}"] * times
    path.write_text("\n".join(lines))
    found = {row["name"]: row["elo"] for row in rated("rate", str(path), "--model", "ordo")}
    assert found == {str(player): value for player, value in ORDO.items()}
    for row in rated("rate", str(path), "--model", "bayeselo"):
        assert abs(float(str(row["elo"])) - BAYESELO[int(str(row["name"]))]) <= 0.5
    anchored = rated("rate", str(path), "--model", "ordo", "--anchor", "4=2000")
    assert {row["name"]: row["elo"] for row in anchored}["0"] == 2136.8


def test_superiority_is_shown_as_a_matrix(games: Path) -> None:
    document = json.loads(invoke("rate", str(games), "--show", "los", "--format", "json").stdout)
    better = document["better"]
    assert [len(row) for row in better] == [len(document["players"])] * 3
    for a in range(3):
        assert better[a][a] is None
        for b in range(a):
            assert better[a][b] + better[b][a] == pytest.approx(1)
    assert better[0][2] > 0.5
    rows = csv.DictReader(io.StringIO(invoke("rate", str(games), "--show", "los", "--format", "csv").stdout))
    assert next((row["name"], row["3"]) for row in rows) == (document["players"][0], str(better[0][2]))


def test_problems_are_listed_and_strict_fails(games: Path) -> None:
    rows = rated("rate", str(games), "--show", "problems")
    assert [(row["kind"], row["line"]) for row in rows] == [
        ("unfinished games (result *)", 49),
        ("games whose result contradicts the end of their moves, their Termination or itself", 63),
        ("games with an unknown player", 56),
    ]
    done = invoke("rate", str(games), "--strict")
    assert (done.exit_code, "2 games, lines or files are damaged" in done.stderr) == (1, True)


def test_names_cannot_write_to_the_terminal_or_a_spreadsheet(tmp_path: Path) -> None:
    path = tmp_path / "evil.jsonl"
    games = [{"white": "=cmd\x1b[31m\n\u202e", "black": "b", "result": "1-0"}]
    path.write_text("\n".join(map(json.dumps, games)))
    done = invoke("rate", str(path))
    assert "\x1b" not in done.output
    assert "\u202e" not in done.output
    table = invoke("rate", str(path), "--format", "csv").stdout
    assert re.search(r"""^1,1,2,"?'=cmd""", table, re.MULTILINE)


def test_too_many_players_name_a_number_of_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rating, "MAX_PLAYERS", 2)
    path = tmp_path / "games.csv"
    path.write_text("white,black,result\n" + "a,b,1-0\nb,a,1-0\na,c,1-0\n")
    done = invoke("rate", str(path))
    assert (done.exit_code, "--min-games 2" in done.stderr) == (2, True)
    assert [row["games"] for row in rated("rate", str(path), "--min-games", "2")] == [2, 2]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--anchor", "ann"), "does not have the form NAME=ELO"),
        (("--anchor", "ann=nan"), "does not have the form NAME=ELO"),
        (("--anchor", "eve=1"), "--anchor names 'eve', which has no rated game"),
        (("--since", "22.11.2026"), "--since '22.11.2026' is not a date"),
        (("--since", "2026-02-01", "--until", "2026-01-01"), "is after --until"),
        (("--model", "ordo", "--method", "trueskill"), "--model ordo is for --method batch"),
        (("--tau", "1"), "--tau is for --method trueskill"),
        (("--player", "ann"), "none of 9 games can be rated"),
        (("--input", "csv"), "is not a header of a table of results"),
    ],
)
def test_wrong_use_is_one_sentence(games: Path, words: tuple[str, ...], sentence: str) -> None:
    done = invoke("rate", str(games), *words)
    assert done.exit_code == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_results_come_from_standard_input(games: Path, tmp_path: Path) -> None:
    data = games.read_bytes()
    assert json.loads(invoke("rate", "-", "--format", "json", given=data).stdout)["ratings"] == rated(
        "rate", str(games)
    )
    db = str(tmp_path / "t.db")
    done = invoke("import", "-", "--db", db, given=data)
    assert (done.exit_code, "standard input line 56" in done.stderr) == (0, True)


def test_results_and_records_are_not_imported_together(games: Path, cup: str, tmp_path: Path) -> None:
    out, db = str(tmp_path / "cup.jsonl"), str(tmp_path / "t.db")
    assert invoke("export", "--out", out, "--db", cup).exit_code == 0
    done = invoke("import", str(games), out, "--db", db)
    assert (done.exit_code, "import it alone" in done.stderr) == (2, True)
    done = invoke("import", out, "--name", "x", "--min-games", "2", "--db", db)
    assert (done.exit_code, "leave out their options" in done.stderr) == (2, True)
    assert not Path(db).exists()


def test_trueskill_takes_ties_in_the_middle_of_five_seats(tmp_path: Path) -> None:
    """The figures are those of the package ``trueskill`` with its settings and draw probability."""
    file = tmp_path / "five.csv"
    seats = range(1, 6)
    head = ",".join([f"player{seat}" for seat in seats] + [f"rank{seat}" for seat in seats])
    file.write_text(f"{head}\nA,B,C,D,E,1,2,3,2,4\n")
    rows = rated("rate", str(file), "--method", "trueskill", "--draw-probability", "0.1")
    means = {row["name"]: cast(dict[str, float], row["measures"])["mu"] for row in rows}
    expected = {"A": 32.687, "B": 26.743, "C": 22.236, "D": 26.763, "E": 16.572}
    assert means == pytest.approx(expected, abs=0.01)


def test_trueskill_estimates_draws_of_other_programs_results(tmp_path: Path) -> None:
    """Four of five games are drawn; a default of 0.1 would take each draw for strong evidence."""
    path = tmp_path / "games.pgn"
    text = [
        one("ann", "bob", result, Round=str(at)) for at, result in enumerate(["1/2-1/2"] * 8 + ["1-0"] * 2)
    ]
    path.write_text("".join(text))
    shown = invoke("rate", str(path), "--method", "trueskill")
    assert "The draw probability 0.75 is estimated from these results" in shown.stderr
    by_default = rated("rate", str(path), "--method", "trueskill")
    assert rated("rate", str(path), "--method", "trueskill", "--draw-probability", "0.75") == by_default
    assert (
        "estimated"
        not in invoke("rate", str(path), "--method", "trueskill", "--draw-probability", "0.1").stderr
    )
    db = str(tmp_path / "t.db")
    assert invoke("import", str(path), "--name", "club", "--db", db).exit_code == 0
    assert rated("ratings", "--method", "trueskill", "--db", db) == by_default
    stored = invoke("ratings", "--method", "trueskill", "--db", db)
    assert "The draw probability 0.75 is estimated from these results" in stored.stderr


@pytest.mark.slow
def test_processes_print_what_one_process_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "RANGE", 2000)
    path = tmp_path / "games.pgn"
    games = [one(*GAMES[k % 6], Round=str(k // 2)) for k in range(160)]
    games[40] = one("ann", "bob", "1-0", end="0-1")
    text = "".join(games)
    wrong = text.index(games[40])
    assert wrong // reading.RANGE == 2
    path.write_bytes(text.replace("\n", "\r\n").encode())
    alone, two, five = (invoke("rate", str(path), "--processes", str(count)) for count in (1, 2, 5))
    assert alone.exit_code == 0
    assert f"line {text.count(chr(10), 0, wrong) + 1})" in alone.stderr
    assert (two.stdout, two.stderr) == (five.stdout, five.stderr) == (alone.stdout, alone.stderr)
