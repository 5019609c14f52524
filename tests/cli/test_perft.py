"""``tourney perft``: counts, and bad input."""

import pytest

from tests.support.command import TOYS, invoke, offering


def test_perft_counts_from_the_start_and_from_a_position() -> None:
    """Only the number is printed; a position, seats and options are accepted."""
    with offering(**TOYS):
        assert invoke("perft", "toe", "3").stdout == "504\n"
        assert invoke("perft", "toe", "0").stdout == "1\n"
        assert invoke("perft", "toe", "2", "--position", "XO./OXO/.X. 1").stdout == "4\n"
        assert invoke("perft", "race", "3", "--seats", "3").stdout == "8\n"
        assert invoke("perft", "toe", "1", "--option", "misere=yes").stdout == "9\n"


def test_divided_perft_has_a_line_per_first_action() -> None:
    """With --divide, the last line is the sum."""
    with offering(**TOYS):
        lines = invoke("perft", "race", "4", "--divide").stdout.splitlines()
    assert lines == ["roll-1 8", "roll-2 8", "16"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["toe", "1", "--position", "nonsense"], "'nonsense' is not of the form"),
        (["toe", "1", "--seats", "5"], "toe is played with 2 seats, not 5"),
        (["toe", "1", "--option", "size=4"], "toe has no option size"),
        (["toe", "1", "--option", "misere"], "option 'misere' does not have the form NAME=VALUE"),
        (["toe", "0", "--divide"], "--divide needs a DEPTH of at least 1"),
        (["race", "1", "--position", "-"], "race cannot read positions"),
    ],
)
def test_perft_refuses_bad_input(words: list[str], says: str) -> None:
    """Bad input is one sentence and exit code 2."""
    with offering(**TOYS):
        done = invoke("perft", *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
