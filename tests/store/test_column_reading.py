"""Reading and writing the columns that hold JSON, logs, ranks, faults and plans."""

import json
import zlib
from collections.abc import Callable
from functools import partial

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.match.result import LogLine, Measurements, json_text
from tourney.match.spec import MAX_MS, Limits
from tourney.store import column_reading
from tourney.store.column_reading import ColumnError, canonical, pack, unpack_measured
from tourney.store.values import Plan, StoredRun, plan_data, plan_from, run_data, run_from

JSON = st.recursive(
    st.text(st.characters()) | st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc"), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_json_round_trip_and_equal_values_give_equal_bytes(data: object) -> None:
    assert column_reading.unpack("c", pack(data)) == data
    assert pack(column_reading.unpack("c", pack(data))) == pack(data)


@given(
    st.lists(
        st.builds(
            LogLine,
            st.integers(0, 999),
            st.integers(0, 4),
            st.sampled_from(["info", "stderr", "note"]),
            st.text(st.characters()),
        )
    )
)
def test_log_round_trip_with_any_text(lines: list[LogLine]) -> None:
    assert column_reading.unpack_log(zlib.compress(json_text(lines))) == tuple(lines)


@given(st.binary(max_size=40))
def test_damaged_bytes_are_an_error_naming_the_column(blob: bytes) -> None:
    unpackers: dict[str, Callable[[bytes], object]] = {
        "state": partial(column_reading.unpack, "state"),
        "lines": column_reading.unpack_log,
        "data": unpack_measured,
    }
    for column, unpack in unpackers.items():
        with pytest.raises(ColumnError) as caught:
            unpack(blob)
        assert (caught.value.column, caught.value.value) == (column, blob)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("9" * 5000, "a number has more than 4,300 digits"),
        ("[" * 100_000, "nested more than 32 deep"),
        ("NaN", "NaN is not a number of JSON"),
        ("", "Expecting value"),
        ("{}", "lines of ply, seat, kind and text"),
        ('[[1, 1, "info"]]', "lines of ply, seat, kind and text"),
        ('[[1, 1, "song", "x"]]', "lines of ply, seat, kind and text"),
        ('[[1, true, "info", "x"]]', "lines of ply, seat, kind and text"),
        ('[[1, 1, ["info"], "x"]]', "lines of ply, seat, kind and text"),
        ('[[1, 1, "info", 7]]', "lines of ply, seat, kind and text"),
    ],
    ids=lambda value: value[-40:],
)
def test_json_that_is_not_a_log_is_refused(text: str, why: str) -> None:
    with pytest.raises(ColumnError) as caught:
        column_reading.unpack_log(zlib.compress(text.encode()))
    assert why in caught.value.want


@given(st.lists(st.binary(max_size=3000), max_size=6), st.binary(max_size=3000))
def test_texts_survive_packing_with_any_dictionary(samples: list[bytes], text: bytes) -> None:
    dictionary = column_reading.dictionary_of(samples)
    assert len(dictionary) <= column_reading.MAX_DICTIONARY
    assert column_reading.inflate("c", column_reading.deflate(text, dictionary), "text", dictionary) == text
    assert column_reading.inflate("c", zlib.compress(text), "text", dictionary) == text


@pytest.mark.parametrize("size", [0, 1_000, 30_000, 300_000])
def test_long_and_short_texts_are_packed_about_equally_well(size: int) -> None:
    dictionary = b"".join(b"%d,roll-%d" % (k * 7919 % 100, k * 31 % 1000) for k in range(600))
    text = b"".join(b"%d,roll-%d" % (k * 104729 % 97, k * 37 % 1000) for k in range(size // 9))
    packed = column_reading.deflate(text, dictionary)
    writer = zlib.compressobj(3, zdict=dictionary)
    former = writer.compress(text) + writer.flush()
    assert len(packed) <= 1.1 * len(former)
    assert all(column_reading.inflate("c", blob, "text", dictionary) == text for blob in (packed, former))


def test_text_packed_with_another_dictionary_is_refused() -> None:
    blob = column_reading.deflate(b"text", b"one")
    for other in (b"", b"another"):
        with pytest.raises(ColumnError, match="text"):
            column_reading.inflate("c", blob, "text", other)


def test_decompression_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_reading, "MAX_UNPACKED", 1 << 20)
    blob = zlib.compress(b"[" + b" " * (8 << 20) + b"]")
    assert len(blob) < 1 << 14
    for damaged in (blob, pack([1])[:-3], pack([1]) + b"x"):
        with pytest.raises(ColumnError, match=r"breaks off"):
            column_reading.unpack("data", damaged)


@pytest.mark.parametrize(
    "wrong",
    [
        '{"wall-ms": "5"}',
        '{"wall-ms": 1e999}',
        '{"started": 5}',
        '{"host": null}',
        '{"times-ms": 5}',
        '{"times-ms": [1, "x"]}',
        '{"seats": [{"wall-ms": 4, "cpu-ms": null}]}',
        '{"seats": {"1": 2}}',
        '{"reproducible": 1}',
        '{"why-not": "crash"}',
        '{"sandbox": []}',
        '{"sandbox": {"protections": ["network"]}}',
        '{"sandbox": {"protections": {"network": 1}}}',
        "[]",
    ],
)
def test_malformed_measurements_are_refused(wrong: str) -> None:
    with pytest.raises(ColumnError) as caught:
        unpack_measured(zlib.compress(wrong.encode()))
    assert caught.value.column == "data"


def test_unknown_keys_of_measurements_are_ignored() -> None:
    """A later version may add some."""
    data = {
        "started": "2026-11-20T09:00:00Z",
        "wall-ms": 5,
        "host": "h",
        "sandbox": {"level": "auto", "kind": "plain", "protections": {"network": "absent"}},
        "times-ms": [None, 0.25],
        "seats": [{"wall-ms": 4, "cpu-ms": None, "turns": 3}],
        "reproducible": True,
        "why-not": [],
    }
    found = unpack_measured(pack({**data, "weather": {"rain": [1]}}))
    assert found == msgspec.convert(data, Measurements)
    assert unpack_measured(zlib.compress(json_text(found))) == found


@pytest.mark.parametrize(
    ("text", "seats", "entrants"),
    [
        *(("0 1", 2, 2), ("", 2, 2), ("0", 2, 2), ("0,2", 2, 2), ("0,-1", 2, 2), ("0,01", 2, 2)),
        *((b"0,1", 2, 2), ("0,1,2", 2, 3), (None, 2, 2), (1, 1, 2), ("\u0660,1", 2, 2)),
        ("0," + "9" * 5000, 2, 2),
    ],
    ids=lambda value: str(value)[:20],
)
def test_malformed_seating_is_refused(text: str, seats: int, entrants: int) -> None:
    assert column_reading.read_seating("1,0", 2, 2) == (1, 0)
    with pytest.raises(ColumnError) as caught:
        column_reading.read_seating(text, seats, entrants)
    assert (caught.value.column, caught.value.value) == ("seating", text)


@pytest.mark.parametrize("text", ["2,1,1", "1", "", "1,3", "2,2", "0,1", "1,x", "1, 2", None, b"1,2"])
def test_malformed_ranks_are_refused(text: str) -> None:
    for good, ranks in (("2,1", (2, 1)), ("1,1", (1, 1)), ("3,1,1", (3, 1, 1))):
        assert column_reading.read_ranks(good, len(ranks)) == ranks
    with pytest.raises(ColumnError) as caught:
        column_reading.read_ranks(text, 2)
    assert caught.value.column == "ranks"


@pytest.mark.parametrize("text", ["", "crash", "crash,crush", ",,", None, 1])
def test_malformed_faults_are_refused(text: str) -> None:
    assert column_reading.read_faults(",timeout", 2) == (None, "timeout")
    with pytest.raises(ColumnError) as caught:
        column_reading.read_faults(text, 2)
    assert caught.value.column == "faults"


@given(
    st.builds(
        Plan,
        name=st.just("cup"),
        game=st.just("g"),
        rules=st.text("12", min_size=1),
        options=st.dictionaries(st.text("ab", min_size=1), st.text("xy")).map(
            lambda d: tuple(sorted(d.items()))
        ),
        format=st.just("swiss"),
        seats=st.integers(2, 4),
        games_per_pairing=st.integers(1, 9),
        rounds=st.none() | st.integers(1, 9),
        opening_plies=st.integers(0, 9),
        book=st.lists(st.lists(st.text("abc", min_size=1), min_size=1).map(tuple)).map(tuple),
        limits=st.builds(
            Limits, move_ms=st.none() | st.integers(1, MAX_MS), charge=st.sampled_from(["wall", "cpu"])
        ),
        extra=st.dictionaries(st.text("ab", min_size=1), st.integers(0, 9) | st.text("xy")).map(
            lambda d: tuple(sorted(d.items()))
        ),
    )
)
def test_plan_round_trip(plan: Plan) -> None:
    assert plan_from(canonical(plan_data(plan))) == plan


def test_run_settings_round_trip() -> None:
    for run in (
        StoredRun(),
        StoredRun(breadth_first=True),
        StoredRun(reuse=True, sandbox="strict", withdrawn=("a", "b")),
    ):
        assert run_from(canonical(run_data(run))) == run


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"seats": "2"}, 'seats is "2", but must be an integer'),
        ({"limits": {}}, "limits.margin-ms is missing"),
        ({"options": {"stones": 3}}, "options.stones is 3, but must be a string"),
        ({"options": []}, "options is [], but must be an object"),
        ({"book": [["a", 1]]}, "book[0][1] is 1, but must be a string"),
        ({"extra": {"budget": None}}, "extra.budget is null, but must be an integer or a string"),
        ({"rounds": -1}, "rounds is -1"),
        ({"more": 1}, 'unknown key "more"'),
    ],
    ids=str,
)
def test_malformed_plan_is_refused(change: dict[str, object], why: str) -> None:
    plan = plan_data(Plan("cup", "g", "1", (), "swiss", 2, 2, rounds=3))
    with pytest.raises(ColumnError) as caught:
        plan_from(json.dumps(plan | change))
    assert caught.value.column == "plan"
    assert why in caught.value.want


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "{}", '{"reuse": 1, "sandbox": "auto"}', '{"reuse": true, "sandbox": "lax"}'),
        *("9" * 5000, "[" * 5000),
    ],
    ids=lambda text: text[:40],
)
def test_malformed_run_settings_are_refused(text: str) -> None:
    with pytest.raises(ColumnError) as caught:
        run_from(text)
    assert caught.value.column == "run"
