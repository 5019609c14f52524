"""``tourney rerun``: play matches again with the same bots, and compare."""

import secrets
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import click

from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.base import Level, open_sandbox
from tourney.cli.documents.matches import RerunDocument
from tourney.cli.options import (
    TEXT,
    bots_option,
    db_option,
    formats_option,
    output_options,
    sandbox_option,
)
from tourney.cli.output import Format, Output, current
from tourney.cli.progress import counting
from tourney.cli.run_options import cpus_option, workers_option
from tourney.cli.show import find_match, is_file
from tourney.errors import CheckError, InputError, RecordError, StoreDamaged, UsageError
from tourney.match.match_runner import MatchRunner, StoreLauncher
from tourney.match.record import Record, check_shape, read_json_lines
from tourney.match.result import pack, unpack
from tourney.match.verify import rerun
from tourney.run.reruns import Kind, Replay, Replayed, doubts_of, in_order, provide_bots, sample
from tourney.run.workers.local import LocalExecutor, default_workers
from tourney.store.scratch import Scratch


@click.command("rerun")
@click.argument("match", required=False)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Play all matches of the database again; with MATCH, those of a tournament or a file.",
)
@click.option(
    "--sample",
    "size",
    type=click.IntRange(min=1),
    metavar="N",
    help="Play N of these matches again, drawn at random.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**64 - 1),
    metavar="S",
    help="Seed that the sample is drawn from. [default: a random one, which is printed]",
)
@workers_option("one per processor, or per --cpus processors")
@cpus_option()
@sandbox_option
@formats_option(RerunDocument, formats=TEXT)
@db_option
@bots_option
@output_options
def command(
    match: str | None,
    everything: bool,
    size: int | None,
    seed: int | None,
    workers: int | None,
    cpus: int,
    sandbox: Level,
    format_: Format,
    db: str,
    bots: str,
) -> None:
    """Play matches again with the same bots, and compare the records.

    MATCH is a number (12 or autumn-cup/12) or a file with one record; with --all or --sample it is a
    tournament or a file of records. The bots come from the bot store, or ship with Tourney, by the digests in
    the records, each in a new process. Prints the first action that differs and exits with code 1 if a match
    comes out differently. A match with a timeout or crash, or one played with reused processes, is not
    promised to reproduce.

    With --all and --sample, matches are played in parallel, and summed up at the end; those whose bots are
    missing are named, with exit code 2. Ctrl-C finishes the matches in play and sums up; a second one stops
    at once.
    """
    if everything and size is not None:
        raise UsageError("give one of --all and --sample N")
    if seed is not None and size is None:
        raise UsageError("--seed S goes with --sample N")
    if not everything and size is None:
        if match is None:
            raise UsageError("give MATCH, --all or --sample N")
        _one(match, sandbox, db, bots, format_)
        return
    output = current()
    with _candidates(match, db, output) as candidates:
        drawn = None
        if size is not None:
            drawn = secrets.randbits(64) if seed is None else seed
            picked: Sequence[int] = sample(candidates.count, size, drawn)
        else:
            picked = range(candidates.count)
        if not picked:
            raise UsageError(candidates.nothing)
        if drawn is not None:
            output.say(
                f"a sample of {len(picked)} of {_matches(candidates.count)}, drawn from the seed {drawn}"
            )
        count = workers or max(1, default_workers() // max(1, cpus))
        result = _Result(format_, len(picked), drawn)
        make_executor = partial(LocalExecutor, count, cpus=cpus)
        _replay(output, candidates, picked, Path(bots), sandbox, make_executor, result)


@dataclass
class _Result:
    """What came out: printed line by line as text, or as one JSON document at the end."""

    format: Format
    picked: int
    seed: int | None = None
    counts: Counter[str] = field(default_factory=Counter)
    lines: list[dict[str, Any]] = field(default_factory=list)

    def add(self, output: Output, label: str, kind: Kind, findings: Sequence[str]) -> None:
        """Take a match; as text, print its findings."""
        self.counts[kind] += 1
        if kind != "same" or findings:
            self.lines.append({"match": label, "outcome": kind, "findings": list(findings)})
        note = "" if kind == "different" else f"{kind}: "
        for finding in findings if self.format is Format.TEXT else ():
            output.write(f"{label}: {note}{finding}")

    def end(self, output: Output, text: str) -> None:
        """Print the ``text`` of the end, or the document."""
        if self.format is Format.TEXT:
            output.write(text)
            return
        kinds = ("same", "different", "not promised", "not played")
        output.document(
            RerunDocument,
            holds=not self.counts["different"],
            picked=self.picked,
            seed=None if self.seed is None else str(self.seed),
            matches=self.lines,
            **{kind.replace(" ", "_"): self.counts[kind] for kind in kinds},
        )


def _one(match: str, sandbox: Level, db: str, bots: str, format_: Format) -> None:
    output = current()
    found = find_match(match, db)
    doubts = doubts_of(found.record, found.measured)
    if doubts:
        output.say(f"{found.label} is not guaranteed to reproduce: {', '.join(doubts)}")
    box = open_sandbox(sandbox)
    store = BotStore(Path(bots))
    for seat in found.record["seats"]:
        store.provide(seat["digest"])
    with MatchRunner(StoreLauncher(store, box), sandbox=box) as runner:
        _, findings = rerun(found.record, runner.play)
    result = _Result(format_, 1)
    result.add(output, found.label, "different" if findings else "same", [str(one) for one in findings])
    if format_ is Format.JSON or not findings:
        result.end(output, f"{found.label} came out the same: {found.record['digest']}")
    if findings:
        raise CheckError(f"{found.label} came out differently")


@dataclass(frozen=True)
class _Candidates:
    """The records to choose from: what each is called, and how to read it and the measurements beside it.

    ``nothing`` says why there are none, if there are none.
    """

    count: int
    label: Callable[[int], str]
    load: Callable[[int], tuple[Record, dict[str, Any]]]
    nothing: str


@contextmanager
def _candidates(words: str | None, db: str, output: Output) -> Iterator[_Candidates]:
    nothing = f"there is no record to play again in {words or db}"
    if words is not None and is_file(words):
        # A compressed file cannot be read from the middle, so its records wait in a temporary one.
        with Scratch() as scratch:
            count = 0
            for where, value in read_json_lines(Path(words)):
                if _has_record(value):
                    count = scratch.put_text(where, pack(_record(value, where)))
            yield _Candidates(
                count,
                lambda index: scratch.text(index)[0],
                lambda index: (unpack(scratch.text(index)[1]), {}),
                nothing,
            )
        return
    from tourney.store.repository import Repository  # noqa: PLC0415 - slow to import, and files do without

    with Repository.open(db) as opened, opened.snapshot() as repository:
        chosen = repository.tournaments() if words is None else (repository.tournament(words),)
        places: list[tuple[int, int]] = []
        labels: list[str] = []
        archives = repository.archives()
        archived = [one for one in chosen if one.id in archives]
        said = [f"{one.name} is in {archives[one.id]}" for one in archived]
        if archived and all(one.id in archives or not one.recorded for one in chosen):
            more = f"; and {len(said) - _NAMED} more" if len(said) > _NAMED else ""
            way = "Or play the matches of the file again: `tourney rerun --all FILE`"
            nothing = f"{nothing}: {'; '.join(said[:_NAMED])}{more}. {way}"
            said = []
        for sentence in said:
            output.say(f"left out: {sentence}")
        for tournament in chosen:
            if tournament.id in archives:
                continue
            if not tournament.recorded:
                output.say(f"{tournament.name} has results without records, which cannot be played again")
                continue
            digests = [(number, digest) for number, _, digest in repository.digests(tournament.id)]
            void = sum(digest == "" for _, digest in digests)
            if void:
                output.say(
                    f"{_matches(void)} of {tournament.name}, void without a record, cannot be compared"
                )
            for number, digest in digests:
                if digest:
                    places.append((tournament.id, number))
                    labels.append(f"match {number} of {tournament.name}")

        def load(index: int) -> tuple[Record, dict[str, Any]]:
            record = repository.record(*places[index])
            try:
                return record, repository.measured(*places[index])
            except StoreDamaged:  # outside all digests; the record is what counts
                return record, {}

        yield _Candidates(len(places), labels.__getitem__, load, nothing)


_NAMED = 3
"""Archives named in one sentence."""


def _has_record(value: Any) -> bool:
    """Return whether a line has a record: in an exported tournament some have none."""
    return not (isinstance(value, dict) and "record" not in value and "actions" not in value)


def _record(value: Any, where: str) -> Record:
    inner = value["record"] if isinstance(value, dict) and "record" in value else value
    try:
        return check_shape(inner)
    except RecordError as error:
        raise RecordError(f"{where} is not a record: {error}") from error


def _replay(
    output: Output,
    candidates: _Candidates,
    picked: Sequence[int],
    bots: Path,
    sandbox: Level,
    make_executor: Callable[[], LocalExecutor],
    result: _Result,
) -> None:
    """Play the picked records again, print what differs and the sum, and raise for what does not hold."""
    digests, metered = set[str](), set[str]()
    for index in picked:
        record = candidates.load(index)[0]
        found = {seat["digest"] for seat in record["seats"]}
        digests |= found
        if record["limits"]["charge"] == "fuel":
            metered |= found
    store = BotStore(bots.absolute())
    missing = provide_bots(store, sorted(digests), open_sandbox(sandbox), metered)

    def load(place: int) -> tuple[Record, tuple[str, ...]]:
        record, measured = candidates.load(picked[place])
        return record, doubts_of(record, measured)

    replay = Replay(len(picked), load, make_executor(), bots=store.root, sandbox=sandbox, missing=missing)
    counts = result.counts
    with ExitStack() as stack:
        step = stack.enter_context(counting(output, "rerun", "matches"))

        def shown(found: Iterator[Replayed]) -> Iterator[Replayed]:
            for done, one in enumerate(found, 1):
                step(done, len(picked))
                yield one

        for one in in_order(shown(replay.run())):
            result.add(output, candidates.label(picked[one.index]), one.kind, one.findings)
    played = counts.total() - counts["not played"]
    sums = [f"{counts[kind]} {words}" for kind, words in _SUMS if counts[kind] or kind == "same"]
    result.end(output, f"{_matches(played)} played again: {', '.join(sums)}")
    if counts["different"]:
        raise CheckError(f"{_matches(counts['different'])} came out differently")
    if replay.stopped_by:
        output.say(f"stopped: {_matches(len(picked) - counts.total())} not played again")
        sys.exit(128 + replay.stopped_by)
    if counts["not played"]:
        raise InputError(f"{_matches(counts['not played'])} could not be played again; add the missing bots")


_SUMS = (
    ("same", "the same"),
    ("not promised", "differently, which was not promised"),
    ("different", "differently"),
    ("not played", "not played"),
)


def _matches(count: int) -> str:
    return f"{count:,} match" + ("" if count == 1 else "es")
