"""The properties of position strings: they parse to the same state, and all other strings are refused."""

from collections.abc import Iterator
from itertools import chain

from tourney.errors import PositionError
from tourney.games.base import OVER
from tourney.games.check.case import Case, around, describe, fingerprint, mutants, spliced, subset
from tourney.games.check.states import (
    action_strings,
    chance,
    check_actor,
    guarded,
    legal_actions,
    playable,
    result,
    strings,
)

_OF_PARSED = {
    "actor": check_actor,
    "legal-actions": legal_actions,
    "action-strings": action_strings,
    "chance": chance,
    "result": result,
    "strings": strings,
    "playable": playable,
}
"""The properties that a parsed state has too."""


def read_back(case: Case) -> Iterator[str]:
    """Check that a position string parses to a state that prints it and continues as this one does.

    The string has no history, so repetition and pass rules may end the original game sooner.
    """
    text, game = case.state.position(), case.game
    if not game.has_positions:
        try:
            case.read(text)
        except PositionError:
            return
        yield "has_positions is False, but parse_position accepts a position"
        return
    try:
        read = case.read(text)
    except PositionError as error:
        yield f"the position {text!r} is refused: {error}"
        return
    if read.position() != text:
        yield f"the position {text!r} prints as {read.position()!r} when parsed"
    elif fingerprint(game, read) != fingerprint(game, case.read(text)):
        yield f"the position {text!r} gives two different states when it is parsed twice"
    elif case.state.actor != OVER:
        yield from _goes_on(case, text)
    elif read.actor == OVER and read.ranks() != case.state.ranks():
        yield f"the position {text!r} has the ranks {read.ranks()} when parsed, not {case.state.ranks()}"


def _goes_on(case: Case, text: str) -> Iterator[str]:
    game, state, read = case.game, case.state, case.read(text)
    mine, theirs = fingerprint(game, state), fingerprint(game, read)
    parts = ("actor", "position", "legal actions", "weights", "ranks", "reason", "observations")
    for what, one, other in zip(parts, mine, theirs, strict=False):
        if one != other:
            yield f"parsed from {text!r}, the state has other {what}: {_difference(one, other)}"
            return
    for action in subset(state.legal_actions(), 5, case.randbelow):
        one_after, other_after = state.play(action), read.play(action)
        if OVER in {one_after.actor, other_after.actor}:
            continue
        if one_after.position() != other_after.position():
            name = game.action_string(action)
            yield (
                f"parsed from {text!r}, the state after {name} is {other_after.position()!r},"
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


def strict_positions(case: Case) -> Iterator[str]:
    """Check that a string similar to a position is refused, or prints as it is and can be played."""
    if not case.game.has_positions:
        return
    text = case.state.position()
    pool = case.pool.positions
    tries = chain(
        ("", "\x00", "x" * 2000),
        around(text),
        mutants(text, 10, case.randbelow),
        (spliced(text, other, case.randbelow) for other in subset(pool, 4, case.randbelow)),
    )
    for tried in tries:
        if tried != text:
            yield from _strict(case, tried)


def _strict(case: Case, text: str) -> Iterator[str]:
    shown = text if len(text) <= 300 else text[:60] + "..."
    try:
        state = case.read(text)
    except PositionError:
        return
    except Exception as error:  # noqa: BLE001 - every other exception is a finding
        yield f"parsing the position {shown!r} {describe(error)}, not a PositionError"
        return
    if state.position() != text:
        yield f"the position {shown!r} is accepted, but prints as {state.position()!r}"
        return
    read = Case(case.game, case.setting, state, (), case.randbelow, case.pool)
    for name, check in _OF_PARSED.items():
        for what in guarded(check, read):
            yield f"the position {shown!r} is accepted, but {name} fails: {what}"
            return
