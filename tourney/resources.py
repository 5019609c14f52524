"""Find the report's templates, the rules and the shipped bots, in a checkout and in a wheel.

A checkout has them in ``templates/``, ``docs/rules/`` and ``engines/`` beside the package, a wheel in
``_data/`` inside it.
"""

from pathlib import Path

from tourney.errors import EnvironmentFailure
from tourney.games.base import AnyGame
from tourney.games.guide import Guide
from tourney.games.registry import GAMES

_PACKAGE = Path(__file__).resolve().parent


def templates_dir() -> Path:
    """The folder of the report's Jinja2 templates and static files."""
    return _find("templates")


def engines_dir() -> Path:
    """The folder of the shipped bots, one subfolder each."""
    return _find("engines")


def rules_dir() -> Path:
    """The folder of the games' rules pages, ``GAME.md`` each."""
    return _find("rules", "docs/rules")


def rules_text(game: AnyGame, guide: Guide | None) -> str:
    """A game's rules as Markdown, the plugin's own or those of ``docs/rules``, or "" without any."""
    if guide is not None and guide.rules:
        return guide.rules
    if game.name not in GAMES.own:
        return ""
    path = rules_dir() / f"{game.name}.md"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def short_rules(game: AnyGame, guide: Guide) -> str:
    """The rules in short as Markdown."""
    lines = [f"# {game.title}", "", guide.aim, "", *(f"- {line}" for line in (*guide.turn, *guide.end))]
    lines += ["", *(f"- {figure.name} ({figure.glyph}): {figure.text}" for figure in guide.figures)]
    return "\n".join(lines).rstrip() + "\n"


def _find(name: str, beside: str = "") -> Path:
    """A data folder; prefer the wheel's, because other packages may have a folder of that name.

    ``beside`` is its path in a checkout (default: its name).
    """
    for folder in (_PACKAGE / "_data" / name, _PACKAGE.parent / (beside or name)):
        if folder.is_dir():
            return folder
    raise EnvironmentFailure(f"Tourney's folder {name} is missing beside {_PACKAGE}; reinstall Tourney")
