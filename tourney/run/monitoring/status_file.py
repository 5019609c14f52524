"""The bulletin: what a run that goes on shows to `tourney status`, a small file beside the database.

It means something only while the lock of the run is held; a crash may leave an old one behind.
"""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tourney.parsing import parse_json
from tourney.run.monitoring.progress import Heartbeat, Listener, Playing


@dataclass(frozen=True, slots=True)
class RunStatus:
    """What is being played, and why the run pauses ("" if it does not)."""

    playing: tuple[Playing, ...] = ()
    paused: str = ""


def status_path(place: Path, tournament: int) -> Path:
    """Return the bulletin of a tournament's run; ``place`` as of ``tourney.store.engine.place_of``."""
    return place.with_name(f"{place.name}-run-{tournament}.json")


def write_status(path: Path, playing: Sequence[Playing], paused: str) -> None:
    """Write it whole or not at all; that it cannot be written is no harm."""
    fresh = path.with_name(f".{path.name}.new")
    with suppress(OSError):
        fresh.write_text(json.dumps({"playing": list(playing), "paused": paused}), encoding="ascii")
        os.replace(fresh, path)  # noqa: PTH105 - a path's own method does the same and no more
    with suppress(OSError):
        fresh.unlink(missing_ok=True)


def read_status(path: Path) -> RunStatus:
    """Return what it says; an empty one where there is none."""
    try:
        data = parse_json(path.read_text("ascii"))
        playing = tuple(Playing(int(number), float(since)) for number, since in data["playing"])
        return RunStatus(playing, str(data["paused"]))
    except (OSError, ValueError, KeyError, TypeError):
        return RunStatus()


class StatusFile(Listener):
    """Writes the bulletin at each heartbeat that brings something new, and takes it away at the end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._last: object = None

    def heartbeat(self, heartbeat: Heartbeat) -> None:
        """Post it."""
        what = (heartbeat.playing, heartbeat.paused)
        if what != self._last:
            self._last = what
            write_status(self._path, heartbeat.playing, heartbeat.paused)

    def close(self) -> None:
        """Take it away."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
