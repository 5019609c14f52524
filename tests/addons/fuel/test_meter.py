"""The frames between the referee and a module's host, and the meter's name."""

from io import BytesIO

import pytest

from tourney.addons.fuel import meter as fuel
from tourney.addons.fuel.meter import HostOrder, HostReport
from tourney.errors import UsageError


def test_orders_and_reports_are_read_as_they_were_written() -> None:
    for order in (HostOrder(b"N", 7, 20_000, 1 << 24), HostOrder(b"R", 9, data=b"go\n")):
        assert HostOrder.read(BytesIO(order.encode()).read) == order
    report = HostReport(b"X", 5, b"move a1\n", b"oops", "trap: unreachable")
    assert report.encode().endswith(b"move a1\noopstrap: unreachable")
    assert HostReport.read(BytesIO(report.encode()).read) == report


def test_words_of_a_report_are_bounded() -> None:
    frame = HostReport(b"X", 5, words="\ud800" + "x" * 5_000).encode()
    assert HostReport.read(BytesIO(frame).read).words == "?" + "x" * (fuel.MAX_WORDS - 1)


def test_unknown_meter_is_refused() -> None:
    with pytest.raises(UsageError, match="there is no meter other-1"):
        fuel.check_meter("other-1")
