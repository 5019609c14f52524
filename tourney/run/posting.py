"""A listener that keeps the bulletin of a run, for `tourney status` in another terminal."""

from contextlib import suppress
from pathlib import Path

from tourney.run.progress import Listener, Pulse
from tourney.store.bulletin import write_bulletin


class Posting(Listener):
    """Writes the bulletin at each pulse that brings something new, and takes it away at the end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._last: object = None

    def pulse(self, pulse: Pulse) -> None:
        """Post it."""
        what = (pulse.playing, pulse.paused)
        if what != self._last:
            self._last = what
            write_bulletin(self._path, pulse.playing, pulse.paused)

    def close(self) -> None:
        """Take it away."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
