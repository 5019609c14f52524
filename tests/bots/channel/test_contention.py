"""A long turn is attributed to a busy machine if the processor times show it."""

import pytest

from tourney.bots.channel.base import Reading, contention

MS = 1_000_000


@pytest.mark.parametrize(
    ("wall", "cpu", "waited", "noted"),
    [
        (1000, 200, 700, True),
        (1000, 499, 250, True),
        (1000, 500, 400, False),  # it ran for half of the time
        (1000, 10, 249, False),  # it slept: nothing delayed it
        (49, 0, 49, False),  # too short to tell
    ],
)
def test_note_appears_if_the_bot_waited_for_a_processor(
    wall: int, cpu: int, waited: int, noted: bool
) -> None:
    """It ran for less than half of the time and waited for a quarter or more."""
    before = Reading(5, 7, 11)
    after = Reading(5 + wall * MS, 7 + cpu * MS, 11 + waited * MS)
    note = contention(before, after)
    assert bool(note) == noted
    if noted:
        assert note == (
            f"the machine was overloaded: in the last {wall} ms of this turn the bot ran for {cpu} ms,"
            f" and its threads waited {waited} ms for a processor"
        )
