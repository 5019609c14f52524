"""Pairs of bots: the crosstable with expected scores, the probabilities of superiority, and a page each.

A page shows the games of two bots by seat, opening and round. At most ``PAIR_PAGES`` pairs that met have
one, in the order of the standings of the better placed bot and then of the other.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import groupby
from statistics import median_low
from typing import Any, Generic, NamedTuple, TypeVar

from markupsafe import Markup

from tourney.ratings.batch import BatchPair, BatchRating
from tourney.report import display
from tourney.report.charts.chart import draw
from tourney.report.charts.kinds import heat_map
from tourney.report.compact_matches import FinishedMatch, LazySequence
from tourney.report.display import EntrantLabel
from tourney.report.output.inputs import PageScope, PendingPage
from tourney.report.output.layout import Context, File
from tourney.report.output.rendering import Renderer
from tourney.report.pages.match_lines import ListedMatch
from tourney.report.source import ReportSource, records_of
from tourney.results.positions import Parts
from tourney.results.ratings import cycle_rows
from tourney.results.standings import Standing
from tourney.results.tables import DataTable
from tourney.results.texts import cycle_sentence
from tourney.schedule.format import IMPORTED

SHADES = 9
"""Shades of a score or probability, from 0 (0 %) to 8 (100 %); 4 is even."""
EVEN = 4
"""The step of a residual within one standard deviation."""
INLINE_CROSSTABLE = 24
"""Most entrants for which the first pages have the crosstable and the matrix of superiority too."""
HEATMAP = 40
"""Most entrants of the chart of residuals, which has a cell for each pair."""


L = TypeVar("L")
C = TypeVar("C")


class CrosstableCell(NamedTuple):
    """A pair: half points and games, the shades of score and residual, and the shares in words.

    ``href`` leads to its page, or to its line on the entrant's page.
    """

    href: str
    half_points: int
    games: int
    shade: int
    residual: int
    said: str


class SuperiorityCell(NamedTuple):
    """A pair: the probability that the row's bot is stronger, its shade, and the games."""

    los: float
    shade: int
    games: int


class PairMatrix(NamedTuple, Generic[L, C]):
    """A line for each bot with a cell against each, both in the same order.

    A cell is None for the bot itself and for pairs without any estimate.
    """

    lines: list[tuple[L, list[C | None]]]
    download: DataTable


def crosstable_files(make: Renderer) -> Iterator[File]:
    """Yield the page of the crosstable and the downloads."""
    cross = make.once(crosstable)
    better = make.once(superiority)
    residuals = _residual_chart(cross)
    yield make.page(
        "crosstable.html",
        "crosstable.html",
        cross=cross,
        # The page of statistics has the matrix of few bots.
        better=better if len(cross.lines) > INLINE_CROSSTABLE else None,
        residuals=residuals,
    )
    yield from make.tables("data/crosstable", cross.download)
    yield from make.tables("data/superiority", better.download)
    if cycle_context := make.once(cycles):
        yield from make.tables("data/cycles", cycle_context["download"])


def residual_step(z: float) -> int:
    """The shade 1..7 of a residual in standard deviations; 4 is within one."""
    return EVEN + max(-3, min(3, int(z)))


def _residual_chart(cross: PairMatrix[Standing, CrosstableCell]) -> Markup | None:
    """The residuals of all pairs as a chart, rows and columns numbered as in the crosstable.

    None if no residual is beyond one standard deviation.
    """
    cells = [
        (row, column, cell.residual)
        for row, (_, line) in enumerate(cross.lines, 1)
        for column, cell in enumerate(line, 1)
        if cell is not None
    ]
    if not 2 < len(cross.lines) <= HEATMAP or all(step == EVEN for _, _, step in cells):
        return None
    description = "Residuals of all pairs, as in the crosstable when it is shaded by residual"
    return draw(heat_map(description, cells, len(cross.lines), "Opponent", "Bot"))


def crosstable(make: Renderer) -> PairMatrix[Standing, CrosstableCell]:
    """The crosstable in the order of the standings; the expected scores come from the fit to all matches."""
    source = make.source
    pages = make.once(pair_paths)
    pairs = {(pair.entrant, pair.opponent): pair for pair in source.pairs if pair.games}
    numbers = [line.number for line in source.standings]
    cells: dict[tuple[int, int], CrosstableCell] = {}
    rows = []
    for key in ((a, b) for a in numbers for b in numbers if (a, b) in pairs):
        pair = pairs[key]
        expected = source.meetings[key].expected
        share = Fraction(pair.half_points, 2 * pair.games)
        cells[key] = CrosstableCell(
            pages.get(key) or f"{source.labels[key[0]].page}#vs-{key[1] + 1}",
            pair.half_points,
            pair.games,
            round(share * (SHADES - 1)),
            residual_step(source.meetings[key].z),
            f"{display.percent(share)} %, expected {display.number(100 * expected, 1)} %",
        )
        names = (source.entrants[number].name for number in key)
        scores = (pair.half_points / 2, round(float(share), 4), round(expected, 4))
        rows.append((*names, pair.games, *scores))
    lines = [
        (line, [cells.get((line.number, opponent)) for opponent in numbers]) for line in source.standings
    ]
    return PairMatrix(lines, DataTable.of("entrant opponent games points share expected", rows))


def superiority(make: Renderer) -> PairMatrix[BatchRating, SuperiorityCell]:
    """The probability of superiority for each pair of bots, in the order of the ratings."""
    source = make.source
    batch = make.source.batch
    cells: dict[tuple[int, int], SuperiorityCell] = {}
    for pair in batch.pairs:
        for a, b, los in ((pair.a, pair.b, pair.los), (pair.b, pair.a, 1 - pair.los)):
            # Both cells of a pair come from one probability, so that they add up to 100 before rounding.
            cells[a, b] = SuperiorityCell(los, round(los * (SHADES - 1)), pair.games)
    order = [rating.entrant for rating in batch.ratings]
    rows = (
        (
            *(source.entrants[number].name for number in (pair.a, pair.b)),
            *(pair.los, pair.games, pair.points, pair.expected, pair.residual, pair.z),
        )
        for pair in batch.pairs
    )
    return PairMatrix(
        [(line, [cells.get((line.entrant, opponent)) for opponent in order]) for line in batch.ratings],
        DataTable.of("entrant opponent p_better games points expected residual z", rows),
    )


def cycles(make: Renderer) -> Context | None:
    """The cycles among the bots, where strength is not one number.

    None if the test of fit does not ask for them.
    """
    source = make.source
    batch = make.source.batch
    if batch.cycles is None or batch.pool.goodness.p_value is None:
        return None
    names = {number: label.name for number, label in source.labels.items()}
    rows = [(row["bots"], row["scores"], f"{row['probability']:.2f}") for row in cycle_rows(batch, names)]
    return {
        "sentence": cycle_sentence(batch.cycles, batch.pool.goodness.p_value, names, display.number),
        "cycles": rows,
        "download": DataTable.of("bots scores probability", rows),
    }


PAIR_PAGES = 1225
"""Most pages of pairs: every pair of 50 bots."""
GAMES = 1000
"""Most games that a page lists; the list of matches has all."""
HELD = 10_000
"""Most games that are held while their page is made; more games are read again for each of its tables."""
COMPARED = 50
"""The first games of a pair, whose actions are compared."""
ROUNDS = 100
"""Most rounds for which a page has a table by round."""
BOOK_LINE = 60
"""Characters of an opening that a page shows."""

Pair = tuple[int, int]
"""The numbers of two entrants, the better placed one first."""

HALF = "\N{VULGAR FRACTION ONE HALF}"


class PairGame(NamedTuple):
    """A match of two entrants: seat (from 0) and half points of the first, and the faults of both."""

    match: FinishedMatch
    seat: int
    half: int
    fault: str
    other_fault: str


def meetings(source: ReportSource) -> dict[tuple[int, int], Sequence[PairGame]]:
    """The meetings of each two bots, for both orders of them; void matches do not count."""
    by_pair: dict[tuple[int, int], Sequence[PairGame]] = {}
    for pair, places in source.met.items():
        for a, b in (pair, pair[::-1]):
            by_pair[a, b] = LazySequence(source.matches, partial(_meeting, a, b), places)
    return by_pair


def _meeting(entrant: int, opponent: int, match: FinishedMatch) -> PairGame:
    result = match.result
    seat = match.seats.index(entrant)
    opponent_seat = match.seats.index(opponent)
    half = 2 * (result.ranks[seat] < result.ranks[opponent_seat]) + (
        result.ranks[seat] == result.ranks[opponent_seat]
    )
    return PairGame(match, seat, half, result.faults[seat] or "", result.faults[opponent_seat] or "")


def pairs_with_pages(make: Renderer) -> Mapping[Pair, Sequence[PairGame]]:
    """The meetings of the pairs with a page, in schedule order."""
    # By the standings, so that with many bots the pairs of the best ones have the pages.
    order = {line.number: place for place, line in enumerate(make.source.standings)}
    by_pair = {
        pair: games for pair, games in meetings(make.source).items() if order[pair[0]] < order[pair[1]]
    }
    pairs = sorted(by_pair, key=lambda pair: (order[pair[0]], order[pair[1]]))
    return {pair: by_pair[pair] for pair in pairs[:PAIR_PAGES]}


def pair_paths(make: Renderer) -> dict[Pair, str]:
    """The path of each pair's page, for both orders of its bots."""
    paths: dict[Pair, str] = {}
    for a, b in make.once(pairs_with_pages):
        paths[a, b] = paths[b, a] = f"pairs/{min(a, b) + 1:02d}-{max(a, b) + 1:02d}.html"
    return paths


class PairInputs(NamedTuple):
    """What a pair's page is made from.

    ``lines`` are those of the games in the list. ``openings`` has each game's line of the ``book`` by place,
    and is empty if the page has no table of them; ``book`` has the lines as printed. All figures are of
    ``a``, as printed, as the fit to all matches changes a little with each new one: the points ``expected``,
    the ``lead`` in Elo with its interval (``reach``), and the probability that it is the stronger (``los``).
    ``leaves``: the median number of actions after which a game differs from all earlier ones; None without
    two records.
    """

    path: str
    a: EntrantLabel
    b: EntrantLabel
    games: Sequence[PairGame]
    lines: tuple[ListedMatch, ...]
    openings: tuple[int, ...]
    book: Mapping[int, str]
    expected: str
    lead: str
    reach: str
    los: str
    intervals: str
    leaves: int | None


def files(make: Renderer) -> Iterator[File | PendingPage]:
    """Yield the pages of the pairs."""
    fitted = {frozenset((pair.a, pair.b)): pair for pair in make.source.batch.pairs}
    by_pair = make.once(pairs_with_pages)
    # In few queries, instead of one for each pair.
    make.maker.digests(sorted({game.match.number for games in by_pair.values() for game in games[:COMPARED]}))
    for pair, every in by_pair.items():
        # Lazy games are made again for each of the page's tables, which is slower but takes no memory.
        games = every if len(every) > HELD else tuple(every)
        inputs = _inputs(make, pair, games, fitted[frozenset(pair)])
        if games is every:
            yield from pair_files(make.scope(inputs.path), inputs)
        else:
            yield make.pending_page(inputs.path, pair_files, inputs)


def _inputs(make: Renderer, pair: Pair, games: Sequence[PairGame], fitted: BatchPair) -> PairInputs:
    source = make.source
    sign = 1 if fitted.a == pair[0] else -1
    low, high = sorted((sign * fitted.low, sign * fitted.high))
    plan = source.tournament.plan
    # Before the end nothing is shown that follows from the seed.
    drawn = not source.disclosed.ended and plan.opening_order != "sequential"
    book = () if plan.format == IMPORTED or drawn else plan.book
    seed = source.tournament.seed
    openings = tuple(plan.book_line(seed, game.match.row) for game in games) if book else ()
    return PairInputs(
        path=make.once(pair_paths)[pair],
        a=source.labels[pair[0]],
        b=source.labels[pair[1]],
        games=games,
        lines=tuple(make.line_of(game.match.number) for game in games[:GAMES]),
        openings=openings,
        book={place: display.label(" ".join(book[place]), BOOK_LINE) for place in sorted({*openings})},
        expected=display.number(fitted.expected if sign == 1 else fitted.games - fitted.expected, 1),
        lead=display.number(sign * fitted.elo, 1),
        reach=display.reach(low, high),
        los=display.number(100 * (fitted.los if sign == 1 else 1 - fitted.los), 1),
        intervals=source.intervals,
        leaves=_leaves(make, games),
    )


def pair_files(scope: PageScope, inputs: PairInputs) -> Iterator[File]:
    """Yield a pair's page. Scores are (name, seat or None, half points of each game).

    ``more``: the number of games that are not in the list.
    """
    setting = scope.setting.setting
    a, b, games = inputs.a, inputs.b, inputs.games
    by_opening: defaultdict[int, bytearray] = defaultdict(bytearray)
    by_seat: defaultdict[int, bytearray] = defaultdict(bytearray)
    by_round: defaultdict[int, bytearray] = defaultdict(bytearray)
    for game in games:
        by_seat[game.seat].append(game.half)
        by_round[game.match.key.round].append(game.half)
    for place, game in zip(inputs.openings, games, strict=False):
        by_opening[place].append(game.half)
    halves = bytes(game.half for game in games)
    yield scope.page(
        inputs.path,
        "pair.html",
        a=a,
        b=b,
        halves_won=halves,
        expected=inputs.expected,
        lead=inputs.lead,
        interval=inputs.reach,
        los=inputs.los,
        intervals=inputs.intervals,
        streaks=_streaks(halves, a.name, b.name),
        seats=[(f"{s.number} {s.name}", s, by_seat[k]) for k, s in enumerate(setting.seats) if k in by_seat],
        openings=[
            (f"{place + 1}. {inputs.book[place]}", None, halves_of_line)
            for place, halves_of_line in sorted(by_opening.items())
        ],
        rounds=[(str(number), None, halves_of_line) for number, halves_of_line in by_round.items()]
        if 1 < len(by_round) <= ROUNDS
        else [],
        repeated=_repeated(games),
        leaves=inputs.leaves,
        groups=_groups(games) if setting.tournament.plan.mirrored_dice else (),
        games=list(zip(inputs.lines, games, strict=False)),
        more=max(0, len(games) - GAMES),
    )


def _streaks(halves: bytes, a: str, b: str) -> tuple[tuple[str, int], ...]:
    """The longest runs of games in schedule order that each bot won, or did not lose."""
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
    """How often the two games of a mirrored group gave the first bot 0, ½, 1, 1½ and 2 points.

    Empty if the groups do not have two games.
    """
    groups = groupby(games, key=lambda game: game.match.key._replace(order=0))
    each = ([game.half for game in some] for _, some in groups)
    sums = Counter(sum(halves) for halves in each if len(halves) == 2)
    if not sums or any(len(game.match.seats) != 2 for game in games):
        return ()
    return tuple((("0", HALF, "1", f"1{HALF}", "2")[halves], sums[halves]) for halves in range(5))


def _repeated(games: Sequence[PairGame]) -> int:
    """The number of games that repeat earlier ones; games without a record repeat none."""
    plays: set[tuple[object, ...]] = set()
    for game in games:
        play = game.match.result.evidence.play
        plays.add((game.match.seats, play) if play else (game.match.number,))
    return len(games) - len(plays)


def _leaves(make: Renderer, games: Sequence[PairGame]) -> int | None:
    """The median of the actions after which a game differs from all earlier ones of its seating."""
    compared = [game.match for game in games[:COMPARED]]
    numbers = [match.number for match in compared]

    def find() -> list[int]:
        return _shared_lengths(compared, make.maker.matches.only(numbers).parts)

    # A page is made again for a digit of a rating, which says nothing on the records of its games.
    seats = [match.seats for match in compared]
    shared_lengths = make.maker.value("shared actions of games", seats, list[int], find, numbers)
    return median_low(shared_lengths) if shared_lengths else None


def _shared_lengths(matches: Sequence[FinishedMatch], parts: Parts) -> list[int]:
    """The number of actions that each game with an earlier one of its seating shares with these."""
    trees: dict[tuple[int, ...], dict[object, Any]] = {}
    shared_lengths = []
    for match, record in records_of(matches, parts):
        seen = match.seats in trees
        # A tree of all actions so far: the way of a new game along it is what it shares with earlier ones.
        node = trees.setdefault(match.seats, {})
        shared = 0
        for action in record.actions:
            shared += action in node
            node = node.setdefault(action, {})
        # The first game of a seating has none before it to differ from.
        if seen:
            shared_lengths.append(shared)
    return shared_lengths
