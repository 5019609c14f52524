"""What a report publishes of what bots and machines left behind: by default no logs and no host's name.

All pages render the source that ``published`` returns, so no page decides for itself.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from tourney.report.matches import View
from tourney.report.setting import Detail
from tourney.store.values import Match

if TYPE_CHECKING:
    from tourney.report.source import Source

_PRIVATE_KEYS = ("host",)
"""Measurements of a match that name a machine."""

BROKEN = "its bot cannot be started"
"""What is published instead of the last lines of a failed build."""


def published(source: "Source", *, logs: bool) -> "Source":
    """Return a source without private parts, or the same one with ``logs``.

    Private are: lines that bots wrote to standard error, the host's name, the system's errors that made a
    match void, and the output of a bot's failed build. ``info`` lines and the referee's notes stay.
    """
    if logs:
        return source
    read = source.detail
    return replace(
        source,
        detail=lambda number: published_detail(read(number), logs=False),
        matches=View(source.matches, _without_note),
        read=lambda: map(_without_note, source.read()),
        entrants=tuple(
            replace(entrant, broken=BROKEN) if entrant.broken else entrant for entrant in source.entrants
        ),
    )


def published_detail(detail: Detail, *, logs: bool) -> Detail:
    """Return what is published of a match, or all of it with ``logs``."""
    if logs:
        return detail
    return replace(
        detail,
        log=tuple(line for line in detail.log if line.kind != "stderr"),
        measured={key: value for key, value in detail.measured.items() if key not in _PRIVATE_KEYS},
    )


def _without_note(match: Match) -> Match:
    result = match.result
    if result is None or not result.note or result.void_reason == "benched":
        return match
    return replace(match, result=replace(result, note=""))
