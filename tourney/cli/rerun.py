"""``tourney rerun``: replay matches with the same bots, and compare."""

import secrets
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import click

from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.check.record import rerun
from tourney.check.reruns import Kind, Replay, Replayed, in_order, provide_bots, sample
from tourney.cli import options as opt
from tourney.cli.options import option
from tourney.cli.output import Output, counting, current
from tourney.cli.run_options import ReplayOptions
from tourney.errors import CheckError, InputError, RecordError, StoreDamaged, UnpromisedError, UsageError
from tourney.exchange.importing import Scratch
from tourney.interface.found_match import find_match, is_file
from tourney.match.match_memory import MatchMemory, plan_matches
from tourney.match.record import Record, decode_record, read_record
from tourney.match.result import NOT_MEASURED, Measurements, doubts_of
from tourney.match.runner import MatchRunner, StoreLauncher
from tourney.parsing import read_json_lines
from tourney.run.private_paths import private_paths
from tourney.schema import Document, Part
from tourney.store.database import Database
from tourney.store.values import Tournament
from tourney.texts import counted


class RerunLine(Part, frozen=True, kw_only=True):
    """A replayed match, unless it came out the same as promised."""

    match: str
    outcome: Literal["same", "different", "not promised", "not played"]
    findings: tuple[str, ...]


class RerunDocument(Document, frozen=True, kw_only=True):
    """How matches came out when they were replayed.

    `picked` matches were to be replayed. `holds`: none came out differently, unless that was not
    promised. `seed` is the seed of a sample, a decimal string.
    """

    format: Literal["tourney-rerun/1"] = "tourney-rerun/1"
    holds: bool
    picked: int
    same: int
    different: int
    not_promised: int
    not_played: int
    seed: str | None
    matches: tuple[RerunLine, ...]


class _RerunRequest(opt.CommandOptions):
    everything: bool = option(
        "--all", "Replay all matches of the database; with MATCH, those of a tournament or a file."
    )
    size: int | None = option("--sample N", "Replay N of these matches, drawn at random.")
    seed: int | None = option(
        "--seed S",
        "Seed that the sample is drawn from. [default: a random one, which is printed]",
        type=click.IntRange(0, 2**64 - 1),
    )
    local: ReplayOptions
    format_: object = opt.formats(RerunDocument, formats=opt.TEXT)
    db: str = opt.shared(opt.db_option)
    bots: str = opt.shared(opt.bots_option)


@opt.command("rerun", _RerunRequest)
@click.argument("match", required=False)
def command(match: str | None, options: _RerunRequest) -> None:
    """Replay matches with the same bots, and compare the records.

    MATCH is a number (12 or autumn-cup/12) or a file with one record; with --all or --sample it is a
    tournament or a file of records. The bots come from the bot store, or ship with Tourney, by the digests in
    the records, each in a new process. Prints the first action that differs and exits with code 1 if a match
    comes out differently. A match with a timeout or crash, or one played with reused processes, is not
    promised to reproduce, unless all times were fuel: if only such matches differ, the exit code is 5.

    With --all and --sample, matches are played in parallel, and summed up at the end; those whose bots are
    missing are named, with exit code 2. Ctrl-C finishes the matches in play and sums up; a second one stops
    at once.
    """
    size = options.size
    drawn = options.seed
    output = current()
    if options.everything and size is not None:
        raise UsageError("give one of --all and --sample N")
    if drawn is not None and size is None:
        raise UsageError("--seed S goes with --sample N")
    if not options.everything and size is None:
        if match is None:
            raise UsageError("give MATCH, --all or --sample N")
        _one(match, options, output)
        return
    with _candidates(match, options.db, output) as candidates:
        picked: Sequence[int] = range(candidates.count)
        if size is not None:
            drawn = secrets.randbits(64) if drawn is None else drawn
            # From a printed seed, so that somebody else can draw the same sample.
            picked = sample(candidates.count, size, drawn)
        if not picked:
            raise UsageError(candidates.nothing)
        if drawn is not None:
            every = counted(candidates.count, "match")
            output.say(f"a sample of {len(picked)} of {every}, drawn from the seed {drawn}")
        _replay(candidates, picked, options, _Result(output, len(picked), drawn))


@dataclass
class _Result:
    """The outcome: printed line by line as text, or as one JSON document at the end."""

    output: Output
    picked: int
    seed: int | None = None
    counts: Counter[str] = field(default_factory=Counter)
    lines: list[RerunLine] = field(default_factory=list)

    def add(self, label: str, kind: Kind, findings: Sequence[str]) -> None:
        """Add a match; as text, print its findings."""
        self.counts[kind] += 1
        if kind != "same" or findings:
            self.lines.append(RerunLine(match=label, outcome=kind, findings=tuple(findings)))
        note = "" if kind == "different" else f"{kind}: "
        self.output.text(*(f"{label}: {note}{finding}" for finding in findings))

    def end(self, text: str) -> None:
        """Print the ``text`` of the end, or the document."""
        self.output.text(text)
        counts = {kind.replace(" ", "_"): self.counts[kind] for kind in _SUMS}
        seed = None if self.seed is None else str(self.seed)
        holds = not self.counts["different"]
        matches = tuple(self.lines)
        self.output.document(RerunDocument.of(self, **counts, holds=holds, seed=seed, matches=matches))


def _memory_of(record: Record, store: BotStore) -> MatchMemory:
    """The memory that the bots of a record may use in a replay."""
    modules = any(store.is_module(seat.digest) for seat in record.seats)
    return MatchMemory.of(record.limits, len(record.seats), modules=modules)


def _one(match: str, options: _RerunRequest, output: Output) -> None:
    stored_match = find_match(match, options.db)
    # Said before the replay: a reader who sees a difference afterwards knows whether it was promised.
    doubts = doubts_of(stored_match.record, stored_match.measured)
    if doubts:
        output.say(f"{stored_match.label} is not guaranteed to reproduce: {', '.join(doubts)}")
    box = open_sandbox(options.local.sandbox, private_paths(options.db, Path(options.bots)))
    store = BotStore(Path(options.bots))
    for seat in stored_match.record.seats:
        store.provide(seat.digest)
    if text := plan_matches(_memory_of(stored_match.record, store), 1).text:
        output.say(text)
    with MatchRunner(StoreLauncher(store, box), sandbox=box) as runner:
        _, findings = rerun(stored_match.record, runner.play)
    result = _Result(output, 1)
    kind: Kind = "same" if not findings else "not promised" if doubts else "different"
    result.add(stored_match.label, kind, [str(finding) for finding in findings])
    if not (findings and output.people):
        result.end(f"{stored_match.label} came out the same: {stored_match.record.digest}")
    if kind == "not promised":
        raise UnpromisedError(f"{stored_match.label} came out differently, which was not promised")
    if findings:
        raise CheckError(f"{stored_match.label} came out differently")


@dataclass(frozen=True)
class _Candidates:
    """The records to choose from: functions for the label of each, and for its record and measurements.

    ``nothing`` is the sentence to print if there are none.
    """

    count: int
    label: Callable[[int], str]
    load: Callable[[int], tuple[Record, Measurements]]
    nothing: str


@contextmanager
def _candidates(words: str | None, db: str, output: Output) -> Iterator[_Candidates]:
    if words is not None and is_file(words):
        with Scratch() as scratch:
            yield _file_candidates(words, scratch)
        return
    with Database.open(db) as opened, opened.snapshot() as database:
        yield _stored_candidates(database, words, db, output)


def _file_candidates(words: str, scratch: Scratch) -> _Candidates:
    """The records of a file, copied to ``scratch``: a compressed file cannot be read from the middle."""
    count = 0
    for where, value in read_json_lines(Path(words)):
        if isinstance(value, dict) and not {"record", "actions"} & value.keys():
            continue  # of an exported tournament some lines have no record
        try:
            record = read_record(value["record"] if isinstance(value, dict) and "record" in value else value)
            count = scratch.put_text(where, zlib.compress(record.encode(), 1))
        except RecordError as error:
            raise RecordError(f"{where} is not a record: {error}") from error
    return _Candidates(
        count,
        lambda index: scratch.text(index)[0],
        lambda index: (decode_record(zlib.decompress(scratch.text(index)[1])), NOT_MEASURED),
        f"there is no record to replay in {words}",
    )


def _stored_candidates(database: Database, words: str | None, db: str, output: Output) -> _Candidates:
    """The records of a tournament, or of all tournaments with records in the database."""
    chosen = database.tournaments.all() if words is None else (database.tournaments.get(words),)
    archives = database.tournaments.archives()
    archived = [
        f"{tournament.name} is in {archives[tournament.id]}"
        for tournament in chosen
        if tournament.id in archives
    ]
    nothing = f"there is no record to replay in {words or db}"
    if archived and all(tournament.id in archives or not tournament.recorded for tournament in chosen):
        more = f"; and {len(archived) - _NAMED} more" if len(archived) > _NAMED else ""
        way = "Or play the matches of the file again: `tourney rerun --all FILE`"
        nothing = f"{nothing}: {'; '.join(archived[:_NAMED])}{more}. {way}"
    else:
        for sentence in archived:
            output.say(f"left out: {sentence}")
    places: list[tuple[Tournament, int]] = []
    for tournament in chosen:
        if tournament.id in archives:
            continue
        if not tournament.recorded:
            output.say(f"{tournament.name} has results without records, which cannot be replayed")
            continue
        digests = [(number, digest) for number, _, digest in database.matches.digests(tournament.id)]
        # Matches that the machine prevented have no record, and nothing to compare with.
        void = sum(digest == "" for _, digest in digests)
        if void:
            output.say(
                f"{counted(void, 'match')} of {tournament.name}, void without a record, cannot be compared"
            )
        places += [(tournament, number) for number, digest in digests if digest]

    def label(index: int) -> str:
        return f"match {places[index][1]} of {places[index][0].name}"

    def load(index: int) -> tuple[Record, Measurements]:
        tournament, number = places[index]
        record = database.records.get(tournament.id, number)
        try:
            return record, database.records.measured(tournament.id, number)
        except StoreDamaged:  # outside all digests; the record is what counts
            return record, NOT_MEASURED

    return _Candidates(len(places), label, load, nothing)


_NAMED = 3
"""Archives named in one sentence."""


def _replay(candidates: _Candidates, picked: Sequence[int], options: _RerunRequest, result: _Result) -> None:
    """Replay the picked records, print differences and totals, and raise CheckError for a difference."""
    # A module counts fuel by one meter, so bots are provided with the meters of their matches.
    meters: dict[str, str | None] = {}
    store = BotStore(Path(options.bots).absolute())
    sandbox = options.local.sandbox
    need = MatchMemory(0, 0)
    for index in picked:
        record = candidates.load(index)[0]
        meters |= dict.fromkeys((seat.digest for seat in record.seats), record.limits.meter)
        # All workers get the memory of the largest match, so that any of them may take any match.
        need = max(need, _memory_of(record, store), key=lambda demand: demand.match_mb)
    box = open_sandbox(sandbox, private_paths(options.db, store.root))
    missing = provide_bots(store, sorted(meters), box, meters)

    def load(place: int) -> tuple[Record, tuple[str, ...]]:
        record, measured = candidates.load(picked[place])
        return record, doubts_of(record, measured)

    executor = options.local.executor(len(picked), need)
    replay = Replay(len(picked), load, executor, bots=store.root, sandbox=sandbox, missing=missing)
    counts = result.counts
    with counting(result.output, "rerun", "matches") as step:

        def shown(replays: Iterator[Replayed]) -> Iterator[Replayed]:
            for done, replayed in enumerate(replays, 1):
                step(done, len(picked))
                yield replayed

        # In the order of the sample, so that two runs print the same lines.
        for replayed in in_order(shown(replay.run())):
            result.add(candidates.label(picked[replayed.index]), replayed.kind, replayed.findings)
    played = counts.total() - counts["not played"]
    sums = [f"{counts[kind]} {words}" for kind, words in _SUMS.items() if counts[kind] or kind == "same"]
    result.end(f"{counted(played, 'match')} replayed: {', '.join(sums)}")
    if counts["different"]:
        raise CheckError(f"{counted(counts['different'], 'match')} came out differently")
    if replay.stopped_by:
        result.output.say(f"stopped: {counted(len(picked) - counts.total(), 'match')} not replayed")
        sys.exit(128 + replay.stopped_by)
    if counts["not played"]:
        raise InputError(
            f"{counted(counts['not played'], 'match')} could not be replayed; add the missing bots"
        )
    if counts["not promised"]:
        raise UnpromisedError(
            f"{counted(counts['not promised'], 'match')} came out differently, which was not promised"
        )


_SUMS = {
    "same": "the same",
    "not promised": "differently, which was not promised",
    "different": "differently",
    "not played": "not played",
}
