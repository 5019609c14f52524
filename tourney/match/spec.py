"""The match spec: all that decides a match, as one frozen value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Limits:
    """What a bot may use. Milliseconds and MiB; None where there is no such limit.

    ``move_ms``: per action. ``clock_ms`` with ``increment_ms``: per game and seat, the increment added after
    each action. ``nodes`` is only told to the bot. ``margin_ms`` is granted over the limit before a timeout
    is called and never shown. ``charge``: which time is charged.
    """

    move_ms: int | None = 1000
    clock_ms: int | None = None
    increment_ms: int = 0
    nodes: int | None = None
    margin_ms: int = 50
    startup_ms: int = 10_000
    memory_mb: int = 4096
    charge: Literal["wall", "cpu"] = "wall"
    ponder: Literal["allow", "freeze"] = "allow"

    def as_json(self) -> dict[str, int | str]:
        """Return the limits under the tournament file's keys, those that are None left out."""
        pairs = {
            "move-ms": self.move_ms,
            "clock-ms": self.clock_ms,
            "increment-ms": self.increment_ms if self.clock_ms is not None else None,
            "nodes": self.nodes,
            "margin-ms": self.margin_ms,
            "startup-ms": self.startup_ms,
            "memory-mb": self.memory_mb,
            "charge": self.charge,
            "ponder": self.ponder,
        }
        return {key: value for key, value in pairs.items() if value is not None}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Limits":
        """Read what ``as_json`` wrote (a key it left out is None, or 0 for the increment)."""
        return cls(
            move_ms=data.get("move-ms"),
            clock_ms=data.get("clock-ms"),
            increment_ms=data.get("increment-ms", 0),
            nodes=data.get("nodes"),
            margin_ms=data["margin-ms"],
            startup_ms=data["startup-ms"],
            memory_mb=data["memory-mb"],
            charge=data["charge"],
            ponder=data["ponder"],
        )


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who plays: a bot under a name, with arguments; ``digest`` is the content digest in the bot store."""

    name: str
    bot: str
    version: str
    args: tuple[str, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class Opening:
    """How a game begins: ``plies`` actions drawn from the seed, or these very ``actions`` (of a book).

    Chance outcomes are counted in neither; those that fall inside are drawn from the seed.
    """

    plies: int = 0
    actions: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return ``{"plies": N}``, or ``{"actions": [...]}`` for an opening out of a book."""
        return {"actions": list(self.actions)} if self.actions else {"plies": self.plies}


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """A match, whole: the same spec gives the same record (as far as its bots do)."""

    game: str
    options: tuple[tuple[str, str], ...]
    seats: tuple[Entrant, ...]
    seed: int
    limits: Limits = field(default_factory=Limits)
    opening: Opening = field(default_factory=Opening)
