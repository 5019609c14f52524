"""A TrueSkill pool as JSON data and back, so that what was rated need not be rated again.

Numbers are written in hexadecimal, to the last bit: a pool that goes on from a checkpoint is the same as one
that never stopped.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from tourney.ratings.trueskill_rating import Pool, Settings, Skill
from tourney.ratings.values import Forfeits


def settings_text(settings: Settings, forfeits: Forfeits) -> str:
    """Return what a pool is rated by, as canonical JSON: checkpoints of other settings are of no use."""
    data = {"method": "trueskill", "forfeits": forfeits, **asdict(settings)}
    return json.dumps(data, sort_keys=True, separators=(",", ":"))


def freeze(pool: Pool) -> dict[str, Any]:
    """Return a pool as JSON data, its settings apart."""
    return {
        "last": None if pool.last is None else list(pool.last),
        "skills": [
            [number, skill.mu.hex(), skill.sigma.hex(), skill.games] for number, skill in pool.skills.items()
        ],
    }


def thaw(state: Any, settings: Settings, entrants: Iterable[int]) -> Pool | None:
    """Return the pool that was frozen, with entrants who joined since; None if the state is no such data."""
    try:
        skills = {
            int(number): Skill(float.fromhex(mu), float.fromhex(sigma), int(games))
            for number, mu, sigma, games in state["skills"]
        }
        last = None
        if state["last"] is not None:
            round_, table, repeat, order = map(int, state["last"])
            last = (round_, table, repeat, order)
    except (KeyError, TypeError, ValueError):
        return None
    fresh = Pool.of(entrants, settings).skills
    if not skills.keys() <= fresh.keys():
        return None
    return Pool(settings, {**fresh, **skills}, last)
