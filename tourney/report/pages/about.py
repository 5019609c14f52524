"""What a tournament file has for the report: title, description, logo and links, ready for pages."""

from collections.abc import Iterator
from dataclasses import dataclass

from tourney.report import text
from tourney.report.output.look import File
from tourney.report.output.rendering import Renderer
from tourney.report.source import Source


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


def files(make: Renderer) -> Iterator[File]:
    """Yield the logo, if there is one."""
    shown = make.source.presentation
    if shown.logo:
        yield make.file(shown.file_name, shown.image)
