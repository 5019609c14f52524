"""A bot's pages: its results by opponent and seat, its rating by round, its faults, and its positions.

The page of positions shows where it loses points, and the actions in its most frequent positions.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from tourney.errors import StoreDamaged
from tourney.games.notation import Notation, notation_of
from tourney.match.result import NOT_MEASURED
from tourney.report import display
from tourney.report.charts.chart import COLORS
from tourney.report.compact_matches import FinishedMatch
from tourney.report.display import EntrantLabel
from tourney.report.output.inputs import PageScope, PendingPage
from tourney.report.output.layout import File
from tourney.report.output.rendering import Renderer
from tourney.report.pages.cards import card_of
from tourney.report.pages.history import SHOWN, chart, histories, sampled
from tourney.report.pages.losses import accuracies, lost_games, worst_part
from tourney.report.pages.match_lines import Chip, ListedMatch, MatchSetting, match_path
from tourney.report.pages.overview import StandingLine, seat_lines, seats_table, standing_lines
from tourney.report.pages.pair import HALF, PairGame, meetings, pair_paths
from tourney.report.source import ReportSource
from tourney.results.positions import Explored, PositionNode, ResultTally, explore, games_in, most_met
from tourney.results.ratings import TOO_FEW
from tourney.results.standings import ranks_alone
from tourney.results.tables import DataTable
from tourney.results.texts import overload_text
from tourney.store.totals import NO_OVERLOAD
from tourney.texts import counted

CHIPS = 400
"""Matches against one opponent that a page links to; the list of matches has them all."""
SURPRISES = 3
"""Best wins and worst losses that a page names."""


def files(make: Renderer) -> Iterator[File | PendingPage]:
    """Yield the bots' pages in the order of the standings, with their downloads."""
    source = make.source
    line_of = make.line_of
    met = meetings(source)
    faulty = faults(source)
    for line in make.once(standing_lines):
        number = line.entrant.number
        slug = line.entrant.slug
        mine = {
            standing.number: met[number, standing.number]
            for standing in source.standings
            if (number, standing.number) in met
        }
        halves = {opponent: bytes(row.half for row in rows) for opponent, rows in mine.items()}
        surprises = _surprises(source, mine)
        lucky = by_luck(mine)
        yield make.page(
            line.entrant.page,
            "bot.html",
            entrant=line.entrant,
            line=line,
            ranking=sorted(
                (
                    (column, cell)
                    for column, cell in zip(source.columns, line.cells, strict=True)
                    # A tie-break between equal bots has no value for the others.
                    if ranks_alone(column) and cell != display.MISSING
                ),
                key=lambda pair: pair[0].criterion,
            ),
            opponents=[_opponent(make, number, opponent, rows) for opponent, rows in mine.items()],
            seats=seat_lines(source, number),
            history=_history(make, number),
            best=[(line_of(match), [source.labels[opponent]]) for match, opponent in surprises.wins],
            worst=[(line_of(match), [source.labels[opponent]]) for match, opponent in surprises.losses],
            luckiest=_with_labels(make, lucky[::-1][:SURPRISES]),
            unluckiest=_with_labels(make, lucky[:SURPRISES]),
            losses=(losses := make.once(lost_games).get(number, ())),
            chances=any(lost.fall.chances for cause in losses for lost in cause.games),
            accuracy=make.once(accuracies).get(number),
            worst_actions=worst_part(make, number),
            positions=positions_path(slug) if make.once(games_by_bot).get(number) else "",
            overload=overload_text(source.overload[1].get(number, NO_OVERLOAD)) if make.measured else "",
            faults=[(line_of(match), kind) for match, kind in faulty.get(number, ())],
        )
        yield make.pending_page(f"bots/{slug}.png", card_files, _card(make, line))
        rows = (
            (
                *(source.entrants[opponent].name, len(results), sum(results) / 2),
                *(results.count(half) for half in (2, 1, 0)),
                float(f"{100 * source.meetings[number, opponent].expected:.1f}"),
            )
            for opponent, results in halves.items()
        )
        opponents = DataTable.of("opponent games points wins draws losses expected_percent", rows)
        yield from make.tables(f"data/bots/{slug}-opponents", opponents)
        yield from make.tables(f"data/bots/{slug}-seats", seats_table(source, number))


class CardInputs(NamedTuple):
    """The path of a picture and its words, see ``card_of``."""

    path: str
    title: str
    lead: str
    lines: list[tuple[str, str]]


def card_files(scope: PageScope, inputs: CardInputs) -> Iterator[File]:
    """Yield a bot's picture."""
    yield File(f"{scope.setting.layout.prefix}{inputs.path}", card_of(*inputs[1:]))


def _card(make: Renderer, line: StandingLine) -> CardInputs:
    """The picture of a bot: its place, score and rating."""
    source = make.source
    standing = line.standing
    about = (source.title, source.game_title, line.entrant.program)
    points = display.points(standing.points, source.tournament.seats)
    elo = line.elo
    rating = [("Elo", TOO_FEW)]
    if elo.entrant not in source.unsure:
        spread = f"{display.number(elo.low, 0)} to {display.number(elo.high, 0)}"
        rating = [("Elo", display.number(elo.elo, 0)), (source.intervals, spread)]
    return CardInputs(
        f"bots/{line.entrant.slug}.png",
        line.entrant.name,
        " \N{MIDDLE DOT} ".join(dict.fromkeys(filter(None, about))),
        [
            ("Place", f"{standing.rank} of {len(source.standings)}"),
            ("Points", f"{points} of {counted(standing.games, 'game')}"),
            ("Won, drawn, lost", f"{standing.wins} / {standing.draws} / {standing.losses}"),
            *rating,
        ],
    )


def _opponent(make: Renderer, number: int, opponent: int, rows: Sequence[PairGame]) -> dict[str, object]:
    """A bot's results against an opponent; ``page`` is the path of the pair's page, or ""."""
    source = make.source
    return {
        "entrant": source.labels[opponent],
        "page": make.once(pair_paths).get((number, opponent), ""),
        "halves": bytes(row.half for row in rows),
        "expected": source.meetings[number, opponent].expected,
        "chips": [
            _chip(make.line_of(row.match.number), row, source.labels[opponent]) for row in rows[:CHIPS]
        ],
        "more": max(0, len(rows) - CHIPS),
    }


class Surprises(NamedTuple):
    """A bot's wins against the strongest and losses against the weakest opponents: (match, opponent)."""

    wins: list[tuple[int, int]]
    losses: list[tuple[int, int]]


def _surprises(source: ReportSource, met: Mapping[int, Sequence[PairGame]]) -> Surprises:
    """The surprises among a bot's games; the first match against each opponent is enough."""
    by_outcome: dict[int, list[tuple[float, int, int]]] = {2: [], 0: []}
    for opponent, rows in met.items():
        for half, some in by_outcome.items():
            match = next((row.match.number for row in rows if row.half == half), None)
            if match is not None:
                some.append(((1 - half) * source.elo[opponent].elo, match, opponent))
    wins, losses = (
        [(match, opponent) for _, match, opponent in sorted(by_outcome[half])[:SURPRISES]] for half in (2, 0)
    )
    return Surprises(wins, losses)


def faults(source: ReportSource) -> dict[int, list[tuple[int, str]]]:
    """The matches in which each bot had a fault, with its kind."""
    by_entrant: dict[int, list[tuple[int, str]]] = {}
    for match in source.matches:
        for entrant, kind in zip(match.seats, match.result.faults, strict=True):
            if kind is not None:
                by_entrant.setdefault(entrant, []).append((match.number, kind))
    return by_entrant


def _chip(line: ListedMatch, met: PairGame, opponent: EntrantLabel) -> Chip:
    outcome = ("loss", "draw", "win")[met.half]
    words = f"match {line.number}: {outcome} against {display.isolated(opponent.name)}, {line.reason}"
    words += (
        f", own {met.fault}" if met.fault else f", opponent's {met.other_fault}" if met.other_fault else ""
    )
    return Chip(line.href, ("0", HALF, "1")[met.half], outcome, bool(met.fault or met.other_fault), words)


def _history(make: Renderer, number: int) -> dict[str, object]:
    """A bot's ratings by round: two charts, each None if it cannot be drawn, and a table.

    Its rows are round, TrueSkill, Elo, and whether this says nothing.
    """
    ratings = make.once(histories)
    elo = dict(ratings.elo)
    color = {number: COLORS[0]}
    last, values = ratings.skill[-1]
    first_mu = ratings.skill[0][1][number][0]
    last_mu = values[number][0]
    description = f"mu from {display.number(first_mu, 1)} to {display.number(last_mu, 1)} after round {last}"
    return {
        "skill": chart(ratings.skill, color, "mu", description),
        "elo": chart(ratings.sure_elo, color, "Elo", "Elo by the matches up to each round"),
        "rounds": [
            (
                round_,
                values[number],
                elo.get(round_, {}).get(number),
                number in ratings.unsure.get(round_, ()),
            )
            for round_, values in sampled(ratings.skill, SHOWN)
        ],
    }


def by_luck(met: Mapping[int, Sequence[PairGame]]) -> list[tuple[int, list[int]]]:
    """The matches with known luck, the unluckiest first: (match, its opponents), from those by opponent."""
    # A match of several opponents is one stroke of luck and not one for each of them.
    opponents: defaultdict[tuple[float, int], list[int]] = defaultdict(list)
    for opponent, rows in met.items():
        for row in rows:
            if luck := row.match.result.evidence.luck:
                opponents[luck[row.seat], row.match.number].append(opponent)
    return [(match, numbers) for (_, match), numbers in sorted(opponents.items())]


def _with_labels(
    make: Renderer, matches: Iterable[tuple[int, Iterable[int]]]
) -> list[tuple[ListedMatch, list[EntrantLabel]]]:
    return [(make.line_of(match), [make.source.labels[n] for n in numbers]) for match, numbers in matches]


PLIES: Final = 12  # actions of a game that are followed
POSITIONS: Final = 20  # positions on a page: the start, and positions that the bot met twice
CHOICES: Final = 5  # actions of a position that a page lists
ANSWERS: Final = 8  # answers to a question that a page lists: the most expensive ones
GAMES: Final = 200  # games of a bot that are read; with many bots fewer
ALL_GAMES: Final = 2000  # games of all bots that are read, if that leaves LEAST for each
LEAST: Final = 20


def positions_path(slug: str) -> str:
    """The path of a bot's page of positions."""
    return f"bots/{slug}-positions.html"


def games_by_bot(make: Renderer) -> Mapping[int, Sequence[FinishedMatch]]:
    """The first recorded matches of each bot, by its number; bots without any are absent."""
    # Games are read and replayed one by one, so all bots share a budget.
    most = max(LEAST, min(GAMES, ALL_GAMES // max(1, len(make.source.entrants))))
    games: defaultdict[int, list[FinishedMatch]] = defaultdict(list)
    for match in make.source.recorded if make.source.game is not None else ():
        for entrant in () if match.result.void else match.seats:
            if len(games[entrant]) < most:
                games[entrant].append(match)
    return games


class PositionInputs(NamedTuple):
    """What a bot's page of positions is made from, besides the stored data of these matches.

    ``every``: these are all its games. ``names``: of the entrants of these matches, as printed. ``paged``:
    the matches among these that have a page.
    """

    entrant: EntrantLabel
    matches: tuple[FinishedMatch, ...]
    every: bool
    names: Mapping[int, str]
    paged: tuple[int, ...]


def position_files(make: Renderer) -> Iterator[PendingPage]:
    """Yield the pages of the bots that have games with a record, with their downloads."""
    source = make.source
    for line in make.once(standing_lines):
        rows = make.once(games_by_bot).get(line.entrant.number, ())
        if not rows:
            continue
        numbers = [match.number for match in rows]
        seated = sorted({entrant for match in rows for entrant in match.seats})
        inputs = PositionInputs(
            line.entrant,
            tuple(rows),
            len(rows) == line.standing.games,
            {number: display.label(source.entrants[number].name) for number in seated},
            tuple(number for number in numbers if number in make.paged),
        )
        yield make.pending_page(positions_path(line.entrant.slug), positions_of_bot, inputs, numbers)


def positions_of_bot(scope: PageScope, inputs: PositionInputs) -> Iterator[File]:
    """Yield a bot's page of positions, with its downloads."""
    setting = scope.setting.setting
    rows = inputs.matches
    slug = inputs.entrant.slug
    measured = scope.setting.layout.measured
    try:
        games = games_in(rows, inputs.names, inputs.entrant.number, scope.matches.parts)
        # Times differ between two runs, so a report without measurements must not count answers by time.
        shown = games if measured else (game._replace(measured=NOT_MEASURED) for game in games)
        explored = explore(shown, PLIES)
    except StoreDamaged:  # the page of the match names it
        explored = Explored()
    # A position met once says nothing, except the start, which begins the tree.
    met = [node for node in most_met(explored, POSITIONS) if node.matches > 1 or not node.line]
    yield scope.page(
        positions_path(slug),
        "positions.html",
        entrant=inputs.entrant,
        games=len(rows),
        every=inputs.every,
        plies=PLIES,
        timed=measured,
        losses=[
            (
                setting.seat_word if question == "seat" else question,
                _costly(setting, inputs, question, explored),
            )
            for question in explored.losses
        ],
        met=[_met(setting, inputs, node) for node in met],
    )
    columns = "position action by_bot games points mean_ms"
    lines = (
        (node.position, action, node.own, tally.matches, float(tally.points), tally.mean_ms)
        for node in met
        for action, tally in _played(node)
    )
    yield from scope.tables(f"data/bots/{slug}-positions", DataTable.of(columns, lines))


class AnswerCost(NamedTuple):
    """An answer to a question, its results, the points that they lost, and some lost games.

    Each of ``games`` has its link, or "" without a page.
    """

    answer: str
    tally: ResultTally
    lost: float
    games: tuple[tuple[int, str], ...]


def _costly(
    setting: MatchSetting, inputs: PositionInputs, question: str, explored: Explored
) -> list[AnswerCost]:
    """The answers to a question with the points that they cost, the most first."""
    costs = [
        AnswerCost(
            answer,
            tally,
            float(tally.matches - tally.points),
            tuple(
                (
                    lost.number,
                    f"{match_path(lost.number)}#ply={lost.ply}" if lost.number in inputs.paged else "",
                )
                for lost in explored.examples[question, answer]
            ),
        )
        for answer, tally in explored.losses[question].items()
    ]
    worst = sorted(costs, key=lambda cost: (-cost.lost, cost.answer))[:ANSWERS]
    return [cost._replace(answer=_answer(setting, question, cost.answer)) for cost in worst]


def _answer(setting: MatchSetting, question: str, answer: str) -> str:
    """An answer in the words of the game and its players."""
    if question == "seat":
        return setting.seats[int(answer) - 1].name
    if question == "reason":
        return setting.reason(answer)
    if question != "opening" or setting.game is None:
        return answer
    actions = answer.split()
    name = setting.game.opening_name(actions)
    line = display.action(_notation(setting, actions).line())
    return f"{display.label(name)}: {line}" if name else line


def _played(node: PositionNode) -> list[tuple[str, ResultTally]]:
    return sorted(node.played.items(), key=lambda item: (-item[1].matches, item[0]))


def _met(setting: MatchSetting, inputs: PositionInputs, node: PositionNode) -> dict[str, object]:
    """A position: the way to it, its page, and (action, tally), most played first."""
    last = len(node.line)
    played = [
        (display.action(_notation(setting, (*node.line, action)).numbered(last)), tally)
        for action, tally in _played(node)[:CHOICES]
    ]
    href = f"{match_path(node.match)}#ply={len(node.line)}" if node.match in inputs.paged else ""
    return {
        "way": display.action(_notation(setting, node.line).line()),
        "href": href,
        "own": node.own,
        "played": played,
    }


def _notation(setting: MatchSetting, actions: Sequence[str]) -> Notation:
    plan = setting.tournament.plan
    notation = notation_of(setting.game, actions, plan.seats, dict(plan.options))
    # Without numbers of its own the game's actions are not counted here: ways that meet differ in length.
    return notation if notation.numbers else notation._replace(numbers=[""] * len(actions))
