"""Seeds in files and columns: 256 bits, decimal or hex, and where they come from."""

from tests.support.tournaments import refused
from tourney.schema import SchemaError, check_bits, seed_of

LARGEST = 2**256 - 1


def test_seed_is_a_number_or_hex_digits() -> None:
    assert (seed_of("seed", 20261120), seed_of("seed", "0x1F")) == (20261120, 31)
    assert seed_of("seed", f"0x{LARGEST:x}") == check_bits("seed", str(LARGEST), 256) == LARGEST
    with refused(SchemaError, "from 0 to 2^256 - 1"):
        seed_of("seed", LARGEST + 1)
    with refused(SchemaError, "beyond 256 bits"):
        check_bits("seed", str(LARGEST + 1), 256)
