"""The adapter of Gomocup's protocol: exact dialogues, and a small engine in a tournament."""

from pathlib import Path

import pytest

from tests.support.command import ROOT, run_file
from tourney.addons.go.gomocup import GomocupProtocol
from tourney.bots.channel.interface import Channel
from tourney.bots.channel.scripted import ScriptedChannel

LATER = 10**15
GAME = b"game openspiel:gomoku seats=2 seat=2 seed=7 move=2500\n"
BEGUN = """
> INFO game_type 1
> INFO rule 0
> INFO timeout_turn 2500
> START 15
< MESSAGE welcome
< OK
"""


def adapted(script: str) -> tuple[Channel, ScriptedChannel]:
    inner = ScriptedChannel(script)
    return GomocupProtocol().configured({}, {}).adapt(inner), inner


def said(channel: Channel, request: bytes) -> str:
    """Put a request and return the answer as ``kind: text``."""
    channel.request(request)
    event = channel.wait(LATER)
    return f"{event.kind}: {event.text}"


def test_two_games_are_played() -> None:
    channel, inner = adapted(
        f"""
        > ABOUT
        < name="brain", version="1.0"
        {BEGUN}
        > TURN 7,7
        < DEBUG thinking
        < 8,8
        > TURN 7,8
        <   8 ,\t07
        > INFO game_type 1
        > INFO rule 0
        > INFO timeout_match 9000
        > START 19
        < OK
        > INFO time_left 9000
        > BEGIN
        < 1,2
        > INFO time_left 8000
        > TURN 3,4
        < 0,0
        > END
        """
    )
    assert said(channel, b"tourney 1\n") == "line: bot name=brain version=1.0"
    assert said(channel, GAME) == "line: ready"
    assert said(channel, b"play 1 7,7\ngo move=2500\n") == "line: move 8,8"
    assert said(channel, b"play 2 8,8\nplay 1 7,8\ngo move=2500\n") == "line: move 8,7"
    channel.send(b"play 2 8,7\nover 1 2 reason=returns\n")
    game = b"game openspiel:gomoku(size=19) seats=2 seat=1 seed=7 clock=9000 inc=0\n"
    assert said(channel, game) == "line: ready"
    assert said(channel, b"go clocks=9000,9000 inc=0\n") == "line: move 1,2"
    assert said(channel, b"play 1 1,2\nplay 2 3,4\ngo clocks=8000,9000 inc=0\n") == "line: move 0,0"
    channel.send(b"quit\n")
    inner.finish()


def test_opening_is_set_up_as_a_board() -> None:
    channel, inner = adapted(f"{BEGUN}> BOARD\n> 0,0,2\n> 1,1,1\n> 2,2,2\n> DONE\n< 3,3\n> TURN 4,4\n< 5,5\n")
    said(channel, GAME)
    plays = b"play 1 0,0\nplay 2 1,1\nplay 1 2,2\n"
    assert said(channel, plays + b"go move=2500\n") == "line: move 3,3"
    assert said(channel, b"play 2 3,3\nplay 1 4,4\ngo move=2500\n") == "line: move 5,5"
    inner.finish()


@pytest.mark.parametrize(
    ("answer", "event"),
    [
        ("< 99,99", "line: move 99,99"),
        ("< 7", "malformed: TURN 7,7 answers with a point, as 7,7, not '7'"),
        ("< ERROR no room", "malformed: answered 'ERROR no room' to TURN 7,7"),
        ("< UNKNOWN", "malformed: answered 'UNKNOWN' to TURN 7,7"),
        ("< MESSAGE 1,1\n! timeout", "timeout: "),
        ("< OK\n< thinking\n< INFO depth 3\n< 08, 8", "line: move 8,8"),
        ("< SUGGEST 8,8\n! timeout", "timeout: "),
        ("! closed exit code 1", "closed: exit code 1"),
    ],
)
def test_faults_of_an_engine_are_events(answer: str, event: str) -> None:
    channel, inner = adapted(f"{BEGUN}> TURN 7,7\n{answer}")
    said(channel, GAME)
    assert said(channel, b"play 1 7,7\ngo move=2500\n") == event
    inner.finish()


def test_point_given_twice_counts_once() -> None:
    channel, inner = adapted(f"{BEGUN}> TURN 7,7\n< 8,8\n> TURN 6,6\n< 8, 8\n< 9,9\n")
    said(channel, GAME)
    assert said(channel, b"play 1 7,7\ngo move=2500\n") == "line: move 8,8"
    dropped = "line: info a second answer to one request, which is dropped: '8, 8'"
    assert said(channel, b"play 2 8,8\nplay 1 6,6\ngo move=2500\n") == dropped
    assert channel.wait(LATER).text == "move 9,9"
    inner.finish()


def test_refused_size_and_other_games_are_faults() -> None:
    channel, _ = adapted(BEGUN.replace("< OK", "< ERROR size"))
    assert said(channel, GAME) == "malformed: answered 'ERROR size' to START 15"
    channel, _ = adapted("")
    event = said(channel, GAME.replace(b"gomoku", b"gomoku(connect=6)"))
    assert event.startswith("malformed: Gomocup's protocol is for openspiel:gomoku, with a size at most")


def test_engine_plays_a_tournament(tmp_path: Path) -> None:
    pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")
    engine = tmp_path / "brain"
    engine.write_bytes((ROOT / "tests" / "addons" / "go" / "gomocup_engine.py").read_bytes())
    engine.chmod(0o755)
    entrants = "".join(
        f'[[entrant]]\nname = "{name}"\nprotocol = "gomocup"\ncommand = ["./brain", "{step}"]\n'
        for name, step in (("rows", "1"), ("leaps", "2"))
    )
    head = 'name = "cup"\ngame = "openspiel:gomoku(size=9)"\nseed = 1\nopening-plies = 2\n'
    for record in run_file(tmp_path, f'{head}{entrants}[run]\nsandbox = "off"\n'):
        assert (record["outcome"]["faults"], record["outcome"]["reason"]) == ([], "returns")
        assert sorted(record["outcome"]["ranks"]) == [1, 2]
