"""How values become columns: JSON, compressed where it is large.

Records and logs are compressed one by one (zlib): what queries need of them stands in columns beside them, so
nothing is lost by it, and a million matches stay near a gigabyte.
"""

import json
import zlib
from functools import lru_cache
from typing import Any

import rfc8785

from tourney.errors import RecordError, StoreError
from tourney.match.played import LogLine, pack, pack_log
from tourney.match.spec import Limits
from tourney.store.values import Plan, RunSettings

__all__ = ["ints", "kinds", "pack", "pack_log", "parsed", "plan_from", "plan_text", "run_from", "run_text"]
__all__ += ["unpack", "unpack_log"]


def unpack(blob: bytes) -> Any:
    """Return what ``pack`` was given. Raises RecordError where the bytes are damaged."""
    try:
        return json.loads(zlib.decompress(blob))
    except (zlib.error, ValueError, TypeError) as error:
        raise RecordError(f"stored data cannot be read back ({error}): the database was altered") from error


def unpack_log(blob: bytes) -> tuple[LogLine, ...]:
    """Return what ``pack_log`` was given. Raises RecordError where the bytes are damaged."""
    return tuple(LogLine(ply, seat, kind, text) for ply, seat, kind, text in unpack(blob))


def parsed(text: str) -> Any:
    """Return the JSON data of a column. Raises StoreError where it is none."""
    try:
        return json.loads(text)
    except (ValueError, TypeError) as error:
        raise _altered(text) from error


def plan_text(plan: Plan) -> str:
    """Return a plan as canonical JSON."""
    data: Any = {
        "name": plan.name,
        "game": plan.game,
        "rules": plan.rules,
        "options": dict(plan.options),
        "format": plan.format,
        "seats": plan.seats,
        "games-per-pairing": plan.games_per_pairing,
        "rounds": plan.rounds,
        "opening-plies": plan.opening_plies,
        "book": [list(actions) for actions in plan.book],
        "limits": plan.limits.as_json(),
        "extra": dict(plan.extra),
    }
    return rfc8785.dumps(data).decode("utf-8")


def plan_from(text: str) -> Plan:
    """Return what ``plan_text`` was given, options and extra in the order of their names."""
    data = parsed(text)
    return Plan(
        name=data["name"],
        game=data["game"],
        rules=data["rules"],
        options=tuple(data["options"].items()),
        format=data["format"],
        seats=data["seats"],
        games_per_pairing=data["games-per-pairing"],
        rounds=data["rounds"],
        opening_plies=data["opening-plies"],
        book=tuple(tuple(actions) for actions in data["book"]),
        limits=Limits.from_json(data["limits"]),
        extra=tuple(data["extra"].items()),
    )


def run_text(run: RunSettings) -> str:
    """Return run settings as canonical JSON."""
    data = {"reuse": run.reuse, "sandbox": run.sandbox, "withdrawn": list(run.withdrawn)}
    return rfc8785.dumps(data).decode("ascii")


def run_from(text: str) -> RunSettings:
    """Return what ``run_text`` was given."""
    data = parsed(text)
    withdrawn = tuple(data.get("withdrawn", ()))  # databases of before 0003 do not say
    return RunSettings(reuse=data["reuse"], sandbox=data["sandbox"], withdrawn=withdrawn)


@lru_cache(maxsize=1 << 16)
def ints(text: str) -> tuple[int, ...]:
    """Return numbers parted by commas. Equal texts share a tuple: a million results hold few seatings."""
    try:
        return tuple(map(int, text.split(",")))
    except (ValueError, AttributeError) as error:
        raise _altered(text) from error


@lru_cache(maxsize=1 << 12)
def kinds(text: str) -> tuple[str | None, ...]:
    """Return kinds of faults parted by commas, None where there is none; equal texts share a tuple."""
    return tuple(kind or None for kind in text.split(","))


def _altered(value: object) -> StoreError:
    return StoreError(
        f"the database was altered: {str(value)[:40]!r} is no value of Tourney's; restore a backup"
    )
