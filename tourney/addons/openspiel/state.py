"""A position of an OpenSpiel game as a State: strings percent-encoded, and integer weights of chance.

A state that fits what a seat saw is found by a search through histories, in random order. The seat's own
actions are known, and its trail says after each action whether a history fits. Other actions, and chance,
are tried in random order (by their weights), and the search goes back where no action fits. It gives up
after ``MOST`` tries: a card that was dealt long before it matters is hard to find this way.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote

from tourney.errors import ActionError, GameError, PositionError
from tourney.games.base import CHANCE, OVER, State
from tourney.games.tree import draw_outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tourney.addons.openspiel.family import OpenSpielGame
    from tourney.games.base import AnyGame
    from tourney.seeds import RandBelow

_DIGITS = 9  # decimals to which returns are rounded before they are compared
MOVES = "moves"  # the first word of a position string; the actions follow
VIEW = "view"  # the first word of an observation
TOLERANCE: Final = 1e-12  # a probability is taken for a fraction that differs from it by no more
MAX_DENOMINATOR: Final = 100_000
"""Beyond it nearly every float is close to some fraction, so that this would prove nothing."""
MAX_ACTION: Final = 200  # the most characters of an action string
_PLAIN: Final = "".join(chr(code) for code in range(ord("!"), ord("~") + 1) if chr(code) != "%")
_AS_IT_IS = re.compile(r"[!-$&-~]*", re.ASCII)
_ENCODED = re.compile(r"(?:[!-$&-~]|%[0-9A-F]{2})+", re.ASCII)


def encode(text: str) -> str:
    """A text as ASCII without blanks: ``%`` and all bytes (UTF-8) but ``!`` to ``~`` are ``%XX``."""
    if _AS_IT_IS.fullmatch(text) is not None:
        return text
    return quote(text, safe=_PLAIN, errors="surrogateescape")


_encode_known = lru_cache(maxsize=1 << 16)(encode)  # the same for texts of actions, which repeat often


def decode(text: str) -> str:
    """The text that ``encode`` was given."""
    return unquote(text, errors="surrogateescape")


def check_action(text: str) -> str:
    """The action string. Raises ActionError for a string that no action has."""
    encoded = _ENCODED.fullmatch(text) is not None and encode(decode(text)) == text
    if not encoded or len(text) > MAX_ACTION or text == "?":
        raise ActionError(f"{text[:60]!r} is not an action string of OpenSpiel, percent-encoded")
    return text


def action_strings(texts: Sequence[str], codes: Sequence[int]) -> list[str]:
    """Unique strings of the actions of one state, from OpenSpiel's texts and codes.

    ``~CODE`` is appended to a text that is empty, ``?``, too long, or shared with another action.
    """
    encoded = [_encode_known(text) for text in texts]
    seen = Counter(encoded)
    strings = []
    for text, code in zip(encoded, codes, strict=True):
        if seen[text] > 1 or not text or text == "?" or len(text) > MAX_ACTION:
            end = f"~{code}"
            cut = text[: MAX_ACTION - len(end)] if len(text) > MAX_ACTION - len(end) else text
            strings.append(re.sub(r"%[0-9A-F]?\Z", "", cut) + end)  # a cut must not leave a part of %XX
        else:
            strings.append(text)
    return strings


def integer_weights(probabilities: Sequence[float]) -> tuple[int, ...]:
    """Integers in the exact proportions of probabilities; 0 for an outcome that never happens.

    Equal probabilities become ones. Others must be fractions with denominators up to ``MAX_DENOMINATOR``
    within ``TOLERANCE``, which add up to exactly 1. Raises GameError where they are not.
    """
    positive = [p for p in probabilities if p > 0]
    first = positive[0] if positive else 0.0
    if positive and all(abs(p - first) <= TOLERANCE for p in positive):
        if abs(first * len(positive) - 1) > TOLERANCE * len(positive):
            raise GameError(f"{len(positive)} equal probabilities of {first!r} do not add up to 1")
        return tuple(int(p > 0) for p in probabilities)
    fractions = [Fraction(p).limit_denominator(MAX_DENOMINATOR) for p in probabilities]
    for fraction, p in zip(fractions, probabilities, strict=True):
        if not 0 <= fraction <= 1 or abs(float(fraction) - p) > TOLERANCE or (p > 0 and not fraction):
            raise GameError(
                f"the probability {p!r} is not a fraction with a denominator up to {MAX_DENOMINATOR:,}"
            )
    if sum(fractions) != 1:
        raise GameError(f"the probabilities add up to {float(sum(fractions))!r} as fractions, not to 1")
    scale = math.lcm(*(fraction.denominator for fraction in fractions))
    return tuple(int(fraction * scale) for fraction in fractions)


class OpenSpielState(State[str]):
    """A state of OpenSpiel, never changed, and the state that it came from.

    An action is its string. ``trail`` of a seat, in games with hidden actions, tells what the seat could know
    after each action: four hex digits of a digest of its information state. ``trails`` keeps those known.
    """

    seats = 0
    actor = OVER

    def __init__(
        self,
        game: OpenSpielGame,
        inner: Any,
        before: OpenSpielState | None = None,
        action: str = "",
    ) -> None:
        self._game = game
        self.inner = inner
        self.before = before
        self.action = action
        self.seats = game.players
        if not inner.is_terminal():
            self.actor = CHANCE if inner.is_chance_node() else inner.current_player() + 1
        self.trails: dict[int, str] = {}

    @property
    def game(self) -> AnyGame:
        return self._game

    @cached_property
    def codes(self) -> Mapping[str, int]:
        """OpenSpiel's numbers of the legal actions, by their strings, sorted by these."""
        if self.actor == OVER:
            return {}
        inner = self.inner
        if self.actor == CHANCE:
            codes = [code for code, p in inner.chance_outcomes() if p > 0]
        else:
            codes = list(inner.legal_actions())
        player = inner.current_player()
        names = action_strings([inner.action_to_string(player, code) for code in codes], codes)
        return dict(sorted(zip(names, codes, strict=True)))

    def legal_actions(self) -> Sequence[str]:
        return list(self.codes)

    def is_legal(self, action: str) -> bool:
        return action in self.codes

    def play(self, action: str) -> OpenSpielState:
        inner = self.inner.clone()
        inner.apply_action(self.codes[action])
        return OpenSpielState(self._game, inner, self, action)

    def chance_weights(self) -> Sequence[int]:
        if self.actor != CHANCE:
            raise ValueError("chance does not act in this state")
        outcomes = self.inner.chance_outcomes()
        weights = dict(
            zip((code for code, _ in outcomes), integer_weights([p for _, p in outcomes]), strict=True)
        )
        return [weights[code] for code in self.codes.values()]

    def ranks(self) -> tuple[int, ...] | None:
        if self.actor != OVER:
            return None
        returns = [round(value, _DIGITS) for value in self.inner.returns()]
        return tuple(1 + sum(theirs > mine for theirs in returns) for mine in returns)

    def reason(self) -> str:
        return "returns" if self.actor == OVER else ""

    @property
    def history(self) -> list[tuple[OpenSpielState, str]]:
        """All actions so far with the states in which they were played."""
        steps = []
        state = self
        while state.before is not None:
            steps.append((state.before, state.action))
            state = state.before
        return steps[::-1]

    def position(self) -> str:
        return " ".join((MOVES, *(action for _, action in self.history)))

    def observation(self, seat: int) -> str:
        """``view`` and what a seat sees, percent-encoded.

        With hidden actions that is the information state, and two further words say what the seat knows of
        the way here: its own actions, as OpenSpiel's numbers, and its trail, ``-`` where there are none.
        """
        text = self._game.seen(self.inner, seat)
        if not self._game.has_hidden_actions:
            return f"{VIEW} {encode(text)}"
        numbers = ",".join(str(at.codes[action]) for at, action in self.history if at.actor == seat)
        return f"{VIEW} {encode(text)} {numbers or '-'} {self.trail(seat) or '-'}"

    def trail(self, seat: int) -> str:
        """A seat's trail, four hex digits an action."""
        behind: list[OpenSpielState] = []
        state = self
        while state.before is not None and seat not in state.trails:
            behind.append(state)
            state = state.before
        text = state.trails.get(seat, "")
        for state in reversed(behind):
            text += state.mark(seat)
            state.trails[seat] = text
        return text

    def mark(self, seat: int) -> str:
        """Four hex digits of what a seat sees here."""
        seen = self._game.seen(self.inner, seat).encode("utf-8", "surrogateescape")
        acts = b"+" if self.actor == seat else b"-"
        return hashlib.sha256(acts + seen).hexdigest()[:4]

    def visible(self, action: str, seat: int) -> bool:  # noqa: ARG002 - whatever is played
        """Whether a seat sees actions from here: with hidden actions only its own."""
        return not self._game.has_hidden_actions or seat == self.actor

    def revealed(self) -> bool:
        """Whether all actions are open: in games with hidden actions only at the end."""
        return not self._game.has_hidden_actions or self.actor == OVER


MOST: Final = 1_000  # the most actions tried, beside 10 for each action of the history
RESTART: Final = 8
"""The search restarts each time it has tried a multiple of this many actions per action of the history."""


def sample_state(start: OpenSpielState, observation: str, seat: int, randbelow: RandBelow) -> OpenSpielState:
    """A random state after ``start`` with a seat's observation. Raises PositionError if none is found."""
    actions, marks = _read(observation)
    left = MOST + 10 * len(marks)
    while left > 0:
        tries = min(left, RESTART * (len(marks) + 4))
        left -= tries
        candidate = _search(start, actions, marks, seat, randbelow, tries)
        if candidate is not None and candidate.observation(seat) == observation:
            return candidate
    raise PositionError(f"no state of {start.game.name} was found that fits the observation of seat {seat}")


def _read(observation: str) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The seat's own actions and its marks. Raises PositionError."""
    words = observation.split(" ")
    if len(words) != 4 or words[0] != VIEW:
        raise PositionError(
            "this is not an observation: it has other than four words, or does not begin with view"
        )
    actions, trail = ("" if word == "-" else word for word in words[2:])
    numbers = actions.split(",") if actions else []
    if len(trail) % 4 or not all(number.isdecimal() and len(number) < 10 for number in numbers):
        raise PositionError("this is not an observation: its actions or its trail are malformed")
    return tuple(map(int, numbers)), tuple(trail[k : k + 4] for k in range(0, len(trail), 4))


def _search(
    start: OpenSpielState,
    actions: tuple[int, ...],
    marks: tuple[str, ...],
    seat: int,
    randbelow: RandBelow,
    tries: int,
) -> OpenSpielState | None:
    """A state after as many actions as there are marks, all of which it has; None if none is found."""
    stack = [(start, 0)]
    open_ = [_order(*stack[0], actions, seat, randbelow)]
    while stack and tries > 0:
        state, mine = stack[-1]
        if len(stack) == len(marks) + 1:
            return state if mine == len(actions) else None
        if not open_[-1]:
            stack.pop()
            open_.pop()
            continue
        tries -= 1
        after = state.play(open_[-1].pop())
        if after.mark(seat) == marks[len(stack) - 1]:
            stack.append((after, mine + (state.actor == seat)))
            open_.append(_order(*stack[-1], actions, seat, randbelow))
    return None


def _order(
    state: OpenSpielState, mine: int, acted: tuple[int, ...], seat: int, randbelow: RandBelow
) -> list[str]:
    """The actions to try from a state, the first one last."""
    if state.actor == seat:
        wanted = acted[mine] if mine < len(acted) else -1
        return [action for action, code in state.codes.items() if code == wanted]
    actions = list(state.codes)
    weights = list(state.chance_weights()) if state.actor == CHANCE else [1] * len(actions)
    order = []
    while actions:
        k = draw_outcome(weights, randbelow)
        order.append(actions.pop(k))
        weights.pop(k)
    return order[::-1]
