"""Plans and run settings as columns: canonical JSON."""

from typing import Any

import rfc8785

from tourney.errors import RecordError
from tourney.match.shape import read_choice, read_int, read_list, read_object
from tourney.match.shape import read_text as read_bounded
from tourney.match.spec import Limits
from tourney.store.columns import ColumnError, read_json
from tourney.store.values import Plan, RunSettings, SandboxLevel

LEVELS: tuple[SandboxLevel, ...] = ("strict", "auto", "off")

_KEYS = (
    *("name", "game", "rules", "options", "format", "seats", "games-per-pairing", "rounds"),
    *("opening-plies", "book", "limits", "extra"),
)
_COUNTS = ("move-ms", "clock-ms", "increment-ms", "nodes", "margin-ms", "startup-ms", "memory-mb")
_MAX_TEXT = 1 << 16


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
    """Return what ``plan_text`` was given, options and extra in the order of their names.

    Raises ColumnError of the column ``plan``.
    """
    data = read_json("plan", text)
    try:
        return _plan(data)
    except RecordError as error:
        raise ColumnError("plan", text, f"a plan ({error})") from error


def run_text(run: RunSettings) -> str:
    """Return run settings as canonical JSON."""
    data = {"reuse": run.reuse, "sandbox": run.sandbox, "withdrawn": list(run.withdrawn)}
    return rfc8785.dumps(data).decode("ascii")


def run_from(text: str) -> RunSettings:
    """Return what ``run_text`` was given. Raises ColumnError of the column ``run``."""
    data = read_json("run", text)
    try:
        # Databases of before 0003 do not say who is withdrawn.
        run = read_object(data, "the object", ("reuse", "sandbox"), ("withdrawn",))
        withdrawn = _texts(run.get("withdrawn", []), "withdrawn")
        level = next(level for level in LEVELS if level == read_choice(run["sandbox"], "sandbox", LEVELS))
    except RecordError as error:
        raise ColumnError("run", text, f"run settings ({error})") from error
    if not isinstance(run["reuse"], bool):
        raise ColumnError("run", text, "run settings (reuse must be true or false)")
    return RunSettings(reuse=run["reuse"], sandbox=level, withdrawn=withdrawn)


def _plan(value: object) -> Plan:
    data = read_object(value, "the object", _KEYS)
    extra = _object(data["extra"], "extra")
    for key, setting in extra.items():
        if type(setting) is not int:
            read_bounded(setting, f"extra.{key}", most=_MAX_TEXT)
    options = _object(data["options"], "options")
    return Plan(
        name=read_bounded(data["name"], "name"),
        game=read_bounded(data["game"], "game"),
        rules=read_bounded(data["rules"], "rules"),
        options=tuple((key, read_bounded(text, f"options.{key}")) for key, text in options.items()),
        format=read_bounded(data["format"], "format"),
        seats=read_int(data["seats"], "seats", 1),
        games_per_pairing=read_int(data["games-per-pairing"], "games-per-pairing", 1),
        rounds=None if data["rounds"] is None else read_int(data["rounds"], "rounds"),
        opening_plies=read_int(data["opening-plies"], "opening-plies"),
        book=tuple(
            _texts(actions, f"book[{number}]")
            for number, actions in enumerate(read_list(data["book"], "book"))
        ),
        limits=_limits(data["limits"]),
        extra=tuple(extra.items()),
    )


def _limits(value: object) -> Limits:
    data = read_object(value, "limits", ("margin-ms", "startup-ms", "memory-mb", "charge", "ponder"), _COUNTS)
    for key in _COUNTS:
        if key in data:
            read_int(data[key], f"limits.{key}")
    read_choice(data["charge"], "limits.charge", ("wall", "cpu"))
    read_choice(data["ponder"], "limits.ponder", ("allow", "freeze"))
    return Limits.from_json(data)


def _object(value: object, where: str) -> dict[str, Any]:
    return read_object(value, where, (), value if isinstance(value, dict) else ())


def _texts(value: object, where: str) -> tuple[str, ...]:
    return tuple(
        read_bounded(text, f"{where}[{number}]") for number, text in enumerate(read_list(value, where))
    )
