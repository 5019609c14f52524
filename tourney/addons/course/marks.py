"""Marks of a course: an author's mark is the highest one whose threshold its bot reaches.

A threshold is a share of the points, or a likelihood of superiority (LOS), against one fixed bot of the
staff, which its digest names. The first games between two digests count, over all tournaments of a database
in the order of their start, and no later ones: so the same bot has the same mark weeks later, whatever else
was played since.

The probability that the true share of points exceeds a threshold is that of a Beta distribution with the
prior of Jeffreys. Games that share their dice are one observation, whose score may be a fraction; so the
probability is rather too close to one half than too far from it.
"""

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import numpy as np
from msgspec import Meta, Struct

from tourney.errors import TournamentError, UsageError
from tourney.run.file_schema import load_tables
from tourney.schema import Digest, GameName, Part, SchemaError, read
from tourney.store.database import Database
from tourney.store.values import StoredEntrant, Tournament

_GRID: Final = 20_000
Share = Annotated[float, Meta(gt=0, le=0.999)]


class StepTable(Struct, frozen=True, forbid_unknown_fields=True):
    """A mark, and the staff's bot with the score or the LOS to reach against it."""

    mark: Annotated[float, Meta(ge=0, le=1000)]
    bot: str
    digest: Digest
    score: Share | None = None
    los: Share | None = None

    def __post_init__(self) -> None:
        """Check that there is one threshold. Raises SchemaError."""
        if (self.score is None) == (self.los is None):
            raise SchemaError(("score",), "must be set, or los: score = 0.75, or los = 0.95; not both")


class MarksTable(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """The file of `tourney marks`."""

    game: GameName
    games: Annotated[int, Meta(ge=2, le=1_000_000)]
    step: Annotated[tuple[StepTable, ...], Meta(min_length=1)]
    lowest: float = 0.0
    pseudonym_key: Annotated[str, Meta(min_length=8, max_length=200)] | None = None


class StepResult(Part, frozen=True, kw_only=True):
    """A threshold and a bot: the games that count, its share of their points, and whether it is reached.

    `probability`: that the true share exceeds the threshold, or one half for a LOS.
    """

    mark: float
    bot: str
    games: int
    score: float | None
    probability: float
    reached: bool


class MarkLine(Part, frozen=True, kw_only=True):
    """An author's mark.

    `certainty` is the probability of the step that decides: that its threshold is truly exceeded or, if none
    is reached, that the easiest one is not. `provisional`: games are missing against a bot of the staff.
    """

    name: str
    digest: str
    mark: float
    certainty: float
    provisional: bool
    steps: tuple[StepResult, ...]


class _Score(NamedTuple):
    """A bot's points against another one in games that share their dice, and their number."""

    games: int
    points: float


@dataclass(frozen=True, slots=True)
class _Tally:
    """The games of a pair of bots that count, by groups with the same dice."""

    groups: tuple[_Score, ...]

    @property
    def games(self) -> int:
        return sum(group.games for group in self.groups)

    @property
    def score(self) -> float | None:
        return sum(group.points for group in self.groups) / self.games if self.games else None

    def exceeds(self, share: float) -> float:
        """The probability that the true share of points is above a threshold."""
        means = [group.points / group.games for group in self.groups]
        return beta_tail(0.5 + sum(means), 0.5 + len(means) - sum(means), share)


def beta_tail(a: float, b: float, threshold: float) -> float:
    """The probability of a Beta(a, b) variable above a threshold, by the middle rule on 20,000 cells.

    The substitution x = sin(t)**2 takes away the poles of the density at 0 and 1.
    """
    half_pi = math.pi / 2
    middle = (np.arange(_GRID) + 0.5) * half_pi / _GRID
    logs = (2 * a - 1) * np.log(np.sin(middle)) + (2 * b - 1) * np.log(np.cos(middle))
    weights = np.exp(logs - logs.max())
    edge = math.asin(math.sqrt(threshold)) * _GRID / half_pi
    whole = int(edge)
    # A part of the cell with the threshold lies above it.
    above = float(weights[whole + 1 :].sum() + weights[whole] * (whole + 1 - edge))
    return above / float(weights.sum())


def read_marks(path: Path) -> MarksTable:
    """The file of marks. Raises TournamentError that names the file and the key."""
    try:
        return read(load_tables(path), MarksTable, toml=True)
    except SchemaError as error:
        raise TournamentError(error.in_toml(str(path)), file=path, key=error.key) from error


def marks(database: Database, table: MarksTable, tournament: Tournament) -> tuple[MarkLine, ...]:
    """The marks of a tournament's entrants but the staff's, in the order of its file.

    Raises UsageError for a tournament of another game.
    """
    if tournament.game != table.game:
        raise UsageError(f"{tournament.name} is of {tournament.game}, and the marks are of {table.game}")
    staff = {step.digest for step in table.step}
    entrants = [
        entrant
        for entrant in database.tournaments.entrants(tournament.id)
        if entrant.entrant.digest not in staff
    ]
    tallies = _tallies(database, table, tournament, {entrant.entrant.digest for entrant in entrants})
    return tuple(_mark(entrant, table, tallies) for entrant in entrants)


def _tallies(
    database: Database, table: MarksTable, like: Tournament, digests: set[str]
) -> Mapping[tuple[str, str], _Tally]:
    """The first games of each bot against each of the staff, by their digests."""
    staff = {step.digest for step in table.step}
    groups: dict[tuple[str, str], dict[tuple[int, ...], list[float]]] = defaultdict(dict)
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for tournament in database.tournaments.all():
        # Other options or limits are another game, in which the staff's bots have another strength.
        same = ("game", "options", "seats", "limits")
        if any(getattr(tournament.plan, key) != getattr(like.plan, key) for key in same):
            continue
        entrants = database.tournaments.entrants(tournament.id)
        numbers = [entrant.entrant.digest for entrant in entrants]
        # A match that ends out of turn must not count before an earlier one of the schedule.
        settled = database.schedules.settled(tournament.id)
        for result in database.matches.results(tournament.id):
            if result.void or result.number > settled:
                continue
            seats = [numbers[number] for number in result.entrants]
            for mine, theirs in _meetings(seats, digests, staff):
                pair = seats[mine], seats[theirs]
                if counts[pair] >= table.games:
                    continue
                counts[pair] += 1
                key = result.key
                dice = (tournament.id, key.round, key.table, key.repeat)
                difference = result.ranks[theirs] - result.ranks[mine]
                groups[pair].setdefault(dice, []).append(0.5 if difference == 0 else float(difference > 0))
    return {
        pair: _Tally(tuple(_Score(len(points), sum(points)) for points in by_dice.values()))
        for pair, by_dice in groups.items()
    }


def _meetings(seats: Sequence[str], digests: set[str], staff: set[str]) -> Iterator[tuple[int, int]]:
    """Yield the seats of an author's bot and of a staff's bot at one table."""
    for mine, digest in enumerate(seats):
        if digest in digests:
            yield from ((mine, theirs) for theirs, other in enumerate(seats) if other in staff)


def _mark(entrant: StoredEntrant, table: MarksTable, tallies: Mapping[tuple[str, str], _Tally]) -> MarkLine:
    digest = entrant.entrant.digest
    steps = tuple(_step(step, tallies.get((digest, step.digest), _Tally(()))) for step in table.step)
    reached = [step for step in steps if step.reached]
    if reached:
        best = max(reached, key=lambda step: step.mark)
        mark = best.mark
        certainty = best.probability
    else:
        mark = table.lowest
        certainty = 1 - min(steps, key=lambda step: step.mark).probability
    return MarkLine(
        name=entrant.name,
        digest=digest,
        mark=mark,
        certainty=round(certainty, 4),
        provisional=any(step.games < table.games for step in steps),
        steps=steps,
    )


def _step(step: StepTable, tally: _Tally) -> StepResult:
    probability = tally.exceeds(0.5 if step.score is None else step.score)
    score = tally.score
    if step.score is not None:
        reached = score is not None and score >= step.score
    else:
        reached = bool(tally.games) and probability >= (step.los or 1.0)
    return StepResult(
        mark=step.mark,
        bot=step.bot,
        games=tally.games,
        score=None if score is None else round(score, 4),
        probability=round(probability, 4),
        reached=reached,
    )


def pseudonym(key: str, name: str) -> str:
    """A name for public tables that only who has the key can trace: the class list is easy to guess."""
    return f"bot-{hashlib.blake2b(name.encode(), key=key.encode()[:64], digest_size=4).hexdigest()}"
