"""``tourney ladder``: a bot meets the rungs of a ladder near it until its rating is known.

Entrant 0 is the bot; the others are the rungs, whose ratings are fixed.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, groupby
from typing import Final

from tourney.addons.lab import question
from tourney.addons.lab.anchored import Meeting, Placement, place
from tourney.addons.lab.results import VAGUE, Ending, LadderResult, LostGame, RungLine
from tourney.bots.catalogue.shipped import Rung, ladder_of, no_ladder_text, shipped_digests
from tourney.errors import BotError, TournamentError, UsageError
from tourney.games.base import AnyGame
from tourney.match.spec import Charge, Limits
from tourney.ratings.sequential import EVERY_LOOK, FIXED
from tourney.results.standings import has_ended
from tourney.schedule.adaptive import expected
from tourney.schedule.format import History, Setup, group_size
from tourney.schedule.player_history import MAX_STARTUP_FAILURES, departures, present_in, startup_failures
from tourney.schedule.row import MAX_ROWS, ResultRow, half_points
from tourney.schedule.tie_breaks import EntrantScores, Values, match_points, rating_measures
from tourney.store.database import Database
from tourney.store.values import StoredEntrant, Tournament, TournamentMatch
from tourney.texts import counted

MOVE_MS: Final = 1000
"""Time per action that the referee states to the bots, unless the request says otherwise."""
MARGIN_MS: Final = 60_000
"""Time beyond it before a turn is a timeout: a rung searches a fixed number of nodes at any speed."""
BATCH_GAMES: Final = 8
"""The least number of matches in a batch."""
OUTSIDE: Final = 40_000
"""A bot that is further than this outside the ladder (hundredths of Elo) wins or loses nearly every game."""
MAX_LOST: Final = 20
"""The most lost games in the result."""


@dataclass(frozen=True, slots=True)
class LadderState(question.QuestionState):
    """A placement after whole batches; None before the first. ``games``: the number that count."""

    tables: tuple[question.Table, ...]
    rule: "LadderRule"
    placement: Placement | None
    ending: Ending | None
    games: int

    def lines(self, names: Sequence[str]) -> Iterator[str]:
        """Yield the one line of progress."""
        if self.placement is None:
            return
        shown = self.rule.now(self.placement) if self.ending is None else self.placement
        kind = EVERY_LOOK if self.ending is None else FIXED
        against = dict.fromkeys(names[rung] for _, group in self.tables for rung in group if rung)
        now = f", now against {' and '.join(against)}" if against else ""
        rating = f"rating {shown.rating / 100:+.1f} ± {shown.half_width / 100:.1f} ({kind})"
        if shown.half_width > 100 * VAGUE:
            rating = f"rating not known to {VAGUE} Elo yet"
        yield f"{counted(self.games, 'game')}: {rating}{now}"


@dataclass(frozen=True, slots=True)
class LadderRule(question.QuestionRule[LadderResult]):
    """The rungs' ratings (hundredths of Elo, entrants 1 and up), and when the placement ends.

    ``width``: the 95 % interval is at most ``width`` Elo to either side. ``games``: the most matches. The
    game's ladder, without the rungs ``left_out``, sets the ratings (``fitting``).
    """

    kind = "ladder"
    noun = "placement"
    title = "{0:.40}-ladder"
    other_names = ("{name:.60}-new",)
    hashed = ("seats",)
    # A rung in C needs a compiler; without one the others still rate a bot.
    spares_opponents = True

    anchors: tuple[int, ...] = ()
    width: int = 50
    games: int = 400
    left_out: tuple[str, ...] = ()

    def extra(self) -> tuple[tuple[str, int | str], ...]:
        """The rule as settings of its format, sorted by name."""
        anchors = ",".join(map(str, self.anchors))
        return (("anchors", anchors), ("games", self.games), ("width", self.width))

    @classmethod
    def of(cls, extra: question.Extra) -> "LadderRule":
        """Read a stored rule. Raises KeyError, TypeError and ValueError."""
        values = dict(extra)
        anchors = tuple(int(word) for word in str(values["anchors"]).split(","))
        return cls(anchors, int(values["width"]), int(values["games"]))

    def check(self, setup: Setup) -> None:
        """Raise TournamentError unless there are a bot, rungs to fill a table, and their ratings."""
        if len(self.anchors) != len(setup.participants) - 1 or len(self.anchors) < setup.seats - 1:
            raise TournamentError(
                f"a placement at {setup.seats} seats needs a bot and at least {setup.seats - 1} rungs with a"
                " rating each"
            )
        if not (self.width > 0 and 0 < self.games <= MAX_ROWS):
            raise TournamentError("the width and the number of matches of a placement must be at least 1")

    def judge(self, setup: Setup, history: History) -> LadderState:
        """The placement from these results, and the tables of the next batch.

        There are none once the placement has ended, or if the bot or too many rungs failed at start-up.
        """
        present = present_in(history.rounds + 1, setup, departures(setup, history))
        rungs = [number for number in present if number]
        placement = self.place(history.results) if history.rounds else None
        ending = None if placement is None else self.ending(placement, len(history.rows))
        tables: tuple[question.Table, ...] = ()
        if ending is None and 0 in present and len(rungs) >= setup.seats - 1:
            groups = self.groups(setup.seats, rungs, placement)
            tables = tuple((number, (0, *group)) for number, group in enumerate(groups, 1))
        return LadderState(tables, self, placement, ending, sum(map(counts, history.results)))

    def place(self, results: Iterable[ResultRow]) -> Placement:
        """The bot's rating by these results."""
        return place(self._meetings(results), self.anchors)

    def now(self, placement: Placement) -> Placement:
        """A placement with the interval that holds at every look, tuned for ``width``."""
        return placement.at_every_look(100 * self.width)

    def rating(self, rung: int) -> int:
        """The rating of a rung, by its number as an entrant."""
        return self.anchors[rung - 1]

    def ending(self, placement: Placement, matches: int) -> Ending | None:
        """The reason that a placement ends with this rating after this number of matches, or None."""
        if placement.half_width <= 100 * self.width:
            return "width"
        if placement.rating > max(self.anchors) + OUTSIDE and placement.low > max(self.anchors):
            return "above"
        if placement.rating < min(self.anchors) - OUTSIDE and placement.high < min(self.anchors):
            return "below"
        return "games" if matches >= self.games else None

    def groups(
        self, seats: int, present: Sequence[int], placement: Placement | None
    ) -> list[tuple[int, ...]]:
        """The rungs at each table of the next batch.

        Without a placement: the lowest rungs. With two seats: the rungs on both sides of the bot's rating,
        in turn, unless a game against one has less than half of the information of a game against the other.
        With more seats: the nearest rungs.
        """
        tables = max(1, BATCH_GAMES // group_size(seats))
        rungs = sorted(present, key=lambda rung: (self.rating(rung), rung))
        if placement is None:
            return [tuple(rungs[: seats - 1])] * tables

        def information(rung: int) -> float:
            # The Fisher information of a game against the rung about the rating, except for a constant
            # factor.
            better = expected(placement.rating - self.rating(rung))
            return round(better * (1 - better), 6)

        best = sorted(rungs, key=lambda rung: (-information(rung), self.rating(rung), rung))
        if seats > 2:
            return [tuple(best[: seats - 1])] * tables
        below = [rung for rung in best if self.rating(rung) <= placement.rating]
        above = [rung for rung in best if self.rating(rung) > placement.rating]
        near = best[0]
        far = next(iter(above if near in below else below), near)
        # A rung that tells little costs as many games as a near one.
        far = far if 2 * information(far) >= information(near) else near
        return [(near if table % 2 == 0 else far,) for table in range(tables)]

    def _meetings(self, results: Iterable[ResultRow]) -> list[list[Meeting]]:
        """The bot's meetings by mirrored group; results are in schedule order."""
        meetings = []
        # The games of a mirrored group share dice and opening, so they are one observation.
        for _, group in groupby(filter(counts, results), key=lambda result: result.key._replace(order=0)):
            points = [rung_half_points(result) for result in group]
            games = Counter(chain.from_iterable(points))
            total = Counter[int]()
            for game_points in points:
                total.update(game_points)
            weight = 2 / (1 + len(points[0]))
            meetings.append([Meeting(self.rating(n), games[n], total[n], weight) for n in games])
        return meetings

    def fitting(self, game: AnyGame, seats: int) -> tuple["LadderRule", tuple[Rung, ...]]:
        """The rule with the ratings of the game's rungs, and the rungs.

        Raises UsageError if the game has no ladder, or if a rung has no rating.
        """
        rungs = tuple(rung for rung in ladder_of(game.name, seats) if rung.name not in self.left_out)
        if not rungs:
            raise UsageError(f"{no_ladder_text(game.name, seats)}, and compare bots by `tourney compare`")
        unrated = [rung.name for rung in rungs if rung.rating is None]
        if unrated:
            raise UsageError(
                f"the ladder of {game.name} with {seats} seats has no ratings of {', '.join(unrated)}: enter"
                ' the rungs by bots = ["@ladder"] in a tournament file instead'
            )
        anchors = tuple(round(100 * rung.rating.elo) for rung in rungs if rung.rating is not None)
        return replace(self, anchors=anchors), rungs

    def without(self, names: Sequence[str]) -> "LadderRule":
        """The rule without some of the rungs."""
        return replace(self, left_out=tuple(names))

    def refuse(self, entrants: Sequence[StoredEntrant]) -> None:
        """Raise BotError for a rung whose name means another bot here: the rating is of the shipped bot."""
        shipped = shipped_digests()
        for rung in entrants[1:]:
            if rung.entrant.digest not in shipped.values():
                raise BotError(
                    f"{rung.entrant.bot} means another bot here than the one that ships, whose rating the"
                    " ladder has: work in another folder, or remove the bot from the store by `tourney bots"
                    " remove`",
                    rung.name,
                )

    def result(self, database: Database, tournament: Tournament) -> LadderResult:
        """The bot's place by all stored results, an unfinished batch's too.

        Intervals hold at every look until the placement has ended.
        """
        entrants = database.tournaments.entrants(tournament.id)
        names = [entrant.name for entrant in entrants]
        matches = list(database.matches.all(tournament.id, finished=True))
        results = [row for match in matches if (row := match.result_row) is not None]
        counting = [result for result in results if counts(result)]
        placement = self.place(counting) if counting else None
        ended = has_ended(database, tournament)
        shown = placement if ended or placement is None else self.now(placement)
        rating, low, high = (None,) * 3 if shown is None else (shown.rating, shown.low, shown.high)
        rungs = enumerate(self.anchors, 1)
        above = [] if rating is None else [(value, rung) for rung, value in rungs if value > rating]
        faults, first = question.bot_faults(database, tournament)
        rows = database.schedules.progress(tournament.id).rows
        return LadderResult.of(
            tournament,
            tournament=tournament.name,
            bot=names[0],
            ended=ended,
            ending=self._ended(results, placement, rows) if ended else None,
            width=self.width,
            intervals=FIXED if ended else EVERY_LOOK,
            rating=_elo(rating),
            low=_elo(low),
            high=_elo(high),
            rank=self._rank(rating),
            best_rank=self._rank(high),
            worst_rank=self._rank(low),
            next=names[min(above)[1]] if above else None,
            games=len(counting),
            void=sum(result.void for result in results),
            not_counted=sum(not counts(result) and not result.void for result in results),
            faults=faults,
            first_fault=first,
            rungs=tuple(self._rungs(counting, placement, entrants)),
            lost=tuple(_lost(matches, names)),
        )

    def _rank(self, rating: int | None) -> int | None:
        """The rank among the rungs: 1 + the number of better ones."""
        return None if rating is None else 1 + sum(anchor > rating for anchor in self.anchors)

    def _ended(self, results: Sequence[ResultRow], placement: Placement | None, rows: int) -> Ending:
        faulty = (result for result in results if result.faults)
        # A bot that does not start has no strength to place.
        starts = sum(0 in startup_failures(result.entrants, result.faults) for result in faulty)
        if starts >= MAX_STARTUP_FAILURES or placement is None:
            return "out"
        return self.ending(placement, rows) or "games"

    def _rungs(
        self, results: Sequence[ResultRow], placement: Placement | None, entrants: Sequence[StoredEntrant]
    ) -> Iterator[RungLine]:
        """Yield the rungs, the best first."""
        scores = Counter(item for result in results for item in rung_half_points(result).items())
        for number in sorted(range(1, len(entrants)), key=lambda number: (-self.rating(number), -number)):
            lost, drawn, won = (scores[number, points] for points in range(3))
            games = lost + drawn + won
            rating = self.rating(number)
            yield RungLine.of(
                entrants[number].entrant,
                rating=question.rounded(rating / 100) or 0.0,
                games=games,
                won=won,
                drawn=drawn,
                lost=lost,
                score=round((2 * won + drawn) / (2 * games), 3) if games else None,
                expected=None if placement is None else round(expected(placement.rating - rating), 3),
            )


class LadderFormat(question.QuestionFormat):
    """The bot against the rungs nearest to it, a batch a round, until its rating is known."""

    name = "ladder"
    rule = LadderRule
    ranks = True
    ranked_by = "rating"
    measures = rating_measures(
        "Rating on the ladder's scale; those of the rungs are fixed", "Standard deviation of the bot's rating"
    )

    def tie_breaks(self, seats: int) -> tuple[str, ...]:  # noqa: ARG002 - the same for all
        """Rank by rating; its sigma is shown and breaks no tie."""
        return ("rating", "sigma")

    def scores(self, setup: Setup, history: History) -> EntrantScores:
        """The bot's rating on the rungs' scale."""
        rule = LadderRule.of(setup.extra)
        placement = rule.place(history.results)
        points = match_points((p.number for p in setup.participants), history.results, setup.seats)
        rating: Values = {n: Fraction(rule.rating(n) if n else placement.rating, 100) for n in points}
        sigma: Values = {n: None if n else Fraction(placement.deviation, 100) for n in points}
        return EntrantScores(points, measures={"rating": rating, "sigma": sigma})


def counts(result: ResultRow) -> bool:
    """Whether a match counts: it is not void, and no rung was at fault.

    A rung's rating says nothing about a match that it lost by a fault.
    """
    faulty = {number for number, fault in zip(result.entrants, result.faults, strict=False) if fault}
    return not result.void and faulty <= {0}


def rung_half_points(result: ResultRow) -> Mapping[int, int]:
    """The bot's half-points against each rung at the table."""
    mine = result.ranks[result.entrants.index(0)]
    places = zip(result.entrants, result.ranks, strict=True)
    return {number: half_points(mine, rank) for number, rank in places if number}


def _lost(matches: Iterable[TournamentMatch], names: Sequence[str]) -> list[LostGame]:
    """The games in which the bot was not first: last places before others, then the shortest first."""
    lines = []
    for match in matches:
        result = match.result
        if result is None or result.void:
            continue
        place_ = match.seats.index(0)
        if result.ranks[place_] > 1:
            line = LostGame.of(
                result,
                match=match.number,
                against=tuple(names[number] for number in match.seats if number),
                seat=place_ + 1,
                rank=result.ranks[place_],
                fault=result.faults[place_] if result.faults else None,
                look="",
            )
            lines.append(line)
    return sorted(lines, key=lambda line: (-line.rank, line.actions, line.match))[:MAX_LOST]


def _elo(hundredths: int | None) -> float | None:
    return None if hundredths is None else question.rounded(hundredths / 100)


def ladder_limits(move_ms: int = MOVE_MS, charge: Charge = "wall") -> Limits:
    """The limits of a placement; ``charge`` is not ``fuel``, as the rungs are not modules."""
    return Limits(move_ms=move_ms, margin_ms=MARGIN_MS, startup_ms=60_000, charge=charge)
