"""The lines of the bot protocol: exact bytes in both directions, refusals, and scores as chances to win."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney import protocol
from tourney.errors import GameError
from tourney.games.base import ACTION_PATTERN
from tourney.protocol import (
    HIDDEN,
    BotMessage,
    Go,
    Greeting,
    Hello,
    Info,
    Invalid,
    Legal,
    Move,
    NewGame,
    Over,
    Play,
    Position,
    Quit,
    Ready,
    RefereeMessage,
    Resign,
    Reveal,
    Withdrawn,
    chance_of_pawns,
    decode_bot,
    decode_referee,
    win_chance,
)

REFEREE: list[tuple[bytes, RefereeMessage]] = [
    (b"tourney 1\n", Hello()),
    (b"quit\n", Quit()),
    (b"play 2 b5\n", Play(2, "b5")),
    (b"play 0 roll-122\n", Play(0, "roll-122")),
    (b"play 1 ?\n", Play(1, HIDDEN)),
    (b"reveal 1 put-a1\n", Reveal(1, "put-a1")),
    (b"position ... 1\n", Position("... 1")),
    (b"position \n", Position("")),
    (b"legal a1 b2\n", Legal(("a1", "b2"))),
    (b"withdrawn 3\n", Withdrawn(3)),
    (b"over 1 2 2 reason=last-stone\n", Over((1, 2, 2), "last-stone")),
    (b"game toe seats=2 seat=1 seed=18446744073709551615\n", NewGame("toe", 2, 1, 2**64 - 1)),
    (
        b"game toe seats=2 seat=2 seed=0 move=100 clock=60000 inc=10 nodes=500 misere=no\n",
        NewGame("toe", 2, 2, 0, 100, 60_000, 10, 500, {"misere": "no"}),
    ),
    (b"go\n", Go()),
    (b"go move=100 clocks=0,59999 inc=10 nodes=500\n", Go(100, (0, 59_999), 10, 500)),
    (b"go clocks=1,2 inc=0 moves=40 depth=3\n", Go(None, (1, 2), 0, None, 3, 40)),
]
BOT: list[tuple[bytes, BotMessage]] = [
    (b"bot\n", Greeting()),
    (b"bot wants=legal name=x\n", Greeting(legal=True, pairs=(("name", "x"),))),
    (b"bot wants=position,legal\n", Greeting(position=True, legal=True)),
    (b"ready\n", Ready()),
    (b"move e2-e4\n", Move("e2-e4")),
    (b"resign\n", Resign()),
    (b"info \n", Info("")),
    ("info  score=0.31  depth=7 ä\t\n".encode(), Info(" score=0.31  depth=7 ä\t")),
]
SEATS = st.integers(1, 9)
NUMBERS = st.integers(0, 2**64 - 1)
ACTIONS = st.from_regex(ACTION_PATTERN, fullmatch=True)
WORDS = st.from_regex(r"[a-z]{1,9}(-[a-z0-9]{1,9})?", fullmatch=True)
TEXT = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=80)
LIMIT = st.none() | NUMBERS
KEYS = {"seats", "seat", "seed", "move", "clock", "inc", "nodes", "wants"}
OPTIONS = st.dictionaries(WORDS.filter(lambda word: word not in KEYS), ACTIONS, max_size=3)


def text_of(line: bytes) -> str:
    assert line.endswith(b"\n")
    return line[:-1].decode("utf-8")


@pytest.mark.parametrize(("line", "message"), REFEREE)
def test_referee_lines_are_read_and_written(line: bytes, message: RefereeMessage) -> None:
    assert message.encode() == line
    read = decode_referee(text_of(line))
    assert (type(read), read) == (type(message), message)


@pytest.mark.parametrize(("line", "message"), BOT)
def test_bot_lines_are_read_and_written(line: bytes, message: BotMessage) -> None:
    assert message.encode() == line
    read = decode_bot(text_of(line))
    assert (type(read), read) == (type(message), message)


@given(
    st.one_of(
        st.builds(Play, st.integers(0, 9), ACTIONS),
        st.builds(Reveal, SEATS, ACTIONS),
        st.builds(Position, TEXT),
        st.builds(Legal, st.lists(ACTIONS, max_size=9).map(tuple)),
        st.builds(Withdrawn, SEATS),
        st.builds(Over, st.lists(SEATS, min_size=1, max_size=4).map(tuple), WORDS),
        st.builds(NewGame, WORDS, SEATS, SEATS, NUMBERS, LIMIT, st.none(), st.just(0), LIMIT, OPTIONS),
        st.builds(NewGame, WORDS, SEATS, SEATS, NUMBERS, LIMIT, NUMBERS, NUMBERS, LIMIT, OPTIONS),
        st.builds(Go, LIMIT, st.none(), st.just(0), LIMIT, LIMIT, st.none()),
        st.builds(
            Go, LIMIT, st.lists(NUMBERS, min_size=1, max_size=4).map(tuple), NUMBERS, LIMIT, LIMIT, LIMIT
        ),
    )
)
def test_any_referee_message_is_read_back(message: RefereeMessage) -> None:
    read = decode_referee(text_of(message.encode()))
    assert (type(read), read) == (type(message), message)


@given(
    st.one_of(
        st.builds(Move, ACTIONS),
        st.builds(Info, TEXT),
        st.builds(
            Greeting,
            st.booleans(),
            st.booleans(),
            OPTIONS.map(lambda pairs: tuple(pairs.items())),
        ),
    )
)
def test_any_bot_message_is_read_back(message: BotMessage) -> None:
    read = decode_bot(text_of(message.encode()))
    assert (type(read), read) == (type(message), message)


MALFORMED = """
play 1; play x a1; play 1 a1 b2; play  1 a1; reveal; withdrawn; withdrawn -1; go fast; go move=; go move=x;
go clocks=1,,2 inc=0; go extra=1; over 1 2; over reason; over reason=row; game toe; game toe seats=2 seat=1;
game toe seats=2 seat=1 seed=x; tourney one
"""


@pytest.mark.parametrize("line", [line.strip() for line in MALFORMED.split(";")])
def test_malformed_referee_lines_are_errors(line: str) -> None:
    with pytest.raises(ValueError, match="is a malformed line of the referee"):
        decode_referee(line)


@pytest.mark.parametrize("line", ["", "hello", "weather sunny", "Play 1 a1", " go", "plays 1 a1"])
def test_unknown_referee_lines_are_none(line: str) -> None:
    assert decode_referee(line) is None


def test_referee_lines_end_at_a_mebibyte() -> None:
    """A line of exactly 1 MiB with its newline is sent; one byte more is the game's error."""
    room = protocol.MAX_REFEREE_LINE - len(b"position \n")
    assert len(Position("x" * room).encode()) == 1 << 20
    with pytest.raises(GameError, match="1,048,577 bytes"):
        Position("x" * (room + 1)).encode()
    with pytest.raises(GameError, match="line break"):
        Position("a\nb").encode()


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
def test_other_bytes_are_invalid(line: str) -> None:
    """The reason is short and printable."""
    message = decode_bot(line)
    assert isinstance(message, Invalid)
    assert message.why.isprintable()
    assert len(message.why) < 200


@given(st.text(max_size=300))
def test_move_takes_exactly_the_actions_of_every_game(text: str) -> None:
    """The quick test of an action agrees with the pattern of the games' strings."""
    read = decode_bot("move " + text)
    assert isinstance(read, Move) == (ACTION_PATTERN.fullmatch(text) is not None)


@given(st.text(max_size=80))
def test_any_bot_line_is_decoded(line: str) -> None:
    assert isinstance(decode_bot(line), Greeting | Ready | Move | Resign | Info | Invalid)
    assert isinstance(decode_bot(f"bot {line}"), Greeting | Invalid)


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
    """A greeting has the requested lines and other pairs."""
    assert decode_bot(f"bot {words}") == greeting


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
    """The cases are a malformed word, a repeated key and an unknown request."""
    message = decode_bot(f"bot {words}")
    assert isinstance(message, Invalid)
    assert message.why.startswith("bot: ")


@pytest.mark.parametrize(
    ("info", "chance"),
    [
        ("win=0.62 score=-3", 620),
        ("win=1.5", None),
        ("score=997 mate=3 depth=9", 1000),
        ("score=-999 mate=-1", 0),
        ("depth=3 score=0.50 pv=a,b", 750),
        ("score=-1.00", 0),
        ("score=1.01", None),
        ("scores=0.5 underscore=1 nodes=5", None),
        ("score=abc", None),
    ],
)
def test_chance_by_the_first_key_that_has_one(info: str, chance: int | None) -> None:
    assert win_chance(info) == chance


@pytest.mark.parametrize(("pawns", "chance"), [(0, 500), (4, 909), (-4, 91), (5000, 1000), (-5000, 0)])
def test_pawns_are_hundred_elo_each(pawns: float, chance: int) -> None:
    assert chance_of_pawns(pawns) == chance
