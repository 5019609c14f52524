"""Documents of ``--format json``, held to the committed schemas."""

import json
from typing import Any

import click
from jsonschema import Draft202012Validator

from scripts.make_reference import commands, documents, file_of, name_of
from tests.support.command import ROOT, invoke
from tourney.cli.main import CommandTable, cli

FOLDER = ROOT / "docs" / "reference" / "json"


class Printer:
    """Runs commands with ``--format json``, and remembers which kinds of documents it has checked."""

    def __init__(self) -> None:
        self.seen: set[str] = set()

    def __call__(self, *words: str, code: int = 0) -> Any:
        """Run a command, hold its document to the committed schema, and return it."""
        done = invoke(*words, "--format", "json")
        assert done.exit_code == code, done.output
        assert "Traceback" not in done.stderr
        document = json.loads(done.stdout)
        name = " ".join(words[: 2 if isinstance(cli.load(words[0]), CommandTable) else 1])
        (kind,) = [kind for kind in documents()[name] if name_of(kind) == document["format"]]
        schema = json.loads((FOLDER / file_of(kind)).read_text("utf-8"))
        errors = [error.message for error in Draft202012Validator(schema).iter_errors(document)]
        assert errors == []
        self.seen.add(document["format"])
        return document


def commands_of(addon: str | None) -> set[str]:
    """The words of the commands that an add-on brings, or the core."""
    return {words for words, command in commands() if _addon_of(command) == addon}


def _addon_of(command: click.Command) -> str | None:
    _, _, place = getattr(command.callback, "__module__", "").partition("tourney.addons.")
    return place.partition(".")[0] or None


def kinds_of(addon: str | None) -> set[str]:
    """The kinds of documents that these commands print."""
    words = commands_of(addon)
    return {name_of(kind) for name, kinds in documents().items() if name in words for kind in kinds}
