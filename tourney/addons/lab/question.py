"""Questions about a bot: the base of all kinds of questions.

A kind is a subclass of ``QuestionRule`` with its format, its state and its result, in a module of its own.
``tourney.addons.lab.asking`` makes a tournament of a question, plays it and returns the result; no tournament
file can name the formats. Entrant 0 is the bot in question. The statistics are those of
``tourney.ratings.sequential`` and ``tourney.addons.lab.anchored``, and only ``judge`` decides by them.
"""

import math
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import ClassVar, Final, Generic, NamedTuple, Self, TypeVar

from tourney.addons.lab.results import FirstFault
from tourney.bots.catalogue.shipped import Rung
from tourney.errors import TournamentError, UsageError
from tourney.games.base import AnyGame
from tourney.match.evidence import POINT, Coefficient
from tourney.parsing import JsonObject
from tourney.ratings.sequential import Findings, pair_scores
from tourney.results.luck import results_with_luck
from tourney.schedule.format import Format, History, Pairings, Setup, rows_of
from tourney.schedule.row import ResultRow, Row, half_points
from tourney.schema import Document
from tourney.store.database import Database
from tourney.store.values import Plan, StoredEntrant, Tournament
from tourney.texts import counted

Extra = Iterable[tuple[str, int | str]]
"""A stored rule: the settings of its format, sorted by name."""
Table = tuple[int, tuple[int, ...]]
"""A table of a round: its number, and the entrants that meet there."""
TEST: Final = ("alpha", "beta", "elo0", "elo1")
"""The numbers of a test."""

R_co = TypeVar("R_co", bound=Document, covariant=True)


class QuestionState(ABC):
    """The state of a question after whole rounds of results.

    ``tables``: of the next round; none once the question is answered, or cannot be answered.
    """

    tables: tuple[Table, ...]

    @property
    def groups(self) -> int | None:
        """The mirrored groups of games at each of the tables, None for a whole batch."""
        return None

    @abstractmethod
    def lines(self, names: Sequence[str]) -> Iterator[str]:
        """Yield the state in lines of progress; ``names`` are the entrants'."""


class QuestionRule(ABC, Generic[R_co]):
    """A kind of question with its numbers: which games are played, and when they answer it.

    ``batch``: mirrored groups of games at each table of a round. ``rounds``: the most rounds for now, which
    are not part of the question.
    """

    kind: ClassVar[str]
    """The name of the command and of the format."""
    noun: ClassVar[str]
    """The noun for such a tournament in messages."""
    title: ClassVar[str]
    """The beginning of the tournament's name, from the names of the entrants."""
    other_names: ClassVar[Sequence[str]]
    """Names for a bot whose own is taken, from its ``name``, its ``version`` and its ``age`` beside the first
    bot: ``old``, ``new``, or ``2`` for the same files."""
    hashed: ClassVar[Sequence[str]] = ("options", "opening-plies")
    """The settings that decide beside game, rules, limits, rule, seed and entrants."""
    builds_first: ClassVar[bool] = False
    """Whether a bot that cannot be built or started is an answer (see ``unstartable``), not an error."""
    spares_opponents: ClassVar[bool] = False
    """Whether the question can be answered without opponents that cannot be built here (see ``without``)."""

    @property
    def batch(self) -> int:
        """One group at a table, for kinds whose rounds have several tables."""
        return 1

    @property
    def rounds(self) -> int | None:
        """No limit."""
        return None

    @abstractmethod
    def extra(self) -> tuple[tuple[str, int | str], ...]:
        """The rule as settings of its format, sorted by name."""

    @classmethod
    @abstractmethod
    def of(cls, extra: Extra) -> Self:
        """Read a stored rule. Raises KeyError, TypeError, ValueError and UsageError."""

    @abstractmethod
    def check(self, setup: Setup) -> None:
        """Raise TournamentError for entrants or seats that the question does not go with."""

    @abstractmethod
    def judge(self, setup: Setup, history: History) -> QuestionState:
        """The state after whole rounds of results. It does not depend on the order of play."""

    @abstractmethod
    def result(self, database: Database, tournament: Tournament) -> R_co:
        """The answer so far, from the stored results alone."""

    @abstractmethod
    def fitting(self, game: AnyGame, seats: int) -> tuple[Self, tuple[Rung, ...]]:
        """The rule for a game, and the opponents that the game has for this kind of question."""

    def without(self, names: Sequence[str]) -> Self:
        """The rule, before it is ``fitting`` a game, without the opponents of these names."""
        raise NotImplementedError

    def refuse(self, entrants: Sequence[StoredEntrant]) -> None:
        """Raise UsageError or BotError for entrants that the question does not go with."""

    def unstartable(
        self, plan: Plan, entrants: Sequence[StoredEntrant], broken: Mapping[int, Sequence[str]]
    ) -> R_co | None:
        """The answer if the bot cannot be built or started; called if a kind ``builds_first``.

        ``broken`` has the reason and the end of the build's log of each entrant that cannot, by its number.
        """
        raise NotImplementedError


def stored_settings(test: object = None, **settings: int | str | None) -> tuple[tuple[str, int | str], ...]:
    """Settings of a format, sorted by name, with the exact numbers of a test; None leaves one out."""
    stored = {key.replace("_", "-"): value for key, value in settings.items() if value is not None}
    if test is not None:
        stored |= {name: repr(float(getattr(test, name))) for name in TEST}
    return tuple(sorted(stored.items()))


class QuestionFormat(Format):
    """The schedule of a kind of question: a round is a batch of games, until the rule has the answer."""

    in_files = False
    ends_by_results = True
    rounds_shown = "no"
    asks_question = True
    rule: ClassVar[type[QuestionRule[Document]]]

    def rule_of(self, setup: Setup) -> QuestionRule[Document]:
        """The rule of a tournament. Raises TournamentError if it cannot be read or does not fit."""
        try:
            rule = self.rule.of(setup.extra)
        except (KeyError, TypeError, ValueError, UsageError) as error:
            raise TournamentError(f"the settings of the {self.rule.noun} cannot be read ({error})") from error
        rule.check(setup)
        return rule

    def check(self, setup: Setup) -> None:
        """Raise TournamentError for settings or entrants that make no question."""
        self.rule_of(setup)

    def subjects(self, setup: Setup) -> tuple[int, ...]:  # noqa: ARG002 - the same for all
        """The bot that the question is about."""
        return (0,)

    def needs_luck(self, setup: Setup) -> bool:
        """Whether the rule subtracts luck."""
        return setup.setting("luck") is not None

    def next_rounds(self, setup: Setup, history: History) -> Pairings:
        """The next batch, or nothing once the question is answered."""
        rows = next_rows(setup, history, self.rule_of(setup).judge(setup, history))
        return Pairings(rows, complete=not rows)


def next_rows(setup: Setup, history: History, state: QuestionState) -> tuple[Row, ...]:
    """The rows of the next round, in schedule order."""
    round_ = history.rounds + 1
    if state.groups is not None:
        # The last batch may be smaller, as --max-pairs allows no more.
        setup = replace(setup, repeats=state.groups)
    return tuple(row for table, group in state.tables for row in rows_of(setup, round_, table, group))


class PairBatch(NamedTuple):
    """Mirrored pairs: their number by the bot's half-points, 0 to 4, and those with a void match.

    ``distinct``: the games of these pairs that repeat no earlier one. ``luck``: the sum of the bot's luck in
    pairs, in points of a game. ``fair``: the scores of pairs less the share of their luck that earlier
    batches suggest.
    """

    pairs: tuple[int, int, int, int, int]
    lost: int
    distinct: int = 0
    luck: float = 0.0
    fair: Mapping[float, int] = {}

    def scores(self, *, luck: bool) -> Mapping[float, int]:
        """The scores of the pairs that count, without ``luck`` if there is any."""
        return self.fair if luck else pair_scores(self.pairs)

    @property
    def all_lost(self) -> bool:
        """Whether no pair counts."""
        return not any(self.pairs)


class PairScore(NamedTuple):
    """The bot's half-points in a pair (None if a game is void), and its luck in points of a game."""

    points: int | None
    luck: float


class BatchSums:
    """The batches of each table, and the games in which the bot or its opponent there was at fault."""

    def __init__(self) -> None:
        self.batches: defaultdict[int, list[PairBatch]] = defaultdict(list)
        self.games: Counter[int] = Counter()
        self.faulty: Counter[int] = Counter()
        self.bot_faults = 0
        self._shares: defaultdict[int, Coefficient] = defaultdict(Coefficient)
        self._seen: set[tuple[object, ...]] = set()

    def take(self, results: Sequence[ResultRow]) -> None:
        """Take in further rounds."""
        for (_, table), batch in groupby(results, key=lambda result: (result.key.round, result.key.table)):
            scores: Counter[int | None] = Counter()
            scored: list[tuple[float, float]] = []
            before = len(self._seen)
            for _, games in groupby(batch, key=lambda result: result.key.repeat):
                pair = tuple(games)
                points, luck = self.score(table, pair)
                scores[points] += 1
                if points is not None:
                    scored.append((points / 4, luck))
                    # A game whose moves are not known repeats no other.
                    self._seen |= {(game.entrants, game.evidence.play or game.key) for game in pair}
            a, b, c, d, e = (scores[points] for points in range(5))
            # The share of luck comes from earlier batches: the test's guarantee holds only if the share is
            # fixed before these dice are thrown.
            share = self._shares[table].value
            fair = Counter(score - share * luck for score, luck in scored)
            self._shares[table].add(scored)
            batch_luck = math.fsum(luck for _, luck in scored)
            new = len(self._seen) - before
            self.batches[table].append(PairBatch((a, b, c, d, e), scores[None], new, batch_luck, fair))

    def score(self, table: int, pair: Iterable[ResultRow]) -> PairScore:
        """Count a further pair at a table, and return the bot's score in it."""
        games = tuple(pair)
        for game in games:
            # Without a fault the kinds may be empty, hence the zip of different lengths.
            faulty = [number for number, kind in zip(game.entrants, game.faults, strict=False) if kind]
            self.games[table] += 1
            self.faulty[table] += any(faulty)
            self.bot_faults += 0 in faulty
        if any(game.void for game in games):
            return PairScore(None, 0.0)
        seats = [(game, game.entrants.index(0)) for game in games]
        points = sum(half_points(game.ranks[seat], game.ranks[1 - seat]) for game, seat in seats)
        luck = sum(game.evidence.luck[seat] for game, seat in seats if game.evidence.luck)
        return PairScore(points, luck / len(games) / POINT)


def added(batches: Iterable[PairBatch]) -> PairBatch:
    """One batch of all these pairs."""
    parts = list(batches)
    a, b, c, d, e = (sum(batch.pairs[points] for batch in parts) for points in range(5))
    lost = sum(batch.lost for batch in parts)
    distinct = sum(batch.distinct for batch in parts)
    return PairBatch((a, b, c, d, e), lost, distinct, math.fsum(batch.luck for batch in parts))


def figures(batch: PairBatch, findings: Findings | None) -> JsonObject:
    """The figures of pairs, by the keys of a result."""
    count = sum(batch.pairs)
    points = sum(half * pairs for half, pairs in enumerate(batch.pairs))
    return {
        "pairs": count,
        "pentanomial": batch.pairs,
        "lost_pairs": batch.lost,
        "distinct": batch.distinct,
        "score": rounded(findings and findings.score, 4),
        "score_with_luck": rounded(points / 4 / count, 4) if count else None,
        "luck": rounded(batch.luck / count, 4) if count else None,
        **{key: rounded(findings and getattr(findings, key)) for key in ("elo", "low", "high")},
        "halves": findings and findings.halves,
    }


def whole_rounds(database: Database, tournament: Tournament) -> History:
    """The stored rounds of which every match is played."""
    # A rule judges whole rounds only, so that the number of workers changes no decision.
    unfinished = {row.round for _, row in database.schedules.rows(tournament.id, pending=True)}
    rows = (row for _, row in database.schedules.rows(tournament.id) if row.round not in unfinished)
    results = (
        result for result in results_with_luck(database, tournament) if result.key.round not in unfinished
    )
    return History(tuple(rows), tuple(results))


def bot_faults(
    database: Database, tournament: Tournament, entrants: Collection[int] = (0,)
) -> tuple[dict[str, int], FirstFault | None]:
    """The number of faults by kind of the entrants that are the bot, and the first match with one."""
    kinds: Counter[str] = Counter()
    for number, kind, count in database.totals.faults(tournament.id):
        if number in entrants:
            kinds[kind] += count
    for match, seats, faults in database.matches.faulty(tournament.id) if kinds else ():
        for seat, (number, fault) in enumerate(zip(seats, faults, strict=True), 1):
            if number in entrants and fault is not None:
                return dict(kinds), FirstFault(match=match, seat=seat, kind=fault)
    return dict(kinds), None


def rounded(value: float | None, digits: int = 1) -> float | None:
    """A number as it is published; None for an end of an interval that has none, and 0.0 for -0.0."""
    return None if value is None or math.isinf(value) else round(value, digits) + 0.0


def findings_text(findings: Findings | None) -> str:
    """The pairs so far with A's score, Elo and interval, in a line of progress."""
    if findings is None:
        return "no pair counts so far"
    ends = interval_text(rounded(findings.low), rounded(findings.high))
    score = f"score {100 * findings.score:.1f} %"
    elo = f"Elo {rounded(findings.elo):+.1f}"
    return f"{counted(findings.groups, 'pair')}, {score}, {elo} ({ends} at every look)"


def interval_text(low: float | None, high: float | None) -> str:
    """An interval in words, such as ``+1.0 .. no bound``."""
    return " .. ".join("no bound" if end is None else f"{end:+.1f}" for end in (low, high))
