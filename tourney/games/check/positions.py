"""What holds of position strings: they read back as the same state, and nothing else is read."""

from collections.abc import Iterator
from itertools import chain

from tourney.errors import PositionError
from tourney.games.base import OVER
from tourney.games.check.case import Scene, around, fingerprint, mutants, said, some, spliced
from tourney.games.check.states import (
    action_strings,
    actor,
    chance,
    guarded,
    legal_actions,
    playable,
    result,
    strings,
)

_SOUND = {
    "actor": actor,
    "legal-actions": legal_actions,
    "action-strings": action_strings,
    "chance": chance,
    "result": result,
    "strings": strings,
    "playable": playable,
}
"""What holds for a state that was read from a string, too."""


def read_back(scene: Scene) -> Iterator[str]:
    """Check that a position string reads as a state that prints it and goes on as this one does.

    History, of which repetition and pass rules know, is not in the string; so an end may come sooner here.
    """
    text, game = scene.state.position(), scene.game
    if not game.has_positions:
        try:
            scene.read(text)
        except PositionError:
            return
        yield "has_positions is False, but parse_position reads a position"
        return
    try:
        read = scene.read(text)
    except PositionError as error:
        yield f"the position {text!r} is refused: {error}"
        return
    if read.position() != text:
        yield f"the position {text!r} prints as {read.position()!r} when read"
    elif fingerprint(game, read) != fingerprint(game, scene.read(text)):
        yield f"the position {text!r} gives two different states when it is read twice"
    elif scene.state.actor != OVER:
        yield from _goes_on(scene, text)
    elif read.actor == OVER and read.ranks() != scene.state.ranks():
        yield f"the position {text!r} has the ranks {read.ranks()} when read, not {scene.state.ranks()}"


def _goes_on(scene: Scene, text: str) -> Iterator[str]:
    game, state, read = scene.game, scene.state, scene.read(text)
    mine, theirs = fingerprint(game, state), fingerprint(game, read)
    parts = ("actor", "position", "legal actions", "weights", "ranks", "reason", "observations")
    for what, one, other in zip(parts, mine, theirs, strict=False):
        if one != other:
            yield f"read from {text!r}, the state has other {what}: {_difference(one, other)}"
            return
    for action in some(list(state.legal_actions()), 5, scene.draw):
        one_after, other_after = state.play(action), read.play(action)
        if OVER in {one_after.actor, other_after.actor}:
            continue
        if one_after.position() != other_after.position():
            name = game.action_string(action)
            yield (
                f"read from {text!r}, the state goes on after {name} as {other_after.position()!r},"
                f" not as {one_after.position()!r}"
            )
            return


def _difference(one: object, other: object) -> str:
    if isinstance(one, tuple) and isinstance(other, tuple):
        gone = [x for x in one if x not in other][:3]
        new = [x for x in other if x not in one][:3]
        if gone or new:
            return f"without {gone}, with {new}"
    return f"{other!r}, not {one!r}"


def strict_positions(scene: Scene) -> Iterator[str]:
    """Check that a string near to a position is refused, or is one: prints as it is, and can be played."""
    if not scene.game.has_positions:
        return
    text = scene.state.position()
    pool = scene.pool.positions
    tries = chain(
        ("", "\x00", "x" * 2000),
        around(text),
        mutants(text, 10, scene.draw),
        (spliced(text, other, scene.draw) for other in some(pool, 4, scene.draw)),
    )
    for tried in tries:
        if tried != text:
            yield from _strict(scene, tried)


def _strict(scene: Scene, text: str) -> Iterator[str]:
    shown = text if len(text) <= 300 else text[:60] + "..."
    try:
        state = scene.read(text)
    except PositionError:
        return
    except Exception as error:  # noqa: BLE001 - a PositionError is what is asked for
        yield f"reading the position {shown!r} {said(error)}, not a PositionError"
        return
    if state.position() != text:
        yield f"the position {shown!r} is read, but prints as {state.position()!r}"
        return
    read = Scene(scene.game, scene.setting, state, (), scene.draw, scene.pool)
    for name, check in _SOUND.items():
        for what in guarded(check, read):
            yield f"the position {shown!r} is read, but {name} fails: {what}"
            return
