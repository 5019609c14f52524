"""Tables of ratings, for ``tourney ratings`` and ``tourney rate``: for people, CSV and JSON documents."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tourney.cli.documents.tournaments import (
    MeasuresDocument,
    PairsDocument,
    PoolDocument,
    RatingsDocument,
)
from tourney.cli.output import Document, Format, Output
from tourney.errors import UsageError
from tourney.ratings.batch import Batch
from tourney.ratings.fit import Goodness
from tourney.ratings.method import RatingLine
from tourney.results.columns import (
    CYCLES,
    ELO,
    EVALUATIONS,
    INTERVALS,
    PAIRS,
    POOL,
    TRUESKILL,
    Column,
    elo_shown,
    rating_columns,
    rendered,
)
from tourney.results.ratings import (
    Names,
    Rows,
    batch_rows,
    cycle_rows,
    evaluation_rows,
    pair_rows,
    pool_rows,
    rating_rows,
)

TRUESKILL_MEASURES: tuple[str, ...] = ("mu", "sigma", "exposed")
"""The measures of a TrueSkill rating."""


@dataclass(frozen=True, slots=True)
class RatingTable:
    """A table: rows and columns for people or CSV; kind and values of its document, without notes.

    ``below`` are further tables, which people alone see; one without rows is left out.
    """

    rows: Rows
    columns: Sequence[Column]
    kind: type[Document]
    values: dict[str, Any] = field(default_factory=dict)
    below: tuple[tuple[Rows, Sequence[Column]], ...] = ()

    def write(self, output: Output, format_: Format, notes: Sequence[str], **more: Any) -> None:
        """Print the table, and say the ``notes``; ``more`` are further values of the document."""
        if format_ is Format.JSON:
            output.document(self.kind, notes=list(notes), **self.values, **more)
        else:
            rows = rendered(self.rows, self.columns, people=format_ is Format.TABLE)
            output.table(rows, self.columns, format_)
        for rows, columns in self.below if format_ is Format.TABLE else ():
            if rows:
                output.write("")
                output.table(rendered(rows, columns, people=True), columns)
        for sentence in notes:
            output.say(sentence)


def batch_table(
    batch: Batch, show: str, names: Names, faults: Mapping[int, int], *, people: bool
) -> RatingTable:
    """Return a table of a batch rating: its ``pairs``, its ``pool``, or the bots (any other word)."""
    fit = _fit(batch.pool.goodness)
    if show == "pairs":
        rows = pair_rows(batch, names)
        return RatingTable(rows, PAIRS, PairsDocument, {"pairs": _only(rows, PAIRS)})
    if show == "pool":
        return RatingTable(pool_rows(batch, names), POOL, PoolDocument, _pool(batch, names) | {"fit": fit})
    rows = batch_rows(batch, names, faults)
    own = [column for column in ELO if column is not INTERVALS]
    values = {
        "intervals": batch.intervals,
        "fit": fit,
        "ratings": _only(rows, own),
        "cycles": _cycles(batch, names),
    }
    below = ((evaluation_rows(batch, names), EVALUATIONS), (cycle_rows(batch, names), CYCLES))
    columns = elo_shown(batch.intervals) if people else ELO
    return RatingTable(rows, columns, RatingsDocument, values, below)


def measures_table(
    lines: Iterable[RatingLine],
    method: str,
    measures: Sequence[str],
    names: Names,
    faults: Mapping[int, int],
) -> RatingTable:
    """Return the table of another method, which names its own ``measures``."""
    rows = rating_rows(lines, measures, names, faults)
    columns = TRUESKILL if method == "trueskill" else rating_columns(measures)
    exact = rendered(rows, columns, people=False)
    ratings = [
        {
            **{key: row[key] for key in ("rank", "name", "games", "faults")},
            "measures": {key: row[key] for key in measures},
        }
        for row in exact
    ]
    return RatingTable(rows, columns, MeasuresDocument, {"method": method, "ratings": ratings})


def number(option: str, text: str) -> float:
    """Return the number of an option. Raises UsageError."""
    try:
        return float(text)
    except ValueError as error:
        raise UsageError(f"{option} {text} is no number") from error


def _only(rows: Rows, columns: Sequence[Column]) -> Rows:
    return rendered(rows, columns, people=False)


def _fit(found: Goodness) -> dict[str, Any]:
    return {"pairs": found.pairs, "ratio": found.ratio, "p_value": found.p_value}


def _cycles(batch: Batch, names: Names) -> dict[str, Any] | None:
    found = batch.cycles
    if found is None:
        return None
    return {
        "deviation": found.deviation,
        "cycles": [
            {
                "bots": [names[entrant] for entrant in cycle.entrants],
                "scores": cycle.scores,
                "probability": cycle.probability,
            }
            for cycle in found.cycles
        ],
        "evaluations": [
            {
                "name": names[one.entrant],
                "lottery": one.lottery,
                "against": one.against,
                "alpha": one.alpha,
            }
            for one in found.evaluations
        ],
    }


def _pool(batch: Batch, names: Names) -> dict[str, Any]:
    pool = batch.pool
    return {
        "matches": pool.matches,
        "groups": pool.clusters,
        "draw_rate": pool.draw_rate,
        "intervals": batch.intervals,
        "seats": [seat._asdict() for seat in pool.seats],
        "dispersion": pool.dispersion,
        "parts": [[names[entrant] for entrant in part] for part in pool.parts],
        "prior_elo": pool.prior_elo,
        "p_best": {names[line.entrant]: line.p_best for line in batch.ratings},
    }
