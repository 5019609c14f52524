"""``tourney analyze``: values beside records, the same for any number of workers."""

import json
import shutil
from pathlib import Path

import pytest

from tests.support.command import invoke
from tourney.match.spec import Entrant, Limits
from tourney.store.database import Database

CUP = """
name = "cup"
game = "sages-tafl"
seed = 7
bots = ["greedy", "random"]
games-per-pairing = 4
[limits]
move-ms = 60000
[run]
sandbox = "off"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("analyze")
    (folder / "cup.toml").write_text(CUP)
    done = invoke(
        "run", str(folder / "cup.toml"), "--db", str(folder / "t.db"), "--bots", str(folder / "bots"), "-q"
    )
    assert done.exit_code == 0
    return folder


@pytest.fixture
def place(folder: Path, tmp_path: Path) -> tuple[str, ...]:
    """The options that name a copy of the played database."""
    shutil.copyfile(folder / "t.db", tmp_path / "t.db")
    return "--db", str(tmp_path / "t.db"), "--bots", str(folder / "bots"), "--sandbox", "off"


def stored(place: tuple[str, ...]) -> dict[int, bytes]:
    with Database.open(place[1]) as database:
        cup = database.tournaments.get().id
        return database.analyses.packed(cup, list(range(1, 5)))


def test_lost_matches_have_the_same_analyses_with_one_and_two_workers(
    place: tuple[str, ...], tmp_path: Path
) -> None:
    other = ("--db", str(tmp_path / "other.db"), *place[2:])
    shutil.copyfile(place[1], other[1])
    words = ("analyze", "--bot", "random", "--with", "mcts-5", "--format", "json")
    one = invoke(*words, *place, "--workers", "1")
    two = invoke(*words, *other, "--workers", "2")
    assert (one.exit_code, two.exit_code) == (0, 0)
    assert one.stdout == two.stdout
    assert stored(place) == stored(other)
    found = json.loads(one.stdout)
    assert found["reproducible"] is True
    assert found["analyser"] == "mcts, 5 nodes per action"
    assert len(found["matches"]) == len(stored(place)) > 1
    seats = found["matches"][0]["seats"]
    assert {seat["entrant"] for seat in seats} == {"greedy", "random"}
    again = invoke(*words, *place)
    assert again.stdout == one.stdout


def test_match_is_printed_with_marks_and_accuracy(place: tuple[str, ...]) -> None:
    done = invoke("analyze", "1", "--with", "mcts-20", *place)
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "match 1 of cup"
    assert any("blunder, " in line and "; better " in line for line in lines[1:-2])
    assert all(": accuracy " in line for line in lines[-2:])


def test_record_file_is_valued_without_a_database(place: tuple[str, ...], tmp_path: Path) -> None:
    shown = json.loads(invoke("show", "1", "--format", "json", "--db", place[1]).stdout)
    (tmp_path / "one.json").write_text(json.dumps(shown["record"]))
    nowhere = ("--db", str(tmp_path / "none.db"), *place[2:])
    done = invoke("analyze", str(tmp_path / "one.json"), "--with", "mcts", "--nodes", "5", *nowhere)
    assert (done.exit_code, done.stdout.splitlines()[0]) == (0, str(tmp_path / "one.json"))
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "give MATCH or --bot NAME"),
        (("1", "--bot", "random"), "give MATCH or --bot NAME"),
        (("1", "--with", "mcts"), "give one limit of an action"),
        (("1", "--nodes", "5", "--move-ms", "5"), "give one limit of an action"),
        (("--bot", "absent"), "cup has no entrant 'absent'; there are: greedy, random"),
        (("99",), "there is no match 99"),
        (("1", "--with", "random", "--nodes", "5"), "random says no value of positions"),
        (("1", "--with", "greedy,", "--nodes", "5"), "there is no bot 'greedy,'"),
        (("1", "--with", "uci:no-such-engine", "--nodes", "5"), "there is no program no-such-engine on PATH"),
    ],
)
def test_what_cannot_be_analyzed_is_refused(
    place: tuple[str, ...], words: tuple[str, ...], said: str
) -> None:
    done = invoke("analyze", *words, *place)
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stdout == ""
    assert stored(place) == {}


@pytest.mark.engine
def test_stockfish_marks_a_won_game_that_was_thrown(tmp_path: Path) -> None:
    """White can give mate and takes a guarded pawn by the queen instead."""
    if shutil.which("stockfish", path="/usr/games:/usr/bin:/usr/local/bin") is None:
        pytest.skip("stockfish is not installed")
    from tourney.check.named_seeds import RandomChannel
    from tourney.games.registry import find_game
    from tourney.match.guided_channel import FollowedRecord, GuidedChannel
    from tourney.match.play import play_match
    from tourney.match.player import Player
    from tourney.match.spec import MatchSpec

    moves = ("e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5e5", "c6e5")
    seat = Entrant("a", "a", "1", (), "5" * 64)
    players = [Player(GuidedChannel(RandomChannel(), FollowedRecord(moves, first=99))) for _ in range(2)]
    spec = MatchSpec("chess", (), (seat, seat), 1, Limits(nodes=1))
    record = play_match(spec, find_game("chess"), players).record
    (tmp_path / "thrown.json").write_bytes(record.encode())
    words = ("analyze", str(tmp_path / "thrown.json"), "--with", "uci:stockfish", "--nodes", "20000")
    done = [
        invoke(*words, "--bots", str(tmp_path / "bots"), "--sandbox", "off", "--format", "json")
        for _ in range(2)
    ]
    assert done[0].exit_code == 0
    assert done[0].stdout == done[1].stdout
    actions = json.loads(done[0].stdout)["matches"][0]["actions"]
    blunders = {one["action"]: one["best"] for one in actions if one["mark"] == "blunder"}
    assert blunders[7] == "h5f7"
    assert set(blunders) == {6, 7}
    assert actions[6]["value"] == 1
