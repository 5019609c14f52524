"""The properties of diagrams and of hidden information.

Every view has a well-formed diagram, sampled states fit the observation, and nothing hidden leaks.
"""

import re
from collections.abc import Iterator, Sequence
from typing import get_args

from tourney.errors import PositionError
from tourney.games.base import OVER, AnyAction, AnyGame, AnyState, Game
from tourney.games.check.case import Case, fingerprint, names_of
from tourney.games.diagrams import ASIDE_WORDS, MARKS, Diagram, Shape
from tourney.games.svg_diagram import svg_diagram
from tourney.games.view import text_diagram
from tourney.seeds import RandBelow

_WORD = re.compile(r"[a-z][a-z0-9-]*", re.ASCII)
_MAX_GLYPH = 2
_MAX_WORD = 8
_MAX_LABEL = 4


def diagram(case: Case) -> Iterator[str]:
    """Check the diagrams of the position and of all observations, with and without the last action."""
    views = {"the position": case.state.position()}
    for seat in range(1, case.state.seats + 1):
        views.setdefault(f"the observation of seat {seat}", case.state.observation(seat))
    lasts = (None, case.history[-1]) if case.history else (None,)
    checked: set[tuple[str, str | None]] = set()
    for what, view in views.items():
        for last in lasts:
            if (view, last) not in checked:
                checked.add((view, last))
                for wrong in _errors(case.game, view, last):
                    yield f"the diagram of {what} {wrong}"


def _errors(game: AnyGame, view: str, last: str | None) -> Iterator[str]:
    made = game.diagram(view, last)
    if made != game.diagram(view, last):
        yield "differs from one call to the next"
    yield from _cells(made)
    yield from _pieces(made, len(game.seat_names))
    yield from _rest(made)
    if not text_diagram(made) or not svg_diagram(made):
        yield "is empty"


def _cells(made: Diagram) -> Iterator[str]:
    places = [(cell.x, cell.y) for cell in made.cells]
    if len(set(places)) != len(places):
        yield "has two cells at the same place"
    for cell in made.cells:
        if cell.shape not in get_args(Shape) or _WORD.fullmatch(cell.kind) is None:
            yield f"has a cell of shape {cell.shape!r} and kind {cell.kind!r}"


def _pieces(made: Diagram, seats: int) -> Iterator[str]:
    places = {(cell.x, cell.y) for cell in made.cells}
    for piece in made.pieces:
        if piece.aside and (piece.x, piece.y) in places:
            yield f"has a piece beside the board at {piece.x},{piece.y}, where there is a cell"
        if not piece.aside and (piece.x, piece.y) not in places:
            yield f"has a piece at {piece.x},{piece.y}, where there is no cell"
        word = piece.aside and piece.kind in ASIDE_WORDS and 1 <= len(piece.glyph) <= _MAX_WORD
        if not (word or 1 <= len(piece.glyph) <= _MAX_GLYPH) or not piece.glyph.isprintable():
            yield f"has a piece with the glyph {piece.glyph!r}; a glyph is one or two characters"
        if not 0 <= piece.side <= seats:
            yield f"has a piece of side {piece.side}; sides are 0 to {seats}"
        if _WORD.fullmatch(piece.kind) is None:
            yield f"has a piece of kind {piece.kind!r}, which is not of the form [a-z][a-z0-9-]*"


def _rest(made: Diagram) -> Iterator[str]:
    places = {(cell.x, cell.y) for cell in made.cells}
    for mark in made.marks:
        if (mark.x, mark.y) not in places or mark.kind not in MARKS:
            yield f"has a mark {mark.kind!r} at {mark.x},{mark.y}; the kinds are {', '.join(MARKS)}"
    for arrow in made.arrows:
        if not {(arrow.x1, arrow.y1), (arrow.x2, arrow.y2)} <= places:
            yield f"has an arrow from {arrow.x1},{arrow.y1} to {arrow.x2},{arrow.y2}, outside the cells"
    for label in made.labels:
        if not 1 <= len(label.text) <= _MAX_LABEL:
            yield f"has the label {label.text!r}; a label is 1 to {_MAX_LABEL} characters"
    for note in made.notes:
        if not note.isprintable():
            yield f"has the note {note!r}, which is not one printable line"


def sample(case: Case) -> Iterator[str]:
    """Check that ``sample`` returns a state with the seat's observation and legal actions.

    Games with hidden actions must offer it; others may. It may refuse an observation in a game whose
    observations inform, as a state that fits may be hard to find.
    """
    game = case.game
    state = case.state
    offered = type(game).sample is not Game.sample
    if game.has_hidden_actions and not offered:
        yield "has_hidden_actions is True, but the class has no sample()"
    if state.actor == OVER or not offered:
        return
    for seat in range(1, state.seats + 1):
        seen = state.observation(seat)
        try:
            sampled = game.sample(seen, seat, case.randbelow)
        except PositionError as error:
            if game.observations_inform:
                continue
            yield f"sample refuses the observation of seat {seat}, {seen!r}: {error}"
            return
        shown = sampled.observation(seat)
        if shown != seen:
            yield f"the state sampled for seat {seat} has the observation {shown!r}, not {seen!r}"
        elif state.actor == seat and names_of(game, sampled) != names_of(game, state):
            yield f"the state sampled for seat {seat} from {seen!r} has other legal actions"
        if sampled.seats == state.seats:
            fingerprint(game, sampled)


def leak(
    game: AnyGame, path: Sequence[tuple[AnyState, AnyAction]], end: AnyState, seat: int, randbelow: RandBelow
) -> tuple[int, str] | None:
    """Replay a game with actions hidden from a seat exchanged for other legal ones, to find a leak.

    While the seat receives the same lines in both games, its observation and its legal actions must be the
    same. ``path`` has each state with the action played from it. Return the number of actions before the leak
    and a sentence, or None.
    """
    hidden = [k for k, (state, action) in enumerate(path) if not state.visible(action, seat)]
    if not hidden:
        return None
    first = hidden[randbelow(len(hidden))] if randbelow(2) else hidden[0]
    twin = path[0][0]
    exchanged: list[tuple[str, str]] = []
    for k, (state, played) in enumerate([*path, (end, None)]):
        if state.actor != twin.actor:
            return None
        if exchanged and (state.revealed() or twin.revealed()):
            return None
        if game.observations_inform and state.observation(seat) != twin.observation(seat):
            return None  # the seat has received different lines
        if state.observation(seat) != twin.observation(seat):
            return k, _sentence(
                exchanged, seat, "has the observation", twin.observation(seat), state.observation(seat)
            )
        if state.actor == seat:
            mine, theirs = names_of(game, state), names_of(game, twin)
            if mine != theirs:
                return k, _sentence(exchanged, seat, "may play", theirs, mine)
        if k == len(path):
            return None
        action = played
        if state.visible(action, seat):
            if not twin.is_legal(action) or not twin.visible(action, seat):
                return None
        else:
            others = [a for a in twin.legal_actions() if not twin.visible(a, seat)]
            if not others:
                return None
            if action not in others or (k >= first and randbelow(3)):
                substitute = others[randbelow(len(others))]
                if substitute != action:
                    exchanged.append((game.action_string(action), game.action_string(substitute)))
                action = substitute
        twin = twin.play(action)
    return None


def _sentence(exchanged: list[tuple[str, str]], seat: int, what: str, there: object, here: object) -> str:
    swaps = ", ".join(f"{action} by {substitute}" for action, substitute in exchanged[:8])
    swaps += f" and {len(exchanged) - 8} more" if len(exchanged) > 8 else ""
    if isinstance(there, list) and isinstance(here, list):
        only_there = [x for x in there if x not in here][:5]
        here = [x for x in here if x not in there][:5]
        there = only_there
    return (
        f"with hidden actions exchanged ({swaps}) seat {seat}, which receives the same lines,"
        f" {what} {there!r}, not {here!r}"
    )
