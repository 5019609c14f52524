"""A game's guide for readers who do not know it: the rules in short, its pieces, and positions to look at."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    from tourney.games.base import AnyGame
    from tourney.games.diagrams import Diagram


@dataclass(frozen=True, slots=True)
class Figure:
    """A piece and what it does; ``kind``, ``glyph`` and ``side`` as in ``tourney.games.diagrams.Piece``."""

    kind: str
    glyph: str
    side: int
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Example:
    """A position worth a look: ``actions`` played from ``position``, and a caption.

    ``draw_example`` draws it. Without ``position`` it is the start of a table of ``seats`` (default: the
    game's minimum), or of the table at hand where there are no actions either. ``before`` shows the position
    before the last action, with that action marked.
    """

    caption: str
    position: str = ""
    actions: tuple[str, ...] = ()
    seats: int | None = None
    before: bool = False


@dataclass(frozen=True, slots=True)
class Guide:
    """The rules in short: sentences without markup. ``rules`` is the whole rules page as Markdown, or "".

    ``ends`` has words for reasons of the end that are not words themselves, by reason.
    """

    aim: str
    turn: tuple[str, ...]
    end: tuple[str, ...]
    figures: tuple[Figure, ...] = ()
    examples: tuple[Example, ...] = ()
    rules: str = ""
    ends: Mapping[str, str] = field(default_factory=dict)


def read_guide(path: Path) -> Guide:
    """Read a guide from a TOML file with the fields of ``Guide`` as keys. Raises TypeError for other keys."""
    data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    # A wrong key is an error of the class that is made, so a typing error in a guide does not pass unseen.
    for key, kind in (("figures", Figure), ("examples", Example)):
        data[key] = [kind(**_with_tuples(table)) for table in data.get(key, ())]
    return Guide(**_with_tuples(data))


def _with_tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}


def guide_beside(module: ModuleType, name: str) -> Guide | None:
    """The guide of a file beside a module, or None without one."""
    file = getattr(module, "__file__", None)
    path = Path(file).with_name(name) if file else None
    return read_guide(path) if path is not None and path.is_file() else None


def draw_example(game: AnyGame, example: Example, seats: int, options: Mapping[str, str]) -> Diagram:
    """Draw the position of an example, for a table with these ``seats`` and ``options``.

    Raises GameError.
    """
    if example.position or example.actions or example.seats is not None:
        seats, options = game.settings(example.seats)
    state = (
        game.parse_position(example.position, seats, options)
        if example.position
        else game.new(seats, options)
    )
    view = state.position()
    last = None
    for action in example.actions:
        view = state.position()
        last = action
        state = state.play(game.read_action(state, action))
    return game.diagram(view if example.before else state.position(), last)
