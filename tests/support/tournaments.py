"""Small tournaments and made-up matches for tests of the store and of runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tourney.match.record import FaultKind, Outcome, make_record
from tourney.match.result import LogLine, Measurements, PlayedMatch
from tourney.match.spec import DEFAULT_LIMITS, Entrant, Limits, MatchSpec
from tourney.run.engine.recorder import pair_next
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.store.database import Database
from tourney.store.values import CHOSEN, Plan, RunSettings, StoredEntrant, Tournament

THREE_PEBBLES = """
name = "cup"
game = "sage-stones"
seed = 7
bots = ["pebble"]
games-per-pairing = 4
[[entrant]]
bot = "pebble"
name = "second"
[[entrant]]
bot = "pebble"
name = "third"
[limits]
move-ms = 600000
startup-ms = 600000
[run]
sandbox = "off"
"""
"""A tournament file: three entrants of one shipped bot, twelve matches."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def entrant(name: str) -> Entrant:
    """Return an entrant with a made-up bot."""
    return Entrant(name, f"{name}-bot", "1.0", ("--level", "3"), f"{ord(name[0]):064x}")


def stored(count: int) -> tuple[StoredEntrant, ...]:
    """Return entrants named a, b, c, ..."""
    return tuple(StoredEntrant(k, entrant(LETTERS[k]), title=f"Bot {LETTERS[k]}") for k in range(count))


@contextmanager
def refused(kind: type[Exception], *words: str) -> Iterator[None]:
    """Expect an error of one sentence that contains all of the words."""
    with pytest.raises(kind) as caught:
        yield
    sentence = str(caught.value)
    assert "\n" not in sentence
    for word in words:
        assert word in sentence


def begin(
    repository: Database,
    count: int = 3,
    *,
    name: str = "cup",
    seats: int = 2,
    games: int = 2,
    format_: str = "round-robin",
    rounds: int | None = None,
    pair: bool = True,
    options: tuple[tuple[str, str], ...] = (),
    extra: tuple[tuple[str, int | str], ...] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> Tournament:
    """Store a tournament of made-up bots, and pair its first rounds by default."""
    plan = Plan(name, "sage-stones", "1", options, format_, seats, games, rounds, extra=extra, limits=limits)
    made = repository.tournaments.add(
        plan,
        seed=2**64 - 1,
        origin=CHOSEN,
        run=RunSettings(),
        entrants=stored(count),
        created="2026-11-20",
    )
    if pair:
        pair_next(repository, made.id)
    return repository.tournaments.by_id(made.id)


def played(
    spec: MatchSpec, ranks: tuple[int, ...] | None = None, faults: tuple[tuple[int, FaultKind, int], ...] = ()
) -> PlayedMatch:
    """Return a made-up match; by its seed the first seat wins or loses, or all seats draw."""
    seats = len(spec.seats)
    by_seed = (tuple(range(1, seats + 1)), tuple(range(seats, 0, -1)), (1,) * seats)
    outcome = Outcome(by_seed[spec.seed % 3] if ranks is None else ranks, "points", faults)
    record = make_record(spec, "1", [(0, "roll-1"), (1, f"a{spec.seed % 10}")], outcome)
    log = (LogLine(0, 1, "info", f"seed {spec.seed}"), LogLine(2, 0, "note", "lone \udcff surrogate"))
    return PlayedMatch(record, log, Measurements(reproducible=True, wall_ms=5))


def answer(task: MatchTask) -> WorkerReply:
    """Answer a task with a made-up match."""
    return WorkerReply(task.number, played(task.spec))


def digests(repository: Database, tournament: int) -> dict[int, str]:
    """Return the digests of a tournament's records by match number."""
    return {
        match.number: match.result.digest
        for match in repository.matches.all(tournament, finished=True)
        if match.result is not None
    }


def in_order_of_play(repository: Database, tournament: int) -> list[int]:
    """Return the numbers of a round-robin's matches repeat by repeat, as it is played if no entrant joins."""
    return [
        n
        for n, _ in sorted(repository.schedules.rows(tournament), key=lambda item: (item[1].repeat, item[0]))
    ]


def write_file(folder: Path, text: str, name: str = "cup.toml") -> Path:
    """Write a tournament file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


WAITING_CUP = """
name = "cup"
game = "sage-stones"
seed = 7
bots = ["./first", "./dead"]
games-per-pairing = 40
[limits]
move-ms = 600000
startup-ms = 600000
[run]
sandbox = "off"
"""


WAITING_BOT = """#!/bin/sh
while read -r word rest; do
    case $word in
        tourney) echo "bot wants=legal";;
        game) echo ready;;
        legal) action=${rest%% *};;
        go) WAIT echo "move $action";;
        quit) exit 0;;
    esac
done
"""


def waiting_cup(tmp_path: Path, wait: str = "") -> Path:
    """Write a tournament of a bot that plays the first action, after the words ``wait``, and a dead one."""
    write_file(tmp_path, WAITING_CUP)
    for name, text in (("first", WAITING_BOT.replace("WAIT", wait)), ("dead", "#!/bin/sh\nexit 1\n")):
        write_file(tmp_path, text, name).chmod(0o755)
    return tmp_path
