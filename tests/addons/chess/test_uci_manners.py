"""Engines of other people, byte by byte: what has one meaning is played, and what has none is named."""

from collections.abc import Iterable, Sequence

import pytest

from tests.support.piped import Behaviour, Output, Stage, polite
from tests.support.tables import make_spec, notes
from tourney.addons.chess.uci import UciProtocol
from tourney.games.registry import find_game
from tourney.match.play import play_match
from tourney.match.player import Player
from tourney.match.result import PlayedMatch
from tourney.match.spec import Limits, Opening

MATE = "k7/8/KQ6/8/8/8/8/8 w - - 0 1"
CASTLE = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"
CASTLE_960 = "4k3/8/8/8/8/8/8/R3K2R w HA - 0 1"
PROMOTE = "8/P7/8/8/7k/8/8/K7 w - - 0 1"
KNIGHTS = "4k3/8/8/8/8/2N5/8/4K1N1 w - - 0 1"


def engine(
    *answers: bytes,
    uci: bytes = b"uciok\n",
    ready: bytes = b"readyok\n",
    late: Sequence[Output] = (),
    thinks: float = 0,
) -> Behaviour:
    """An engine that gives its answers, one to each ``go``, and writes ``late`` after the first.

    ``thinks``: milliseconds before any other answer than the first.
    """
    left = list(answers)

    def behave(data: bytes) -> Sequence[Output]:
        last = data.splitlines()[-1]
        if last == b"uci":
            return [Output(0, uci)]
        if last == b"isready":
            return [Output(0, ready)]
        first = len(left) == len(answers)
        return [Output(0 if first else thinks, left.pop(0)), *(late if first else ())]

    return behave


def played(
    monkeypatch: pytest.MonkeyPatch,
    behaviour: Behaviour,
    fen: str = MATE,
    other: Behaviour | None = None,
    game: str = "chess",
    nodes: int | None = None,
) -> PlayedMatch:
    """Play an engine as White against a bot that resigns, or ``other``, from a position."""
    opening = Opening(actions=(f"={fen.replace(' ', '_')}",))
    spec = make_spec(game, opening=opening, limits=Limits(move_ms=100, margin_ms=0, nodes=nodes))
    with Stage(monkeypatch) as stage:
        resigning = polite(tourney=[Output(0, b"bot\n")], go=[Output(0, b"resign\n")])
        channels = [UciProtocol().adapt(stage.bot(behaviour)), stage.bot(other or resigning)]
        return play_match(spec, find_game(game), [Player(c) for c in channels], clock=stage.clock)


@pytest.mark.parametrize(
    "line",
    [
        b"bestmove\tb6b7\n",
        b"bestmove  b6b7   ponder  a8b8\r\n",
        b"  \t bestmove b6b7\n",
        b"info\tdepth\t9\tscore\tcp\t77\tpv\tb6b7\nbestmove b6b7\n",
        b"info depth 9\n   bestmove\t b6b7\n",
        b"info string \xff\xfe\x00 hi\nbestmove b6b7\n",
        b"info depth 9 score cp 77 pv" + b" b6b7" * 2000 + b"\nbestmove b6b7\n",
        b"BESTMOVE B6B7\n",
        b"bestmove Qb7#\n",
        b"bestmove b6-b7\n",
        b"bestmove b6b7" + b" " * 5000 + b"\n",
        b"bestmove b6b7\r",
        b"info depth 9 score cp 77 pv b6b7\rbestmove b6b7\r",
        b"bestmove b6b7\r\r\n",
        b"\x1b[32mbestmove b6b7\x1b[0m\n",
        b"\xef\xbb\xbfbestmove b6b7\n",
        b"bestmove b6b7\0\n",
        b"\0info depth 9\n\0bestmove b6b7\n",
        b"bestmove b6b7, ponder a8b8\n",
        b"bestmove 'b6b7'.\n",
        b"bestmove 1.Qb7#\n",
    ],
)
def test_answer_with_one_meaning_is_played(line: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """White space, letters of another alphabet, and lines of any length around it do not matter."""
    match = played(monkeypatch, engine(line))
    assert match.record.actions[-1] == (1, "b6b7")
    assert (match.outcome.reason, notes(match)) == ("checkmate", [])
    assert ("score=0.77" in str(match.log)) is (b"77" in line)


@pytest.mark.parametrize(
    ("uci", "ready"),
    [
        (b"id name Caf\xe9 1.0\nuciok\n", b"readyok\n"),
        (b"option name Style type combo" + b" var x" * 2000 + b"\nuciok\n", b"readyok\n"),
        (b"\n\nMy Engine\nreadyok\nbestmove e2e4\n  uciok  \n", b"   readyok\n"),
        (b"uciok\nuciok\n", b"info string set\nreadyok\nreadyok\n"),
        (b"id name X\ruciok\r", b"readyok\r"),
        (b"\xef\xbb\xbfuciok\r\n", b"\x1b[0mreadyok\0\n"),
    ],
)
def test_handshake_with_one_meaning_is_taken(
    uci: bytes, ready: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = played(monkeypatch, engine(b"bestmove b6b7\n", uci=uci, ready=ready))
    assert (match.outcome.reason, notes(match)) == ("checkmate", [])


def test_name_that_is_not_utf8_is_latin1(monkeypatch: pytest.MonkeyPatch) -> None:
    match = played(monkeypatch, engine(b"bestmove b6b7\n", uci=b"id name Caf\xe9 1.0\nuciok\n"))
    assert match.measured.engines == ("Café 1.0", "")


def test_banner_before_the_greeting_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    with Stage(monkeypatch) as stage:
        inner = stage.bot(engine())
        channel = UciProtocol().adapt(inner)
        inner.write(b"Engine\nbestmove e2e4\nuciok\n")
        assert list(channel.pending()) == []


@pytest.mark.parametrize(
    ("game", "fen", "answer", "action"),
    [
        ("chess", CASTLE, b"e1h1", "e1g1"),
        ("chess", CASTLE, b"e1a1", "e1c1"),
        ("chess", CASTLE, b"O-O-O", "e1c1"),
        ("chess960", CASTLE_960, b"e1g1", "e1h1"),
        ("chess960", CASTLE_960, b"o-o", "e1h1"),
        ("chess960", CASTLE_960, b"e1d1", "e1d1"),
        ("chess", PROMOTE, b"a7a8Q", "a7a8q"),
        ("chess", PROMOTE, b"a7a8=r", "a7a8r"),
        ("chess", KNIGHTS, b"Nge2", "g1e2"),
    ],
)
def test_record_holds_the_canonical_move(
    game: str, fen: str, answer: bytes, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = played(monkeypatch, engine(b"bestmove %b\n" % answer), fen, game=game)
    assert (match.record.actions[-1], match.outcome.reason) == ((1, action), "resign")


@pytest.mark.parametrize(("fen", "answer"), [(KNIGHTS, "Ne2"), (PROMOTE, "a7a8"), (MATE, "(none)")])
def test_move_with_two_meanings_or_none_is_illegal(
    fen: str, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = played(monkeypatch, engine(f"bestmove {answer}\n".encode()), fen)
    assert match.outcome.faults == ((1, "illegal", 1),)
    assert answer in notes(match)[0]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            b"cmd> bestmove b6b7\n",
            "; its line 'cmd> bestmove b6b7' was not understood: 'bestmove b6b7' must be a line of its own",
        ),
        (
            b"info depth 9 pv b6b7 bestmove b6b7\n",
            "; its line 'info depth 9 pv b6b7 bestmove b6b7' was not understood: 'bestmove b6b7' must be",
        ),
        (b"b6b7\n", "; its line 'b6b7' was not understood"),
        (b"my move is b6b7\n", "; its line 'my move is b6b7' was not understood"),
        (b"bestmove b6b7", "; 'bestmove b6b7' came without a newline: write a newline and flush"),
        (b"info depth 3 currmove b6b7\ninfo string my move\n", ""),
        (b"thinking about b6", ""),
    ],
)
def test_time_out_names_the_answer_that_was_not_understood(
    line: bytes, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = played(monkeypatch, engine(line))
    assert notes(match)[0].startswith(f"1 1 timeout: no answer within 100 ms{words}")
    assert bool(words) or notes(match)[0].endswith("100 ms")


@pytest.mark.parametrize("line", ["error: no such file net.nnue", "info string Error starting engine."])
def test_start_that_fails_names_the_last_line(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    behaviour = engine(uci=f"id name X\n{line}\noption name Hash type spin\n".encode())
    match = played(monkeypatch, behaviour)
    assert f"its line '{line}' was not understood" in notes(match)[0]


def test_late_answer_is_a_time_out_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    late = [Output(120, b"bestmove b6b7\n")]
    match = played(monkeypatch, engine(b"info depth 1\n", late=late))
    assert match.outcome.faults == ((1, "timeout", 1),)
    (note,) = notes(match)
    assert note.endswith("100 ms; its answer 'bestmove b6b7' came 20 ms after the end of its time")


@pytest.mark.parametrize("late", [0, 20, 70])
def test_answer_given_twice_is_dropped_once(late: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if it comes while its opponent thinks, or as the answer to the next request."""
    again = [Output(late, b"bestmove h1g1\n")]
    behaviour = engine(b"bestmove h1g1\n", b"info depth 1\nbestmove a1b1\n", late=again, thinks=30)
    replies = iter(["move e8e7", "resign"])
    reply = polite(tourney=[Output(0, b"bot\n")])

    def behave(data: bytes) -> Iterable[Output]:
        asked = data.splitlines()[-1].startswith(b"go")
        return [Output(50, f"{next(replies)}\n".encode())] if asked else reply(data)

    match = played(monkeypatch, behaviour, CASTLE, behave)
    assert (match.record.actions[-1], match.outcome.reason) == ((1, "a1b1"), "resign")
    assert "a second answer to one request, which is dropped: 'bestmove h1g1'" in str(match.log)


def test_second_answer_with_another_move_is_named_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    behaviour = engine(b"bestmove h1g1\n", late=[Output(20, b"bestmove a1b1\n")])
    reply = polite(tourney=[Output(0, b"bot\n")], go=[Output(50, b"move e8e7\n")])
    match = played(monkeypatch, behaviour, CASTLE, reply)
    assert "protocol: gave a second answer to one request: 'bestmove a1b1'" in notes(match)[0]


def test_engine_that_ignores_its_limit_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Toga II knows no `go nodes`, and thinks until its time is over."""
    thoughts = engine(b"info depth 9 score cp 30 nodes 400000 pv b6b7\n")
    match = played(monkeypatch, thoughts, nodes=50)
    (note,) = notes(match)
    assert "no answer within 100 ms; it does not keep to `go nodes 50`, as it has nodes 400000" in note
