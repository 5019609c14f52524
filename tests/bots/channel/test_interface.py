"""The traced channel keeps the last lines on the wire."""

from tourney.bots.channel.interface import TRACED_LINES, Event, TracedChannel
from tourney.bots.channel.scripted import ScriptedChannel


def test_traced_channel_forwards_and_keeps_both_directions() -> None:
    """It keeps requests, other sent lines, answers, early lines and the end, in order."""
    inner = ScriptedChannel("""
        > tourney 1
        < bot
        < info early
        > play 1 a
        > go
        2 oh no
        ! closed exited with code 1
    """)
    traced = TracedChannel(inner)
    traced.request(b"tourney 1\n")
    assert traced.wait(0) == Event("line", "bot")
    assert traced.pending() == [Event("line", "info early")]
    traced.send(b"play 1 a\n")
    traced.request(b"go\n")
    assert traced.wait(0).kind == "closed"
    assert list(traced.stderr()) == ["oh no"]
    traced.close(0.5)
    assert inner.closed
    inner.finish()
    assert tuple(traced.lines) == (
        "> tourney 1",
        "< bot",
        "< info early",
        "> play 1 a",
        "> go",
        "! closed exited with code 1",
    )


def test_traced_channel_keeps_last_lines_short_and_printable() -> None:
    script = [f"< info {k}" for k in range(30)] + ["< info \x1b[2J", "< info " + "x" * 4_000]
    traced = TracedChannel(ScriptedChannel(["> go", *script]))
    traced.request(b"go\n")
    for _ in script:
        traced.wait(0)
    assert len(traced.lines) == TRACED_LINES
    assert traced.lines[-2] == "< info \N{REPLACEMENT CHARACTER}[2J"
    assert traced.lines[-1].startswith("< info xxx")
    assert traced.lines[-1].endswith("... (4,007 characters)")
    assert len(traced.lines[-1]) < 300
