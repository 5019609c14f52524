"""Ways to alter a database, each tried against every check; the outcome is a table in the documentation.

``python -m tests.support.tampering`` rewrites the table of ``docs/reference/verification.md``. With each
alteration the root kept in the database becomes that of the altered one, so that it gives nothing away. The
module is long because it is a list: one entry for each alteration.
"""

import json
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from msgspec.structs import replace

from tests.support import genuine
from tests.support.command import invoke
from tests.support.executors import FuturesExecutor, Immediate
from tests.support.records import as_json, digested
from tourney.bots.catalogue.store import BotStore
from tourney.check.named_seeds import DRAWN, LIMITS, RandomChannel
from tourney.check.reruns import Replay
from tourney.check.root import compute_root
from tourney.errors import StoreDamaged, TourneyError
from tourney.games.registry import find_game
from tourney.match.play import play_match
from tourney.match.player import Player
from tourney.match.record import Record, check_record
from tourney.match.result import NOT_MEASURED, Measurements, PlayedMatch, doubts_of, json_text
from tourney.match.spec import MatchSpec
from tourney.ratings.trueskill import (
    Settings,
    SkillPool,
    TrueSkillMethod,
    dump_pool,
    estimate_draw_probability,
)
from tourney.run.engine.recorder import pair_next
from tourney.run.engine.recorder import spec_of as spec_of_row
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.store.column_reading import pack
from tourney.store.database import Database
from tourney.store.derived import Checkpoint, DrawProbability
from tourney.store.values import RANDOM, MatchResult, Plan, RunSettings, StoredEntrant

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = ROOT / "docs" / "reference" / "verification.md"
CHECKER: Final = ROOT / "seeds" / "check.py"
CHECKS: Final = ("db check", "verify --all", "verify --root", "rerun --all", "check.py")
LETTERS: Final = "abcdef"
MEASURED: Final = Measurements(reproducible=True, wall_ms=5)
MANIFEST: Final = """name = "drawn"
version = "1"
title = "Drawn by lot"
author = "Chance"
games = ["sage-stones"]
command = ["./drawn"]
"""


@dataclass(frozen=True)
class World:
    """A database in a folder, and what its owner knows of it from elsewhere: the root and the bots."""

    folder: Path
    root: str

    @property
    def database(self) -> str:
        """The path of the database."""
        return str(self.folder / "tourney.db")

    def sql(self, *statements: str, values: Mapping[str, object] | None = None) -> None:
        """Alter the database."""
        with closing(sqlite3.connect(self.database)) as connection, connection:
            for statement in statements:
                connection.execute(statement, values or {})

    def record(self, number: int, tournament: int = 1) -> Record:
        """Return a record."""
        with Database.open(self.database) as repository:
            return repository.records.get(tournament, number)

    def put(self, number: int, played: PlayedMatch | None, benched: int | None = None) -> None:
        """Put another result in place of a match's, with every column and row that follows from it.

        What is cached of the old results goes, as it is recomputed when someone asks for it.
        """
        with Database.open(self.database, write=True) as repository:
            if played is not None and played.measured == NOT_MEASURED:
                played = PlayedMatch(played.record, played.log, MEASURED)
            repository.matches.take_back(1, [number])
            repository.matches.add(1, [MatchResult(number, played, "", benched)])
        self.sql(
            "DELETE FROM replaced_result", "DELETE FROM rating_checkpoint", "DELETE FROM draw_probability"
        )

    def edit(self, number: int, change: Callable[[dict[str, Any]], object], *, sound: bool = True) -> None:
        """Alter a record; with ``sound`` its digest and all columns follow."""
        record = as_json(self.record(number))
        change(record)
        if not sound:
            self.sql(
                'UPDATE "match" SET record = :blob WHERE id = :id',
                values={"blob": pack(record), "id": number},
            )
            return
        self.put(number, PlayedMatch(check_record(digested(record)), (), MEASURED))


@cache
def _played(spec: MatchSpec) -> PlayedMatch:
    return genuine.play(spec)


def build(folder: Path) -> World:
    """Make a finished Swiss of six with a void match and a later round-robin, and cached ratings."""
    source = folder / "drawn"
    source.mkdir()
    (source / "bot.toml").write_text(MANIFEST, encoding="ascii")
    (source / "drawn").write_text("#!/bin/sh\n", encoding="ascii")
    (source / "drawn").chmod(0o755)
    digest = BotStore(folder / "tourney-bots").add(source).digest
    path = str(folder / "tourney.db")
    rules = find_game("sage-stones")
    options = tuple(sorted(rules.settings(2, {})[1].items()))
    with Database.open(path, create=True) as repository:
        for name, format_, count, rounds in (("cup", "swiss", 6, 3), ("other", "round-robin", 3, None)):
            plan = Plan(name, "sage-stones", rules.rules, options, format_, 2, 2, rounds, 2, limits=LIMITS)
            entrants = [
                StoredEntrant(
                    number,
                    replace(DRAWN, name=LETTERS[number], digest=digest),
                    title="Drawn by lot",
                    author="Chance",
                    line=json.dumps({"bot": "drawn", "name": LETTERS[number], "args": []}),
                )
                for number in range(count)
            ]
            made = repository.tournaments.add(
                plan, seed=7, origin=RANDOM, run=RunSettings(), entrants=entrants, created="2026-11-20"
            )
            while pair_next(repository, made.id):
                play_on(repository, made.id)
            repository.tournaments.keep_root(
                made.id, compute_root(repository, repository.tournaments.by_id(made.id)) or ""
            )
        results = list(repository.matches.results(1))
        pool = SkillPool.of(range(6), Settings()).after(results, "loss")
        repository.ratings.keep_checkpoint(1, TrueSkillMethod().key("loss"), Checkpoint(18, dump_pool(pool)))
        estimated = DrawProbability(estimate_draw_probability(results), "cup", len(results))
        repository.ratings.keep_draw_probability("sage-stones", 2, estimated)
        return World(folder, repository.tournaments.all()[0].root or "")


def play_on(repository: Database, tournament: int) -> None:
    """Play what is drawn; match 2 is void."""
    stored, entrants = repository.tournaments.by_id(tournament), repository.tournaments.entrants(tournament)
    results = []
    for number, row in repository.schedules.pending(tournament):
        one = _played(spec_of_row(stored, entrants, row))
        played = PlayedMatch(one.record, genuine.LOG, MEASURED)
        results.append(MatchResult(number, None if number == 2 else played, "no sandbox" * (number == 2)))
    repository.matches.add(tournament, results)


# -- the checks ---------------------------------------------------------------------------------------------


def outcomes(world: World) -> dict[str, str]:
    """Return what each check says of a database: "yes" where it finds something, "no", or "named"."""
    words = ("--db", world.database)
    bots = ("--bots", str(world.folder / "tourney-bots"))
    checked = {
        "db check": invoke("db", "check", *words).exit_code != 0,
        "verify --root": invoke("verify", "--root", world.root, *words).exit_code != 0,
        "check.py": _checker_finds(world),
    }
    verified = invoke("verify", "--all", *words, *bots)
    found = {name: "yes" if bad else "no" for name, bad in checked.items()}
    incomplete = verified.stdout.count(" is whole: ") != 2
    found["verify --all"] = "yes" if verified.exit_code else "says unfinished" if incomplete else "no"
    found["rerun --all"] = _rerun(world)
    return {check: found[check] for check in CHECKS}


def _rerun(world: World) -> str:
    """Play all records again in this process, as ``tourney rerun --all`` does by worker processes."""

    def answer(task: MatchTask) -> WorkerReply:
        return WorkerReply(task.number, _played(task.spec))

    try:
        with Database.open(world.database) as repository:
            places = [
                (t.id, number)
                for t in repository.tournaments.all()
                for number, _ in repository.records.all(t.id)
            ]
            known = BotStore(world.folder / "tourney-bots").entries()[0].digest

            def load(index: int) -> tuple[Record, tuple[str, ...]]:
                record = repository.records.get(*places[index])
                measured = NOT_MEASURED
                with suppress(StoreDamaged):
                    measured = repository.records.measured(*places[index])
                return record, doubts_of(record, measured)

            digests = {seat.digest for index in range(len(places)) for seat in load(index)[0].seats}
            replay = Replay(
                len(places),
                load,
                FuturesExecutor(Immediate, answer),
                bots=world.folder,
                sandbox="off",
                missing=dict.fromkeys(digests - {known}, "the store has no such bot"),
            )
            kinds = {one.kind for one in replay.run()}
    except TourneyError:
        return "yes"
    if kinds & {"different", "not played"}:
        return "yes"
    return "not promised" if "not promised" in kinds else "no"


def _checker_finds(world: World) -> bool:
    """Check the export of both tournaments without Tourney."""
    files = []
    with closing(sqlite3.connect(world.database)) as connection:
        names = [str(name) for (name,) in connection.execute("SELECT name FROM tournament")]
    for name in names:
        file = world.folder / f"{name}.jsonl"
        file.unlink(missing_ok=True)
        if invoke(
            "export", name, "--what", "tournament", "--db", world.database, "--out", str(file)
        ).exit_code:
            return True
        files.append(str(file))
    done = subprocess.run([sys.executable, str(CHECKER), *files], capture_output=True, check=False)
    return done.returncode != 0


# -- the alterations ----------------------------------------------------------------------------------------


def _sql(*statements: str) -> Callable[[World], None]:
    return lambda world: world.sql(*statements)


def _plan(change: Callable[[dict[str, Any]], object]) -> Callable[[World], None]:
    """Alter the plan of the cup."""

    def alter(world: World) -> None:
        with closing(sqlite3.connect(world.database)) as connection:
            plan = json.loads(connection.execute("SELECT plan FROM tournament WHERE id = 1").fetchone()[0])
        change(plan)
        world.sql("UPDATE tournament SET plan = :plan WHERE id = 1", values={"plan": json.dumps(plan)})

    return alter


def _remove(where: str, *more: str) -> Callable[[World], None]:
    """Remove matches of the cup without a trace."""
    ids = f"(SELECT id FROM schedule WHERE tournament_id = 1 AND {where})"  # noqa: S608 - our own words
    return _sql(
        *(f"DELETE FROM {table} WHERE match_id IN {ids}" for table in ("seat", "log", "measured")),  # noqa: S608 - likewise
        f'DELETE FROM "match" WHERE id IN {ids}',  # noqa: S608 - likewise
        f"DELETE FROM schedule WHERE tournament_id = 1 AND {where}",  # noqa: S608 - likewise
        *more,
    )


def _rename(world: World) -> None:
    _plan(lambda plan: plan.update(name="cap"))(world)
    world.sql("UPDATE tournament SET name = 'cap' WHERE id = 1")


def _import(world: World) -> None:
    _plan(lambda plan: plan.update(format="import", rounds=None))(world)
    world.sql("UPDATE tournament SET format = 'import', seed_chosen = 1 WHERE id = 1")


def _swap_seats(record: dict[str, Any]) -> None:
    record["outcome"]["ranks"].reverse()


def _first_action(record: dict[str, Any]) -> int:
    return next(k for k, (actor, _) in enumerate(record["actions"][10:], 10) if actor)


def _drop_action(record: dict[str, Any]) -> None:
    del record["actions"][_first_action(record)]


def _other_dice(record: dict[str, Any]) -> None:
    rolls = [k for k, (actor, _) in enumerate(record["actions"]) if not actor]
    first, last = rolls[0], next(k for k in rolls if record["actions"][k] != record["actions"][rolls[0]])
    record["actions"][first], record["actions"][last] = record["actions"][last], record["actions"][first]


def _flip_byte(world: World) -> None:
    with closing(sqlite3.connect(world.database)) as connection:
        blob = bytearray(connection.execute('SELECT record FROM "match" WHERE id = 5').fetchone()[0])
    blob[len(blob) // 2] ^= 1
    world.sql('UPDATE "match" SET record = :blob WHERE id = 5', values={"blob": bytes(blob)})


class _Other(RandomChannel):
    """A bot that plays by other draws: its matches are sound, but not those of the bot drawn."""

    def __init__(self) -> None:
        super().__init__()
        self._turn = 0

    def send(self, data: bytes) -> None:
        """Play on from a later draw."""
        before = self._seed
        super().send(data)
        if self._seed != before:
            self._turn = 1000


def _forge(measured: Measurements = MEASURED) -> Callable[[World], None]:
    """Put a match that the rules and the dice allow, with actions that its bots did not choose."""

    def alter(world: World) -> None:
        spec = world.record(17).spec
        forged = play_match(spec, find_game(spec.game), [Player(_Other()) for _ in spec.seats])
        assert forged.digest != world.record(17).digest
        world.put(17, PlayedMatch(forged.record, (), measured))

    return alter


def _forged_timeout(world: World) -> None:
    def cut(record: dict[str, Any]) -> None:
        place = _first_action(record)
        seat = record["actions"][place][0]
        del record["actions"][place:]
        record["outcome"] = {
            "ranks": [2, 1] if seat == 1 else [1, 2],
            "reason": "fault",
            "faults": [[seat, "timeout", place]],
        }

    world.edit(17, cut)


def _resigned(world: World) -> None:
    """Let the opponent of a bot that crashed resign; the mark beside the record still names the crash."""

    def cut(record: dict[str, Any]) -> None:
        place = _first_action(record)
        seat = record["actions"][place][0]
        del record["actions"][place:]
        ranks = [2, 1] if seat == 1 else [1, 2]
        record["outcome"] = {"ranks": ranks, "reason": "resign", "faults": [], "resigned": [[seat, place]]}

    world.edit(17, cut)
    data = pack({"reproducible": False, "wall-ms": 5, "why-not": ["crash"]})
    world.sql("UPDATE measured SET data = :data WHERE match_id = 17", values={"data": data})
    world.sql('UPDATE "match" SET reproducible = 0 WHERE id = 17')


def _other_seed(world: World) -> None:
    spec = world.record(17).spec
    world.put(17, _played(replace(spec, seed=spec.seed + 1)))


def _from_other(world: World) -> None:
    world.put(17, PlayedMatch(world.record(3, 2)))


def _swap_matches(world: World) -> None:
    one, two = world.record(17), world.record(15)
    world.put(17, PlayedMatch(two))
    world.put(15, PlayedMatch(one))


def _swap_results(world: World) -> None:
    """Exchange two matches by their places in the schedule, and leave the rows of the results."""
    world.sql(
        "UPDATE schedule SET number = 1000, round_no = 99 WHERE id = 15",
        "UPDATE schedule SET number = 15, table_no = 2 WHERE id = 17",
        "UPDATE schedule SET number = 17, round_no = 3, table_no = 3 WHERE id = 15",
    )


def _unplayed_made(world: World) -> None:
    with Database.open(world.database) as repository:
        row = dict(repository.schedules.rows(1))[2]
        spec = spec_of_row(repository.tournaments.all()[0], repository.tournaments.entrants(1), row)
    forged = play_match(spec, find_game(spec.game), [Player(_Other()) for _ in spec.seats])
    world.put(2, forged)


def _genuine_for_void(world: World) -> None:
    with Database.open(world.database) as repository:
        row = dict(repository.schedules.rows(1))[2]
        world.put(
            2, _played(spec_of_row(repository.tournaments.all()[0], repository.tournaments.entrants(1), row))
        )


def _replayed(world: World) -> None:
    """Play the whole cup again under another seed, until the first entrant wins it."""
    with Database.open(world.database, write=True) as repository:
        old = repository.tournaments.all()[0]
        entrants = repository.tournaments.entrants(1)
    for table, key in (
        ("seat", "match_id"),
        ("log", "match_id"),
        ("measured", "match_id"),
        ('"match"', "id"),
    ):
        world.sql(f"DELETE FROM {table} WHERE {key} IN (SELECT id FROM schedule WHERE tournament_id = 1)")  # noqa: S608 - our own words
    world.sql(
        "DELETE FROM schedule WHERE tournament_id = 1",
        "DELETE FROM rating_checkpoint",
        "DELETE FROM draw_probability",
        "UPDATE tournament SET seed = '8', complete = 0, root = NULL WHERE id = 1",
    )
    assert (old.seed, len(entrants)) == (7, 6)
    with Database.open(world.database, write=True) as repository:
        while pair_next(repository, 1):
            play_on(repository, 1)


def _pool(world: World) -> None:
    with Database.open(world.database, write=True) as repository:
        [(settings, kept)] = repository.ratings.checkpoints(1)
        kept.state["skills"][0][1] = (40.0).hex()
        repository.ratings.keep_checkpoint(1, settings, kept)


def _trigger(world: World) -> None:
    world.sql("CREATE TRIGGER win AFTER INSERT ON seat BEGIN UPDATE seat SET rank = 1 WHERE entrant = 0; END")


def _log(world: World) -> None:
    world.sql(
        "UPDATE log SET lines = :lines WHERE match_id = 5", values={"lines": zlib.compress(json_text(()))}
    )


def _measured(world: World) -> None:
    data = pack({"reproducible": True, "wall-ms": 1})
    world.sql("UPDATE measured SET data = :data WHERE match_id = 5", values={"data": data})


ALTERATIONS: Final[dict[str, Callable[[World], None]]] = {
    # the tournament
    "the tournament's name": _rename,
    "the column `game` alone": _sql("UPDATE tournament SET game = 'element' WHERE id = 1"),
    "a Swiss relabelled an import": _import,
    "the tournament's seed": _sql("UPDATE tournament SET seed = '8' WHERE id = 1"),
    "`seed_chosen`": _sql("UPDATE tournament SET seed_chosen = 1 WHERE id = 1"),
    "a limit in the plan": _plan(lambda plan: plan["limits"].update({"move-ms": 5})),
    "an option in the plan": _plan(lambda plan: plan["options"].update({next(iter(plan["options"])): "5"})),
    "fewer rounds in the plan": _plan(lambda plan: plan.update(rounds=2)),
    "games per pairing in the plan": _plan(lambda plan: plan.update({"games-per-pairing": 4})),
    "opening plies in the plan": _plan(lambda plan: plan.update({"opening-plies": 3})),
    "the version of the rules in the plan": _plan(lambda plan: plan.update(rules="2")),
    "a key taken out of the plan": _plan(lambda plan: plan.pop("limits")),
    "run settings: the sandbox": _sql(
        """UPDATE tournament SET run = replace(run, '"auto"', '"strict"') WHERE id = 1"""
    ),
    "run settings: an entrant withdrawn": _sql(
        """UPDATE tournament SET run = replace(run, '"withdrawn":[]', '"withdrawn":["b"]') WHERE id = 1"""
    ),
    "run settings: reuse": _sql(
        """UPDATE tournament SET run = replace(run, '"reuse":false', '"reuse":true') WHERE id = 1"""
    ),
    "the mark `complete` taken away": _sql("UPDATE tournament SET complete = 0 WHERE id = 1"),
    "the date of the start": _sql("UPDATE tournament SET created = '2030-01-01' WHERE id = 1"),
    "the stored root": _sql(f"UPDATE tournament SET root = '{'5' * 64}' WHERE id = 1"),  # noqa: S608 - our own words
    # entrants
    "an entrant's title": _sql(
        "UPDATE entrant SET title = 'Champion' WHERE tournament_id = 1 AND number = 1"
    ),
    "an entrant's author": _sql("UPDATE entrant SET author = 'Me' WHERE tournament_id = 1 AND number = 1"),
    "an entrant's name": _sql("UPDATE entrant SET name = 'z' WHERE tournament_id = 1 AND number = 1"),
    "a bot's version": _sql("UPDATE entrant SET version = '2' WHERE tournament_id = 1 AND number = 1"),
    "a bot's digest": _sql(
        f"UPDATE entrant SET digest = '{'a' * 64}' WHERE tournament_id = 1 AND number = 1"  # noqa: S608 - our own words
    ),
    "a bot's arguments": _sql(
        """UPDATE entrant SET args = '["-x"]' WHERE tournament_id = 1 AND number = 1"""
    ),
    "two entrants exchanged": _sql(
        "UPDATE entrant SET name = 'tmp' WHERE tournament_id = 1 AND number = 1",
        "UPDATE entrant SET name = 'b' WHERE tournament_id = 1 AND number = 2",
        "UPDATE entrant SET name = 'c' WHERE tournament_id = 1 AND number = 1",
    ),
    "the round an entrant joined": _sql(
        "UPDATE entrant SET joined = 2 WHERE tournament_id = 1 AND number = 5"
    ),
    "a withdrawal, in both places": _sql(
        "UPDATE entrant SET left_at = 3 WHERE tournament_id = 1 AND number = 1",
        """UPDATE tournament SET run = replace(run, '"withdrawn":[]', '"withdrawn":["b"]') WHERE id = 1""",
    ),
    "an entrant's rating": _sql("UPDATE entrant SET rating = 90000 WHERE tournament_id = 1 AND number = 5"),
    "an entrant's line of the file": _sql(
        """UPDATE entrant SET line = replace(line, '"args": []', '"args": ["-x"]')"""
        " WHERE tournament_id = 1 AND number = 1"
    ),
    "why a bot is broken": _sql("UPDATE entrant SET broken = 'rain' WHERE tournament_id = 1 AND number = 1"),
    "an entrant added": _sql(
        "INSERT INTO entrant (tournament_id, number, name, bot, version, args, digest, title, author, joined,"
        " line) SELECT tournament_id, 6, 'g', bot, version, args, digest, title, author, joined, ''"
        " FROM entrant WHERE tournament_id = 1 AND number = 0"
    ),
    "an entrant removed": _sql("DELETE FROM entrant WHERE tournament_id = 1 AND number = 5"),
    # the schedule
    "the last round removed": _remove("round_no = 3"),
    "the last round removed, and the mark `complete`": _remove(
        "round_no = 3",
        "UPDATE tournament SET complete = 0, root = NULL WHERE id = 1",
        "DELETE FROM rating_checkpoint",
    ),
    "a match removed with its place": _remove("number = 9"),
    "the result of an early match removed": _sql(
        "DELETE FROM seat WHERE match_id = 3", 'DELETE FROM "match" WHERE id = 3'
    ),
    "the result of the last match removed": _sql(
        "DELETE FROM rating_checkpoint",
        *(f"DELETE FROM {table} WHERE match_id = 18" for table in ("seat", "log", "measured")),  # noqa: S608 - our own words
        'DELETE FROM "match" WHERE id = 18',
    ),
    "the seats of a place exchanged": _sql(
        "UPDATE schedule SET seating = substr(seating, 3) || ',' || substr(seating, 1, 1) WHERE id = 13"
    ),
    "a place added": _sql("INSERT INTO schedule VALUES (99, 1, 19, 4, 1, 1, 1, '0,1')"),
    "two places of a round exchanged": _swap_results,
    "a round renumbered": _sql("UPDATE schedule SET round_no = 4 WHERE tournament_id = 1 AND round_no = 3"),
    # matches
    "ranks beside a record": _sql(
        "UPDATE \"match\" SET ranks = CASE ranks WHEN '1,2' THEN '2,1' ELSE '1,2' END WHERE id = 17"
    ),
    "ranks beside a record, and the rows of its seats": _sql(
        "UPDATE \"match\" SET ranks = CASE ranks WHEN '1,2' THEN '2,1' ELSE '1,2' END WHERE id = 17",
        "UPDATE seat SET rank = 3 - rank WHERE match_id = 17",
    ),
    "the digest beside a record": _sql(f"UPDATE \"match\" SET digest = '{'a' * 64}' WHERE id = 17"),  # noqa: S608 - our own words
    "the reason of an end": _sql("UPDATE \"match\" SET reason = 'resign' WHERE id = 17"),
    "the mark `reproducible`": _sql('UPDATE "match" SET reproducible = 0 WHERE id = 17'),
    "the note of a void match": _sql("UPDATE \"match\" SET note = 'rain' WHERE id = 2"),
    "one bit of a packed record": _flip_byte,
    "an action of a record": lambda world: world.edit(17, _drop_action, sound=False),
    "an action of a record, with a new digest": lambda world: world.edit(17, _drop_action),
    "the dice of a record, with a new digest": lambda world: world.edit(17, _other_dice),
    "the ranks in a record, with a new digest": lambda world: world.edit(17, _swap_seats),
    "the seed of a record, and its match played by it": _other_seed,
    "a record of another tournament": _from_other,
    "two records exchanged": _swap_matches,
    "a record forged by the rules and the dice": _forge(),
    "a forged record, marked as not promised": _forge(
        replace(MEASURED, reproducible=False, why_not=("reuse",))
    ),
    "a forged time-out": _forged_timeout,
    "a crash made the opponent's resignation, but for the mark": _resigned,
    "a played match made void": lambda world: world.put(17, None),
    "a played match made void by benching": lambda world: world.put(17, None, 0),
    "a void match given a forged record": _unplayed_made,
    "a void match played after all": _genuine_for_void,
    # seats, logs and measurements
    "the ranks of seats": _sql("UPDATE seat SET rank = 3 - rank WHERE match_id = 17"),
    "the entrant of a seat": _sql("UPDATE seat SET entrant = 5 - entrant WHERE match_id = 17"),
    "the row of a seat removed": _sql("DELETE FROM seat WHERE match_id = 17 AND seat = 2"),
    "a log replaced": _log,
    "a log removed": _sql("DELETE FROM log WHERE match_id = 5"),
    "measurements replaced": _measured,
    "measurements damaged": _sql("UPDATE measured SET data = x'00' WHERE match_id = 5"),
    # what is cached, and the database itself
    "a cached rating": _pool,
    "the draw probability of the game": _sql("UPDATE draw_probability SET probability = 0.9"),
    "a result said to be replaced": _sql("INSERT INTO replaced_result VALUES (1, 3, 2, '1,2', ',', 0)"),
    "a presentation added": _sql("""INSERT INTO presentation VALUES (1, '{"title":"Final"}')"""),
    "a verdict added": _sql("INSERT INTO verdict VALUES (1, '{}')"),
    "a baseline added": _sql(
        f"INSERT INTO baseline VALUES ('sage-stones', 'b', 1, '{'a' * 64}', '{{}}')"  # noqa: S608 - our own words
    ),
    "an archive added": _sql(
        f"INSERT INTO archive VALUES (1, 'cup.zip', '{'a' * 64}', '2026-01-01', NULL)"  # noqa: S608 - our own words
    ),
    "an index removed": _sql("DROP INDEX ix_seat_fault"),
    "a trigger added": _trigger,
    "a table removed": _sql("DROP TABLE log"),
    "the version of the database": _sql("UPDATE alembic_version SET version_num = 'v0'"),
    "everything: the whole cup replayed under another seed": _replayed,
}
"""The alterations, by the words of the table."""


def altered(sound: World, folder: Path, name: str) -> World:
    """Return a copy of a world with one alteration, and the root that it has then."""
    for part in ("tourney.db",):
        (folder / part).write_bytes((sound.folder / part).read_bytes())
    (folder / "tourney-bots").symlink_to(sound.folder / "tourney-bots")
    world = World(folder, sound.root)
    ALTERATIONS[name](world)
    if name != "the stored root":
        with suppress(TourneyError), Database.open(world.database, write=True) as repository:
            for tournament in repository.tournaments.all():
                root = compute_root(repository, tournament)
                world.sql(
                    "UPDATE tournament SET root = :root WHERE id = :id",
                    values={"root": root, "id": tournament.id},
                )
    return world


def row(name: str, found: Mapping[str, str]) -> str:
    """Return a line of the table."""
    return (
        f"| {name} | " + " | ".join("-" if found[check] == "no" else found[check] for check in CHECKS) + " |"
    )


def table() -> Iterator[str]:
    """Yield the lines of the table, by trying everything."""
    yield "| altered | " + " | ".join(f"`{check}`" for check in CHECKS) + " |"
    yield "|---" * (len(CHECKS) + 1) + "|"
    with TemporaryDirectory() as first:
        sound = build(Path(first))
        for name in ALTERATIONS:
            with TemporaryDirectory() as folder:
                yield row(name, outcomes(altered(sound, Path(folder), name)))


BEGIN: Final = "<!-- the table of tests/support/tampering.py -->\n"
END: Final = "<!-- its end -->\n"


def write(page: Path = PAGE) -> None:
    """Rewrite the table of the page."""
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    lines = "".join(f"{line}\n" for line in table())
    page.write_text(f"{before}{BEGIN}{lines}{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    write()
