"""Make ``engines/ladder.md``, the ratings of the rungs, and the records that tests play again.

``make ladder`` plays ``engines/ladder/*.toml`` into a database and then calls this: the ladders whose
tournaments are in the database are measured again and written to ``ratings.toml``; the others stay as they
are. The page contains only what that file has.
"""

import json
import sys
import tomllib
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from tourney.bots.catalogue.shipped import FOLDER, RATINGS, Rung, ladder_of
from tourney.errors import TourneyError, UsageError
from tourney.files import write_file
from tourney.games.registry import find_game
from tourney.match.record import Record
from tourney.ratings.batch import differences
from tourney.ratings.counts import Clusters
from tourney.results.ratings import rate_batch
from tourney.store.database import Database
from tourney.store.values import Tournament

PAGE: Final = "ladder.md"
_LADDER: Final = "ladder-"
"""What the names of ladders' tournaments begin with."""
_OTHERS: Final = {
    "castellan": "`castellan` against `mcts`: what the searched set-ups are worth",
    "skipper": "`skipper`, a bot in C",
    "skipper-nodes": "`skipper` with 400,000 nodes against its usual 100,000",
}
"""The tournaments that are not ladders, by name, with their titles on the page."""
_SEARCHES: Final = ("mcts", "castellan")
"""Bots whose weaker rungs are quick to play again."""
SAMPLED: Final = 2
"""The records of each ladder that are kept."""

_HEAD: Final = """# The anchor ladders

Each game has a row of bots that ship, from `random` to long searches: its *ladder*. The bots play fixed
numbers of nodes, so every match of these tournaments reproduces to the digest. `@ladder` in a tournament file
enters a ladder, and [`tourney ladder`](../docs/how-to/ladder.md) places a bot on it.

`make ladder` plays the tournaments of [`engines/ladder/`](ladder) again and rewrites this page, and
`make ladder LADDERS=element-3` plays one of them. Elo is relative to the mean of the table. *Above* is by how
much a rung is stronger than the one before it, with its 95 % interval: that of
`tourney ratings --show pairs`, which counts games that share dice or an opening as one observation. The other
columns have the points against each bot of the table: 1 for each game finished ahead of it, 1/2 for a shared
rank. Where the interval begins below 0, these games do not show that the rung is the stronger one.
"""


def measure(repository: Database, tournament: Tournament, rungs: Sequence[Rung]) -> dict[str, Any]:
    """Return what the page says of a finished tournament. Raises UsageError for one that is not finished."""
    if tournament.root is None:
        raise UsageError(f"{tournament.name} is not finished; run it again")
    names = {
        entrant.number: entrant.entrant.name for entrant in repository.tournaments.entrants(tournament.id)
    }
    batch = rate_batch(repository, tournament, "loss")
    order = [line.entrant for line in reversed(batch.ratings)]
    # Not the core's mean, as in other tables: the lowest rungs may score nothing, and the page has one scale.
    clusters = Clusters(shared_dice=tournament.plan.mirrored_dice)
    clusters.take(repository.matches.results(tournament.id))
    share = 1 / len(order)
    contrasts = [{other: float(other == one) - share for other in order} for one in order]
    elo = differences(clusters.counts(order, tournament.seats), contrasts)
    ratings = {names[number]: list(values) for number, values in zip(order, elo, strict=True)}
    points: dict[str, dict[str, float]] = {name: {} for name in ratings}
    above: dict[tuple[str, str], list[float]] = {}
    for pair in batch.pairs:
        a, b = names[pair.a], names[pair.b]
        points[a][b], points[b][a] = pair.points, pair.games - pair.points
        above[a, b] = [pair.elo, pair.low, pair.high]
        above[b, a] = [-pair.elo, -pair.high, -pair.low]
    steps = {upper.name: above[upper.name, lower.name] for lower, upper in pairwise(rungs)}
    return {
        "name": tournament.name,
        "game": tournament.game,
        "seats": tournament.seats,
        "matches": batch.pool.matches,
        "groups": batch.pool.clusters,
        "games": batch.pairs[0].games,
        "root": tournament.root,
        "ratings": ratings,
        "steps": steps,
        "points": points,
    }


def ratings_text(ladders: Sequence[Mapping[str, Any]]) -> str:
    """The text of ``ratings.toml``; a tournament that is not a ladder is ``other``."""
    lines = ["# Written by `make ladder`: what the tournaments gave."]
    for ladder in ladders:
        kind = "ladder" if ladder["name"].startswith(_LADDER) else "other"
        lines += ["", f"[[{kind}]]"]
        lines += [
            f"{key} = {json.dumps(value)}" for key, value in ladder.items() if not isinstance(value, dict)
        ]
        for part in ("ratings", "steps", "points"):
            lines.append(f"[{kind}.{part}]")
            for name, value in ladder[part].items():
                if isinstance(value, dict):
                    inside = ", ".join(f"{json.dumps(other)} = {points}" for other, points in value.items())
                    lines.append(f"{json.dumps(name)} = {{ {inside} }}")
                else:
                    lines.append(f"{json.dumps(name)} = {json.dumps(value)}")
    return "\n".join(lines) + "\n"


def page_text(ladders: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of the page."""
    return "".join([_HEAD, *(f"\n{_section(ladder)}" for ladder in ladders)])


def _section(ladder: Mapping[str, Any]) -> str:
    game, seats = ladder["game"], ladder["seats"]
    stem = ladder["name"].removeprefix(_LADDER)
    names = list(ladder["ratings"])
    head = ["", "Elo", "95 % interval", "above", *names]
    rows = [head, ["---", *("---:" for _ in head[1:])]]
    for name in reversed(names):
        elo, low, high = ladder["ratings"][name]
        row = [
            f"`{name}`",
            f"{elo:+.0f}",
            f"{low:+.0f} .. {high:+.0f}",
        ]
        step = ladder["steps"].get(name)
        row.append("" if step is None else f"{step[0]:.0f} ({step[1]:.0f} .. {step[2]:.0f})")
        row += [f"{ladder['points'][name][other]:g}" if other != name else "" for other in names]
        rows.append(row)
    return "\n".join(
        [
            f"## {_OTHERS.get(stem) or f'{find_game(game).title}, {seats} seats'}",
            "",
            f"`tourney run engines/ladder/{stem}.toml`: {ladder['matches']:,} matches in",
            f"{ladder['groups']:,} mirrored groups, {ladder['games']} games for each two bots; root",
            f"`{ladder['root']}`.",
            "",
            *("| " + " | ".join(row) + " |" for row in rows),
            "",
        ]
    )


def sample_of(repository: Database, tournament: Tournament, names: Sequence[str]) -> list[Record]:
    """Return the shortest matches in which only the given entrants play, in schedule order."""
    found = [
        (len(record.actions), number, record)
        for number, record in repository.records.all(tournament.id)
        if all(seat.name in names for seat in record.seats)
    ]
    shortest = sorted(found, key=lambda row: row[:2])[:SAMPLED]
    return [record for _, _, record in sorted(shortest, key=lambda row: row[1])]


def _quick(rungs: Sequence[Rung]) -> list[str]:
    """The names of the two weakest searches, or of the only one and ``greedy``."""
    searches = [rung.name for rung in rungs if rung.bot in _SEARCHES][:2]
    return searches if len(searches) == 2 else ["greedy", *searches]


def make(databases: Sequence[str], folder: Path) -> None:
    """Measure the finished tournaments of databases; write ratings, records and the page below a folder."""
    known = {}
    if (folder / FOLDER / RATINGS).is_file():
        old = tomllib.loads((folder / FOLDER / RATINGS).read_text(encoding="utf-8"))
        known = {ladder["name"]: ladder for kind in ("ladder", "other") for ladder in old.get(kind, ())}
    for database in databases:
        with Database.open(database) as repository:
            for tournament in repository.tournaments.all():
                rungs = ladder_of(tournament.game, tournament.seats)
                is_ladder = tournament.name.startswith(_LADDER)
                known[tournament.name] = measure(repository, tournament, rungs if is_ladder else ())
                if is_ladder and (records := sample_of(repository, tournament, _quick(rungs))):
                    path = folder / FOLDER / f"{tournament.name.removeprefix(_LADDER)}.jsonl"
                    write_file(path, b"".join(record.encode() + b"\n" for record in records))
    ordered = [known[name] for name in sorted(known)]
    write_file(folder / FOLDER / RATINGS, ratings_text(ordered).encode())
    write_file(folder / PAGE, page_text(ordered).encode())


def main(arguments: list[str]) -> int:
    """Read databases and rewrite the files of a folder of bots; return the exit code."""
    if len(arguments) < 2:
        sys.stderr.write("usage: python -m scripts.make_ladder DATABASE ... ENGINES\n")
        return 2
    try:
        make(arguments[:-1], Path(arguments[-1]))
    except (OSError, TourneyError) as error:
        sys.stderr.write(f"error: {error}\n")
        return getattr(error, "exit_code", 3)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
