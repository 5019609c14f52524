"""What a report of many matches costs: time, processors, memory and bytes; then with little that is new.

    python benchmarks/report.py [--matches 10000] [--game sages-tafl --game seven-sages] [--actions 175]
                                [--entrants 50] [--processes N] [--folder DIR]

By default both games are measured. The referee plays --distinct random matches in this process; further ones
repeat their actions under seeds and entrants of their own. With --actions, only matches of that length are
taken, to within a tenth. Each bot reports score, depth and nodes with each action. 99 % of the matches are
written first, then all, then nothing is new. The database stays in --folder and serves later calls.

Prints a line a report: seconds, seconds of processor time in all and a match that was new, the peak memory of
all processes together (proportional set size), files, bytes and bytes a page of a match, and the size of the
first page.
"""

import argparse
import itertools
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tourney.games.base import AnyGame
from tourney.games.registry import find_game
from tourney.match.record import Outcome, make_record
from tourney.match.referee import Referee
from tourney.match.result import LogLine, PlayedMatch
from tourney.match.spec import Entrant, Limits, MatchSpec
from tourney.run.engine.recorder import pair_next, spec_of
from tourney.seeds import derive, stream
from tourney.store.repository import Repository
from tourney.store.values import MatchResult, Plan, RunSettings, StoredEntrant, Tournament

SEED = 20261122
GAMES = ("sages-tafl", "seven-sages")
DISTINCT = 1000
CHUNK = 200
POLL_SECONDS = 0.1

Play = tuple[list[tuple[int, str]], Outcome]


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command took."""

    seconds: float
    processor: float
    memory: int


def play_randomly(game: AnyGame, spec: MatchSpec) -> Play:
    """Play a match in which every seat draws its actions."""
    referee = Referee(spec, game)
    draw = stream(spec.seed, "report")
    referee.begin()
    while seat := referee.turn:
        referee.take(seat)
        legal = referee.state.legal_actions()
        referee.act(game.action_string(legal[draw(len(legal))]))
    assert referee.outcome is not None  # noqa: S101 - the match is over
    return list(referee.actions), referee.outcome


def random_plays(
    game: AnyGame, count: int, actions: int | None, options: Mapping[str, str] = MappingProxyType({})
) -> list[Play]:
    """Play random matches of two; ``actions``: only those of this length, to within a tenth."""
    entrants = tuple(Entrant(f"seat-{k}", "random", "1", (), "0" * 64) for k in range(2))
    _, chosen = game.settings(2, dict(options))
    seeds = (derive(SEED, game.name, number) for number in itertools.count())
    specs = (MatchSpec(game.name, tuple(chosen.items()), entrants, seed, Limits()) for seed in seeds)
    plays = (play_randomly(game, spec) for spec in specs)
    wanted = (play for play in plays if actions is None or abs(len(play[0]) - actions) <= actions / 10)
    return list(itertools.islice(wanted, count))


def played(game: AnyGame, spec: MatchSpec, play: Play, number: int) -> PlayedMatch:
    """Return a match of these actions, with what bots report and machines measure."""
    actions, outcome = play
    record = make_record(spec, game.rules, actions, outcome)
    return PlayedMatch(record, log_of(actions, number), measurements(actions, len(spec.seats), number))


def log_of(actions: list[tuple[int, str]], number: int) -> tuple[LogLine, ...]:
    """Return what the bots of a match report with their actions."""
    return tuple(
        LogLine(
            ply,
            seat,
            "info",
            f"score={(ply * number) % 41 / 10 - 2:.1f} depth={3 + ply % 9} nodes={ply * 977}",
        )
        for ply, (seat, _) in enumerate(actions)
        if seat
    )


def measurements(actions: list[tuple[int, str]], seats: int, number: int) -> dict[str, Any]:
    """Return what a machine measures of a match."""
    return {
        "started": "2026-11-22T09:00:00Z",
        "wall-ms": 9 * len(actions),
        "host": "workbench",
        "sandbox": {"level": "auto", "kind": "bubblewrap", "protections": {"network": "enforced"}},
        "times-ms": [None if seat == 0 else (ply * number) % 97 / 4 for ply, (seat, _) in enumerate(actions)],
        "seats": [{"wall-ms": 4, "cpu-ms": None, "turns": len(actions) // 2} for _ in range(seats)],
        "reproducible": True,
        "why-not": [],
    }


def begin(
    repository: Repository,
    game: AnyGame,
    matches: int,
    entrants: int,
    chosen: Mapping[str, str] = MappingProxyType({}),
) -> Tournament:
    """Store a round-robin tournament of at least these matches; ``chosen`` are options of the game."""
    seats, options = game.settings(2, dict(chosen))
    games = 2 * -(-matches // (entrants * (entrants - 1)))
    plan = Plan("bench", game.name, game.rules, tuple(options.items()), "round-robin", seats, games)
    bots = [
        StoredEntrant(k, Entrant(f"bot-{k + 1:02d}", "random", "1.0", (), f"{k:064x}"))
        for k in range(entrants)
    ]
    made = repository.begin(
        plan, seed=SEED, seed_chosen=True, run=RunSettings(), entrants=bots, created="2026-11-22T08:00:00Z"
    )
    while pair_next(repository, made.id):
        pass
    return repository.tournament_by_id(made.id)


def add(repository: Repository, tournament: Tournament, plays: list[Play], most: int) -> None:
    """Store matches until there are ``most``."""
    game = find_game(tournament.game)
    entrants = repository.entrants(tournament.id)
    done = repository.progress(tournament.id).done
    batch: list[MatchResult] = []
    for number, row in list(repository.pending(tournament.id))[: max(0, most - done)]:
        spec = spec_of(tournament, entrants, row)
        batch.append(MatchResult(number, played(game, spec, plays[number % len(plays)], number)))
        if len(batch) == CHUNK:
            repository.record_results(tournament.id, batch)
            batch = []
    repository.record_results(tournament.id, batch)


def measure(words: list[str]) -> Cost:
    """Run a command to its end."""
    start = time.monotonic()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    peak = 0
    over = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not over.wait(POLL_SECONDS):
            peak = max(peak, sum(map(memory_of, tree_of(process.pid))))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)  # with the processes that it has waited for
        process.returncode = os.waitstatus_to_exitcode(status)
    finally:
        over.set()
        watcher.join()
    if status:
        raise SystemExit(f"{' '.join(words)} failed")
    return Cost(time.monotonic() - start, usage.ru_utime + usage.ru_stime, peak)


def tree_of(pid: int) -> Iterator[int]:
    """Yield a process and its descendants."""
    yield pid
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:
        return
    for child in children:
        yield from tree_of(int(child))


def memory_of(pid: int) -> int:
    """Return a process's proportional set size in bytes, 0 if it is gone."""
    try:
        found = re.search(r"^Pss:\s+(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0


def line(what: str, cost: Cost, out: Path, new: int) -> str:
    """Return a report's line of the table; ``new`` matches were new."""
    files = [path for path in out.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    pages = [path.stat().st_size for path in files if path.parent.name == "matches"]
    index = (out / "index.html").stat().st_size
    each = 1000 * cost.processor / max(1, new)
    return (
        f"| {what} | {cost.seconds:.1f} | {cost.processor:.1f} | {f'{each:.1f}' if new else '-'} |"
        f" {cost.memory / 1e6:.0f} | {len(files):,} |"
        f" {size / 1e6:.1f} | {sum(pages) / len(pages) / 1e3:.1f} | {max(pages) / 1e3:.1f} |"
        f" {index / 1e3:.1f} |"
    )


def main(arguments: list[str] | None = None) -> None:
    """Play, write and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--matches", type=int, default=10_000)
    parser.add_argument("--entrants", type=int, default=50)
    parser.add_argument("--game", action="append", help=f"default: {' and '.join(GAMES)}")
    parser.add_argument("--actions", type=int, help="length of the matches, to within a tenth")
    parser.add_argument("--distinct", type=int, default=DISTINCT)
    parser.add_argument("--processes", type=int)
    parser.add_argument("--folder", type=Path, help="where database and report go; default: a new folder")
    chosen = parser.parse_args(arguments)
    folder = chosen.folder or Path(tempfile.mkdtemp(prefix="tourney-report-"))
    folder.mkdir(parents=True, exist_ok=True)
    for name in chosen.game or GAMES:
        measure_game(find_game(name), folder, chosen)


def measure_game(game: AnyGame, folder: Path, chosen: argparse.Namespace) -> None:
    """Write the reports of one game's tournament and print the table."""
    matches: int = chosen.matches
    name = f"{game.name}-{chosen.entrants}-{matches}" + (f"-{chosen.actions}" if chosen.actions else "")
    db, out = folder / f"{name}.db", folder / name
    plays = random_plays(game, min(chosen.distinct, matches), chosen.actions)
    length = sum(len(actions) for actions, _ in plays) / len(plays)
    print(f"{game.name}: {matches:,} matches of {length:.0f} actions in {folder}")
    command = [sys.executable, "-m", "tourney", "report", "--quiet", "--db", str(db), "--out", str(out)]
    command += ["--processes", str(chosen.processes)] if chosen.processes else []
    print(
        "| report | s | CPU s | CPU ms a new match | MB of memory | files | MB | KB a match | largest |",
        end="",
    )
    print(" KB of index.html |\n|---|---|---|---|---|---|---|---|---|---|", flush=True)
    first = matches * 99 // 100
    with Repository.open(str(db), create=True, write=True) as repository:
        tournament = (
            repository.tournament("bench")
            if repository.tournaments()
            else begin(repository, game, matches, chosen.entrants)
        )
        add(repository, tournament, plays, first)
        print(line("99 % of the matches, anew", measure(command), out, first), flush=True)
        add(repository, tournament, plays, matches)
        print(line("1 % more", measure(command), out, matches - first), flush=True)
        print(line("nothing new", measure(command), out, 0), flush=True)


if __name__ == "__main__":
    main()
