"""The rule that decides the places of a tournament: stored in its plan, so no later version moves an entrant.

A name keeps its meaning for good: a tie-break, an award or a measure that is computed in another way gets a
new name beside the old one (``tests/schedule/test_ranking_rule.py`` has a table for each name). How rounds
are drawn stands elsewhere: docs/reference/schedules.md fixes it, and ``tourney verify`` draws again.
"""

from collections.abc import Mapping
from typing import Annotated, Final

from msgspec import Meta, Struct

from tourney.schema import Label

BY_POINTS: Final = ("direct-encounter", "wins", "sonneborn-berger")
"""The tie-breaks of tournaments that are ranked by points alone."""


class RankingRule(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True, omit_defaults=True):
    """How the standings of a tournament are ordered; a format sets only the keys that it reads.

    ``by`` ranks first: ``points``, ``points-per-match`` or a measure of the format. ``tie_breaks`` are in the
    order of their use, with those that are only shown. ``bye`` is what a bye scores, ``unplayed`` how
    tie-breaks count a round without an opponent. ``extra_groups``: further groups of a tied pairing of a
    knockout, where its file does not set them. ``score`` is what a match gives: ``win``, or None for the
    share of opponents beaten, as in all older plans.
    """

    by: Label
    tie_breaks: Annotated[tuple[Label, ...], Meta(max_length=20)]
    bye: Label | None = None
    unplayed: Label | None = None
    extra_groups: Annotated[int, Meta(ge=0, le=100)] | None = None
    score: Label | None = None


OPTIONAL: Final = ("bye", "unplayed", "extra_groups")
"""The keys that only some formats have."""

_BY_POINTS: Final = RankingRule("points", BY_POINTS)
_BY_RATING: Final = RankingRule("rating", ("rating", "sigma"))
_OLDER: Final[Mapping[str, RankingRule]] = {
    "adaptive": _BY_RATING,
    "compare": _BY_POINTS,
    "gate": _BY_POINTS,
    "gauntlet": RankingRule("points-per-match", BY_POINTS),
    "import": _BY_POINTS,
    "knockout": RankingRule("stages-won", ("stages-won",), extra_groups=2),
    "ladder": _BY_RATING,
    "results": _BY_POINTS,
    "round-robin": _BY_POINTS,
    "tune": _BY_POINTS,
}
_OLDER_SWISS: Final = RankingRule(
    "points",
    ("buchholz-cut-1", "buchholz", "sonneborn-berger", "direct-encounter", "wins"),
    bye="win",
    unplayed="fide-c07-2026",
)
_OLDER_PODS: Final = RankingRule(
    "points", ("opponents-mean", "wins", "second-places"), bye="half", unplayed="left-out"
)


def older_rule(format_: str, seats: int) -> RankingRule | None:
    """The rule of a tournament that began before plans stored it; None for a format of another package.

    These never change: new orders and names are for new tournaments.
    """
    if format_ == "swiss":
        return _OLDER_SWISS if seats == 2 else _OLDER_PODS
    return _OLDER.get(format_)
