"""Verify a stored tournament: every match against its record, its plan and its columns; then the whole.

A record is checked by itself (rules, dice, digest), against its tournament (seed, schedule, entrants,
limits), and against the columns beside it. Of the tournament, every round is drawn again, and what the
database keeps twice must agree: its root, withdrawals, entrants and cached ratings.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final, NamedTuple

import msgspec
from msgspec import msgpack

from tourney.bots.catalogue.store import BotStore
from tourney.check.record import Finding, verify
from tourney.check.root import beacon_seed, commitments, compute_root, seed_commitment
from tourney.check.schedule import Step, StoredSchedule, TournamentCheck, check_schedule, place
from tourney.errors import StoreDamaged, TourneyError, UsageError
from tourney.games.registry import known_game
from tourney.match.record import UNSURE_FAULTS, Record
from tourney.match.result import NOT_MEASURED
from tourney.match.spec import Entrant
from tourney.prepared_types import prepared
from tourney.ratings.trueskill import estimate_draw_probability
from tourney.results.ratings import wrong_checkpoints
from tourney.results.standings import Ranking
from tourney.run.engine.recorder import RowArguments, spec_of
from tourney.schedule.format import IMPORTED, SeatArguments
from tourney.spawning import Pool
from tourney.store.database import Database
from tourney.store.records import StoredMatch
from tourney.store.values import StoredEntrant, Tournament, TournamentMatch

CHUNK: Final = 240
"""Matches that one process checks at a time: mirrored groups, of up to 24, are whole in it."""


class CheckedMatch(NamedTuple):
    """A match by number and its failed checks; None for a void match without a record to check."""

    number: int
    findings: list[Finding] | None


class TournamentVerifier:
    """Verifies one tournament of a database.

    Imported records have their own seeds and openings; those of a mirrored group share a seed. ``sealed``:
    the tournament's seed is not known, so nothing that follows from it can be checked.
    """

    def __init__(
        self,
        database: Database,
        tournament: Tournament,
        bots: BotStore | None = None,
        *,
        sealed: bool = False,
    ) -> None:
        self._database = database
        self.tournament = tournament
        self._bots = bots
        self._sealed = sealed
        self._entrants = database.tournaments.entrants(tournament.id)
        self._arguments = RowArguments(database, tournament)
        self._seeds: dict[tuple[int, int, int], tuple[int, int]] = {}
        self.unchecked: set[str] = set()
        """A sentence for each thing about the matches so far that could not be checked."""
        self.imported = tournament.plan.format == IMPORTED

    def match(self, number: int) -> list[Finding]:
        """The failed checks of a finished match that has a record. Raises UsageError for others."""
        stored = self._database.records.stored_match(self.tournament.id, number)
        checks, unchecked = check_matches(self.task([stored]))
        self.unchecked |= unchecked
        return self._findings(checks[0])

    def matches(self, pool: Pool) -> Iterator[CheckedMatch]:
        """Yield each finished match with its failed checks, checked by the processes of ``pool``."""
        tasks = ((None, self.task(matches)) for matches in self.chunks())
        for _, reply in pool.run(check_matches, tasks):
            yield from self.taken(reply)

    def chunk_starts(self) -> Iterator[tuple[int, int]]:
        """Yield the first match of each chunk and its number of matches, without reading any."""
        numbers = self._database.matches.finished_numbers(self.tournament.id)
        for start in range(0, len(numbers), CHUNK):
            yield numbers[start], min(CHUNK, len(numbers) - start)

    def chunks(self, first: int = 1) -> Iterator[list[StoredMatch]]:
        """Yield all that is stored of the finished matches from a number on, a chunk at a time."""
        return self._database.records.stored(self.tournament.id, CHUNK, first)

    def digest(self, matches: Sequence[StoredMatch]) -> str:
        """A digest of all that the check of these matches reads."""
        owner = repr((self.tournament.plan, self.tournament.seed, self._entrants, self._sealed))
        digest = hashlib.blake2b(owner.encode("utf-8", "replace"), digest_size=16)
        for match in matches:
            cells = (*match.columns.values(), *(cell for seat in match.seats for cell in seat.values()))
            luck = match.luck if any(cell is not None for cell in match.luck) else ()
            digest.update(
                msgpack.encode((match.number, match.place, match.seating, cells, match.data, *luck))
            )
        return digest.hexdigest()

    def taken(self, reply: "VerifyReply") -> Iterator[CheckedMatch]:
        """Yield each match of a task with its failed checks, by the reply to it."""
        self.unchecked |= reply.unchecked
        for check in reply.checks:
            findings = self._findings(check)
            yield CheckedMatch(check.number, findings if findings or check.recorded else None)

    def task(self, matches: list[StoredMatch]) -> "VerifyTask":
        """The task of checking some matches, for ``check_matches``."""
        arguments = {}
        for stored in matches if self._arguments.given else ():
            with suppress(StoreDamaged):  # the check of the match says so
                arguments[stored.number] = self._arguments.of(stored.match().row)
        return VerifyTask(self.tournament, self._entrants, matches, self._sealed, arguments)

    def _findings(self, check: "MatchCheck") -> list[Finding]:
        """The failed checks of a match, with that of its mirrored group's seed if it was imported."""
        findings = list(check.findings)
        if self.imported and check.group is not None:
            first, first_seed = self._seeds.setdefault(check.group, (check.number, check.seed))
            if first_seed != check.seed:
                why = (
                    f"its seed is {check.seed}, but match {first} of the same mirrored group has {first_seed}"
                )
                findings.append(Finding(why))
        return findings or [*check.columns]

    def whole(self, step: Step = lambda _done, _rounds: None) -> TournamentCheck:
        """Check the tournament as a whole; ``step`` hears of the rounds drawn again."""
        notes: list[str] = []
        findings: list[str] = []
        unfinished = None
        try:
            Ranking.of(self.tournament.plan)  # it raises for names that only a newer version knows
            stored = StoredSchedule.of(self._database, self.tournament)
            if self.imported:
                notes.append(
                    f"{self.tournament.name} was imported from records alone, which brought their own seeds"
                    " and openings; without its plan its schedule cannot be drawn again"
                )
                findings += _import_layout(stored)
            elif self._sealed or self.tournament.waits:
                unfinished = "its seed is not open, so seeds, openings and rounds are not checked"
            else:
                schedule = check_schedule(stored, step)
                findings += schedule.findings
                unfinished = schedule.unfinished
            findings += self._seed_follows()
            findings += self._kept_root(unfinished)
            findings += self._entrants_agree()
            findings += self._ratings_agree()
        except TourneyError as error:
            findings.append(str(error))
        findings += self._titles(notes)
        return TournamentCheck(tuple(findings), unfinished, tuple(notes))

    def _seed_follows(self) -> Iterator[str]:
        origin = self.tournament.origin
        seed = self.tournament.seed
        if origin.beacon is None or origin.beacon.value is None:
            return
        value = origin.beacon.value
        seal = seed_commitment(self.tournament)
        made = commitments(self.tournament, self._entrants, seal) if seal else iter(())
        if not any(beacon_seed(commitment, origin.salt, value) == seed for _, commitment in made):
            yield f"its seed does not follow from its beacon {origin.beacon.round} and its commitment"

    def _kept_root(self, unfinished: str | None) -> Iterator[str]:
        stored_root = self.tournament.root
        if stored_root is None:
            return
        now = compute_root(self._database, self.tournament)
        if now is None:
            why = unfinished or "rows are missing"
            yield f"it ended with the root {stored_root}, but it is not finished now: {why}"
        elif now != stored_root:
            yield (
                f"it ended with the root {stored_root}, but its plan and its matches give {now}: they were"
                " altered since"
            )

    def _entrants_agree(self) -> Iterator[str]:
        """Compare what stands twice of entrants: withdrawals, and their lines of the tournament file."""
        withdrawn = self.tournament.run.withdrawn
        names = [stored.name for stored in self._entrants]
        for name in withdrawn:
            if name not in names:
                yield f"the run settings withdraw {name}, which is not an entrant"
        for stored in self._entrants:
            gone = stored.left is not None
            if gone != (stored.name in withdrawn) and not (gone and stored.broken):
                yield (
                    f"the entrant {stored.name} {'left' if gone else 'stays'} in its own row,"
                    f" but is {'withdrawn' if stored.name in withdrawn else 'not withdrawn'} in the run"
                    " settings"
                )
            if stored.line and not _fits_line(stored):
                line = stored.line[:200]
                yield f"the entrant {stored.name} does not fit its line of the tournament file, {line}"

    def _ratings_agree(self) -> Iterator[str]:
        for settings in wrong_checkpoints(self._database, self.tournament):
            yield f"the ratings cached under {settings[:120]} do not follow from its results"
        stored = self._database.ratings.draw_probability(self.tournament.game, self.tournament.seats)
        if stored is None or stored.tournament != self.tournament.name:
            return
        results = list(self._database.matches.results(self.tournament.id))
        # An estimate from fewer matches was made before the end; which results it saw is not known.
        if stored.matches == len(results) and stored.probability not in {
            estimate_draw_probability(results, "loss"),
            estimate_draw_probability(results, "void"),
        }:
            yield f"the draw probability {stored.probability:g} of its game does not follow from its results"

    def _titles(self, notes: list[str]) -> Iterator[str]:
        """Compare the titles, authors, names and versions of bots with the manifests in the bot store."""
        if self._bots is None:
            return
        missing = []
        for stored in self._entrants:
            try:
                manifest = self._bots.fetch(stored.entrant.digest).manifest
            except TourneyError:
                missing.append(stored.name)
                continue
            pairs = [
                ("bot", stored.entrant.bot, manifest.name),
                ("version", stored.entrant.version, manifest.version),
            ]
            if not self.imported:  # records bring no titles
                pairs += [("title", stored.title, manifest.title), ("author", stored.author, manifest.author)]
            for what, claimed, right in pairs:
                if claimed != right:
                    digest = stored.entrant.digest[:12]
                    yield (
                        f"the {what} of {stored.name} is {claimed or 'empty'}, but {right or 'empty'} in the"
                        f" bot of its digest {digest}"
                    )
        if missing and len(missing) < len(self._entrants):  # else the store is another one
            shown = ", ".join(missing[:6]) + (" and more" if len(missing) > 6 else "")
            notes.append(
                f"the titles of {shown} of {self.tournament.name} are not checked: their bots are not in the"
                " bot store"
            )


class VerifyTask(NamedTuple):
    """Matches of a tournament that a process checks."""

    tournament: Tournament
    entrants: tuple[StoredEntrant, ...]
    matches: list[StoredMatch]
    sealed: bool = False
    arguments: Mapping[int, SeatArguments] = {}


class MatchCheck(NamedTuple):
    """The failed checks of a match: ``findings`` or, if all else holds, those of its ``columns``.

    ``recorded`` is False for a match without a record. A match that its tournament's plan does not contradict
    has the place of its mirrored ``group`` (round, table and repeat) and its ``seed``, which are checked
    together with the rest of the group.
    """

    number: int
    findings: list[Finding]
    columns: Sequence[Finding] = ()
    recorded: bool = True
    group: tuple[int, int, int] | None = None
    seed: int = 0


class VerifyReply(NamedTuple):
    """The checks of matches, and a sentence for each thing that could not be checked."""

    checks: list[MatchCheck]
    unchecked: set[str]


def check_matches(task: VerifyTask) -> VerifyReply:
    """Check matches one by one."""
    unchecked: set[str] = set()
    return VerifyReply([_check_match(task, stored, unchecked) for stored in task.matches], unchecked)


def _check_match(task: VerifyTask, stored: StoredMatch, unchecked: set[str]) -> MatchCheck:
    try:
        match = stored.match()
        if match.result is None or not match.result.digest:
            why = stored.disagreement(None)
            return MatchCheck(stored.number, [Finding(why)] if why else [], recorded=False)
        record = stored.record()
        # One difference from the plan is enough: most others follow from it.
        plan = [*map(Finding, islice(_differences(task, match, record), 1))]
        findings = [*verify(record, notes=unchecked), *plan]
        columns = list[Finding]()
        if not findings:  # columns and measurements beside a wrong record say nothing more
            why = stored.disagreement(record)
            columns = [Finding(why)] if why else [*map(Finding, _promise(stored, match, record))]
            unchecked |= set(_luck_unchecked(stored, record))
    except (StoreDamaged, UsageError) as error:
        return MatchCheck(stored.number, [Finding(str(error))])
    key = match.key
    group = None if plan else (key.round, key.table, key.repeat)
    return MatchCheck(stored.number, findings, columns, group=group, seed=record.spec.seed)


def _luck_unchecked(stored: StoredMatch, record: Record) -> Iterator[str]:
    """A sentence if the stored luck cannot be compared: who alters it could name any version."""
    game = known_game(record.game)
    installed = game.value_version if game is not None else 0
    if (version := stored.luck_version) not in (0, installed):
        yield (
            f"luck of the dice by version {version} of the value function of {record.game} is not checked:"
            f" version {installed} is installed"
        )


def _promise(stored: StoredMatch, match: TournamentMatch, record: Record) -> Iterator[str]:
    """Compare the mark of matches that reproduce with the measurements, unless these are damaged.

    The measurements excuse no difference by a fault that the record does not have.
    """
    measured = NOT_MEASURED
    with suppress(StoreDamaged):
        measured = stored.measured()
    promised = measured.reproducible
    if match.result is not None and promised is not None and promised != match.result.reproducible:
        stored_mark = match.result.reproducible
        yield f"reproducible is {stored_mark} in the database, but {promised} in its measurements"
    for why in sorted(set(measured.why_not) & set(UNSURE_FAULTS) - record.outcome.explained):
        yield f"its measurements name a {why}, but its record has none"


def _differences(task: VerifyTask, match: TournamentMatch, record: Record) -> Iterator[str]:
    plan = task.tournament.plan
    spec = record.spec
    arguments = task.arguments.get(match.number, ())
    expected = spec_of(task.tournament, task.entrants, match.row, arguments)
    for what, in_record, in_plan in (
        ("game", spec.game, expected.game),
        ("version of the rules", record.rules, plan.rules),
        ("options", _sorted(spec.options), _sorted(expected.options)),
        ("limits", spec.limits.texts(), expected.limits.texts()),
    ):
        if in_record != in_plan:
            yield f"its {what}: {_spec_text(in_record)}, but {_spec_text(in_plan)} in the tournament's plan"
    for seat, (here, there) in enumerate(zip(spec.seats, expected.seats, strict=False), start=1):
        if here != there:
            who = _entrant_text(here)
            planned = _entrant_text(there)
            yield f"on its seat {seat} is {who}, but {planned} in the schedule"
    if plan.format == IMPORTED or task.sealed:
        return
    if spec.seed != expected.seed:
        yield (
            f"its seed is {spec.seed}, but the tournament's seed and its place in the schedule give"
            f" {expected.seed}"
        )
    if spec.opening != expected.opening:
        in_record = msgspec.to_builtins(spec.opening)
        in_plan = msgspec.to_builtins(expected.opening)
        yield f"its opening: {_spec_text(in_record)}, but {_spec_text(in_plan)} by the plan and the seed"


def _import_layout(stored: StoredSchedule) -> Iterator[str]:
    """Check the places of imported matches: one round, its tables in order, each one mirrored group."""
    table = 0
    order = 0
    for match in stored.matches:
        key = match.key
        table, order = (table, order + 1) if key.table == table else (table + 1, 1)
        if (key.round, key.table, key.repeat, key.order) != (1, table, 1, order):
            yield (
                f"match {match.number} is at {place(key)}, where no import puts a match: the tournament was"
                " played here under another format, or rows are missing"
            )
            return
        if match.result is None:
            yield f"match {match.number} has no result, but an import has no open match"
            return


class _StoredLine(msgspec.Struct, frozen=True):
    """The settings in an entrant's stored line; see ``line_text`` of the preparation."""

    args: tuple[str, ...]
    name: str | None


def _fits_line(stored: StoredEntrant) -> bool:
    """Say whether an entrant has the arguments, and the name if any, of its line of the tournament file."""
    try:
        line = msgspec.json.decode(stored.line, type=prepared(_StoredLine))
    except ValueError:
        return False
    return stored.entrant.args == line.args and line.name in (None, stored.name)


def _sorted(pairs: tuple[tuple[str, str], ...]) -> dict[str, str]:
    return dict(sorted(pairs))


def _entrant_text(entrant: Entrant) -> str:
    args = "".join(f" {arg}" for arg in entrant.args)
    return f"{entrant.name} ({entrant.bot}@{entrant.version}{args}, {entrant.digest[:12]})"[:300]


def _spec_text(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key}={_spec_text(item)}" for key, item in value.items())[:200] or "none"
    return "/".join(value)[:200] if isinstance(value, tuple) else str(value)
