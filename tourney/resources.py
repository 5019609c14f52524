"""Where the templates of the report and the bots that ship are, in a checkout and in a wheel.

A checkout has them beside the package, in ``templates/`` and ``engines/``; a wheel inside it, in ``_data/``.
"""

from pathlib import Path

from tourney.errors import EnvironmentFailure

_PACKAGE = Path(__file__).resolve().parent


def templates_dir() -> Path:
    """Return the folder of the report's Jinja2 templates and static files."""
    return _find("templates")


def engines_dir() -> Path:
    """Return the folder of the bots that ship, a folder each."""
    return _find("engines")


def _find(name: str) -> Path:
    """Return a data folder. The wheel's comes first: beside an installed package lies what is not ours."""
    for folder in (_PACKAGE / "_data" / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise EnvironmentFailure(
        f"the folder {name} of Tourney is missing beside {_PACKAGE}; install Tourney again"
    )
