"""Every format in three ways: with one worker, with two, and killed twice. All results must be equal.

    python -m benchmarks.formats [--only swiss,pods] [--keep DIR]

Real runs of real bots: one crashes, and one never starts, so that it is benched. A third waits for
permission to play, so that the kills come halfway. The records' digests, the standings, the ratings and every
file of the report must be equal; otherwise the exit code is 1.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.soak import NAME, Broken, Runner, digests, said, sound, stored, tourney, write

GATED = """#!/bin/sh
# The store keeps this file four folders below the tournament's own.
home=../../../..
admitted() {
    [ -e $home/open ] && return
    for ticket in $home/tickets/*; do
        rm "$ticket" 2>/dev/null && return
    done
    false
}
asked=
while read -r word rest; do
    case $word in
        tourney) echo "bot wants=legal";;
        game) echo ready;;
        legal) action=${rest%% *};;
        go)
            if [ -z "$asked" ]; then
                asked=yes
                if ! admitted; then
                    : >$home/waiting/$$
                    until admitted; do sleep 0.05; done
                    rm $home/waiting/$$
                fi
            fi
            echo "move $action";;
        quit) exit 0;;
    esac
done
"""
"""Plays first what is legal, as ``first`` does, once it has taken a ticket."""
FORMATS = {
    "round-robin": ("round-robin", 2, 4, ""),
    "round-robin-of-4": ("round-robin", 4, 8, ""),
    "swiss": ("swiss", 2, 4, "rounds = 5"),
    "pods": ("swiss", 4, 12, "rounds = 3"),
    "gauntlet": ("gauntlet", 2, 12, ""),
    "knockout": ("knockout", 2, 6, "third-place = true"),
    "adaptive": ("adaptive", 2, 4, "budget = 64\nbatch = 4"),
}
"""Format, seats, games per pairing, and what else its tournament file says."""


def three_ways(folder: Path, name: str) -> dict[str, object]:
    """Play a format in three ways; return the figures. Raises Broken where they do not come to the same."""
    format_, seats, games, more = FORMATS[name]
    began = time.monotonic()
    found = {}
    at: list[int] = []
    for way, workers in (("one-worker", 1), ("two-workers", 2), ("killed", 2)):
        place = folder / way
        write_format(place, format_, seats, games, more)
        database, words = place / "soak.db", ("--workers", str(workers))
        if way == "killed":
            at = [killed(Runner(place, database, words), count) for count in (3, 6)]
        (place / "open").touch()
        if Runner(place, database, words).finish():
            raise Broken(f"{way}: the run failed: {said(place)}")
        found[way] = published(place, database)
        sound(place, database)
    first, *others = found.values()
    if differ := [what for what in first if any(other.get(what) != first[what] for other in others)]:
        raise Broken(f"not the same: {differ}")
    return {
        "matches": len(digests(database)),
        "stored when killed": at,
        "files of the report": len(first) - 3,
        "seconds": round(time.monotonic() - began, 1),
        **{key: value for key, value in sound(place, database).items() if key in {"faults", "void"}},
    }


def killed(runner: Runner, count: int) -> int:
    """Kill a run when the bot that waits was let play so often, and waits again; return what is stored."""
    waiting = runner.folder / "waiting"
    tickets = runner.folder / "tickets"
    for path in waiting.iterdir():
        path.unlink()
    for number in range(count):
        (tickets / str(number)).touch()
    before = stored(runner.database)

    def halfway() -> bool:
        return not any(tickets.iterdir()) and any(waiting.iterdir()) and stored(runner.database) > before

    if not runner.wait(halfway):
        raise Broken(f"the run ended before it was killed: {said(runner.folder)}")
    found = stored(runner.database)
    runner.kill()
    return found


def write_format(folder: Path, format_: str, seats: int, games: int, more: str) -> None:
    """Write a tournament of a format, in which a bot crashes and another never starts."""
    write(folder, 2, ("first", "last", "crash", "nostart"))
    (folder / "first").write_text(GATED, encoding="ascii")
    for name in ("tickets", "waiting"):
        (folder / name).mkdir()
    given = [
        f'name = "{NAME}"',
        'game = "sage-stones"',
        f'format = "{format_}"',
        f"seats = {seats}",
        "seed = 5",
    ]
    given += [more, "opening-plies = 4", f"games-per-pairing = {games}"]
    given += ['bots = ["./first", "./last", "./crash", "./nostart"]']
    for name in ("last-again", "last-once-more"):
        given += ["[[entrant]]", 'bot = "./last"', f'name = "{name}"']
    given += ["[options]", "stones = 5", "[limits]", "move-ms = 3600000", "[run]", 'sandbox = "off"']
    (folder / "soak.toml").write_text("\n".join(given) + "\n", encoding="ascii")


def published(folder: Path, database: Path) -> dict[str, object]:
    """Return what a tournament came to: records' digests, tables, and each file of the report."""
    found: dict[str, object] = {"digests": digests(database)}
    for words in (("standings", "--format", "json"), ("ratings", "--format", "json")):
        found[words[0]] = output(folder, database, *words)
    output(folder, database, "report", "--no-measured", "--out", str(folder / "report"))
    for path in sorted((folder / "report").rglob("*")):
        if path.is_file():
            found[f"report/{path.relative_to(folder / 'report')}"] = path.read_bytes()
    return found


def output(folder: Path, database: Path, *words: str) -> bytes:
    """Run one of Tourney's commands; return what it prints."""
    done = subprocess.run(
        tourney(*words, "--db", str(database)), cwd=folder, capture_output=True, check=False
    )
    if done.returncode:
        raise Broken(f"tourney {' '.join(words)}: {done.stderr.decode('utf-8', 'replace')}")
    return done.stdout


def main() -> int:
    """Play the formats, and print the figures as JSON lines."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default=",".join(FORMATS))
    parser.add_argument("--keep", type=Path, help="work in this folder, and leave all there")
    chosen = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory(prefix="tourney-formats-") as folder:
        base = (chosen.keep or Path(folder)).resolve()
        for name in chosen.only.split(","):
            try:
                figures = three_ways(base / name, name)
            except Broken as error:
                failed = True
                figures = {"FAILED": str(error)}
            print(json.dumps({"format": name, **figures}), flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
