"""Draw a stored tournament's schedule again, and say what differs: formats are pure functions.

Each round is drawn from the stored rows and results before it, as the run drew it: with the entrants that had
joined, withdrawals and ratings as stored, and the results that its format could see. Results that
``--unbench`` replaced later count for the rounds drawn from them. So a difference shows that someone altered
the database, or that another version of the format drew it.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec import structs

from tourney.errors import TournamentError
from tourney.results.luck import compute_luck, needs_luck
from tourney.results.standings import setup_of
from tourney.results.until import next_rounds
from tourney.run.engine.bench_policy import BenchDecision, BenchPolicy, PlayOrder
from tourney.run.engine.recorder import entrants_after
from tourney.schedule.format import Format, History, Pairings, find_format
from tourney.schedule.row import MatchKey, ResultRow, Row
from tourney.store.database import Database
from tourney.store.values import ReplacedResult, StoredEntrant, Tournament, TournamentMatch

MOST: Final = 10  # differing rows of a draw to name at most; their number is said

Step = Callable[[int, int], None]
"""A listener of progress: rounds drawn again, of how many."""


@dataclass(frozen=True, slots=True)
class TournamentCheck:
    """The result of checking a tournament, or its schedule alone.

    ``findings``: a sentence each. ``unfinished``: why it is not whole though nothing contradicts it, or None.
    ``notes``: what could not be checked, and why.
    """

    findings: tuple[str, ...]
    unfinished: str | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredSchedule:
    """A tournament with all that its schedule follows from, in schedule order."""

    tournament: Tournament
    entrants: tuple[StoredEntrant, ...]
    matches: tuple[TournamentMatch, ...]
    replaced: tuple[ReplacedResult, ...]

    @classmethod
    def of(cls, database: Database, tournament: Tournament) -> "StoredSchedule":
        """Read a tournament. Raises StoreDamaged."""
        entrants = database.tournaments.entrants(tournament.id)
        luck = needs_luck(tournament, setup_of(tournament.plan, tournament.seed, entrants))
        if luck:
            compute_luck(database, tournament)
        return cls(
            tournament,
            entrants,
            tuple(database.matches.all(tournament.id, luck=luck)),
            database.matches.replaced(tournament.id),
        )


def check_schedule(stored: StoredSchedule, step: Step = lambda _done, _rounds: None) -> TournamentCheck:
    """Draw all rounds again, and decide again who was benched.

    Raises TournamentError for a format that is not installed.
    """
    redraw = _Redraw(stored)
    for drawn in redraw.draws():
        step(drawn, max(redraw.last, 1))
    findings = [*_numbers(stored), *_replaced(stored), *redraw.findings, *_benched(stored)]
    unfinished = redraw.unfinished
    missing = [match for match in stored.matches if match.result is None]
    if missing:
        first = missing[0]
        more = f" and {len(missing) - 1} more have no result" if len(missing) > 1 else " has no result"
        unfinished = f"match {first.number} ({place(first.key)}){more}"
    return TournamentCheck(tuple(findings), unfinished)


def place(key: MatchKey) -> str:
    """A match's place in the schedule in words."""
    return f"round {key.round}, table {key.table}, repeat {key.repeat}, order {key.order}"


def _numbers(stored: StoredSchedule) -> Iterator[str]:
    for number, match in enumerate(stored.matches, 1):
        if match.number != number:
            yield (
                f"the match at {place(match.key)} has the number {match.number}, but {number} comes next:"
                " rows of the schedule are missing"
            )
            return


def _replaced(stored: StoredSchedule) -> Iterator[str]:
    """Yield the replaced results that --unbench cannot have replaced."""
    for old in stored.replaced:
        if not (old.void or "startup" in old.faults):
            yield (
                f"match {old.match} is said to have had another result, but --unbench replaces only void"
                " matches and failed starts"
            )


def first_draw_from(stored: StoredSchedule, round_: int) -> int | None:
    """The number of rounds after which a draw first saw results of a round; None: none has yet."""
    redraw = _Redraw(stored)
    return next((drawn for drawn in redraw.draws() if redraw.sees(round_, drawn)), None)


class _Redraw:
    """A schedule drawn again, call of the format by call.

    ``findings`` are what differs, a sentence each, in the draws so far; ``unfinished`` is why the schedule is
    not whole though nothing contradicts it, or None.
    """

    def __init__(self, stored: StoredSchedule) -> None:
        self._stored = stored
        self._plan = stored.tournament.plan
        self._format: Format = find_format(self._plan.format)
        self._rows = [match.row for match in stored.matches]
        self._ends = [row.round for row in self._rows]  # sorted, to find a round's first row
        self._numbers = {match.key: match.number for match in stored.matches}
        self._names = [entrant.name for entrant in stored.entrants]
        old: dict[int, list[ReplacedResult]] = defaultdict(list)
        for result in stored.replaced:
            old[result.match].append(result)
        self._replaced = old
        self.last = self._rows[-1].round if self._rows else 0
        self.findings: list[str] = []
        self.unfinished: str | None = None

    def sees(self, round_: int, drawn: int) -> bool:
        """Whether the draw after some rounds sees the results of a round."""
        return round_ <= drawn - self._format.lag

    def draws(self) -> Iterator[int]:
        """Draw the rounds again; before each draw yield the number of rounds drawn so far."""
        drawn = 0
        while True:
            yield drawn
            open_ = self._first_open(drawn)
            if open_ is not None:
                if drawn < self.last:
                    self.findings.append(
                        f"round {drawn + 1} is drawn, although match {open_.number} ({place(open_.key)})"
                        " has no result: it was removed"
                    )
                self.unfinished = f"round {max(drawn, self.last) + 1} is not drawn"
                return
            try:
                pairings = self._draw(drawn)
            except TournamentError as error:
                self.findings.append(f"round {drawn + 1} cannot be drawn again: {error}")
                return
            except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError):
                # The formats take whole rounds for granted; rows or results of an earlier round are missing.
                self.findings.append(f"round {drawn + 1} cannot be drawn again from the rounds before it")
                return
            upto = max((row.round for row in pairings.rows), default=drawn)
            if not pairings.rows and drawn < self.last:
                self.findings.append(self._surplus(drawn))
                return
            if drawn == self.last:
                self.findings += self._end(pairings, drawn)
                return
            if upto <= drawn:  # the rows of a whole round are missing, and are named already
                return
            cut = self._before_raise(pairings, drawn, upto)
            if cut is not None:  # the run drew fewer rows here; what a later file raised was drawn after them
                drawn = cut
                continue
            self.findings += self._compare(pairings, drawn, upto)
            drawn = upto
            joining = drawn and any(entrant.joined == drawn + 1 for entrant in self._stored.entrants)
            if pairings.complete and drawn >= self.last and not joining:
                self.findings += self._end(Pairings((), complete=True), drawn)
                return

    def _end(self, pairings: Pairings, drawn: int) -> Iterator[str]:
        complete = self._stored.tournament.complete
        if pairings.rows:
            count = len(pairings.rows)
            if complete:
                first = pairings.rows[0]
                yield (
                    f"round {first.round} is missing, {count} {'row' if count == 1 else 'rows'}:"
                    f" {self._row(first)} comes first; yet the schedule is marked as complete"
                )
            self.unfinished = f"round {drawn + 1} is not drawn"
        elif not complete:
            self.unfinished = f"no round follows round {drawn}, but the schedule is not marked as complete"

    def _surplus(self, drawn: int) -> str:
        surplus = self._rows[bisect_left(self._ends, drawn + 1) :]
        number = self._numbers[surplus[0].key]
        where = place(surplus[0].key)
        rows = "row is" if len(surplus) == 1 else "rows are"
        return (
            f"{len(surplus)} {rows} surplus, from match {number} ({where}) on: no round follows round {drawn}"
        )

    def _draw(self, drawn: int, rounds: int | None = None) -> Pairings:
        """The pairings after a number of rounds, as the run drew them."""
        plan = self._plan if rounds is None else structs.replace(self._plan, rounds=rounds)
        entrants = entrants_after(self._stored.entrants, drawn)
        rows = tuple(self._rows[: bisect_left(self._ends, drawn + 1)])
        history = History(rows, tuple(self._results(drawn)))
        return next_rounds(self._format, setup_of(plan, self._stored.tournament.seed, entrants), history)

    def _results(self, drawn: int) -> Iterator[ResultRow]:
        for match in self._seen(drawn):
            result = match.result_row
            old = self._old(match, drawn)
            if old is not None:
                faults = tuple(kind or None for kind in old.faults)
                yield ResultRow(match.key, match.seats, old.ranks, faults, old.void, match.number)
            elif result is not None:
                yield result

    def _first_open(self, drawn: int) -> TournamentMatch | None:
        """The first match without a result that the draw after some rounds needed."""
        open_ = (match for match in self._seen(drawn) if match.result is None)
        return next((match for match in open_ if self._old(match, drawn) is None), None)

    def _seen(self, drawn: int) -> Sequence[TournamentMatch]:
        return self._stored.matches[: bisect_left(self._ends, drawn - self._format.lag + 1)]

    def _old(self, match: TournamentMatch, drawn: int) -> ReplacedResult | None:
        """The replaced result that a draw saw: the first that was replaced after it."""
        return next(
            (replaced for replaced in self._replaced.get(match.number, ()) if replaced.rounds > drawn), None
        )

    def _before_raise(self, pairings: Pairings, drawn: int, upto: int) -> int | None:
        """The last of the stored rounds that were drawn when fewer matches were planned, or None.

        They have the first repeats of the drawn rounds or, where results decide, their first rows.
        """
        setup = setup_of(self._plan, self._stored.tournament.seed, self._stored.entrants)
        here = self._between(drawn, upto)
        keys = self._format.raisable(setup)
        if not here or not keys:
            return None
        if "budget" in keys:  # whole pairings of a batch
            fewer_rows = [row for row in pairings.rows if row.key <= here[-1].key]
            fewer_rows = fewer_rows[: len(fewer_rows) // setup.games * setup.games]
        elif setup.until is not None:  # whole rounds
            fewer_rows = [row for row in pairings.rows if row.round <= here[-1].round]
        else:
            repeats = max(row.repeat for row in here)
            fewer_rows = [row for row in pairings.rows if row.repeat <= repeats]
        return here[-1].round if len(fewer_rows) < len(pairings.rows) and sorted(fewer_rows) == here else None

    def _compare(self, pairings: Pairings, drawn: int, upto: int) -> Iterator[str]:
        here = self._between(drawn, upto)
        if here == sorted(pairings.rows):
            return
        # The file may have set more rounds later; the tables of rounds drawn at once depend on their number.
        fewer = range((self._plan.rounds or 0) - 1, drawn, -1) if upto > drawn + 1 else ()
        for rounds in fewer:
            earlier = self._draw(drawn, rounds).rows
            if earlier and sorted(earlier) == self._between(drawn, earlier[-1].round):
                before = earlier[-1].round
                if before < upto:
                    yield from self._compare(self._draw(before), before, upto)
                return
        yield from self._differences(here, pairings.rows)

    def _between(self, drawn: int, upto: int) -> list[Row]:
        return self._rows[bisect_left(self._ends, drawn + 1) : bisect_left(self._ends, upto + 1)]

    def _differences(self, here: Iterable[Row], right: Iterable[Row]) -> Iterator[str]:
        stored, drawn = ({row.key: row for row in rows} for rows in (here, right))
        wrong = sorted(key for key in {*stored, *drawn} if stored.get(key) != drawn.get(key))
        for key in wrong[:MOST]:
            if key not in stored:
                yield f"the schedule lacks {self._row(drawn[key])}"
            elif key not in drawn:
                number = self._numbers[key]
                yield f"the schedule has match {number}, {self._row(stored[key])}, which is not drawn"
            else:
                yield (
                    f"match {self._numbers[key]} is {self._row(stored[key])}, but"
                    f" {self._entrants(drawn[key].seats)} is drawn there"
                )
        if len(wrong) > MOST:
            yield f"{len(wrong) - MOST} more rows differ, the last in round {wrong[-1].round}"

    def _row(self, row: Row) -> str:
        return f"{place(row.key)}, {self._entrants(row.seats)}"

    def _entrants(self, seats: Sequence[int]) -> str:
        return " v ".join(self._names[number] for number in seats)


def _benched(stored: StoredSchedule) -> Iterator[str]:
    """Yield the matches that are void by benching or played against the rule of ``BenchPolicy``."""
    names = [entrant.name for entrant in stored.entrants]
    for match, decision in wrongly_benched(stored):
        at = f"match {match.number} ({place(match.key)})"
        if match.result is not None and match.result.void_reason == "benched":
            entrant = match.result.void_entrant
            who = names[entrant] if entrant is not None and entrant < len(names) else "no entrant"
            yield f"{at} is void as {who} is benched, but no three failed starts before it bench {who}"
        else:
            failed = ", ".join(map(str, decision.matches))
            yield f"{at} has a result, but {names[decision.entrant]} is benched by its matches {failed}"


def wrongly_benched(
    stored: StoredSchedule, possible: Iterable[tuple[int, int]] = ()
) -> Iterator[tuple[TournamentMatch, BenchDecision]]:
    """Yield the matches that are void by benching or played against ``BenchPolicy``, with its decision.

    ``possible`` are numbers of matches without a result in which an entrant may have failed to start; what
    these may bench is played against the policy too. After ``--unbench`` no played match is: results from
    before it stay, which other failed starts led to.
    """
    order = PlayOrder.of(stored.tournament, stored.entrants)
    order.add((match.number, match.row) for match in stored.matches)
    policy = BenchPolicy(order=order)
    most = BenchPolicy(order=order)
    broken = {entrant.number for entrant in stored.entrants if entrant.broken}
    for match in stored.matches:
        if match.result is not None:
            policy.count(match.number, match.seats, match.result.faults)
            most.count(match.number, match.seats, match.result.faults)
    for number, entrant in possible:
        most.count(number, (entrant, -1), ("startup", None))
    for match in stored.matches:
        if match.result is None:
            continue
        if match.result.void_reason != "benched":
            decision = most.decide(match.number, match.seats, ())
            if decision.kind == "benched" and not stored.replaced:
                yield match, decision
        elif not (match.result.void_entrant in broken and match.result.void_entrant in match.seats):
            decision = policy.decide(match.number, match.seats, ())
            if decision.kind != "benched" or decision.entrant != match.result.void_entrant:
                yield match, decision
