"""What the first page shows before the standings: that by which a reader follows the format."""

from dataclasses import dataclass

from tourney.report.output.rendering import Renderer
from tourney.report.pages import adaptive, bracket, gauntlet, rounds
from tourney.report.pages.adaptive import AdaptivePage
from tourney.report.pages.bracket import BracketPage
from tourney.report.pages.gauntlet import GauntletPage
from tourney.report.pages.rounds import Progress

INLINE_CELLS = 400
"""Most cells of the progress table on the first page."""
INLINE_BOTS = 16
"""Most bots of the table of intervals on the first page."""


@dataclass(frozen=True, slots=True)
class Lead:
    """The first section: at most one of its parts is there. ``drawn``: it is small enough to show."""

    bracket: BracketPage | None = None
    progress: Progress | None = None
    gauntlet: GauntletPage | None = None
    adaptive: AdaptivePage | None = None
    drawn: bool = True


def lead(make: Renderer) -> Lead:
    """Return the first section of the renderer's tournament; none for a round-robin, an import, a comparison.

    There the standings and the crosstable say most.
    """
    source = make.source
    if bracket.is_knockout(source):
        return Lead(bracket=make.once(bracket.bracket), drawn=len(source.entrants) <= bracket.INLINE)
    if source.tournament.plan.format == "swiss" and rounds.has_progress(source):
        shown = make.once(rounds.progress_of)
        return Lead(progress=shown, drawn=len(shown.lines) * len(shown.rounds) <= INLINE_CELLS)
    if gauntlet.is_gauntlet(source):
        return Lead(gauntlet=make.once(gauntlet.page_of))
    if adaptive.is_adaptive(source):
        return Lead(adaptive=make.once(adaptive.page_of), drawn=len(source.entrants) <= INLINE_BOTS)
    return Lead()
