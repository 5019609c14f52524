"""The bulletin: what a run that goes on shows to `tourney status`, a small file beside the database.

It means something only while the lock of the run is held; a crash may leave an old one behind.
"""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tourney import json_text


class Playing(NamedTuple):
    """A match that is being played: its number, and since when (seconds since the epoch)."""

    number: int
    since: float


@dataclass(frozen=True, slots=True)
class Bulletin:
    """What is being played, and why the run pauses ("" if it does not)."""

    playing: tuple[Playing, ...] = ()
    paused: str = ""


def bulletin_path(place: Path, tournament: int) -> Path:
    """Return the bulletin of a tournament's run; ``place`` as of ``tourney.store.engine.place_of``."""
    return place.with_name(f"{place.name}-run-{tournament}.json")


def write_bulletin(path: Path, playing: Sequence[Playing], paused: str) -> None:
    """Write it whole or not at all; that it cannot be written is no harm."""
    fresh = path.with_name(f".{path.name}.new")
    with suppress(OSError):
        fresh.write_text(json.dumps({"playing": list(playing), "paused": paused}), encoding="ascii")
        os.replace(fresh, path)  # noqa: PTH105 - a path's own method does the same and no more
    with suppress(OSError):
        fresh.unlink(missing_ok=True)


def read_bulletin(path: Path) -> Bulletin:
    """Return what it says; an empty one where there is none."""
    try:
        data = json_text.loads(path.read_text("ascii"))
        playing = tuple(Playing(int(number), float(since)) for number, since in data["playing"])
        return Bulletin(playing, str(data["paused"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Bulletin()
