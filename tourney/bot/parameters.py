"""The values of the parameters that a bot's ``bot.toml`` declares."""

import sys
from collections.abc import Sequence
from contextlib import suppress


def parameters(arguments: Sequence[str] | None = None) -> dict[str, float]:
    """The values by name, of the arguments ``NAME=VALUE`` of the program; others are left out."""
    found: dict[str, float] = {}
    for word in sys.argv[1:] if arguments is None else arguments:
        name, equals, text = word.partition("=")
        if equals and not name.startswith("-"):
            with suppress(ValueError):
                found[name] = float(text) if "." in text else int(text)
    return found
