"""The site is plain files."""

from pathlib import Path

from tests.support.leagues import new_league
from tourney.league.league_site import write_league_site


def test_site_has_a_first_page(tmp_path: Path) -> None:
    said: list[str] = []
    page = write_league_site(new_league(tmp_path), said.append)
    assert "stones" in page.read_text()
    assert said == [f"the site is {page}"]
