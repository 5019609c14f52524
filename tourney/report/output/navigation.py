"""The sections of a report, which the header of all pages links to."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """A section: its first page (``path``), and how the paths of the pages below it begin (``under``)."""

    title: str
    path: str
    under: tuple[str, ...] = ()

    def holds(self, path: str) -> bool:
        """Return whether a page is below the section's first page."""
        return path != self.path and path.startswith(self.under)


def section_of(sections: Sequence[Section], path: str) -> Section | None:
    """Return the section that a page is below, or None."""
    return next((section for section in sections if section.holds(path)), None)
