"""Plays random games from a seed, tries every property on the way, and shrinks what fails."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tourney.games.base import OVER, AnyAction, AnyGame, AnyState
from tourney.games.check import states
from tourney.games.check.case import (
    Case,
    Fingerprint,
    Property,
    PropertyFailure,
    StringPool,
    TableSetting,
    describe,
    fingerprint,
    settings_of,
)
from tourney.games.check.views import diagram, leak, sample
from tourney.games.tree import choose
from tourney.seeds import RandBelow, stream

QUICK: Mapping[str, Property] = {
    "actor": states.check_actor,
    "legal-actions": states.legal_actions,
    "chance": states.chance,
    "result": states.result,
    "strings": states.strings,
}
"""Tried in every state, in this order: later properties rely on earlier ones."""

THOROUGH: Mapping[str, Property] = {
    "action-strings": states.action_strings,
    "visible": states.visible,
    "playable": states.playable,
    "immutable": states.immutable,
    "deterministic": states.deterministic,
    "refused": states.refused,
    "read-back": states.read_back,
    "strict-positions": states.strict_positions,
    "sample": sample,
    "diagram": diagram,
}
"""Tried in the first states, the last one, and ever fewer in between."""

PROPERTIES: tuple[str, ...] = ("attributes", "settings", *QUICK, *THOROUGH, "ends", "replay", "no-leak")
"""The names of all properties, in the order of trial."""

OF_STATES: Mapping[str, Property] = {**QUICK, **THOROUGH}

_THINNING = 12
"""Plies whose states are all checked thoroughly; each doubling of the length adds about as many states."""
_KEPT = 8  # states of a game that are looked at again after its end
_LEAK_TRIES = 6  # games with other hidden actions, by seat; each exchanges other actions at random


class CheckProgress(NamedTuple):
    """The progress of a check: games played and to play, actions, and thoroughly checked states."""

    done: int
    games: int
    actions: int
    thorough: int


def check_game(
    game: AnyGame, games: int = 40, seed: int = 1, listen: Callable[[CheckProgress], None] = lambda _: None
) -> Iterator[PropertyFailure]:
    """Play random games and yield at most one finding per game, the first.

    The games rotate through all settings (seats, and every value of every option). All randomness comes from
    ``seed``.
    """
    wrong = [PropertyFailure("attributes", what) for what in states.guarded(states.attributes, game)]
    yield from wrong
    if wrong:
        return
    settings = settings_of(game)
    if not settings:
        yield PropertyFailure("settings", "the game refuses its own default settings")
        return
    run = _Run(game, StringPool())
    for k in range(games):
        yield from run.play_one(settings[k % len(settings)], stream(seed, "check", k))
        listen(CheckProgress(k + 1, games, run.actions, run.thorough))


def smallest(findings: Iterable[PropertyFailure]) -> tuple[PropertyFailure, ...]:
    """Each property's finding with the shortest history, in the order of ``PROPERTIES``."""
    best: dict[str, PropertyFailure] = {}
    for finding in findings:
        shortest = best.get(finding.name)
        if shortest is None or len(finding.history) < len(shortest.history):
            best[finding.name] = finding
    return tuple(best[name] for name in PROPERTIES if name in best)


@dataclass(slots=True)
class _Run:
    """A running check: the strings seen so far, and the counters."""

    game: AnyGame
    pool: StringPool
    actions: int = 0
    thorough: int = 0

    def play_one(self, setting: TableSetting, randbelow: RandBelow) -> Iterator[PropertyFailure]:
        """Play one game and yield its first finding, if any."""
        history: list[str] = []
        try:
            for name, what in self._play(setting, randbelow, history):
                yield PropertyFailure(name, what, setting, tuple(history))
                return
        except Exception as error:  # noqa: BLE001 - as above; usually from `initial` or `play`
            yield PropertyFailure("playable", describe(error), setting, tuple(history))

    def _play(
        self, setting: TableSetting, randbelow: RandBelow, history: list[str]
    ) -> Iterator[tuple[str, str]]:
        game = self.game
        state = game.new(setting.seats, dict(setting.options))
        path: list[tuple[AnyState, AnyAction]] = []
        marked: list[tuple[int, AnyState, Fingerprint]] = []
        while True:
            case = Case(game, setting, state, tuple(history), randbelow, self.pool)
            yield from self._try(QUICK, case)
            over = state.actor == OVER
            # Long games would spend nearly all of the time in late states, which are much like each other.
            if over or randbelow(1 + len(history) // _THINNING) == 0:
                self.thorough += 1
                yield from self._try(THOROUGH, case)
                if len(marked) < _KEPT:
                    marked.append((len(history), state, fingerprint(game, state)))
                self.pool.positions.append(state.position())
            if over:
                break
            if len(history) >= game.max_actions:
                yield "ends", f"the game is not over after {game.max_actions} actions, its max_actions"
            action = choose(state, randbelow)
            path.append((state, action))
            history.append(game.action_string(action))
            self.pool.actions.append(history[-1])
            state = state.play(action)
            self.actions += 1
        yield from self._look_back(setting, marked, history)
        yield from self._leaks(path, state, randbelow, history)

    def _try(self, properties: Mapping[str, Property], case: Case) -> Iterator[tuple[str, str]]:
        for name, check in properties.items():
            for what in states.guarded(check, case):
                yield name, what

    def _look_back(
        self, setting: TableSetting, marked: list[tuple[int, AnyState, Fingerprint]], history: list[str]
    ) -> Iterator[tuple[str, str]]:
        """Check that early states have not changed, and that a replay leads to equal ones."""
        game = self.game
        for count, state, mark in marked:
            if fingerprint(game, state) != mark:
                del history[count:]
                yield "immutable", "the state changes when the game continues from it"
        again = game.new(setting.seats, dict(setting.options))
        wanted = {count: mark for count, _, mark in marked}
        for count, text in enumerate([*history, ""]):
            if count in wanted and fingerprint(game, again) != wanted[count]:
                del history[count:]
                yield "replay", "the same actions from the start lead to another state"
            if text:
                again = again.play(game.read_action(again, text))

    def _leaks(
        self, path: list[tuple[AnyState, AnyAction]], end: AnyState, randbelow: RandBelow, history: list[str]
    ) -> Iterator[tuple[str, str]]:
        if not self.game.has_hidden_actions:
            return
        for seat in range(1, end.seats + 1):
            for _ in range(_LEAK_TRIES):
                difference = leak(self.game, path, end, seat, randbelow)
                if difference is not None:
                    count, sentence = difference
                    del history[count:]
                    yield "no-leak", sentence


MAX_PLAYED = 20_000  # the most actions played in the search for a shorter history


def shrink(game: AnyGame, finding: PropertyFailure, seed: int = 1) -> PropertyFailure:
    """A finding of the same property with the shortest history found by leaving actions out.

    Findings of whole games (``ends``, ``replay``, ``no-leak``) are returned unchanged.
    """
    if finding.name not in OF_STATES or finding.setting is None:
        return finding
    best = finding
    played = 0
    size = max(len(finding.history) // 2, 1)
    # Leaves out runs of actions: at first half of the history, then shorter ones, at last single actions.
    while best.history and size:
        for start in range(0, len(best.history), size):
            if played >= MAX_PLAYED:
                return best
            history = best.history[:start] + best.history[start + size :]
            played += len(history) + 1
            what = _fails(game, finding.name, finding.setting, history, seed)
            if what:
                best = replace(best, what=what, history=history)
                size = min(size, max(len(history), 1))
                break
        else:
            size //= 2
    return best


def _fails(game: AnyGame, name: str, setting: TableSetting, history: Sequence[str], seed: int) -> str:
    """How the property fails after a history; "" if it holds or the history cannot be played."""
    pool = StringPool()
    try:
        state = game.new(setting.seats, dict(setting.options))
        for text in history:
            state = state.play(game.read_action(state, text))
            pool.actions.append(text)
        case = Case(game, setting, state, tuple(history), stream(seed, "shrink"), pool)
        return next(states.guarded(OF_STATES[name], case), "")
    except Exception:  # noqa: BLE001 - such a history shows nothing
        return ""
