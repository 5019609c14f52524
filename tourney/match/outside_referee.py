"""Plays a match by an outside referee: starts it with the bots' commands and the seed, and reads its JSON.

The referee runs as this process does, in a temporary folder, and starts the bots itself. It prints an object
with ``ranks``, a number for each player, the lowest for the best; equal numbers share a rank. ``errors``, if
present, has a value for each player: true, or a number that is not 0, is noted in the log of its bot. The
ranks stand as they are: the referee decides about the cost of an error.
"""

import os
import platform
import re
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeGuard

from tourney.bots.catalogue.command import BotCommand
from tourney.errors import EnvironmentFailure
from tourney.games.base import AnyGame
from tourney.games.external import REFEREE, option_command
from tourney.match.launcher import Description, MatchLauncher
from tourney.match.record import Outcome, make_record
from tourney.match.result import LogLine, Measurements, PlayedMatch
from tourney.match.spec import MatchSpec
from tourney.parsing import parse_json

MAX_OUTPUT: Final = 1 << 20  # bytes that are read of the referee's output
MAX_LOG: Final = 20_000  # characters of its standard error that are kept: the last ones
PLAYERS: Final = "%PLAYERS%"


class OutsideReferee(MatchLauncher):
    """Plays the game ``external``: its referee starts the bots."""

    name = "outside"

    def play(self, spec: MatchSpec, game: AnyGame, describe: Description) -> PlayedMatch:  # noqa: ARG002 - it contains no bot
        """Play a match. Raises as ``play_external`` does."""
        return play_external(spec, game, [self.bots.prepared(entrant)[1] for entrant in spec.seats])

    def close(self) -> None:
        """Nothing: a referee and its bots end with their match."""


def play_external(spec: MatchSpec, game: AnyGame, commands: Sequence[BotCommand]) -> PlayedMatch:
    """Play a match of bots with these commands, in seat order.

    Raises EnvironmentFailure if the referee fails, takes too long, or prints something else than a result.
    """
    options = dict(spec.options)
    words = referee_words(
        option_command(options[REFEREE]), [bot_line(command) for command in commands], spec.seed
    )
    started = datetime.now(UTC).isoformat(timespec="milliseconds")
    began = time.monotonic()
    output, errors = _run(words, spec, int(options["timeout-s"]))
    outcome, failed = read_outcome(output, len(spec.seats), words[0])
    log = [LogLine(0, 0, "note", f"referee: {line}") for line in errors.splitlines()]
    log += [LogLine(0, seat, "note", "the referee reports an error of this bot") for seat in failed]
    measured = Measurements(
        host=platform.node(),
        started=started,
        wall_ms=round(1000 * (time.monotonic() - began)),
        reproducible=False,
        why_not=("external",),
    )
    return PlayedMatch(make_record(spec, game.rules, [], outcome), log, measured)


def bot_line(command: BotCommand) -> str:
    """A bot's command as one line for a shell, which works in every folder."""
    env = [f"{key}={value}" for key, value in command.env.items()]
    return shlex.join(["env", "-i", "-C", str(command.folder), *env, *command.argv])


def referee_words(words: Sequence[str], bots: Sequence[str], seed: int) -> list[str]:
    """The referee's words with the bots' lines and the seed.

    ``%SEED%`` and ``%P1%``, ``%P2%``, ... within words are replaced, and a word ``%PLAYERS%`` becomes all
    lines. If none of the words names a player, the lines come behind them.
    """
    places = {f"%P{number}%": line for number, line in enumerate(bots, 1)}
    if PLAYERS not in words and not any(place in word for place in places for word in words):
        words = [*words, PLAYERS]
    places["%SEED%"] = str(seed)
    filled: list[str] = []
    for word in words:
        # In one go: what looks like a place in a bot's line stays.
        text = re.sub(r"%(?:SEED|P\d+)%", lambda place: places.get(place[0], place[0]), word)
        filled += bots if word == PLAYERS else [text]
    return filled


def read_outcome(output: bytes, seats: int, name: str) -> tuple[Outcome, list[int]]:
    """The outcome that a referee printed, and the seats with errors.

    That is all of its output, or else its last line.

    Raises EnvironmentFailure, naming the referee.
    """
    text = output.decode("utf-8", "replace").strip()
    data: object = None
    for tried in (text, text.rpartition("\n")[2]):
        with suppress(ValueError):
            data = parse_json(tried)
            break
    printed = data if isinstance(data, dict) else {}
    ranks = printed.get("ranks")
    errors = printed.get("errors")
    if not _numbers(ranks, seats):
        raise EnvironmentFailure(
            f"the referee {name} printed no result: it must print an object with ranks, a number for each of"
            f" {seats} players, but its output ends {text[-100:]!r}"
        )
    if errors is not None and not _numbers(errors, seats):
        raise EnvironmentFailure(f"the referee {name} printed errors that are not a list of {seats} numbers")
    places = tuple(1 + sum(better < mine for better in ranks) for mine in ranks)
    return Outcome(places, REFEREE, ()), [seat for seat, error in enumerate(errors or (), 1) if error]


def _numbers(value: object, count: int) -> TypeGuard[list[float]]:
    return (
        isinstance(value, list)
        and len(value) == count
        and all(isinstance(item, (int, float)) and abs(item) < 2**53 for item in value)
    )


def _run(words: Sequence[str], spec: MatchSpec, seconds: int) -> tuple[bytes, str]:
    """Run the referee, and return its output and its standard error, bounded. Raises EnvironmentFailure."""
    name = words[0]
    with tempfile.TemporaryDirectory(prefix="tourney-referee-") as folder:
        out, err, work = (Path(folder) / part for part in ("output", "errors", "work"))
        work.mkdir()
        # Files, not pipes: of output without end only the last part is read into memory.
        with out.open("wb") as output, err.open("wb") as errors:
            try:
                process = subprocess.Popen(  # noqa: S603 - the operator's own command
                    list(words),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=errors,
                    cwd=work,
                    env={**os.environ, "TOURNEY_SEED": str(spec.seed), "TOURNEY_SEATS": str(len(spec.seats))},
                    start_new_session=True,
                )
            except OSError as error:
                raise EnvironmentFailure(f"the referee {name} cannot be run: {error.strerror}") from error
            code: int | None = None
            try:
                try:
                    code = process.wait(seconds)
                except subprocess.TimeoutExpired:
                    code = process.poll()  # it may have ended in time while this process was held up
            finally:
                # The bots that it started end with it.
                with suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        errors_text = _end(err, MAX_LOG).decode("utf-8", "replace")
        if code is None:
            raise EnvironmentFailure(f"the referee {name} was killed after {seconds} seconds (timeout-s)")
        if code:
            last = errors_text.strip().rpartition("\n")[2][-200:]
            raise EnvironmentFailure(f"the referee {name} ended with the exit code {code}: {last}")
        return _end(out, MAX_OUTPUT), errors_text


def _end(path: Path, most: int) -> bytes:
    """The last bytes of a file."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - most))
        return file.read(most)
