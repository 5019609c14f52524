"""An add-on as another package has it: a Swiss of its own, three rating methods, files of games and a page.

``install`` writes it as an installed package. It uses nothing of Tourney but what the how-to pages name.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tourney.errors import TournamentError
from tourney.match.record import Record
from tourney.plugins import Addon
from tourney.ratings.batch import Batch, PoolMethod, rate
from tourney.ratings.counts import Counts
from tourney.ratings.likelihood import MODELS
from tourney.ratings.method import Forfeits, Measure, OrderedMethod, RatingMethod, rated
from tourney.ratings.sequential import PlannedGames
from tourney.report.output.layout import File
from tourney.report.output.rendering import Renderer
from tourney.report.site import PageKind
from tourney.schedule.format import Format, History, Pairings, RoundsKey, Setup, rows_of
from tourney.schedule.row import MatchKey, ResultRow

NAME = __name__.rpartition(".")[2]


class ClubSwiss(Format):
    """Pairs by points, no two entrants twice."""

    name = "club-swiss"
    pairs_by_score = True
    one_pairing_a_round = True

    def rounds_key(self, seats: int) -> RoundsKey:
        return "required"

    def check(self, setup: Setup) -> None:
        if setup.seats != 2 or len(setup.participants) % 2:
            raise TournamentError("club-swiss needs two seats and an even number of entrants")

    def next_rounds(self, setup: Setup, history: History) -> Pairings:
        points = Counter[int]()
        for result in history.results:
            for entrant, rank in zip(result.entrants, result.ranks, strict=True):
                points[entrant] += rank == 1
        met = {frozenset(row.seats) for row in history.rows}
        order = sorted((entrant.number for entrant in setup.participants), key=lambda n: (-points[n], n))
        pairs = _pairs(order, met)
        if pairs is None:
            raise TournamentError("club-swiss has no pairing left: play fewer rounds")
        round_ = history.rounds + 1
        rows = [row for table, pair in enumerate(pairs, 1) for row in rows_of(setup, round_, table, pair)]
        return Pairings(tuple(rows), complete=round_ == setup.rounds)


def _pairs(order: Sequence[int], met: set[frozenset[int]]) -> list[tuple[int, int]] | None:
    if not order:
        return []
    first, *others = order
    for partner in others:
        if frozenset((first, partner)) not in met:
            rest = _pairs([number for number in others if number != partner], met)
            if rest is not None:
                return [(first, partner), *rest]
    return None


class Line(NamedTuple):
    """A line of the two tables below."""

    rank: int
    entrant: int
    games: int
    share: float = 0.0
    level: float = 0.0


class FirstPlaces(RatingMethod):
    """The share of matches won."""

    name = "first-places"
    measures = (Measure("share", "Share of matches won", title="won", digits=2),)

    def rate(
        self,
        results: Iterable[ResultRow],
        entrants: Iterable[int],
        seats: int,
        forfeits: Forfeits = "loss",
    ) -> list[Line]:
        games, won = Counter[int](), Counter[int]()
        for result in rated(results, forfeits):
            games.update(result.entrants)
            won.update(n for n, rank in zip(result.entrants, result.ranks, strict=True) if rank == 1)
        order = sorted(entrants, key=lambda n: (-won[n] / (games[n] or 1), n))
        return [
            Line(k, n, games[n], share=round(won[n] / (games[n] or 1), 2)) for k, n in enumerate(order, 1)
        ]


class BayesPool(PoolMethod):
    """BayesElo's model as a method of its own."""

    name = "bayes-pool"

    def fit(
        self,
        counts: Counts,
        *,
        pairs: bool = True,
        anchors: Mapping[int, float] | None = None,
        look: PlannedGames | None = None,
    ) -> Batch:
        return rate(counts, pairs=pairs, model=MODELS["bayeselo"], anchors=anchors, look=look)


class LevelPool(NamedTuple):
    """Levels after some matches: the winner takes ``step`` from the loser."""

    step: float
    levels: Mapping[int, float]
    games: Mapping[int, int]

    def after(self, results: Iterable[ResultRow], forfeits: Forfeits = "loss") -> "LevelPool":
        levels, games = dict(self.levels), Counter(self.games)
        for result in rated(results, forfeits):
            games.update(result.entrants)
            for entrant, rank in zip(result.entrants, result.ranks, strict=True):
                levels[entrant] += self.step if rank == 1 else -self.step
        return LevelPool(self.step, levels, games)

    def table(self) -> list[Line]:
        order = sorted(self.levels, key=lambda n: (-self.levels[n], n))
        return [Line(k, n, self.games.get(n, 0), level=self.levels[n]) for k, n in enumerate(order, 1)]


class Levels(OrderedMethod):
    """Match after match; ``--tau`` sets the step."""

    name = "levels"
    measures = (Measure("level", "Level in the club", unit="steps", digits=1),)
    options = frozenset({"tau"})

    def __init__(self, tau: float = 1.0) -> None:
        self.step = tau

    @property
    def settings(self) -> Mapping[str, float]:
        return {"tau": self.step}

    @property
    def note(self) -> str:
        return f"a win is worth {self.step:g}"

    def configured(self, **settings: float) -> "Levels":
        return Levels(**{**self.settings, **settings})

    def begin(self, entrants: Iterable[int]) -> LevelPool:
        return LevelPool(self.step, dict.fromkeys(entrants, 0.0), {})

    def dump(self, pool: LevelPool) -> object:
        return [[number, level, pool.games.get(number, 0)] for number, level in pool.levels.items()]

    def load(self, state: Any, entrants: Iterable[int]) -> LevelPool | None:
        levels = {number: level for number, level, _ in state}
        games = {number: count for number, _, count in state}
        return LevelPool(self.step, {**dict.fromkeys(entrants, 0.0), **levels}, games)


def game_text(event: str, key: MatchKey, record: Record, *_: object) -> str:
    """A match as a line of text."""
    return f'[Event "{event}"] [Round "{key.round}"] {len(record.actions)} actions\n\n'


def files(renderer: Renderer) -> Iterator[File]:
    """The page of the add-on."""
    yield renderer.page("club.html", f"{NAME}:club.html", members=list(renderer.source.labels.values()))


PAGE = PageKind(files, "Club", "club.html")
ADDON = Addon(
    formats={"club-swiss": f"{NAME}:ClubSwiss"},
    rating_methods={
        "first-places": f"{NAME}:FirstPlaces",
        "levels": f"{NAME}:Levels",
        "bayes-pool": f"{NAME}:BayesPool",
    },
    game_files={"sage-stones": f"{NAME}:game_text"},
    report_pages={"club": f"{NAME}:PAGE"},
)

TEMPLATE = """{% extends "base.html" %}
{% block title %}Club &ndash; {{ site.title }}{% endblock %}
{% block main %}<ul>{% for member in members %}<li>{{ member.name }}</li>{% endfor %}</ul>{% endblock %}
"""


def install(folder: Path) -> None:
    """Write this module as an installed package to a folder, which then belongs on PYTHONPATH."""
    package = folder / NAME
    (package / "templates").mkdir(parents=True)
    (package / "__init__.py").write_text(Path(__file__).read_text(encoding="utf-8"), encoding="utf-8")
    (package / "templates" / "club.html").write_text(TEMPLATE, encoding="utf-8")
    about = folder / f"{NAME}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(f"[tourney.addons]\nclub = {NAME}:ADDON\n", encoding="utf-8")
