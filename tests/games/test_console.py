"""The rules console: every line has an answer, and a refused line changes nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.command import talk
from tests.support.toys import Odds, Race, SmallToe, Toe
from tourney.games.console import MAX_LINE, Console
from tourney.games.registry import find_game


def test_every_command_has_its_answer() -> None:
    """Every command is used in a game with a result."""
    assert talk(
        Toe(),
        "new",
        "actor",
        "perft 2",
        "play a1",
        "play b1",
        "play a2",
        "play b2",
        "position",
        "observe 2",
        "ranks",
    ) == ["ok", "1", "72", "ok", "ok", "ok", "ok", "XO./XO./... 1", "XO./XO./... 1", "-"]
    assert talk(
        Toe(), "new", "set XO./XO./... 1", "legal", "play a3", "actor", "legal", "ranks", "perft 1"
    ) == [
        "ok",
        "ok",
        "a3 b3 c1 c2 c3",
        "ok",
        "over",
        "",
        "1 2",
        "0",
    ]


def test_chance_has_weighted_outcomes() -> None:
    """At a chance node, legal outcomes and weights have the same order; a seat's turn has no weights."""
    assert talk(Race(), "new seats=3", "actor", "legal", "weights", "play roll-2", "actor", "weights") == [
        "ok",
        "chance",
        "roll-1 roll-2",
        "roll-1=2 roll-2=1",
        "ok",
        "1",
        "error chance does not act in this state, so there are no weights",
    ]


def test_observe_hides_what_position_shows() -> None:
    """``observe`` has a seat's view, ``position`` everything."""
    assert talk(Odds(), "new", "play show-3", "position", "observe 1", "observe 2")[2:] == [
        "- 3",
        "- 3",
        "- ?",
    ]


def test_console_perft_matches_rules_pages() -> None:
    """The numbers are those of two games' rules pages."""
    assert talk(find_game("sages-tafl"), "new seats=2", "perft 3") == ["ok", "13670"]
    assert talk(find_game("sage-stones"), "new", "perft 4") == ["ok", "8155"]


@pytest.mark.parametrize(
    "line", ["set x", "position", "observe 1", "actor", "legal", "weights", "play a1", "ranks", "perft 1"]
)
def test_other_commands_need_a_game(line: str) -> None:
    """Without ``new``, every other command is an error that asks for it."""
    (answer,) = talk(Toe(), line)
    assert answer == f"error there is no game yet; write new before {line.split(' ', maxsplit=1)[0]}"


WRONG = {
    "": "the line is blank; write one of: new, set,",
    "   ": "the line is blank",
    "\t": "the line is blank",
    "legal\r": "the line ends with a carriage return",
    "hello": "unknown word 'hello'; write one of: new, set,",
    "Legal": "unknown word 'Legal'",
    "legal\x00": "unknown word 'legal\\x00'",
    "legal\x85": "unknown word 'legal\\x85'",
    " legal": "separate words by single blanks",
    "legal ": "separate words by single blanks",
    "play  a1": "separate words by single blanks",
    "play\ta1": "unknown word 'play\\ta1'",
    "legal now": "legal takes no argument; leave out 'now'",
    "position 1": "position takes no argument",
    "actor 1": "actor takes no argument",
    "ranks 1": "ranks takes no argument",
    "weights 1": "weights takes no argument",
    "weights": "chance does not act in this state",
    "observe": "observe needs a seat, one word",
    "observe 1 2": "observe needs a seat, one word",
    "observe 0": "there is no seat 0; the seats are 1 to 2",
    "observe 9": "there is no seat 9",
    "observe -1": "'-1' is not a seat",
    "observe 01": "'01' is not a seat",
    "observe one": "'one' is not a seat",
    "observe \u0661": "'\u0661' is not a seat",
    "perft": "perft needs a depth, one word",
    "perft 1 2": "perft needs a depth, one word",
    "perft -1": "'-1' is not a depth",
    "perft 1.0": "'1.0' is not a depth",
    "perft 02": "'02' is not a depth",
    "perft 1_0": "'1_0' is not a depth",
    "perft " + "9" * 5000: "is not a depth",
    "play": "play needs an action, one word",
    "play a1 b2": "play needs an action, one word",
    "play z9": "'z9' is not a square of this board",
    "play b2": "action b2 is not legal here",
    "play \u2603": "'\u2603' is not an action",
    "play " + "x" * 201: "is not an action; write 1 to 200 printable ASCII characters",
    "set": "set needs a position",
    "set nonsense": "'nonsense' is not of the form",
    "set .../.../... 2": "the seat does not fit the board",
    "new seats": "'seats' is not of the form seats=N or OPTION=VALUE",
    "new 2": "'2' is not of the form",
    "new seats=": "'' is not a number of seats",
    "new seats=two": "'two' is not a number of seats",
    "new seats=02": "'02' is not a number of seats",
    "new seats=3": "toe is played with 2 seats, not 3",
    "new seats=2 seats=2": "'seats' is repeated",
    "new misere=no misere=yes": "'misere' is repeated",
    "new misere": "'misere' is not of the form",
    "new misere=maybe": "option misere=maybe is not one of no, yes",
    "new size=4": "toe has no option size; its options: misere",
    "new =": "'=' is not of the form",
    "new=": "unknown word 'new='",
}


@pytest.mark.parametrize(("line", "says"), WRONG.items(), ids=[repr(line)[:40] for line in WRONG])
def test_invalid_line_is_error_and_changes_nothing(line: str, says: str) -> None:
    """The answer is one line that begins with ``error`` and names the problem; the state is unchanged."""
    console, _ = Console(Toe()).answer("new misere=yes")
    console, _ = console.answer("play b2")
    after, answer = console.answer(line)
    assert answer.startswith("error ")
    assert says in answer
    assert answer.isprintable()
    assert len(answer) <= 500
    assert after == console


def test_incompatible_settings_are_refused() -> None:
    """Settings that the game refuses are an error; the current game continues."""
    found = talk(SmallToe(), "new", "play a1", "new misere=yes", "position")
    assert found[2:] == ["error small-toe is not played with misere=yes", "X../.../... 2"]


def test_finished_game_refuses_play() -> None:
    """After the end, ``play`` is an error."""
    found = talk(Toe(), "new", "set XXX/OO./... over", "play c3", "ranks")
    assert found == ["ok", "ok", "error the game is over, so c3 cannot be played", "1 2"]


def test_set_uses_seats_and_options_of_last_new() -> None:
    """``set`` keeps the options; another ``new`` replaces them."""
    lines = ("new misere=yes", "set XXX/OO./... over", "ranks", "new", "set XXX/OO./... over", "ranks")
    assert talk(Toe(), *lines) == ["ok", "ok", "2 1", "ok", "ok", "1 2"]


def test_game_without_positions_refuses_set_and_shows_its_history() -> None:
    """Its position string is its actions."""
    found = talk(Race(), "new", "play roll-1", "play take", "position", "set roll-1,take", "position")
    assert found[3] == found[5] == "roll-1,take"
    assert found[4].startswith("error race cannot read positions")


def test_seats_and_options_are_taken_in_any_order() -> None:
    """``seats`` can follow options."""
    assert talk(find_game("sage-stones"), "new stones=5 seats=3", "position")[1].endswith(
        "seats=3,stones=5,play-on=no"
    )


def test_overlong_or_undecodable_line_is_refused() -> None:
    """Bytes are decoded strictly, up to a limit."""
    console = Console(Toe())
    assert console.answer_bytes(b"x" * (MAX_LINE + 1))[1] == f"error the line is longer than {MAX_LINE} bytes"
    assert console.answer_bytes(b"new \xc3\x28")[1] == "error the line is not UTF-8: byte 0xc3 at 5"
    assert console.answer_bytes(b"new")[1] == "ok"


@given(
    st.lists(
        st.one_of(st.text(), st.sampled_from(["new", "play a1", "legal", "set ", "perft 2", "observe 2"]))
    )
)
def test_any_text_is_answered_by_one_line(lines: list[str]) -> None:
    """The answer is one printable line, and an error leaves the console unchanged."""
    console = Console(Toe())
    for line in lines:
        after, answer = console.answer(line)
        assert answer.isprintable()
        if answer.startswith("error"):
            assert after == console
        console = after


@given(st.binary())
def test_any_bytes_are_answered_by_one_line(line: bytes) -> None:
    """Any bytes get one line in answer."""
    assert Console(Toe()).answer_bytes(line)[1].isprintable()
