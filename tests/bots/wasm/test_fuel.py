"""The frames between the referee and a module's host, and the meter's name."""

import pytest

from tourney.bots.wasm import fuel
from tourney.errors import UsageError


def test_orders_and_reports_are_read_as_they_were_written() -> None:
    assert fuel.read_order(fuel.instance_order(7, 20_000, 1 << 24)) == (b"N", 7, 20_000, 1 << 24, 0)
    frame = fuel.run_order(9, b"go\n")
    assert fuel.read_order(frame[: fuel.ASKED_SIZE]) == (b"R", 9, 0, 0, 3)
    assert frame[fuel.ASKED_SIZE :] == b"go\n"
    report = fuel.report(b"X", 5, b"move a1\n", b"oops", "trap: unreachable")
    assert fuel.read_report(report[: fuel.REPORT_SIZE]) == (b"X", 5, 8, 4, 17)
    assert report[fuel.REPORT_SIZE :] == b"move a1\noopstrap: unreachable"


def test_words_of_a_report_are_bounded() -> None:
    report = fuel.report(b"X", 5, words="\ud800" + "x" * 5_000)
    assert (
        fuel.read_report(report[: fuel.REPORT_SIZE]).words == fuel.MAX_WORDS == len(report) - fuel.REPORT_SIZE
    )


def test_unknown_meter_is_refused() -> None:
    with pytest.raises(UsageError, match="there is no meter other-1"):
        fuel.check_meter("other-1")
