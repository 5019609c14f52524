"""Input lines come from a stream, or from a terminal with completion."""

import io
import os
import pty
import select
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.command import ROOT
from tourney.play.terminal import (
    FEW,
    MAX_LINE,
    MOST,
    NAMES,
    PLAY,
    UNCLEAR,
    ScreenTerminal,
    StreamTerminal,
    Typed,
    columns,
    help_lines,
    listing,
    parse_typed,
    summary,
)


def lines(data: bytes) -> tuple[StreamTerminal, io.StringIO]:
    out = io.StringIO()
    return StreamTerminal(io.BytesIO(data), out), out


def test_stream_lines_are_shown_after_their_prompts() -> None:
    """A transcript is readable; the end of the input ends the last prompt's line."""
    terminal, out = lines(b"d2-d4\r\n\nlast")
    assert [terminal.ask("> ", ()) for _ in range(4)] == ["d2-d4", "", "last", None]
    assert out.getvalue() == "> d2-d4\n> \n> last\n\n"


def test_stream_may_hold_any_bytes() -> None:
    """An endless line is bounded; invalid UTF-8 and control characters do no harm."""
    terminal, out = lines(b"a" * (3 * MAX_LINE) + b"\nb\xff\x1b[2J\0\nc\n")
    assert terminal.ask("> ", ()) == "a" * MAX_LINE
    assert terminal.ask("> ", ()) == "b\N{REPLACEMENT CHARACTER}\x1b[2J\0"
    assert terminal.ask("> ", ()) == "c"
    assert out.getvalue().count("\n") == 3
    assert "\x1b" not in out.getvalue()
    assert not terminal.color
    terminal.hand_over("2 Black")
    assert "Black" not in out.getvalue()


def test_completion_offers_words_with_the_prefix() -> None:
    screen = ScreenTerminal(color=False)
    screen._words = ("d2-d3", "d2-d4", "undo")
    assert [screen._completion("d", k) for k in range(3)] == ["d2-d3 ", "d2-d4 ", None]
    assert screen._completion("x", 0) is None


def test_terminal_completes_with_tab_and_reads_end_of_input() -> None:
    """On a pseudo-terminal: Tab in two lines, a change of persons, Ctrl-D."""
    script = (
        "from tourney.play.terminal import ScreenTerminal; s = ScreenTerminal(color=True)\n"
        "for _ in range(2): print(repr(s.ask('> ', ('d2-d3', 'e2-e4', 'undo'))))\n"
        "s.hand_over('2 Black'); print(repr(s.ask('> ', ())), s.width > 0)\n"
    )
    terminal, inner = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=inner,
        stdout=inner,
        stderr=inner,
        cwd=ROOT,
        env={**os.environ, "TERM": "xterm", "INPUTRC": "/dev/null", "LC_ALL": "C.UTF-8"},
    )
    os.close(inner)
    seen = b""

    def until(text: bytes) -> None:
        nonlocal seen
        deadline = time.monotonic() + 60
        while text not in seen:
            assert select.select([terminal], [], [], deadline - time.monotonic())[0], seen
            seen += os.read(terminal, 4096)

    try:
        until(b"> ")
        os.write(terminal, b"d\t\n")
        until(b"'d2-d3 '\r\n")
        os.write(terminal, b"u\t2\n")
        until(b"'undo 2'\r\n")
        until(b"2 Black is next; the other person looks away. Press Enter. ")
        os.write(terminal, b"\n")
        until(b"\x1b[3J> ")
        os.write(terminal, b"\x04")
        until(b"None True\r\n")
    finally:
        os.close(terminal)
        child.kill()
        child.wait()


TAFL = ["d2-d3", "d2-d4", "e2-e3", "pass"]
SQUARES = sorted(f"{a}{b}-{c}{d}" for a in "abcdefgh" for b in "123" for c in "abcdefgh" for d in "12")
ELEMENT = ["A-e5", "E-e5", "F-e5", "end"]


@pytest.mark.parametrize(
    ("line", "legal", "action"),
    [
        ("d2-d4", TAFL, "d2-d4"),
        ("  d2-d4 ", TAFL, "d2-d4"),
        ("e", TAFL, "e2-e3"),
        ("p", TAFL, "pass"),
        ("2", TAFL, "d2-d4"),
        ("F", ELEMENT, "F-e5"),
        ("f", ELEMENT, "F-e5"),
        ("e", ELEMENT, "end"),
        ("E", ELEMENT, "E-e5"),
        ("1", ["1", "2", "12"], "1"),
        ("12", ["1", "2", "12"], "12"),
        ("3", ["1", "2", "12"], "12"),
        ("help", ["help", "wait"], "help"),
        ("quit", ["quitter", "quit"], "quit"),
    ],
)
def test_action_is_found_by_string_prefix_or_number(line: str, legal: list[str], action: str) -> None:
    """An exact string comes first; case counts if it decides between actions."""
    assert parse_typed(line, legal) == Typed(PLAY, action)


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("help", Typed("help")),
        ("?", Typed("help")),
        ("moves", Typed("moves")),
        ("moves d2", Typed("moves", "d2")),
        ("undo 3", Typed("undo", "3")),
        (":quit", Typed("quit")),
        (" resign ", Typed("resign")),
    ],
)
def test_command_is_parsed_with_its_argument(line: str, command: Typed) -> None:
    assert parse_typed(line, TAFL) == command


def test_colon_gives_a_command_priority_over_an_action() -> None:
    assert parse_typed("resign", ["resign", "stay"]) == Typed(PLAY, "resign")
    assert parse_typed(":resign", ["resign", "stay"]) == Typed("resign")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("d2", "'d2' is the prefix of 2 legal actions: d2-d3 d2-d4"),
        ("x9", "'x9' is neither a legal action nor a prefix of one; `moves` lists the 4 legal actions"),
        ("0", "there is no number 0: `moves` lists the 4"),
        ("5", "there is no number 5: `moves` lists the 4"),
        ("9" * 500, "there is no number 999999999: "),
        ("d2 d4", "'d2 d4' is more than one word"),
        ("quit now", "quit takes no argument; leave out 'now'"),
        ("undo two", "undo takes the number of decisions to take back, not 'two'"),
        ("undo 0", "undo takes the number"),
        ("undo \N{SUPERSCRIPT TWO}", "undo takes the number"),
        ("\x1b[2J", "'\\x1b[2J' is neither a legal action"),
        ("\N{ARABIC-INDIC DIGIT ONE}", "is neither a legal action"),
    ],
)
def test_invalid_input_is_explained_in_one_sentence(line: str, reason: str) -> None:
    """The sentence quotes the input, short and printable, and says what to do."""
    meant = parse_typed(line, TAFL)
    assert meant.name == UNCLEAR
    assert reason in meant.rest
    assert meant.rest.isprintable()
    assert len(meant.rest) < 200


def test_empty_line_has_no_explanation() -> None:
    assert parse_typed("  ", TAFL) == Typed(UNCLEAR)


def test_long_list_of_matching_actions_is_cut() -> None:
    meant = parse_typed("a", [f"a{k:03}" for k in range(300)])
    assert meant == Typed(
        UNCLEAR, "'a' is the prefix of 300 legal actions: a000 a001 a002 a003 a004 a005 a006 a007 ..."
    )


def test_notation_of_players_comes_before_prefixes() -> None:
    legal = ["e2e3", "e2e4", "e4e5"]
    read = {"e4": "e2e4", "x": "e7e8"}.get
    assert parse_typed("e4", legal, lambda text: read(text) or text) == Typed(PLAY, "e2e4")
    assert parse_typed("e4", legal) == Typed(PLAY, "e4e5")
    assert parse_typed("x", legal, lambda text: read(text) or text).name == UNCLEAR


def test_finished_game_accepts_only_viewing_undo_and_quit() -> None:
    assert parse_typed("history", ()) == Typed("history")
    assert parse_typed("undo", ()) == Typed("undo")
    for line in ("moves", "resign"):
        meant = parse_typed(line, ())
        assert meant.name == UNCLEAR
        assert meant.rest.startswith(
            "the game is over; type help, board, legend, position, history, undo, quit"
        )
    for line in ("d2-d4", "7"):
        meant = parse_typed(line, ())
        assert meant.name == UNCLEAR
        assert "the game is over" in meant.rest


def test_help_lists_every_command() -> None:
    text = "\n".join(help_lines())
    assert all(f"  {name}" in text for name in NAMES)


def test_few_actions_are_listed_with_numbers() -> None:
    assert listing(["end", "pass", "step-a1"], "", 80) == ["1 end       2 pass      3 step-a1"]
    assert summary(["end", "pass", "step-a1"], 80) == listing(["end", "pass", "step-a1"], "", 80)


def test_filtered_actions_keep_their_numbers() -> None:
    """The numbers of a filtered list can be typed."""
    assert listing(["a1", "a2", *(f"b{k}" for k in range(9))], "b", 20) == [
        " 3 b0    4 b1",
        " 5 b2    6 b3",
        " 7 b4    8 b5",
        " 9 b6   10 b7",
        "11 b8",
    ]


def test_summary_counts_many_actions() -> None:
    legal = [f"put-{k:02}" for k in range(FEW + 1)]
    assert summary(legal, 80) == [
        "13 legal actions; `moves` lists them, `moves put-1` those that begin with put-1"
    ]


def test_many_actions_are_grouped_by_prefix() -> None:
    """Each group has its longest common prefix; a single action has its number."""
    lines = listing([*SQUARES, "pass"], "", 80)
    assert lines[0] == "385 actions, by prefix; `moves PREFIX` lists those of one:"
    assert lines[1].startswith("a1-..  16            a2-..  16 ")
    assert lines[-1].endswith("pass  (number 385)")
    assert len(lines) < 12
    nested = listing(["a", *(f"a{letter}" for letter in map(chr, range(33, 127)))], "a", 80)
    assert nested[1].split()[:6] == ["a", "(number", "1)", "a!", "(number", "2)"]


def test_prefix_without_actions_is_reported() -> None:
    assert listing(["a1", "b1"], "c", 80) == ["no legal action begins with 'c'"]


def test_long_entries_have_one_column() -> None:
    assert columns(["a" * 50, "b"], 40) == ["a" * 50, "b"]
    assert columns([], 40) == []


@given(st.sets(st.text("abc-x", min_size=1, max_size=9), min_size=1, max_size=400))
def test_prefixes_lead_to_every_action(actions: set[str]) -> None:
    """Every unlisted action is counted in a group whose prefix leads to it."""
    legal = sorted(actions)
    left, seen = [""], set[str]()
    while left:
        prefix = left.pop()
        lines = listing(legal, prefix, 10**6)
        assert len(lines) <= 2
        if lines[0].startswith(tuple("0123456789 ")) and " actions, by prefix" not in lines[0]:
            seen.update(word for word in lines[0].split() if not word.isdigit())
            continue
        for text in lines[1].split("   "):
            beginning, lots, _ = text.strip().partition("..  ")
            if lots:
                assert len(beginning) > len(prefix)
                left.append(beginning)
            else:
                seen.add(beginning.split("  ")[0])
    assert seen == actions


def test_list_of_most_actions_fits_a_screen() -> None:
    assert len(listing(SQUARES[:MOST], "", 80)) <= MOST // 4
