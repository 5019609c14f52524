"""The lines of the bot protocol: what the referee's look like, and what of a bot's is read and refused."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney import protocol
from tourney.errors import GameError
from tourney.games.base import ACTION_PATTERN
from tourney.protocol import Greeting, decode, read_greeting


def test_referee_lines_are_those_of_the_table() -> None:
    """Each line that the referee can say, to the byte."""
    assert protocol.HELLO == b"tourney 1\n"
    assert protocol.QUIT == b"quit\n"
    assert protocol.play_line(2, "b5") == b"play 2 b5\n"
    assert protocol.play_line(0, "roll-122") == b"play 0 roll-122\n"
    assert protocol.play_line(1, protocol.HIDDEN) == b"play 1 ?\n"
    assert protocol.reveal_line(1, "put-a1") == b"reveal 1 put-a1\n"
    assert protocol.position_line("... 1") == b"position ... 1\n"
    assert protocol.legal_line(["a1", "b2"]) == b"legal a1 b2\n"
    assert protocol.withdrawn_line(3) == b"withdrawn 3\n"
    assert protocol.over_line((1, 2, 2), "last-stone") == b"over 1 2 2 reason=last-stone\n"


def test_game_line_holds_what_is_set_and_nothing_else() -> None:
    """Limits that there are not, and options that a game has not, are left out; the order is the table's."""
    bare = protocol.game_line("toe", 2, 1, 2**64 - 1)
    assert bare == b"game toe seats=2 seat=1 seed=18446744073709551615\n"
    full = protocol.game_line(
        "toe", 2, 2, 0, move_ms=100, clock_ms=60_000, increment_ms=10, nodes=500, options={"misere": "no"}
    )
    assert full == b"game toe seats=2 seat=2 seed=0 move=100 clock=60000 inc=10 nodes=500 misere=no\n"


def test_go_line_holds_what_is_set_and_nothing_else() -> None:
    """A bare go, and one with everything."""
    assert protocol.go_line() == b"go\n"
    assert protocol.go_line(100, (0, 59_999), 10, 500) == b"go move=100 clocks=0,59999 inc=10 nodes=500\n"


def test_referee_lines_end_at_a_mebibyte() -> None:
    """A line of exactly 1 MiB with its newline is said; one byte more names the game's fault."""
    room = protocol.MAX_REFEREE_LINE - len(b"position \n")
    assert len(protocol.position_line("x" * room)) == 1 << 20
    with pytest.raises(GameError, match="1,048,577 bytes"):
        protocol.position_line("x" * (room + 1))
    with pytest.raises(GameError, match="line break"):
        protocol.position_line("a\nb")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("bot", ("bot", "")),
        ("bot wants=legal name=x", ("bot", "wants=legal name=x")),
        ("ready", ("ready", "")),
        ("move e2-e4", ("move", "e2-e4")),
        ("move " + "x" * 200, ("move", "x" * 200)),
        ("resign", ("resign", "")),
        ("info", ("info", "")),
        ("info  score=0.31  depth=7 ä\t", ("info", " score=0.31  depth=7 ä\t")),
    ],
)
def test_bot_lines_of_the_table_are_read(line: str, said: tuple[str, str]) -> None:
    """Every word a bot may say, with what follows it untouched."""
    assert decode(line) == said


@pytest.mark.parametrize(
    "line",
    [
        *(
            "Ready",
            " ready",
            "ready ",
            "ready 1",
            "ready\r",
            "resign now",
            "resign ",
            "quit",
            "nonsense",
            "\0",
        ),
        *("move", "move ", "move  a1", "move a1 ", "move a1 b2", "MOVE a1", "move\ta1", "moves a1"),
        *(
            "move ä",
            "move a\x7f",
            "move a\x00",
            "move a\u2028b",
            "move " + "x" * 201,
            "information",
            "infos x",
        ),
        *("bestmove a1", "bot\tx=1", "{}", "move a\r"),
    ],
)
def test_anything_else_is_no_line(line: str) -> None:
    """What is not exactly a line of the table is none, and the reason is a short, printable sentence."""
    word, why = decode(line)
    assert word == "?"
    assert why.isprintable()
    assert len(why) < 200


@given(st.text(max_size=300))
def test_move_takes_exactly_the_actions_of_every_game(text: str) -> None:
    """The quick test of an action agrees with the pattern that the games' strings are held to."""
    read = decode("move " + text)
    assert (read == ("move", text)) == (ACTION_PATTERN.fullmatch(text) is not None)


@given(st.text(max_size=80))
def test_decoding_never_fails(line: str) -> None:
    """Any text is read as one of six words, and a greeting or a sentence can be had of any."""
    word, rest = decode(line)
    assert word in {"bot", "ready", "move", "resign", "info", "?"}
    assert isinstance(read_greeting(rest), (Greeting, str))


@pytest.mark.parametrize(
    ("words", "greeting"),
    [
        ("", Greeting()),
        ("wants=position", Greeting(position=True)),
        ("wants=legal,position", Greeting(position=True, legal=True)),
        (
            "name=Grëta version=1.0 wants=legal",
            Greeting(legal=True, pairs=(("name", "Grëta"), ("version", "1.0"))),
        ),
        ("a-b_c=", Greeting(pairs=(("a-b_c", ""),))),
        ("x=a=b", Greeting(pairs=(("x", "a=b"),))),
    ],
)
def test_greetings_are_read(words: str, greeting: Greeting) -> None:
    """What a bot wants, and what else it tells."""
    assert read_greeting(words) == greeting


@pytest.mark.parametrize(
    "words",
    [
        "wants",
        "wants=",
        "wants=legal,",
        "wants=legal,legal",
        "wants=all",
        "a=1 a=2",
        "a=1  b=2",
        "a=1 ",
        "=1",
        "a.b=1",
    ],
)
def test_bad_greetings_are_refused_in_a_sentence(words: str) -> None:
    """A malformed word, a key given twice, and a want that is not known."""
    why = read_greeting(words)
    assert isinstance(why, str)
    assert re.match("bot: ", why)
