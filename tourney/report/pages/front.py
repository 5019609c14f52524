"""The top of the first page: a tournament's own introduction, and the section that follows its format."""

from collections.abc import Iterator
from dataclasses import dataclass

from tourney.report import text
from tourney.report.output.look import File
from tourney.report.output.rendering import Renderer
from tourney.report.pages import adaptive, bracket, gauntlet, rounds
from tourney.report.pages.adaptive import AdaptivePage
from tourney.report.pages.bracket import BracketPage
from tourney.report.pages.gauntlet import GauntletPage
from tourney.report.pages.rounds import Progress
from tourney.report.source import Source

INLINE_CELLS = 400
"""Most cells of the progress table on the first page."""
INLINE_BOTS = 16
"""Most bots of the table of intervals on the first page."""


@dataclass(frozen=True, slots=True)
class About:
    """The first page's introduction; texts are safe to show once escaped.

    ``logo`` is the path of the image in the tournament's folder, or ""; ``links`` are (words, address).
    """

    logo: str
    paragraphs: tuple[str, ...]
    links: tuple[tuple[str, str], ...]


def about(source: Source) -> About:
    """Return the introduction of a tournament; without any, all is empty."""
    shown = source.presentation
    paragraphs: list[list[str]] = [[]]
    for line in shown.description.splitlines():
        if line.strip():
            paragraphs[-1].append(line.strip())
        else:
            paragraphs.append([])
    return About(
        shown.file_name,
        tuple(text.line(" ".join(lines)) for lines in paragraphs if lines),
        tuple((text.display(link.title), link.url) for link in shown.links),
    )


def logo(make: Renderer) -> Iterator[File]:
    """Yield the tournament's logo, if it has one."""
    shown = make.source.presentation
    if shown.logo:
        yield make.file(shown.file_name, shown.image)


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
