"""The properties of hidden information: sampled states fit the observation, and nothing leaks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tourney.errors import PositionError
from tourney.games.base import OVER, AnyGame, AnyState, Game
from tourney.games.check.case import Case, fingerprint
from tourney.seeds import RandBelow


def sample(case: Case) -> Iterator[str]:
    """Check that ``sample`` returns a state with the seat's observation and legal actions.

    Games with hidden actions must offer it; others may.
    """
    game, state = case.game, case.state
    if state.actor == OVER or not _offers(game):
        if game.has_hidden_actions and not _offers(game):
            yield "has_hidden_actions is True, but the class has no sample()"
        return
    for seat in range(1, state.seats + 1):
        seen = state.observation(seat)
        try:
            sampled = game.sample(seen, seat, case.randbelow)
        except PositionError as error:
            yield f"sample refuses the observation of seat {seat}, {seen!r}: {error}"
            return
        shown = sampled.observation(seat)
        if shown != seen:
            yield f"the state sampled for seat {seat} has the observation {shown!r}, not {seen!r}"
        elif state.actor == seat and _names(game, sampled) != _names(game, state):
            yield f"the state sampled for seat {seat} from {seen!r} has other legal actions"
        if sampled.seats == state.seats:
            fingerprint(game, sampled)


def _offers(game: AnyGame) -> bool:
    return type(game).sample is not Game.sample


def _names(game: AnyGame, state: AnyState) -> list[str]:
    return [game.action_string(action) for action in state.legal_actions()]


@dataclass(frozen=True, slots=True)
class Step:
    """A state of a game, and the action played from it."""

    state: AnyState
    action: Any


def leak(
    game: AnyGame, path: Sequence[Step], end: AnyState, seat: int, randbelow: RandBelow
) -> tuple[int, str] | None:
    """Replay a game with actions hidden from a seat exchanged for other legal ones, to find a leak.

    While the seat receives the same lines in both games, its observation and its legal actions must be the
    same. Return the number of actions before the leak and a sentence, or None.
    """
    hidden = [k for k, step in enumerate(path) if not step.state.visible(step.action, seat)]
    if not hidden:
        return None
    first = hidden[randbelow(len(hidden))] if randbelow(2) else hidden[0]
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
            if action not in others or (k >= first and randbelow(3)):
                other = others[randbelow(len(others))]
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
        f"with hidden actions exchanged ({swaps}) seat {seat}, which receives the same lines,"
        f" {what} {there!r}, not {here!r}"
    )
