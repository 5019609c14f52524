"""Find the report's templates, the rules pages and the shipped bots, in a checkout and in a wheel.

A checkout has them in ``templates/``, ``docs/rules/`` and ``engines/`` beside the package, a wheel in
``_data/`` inside it.
"""

from pathlib import Path

from tourney.errors import EnvironmentFailure

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


def _find(name: str, beside: str = "") -> Path:
    """A data folder; prefer the wheel's, because other packages may have a folder of that name.

    ``beside`` is its path in a checkout (default: its name).
    """
    for folder in (_PACKAGE / "_data" / name, _PACKAGE.parent / (beside or name)):
        if folder.is_dir():
            return folder
    raise EnvironmentFailure(f"Tourney's folder {name} is missing beside {_PACKAGE}; reinstall Tourney")
