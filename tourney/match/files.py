"""Record files: one record as JSON, or many as JSON lines, read strictly."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tourney import json_text
from tourney.errors import RecordError

MAX_LINE: Final = 64 * 1024 * 1024
"""Bytes of the longest record that is read."""


_GOES_ON = (b"{", b"[", b",", b":")
"""How a first line ends whose value goes on in the next; JSON by itself ends with none of them."""


def read_json_lines(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the JSON values of a file with their places, as ``FILE line N``; empty lines are passed over.

    A file that holds one value over many lines gives that value. Raises RecordError for what is no JSON, and
    OSError where the file cannot be read.
    """
    with path.open("rb") as file:
        first = file.readline(MAX_LINE + 1)
        if first.rstrip().endswith(_GOES_ON):
            yield str(path), _parse(first + file.read(MAX_LINE + 1 - len(first)), str(path))
            return
        number, line = 1, first
        while line:
            if line.strip():
                where = f"{path} line {number}"
                yield where, _parse(line.rstrip(), where)
            number, line = number + 1, file.readline(MAX_LINE + 1)


def read_record(path: Path) -> Any:
    """Return the JSON value of a file that holds exactly one. Raises RecordError, OSError."""
    values = list(_take(read_json_lines(path), 2))
    if len(values) != 1:
        raise RecordError(
            f"{path} holds {'more than one record' if values else 'no record'}; one is wanted here"
        )
    return values[0][1]


def _take(values: Iterator[tuple[str, Any]], most: int) -> Iterator[tuple[str, Any]]:
    for _, value in zip(range(most), values, strict=False):
        yield value


def _parse(data: bytes, where: str) -> Any:
    if len(data) > MAX_LINE:
        raise RecordError(f"{where} is longer than {MAX_LINE >> 20} MiB: this is no record")
    try:
        return json_text.loads(data, unique=True)
    except ValueError as error:
        raise RecordError(f"{where} is no JSON: {error}") from error
