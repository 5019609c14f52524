"""A pair's page: what two bots did against each other, by seat, opening and round, with all their games.

At most ``PAIR_PAGES`` pairs have a page: those that met, in the order of the standings of the better placed
bot and then of the other. All pairs are in the crosstable and on the bots' pages.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import groupby
from statistics import median_low
from typing import Any

from tourney.errors import StoreDamaged
from tourney.ratings.batch import BatchPair
from tourney.report import display
from tourney.report.compact_matches import LazySequence, place_of
from tourney.report.display import EntrantLabel, SeatLabel
from tourney.report.output.layout import File
from tourney.report.output.rendering import Renderer
from tourney.report.pages.match_lines import ListedMatch
from tourney.report.source import ReportSource
from tourney.schedule.row import Row
from tourney.store.column_reading import unpack_parts
from tourney.store.exchange import IMPORTED

PAIR_PAGES = 1225
"""Most pages of pairs: every pair of 50 bots."""
GAMES = 1000
"""Most games that a page lists; the list of matches has all."""
HELD = 10_000
"""Most games that are held while their page is made; more are read again for each of its tables."""
COMPARED = 50
"""Most games of a pair whose actions are compared, the first ones."""
ROUNDS = 100
"""Most rounds for which a page has a table by round."""
BOOK_LINE = 60
"""Characters of an opening that a page shows."""

Pair = tuple[int, int]
"""The numbers of two entrants, the better placed one first."""

HALF = "\N{VULGAR FRACTION ONE HALF}"


@dataclass(frozen=True, slots=True)
class PairGame:
    """A game of a pair; ``half`` is what the first bot took, in half points, at its ``seat`` (from 0)."""

    line: ListedMatch
    seat: int
    other_seat: int
    half: int

    @property
    def result(self) -> str:
        """The first bot's result."""
        return ("0", HALF, "1")[self.half]

    @property
    def outcome(self) -> str:
        """The first bot's result as a word."""
        return ("loss", "draw", "win")[self.half]

    @property
    def own(self) -> SeatLabel:
        """The first bot's seat."""
        return self.line.seats[self.seat].seat

    @property
    def fault(self) -> str:
        """The first bot's fault, or ""."""
        return self.line.seats[self.seat].fault

    @property
    def other_fault(self) -> str:
        """The other bot's fault, or ""."""
        return self.line.seats[self.other_seat].fault


@dataclass(frozen=True, slots=True)
class Score:
    """The first bot's score in some games, under a name: a seat, an opening or a round."""

    name: str
    seat: SeatLabel | None
    games: int
    points: str
    percent: str
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class PairPage:
    """The page's template context; figures are those of ``a`` against ``b``, strings as printed.

    ``lead`` is the difference in Elo by the fit to all matches, with its interval (``low``, ``high``);
    ``los`` the probability in percent that ``a`` is the stronger. ``groups``: how often ``a`` took 0, ½, 1,
    1½ and 2 points from the two games of a mirrored group; () where groups are not of two games, or share
    no dice. ``repeated``: the games in percent that repeat earlier ones. ``leaves``: the median of the
    numbers of actions after which games differ from all earlier ones; None without two records. ``more``
    games are left out of the list.
    """

    path: str
    a: EntrantLabel
    b: EntrantLabel
    total: Score
    theirs: str
    expected: str
    lead: str
    low: str
    high: str
    los: str
    streaks: tuple[tuple[str, int], ...]
    seats: tuple[Score, ...]
    openings: tuple[Score, ...]
    rounds: tuple[Score, ...]
    groups: tuple[tuple[str, int], ...]
    repeated: str
    leaves: int | None
    games: tuple[PairGame, ...]
    more: int


def pair_paths(make: Renderer) -> dict[Pair, str]:
    """The path of each pair's page, for both orders of its bots."""
    found: dict[Pair, str] = {}
    for a, b in make.once(_games):
        path = f"pairs/{min(a, b) + 1:02d}-{max(a, b) + 1:02d}.html"
        found[a, b] = found[b, a] = path
    return found


def files(make: Renderer) -> Iterator[File]:
    """Yield the pages of the pairs."""
    source, paths = make.source, make.once(pair_paths)
    fitted = {frozenset((pair.a, pair.b)): pair for pair in source.batch.pairs}
    openings = _BookLines(source)
    for pair, every in make.once(_games).items():
        # Lazy games are made again for each of the page's tables, which is slower but takes no memory.
        games = every if len(every) > HELD else tuple(every)
        page = _page(source, paths[pair], pair, games, fitted[frozenset(pair)], openings)
        yield make.page(page.path, "pair.html", pair=page)


def _games(make: Renderer) -> Mapping[Pair, Sequence[PairGame]]:
    """The games of the pairs with a page, in schedule order; void matches are left out."""
    order = {line.number: place for place, line in enumerate(make.source.standings)}
    found: dict[Pair, Sequence[PairGame]] = {}
    for pair, places in make.source.met.items():
        a, b = sorted(pair, key=order.__getitem__)
        found[a, b] = LazySequence(make.lines, partial(_game, a, b), places)
    pairs = sorted(found, key=lambda pair: (order[pair[0]], order[pair[1]]))
    return {pair: found[pair] for pair in pairs[:PAIR_PAGES]}


def _game(a: int, b: int, line: ListedMatch) -> PairGame:
    seats = [seated.entrant.number for seated in line.seats]
    seat, other = seats.index(a), seats.index(b)
    mine, theirs = line.seats[seat].rank, line.seats[other].rank
    return PairGame(line, seat, other, 1 if mine == theirs else 2 if mine < theirs else 0)


class _BookLines:
    """Names the line of the opening book that each match began with."""

    def __init__(self, source: ReportSource) -> None:
        self._tournament = source.tournament
        imported = source.tournament.plan.format == IMPORTED
        self._book = () if imported else source.tournament.plan.book

    def of(self, line: ListedMatch) -> int | None:
        """The line of a match's opening, from 0, or None without a book."""
        if not self._book:
            return None
        row = Row(line.round, line.table, line.repeat, line.order, ())
        plan = self._tournament.plan
        return plan.book_line(plan.seed_of(self._tournament.seed, row), row)

    def name(self, number: int) -> str:
        """A line of the book for display."""
        return f"{number + 1}. {display.label(' '.join(self._book[number]), BOOK_LINE)}"


def _page(
    source: ReportSource,
    path: str,
    pair: Pair,
    games: Sequence[PairGame],
    fitted: BatchPair,
    openings: _BookLines,
) -> PairPage:
    a, b = (source.labels[number] for number in pair)
    sign = 1 if fitted.a == pair[0] else -1
    low, high = sorted((sign * fitted.low, sign * fitted.high))
    expected = fitted.expected if sign == 1 else fitted.games - fitted.expected
    halves = bytes(game.half for game in games)
    by_opening: defaultdict[int, bytearray] = defaultdict(bytearray)
    by_seat: defaultdict[int, bytearray] = defaultdict(bytearray)
    by_round: defaultdict[int, bytearray] = defaultdict(bytearray)
    for game in games:
        if (number := openings.of(game.line)) is not None:
            by_opening[number].append(game.half)
        by_seat[game.own.number].append(game.half)
        by_round[game.line.round].append(game.half)
    return PairPage(
        path=path,
        a=a,
        b=b,
        total=_score("", None, halves),
        theirs=_points(2 * len(halves) - sum(halves)),
        expected=display.number(expected, 1),
        lead=display.number(sign * fitted.elo, 1),
        low=display.number(low, 1),
        high=display.number(high, 1),
        los=display.number(100 * (fitted.los if sign == 1 else 1 - fitted.los), 1),
        streaks=_streaks(games, a.name, b.name),
        seats=tuple(
            _score(f"{one.number} {one.name}", one, by_seat[one.number])
            for one in source.seats
            if one.number in by_seat
        ),
        openings=tuple(
            _score(openings.name(number), None, by_opening[number]) for number in sorted(by_opening)
        ),
        rounds=tuple(_score(str(number), None, some) for number, some in by_round.items())
        if 1 < len(by_round) <= ROUNDS
        else (),
        groups=_groups(games) if source.tournament.plan.mirrored_dice else (),
        repeated=_repeated(source, games),
        leaves=_leaves(source, games),
        games=tuple(games[:GAMES]),
        more=max(0, len(games) - GAMES),
    )


def _points(halves: int) -> str:
    return display.decimal(Fraction(halves, 2), 1).removesuffix(".0")


def _score(name: str, seat: SeatLabel | None, halves: bytes | bytearray) -> Score:
    return Score(
        name,
        seat,
        len(halves),
        _points(sum(halves)),
        display.percent(Fraction(sum(halves), 2 * len(halves))),
        *(halves.count(half) for half in (2, 1, 0)),
    )


def _streaks(games: Sequence[PairGame], a: str, b: str) -> tuple[tuple[str, int], ...]:
    """The longest runs of games in schedule order that each bot won, or did not lose."""
    halves = bytes(game.half for game in games)
    runs = (
        (f"wins of {display.isolated(a)} in a row", {2}),
        (f"games of {display.isolated(a)} in a row without a loss", {1, 2}),
        (f"wins of {display.isolated(b)} in a row", {0}),
        (f"games of {display.isolated(b)} in a row without a loss", {0, 1}),
    )
    return tuple((name, _longest(half in kind for half in halves)) for name, kind in runs)


def _longest(flags: Iterable[bool]) -> int:
    return max((sum(1 for _ in some) for flag, some in groupby(flags) if flag), default=0)


def _groups(games: Sequence[PairGame]) -> tuple[tuple[str, int], ...]:
    """How often the two games of a mirrored group gave the first bot 0 to 2 points."""
    groups = groupby(games, key=lambda game: (game.line.round, game.line.table, game.line.repeat))
    each = ([game.half for game in some] for _, some in groups)
    sums = Counter(sum(halves) for halves in each if len(halves) == 2)
    if not sums or any(len(game.line.seats) != 2 for game in games):
        return ()
    return tuple((("0", HALF, "1", f"1{HALF}", "2")[halves], sums[halves]) for halves in range(5))


def _repeated(source: ReportSource, games: Sequence[PairGame]) -> str:
    """The share of games in percent that repeat earlier ones; those without a record repeat none."""
    found: set[tuple[object, ...]] = set()
    for game in games:
        result = source.matches[place_of(source.matches, game.line.number)].result
        play = "" if result is None else result.evidence.play
        found.add((_seating(game), play) if play else (game.line.number,))
    return display.percent(Fraction(len(games) - len(found), len(games)))


def _leaves(source: ReportSource, games: Sequence[PairGame]) -> int | None:
    """The median of the actions after which a game differs from all earlier ones of its seating."""
    trees: dict[tuple[int, ...], dict[object, Any]] = {}
    found = []
    compared = games[:COMPARED]
    parts = source.parts([game.line.number for game in compared])
    for game in compared:
        try:
            packed = parts[game.line.number]._replace(log=None, measured=None)
            record, _, _ = unpack_parts(packed, len(game.line.seats))
        except (KeyError, StoreDamaged):  # the page of the match says what is damaged
            continue
        if record is None:
            continue
        seen = _seating(game) in trees
        node, known = trees.setdefault(_seating(game), {}), 0
        for action in record.actions:
            known += action in node
            node = node.setdefault(action, {})
        if seen:
            found.append(known)
    return median_low(found) if found else None


def _seating(game: PairGame) -> tuple[int, ...]:
    return tuple(seated.entrant.number for seated in game.line.seats)
