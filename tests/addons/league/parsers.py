"""What leagues parse of strangers: ``tests.support.parsers`` lists it."""

from functools import partial
from typing import Final

from tests.support.parsers import read_named
from tourney.addons.league.file import read_authors_file, read_league_file

TARGETS: Final = {
    "league-file": partial(read_named, "league.toml", read_league_file),
    "authors-file": partial(read_named, "authors.toml", read_authors_file),
}
