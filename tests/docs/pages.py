"""The text of pages of the documentation, and their blocks of code."""

import re

from tests.support.command import ROOT


def page(path: str) -> str:
    """The text of a page below ``docs/``."""
    return (ROOT / "docs" / path).read_text(encoding="utf-8")


def blocks(text: str, *languages: str) -> list[str]:
    """The blocks of code in one of these languages, in their order."""
    return [code for language, code in every_block(text) if language in languages]


def every_block(text: str) -> list[tuple[str, str]]:
    """Each block of code with its language."""
    return re.findall(r"^```([a-z -]+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
