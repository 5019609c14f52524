"""The page of a game's versions: all bots in one fit over its tournaments, and what each version gained."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from tourney.games.registry import known_game
from tourney.ratings.sequential import EVERY_LOOK
from tourney.report import display
from tourney.report.charts.chart import interval, interval_axis, scale_of
from tourney.report.output.layout import File, Layout
from tourney.results.columns import VERSIONS
from tourney.results.tables import DataTable
from tourney.results.versions import VersionPool, version_rows


@dataclass(frozen=True, slots=True)
class RatedVersion:
    """A version, as printed; ``gain`` is "" for the first of its bot."""

    version: str
    digest: str
    elo: str
    interval: str
    whisker: Markup
    gain: str
    gain_interval: str
    over: str
    since: str
    games: int
    tournaments: int
    faults: int


@dataclass(frozen=True, slots=True)
class VersionsPage:
    """The page's template context; ``bots`` are by their strongest version, versions the newest first."""

    title: str
    bots: tuple[tuple[str, tuple[RatedVersion, ...]], ...]
    axis: Markup
    tournaments: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]
    alone: int
    anchors: tuple[str, ...]
    intervals: str
    data: str
    versions: int


def page_paths(pools: Sequence[VersionPool]) -> list[str]:
    """The paths of the pages of pools; those of one game are numbered from the second on."""
    seen: Counter[str] = Counter()
    paths = []
    for pool in pools:
        name = display.folder(pool.reference.game).lower()
        seen[name] += 1
        paths.append(f"versions-{name}{f'-{seen[name]}' if seen[name] > 1 else ''}.html")
    return paths


def title(pool: VersionPool) -> str:
    """The title of a pool for display: its game and seats, and the tournament that it is like."""
    game = known_game(pool.reference.game)
    name = game.title if game else pool.reference.game
    return display.label(f"{name}, {pool.reference.seats} seats, as {pool.reference.name}")


def files(
    look: Layout, path: str, pool: VersionPool, anchors: Mapping[str, float], *, measured: bool
) -> Iterator[File]:
    """Yield the page and its table; dates only if ``measured``.

    Anchors that the pool does not have are those of other pools. Raises UsageError for ambiguous ones.
    """
    here = {name: elo for name, elo in anchors.items() if pool.matching(name)}
    page, table = versions_page(path, pool, here, measured=measured)
    yield look.page(path, "versions.html", page=page)
    yield File(f"{page.data}.csv", table.csv())
    yield File(f"{page.data}.json", table.json())


def versions_page(
    path: str, pool: VersionPool, anchors: Mapping[str, float], *, measured: bool
) -> tuple[VersionsPage, DataTable]:
    """The page of a pool, and its table for download."""
    batch = pool.rate(anchors)
    rows = dict(zip((line.entrant for line in batch.ratings), version_rows(pool, batch), strict=True))
    scale = scale_of([row[key] for row in rows.values() for key in ("low", "high")])
    bots: dict[str, list[tuple[int, RatedVersion]]] = {}
    for number, row in rows.items():
        line = RatedVersion(
            display.label(row["version"]),
            row["digest"],
            display.number(row["elo"], 1),
            _range(row["low"], row["high"]),
            interval(scale, row["elo"], row["low"], row["high"], EVERY_LOOK),
            ""
            if row["gain"] is None
            else f"{'+' if row['gain'] > 0 else ''}{display.number(row['gain'], 1)}",
            "" if row["gain"] is None else _range(row["gain_low"], row["gain_high"]),
            display.label(row["over"]) if row["over"] else "",
            display.label(row["day"]) if measured else "",
            row["games"],
            row["tournaments"],
            row["faults"],
        )
        bots.setdefault(display.label(" ".join((row["name"], *row["args"]))), []).append((number, line))
    columns = [column.key for column in VERSIONS if measured or column.key != "since"]
    page = VersionsPage(
        title(pool),
        tuple((bot, tuple(line for _, line in sorted(lines, key=_newest))) for bot, lines in bots.items()),
        interval_axis(scale),
        tuple(display.label(one.name) for one in pool.tournaments),
        tuple((display.label(name), display.line(why)) for name, why in pool.left_out),
        pool.alone,
        tuple(display.label(f"{name} = {elo:g}") for name, elo in anchors.items()),
        EVERY_LOOK,
        f"data/{path.removesuffix('.html')}",
        len(rows),
    )
    return page, DataTable(columns, [{**row, "args": " ".join(row["args"])} for row in rows.values()])


def _newest(line: tuple[int, RatedVersion]) -> int:
    return -line[0]


def _range(low: float, high: float) -> str:
    return f"{display.number(low, 1)} to {display.number(high, 1)}"
