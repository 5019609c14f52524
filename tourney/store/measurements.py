"""What was measured of a match, read back: everything that somebody prints is checked first."""

from math import isfinite
from typing import Any

from tourney.store.columns import ColumnError, unpack
from tourney.store.values import Measured


def unpack_measured(column: str, blob: bytes) -> Measured:
    """Return a match's measurements; see ``tourney.match.result.PlayedMatch``."""
    data = unpack(column, blob, "packed measurements")
    if not isinstance(data, dict):
        raise ColumnError(column, blob, "packed measurements (an object)")
    for key, fits in _MEASURED.items():
        if key in data and not fits(data[key]):
            raise ColumnError(column, blob, f"packed measurements ({key} is none)")
    measured: Measured = data
    return measured


def _is_number(value: Any) -> bool:
    return type(value) is int or (type(value) is float and isfinite(value))


def _is_number_or_none(value: Any) -> bool:
    return value is None or _is_number(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _are_times(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_number_or_none, value))


def _are_seats(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(seat, dict)
        and _is_number(seat.get("wall-ms"))
        and _is_number_or_none(seat.get("cpu-ms"))
        and type(seat.get("turns")) is int
        for seat in value
    )


def _is_sandbox(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    protections = value.get("protections", {})
    if not isinstance(protections, dict):
        return False
    return all(map(_is_text, (value.get("level", ""), value.get("kind", ""), *protections.values())))


_MEASURED = {
    "started": _is_text,
    "wall-ms": _is_number,
    "host": _is_text,
    "sandbox": _is_sandbox,
    "times-ms": _are_times,
    "seats": _are_seats,
    "reproducible": _is_flag,
    "why-not": _are_texts,
}
"""The measurements that somebody reads, and what each must be; others may stand beside them."""
