"""The manifest of a bot: ``bot.toml``, read strictly, or made from the name of an executable file."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from tourney.errors import BotError
from tourney.parsing import parse_toml

FILE_NAME = "bot.toml"
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}", re.ASCII)
VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,31}", re.ASCII)
PROTOCOLS = ("tourney",)
"""The protocols that a bot may speak here."""

MAX_TEXT = 64 * 1024
"""Bytes that a manifest may hold."""

_GAME = re.compile(r"[a-z][a-z0-9-]{0,63}", re.ASCII)
_SUFFIX = re.compile(r"(?<=.)\.(py|sh|bash|pl|rb|js|lua|exe|bin)\Z")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a bot says of itself.

    ``command`` is run in the bot's folder; ``python3`` as its first word is the interpreter that runs
    Tourney. ``games`` is empty for a bot that plays any game. ``build`` is empty for one that needs none;
    ``build_output`` holds globs of what it makes, which is no part of the bot.
    """

    name: str
    version: str
    command: tuple[str, ...]
    title: str = ""
    author: str = ""
    games: tuple[str, ...] = ()
    build: tuple[str, ...] = ()
    build_output: tuple[str, ...] = ()
    protocol: str = "tourney"

    def plays(self, game: str) -> bool:
        """Say whether the bot claims to play a game."""
        return not self.games or game in self.games


def read_manifest(text: str, where: str) -> Manifest:
    """Return the manifest that a ``bot.toml`` holds.

    ``where`` names the file in errors. Raises BotError, with the line, for bad TOML, an unknown key, a
    missing one, or a value that a manifest may not have.
    """
    try:
        data = parse_toml(text)
    except ValueError as error:
        raise BotError(f"{where} is no valid TOML: {error}") from error
    readers = _READERS
    for key in data:
        if key not in readers:
            raise BotError(
                f"{_line(text, key, where)}: unknown key {key!r}; the keys are {', '.join(readers)}"
            )
    for key in ("name", "version", "command"):
        if key not in data:
            raise BotError(f"{where}: the key {key} is missing; add, for example, {_EXAMPLES[key]}")
    values = {}
    for key, value in data.items():
        try:
            values[key.replace("-", "_")] = readers[key](value)
        except ValueError as error:
            raise BotError(f"{_line(text, key, where)}: {key} {error}") from error
    if "build_output" in values and not values.get("build"):
        raise BotError(f"{_line(text, 'build-output', where)}: build-output is there, but no build")
    return Manifest(**values)


def manifest_from_name(file_name: str, where: str) -> Manifest:
    """Return the manifest of an executable file that comes without one.

    Its name is the file's in small letters without a script's suffix, other characters turned into ``-``;
    its version is ``0``; it plays any game. Raises BotError if no name can be made.
    """
    name = re.sub(r"[^a-z0-9._-]", "-", _SUFFIX.sub("", file_name.lower())).lstrip("._-")[:64]
    if NAME.fullmatch(name) is None:
        raise BotError(
            f"{where}: no bot's name can be made of {file_name!r}; rename it to letters and digits"
        )
    return Manifest(name=name, version="0", command=(f"./{file_name}",))


def write_manifest(manifest: Manifest) -> str:
    """Return a ``bot.toml`` that reads back as the manifest."""
    lines = []
    for field in fields(Manifest):
        value = getattr(manifest, field.name)
        if value == field.default:
            continue
        shown = "[" + ", ".join(map(_quote, value)) + "]" if isinstance(value, tuple) else _quote(value)
        lines.append(f"{field.name.replace('_', '-')} = {shown}\n")
    return "".join(lines)


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _line(text: str, key: str, where: str) -> str:
    """Name the line on which a key of the top level stands, where it is written plainly."""
    pattern = re.compile(
        rf"""\s*(?:["']?{re.escape(key)}["']?\s*=|\[+\s*["']?{re.escape(key)}["']?\s*[.\]])"""
    )
    for number, line in enumerate(text.splitlines(), start=1):
        if pattern.match(line):
            return f"{where} line {number}"
    return where


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"must be a string, not {value!r}")  # noqa: TRY004 - the caller words every bad value alike
    return value


def _matching(pattern: re.Pattern[str]) -> Callable[[object], str]:
    def read(value: object) -> str:
        text = _string(value)
        if pattern.fullmatch(text) is None:
            raise ValueError(f"{text[:100]!r} does not match {pattern.pattern}")
        return text

    return read


def _shown(longest: int) -> Callable[[object], str]:
    def read(value: object) -> str:
        text = _string(value)
        if len(text) > longest:
            raise ValueError(f"has {len(text)} characters; {longest} are the most")
        if not text.isprintable():
            raise ValueError(f"{text!r} has characters that cannot be shown")
        return text

    return read


def _words(read: Callable[[object], str], *, needed: bool = True) -> Callable[[object], tuple[str, ...]]:
    def read_all(value: object) -> tuple[str, ...]:
        if not isinstance(value, list):
            raise ValueError(f'must be a list of strings, as ["word", "word"], not {value!r}')  # noqa: TRY004 - as above
        if needed and not value:
            raise ValueError("must not be an empty list")
        if len(value) > 100:
            raise ValueError(f"has {len(value)} entries; 100 are the most")
        return tuple(read(word) for word in value)

    return read_all


def _word(value: object) -> str:
    text = _shown(1_000)(value)
    if not text:
        raise ValueError("has an empty word")
    return text


def _command(value: object) -> tuple[str, ...]:
    words = _words(_word)(value)
    program = words[0]
    if "/" in program and ".." in program.split("/"):
        raise ValueError(f"{program!r} leads out of the bot's folder")
    return words


def _games(value: object) -> tuple[str, ...]:
    names = _words(_matching(_GAME))(value)
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"names {name} twice")
    return names


def _pattern(value: object) -> str:
    text = _word(value)
    if text.startswith("/") or ".." in text.split("/"):
        raise ValueError(f"{text!r} leads out of the bot's folder")
    return text


def _protocol(value: object) -> str:
    text = _string(value)
    if text not in PROTOCOLS:
        raise ValueError(f"{text[:100]!r} is not spoken here; it may be {', '.join(PROTOCOLS)}")
    return text


_READERS: Mapping[str, Callable[[object], Any]] = {
    "name": _matching(NAME),
    "version": _matching(VERSION),
    "title": _shown(80),
    "author": _shown(200),
    "games": _games,
    "command": _command,
    "build": _command,
    "build-output": _words(_pattern),
    "protocol": _protocol,
}
_EXAMPLES = {
    "name": 'name = "mybot"',
    "version": 'version = "1.0"',
    "command": 'command = ["python3", "bot.py"]',
}
