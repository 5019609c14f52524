"""Seeds in files and columns: 256 bits, decimal or hex, and where they come from."""

import pytest

from tests.support.tournaments import refused
from tourney.schema import SchemaError
from tourney.store.column_reading import ColumnError
from tourney.store.origin import CHOSEN, Beacon, Origin, check_seed, origin_of, seed_of

LARGEST = 2**256 - 1


def test_seed_is_a_number_or_hex_digits() -> None:
    assert (seed_of("seed", 20261120), seed_of("seed", "0x1F")) == (20261120, 31)
    assert seed_of("seed", f"0x{LARGEST:x}") == check_seed("seed", str(LARGEST)) == LARGEST
    with refused(SchemaError, "from 0 to 2^256 - 1"):
        seed_of("seed", LARGEST + 1)
    with refused(SchemaError, "beyond 256 bits"):
        check_seed("seed", str(LARGEST + 1))


def test_origin_is_read_from_its_columns() -> None:
    row: dict[str, object] = {"seed_chosen": 1, "salt": None, "beacon": None}
    assert origin_of(row) == CHOSEN
    beacon = '{"round":"drand 7","value":"0123456789abcdef"}'
    full = {"seed_chosen": 0, "salt": "0" * 32, "beacon": beacon}
    assert origin_of(full) == Origin(False, "0" * 32, Beacon("drand 7", "0123456789abcdef"))


@pytest.mark.parametrize(("column", "value"), [("salt", "x"), ("beacon", "{}"), ("seed_chosen", 2)])
def test_damaged_origin_is_refused(column: str, value: object) -> None:
    with pytest.raises(ColumnError, match=column):
        origin_of({"seed_chosen": 0, "salt": None, "beacon": None, column: value})
