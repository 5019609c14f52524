"""Make the history of a finding shorter, as long as its property still fails at the end of it."""

from collections.abc import Sequence
from dataclasses import replace

from tourney.games.base import AnyGame
from tourney.games.check.basics import guarded
from tourney.games.check.finding import Finding, Setting
from tourney.games.check.scene import Pool, Scene
from tourney.games.check.suite import OF_STATES
from tourney.seeds import stream

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
