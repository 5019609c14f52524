"""The page on templates names the languages and games that there are."""

import re

from tests.docs.pages import page
from tests.support.command import ROOT
from tourney.bots.catalogue.starter import LANGUAGES, searches

PAGE = page("reference/templates.md")
STARTERS = ROOT / "tourney" / "bots" / "catalogue" / "starters"


def test_table_has_every_language_and_its_searches() -> None:
    rows = re.findall(r"^\| `([a-z]+)` \| every game \| ([^|]*) \|", PAGE, re.MULTILINE)
    assert [language for language, _ in rows] == list(LANGUAGES)
    found = {(language, game) for language, games in rows[1:] for game in re.findall(r"`([a-z-]+)`", games)}
    assert found == {pair for pair in searches() if pair[0] != "python"}
    assert rows[0][1] == "every game"


def test_every_language_has_the_same_games() -> None:
    """The page's table of preferences has them too."""
    named = re.findall(r"^\| `([a-z-]+)` \| (?:to|the) ", PAGE, re.MULTILINE)
    for language in LANGUAGES:
        games = (STARTERS / "simple" / language / "games").iterdir()
        assert sorted(file.name.split(".")[0] for file in games) == sorted([*named, "any"])
