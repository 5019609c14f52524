"""What a game says of itself, before any state is made."""

import re
from collections.abc import Iterator

from tourney.games.base import AnyGame

_NAME = re.compile(r"[a-z][a-z0-9-]*", re.ASCII)
_WORD = re.compile(r"[!-<>-~]+", re.ASCII)

RESERVED = frozenset({"seats", "seat", "seed", "move", "clock", "inc", "nodes"})
"""Keys of the protocol's ``game`` line, which no option may have for its name."""


def attributes(game: AnyGame) -> Iterator[str]:
    """Check that the class attributes are there and of the right form."""
    for name in ("name", "title", "rules", "seat_counts", "seat_names", "max_actions"):
        if not hasattr(game, name):
            yield f"the class has no {name}"
            return
    if _NAME.fullmatch(game.name) is None:
        yield f"name is {game.name!r}, which is not of the form [a-z][a-z0-9-]*"
    if not game.title.strip() or not game.title.isprintable():
        yield f"title is {game.title!r}, which is nothing to print"
    if not isinstance(game.rules, str) or _WORD.fullmatch(game.rules) is None:
        yield f'rules is {game.rules!r}; it is a version, as "1"'
    counts = game.seat_counts
    if not counts or list(counts) != sorted(set(counts)) or counts[0] < 1:
        yield f"seat_counts is {counts!r}; it wants to be ascending numbers from 1 on"
    elif len(game.seat_names) < counts[-1]:
        yield f"seat_names has {len(game.seat_names)} names for {counts[-1]} seats"
    if type(game.max_actions) is not int or game.max_actions < 1:
        yield f"max_actions is {game.max_actions!r}; it wants to be a number from 1 on"
    yield from _options(game)


def _options(game: AnyGame) -> Iterator[str]:
    names = [option.name for option in game.options]
    if len(set(names)) != len(names):
        yield f"two options have one name: {', '.join(names)}"
    for option in game.options:
        if _NAME.fullmatch(option.name) is None:
            yield f"option {option.name!r} is not of the form [a-z][a-z0-9-]*"
        if option.name in RESERVED:
            yield f"option {option.name} has a name that the bots' protocol uses itself"
        if option.default not in option.values:
            yield f"option {option.name} has the default {option.default!r}, which is none of its values"
        if len(set(option.values)) != len(option.values):
            yield f"option {option.name} names a value twice"
        for value in option.values:
            if _WORD.fullmatch(value) is None:
                yield f"option {option.name} has the value {value!r}; a value is ASCII without blanks and ="
