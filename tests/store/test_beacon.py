"""The values that a beacon may have."""

import pytest
from msgspec import json

from tests.support.tournaments import refused
from tourney.schema import SchemaError, read
from tourney.store.beacon import Beacon


def test_beacon_keeps_its_round_until_its_value_is_known() -> None:
    waiting = read({"round": "drand 5"}, Beacon)
    assert json.encode(waiting) == b'{"round":"drand 5"}'
    assert read({"round": "drand 5", "value": "ab" * 32}, Beacon) != waiting


@pytest.mark.parametrize("value", ["ab" * 7, "AB" * 8, "ab" * 8 + "c", "ab" * 129, "", 7])
def test_beacon_refuses_values_that_are_no_bytes_in_hex(value: object) -> None:
    with refused(SchemaError):
        read({"round": "drand 5", "value": value}, Beacon)
