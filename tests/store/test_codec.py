from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments import refused
from tourney.errors import RecordError
from tourney.match.played import LogLine
from tourney.match.spec import Limits
from tourney.store import codec
from tourney.store.values import Plan, RunSettings

JSON = st.recursive(
    st.text(st.characters()) | st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc"), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_json_comes_back_and_equal_values_give_equal_bytes(data: object) -> None:
    assert codec.unpack(codec.pack(data)) == data
    assert codec.pack(codec.unpack(codec.pack(data))) == codec.pack(data)


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
def test_any_log_comes_back_whatever_text_a_bot_wrote(lines: list[LogLine]) -> None:
    assert codec.unpack_log(codec.pack_log(lines)) == tuple(lines)


@given(st.binary(max_size=40))
def test_damaged_bytes_are_an_error_and_nothing_else(blob: bytes) -> None:
    with refused(RecordError, "cannot be read back"):
        codec.unpack(blob)


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
        limits=st.builds(Limits, move_ms=st.none() | st.integers(1), charge=st.sampled_from(["wall", "cpu"])),
        extra=st.dictionaries(st.text("ab", min_size=1), st.integers(0, 9) | st.text("xy")).map(
            lambda d: tuple(sorted(d.items()))
        ),
    )
)
def test_plans_come_back(plan: Plan) -> None:
    if plan.limits.move_ms is None or plan.limits.move_ms < 2**53:
        assert codec.plan_from(codec.plan_text(plan)) == plan


def test_run_settings_come_back() -> None:
    for run in (RunSettings(), RunSettings(reuse=True, sandbox="strict")):
        assert codec.run_from(codec.run_text(run)) == run
