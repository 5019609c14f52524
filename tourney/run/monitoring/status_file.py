"""The status file: what a run is playing and why it pauses, beside the database, for `tourney status`.

It is valid only while the run's lock is held; a crash may leave an old one behind.
"""

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tourney.parsing import parse_json
from tourney.run.monitoring.progress import Heartbeat, Listener
from tourney.run.workers.executor import Playing


@dataclass(frozen=True, slots=True)
class RunStatus:
    """The matches being played, and why the run pauses ("" if it does not)."""

    playing: tuple[Playing, ...] = ()
    paused: str = ""


def status_path(place: Path, tournament: int) -> Path:
    """Return the status file of a tournament's run; ``place`` as in ``tourney.store.engine.place_of``."""
    return place.with_name(f"{place.name}-run-{tournament}.json")


def write_status(path: Path, status: RunStatus) -> None:
    """Write the status file, whole or not at all; ignore a failing disk."""
    fresh = path.with_name(f".{path.name}.new")
    with suppress(OSError):
        fresh.write_text(json.dumps({"playing": status.playing, "paused": status.paused}), encoding="ascii")
        os.replace(fresh, path)  # noqa: PTH105 - a path's own method does the same and no more
    with suppress(OSError):
        fresh.unlink(missing_ok=True)


def read_status(path: Path) -> RunStatus:
    """Return the status of a run; an empty one without a readable file."""
    try:
        data = parse_json(path.read_text("ascii"))
        playing = tuple(Playing(int(number), float(since)) for number, since in data["playing"])
        return RunStatus(playing, str(data["paused"]))
    except (OSError, ValueError, KeyError, TypeError):
        return RunStatus()


class StatusFile(Listener):
    """Writes the status file at each heartbeat that changes it, and deletes it at the end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._last: RunStatus | None = None

    def heartbeat(self, heartbeat: Heartbeat) -> None:
        """Write the status if it changed."""
        status = RunStatus(heartbeat.playing, heartbeat.paused)
        if status != self._last:
            self._last = status
            write_status(self._path, status)

    def close(self) -> None:
        """Delete the file."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
