"""The adapter of UCI: exact dialogues, bounded and faulty engines, and settings."""

import chess
import pytest

from tourney.addons.chess.uci import UciFenProtocol, UciProtocol, go_line, info_text
from tourney.bots.channel.interface import Channel, Event, ForwardingChannel
from tourney.bots.channel.scripted import ScriptedChannel
from tourney.bots.protocols import PROTOCOLS
from tourney.errors import BotError
from tourney.games import stream
from tourney.protocol import Go

LATER = 10**15
SET = "k7/8/KQ6/8/8/8/8/8 w - - 0 1"
DRAWN = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1"
GAME = b"game chess seats=2 seat=1 seed=7 move=1000\n"


def adapted(script: str, **settings: dict[str, int]) -> tuple[Channel, ScriptedChannel]:
    inner = ScriptedChannel(script)
    return UciProtocol().configured({}, {}).adapt(inner) if not settings else UciProtocol(**settings).adapt(
        inner
    ), inner  # fmt: skip


def said(channel: Channel, request: bytes) -> list[str]:
    """Put a request and return the answers until the first that is not info, as ``kind: text``."""
    channel.request(request)
    found: list[str] = []
    while not found or found[-1].startswith("line: info"):
        event = channel.wait(LATER)
        found.append(f"{event.kind}: {event.text}")
    return found


def test_two_games_are_played_in_uci() -> None:
    channel, inner = adapted(
        """
        > uci
        < Some Engine 1.0 by somebody
        < id name Some Engine
        < option name Hash type spin default 16 min 1 max 1024
        < option  name clear hash type button
        < uciok
        > setoption name Hash value 64
        > setoption name Clear Hash
        > ucinewgame
        > isready
        < readyok
        > position startpos
        > go movetime 1000
        < bestmove e2e4 ponder e7e5
        > position startpos moves e2e4 e7e5
        > go wtime 900 btime 950 winc 5 binc 5 nodes 100
        < info depth 1 score cp 12 nodes 20 pv g1f3
        < info depth 2 currmove b1c3
        < info depth 2 seldepth 3 score cp -31 nodes 90 nps 9000 multipv 1 pv g1f3 b8c6
        < info depth 2 score cp -50 multipv 2 pv b1c3
        < info depth 3 score cp 40 lowerbound pv a2a3
        < info string score cp 900
        < bestmove g1f3
        > ucinewgame
        > isready
        < readyok
        > position startpos moves d2d4
        > go movetime 7
        < bestmove d7d5
        > quit
        """,
        options={"Hash": 64, "Clear Hash": ""},  # type: ignore[dict-item]  # an option is not a limit
    )
    assert said(channel, b"tourney 1\n") == ["line: bot name=Some\u00a0Engine"]
    assert said(channel, GAME) == ["line: ready"]
    assert said(channel, b"go move=1000\n") == ["line: move e2e4"]
    answers = said(channel, b"play 1 e2e4\nplay 2 e7e5\ngo clocks=900,950 inc=5 nodes=100\n")
    assert answers == [
        "line: info score=-0.31 win=0.456 depth=2 seldepth=3 nodes=90 nps=9000 pv=g1f3 b8c6",
        "line: move g1f3",
    ]
    channel.send(b"over 1 2 reason=resign\n")
    assert said(channel, GAME) == ["line: ready"]
    assert said(channel, b"play 1 d2d4\ngo move=7\n") == ["line: move d7d5"]
    channel.send(b"over 1 2 reason=resign\nquit\n")
    inner.finish()


def test_option_that_the_engine_does_not_name_is_logged() -> None:
    """It is still set: python-chess refuses it, and other managers of engines warn."""
    inner = ScriptedChannel(
        "> uci\n< option name Hash type spin\n< uciok\n> setoption name Hsh value 1\n> ucinewgame\n"
        "> isready\n< readyok\n"
    )
    channel = UciProtocol().configured({"Hsh": 1}, {}).adapt(inner)
    assert said(channel, b"tourney 1\n") == ["line: bot"]
    info = "line: info the engine does not name the options 'Hsh' that are set"
    assert said(channel, b"game chess seats=2 seat=1 seed=7\n") == [info, "line: ready"]
    inner.finish()


def test_ask_gives_the_dialogue_of_request_and_wait() -> None:
    script = """
        > position startpos
        > go nodes 5
        < bestmove e2e4
        > position startpos moves e2e4 c7c5
        > go nodes 5
        < bestmove g1f3
        > position startpos moves e2e4 c7c5 g1f3 d7d6
        > go nodes 5
        < info depth 1 score mate -2
        < bestmove d2d4
        """
    channel, inner = adapted(f"> ucinewgame\n> isready\n< readyok\n{script}", go={"nodes": 5})
    said(channel, GAME)
    assert channel.ask(b"go move=9\n", LATER) in ("move e2e4", Event("line", "move e2e4"))
    assert channel.ask(b"play 1 e2e4\nplay 2 c7c5\ngo move=9\n", LATER) == Event("line", "move g1f3")
    assert channel.ask(b"play 1 g1f3\nplay 2 d7d6\ngo move=9\n", LATER) == Event(
        "line", "info score=-998 mate=-2 depth=1"
    )
    assert channel.wait(LATER) == Event("line", "move d2d4")
    inner.finish()


class Gathered(ForwardingChannel):
    """Answers each ``ask`` by the next of some texts, as a channel that gathers may."""

    def __init__(self, inner: Channel, *texts: str) -> None:
        super().__init__(inner)
        self.texts = list(texts)

    def ask(self, data: bytes, deadline: int) -> str | Event:
        return self.texts.pop(0)


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        ("bestmove a2a4 ponder e7e5", "move a2a4"),
        ("info string NNUE\ninfo depth 1 currmove a2a4\nbestmove a2a4", "move a2a4"),
        (
            "info depth 1 score cp 9\ninfo depth 2 score cp 18 pv a2a4\nsay score 1\n\nbestmove a2a4",
            "info score=0.18 win=0.526 depth=2 pv=a2a4\nmove a2a4",
        ),
        *(
            (
                f"info depth 1 score cp 9 multipv 1\ninfo {other}\nbestmove a2a4",
                "info score=0.09 win=0.513 depth=1\nmove a2a4",
            )
            for other in (
                "multipv 2 depth 1 score cp 5",
                "depth 2 score cp 5 upperbound",
                "depth 2 multipv 12 score cp 5",
                "string score cp 5",
            )
        ),
    ],
)
def test_gathered_answer_has_the_last_score(lines: str, answer: str) -> None:
    inner = ScriptedChannel(
        """
        > ucinewgame
        > isready
        < readyok
        > position startpos
        > go movetime 9
        < bestmove e2e4
        > position startpos moves e2e4 e7e5
        > go movetime 9
        < bestmove g1f3
        """
    )
    channel = UciProtocol().adapt(Gathered(inner, lines))
    said(channel, GAME)
    said(channel, b"go move=9\n")
    said(channel, b"play 1 e2e4\nplay 2 e7e5\ngo move=9\n")
    assert channel.ask(b"play 1 g1f3\nplay 2 d7d6\ngo move=9\n", LATER) == answer


@pytest.mark.parametrize(
    ("game", "plays", "position"),
    [
        ("chess", f"play 1 ={SET.replace(' ', '_')}\nplay 1 b6b1\n", f"fen {SET} moves b6b1"),
        ("chess960", "play 0 sp0\n", f"fen {DRAWN}"),
        ("chess960", "play 0 sp0\nplay 1 e2e4\n", f"fen {DRAWN} moves e2e4"),
    ],
)  # fmt: skip
def test_start_is_a_fen_where_it_was_set_or_drawn(game: str, plays: str, position: str) -> None:
    option = "> setoption name UCI_Chess960 value true\n" if game == "chess960" else ""
    channel, inner = adapted(
        f"{option}> ucinewgame\n> isready\n< readyok\n"
        f"> position {position}\n> go movetime 3\n< bestmove e7e5\n"
    )
    said(channel, GAME.replace(b"game chess", b"game " + game.encode()))
    assert said(channel, plays.encode() + b"go move=3\n") == ["line: move e7e5"]
    inner.finish()


@pytest.mark.parametrize(
    ("answer", "event"),
    [
        ("< bestmove", "malformed: 'bestmove': bestmove needs a move"),
        ("< bestmove (none)", "line: move (none)"),
        ("< garbage\n! closed exit code 1", "closed: exit code 1"),
        ("< readyok\n! timeout", "timeout: "),
        ("! overflow too much", "overflow: too much"),
    ],
)
def test_faults_of_an_engine_are_events(answer: str, event: str) -> None:
    channel, inner = adapted(
        f"> ucinewgame\n> isready\n< readyok\n> position startpos\n> go movetime 3\n{answer}"
    )
    said(channel, GAME)
    assert said(channel, b"go move=3\n") == [event]
    inner.finish()


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (
            "depth 9 score cp 31 nodes 5000 pv e2e4 e7e5",
            "score=0.31 win=0.544 depth=9 nodes=5000 pv=e2e4 e7e5",
        ),
        ("score mate 3", "score=997 mate=3"),
        ("score mate -1 depth 2", "score=-999 mate=-1 depth=2"),
        ("score mate 5000", "score=1 mate=5000"),
        ("score mate -5000", "score=-1 mate=-5000"),
        ("depth 4 nodes 7", ""),
        ("string score cp 5", ""),
        ("score cp 99999999999999999999 depth 2", ""),
        ("score cp 5 pv e2e4 depth 9 cp 8", "score=0.05 win=0.507 pv=e2e4 depth 9 cp 8"),
        ("score cp 5 pv e2e4 string depth 9", "score=0.05 win=0.507 pv=e2e4"),
        ("depth depth 4 xdepth 5 depthx 6 score cp 007", "score=0.07 win=0.510 depth=4"),
        ("score cp 5 depth 6x nodes - nps \u0663", "score=0.05 win=0.507"),
        ("score cp 5 mate 2 score cp 7", "score=0.07 mate=2 win=0.510"),
        ("depth 1 score cp 5 " + "time 9 " * 100 + "nodes 3 pv e2e4", "score=0.05 win=0.507 depth=1"),
        (
            "score cp 5 pv <b> ../.. e2e4 " + "a1a2 " * 500,
            "score=0.05 win=0.507 pv=e2e4 " + " ".join(["a1a2"] * 57),
        ),
    ],
)
def test_info_is_bounded_and_in_tourneys_form(words: str, text: str) -> None:
    assert info_text(words) == text


@pytest.mark.parametrize(
    ("go", "limits", "line"),
    [
        (Go(move_ms=50), "", b"go movetime 50"),
        (Go(move_ms=50, nodes=9), "", b"go nodes 9"),
        (Go(move_ms=50, nodes=9), " nodes 3", b"go nodes 3"),
        (Go(clocks_ms=(1, 2), increment_ms=3), " depth 4", b"go wtime 1 btime 2 winc 3 binc 3 depth 4"),
        (Go(), "", b"go infinite"),
    ],
)
def test_limits_become_go(go: Go, limits: str, line: bytes) -> None:
    assert go_line(go, limits) == line


@pytest.mark.parametrize("limits", [{}, {"nodes": 3}, {"depth": 2}])
def test_every_go_of_a_game_is_translated(limits: dict[str, int]) -> None:
    engine = AnyEngine()
    channel = UciProtocol().configured({}, limits).adapt(engine)
    said(channel, GAME)
    words = "".join(f" {key} {value}" for key, value in limits.items())
    for go in (
        Go(move_ms=9),
        *(Go(9, clocks, 5) for clocks in ((100, 200), (0, 200), (7,), (1, 2, 3))),
        *(
            Go(None, clocks, increment, nodes)
            for clocks in ((3, 4), (5, 6))
            for increment in (0, 8)
            for nodes in (None, 7)
        ),
        Go(nodes=4),
        Go(),
    ):
        channel.request(go.encode())
        assert engine.sent.splitlines()[-1] == go_line(go, words).decode()


@pytest.mark.parametrize(
    ("options", "go", "sentence"),
    [
        ({"UCI_Chess960": True}, {}, "options: UCI_Chess960 is set by Tourney itself; leave it out"),
        ({"a value b": 1}, {}, "options: 'a value b' is not the name of a UCI option"),
        ({"a\n": 1}, {}, "options: 'a\\n' is not the name of a UCI option"),
        ({"Book": "a\nquit"}, {}, "options: the value of Book must have printable characters only"),
        ({}, {"mate": 3}, "go: mate = 3 is not a limit; the limits are depth, nodes, movetime, from 1"),
        ({}, {"depth": 0}, "go: depth = 0 is not a limit; the limits are depth, nodes, movetime, from 1"),
    ],
)
def test_wrong_settings_are_refused(options: dict[str, int], go: dict[str, int], sentence: str) -> None:
    with pytest.raises(BotError) as error:
        UciProtocol().configured(options, go)
    assert str(error.value) == sentence


def test_own_protocol_has_no_settings() -> None:
    with pytest.raises(BotError, match="go is set, but the protocol tourney has no such settings"):
        PROTOCOLS.find("tourney").configured({}, {"depth": 3})


class AnyEngine(Channel):
    """Answers everything, and keeps the ``position`` lines."""

    def __init__(self) -> None:
        self.positions: list[str] = []
        self.answer = self.sent = ""

    def send(self, data: bytes) -> None:
        self.sent = data.decode()
        *_, last = lines = self.sent.splitlines()
        self.positions += [line for line in lines if line.startswith("position ")]
        self.answer = {"uci": "uciok", "isready": "readyok"}.get(last, "bestmove e2e4")

    def wait(self, deadline: int) -> Event:
        return Event("line", self.answer)


def board_of(line: str, *, chess960: bool) -> chess.Board:
    """Return the board of a ``position`` line, with its moves."""
    start, _, moves = line.removeprefix("position ").partition(" moves ")
    board = chess.Board(
        start.removeprefix("fen ") if start != "startpos" else chess.STARTING_FEN, chess960=chess960
    )
    for move in moves.split():
        board.push_uci(move)
    return board


def recent_keys(board: chess.Board, most: int) -> list[object]:
    """Return what tells the last positions of a board from each other, the last one first."""
    board, found = board.copy(), [board._transposition_key()]
    while board.move_stack and len(found) < most:
        board.pop()
        found.append(board._transposition_key())
    return found


@pytest.mark.parametrize(
    ("game", "seat", "seed"), [("chess", 1, 1), ("chess", 2, 2), ("chess", 1, 3), ("chess960", 2, 4)]
)
def test_recent_moves_hold_all_that_can_be_repeated(game: str, seat: int, seed: int) -> None:
    """The engine's position is the game's, with each position since the last capture or pawn move."""
    engine, draw = AnyEngine(), stream(seed, "recent")
    channel = UciFenProtocol().configured({}, {}).adapt(engine)
    assert said(channel, b"tourney 1\n") == ["line: bot wants=position"]
    said(channel, f"game {game} seats=2 seat={seat} seed=7\n".encode())
    full = chess.Board() if game == "chess" else chess.Board.from_chess960_pos(500)
    queue = b"" if game == "chess" else b"play 0 sp500\n"
    shorter = 0
    while not full.is_game_over() and full.ply() < 160:
        if full.turn == (seat == 1):
            fen = full.fen(shredder=game == "chess960", en_passant="legal").encode()
            channel.ask(queue + b"position " + fen + b"\ngo\n", LATER)
            queue = b""
            board = board_of(engine.positions[-1], chess960=game == "chess960")
            assert board.fen() == full.fen()
            most = full.halfmove_clock + 1
            assert recent_keys(board, most) == recent_keys(full, most)
            shorter += len(board.move_stack) < len(full.move_stack)
        moves = sorted(full.legal_moves, key=lambda move: (full.is_zeroing(move), move.uci()))
        move = moves[draw(len(moves) if draw(4) == 0 else min(5, len(moves)))]
        queue += f"play {2 - full.turn} {move.uci()}\n".encode()
        full.push(move)
    assert shorter > 10


def test_recent_moves_are_all_moves_in_other_games() -> None:
    engine = AnyEngine()
    channel = UciFenProtocol().configured({}, {}).adapt(engine)
    said(channel, GAME.replace(b"chess", b"fairy:shogi"))
    said(channel, b"position lnsg w - 1\ngo\n")
    said(channel, b"play 1 a4a5\nplay 2 a6a5\nposition lnsg w 0 1\ngo\n")
    assert engine.positions == ["position startpos", "position startpos moves a4a5 a6a5"]
