"""What holds of hidden information: nothing leaks, and a sampled state fits what was seen."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tourney.errors import PositionError
from tourney.games.base import OVER, AnyGame, AnyState, Game
from tourney.games.check.case import Scene, fingerprint
from tourney.seeds import Draw


def sample(scene: Scene) -> Iterator[str]:
    """Check that ``sample`` gives a state in which the seat sees the same, and may do the same.

    A game with hidden actions has to offer it; any other may.
    """
    game, state = scene.game, scene.state
    if state.actor == OVER or not _offers(game):
        if game.has_hidden_actions and not _offers(game):
            yield "has_hidden_actions is True, but there is no sample()"
        return
    for seat in range(1, state.seats + 1):
        seen = state.observation(seat)
        try:
            drawn = game.sample(seen, seat, scene.draw)
        except PositionError as error:
            yield f"sample refuses what seat {seat} sees, {seen!r}: {error}"
            return
        if drawn.observation(seat) != seen:
            yield f"in the state sampled for seat {seat} it sees {drawn.observation(seat)!r}, not {seen!r}"
        elif state.actor == seat and _names(game, drawn) != _names(game, state):
            yield f"in the state sampled for seat {seat}, which sees {seen!r}, other actions are legal"
        if drawn.seats == state.seats:
            fingerprint(game, drawn)


def _offers(game: AnyGame) -> bool:
    return type(game).sample is not Game.sample


def _names(game: AnyGame, state: AnyState) -> list[str]:
    return [game.action_string(action) for action in state.legal_actions()]


@dataclass(frozen=True, slots=True)
class Step:
    """A state of a game as it was played, and the action that was played from it."""

    state: AnyState
    action: Any


def leak(game: AnyGame, path: Sequence[Step], end: AnyState, seat: int, draw: Draw) -> tuple[int, str] | None:
    """Look for a leak to a seat: replay a game with actions hidden from it exchanged for other legal ones.

    As long as the seat is sent the same lines in both games, it has to have the same observation and, when it
    acts, the same legal actions. Returns how many actions lead to the leak and a sentence, or None.
    """
    hidden = [k for k, step in enumerate(path) if not step.state.visible(step.action, seat)]
    if not hidden:
        return None
    first = hidden[draw(len(hidden))] if draw(2) else hidden[0]
    twin = path[0].state
    exchanged: list[tuple[str, str]] = []
    states = [*(step.state for step in path), end]
    for k, state in enumerate(states):
        if state.actor != twin.actor:
            return None
        if exchanged and (state.revealed() or twin.revealed()):
            return None
        if state.observation(seat) != twin.observation(seat):
            return k, _sentence(
                exchanged, seat, "has the observation", twin.observation(seat), state.observation(seat)
            )
        if state.actor == seat:
            mine, theirs = _names(game, state), _names(game, twin)
            if mine != theirs:
                return k, _sentence(exchanged, seat, "may play", theirs, mine)
        if k == len(path):
            return None
        action = path[k].action
        if state.visible(action, seat):
            if not twin.is_legal(action) or not twin.visible(action, seat):
                return None
        else:
            others = [a for a in twin.legal_actions() if not twin.visible(a, seat)]
            if not others:
                return None
            if action not in others or (k >= first and draw(3)):
                other = others[draw(len(others))]
                if other != action:
                    exchanged.append((game.action_string(action), game.action_string(other)))
                action = other
        twin = twin.play(action)
    return None


def _sentence(exchanged: list[tuple[str, str]], seat: int, what: str, there: object, here: object) -> str:
    swaps = ", ".join(f"{one} by {other}" for one, other in exchanged[:8])
    swaps += f" and {len(exchanged) - 8} more" if len(exchanged) > 8 else ""
    if isinstance(there, list) and isinstance(here, list):
        there, here = [x for x in there if x not in here][:5], [x for x in here if x not in there][:5]
    return (
        f"with hidden actions exchanged ({swaps}) seat {seat}, sent the same lines,"
        f" {what} {there!r}, not {here!r}"
    )
