"""Withdrawal of matches with everything drawn from them, so that the next run replays them.

A host that forges results is caught by the executor (``tourney.run.workers``). What it played is withdrawn by
a person, with ``tourney db withdraw``: in one transaction, after the matches are kept in a file. The next run
draws and replays them from true results, so the tournament ends as if the host had never played. Matches
can be named, too: those in which a person killed a bot by hand.
"""

import json
import os
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from tourney.check.schedule import StoredSchedule, first_draw_from, wrongly_benched
from tourney.errors import EnvironmentFailure, StoreDamaged, StoreUnavailable, UsageError, WorkerError
from tourney.match.result import machine_of
from tourney.run.listeners import withdrawn_path
from tourney.schedule.player_history import startup_failures
from tourney.store.column_reading import MatchParts, unpack_parts
from tourney.store.database import Database
from tourney.store.values import Tournament
from tourney.texts import counted

_CHUNK: Final = 500  # matches to read at a time
_SHOWN: Final = 8  # numbers and spans of numbers to name in a sentence


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """The matches of a tournament that do not count any more, by number.

    ``matches`` were played on ``host``, or were named if that is "". ``failed`` are void because machines
    failed, perhaps on purpose. ``benched`` are void, or were played, because of failed starts that no longer
    count. ``later`` are the matches of the rounds after ``rounds``, which were drawn from any of these;
    ``rounds`` is None where none were.
    """

    host: str
    matches: tuple[int, ...]
    failed: tuple[int, ...] = ()
    benched: tuple[int, ...] = ()
    later: tuple[int, ...] = ()
    rounds: int | None = None

    def reasons(self) -> dict[str, tuple[int, ...]]:
        """The matches by the reason for which they do not count; each match once."""
        by_reason = {
            f"played on the host {self.host}" if self.host else "named": self.matches,
            "void because machines failed": self.failed,
            "decided by failed starts that no longer count": self.benched,
            f"drawn after round {self.rounds}, from results that no longer count": self.later,
        }
        seen: set[int] = set()
        for why, numbers in by_reason.items():
            by_reason[why] = tuple(number for number in numbers if number not in seen)
            seen.update(numbers)
        return {why: numbers for why, numbers in by_reason.items() if numbers}


def find_withdrawal(database: Database, tournament: Tournament, host: str) -> Withdrawal:
    """The matches that do not count without a host; none where all of its matches are withdrawn already.

    Raises UsageError for a host that never played.
    """
    machine = machine_of(host)
    machines: dict[str, list[int]] = defaultdict(list)
    for number, name in database.hosts.of_matches(tournament.id):
        machines[machine_of(name)].append(number)
    mine = tuple(machines.get(machine, ()))
    # The host may have made matches void on purpose; which host failed a void match is not stored.
    failed = tuple(number for number, _ in database.totals.void_matches(tournament.id)) if mine else ()
    withdrawal = _with_drawn(StoredSchedule.of(database, tournament), Withdrawal(machine, mine, failed))
    if not withdrawal.reasons() and machine not in [
        refusal.host for refusal in database.hosts.refused(tournament.id)
    ]:
        names = ", ".join(sorted(filter(None, machines))) or "none"
        raise UsageError(
            f"{tournament.name} has no match of the host {machine!r}; hosts of its stored matches: {names}"
        )
    return withdrawal


def find_named(database: Database, tournament: Tournament, numbers: Collection[int]) -> Withdrawal:
    """The matches that do not count without some of them.

    Raises UsageError for the number of a match without a result.
    """
    stored = StoredSchedule.of(database, tournament)
    finished = {match.number for match in stored.matches if match.result is not None}
    if unfinished := sorted(set(numbers) - finished):
        raise UsageError(f"match {unfinished[0]} of {tournament.name} has no result that could be withdrawn")
    return _with_drawn(stored, Withdrawal("", tuple(sorted(set(numbers)))))


def _with_drawn(stored: StoredSchedule, withdrawal: Withdrawal) -> Withdrawal:
    """A withdrawal, completed by the matches that it decided and the rounds drawn from it."""
    gone = {*withdrawal.matches, *withdrawal.failed}
    benched = _decided_by(stored, gone)
    touched = [match.key.round for match in stored.matches if match.number in {*gone, *benched}]
    rounds = first_draw_from(stored, min(touched)) if touched else None
    later = [match.number for match in stored.matches if rounds is not None and match.key.round > rounds]
    return replace(withdrawal, benched=tuple(benched), later=tuple(later), rounds=rounds)


def _decided_by(stored: StoredSchedule, gone: Collection[int]) -> list[int]:
    """The matches that are void, or were played, because of failed starts in the matches ``gone``.

    Their results are not known yet, so a bot that failed to start in any match may have failed in them.
    """
    failing = {
        entrant
        for match in stored.matches
        if match.result is not None
        for entrant in startup_failures(match.seats, match.result.faults)
    }
    matches = [match for match in stored.matches if match.number in gone]
    possible = [(match.number, entrant) for match in matches for entrant in match.seats if entrant in failing]
    remaining = tuple(
        replace(match, result=None) if match.number in gone else match for match in stored.matches
    )
    return [match.number for match, _ in wrongly_benched(replace(stored, matches=remaining), possible)]


def withdraw(
    database: Database, tournament: Tournament, withdrawal: Withdrawal, *, readmit: bool = False
) -> None:
    """Withdraw matches after they are kept in the file; from now on refuse the host, or ``readmit`` it.

    The caller holds the tournament's lock. Raises EnvironmentFailure, and changes nothing, if the file cannot
    be written.
    """
    numbers = sorted({*withdrawal.matches, *withdrawal.failed, *withdrawal.benched})
    path = withdrawn_path(database.place, tournament)
    try:
        # The file first: if this process ends in between, matches are kept twice, and none is lost.
        if numbers:
            _keep(database, tournament, withdrawal, path)
    except OSError as error:
        raise EnvironmentFailure(
            f"the matches cannot be kept in {path}: {error.strerror}; nothing is withdrawn"
        ) from error
    with database.transaction() as writer:
        reasons = {refusal.host: refusal.why for refusal in writer.hosts.refused(tournament.id)}
        if readmit:
            writer.hosts.accept(tournament.id, withdrawal.host)
        elif withdrawal.host:
            why = reasons.get(withdrawal.host, "its matches were withdrawn")
            writer.hosts.refuse(tournament.id, withdrawal.host, why)
        if numbers:
            writer.matches.withdraw(tournament.id, numbers, withdrawal.rounds)


class CaughtHosts:
    """The machines that the executor of a run caught, each refused in the database once it is known.

    ``machines`` are those caught: no result of theirs counts from then on.
    """

    def __init__(self, database: Database, tournament: Tournament) -> None:
        self._database = database
        self._tournament = tournament.id
        self._played: set[str] = set()
        self.machines: set[str] = set()

    def may_count(self, machine: str) -> None:
        """Note that a result of a machine is about to count in this run."""
        self._played.add(machine)

    def refuse_new(self, caught: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """Refuse the machines caught since the last call; yield those whose results may count, with why."""
        for machine, why in caught.items():
            if machine in self.machines:
                continue
            self.machines.add(machine)
            counts = machine in self._played
            try:
                self._database.hosts.refuse(self._tournament, machine, why)
                refused = self._database.hosts.refused(self._tournament)
                counts = counts or any(refusal.host == machine and refusal.matches for refusal in refused)
            except StoreUnavailable:
                # Nothing is known of the stored matches, and a run must not go on from forged ones.
                counts = True
            if counts:
                yield machine, why


def check_hosts(database: Database, tournament: Tournament) -> None:
    """Raise WorkerError if matches of a refused host are stored; it names them, and the command to run."""
    for refused in database.hosts.refused(tournament.id):
        if refused.matches:
            raise WorkerError(
                f"the host {refused.host} is refused: {refused.why}; {counted(len(refused.matches), 'match')}"
                f" of {tournament.name} that it played must not count ({spans_text(refused.matches)}):"
                f" run `tourney db withdraw {tournament.name} --host {refused.host}`, and run again"
            )


def check_benches(database: Database, tournament: Tournament) -> None:
    """Raise WorkerError where matches were decided by failed starts that came out differently later.

    That is possible only after a withdrawal: the host may have hidden all failed starts of a bot, which
    started later on other hosts; and a bot may start, or fail, in a match that was named.
    """
    refused = database.hosts.refused(tournament.id)
    if not refused and not withdrawn_path(database.place, tournament).exists():
        return
    wrong = [match.number for match, _ in wrongly_benched(StoredSchedule.of(database, tournament))]
    if wrong:
        words = f"--host {refused[0].host}" if refused else " ".join(f"--match {n}" for n in wrong)
        raise WorkerError(
            f"{counted(len(wrong), 'match')} of {tournament.name} must be decided again"
            f" ({spans_text(wrong)}), because without the withdrawn matches other bots are benched: run"
            f" `tourney db withdraw {tournament.name} {words}`, and run again"
        )


def spans_text(numbers: Sequence[int]) -> str:
    """Sorted match numbers in words, such as ``1 to 4, 7, 9 and 12 more``."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and spans[-1][-1] == number - 1:
            spans[-1] = [spans[-1][0], number]
        else:
            spans.append([number])
    shown = ", ".join(" to ".join(map(str, span)) for span in spans[:_SHOWN])
    more = sum(span[-1] - span[0] + 1 for span in spans[_SHOWN:])
    return f"{shown} and {more} more" if more else shown


def _keep(database: Database, tournament: Tournament, withdrawal: Withdrawal, path: Path) -> None:
    """Add the matches to the file, on the disk. Raises OSError."""
    whys = {number: why for why, numbers in withdrawal.reasons().items() for number in numbers}
    names = [entrant.name for entrant in database.tournaments.entrants(tournament.id)]
    with path.open("ab") as file:
        file.write(b"\n")  # the last line of a command that was killed may lack its end
        chosen = (match for match in database.matches.all(tournament.id) if match.number in whys)
        while some := list(islice(chosen, _CHUNK)):
            parts = database.records.parts(tournament.id, [match.number for match in some])
            for match in some:
                data: dict[str, object] = {"match": match.number, "place": match.key}
                data["entrants"] = [names[seat] for seat in match.seats]
                if match.result is not None and not match.result.digest:
                    data["void"] = match.result.note
                with suppress(StoreDamaged):  # a damaged record cannot be kept
                    record, _, measured = unpack_parts(
                        parts.get(match.number, MatchParts()), len(match.seats)
                    )
                    if record is not None:
                        data |= {"host": measured.host, "record": msgspec.to_builtins(record)}
                file.write(json.dumps(data | {"why": whys[match.number]}).encode("ascii") + b"\n")
        file.flush()
        os.fsync(file.fileno())
