"""``--report``: a process of its own writes the report at intervals during a run.

So the run neither waits for the report nor keeps its memory. The process has a low priority, only one runs
at a time, and it ends with the run.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from tourney.run.monitoring.progress import Heartbeat, Listener

SECONDS = 900.0
"""The time a report has; then its process is killed."""
_NICE = 10
# PR_SET_PDEATHSIG: the kernel ends it when this process dies.
_PROGRAM = (
    "import ctypes, runpy, sys\n"
    "if sys.platform == 'linux': ctypes.CDLL(None).prctl(1, 9)\n"
    "runpy.run_module('tourney', run_name='__main__', alter_sys=True)"
)


class Reporter(Listener):
    """Writes a tournament's report every ``minutes`` (0: only at the end) into ``out``.

    Failures go to ``say``; none stops the run. ``program`` is the command that starts Tourney,
    ``options`` are more words of ``tourney report``.
    """

    def __init__(
        self,
        name: str,
        url: str,
        minutes: float,
        out: Path | None,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
        program: Sequence[str] = (sys.executable, "-c", _PROGRAM),
        options: Sequence[str] = (),
    ) -> None:
        self._words = [*program, "report", name, "--quiet", *options]
        if minutes:
            self._words += ["--live", str(max(1, round(minutes * 60)))]
        if out is not None:
            self._words += ["--out", str(out)]
        self._url = url
        self._every = minutes * 60
        self._say = say
        self._clock = clock
        self._process: subprocess.Popen[str] | None = None
        self._started = clock()

    def heartbeat(self, heartbeat: Heartbeat) -> None:
        """Start a report if it is due; check on the one being written."""
        now = self._clock()
        if self._process is not None:
            if self._process.poll() is not None:
                self._finish(0)
            elif now - self._started > SECONDS:
                self._kill()
        elif self._every and now - self._started >= self._every and not heartbeat.paused:
            self._start()

    def write_last(self) -> str:
        """Write the last report and wait for it; return the path of its first page, or "" if that fails."""
        if self._process is not None:
            self._finish(SECONDS)
        self._start(last=True)
        return self._finish(SECONDS)

    def close(self) -> None:
        """Stop the report being written."""
        if self._process is not None:
            self._kill(say=False)

    def _start(self, *, last: bool = False) -> None:
        """Start a report: in one process while matches are played, in as many as there are at the end."""
        self._started = self._clock()
        try:
            self._process = subprocess.Popen(  # noqa: S603 - Tourney itself
                self._words if last else [*self._words, "--processes", "1"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="backslashreplace",
                env={**os.environ, "TOURNEY_DB": self._url},  # not an argument, as it may hold a password
                process_group=0,  # so that Ctrl-C reaches the run alone
            )
        except OSError as error:
            self._say(f"the report cannot be written: {error.strerror}")
            return
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, self._process.pid, _NICE)

    def _finish(self, seconds: float) -> str:
        process = self._process
        if process is None:
            return ""
        try:
            out, err = process.communicate(timeout=seconds or None)
        except subprocess.TimeoutExpired:
            self._kill()
            return ""
        self._process = None
        if process.returncode:
            why = err.strip().splitlines()
            self._say(f"the report was not written: {why[-1] if why else f'exit code {process.returncode}'}")
            return ""
        return out.strip()

    def _kill(self, *, say: bool = True) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.communicate()
        if say:
            self._say(f"the report was stopped after {SECONDS:g} seconds")
