"""The properties of the game class, of a state, its actions and its position strings."""

import re
from collections.abc import Callable, Iterator
from itertools import chain, pairwise

from tourney.errors import ActionError, PositionError
from tourney.games.base import ACTION_PATTERN, CHANCE, GAME_PATTERN, OVER, TERMINATIONS, AnyGame
from tourney.games.check.case import (
    Case,
    T,
    around,
    describe,
    fingerprint,
    mutants,
    spliced,
    subset,
)
from tourney.seeds import U64, pick

_NAME = re.compile(r"[a-z][a-z0-9-]*", re.ASCII)
_WORD = re.compile(r"[!-<>-~]+", re.ASCII)
_MAX_STRING = 1 << 19
"""A position has to fit into a line of the protocol, 1 MiB, with room for the word before it."""


def check_actor(case: Case) -> Iterator[str]:
    """Check that the actor is a seat, CHANCE in a game with chance, or OVER."""
    state = case.state
    if state.seats != case.setting.seats:
        yield f"the state has {state.seats} seats, not {case.setting.seats}"
    actor = state.actor
    if type(actor) is not int or not (actor in {CHANCE, OVER} or 1 <= actor <= case.setting.seats):
        yield f"actor is {actor!r}, which is neither a seat nor CHANCE (0) nor OVER (-1)"
    if actor == CHANCE and not case.game.has_chance:
        yield "chance acts, but has_chance is False"


def legal_actions(case: Case) -> Iterator[str]:
    """Check that legal actions are sorted, unique, well-formed, and absent only when the game is over."""
    actions = list(case.state.legal_actions())
    names = case.names
    if case.state.actor == OVER:
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
            yield "an action string is ?, which the protocol uses for a hidden action"
    for first, following in pairwise(names):
        if first == following:
            yield f"{first} is listed twice"
        elif first > following:
            yield f"{first} is listed before {following}; sort the actions by their strings"
    if len(set(actions)) != len(actions):
        yield "two of the listed actions are equal"


def action_strings(case: Case) -> Iterator[str]:
    """Check that every legal action's string parses to that action."""
    for action in case.state.legal_actions():
        name = case.game.action_string(action)
        try:
            back = case.game.read_action(case.state, name)
        except ActionError as error:
            yield f"{name} is listed as legal, but is refused: {error}"
            return
        if back != action:
            yield f"{name} is the string of {action!r}, but parses to {back!r}"
    if list(case.game.legal_texts(case.state)) != case.names:
        yield "legal_texts differs from the strings of legal_actions"


def chance(case: Case) -> Iterator[str]:
    """Check that chance gives a positive integer weight to each outcome."""
    if case.state.actor != CHANCE:
        return
    weights = list(case.state.chance_weights())
    outcomes = list(case.state.legal_actions())
    if len(weights) != len(outcomes):
        yield f"{len(outcomes)} outcomes have {len(weights)} weights"
    for weight in weights:
        if type(weight) is not int or weight < 1:
            yield f"a weight is {weight!r}; weights are positive integers"
    for u in (0, U64 // 3, U64 - 1):  # the first outcome, one between, and the last
        if case.state.outcome(u) != pick(u, outcomes, weights):
            yield f"outcome({u}) is not the one that the weights give"
        elif case.game.play_outcome(case.state, u)[0] != case.game.action_string(case.state.outcome(u)):
            yield f"play_outcome({u}) does not play that outcome"


def result(case: Case) -> Iterator[str]:
    """Check that ranks and reason are set only when the game is over, and that ranks count better seats."""
    state = case.state
    ranks = state.ranks()
    reason = state.reason()
    if state.actor != OVER:
        if ranks is not None:
            yield f"ranks are {ranks!r}, but the game is not over"
        if reason:
            yield f"reason is {reason!r}, but the game is not over"
        return
    if not isinstance(ranks, tuple) or len(ranks) != state.seats or any(type(r) is not int for r in ranks):
        yield f"ranks are {ranks!r}; they are a tuple of {state.seats} integers when the game is over"
        return
    right = tuple(1 + sum(rank < mine for rank in ranks) for mine in ranks)
    if ranks != right:
        yield f"ranks are {ranks}; a rank is 1 + the number of seats strictly better, so {right}"
    if not isinstance(reason, str) or _NAME.fullmatch(reason) is None:
        yield f"reason is {reason!r}, which is not of the form [a-z][a-z0-9-]*"
    elif reason in TERMINATIONS:
        yield f"reason is {reason}, which is reserved for the referee"


def strings(case: Case) -> Iterator[str]:
    """Check that the position and the observations are one line, short enough for the protocol."""
    shown = {"position": case.state.position()}
    for seat in range(1, case.state.seats + 1):
        shown[f"the observation of seat {seat}"] = case.state.observation(seat)
    for what, text in shown.items():
        if not isinstance(text, str) or not text or not text.isprintable():
            yield f"{what} is {text!r}, which is not one printable line"
        elif len(text) > _MAX_STRING or text != text.strip():
            yield f"{what} is {text[:80]!r}, which is too long, or starts or ends with a blank"


def visible(case: Case) -> Iterator[str]:
    """Check that actors see their actions, and that actions are hidden and revealed as the class says."""
    state = case.state
    hides = case.game.has_hidden_actions
    for action in subset(state.legal_actions(), 12, case.randbelow):
        for seat in range(1, state.seats + 1):
            if state.visible(action, seat):
                continue
            name = case.game.action_string(action)
            if seat == state.actor:
                yield f"seat {seat} does not see its own action {name}"
            if not hides:
                yield f"seat {seat} does not see {name}, but has_hidden_actions is False"
    if not state.revealed() and (state.actor == OVER or not hides):
        yield "revealed is False, " + (
            "but has_hidden_actions is too" if not hides else "but the game is over"
        )


def guarded(check: Callable[[T], Iterator[str]], case: T) -> Iterator[str]:
    """Run a property and turn an exception into a sentence."""
    try:
        yield from check(case)
    except Exception as error:  # noqa: BLE001 - every exception of a game is a finding
        yield describe(error)


_NEVER = ("", " ", "?", "-", "0", "none", "resign", "\x00", "x" * 201, "\N{SNOWMAN}")


def immutable(case: Case) -> Iterator[str]:
    """Check that playing from a state and reading its properties leave it unchanged."""
    before = fingerprint(case.game, case.state)
    for action in subset(case.state.legal_actions(), 6, case.randbelow):
        fingerprint(case.game, case.state.play(action))
        if fingerprint(case.game, case.state) != before:
            yield f"playing {case.game.action_string(action)} changes the state it is played from"


def deterministic(case: Case) -> Iterator[str]:
    """Check that the same action played twice from a state gives equal states."""
    for action in subset(case.state.legal_actions(), 3, case.randbelow):
        once = fingerprint(case.game, case.state.play(action))
        name = case.game.action_string(action)
        if fingerprint(case.game, case.state.play(action)) != once:
            yield f"playing {name} twice gives two different states"
        if fingerprint(case.game, case.game.play_text(case.state, name)) != once:
            yield f"playing {name} by its string gives another state"


def playable(case: Case) -> Iterator[str]:
    """Check that every legal action can be played and keeps the number of seats."""
    for action in case.state.legal_actions():
        name = case.game.action_string(action)
        try:
            after = case.state.play(action)
            if after.seats != case.setting.seats:
                yield f"after {name} there are {after.seats} seats"
        except Exception as error:  # noqa: BLE001 - as in `guarded`, with the action's name
            yield f"playing {name} {describe(error)}"


def refused(case: Case) -> Iterator[str]:
    """Check that unlisted actions are refused: actions of other states, and slightly changed strings."""
    names = set(case.names)
    candidates: dict[str, None] = dict.fromkeys(_NEVER)
    candidates.update(dict.fromkeys(subset(case.pool.actions, 12, case.randbelow)))
    for name in subset(sorted(names) or list(case.pool.actions)[-4:], 4, case.randbelow):
        candidates.update(dict.fromkeys((*around(name), *mutants(name, 4, case.randbelow))))
    for text in candidates:
        if text not in names:
            yield from _refuses(case, text)


def _refuses(case: Case, text: str) -> Iterator[str]:
    try:
        case.game.read_action(case.state, text)
    except ActionError:
        pass
    except Exception as error:  # noqa: BLE001 - every other exception is a finding
        yield f"parsing the action {text!r} {describe(error)}, not an ActionError"
        return
    else:
        yield f"the action {text!r} is accepted, but not listed as legal"
        return
    try:
        case.game.play_text(case.state, text)
        yield f"play_text plays {text!r}, which is not listed as legal"
    except ActionError:
        pass
    try:
        action = case.game.parse_action(text)
    except ActionError:
        return
    back = case.game.action_string(action)
    if back != text:
        yield f"the string {text!r} parses to the action {back!r}; each action has one string"
    elif case.state.is_legal(action):
        yield f"is_legal is True for {text!r}, which is not listed as legal"


RESERVED = frozenset({"seats", "seat", "seed", "move", "clock", "inc", "nodes"})
"""Keys of the protocol's ``game`` line, which no option may use as its name."""


def attributes(game: AnyGame) -> Iterator[str]:
    """Check that the class attributes exist and are well-formed."""
    for name in ("name", "title", "rules", "seat_counts", "seat_names", "max_actions"):
        if not hasattr(game, name):
            yield f"the class has no {name}"
            return
    if GAME_PATTERN.fullmatch(game.name) is None:
        yield f"name is {game.name!r}, which is not of the form [a-z][a-z0-9-]* or FAMILY:TEXT"
    if not game.title.strip() or not game.title.isprintable():
        yield f"title is {game.title!r}, which is blank or not printable"
    if not isinstance(game.rules, str) or _WORD.fullmatch(game.rules) is None:
        yield f'rules is {game.rules!r}; it is a version, as "1"'
    counts = game.seat_counts
    if not counts or list(counts) != sorted(set(counts)) or counts[0] < 1:
        yield f"seat_counts is {counts!r}; it must be ascending numbers from 1 on"
    elif len(game.seat_names) < counts[-1]:
        yield f"seat_names has {len(game.seat_names)} names for {counts[-1]} seats"
    if type(game.max_actions) is not int or game.max_actions < 1:
        yield f"max_actions is {game.max_actions!r}; it must be a number from 1 on"
    yield from _options(game)


def _options(game: AnyGame) -> Iterator[str]:
    names = [option.name for option in game.options]
    if len(set(names)) != len(names):
        yield f"two options have the same name: {', '.join(names)}"
    for option in game.options:
        if _NAME.fullmatch(option.name) is None:
            yield f"option {option.name!r} is not of the form [a-z][a-z0-9-]*"
        if option.name in RESERVED:
            yield f"option {option.name} has a name that the bot protocol reserves"
        if option.default not in option.values:
            yield f"option {option.name} has the default {option.default!r}, which is not one of its values"
        if len(set(option.values)) != len(option.values):
            yield f"option {option.name} lists a value twice"
        for value in option.values:
            if _WORD.fullmatch(value) is None:
                yield f"option {option.name} has the value {value!r}; a value is ASCII without blanks and ="


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
    text = case.state.position()
    game = case.game
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
    game = case.game
    state = case.state
    read = case.read(text)
    mine, theirs = fingerprint(game, state), fingerprint(game, read)
    parts = ("actor", "position", "legal actions", "weights", "ranks", "reason", "observations")
    for what, played, parsed in zip(parts, mine, theirs, strict=False):
        if played != parsed:
            yield f"parsed from {text!r}, the state has other {what}: {_difference(played, parsed)}"
    for action in subset(state.legal_actions(), 5, case.randbelow):
        one_after = state.play(action)
        other_after = read.play(action)
        if OVER in {one_after.actor, other_after.actor}:
            continue
        if one_after.position() != other_after.position():
            name = game.action_string(action)
            yield (
                f"parsed from {text!r}, the state after {name} is {other_after.position()!r},"
                f" not as {one_after.position()!r}"
            )


def _difference(played: object, parsed: object) -> str:
    if isinstance(played, tuple) and isinstance(parsed, tuple):
        gone = [x for x in played if x not in parsed][:3]
        new = [x for x in parsed if x not in played][:3]
        if gone or new:
            return f"without {gone}, with {new}"
    return f"{parsed!r}, not {played!r}"


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
        (spliced(text, source, case.randbelow) for source in subset(pool, 4, case.randbelow)),
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
