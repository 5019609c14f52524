"""Programs of the machine enter tournaments by their command and play chess by UCI."""

import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest

from tests.support.command import ROOT, invoke, run_file
from tests.support.tables import make_spec
from tourney.addons.chess.starts import PgnMoves
from tourney.errors import GameError
from tourney.games.registry import find_game
from tourney.match.record import make_record
from tourney.match.referee import Referee
from tourney.report.replays.replay import replay

ENGINE = ROOT / "tests" / "addons" / "chess" / "uci_engine.py"
FIXED = "e2e4 e7e5 g1f3 b8c6 f1c4 c6d4 f3e5 d8g5 e5f7 g5g2 h1f1 g2e4 c4e2 d4f3".split()  # noqa: SIM905 - shorter
HEAD = 'name = "cup"\ngame = "chess"\nseed = 1\n[run]\nsandbox = "off"\n'


def program(folder: Path) -> Path:
    """Copy the engine into a folder."""
    target = folder / "fixed"
    shutil.copy(ENGINE, target)
    return target


def play(folder: Path, entrants: str, head: str = HEAD) -> list[dict[str, Any]]:
    """Run a tournament file and return its records."""
    return run_file(folder, f"{head}\n{entrants}")


def test_program_enters_with_options_and_its_games_verify(tmp_path: Path) -> None:
    program(tmp_path)
    entrants = '[[entrant]]\ncommand = ["./fixed"]\nname = "one"\noptions = {Hash = 4}\n'
    records = play(
        tmp_path, entrants + '[[entrant]]\ncommand = ["./fixed"]\nname = "two"\ngo = {nodes = 9}\n'
    )
    assert [record["outcome"]["reason"] for record in records] == ["checkmate", "checkmate"]
    assert all(record["outcome"]["ranks"] == [2, 1] for record in records)
    seats = records[0]["seats"]
    assert {seat["bot"] for seat in seats} == {"fixed"}
    assert seats[0]["digest"] != seats[1]["digest"]
    shown = invoke("show", "1", "--db", str(tmp_path / "t.db"), "--log").stdout
    assert "score=0.25 win=0.536 depth=1 nodes=7" in shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("argument", "kind"),
    [
        ("bestmove a1a1", "illegal"),
        ("bestmove e1e3", "illegal"),
        ("bestmove", "protocol"),
        ("hang", "timeout"),
    ],
)
def test_engine_that_breaks_the_protocol_is_at_fault(tmp_path: Path, argument: str, kind: str) -> None:
    program(tmp_path)
    bad = f'[[entrant]]\ncommand = ["./fixed", "{argument}"]\nname = "bad"\n'
    good = '[[entrant]]\ncommand = ["./fixed"]\nname = "good"\n[limits]\nmove-ms = 100\nponder = "allow"\n'
    records = play(tmp_path, bad + good)
    assert len(records) == 2
    for record in records:
        seat = 1 + [entrant["entrant"] for entrant in record["seats"]].index("bad")
        assert record["outcome"]["faults"] == [[seat, kind, 3 + seat]]
        assert record["outcome"]["ranks"][seat - 1] == 2


@pytest.mark.parametrize(
    ("entrant", "sentence"),
    [
        ('command = ["no-such-engine"]', "there is no program no-such-engine on PATH; install it"),
        ('command = ["./none"]', "there is no executable file"),
        ('command = ["python3", "engine.py"]', "needs more files than a single program: make a folder"),
        ('command = ["./fixed"]\nbot = "mcts"', "bot must be set, or command"),
        ('bot = "mcts"\noptions = {Hash = 3}', "options goes with command only"),
        ('command = ["./fixed"]\ngo = {mate = 3}', "go: mate = 3 is not a limit"),
        ('command = ["./fixed"]\nprotocol = "tourney"\ngo = {depth = 3}', "the protocol tourney has no such"),
        ('name = "x"', "bot must be set, or command"),
    ],
)
def test_wrong_entrant_is_refused_in_one_sentence(tmp_path: Path, entrant: str, sentence: str) -> None:
    program(tmp_path)
    file = tmp_path / "cup.toml"
    file.write_text(f"{HEAD}\n[[entrant]]\n{entrant}\n", encoding="utf-8")
    done = invoke("run", str(file), "--db", str(tmp_path / "t.db"), "--bots", str(tmp_path / "bots"))
    assert done.exit_code == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "t.db").exists()


@pytest.mark.engine
@pytest.mark.parametrize("command", ['["stockfish"]', '["gnuchess", "--uci"]', '["fairy-stockfish"]'])
def test_engines_of_debian_play(tmp_path: Path, command: str) -> None:
    """Two plies after the opening are enough to see that each answers by a legal move."""
    name = json.loads(command)[0]
    if shutil.which(name, path="/usr/games:/usr/bin:/usr/local/bin") is None:
        pytest.skip(f"{name} is not installed")
    program(tmp_path)
    (tmp_path / "mate.book").write_text("e2e4 e7e5 d1h5 b8c6 f1c4 g8f6\n", encoding="utf-8")
    head = HEAD.replace("seed = 1", 'seed = 1\nopening-book = "mate.book"')
    engine = f'[[entrant]]\ncommand = {command}\nname = "engine"\ngo = {{depth = 3}}\n'
    entrants = f'{engine}[[entrant]]\ncommand = ["./fixed"]\nname = "fixed"\n'
    records = play(tmp_path, f"{entrants}[limits]\nmove-ms = 20000\n", head)
    white = next(record for record in records if record["seats"][0]["entrant"] == "engine")
    assert [action for _, action in white["actions"][6:]] == ["h5f7"]
    assert white["outcome"]["reason"] == "checkmate"


@pytest.mark.engine
def test_stockfish_plays_the_same_game_by_recent_moves(tmp_path: Path) -> None:
    if shutil.which("stockfish", path="/usr/games:/usr/bin:/usr/local/bin") is None:
        pytest.skip("stockfish is not installed")
    games = []
    for protocol in ("uci", "uci-fen"):
        folder = tmp_path / protocol
        folder.mkdir()
        one, two = (
            f'[[entrant]]\ncommand = ["stockfish"]\nname = "{name}"\nprotocol = "{protocol}"\n'
            "go = {nodes = 1}\noptions = {Hash = 1}\n"
            for name in ("one", "two")
        )
        record, *_ = play(folder, one + two + "[limits]\nmove-ms = 20000\n")
        games.append((record["actions"], record["outcome"]["reason"]))
    assert games[0] == games[1]
    assert len(games[0][0]) > 40


def test_matches_are_exported_as_pgn_with_pairs_times_and_scores(tmp_path: Path) -> None:
    program(tmp_path)
    (tmp_path / "start.epd").write_text(f"{chess.STARTING_FEN}\n", encoding="utf-8")
    entrants = (
        '[[entrant]]\ncommand = ["./fixed"]\nname = "one"\n[[entrant]]\ncommand = ["./fixed"]\nname = "two"\n'
    )
    clock = "[limits]\nclock-ms = 60000\nincrement-ms = 100\n"
    play(tmp_path, entrants + clock, HEAD.replace("seed", 'opening-book = "start.epd"\nseed'))
    done = invoke("export", "--format", "pgn", "--db", str(tmp_path / "t.db"))
    assert done.exit_code == 0
    report = ("report", "--db", str(tmp_path / "t.db"), "--out", str(tmp_path / "site"))
    for _ in range(2):  # the second time a game is missing from the first report
        assert invoke(*report).exit_code == 0
        assert (tmp_path / "site" / "data" / "games.pgn").read_text("utf-8") == done.stdout
        assert (tmp_path / "site" / "matches" / "1.pgn").read_text("utf-8") in done.stdout
        (tmp_path / "site" / "matches" / "1.pgn").unlink()
    assert 'href="../matches/1.pgn"' in (tmp_path / "site" / "matches" / "1.html").read_text("utf-8")
    assert 'href="data/games.pgn"' in (tmp_path / "site" / "matches.html").read_text("utf-8")
    stream = io.StringIO(done.stdout)
    games = [chess.pgn.read_game(stream) for _ in range(3)]
    assert games.pop() is None
    assert [game and game.headers["Pair"] for game in games] == ["1.1.1", "1.1.1"]
    game = games[0]
    assert game is not None
    assert game.errors == []
    headers = {
        key: game.headers[key]
        for key in ("Event", "Round", "Result", "TimeControl", "PlyCount", "Termination")
    }
    assert list(headers.values()) == ["cup", "1.1", "0-1", "60+0.1", "14", "normal"]
    moves = list(game.mainline())
    assert [node.move.uci() for node in moves] == FIXED
    assert re.fullmatch(
        r"\[%eval -0.25,0\]\s\[%clk 0:[01]\d:\d\d\.\d\]\s-0\.25/0\s\d+\.\d{3}s", moves[0].comment
    )
    assert re.match(r"\[%eval -0.25,1\]\s.*\s\+0\.25/1 ", moves[1].comment)
    wrong = invoke("export", "--what", "standings", "--format", "pgn", "--db", str(tmp_path / "t.db"))
    assert (wrong.exit_code, wrong.stderr) == (2, "error: --format pgn does not go with --what standings\n")


def test_last_note_of_a_finished_game_says_that_it_is_over() -> None:
    """A FEN has a side to move even in mate."""
    referee = Referee(make_spec("chess"), find_game("chess"))
    referee.begin()
    for move in FIXED:
        referee.act(move)
    assert referee.outcome is not None
    record = make_record(referee.spec, "1", referee.actions, referee.outcome)
    film = replay(find_game("chess"), record)
    assert film.notes(13)[0] == "Black to move"
    assert film.notes(14)[0] == "over: checkmate"
    assert film.notes(0)[0] == "White to move"


def test_line_of_chess960_begins_at_its_drawn_position() -> None:
    line = PgnMoves.of(["sp518", "e2e4", "e7e5"], chess960=True)
    assert (line.fen, line.sans) == (chess.STARTING_FEN.replace("KQkq", "HAha"), ("e4", "e5"))
    black = PgnMoves.of(
        [f"={'4k3/8/8/8/8/8/8/4K2R b K - 0 9'.replace(' ', '_')}", "e8d7", "e1g1"], chess960=False
    )
    assert (black.first, black.skipped, black.sans) == (17, 1, ("Kd7", "O-O"))
    with pytest.raises(GameError, match="the move 'e2e5', which is not legal"):
        PgnMoves.of(["e2e5"], chess960=False)


ADJUDICATED = """[[entrant]]
command = ["./fixed"]
name = "one"
[[entrant]]
command = ["./fixed"]
name = "two"
[limits]
draw = {movecount = 3, score = 24}
resign = {movecount = 3, score = 25}
"""


def test_adjudicated_match_is_shown_and_verified(tmp_path: Path) -> None:
    """White says -0.25 at each move, so it has lost with its third."""
    program(tmp_path)
    records = play(tmp_path, ADJUDICATED)
    db = ("--db", str(tmp_path / "t.db"))
    assert [len(record["actions"]) for record in records] == [5, 5]
    assert all(record["limits"]["resign"] == {"movecount": 3, "score": 25, "sides": 1} for record in records)
    assert records[0]["outcome"] == {
        "ranks": [2, 1],
        "reason": "adjudication",
        "faults": [],
        "adjudication": {"rule": "resign", "scores": [["-25"] * 3, []]},
    }
    pgn = invoke("export", "--format", "pgn", *db).stdout
    assert pgn.count('[Termination "adjudication"]\n[Reason "adjudication: resign"]') == 2
    assert "ended    by resign, seat 1 said -25 -25 -25\n" in invoke("show", "1", *db).stdout
    assert invoke("report", "--out", str(tmp_path / "out"), *db).exit_code == 0
    pages = "".join(page.read_text("utf-8") for page in (tmp_path / "out").rglob("*.html"))
    assert "beat one (White): adjudication by score" in pages


@pytest.mark.parametrize(
    ("head", "limit", "sentence"),
    [
        ('game = "chess"', "draw = {movecount = 0, score = 1}", "movecount is 0, but must be from 1 to 1000"),
        ('game = "chess"', "draw = {score = 1}", "movecount is missing"),
        ('game = "chess"', "resign = {movecount = 3, score = 600, twosided = 1}", 'unknown key "twosided"'),
        ('game = "chess"', "tablebase-pieces = 5", "set the environment variable TOURNEY_SYZYGY"),
        ('game = "sages-tafl"', "tablebase-pieces = 5", "sages-tafl has no tables of endings"),
        (
            'game = "sage-stones"\nseats = 3',
            "draw = {movecount = 3, score = 1}",
            "draw goes with two seats only, and this tournament has 3",
        ),
    ],
)
def test_wrong_adjudication_is_refused_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, head: str, limit: str, sentence: str
) -> None:
    monkeypatch.delenv("TOURNEY_SYZYGY", raising=False)
    file = tmp_path / "cup.toml"
    file.write_text(
        f'name = "cup"\n{head}\nbots = ["random", "greedy"]\n[limits]\n{limit}\n', encoding="utf-8"
    )
    done = invoke("run", str(file), "--db", str(tmp_path / "t.db"), "--bots", str(tmp_path / "bots"))
    assert done.exit_code in {2, 3}
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "t.db").exists()
