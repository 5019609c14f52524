"""Tourney: tournaments and ratings for people who write game bots.

The names below are the Python interface; docs/reference/python.md describes them::

    import tourney

    with tourney.open_database("tourney.db") as database:
        print(database.tournament().standings())
"""

from importlib import import_module

__version__ = "0.1.0"

# The types of these names are in __init__.pyi: imports here, even for type checkers, would make every module
# of the package depend on the interface, and through it on SQLModel.
_MODULES = {
    "DatabaseReader": "interface.readers",
    "FoundMatch": "interface.found_match",
    "Limits": "match.spec",
    "MatchPosition": "interface.found_match",
    "TournamentReader": "interface.readers",
    "TourneyError": "errors",
    "open_database": "interface.readers",
    "play_match": "interface.playing",
    "read_match": "interface.found_match",
    "run_tournament": "interface.playing",
}


def __getattr__(name: str) -> object:
    # Imported on first use: workers, bots and the commands start without pandas and SQLModel.
    if name not in _MODULES:
        raise AttributeError(f"module 'tourney' has no attribute {name!r}")
    value: object = getattr(import_module(f"tourney.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*_MODULES, "__version__", "__doc__"})
