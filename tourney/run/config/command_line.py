"""What command lines say in place of a tournament file: limits and openings, or a whole file."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tourney.errors import TournamentError, UsageError
from tourney.match.spec import Limits
from tourney.parsing import parse_toml
from tourney.run.config.file_schema import FileLimits
from tourney.run.config.tournament_file import load_tables, plan_limits
from tourney.schema import SchemaError, read

_KEY: Final = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*", re.ASCII)
_CLOCK: Final = re.compile(r"(\d+(?:\.\d{1,3})?)(?:\+(\d+(?:\.\d{1,3})?))?", re.ASCII)
_OPENINGS: Final = ("opening-book", "opening-order", "opening-plies")


@dataclass(frozen=True, slots=True)
class Terms:
    """How bots of a question play: their limits, and what a file says of openings (None: nothing)."""

    limits: Limits
    book: Path | None = None
    sequential: bool = False
    opening_plies: int | None = None


def read_terms(path: Path | None, given: Mapping[str, object]) -> Terms:
    """The ``[limits]`` and openings of a tournament file, with the limits ``given`` in their place.

    Raises TournamentError for the file, and UsageError for what is given.
    """
    tables = {} if path is None else load_tables(path)
    written = tables.get("limits", {})
    if path is not None and not ({"limits", *_OPENINGS} & set(tables) and isinstance(written, dict)):
        raise TournamentError(
            f"{path}: there is no table [limits], and no opening-book or opening-plies", file=path
        )
    data = {**written, **given} if isinstance(written, dict) else dict(given)
    try:
        limits = plan_limits(read(data, FileLimits, toml=True, at=("limits",)), {"limits": data})
    except SchemaError as error:
        raise UsageError(error.in_toml("the command line" if path is None else str(path))) from error
    book, order, plies = (tables.get(key) for key in _OPENINGS)
    if not isinstance(book, str | None) or order not in (None, "random", "sequential"):
        raise TournamentError(f"{path}: opening-book or opening-order is not valid", file=path)
    if not isinstance(plies, int | None):
        raise TournamentError(f"{path}: opening-plies is not an integer", file=path)
    folder = Path() if path is None else path.parent
    return Terms(limits, None if book is None else folder / book, order == "sequential", plies)


def clock_limits(text: str) -> dict[str, object]:
    """The limits of a clock written as ``8+0.08``: seconds, and seconds added by each action."""
    found = _CLOCK.fullmatch(text)
    if found is None:
        raise UsageError(f"--clock {text!r} is not of the form SECONDS or SECONDS+INCREMENT, as 8+0.08")
    clock, increment = (round(1000 * float(part or 0)) for part in found.groups())
    return {"clock-ms": clock, "increment-ms": increment}


def toml_values(option: str, words: Iterable[str]) -> dict[str, object]:
    """The keys of ``KEY=VALUE`` words, with values as in TOML. Raises UsageError."""
    found: dict[str, object] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not _KEY.fullmatch(key):
            raise UsageError(f"{option} {word!r} does not have the form KEY=VALUE")
        found[key] = _toml_value(value)[1]
    return found


def _toml_value(text: str) -> tuple[str, object]:
    """A value as TOML writes it, and the value: that of the text or, if it is not TOML, the text itself."""
    try:
        return text, parse_toml(f"x = {text}")["x"]
    except (ValueError, KeyError):
        return json.dumps(text, ensure_ascii=False), text


def file_text(
    game: str, bots: Sequence[str], format_: str, name: str | None, words: Sequence[str]
) -> tuple[Path, str]:
    """The tournament file for a command line, with further keys as ``KEY=VALUE``: its path and its text.

    Without a name it is made of the game, the format and everything else. Raises UsageError.
    """
    toml_values("--set", words)
    keys = {"game": json.dumps(game), "format": json.dumps(format_), "bots": json.dumps(list(bots))}
    keys |= {word.partition("=")[0]: _toml_value(word.partition("=")[2])[0] for word in words}
    lines = "".join(f"{key} = {value}\n" for key, value in keys.items())
    digits = hashlib.sha256(lines.encode("utf-8", "replace")).hexdigest()[:8]
    made = re.sub(r"[^a-z0-9._-]+", "-", game.lower()).strip("-.")[:32]
    name = name or f"{made}-{format_}-{digits}"
    return Path(f"{name}.toml"), f"name = {json.dumps(name)}\n{lines}"
