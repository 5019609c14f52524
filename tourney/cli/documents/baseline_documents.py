"""JSON documents on baselines and ladders.

They stand apart from those on bots, as `GateBot` brings the store: `tourney games` starts faster without it.
"""

from typing import Literal

from tourney.compare.question_results import GateBot
from tourney.schema import Document, Part


class BeatenBot(Part, frozen=True, kw_only=True):
    """A bot that was beaten by `elo`; null: an end of the interval that it has not."""

    name: str
    version: str
    digest: str
    elo: float
    low: float | None
    high: float | None
    pairs: int


class BaselineLine(GateBot, frozen=True, kw_only=True):
    """A baseline. `number` counts the promotions of its name; `gate` accepted it, or is null."""

    game: str
    number: int
    promoted: str
    gate: str | None
    beaten: tuple[BeatenBot, ...]


class BaselinesDocument(Document, frozen=True, kw_only=True):
    """Baselines by game and name, of each name the newest last."""

    format: Literal["tourney-baselines/1"] = "tourney-baselines/1"
    baselines: tuple[BaselineLine, ...]


class LadderRung(Part, frozen=True, kw_only=True):
    """A rung of a game's ladder, with its fixed rating and the interval of that; null: not rated yet."""

    game: str
    seats: int
    name: str
    bot: str
    args: tuple[str, ...]
    elo: float | None
    low: float | None
    high: float | None


class LaddersDocument(Document, frozen=True, kw_only=True):
    """The rungs of the ladders, of each game the strongest last."""

    format: Literal["tourney-ladders/1"] = "tourney-ladders/1"
    rungs: tuple[LadderRung, ...]
