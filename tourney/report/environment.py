"""The Jinja2 environment of the report, and its static files."""

from collections.abc import Iterator
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tourney.games import svg_diagram
from tourney.report import text

STATIC = ("style.css", "theme.js", "tables.js", "replay.js")


def environment(templates: Path) -> Environment:
    """Return the environment: everything is escaped, and a name that is missing is an error."""
    made = Environment(
        loader=FileSystemLoader(templates),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals["count"] = text.count
    return made


def static_files(templates: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the path in the site and the content of each style sheet and script."""
    for name in STATIC:
        yield f"assets/{name}", (templates / "static" / name).read_bytes()
    yield "assets/board.css", board_css().encode("utf-8")


def board_css() -> str:
    """Return the style sheet of boards: its colours follow the page's theme, not the system's alone."""
    light, dark = _properties(dark=False), _properties(dark=True)
    return (
        f"{svg_diagram.style()}"
        f":root{{{light}}}\n"
        f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\n"
        f":root[data-theme=dark]{{{dark}}}\n"
        f"@media print{{:root:root:root{{{light}}}}}\n"
    )


def _properties(*, dark: bool) -> str:
    tones = {
        **svg_diagram.GROUNDS,
        **{f"seat-{name}": tone for name, tone in svg_diagram.TOKENS.items()},
        **svg_diagram.LINES,
    }
    return "".join(f"--board-{name}:{tone.dark if dark else tone.light};" for name, tone in tones.items())
