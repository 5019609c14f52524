"""A bot's page of positions: where it loses points, and what was played in the positions that it met most."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from tourney.errors import GameError, StoreDamaged
from tourney.games.base import AnyGame
from tourney.match.result import NOT_MEASURED
from tourney.report import display
from tourney.report.output.layout import File
from tourney.report.output.rendering import Renderer
from tourney.report.pages.match_lines import match_path
from tourney.report.pages.overview_page import standing_lines
from tourney.results.positions import Explored, PositionNode, ResultTally, explore, games_in, most_met
from tourney.results.tables import DataTable
from tourney.store.values import TournamentMatch

PLIES: Final = 12  # actions of a game that are followed
POSITIONS: Final = 20  # positions of a page: the start, and those that were met twice
CHOICES: Final = 5  # actions of a position that a page lists
ANSWERS: Final = 8  # answers to a question that a page lists: those that cost most
GAMES: Final = 200  # games of a bot that are read; with many bots fewer
ALL_GAMES: Final = 2000  # games of all bots that are read, if that leaves LEAST for each
LEAST: Final = 20


class ListedPosition(NamedTuple):
    """A position for the template: the way to it, its page, and (action, tally) most played first."""

    way: str
    href: str
    own: bool
    played: Sequence[tuple[str, ResultTally]]


def positions_path(slug: str) -> str:
    """The path of a bot's page of positions."""
    return f"bots/{slug}-positions.html"


def games_by_bot(make: Renderer) -> Mapping[int, Sequence[TournamentMatch]]:
    """The first matches with a record of each bot that has any, by its number."""
    most = max(LEAST, min(GAMES, ALL_GAMES // max(1, len(make.source.entrants))))
    found: defaultdict[int, list[TournamentMatch]] = defaultdict(list)
    for match in make.source.recorded if make.source.game is not None else ():
        for entrant in match.seats if match.result is not None and not match.result.void else ():
            if len(found[entrant]) < most:
                found[entrant].append(match)
    return found


def files(make: Renderer) -> Iterator[File]:
    """Yield the pages of the bots that have games with a record, with their downloads."""
    names = {one.number: display.label(one.name) for one in make.source.entrants}
    for line in make.once(standing_lines):
        number, slug = line.entrant.number, line.entrant.slug
        rows = make.once(games_by_bot).get(number, ())
        if not rows:
            continue
        try:
            games = games_in(rows, names, number, make.source.parts)
            shown = games if make.measured else (one._replace(measured=NOT_MEASURED) for one in games)
            found = explore(shown, PLIES)
        except StoreDamaged:  # the page of the match names it
            found = Explored()
        met = [node for node in most_met(found, POSITIONS) if node.matches > 1 or not node.line]
        yield make.page(
            positions_path(slug),
            "positions.html",
            entrant=line.entrant,
            games=len(rows),
            every=len(rows) == line.standing.games,
            plies=PLIES,
            timed=make.measured,
            losses=[
                (question, _costly(make, question, answers)) for question, answers in found.losses.items()
            ],
            met=[_met(make, node) for node in met],
        )
        columns = "position action by_bot games points mean_ms"
        lines = (
            (node.position, action, node.own, tally.matches, float(tally.points), tally.mean_ms)
            for node in met
            for action, tally in _played(node)
        )
        yield from make.tables(f"data/bots/{slug}-positions", DataTable.of(columns, lines))


def _costly(
    make: Renderer, question: str, answers: Mapping[str, ResultTally]
) -> list[tuple[str, ResultTally, float]]:
    """The answers with the points that they cost, the most first."""
    found = [(answer, tally, float(tally.matches - tally.points)) for answer, tally in answers.items()]
    worst = sorted(found, key=lambda one: (-one[2], one[0]))[:ANSWERS]
    if question != "opening":
        return worst
    return [(" ".join(_written(make, answer.split())), tally, lost) for answer, tally, lost in worst]


def _played(node: PositionNode) -> list[tuple[str, ResultTally]]:
    return sorted(node.played.items(), key=lambda one: (-one[1].matches, one[0]))


def _met(make: Renderer, node: PositionNode) -> ListedPosition:
    played = [(_written(make, (*node.line, action))[-1], tally) for action, tally in _played(node)[:CHOICES]]
    href = f"{match_path(node.match)}#ply={len(node.line)}" if node.match in make.paged else ""
    return ListedPosition(" ".join(_written(make, node.line)), href, node.own, played)


def _written(make: Renderer, actions: Sequence[str]) -> Sequence[str]:
    """Actions from the start as people write them."""
    plan = make.source.tournament.plan
    game: AnyGame | None = make.source.game
    try:
        found = game.notation(actions, *game.settings(plan.seats, dict(plan.options))) if game else actions
    except (GameError, LookupError):
        found = actions
    return [display.action(text) for text in found]
