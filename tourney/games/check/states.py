"""What holds in every state and is quick to ask: who acts, what is legal, chance, the result, the strings."""

import re
from collections.abc import Iterator
from itertools import pairwise

from tourney.errors import ActionError
from tourney.games.base import ACTION_PATTERN, CHANCE, OVER, AnyGame
from tourney.games.check.case import Property, Scene, around, fingerprint, mutants, said, some

_REASON = re.compile(r"[a-z][a-z0-9-]*", re.ASCII)
_REFEREE_REASONS = frozenset({"resign", "fault", "adjudication"})
_MAX_STRING = 1 << 19
"""A position has to fit into a line of the protocol, 1 MiB, with room for the word before it."""


def actor(scene: Scene) -> Iterator[str]:
    """Check that a seat of the table acts, or chance where the game has chance, or nobody."""
    state = scene.state
    if state.seats != scene.setting.seats:
        yield f"the state has {state.seats} seats, not {scene.setting.seats}"
    who = state.actor
    if type(who) is not int or not (who in {CHANCE, OVER} or 1 <= who <= scene.setting.seats):
        yield f"actor is {who!r}, which is no seat, nor CHANCE (0), nor OVER (-1)"
    if who == CHANCE and not scene.game.has_chance:
        yield "chance acts, but has_chance is False"


def legal_actions(scene: Scene) -> Iterator[str]:
    """Check that legal actions are sorted, single, of the right form, and none only when the game is over."""
    actions = list(scene.state.legal_actions())
    names = [scene.game.action_string(action) for action in actions]
    if scene.state.actor == OVER:
        if names:
            yield f"the game is over, but {names[0]} is listed as legal"
        return
    if not names:
        yield "no action is legal, but the game is not over"
    for name in names:
        if not isinstance(name, str) or ACTION_PATTERN.fullmatch(name) is None:
            yield f"the action string {name!r} does not match [!-~]{{1,200}}"
            return
        if name == "?":
            yield "an action string is ?, which stands for a hidden action on the wire"
    for one, other in pairwise(names):
        if one == other:
            yield f"{one} is listed twice"
        elif one > other:
            yield f"{one} is listed before {other}; the actions are sorted by their strings"
    if len(set(actions)) != len(actions):
        yield "two of the listed actions are equal"


def action_strings(scene: Scene) -> Iterator[str]:
    """Check that every legal action's string reads back as that action, and is legal."""
    for action in scene.state.legal_actions():
        name = scene.game.action_string(action)
        try:
            back = scene.game.read_action(scene.state, name)
        except ActionError as error:
            yield f"{name} is listed as legal, but is refused: {error}"
            return
        if back != action:
            yield f"{name} is the string of {action!r}, but reads as {back!r}"
            return


def chance(scene: Scene) -> Iterator[str]:
    """Check that chance gives a positive integer weight to each outcome."""
    if scene.state.actor != CHANCE:
        return
    weights, outcomes = list(scene.state.chance_weights()), list(scene.state.legal_actions())
    if len(weights) != len(outcomes):
        yield f"{len(outcomes)} outcomes have {len(weights)} weights"
    for weight in weights:
        if type(weight) is not int or weight < 1:
            yield f"a weight is {weight!r}; weights are integers from 1 on"
            return


def result(scene: Scene) -> Iterator[str]:
    """Check ranks and reason: there when the game is over and only then, a rank counting the seats better."""
    state = scene.state
    ranks, reason = state.ranks(), state.reason()
    if state.actor != OVER:
        if ranks is not None:
            yield f"ranks are {ranks!r}, but the game is not over"
        if reason:
            yield f"reason is {reason!r}, but the game is not over"
        return
    if not isinstance(ranks, tuple) or len(ranks) != state.seats or any(type(r) is not int for r in ranks):
        yield f"ranks are {ranks!r}; they are a tuple of {state.seats} integers when the game is over"
        return
    right = tuple(1 + sum(other < mine for other in ranks) for mine in ranks)
    if ranks != right:
        yield f"ranks are {ranks}; a rank is 1 + the number of seats strictly better, so {right}"
    if not isinstance(reason, str) or _REASON.fullmatch(reason) is None:
        yield f"reason is {reason!r}, which is not a word of the form [a-z][a-z0-9-]*"
    elif reason in _REFEREE_REASONS:
        yield f"reason is {reason}, a word of the referee's own"


def strings(scene: Scene) -> Iterator[str]:
    """Check that position and observations are one line of text, short enough for the protocol."""
    shown = {"position": scene.state.position()}
    for seat in range(1, scene.state.seats + 1):
        shown[f"the observation of seat {seat}"] = scene.state.observation(seat)
    for what, text in shown.items():
        if not isinstance(text, str) or not text or not text.isprintable():
            yield f"{what} is {text!r}, which is not one printable line"
        elif len(text) > _MAX_STRING or text != text.strip():
            yield f"{what} is {text[:80]!r}, which is too long or begins or ends with a blank"


def visible(scene: Scene) -> Iterator[str]:
    """Check that the actor sees its action, that only games with hidden actions hide, and that all opens."""
    state, hides = scene.state, scene.game.has_hidden_actions
    for action in some(list(state.legal_actions()), 12, scene.draw):
        for seat in range(1, state.seats + 1):
            if state.visible(action, seat):
                continue
            name = scene.game.action_string(action)
            if seat == state.actor:
                yield f"seat {seat} does not see its own action {name}"
                return
            if not hides:
                yield f"seat {seat} does not see {name}, but has_hidden_actions is False"
                return
    if not state.revealed() and (state.actor == OVER or not hides):
        yield "revealed is False, " + (
            "but has_hidden_actions is too" if not hides else "but the game is over"
        )


def guarded(check: Property, scene: Scene) -> Iterator[str]:
    """Run a property; an exception that it lets through is a sentence too."""
    try:
        yield from check(scene)
    except Exception as error:  # noqa: BLE001 - whatever a game raises is what was looked for
        yield said(error)


_NEVER = ("", " ", "?", "-", "0", "none", "resign", "\x00", "x" * 201, "\N{SNOWMAN}")


def immutable(scene: Scene) -> Iterator[str]:
    """Check that playing from a state, and asking it, leaves it as it was."""
    before = fingerprint(scene.game, scene.state)
    for action in some(list(scene.state.legal_actions()), 6, scene.draw):
        fingerprint(scene.game, scene.state.play(action))
        if fingerprint(scene.game, scene.state) != before:
            yield f"playing {scene.game.action_string(action)} changes the state it is played from"
            return


def deterministic(scene: Scene) -> Iterator[str]:
    """Check that the same action from the same state gives the same state."""
    for action in some(list(scene.state.legal_actions()), 3, scene.draw):
        once = fingerprint(scene.game, scene.state.play(action))
        if fingerprint(scene.game, scene.state.play(action)) != once:
            yield f"playing {scene.game.action_string(action)} twice gives two different states"
            return


def playable(scene: Scene) -> Iterator[str]:
    """Check that every legal action can be played, and leads to a state of the same table."""
    for action in scene.state.legal_actions():
        name = scene.game.action_string(action)
        try:
            after = scene.state.play(action)
            if after.seats != scene.setting.seats:
                yield f"after {name} there are {after.seats} seats"
                return
        except Exception as error:  # noqa: BLE001 - as `guarded`, with the action's name
            yield f"playing {name} {said(error)}"
            return


def refused(scene: Scene) -> Iterator[str]:
    """Check that what is not listed is refused: other states' actions, and strings that are nearly right."""
    names = set(scene.names)
    candidates: dict[str, None] = dict.fromkeys(_NEVER)
    candidates.update(dict.fromkeys(some(scene.pool.actions, 12, scene.draw)))
    for name in some(sorted(names) or scene.pool.actions[-4:], 4, scene.draw):
        candidates.update(dict.fromkeys((*around(name), *mutants(name, 4, scene.draw))))
    for text in candidates:
        if text not in names:
            yield from _refuses(scene, text)


def _refuses(scene: Scene, text: str) -> Iterator[str]:
    try:
        scene.game.read_action(scene.state, text)
    except ActionError:
        pass
    except Exception as error:  # noqa: BLE001 - an ActionError is what is asked for
        yield f"reading the action {text!r} {said(error)}, not an ActionError"
        return
    else:
        yield f"the action {text!r} is taken, but not listed as legal"
        return
    try:
        action = scene.game.parse_action(text)
    except ActionError:
        return
    back = scene.game.action_string(action)
    if back != text:
        yield f"the string {text!r} reads as the action {back!r}; each action has one string"
    elif scene.state.is_legal(action):
        yield f"is_legal says yes to {text!r}, which is not listed as legal"


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
