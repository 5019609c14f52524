"""What command lines say in place of a tournament file: limits and openings, or a whole file."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from tourney.errors import TournamentError, UsageError
from tourney.match.spec import Limits
from tourney.parsing import parse_toml
from tourney.run.config.file_schema import FileLimits, FilePath
from tourney.run.config.tournament_file import load_tables, plan_limits
from tourney.schema import SchemaError, read

_KEY: Final = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*", re.ASCII)
_CLOCK: Final = re.compile(r"(\d+(?:\.\d{1,3})?)(?:\+(\d+(?:\.\d{1,3})?))?", re.ASCII)


class Terms(Struct, frozen=True, rename="kebab"):
    """How bots of a question play: the keys of a tournament file that say so."""

    limits: FileLimits = FileLimits()
    opening_book: FilePath | None = None
    opening_order: Literal["random", "sequential"] = "random"
    opening_plies: int | None = None


def read_terms(path: Path | None, given: Mapping[str, object]) -> tuple[Terms, Limits]:
    """The terms of a tournament file, with the limits ``given`` in place of its own, and the plan's limits.

    Raises TournamentError for the file, and UsageError for a value.
    """
    tables = {} if path is None else load_tables(path)
    data = {key: tables[key] for key in Terms.__struct_encode_fields__ if key in tables}
    if path is not None and not data:
        raise TournamentError(f"{path}: there is no table [limits], and no opening-book", file=path)
    written = data.get("limits", {})
    if isinstance(written, dict):
        data["limits"] = {**written, **given}
    try:
        terms = read(data, Terms, toml=True)
        return terms, plan_limits(terms.limits, data)
    except SchemaError as error:
        raise UsageError(error.in_toml("the command line" if path is None else str(path))) from error


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
