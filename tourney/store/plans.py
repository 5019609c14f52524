"""A tournament's plan and its run settings, and their columns: canonical JSON."""

from typing import Annotated, Any, Literal

import msgspec
import rfc8785
from msgspec import Meta, Struct

from tourney.match.spec import MAX_ACTIONS, Limits
from tourney.schema import MAX_INT, Count, LongText, Name, SchemaError, Text, read
from tourney.store.columns import ColumnError, read_json

SandboxLevel = Literal["strict", "auto", "off"]

Positive = Annotated[int, Meta(ge=1, le=MAX_INT)]


class RunSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How matches are run; a later tournament file may change these."""

    reuse: Annotated[
        bool,
        Meta(description="Keep a bot's process from match to match: quicker, for bots that you trust."),
    ] = False
    sandbox: Annotated[
        SandboxLevel,
        Meta(
            description="Containment of bots: `strict` refuses to run where a protection is missing, `auto`"
            " takes what the machine offers, `off` runs bots with your rights."
        ),
    ] = "auto"
    withdrawn: Annotated[
        tuple[Name, ...],
        Meta(description="Entrants that play no further rounds. A name stays in the list once it is there."),
    ] = ()

    def __post_init__(self) -> None:
        """Check that no entrant is named twice. Raises SchemaError."""
        if len(set(self.withdrawn)) < len(self.withdrawn):
            raise SchemaError(("withdrawn",), "names an entrant twice")


class Plan(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """What a tournament file fixes at the first start, except for the seed and the entrants.

    ``options`` holds all the game's options, and ``extra`` the format's own settings, both sorted by name; in
    JSON they are objects. ``games_per_pairing`` is a multiple of the mirrored group's size. ``book`` holds
    openings, each a tuple of actions.
    """

    name: Text
    game: Text
    rules: Text
    options: tuple[tuple[str, str], ...]
    format: Text
    seats: Positive
    games_per_pairing: Positive
    rounds: Count | None = None
    opening_plies: Annotated[int, Meta(ge=0, le=MAX_ACTIONS)] = 0
    book: tuple[tuple[Text, ...], ...] = ()
    limits: Limits = Limits()
    extra: tuple[tuple[str, int | str], ...] = ()


PAIRS: dict[str, Any] = {"options": dict[Text, Text], "extra": dict[Text, int | LongText]}
"""The types of the plan's pairs as they are in JSON."""


def plan_text(plan: Plan) -> str:
    """Return a plan as canonical JSON."""
    data = msgspec.to_builtins(plan)
    data |= {"limits": plan.limits.as_json(), "options": dict(plan.options), "extra": dict(plan.extra)}
    return rfc8785.dumps(data).decode("utf-8")


def plan_from(text: str) -> Plan:
    """Return what ``plan_text`` was given. Raises ColumnError of the column ``plan``."""
    data = read_json("plan", text)
    try:
        pairs = {}
        for key, type_ in PAIRS.items():
            if isinstance(data, dict) and key in data:
                pairs[key] = list(read(data[key], type_, at=(key,)).items())
        full = {**data, **pairs} if isinstance(data, dict) else data
        plan = read(full, Plan, needed=[field.encode_name for field in msgspec.structs.fields(Plan)])
        return msgspec.structs.replace(plan, limits=Limits.from_json(data["limits"]))
    except SchemaError as error:
        raise ColumnError("plan", text, f"a plan ({error.in_json('the plan')})") from error


def run_text(run: RunSettings) -> str:
    """Return run settings as canonical JSON."""
    return rfc8785.dumps(msgspec.to_builtins(run)).decode("ascii")


def run_from(text: str) -> RunSettings:
    """Return what ``run_text`` was given. Raises ColumnError of the column ``run``."""
    try:
        # Databases before migration 0003 do not say which entrants are withdrawn.
        return read(read_json("run", text), RunSettings, needed=("reuse", "sandbox"))
    except SchemaError as error:
        raise ColumnError("run", text, f"run settings ({error.in_json('the object')})") from error
