"""A tuned bot: a copy of a bot's folder with other values and a higher version in its ``bot.toml``."""

import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from msgspec import structs

from tourney.bots.catalogue.manifest import FILE_NAME, read_manifest
from tourney.bots.catalogue.store import StoredBot
from tourney.errors import BotError, UsageError

_TABLE = re.compile(r"\s*\[+\s*(.*?)\s*\]+\s*(?:#.*)?\Z")
_NUMBER = re.compile(r"(?P<key>\s*value\s*=\s*)[^\s#]+")
_VERSION = re.compile(r"""(?P<key>\s*version\s*=\s*)(?:"[^"]*"|'[^']*')""")


def raised(version: str) -> str:
    """A version after this one: its last number is one higher, or ``.1`` follows."""
    found = re.sub(r"(\d+)(\D*)\Z", lambda last: f"{int(last[1]) + 1}{last[2]}", version)
    return f"{version}.1" if found == version else found


def tuned_manifest(text: str, values: Mapping[str, str], where: str) -> str:
    """The text of a ``bot.toml`` with other values and the next version; all other lines stay.

    Raises BotError, naming the file, for one whose values are not in tables of their own.
    """
    old = read_manifest(text, where)
    version = raised(old.version)
    lines, table = [], ""
    for line in text.splitlines(keepends=True):
        if header := _TABLE.match(line.rstrip("\r\n")):
            table = re.sub("[\"']", "", header[1])
        name = table.removeprefix("parameters.")
        if not table:
            line = _VERSION.sub(rf'\g<key>"{version}"', line, count=1)  # noqa: PLW2901 - the same line
        elif table.startswith("parameters.") and name in values:
            line = _NUMBER.sub(rf"\g<key>{values[name]}", line, count=1)  # noqa: PLW2901 - as above
        lines.append(line)
    changed = "".join(lines)
    found = {
        name: structs.replace(one, value=float(values.get(name, one.value)))
        for name, one in old.parameters.items()
    }
    if read_manifest(changed, where) != structs.replace(old, version=version, parameters=found):
        raise BotError(
            f"{where}: write each parameter as a table [parameters.NAME] with a line `value = NUMBER`, and"
            " the version on a line of its own, so that tuned values can take their place",
            file=where,
        )
    return changed


def check_out(bot: StoredBot, folder: Path) -> None:
    """Raise UsageError or BotError if a tuned copy of a bot could not be written to a new folder."""
    if folder.exists() or folder.is_symlink():
        raise UsageError(f"{folder} exists already; choose another folder by --out")
    if not folder.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {folder.absolute().parent} for {folder.name}; make it first")
    other = {
        name: one.text(one.low if one.value != one.low else one.high)
        for name, one in bot.manifest.parameters.items()
    }
    tuned_manifest((bot.folder / FILE_NAME).read_text("utf-8"), other, FILE_NAME)


def write_tuned(bot: StoredBot, values: Mapping[str, str], folder: Path) -> None:
    """Write a tuned copy of a bot to a new folder, whole or not at all; a failure leaves nothing of it."""
    temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.absolute().parent))
    try:
        copy = shutil.copytree(bot.folder, temporary / "bot")
        for place in (copy, *copy.rglob("*")):
            place.chmod(place.stat().st_mode | 0o200)
        text = (copy / FILE_NAME).read_text("utf-8")
        (copy / FILE_NAME).write_text(tuned_manifest(text, values, FILE_NAME), "utf-8")
        copy.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
