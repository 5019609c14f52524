"""The suite: random games from a seed, and every property tried on the way."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tourney.games.base import OVER, AnyGame, AnyState
from tourney.games.check.case import (
    Finding,
    Fingerprint,
    Pool,
    Property,
    Scene,
    Setting,
    fingerprint,
    said,
    settings_of,
)
from tourney.games.check.diagrams import drawing
from tourney.games.check.hidden import Step, leak, sample
from tourney.games.check.positions import read_back, strict_positions
from tourney.games.check.states import (
    action_strings,
    actor,
    attributes,
    chance,
    deterministic,
    guarded,
    immutable,
    legal_actions,
    playable,
    refused,
    result,
    strings,
    visible,
)
from tourney.games.game_tree import choose
from tourney.seeds import Draw, stream

QUICK: Mapping[str, Property] = {
    "actor": actor,
    "legal-actions": legal_actions,
    "chance": chance,
    "result": result,
    "strings": strings,
}
"""Tried in every state of every game, in this order: what comes later takes for granted what came before."""

THOROUGH: Mapping[str, Property] = {
    "action-strings": action_strings,
    "visible": visible,
    "playable": playable,
    "immutable": immutable,
    "deterministic": deterministic,
    "refused": refused,
    "read-back": read_back,
    "strict-positions": strict_positions,
    "sample": sample,
    "drawing": drawing,
}
"""Tried in a part of the states: the first ones, the last one, and ever fewer in between."""

PROPERTIES: tuple[str, ...] = ("attributes", "settings", *QUICK, *THOROUGH, "ends", "replay", "no-leak")
"""The names of all properties, in the order in which they are tried."""

OF_STATES: Mapping[str, Property] = {**QUICK, **THOROUGH}

_THINNING = 12
"""Every state of the first so many plies is looked at thoroughly, then about as many in each doubling."""
_KEPT = 8
_LEAK_TRIES = 6


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a check is: games played of those to play, actions and states looked at thoroughly so far."""

    done: int
    games: int
    actions: int
    thorough: int


def check_game(
    game: AnyGame, games: int = 40, seed: int = 1, listen: Callable[[Progress], None] = lambda _: None
) -> Iterator[Finding]:
    """Play random games and yield what does not hold: at most one finding a game, where it shows first.

    The settings (seats, and every value of every option) take turns. All draws come from ``seed``.
    """
    wrong = [Finding("attributes", what) for what in _said(lambda: attributes(game))]
    yield from wrong
    if wrong:
        return
    settings = settings_of(game)
    if not settings:
        yield Finding("settings", "the game refuses its own default settings")
        return
    run = _Run(game, Pool())
    for k in range(games):
        yield from run.one(settings[k % len(settings)], stream(seed, "check", k))
        listen(Progress(k + 1, games, run.actions, run.thorough))


def smallest(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return for each property the finding with the shortest history, in the order of ``PROPERTIES``."""
    best: dict[str, Finding] = {}
    for finding in findings:
        known = best.get(finding.name)
        if known is None or len(finding.history) < len(known.history):
            best[finding.name] = finding
    return tuple(best[name] for name in PROPERTIES if name in best)


def _said(check: Callable[[], Iterator[str]]) -> list[str]:
    try:
        return list(check())
    except Exception as error:  # noqa: BLE001 - whatever a game raises is what was looked for
        return [said(error)]


@dataclass(slots=True)
class _Run:
    """A check under way: the strings seen so far, and what has been counted."""

    game: AnyGame
    pool: Pool
    actions: int = 0
    thorough: int = 0

    def one(self, setting: Setting, draw: Draw) -> Iterator[Finding]:
        """Play one game and yield the first thing that is wrong in it, if anything is."""
        history: list[str] = []
        try:
            for name, what in self._play(setting, draw, history):
                yield Finding(name, what, setting, tuple(history))
                return
        except Exception as error:  # noqa: BLE001 - as above; most often `initial` or `play`
            yield Finding("playable", said(error), setting, tuple(history))

    def _play(self, setting: Setting, draw: Draw, history: list[str]) -> Iterator[tuple[str, str]]:
        game = self.game
        state = game.new(setting.seats, dict(setting.options))
        path: list[Step] = []
        kept: list[tuple[int, AnyState, Fingerprint]] = []
        while True:
            scene = Scene(game, setting, state, tuple(history), draw, self.pool)
            yield from self._try(QUICK, scene)
            over = state.actor == OVER
            if over or draw(1 + len(history) // _THINNING) == 0:
                self.thorough += 1
                yield from self._try(THOROUGH, scene)
                if len(kept) < _KEPT:
                    kept.append((len(history), state, fingerprint(game, state)))
                self.pool.add_position(state.position())
            if over:
                break
            if len(history) >= game.max_actions:
                yield "ends", f"the game is not over after {game.max_actions} actions, its max_actions"
            action = choose(state, draw)
            path.append(Step(state, action))
            history.append(game.action_string(action))
            self.pool.add_action(history[-1])
            state = state.play(action)
            self.actions += 1
        yield from self._look_back(setting, kept, history)
        yield from self._leaks(path, state, draw, history)

    def _try(self, properties: Mapping[str, Property], scene: Scene) -> Iterator[tuple[str, str]]:
        for name, check in properties.items():
            for what in guarded(check, scene):
                yield name, what

    def _look_back(
        self, setting: Setting, kept: list[tuple[int, AnyState, Fingerprint]], history: list[str]
    ) -> Iterator[tuple[str, str]]:
        """Compare states kept since early in the game with what they were, and with a second playing."""
        game = self.game
        for count, state, mark in kept:
            if fingerprint(game, state) != mark:
                del history[count:]
                yield "immutable", "the state is another after the game has been played on from it"
        again = game.new(setting.seats, dict(setting.options))
        wanted = {count: mark for count, _, mark in kept}
        for count, text in enumerate([*history, ""]):
            if count in wanted and fingerprint(game, again) != wanted[count]:
                del history[count:]
                yield "replay", "the same actions played again from the start lead to another state"
            if text:
                again = again.play(game.read_action(again, text))

    def _leaks(
        self, path: list[Step], end: AnyState, draw: Draw, history: list[str]
    ) -> Iterator[tuple[str, str]]:
        if not self.game.has_hidden_actions:
            return
        for seat in range(1, end.seats + 1):
            for _ in range(_LEAK_TRIES):
                found = leak(self.game, path, end, seat, draw)
                if found is not None:
                    del history[found[0] :]
                    yield "no-leak", found[1]


MAX_PLAYED = 20_000
"""How many actions are played at most in search of a shorter history."""


def shrink(game: AnyGame, finding: Finding, seed: int = 1) -> Finding:
    """Return a finding of the same property with a history no longer, by leaving actions out.

    A property of whole games (``ends``, ``replay``, ``no-leak``) is returned as it is.
    """
    if finding.name not in OF_STATES or finding.setting is None or finding.position is not None:
        return finding
    best, played, size = finding, 0, max(len(finding.history) // 2, 1)
    while played < MAX_PLAYED and best.history:
        shorter = None
        for start in range(0, len(best.history), size):
            history = best.history[:start] + best.history[start + size :]
            played += len(history) + 1
            what = _fails(game, finding.name, finding.setting, history, seed)
            if what:
                shorter = replace(best, what=what, history=history)
                break
            if played >= MAX_PLAYED:
                break
        if shorter is not None:
            best = shorter
        elif size == 1:
            break
        else:
            size //= 2
        size = min(size, max(len(best.history), 1))
    return best


def _fails(game: AnyGame, name: str, setting: Setting, history: Sequence[str], seed: int) -> str:
    """Return what is wrong at the end of a history; "" if nothing is, or if it cannot be played."""
    pool = Pool()
    try:
        state = game.new(setting.seats, dict(setting.options))
        for text in history:
            state = state.play(game.read_action(state, text))
            pool.add_action(text)
        scene = Scene(game, setting, state, tuple(history), stream(seed, "shrink"), pool)
        return next(guarded(OF_STATES[name], scene), "")
    except Exception:  # noqa: BLE001 - such a history is no witness
        return ""
