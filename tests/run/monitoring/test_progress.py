"""The progress line: rate, time left and faults."""

import io

import pytest
from rich.console import Console

from tourney.run.monitoring.progress import (
    PLAIN_EVERY,
    PlainListener,
    Progress,
    progress_text,
    rich_listener,
    span_text,
)


def test_rate_and_time_left_count_this_run_alone() -> None:
    progress = Progress(rows=100, done=60, played=10, faults=0, void=0, seconds=5.0)
    assert progress.rate == 2.0
    assert progress.left == 20.0


def test_no_rate_before_the_first_match() -> None:
    progress = Progress(rows=100, done=60, played=0, faults=0, void=0, seconds=5.0)
    assert progress.rate is None
    assert progress.left is None
    assert progress_text(progress) == "60 of 100 matches, no faults"


def test_line_shows_matches_rate_time_left_and_faults() -> None:
    progress = Progress(rows=100, done=60, played=10, faults=1, void=2, seconds=5.0)
    assert progress_text(progress) == "60 of 100 matches, 2.0 a second, 20s left, 1 fault, 2 void"


@pytest.mark.parametrize(
    ("seconds", "text"), [(None, ""), (0.4, "0s"), (59.4, "59s"), (200, "3m20s"), (7500, "2h05m")]
)
def test_time_spans_are_readable(seconds: float | None, text: str) -> None:
    assert span_text(seconds) == text


def test_plain_display_writes_a_line_at_intervals() -> None:
    now = [0.0]
    messages: list[str] = []
    listener = PlainListener(messages.append, clock=lambda: now[0])
    for second in range(26):
        now[0] = float(second)
        listener.progress(Progress(100, second, second, 0, 0, now[0]))
    listener.say("stopping")
    assert PLAIN_EVERY == 10.0
    assert [line.split(" ")[0] for line in messages] == ["10", "20", "stopping"]


def test_bar_shows_progress_and_escapes_markup() -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=120, color_system=None)
    with rich_listener(console, "[red]cup[/red]") as listener:
        listener.progress(Progress(rows=40, done=10, played=10, faults=2, void=0, seconds=5.0))
        listener.say("[bold]a note[/bold]")
    shown = stream.getvalue()
    for words in ("[red]cup[/red]", "10/40", "2.0/s", "15s", "2 faults", "[bold]a note[/bold]"):
        assert words in shown
