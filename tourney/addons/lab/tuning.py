"""``tourney tune``: a bot against itself with other values, a batch of mirrored pairs a round.

Entrants 0 and 1 are the bot; the format gives each its values as arguments, table by table
(``Format.arguments``). What is played next follows from the rule and the results, so a tuning that was killed
goes on as if it had not been.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final, NamedTuple

import msgspec

from tourney.addons.lab import question
from tourney.addons.lab.results import GateBot, TunedParameter, TunePoint, TuneResult
from tourney.addons.lab.tuning_methods import (
    METHODS,
    Gain,
    Method,
    SearchTerms,
    Values,
    method_of,
    version_of,
)
from tourney.bots.catalogue.shipped import Rung
from tourney.errors import TournamentError
from tourney.games.base import AnyGame
from tourney.match.evidence import Coefficient, subtracted
from tourney.prepared_types import prepared
from tourney.ratings.sequential import QUANTILE
from tourney.results.standings import load_setup
from tourney.schedule.format import FormatChart, History, SeatArguments, Setup, TablePlace
from tourney.schedule.row import ResultRow
from tourney.store.database import Database
from tourney.store.values import Tournament
from tourney.texts import counted

MOST_POINTS: Final = 200  # of a line in the result and in charts


class WayPoint(NamedTuple):
    """A tuning after some pairs."""

    pairs: int
    values: Values
    gain: Gain


class Trajectory:
    """The way of the values through the results of whole rounds, and the values of the next round."""

    def __init__(self, rule: "TuneRule") -> None:
        self._rule = rule
        self._method = rule.method_now()
        self._sums = question.BatchSums()
        self._share = Coefficient()
        self.points = [WayPoint(0, self._method.values, self._method.gain)]
        self.lost = 0
        self.void = False
        """The pairs with a void match, and whether the last round has only such pairs."""
        self.tables = 0  # of the next round
        self.arguments: dict[TablePlace, SeatArguments] = {}
        self._propose()

    def take(self, results: Sequence[ResultRow]) -> None:
        """Take in further rounds."""
        # Round by round: the values of a round follow from the rounds before it alone.
        for _, played in groupby(results, key=lambda result: result.key.round):
            tables = groupby(played, key=lambda result: result.key.table)
            pairs = [self._sums.score(table, pair) for table, pair in tables]
            share = self._share.value if self._rule.luck else 0.0
            scores = [None if points is None else points / 4 - share * luck for points, luck in pairs]
            self._share.add((points / 4, luck) for points, luck in pairs if points is not None)
            self._method.learn(scores)
            lost = sum(score is None for score in scores)
            self.lost = self.lost + lost
            self.void = lost == len(scores)
            self.points.append(WayPoint(self._method.done, self._method.values, self._method.gain))
            self._propose()

    def _propose(self) -> None:
        round_ = len(self.points)
        # A round without a single pair that counts means a broken bot or machine, so the tuning ends.
        duels = () if self.void else self._method.propose()
        for table, duel in enumerate(duels, 1):
            self.arguments[round_, table] = tuple(map(self._rule.words, duel))
        self.tables = len(duels)

    def shown(self) -> list[WayPoint]:
        """The points of charts: the first, the last, and others evenly between."""
        step = max(1, -(-len(self.points) // MOST_POINTS))
        return [*self.points[:-1:step], self.points[-1]]


@dataclass(frozen=True, slots=True)
class TuneState(question.QuestionState):
    """A tuning after whole rounds."""

    tables: tuple[question.Table, ...]
    rule: "TuneRule"
    point: WayPoint

    def lines(self, names: Sequence[str]) -> Iterator[str]:  # noqa: ARG002 - the lines name no bot
        """Yield the values, and their gain."""
        pairs, values, gain = self.point
        half = QUANTILE * gain.deviation
        yield (
            f"{pairs} of {counted(self.rule.terms.pairs, 'pair')}: {' '.join(self.rule.words(values))};"
            f" estimated gain {gain.elo:+.0f} ± {half:.0f} Elo"
        )


@dataclass(frozen=True, slots=True)
class TuneRule(question.QuestionRule[TuneResult]):
    """The subject and method of a tuning. ``version``: Optuna's; ``luck``: whether to subtract luck."""

    kind = "tune"
    noun = "tuning"
    title = "{0:.40}-tune"
    other_names = ("{name:.60}-b",)

    terms: SearchTerms
    method: str
    version: str = ""
    luck: bool = False

    def extra(self) -> tuple[tuple[str, int | str], ...]:
        """The rule as settings of its format, sorted by name."""
        return (("rule", msgspec.json.encode(self).decode()),)

    @classmethod
    def of(cls, extra: question.Extra) -> "TuneRule":
        """Read a stored rule. Raises KeyError, TypeError and ValueError."""
        return msgspec.json.decode(str(dict(extra)["rule"]), type=prepared(cls))

    def fitting(self, game: AnyGame, seats: int) -> tuple["TuneRule", tuple[Rung, ...]]:  # noqa: ARG002 - always two
        """The rule for a game; it subtracts luck if the game's luck is known."""
        return replace(self, luck=self.luck and subtracted(game)), ()

    def check(self, setup: Setup) -> None:
        """Raise TournamentError unless a bot plays itself, with something to tune."""
        if len(setup.participants) != 2 or setup.seats != 2:
            raise TournamentError("a tuning is of a bot against itself, at tables of two seats")
        if not self.terms.names or self.method not in METHODS or min(self.terms.pairs, self.terms.batch) < 1:
            raise TournamentError("a tuning needs parameters, a method, and at least one pair of games")

    def method_now(self) -> Method:
        """A new search by this rule.

        Raises UsageError for a sampler whose package is missing, and TournamentError for another version.
        """
        # Another version may draw other values from the same seed, so the tuning would not go on as it began.
        if (installed := version_of(self.method)) != self.version:
            raise TournamentError(
                f"this tuning draws its values by Optuna {self.version}, and {installed} is installed:"
                f" run pip install optuna=={self.version}"
            )
        return method_of(self.method, self.terms)

    def words(self, values: Values) -> tuple[str, ...]:
        """Values as arguments."""
        settings = zip(self.terms.names, self.terms.parameters, values, strict=True)
        return tuple(f"{name}={parameter.text(value)}" for name, parameter, value in settings)

    def judge(self, setup: Setup, history: History) -> TuneState:
        """The values by whole rounds, and the tables of the next one; a void round ends the tuning."""
        way = history.sums(Trajectory, self)
        over = setup.rounds is not None and history.rounds >= setup.rounds
        tables = () if over else tuple((number, (0, 1)) for number in range(1, way.tables + 1))
        return TuneState(tables, self, way.points[-1])

    def result(self, database: Database, tournament: Tournament) -> TuneResult:
        """The values so far, from the stored matches alone."""
        history = question.whole_rounds(database, tournament)
        way = history.sums(Trajectory, self)
        state = self.judge(load_setup(database, tournament.id), history)
        faults, first = question.bot_faults(database, tournament, (0, 1))
        tuned = zip(self.terms.names, self.terms.parameters, way.points[-1].values, strict=True)
        return TuneResult(
            tuning=tournament.name,
            game=tournament.game,
            bot=GateBot.of(database.tournaments.entrants(tournament.id)[0].entrant),
            method=self.method,
            pairs=way.points[-1].pairs - way.lost,
            lost_pairs=way.lost,
            planned_pairs=self.terms.pairs,
            ended=not state.tables,
            void=way.void,
            parameters=tuple(
                TunedParameter(
                    name=name,
                    low=parameter.low,
                    high=parameter.high,
                    step=parameter.step,
                    start=parameter.text(),
                    value=parameter.text(value),
                )
                for name, parameter, value in tuned
            ),
            points=tuple(self._point(point) for point in way.shown()),
            faults=dict(sorted(faults.items())),
            first_fault=first,
            gate=None,
            out=None,
        )

    def _point(self, point: WayPoint) -> TunePoint:
        half = QUANTILE * point.gain.deviation
        elo = point.gain.elo
        gain, low, high = (question.rounded(value) or 0.0 for value in (elo, elo - half, elo + half))
        texts = tuple(
            parameter.text(value)
            for parameter, value in zip(self.terms.parameters, point.values, strict=True)
        )
        return TunePoint(pairs=point.pairs, values=texts, gain=gain, low=low, high=high)


class TuneFormat(question.QuestionFormat):
    """Entrant 0 against entrant 1, a batch of mirrored pairs a round, each with values of its own."""

    name = "tune"
    pairs_with_itself = True
    rule = TuneRule

    def arguments(self, setup: Setup, history: History) -> Mapping[TablePlace, SeatArguments]:
        """The values at each table of the rounds known, and of the next one."""
        return history.sums(Trajectory, TuneRule.of(setup.extra)).arguments

    def charts(self, setup: Setup, history: History) -> tuple[FormatChart, ...]:
        """The values, in steps from the first ones, and the estimated gain with its interval."""
        rule = TuneRule.of(setup.extra)
        shown = history.sums(Trajectory, rule).shown()
        lines = []
        for place, (name, parameter) in enumerate(zip(rule.terms.names, rule.terms.parameters, strict=True)):
            moves = [(float(p.values[place]) - parameter.value) / parameter.step for p in shown]
            points = ((p.pairs, move, move, move) for p, move in zip(shown, moves, strict=True))
            lines.append((name, tuple(points)))
        gains = ((p.pairs, p.gain.elo, QUANTILE * p.gain.deviation) for p in shown)
        band = tuple((at, elo, elo - half, elo + half) for at, elo, half in gains)
        return (
            FormatChart("Values", "Pairs of games", "Steps from the first value", tuple(lines)),
            FormatChart("Estimated gain", "Pairs of games", "Elo", (("estimated gain", band),), band=True),
        )
