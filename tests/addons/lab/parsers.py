"""What the lab parses of strangers: ``tests.support.parsers`` lists it."""

from functools import partial
from typing import Final

from tests.support.parsers import read_named
from tourney.addons.lab.tune_file import read_tune_file

TARGETS: Final = {"tune-file": partial(read_named, "tune.toml", read_tune_file)}
