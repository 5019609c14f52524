"""The games worth seeing on the first page: each with a small board, chosen by rules and linked."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from heapq import nlargest
from typing import Final, NamedTuple

from markupsafe import Markup
from msgspec import structs

from tourney.errors import StoreDamaged
from tourney.match.record import Record
from tourney.report import display
from tourney.report.compact_matches import FinishedMatch
from tourney.report.output.rendering import Renderer
from tourney.report.pages.match_lines import ListedMatch
from tourney.report.replays.replay import Still, ground, markup, replay, shared_images, still
from tourney.report.source import ReportSource
from tourney.results.highlights import (
    SUPERLATIVES,
    TITLES,
    Highlight,
    Kind,
    best_played,
    highlights_of_result,
    turning_point,
    winner_of,
)
from tourney.store.column_reading import unpack_parts

REPLAYED: Final = 40
"""Most games that are replayed to look for a turning point: those of the best-placed bots."""

Candidates = dict[Kind, list[tuple[float, int, Highlight]]]


class ChosenGame(NamedTuple):
    """A game worth seeing: its title, names and text; ``board`` is SVG, or "" where the game draws none."""

    title: str
    line: ListedMatch
    versus: str
    text: str
    ply: int | None
    box: str = ""
    board: Markup = Markup()

    @property
    def href(self) -> str:
        """Its page, opened at the position of the board."""
        return self.line.href if self.ply is None else f"{self.line.href}#ply={self.ply}"


class ChosenGames(NamedTuple):
    """The games worth seeing, and the SVG definitions that their boards share."""

    games: tuple[ChosenGame, ...]
    definitions: Markup
    ground: Markup


def chosen_games(make: Renderer) -> ChosenGames:
    """The games worth seeing, at most one of each kind and each only once; only games with a page."""
    source = make.source
    candidates: Candidates = {}
    for match, highlight in _highlights(make):
        # Of games of the same size the first one is taken.
        entry = (highlight.size, -match.number, highlight)
        rivals = candidates.get(highlight.kind, [])
        candidates[highlight.kind] = nlargest(len(TITLES), [*rivals, entry], key=lambda each: each[:2])
    chosen: dict[int, Highlight] = {}
    # Superlatives first: only the longest game of all may be called the longest.
    for kind in sorted(TITLES, key=lambda kind: kind not in SUPERLATIVES):
        for size, negated, highlight in candidates.get(kind, ()):
            if kind in SUPERLATIVES and size < candidates[kind][0][0]:
                break
            if -negated not in chosen and (size > 0 or kind == "shortest"):
                chosen[-negated] = highlight
                break
    ordered = sorted(chosen.items(), key=lambda game: list(TITLES).index(game[1].kind))
    games = {number: _chosen(make.line_of(number), highlight) for number, highlight in ordered}
    return _drawn(source, games)


def worth_seeing(make: Renderer) -> frozenset[int]:
    """The numbers of the games worth seeing."""
    return frozenset(game.line.number for game in make.once(chosen_games).games)


def _chosen(line: ListedMatch, highlight: Highlight) -> ChosenGame:
    versus = " \N{EN DASH} ".join(display.isolated(seated.entrant.name) for seated in line.seats)
    return ChosenGame(TITLES[highlight.kind], line, versus, display.line(highlight.text), highlight.ply)


def _highlights(make: Renderer) -> Iterator[tuple[FinishedMatch, Highlight]]:
    """Yield what all matches with a page show, and the turning points of some of them."""
    source = make.source
    names = {number: display.isolated(label.name) for number, label in source.labels.items()}
    # A rating that the prior decides makes no upset.
    elo = {number: line.elo for number, line in source.elo.items() if number not in source.unsure}
    place = {line.number: line.rank for line in source.standings}
    decided = []
    for match in source.matches:
        if match.number not in make.paged or match.result.void or not match.result.digest:
            continue
        by_seat = [names[entrant] for entrant in match.seats]
        ratings = [elo.get(entrant) for entrant in match.seats]
        for highlight in highlights_of_result(match.result, by_seat, ratings):
            yield match, highlight
        if winner_of(match.result.ranks) is not None and not any(match.result.faults):
            decided.append((sum(place[entrant] for entrant in match.seats), match.number, match))
    decided.sort(key=lambda each: each[:2])
    for match, record in source.records(match for *_, match in decided[:REPLAYED]):
        for highlight in turning_point(record, [names[entrant] for entrant in match.seats]):
            yield match, highlight
    by_number = {match.number: match for *_, match in decided}
    with suppress(StoreDamaged):
        for number, analysis in source.analyses():
            # The first of several analyses of a match has the largest limit.
            if (analysed := by_number.pop(number, None)) is not None:
                for highlight in best_played(analysis, analysed.result):
                    yield analysed, highlight


def _drawn(source: ReportSource, games: Mapping[int, ChosenGame]) -> ChosenGames:
    """The games with their boards, which show the position in question or the last one."""
    shown_games: list[ChosenGame] = []
    stills: list[Still] = []
    table = None
    floor = ""
    for number, game in games.items():
        record = _record(source, number, game.ply)
        shown = None if record is None else replay(source.game, record)
        if shown is None or not shown.count or not shown.box.width:
            shown_games.append(game)
            continue
        picture = still(shown, shown.count - 1)
        stills.append(picture)
        table = shown.table
        floor = ground(shown, "")
        over, things = (markup(shown, part, alone=False) for part in picture)
        box = " ".join(map(str, shown.box))
        board = Markup(f'{over}<g class="tb-pieces">{things}</g>')  # noqa: S704 - already escaped
        shown_games.append(game._replace(box=box, board=board))
    shared = "" if table is None else shared_images(table, stills, "")
    return ChosenGames(tuple(shown_games), Markup(shared), Markup(floor))  # noqa: S704 - already escaped


def up_to(record: Record, ply: int | None) -> Record:
    """A record with its first actions alone (None: all), and the faults and resignations among them."""
    actions = record.actions[:ply]
    outcome = structs.replace(
        record.outcome,
        faults=tuple(fault for fault in record.outcome.faults if fault[2] <= len(actions)),
        resigned=tuple(resigned for resigned in record.outcome.resigned if resigned[1] <= len(actions)),
    )
    return structs.replace(record, actions=actions, outcome=outcome)


def _record(source: ReportSource, number: int, ply: int | None) -> Record | None:
    """The record of a match up to a position, or None if it is damaged."""
    with suppress(StoreDamaged):
        parts = source.parts([number])[number]._replace(log=None, measured=None)
        record = unpack_parts(parts, source.tournament.seats)[0]
        if record is not None:
            return up_to(record, ply)
    return None
