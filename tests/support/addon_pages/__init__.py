"""A package with an add-on that brings a page of reports and commands."""

from collections.abc import Iterator

import click

from tourney.report.output.layout import File
from tourney.report.output.rendering import Renderer
from tourney.report.site import PageKind


def files(renderer: Renderer) -> Iterator[File]:
    """Yield the page; ``name`` is escaped by its template."""
    name = f"<{renderer.source.tournament.name}>"
    yield renderer.page("openings.html", "tests.support.addon_pages:openings.html", name=name)


PAGE = PageKind(files, "Openings", "openings.html")


@click.command("weigh")
def weigh() -> None:
    """Weigh."""
    click.echo("heavy")
