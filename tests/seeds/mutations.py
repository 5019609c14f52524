"""Single changes of good records: what the checkers must refuse, and what only the rules or nothing can show.

Each change alters a copy of a record in place. Then the digest is made again, as a forger would, unless the
change is one of ``KEPT``.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

import rfc8785

from tests.support.records import digest_of

Json = dict[str, Any]
Change = Callable[[Json], Any]


def first(actions: Sequence[list[Any]], seat: bool) -> int:
    """Return the index of the first action of a seat, or of chance."""
    return next(n for n, (actor, _) in enumerate(actions) if bool(actor) is seat)


def other(record: Json) -> None:
    """Give the first die another face."""
    at = first(record["actions"], seat=False)
    text = record["actions"][at][1]
    record["actions"][at][1] = "roll-123" if text != "roll-123" else "roll-122"


def swapped(record: Json) -> None:
    """Exchange the first two rolls that differ."""
    rolls = [n for n, (actor, _) in enumerate(record["actions"]) if actor == 0]
    actions = record["actions"]
    at = next(n for n in rolls if actions[n][1] != actions[rolls[0]][1])
    actions[rolls[0]][1], actions[at][1] = actions[at][1], actions[rolls[0]][1]


def put(path: str, value: Any) -> Change:
    """Return the change that sets a place, as ``limits.move-ms`` or ``seats.0.digest``."""

    def change(record: Json) -> None:
        *steps, last = [int(step) if step.lstrip("-").isdigit() else step for step in path.split(".")]
        inner: Any = record
        for step in steps:
            inner = inner[step]
        inner[last] = value

    return change


def drop(path: str) -> Change:
    """Return the change that takes a key out."""

    def change(record: Json) -> None:
        *steps, last = path.split(".")
        inner: Any = record
        for step in steps:
            inner = inner[step]
        del inner[last]

    return change


SEEN: dict[str, Change] = {
    "another die": other,
    "two dice exchanged": swapped,
    "a die left out": lambda r: r["actions"].pop(first(r["actions"], seat=False)),
    "a die twice": lambda r: r["actions"].insert(0, [0, "roll-123"]),
    "a seat's action given to chance": lambda r: put(f"actions.{first(r['actions'], seat=True)}.0", 0)(r),
    "another seed": lambda r: r.update(seed=str(int(r["seed"]) ^ 1)),
    "a seed with a zero in front": lambda r: r.update(seed="0" + r["seed"]),
    "a seed beyond 64 bits": put("seed", str(2**64)),
    "a seed as an integer": put("seed", 7),
    "another format": put("format", "tourney-record/2"),
    "a key more": put("host", "example"),
    "a key less": drop("rules"),
    "a key of limits more": put("limits.cores", 4),
    "no margin": drop("limits.margin-ms"),
    "an increment without a clock": drop("limits.clock-ms"),
    "fuel without a meter": put("limits.charge", "fuel"),
    "a meter without fuel": put("limits.meter", "wasmtime-fuel-1"),
    "a limit out of bounds": put("limits.memory-mb", 8),
    "a limit of no kind": put("limits.charge", "sun"),
    "a fraction": put("limits.move-ms", 1.5),
    "an integral fraction": put("limits.move-ms", 1000.0),
    "true for an integer": put("limits.move-ms", True),
    "null": put("opening", None),
    "an opening of two kinds": put("opening", {"plies": 0, "actions": ["5a"]}),
    "an empty opening": put("opening", {}),
    "more plies than actions": put("opening.plies", 999_999),
    "an opening of a book that was not played": put("opening", {"actions": ["3z"]}),
    "a rank too high": put("outcome.ranks", [1, 3]),
    "a rank without a first": put("outcome.ranks", [2, 2]),
    "a rank more": put("outcome.ranks", [1, 2, 3]),
    "an actor beyond the seats": put("actions.1.0", 3),
    "an action with a blank": put("actions.1.1", "5 a"),
    "an action of three items": put("actions.1", [1, "5a", 0]),
    "a fault of no kind": put("outcome.faults", [[1, "late", 0]]),
    "a fault beyond the actions": put("outcome.faults", [[1, "crash", 1_000_000]]),
    "a fault of a seat beyond the table": put("outcome.faults", [[3, "crash", 0]]),
    "a fault that its rank does not show": lambda r: r["outcome"].update(
        faults=[[r["outcome"]["ranks"].index(1) + 1, "crash", len(r["actions"])]], reason="fault"
    ),
    "a fault before the last action": lambda r: r["outcome"].update(
        faults=[[r["outcome"]["ranks"].index(2) + 1, "crash", len(r["actions"]) - 1]], reason="fault"
    ),
    "a fault while the reason is the game's": lambda r: r["outcome"].update(
        faults=[[r["outcome"]["ranks"].index(2) + 1, "crash", len(r["actions"])]]
    ),
    "a seat withdrawn twice": lambda r: r["outcome"].update(
        faults=[[1, "crash", 0]], resigned=[[1, 0]], reason="fault"
    ),
    "a withdrawal as the reason, though all stay": put("outcome.reason", "resign"),
    "an empty list of resignations": put("outcome.resigned", []),
    "a reason in capitals": put("outcome.reason", "Points"),
    "a name without characters": put("seats.0.entrant", ""),
    "a name of a lone surrogate": put("seats.0.entrant", "\ud800"),
    "an argument that is not a string": put("seats.0.args", [1]),
    "a digest of a bot in capitals": put("seats.0.digest", "A" * 64),
    "no seats": put("seats", []),
    "an option that is not a string": put("options.stones", 10),
    "an option with a blank": put("options.st ones", "10"),
    "dice in a game without chance": put("game", "sages-tafl"),
}
"""Changes of a finished match of Sage Stones for two seats without faults, which both checkers refuse."""

KEPT: dict[str, Change] = {
    "a changed action": lambda r: put(f"actions.{first(r['actions'], seat=True)}.1", "9i")(r),
    "a changed name": put("seats.0.entrant", "zoe"),
    "a changed limit": put("limits.memory-mb", 64),
    "another digest": lambda r: r.update(digest=r["digest"][::-1]),
    "another version of the rules": put("rules", "2"),
}
"""Changes after which the digest is left as it was: both checkers refuse them."""

RULES: dict[str, Change] = {
    "a placement elsewhere": lambda r: put(f"actions.{first(r['actions'], seat=True)}.1", "9i")(r),
    "a placement on no square": lambda r: put(f"actions.{first(r['actions'], seat=True)}.1", "z")(r),
    "a placement of the other seat": lambda r: put(
        f"actions.{first(r['actions'], seat=True)}.0", 3 - r["actions"][first(r["actions"], seat=True)][0]
    )(r),
    "the last action left out": lambda r: r["actions"].pop(),
    "an action after the end": lambda r: r["actions"].append([1, "5a"]),
    "the winner and the loser exchanged": lambda r: r["outcome"]["ranks"].reverse(),
    "a draw": put("outcome.ranks", [1, 1]),
    "another reason of the game's": put("outcome.reason", "rolls"),
    "an option of another value": put("options.stones", "9"),
    "an opening of sampled actions claimed": put("opening.plies", 3),
}
"""Changes that only the rules show: the checkers accept them, and ``verify`` does not."""

NEVER: dict[str, Change] = {
    "another entrant": put("seats.0.entrant", "zoe"),
    "another bot": put("seats.0.digest", "0" * 64),
    "other arguments": put("seats.0.args", ["--cheat"]),
    "another limit": put("limits.move-ms", 5),
    "the seats' bots exchanged": lambda r: r["seats"].reverse(),
}
"""Changes that a record by itself cannot show: both accept them."""


def changed(record: Json, change: Change, *, keep: bool = False) -> bytes:
    """Return a changed copy of a record as a line; ``keep`` leaves the digest."""
    copy: Json = json.loads(json.dumps(record))
    change(copy)
    if not keep:
        try:
            copy["digest"] = digest_of(copy)
        except (UnicodeEncodeError, TypeError, rfc8785.CanonicalizationError):
            copy["digest"] = "0" * 64
    return json.dumps(copy).encode("ascii") + b"\n"
