"""Tables of ratings, for ``tourney ratings`` and ``tourney rate``: for people, CSV and JSON documents."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import click

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
from tourney.ratings.sequences import EVERY_LOOK
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
from tourney.results.versions import VersionPool

F = TypeVar("F", bound=Callable[..., Any])

forfeits_option = click.option(
    "--forfeits",
    type=click.Choice(["loss", "void"]),
    default="loss",
    show_default=True,
    help="Whether a game lost by a fault (time, illegal move, crash) counts as a loss or not at all.",
)
"""``--forfeits loss|void``; the command gets ``forfeits``."""

anchor_option = click.option(
    "--anchor",
    "levels",
    multiple=True,
    metavar="NAME=ELO",
    callback=lambda _ctx, _param, values: anchors_of(values),
    help="Give a player this Elo; all others follow. Repeatable: then the mean of the anchors is fixed.",
)
"""``--anchor NAME=ELO``; the command gets ``levels``: Elo by name."""


def method_option(names: Sequence[str]) -> Callable[[F], F]:
    """Add ``--method`` with these names of methods; the command gets ``method``."""
    return click.option(
        "--method",
        type=click.Choice(list(names)),
        default="batch",
        show_default=True,
        help="Rating method: one fit to all games (batch), or game by game in their order (trueskill).",
    )


def refuse_for(method: str, given: Iterable[str]) -> None:
    """Raise UsageError for options that were given and belong to a ``method`` that was not chosen."""
    for option in given:
        raise UsageError(f"{option} is for --method {method}")


def anchors_of(texts: Sequence[str]) -> dict[str, float]:
    """Return the Elo of anchors by name. A name may hold ``=``; what follows the last one is the number."""
    found: dict[str, float] = {}
    for text in texts:
        name, equals, level = text.rpartition("=")
        try:
            elo = float(level)
        except ValueError:
            elo = float("nan")
        if not equals or not name or not abs(elo) <= 1e6:  # NaN compares false
            raise UsageError(f"--anchor {text!r} does not have the form NAME=ELO")
        if name in found:
            raise UsageError(f"--anchor names {name!r} twice")
        found[name] = elo
    return found


def anchors_text(levels: Mapping[str, float]) -> str:
    """Return the sentence that names the anchors."""
    return f"Elo is relative to {', '.join(f'{name} = {elo:g}' for name, elo in levels.items())}."


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


def versions_data(pool: VersionPool, rows: Rows) -> dict[str, Any]:
    """Return the values of the document of versions, without notes."""
    keys = ("rank", "name", "version", "args", "digest", "elo", "low", "high", "predecessor", "gain")
    more = ("gain_low", "gain_high", "since", "games", "tournaments", "faults")
    return {
        "game": pool.reference.game,
        "reference": pool.reference.name,
        "tournaments": [one.name for one in pool.tournaments],
        "left_out": [{"tournament": name, "why": why} for name, why in pool.left_out],
        "intervals": EVERY_LOOK,
        "versions": [{key: row[key] for key in (*keys, *more)} for row in rows],
    }


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
