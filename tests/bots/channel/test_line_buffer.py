"""A bot's output is cut into lines, with the protocol's limits exact to the byte."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.bots.channel.interface import Event
from tourney.bots.channel.line_buffer import MAX_STDERR, ErrorBuffer, LineBuffer


def events(*chunks: bytes) -> list[Event]:
    buffer = LineBuffer()
    for chunk in chunks:
        buffer.feed(chunk)
    return list(buffer.drain())


def test_carriage_return_is_dropped_and_empty_lines_are_ignored() -> None:
    """``\\r\\n`` ends a line as ``\\n`` does; a second carriage return stays."""
    assert events(b"a\r\n\n\r\nb\r\r\n c \n") == [Event("line", t) for t in ("a", "b\r", " c ")]


def test_last_line_without_newline_is_ignored() -> None:
    """A line without newline does not count, even at the end of the output."""
    buffer = LineBuffer()
    buffer.feed(b"ready\nmove a1")
    buffer.close(Event("closed", "exited with code 0"))
    assert [buffer.take(), buffer.take(), buffer.take()] == [
        Event("line", "ready"),
        *[Event("closed", "exited with code 0 after 'move a1' without a newline")] * 2,
    ]


def test_line_has_at_most_4096_bytes() -> None:
    """The limit counts the newline, and the carriage return before it."""
    assert events(b"x" * 4095 + b"\n") == [Event("line", "x" * 4095)]
    assert events(b"x" * 4094 + b"\r\n") == [Event("line", "x" * 4094)]
    for long in (b"x" * 4096 + b"\n", b"x" * 4095 + b"\r\n"):
        (event,) = events(b"info\n" + long + b"ready\n")[1:]
        assert event.kind == "malformed"
        assert "4,096" in event.text


def test_4096_bytes_without_newline_are_too_long() -> None:
    """The buffer does not wait for the newline, for any chunks."""
    assert [e.kind for e in events(*[b"x"] * 4096)] == ["malformed"]
    assert events(*[b"x"] * 4095) == []


def test_invalid_utf8_is_malformed_after_earlier_lines() -> None:
    """Events keep the order of the output; nothing comes after the end."""
    assert [e.kind for e in events(b"ready\n\xff\xfe\nmove a1\n")] == ["line", "malformed"]
    assert [e.kind for e in events(b"\xed\xa0\x80\n")] == ["malformed"]  # half of a surrogate pair
    assert events("é\n".encode()[:1], "é\n".encode()[1:]) == [Event("line", "é")]


def test_line_after_a_thousand_is_an_overflow() -> None:
    """Empty lines count; the thousand lines come first."""
    assert len(events(b"a\n" * 1000)) == 1000
    kinds = [e.kind for e in events(b"a\n" * 1001)]
    assert kinds == ["line"] * 1000 + ["overflow"]
    assert [e.kind for e in events(b"\n" * 1001)] == ["overflow"]


def test_byte_after_64_kib_is_an_overflow() -> None:
    """The limit is in bytes of output, newlines counted."""
    line = b"x" * 1023 + b"\n"
    assert len(events(line * 64)) == 64
    kinds = [e.kind for e in events(line * 64 + b"y")]
    assert kinds == ["line"] * 64 + ["overflow"]


def test_request_renews_the_allowance_but_not_an_ended_output() -> None:
    """A renewed buffer takes another thousand lines; an overflow stays an overflow."""
    buffer = LineBuffer()
    buffer.feed(b"a\n" * 1000)
    buffer.renew()
    buffer.feed(b"a\n" * 1000)
    assert {e.kind for e in buffer.drain()} == {"line"}
    buffer.feed(b"a\n")
    buffer.renew()
    buffer.feed(b"a\n")
    assert [e.kind for e in buffer.drain()] == ["overflow"]


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=8))
def test_events_do_not_depend_on_chunks(data: bytes, cuts: list[int]) -> None:
    """The same bytes in other chunks give the same events."""
    edges = sorted({0, *cuts, len(data)})
    chunks = [data[a:b] for a, b in pairwise(edges)]
    assert events(*chunks) == events(data)


@pytest.mark.parametrize("size", [10, MAX_STDERR * 3])
def test_standard_error_is_bounded_and_counts_dropped_output(size: int) -> None:
    """The buffer is bounded; reading it makes room again."""
    buffer = ErrorBuffer()
    for _ in range(size):
        buffer.feed(b"x\n")
    lines = buffer.take()
    assert sum(len(line) + 1 for line in lines) <= MAX_STDERR + 100
    assert lines[-1] == (
        "x" if size == 10 else f"({2 * size - MAX_STDERR:,} more bytes of standard error were dropped)"
    )
    assert buffer.take() == ()
    buffer.feed(b"after\xff\nlast")
    buffer.close()
    assert buffer.take() == ["after\\xff", "last"]


def test_endless_line_of_standard_error_is_cut() -> None:
    """An endless line is kept in pieces of bounded length."""
    buffer = ErrorBuffer()
    for _ in range(10):
        buffer.feed(b"y" * 700)
    assert all(len(line) <= 1000 for line in buffer.take())


@given(
    st.lists(
        st.sampled_from([b"move a1", b"\n", b"\r", b"", "\u00e9".encode(), b"\xff", b"x" * 4094]), max_size=4
    )
)
def test_whole_line_equals_feeding_it(parts: list[bytes]) -> None:
    """The fast path gives the same text and remaining allowance as feeding, or declines."""
    data = b"".join(parts)
    short, long = LineBuffer(), LineBuffer()
    text = short.whole(data)
    long.feed(data)
    if text is None:
        short.feed(data)
    else:
        assert long.take() == Event("line", text)
    assert short.drain() == long.drain()
    rest = b"\n" * 999 + b"x\n"
    short.feed(rest)
    long.feed(rest)
    assert short.drain() == long.drain()


def test_only_one_ascii_line_is_a_whole_line() -> None:
    """Two lines, half a line, the end of a line, no bytes and other letters are not."""
    buffer = LineBuffer()
    assert buffer.whole(b"move a1\n") == "move a1"
    for data in (b"a\nb\n", b"move", b"\n", b"", b"a\r\n", "caf\u00e9\n".encode(), b"x" * 4096 + b"\n"):
        assert buffer.whole(data) is None
    assert buffer.whole(b"x" * 4095 + b"\n") == "x" * 4095
    buffer.feed(b"mo")
    assert buffer.whole(b"ve a1\n") is None


@given(st.lists(st.sampled_from([b"info a\n", b"best x\n", b"bestow\n", b"\n", b"b", b"\r\n", b"\xc3\n"])))
def test_block_of_lines_is_what_feeding_them_gives(parts: list[bytes]) -> None:
    data = b"".join(parts)
    short, long = LineBuffer(), LineBuffer()
    text = short.whole(data, b"best ")
    long.feed(data)
    if text is None:
        short.feed(data)
    else:
        *before, last = (event.text for event in long.drain())
        assert [line for line in text.split("\n") if line] == [*before, last]
        assert [line for line in (*before, last) if line.startswith("best ")] == [last]
    assert short.drain() == long.drain()
    rest = b"\n" * 999 + b"x\n"
    short.feed(rest)
    long.feed(rest)
    assert short.drain() == long.drain()


def test_only_short_output_that_ends_in_the_answer_is_a_block() -> None:
    buffer = LineBuffer()
    assert buffer.whole(b"info a\n\nbest x\n", b"best ") == "info a\n\nbest x"
    for data in (b"", b"info a\n", b"info a\nbest x", b"best x\nbest y\n", b"x" * 4090 + b"\nbest x\n"):
        assert buffer.whole(data, b"best ") is None
    buffer.widen(1 << 20, 2)
    assert buffer.whole(b"a\nb\nbest x\n", b"best ") is None


def lenient(*chunks: bytes) -> list[Event]:
    """The events of a buffer for an adapter."""
    buffer = LineBuffer()
    buffer.widen(1 << 20, 1000, lenient=True)
    for chunk in chunks:
        buffer.feed(chunk)
    return list(buffer.drain())


def test_adapters_lines_are_cut_and_read_as_latin1() -> None:
    """Where they are not UTF-8, or too long: nothing but their beginning is looked at."""
    assert lenient(b"id name Caf\xe9\r\nuciok\n") == [Event("line", "id name Café"), Event("line", "uciok")]
    assert lenient("id name Café\n".encode()) == [Event("line", "id name Café")]
    long = b"info pv" + b" e2e4" * 4000
    cut, after = lenient(long[:5], long[5:], b" tail\n", b"bestmove e2e4\n")
    assert cut == Event("line", long[:4095].decode())
    assert after == Event("line", "bestmove e2e4")
    (half,) = lenient(b"x" * 4094 + "é".encode() + b"x\n")
    assert half == Event("line", "x" * 4094)


def test_long_line_byte_by_byte_costs_no_copy_of_it() -> None:
    """What is cut is dropped as it comes, so that a chunk costs no more than a line may be long."""
    buffer = LineBuffer()
    buffer.widen(4 << 20, 1000, lenient=True)
    for _ in range(50):
        buffer.feed(b"x" * 60_000)
        assert len(buffer.unfinished()) <= 4096
    buffer.feed(b"\nready\n")
    assert [event.text[:5] for event in buffer.drain()] == ["xxxxx", "ready"]


def test_adapters_allowance_is_bounded_as_before() -> None:
    buffer = LineBuffer()
    buffer.widen(10_000, 1000, lenient=True)
    buffer.feed(b"x" * 20_000)
    assert [event.kind for event in buffer.drain()] == ["overflow"]
    assert lenient(*[b"a\n"] * 1001)[-1].kind == "overflow"
