import pytest

from tests.schedules import setup
from tourney.schedule.player_history import departures
from tourney.schedule.row import ResultRow, Row
from tourney.schedule.startup_failures import MAX_STARTUP_FAILURES, startup_failures


@pytest.mark.parametrize(
    ("faults", "who"),
    [
        ((None, None, None), []),
        (("startup", None, None), [4]),
        (("startup", "timeout", "startup"), [4, 2]),
        (("startup", "startup", "startup"), []),  # the machine's failure more likely than theirs
        (("crash", "illegal", "overflow"), []),
    ],
)
def test_a_strike_is_a_failed_start_unless_all_failed(faults: tuple[str | None, ...], who: list[int]) -> None:
    assert list(startup_failures((4, 7, 2), faults)) == who


def test_three_strikes_and_an_entrant_is_absent_from_the_next_round_on() -> None:
    """Benching in a run and absence from rounds go by the same count."""

    def lost(round_: int, order: int) -> ResultRow:
        return Row(round_, 1, 1, order, (1, 0)).result((2, 1), ("startup", None))

    three = [lost(1, 1), lost(1, 2), lost(2, 1)]
    assert len(three) == MAX_STARTUP_FAILURES
    plan = setup(4)
    assert departures(plan, three[:2]) == {}
    assert departures(plan, three) == {1: 3}
    assert departures(plan, [*three, lost(2, 2), lost(3, 1)]) == {1: 3}
