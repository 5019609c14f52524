"""Bring the tournaments of another database into this one: match by match, by digest; all or nothing."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import zip_longest
from typing import NamedTuple

from tourney.check.root import keep_root, plan_entry
from tourney.errors import UsageError
from tourney.exchange.importing import import_tournament, read_tournament
from tourney.exchange.lines import export_lines
from tourney.match.record import Outcome
from tourney.parsing import parse_json
from tourney.schedule.row import Row
from tourney.store.database import Database
from tourney.store.rows import chunks
from tourney.store.tournaments import Archive
from tourney.store.values import Tournament

Step = Callable[[int, str], None]
"""Hears every 500 matches how many of a tournament have been read."""


class Merged(NamedTuple):
    """What became of a tournament of the other database: finished matches brought in, and rows in all."""

    name: str
    new: bool
    taken: int
    matches: int


def merge_databases(
    here: Database,
    there: Database,
    other: str,
    created: str,
    step: Step = lambda _done, _tournament: None,
) -> tuple[Merged, ...]:
    """Bring all tournaments and baselines of a database into another one; ``other`` names it for messages.

    A tournament that is not here is imported as it is, with logs and measurements. One of the same name
    must have the same plan, seed and entrants, and equal digests wherever both have a result; then the
    results that are missing here are taken over, rounds that were drawn there alone, and analyses by
    analysers that have not valued a match here. Rating checkpoints of such a tournament are dropped. Of a
    tournament that is archived on either side nothing can be taken over: its digests must be the same.
    Raises UsageError for tournaments that differ and for a run that goes on, and RecordError for records
    that do not fit; then nothing is stored.
    """
    with ExitStack() as stack:
        reader = stack.enter_context(there.snapshot())
        ours_by_name = {tournament.name: tournament for tournament in here.tournaments.all()}
        theirs = reader.tournaments.all()
        for tournament in theirs:
            if tournament.name in ours_by_name:
                stack.enter_context(here.run_lock(ours_by_name[tournament.name], time.time()))
        writer = stack.enter_context(here.transaction())
        archives = reader.tournaments.archives()
        merged = []
        for tournament in theirs:
            mine = ours_by_name.get(tournament.name)
            if tournament.id in archives:
                merged.append(_hold(writer, mine, reader, tournament, archives[tournament.id], other))
            elif mine is None:
                merged.append(_bring(writer, reader, tournament, other, created, step))
            else:
                merged.append(_join(writer, mine, reader, tournament, other, step))
            _merge_analyses(writer, reader, tournament)
        _merge_baselines(writer, reader)
    return tuple(merged)


def _bring(
    writer: Database, reader: Database, theirs: Tournament, other: str, created: str, step: Step
) -> Merged:
    """Store a tournament that is not here."""
    if theirs.recorded:
        import_tournament(writer, _lines(reader, theirs, other, step), created)
    else:
        made = writer.tournaments.add(
            theirs.plan,
            seed=theirs.seed,
            origin=theirs.origin,
            run=theirs.run,
            entrants=reader.tournaments.entrants(theirs.id),
            created=theirs.created,
        )
        for chunk in chunks(_outcomes(reader, theirs)):
            writer.matches.add_outcomes(made.id, chunk)
    counts = reader.schedules.progress(theirs.id)
    return Merged(theirs.name, new=True, taken=counts.done, matches=counts.rows)


def _outcomes(reader: Database, tournament: Tournament) -> Iterator[tuple[Row, Outcome]]:
    for match in reader.matches.all(tournament.id, finished=True):
        if match.result is not None:
            result = match.result
            yield match.row, Outcome.of_result(result.ranks, result.reason, result.faults)


def _lines(reader: Database, tournament: Tournament, other: str, step: Step) -> Iterator[tuple[str, object]]:
    """Yield the tournament as it is exported, each line with its place."""
    for number, line in enumerate(export_lines(reader, tournament, measured=True, private=True)):
        place = f"match {number} of {tournament.name}" if number else tournament.name
        yield f"{place} in {other}", parse_json(line)
        if number and number % 500 == 0:
            step(number, tournament.name)


def _join(
    writer: Database,
    mine: Tournament,
    reader: Database,
    theirs: Tournament,
    other: str,
    step: Step,
) -> Merged:
    """Take over what is missing of a tournament that is here."""
    _check_same(writer, mine, reader, theirs, other)
    if not mine.recorded:
        return _join_outcomes(writer, mine, reader, theirs, other)
    _refuse_forged(writer, mine, "here")
    _refuse_forged(reader, theirs, f"in {other}")
    head, matches = read_tournament(_lines(reader, theirs, other, step))
    stored = writer.schedules.progress(mine.id).rows
    taken = count = 0
    for chunk in chunks(matches):
        here = writer.matches.all(mine.id, numbers=range(count + 1, count + 1 + len(chunk)))
        new = []
        missing = []
        for (where, row, result), match in zip_longest(chunk, list(here)):
            count += 1
            if match is None:
                new.append(row)
            elif row != match.row:
                raise UsageError(f"{where} is another match than match {count} here: the rounds differ")
            digest = None if match is None or match.result is None else match.result.digest
            their_digest = "" if result is None or result.played is None else result.played.digest
            if result is not None and digest is None:
                missing.append(result)
            elif result is not None and their_digest != digest:
                shown = [
                    f"the digest {text[:16]}..." if text else "no record" for text in (their_digest, digest)
                ]
                raise UsageError(f"{where} has {shown[0]}, but here it has {shown[1]}")
        if new:
            writer.schedules.add(mine.id, new, complete=False)
        writer.matches.add(mine.id, missing)
        taken += len(missing)
    if count >= stored and head.tournament.complete and not mine.complete:
        writer.schedules.add(mine.id, (), complete=True)
    if taken or count > stored:
        writer.ratings.forget(mine.id)
    keep_root(writer, mine.id)
    return Merged(mine.name, new=False, taken=taken, matches=max(count, stored))


def _join_outcomes(
    writer: Database, mine: Tournament, reader: Database, theirs: Tournament, other: str
) -> Merged:
    """Compare a tournament without records; its results must be the same on both sides.

    No digest says which of two results is the right one, so nothing is taken over.
    """
    count = 0
    for ours, others in zip_longest(_outcomes(writer, mine), _outcomes(reader, theirs)):
        if ours != others:
            raise UsageError(
                f"{mine.name} in {other} has other results than here, and none of them has a record"
            )
        count += 1
    return Merged(mine.name, new=False, taken=0, matches=count)


def _refuse_forged(database: Database, tournament: Tournament, place: str) -> None:
    """Raise UsageError if results of a refused host are stored."""
    for refused in database.hosts.refused(tournament.id):
        if refused.matches:
            command = f"tourney db withdraw {tournament.name} --host {refused.host}"
            raise UsageError(
                f"{tournament.name} {place} has results of the host {refused.host}, which must not count:"
                f" withdraw them there by `{command}`, finish the tournament there, and merge then"
            )


def _hold(
    writer: Database,
    mine: Tournament | None,
    reader: Database,
    theirs: Tournament,
    archive: Archive,
    other: str,
) -> Merged:
    """Compare a tournament that is archived there, match by match; all of it must be here."""
    gone = f"{theirs.name} in {other} is in {archive} (with --db {other})"
    if mine is None:
        raise UsageError(f"{gone}; do that first, as it is not here")
    _check_same(writer, mine, reader, theirs, other)
    count = 0
    for here, there in zip_longest(writer.matches.all(mine.id), reader.matches.all(theirs.id)):
        count += 1
        where = f"match {count} of {theirs.name}"
        if here is None or here.result is None:
            raise UsageError(f"{gone}; do that first, as {where} is not here")
        if there is None or there.result is None or here.row != there.row:
            raise UsageError(f"{where} in {other} is another match than here: the rounds differ")
        if here.result.digest != there.result.digest:
            raise UsageError(f"{where} has another digest in {other} than here")
    return Merged(theirs.name, new=False, taken=0, matches=count)


def _check_same(writer: Database, mine: Tournament, reader: Database, theirs: Tournament, other: str) -> None:
    """Raise UsageError unless two tournaments of one name have the same plan, seed and entrants."""
    ours, others = (
        plan_entry(one, of.tournaments.entrants(one.id)) for of, one in ((writer, mine), (reader, theirs))
    )
    for key, value in ours.items():
        if value != others[key]:
            raise UsageError(
                f"{mine.name} in {other} has another {key.replace('_', ' ')} than the {mine.name} here:"
                " export it there, and import it here by another --name"
            )


def _merge_analyses(writer: Database, reader: Database, theirs: Tournament) -> None:
    """Take over the analyses of matches by analysers that have not valued these here."""
    here = writer.tournaments.get(theirs.name).id
    done: dict[str, frozenset[int]] = {}
    for number, analysis in reader.analyses.all(theirs.id):
        key = analysis.analyser.key
        if number not in done.setdefault(key, writer.analyses.done(here, key)):
            writer.analyses.keep(here, number, analysis)


def _merge_baselines(writer: Database, reader: Database) -> None:
    """Add the promotions that are not here after those that are."""
    here = {(one.game, one.name, one.digest, one.promotion) for one in writer.baselines.all(history=True)}
    for one in reader.baselines.all(history=True):
        if (one.game, one.name, one.digest, one.promotion) not in here:
            writer.baselines.promote(one.game, one.name, one.digest, one.promotion)
