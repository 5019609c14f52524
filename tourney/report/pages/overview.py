"""The first pages: of a tournament, of several ones, and of the versions of bots over these.

A tournament's first page is for spectators: verdict, standings, games worth seeing, crosstable. A second page
has its statistics: who is better, TrueSkill, faults, seats, ends and conditions. The page of the versions of
a game has all bots in one fit over its tournaments, and the gain of each version.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import log10
from typing import NamedTuple

from tourney.games.registry import known_game
from tourney.match.record import FAULT_KINDS
from tourney.ratings.batch import BatchRating
from tourney.ratings.sequential import EVERY_LOOK
from tourney.ratings.trueskill import TrueSkillRating
from tourney.report import display
from tourney.report.charts.chart import interval_scale, scale_of
from tourney.report.display import EntrantLabel, SeatLabel
from tourney.report.output.layout import Context, File, Layout
from tourney.report.output.rendering import Renderer
from tourney.report.pages import bracket as bracket_page
from tourney.report.pages import formats as format_pages
from tourney.report.pages import losses
from tourney.report.pages import pair as pair_page
from tourney.report.pages import rounds as rounds_page
from tourney.report.pages.highlights import chosen_games
from tourney.report.pages.methods import head_facts, state, time_control, tournament_facts
from tourney.report.source import ReportSource
from tourney.results.columns import VERSIONS, Column, rendered
from tourney.results.luck import shows_luck
from tourney.results.ratings import unsure
from tourney.results.standings import (
    Standing,
    interim_sentence,
    ranking_sentences,
    report_columns,
    standing_row,
)
from tourney.results.tables import DataTable
from tourney.results.texts import limits_texts, zero_text
from tourney.results.versions import VersionPool, version_rows
from tourney.schedule.player_history import PlayerHistory
from tourney.schedule.row import units_of_win
from tourney.store.totals import ScoreTotals

INLINE_CELLS = 100
"""Most cells of the progress table on the first page, which stays below 30 kB with 32 bots."""
INLINE_BOTS = 16
"""Most bots with drawn intervals on the first page."""


class StandingLine(NamedTuple):
    """A line of the standings with the ratings.

    ``cells`` are the values of the columns of the standings as printed, in their order (``page_columns``).
    """

    entrant: EntrantLabel
    standing: Standing
    elo: BatchRating
    skill: TrueSkillRating
    cells: tuple[str, ...]


class SeatScore(NamedTuple):
    """The score of a seat, of all entrants or of one."""

    seat: SeatLabel
    totals: ScoreTotals
    score: Fraction


def files(make: Renderer) -> Iterator[File]:
    """Yield the first page and its downloads."""
    source = make.source
    cross = make.once(pair_page.crosstable)
    yield make.page(
        "index.html",
        "index.html",
        about=_introduction(source),
        lead=_lead(make),
        state=state(source),
        interim=interim_sentence(source.tournament.complete, source.progress, ratings=True),
        standings=make.once(standing_lines),
        columns=source.columns,
        rules=ranking_sentences(source.ranking, luck=shows_luck(source.tournament)),
        # Intervals that say nothing would leave no room for the others.
        scale=interval_scale(
            [(line.low, line.high) for line in source.batch.ratings if line.entrant not in source.unsure]
        ),
        # Without an interval that says something the axis would stand above empty cells.
        whiskers=len(source.standings) <= INLINE_BOTS and len(source.unsure) < len(source.standings),
        highlights=make.once(chosen_games),
        cross=cross if len(cross.lines) <= pair_page.INLINE_CROSSTABLE else None,
        head=tuple(head_facts(source, measured=make.measured)),
        byes=_byes(source),
        performances=performances(source) if source.format.pairs_by_score else {},
        accuracies=make.once(losses.accuracies),
    )
    yield from make.tables("data/standings", _standings_table(source))


def statistics_files(make: Renderer) -> Iterator[File]:
    """Yield the page of statistics and its downloads."""
    source = make.source
    skill = [mu for r in source.ratings for mu in (r.mu - 3 * r.sigma, r.mu + 3 * r.sigma)]
    yield make.page(
        "statistics.html",
        "statistics.html",
        standings=make.once(standing_lines),
        skill_scale=scale_of(skill),
        better=make.once(pair_page.superiority),
        matrix=len(source.standings) <= pair_page.INLINE_CROSSTABLE,
        cycles=make.once(pair_page.cycles),
        limits=tuple(limits_texts(source.batch)),
        faulty=faulty(source),
        seats=seat_lines(source),
        ends=_ends(source),
        facts=tuple(tournament_facts(source, measured=make.measured)),
    )
    yield from make.tables("data/seats", seats_table(source))
    yield from make.tables("data/faults", _faults_table(source))
    yield from make.tables("data/history", _history_table(source))


def standing_lines(make: Renderer) -> tuple[StandingLine, ...]:
    """The lines of the standings."""
    source = make.source
    skills = {rating.entrant: rating for rating in source.ratings}
    return tuple(
        StandingLine(source.labels[n], line, source.elo[n], skills[n], standing_cells(source.columns, line))
        for line in source.standings
        for n in (line.number,)
    )


def standing_cells(columns: tuple[Column, ...], line: Standing) -> tuple[str, ...]:
    """The values of a line of the standings as printed; the name is safe to show once escaped."""
    row = standing_row(line)
    return tuple(
        display.label(line.name) if column.key == "name" else display.shown(column.shown(row[column.key]))
        for column in columns
    )


def seat_lines(source: ReportSource, entrant: int | None = None) -> tuple[SeatScore, ...]:
    """The score of each seat over all matches, or over one entrant's matches."""
    lines = []
    whole = units_of_win(source.tournament.seats, source.setup.score)
    for seat in source.seats:
        seat_totals = (
            totals
            for (number, at), totals in source.seat_totals.items()
            if at == seat.number and entrant in (None, number)
        )
        totals = ScoreTotals(*map(sum, zip(*seat_totals, strict=True)))
        lines.append(SeatScore(seat, totals, Fraction(totals.units, whole)))
    return tuple(lines)


def _byes(source: ReportSource) -> dict[int, int]:
    if not any(line.awarded for line in source.standings):
        return {}
    past = PlayerHistory.of(source.setup, source.schedule, None).entries
    return {number: sum(entry.kind == "bye" for entry in entries) for number, entries in past.items()}


def performances(source: ReportSource) -> dict[int, float]:
    """Each entrant's performance: the Elo that would let expect its score against its opponents.

    It is the opponents' mean plus the gap of the score, at most 800 as in FIDE's tables (Handbook B.02).
    """
    games = Counter[int]()
    scored = Counter[int]()
    by_entrant: dict[int, float] = {}
    for pair in source.pairs:
        games[pair.entrant] += pair.games
        scored[pair.entrant] += pair.half_points
        by_entrant[pair.entrant] = (
            by_entrant.get(pair.entrant, 0.0) + pair.games * source.elo[pair.opponent].elo
        )
    for number, played in games.items():
        share = scored[number] / 2 / played
        # The logistic gap of a clean score is infinite.
        gap = 800.0 if share == 1 else -800.0 if share == 0 else 400 * log10(share / (1 - share))
        by_entrant[number] = by_entrant[number] / played + max(-800.0, min(800.0, gap))
    return by_entrant


def faulty(source: ReportSource) -> list[Standing]:
    """The lines of the entrants with faults, most faults first."""
    lines = [line for line in source.standings if line.fault_count]
    return sorted(lines, key=lambda line: (-line.fault_count, line.number))


def _ends(source: ReportSource) -> list[tuple[str, int, str]]:
    """The reasons for the ends of matches, the most frequent first: (reason, count, percent)."""
    counts = Counter(match.result.reason for match in source.matches if not match.result.void)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [(source.reason(reason), n, display.share(n, counts.total())) for reason, n in ordered]


def _standings_table(source: ReportSource) -> DataTable:
    """The standings as commands export them, with bots, ratings, and points as exact fractions."""
    ratings = {rating.entrant: rating for rating in source.ratings}
    rows = []
    for line in source.standings:
        entrant = source.entrants[line.number].entrant
        elo = source.elo[line.number]
        rating = ratings[line.number]
        rows.append(
            elo._asdict()
            | standing_row(line)
            | {key: getattr(entrant, key) for key in ("bot", "version", "digest")}
            | {f"trueskill_{key}": getattr(rating, key) for key in ("rank", "mu", "sigma", "exposed")}
            | {
                "points_exact": str(line.points),
                "kinds": " ".join(f"{kind}:{count}" for kind, count in line.faults),
                "elo_rank": elo.rank,
            }
        )
    columns = report_columns(source.ranking, luck=shows_luck(source.tournament))
    return DataTable(columns, rendered(rows, columns, people=False))


def _history_table(source: ReportSource) -> DataTable:
    keys = ("rank", "mu", "sigma", "exposed", "games")
    rows = (
        (round_, source.entrants[line.entrant].name, *(getattr(line, key) for key in keys))
        for round_, pool in source.history
        for line in pool.table()
    )
    return DataTable.of(f"round entrant {' '.join(keys)}", rows)


def _faults_table(source: ReportSource) -> DataTable:
    rows = (
        (line.name, *(dict(line.faults).get(kind, 0) for kind in FAULT_KINDS), line.fault_count)
        for line in source.standings
    )
    return DataTable.of(f"entrant {' '.join(FAULT_KINDS)} total", rows)


def seats_table(source: ReportSource, entrant: int | None = None) -> DataTable:
    """The score of each seat, over all matches or over one entrant's matches (then without faults)."""
    rows: list[tuple[object, ...]] = []
    for seat, totals, score in seat_lines(source, entrant):
        counts = (totals.wins, totals.draws, totals.losses)
        if entrant is None:
            rows.append(
                (seat.number, seat.name, totals.games, round(float(score), 4), *counts, totals.faults)
            )
        else:
            points = float(display.points(score, source.tournament.seats))
            rows.append((seat.number, seat.name, totals.games, points, *counts))
    return DataTable.of(
        f"seat name games points wins draws losses{' faults' if entrant is None else ''}", rows
    )


def tournament_row(source: ReportSource, href: str, *, measured: bool) -> dict[str, object]:
    """A tournament in the list of tournaments; ``podium`` are the first three of its standings.

    ``created``: when it was stored, "" without measurements; ``number`` puts the newest one first.
    """
    leaders = [(line.rank, source.labels[line.number]) for line in source.standings if line.games]
    return {
        "number": source.tournament.id,
        "created": source.tournament.created if measured else "",
        "format": display.label(source.tournament.plan.format),
        "limits": time_control(source.tournament.plan.limits) if source.tournament.recorded else "",
        "matches": len(source.matches),
        "ended": source.ended,
        "podium": [(rank, label.name) for rank, label in leaders[:3]],
        "href": href,
        "name": source.title,
        "game": source.game_title,
        "seats": source.tournament.seats,
        "entrants": len(source.entrants),
        "state": state(source),
        "faults": sum(line.fault_count for line in source.standings),
    }


def _introduction(source: ReportSource) -> dict[str, object]:
    """The introduction of a tournament, safe to show once escaped; without any, all is empty.

    ``logo`` is the path of the image in the tournament's folder, or ""; ``links`` are (words, address). The
    parts of a paragraph alternate between words and code, which its text has in backticks.
    """
    shown = source.presentation
    paragraphs: list[list[str]] = [[]]
    for line in shown.description.splitlines():
        if line.strip():
            paragraphs[-1].append(line.strip())
        else:
            paragraphs.append([])
    return {
        "logo": shown.file_name,
        "paragraphs": [_code_parts(display.line(" ".join(lines))) for lines in paragraphs if lines],
        "links": [(display.label(link.title), link.url) for link in shown.links],
    }


def _code_parts(text: str) -> list[str]:
    parts = text.split("`")
    # An odd backtick is one that the author means.
    return parts if len(parts) % 2 else ["`".join(parts)]


def logo(make: Renderer) -> Iterator[File]:
    """Yield the tournament's logo, if it has one."""
    shown = make.source.presentation
    if shown.logo:
        yield make.file(shown.file_name, shown.image)


def _lead(make: Renderer) -> dict[str, object]:
    """The first section: at most one part, and none for a round-robin, an import or a comparison.

    For these the standings and the crosstable say most. ``drawn``: the part is small enough to show.
    """
    source = make.source
    lead: dict[str, object] = {
        **dict.fromkeys(("bracket", "progress", "gauntlet", "adaptive")),
        "drawn": True,
    }
    if bracket_page.is_knockout(source):
        drawn = len(source.entrants) <= bracket_page.INLINE
        lead |= {"bracket": make.once(bracket_page.bracket), "drawn": drawn}
    elif source.format.pairs_by_score and rounds_page.has_progress(source):
        shown = make.once(rounds_page.progress)
        lead |= {"progress": shown, "drawn": len(shown.lines) * len(shown.rounds) <= INLINE_CELLS}
    elif format_pages.is_gauntlet(source):
        lead["gauntlet"] = make.once(format_pages.gauntlet)
    elif format_pages.is_adaptive(source):
        lead |= {"adaptive": make.once(format_pages.adaptive), "drawn": len(source.entrants) <= INLINE_BOTS}
    return lead


def version_paths(pools: Sequence[VersionPool]) -> list[str]:
    """The paths of the pages of pools; pools of one game are numbered from the second on."""
    seen: Counter[str] = Counter()
    paths = []
    for pool in pools:
        name = display.folder(pool.reference.game).lower()
        # Two pools of one game must not write the same page.
        seen[name] += 1
        paths.append(f"versions-{name}{f'-{seen[name]}' if seen[name] > 1 else ''}.html")
    return paths


def version_title(pool: VersionPool) -> str:
    """The title of a pool for display: game, seats, and the tournament whose conditions it shares."""
    game = known_game(pool.reference.game)
    name = game.title if game else pool.reference.game
    return display.label(f"{name}, {pool.reference.seats} seats, as {pool.reference.name}")


def version_files(look: Layout, path: str, pool: VersionPool, anchors: Mapping[str, float]) -> Iterator[File]:
    """Yield the page and its table; dates only with measurements. Bots are by their strongest version.

    Anchors that the pool does not have belong to other pools. Raises UsageError for ambiguous anchors.
    """
    # An anchor may belong to the pool of another game.
    here = {name: elo for name, elo in anchors.items() if pool.matching(name)}
    batch = pool.rate(here)
    rows = list(zip((line.entrant for line in batch.ratings), version_rows(pool, batch), strict=True))
    vague = unsure(batch)
    bots: dict[str, list[tuple[int, Context]]] = {}
    for number, row in rows:
        bots.setdefault(display.label(" ".join((row["name"], *row["args"]))), []).append((number, row))
    for lines in bots.values():
        lines.sort(key=lambda line: -line[0])  # the newest version comes first
    data = f"data/{path.removesuffix('.html')}"
    yield look.page(
        path,
        "versions.html",
        title=version_title(pool),
        bots=bots,
        scale=interval_scale([(row["low"], row["high"]) for number, row in rows if number not in vague]),
        unsure=vague,
        pool=pool,
        anchors=[display.label(f"{name} = {elo:g}") for name, elo in here.items()],
        zero="" if here else zero_text(batch, {n: display.label(text) for n, text in pool.labels.items()}),
        intervals=EVERY_LOOK,
        data=data,
        versions=len(rows),
    )
    columns = [column for column in VERSIONS if look.measured or column.key != "since"]
    table = DataTable(columns, [{**row, "args": " ".join(row["args"])} for _, row in rows])
    yield File(f"{data}.csv", table.csv())
    yield File(f"{data}.json", table.json())
